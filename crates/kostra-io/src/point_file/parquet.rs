//! The points of a Parquet file.

use super::column::{coordinates, places};
use super::{PointFile, PointOptions};
use crate::fault::Fault;
use crate::formats::read_parquet_points;

/// Reads the points.
pub(super) fn read(bytes: Vec<u8>, options: &PointOptions) -> Result<PointFile, Fault> {
    let choose = |names: &[String]| {
        let chosen = coordinates(options, names, names.len()).map_err(Fault::whole)?;
        let kept = places("--keep", &options.keep, names, names.len()).map_err(Fault::whole)?;
        Ok((chosen, kept))
    };
    let table = read_parquet_points(bytes, choose)?;
    Ok(PointFile {
        coordinates: table.coordinates,
        dimensions: table.names.len(),
        names: table.names,
        kept: table.kept,
        ..PointFile::default()
    })
}
