//! Writing a forest whose graph is not in memory.

use kostra::io::Outgoing;

use super::sink::Found;
use crate::forest_file::{Destination, Style, write_forest};
use crate::output;

/// Writes the forest.
///
/// # Errors
/// When the output fails.
pub(super) fn write(
    Destination { output, format }: &Destination,
    Found { ids, forest, .. }: &Found,
) -> anyhow::Result<()> {
    if let Some(graph_format) = format.graph() {
        let outgoing = Outgoing { edge_ids: Some(ids), ..Outgoing::from(forest) };
        output::write(output, graph_format, outgoing)?;
    } else if let Some(style) = Style::of_format(*format) {
        output::write_lines(output, |to| write_forest(to, style, forest, ids))?;
    } else {
        output::write_lines(output, |to| ids.iter().try_for_each(|id| writeln!(to, "{id}")))?;
    }
    Ok(())
}
