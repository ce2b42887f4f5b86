//! Files of graphs, as `convert` and `generate` write them.

use std::time::Instant;

use kostra::io::{Format, Outgoing, Output};

use crate::input::{Graph, Request};
use crate::output;
use crate::progress::Stage;
use crate::report::{count, duration};

/// Writes a graph that was loaded, with the coordinates and names that the format can hold. The
/// report goes to standard error, because the graph may go to standard output.
///
/// # Errors
/// When the input is at fault, the output cannot be written, or the format cannot hold the graph.
pub(crate) fn write(
    request: &Request,
    input: &Graph,
    to: &Output,
    format: Format,
) -> anyhow::Result<()> {
    let start = Instant::now();
    {
        let _stage = Stage::start(&format!("writing {to}"));
        let outgoing = Outgoing {
            graph: &input.graph,
            coordinates: input.coordinates.as_ref(),
            names: input.names.as_deref(),
            mapped: input.mapped.as_ref(),
        };
        let result = output::write(to, format, outgoing);
        // If the input changed, this error comes first: it names the input, and the other the
        // output.
        request.refuse_changes(input)?;
        result?;
    }
    let vertices = count(input.graph.vertices().into(), "vertex", "vertices");
    let edges = count(input.graph.edges() as u64, "edge", "edges");
    let (load, write) = (duration(input.load), duration(start.elapsed()));
    let title = format.title();
    for note in input.notes.iter().filter(|note| !input.warnings.contains(note)) {
        output::tell(&format!("note: {note}\n"));
    }
    output::tell(&format!("{to}: {title}, {vertices}, {edges} (load {load}, write {write})\n"));
    Ok(())
}
