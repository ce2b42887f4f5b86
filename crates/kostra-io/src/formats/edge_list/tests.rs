//! What edge lists promise.

use super::*;
use crate::fields::MOST_COLUMNS;
use crate::testing::{assert_round_trips, edges, read_all_ways};
use crate::{ColumnChoice, ColumnOptions, Header, Meaning, Nan};

fn parsed(text: &str) -> Parsed {
    read_all_ways(read_in_blocks, text, &ReadOptions::default()).unwrap()
}

fn graph(text: &str) -> (u32, String) {
    let parsed = parsed(text);
    (parsed.graph.vertices(), edges(&parsed.graph))
}

fn error(text: &str) -> String {
    read_all_ways(read_in_blocks, text, &ReadOptions::default()).unwrap_err()
}

fn named(text: &str) -> Result<Parsed, String> {
    let options = ReadOptions { names: true, ..ReadOptions::default() };
    read_all_ways(read_in_blocks, text, &options)
}

fn with(vertices: Vertices, text: &str) -> Result<Parsed, String> {
    let options = ReadOptions { vertices, ..ReadOptions::default() };
    read_all_ways(read_in_blocks, text, &options)
}

const UNIT: &str = "the input has no weights; each edge weighs 1";

#[test]
fn every_separator_and_comment_is_understood() {
    let expected = (3, "0-1:5 1-2:-6".to_string());
    for text in [
        "0 1 5\n1 2 -6\n",
        "# SNAP\n0\t1\t5\n1\t2\t-6\n",
        "% KONECT\n  0   1 5  \n\n// c\n1 2\t-6\n",
        "0,1,5\n1, 2 , -6\n",
        "0;1;5\n1;2;-6\n",
        "0|1|5\n1|2|-6\n",
        "\"0\",\"1\",\"5\"\n1,2,-6\n",
        "source,target,weight\n0,1,5\n1,2,-6\n",
        "Weight\tTo\tFrom\n5\t1\t0\n-6\t2\t1\n",
        "0 1 {'weight': 5}\n1 2 {'a': 1, 'weight': -6}\n",
    ] {
        assert_eq!(graph(text), expected, "{text}");
    }
}

#[test]
fn the_cheaper_direction_of_pgrouting_counts() {
    let head = "id,source,target,cost,reverse_cost\n1,1,2,5,5\n";
    let text = format!("{head}2,2,3,-1,4\n3,1,3,9,-1\n4,1,3,7,2.5\n");
    let read = parsed(&text);
    assert_eq!(graph(&text).1, "1-2:5.0 2-3:4.0 1-3:9.0 1-3:2.5");
    let note = "the weight is the lower one of 'cost' and 'reverse_cost'; a negative cost is no \
                edge";
    assert!(read.notes.iter().any(|found| *found == note), "{:?}", read.notes);
    let absent = format!("{head}2,2,3,-1,-1\n");
    assert!(error(&absent).contains("line 3, column 7: both costs are negative, so there is no"));
    let options = ReadOptions { negatives: Some(Meaning::Edge), ..ReadOptions::default() };
    let found = read_all_ways(read_in_blocks, &absent, &options).unwrap();
    assert_eq!(edges(&found.graph), "1-2:5 2-3:-1");
    let said = read_all_ways(read_in_blocks, "0 1 5\n", &options).map(drop).unwrap_err();
    assert!(said.contains("`negatives` applies to matrices, and to costs next to"), "{said}");
}

#[test]
fn weights_may_be_missing_or_of_any_type() {
    assert_eq!(parsed("0 1\n1 2\n2 0\n").notes, [UNIT]);
    assert_eq!(graph("0 1 0.5\n1 2 3\n").1, "0-1:0.5 1-2:3.0");
    assert_eq!(graph("0 1 7\n1 2 3000000000\n").1, "0-1:7 1-2:3000000000");
    assert_eq!(graph("0 1 {}\n1 2 {}\n2 0 {}\n"), (3, "0-1:1 1-2:1 2-0:1".into()));
}

