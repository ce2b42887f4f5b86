//! Weights of a graph as the importance of its edges: how much each edge adds to the cut.

use kostra_core::{AnyGraph, EdgeId, OutOfMemory, Total, Weight, memory, with_graph};

use crate::{PartitionError, WeightedGraph};

impl WeightedGraph {
    /// The graph with its own weights as the importance of its edges, and weight 1 for each vertex.
    /// Whole floating-point numbers are allowed. Parallel edges add up. O(n + m).
    ///
    /// # Errors
    /// When a weight is negative or not a whole number, the sum of the weights is too large, or the
    /// system refuses the memory.
    pub fn of_edge_weights(graph: &AnyGraph) -> Result<Self, PartitionError> {
        let weights = with_graph!(graph, graph => {
            let weights = graph.edge_list().weights();
            match weights.iter().position(|&weight| importance(weight).is_none()) {
                None => all(weights)?,
                Some(edge) => return Err(PartitionError::NoImportance {
                    edge: edge as EdgeId,
                    weight: weights[edge].to_string(),
                }),
            }
        });
        Self::from_edges(graph.vertices(), graph.u(), graph.v(), Some(&weights))
    }
}

fn all<W: Weight>(weights: &[W]) -> Result<Vec<i64>, OutOfMemory> {
    memory::collected(weights.iter().map(|&weight| importance(weight).unwrap_or_default()))
}

/// A weight as a whole number from 0, if it is one.
fn importance<W: Weight>(weight: W) -> Option<i64> {
    match W::total(std::iter::once(weight)) {
        Total::Integer(number) => i64::try_from(number).ok().filter(|&number| number >= 0),
        Total::Float(number) => {
            // 2^63 is the first number that does not fit.
            let fits =
                number.fract() == 0.0 && (0.0..9_223_372_036_854_775_808.0).contains(&number);
            fits.then_some(number as i64)
        }
    }
}

#[cfg(test)]
mod tests {
    use kostra_core::EdgeList;

    use super::*;

    fn of_weights<W: Weight>(weights: Vec<W>) -> Result<WeightedGraph, PartitionError>
    where
        AnyGraph: From<EdgeList<W>>,
    {
        let (u, v) = (vec![0, 1, 0], vec![1, 2, 1]);
        WeightedGraph::of_edge_weights(&AnyGraph::from_edges(3, u, v, weights).unwrap())
    }

    #[test]
    fn weights_of_every_type_are_the_importance() {
        let graphs = [
            of_weights(vec![3_u32, 0, 4]),
            of_weights(vec![3_i32, 0, 4]),
            of_weights(vec![3_u64, 0, 4]),
            of_weights(vec![3_i64, 0, 4]),
            of_weights(vec![3.0_f32, -0.0, 4.0]),
            of_weights(vec![3.0_f64, 0.0, 4.0]),
        ];
        for graph in graphs {
            let graph = graph.unwrap();
            assert_eq!(graph.row(1).collect::<Vec<_>>(), [(0, 7), (2, 0)]);
            assert_eq!(graph.vertex_weights(), [1, 1, 1]);
        }
    }

    #[test]
    fn a_weight_that_is_no_importance_is_refused_with_its_edge() {
        let message = |refused: Result<_, PartitionError>| refused.unwrap_err().to_string();
        for (text, found) in [
            ("edge 1 has weight -1;", message(of_weights(vec![3_i32, -1, 4]))),
            ("edge 2 has weight 2.5;", message(of_weights(vec![3.0_f32, 1.0, 2.5]))),
            ("edge 0 has weight inf;", message(of_weights(vec![f64::INFINITY, 1.0, 2.0]))),
            ("edge 1 has weight 18446744073709551615;", message(of_weights(vec![1, u64::MAX, 0]))),
            (
                "edge 1 has weight 9223372036854776000;",
                message(of_weights(vec![1.0, 2_f64.powi(63), 0.0])),
            ),
        ] {
            assert!(found.starts_with(text) && found.contains("whole number from 0"), "{found}");
        }
        let all_too_large = of_weights(vec![i64::MAX / 4, i64::MAX / 4, 0]);
        assert!(message(all_too_large).contains("the sum of the weights of all edges"));
    }
}
