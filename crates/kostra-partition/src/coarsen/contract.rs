//! Contraction: groups of vertices become the vertices of a coarser graph.
//!
//! Source: Manoochehri 2017, section 4.2.1. The map from vertices to coarse vertices takes four
//! steps: mark each group's label, take the prefix sums of the marks, and give each vertex the
//! number of its label. Then the rows of each group are merged: edges inside the group vanish, and
//! edges to the same group become one edge with the sum of their weights.
//!
//! O(n + m); the threads merge disjoint blocks of coarse vertices, with 4 bytes per coarse vertex
//! and thread to find parallel edges.

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

use kostra_core::{OutOfMemory, Vertex, memory};
use kostra_parallel::{Team, atomic_u32, exclusive_prefix_sum, for_each_item};

use crate::team::{BLOCK, for_each_chunk, map_blocks};
use crate::{PartitionError, WeightedGraph};

/// The least number of coarse vertices that a thread merges at once.
const LEAST_BLOCK: usize = 1 << 10;
/// The number of blocks of coarse vertices for each thread.
const BLOCKS_PER_THREAD: usize = 4;
/// The rows of the group that is this number of groups ahead are fetched into the cache.
const AHEAD: usize = 8;
/// No position: the coarse vertex is not in the row yet.
const NONE: u32 = u32::MAX;

/// Contracts each group of vertices with equal labels. Also returns the coarse vertex of each
/// vertex. Coarse vertices are in the order of their labels.
pub(crate) fn contract(
    graph: &WeightedGraph,
    labels: &[u32],
    team: &Team<'_>,
) -> Result<(WeightedGraph, Vec<Vertex>), PartitionError> {
    let (map, count) = number(labels, team)?;
    let count = count as usize;
    let groups = Groups::from_map(&map, count)?;
    // One thread needs no blocks, which would have to be joined.
    let block = match team.threads() {
        1 => count.max(1),
        threads => count.div_ceil(BLOCKS_PER_THREAD * threads).max(LEAST_BLOCK),
    };
    let blocks = map_blocks(
        team,
        (count, block),
        || Merger { position: vec![NONE; count], neighbors: Vec::new(), weights: Vec::new() },
        |merger, range| merger.rows(graph, (&map, &groups), range),
    );
    let blocks = blocks.into_iter().collect::<Result<Vec<_>, _>>()?;
    let rows = join(blocks, count, team)?;
    let mut offsets = rows.ends;
    offsets.insert(0, 0);
    let coarse =
        WeightedGraph::of_checked(offsets, rows.neighbors, rows.edge_weights, rows.vertex_weights);
    Ok((coarse, map))
}

/// Joins blocks of consecutive rows, with `count` rows in all.
fn join(mut blocks: Vec<Block>, count: usize, team: &Team<'_>) -> Result<Block, OutOfMemory> {
    if let [_] = blocks[..] {
        return Ok(blocks.remove(0));
    }
    let entries = blocks.iter().map(|block| block.neighbors.len()).sum();
    let mut ends = memory::with_capacity(count + 1)?;
    let mut vertex_weights = memory::with_capacity(count)?;
    let mut neighbors = memory::zeros(entries)?;
    let mut edge_weights = memory::zeros(entries)?;
    let (mut free_neighbors, mut free_weights) = (&mut neighbors[..], &mut edge_weights[..]);
    let mut places = Vec::with_capacity(blocks.len());
    let mut start = 0;
    for block in &blocks {
        ends.extend(block.ends.iter().map(|end| start + end));
        vertex_weights.extend_from_slice(&block.vertex_weights);
        start += block.neighbors.len();
        let place = (
            free_neighbors.split_off_mut(..block.neighbors.len()).unwrap_or_default(),
            free_weights.split_off_mut(..block.neighbors.len()).unwrap_or_default(),
        );
        places.push(place);
    }
    for_each_item(team, places.into_iter().zip(&blocks), |((neighbors, edge_weights), block)| {
        neighbors.copy_from_slice(&block.neighbors);
        edge_weights.copy_from_slice(&block.edge_weights);
    });
    Ok(Block { ends, neighbors, edge_weights, vertex_weights })
}

