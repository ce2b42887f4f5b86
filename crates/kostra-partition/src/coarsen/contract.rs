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
    // One thread needs no blocks, which would have to be joined.
    let block = if team.threads() == 1 { count as usize } else { BLOCK };
    let blocks = map_blocks(
        team,
        (count as usize, block),
        || vec![NONE; count as usize],
        |position, range| merge_rows(graph, (&map, &groups), position, range),
    );
    let rows = join(blocks, count as usize)?;
    let mut offsets = rows.ends;
    offsets.insert(0, 0);
    let coarse =
        WeightedGraph::of_checked(offsets, rows.neighbors, rows.edge_weights, rows.vertex_weights);
    Ok((coarse, map))
}

/// Joins blocks of consecutive rows.
fn join(mut blocks: Vec<Block>, count: usize) -> Result<Block, PartitionError> {
    if let [_] = blocks[..] {
        return Ok(blocks.remove(0));
    }
    let entries = blocks.iter().map(|block| block.neighbors.len()).sum();
    let mut all = Block {
        ends: memory::with_capacity(count + 1)?,
        neighbors: memory::with_capacity(entries)?,
        edge_weights: memory::with_capacity(entries)?,
        vertex_weights: memory::with_capacity(count)?,
    };
    for block in blocks {
        let start = all.neighbors.len();
        all.ends.extend(block.ends.iter().map(|end| start + end));
        all.neighbors.extend(block.neighbors);
        all.edge_weights.extend(block.edge_weights);
        all.vertex_weights.extend(block.vertex_weights);
    }
    Ok(all)
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
    let mut ends = Vec::with_capacity(range.len() + 1);
    let mut vertex_weights = Vec::with_capacity(range.len());
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
    use proptest::prelude::*;

    use super::*;
    use crate::{Partition, Statistics};

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

    /// A number of vertices, edges with weights, and a label and a part for each vertex.
    type Case = (u32, Vec<(u32, u32, i64)>, Vec<u32>, Vec<u32>);

    fn any_case() -> impl Strategy<Value = Case> {
        (1_u32..80).prop_flat_map(|n| {
            let edges = prop::collection::vec((0..n, 0..n, 0_i64..20), 0..300);
            let labels = prop::collection::vec(0..n, n as usize);
            (Just(n), edges, labels, prop::collection::vec(0_u32..4, n as usize))
        })
    }

    proptest! {
        #[test]
        fn contraction_removes_inner_edges_and_projection_keeps_all_weights(
            (n, edges, labels, parts) in any_case(),
        ) {
            let u: Vec<_> = edges.iter().map(|edge| edge.0).collect();
            let v: Vec<_> = edges.iter().map(|edge| edge.1).collect();
            let weights: Vec<_> = edges.iter().map(|edge| edge.2).collect();
            let graph = WeightedGraph::from_edges(n, &u, &v, Some(&weights)).unwrap();
            let (coarse, map) = with_team(2, |team| contract(&graph, &labels, team)).unwrap();
            let outer = edges.iter().filter(|e| labels[e.0 as usize] != labels[e.1 as usize]);
            let expected: i64 = outer.map(|edge| edge.2).sum();
            // Each edge is in the rows of both endpoints.
            prop_assert_eq!(coarse.edge_weights().iter().sum::<i64>(), 2 * expected);

            let coarse_parts = parts[..coarse.vertices() as usize].to_vec();
            let fine_parts = map.iter().map(|&c| coarse_parts[c as usize]).collect();
            let above = Partition::new(coarse_parts, 4).unwrap();
            let below = Partition::new(fine_parts, 4).unwrap();
            let above = Statistics::count(&coarse, &above).unwrap();
            let below = Statistics::count(&graph, &below).unwrap();
            prop_assert_eq!(above.edge_cut, below.edge_cut);
            prop_assert_eq!(above.part_weights, below.part_weights);
        }
    }
}
