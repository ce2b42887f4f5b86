use std::sync::Arc;

use kostra_core::AnyGraph;
use parquet::data_type::{
    ByteArrayType, DataType, DoubleType, FixedLenByteArray, FixedLenByteArrayType, Int32Type,
    Int64Type, Int96Type,
};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use crate::MissingWeights::Unit;
use crate::{
    ColumnChoice, ColumnOptions, Format, KeptColumns, KeptKind, Loaded, Nan, Outgoing, ReadOptions,
    Vertices, read_bytes, write_bytes,
};

fn written(outgoing: Outgoing<'_>) -> Vec<u8> {
    write_bytes(Format::PARQUET, outgoing).unwrap()
}

fn read(bytes: &[u8]) -> Result<Loaded, String> {
    let options = ReadOptions { vertices: Vertices::Occurring, ..ReadOptions::default() };
    read_with(bytes, &options)
}

fn read_with(bytes: &[u8], options: &ReadOptions) -> Result<Loaded, String> {
    read_bytes("x", bytes, options).map_err(|error| error.to_string())
}

fn seed(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/../../fuzz/seeds/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn edges(graph: &AnyGraph) -> Vec<(u32, u32, String)> {
    let weights = kostra_core::with_graph!(graph, graph => {
        graph.edge_list().weights().iter().map(ToString::to_string).collect::<Vec<_>>()
    });
    graph.u().iter().zip(graph.v()).zip(weights).map(|((&u, &v), w)| (u, v, w)).collect()
}

fn chosen<const N: usize>(names: [(&str, &str); N]) -> ReadOptions {
    let choice = |name: &str| Some(ColumnChoice::NameOrPosition(name.into()));
    let mut columns = ColumnOptions::default();
    for (option, name) in names {
        match option {
            "source" => columns.source = choice(name),
            "target" => columns.target = choice(name),
            _ => columns.weight = choice(name),
        }
    }
    ReadOptions { columns, vertices: Vertices::Occurring, ..ReadOptions::default() }
}

#[test]
fn what_is_written_is_read() {
    let (u, v) = (vec![0, 1, 4], vec![1, 3, 0]);
    for graph in [
        AnyGraph::from_edges(6, u.clone(), v.clone(), vec![-7, 5, i32::MAX]).unwrap(),
        AnyGraph::from_edges(6, u.clone(), v.clone(), vec![7, 5, u32::MAX]).unwrap(),
        AnyGraph::from_edges(6, u.clone(), v.clone(), vec![7, 5, u64::MAX]).unwrap(),
        AnyGraph::from_edges(6, u.clone(), v.clone(), vec![1.5_f32, -0.25, 8e9]).unwrap(),
        AnyGraph::from_edges(6, u, v, vec![0.1, f64::INFINITY, -1e300]).unwrap(),
    ] {
        let loaded = read(&written((&graph).into())).unwrap();
        let expected: Vec<_> = edges(&graph);
        let found = edges(&loaded.parsed.graph);
        assert_eq!(loaded.parsed.graph.vertices(), 6, "isolated vertices are kept");
        let widened = |edges: Vec<(u32, u32, String)>| {
            edges.into_iter().map(|(u, v, w)| (u, v, w.parse::<f64>().unwrap())).collect::<Vec<_>>()
        };
        assert_eq!(widened(found), widened(expected));
    }
    let empty = AnyGraph::from_edges(3, vec![], vec![], Vec::<i32>::new()).unwrap();
    assert_eq!(read(&written((&empty).into())).unwrap().parsed.graph.vertices(), 3);
}

#[test]
fn names_are_text_and_numbers_stay_numbers() {
    let graph = AnyGraph::from_edges(3, vec![0, 1], vec![1, 2], vec![4, 2]).unwrap();
    for names in [["a", "b c", "é"], ["11", "907199254740993", "-3"]] {
        let names = names.map(str::to_owned);
        let ids = [7, 9];
        let outgoing =
            Outgoing { names: Some(&names), edge_ids: Some(&ids), ..Outgoing::from(&graph) };
        let bytes = written(outgoing);
        let options = ReadOptions { names: true, ..ReadOptions::default() };
        let loaded = read_with(&bytes, &options).unwrap();
        assert_eq!(loaded.parsed.names.as_deref(), Some(&names[..]));
        assert_eq!(loaded.parsed.notes, ["column 'edge' is left out"]);
        assert_eq!(edges(&loaded.parsed.graph), edges(&graph));
    }
}

#[test]
fn text_names_that_look_like_integers_stay_text() {
    let graph = AnyGraph::from_edges(3, vec![0, 1], vec![1, 2], vec![4, 2]).unwrap();
    let names = ["1", "2", "3"].map(str::to_owned);
    for text_names in [false, true] {
        let outgoing = Outgoing { names: Some(&names), text_names, ..Outgoing::from(&graph) };
        let options = ReadOptions { names: true, ..ReadOptions::default() };
        let loaded = read_with(&written(outgoing), &options).unwrap();
        assert_eq!(loaded.parsed.text_names, text_names);
        assert_eq!(loaded.parsed.names.as_deref(), Some(&names[..]));
    }
}

#[test]
fn kept_columns_keep_their_types_and_what_is_missing() {
    let kinds = [KeptKind::Text, KeptKind::Integer, KeptKind::Float, KeptKind::Boolean];
    let names = ["t", "i", "f", "b"].map(str::to_owned).to_vec();
    let mut kept = KeptColumns::with_kinds(names.clone(), kinds.to_vec());
    for value in [Some("1"), Some("18446744073709551615"), Some("0.5"), Some("true")] {
        kept.push_value(value);
    }
    (0..4).for_each(|_| kept.push_value(None));
    let graph = AnyGraph::from_edges(3, vec![0, 1], vec![1, 2], vec![4, 2]).unwrap();
    let bytes = written(Outgoing { kept: Some(&kept), ..Outgoing::from(&graph) });
    let mut options = ReadOptions::default();
    options.columns.keep = names.into_iter().map(ColumnChoice::Name).collect();
    assert_eq!(read_with(&bytes, &options).unwrap().parsed.kept, Some(kept));
}

/// The files of `fuzz/seeds` hold these edges between cities. PyArrow wrote them with all
/// encodings, compressions and page versions.
#[test]
fn files_of_pyarrow_are_read() {
    let expected = [(0, 1, "2.5"), (1, 2, "1.25"), (2, 0, "4.0"), (0, 3, "2.5")];
    for name in ["text", "dictionary", "delta", "prefix", "split"] {
        let loaded = read(&seed(&format!("{name}.parquet"))).unwrap();
        let names = loaded.parsed.names.unwrap();
        assert_eq!(names, ["Köln", "Bonn", "Aachen", "Düren"], "{name}");
        let found = edges(&loaded.parsed.graph);
        let weights = |w: &str| w.parse::<f64>().unwrap();
        for ((u, v, w), found) in expected.iter().zip(&found) {
            assert_eq!((*u, *v, weights(w)), (found.0, found.1, weights(&found.2)), "{name}");
        }
        assert_eq!(found.len(), 4, "{name}");
    }
}

#[test]
fn integers_of_pyarrow_are_read() {
    for name in ["integers", "differences"] {
        let bytes = seed(&format!("{name}.parquet"));
        let loaded = read(&bytes).unwrap();
        assert_eq!(loaded.parsed.names.unwrap(), ["10", "11", "12", "900"], "{name}");
        let expected = [(0, 1, "5"), (1, 2, "-7"), (2, 3, "11"), (3, 0, "3000000000")];
        let expected = expected.map(|(u, v, w)| (u, v, w.to_owned()));
        assert_eq!(edges(&loaded.parsed.graph), expected, "{name}");
        assert!(
            loaded.parsed.notes.iter().any(|note| *note == "column 'road' is left out"),
            "{name}"
        );
        let up_to_highest = read_with(&bytes, &ReadOptions::default()).unwrap();
        assert_eq!(up_to_highest.parsed.graph.vertices(), 901);
        assert_eq!(up_to_highest.parsed.warnings.len(), 1);
    }
}

#[test]
fn columns_are_chosen_and_kept_as_in_an_edge_list() {
    let bytes = seed("odd.parquet");
    let question = read(&bytes).unwrap_err();
    assert_eq!(
        question,
        "x: which columns are the vertices? columns: way, a, b, km, toll, opened; pass `source: \
         \"NAME\"` and `target: \"NAME\"`, or their positions"
    );
    let mut options = chosen([("source", "a"), ("target", "b")]);
    let question = read_with(&bytes, &options).unwrap_err();
    assert!(question.contains("which column is the weight?"), "{question}");
    assert!(question.contains("`weight(\"km\")`"), "{question}");
    options.columns.weight = Some(ColumnChoice::Position(4));
    options.columns.id = Some(ColumnChoice::Name("way".into()));
    options.columns.keep = vec![ColumnChoice::Name("toll".into())];
    let missing = read_with(&bytes, &options).unwrap_err();
    assert_eq!(
        missing,
        "x: column 'km', row 1 (counted from 0): the weight is missing; fix it, or pass `nan(Nan::Skip)`"
    );
    options.nan = Nan::Skip;
    let loaded = read_with(&bytes, &options).unwrap();
    let kept = loaded.parsed.kept.unwrap();
    assert_eq!(kept.names(), ["way", "toll"]);
    let rows: Vec<Vec<&str>> = (0..3).map(|row| kept.row(row).collect()).collect();
    assert_eq!(rows, [["100", "yes"], ["200", ""], ["300", "no"]]);
    options.columns.weight = Some(ColumnChoice::Name("opened".into()));
    let dates = read_with(&bytes, &options).unwrap_err();
    assert!(dates.contains("the weight is not a number; store the column as numbers"), "{dates}");
    options.columns.source = Some(ColumnChoice::Name("opened".into()));
    options.columns.weight = Some(ColumnChoice::Name("km".into()));
    let dates = read_with(&bytes, &options).unwrap_err();
    assert!(dates.contains("column 'opened' contains dates or times, but vertices"), "{dates}");
}

fn put<T: DataType>(group: &mut SerializedRowGroupWriter<'_, &mut Vec<u8>>, values: &[T::T]) {
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<T>().write_batch(values, None, None).unwrap();
    column.close().unwrap();
}

#[test]
fn dates_and_times_are_kept_as_text() {
    let schema = "message t { required int64 u; required int64 v; required int32 day (DATE);
                  required int64 time (TIMESTAMP(MICROS,true)); }";
    let (schema, mut bytes) = (Arc::new(parse_message_type(schema).unwrap()), Vec::new());
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    put::<Int64Type>(&mut group, &[0]);
    put::<Int64Type>(&mut group, &[1]);
    put::<Int32Type>(&mut group, &[19_782]);
    put::<Int64Type>(&mut group, &[1_500_000]);
    group.close().unwrap();
    writer.close().unwrap();
    let mut options = ReadOptions { missing_weights: Some(Unit), ..ReadOptions::default() };
    options.columns.keep = ["day", "time"].map(|name| ColumnChoice::Name(name.into())).to_vec();
    let kept = read_with(&bytes, &options).unwrap().parsed.kept.unwrap();
    assert_eq!(kept.row(0).collect::<Vec<_>>(), ["2024-02-29", "1970-01-01T00:00:01.5Z"]);
}