#[test]
fn numbers_between_blanks_do_not_become_names_because_of_decimal_commas() {
    let refused = with(Vertices::Occurring, "1 2 2,5\n2 3 1,6\n").unwrap_err();
    assert!(refused.contains("which column is the weight? columns: 1 to 3"), "{refused}");
    let streets = with(Vertices::Occurring, "Route 66,67 Street\n67 Street,Main Street\n").unwrap();
    assert_eq!(streets.names.unwrap(), ["Route 66", "67 Street", "Main Street"]);
}

#[test]
fn columns_that_are_left_out_are_said() {
    assert_eq!(parsed("% sym\n0 1 5 9\n2 1 6 9\n").notes, ["column 4 is left out"]);
    assert!(error("0 1 5 9\n2 1 6 9\n").contains("which columns are the vertices?"));
    let refused = with(Vertices::Occurring, "0 0 1 0.5\n1 1 2 0.5\n2 2 3 0.5\n").unwrap_err();
    assert!(
        refused.ends_with(
            "does the first column number the edges? pass `source: ColumnChoice::Position(2)`, `target: ColumnChoice::Position(3)` and `weight: ColumnChoice::Position(4)`, or \
             `source: ColumnChoice::Position(1)` and `target: ColumnChoice::Position(2)` if it is a vertex"
        ),
        "{refused}"
    );
}

#[test]
fn a_first_line_of_counts_is_no_edge() {
    let note = |line| {
        crate::Message::from(format!("line {line} is taken as the numbers of vertices and edges"))
    };
    let from_1 = with(Vertices::Occurring, "3 2\n1 2 5\n2 3 6\n").unwrap();
    assert_eq!((from_1.graph.vertices(), edges(&from_1.graph)), (3, "0-1:5 1-2:6".into()));
    assert_eq!(from_1.names.unwrap(), ["1", "2", "3"]);
    let counted = parsed("# c\n5 3\n0 1\n1 2\n2 3\n");
    assert_eq!((counted.graph.vertices(), edges(&counted.graph)), (5, "0-1:1 1-2:1 2-3:1".into()));
    assert_eq!(counted.notes, [note(2), UNIT.into()]);
    let weighted = parsed("5 2\n0 1 7\n1 2 8\n");
    assert_eq!((weighted.graph.vertices(), edges(&weighted.graph)), (5, "0-1:7 1-2:8".into()));
    assert_eq!(weighted.notes, [note(1)]);
    let question = "is this line an edge, or does it state the numbers of vertices and edges?";
    assert!(error("5 3\n0 1\n1 2\n").contains(question), "two edges, not three");
    assert_eq!(graph("5 2\n0 9\n1 2\n"), (10, "5-2:1 0-9:1 1-2:1".into()), "vertex 9 is none of 5");
    assert_eq!(
        error("5 3\n0 1 7\n1 2 8\n"),
        "x: line 1, column 1: this line has another number of columns than the next, so it should contain \
         the numbers of vertices and edges, but the number of edges is 2; correct it, or pass `header: Header::Present` to \
         ignore it"
    );
}

#[test]
fn a_first_line_that_may_be_an_edge_or_counts_is_refused_with_the_question() {
    for text in ["3 2\n2 1\n1 0\n", "3 2\n1 2\n2 3\n", "3 1\n3 2\n"] {
        let refused = error(text);
        assert_eq!(
            refused,
            "x: line 1, column 1: is this line an edge, or does it state the numbers of vertices \
             and edges? pass `header: Header::Absent` if it is an edge, or `header: Header::Present` if not"
        );
    }
    let names = Some(vec!["u".into(), "v".into()]);
    let columns = ColumnOptions { names, ..ColumnOptions::default() };
    let options = ReadOptions { columns, ..ReadOptions::default() };
    let named = read_all_ways(read_in_blocks, "5 2\n0 1\n1 2\n", &options).unwrap();
    assert_eq!(named.graph.edges(), 3, "names of columns say that there is no other first line");
    // As an edge, the first line would have an end far beyond the others.
    assert!(with(Vertices::Occurring, "5 3\n0 1\n1 2\n2 3\n").is_ok());
    for text in ["9 1\n4 5 1\n", "9 1\n4 5\n", "# kostra edge list: 9 vertices, 1 edges\n4 5\n"] {
        let refused = with(Vertices::Count(8), text).unwrap_err();
        assert!(refused.contains("this line states 9 vertices, but `vertices` is 8;"), "{refused}");
        assert_eq!(with(Vertices::Count(9), text).unwrap().graph.vertices(), 9);
    }
}

