//! Filter-Kruskal: sort and unite only the lightest edges, drop the edges that are then inside
//! a component, repeat.
//!
//! Kruskal's algorithm sorts every edge, though almost all heavy ones close a cycle. Here a pivot
//! splits off the light edges. When they have been united, a heavy edge with both ends in one
//! component is the heaviest on the cycle that it closes (cycle property), and is dropped without
//! being sorted. The other heavy edges are left for the next turn.
//!
//! Filtering needs a light part of at most half of the edges, and the light part has at least 1.25
//! edges per component. So a graph with fewer than 2.5 edges per vertex, such as a road network,
//! has one turn in which all edges are light: the solver is then Kruskal's algorithm with a radix
//! sort. The counter "edges filtered out" is 0 in such a turn.
//!
//! * Source: Osipov, Sanders & Singler 2009 (Filter-Kruskal), a work that Biagiotti cites. Sousa
//!   2014, section 3.1.2, mentions the idea of leaving heavier edges for later, and attributes it
//!   to Rostrup et al. 2011.
//! * Deviations: they choose the pivot as in quicksort and recurse on both parts; here a sample
//!   places the pivot, so that the light part has about as many edges as a forest, the light part
//!   is sorted at once, and the recursion on the heavy part is a loop.
//! * Expected time O(m + n log n log(m / n)) for random weights, O(m log m) for any.
//! * Scratch 8 bytes per edge at most and 24 per vertex (with 64-bit weights 16 and 44).
//! * Input: edge list. Exact. One thread.

use kostra_core::{
    Algorithm, BitSet, EdgeId, EdgeSet, Edges, Key, OutOfMemory, Platform, Problem, Representation,
    Run, SolveError, SolverInfo, UnionFind, Vertex, memory,
};

use super::unite;
use crate::light_edges::{giant_component, light_edges};
use crate::no_edge;
use crate::radix_sort::radix_sort_by_key;

/// Filter-Kruskal.
pub(crate) struct FilterKruskal;

impl Algorithm for FilterKruskal {
    const INFO: SolverInfo = SolverInfo {
        id: "filter-kruskal",
        title: "Filter-Kruskal",
        source: "Osipov, Sanders & Singler 2009; Sousa 2014, 3.1.2",
        platform: Platform::Sequential,
        representation: Representation::EdgeList,
        exact: true,
        time: "O(m + n log n log(m/n)) expected",
        scratch: "8 bytes per edge, 24 per vertex (16 and 44 with 64-bit weights)",
        options: &[],
    };

    fn solve<K: Key>(
        &self,
        problem: Problem<'_, K>,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        let edges = problem.edges();
        let mut forest = EdgeSet::try_new(edges.len())?;
        let mut components = UnionFind::try_new(edges.vertices())?;
        let mut heavy = Heavy::All(edges.len());
        let mut most_were_kept = false;
        while heavy.len() > 0 {
            run.report.round(components.sets() as usize, heavy.len())?;
            let wanted =
                light_edges(heavy.len(), components.sets(), edges.vertices(), most_were_kept);
            let pivot = run.phase("pivot", |_| heavy.pivot(edges, wanted));
            let mut ranks = run.phase("split", |_| heavy.up_to(edges, pivot))?;
            run.report.counter("light edges", ranks.len() as f64);
            let mut spare = memory::copied(&ranks)?;
            let key = |rank| K::rank_key(rank).to_u64();
            let light = run.phase("sort", |_| radix_sort_by_key(&mut ranks, &mut spare, key));
            run.phase("unite", |run| unite(edges, light, &mut components, &mut forest, run))?;
            let (before, united) = (heavy.len(), light.len());
            drop((ranks, spare));
            heavy = if united == before || components.sets() == 1 {
                Heavy::These(Vec::new())
            } else {
                run.phase("filter", |_| heavy.apart(edges, &mut components))?
            };
            // 0 where all edges were light: then nothing was filtered, and this was Kruskal's
            // algorithm.
            run.report.counter("edges filtered out", (before - united - heavy.len()) as f64);
            most_were_kept = heavy.len() > before / 2;
        }
        Ok(forest)
    }
}

/// The edges that no turn has sorted yet.
enum Heavy {
    /// All edges of the graph.
    All(usize),
    /// These edges, ascending.
    These(Vec<EdgeId>),
}

/// The size of the sample that places a pivot.
const SAMPLE: usize = 1 << 16;
/// The number of edges per block of a selection.
const BLOCK: usize = 1024;

impl Heavy {
    fn len(&self) -> usize {
        match self {
            Self::All(edges) => *edges,
            Self::These(ids) => ids.len(),
        }
    }

    fn get(&self, index: usize) -> EdgeId {
        match self {
            Self::All(_) => index as EdgeId,
            Self::These(ids) => ids[index],
        }
    }

