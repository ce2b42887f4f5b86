//! Forests as lines on a map: a GeoJSON feature (RFC 7946) per edge.

use std::io::{self, Write};

use kostra_core::{Coordinates, EdgeId, with_graph};
use kostra_io::{Input, KeptRows, Outgoing, Output, ReadError, ReadErrorKind};
use serde_json::Value;

use super::ForestFileError;
use super::content::{Content, read_error};

/// The longitudes and latitudes of the vertices.
///
/// # Errors
/// When the vertices have no position on the earth.
pub(super) fn places<'a>(
    output: &Output,
    coordinates: Option<&'a Coordinates>,
) -> Result<&'a [[f64; 2]], ForestFileError> {
    let output = || output.to_string();
    let Some(Coordinates::Geographic(points)) = coordinates else {
        let is_planar = coordinates.is_some();
        return Err(ForestFileError::NoPlaces { output: output(), is_planar });
    };
    let is_place = |[x, y]: &[f64; 2]| x.abs() <= 180.0 && y.abs() <= 90.0;
    match points.iter().position(|point| !is_place(point)) {
        None => Ok(points),
        Some(vertex) => {
            let [x, y] = points[vertex];
            Err(ForestFileError::NoPlace { output: output(), vertex, x, y })
        }
    }
}

/// Writes the line of each edge, or a straight one from end to end, with its id, its ends, its
/// weight and the kept columns as properties. `edges` are positions in the graph and ids.
///
/// # Errors
/// When the output fails.
pub(super) fn write(
    to: &mut dyn Write,
    points: &[[f64; 2]],
    Outgoing { graph, names, kept, lines, .. }: Outgoing<'_>,
    edges: impl Iterator<Item = (usize, u64)> + Clone,
) -> io::Result<()> {
    writeln!(to, "{{\"type\": \"FeatureCollection\", \"features\": [")?;
    let name = |vertex: u32| match names {
        Some(names) => serde_json::to_string(&names[vertex as usize]),
        None => Ok(vertex.to_string()),
    };
    let kept = kept.map(|kept| KeptRows::new(kept, edges.clone().map(|(edge, _)| edge)));
    let mut features = edges.peekable();
    with_graph!(graph, graph => {
        let edges = graph.edge_list();
        while let Some((edge, id)) = features.next() {
            let (u, v) = (edges.u()[edge], edges.v()[edge]);
            let weight = edges.weights()[edge].to_string();
            // JSON has no infinite numbers.
            let quote = if weight.contains("inf") { "\"" } else { "" };
            let line = match lines.and_then(|lines| lines.get(edge)) {
                Some(line) => line.to_string(),
                None => {
                    let [[x, y], [p, q]] = [u, v].map(|vertex| points[vertex as usize]);
                    format!("[[{x}, {y}], [{p}, {q}]]")
                }
            };
            let (u, v) = (name(u)?, name(v)?);
            let kept = kept.as_ref().map(|kept| kept.json(edge)).unwrap_or_default();
            let end = if features.peek().is_none() { "" } else { "," };
            writeln!(
                to,
                "{{\"type\": \"Feature\", \"properties\": {{\"edge\": {id}, \"u\": {u}, \"v\": {v}, \
                 \"weight\": {quote}{weight}{quote}{kept}}}, \"geometry\": {{\"type\": \"LineString\", \
                 \"coordinates\": {line}}}}}{end}"
            )?;
        }
    });
    writeln!(to, "]}}")
}

/// Whether the start of a file of JSON is a map.
pub(super) fn is_map(head: &[u8]) -> bool {
    let head = String::from_utf8_lossy(head.get(..HEAD).unwrap_or(head));
    head.contains("\"FeatureCollection\"")
}

/// The bytes in which a map says what it is.
const HEAD: usize = 200;

/// Reads the edge ids of a map that [`write`] wrote.
///
/// # Errors
/// When the file cannot be read, or a feature has no id.
pub(super) fn read_ids(input: &Input, content: Content) -> Result<Vec<EdgeId>, ReadError> {
    let error = |sentence: String| ReadError {
        input: input.to_string(),
        place: None,
        kind: ReadErrorKind::Malformed(sentence.into()),
    };
    let map: Value = serde_json::from_reader(content).map_err(|fault| {
        if fault.is_io() {
            return read_error(input, fault.into());
        }
        error(format!("this is not GeoJSON: {fault}; write the forest again"))
    })?;
    let features = map.get("features").and_then(Value::as_array).map(Vec::as_slice);
    let ids = features.unwrap_or_default().iter().enumerate().map(|(index, feature)| {
        let id = feature.pointer("/properties/edge").and_then(Value::as_u64);
        id.and_then(|id| EdgeId::try_from(id).ok())
            .ok_or_else(|| error(format!("feature {index} has no edge id; write the forest again")))
    });
    ids.collect()
}

#[cfg(test)]
mod tests {
    use kostra_io::{ColumnChoice, ColumnOptions, Format, Nan, Parsed, ReadOptions, read_bytes};

    use super::*;

    #[test]
    fn edges_keep_the_lines_of_the_input_with_heights() {
        let map = r#"{"type": "FeatureCollection", "features": [
            {"type": "Feature", "properties": {"km": "nan"}, "geometry":
                {"type": "LineString", "coordinates": [[0, 0], [9, 9], [1, 1]]}},
            {"type": "Feature", "properties": {"km": 5}, "geometry":
                {"type": "LineString", "coordinates": [[0, 0, 7], [0.5, 0.25], [1, 1]]}},
            {"type": "Feature", "properties": {"km": 2}, "geometry":
                {"type": "LineString", "coordinates": [[1, 1], [3, 0], [2, 2]]}}]}"#;
        let weight = Some(ColumnChoice::Name("km".into()));
        let columns = ColumnOptions { weight, ..ColumnOptions::default() };
        let format = Some(Format::GEOJSON);
        let options = ReadOptions { format, columns, nan: Nan::Skip, ..ReadOptions::default() };
        let parsed: Parsed = read_bytes("map", map.as_bytes(), &options).unwrap().parsed;
        let edges = parsed.graph.edges();
        let points = [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]];
        let mut text = Vec::new();
        let ids = (1..edges).map(|edge| (edge, edge as u64));
        write(&mut text, &points, (&parsed).into(), ids).unwrap();
        let written: Value = serde_json::from_slice(&text).unwrap();
        let features = written["features"].as_array().unwrap();
        let lines: Vec<_> = features
            .iter()
            .map(|feature| {
                (
                    feature["properties"]["weight"].clone(),
                    feature["geometry"]["coordinates"].clone(),
                )
            })
            .collect();
        let expected = serde_json::json!([
            [5, [[0, 0, 7], [0.5, 0.25], [1, 1]]],
            [2, [[1, 1], [3, 0], [2, 2]]]
        ]);
        assert_eq!(serde_json::json!(lines), expected);
    }
}
