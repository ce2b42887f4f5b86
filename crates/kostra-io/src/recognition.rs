//! Recognition of formats by content: the format with the strongest [`Evidence`] is chosen.
//!
//! `.kst`, OpenStreetMap and Matrix Market files start with a signature, and the lines of DIMACS
//! files start with their own letters. ECL and GAP files have no signature; their first numbers
//! must be possible counts and row starts. Which kind of rows another text has, [`text_kinds`]
//! decides. The extension decides between METIS and an edge list, and that a file is Matrix Market
//! or METIS, or an error.
//!
//! If comments or long lines fill the head of a text, more of it is read, until three rows are
//! complete.

use std::path::Path;

use crate::compression::{LONGEST_HEAD, Stream};
use crate::fields::is_comment;
use crate::formats::FORMATS;
use crate::head::{BYTE_ORDER_MARK, Evidence, Head};
use crate::interface::{Format, ReadOptions, Vertices};
use crate::message::{Message, Remedy, message};
use crate::text_kinds::{self, Recognized, Sample};
use crate::{ReadErrorKind, foreign, formats};

/// The rows that show the difference between METIS and an edge list: a line of counts and two rows
/// of neighbors or edges.
const ROWS_TO_RECOGNIZE: usize = 3;

/// The most bytes by which a text is recognized if memory is limited. Recognizing takes up to some
/// 40 bytes for each of them.
const LONGEST_HEAD_IN_BLOCKS: usize = 1 << 18;

/// Extensions of edge lists, which are in no other format of rows.
const OF_EDGES: [&str; 5] = ["edges", "edgelist", "el", "wel", "ncol"];
/// Extensions of tables, which are not METIS.
const OF_TABLES: [&str; 2] = ["csv", "tsv"];
/// Extensions that decide that a file is in a format, or an error.
const DECIDING: [(&str, Format); 8] = [
    ("adjlist", Format::ADJACENCY),
    ("g6", Format::GRAPH6),
    ("s6", Format::GRAPH6),
    ("hgr", Format::HMETIS),
    ("mtx", Format::MATRIX_MARKET),
    ("graph", Format::METIS),
    ("metis", Format::METIS),
    ("chaco", Format::METIS),
];

/// The formats of matrices whose entries are all stored.
const MATRICES: [Format; 7] = [
    Format::NPY,
    Format::NPZ,
    Format::MATRIX,
    Format::PHYLIP,
    Format::DICTIONARY,
    Format::MATRIX_MARKET,
    Format::NODE_LINK,
];

/// The format that the options name, or else the format that the content of the input `name` shows.
/// Refuses options that do not apply to this format.
pub(crate) fn choose_format(
    stream: &mut Stream<'_>,
    name: &str,
    options: &ReadOptions,
) -> Result<Recognized, ReadErrorKind> {
    let recognized = match options.format {
        Some(format) => Recognized { format, evidence: String::new() },
        None => match recognize_stream(stream, name, options) {
            Err(ReadErrorKind::UnknownFormat { .. })
                if options.names || options.columns.delimiter.is_some() =>
            {
                let evidence = "an option for edge lists was chosen".into();
                Recognized { format: Format::EDGE_LIST, evidence }
            }
            recognized => recognized?,
        },
    };
    check_options(recognized.format, options)?;
    Ok(recognized)
}

