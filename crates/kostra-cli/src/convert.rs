//! `kostra convert`: writes a graph in another format.

use kostra::io::{Format, Outgoing, Output};

use crate::args::{ConvertArgs, Nan};
use crate::input::Request;
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
    write(&request, &to, format)?;
    Ok(Answer::Yes)
}

/// Loads a graph and writes it, with what the format keeps of its coordinates and names, and
/// reports on standard error, because the graph may go to standard output.
///
/// # Errors
/// When the input is at fault, the output cannot be written, or its format cannot hold the graph.
pub(crate) fn write(request: &Request, to: &Output, format: Format) -> anyhow::Result<()> {
    let input = request.load()?;
    let start = std::time::Instant::now();
    {
        let _stage = Stage::start(&format!("writing {to}"));
        let outgoing = Outgoing {
            graph: &input.graph,
            coordinates: input.coordinates.as_ref(),
            names: input.names.as_deref(),
            mapped: input.mapped.as_ref(),
        };
        let result = output::write(to, format, outgoing);
        request.refuse_changes(&input)?; // it names the input, where the result names the output
        result?;
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
