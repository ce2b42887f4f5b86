use super::*;
use crate::testing::edges;
use crate::{ColumnChoice, Loaded, ReadOptions, read_bytes};

fn read(text: &str) -> Result<Loaded, String> {
    read_bytes("x", text.as_bytes(), &ReadOptions::default()).map_err(|error| error.to_string())
}

/// A document with the nodes 1 and 2, and with this edge on line 2.
fn with_edge(entries: &str) -> String {
    format!("graph [ node [ id 1 ] node [ id 2 ]\nedge [ {entries} ] ]")
}

#[test]
fn graphs_of_gephi_and_networkx_are_read() {
    let text = "Creator \"Gephi\"\n# c\nVersion 1\ngraph [\n  directed 1\n\
                node [ id 7 label \"A &amp; B\" graphics [ x 1 label \"no\" ] ]\n\
                node [ id 3 label \"\u{e9}\" ]\n\
                edge [ source 3 target 7 weight 1.5 label \"e\" ]\n\
                edge [ source 7 target 7 weight -2 id 4 ]\n]\n";
    for text in [text.to_owned(), format!("\u{feff}{text}"), text.replace('\n', "\r\n")] {
        let loaded = read(&text).unwrap();
        assert_eq!(loaded.format, Format::GML);
        assert_eq!(loaded.parsed.names.unwrap(), ["A & B", "\u{e9}"]);
        assert_eq!(edges(&loaded.parsed.graph), "1-0:1.5 0-0:-2.0");
        assert_eq!(loaded.parsed.notes, ["the graph is directed; directions are ignored"]);
    }
    let shared = "graph [ node [ id 1 label \"a\" ] node [ id 2 label \"a\" ] ]";
    let shared = read(shared).unwrap();
    assert_eq!(shared.parsed.names.unwrap(), ["1", "2"]);
    let note = "some nodes share a label or have none; the ids are the names";
    assert!(shared.parsed.notes.contains(&note.into()), "{:?}", shared.parsed.notes);
}

#[test]
fn the_weight_is_asked_for_unless_it_is_named() {
    let text = with_edge("source 1 target 2 value 3");
    let question = "x: which attribute is the weight? numbers are in 'value'; pass `weight` \
                    with one of these, or `missing_weights(MissingWeights::Unit)`";
    assert_eq!(read(&text).unwrap_err(), question);
    let mut options = ReadOptions::default();
    options.columns.weight = Some(ColumnChoice::NameOrPosition("value".into()));
    let loaded = read_bytes("x", text.as_bytes(), &options).unwrap();
    assert_eq!(edges(&loaded.parsed.graph), "0-1:3");
}

#[test]
fn malformed_files_get_one_sentence_with_place_and_remedy() {
    for (text, sentence) in [
        (with_edge("source 1"), "line 2, column 1: this list has no key 'target'; add it"),
        (with_edge("source 1 target 9"), "line 2, column 1: this edge ends at '9', but no node"),
        (with_edge("source 1 target 2 weight far"), "line 2, column 33: the weight is 'far'"),
        (with_edge("source 1 target 2 weight"), "column 33: the key 'weight' has no value; add it"),
        (with_edge("source 1 target 2 weight 1 weight 1"), "this edge has two weights"),
        (
            with_edge("source 1 target 2 target 1"),
            "line 2, column 33: 'target' occurs twice; remove",
        ),
        (
            "graph [ node [ id 1 label 2 label 3 ] ]".into(),
            "column 35: 'label' occurs twice; remove",
        ),
        (with_edge("\"source\" 1"), "line 2, column 8: a key is to start here; add it"),
        (with_edge("label \"a"), "line 2, column 14: this text has no closing quote; add it"),
        ("graph [ node [ id 1 ]".into(), "line 1, column 22: the file ends before its last `]`"),
        ("graph [ ] ]".into(), "line 1, column 11: this bracket closes no list; remove it"),
        ("graph [ ] graph [ ]".into(), "line 1, column 11: a second graph begins here"),
        ("graph [ node [ id 1 ] node [ id 1 ] ]".into(), "two nodes have the id '1'"),
    ] {
        let error = read(&text).unwrap_err();
        assert!(error.contains(sentence), "{text}\n{error}\n{sentence}");
    }
}

#[test]
fn numbers_that_are_only_drawn_at_edges_are_asked_about() {
    let text = "graph [ node [ id 1 ] node [ id 2 ]\n\
                edge [ source 1 target 2 LabelGraphics [ text \"4 km\" ] ] ]";
    let error = read(text).unwrap_err();
    assert!(error.contains("the weight is nested in the attribute 'LabelGraphics'"), "{error}");
    let error = read(&text.replace("target 2", "target 2 label \"4 km\"")).unwrap_err();
    assert!(error.contains("numbers are in 'label'"), "{error}");
    assert_eq!(edges(&read(&text.replace("4 km", "way")).unwrap().parsed.graph), "0-1:1");
}