/// Refuses options that do not apply to a format.
fn check_options(format: Format, options: &ReadOptions) -> Result<(), ReadErrorKind> {
    let is_table = format == Format::PARQUET;
    let is_map = format == Format::OSM_PBF;
    let is_numpy = [Format::NPY, Format::NPZ].contains(&format);
    if let (Some(option), false) = (options.roads.first_used(), is_map) {
        return Err(does_not_apply(option, "OpenStreetMap files", format));
    }
    let column = match format.info().has_attributes {
        _ if is_map => options.columns.first_besides_kept(),
        _ if is_table => options.columns.first_of_text(),
        _ if is_numpy => options.columns.first_besides_ends(),
        _ if format == Format::MATRIX => options.columns.first_besides_fields(),
        true => options.columns.first_besides_attributes(),
        false => options.columns.first_used(),
    };
    let counts = matches!(options.vertices, Vertices::Count(_)).then_some("vertices");
    if options.raw.is_some() && format != Format::RAW {
        return Err(does_not_apply("raw", "raw binary", format));
    }
    if options.array.is_some() && !MATRICES.contains(&format) {
        return Err(does_not_apply("array", "arrays of NumPy and JSON only", format));
    }
    if options.sheet.is_some() && format != Format::SHEET {
        return Err(does_not_apply("sheet", "spreadsheets", format));
    }
    if options.links.is_some() && format != Format::NODE_LINK {
        return Err(does_not_apply("links", "JSON", format));
    }
    let tables = [Format::EDGE_LIST, Format::TABLE, Format::PARQUET];
    let of_costs = tables.contains(&format) && options.zeros.is_none();
    if let (Some(option), false) =
        (options.first_of_matrix(), MATRICES.contains(&format) || of_costs)
    {
        return Err(does_not_apply(option, "matrices", format));
    }
    let names = options.names.then_some("names").filter(|_| !is_table && !is_map);
    let has_ids = is_numpy || format == Format::RAW;
    let counts = counts.filter(|_| !has_ids && !is_table);
    let used = column.or(names).or(counts);
    let has_columns = [Format::EDGE_LIST, Format::TABLE, Format::WRITTEN].contains(&format);
    if let (Some(option), false) = (used, has_columns) {
        return Err(ReadErrorKind::question(message![
            Remedy::option(option),
            format!(" applies to edge lists only, not to {} (pass ", format.title()),
            Remedy::text("format", Format::EDGE_LIST.id()),
            " if the input is an edge list)",
        ]));
    }
    Ok(())
}

/// Refuses an option that applies to files of another kind.
fn does_not_apply(option: &'static str, kind: &str, format: Format) -> ReadErrorKind {
    let title = format.title();
    ReadErrorKind::question(message![
        Remedy::option(option),
        format!(" applies to {kind}, not to {title}; omit it"),
    ])
}

/// Recognizes the format of an unread stream of the input `name`.
fn recognize_stream(
    stream: &mut Stream<'_>,
    name: &str,
    options: &ReadOptions,
) -> Result<Recognized, ReadErrorKind> {
    let is_limited = stream.memory.is_limited();
    let longest = if is_limited { LONGEST_HEAD_IN_BLOCKS } else { LONGEST_HEAD };
    while stream.head().len() < longest
        && shows_too_little(&Head::new(stream.head(), stream.head_is_whole()))
        && stream.look_further()?
    {}
    let head = Head::new(stream.head(), stream.head_is_whole());
    if head.lines().is_some() {
        stream.memory.hold_columns(head.bytes())?;
    }
    if is_limited
        && !head.is_whole()
        && head.bytes().len() >= longest
        && shows_too_little(&head)
        && signed(&head).is_none()
    {
        let sentence = format!(
            "the first {longest} bytes are comments or parts of long lines and do not show the \
             format, and with "
        );
        let (memory, format) = (Remedy::option("memory"), Remedy::option("format"));
        let no_more = " no more bytes are looked at; pass ";
        return Err(ReadErrorKind::question(message![sentence, memory, no_more, format]));
    }
    recognize(&head, name, options)
}

/// Whether a longer head may lead to another decision.
fn shows_too_little(head: &Head<'_>) -> bool {
    let has_signature = || head.has_complete_line() && strongest(head).1 == Evidence::Signature;
    head.has_fewer_rows_than(ROWS_TO_RECOGNIZE) && !has_signature()
}