#[test]
fn a_list_without_edges_has_the_vertices_that_are_asked_for() {
    for text in ["# nothing\n", "\n", "# kostra edge list: 5 vertices, 0 edges\n"] {
        assert_eq!(with(Vertices::Count(5), text).unwrap().graph.vertices(), 5, "{text:?}");
    }
}

#[test]
fn vertices_are_taken_as_they_are() {
    let from_one = parsed("1 2 5\n2 3 6\n");
    assert_eq!(from_one.graph.vertices(), 4);
    let warning = "one of the 4 vertices is isolated: no edge ends at vertex 0, so ids probably count from 1; with \
                   `names(true)` only ids that occur are vertices";
    assert_eq!(from_one.notes, [warning]);
    assert_eq!(from_one.warnings, [warning]);
    let sparse = parsed("101 102 5\n102 103 6\n");
    assert_eq!(sparse.graph.vertices(), 104);
    assert!(
        sparse.warnings[0].to_string().starts_with("101 of the 104 vertices are isolated: "),
        "{:?}",
        sparse.warnings
    );
    for declared in ["# kostra edge list: 9 vertices, 1 edges\n4 5 1\n", "9 1\n4 5 1\n", "0 1 1\n"]
    {
        assert_eq!(parsed(declared).warnings, [""; 0], "{declared}");
    }
    assert_eq!(
        error("0 4000000000 5\n"),
        "x: the largest vertex is 4000000000, too large for a graph of 1 edge; with `names(true)`, only \
         vertices that occur are numbered"
    );
    assert_eq!(
        error("0 1 5\n4294967295 1 5\n"),
        "x: line 2, column 1: the vertex 4294967295 is beyond 32-bit ids; with `names(true)` it is numbered anew"
    );
    assert_eq!(
        error("0 1 5\n1 -2 5\n"),
        "x: line 2, column 3: the vertex -2 is negative; with `names(true)` vertices can have names"
    );
    assert_eq!(
        error("0 1 5\n1 1.5 5\n"),
        "x: line 2, column 3: the vertex 1.5 is not a whole number; with `names(true)` vertices can have names, and the command `kostra tree` finds the tree of points"
    );
    assert_eq!(
        error("alice bob 5\nbob carol 6\n"),
        "x: line 1, column 1: the vertex is 'alice', which is not a number; with `names(true)` vertices can have names"
    );
}

#[test]
fn lines_that_differ_from_the_first_are_errors() {
    assert_eq!(
        error("0 1 5\n1 2\n"),
        "x: line 2, column 1: this line has 2 columns, but the previous lines have 3; correct it"
    );
    assert_eq!(
        error("0 1\n1 2\n1 2 3\n"),
        "x: line 3, column 1: this line has 3 columns, but the previous lines have 2; correct it"
    );
    assert_eq!(error("0,1,5\n1,2,\n"), "x: line 2, column 5: the weight is missing; add it");
    assert_eq!(
        error("0 1 5\n1 2 x\n"),
        "x: line 2, column 5: the weight is 'x', which is not a number; correct it"
    );
    assert_eq!(
        error("0 1 {'weight': 5}\n1 2 {}\n"),
        "x: line 2, column 5: the dictionary has no weight, but the first has one"
    );
    assert_eq!(
        error("7\n"),
        "x: line 1, column 1: an edge needs two vertices, but this line has one column; write both, or remove the line if it is a title"
    );
    assert_eq!(
        error("0 1 5\n1 2 nan\n"),
        "x: line 2, column 5: the weight is NaN; fix it, or pass `nan(Nan::Skip)`"
    );
    let options = ReadOptions { nan: Nan::Skip, ..ReadOptions::default() };
    assert!(read_all_ways(read_in_blocks, "0 1 5\n1 2 nan\n", &options).is_ok());
}

