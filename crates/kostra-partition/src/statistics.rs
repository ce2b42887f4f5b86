//! The quality of a partition, counted from the graph and the parts alone.

use crate::{Partition, PartitionError, WeightedGraph};

/// The quality of a partition.
#[derive(Clone, Debug, PartialEq)]
pub struct Statistics {
    /// The weight of all edges between different parts.
    pub edge_cut: i64,
    /// The weight of the heaviest part, divided by the mean weight of a part; 1 if all vertices
    /// have weight 0.
    pub balance: f64,
    /// The number of vertices with a neighbor in another part.
    pub boundary_vertices: u32,
    /// The sum over all vertices of the number of other parts that contain a neighbor. It is the
    /// number of values that parts must send if every vertex sends one value to its neighbors.
    pub communication_volume: u64,
    /// The number of vertices of each part.
    pub part_sizes: Vec<u32>,
    /// The weight of the vertices of each part.
    pub part_weights: Vec<i64>,
}

impl Statistics {
    /// Counts all figures, in O(n + m + k). The count shares no state with the partitioner.
    ///
    /// # Errors
    /// When the partition is of another number of vertices.
    pub fn count(graph: &WeightedGraph, partition: &Partition) -> Result<Self, PartitionError> {
        if partition.vertices() != graph.vertices() {
            return Err(PartitionError::WrongLength {
                array: "the partition",
                found: partition.vertices() as usize,
                expected: graph.vertices() as usize,
            });
        }
        let parts = partition.count() as usize;
        let (mut part_sizes, mut part_weights) = (vec![0_u32; parts], vec![0_i64; parts]);
        let (mut doubled_cut, mut boundary_vertices, mut communication_volume) = (0, 0, 0);
        let mut last_seen_by = vec![None; parts];
        for v in 0..graph.vertices() {
            let own = partition.part(v);
            part_sizes[own as usize] += 1;
            part_weights[own as usize] += graph.weight(v);
            let mut others = 0;
            for (neighbor, weight) in graph.row(v) {
                let part = partition.part(neighbor);
                if part != own {
                    doubled_cut += weight;
                    others += u64::from(last_seen_by[part as usize].replace(v) != Some(v));
                }
            }
            boundary_vertices += u32::from(others > 0);
            communication_volume += others;
        }
        let heaviest = part_weights.iter().copied().max().unwrap_or_default();
        let mean = graph.total_weight() as f64 / parts as f64;
        let balance = if mean > 0.0 { heaviest as f64 / mean } else { 1.0 };
        Ok(Self {
            edge_cut: doubled_cut / 2,
            balance,
            boundary_vertices,
            communication_volume,
            part_sizes,
            part_weights,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_of_a_small_graph_are_those_counted_by_hand() {
        // A square 0-1-2-3 with weights 1, 2, 3, 4, and a diagonal 0-2 of weight 10.
        let (u, v) = ([0, 1, 2, 3, 0], [1, 2, 3, 0, 2]);
        let graph = WeightedGraph::from_edges(4, &u, &v, Some(&[1, 2, 3, 4, 10])).unwrap();
        let partition = Partition::new(vec![0, 0, 1, 2], 3).unwrap();
        let statistics = Statistics::count(&graph, &partition).unwrap();
        assert_eq!(statistics.edge_cut, 2 + 3 + 4 + 10);
        assert_eq!(statistics.boundary_vertices, 4);
        assert_eq!(statistics.communication_volume, 2 + 1 + 2 + 2);
        assert_eq!(statistics.part_sizes, [2, 1, 1]);
        assert!((statistics.balance - 1.5).abs() < 1e-12);
        let short = Partition::new(vec![0], 1).unwrap();
        assert!(Statistics::count(&graph, &short).is_err());
    }
}
