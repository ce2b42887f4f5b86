use kostra_core::AnyGraph;

use super::*;
use crate::testing::{listed_edges, written};
use crate::{ColumnChoice, Loaded, Outgoing, ReadOptions, read_bytes};

fn read_with(text: &str, options: &ReadOptions) -> Result<Loaded, String> {
    read_bytes("x", text.as_bytes(), options).map_err(|error| error.to_string())
}

fn read(text: &str) -> Result<Loaded, String> {
    read_with(text, &ReadOptions::default())
}

/// A document with the nodes `a` and `b`, and with these edges on line 2.
fn with_edges(edges: &str) -> String {
    format!("{{\"nodes\": [{{\"id\": \"a\"}}, {{\"id\": \"b\"}}], \"edges\": [\n{edges}]}}")
}

#[test]
fn files_of_networkx_and_d3_are_read() {
    let text = r#"{"directed": true, "multigraph": false, "graph": {"name": ["x", {}]},
        "nodes": [{"pos": [1, 2], "id": "A \"\u00e9"}, {"id": 7}],
        "links": [{"weight": 1.5, "source": 7, "target": "A \"é", "key": 0},
                  {"source": 7, "target": 7, "color": 3, "weight": -2}]}"#;
    for text in [text.to_owned(), format!("\u{feff}{text}")] {
        let loaded = read(&text).unwrap();
        assert_eq!(loaded.format, Format::NODE_LINK);
        assert_eq!(loaded.parsed.names.unwrap(), ["A \"é", "7"]);
        let edges = [(1, 0, "1.5".to_owned()), (1, 1, "-2".to_owned())];
        assert_eq!(listed_edges(&loaded.parsed.graph), edges);
        assert_eq!(loaded.parsed.notes, ["the graph is directed; directions are ignored"]);
    }
}

