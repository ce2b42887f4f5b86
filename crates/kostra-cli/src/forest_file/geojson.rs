//! Forests as lines on a map: a GeoJSON feature (RFC 7946) per edge.

use std::io::{self, Write};

use anyhow::Context;
use kostra::io::{Input, KeptRows, Output, ReadError, ReadErrorKind};
use kostra_core::{AnyGraph, Coordinates, EdgeId, with_graph};
use serde_json::Value;

use super::content::{Content, read_error};
use crate::output;

/// The edges of a map.
pub(super) struct Lines<'a> {
    pub(super) graph: &'a AnyGraph,
    pub(super) names: Option<&'a [String]>,
    /// The positions of the edges in the graph, and their ids.
    pub(super) edges: &'a mut dyn Iterator<Item = (usize, u64)>,
    /// The columns that are kept, with a row per edge of the graph.
    pub(super) kept: Option<&'a KeptRows<'a>>,
}

/// Writes a line from end to end of each edge, with its id, its ends, its weight and the kept
/// columns as properties.
/// Afterwards, calls `check`.
///
/// # Errors
/// When the vertices have no position on the earth, the output fails, or `check` does.
pub(super) fn write(
    output: &Output,
    coordinates: Option<&Coordinates>,
    lines: Lines<'_>,
    check: impl FnOnce() -> io::Result<()>,
) -> anyhow::Result<()> {
    let Some(Coordinates::Geographic(points)) = coordinates else {
        let remedy = "write .csv or .graphml, or solve a graph with longitudes and latitudes";
        let has = if coordinates.is_some() { "positions in a plane" } else { "no positions" };
        anyhow::bail!("{output}: the vertices have {has}, and GeoJSON needs places; {remedy}");
    };
    let is_place = |[x, y]: &[f64; 2]| x.abs() <= 180.0 && y.abs() <= 90.0;
    if let Some(vertex) = points.iter().position(|point| !is_place(point)) {
        let [x, y] = points[vertex];
        anyhow::bail!(
            "{output}: vertex {vertex} (counted from 0) has the position [{x}, {y}], which is not \
             a longitude and a latitude in degrees; correct it"
        );
    }
    output::write_lines(output, |to| {
        write_features(to, points, lines)?;
        check()
    })
    .context("the map of the forest")
}

fn write_features(to: &mut dyn Write, points: &[[f64; 2]], lines: Lines<'_>) -> io::Result<()> {
    writeln!(to, "{{\"type\": \"FeatureCollection\", \"features\": [")?;
    let name = |vertex: u32| match lines.names {
        Some(names) => serde_json::to_string(&names[vertex as usize]),
        None => Ok(vertex.to_string()),
    };
    let mut features = lines.edges.peekable();
    with_graph!(lines.graph, graph => {
        let edges = graph.edge_list();
        while let Some((edge, id)) = features.next() {
            let (u, v) = (edges.u()[edge], edges.v()[edge]);
            let weight = edges.weights()[edge].to_string();
            // JSON has no infinite numbers.
            let quote = if weight.contains("inf") { "\"" } else { "" };
            let [[x, y], [p, q]] = [u, v].map(|vertex| points[vertex as usize]);
            let (u, v) = (name(u)?, name(v)?);
            let kept = lines.kept.map(|kept| kept.json(edge)).unwrap_or_default();
            let end = if features.peek().is_none() { "" } else { "," };
            writeln!(
                to,
                "{{\"type\": \"Feature\", \"properties\": {{\"edge\": {id}, \"u\": {u}, \"v\": {v}, \
                 \"weight\": {quote}{weight}{quote}{kept}}}, \"geometry\": {{\"type\": \"LineString\", \
                 \"coordinates\": [[{x}, {y}], [{p}, {q}]]}}}}{end}"
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
        kind: ReadErrorKind::Malformed(sentence),
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