#[test]
fn decimals_are_kept_exactly_and_times_of_96_bits_as_text() {
    let schema = "message t { required int64 u; required int64 v;
                  required int32 narrow (DECIMAL(9,2)); required int64 wide (DECIMAL(18,0));
                  required fixed_len_byte_array(3) short (DECIMAL(5,2));
                  required binary long (DECIMAL(38,10)); required int96 time;
                  required double w; }";
    let (schema, mut bytes) = (Arc::new(parse_message_type(schema).unwrap()), Vec::new());
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    put::<Int64Type>(&mut group, &[0, 1]);
    put::<Int64Type>(&mut group, &[1, 2]);
    put::<Int32Type>(&mut group, &[12_345, -5]);
    put::<Int64Type>(&mut group, &[123_456_789_012_345_678, -7]);
    let short = [[0, 0x01, 0x2c], [0xff, 0xff, 0xff]];
    let short = short.map(|bytes| FixedLenByteArray::from(bytes.to_vec()));
    put::<FixedLenByteArrayType>(&mut group, &short);
    let most = 99_999_999_999_999_999_999_999_999_999_999_999_999_i128;
    put::<ByteArrayType>(&mut group, &[most.to_be_bytes().to_vec().into(), vec![0x80].into()]);
    put::<Int96Type>(&mut group, &[vec![1, 0, 2_460_370].into(), vec![0, 0, 2_440_588].into()]);
    put::<DoubleType>(&mut group, &[0.5, 1.5]);
    group.close().unwrap();
    writer.close().unwrap();

    let mut options = chosen([("source", "u"), ("target", "v"), ("weight", "w")]);
    let names = ["narrow", "wide", "short", "long", "time"];
    options.columns.keep = names.map(|name| ColumnChoice::Name(name.into())).to_vec();
    let kept = read_with(&bytes, &options).unwrap().parsed.kept.unwrap();
    let row = |row| kept.row(row).collect::<Vec<_>>().join(" ");
    let first = "123.45 123456789012345678 3.00 9999999999999999999999999999.9999999999 \
                 2024-02-29T00:00:00.000000001";
    assert_eq!(row(0), first);
    assert_eq!(row(1), "-0.05 -7 -0.01 -0.0000000128 1970-01-01T00:00:00");
    let [text, integer] = [KeptKind::Text, KeptKind::Integer];
    assert_eq!(kept.kinds(), [text, integer, text, text, text]);

    for (weight, expected) in [("short", ["3", "-0.01"]), ("wide", ["123456789012345678", "-7"])] {
        let options = chosen([("source", "u"), ("target", "v"), ("weight", weight)]);
        let edges = edges(&read_with(&bytes, &options).unwrap().parsed.graph);
        assert_eq!([&edges[0].2, &edges[1].2], expected, "{weight}");
    }
    let time = chosen([("source", "u"), ("target", "v"), ("weight", "time")]);
    assert!(read_with(&bytes, &time).unwrap_err().contains("the weight is not a number"));
    let decimals = chosen([("source", "narrow"), ("target", "v"), ("weight", "w")]);
    let decimals = read_with(&bytes, &decimals).unwrap_err();
    assert!(decimals.contains("column 'narrow' contains decimals, but vertices"), "{decimals}");
    let ids = chosen([("source", "wide"), ("target", "v"), ("weight", "w")]);
    let names = read_with(&bytes, &ids).unwrap().parsed.names.unwrap();
    assert_eq!(names, ["123456789012345678", "1", "-7", "2"]);
}

