//! Files of forests: `solve` writes them, and `verify` reads them.

mod content;
mod destination;
mod geojson;
mod graph;
mod line;
mod number;
mod parquet;
mod read;
mod text;
mod write;

pub(crate) use destination::{Destination, ForestFormat};
pub(crate) use line::Style;
pub(crate) use read::read;
pub(crate) use write::write;
pub(crate) use write::write_forest;