#[test]
fn an_empty_field_between_tabs_does_not_move_the_next() {
    for text in ["0\t1\t\t7\n1\t2\t\t8\n", "u v id km\n0\t1\t\t7\n1\t2\t\t8\n"] {
        let question = error(text);
        assert!(question.contains("which column"), "{question}");
    }
    assert_eq!(graph("u v id weight\n0\t1\t\t7\n1\t2\t8\t9\n").1, "0-1:7 1-2:9");
    let missing = "x: line 2, column 5: the weight is missing; add it";
    assert_eq!(error("0\t1\t5\n1\t2\t\n"), missing);
    assert_eq!(named("a\tb\t5\nb\tc\t\n").unwrap_err(), missing);
    assert_eq!(error("0\t1\t5\n1\t\t2\n"), "x: line 2, column 3: the vertex is missing; add it");
}

#[test]
fn weights_that_no_type_holds_together_are_errors_at_their_line() {
    assert_eq!(graph("0 1 9223372036854775808\n1 2 7\n").1, "0-1:9223372036854775808 1-2:7");
    let start = error("0 1 -5\n# c\n1 2 9223372036854775808\n");
    assert!(
        start.starts_with(
            "x: line 3, column 1: the weight 9223372036854775808 is 2^63 or more, but "
        ),
        "{start}"
    );
    let start = error("0 1 9007199254740993\n\n1 2 3\n2 0 0.5\n");
    assert!(
        start.starts_with(
            "x: line 4, column 1: this weight is not an integer, but the weight 90071"
        ),
        "{start}"
    );
    let names = named("a b 0.5\nb c 3\n# c\nc a 9007199254740993\n").unwrap_err();
    assert!(
        names.starts_with("x: line 4, column 1: the weight 9007199254740993 has no exact"),
        "{names}"
    );
}

#[test]
fn columns_are_taken_as_the_options_say() {
    let by_name = |name: &str| Some(ColumnChoice::NameOrPosition(name.into()));
    let columns = ColumnOptions {
        source: by_name("from"),
        target: by_name("to"),
        weight: by_name("km"),
        ..ColumnOptions::default()
    };
    let options = ReadOptions { columns, ..ReadOptions::default() };
    let text = "id,km,from,lanes,to\n7,2.5,0,2,1\n8,4,1,,2\n";
    let read = read_all_ways(read_in_blocks, text, &options).unwrap();
    assert_eq!(edges(&read.graph), "0-1:2.5 1-2:4.0");
    assert_eq!(read.notes, ["columns 'id', 'lanes' are left out"]);
    let empty = "id,km,from,lanes,to\n7,2.5,0,2,1\n8,,1,,2\n";
    let error = read_all_ways(read_in_blocks, empty, &options).unwrap_err();
    assert_eq!(error, "x: line 3, column 3: the weight is missing; add it");

    let columns = ColumnOptions { header: Header::Absent, ..ColumnOptions::default() };
    let options = ReadOptions { columns, names: true, ..ReadOptions::default() };
    let read = read_all_ways(read_in_blocks, "A,B\nC,D\n", &options).unwrap();
    assert_eq!(read.names.unwrap(), ["A", "B", "C", "D"]);
    let columns = ColumnOptions { header: Header::Present, ..ColumnOptions::default() };
    let options = ReadOptions { columns, names: true, ..ReadOptions::default() };
    let read = read_all_ways(read_in_blocks, "A,B\nC,D\n", &options).unwrap();
    assert_eq!(read.names.unwrap(), ["C", "D"]);
}