#[test]
fn decimals_of_more_than_38_digits_and_lists_are_refused() {
    for (element, said) in [
        ("fixed_len_byte_array(20) x (DECIMAL(40,2));", "decimals of more than 38 digits"),
        ("group x { repeated group list { required int32 element; } }", "lists or groups"),
    ] {
        let schema = format!(
            "message t {{ required int64 u; required int64 v; required double w; required {element} }}"
        );
        let (schema, mut bytes) = (Arc::new(parse_message_type(&schema).unwrap()), Vec::new());
        let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::default()).unwrap();
        let mut group = writer.next_row_group().unwrap();
        put::<Int64Type>(&mut group, &[0]);
        put::<Int64Type>(&mut group, &[1]);
        put::<DoubleType>(&mut group, &[0.5]);
        if said.contains("lists") {
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<Int32Type>().write_batch(&[7], Some(&[1]), Some(&[0])).unwrap();
            column.close().unwrap();
        } else {
            put::<FixedLenByteArrayType>(&mut group, &[FixedLenByteArray::from(vec![0; 20])]);
        }
        group.close().unwrap();
        writer.close().unwrap();
        let mut options = ReadOptions::default();
        assert!(read_with(&bytes, &options).is_ok(), "the column is left out");
        options.columns.keep = vec![ColumnChoice::Name("x".into())];
        let refused = read_with(&bytes, &options).unwrap_err();
        let expected = format!("column 'x' contains {said}, which Kostra does not read");
        assert!(refused.contains(&expected), "{refused}");
    }
}

