use kostra_core::AnyGraph;

use super::*;
use crate::testing::{listed_edges, written};
use crate::{ColumnChoice, Loaded, MissingWeights, Outgoing, ReadOptions, read_bytes};

fn read_with(text: &str, options: &ReadOptions) -> Result<Loaded, String> {
    read_bytes("x", text.as_bytes(), options).map_err(|error| error.to_string())
}

fn read(text: &str) -> Result<Loaded, String> {
    read_with(text, &ReadOptions::default())
}

/// A document with a key `w` for the attribute `length`, which is a number.
fn with_length(graph: &str) -> String {
    format!(
        "<graphml><key id='w' for='edge' attr.name='length' attr.type='double'/>\n\
         <graph edgedefault='undirected'>{graph}</graph></graphml>"
    )
}

/// A document with a key `w` for the weight.
fn with_weight(graph: &str) -> String {
    with_length(graph).replace("length", "weight")
}

const TWO_NODES: &str = "<node id='a'/><node id='b'/>";

#[test]
fn a_file_of_networkx_is_read() {
    let text = "<?xml version='1.0' encoding='utf-8'?>\n\
        <graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n\
        <key id=\"d1\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\" />\n\
        <key id=\"d0\" for=\"node\" attr.name=\"pos\" attr.type=\"string\" />\n\
        <graph edgedefault=\"directed\"><node id=\"A &amp; B\"><data key=\"d0\">1,2</data></node>\n\
        <node id=\"é\" /><edge source=\"é\" target=\"A &amp; B\"><data key=\"d1\">1.5</data></edge>\n\
        <edge source=\"é\" target=\"é\"><data key=\"d1\"> 2&#46;5 </data></edge></graph></graphml>";
    let loaded = read(text).unwrap();
    assert_eq!(loaded.format, Format::GRAPHML);
    assert_eq!(loaded.parsed.names.unwrap(), ["A & B", "é"]);
    let edges = [(1, 0, "1.5".to_owned()), (1, 1, "2.5".to_owned())];
    assert_eq!(listed_edges(&loaded.parsed.graph), edges);
    assert_eq!(loaded.parsed.notes, ["the graph is directed; directions are ignored"]);
}

#[test]
fn names_weights_and_edge_ids_are_written_and_read_back() {
    let graph = AnyGraph::from_edges(3, vec![2, 0], vec![0, 1], vec![0.1, -1e300]).unwrap();
    let names = ["a<b>&\"c'".to_owned(), "tab\tline\nreturn\r".into(), " é ".into()];
    let outgoing =
        Outgoing { names: Some(&names), edge_ids: Some(&[7, 9]), ..Outgoing::from(&graph) };
    let text = String::from_utf8(written(write::writer, outgoing).unwrap()).unwrap();
    assert!(text.contains("<data key=\"edge\">9</data><data key=\"weight\">"), "{text}");
    let loaded = read(&text).unwrap();
    assert_eq!(loaded.parsed.names.as_deref(), Some(&names[..]));
    assert_eq!(listed_edges(&loaded.parsed.graph), listed_edges(&graph));
    assert!(loaded.parsed.notes.is_empty());
}

#[test]
fn a_name_that_xml_cannot_hold_is_refused() {
    let graph = AnyGraph::from_edges(1, vec![], vec![], Vec::<i32>::new()).unwrap();
    let names = ["bell \x07".to_owned()];
    let outgoing = Outgoing { names: Some(&names), ..Outgoing::from(&graph) };
    let sentence = "the name of vertex 0 has the character U+0007, which GraphML cannot hold; \
                    rename the vertex, or write kst";
    assert_eq!(written(write::writer, outgoing).unwrap_err(), sentence);
}

#[test]
fn numbers_in_order_are_no_names() {
    let nodes = |ids: [&str; 2]| {
        let [a, b] = ids;
        with_weight(&format!("<node id='{a}'/><node id='{b}'/>"))
    };
    assert_eq!(read(&nodes(["0", "1"])).unwrap().parsed.names, None);
    for ids in [["1", "0"], ["0", "01"], ["n0", "n1"]] {
        assert_eq!(read(&nodes(ids)).unwrap().parsed.names.unwrap(), ids);
    }
}

#[test]
fn the_default_of_a_key_is_the_weight_of_edges_without_one() {
    let text = "<graphml><key id='w' for='edge' attr.name='Weight' attr.type='int'>\
        <default>4</default></key><graph><edge source='a' target='b'/>\
        <edge source='a' target='b'><data key='w'>3</data></edge>\
        <node id='b'/><node id='a'/></graph></graphml>";
    let loaded = read(text).unwrap();
    assert_eq!(
        listed_edges(&loaded.parsed.graph),
        [(0, 1, "4".to_owned()), (0, 1, "3".to_owned())]
    );
    assert_eq!(loaded.parsed.names.unwrap(), ["a", "b"]);
}

/// A document with two keys, `v` and `w`, and two edges: the attribute `v` of the first is 1, and
/// the attribute `w` of the second 2.5.
fn with_keys(v: &str, w: &str) -> String {
    let edge = |key: &str, weight: &str| {
        format!("<edge source='a' target='b'><data key='{key}'>{weight}</data></edge>")
    };
    let edges = edge("v", "1") + &edge("w", "2.5");
    format!(
        "<graphml><key id='v' for='edge' {v}</key>\n<key id='w' for='edge' {w}</key>\n\
         <graph>{TWO_NODES}{edges}</graph></graphml>"
    )
}