/// Recognizes the format of the input `name` by its head.
///
/// # Errors
/// When the input is in no format, or in one of several.
fn recognize(
    head: &Head<'_>,
    name: &str,
    options: &ReadOptions,
) -> Result<Recognized, ReadErrorKind> {
    let (formats, strength) = strongest(head);
    let is_of_rows = |format: &Format| [Format::METIS, Format::EDGE_LIST].contains(format);
    if let (Some(sentence), true) = (foreign::certain(head.bytes()), strength < Evidence::Signature)
    {
        return Err(ReadErrorKind::malformed(sentence));
    }
    if let Some(&format) = formats.first().filter(|format| !is_of_rows(format)) {
        return Ok(Recognized { format, evidence: String::new() });
    }
    let text = head.bytes();
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text).trim_ascii_start();
    if let Some(sentence) = foreign::text(text) {
        return Err(ReadErrorKind::malformed(sentence));
    }
    if let Some(sentence) = refused(head.bytes()) {
        return Err(ReadErrorKind::malformed(sentence));
    }
    let bytes = head.bytes();
    if head.is_whole() && bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(ReadErrorKind::Empty);
    }
    text_kinds::refuse_other_encodings(head, name)?;
    if let Some(recognized) = of_rows(head, name, options)? {
        return Ok(recognized);
    }
    if let Some(sentence) = one_column(head) {
        return Err(ReadErrorKind::malformed(sentence));
    }
    if let Some(sentence) = text_kinds::odd_character(head) {
        return Err(ReadErrorKind::malformed(sentence));
    }
    if head.lines().is_none() {
        return Err(ReadErrorKind::question(message![
            "this input is binary, in a format that Kostra does not recognize; if its rows \
             are numbers without a header, pass their types, as ",
            Remedy::text("format", "raw:u32,u32,f32"),
        ]));
    }
    Err(ReadErrorKind::UnknownFormat { known: formats::ids(|_| true) })
}

/// Recognizes which kind of rows a text has.
fn of_rows(
    head: &Head<'_>,
    name: &str,
    options: &ReadOptions,
) -> Result<Option<Recognized>, ReadErrorKind> {
    let extension = extension(name).unwrap_or_default();
    let decided = DECIDING.iter().find(|(decides, _)| *decides == extension);
    if let Some((_, format)) = decided.filter(|_| head.lines().is_some()) {
        let evidence = format!("the extension .{extension}");
        return Ok(Some(Recognized { format: *format, evidence }));
    }
    let has_columns_chosen =
        options.columns.names.is_some() || options.columns.all_chosen().next().is_some();
    let is_said_to_be_edges =
        options.names || has_columns_chosen || OF_EDGES.contains(&&*extension);
    let sample = Sample::new(head, options, is_said_to_be_edges);
    let Some(sample) = sample else { return Ok(None) };
    text_kinds::refuse_single_returns(&sample)?;
    let among = |format: Format| {
        let is_table = OF_TABLES.contains(&&*extension) && format == Format::METIS;
        let has_columns = [Format::EDGE_LIST, Format::TABLE].contains(&format)
            || format == Format::WRITTEN && !has_columns_chosen;
        has_columns || !is_said_to_be_edges && !is_table
    };
    let recognized = text_kinds::recognize(&sample, among)?;
    let has_comments_only = sample.lines().is_empty() && head.is_whole();
    if recognized.is_none() && has_comments_only && !is_said_to_be_edges {
        return Err(ReadErrorKind::question(message![
            "the input has only comments; add the edges, or pass ",
            Remedy::text("format", Format::EDGE_LIST.id()),
            " for a graph without edges",
        ]));
    }
    if recognized.is_none()
        && !is_said_to_be_edges
        && let Some(sentence) = text_kinds::nearly_a_matrix(&sample)
    {
        return Err(ReadErrorKind::question(sentence));
    }
    Ok(recognized.or_else(|| {
        // The reader of edge lists asks what its columns are.
        let has_columns = Format::EDGE_LIST.info().recognize;
        let evidence = "lines of several columns".into();
        let edges = Recognized { format: Format::EDGE_LIST, evidence };
        ((has_columns)(head) != Evidence::Absent).then_some(edges)
    }))
}

/// What to say about a text whose lines have one column each. Numbers may be points.
fn one_column(head: &Head<'_>) -> Option<Message> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-._\"".contains(byte);
    let mut rows =
        head.lines()?.iter().map(|line| line.trim_ascii()).filter(|row| !is_comment(row));
    if !rows.clone().all(|row| row.iter().all(is_word)) {
        return None;
    }
    let is_number = str::from_utf8(rows.next_back()?).is_ok_and(|row| row.parse::<f64>().is_ok());
    let mut sentence = message![
        "an edge needs two ends, but the lines have one column; write both ends in a line"
    ];
    if is_number {
        sentence.push(message![
            "; ",
            Remedy::PointTree,
            " finds the tree of points of one coordinate"
        ]);
    }
    Some(sentence)
}

/// The lines after comments in which [`refused`] looks for the start of another format.
const LOOKED_OVER: usize = 50;

