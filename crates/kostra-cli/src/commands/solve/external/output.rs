//! Writing a forest whose graph is not in memory.

use kostra::io::{Format, Outgoing};

use super::sink::Found;
use crate::forest_file::{Destination, ForestFormat, write_forest};
use crate::output;

/// Writes the forest.
///
/// # Errors
/// When the output fails.
pub(super) fn write(
    Destination { output, format }: &Destination,
    Found { ids, forest, .. }: &Found,
) -> anyhow::Result<()> {
    match format {
        ForestFormat::Ids => {
            output::write_lines(output, |to| ids.iter().try_for_each(|id| writeln!(to, "{id}")))?;
        }
        ForestFormat::Edges => output::write_lines(output, |to| write_forest(to, forest, ids))?,
        ForestFormat::Gr => output::write(output, Format::DIMACS, Outgoing::from(forest))?,
        ForestFormat::Kst => output::write(output, Format::KST, Outgoing::from(forest))?,
    }
    Ok(())
}
