//! What edge lists promise about the options for columns and vertices.

use super::*;
use crate::source::from_bytes;
use crate::testing::{edges, read_all_ways};
use crate::{ColumnChoice, ColumnOptions, Header};

fn occurring(text: &str) -> Result<Parsed, String> {
    let options = ReadOptions { vertices: Vertices::Occurring, ..ReadOptions::default() };
    read_all_ways(read_in_blocks, text, &options)
}

#[test]
fn the_vertices_that_occur_are_numbered_in_the_order_of_their_ids() {
    for (text, names, expected) in [
        ("1 2 5\n2 3 6\n", Some(vec!["1", "2", "3"]), "0-1:5 1-2:6"),
        ("40000000 7 5\n", Some(vec!["7", "40000000"]), "1-0:5"),
        ("4000000000 7 5\n", Some(vec!["7", "4000000000"]), "1-0:5"),
        ("0 1 5\n1 2 6\n", None, "0-1:5 1-2:6"),
        ("# kostra edge list: 9 vertices, 1 edges\n4 5 1\n", None, "4-5:1"),
    ] {
        let parsed = occurring(text).unwrap();
        assert_eq!(edges(&parsed.graph), expected);
        let names = names.map(|names| names.into_iter().map(String::from).collect::<Vec<_>>());
        assert_eq!(parsed.names, names, "{text}");
        assert_eq!(parsed.warnings, [""; 0]);
    }
}

#[test]
fn words_and_long_numbers_are_names_if_the_vertices_are_those_that_occur() {
    for (text, names) in [
        ("alice bob 5\nbob carol 6\n", ["alice", "bob", "carol"]),
        ("from,to,km\nx,y,1\ny,z,2\n", ["x", "y", "z"]),
        ("New York\tBoston\t5\nBoston\tRome\t6\n", ["New York", "Boston", "Rome"]),
        ("01 1 5\n1 2 6\n", ["01", "1", "2"]),
        ("from,to,km\n1,\"2\",5\n2,\"02\",6\n", ["1", "2", "02"]),
        (
            "99999999999 8 5\n8 18446744073709551616 6\n",
            ["99999999999", "8", "18446744073709551616"],
        ),
    ] {
        let parsed = occurring(text).unwrap();
        assert_eq!(parsed.names.unwrap(), names, "{text}");
        assert_eq!(parsed.notes, ["the vertices are names"]);
    }
    let missing = occurring("from,to,km\na,NA,1\nb,NA,2\n").unwrap();
    let warning = "'NA' is a vertex; if it stands for a missing value, remove its edges";
    assert_eq!(missing.warnings, [warning]);
    let unnamed = occurring("\"\",\"from\",\"to\",\"w\"\n\"1\",\"a\",\"b\",5\n").unwrap();
    assert_eq!(unnamed.notes[0], "column '' is left out");
    let question = occurring("A,B\nx,y\ny,z\n").unwrap_err();
    assert!(question.ends_with(
        "is the first line a header? pass `header: Header::Present` or `header: Header::Absent`"
    ));
    for text in ["-1 2 5\n", "1.5 2 5\n", "0 1 5\nalice 2 6\n"] {
        assert!(occurring(text).unwrap_err().contains("the vertex "), "{text}");
    }
}

#[test]
fn a_leading_zero_in_a_list_of_numbers_is_refused() {
    let refused = |line: u64, column: u64, id: &str, number: &str| {
        format!(
            "x: line {line}, column {column}: the vertex {id} starts with 0, so it may be another \
             one than {number}; with `names(true)` it is a name"
        )
    };
    let upward = |text: &str| {
        read_all_ways(read_in_blocks, text, &ReadOptions::default()).map(|_| ()).unwrap_err()
    };
    assert_eq!(upward("0 1 5\n1 02 6\n"), refused(2, 3, "02", "2"));
    assert_eq!(upward("0 1\n00 1\n"), refused(2, 1, "00", "0"));
    assert_eq!(upward("1,010,5\n"), refused(1, 3, "010", "10"));
    let counts = occurring("3 2\n01 02\n02 03\n").unwrap_err();
    assert_eq!(counts, refused(2, 1, "01", "1"), "the first line may be counts");
    let numbers = occurring("0 10 007\n10 20 08\n").unwrap();
    assert_eq!(edges(&numbers.graph), "0-1:7 1-2:8", "weights may start with zeros");
}

#[test]
fn a_leading_zero_after_the_first_lines_is_refused() {
    let text = format!("{}5 06 1\n", "1 2 3\n".repeat(1 << 14));
    let options = ReadOptions { vertices: Vertices::Occurring, ..ReadOptions::default() };
    let stream = Stream::new(from_bytes(text.as_bytes())).unwrap();
    let fault = read(stream, &options).unwrap_err().in_input("x").to_string();
    assert!(fault.starts_with("x: line 16385, column 3: the vertex 06 starts with 0"), "{fault}");
}

#[test]
fn the_number_of_vertices_can_be_given() {
    let read = |text: &str, vertices, names| {
        let vertices = Vertices::Count(vertices);
        let options = ReadOptions { vertices, names, ..ReadOptions::default() };
        read_all_ways(read_in_blocks, text, &options)
    };
    let parsed = read("1 2 5\n", 7, false).unwrap();
    assert_eq!((parsed.graph.vertices(), parsed.warnings.len()), (7, 0));
    assert_eq!(
        read("1 7 5\n", 7, false).unwrap_err(),
        "x: an edge ends at vertex 7, but `vertices` is 7 and vertices count from 0; pass at least 8"
    );
    assert!(
        read("a b 5\n", 7, true)
            .unwrap_err()
            .contains("`vertices` needs vertices that are numbers")
    );
}

