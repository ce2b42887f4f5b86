//! The points of a `.npz` file: its only array of two dimensions.

use super::{PointFile, PointOptions, array};
use crate::fault::Fault;
use crate::formats::{Archive, which_table};

/// Reads the points.
///
/// # Errors
/// When there is not exactly one array of numbers with two dimensions.
pub(super) fn read(bytes: &[u8], options: &PointOptions) -> Result<PointFile, Fault> {
    let at_byte = |(byte, sentence): (usize, String)| Fault::at_byte(byte as u64, sentence);
    let archive = Archive::parse(bytes).map_err(at_byte)?;
    let (tables, others) = archive.tables().map_err(at_byte)?;
    match &*tables {
        [table] => array(&table.content, options),
        [] if others.contains(&"indptr") || others.contains(&"row") => Err(Fault::whole(
            "this is a sparse matrix of SciPy, which is a graph and no table of points; \
             `kostra solve` reads it",
        )),
        [] => Err(Fault::whole(format!(
            "no array of this archive is a table of numbers with two dimensions ({}); save the \
             points with numpy.save",
            others.join(", ")
        ))),
        tables => Err(Fault::whole(format!(
            "which array contains the points, {}? save it as a file of its own with numpy.save",
            which_table(tables)
        ))),
    }
}