#[test]
fn a_weight_can_have_a_key_for_each_type_of_numbers() {
    let key = |name: &str, kind: &str| format!("attr.name='{name}' attr.type='{kind}'>");
    for kind in ["long", "int", "float"] {
        let text = with_keys(&key("weight", kind), &key("weight", "double"));
        let edges = [(0, 1, "1".to_owned()), (0, 1, "2.5".to_owned())];
        let loaded = read(&text).unwrap();
        assert_eq!(listed_edges(&loaded.parsed.graph), edges);
        assert_eq!(loaded.parsed.graph.weight_type(), kostra_core::WeightType::F64);
    }
    let second = "x: line 2, column 1: this is the second <key> for the weight; remove one of \
                  them, unless both have the same attr.name and types of numbers";
    for [v, w] in [
        [key("weight", "double"), key("weight", "string")],
        [key("weight", "string"), key("weight", "double")],
        [key("weight", "long"), key("Weight", "double")],
    ] {
        assert_eq!(read(&with_keys(&v, &w)).unwrap_err(), second);
    }
    let default = |kind: &str| key("weight", kind) + "<default>4</default>";
    let twice = read(&with_keys(&default("long"), &default("double"))).unwrap_err();
    assert!(twice.contains("this is the second default of the weight"), "{twice}");
}

#[test]
fn the_weight_is_asked_for_unless_it_is_named() {
    let edge = "<edge source='a' target='b'><data key='w'>3</data></edge>";
    let text = with_length(&format!("{TWO_NODES}{edge}"));
    let question = "x: which attribute is the weight? numbers are in 'length'; pass `weight` \
                    with one of these, or `missing_weights(MissingWeights::Unit)`";
    assert_eq!(read(&text).unwrap_err(), question);
    let mut options = ReadOptions::default();
    options.columns.weight = Some(ColumnChoice::NameOrPosition("length".into()));
    let loaded = read_with(&text, &options).unwrap();
    assert_eq!(listed_edges(&loaded.parsed.graph), [(0, 1, "3".to_owned())]);
    options.columns.weight = Some(ColumnChoice::Name("cost".into()));
    let absent = "x: `weight(\"cost\")`: no edge has this attribute; numbers are in 'length'";
    assert_eq!(read_with(&text, &options).unwrap_err(), absent);
    options.columns.weight = None;
    options.missing_weights = Some(MissingWeights::Unit);
    let loaded = read_with(&text, &options).unwrap();
    assert_eq!(listed_edges(&loaded.parsed.graph), [(0, 1, "1".to_owned())]);
}

#[test]
fn malformed_files_get_one_sentence_with_place_and_remedy() {
    let edge = |data: &str| {
        with_weight(&format!("{TWO_NODES}\n <edge source='a' target='b'>{data}</edge>"))
    };
    let whole = with_weight(TWO_NODES);
    let cut = whole.trim_end_matches("</graphml>");
    let cases = [
        (
            edge("<data key='w'>x</data>"),
            "line 3, column 30: the weight is 'x', which is not a number",
        ),
        (edge("<data key='v'>1</data>"), "line 3, column 30: no <key> for edges has the id 'v'"),
        (edge("<data>1</data>"), "line 3, column 30: this <data> has no attribute 'key'; add it"),
        (edge("<data key='w'>NaN</data>"), "line 3, column 30: the weight is NaN; fix it"),
        (edge("<data key='w'>&x;</data>"), "line 3, column 44: the entity '&x;' is unknown"),
        (edge("</node>"), "line 3, column 30: this is not XML: "),
        (
            with_weight("<node id='a' id='b'/>"),
            "line 2, column 33: this <node> has two attributes 'id'; remove one",
        ),
        (
            with_weight("<node id='a'/><node id='a'/>"),
            "line 2, column 47: two nodes have the id 'a'; give each node its own",
        ),
        (
            with_weight("<node id='a'/><edge source='a' target='c'/>"),
            "line 2, column 47: this edge ends at 'c', but no node has this id; add the node",
        ),
        (cut.to_owned(), "the file ends before </graphml>; it is cut short"),
        (with_weight("<hyperedge/>"), "a hyperedge may join more than two nodes"),
        (with_weight("<graph/>"), "this graph is nested in another one"),
        ("<kml/><!--<graphml-->".into(), "line 1, column 1: a GraphML file is one element"),
        (
            format!("<?xml version='1.0' encoding='latin1'?>{whole}"),
            "line 1, column 1: the encoding is latin1; save the file as UTF-8",
        ),
        (
            with_weight(&format!(
                "{TWO_NODES}<edge source='a' target='b'/>\
                 <edge source='a' target='b'><data key='w'>1</data></edge>"
            )),
            "this edge has a weight, but edges before it have none; give every edge a weight",
        ),
    ];
    for (text, sentence) in cases {
        let error = read(&text).unwrap_err();
        assert!(error.contains(sentence), "{text}\n{error}\n{sentence}");
    }
}

#[test]
fn nodes_of_groups_are_vertices_and_so_are_the_groups() {
    let text = "<graphml><graph edgedefault=\"undirected\"><node id=\"g\" \
                yfiles.foldertype=\"group\"><data key=\"d\"/><graph id=\"g:\"><node id=\"g::a\"/>\
                <node id=\"g::b\"/><edge source=\"g::a\" target=\"g::b\"/></graph></node>\
                <node id=\"c\"/><edge source=\"c\" target=\"g::a\"/></graph></graphml>";
    let parsed = read(text).unwrap().parsed;
    assert_eq!(crate::testing::edges(&parsed.graph), "1-2:1 3-1:1");
    assert_eq!(parsed.names.unwrap(), ["g", "g::a", "g::b", "c"]);
    let note = "1 group is a vertex, like the nodes inside";
    assert!(parsed.notes.contains(&note.into()), "{:?}", parsed.notes);
}
