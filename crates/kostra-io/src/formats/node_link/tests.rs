use kostra_core::AnyGraph;

use super::*;
use crate::testing::{edges, listed_edges, written};
use crate::{ArrayContent, ColumnChoice, Links, Loaded, Outgoing, ReadOptions, read_bytes};

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

/// Dialects, with the edges and the names of vertices of a text.
const DIALECTS: &[(&str, &str, &str)] = &[
    (
        "D3 version 3, links by position",
        r#"{"nodes": [{"name": "b"}, {"name": "a"}],
                "links": [{"source": 0, "target": 1, "weight": 3}]}"#,
        "0-1:3 b,a",
    ),
    (
        "D3, nodes without ids or names",
        r#"{"nodes": [{}, {"x": 1}, {}], "links": [{"source": 2, "target": 1, "weight": 3}]}"#,
        "2-1:3 ",
    ),
    (
        "D3, links by name",
        r#"{"nodes": [{"name": "b"}, {"name": "a"}],
                "links": [{"source": "a", "target": "b", "weight": 3}]}"#,
        "1-0:3 b,a",
    ),
    (
        "D3 version 3, two nodes of one name, links first",
        r#"{"links": [{"source": 2, "target": 1, "weight": 3}],
                "nodes": [{"name": "a"}, {"name": "a"}, {"name": "b"}]}"#,
        "2-1:3 ",
    ),
    (
        "NetworkX version 1, links by position",
        r#"{"nodes": [{"id": "x"}, {"id": "y"}, {"id": "z"}], "graph": [], "multigraph": false,
                "links": [{"source": 2, "target": 0, "weight": 1.5}]}"#,
        "2-0:1.5 x,y,z",
    ),
    (
        "Cytoscape.js",
        r#"{"elements": {"nodes": [{"data": {"id": "a"}, "selected": false},
                {"data": {"id": "b"}}], "edges": [{"data": {"id": "e", "source": "b", "target": "a",
                "weight": 3}}]}}"#,
        "1-0:3 a,b",
    ),
    (
        "Cytoscape.js, one list",
        r#"{"elements": [{"group": "edges", "data": {"source": "b", "target": "a", "weight": 3}},
                {"group": "nodes", "data": {"id": "a"}}, {"data": {"id": "b"}}]}"#,
        "0-1:3 b,a",
    ),
    (
        "Cytoscape.js, an array",
        r#"[{"data": {"id": "a"}}, {"data": {"id": "b"}},
                {"data": {"source": "b", "target": "a", "weight": 3}}]"#,
        "1-0:3 a,b",
    ),
    (
        "graphology",
        r#"{"options": {"type": "undirected"}, "attributes": {}, "nodes": [{"key": "7",
                "attributes": {"x": 1}}, {"key": "8"}], "edges": [{"key": "e0", "source": "8",
                "target": "7", "attributes": {"weight": 3}, "undirected": true}]}"#,
        "1-0:3 7,8",
    ),
    (
        "vis.js",
        r#"{"nodes": [{"id": 1, "label": "A"}, {"id": 2}], "edges": [{"from": 1, "to": 2,
                "weight": 3}]}"#,
        "0-1:3 1,2",
    ),
    (
        "JGF, version 2",
        r#"{"graph": {"directed": false, "nodes": {"a": {"label": "A"}, "b": {}}, "edges":
                [{"source": "b", "target": "a", "relation": "r", "metadata": {"weight": 3}}]}}"#,
        "1-0:3 a,b",
    ),
    (
        "JGF, version 1",
        r#"{"graphs": [{"nodes": [{"id": "a"}, {"id": "b"}], "edges":
                [{"source": "b", "target": "a", "metadata": {"weight": 3}}]}]}"#,
        "1-0:3 a,b",
    ),
    (
        "adjacency data",
        r#"{"directed": false, "multigraph": false, "graph": [], "nodes": [{"id": "a"},
                {"id": "b"}, {"id": "c"}], "adjacency": [[{"weight": 3, "id": "b"}],
                [{"weight": 3, "id": "a"}, {"weight": 4, "id": "c"}, {"weight": 5, "id": "b"}],
                [{"weight": 4, "id": "b"}]]}"#,
        "0-1:3 1-2:4 1-1:5 a,b,c",
    ),
    ("rows", r#"[["b", "a", 3], ["a", "c", 4]]"#, "0-1:3 1-2:4 b,a,c"),
    ("rows of numbers", "[[0, 1, 3],\n[1, 2, 4]]", "0-1:3 1-2:4 "),
    ("objects", r#"[{"from": "b", "to": "a", "weight": 3}]"#, "0-1:3 b,a"),
    (
        "matrix",
        "[[0, 1, 2, 7], [1, 0, 3, null], [2, 3, 0, 4], [7, null, 4, 0]]",
        "0-1:1 0-2:2 0-3:7 1-2:3 2-3:4 ",
    ),
];

#[test]
fn every_dialect_is_read() {
    for (dialect, text, expected) in DIALECTS {
        let loaded = read(text).unwrap_or_else(|said| panic!("{dialect}: {said}")).parsed;
        let names = loaded.names.unwrap_or_default().join(",");
        assert_eq!(format!("{} {names}", edges(&loaded.graph)), *expected, "{dialect}");
    }
}

#[test]
fn ends_that_are_ids_and_positions_are_a_question() {
    let text = r#"{"nodes": [{"id": 2}, {"id": 0}, {"id": 1}], "links":
        [{"source": 0, "target": 1, "weight": 5}, {"source": 1, "target": 2, "weight": 6}]}"#;
    let question = "x: do the edges name their nodes by id, or by position, counted from 0? pass \
                    `links: Some(Links::Id)` or `links: Some(Links::Position)`";
    assert_eq!(read(text).map(drop).unwrap_err(), question);
    for (links, expected) in [(Links::Id, "1-2:5 2-0:6"), (Links::Position, "0-1:5 1-2:6")] {
        let options = ReadOptions { links: Some(links), ..ReadOptions::default() };
        let parsed = read_with(text, &options).unwrap().parsed;
        assert_eq!(
            (&*edges(&parsed.graph), parsed.names.unwrap().join(",")),
            (expected, "2,0,1".into())
        );
    }
    // One way only is possible, or both are the same.
    for (nodes, ends, expected) in [
        ("{\"id\": 1}, {\"id\": 2}", "1, \"target\": 2", "0-1:1"),
        ("{\"id\": 0}, {\"id\": 1}", "0, \"target\": 1", "0-1:1"),
        ("{\"id\": 30}, {\"id\": 20}", "0, \"target\": 1", "0-1:1"),
    ] {
        let edge = format!("{{\"source\": {ends}, \"weight\": 1}}");
        let text = format!("{{\"nodes\": [{nodes}], \"links\": [{edge}]}}");
        assert_eq!(edges(&read(&text).unwrap().parsed.graph), expected, "{text}");
    }
    let three = "[[0, 1, 5], [1, 0, 2], [5, 2, 0]]";
    assert!(read(three).map(drop).unwrap_err().contains("a matrix of weights or a list of edges?"));
    let options = ReadOptions { array: Some(ArrayContent::Matrix), ..ReadOptions::default() };
    let parsed = read_with(three, &options).unwrap().parsed;
    assert_eq!(edges(&parsed.graph), "0-1:1 0-2:5 1-2:2");
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
        (
            r#"{"directed": false, "nodes": [{"id": 1}, {"id": 2}], "adjacency": [[{"id": 2}], []]}"#
                .into(),
            "1 edges lead to later nodes and 0 to earlier ones",
        ),
        (r#"[{"x": 1, "source": 2, "target": 3}, 5]"#.into(), "this is not node-link JSON: "),
        ("[[1, 2, 3], [4]]".into(), "each row should have two ends and perhaps a weight"),
        (r#"{"graphs": [{"nodes": []}, {}]}"#.into(), "a second graph begins here; save one per file"),
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