/// Numbers the labels in ascending order. Returns the number of each vertex's label, and the number
/// of labels.
fn number(labels: &[u32], team: &Team<'_>) -> Result<(Vec<Vertex>, u32), OutOfMemory> {
    let mut numbers: Vec<u32> = memory::zeros(labels.len())?;
    let marks = atomic_u32(&mut numbers);
    team.in_parts(labels.len(), |_, range| {
        labels[range].iter().for_each(|&label| marks[label as usize].store(1, Relaxed));
    });
    let count = exclusive_prefix_sum(team, marks);
    let mut map = memory::zeros(labels.len())?;
    for_each_chunk(team, &mut map, BLOCK, |first, chunk| {
        for (vertex, &label) in chunk.iter_mut().zip(&labels[first..]) {
            *vertex = numbers[label as usize];
        }
    });
    Ok((map, count))
}

/// The members of each group, as lists.
struct Groups {
    /// The lowest member of each group.
    first: Vec<Vertex>,
    /// The next higher member of each vertex's group; [`NONE`] for the highest.
    next: Vec<Vertex>,
}

impl Groups {
    fn from_map(map: &[Vertex], count: usize) -> Result<Self, OutOfMemory> {
        let mut first = memory::filled(count, NONE)?;
        let mut next = memory::zeros(map.len())?;
        for (v, next) in next.iter_mut().enumerate().rev() {
            *next = std::mem::replace(&mut first[map[v] as usize], v as Vertex);
        }
        Ok(Self { first, next })
    }

    /// The members of a group, ascending.
    fn members(&self, group: usize) -> impl Iterator<Item = Vertex> + '_ {
        let is_vertex = |v: Vertex| (v != NONE).then_some(v);
        let next = move |&v: &Vertex| is_vertex(self.next[v as usize]);
        std::iter::successors(is_vertex(self.first[group]), next)
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

/// Memory for the merge of rows.
struct Merger {
    /// The position of each coarse vertex in the current row, or [`NONE`].
    position: Vec<u32>,
    /// The current row. Values after the row have no meaning.
    neighbors: Vec<Vertex>,
    weights: Vec<i64>,
}

impl Merger {
    /// The rows of a range of groups.
    fn rows(
        &mut self,
        graph: &WeightedGraph,
        (map, groups): (&[Vertex], &Groups),
        range: Range<usize>,
    ) -> Result<Block, OutOfMemory> {
        let degree = |group| groups.members(group).map(|v| graph.degree(v)).sum::<usize>();
        let most = range.clone().map(degree).sum();
        let mut block = Block {
            ends: memory::with_capacity(range.len() + 1)?,
            neighbors: memory::with_capacity(most)?,
            edge_weights: memory::with_capacity(most)?,
            vertex_weights: memory::with_capacity(range.len())?,
        };
        let end = range.end;
        for group in range {
            if group + AHEAD < end {
                groups.members(group + AHEAD).for_each(|v| graph.prefetch_row(v));
            }
            let weight = groups.members(group).map(|v| graph.weight(v)).sum();
            let len = self.merge(graph, map, group, groups.members(group));
            block.neighbors.extend_from_slice(&self.neighbors[1..len]);
            block.edge_weights.extend_from_slice(&self.weights[1..len]);
            block.ends.push(block.neighbors.len());
            block.vertex_weights.push(weight);
        }
        Ok(block)
    }

    /// Merges the rows of a group, and returns the end of the merged row. Its first entry is the
    /// group itself. Whether an entry is new is hard to foresee, so the loop has no branches.
    fn merge(
        &mut self,
        graph: &WeightedGraph,
        map: &[Vertex],
        group: usize,
        members: impl Iterator<Item = Vertex>,
    ) -> usize {
        let mut len = 1;
        self.position[group] = 0;
        for member in members {
            let most = len + graph.degree(member);
            if self.neighbors.len() <= most {
                self.neighbors.resize(2 * most, 0);
                self.weights.resize(2 * most, 0);
            }
            for (neighbor, weight) in graph.row(member) {
                let coarse = map[neighbor as usize];
                let place = &mut self.position[coarse as usize];
                let is_new = *place == NONE;
                let index = if is_new { len } else { *place as usize };
                *place = index as u32;
                self.neighbors[index] = coarse;
                self.weights[index] = weight + if is_new { 0 } else { self.weights[index] };
                len += usize::from(is_new);
            }
        }
        self.position[group] = NONE;
        for &coarse in &self.neighbors[1..len] {
            self.position[coarse as usize] = NONE;
        }
        len
    }
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
