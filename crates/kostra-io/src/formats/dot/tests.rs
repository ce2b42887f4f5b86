use kostra_core::AnyGraph;

use super::*;
use crate::testing::{edges, written};
use crate::{ColumnChoice, Loaded, Outgoing, ReadOptions, read_bytes};

fn read_with(text: &str, weight: Option<&str>) -> Result<Loaded, String> {
    let mut options = ReadOptions::default();
    options.columns.weight = weight.map(|name| ColumnChoice::NameOrPosition(name.into()));
    read_bytes("x", text.as_bytes(), &options).map_err(|error| error.to_string())
}

fn read(text: &str) -> Result<Loaded, String> {
    read_with(text, None)
}

#[test]
fn graphs_of_graphviz_are_read() {
    let text = "/* roads */ strict graph \"G\" {\n# a line of the preprocessor\n\
                node [shape=box]; rankdir = LR\n\
                a -- \"b \\\"c\\\"\" -- d [weight=2.5, color=red];\n\
                subgraph cluster_0 { e; a:n -- e:s [weight=3] } // end\n\
                <f<i>g</i>> -- a [\"weight\"=\"-4\" penwidth=2]\n}\n";
    for text in [text.to_owned(), format!("\u{feff}{text}")] {
        let loaded = read(&text).unwrap();
        assert_eq!(loaded.format, Format::DOT);
        assert_eq!(loaded.parsed.names.unwrap(), ["a", "b \"c\"", "d", "e", "<f<i>g</i>>"]);
        assert_eq!(edges(&loaded.parsed.graph), "0-1:2.5 1-2:2.5 0-3:3.0 4-0:-4.0");
        assert_eq!(loaded.parsed.notes, [""; 0]);
    }
    let directed = read("digraph { 0 -> 1; 1->0 }").unwrap();
    assert_eq!(
        (edges(&directed.parsed.graph), directed.parsed.names),
        ("0-1:1 1-0:1".into(), None)
    );
    assert!(
        directed.parsed.notes.contains(&"the graph is directed; directions are ignored".into())
    );
}

#[test]
fn parallel_edges_of_strict_graphs_have_one_weight() {
    let note = "the graph is strict; parallel edges of equal weights are kept".into();
    let equal = read("strict graph { a -- b [weight=2]; b -- a [weight=2] }").unwrap();
    assert_eq!((equal.parsed.graph.edges(), equal.parsed.notes.contains(&note)), (2, true));
    for text in [
        "strict graph { a -- b [weight=2]; c -- d [weight=1]; b -- a [weight=3] }",
        "strict digraph { a -> b [weight=2]; a -> b [weight=3] }",
    ] {
        assert_eq!(
            read(text).unwrap_err(),
            "x: the graph is strict, but it has edges of different weights between 'a' and 'b'; \
             remove `strict` to keep all edges, or keep one of them"
        );
    }
    let directed = read("strict digraph { a -> b [weight=2]; b -> a [weight=3] }").unwrap();
    assert_eq!(directed.parsed.graph.edges(), 2);
    assert!(read("graph { a -- b [weight=2]; b -- a [weight=3] }").is_ok());
}

#[test]
fn a_plus_joins_texts_in_quotes() {
    let loaded =
        read("graph { \"ab\" + /* more */ \"cd\"\n+ \"\" -- e [weight=\"1\" + \"2\"] }").unwrap();
    assert_eq!(loaded.parsed.names.unwrap(), ["abcd", "e"]);
    assert_eq!(edges(&loaded.parsed.graph), "0-1:12");
    assert_eq!(
        read("graph { \"ab\" + cd -- e }").unwrap_err(),
        "x: line 1, column 14: `+` joins texts in quotes; put the text after it in quotes"
    );
}

#[test]
fn a_weight_in_doubt_is_a_question() {
    let both = "graph { a -- b [weight=2, label=\"7\"] }";
    assert_eq!(
        read(both).unwrap_err(),
        "x: line 1, column 24: is the weight the attribute 'weight' or the label, which is 7? pass \
         `weight(\"weight\")` or `weight(\"label\")`"
    );
    assert_eq!(edges(&read_with(both, Some("label")).unwrap().parsed.graph), "0-1:7");
    assert_eq!(edges(&read_with(both, Some("weight")).unwrap().parsed.graph), "0-1:2");
    assert_eq!(edges(&read("graph { a -- b [weight=2, label=2] }").unwrap().parsed.graph), "0-1:2");
    assert_eq!(
        read("graph { a -- b [label=7, fontsize=9] }").unwrap_err(),
        "x: which attribute is the weight? numbers are in 'label'; pass `weight` with one of \
         these, or `missing_weights(MissingWeights::Unit)`"
    );
}

#[test]
fn names_weights_and_edge_ids_are_written_and_read_back() {
    let graph = AnyGraph::from_edges(3, vec![2, 0], vec![0, 1], vec![0.1, -1e300]).unwrap();
    let names = ["a\"b".to_owned(), "\\n two\nlines".into(), "é".into()];
    let outgoing =
        Outgoing { names: Some(&names), edge_ids: Some(&[7, 9]), ..Outgoing::from(&graph) };
    let text = String::from_utf8(written(write::writer, outgoing).unwrap()).unwrap();
    assert!(text.contains(" [edge=9, weight="), "{text}");
    let loaded = read(&text).unwrap();
    assert_eq!(loaded.parsed.names.as_deref(), Some(&names[..]));
    assert_eq!(edges(&loaded.parsed.graph), edges(&graph));
    for name in ["a\\", "\\\"", "\\\n"] {
        let names = [name.to_owned(), "b".into(), "c".into()];
        let outgoing = Outgoing { names: Some(&names), ..Outgoing::from(&graph) };
        assert!(written(write::writer, outgoing).unwrap_err().contains("rename the vertex"));
    }
}

#[test]
fn malformed_files_get_one_sentence_with_place_and_remedy() {
    for (text, sentence) in [
        ("graph { a -- b", "line 1, column 15: the file ends before its `}`; it is cut short"),
        ("graph {\n a -- }", "line 2, column 7: this edge has no second node; add it"),
        ("graph { a -- {b c} }", "line 1, column 14: this edge ends at a subgraph"),
        ("graph { {b c} -- a }", "line 1, column 15: this edge ends at a subgraph"),
        ("graph { subgraph s -- a }", "line 1, column 20: this edge ends at a subgraph"),
        ("graph { a -- \"b }", "line 1, column 14: this text has no closing quote; add it"),
        ("graph { a -- <b }", "line 1, column 14: this text has no closing bracket; add `>`"),
        ("graph { /* a", "line 1, column 9: this comment has no end; add `*/`"),
        ("graph { a [=3] }", "line 1, column 12: an attribute is to start here; add it"),
        ("graph { a -- b [weight=far] }", "column 24: the weight is 'far', which is not a number"),
        ("graph { edge [weight=2]; a -- b }", "column 9: a default weight of edges is not read"),
        ("graph { a -- b [weight=1,weight=2] }", "column 33: this edge has two weights"),
        ("graph { a -- b [weight=1] b -- c }", "column 27: this edge has no weight"),
        ("graph { a } graph { b }", "column 13: a second graph begins here; save one per file"),
        ("graph { a$ }", "column 10: '$' is no part of DOT; put the name in quotes"),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.contains(sentence), "{text}\n{error}\n{sentence}");
    }
}
