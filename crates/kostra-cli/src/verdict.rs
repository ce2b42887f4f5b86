//! Whether a forest is correct.

use kostra::{DeviceChoice, Solve};
use kostra_core::{
    AnyGraph, Certificate, EdgeId, Edges, Forest, Key, Order, OutOfMemory, Total, Violation,
    on_one_line, with_graph,
};

use crate::input::InputGraph;
use crate::report::float;

/// The proof that a forest is correct, or the first violation.
pub(crate) type Verdict = Result<Certificate, Violation>;

/// What was proved of the forest of a solver.
pub(crate) enum Proof {
    /// It is the canonical forest.
    Canonical(Certificate),
    /// It is a spanning forest, as an approximate solver promises. The canonical forest has this
    /// total.
    Spanning { optimum: Total },
}

/// Decides whether the edges `ids` are the spanning forest of `graph` in this order.
///
/// # Errors
/// When the system does not grant the memory for the decision.
pub(crate) fn verify(
    graph: &AnyGraph,
    order: Order,
    ids: &[EdgeId],
) -> Result<Verdict, OutOfMemory> {
    match with_graph!(graph, graph => kostra_core::verify(graph.edge_list().edges(order), ids)) {
        Ok(certificate) => Ok(Ok(certificate)),
        Err(error) => error.violation().map(Err),
    }
}

/// A fault of a forest of `input`, with the names of the vertices if they have names.
pub(crate) fn fault(violation: &Violation, input: &InputGraph) -> String {
    violation.describe(|vertex| {
        match input.parsed.names.as_deref().and_then(|names| names.get(vertex as usize)) {
            Some(name) => on_one_line(name).into_owned(),
            None => vertex.to_string(),
        }
    })
}

/// Decides whether `forest` is a spanning forest of `graph`, and compares its total with that of
/// the canonical forest. An exact solver finds the canonical forest on `threads` threads, and
/// [`verify`] proves it.
///
/// # Errors
/// When the system does not grant the memory, or the exact solver returns a wrong forest.
pub(crate) fn verify_approximate(
    graph: &AnyGraph,
    order: Order,
    forest: &Forest,
    threads: usize,
) -> anyhow::Result<Result<Proof, Violation>> {
    match verify(graph, order, forest.ids())? {
        Ok(_) => return Ok(Ok(Proof::Spanning { optimum: forest.total() })),
        Err(Violation::NotMinimal { .. } | Violation::Missed { .. }) => {}
        Err(violation) => return Ok(Err(violation)),
    }
    // The forest has no cycle, because a cycle would have been reported first.
    if let Some(missed) =
        with_graph!(graph, graph => missed(graph.edge_list().edges(order), forest)?)
    {
        return Ok(Err(missed));
    }
    let solve = Solve::new().device(DeviceChoice::Processor).order(order).threads(threads);
    let best = solve.run_any(graph)?;
    match verify(graph, order, best.forest.ids())? {
        Ok(_) => Ok(Ok(Proof::Spanning { optimum: best.forest.total() })),
        Err(violation) => anyhow::bail!(
            "the optimum cannot be determined, because {} returned a wrong forest: {violation}",
            best.solver.id
        ),
    }
}

/// By how much a total misses the optimum.
pub(crate) fn excess(total: Total, optimum: Total, order: Order) -> Total {
    let (more, less) = match order {
        Order::Minimum => (total, optimum),
        Order::Maximum => (optimum, total),
    };
    match (more, less) {
        (Total::Integer(more), Total::Integer(less)) => Total::Integer(more.saturating_sub(less)),
        // Equal infinities differ by nothing.
        (more, less) if more == less => Total::Float(0.0),
        (more, less) => {
            let excess = float(more) - float(less);
            // The sums are rounded, so the difference of equal sums may be a little below 0.
            Total::Float(if excess < 0.0 { 0.0 } else { excess })
        }
    }
}

/// The first edge that joins two trees of the forest.
fn missed<K: Key>(edges: Edges<'_, K>, forest: &Forest) -> Result<Option<Violation>, OutOfMemory> {
    let trees = forest.labels(edges)?;
    let joins = |&edge: &EdgeId| {
        let (u, v) = edges.ends(edge);
        trees.component_of(u) != trees.component_of(v)
    };
    Ok(edges.ids().find(joins).map(|edge| {
        let (u, v) = edges.ends(edge);
        Violation::Missed { edge: edge.into(), u, v }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A triangle with weights 1, 2 and 4, and an edge of weight 7 to a fourth vertex.
    fn graph() -> AnyGraph {
        AnyGraph::from_edges(4, vec![0, 1, 2, 2], vec![1, 2, 0, 3], vec![1, 2, 4, 7]).unwrap()
    }

    fn judge(order: Order, ids: &[EdgeId]) -> Result<Total, Violation> {
        let graph = graph();
        let forest = with_graph!(&graph, graph => {
            Forest::new(graph.edge_list().edges(order), ids.to_vec())
        });
        verify_approximate(&graph, order, &forest, 1).unwrap().map(|proof| match proof {
            Proof::Spanning { optimum } => optimum,
            Proof::Canonical(_) => panic!("an approximate solver does not promise this"),
        })
    }

    #[test]
    fn a_spanning_forest_is_compared_with_the_optimum() {
        assert_eq!(judge(Order::Minimum, &[0, 1, 3]), Ok(Total::Integer(10)));
        assert_eq!(judge(Order::Minimum, &[1, 2, 3]), Ok(Total::Integer(10)));
        assert_eq!(judge(Order::Maximum, &[0, 1, 3]), Ok(Total::Integer(13)));
    }

    #[test]
    fn what_is_no_spanning_forest_is_refuted_although_it_is_not_minimal_either() {
        let missed = Violation::Missed { edge: 3, u: 2, v: 3 };
        assert_eq!(judge(Order::Minimum, &[1, 2]), Err(missed.clone()));
        assert_eq!(judge(Order::Minimum, &[0, 1]), Err(missed));
        let cycle = judge(Order::Minimum, &[0, 1, 2, 3]);
        assert!(matches!(cycle, Err(Violation::Cycle { edge: 2, .. })), "{cycle:?}");
    }
}