#[test]
fn a_geometry_beside_the_edges_need_not_be_text() {
    let schema = "message t { required binary geometry; required int64 u; required int64 v;
                  required double length; }";
    let (schema, mut bytes) = (Arc::new(parse_message_type(schema).unwrap()), Vec::new());
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    put::<ByteArrayType>(&mut group, &[vec![1, 2, 0, 0xff].into(), vec![0xff].into()]);
    put::<Int64Type>(&mut group, &[0, 1]);
    put::<Int64Type>(&mut group, &[1, 2]);
    put::<DoubleType>(&mut group, &[2.5, 1.5]);
    group.close().unwrap();
    writer.close().unwrap();
    let loaded = read(&bytes).unwrap();
    assert_eq!(edges(&loaded.parsed.graph), [(0, 1, "2.5".into()), (1, 2, "1.5".into())]);
    assert_eq!(loaded.parsed.notes, ["column 'geometry' is left out"]);
    let refused = read_with(&bytes, &chosen([("source", "geometry"), ("target", "v")]));
    let refused = refused.unwrap_err();
    assert!(refused.contains("column 'geometry', row 0"), "{refused}");
}

/// A table with a group of rows for each item of `groups`: columns `source`, `target` and `weight`.
fn in_groups(groups: &[Vec<(i64, i64, f64)>]) -> Vec<u8> {
    let schema = "message t { required int64 source; required int64 target;
                  required double weight; }";
    let (schema, mut bytes) = (Arc::new(parse_message_type(schema).unwrap()), Vec::new());
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::default()).unwrap();
    for rows in groups {
        let mut group = writer.next_row_group().unwrap();
        put::<Int64Type>(&mut group, &rows.iter().map(|row| row.0).collect::<Vec<_>>());
        put::<Int64Type>(&mut group, &rows.iter().map(|row| row.1).collect::<Vec<_>>());
        put::<DoubleType>(&mut group, &rows.iter().map(|row| row.2).collect::<Vec<_>>());
        group.close().unwrap();
    }
    writer.close().unwrap();
    bytes
}

