//! Which format a content is in, told by its first bytes.
//!
//! `.kst`, OpenStreetMap and Matrix Market files start with a signature. ECL and GAP files have
//! none; their first numbers must be possible counts and row starts. A DIMACS file starts with
//! lines `c`, `p`, `a` or `e`. The hard case is numbers only: METIS (`n m`, then a line of
//! neighbours for each vertex) or an edge list. Lines of different lengths, or of one number,
//! cannot be edges, so they are METIS. Where all lines have the same number of columns, both
//! readings are possible, and METIS must be proved: as far as the head reaches, every neighbour is
//! in `1..=n` and not the vertex itself, neighbours name each other, and the counts fit the first
//! line: exactly if the head is the whole content, within a factor of two otherwise. An edge list
//! that passes is read as METIS, unless the caller names the format. Where comments or long lines
//! fill the head, more of the text is read, until three lines are whole.

use crate::compression::{LONGEST_HEAD, Stream};
use crate::number::{digits, words};
use crate::{Format, ReadErrorKind};

/// The format of a stream of which nothing has been read.
pub(crate) fn format_of(stream: &mut Stream<'_>) -> Result<Format, ReadErrorKind> {
    while stream.head().len() < LONGEST_HEAD
        && shows_too_little(stream.head())
        && stream.look_further()?
    {}
    recognize(stream.head(), stream.head_is_whole())
}

/// Whether a content that starts with `head` is a text of which fewer than three lines are there,
/// comments apart: a first line and two rows of METIS, which may be as long as another's line of
/// edges or not.
fn shows_too_little(head: &[u8]) -> bool {
    if binary(head).is_some() || has_control_bytes(head) {
        return false;
    }
    let mut lines: Vec<_> = head.split(|&byte| byte == b'\n').collect();
    lines.pop();
    let is_comment = |line: &[u8]| matches!(line, [b'#' | b'%', ..] | [b'/', b'/', ..]);
    let is_row = |line: &&&[u8]| !is_comment(line) && words(line).next().is_some();
    !is_dimacs(&lines) && lines.iter().filter(is_row).count() < 3
}

/// The format of a content that starts with `head`; `whole` says whether that is all of it.
pub(crate) fn recognize(head: &[u8], whole: bool) -> Result<Format, ReadErrorKind> {
    if let Some(format) = binary(head) {
        return Ok(format);
    }
    if head.starts_with(b"PK\x03\x04") || head.starts_with(b"7z\xbc\xaf\x27\x1c") {
        return Err(ReadErrorKind::Malformed(
            "this is an archive; unpack it and name a file of it".into(),
        ));
    }
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    if matches!(head, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) {
        return Err(ReadErrorKind::Malformed("this is UTF-16 text; save it as UTF-8".into()));
    }
    text(head, whole).ok_or_else(|| {
        let known: Vec<_> = Format::ALL.iter().map(|format| format.id()).collect();
        ReadErrorKind::UnknownFormat { known: known.join(", ") }
    })
}

fn binary(head: &[u8]) -> Option<Format> {
    if head.starts_with(b"\x8bKOSTRA") {
        return Some(Format::Kst);
    }
    // An OpenStreetMap file starts with the length of a header, then the field 1 of the header: its
    // type's name.
    if head.get(4..15) == Some(b"\x0a\x09OSMHeader") {
        return Some(Format::OsmPbf);
    }
    // An ECL file starts with how many vertices and entries there are, then where each vertex's
    // entries start.
    let number = |index: usize| {
        let bytes = head.get(4 * index..4 * index + 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    };
    let (vertices, entries) = (number(0)?, number(1)?);
    let starts = (0..=vertices.min(64) as usize).map_while(|vertex| number(2 + vertex));
    let plausible = number(2)? == 0
        && (vertices > 0 || head.len() == 12)
        && (vertices > 64 || number(2 + vertices as usize).is_none_or(|end| end == entries))
        && starts.is_sorted_by(|a, b| a <= b && *b <= entries);
    if plausible {
        return Some(Format::Ecl);
    }
    // A GAP file does the same in the other order, of 64 bits, after a byte that is 0 or 1.
    let number = |index: usize| {
        let bytes = head.get(8 * index + 1..8 * index + 9)?;
        u64::try_from(i64::from_le_bytes(bytes.try_into().ok()?)).ok()
    };
    let (entries, vertices) = (number(0)?, number(1)?);
    let starts = (0..=vertices.min(64) as usize).map_while(|vertex| number(2 + vertex));
    let plausible = head.first()? <= &1
        && vertices <= i32::MAX as u64
        && number(2)? == 0
        && starts.is_sorted_by(|a, b| a <= b && *b <= entries);
    plausible.then_some(Format::Gap)
}

/// Whether there are bytes that no text has.
fn has_control_bytes(head: &[u8]) -> bool {
    head.iter().any(|&byte| byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0b | 0x0c))
}

