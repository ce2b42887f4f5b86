//! Solving under constraints, and writing trees from their roots.

use std::time::Instant;

use kostra::variants::{ConstraintError, ForestConstraints, ReducedGraph};
use kostra::{Solve, Solved};
use kostra_core::{AnyGraph, EdgeList, Forest, Order, Total, memory, tree, with_graph};

use super::outcome::Constrained;
use super::plan::Plan;
use crate::input::InputGraph;
use crate::progress::Stage;
use crate::report::float;
use crate::verdict::verify;
use crate::vertex_names::VertexNames;

/// Finds the best forest under constraints: `solve` finds a forest of a graph.
///
/// # Errors
/// When the constraints cannot be met, or a solve fails.
pub(super) fn run(
    plan: &Plan,
    input: &InputGraph,
    constraints: ForestConstraints,
    solve: impl FnOnce(&AnyGraph) -> anyhow::Result<Solved<Forest>>,
) -> anyhow::Result<(Solved<Forest>, Constrained)> {
    let (graph, order) = (&input.parsed.graph, plan.order);
    let reduced = ReducedGraph::new(graph, &constraints).map_err(|error| spelled(error, input))?;
    let solved = solve(reduced.graph())?;
    let verdict = plan.verify.then(|| -> anyhow::Result<_> {
        let start = Instant::now();
        let _stage = Stage::start("verifying");
        Ok((verify(reduced.graph(), order, solved.forest.ids())?, start.elapsed()))
    });
    let verdict = verdict.transpose()?;
    let forest = reduced.complete(order, solved.forest.ids());
    let forest = forest.map_err(|error| spelled(error, input))?;
    let threads = plan.input.threads.wanted();
    let free = Solve::new().order(order).threads(threads).run_any(graph)?.forest.total();
    let (trees, extra) = (reduced.trees(&forest), difference(forest.total(), free));
    let found = Constrained { constraints, trees, unconstrained: free, extra, verdict };
    Ok((Solved { forest, ..solved }, found))
}

/// The difference of two totals.
fn difference(total: Total, free: Total) -> Total {
    match (total, free) {
        (Total::Integer(total), Total::Integer(free)) => Total::Integer(total.saturating_sub(free)),
        // Equal infinities differ by nothing.
        (total, free) if total == free => Total::Float(0.0),
        (total, free) => Total::Float(float(total) - float(free)),
    }
}

/// The error with the names of the ends of edges.
fn spelled(error: ConstraintError, input: &InputGraph) -> anyhow::Error {
    let ConstraintError::Cycle { edges, .. } = &error else { return error.into() };
    let Some(names) = &input.parsed.names else { return error.into() };
    let graph = &input.parsed.graph;
    let named = edges.iter().map(|&edge| {
        let [u, v] = [graph.u(), graph.v()].map(|ends| &names[ends[edge as usize] as usize]);
        format!("edge {edge} joins {u} and {v}")
    });
    let named: Vec<_> = named.take(SHOWN).collect();
    anyhow::anyhow!("{error} ({})", named.join(", "))
}

/// The most edges of a cycle whose ends are named.
const SHOWN: usize = 12;

/// Turns the edges of a forest, so that the first end of each is nearer to the root.
///
/// # Errors
/// When the root is no vertex, or the system refuses the memory.
pub(super) fn turn(
    input: &mut InputGraph,
    root: &str,
    order: Order,
    forest: &Forest,
) -> anyhow::Result<()> {
    let graph = &input.parsed.graph;
    let names = VertexNames::new(input.parsed.names.clone());
    let root = names.vertex(root, graph.vertices())?;
    let parents = with_graph!(graph, graph => {
        tree::parents(graph.edge_list().edges(order), forest, root)?
    });
    let (mut u, mut v) = (memory::copied(graph.u())?, memory::copied(graph.v())?);
    for &edge in forest.ids() {
        let (first, second) = (&mut u[edge as usize], &mut v[edge as usize]);
        if parents[*first as usize] == *second {
            std::mem::swap(first, second);
        }
    }
    let turned = with_graph!(graph, graph => {
        let weights = memory::copied(graph.edge_list().weights())?;
        EdgeList::of_checked(graph.edge_list().vertices(), u, v, weights).into()
    });
    input.parsed.graph = turned;
    Ok(())
}
