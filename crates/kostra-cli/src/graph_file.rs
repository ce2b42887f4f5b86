//! Files of graphs, as `convert` and `generate` write them.

use std::io;
use std::time::Instant;

use kostra::io::{Format, Outgoing, Output, StreamHeader};
use kostra_core::{EdgeId, memory};

use kostra::generate::{Options, Recipe, StreamError};

use crate::forest_file::{self, Destination};
use crate::input::{Graph, Request};
use crate::output;
use crate::progress::Stage;
use crate::report::{count, duration};

/// Writes a graph that was loaded, with the coordinates and names that the format can hold. Returns
/// the report; it belongs on standard error, because the graph may go to standard output.
///
/// # Errors
/// When the input is at fault, the output cannot be written, or the format cannot hold the graph.
pub(crate) fn write(
    request: &Request,
    input: &Graph,
    to: &Output,
    format: Format,
) -> anyhow::Result<String> {
    let start = Instant::now();
    {
        let _stage = Stage::start(&format!("writing {to}"));
        let outgoing = Outgoing {
            graph: &input.graph,
            coordinates: input.coordinates.as_ref(),
            names: input.names.as_deref(),
            text_names: input.text_names,
            edge_ids: None,
            kept: input.kept.as_ref(),
            mapped: input.mapped.as_ref(),
        };
        let result = output::write(to, format, outgoing);
        // If the input changed, this error comes first: it names the input, and the other the
        // output.
        request.refuse_changes(input)?;
        result?;
    }
    Ok(report(input, to, format.title(), start))
}

/// Writes all edges of a graph as [`forest_file::write`] does. Returns the report.
///
/// # Errors
/// When the input is at fault, the output cannot be written, or the format cannot hold the graph.
pub(crate) fn write_edges(
    request: &Request,
    input: &Graph,
    destination: &Destination,
) -> anyhow::Result<String> {
    let start = Instant::now();
    {
        let _stage = Stage::start(&format!("writing {}", destination.output));
        let ids = memory::collected(0..input.graph.edges() as EdgeId)?;
        let result = forest_file::write(destination, input, &ids);
        request.refuse_changes(input)?;
        result?;
    }
    Ok(report(input, &destination.output, destination.format.title(), start))
}

/// What the input was, and what was written since `start`.
fn report(input: &Graph, to: &Output, title: &str, start: Instant) -> String {
    let vertices = count(input.graph.vertices().into(), "vertex", "vertices");
    let edges = count(input.graph.edges() as u64, "edge", "edges");
    let (load, write) = (duration(input.load), duration(start.elapsed()));
    let notes = input.notes.iter().filter(|note| !input.warnings.contains(note));
    let notes: String = notes.map(|note| format!("note: {note}\n")).collect();
    format!("{notes}{to}: {title}, {vertices}, {edges} (load {load}, write {write})\n")
}

/// Generates a graph into a file, without holding it. Returns the report.
///
/// # Errors
/// When the graph cannot be made, or the output cannot be written.
pub(crate) fn stream(recipe: &Recipe, to: &Output, format: Format) -> anyhow::Result<String> {
    let start = Instant::now();
    let edges = {
        let stage = Stage::start("counting edges");
        let progress = |done, total| stage.steps(done, total);
        recipe.count_edges(&Options { progress: &progress, ..Options::default() })?
    };
    let (vertices, weight_type) = recipe.header();
    let header = StreamHeader { vertices, edges, weight_type };
    {
        let stage = Stage::start(&format!("generating {to}"));
        let progress = |done, total| stage.steps(done, total);
        let options = Options { progress: &progress, ..Options::default() };
        output::write_stream(to, format, &header, |take| {
            recipe.stream(&options, take).map_err(|error| match error {
                StreamError::Write(cause) => cause,
                StreamError::Spec(error) => io::Error::other(error),
            })
        })?;
    }
    let vertices = count(vertices.into(), "vertex", "vertices");
    let (edges, time) = (count(edges, "edge", "edges"), duration(start.elapsed()));
    Ok(format!("{to}: {}, {vertices}, {edges} (generate and write {time})\n", format.title()))
}