fn text(head: &[u8], whole: bool) -> Option<Format> {
    if head.get(..14).is_some_and(|banner| banner.eq_ignore_ascii_case(b"%%MatrixMarket")) {
        return Some(Format::MatrixMarket);
    }
    if has_control_bytes(head) {
        return None;
    }
    let mut lines: Vec<_> = head.split(|&byte| byte == b'\n').collect();
    // The last line may be cut off, or be nothing after the last newline.
    if (!whole && lines.len() > 1) || lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    if is_dimacs(&lines) {
        return Some(Format::Dimacs);
    }
    let is_comment = |line: &[u8]| matches!(line, [b'#' | b'%', ..] | [b'/', b'/', ..]);
    let is_metis_comment = |line: &[u8]| line.starts_with(b"%");
    lines.iter().find(|line| words(line).next().is_some())?;
    let mut rows = lines.iter().copied().filter(|line| !is_metis_comment(line));
    let first = rows.find(|line| words(line).next().is_some()).and_then(MetisHeader::parse);
    if first.is_some_and(|header| header.fits(rows, whole)) {
        return Some(Format::Metis);
    }
    let columns = |line: &[u8]| {
        let separator = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b',' | b';' | b'|');
        line.split(separator).filter(|word| !word.is_empty()).count()
    };
    let mut data = lines.iter().filter(|line| !is_comment(line) && columns(line) > 0);
    // Nothing but comments is an edge list without edges.
    data.next().is_none_or(|line| columns(line) > 1).then_some(Format::EdgeList)
}

/// Comments `c`, then a line `p` and numbers; or lines `a` or `e` and numbers, the `p` of which is
/// missing.
fn is_dimacs(lines: &[&[u8]]) -> bool {
    let is_number = |word: &[u8]| !word.is_empty() && digits(word, 0).1 == word.len();
    let mut comments = false;
    for line in lines {
        let words: Vec<_> = words(line).map(|(_, word)| word).take(4).collect();
        match words[..] {
            [] => {}
            [b"c", ..] => comments = true,
            [b"p", ..] => return true,
            [b"a" | b"e", u, v, ..] => return is_number(u) && is_number(v),
            _ => return false,
        }
    }
    comments
}

/// The first line of a METIS graph: `n m`, then which weights there are, then how many each vertex
/// has.
struct MetisHeader {
    n: u64,
    m: u64,
    edge_weights: bool,
    /// How many numbers of a vertex's line come before its neighbours.
    before: usize,
}

impl MetisHeader {
    fn parse(line: &[u8]) -> Option<Self> {
        let words: Vec<_> = words(line).map(|(_, word)| word).take(5).collect();
        let number = |word: &[u8]| {
            let (value, end) = digits(word, 0);
            (end == word.len() && end < 19).then_some(value)
        };
        let (&[n, m], options) = words.split_first_chunk()?;
        let (n, m) = (number(n)?, number(m)?);
        let flags = options.first().copied().unwrap_or(b"0");
        if options.len() > 2
            || flags.len() > 3
            || flags.iter().any(|flag| !matches!(flag, b'0' | b'1'))
        {
            return None;
        }
        let flag = |from_right: usize| flags.iter().rev().nth(from_right) == Some(&b'1');
        let constraints = match options.get(1) {
            Some(word) => usize::try_from(number(word)?).ok().filter(|&count| count <= 1_000)?,
            None => usize::from(flag(1)),
        };
        let before = usize::from(flag(2)) + if flag(1) { constraints } else { 0 };
        Some(Self { n, m, edge_weights: flag(0), before })
    }