fn with_columns(columns: ColumnOptions, text: &str) -> Result<Parsed, String> {
    let options = ReadOptions { columns, ..ReadOptions::default() };
    read_all_ways(read_in_blocks, text, &options)
}

#[test]
fn kept_columns_belong_to_their_edges() {
    let by_name = |name: &str| ColumnChoice::NameOrPosition(name.into());
    let columns = ColumnOptions {
        weight: Some(by_name("km")),
        id: Some(by_name("way")),
        keep: vec![by_name("name"), by_name("to")],
        ..ColumnOptions::default()
    };
    let text = "way,from,to,km,name\nw7,0,1,2.5,\"A, B\"\n# c\nw8,1,2,4,\n";
    let parsed = with_columns(columns.clone(), text).unwrap();
    assert_eq!(edges(&parsed.graph), "0-1:2.5 1-2:4.0");
    assert_eq!(parsed.notes, [""; 0], "no column is left out");
    let kept = parsed.kept.unwrap();
    assert_eq!(kept.names(), ["way", "name", "to"]);
    let rows = [0, 1].map(|edge| kept.row(edge).collect::<Vec<_>>());
    assert_eq!(rows, [["w7", "A, B", "1"], ["w8", "", "2"]]);
    let missing = with_columns(columns, "from,to,km\n0,1,5\n").unwrap_err();
    assert_eq!(missing, "x: line 1, column 1: there is no column 'way'; columns: from, to, km");
    let counted = ColumnOptions { keep: vec![by_name("2")], ..ColumnOptions::default() };
    let kept = with_columns(counted, "9 2\n0 1\n1 2\n").unwrap().kept.unwrap();
    assert_eq!(kept.row(1).collect::<Vec<_>>(), ["2"], "the line of counts is no edge");
}

#[test]
fn columns_can_be_named_in_place_of_a_header() {
    let names = |text: &str| Some(text.split(',').map(String::from).collect());
    let columns = ColumnOptions { names: names("km,from,to"), ..ColumnOptions::default() };
    let parsed = with_columns(columns.clone(), "2.5,0,1\n4,1,2\n").unwrap();
    assert_eq!(edges(&parsed.graph), "0-1:2.5 1-2:4.0");
    let header = "a,b,c\n2.5,0,1\n4,1,2\n";
    let question = with_columns(columns.clone(), header).unwrap_err();
    assert!(question.contains("is the first line a header? pass"), "{question}");
    let columns = ColumnOptions { header: Header::Present, ..columns };
    assert_eq!(edges(&with_columns(columns, header).unwrap().graph), "0-1:2.5 1-2:4.0");
    let two = ColumnOptions { names: names("from,to"), ..ColumnOptions::default() };
    assert_eq!(
        with_columns(two, "0 1 5\n").unwrap_err(),
        "x: line 1, column 1: `columns` names 2 columns, but the lines have 3; name them all"
    );
}

#[test]
fn the_delimiter_and_the_decimal_comma_are_taken_as_given() {
    let colon = ColumnOptions { delimiter: Some(":".parse().unwrap()), ..ColumnOptions::default() };
    assert_eq!(edges(&with_columns(colon, "0:1:5\n1:2:6\n").unwrap().graph), "0-1:5 1-2:6");
    let comma = ColumnOptions { decimal_comma: true, ..ColumnOptions::default() };
    for text in ["0;1;1,5\n1;2;2\n", "from,to,km\n0,1,\"1,5\"\n1,2,2\n", "0 1 1,5\n1 2 2\n"] {
        let parsed = with_columns(comma.clone(), text).unwrap();
        assert_eq!(edges(&parsed.graph), "0-1:1.5 1-2:2.0", "{text}");
    }
    for (text, weight) in [("0;1;1,5\n1;2;2.5\n", "2.5"), ("0;1;1,5\n1;2;1,234,5\n", "1,234,5")] {
        assert_eq!(
            with_columns(comma.clone(), text).unwrap_err(),
            format!(
                "x: line 2, column 5: the weight is '{weight}', but numbers with a decimal comma \
                 have one comma and no point; write it so"
            )
        );
    }
    for text in ["", "ab", "1", ".", "\"", "é"] {
        assert!(text.parse::<crate::Delimiter>().is_err(), "{text}");
    }
}

#[test]
fn weights_may_have_one_unit_if_the_option_names_them() {
    let weight = Some(ColumnChoice::NameOrPosition("3".into()));
    let options = ReadOptions {
        columns: ColumnOptions { weight, ..ColumnOptions::default() },
        ..ReadOptions::default()
    };
    for (text, unit) in [("0,1,5 km\n1,2,6.5km\n", "km"), ("0;1;$5\n1;2;$6.5\n", "$")] {
        let parsed = read_all_ways(read_in_blocks, text, &options).unwrap();
        assert_eq!(edges(&parsed.graph), "0-1:5.0 1-2:6.5", "{text}");
        let notes: Vec<String> = parsed.notes.iter().map(ToString::to_string).collect();
        assert_eq!(notes, [format!("the unit of the weights is '{unit}'")]);
    }
    for other in ["600 m", "600", "far"] {
        let text = format!("0,1,5km\n1,2,{other}\n");
        let error = read_all_ways(read_in_blocks, &text, &options).unwrap_err();
        assert!(
            error.contains("that of the first edge has the unit 'km'; use one unit"),
            "{error}"
        );
    }
}
