use super::*;
use crate::testing::edges;
use crate::{ColumnChoice, ColumnOptions, Loaded, MissingWeights, ReadOptions, read_bytes};

fn read_with(text: &str, options: &ReadOptions) -> Result<Loaded, String> {
    read_bytes("x", text.as_bytes(), options).map_err(|error| error.to_string())
}

fn read(text: &str) -> Result<Loaded, String> {
    read_with(text, &ReadOptions::default())
}

fn feature(coordinates: &str, properties: &str) -> String {
    format!(
        "{{\"type\": \"Feature\", \"properties\": {properties}, \"geometry\": {{\"type\": \
         \"LineString\", \"coordinates\": {coordinates}}}}}"
    )
}

fn collection(features: &[String]) -> String {
    let features = features.join(", ");
    format!("{{\"type\": \"FeatureCollection\", \"features\": [{features}]}}")
}

#[test]
fn each_segment_of_a_line_is_an_edge_of_its_length() {
    let point = "{\"type\": \"Feature\", \"geometry\": {\"type\": \"Point\"}}".to_owned();
    let multi = "{\"type\": \"MultiLineString\", \"coordinates\": [[[0, 0], [0, 1]]]}".to_owned();
    let lines = [feature("[[0, 0], [1, 0, 7], [-0.0, 1]]", "null"), point, multi];
    let text = collection(&lines);
    for text in [text.clone(), format!("\u{feff}{text}")] {
        let loaded = read(&text).unwrap();
        assert_eq!(loaded.format, Format::GEOJSON);
        let ends: Vec<_> = loaded.parsed.graph.u().iter().zip(loaded.parsed.graph.v()).collect();
        assert_eq!(ends, [(&0, &1), (&1, &2), (&0, &2)]);
        let words = edges(&loaded.parsed.graph);
        assert!(words.starts_with("0-1:111195."), "a degree at the equator in meters: {words}");
        assert!(
            loaded.parsed.notes[0].to_string().starts_with("1 feature is left out"),
            "{:?}",
            loaded.parsed.notes
        );
        assert_eq!(loaded.parsed.coordinates.unwrap().points().len(), 3);
    }
}

#[test]
fn a_member_that_occurs_twice_is_refused() {
    let line = "[[0, 0], [1, 0]]";
    for (text, name) in [
        (feature(line, "{\"km\": 3, \"km\": 1}"), "km"),
        (feature(line, "{\"a\": [{\"\\u0062\": 1, \"b\": 1}]}"), "b"),
        (feature(&format!("{line}, \"coordinates\": {line}"), "{}"), "coordinates"),
    ] {
        let said = read(&text).err().unwrap();
        let start = format!("this is not GeoJSON: '{name}' occurs twice; remove one; correct");
        assert!(said.contains(&start), "{said}");
    }
}

#[test]
fn integers_of_more_than_64_bits_are_not_rounded() {
    let columns =
        ColumnOptions { keep: vec![ColumnChoice::Name("id".into())], ..ColumnOptions::default() };
    let options = ReadOptions { columns, ..ReadOptions::default() };
    for number in ["18446744073709551616", "-9223372036854775809"] {
        let name = r#""a \\\" 18446744073709551617": 1, "#;
        let line = feature("[[0, 0], [1, 0]]", &format!("{{{name}\"id\": {number}}}"));
        let kept = read_with(&line, &options).unwrap().parsed.kept.unwrap();
        assert_eq!(kept.row(0).collect::<Vec<_>>(), [number]);
    }
}

#[test]
fn places_at_both_180_degrees_are_a_note() {
    let text = collection(&[
        feature("[[179, 5], [180, 5]]", "null"),
        feature("[[-180, 5], [-179, 5]]", "null"),
        feature("[[-180, 6], [-179, 6]]", "null"),
    ]);
    let notes = read(&text).unwrap().parsed.notes;
    assert!(
        notes[0].to_string().starts_with("1 place is two vertices each, at the longitudes"),
        "{notes:?}"
    );
}

#[test]
fn a_property_as_weight_makes_each_line_one_edge() {
    let text = collection(&[feature("[[0, 0], [1, 0], [2, 0]]", "{\"weight\": 5, \"km\": \"7\"}")]);
    assert_eq!(
        read(&text).unwrap_err(),
        "x: feature 0 (counted from 0): is the weight the property or the length of the line? pass \
         `weight(\"weight\")` or `missing_weights(MissingWeights::Distance)`"
    );
    let mut options = ReadOptions::default();
    options.columns.weight = Some(ColumnChoice::NameOrPosition("km".into()));
    let loaded = read_with(&text, &options).unwrap();
    assert_eq!((edges(&loaded.parsed.graph), loaded.parsed.graph.vertices()), ("0-1:7".into(), 2));
    let missing_weights = Some(MissingWeights::Unit);
    let options = ReadOptions { missing_weights, ..ReadOptions::default() };
    assert_eq!(edges(&read_with(&text, &options).unwrap().parsed.graph), "0-1:1 1-2:1");
    options_without_property_are_refused();
}

