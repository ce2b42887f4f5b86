//! What is written of points: a table, or a tree in Newick.

use kostra::forest_file::ForestFormat;
use kostra::table::{TableError, TableFormat};
use kostra_io::Output;

use crate::points::SolvedPoints;

/// The format of what is written.
#[derive(Clone, Copy)]
pub(crate) enum PointOutput {
    Table(TableFormat),
    Newick,
}

impl PointOutput {
    /// The format of the output's extension. `keeps` tells whether columns of the input are kept.
    ///
    /// # Errors
    /// As [`TableFormat::of`].
    pub(crate) fn of(output: &Output, keeps: bool) -> Result<Self, TableError> {
        let Output::Path(path) = output else { return Ok(Self::Table(TableFormat::CSV)) };
        match kostra_io::extension(path).and_then(|end| ForestFormat::by_extension(&end)) {
            Some(ForestFormat::Newick) => Ok(Self::Newick),
            _ => TableFormat::of(output, keeps).map(Self::Table),
        }
    }
}

/// The names of points for Newick: the kept column, or the names in a matrix.
///
/// # Errors
/// When several columns are kept.
pub(crate) fn names(solved: &SolvedPoints) -> anyhow::Result<Option<Vec<String>>> {
    let kept = &solved.kept;
    match kept.names() {
        [] => Ok(solved.point_names.clone()),
        [_] => {
            let names = (0..kept.rows()).flat_map(|row| kept.row(row)).map(str::to_owned);
            Ok(Some(names.collect()))
        }
        [first, ..] => anyhow::bail!(
            "Newick has one name for each point; keep one column, such as `--keep {first}`"
        ),
    }
}