#[test]
fn a_member_that_occurs_twice_is_refused() {
    for (edge, name) in [
        (r#"{"source": "a", "target": "b", "weight": 3, "weight": 4}"#, "weight"),
        (r#"{"source": "a", "target": "b", "source": "b"}"#, "source"),
    ] {
        let said = read(&with_edges(edge)).unwrap_err();
        assert!(said.contains(&format!("'{name}' occurs twice; remove one")), "{said}");
    }
    let mut options = ReadOptions::default();
    options.columns.keep = vec![ColumnChoice::Name("x".into())];
    let edge = r#"{"source": "a", "target": "b", "x": 1, "x": 2}"#;
    let said = read_with(&with_edges(edge), &options).unwrap_err();
    assert!(said.contains("this edge has the attribute 'x' twice"), "{said}");
}

#[test]
fn values_end_where_their_brackets_close() {
    // Many times longer than what is read at once, with brackets and quotes inside strings.
    let id = |node: usize| format!("\"n{node} \\\"]}}{{[\\\\\"");
    let count = 20_000;
    let nodes: Vec<_> =
        (0..count).map(|node| format!("{{\"id\":{},\"x\":[1,{{}}]}}", id(node))).collect();
    let edge = |at: usize| {
        format!("{{\r\n\"source\" : {}, \"target\": {}, \"weight\":{at}}}", id(at), id(at + 1))
    };
    let mut edges: Vec<_> = (0..count - 1).map(edge).collect();
    let text = |edges: &[String]| {
        let (nodes, edges) = (nodes.join(","), edges.join(" ,\n"));
        format!("{{\"graph\":{{\"[\":[[]]}},\"nodes\":[{nodes}],\"edges\":[\n{edges}\n] }} \n")
    };
    let loaded = read(&text(&edges)).unwrap();
    let expected = (0..count as u32 - 1).map(|at| (at, at + 1, at.to_string()));
    assert!(listed_edges(&loaded.parsed.graph).into_iter().eq(expected));
    assert_eq!(loaded.parsed.names.unwrap()[7], "n7 \"]}{[\\");
    edges.push("{\"source\": 1}".into());
    let place = format!("x: line {}, column 1: this edge has no member 'target'", 2 * count);
    let error = read(&text(&edges)).unwrap_err();
    assert!(error.starts_with(&place), "{error}");
}

#[test]
fn names_weights_and_edge_ids_are_written_and_read_back() {
    let graph = AnyGraph::from_edges(3, vec![2, 0], vec![0, 1], vec![0.1, -1e300]).unwrap();
    let names = ["a\"b\\".to_owned(), "tab\tline\n\u{1}".into(), "é".into()];
    let outgoing =
        Outgoing { names: Some(&names), edge_ids: Some(&[7, 9]), ..Outgoing::from(&graph) };
    let text = String::from_utf8(written(write::writer, outgoing).unwrap()).unwrap();
    assert!(text.contains(", \"edge\": 9, \"weight\": "), "{text}");
    let loaded = read(&text).unwrap();
    assert_eq!(loaded.parsed.names.as_deref(), Some(&names[..]));
    assert_eq!(listed_edges(&loaded.parsed.graph), listed_edges(&graph));
}

#[test]
fn an_infinite_weight_is_refused() {
    let graph = AnyGraph::from_edges(2, vec![0, 0], vec![1, 1], vec![1.0, f64::INFINITY]).unwrap();
    let sentence = "edge 1 has an infinite weight, which JSON cannot hold; write kst";
    assert_eq!(written(write::writer, Outgoing::from(&graph)).unwrap_err(), sentence);
}

#[test]
fn the_weight_is_asked_for_unless_it_is_named() {
    let text = with_edges(r#"{"source": "a", "target": "b", "value": 3}"#);
    let question = "x: which attribute is the weight? numbers are in 'value'; pass `weight` \
                    with one of these, or `missing_weights(MissingWeights::Unit)`";
    assert_eq!(read(&text).unwrap_err(), question);
    let mut options = ReadOptions::default();
    options.columns.weight = Some(ColumnChoice::NameOrPosition("value".into()));
    let loaded = read_with(&text, &options).unwrap();
    assert_eq!(listed_edges(&loaded.parsed.graph), [(0, 1, "3".to_owned())]);
}

#[test]
fn malformed_files_get_one_sentence_with_place_and_remedy() {
    let cases = [
        (with_edges(r#" {"target": "b"}"#), "line 2, column 2: this edge has no member 'source'"),
        (
            with_edges(r#"{"source": "a", "target": [1]}"#),
            "line 2, column 1: 'target' is [1]; write a text or an integer",
        ),
        (
            with_edges(r#"{"source": "a", "target": "c"}"#),
            "line 2, column 1: this edge ends at 'c', but no node has this id; add the node",
        ),
        (
            with_edges(r#"{"source": "a", "target": "b", "weight": "far"}"#),
            "line 2, column 1: the weight is 'far', which is not a number",
        ),
        (
            with_edges(r#"{"source": "a", "target": "b", "weight": NaN}"#),
            "line 2, column 42: JSON has no NaN and no infinity; write a number, or null if",
        ),
        (
            with_edges("{\"source\": \"a\", \"target\": \"b\",\n\"weight\": -Infinity}"),
            "JSON has no NaN and no infinity; write a number, or null if",
        ),
        (
            with_edges(r#"{"source": "a", "target": "b", "weight": null}"#),
            "line 2, column 1: the weight is missing; add it, or pass `nan(Nan::Skip)`",
        ),
        (with_edges("5"), "line 2, column 1: this is not node-link JSON: invalid type"),
        (with_edges("{"), "line 2, column 2: this is not node-link JSON: "),
        (r#"{"nodes": ["#.into(), "this is not node-link JSON: EOF while parsing a value"),
        (r#"{"nodes": [{"id": 1},]"#.into(), "line 1, column 22: this is not node-link JSON: "),
        (r#"{"nodes": [{"id": 1} 2"#.into(), "line 1, column 22: this is not node-link JSON: "),
        (r#"{"nodes": [], "edges": []} 5"#.into(), "column 28: this is not node-link JSON: trail"),
        (r#"{"nodes" []}"#.into(), "column 10: this is not node-link JSON: expected `:`; correct"),
        (r#"{"nodes": []}"#.into(), "the object has no list 'edges' or 'links'; add it"),
        (r#"{"links": []}"#.into(), "the object has no list 'nodes'; add it"),
        (r#"{"links": [], "edges": []}"#.into(), "'edges' is the second list of its kind"),
        (
            r#"{"nodes": [{"id": 1}, {"id": "1"}]}"#.into(),
            "line 1, column 23: two nodes have the id '1'; give each node its own",
        ),
    ];
    for (text, sentence) in cases {
        let error = read(&text).unwrap_err();
        assert!(error.contains(sentence), "{text}\n{error}\n{sentence}");
    }
}
