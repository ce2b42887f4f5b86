//! GeoJSON (RFC 7946): lines on a map, as QGIS, geopandas and ogr2ogr write roads.
//!
//! Vertices are the positions of `LineString` and `MultiLineString` geometries, equal positions
//! being one vertex; heights are ignored. Each two successive positions are an edge, whose weight
//! is the great-circle distance in meters. If the user names a property as the weight, each line
//! is one edge between its ends instead. If lines have a property `weight` and the user has chosen
//! neither, the file is refused with a question. Each edge can keep the properties of its line, the
//! position of the feature (`feature`), and the member `id` of the feature.
//!
//! A file can also be a sequence of features, one per line (GeoJSONL, RFC 8142), or a TopoJSON
//! topology, whose lines are made of shared arcs. The reader holds the parsed file in memory.

mod distinct;
mod parse;
mod read;
mod topology;

pub(crate) use parse::{kind, parse};
pub(crate) use read::{ReadLines, typed};

use crate::head::{BYTE_ORDER_MARK, Evidence, Head};
use crate::interface::{Format, FormatInfo};

impl Format {
    /// GeoJSON: lines on a map.
    pub const GEOJSON: Self = Self::new(&FormatInfo {
        id: "geojson",
        title: "GeoJSON",
        extensions: &["geojson"],
        summary: "GeoJSON: lines on a map, also one feature per line, and TopoJSON",
        has_attributes: true,
        recognize,
        read: read::read,
        ..FormatInfo::READ_ONLY
    });
}

/// Recognizes a JSON object with a type of GeoJSON.
fn recognize(head: &Head<'_>) -> Evidence {
    let bytes = head.bytes();
    let text = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes).trim_ascii_start();
    let text = text.strip_prefix(b"\x1e").unwrap_or(text);
    let has = |word: &str| memchr::memmem::find(text, word.as_bytes()).is_some();
    let kinds = ["\"FeatureCollection\"", "\"LineString\"", "\"MultiLineString\""];
    let is_topology = || has("\"Topology\"") && has("\"arcs\"");
    let has_kind = || kinds.into_iter().any(has) || is_topology();
    Evidence::Signature.when(text.starts_with(b"{") && has("\"type\"") && has_kind())
}

#[cfg(test)]
mod tests;