/// The remedy for an input in a format that Kostra does not read. Some look like an edge list.
fn refused(bytes: &[u8]) -> Option<&'static str> {
    let text = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    let rows = text.split_inclusive(|&byte| byte == b'\n').skip_while(|line| is_comment(line));
    let start = rows.take(LOOKED_OVER).collect::<Vec<_>>().concat();
    let start = start.trim_ascii_start();
    let starts = |word: &str| {
        start.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word.as_bytes()))
    };
    let inside = |bracket: &[u8]| start.strip_prefix(bracket).map(<[u8]>::trim_ascii_start);
    if let Some(sentence) = foreign::binary(bytes) {
        Some(sentence)
    } else if starts("<osm") || (starts("<?xml") && memchr::memmem::find(start, b"<osm ").is_some())
    {
        Some("this is XML of OpenStreetMap; convert it to .osm.pbf, as with `osmium cat`")
    } else if starts("<?xml") {
        Some("this is XML, but not GraphML, GEXF or XGMML; save the graph as GraphML")
    } else if start.starts_with(b"<") {
        Some("this is XML or HTML, but not GraphML; save the graph as GraphML, or the table as CSV")
    } else if inside(b"{").is_some_and(|member| member.starts_with(b"\"")) {
        Some(
            "this is JSON, but neither node-link JSON nor lines of GeoJSON; write an object with \
             the members nodes and edges, or a CSV file",
        )
    } else if inside(b"[").is_some_and(|item| matches!(item, [b'[' | b'{', ..])) {
        Some(
            "this is a JSON array; write an object with the members nodes and edges, or a CSV file",
        )
    } else if start.starts_with(b"{") || start.starts_with(b"[") {
        Some(
            "this starts with a bracket, as JSON or data of a program do; write an object with the \
             members nodes and edges, or a CSV file",
        )
    } else if starts("sep=") {
        Some("the first line is a hint for Excel; remove it")
    } else {
        None
    }
}

/// The format whose signature an input has.
pub(crate) fn signed(head: &Head<'_>) -> Option<Format> {
    match strongest(head) {
        (formats, Evidence::Signature) => formats.first().copied(),
        _ => None,
    }
}

/// The formats with the strongest evidence, in the order of the table, and this evidence.
fn strongest(head: &Head<'_>) -> (Vec<Format>, Evidence) {
    let (mut best, mut strongest) = (Vec::new(), Evidence::Absent);
    for &format in FORMATS {
        let evidence = (format.info().recognize)(head);
        if evidence > strongest {
            (best, strongest) = (vec![format], evidence);
        } else if evidence == strongest && evidence != Evidence::Absent {
            best.push(format);
        }
    }
    (best, strongest)
}

