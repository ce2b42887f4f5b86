//! The parts as a table: a header, and a line for each vertex.

use kostra::forest_file::{LineStyle, check_names};
use kostra_io::Output;
use kostra_partition::Partition;

use crate::output;

/// Writes the name or the number and the part of each vertex.
///
/// # Errors
/// When a line cannot hold a name, or the output fails.
pub(super) fn write(
    to: &Output,
    names: Option<&[String]>,
    partition: &Partition,
) -> anyhow::Result<()> {
    check_names(names)?;
    output::write_lines(to, |to| {
        writeln!(to, "vertex,part")?;
        partition.parts().iter().enumerate().try_for_each(|(vertex, part)| match names {
            None => writeln!(to, "{vertex},{part}"),
            Some(names) => writeln!(to, "{},{part}", LineStyle::Commas.field(&names[vertex])),
        })
    })?;
    Ok(())
}
