//! Contraction: groups of vertices become the vertices of a coarser graph.
//!
//! Source: Manoochehri 2017, section 4.2.1. The map from vertices to coarse vertices takes four
//! steps: mark each group's label, take the prefix sums of the marks, and give each vertex the
//! number of its label. Then the rows of each group are merged: edges inside the group vanish, and
//! edges to the same group become one edge with the sum of their weights.
//!
//! O(n + m); the threads merge disjoint blocks of coarse vertices, with 4 bytes per coarse vertex
//! and thread to find parallel edges.

use kostra_core::{Vertex, memory};
use kostra_parallel::Team;

use crate::team::map_blocks;
use crate::{PartitionError, WeightedGraph};

/// The number of coarse vertices that a thread merges at once.
const BLOCK: usize = 1 << 10;
/// No position: the coarse vertex is not in the row yet.
const NONE: u32 = u32::MAX;

/// Contracts each group of vertices with equal labels. Also returns the coarse vertex of each
/// vertex. Coarse vertices are in the order of their labels.
pub(crate) fn contract(
    graph: &WeightedGraph,
    labels: &[u32],
    team: &Team<'_>,
) -> Result<(WeightedGraph, Vec<Vertex>), PartitionError> {
    let (map, count) = number(labels)?;
    let groups = Groups::from_map(&map, count)?;
    let blocks = map_blocks(
        team,
        (count as usize, BLOCK),
        || vec![NONE; count as usize],
        |position, range| merge_rows(graph, (&map, &groups), position, range),
    );
    let entries = blocks.iter().map(|block| block.neighbors.len()).sum();
    let mut offsets = memory::with_capacity(count as usize + 1)?;
    let mut neighbors = memory::with_capacity(entries)?;
    let mut edge_weights = memory::with_capacity(entries)?;
    let mut vertex_weights = memory::with_capacity(count as usize)?;
    offsets.push(0);
    for block in blocks {
        let start = neighbors.len();
        offsets.extend(block.ends.iter().map(|end| start + end));
        neighbors.extend(block.neighbors);
        edge_weights.extend(block.edge_weights);
        vertex_weights.extend(block.vertex_weights);
    }
    Ok((WeightedGraph::of_checked(offsets, neighbors, edge_weights, vertex_weights), map))
}

/// Numbers the labels in ascending order. Returns the number of each vertex's label, and the number
/// of labels.
fn number(labels: &[u32]) -> Result<(Vec<Vertex>, u32), PartitionError> {
    let mut numbers: Vec<u32> = memory::zeros(labels.len())?;
    labels.iter().for_each(|&label| numbers[label as usize] = 1);
    let mut count = 0;
    for number in &mut numbers {
        count += std::mem::replace(number, count);
    }
    Ok((memory::collected(labels.iter().map(|&label| numbers[label as usize]))?, count))
}

/// The members of each group.
struct Groups {
    starts: Vec<u32>,
    members: Vec<Vertex>,
}

impl Groups {
    fn from_map(map: &[Vertex], count: u32) -> Result<Self, PartitionError> {
        let mut starts: Vec<u32> = memory::zeros(count as usize + 1)?;
        map.iter().for_each(|&group| starts[group as usize] += 1);
        let mut total = 0;
        for start in &mut starts {
            total += std::mem::replace(start, total);
        }
        let mut members = memory::zeros(map.len())?;
        for (v, &group) in map.iter().enumerate() {
            members[starts[group as usize] as usize] = v as Vertex;
            starts[group as usize] += 1;
        }
        starts.rotate_right(1);
        starts[0] = 0;
        Ok(Self { starts, members })
    }

    fn members(&self, group: usize) -> &[Vertex] {
        &self.members[self.starts[group] as usize..self.starts[group + 1] as usize]
    }
}

/// The rows of consecutive coarse vertices.
struct Block {
    /// The end of each row in `neighbors`.
    ends: Vec<usize>,
    neighbors: Vec<Vertex>,
    edge_weights: Vec<i64>,
    vertex_weights: Vec<i64>,
}

fn merge_rows(
    graph: &WeightedGraph,
    (map, groups): (&[Vertex], &Groups),
    position: &mut [u32],
    range: std::ops::Range<usize>,
) -> Block {
    let (mut neighbors, mut edge_weights) = (Vec::<Vertex>::new(), Vec::<i64>::new());
    let (mut ends, mut vertex_weights) = (Vec::new(), Vec::new());
    for group in range {
        let start = neighbors.len();
        let members = groups.members(group);
        for &member in members {
            for (neighbor, weight) in graph.row(member) {
                let coarse = map[neighbor as usize];
                if coarse as usize == group {
                    continue;
                }
                let place = &mut position[coarse as usize];
                if *place == NONE {
                    *place = (neighbors.len() - start) as u32;
                    neighbors.push(coarse);
                    edge_weights.push(weight);
                } else {
                    edge_weights[start + *place as usize] += weight;
                }
            }
        }
        neighbors[start..].iter().for_each(|&coarse| position[coarse as usize] = NONE);
        ends.push(neighbors.len());
        vertex_weights.push(members.iter().map(|&member| graph.weight(member)).sum());
    }
    Block { ends, neighbors, edge_weights, vertex_weights }
}

#[cfg(test)]
mod tests {
    use kostra_parallel::with_team;

    use super::*;

    #[test]
    fn parallel_edges_are_merged_and_weights_add_up() {
        let (u, v) = ([0, 1, 2, 3, 0, 0], [1, 2, 3, 4, 3, 4]);
        let graph = WeightedGraph::from_edges(5, &u, &v, Some(&[1, 2, 3, 4, 5, 6])).unwrap();
        let labels = [3, 1, 1, 3, 4];
        let (coarse, map) = with_team(2, |team| contract(&graph, &labels, team)).unwrap();
        assert_eq!(map, [1, 0, 0, 1, 2]);
        assert_eq!(coarse.vertex_weights(), [2, 2, 1]);
        assert!(coarse.row(0).eq([(1, 3 + 1)]));
        assert!(coarse.row(1).eq([(0, 1 + 3), (2, 6 + 4)]));
        assert!(coarse.row(2).eq([(1, 10)]));
    }
}
