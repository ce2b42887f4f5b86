//! The points of a `.npz` file: its only array of two dimensions.

use super::{PointFile, PointOptions, array};
use crate::fault::Fault;
use crate::formats::{Archive, Array};

/// Reads the points.
///
/// # Errors
/// When there is not exactly one array of numbers with two dimensions.
pub(super) fn read(bytes: &[u8], options: &PointOptions) -> Result<PointFile, Fault> {
    let at_byte = |(byte, sentence): (usize, String)| Fault::at_byte(byte as u64, sentence);
    let archive = Archive::parse(bytes).map_err(at_byte)?;
    let (mut tables, mut others) = (Vec::new(), Vec::new());
    for file in archive.names() {
        let Some(name) = file.strip_suffix(".npy") else { continue };
        let Some((content, _)) = archive.file(file).map_err(at_byte)? else { continue };
        match Array::parse_of(&content, 2..=2).map(|array| [array.rows, array.columns]) {
            Ok(shape) => tables.push((name, shape, content)),
            Err(_) => others.push(name),
        }
    }
    match &*tables {
        [(_, _, content)] => array(content, options),
        [] if others.contains(&"indptr") || others.contains(&"row") => Err(Fault::whole(
            "this is a sparse matrix of SciPy, which is a graph and no table of points; \
             `kostra solve` reads it",
        )),
        [] => Err(Fault::whole(format!(
            "no array of this archive is a table of numbers with two dimensions ({}); save the \
             points with numpy.save",
            others.join(", ")
        ))),
        tables => {
            let all: Vec<_> = tables
                .iter()
                .map(|(name, [rows, columns], _)| format!("{name} ({rows} x {columns})"))
                .collect();
            Err(Fault::whole(format!(
                "which array contains the points, {}? save it as a file of its own with numpy.save",
                all.join(" or ")
            )))
        }
    }
}