#[test]
fn any_number_of_threads_reads_groups_of_rows_in_order() {
    let row = |at: i64| (at, (at + 1) % 1000, at as f64 / 2.0);
    let mut groups: Vec<Vec<_>> = [0..300, 300..301, 301..301, 301..900, 900..1000]
        .map(|rows| rows.map(row).collect())
        .into();
    let bytes = in_groups(&groups);
    groups[1][0].2 = f64::NAN;
    groups[3][7].0 = -4;
    let damaged = in_groups(&groups);
    for threads in [1, 2, 3, 8] {
        let options = ReadOptions { threads, ..ReadOptions::default() };
        let loaded = read_with(&bytes, &options).unwrap();
        let expected: Vec<_> =
            (0..1000).map(row).map(|(u, v, w)| (u as u32, v as u32, w.to_string())).collect();
        assert_eq!(edges(&loaded.parsed.graph), expected, "{threads} threads");
        let first = "x: column 'weight', row 300 (counted from 0): the weight is NaN";
        let error = read_with(&damaged, &options).unwrap_err();
        assert!(error.starts_with(first), "{error}");
        let skipping = ReadOptions { nan: Nan::Skip, ..options };
        let second = "x: column 'source', row 308 (counted from 0): the vertex -4 is negative";
        let error = read_with(&damaged, &skipping).unwrap_err();
        assert!(error.starts_with(second), "{error}");
    }
}

#[test]
fn large_ids_in_any_group_are_names() {
    let groups = [vec![(1, 2, 1.0)], vec![(2, 1 << 40, 2.0)], vec![(1, 2, 3.0)]];
    for threads in [1, 2, 8] {
        let vertices = Vertices::Occurring;
        let options = ReadOptions { threads, vertices, ..ReadOptions::default() };
        let loaded = read_with(&in_groups(&groups), &options).unwrap();
        let names = ["1", "2", "1099511627776"].map(str::to_owned);
        assert_eq!(loaded.parsed.names.as_deref(), Some(&names[..]), "{threads} threads");
    }
}

