//! `kostra convert`: writes a graph in another format.

use kostra::io::{Format, Outgoing, Output};

use crate::args::{ConvertArgs, Nan};
use crate::input::{Graph, Request};
use crate::progress::Stage;
use crate::report::{count, duration};
use crate::{Answer, output};

/// Reads a graph and writes it.
///
/// # Errors
/// When the input is at fault, the output cannot be written, or its format cannot hold the graph.
pub(crate) fn run(args: ConvertArgs) -> anyhow::Result<Answer> {
    let request = Request::resolve(args.input, Nan::Error);
    let to = output::of_path(&args.output);
    let format = output::format_of(&to, args.to)?;
    to.check()?;
    let input = request.load()?;
    write(&input, &to, format)?;
    Ok(Answer::Yes)
}

/// Writes a graph, with what the format keeps of its coordinates and names, and reports on standard error, because the graph
/// may go to standard output.
///
/// # Errors
/// When the output cannot be written, or its format cannot hold the graph.
pub(crate) fn write(input: &Graph, to: &Output, format: Format) -> anyhow::Result<()> {
    let start = std::time::Instant::now();
    {
        let _stage = Stage::start(&format!("writing {to}"));
        let outgoing = Outgoing {
            graph: &input.graph,
            coordinates: input.coordinates.as_ref(),
            names: input.names.as_deref(),
        };
        output::write(to, format, outgoing)?;
    }
    let vertices = count(input.graph.vertices() as usize, "vertex", "vertices");
    let edges = count(input.graph.edges(), "edge", "edges");
    let (load, write) = (duration(input.load), duration(start.elapsed()));
    let title = format.title();
    for note in input.notes.iter().filter(|note| !input.warnings.contains(note)) {
        output::tell(&format!("note: {note}\n"));
    }
    output::tell(&format!("{to}: {title}, {vertices}, {edges} (load {load}, write {write})\n"));
    Ok(())
}