fn options_without_property_are_refused() {
    let mut options = ReadOptions::default();
    options.columns.weight = Some(ColumnChoice::NameOrPosition("km".into()));
    let error = read_with(&collection(&[feature("[[0, 0], [1, 0]]", "{}")]), &options).unwrap_err();
    assert!(error.contains("has no such property; it has none; omit the option"), "{error}");
    let parts = feature("[[[0, 0], [1, 0]], [[2, 0], [3, 0]]]", r#"{"km": 5}"#)
        .replace("LineString", "MultiLineString");
    let error = read_with(&collection(&[parts]), &options).unwrap_err();
    assert!(error.contains("the feature has 2 lines, but one weight; save each"), "{error}");
    for (wanted, near) in [("lenght_m", "length_m"), ("D?LKA", "délka"), ("zzz", "")] {
        options.columns.weight = Some(ColumnChoice::NameOrPosition(wanted.into()));
        let line = feature("[[0, 0], [1, 0]]", r#"{"length_m": 5, "délka": 7}"#);
        let error = read_with(&collection(&[line]), &options).unwrap_err();
        assert!(error.contains("its properties are 'délka', 'length_m'"), "{error}");
        let asks = error.ends_with(&format!("; did you mean '{near}'?"));
        assert_eq!(asks, !near.is_empty(), "{error}");
    }
}

#[test]
fn malformed_files_get_one_sentence_with_place_and_remedy() {
    for (text, sentence) in [
        (
            collection(&[feature("[[0, 0]]", "{}")]),
            "feature 0 (counted from 0): a line needs two positions or more; add them",
        ),
        (collection(&[feature("[[0, 0], [1]]", "{}")]), "a position needs two numbers; correct it"),
        (
            collection(&[feature("[[0, 0], [500000, 1]]", "{}")]),
            "the position [500000, 1] is not a longitude and a latitude in degrees; save the file \
             in WGS 84 (EPSG:4326)",
        ),
        (collection(&["{}".into()]), "the geometry has no 'type'; add it"),
        (
            collection(&[r#"{"type": "Feature", "properties": {}, "geometry":
                {"type": "GeometryCollection", "geometries": []}}"#
                .into()]),
            "feature 0 (counted from 0): the feature contains several geometries; save each line",
        ),
        (
            collection(&[r#"{"type": "Point", "coordinates": [1, 2]}"#.into()]),
            "the file contains no lines, which are the edges; save a layer of lines",
        ),
        (
            collection(&[feature("[[0, 0], [1, 0]]", "{}")]).replacen(
                '{',
                r#"{"crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::3857"}}, "#,
                1,
            ),
            "the positions are in 'urn:ogc:def:crs:EPSG::3857'; save the file in WGS 84",
        ),
        ("{\"type\": \"FeatureCollection\"}".into(), "the collection has no list 'features'"),
        (
            "{\"type\": \"FeatureCollection\",\n \"features\": [}".into(),
            "line 2, column 15: this is not GeoJSON: expected value; correct the file",
        ),
    ] {
        let error = read(&text).unwrap_err();
        assert!(error.contains(sentence), "{text}\n{error}\n{sentence}");
    }
}

#[test]
fn features_in_lines_are_a_collection() {
    let lines = [feature("[[0, 0], [1, 0]]", "{}"), feature("[[1, 0], [1, 1]]", "{}")];
    let expected = read(&collection(&lines)).unwrap().parsed;
    let damaged = format!("{}\n{{]", lines[0]);
    for text in [lines.join("\n"), format!("\u{1e}{}\n\u{1e}{}\n", lines[0], lines[1])] {
        let found = read(&text).unwrap().parsed;
        assert_eq!(edges(&found.graph), edges(&expected.graph), "{text}");
    }
    assert!(read(&damaged).unwrap_err().contains("line 2, column 2: this is not GeoJSON"));
}

#[test]
fn arcs_of_a_topology_are_joined_to_lines() {
    let topology = |geometries: &str| {
        format!(
            r#"{{"type": "Topology", "transform": {{"scale": [0.5, 1], "translate": [10, 20]}},
            "objects": {{"roads": {{"type": "GeometryCollection", "geometries": [{geometries}]}}}},
            "arcs": [[[0, 0], [2, 0]], [[2, 1], [0, -1]]]}}"#
        )
    };
    let line = r#"{"type": "LineString", "arcs": [0, -2], "properties": {"km": 3}}"#;
    let text = topology(line);
    let parsed = read(&text).unwrap().parsed;
    let Some(kostra_core::Coordinates::Geographic(points)) = &parsed.coordinates else {
        panic!("no points")
    };
    assert_eq!(points[..], [[10.0, 20.0], [11.0, 20.0], [11.0, 21.0]]);
    let mut options = ReadOptions::default();
    options.columns.weight = Some(ColumnChoice::Name("km".into()));
    let named = read_bytes("x", text.as_bytes(), &options).unwrap();
    assert_eq!(edges(&named.parsed.graph), "0-1:3");
    let unknown = r#"{"type": "LineString", "arcs": [7]}"#;
    assert!(read(&topology(unknown)).unwrap_err().contains("there is no arc 7; the file has 2"));
    let often = vec!["0"; 1 << 20].join(",");
    let often = format!(r#"{{"type": "LineString", "arcs": [{often}]}}"#);
    assert!(read(&topology(&often)).unwrap_err().contains("repeat their arcs too often"));
}