#[test]
fn what_could_be_misread_is_refused() {
    let text = seed("text.parquet");
    let count = ReadOptions { vertices: Vertices::Count(3), ..ReadOptions::default() };
    let error = read_with(&text, &count).unwrap_err();
    let sentence = "x: column 'source' contains text, so its vertices are names; omit `vertices`";
    assert_eq!(error, sentence);
    let header = ColumnOptions { header: crate::Header::Present, ..ColumnOptions::default() };
    let options = ReadOptions { columns: header, ..ReadOptions::default() };
    assert!(read_with(&text, &options).unwrap_err().contains("`header` applies to edge lists"));
    let integers = read_with(&seed("integers.parquet"), &count).unwrap_err();
    assert!(integers.contains("pass at least 901"), "{integers}");
}

#[test]
fn a_panic_of_the_crate_is_an_error_with_a_remedy() {
    let error = read(&seed("damaged.parquet")).unwrap_err();
    assert!(error.ends_with("a column is damaged; write the file again"), "{error}");
}

#[test]
fn a_header_of_a_page_must_have_a_byte_for_each_element_that_it_states() {
    let mut bytes = in_groups(&[vec![(0, 1, 0.5)]]);
    // The first header gets a field 0 before its fields: a list of 2^31 - 1 booleans.
    let list = [0x09, 0, 0xf1, 0xff, 0xff, 0xff, 0xff, 7];
    bytes.splice(super::MAGIC.len()..super::MAGIC.len(), list);
    let error = read(&bytes).unwrap_err();
    let sentence = "x: column 'source': the header of a page is damaged; write the file again";
    assert_eq!(error, sentence);
}

#[test]
fn columns_that_share_bytes_are_refused() {
    let edges = (0..1 << 16).map(|edge| (edge, edge + 1, edge as f64));
    let bytes = in_groups(&[edges.collect()]);
    let (_, size) = bytes[..bytes.len() - super::MAGIC.len()].split_last_chunk().unwrap();
    let description = bytes.len() - 8 - u32::from_le_bytes(*size) as usize;
    let error = read(&[super::MAGIC, &bytes[description..]].concat()).unwrap_err();
    assert!(error.contains("bytes of columns, but it has"), "{error}");
}

#[test]
fn damaged_files_are_errors_with_a_remedy() {
    let bytes = seed("dictionary.parquet");
    for length in (4..bytes.len()).step_by(7) {
        let error = read(&bytes[..length]).unwrap_err();
        assert!(error.ends_with("the file is cut short; copy or write it again"), "{error}");
    }
    let mut faults = 0;
    for at in 4..bytes.len() {
        for change in [0x01, 0x80, 0xff] {
            let mut damaged = bytes.clone();
            damaged[at] ^= change;
            faults += u32::from(read(&damaged).is_err());
        }
    }
    assert!(faults > 100, "{faults}");
}

#[test]
fn the_cheaper_direction_of_pgrouting_counts() {
    let column =
        |name, values| crate::TableColumn { name, values: crate::TableValues::Floats(values) };
    let ends = [[1, 2], [2, 3], [1, 3]];
    let (source, target) = (crate::TableValues::Ends(&ends, 0), crate::TableValues::Ends(&ends, 1));
    let columns = [
        crate::TableColumn { name: "source", values: source },
        crate::TableColumn { name: "target", values: target },
        column("cost", &[5.0, -1.0, 9.0]),
        column("reverse_cost", &[3.0, 4.0, -1.0]),
    ];
    let mut bytes = Vec::new();
    crate::write_parquet_table(&columns, &KeptColumns::default(), &mut bytes).unwrap();
    let loaded = read(&bytes).unwrap();
    let weights = |loaded: &Loaded| {
        edges(&loaded.parsed.graph).into_iter().map(|edge| edge.2).collect::<Vec<_>>()
    };
    assert_eq!(weights(&loaded), ["3", "4", "9"]);
    assert!(loaded.parsed.notes.iter().any(|note| note.to_string().contains("reverse_cost")));
    let negatives = Some(crate::Meaning::Edge);
    let options =
        ReadOptions { negatives, vertices: Vertices::Occurring, ..ReadOptions::default() };
    assert_eq!(weights(&read_with(&bytes, &options).unwrap()), ["3", "-1", "-1"]);
}