    /// A rank that about `light` of the edges do not exceed.
    fn pivot<K: Key>(&self, edges: Edges<'_, K>, light: usize) -> K::Rank {
        let highest = no_edge::<K>();
        if light >= self.len() {
            return highest;
        }
        // One edge from each of SAMPLE ranges of equal length, at a position that a hash chooses.
        let stretch = self.len().div_ceil(SAMPLE);
        let mut sample: Vec<_> = (0..self.len() / stretch)
            .map(|i| {
                let hash = (i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
                edges.rank(self.get(i * stretch + ((hash * stretch as u64) >> 32) as usize))
            })
            .collect();
        let index = sample.len() * light / self.len();
        *sample.select_nth_unstable(index).1
    }

    /// The ranks of the edges up to the pivot, in ascending id.
    fn up_to<K: Key>(
        &self,
        edges: Edges<'_, K>,
        pivot: K::Rank,
    ) -> Result<Vec<K::Rank>, OutOfMemory> {
        let rank = |id| edges.rank(id);
        let is_light = |rank| rank <= pivot;
        match self {
            Self::All(_) => select(edges.ids().map(rank), is_light),
            Self::These(ids) => select(ids.iter().map(|&id| rank(id)), is_light),
        }
    }

    /// The edges between different components. No light edge is among them, because the light edges
    /// have been united.
    fn apart<K: Key>(
        self,
        edges: Edges<'_, K>,
        components: &mut UnionFind,
    ) -> Result<Self, OutOfMemory> {
        let representatives = components.flatten();
        // Most edges are inside the giant component. One bit per vertex marks its members and fits
        // a closer cache.
        let giant = members_of_giant(representatives)?;
        let is_outside_giant = |id| {
            let (u, v) = edges.ends(id);
            !(giant.contains(u) & giant.contains(v))
        };
        let is_apart = |id| {
            let (u, v) = edges.ends(id);
            representatives[u as usize] != representatives[v as usize]
        };
        let outside = match self {
            Self::All(_) => select(edges.ids(), is_outside_giant),
            Self::These(ids) => select(ids.into_iter(), is_outside_giant),
        }?;
        select(outside.into_iter(), is_apart).map(Self::These)
    }
}

/// The members of the most frequent component in a small sample of vertices.
fn members_of_giant(representatives: &[Vertex]) -> Result<BitSet, OutOfMemory> {
    let giant = giant_component(representatives.len(), |vertex| representatives[vertex]);
    let mut members = BitSet::try_new(representatives.len())?;
    for (vertex, &representative) in (0..).zip(representatives) {
        if Some(representative) == giant {
            members.insert(vertex);
        }
    }
    Ok(members)
}

/// The items that a predicate holds for.
///
/// Works in blocks and in two steps, so that the memory accesses of different items overlap: first
/// the predicate for a whole block, then the selection without an unpredictable branch.
fn select<T: Copy + Default>(
    mut items: impl Iterator<Item = T>,
    holds: impl Fn(T) -> bool,
) -> Result<Vec<T>, OutOfMemory> {
    let mut selected = Vec::new();
    let mut block = [T::default(); BLOCK];
    let mut held = [false; BLOCK];
    loop {
        let mut filled = 0;
        for ((slot, held), item) in block.iter_mut().zip(&mut held).zip(&mut items) {
            *slot = item;
            *held = holds(item);
            filled += 1;
        }
        let mut len = 0;
        for index in 0..filled {
            block[len] = block[index];
            len += usize::from(held[index]);
        }
        memory::reserve(&mut selected, len)?;
        selected.extend_from_slice(&block[..len]);
        if filled < BLOCK {
            return Ok(selected);
        }
    }
}

#[cfg(test)]
mod tests {
    use kostra_core::{AnyGraph, Order};

    use super::*;
    use crate::testing::{CongruentialGenerator, Log, forest_ids};

    /// The reports on a random graph.
    fn log_of(vertices: u32, edges: u32) -> Log {
        let mut random = CongruentialGenerator(5);
        let mut draw = |bound| random.list(edges, bound);
        let (u, v, weights) = (draw(vertices), draw(vertices), draw(1 << 30));
        let graph = AnyGraph::from_edges(vertices as usize, u, v, weights).unwrap();
        let mut log = Log::default();
        let run = Run::new().observed_by(&mut log);
        forest_ids(&FilterKruskal, &graph, Order::Minimum, run);
        log
    }

    #[test]
    fn a_sparse_graph_is_solved_in_one_turn_that_says_that_nothing_was_filtered() {
        let log = log_of(200, 490);
        assert_eq!(log.counters("light edges"), [490.0]);
        assert_eq!(log.counters("edges filtered out"), [0.0]);
        assert!(!log.phases.contains(&"filter"));
    }

    #[test]
    fn every_edge_of_a_dense_graph_is_sorted_or_filtered_out() {
        let log = log_of(100, 4000);
        let (light, filtered) = (log.counters("light edges"), log.counters("edges filtered out"));
        assert!(light.len() > 1 && light.len() == filtered.len(), "{light:?}");
        assert_eq!(light.iter().chain(&filtered).sum::<f64>(), 4000.0);
        assert!(light.iter().sum::<f64>() < 2000.0, "{light:?}");
    }
}
