//! The terminals, as the user names them.

use std::collections::HashMap;

use anyhow::{anyhow, bail};
use kostra::variants::SteinerError;
use kostra_core::{Vertex, count};

use crate::input::InputGraph;
use crate::vertex_names::{VertexChoice, VertexNames};

/// The terminals that the user chose, or else those of the input.
///
/// # Errors
/// When there are none, a file cannot be read, or a name is not that of one vertex.
pub(super) fn of_graph(
    choice: Option<&VertexChoice>,
    input: &mut InputGraph,
) -> anyhow::Result<Vec<Vertex>> {
    let own = input.parsed.terminals.take().unwrap_or_default();
    let names = VertexNames::new(input.parsed.names.clone());
    let vertices = input.parsed.graph.vertices();
    let terminals = match choice {
        None if own.is_empty() => {
            bail!("the graph has no terminals; pass `--terminals A,B,C` or `--terminals @FILE`")
        }
        None => return Ok(own),
        Some(choice) => choice.vertices(&names, vertices, "`--terminals`")?,
    };
    if !own.is_empty() {
        let left_out = count(own.len() as u64, "terminal", "terminals");
        input.notes.push(format!("`--terminals` replaces {left_out} of the input"));
    }
    Ok(terminals)
}

/// The most terminals that a refusal names.
const MOST_NAMED: usize = 10;

/// The reason why there is no tree, with the names of terminals.
pub(super) fn explain(error: SteinerError, input: &InputGraph) -> anyhow::Error {
    let SteinerError::Disconnected { first, unreached } = error else { return error.into() };
    let names = input.parsed.names.as_deref();
    let name = |&vertex: &Vertex| {
        names.map_or_else(|| vertex.to_string(), |names| names[vertex as usize].clone())
    };
    let mut listed = unreached.iter().take(MOST_NAMED).map(name).collect::<Vec<_>>().join(", ");
    if unreached.len() > MOST_NAMED {
        listed += &format!(" and {} more", unreached.len() - MOST_NAMED);
    }
    anyhow!(
        "no path joins the terminal {} with {listed}; leave some out of `--terminals`, or add the \
         missing edges",
        name(&first)
    )
}

/// The vertices of a tree that are no terminals.
pub(super) fn junctions(input: &InputGraph, ids: &[u32], terminals: &[Vertex]) -> usize {
    let graph = &input.parsed.graph;
    let ends = ids.iter().flat_map(|&id| [graph.u()[id as usize], graph.v()[id as usize]]);
    let mut inside: HashMap<Vertex, bool> = ends.map(|vertex| (vertex, true)).collect();
    terminals.iter().for_each(|terminal| _ = inside.remove(terminal));
    inside.len()
}