    /// Whether the lines after the first are rows of neighbours, as far as they tell.
    fn fits<'a>(&self, lines: impl Iterator<Item = &'a [u8]>, whole: bool) -> bool {
        let mut rows: Vec<Vec<&[u8]>> =
            lines.map(|line| words(line).map(|(_, word)| word).collect()).collect();
        // Blank lines at the end are nobody's rows.
        while rows.len() as u64 > self.n && rows.last().is_some_and(Vec::is_empty) {
            rows.pop();
        }
        let columns = rows.iter().map(Vec::len).find(|&length| length > 0).unwrap_or(0);
        let could_be_edges =
            columns > 1 && rows.iter().all(|row| row.len() == columns || row.is_empty());
        if could_be_edges {
            return self.is_proved_by(&rows, whole);
        }
        // Not edges. Rows of numbers it is, then, right or wrong: its reader has the words for what
        // is wrong.
        let mut words = rows.iter().flatten();
        let numbers = words
            .all(|word| word.iter().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(byte)));
        numbers && (columns > 0 || (self.m == 0 && rows.len() as u64 == self.n))
    }

    fn is_proved_by(&self, rows: &[Vec<&[u8]>], whole: bool) -> bool {
        let step = if self.edge_weights { 2 } else { 1 };
        let mut neighbours: Vec<Vec<u64>> = Vec::with_capacity(rows.len());
        for (vertex, row) in (1..).zip(rows) {
            let mut list = Vec::with_capacity(row.len());
            for word in row.iter().skip(self.before).step_by(step) {
                let (neighbour, end) = digits(word, 0);
                if end != word.len() || neighbour == vertex || !(1..=self.n).contains(&neighbour) {
                    return false;
                }
                list.push(neighbour);
            }
            list.sort_unstable();
            neighbours.push(list);
        }
        let row =
            |vertex: u64| usize::try_from(vertex - 1).ok().and_then(|index| neighbours.get(index));
        let pairs =
            || (1_u64..).zip(&neighbours).flat_map(|(u, list)| list.iter().map(move |&v| (u, v)));
        if pairs().any(|(u, v)| row(v).is_some_and(|list| list.binary_search(&u).is_err())) {
            return false;
        }
        let (have, entries) = (rows.len() as u64, pairs().count() as u64);
        if whole {
            return have == self.n && Some(entries) == self.m.checked_mul(2);
        }
        // Half of what is promised or less, or twice of it or more, is not the same graph.
        let promised = u128::from(self.m) * 2 * u128::from(have);
        let estimate = u128::from(entries) * u128::from(self.n);
        have < self.n && estimate < 2 * promised && promised < 2 * estimate
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compression::Stream;
    use crate::source::of_bytes;

    fn format(text: &str) -> Format {
        recognize(text.as_bytes(), true).unwrap()
    }

    #[test]
    fn formats_say_what_they_are() {
        assert_eq!(format("c road\nc\n\np sp 3 2\na 1 2 3\n"), Format::Dimacs);
        assert_eq!(format("\u{feff}p tw 3 2\r\n1 2\r\n"), Format::Dimacs);
        assert_eq!(format("a 1 2 3\n"), Format::Dimacs);
        assert_eq!(format("%%MatrixMarket matrix coordinate real general\n"), Format::MatrixMarket);
        assert_eq!(format("%%matrixmarket matrix\n"), Format::MatrixMarket);
        assert_eq!(recognize(b"\0\0\0\x0d\x0a\x09OSMHeader\x18", true).unwrap(), Format::OsmPbf);
        let egr: Vec<u8> =
            [2_u32, 2, 0, 1, 2, 1, 0].into_iter().flat_map(u32::to_le_bytes).collect();
        assert_eq!(recognize(&egr, true).unwrap(), Format::Ecl);
        assert_eq!(recognize(&[0; 12], true).unwrap(), Format::Ecl);
        // The last number of vertices looks like ECL's first start.
        for (entries, vertices) in [(0_i64, 0_i64), (0, 5), (3, 2), (1 << 32, 1 << 24)] {
            let starts = [0, entries / 2, entries].into_iter().take(vertices as usize + 1);
            let wsg: Vec<u8> =
                [entries, vertices].into_iter().chain(starts).flat_map(i64::to_le_bytes).collect();
            for flag in 0..=u8::from(vertices > 0) {
                let format = recognize(&[&[flag], &wsg[..]].concat(), false).unwrap();
                assert_eq!(format, Format::Gap, "{entries} entries, {vertices} vertices, {flag}");
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
            "# nothing\n",
            "1 2",
            "2 0\n",
        ] {
            assert_eq!(format(text), Format::EdgeList, "{text}");
        }
    }

    #[test]
    fn rows_of_neighbours_are_metis() {
        for text in [
            "3 2\n2\n1 3\n2\n",
            "% comment\n3 2\n2\n1 3\n2",
            "3 3\n2 3\n1 3\n1 2\n",
            "3 3 1\n2 5 3 6\n1 5 3 7\n1 6 2 7\n",
            "3 3 10\n9 2 3\n8 1 3\n7 1 2\n",
            "3 1\n2\n1\n\n",
            "2 0\n\n\n",
            "4 2\n2\n1\n4\n9\n", // wrong, but nothing else
        ] {
            assert_eq!(format(text), Format::Metis, "{text}");
        }
    }

    #[test]
    fn real_meshes_and_networks_are_metis() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
        let names = ["4elt.graph", "wing.graph.gz", "wave.graph.bz2", "copter2.graph.xz"]
            .map(|name| format!("mesh/{name}"));
        for name in names.into_iter().chain(["social/PGPgiantcompo.graph".to_string()]) {
            let Ok(bytes) = std::fs::read(format!("{folder}/{name}")) else {
                println!("skipped: there is no {folder}/{name}");
                continue;
            };
            let stream = Stream::new(of_bytes(&bytes)).unwrap();
            assert_eq!(
                recognize(stream.head(), stream.head_is_whole()).unwrap(),
                Format::Metis,
                "{name}"
            );
        }
    }

    fn format_of_text(text: &str) -> Format {
        format_of(&mut Stream::new(of_bytes(text.as_bytes())).unwrap()).unwrap()
    }

    #[test]
    fn long_comments_and_lines_are_looked_over() {
        let comments = "% as long as that, again and again\n".repeat(5_000);
        assert_eq!(format_of_text(&format!("{comments}3 2\n2\n1 3\n2\n")), Format::Metis);
        assert_eq!(format_of_text(&format!("{comments}0 1\n1 2\n")), Format::EdgeList);
        assert_eq!(format_of_text(&comments), Format::EdgeList, "without edges");

        let n = 40_000;
        let others: String = (2..=n).map(|v| format!("{v} ")).collect();
        let star = format!("{n} {}\n{others}\n{}", n - 1, "1\n".repeat(n - 1));
        assert_eq!(format_of_text(&star), Format::Metis, "a star");
        let others: String = (4..=n).map(|v| format!("{v} ")).collect();
        let star = format!("{n} {}\n\n\n{others}\n{}", n - 3, "3\n".repeat(n - 3));
        assert_eq!(format_of_text(&star), Format::Metis, "two rows without neighbours first");

        let columns: String = (0..n).map(|column| format!("column{column},")).collect();
        assert_eq!(format_of_text(&format!("u,v,{columns}\n")), Format::EdgeList);
        let name = "x".repeat(100_000);
        assert_eq!(
            format_of_text(&format!("\"{name}\",v\n1,2\n")),
            Format::EdgeList,
            "one long name"
        );
    }

    #[test]
    fn the_look_has_an_end() {
        let mut stream = Stream::new(of_bytes(&[b'1'; 2 * LONGEST_HEAD])).unwrap();
        assert!(format_of(&mut stream).is_err());
        assert_eq!(stream.head().len(), LONGEST_HEAD);
        let mut garbage = vec![0x80; 2 * LONGEST_HEAD];
        garbage[1000] = 1;
        let mut stream = Stream::new(of_bytes(&garbage)).unwrap();
        assert!(format_of(&mut stream).is_err());
        assert_eq!(stream.head().len(), crate::compression::HEAD);
    }

    #[test]
    fn what_is_nothing_is_said_to_be_nothing() {
        let error = recognize(b"\x89PNG\r\n\x1a\n", true).unwrap_err().to_string();
        assert_eq!(
            error,
            "this is none of the formats that Kostra reads (gr, edges, mtx, graph, egr, wsg, osm.pbf, kst); \
             name one with --format if it is"
        );
        assert!(recognize(b"hello\n", true).is_err());
        assert!(recognize(b"PK\x03\x04", true).unwrap_err().to_string().contains("archive"));
        assert!(recognize(b"\xff\xfe1\0", true).unwrap_err().to_string().contains("UTF-16"));
    }
}
