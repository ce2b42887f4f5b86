//! The formats, one file or folder each, and the table of them.
//!
//! To add a format, write its file, declare its module here and add a line to [`FORMATS`].
//! Recognition, reading, writing, help texts, round-trip tests and fuzzing use the table.

pub(crate) mod adjacency;
mod dictionary;
mod dimacs;
mod dimacs_flow;
mod dl;
mod dot;
mod ecl;
pub(crate) mod edge_list;
mod gap;
mod gdf;
pub(crate) mod geojson;
mod gexf;
mod gml;
mod graph6;
mod graphml;
mod hmetis;
mod kst;
mod lgl;
pub(crate) mod matrix;
mod matrix_market;
mod metis;
mod multiline;
mod node_link;
mod numpy;
mod osm;
mod pajek;
mod parquet;
pub(crate) mod phylip;
pub(crate) mod printed;
mod raw;
pub(crate) mod sheet;
mod stp;
mod tgf;
mod tsplib;
mod wkt;
pub(crate) mod written;
mod xgmml;

use std::str::FromStr;

use crate::fault::Fault;
use crate::head::Evidence;
use crate::interface::{Format, FormatInfo};
use crate::raw_row::RawRow;

pub use edge_list::MISSING_VALUES;
pub use kst::{KstFile, is_in_mapped_file, open_kst};
pub use numpy::write_npy_header;
pub(crate) use numpy::{Archive, Array, ZIP_MAGIC, which_table};
#[cfg(feature = "image")]
pub(crate) use numpy::{NPY_MAGIC, half};
#[cfg(feature = "parquet")]
pub(crate) use parquet::read_points as read_parquet_points;
#[cfg(feature = "parquet")]
pub use parquet::write_parquet_table;

impl FormatInfo {
    /// A format that is read as a whole and not written, from which all others differ. Each has its
    /// own id, title and summary, and its own functions to recognize and read.
    pub(crate) const READ_ONLY: Self = Self {
        id: "",
        title: "",
        extensions: &[],
        summary: "",
        keeps_edge_order: true,
        has_attributes: false,
        recognize: |_| Evidence::Absent,
        read: |_, _| Err(Fault::whole("this format is not read")),
        write: None,
        write_stream: None,
        read_part: None,
        read_blocks: None,
    };
}

/// All formats, in the order in which help texts list them.
pub static FORMATS: &[Format] = &[
    Format::DIMACS,
    Format::EDGE_LIST,
    Format::MATRIX,
    Format::ADJACENCY,
    Format::TABLE,
    Format::WRITTEN,
    Format::SHEET,
    Format::PHYLIP,
    Format::MULTILINE,
    Format::DICTIONARY,
    Format::MATRIX_MARKET,
    Format::METIS,
    Format::ECL,
    Format::GAP,
    Format::GRAPHML,
    Format::GEOJSON,
    Format::NODE_LINK,
    Format::DOT,
    Format::GML,
    Format::PARQUET,
    Format::NPY,
    Format::NPZ,
    Format::OSM_PBF,
    Format::DIMACS_FLOW,
    Format::TSPLIB,
    Format::STP,
    Format::PAJEK,
    Format::TGF,
    Format::LGL,
    Format::GEXF,
    Format::XGMML,
    Format::WKT,
    Format::HMETIS,
    Format::DL,
    Format::GDF,
    Format::GRAPH6,
    Format::RAW,
    Format::KST,
];

/// The ids of the formats that fulfill a condition, between commas.
pub(crate) fn ids(condition: fn(Format) -> bool) -> String {
    let formats = FORMATS.iter().copied().filter(|&format| condition(format));
    formats.map(Format::id).collect::<Vec<_>>().join(", ")
}

/// A format as users type it: its id, or `raw:` and the types of the values of a row.
///
/// # Errors
/// When there is no such format or no such type.
pub fn parse_format(text: &str) -> Result<(Format, Option<RawRow>), String> {
    match text.strip_prefix("raw:") {
        Some(types) => Ok((Format::RAW, Some(types.parse()?))),
        None => Ok((text.parse()?, None)),
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(id: &str) -> Result<Self, String> {
        FORMATS
            .iter()
            .copied()
            .find(|format| format.id() == id)
            .ok_or_else(|| format!("there is no format '{id}'; there are: {}", ids(|_| true)))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn ids_and_extensions_are_unique() {
        let ids: HashSet<_> = FORMATS.iter().map(|format| format.id()).collect();
        assert_eq!(ids.len(), FORMATS.len());
        for id in ids {
            assert_eq!(id.parse::<Format>().unwrap().id(), id);
        }
        let extensions: Vec<_> =
            FORMATS.iter().flat_map(|format| format.info().extensions).collect();
        assert_eq!(extensions.iter().collect::<HashSet<_>>().len(), extensions.len());
        assert_eq!(
            "xyz".parse::<Format>().unwrap_err(),
            format!("there is no format 'xyz'; there are: {}", super::ids(|_| true))
        );
    }
}
