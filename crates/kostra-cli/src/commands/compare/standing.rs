//! Whether the forests of several algorithms are those that the algorithms promise.

use kostra::{DeviceChoice, Solve};
use kostra_core::{AnyGraph, Forest, Order, Total};

use super::Plan;
use super::measure::Contestant;
use crate::verdict::excess;

/// How a forest compares with the reference, the forest of the first exact algorithm.
#[derive(Debug)]
pub(super) enum Standing {
    /// The edges are the same.
    Equal,
    /// The edges differ, although the algorithm is exact; or the forest of an approximate algorithm
    /// has another number of edges, so it does not span the graph.
    Different,
    /// The algorithm is approximate. Its forest misses the optimum by this much.
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

/// Compares each forest with that of the first exact algorithm. If there is none, the fastest exact
/// algorithm on the processor finds the reference.
///
/// # Errors
/// When that algorithm does not solve the graph.
pub(super) fn compare(
    plan: &Plan,
    graph: &AnyGraph,
    contestants: &[Contestant],
) -> anyhow::Result<Vec<Standing>> {
    let exact = contestants.iter().filter(|contestant| contestant.info.exact);
    let reference = match exact.filter_map(|contestant| contestant.result.as_ref().ok()).next() {
        Some(forest) => forest.clone(),
        None => {
            let solve = Solve::new().device(DeviceChoice::Processor).order(plan.order);
            solve.threads(plan.input.threads.wanted()).run_any(graph)?.forest
        }
    };
    let standing = |contestant: &Contestant| match &contestant.result {
        Ok(forest) => judge(forest, &reference, contestant.info.exact, plan.order),
        Err(error) => Standing::Failed(error.to_string()),
    };
    Ok(contestants.iter().map(standing).collect())
}

fn judge(forest: &Forest, reference: &Forest, is_exact: bool, order: Order) -> Standing {
    if is_exact {
        let is_equal = forest.ids() == reference.ids();
        return if is_equal { Standing::Equal } else { Standing::Different };
    }
    if forest.ids().len() != reference.ids().len() {
        return Standing::Different;
    }
    let optimum = reference.total();
    Standing::Approximate { excess: excess(forest.total(), optimum, order), optimum }
}

#[cfg(test)]
mod tests {
    use kostra_core::with_graph;

    use super::*;

    #[test]
    fn other_edges_are_a_difference_for_an_exact_algorithm_and_an_excess_for_another() {
        let graph = AnyGraph::from_edges(3, vec![0, 1, 2], vec![1, 2, 0], vec![1, 2, 4]).unwrap();
        let forest = |ids: &[u32]| {
            let ids = ids.to_vec();
            with_graph!(&graph, graph => {
                Forest::new(graph.edge_list().edges(Order::Minimum), ids)
            })
        };
        let best = forest(&[0, 1]);
        let judge = |ids: &[u32], is_exact| judge(&forest(ids), &best, is_exact, Order::Minimum);
        assert!(judge(&[0, 1], true).is_as_promised());
        assert!(!judge(&[0, 2], true).is_as_promised());
        assert!(!judge(&[0], false).is_as_promised());
        match judge(&[0, 2], false) {
            Standing::Approximate { excess, optimum } => {
                assert_eq!((excess, optimum), (Total::Integer(2), Total::Integer(3)));
            }
            other => panic!("{other:?}"),
        }
    }
}
