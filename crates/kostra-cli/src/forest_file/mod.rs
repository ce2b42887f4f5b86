//! Files of forests: `solve` writes them, and `verify` reads them.

mod content;
mod destination;
mod found;
mod geojson;
mod graph;
mod line;
mod number;
mod parquet;
mod read;
mod text;
mod write;

pub(crate) use destination::{Destination, ForestFormat};
pub use found::FoundForest;
pub(crate) use line::Style;
pub(crate) use read::read;
#[cfg(feature = "mpi")]
pub(crate) use write::write_ids;
pub(crate) use write::{check_names, write};