#[test]
fn integers_of_any_length_are_names_in_every_form_of_a_line() {
    let long = "123456789012345678901234567890";
    let text = format!(
        "7 {long} 5\n{long} 007 -6\n  007\t12x 1.5\n12x   7 1e1 \r\n\"7\" 0 1\n0 18446744073709551615 2"
    );
    let read = named(&text).unwrap();
    let names = ["7", long, "007", "12x", "0", "18446744073709551615"];
    assert_eq!(read.names.unwrap(), names);
    assert_eq!(edges(&read.graph), "0-1:5.0 1-2:-6.0 2-3:1.5 3-0:10.0 0-4:1.0 4-5:2.0");
    let fault = named("7 8 5\n8 9 x\n").unwrap_err();
    assert_eq!(fault, "x: line 2, column 5: the weight is 'x', which is not a number; correct it");
}

#[test]
fn dictionaries_are_all_empty_or_all_have_weights() {
    assert_eq!(
        error("0 1 {}\n1 2 {'weight': 5}\n"),
        "x: line 2, column 5: the first dictionary is empty, so that edges have no weights, but this one is not"
    );
}

#[test]
fn a_first_line_longer_than_the_head_is_read() {
    let columns: String = (0..10_000).map(|column| format!(",column{column}")).collect();
    let fields = ",x".repeat(10_000);
    let text = format!("from,to,weight{columns}\n0,1,5{fields}\n1,2,6{fields}\n");
    let read = read(
        Stream::new(crate::source::from_bytes(text.as_bytes())).unwrap(),
        &ReadOptions::default(),
    );
    assert_eq!(edges(&read.unwrap().graph), "0-1:5 1-2:6");
}

#[test]
fn names_are_numbered_as_they_appear() {
    let text = "# who knows whom\nbob alice 5\nalice \"carol ann\" 6\n\u{10d}apek bob 7\n";
    let parsed = named(text).unwrap();
    assert_eq!(edges(&parsed.graph), "0-1:5 1-2:6 3-0:7");
    assert_eq!(parsed.names.unwrap(), ["bob", "alice", "carol ann", "\u{10d}apek"]);

    let csv = named("from,to,weight\n\"Smith, J.\",\"the \"\"other\"\"\",1.5\nx,\"Smith, J.\",2\n")
        .unwrap();
    assert_eq!(edges(&csv.graph), "0-1:1.5 2-0:2.0");
    assert_eq!(csv.names.unwrap(), ["Smith, J.", "the \"other\"", "x"]);

    let tabs = named("New York\tBoston\t5\nBoston\tNew York\t6\n").unwrap();
    assert_eq!(tabs.names.unwrap(), ["New York", "Boston"]);

    let sparse = named("4294967295 18446744073709551616 5\n").unwrap();
    assert_eq!(sparse.graph.vertices(), 2);

    assert_eq!(
        named(",b,5\n").unwrap_err(),
        "x: line 1, column 1: the name is missing; fill it in"
    );
    assert_eq!(
        named("a,\"b,5\n").unwrap_err(),
        "x: line 1, column 3: the field \\\"b has no closing quote in this line; close it, and write \
         fields without line breaks"
    );
}

#[test]
fn a_line_break_in_a_field_is_no_end_of_a_row() {
    let remedy =
        "has no closing quote in this line; close it, and write fields without line breaks";
    let mut options = ReadOptions::default();
    options.columns.weight = Some(ColumnChoice::Position(3));
    for (text, place, field) in [
        ("0,1,5,\"a\n2,3,7,b\"\n", "line 1, column 7", "\\\"a"),
        ("u,v,x,y\n0,1,5,a\n0,1,5,\"b\n2,3,7,c\"\n", "line 3, column 7", "\\\"b"),
        ("u,v,x,\"y\n2,3,7,c\"\n0,1,5,a\n", "line 1, column 1", "\\\"y"),
    ] {
        let fault = read_all_ways(read_in_blocks, text, &options).unwrap_err();
        assert_eq!(fault, format!("x: {place}: the field {field} {remedy}"), "{text}");
    }
}

