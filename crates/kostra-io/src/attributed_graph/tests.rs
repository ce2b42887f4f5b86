use crate::testing::edges;
use crate::{ColumnChoice, Parsed, ReadOptions, read_bytes};

fn read(text: &str, weight: Option<&str>) -> Result<Parsed, String> {
    let mut options = ReadOptions::default();
    options.columns.weight = weight.map(|name| ColumnChoice::Name(name.into()));
    let loaded = read_bytes("x", text.as_bytes(), &options);
    loaded.map(|loaded| loaded.parsed).map_err(|error| error.to_string())
}

/// An edge of yEd, whose label is an element inside the graphics.
fn yed(labels: &str) -> String {
    format!(
        "<graphml xmlns:y=\"x\"><key id=\"d6\" for=\"node\"/><key id=\"d10\" for=\"edge\" \
         yfiles.type=\"edgegraphics\"/><graph><node id=\"n0\"/><node id=\"n1\"/>\
         <edge source=\"n0\" target=\"n1\"><data key=\"d10\">\n<y:PolyLineEdge>{labels}\
         </y:PolyLineEdge></data></edge></graph></graphml>"
    )
}

#[test]
fn a_weight_in_another_place_is_asked_for_and_taken_on_request() {
    let label = "<y:EdgeLabel>12<y:LabelModel>0</y:LabelModel></y:EdgeLabel>";
    let own = "<graphml><graph><node id=\"a\"/><node id=\"b\"/>\
               <edge id=\"e\" source=\"a\" target=\"b\" directed=\"false\" km=\"12\"/>\
               </graph></graphml>";
    for (text, name) in [
        (&*yed(label), "label"),
        (own, "km"),
        ("graph { a -- b [label=\"12 km\"] }", "label"),
        ("graph { a -- b [label=<<b>12</b>&nbsp;km>] }", "label"),
        (
            "graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 label \"12 km\" ] ]",
            "label",
        ),
        (
            r#"{"nodes": [{"id": 0}, {"id": 1}], "edges": [{"source": 0, "target": 1, "w": "12"}]}"#,
            "w",
        ),
    ] {
        let said = read(text, None).map_or_else(|said| said, |parsed| edges(&parsed.graph));
        let question = format!("which attribute is the weight? numbers are in '{name}'");
        assert!(said.contains(&question), "{text}: {said}");
        let parsed = read(text, Some(name)).unwrap();
        assert_eq!(edges(&parsed.graph), "0-1:12", "{text}");
        let unit = "the unit of the weights is 'km'";
        let has_unit = parsed.notes.iter().any(|note| *note == unit);
        assert_eq!(has_unit, text.contains("km") && name != "km", "{text}");
    }
    let own = own.replace("km=", "weight=");
    assert_eq!(edges(&read(&own, None).unwrap().graph), "0-1:12", "called weight");
}

#[test]
fn weights_have_one_unit() {
    for (labels, fault) in [
        (
            ["12 km", "500 m"],
            "the weight has the unit 'm', but weights before it have the unit 'km'",
        ),
        (["12 km", "7"], "the weight has no unit, but weights before it have the unit 'km'"),
        (["12", "7 km"], "the weight has the unit 'km', but weights before it have no unit"),
        (["12 km", "far"], "the weight is 'far', which is not a number"),
    ] {
        let [first, second] = labels;
        let text = format!("graph {{ a -- b [label=\"{first}\"]; b -- c [label=\"{second}\"] }}");
        let said = read(&text, Some("label")).map(|parsed| edges(&parsed.graph)).unwrap_err();
        assert!(said.contains(fault), "{said}");
    }
    let two = "<y:EdgeLabel>1</y:EdgeLabel><y:EdgeLabel>2</y:EdgeLabel>";
    let said = read(&yed(two), Some("label")).map(|parsed| edges(&parsed.graph)).unwrap_err();
    assert!(said.contains("this edge has two weights"), "{said}");
    let said = read("graph { a -- b [weight=1, label=\"12 km\"] }", None);
    let said = said.map(|parsed| edges(&parsed.graph)).unwrap_err();
    assert!(said.contains("is the weight the attribute 'weight' or the label"), "{said}");
}

#[test]
fn other_attributes_of_edges_without_weights_are_a_warning() {
    let text = "graph { a -- b [kind=road, label=\"A 12\"]; b -- c [kind=rail] }";
    let warning = "each edge weighs 1, but edges have the attributes 'kind', 'label'; pass `weight` \
                   with one of these if it is the weight, or `missing_weights(MissingWeights::Unit)`";
    let parsed = read(text, None).unwrap();
    assert_eq!(parsed.warnings, [warning]);
    assert!(parsed.notes.contains(&parsed.warnings[0]));
    for text in ["graph { a -- b [color=red] }", "graph { a -- b }"] {
        assert!(read(text, None).unwrap().warnings.is_empty(), "{text}");
    }
}