/// The extension of the file `name` in lower case, before that of a compression.
fn extension(name: &str) -> Option<String> {
    let mut path = Path::new(name);
    if path.extension().is_some_and(|last| ["gz", "zst", "xz", "bz2"].iter().any(|&e| last == e)) {
        path = Path::new(path.file_stem()?);
    }
    Some(path.extension()?.to_str()?.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::from_bytes;

    fn recognize(bytes: &[u8], whole: bool) -> Result<Format, ReadErrorKind> {
        named(bytes, whole, "x")
    }

    fn named(bytes: &[u8], whole: bool, name: &str) -> Result<Format, ReadErrorKind> {
        let options = ReadOptions::default();
        super::recognize(&Head::new(bytes, whole), name, &options).map(|found| found.format)
    }

    fn format(text: &str) -> Format {
        recognize(text.as_bytes(), true).unwrap()
    }

    #[test]
    fn formats_say_what_they_are() {
        assert_eq!(format("c road\nc\n\np sp 3 2\na 1 2 3\n"), Format::DIMACS);
        assert_eq!(format("\u{feff}p tw 3 2\r\n1 2\r\n"), Format::DIMACS);
        assert_eq!(format("a 1 2 3\n"), Format::DIMACS);
        assert_eq!(
            format("%%MatrixMarket matrix coordinate real general\n"),
            Format::MATRIX_MARKET
        );
        assert_eq!(format("%%matrixmarket matrix\n"), Format::MATRIX_MARKET);
        assert_eq!(recognize(b"\0\0\0\x0d\x0a\x09OSMHeader\x18", true).unwrap(), Format::OSM_PBF);
        let egr: Vec<u8> =
            [2_u32, 2, 0, 1, 2, 1, 0].into_iter().flat_map(u32::to_le_bytes).collect();
        assert_eq!(recognize(&egr, true).unwrap(), Format::ECL);
        assert_eq!(recognize(&[0; 12], true).unwrap(), Format::ECL);
        // The last number of vertices looks like ECL's first start.
        for (entries, vertices) in [(0_i64, 0_i64), (0, 5), (3, 2), (1 << 32, 1 << 24)] {
            let starts = [0, entries / 2, entries].into_iter().take(vertices as usize + 1);
            let wsg: Vec<u8> =
                [entries, vertices].into_iter().chain(starts).flat_map(i64::to_le_bytes).collect();
            for flag in 0..=u8::from(vertices > 0) {
                let format = recognize(&[&[flag], &wsg[..]].concat(), false).unwrap();
                assert_eq!(format, Format::GAP, "{entries} entries, {vertices} vertices, {flag}");
            }
        }
    }

    #[test]
    fn edges_are_an_edge_list() {
        for text in [
            "0 1\n1 2\n",
            "1\t2\t0.5\n",
            "# Nodes: 3\n0 1\n",
            "source,target,weight\n0,1,2\n",
            "36692 367662\n0\t1\n1\t0\n",
            "4458 4745 {}\n4458 10535 {}\n",
            "EdgeID StartNodeID EndNodeID L2Distance\n0 0 1 0.002025\n",
            "1 2\n2 3\n3 4\n",
            "1 2 10\n2 3 11\n",
            "3 2\n1 2 5\n2 3 6\n",
            "a b 3\nb c 4\n",
            "# no edges\n",
            "1 2",
            "2 0\n",
        ] {
            assert_eq!(format(text), Format::EDGE_LIST, "{text}");
        }
    }

    #[test]
    fn rows_of_neighbors_are_metis() {
        for text in [
            "3 2\n2\n1 3\n2\n",
            "% comment\n3 2\n2\n1 3\n2",
            "3 3 1\n2 5 3 6\n1 5 3 7\n1 6 2 7\n",
            "3 1\n2\n1\n\n",
            "4 2\n2\n1\n4\n9\n", // wrong, but nothing else
        ] {
            assert_eq!(format(text), Format::METIS, "{text}");
        }
    }

    #[test]
    fn the_extension_decides_between_rows_of_neighbors_and_edges() {
        let question = "which format is this, edge list or METIS? as edge list: ";
        for text in [
            "3 3\n2 3\n1 3\n1 2\n",
            "3 3 10\n9 2 3\n8 1 3\n7 1 2\n",
            "0 0 1",
            "0 0\n",
            "1 0\n\n",
            "2 0\n\n\n",
        ] {
            let format = |name: &str| named(text.as_bytes(), true, name);
            for name in ["x.edges", "a.b/x.CSV", "x.tsv.gz", "x.el"] {
                assert_eq!(format(name).unwrap(), Format::EDGE_LIST, "{name}");
            }
            for name in ["x.graph", "x.metis.xz"] {
                assert_eq!(format(name).unwrap(), Format::METIS, "{name}");
            }
            for name in ["x.txt", "a.graph/x", "standard input", "x.gz", ".edges"] {
                let asked = format(name).unwrap_err().to_string();
                assert!(asked.starts_with(question), "{name}: {asked}");
            }
        }
        let edges = named(b"3 2\n1 2\n2 3\n", true, "x.graph").unwrap();
        assert_eq!(edges, Format::METIS, "the reader says what is wrong");
        assert_eq!(named(b"3 3 1\n1 2 5\n", true, "x.mtx").unwrap(), Format::MATRIX_MARKET);
        let neighbors = named(b"0 1 2\n1 2 3\n2 3 0\n", true, "x.adjlist").unwrap();
        assert_eq!(neighbors, Format::ADJACENCY, "and no symmetric matrix");
    }

    fn format_of_text(text: &str) -> Format {
        let mut stream = Stream::new(from_bytes(text.as_bytes())).unwrap();
        recognize_stream(&mut stream, "x", &ReadOptions::default()).unwrap().format
    }

    #[test]
    fn long_comments_and_lines_are_looked_over() {
        let comments = "% as long as that, again and again\n".repeat(2_000);
        assert_eq!(format_of_text(&format!("{comments}3 2\n2\n1 3\n2\n")), Format::METIS);
        assert_eq!(format_of_text(&format!("{comments}0 1\n1 2\n")), Format::EDGE_LIST);
        let none = "% no edges, again and again\n".repeat(2_500);
        assert_eq!(format_of_text(&none), Format::EDGE_LIST, "without edges");

        let n = 12_000;
        let others: String = (2..=n).map(|v| format!("{v} ")).collect();
        let star = format!("{n} {}\n{others}\n{}", n - 1, "1\n".repeat(n - 1));
        assert_eq!(format_of_text(&star), Format::METIS, "a star");
        let others: String = (4..=n).map(|v| format!("{v} ")).collect();
        let star = format!("{n} {}\n\n\n{others}\n{}", n - 3, "3\n".repeat(n - 3));
        assert_eq!(format_of_text(&star), Format::METIS, "two rows without neighbors first");

        let columns: String = (0..n).map(|column| format!("column{column},")).collect();
        assert_eq!(format_of_text(&format!("u,v,{columns}\n")), Format::EDGE_LIST);
        let name = "x".repeat(100_000);
        assert_eq!(
            format_of_text(&format!("\"{name}\",v\n1,2\n")),
            Format::EDGE_LIST,
            "one long name"
        );
    }

    #[test]
    fn the_look_has_an_end() {
        let mut stream = Stream::new(from_bytes(&[b'1'; 2 * LONGEST_HEAD])).unwrap();
        assert!(recognize_stream(&mut stream, "x", &ReadOptions::default()).is_err());
        assert_eq!(stream.head().len(), LONGEST_HEAD);
        let mut garbage = vec![0x80; 2 * LONGEST_HEAD];
        garbage[1000] = 1;
        let mut stream = Stream::new(from_bytes(&garbage)).unwrap();
        assert!(recognize_stream(&mut stream, "x", &ReadOptions::default()).is_err());
        assert_eq!(stream.head().len(), crate::compression::HEAD);
    }

    #[test]
    fn an_input_in_no_format_is_refused_with_a_remedy() {
        let error = recognize(b"\x01\x02\x03", true).unwrap_err().to_string();
        assert!(error.contains("this input is binary") && error.contains("raw:u32,u32"), "{error}");
        for (text, said) in [
            ("1\u{a0}2\u{a0}3\n2\u{a0}3\u{a0}4\n", "have the space \\u{a0} between words; replace"),
            ("from,to,w\nOslo,Moss,60\n\x1a", "line 3 has the character U+001A, as no text has"),
            ("from,to,w\r\nOslo,Moss,60\rMoss,Voss,7\r\n", "end with a carriage return only; save"),
            (
                "-[ RECORD 1 ]\nu | a\nv | b\n",
                "expanded display of psql, which Kostra does not read",
            ),
        ] {
            let error = recognize(text.as_bytes(), true).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
        let error = recognize("\u{2500}\n".as_bytes(), true).unwrap_err().to_string();
        assert_eq!(
            error,
            format!(
                "this input is in none of the formats that Kostra reads ({}); if it is in one of them, pass `format`",
                formats::ids(|_| true)
            )
        );
        assert!(recognize(b"hello\n", true).is_err());
        for text in ["1\n2\n3\n", "height\n1.5\n-2\n", "# one\n7"] {
            let said = recognize(text.as_bytes(), true).unwrap_err().to_string();
            assert!(said.starts_with("an edge needs two ends") && said.contains("`kostra tree`"));
        }
        assert_eq!(recognize(b"\n \r\n", true).unwrap_err().to_string(), "the input is empty");
        for (bytes, remedy) in [
            (&b"PK\x03\x04"[..], "archive; unpack it"),
            (b"PK\x03\x04..........................[Content_Types].xml", "or CSV"),
            (b"\x89PNG\r\n\x1a\n", "`kostra segment`"),
            (b"%PDF-1.7\n", "as CSV"),
            (b"SQLite format 3\0", "export the table as CSV"),
            (b"\0\0\x27\x0a\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x44\xe8\x03\0\0\x03\0\0\0", "ogr2ogr"),
        ] {
            let said = recognize(bytes, true).unwrap_err().to_string();
            assert!(said.starts_with("this is a") && said.contains(remedy), "{said}");
        }
        assert!(recognize(b"\xff\xfe1\0", true).unwrap_err().to_string().contains("UTF-16"));
    }
}