#[test]
fn a_comment_that_may_be_an_edge_is_a_question() {
    for (text, place, sign, name) in [
        ("A,B,1\n#A,B,3\n", "line 2, column 1", "#", "#A"),
        ("\n#A,B,3\nA,B,4\n", "line 2, column 1", "#", "#A"),
        ("from,to,km\n%1,B,3\nA,B,1\n", "line 2, column 1", "%", "%1"),
        ("A B\n  //x B\n", "line 2, column 3", "//", "//x"),
        ("A B {'weight': 1}\n#c B {'weight': 2}\n", "line 2, column 1", "#", "#c"),
    ] {
        let question = format!(
            "x: {place}: is this line a comment or an edge? write a blank after {sign} if it is a \
             comment, or quotes around the name, as \"{name}\""
        );
        assert_eq!(named(text).unwrap_err(), question, "{text}");
    }
    for comment in ["# A,B,3", "#", "##A,B,3", "#A,B", "#A,B,3,4", "%", "// A,B,3", "\t#\tA,B,3"] {
        let parsed = named(&format!("A,B,1\n{comment}\nB,C,2\n")).unwrap();
        assert_eq!(edges(&parsed.graph), "0-1:1 1-2:2", "{comment}");
    }
    for comment in ["#source,target,km", "#A,B,about", "# A,B,3", "#A,B"] {
        let parsed = named(&format!("{comment}\nA,B,1\nB,C,2\n")).unwrap();
        assert_eq!(edges(&parsed.graph), "0-1:1 1-2:2", "{comment}");
    }
    assert_eq!(graph("0,1,5\n#1,2,7\n1,2,-6\n").1, "0-1:5 1-2:-6", "no number starts with #");
    assert_eq!(named("A,B,1\n\"#A\",B,3\n").unwrap().names.unwrap(), ["A", "B", "#A"]);
}

#[test]
fn names_that_are_no_text_are_errors() {
    let stream = Stream::new(crate::source::from_bytes(b"a b 1\na \xff 1\n")).unwrap();
    let options = ReadOptions { names: true, ..ReadOptions::default() };
    let fault = read(stream, &options).unwrap_err();
    assert_eq!(
        fault.in_input("x").to_string(),
        "x: line 2, column 3: the name is not UTF-8 text; save the file as UTF-8"
    );
}

#[test]
fn what_is_written_reads_back() {
    assert_round_trips(|graph, to| LINES.write(graph, to), read_in_blocks);
}

#[test]
fn a_written_list_that_was_cut_is_an_error() {
    let text = "# kostra edge list: 3 vertices, 2 edges, vertices count from 0\n0 1 5\n";
    assert_eq!(
        error(text),
        "x: line 1, column 1: the first comment announces 2 edges, but the number of edges is 1"
    );
    let text = "# c\n# kostra edge list: 3 vertices, 2 edges, vertices count from 0\n";
    assert_eq!(
        error(text),
        "x: line 2, column 1: the first comment announces 2 edges, but the number of edges is 0"
    );
    let text = "# kostra edge list: 3 vertices, 1 edges, vertices count from 0\n0 3 5\n";
    assert_eq!(
        error(text),
        "x: edge 0 ends at vertex 3, but the graph has 3 vertices, numbered from 0"
    );
}

#[test]
fn nothing_but_comments_is_a_graph_without_edges() {
    assert_eq!(graph("# nothing\n"), (0, String::new()));
}

#[test]
fn a_line_with_more_columns_than_any_table_is_a_question() {
    let wide = format!("a,b{}\n1,2\n", ",".repeat(MOST_COLUMNS));
    let said = error(&wide);
    assert!(said.contains("more than 131072 columns") && said.contains("adjacency"), "{said}");
}
