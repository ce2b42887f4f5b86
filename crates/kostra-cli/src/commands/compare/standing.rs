//! Whether the forests of several algorithms are those that the algorithms promise.

use kostra_core::{AnyGraph, Forest, Order, Total, Violation};

use super::Plan;
use super::measure::Contestant;
use crate::input::InputGraph;
use crate::verdict::{Proof, excess, fault, verify, verify_approximate};

/// What is known of the forest of an algorithm.
#[derive(Debug)]
pub(super) enum Standing {
    /// It is proved to be the canonical forest, so it equals every other one that is.
    Equal,
    /// It is not what the algorithm promises, for this reason.
    Wrong(String),
    /// The algorithm is approximate. Its forest spans the graph, and misses the optimum by this
    /// much.
    Approximate { excess: Total, optimum: Total },
    /// The algorithm did not solve the graph.
    Failed(String),
}

impl Standing {
    /// Whether the algorithm solved the graph as it promises.
    pub(super) fn is_as_promised(&self) -> bool {
        matches!(self, Self::Equal | Self::Approximate { .. })
    }
}

/// Verifies each forest, so that no algorithm is trusted.
///
/// # Errors
/// When the system does not grant the memory.
pub(super) fn compare(
    plan: &Plan,
    input: &InputGraph,
    contestants: &[Contestant],
) -> anyhow::Result<Vec<Standing>> {
    let (graph, how) = (&input.parsed.graph, (plan.order, plan.input.threads.wanted()));
    let standing = |contestant: &Contestant| match &contestant.result {
        Ok(forest) => Ok(judge(graph, forest, contestant.info.exact, how)?
            .unwrap_or_else(|violation| Standing::Wrong(fault(&violation, input)))),
        Err(error) => Ok(Standing::Failed(error.to_string())),
    };
    contestants.iter().map(standing).collect()
}

fn judge(
    graph: &AnyGraph,
    forest: &Forest,
    is_exact: bool,
    (order, threads): (Order, usize),
) -> anyhow::Result<Result<Standing, Violation>> {
    if is_exact {
        return Ok(verify(graph, order, forest.ids())?.map(|_| Standing::Equal));
    }
    Ok(verify_approximate(graph, order, forest, threads)?.map(|proof| match proof {
        Proof::Spanning { optimum } => {
            Standing::Approximate { excess: excess(forest.total(), optimum, order), optimum }
        }
        Proof::Canonical(_) => Standing::Equal,
    }))
}

#[cfg(test)]
mod tests {
    use kostra_core::with_graph;

    use super::*;

    #[test]
    fn other_edges_are_wrong_for_an_exact_algorithm_and_an_excess_for_another() {
        let graph = AnyGraph::from_edges(3, vec![0, 1, 2], vec![1, 2, 0], vec![1, 2, 4]).unwrap();
        let judge = |ids: &[u32], is_exact| {
            let ids = ids.to_vec();
            let forest = with_graph!(&graph, graph => {
                Forest::new(graph.edge_list().edges(Order::Minimum), ids)
            });
            judge(&graph, &forest, is_exact, (Order::Minimum, 1)).unwrap()
        };
        assert!(judge(&[0, 1], true).unwrap().is_as_promised());
        assert!(matches!(judge(&[0, 2], true), Err(Violation::NotMinimal { edge: 1, .. })));
        assert!(judge(&[0], false).is_err());
        match judge(&[0, 2], false) {
            Ok(Standing::Approximate { excess, optimum }) => {
                assert_eq!((excess, optimum), (Total::Integer(2), Total::Integer(3)));
            }
            other => panic!("{other:?}"),
        }
    }
}
