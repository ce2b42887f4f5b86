//! Filter-Kruskal: sort and unite only the lightest edges, throw out what then lies inside a component, repeat.
//!
//! Kruskal's algorithm sorts every edge, though almost all heavy ones close a cycle. Here a pivot splits off the light
//! edges; when they have been united, a heavy edge whose ends are already together is the heaviest on the cycle that
//! it closes (cycle property) and leaves without ever being sorted. The few that remain take the next turn.
//!
//! * Source: Osipov, Sanders & Singler 2009 (Filter-Kruskal), the refinement of Kruskal's algorithm that
//!   Biagiotti refers to; Sousa 2014, section 3.1.2, describes its idea ("leaving heavier edges to be processed later").
//!   They take the median as pivot and recurse; here a sample places the pivot so that the light part has about as
//!   many edges as a forest needs, and the recursion on the heavy part is a loop.
//! * Expected time O(m + n log n log(m / n)) for random weights, O(m log m) for any.
//! * Scratch 8 bytes an edge at most and 24 a vertex (with 64-bit weights 16 and 44).
//! * Wants an edge list. Exact. One thread.

use kostra_core::{
    Algorithm, BitSet, EdgeId, EdgeSet, Edges, Key, Platform, Problem, Representation, Run, SolveError,
    SolverInfo, UnionFind, Vertex, Weight,
};

use super::{no_edge, unite_ranks};
use crate::light::{giant_component, light_edges};
use crate::radix_sort::sort_by_key;

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
        scratch: "8 bytes an edge, 24 a vertex",
        options: &[],
    };

    fn solve<W: Weight>(&self, problem: Problem<'_, W>, run: &mut Run<'_>) -> Result<EdgeSet, SolveError> {
        let edges = problem.edges();
        let mut forest = EdgeSet::new(edges.len());
        let mut components = UnionFind::new(edges.vertices());
        let mut heavy = Heavy::All(edges.len());
        let mut most_were_kept = false;
        while heavy.len() > 0 {
            run.round(components.sets() as usize, heavy.len())?;
            let wanted = light_edges(heavy.len(), components.sets(), edges.vertices(), most_were_kept);
            let pivot = run.phase("pivot", |_| heavy.pivot(edges, wanted));
            let mut ranks = run.phase("split", |_| heavy.up_to(edges, pivot));
            run.counter("light edges", ranks.len() as f64);
            let mut spare = ranks.clone();
            let key = |rank| W::Key::rank_key(rank).to_u64();
            let light = run.phase("sort", |_| sort_by_key(&mut ranks, &mut spare, key));
            run.phase("unite", |run| unite_ranks(edges, light, &mut components, &mut forest, run))?;
            if light.len() == heavy.len() || components.sets() == 1 {
                break;
            }
            drop((ranks, spare));
            let before = heavy.len();
            heavy = run.phase("filter", |_| heavy.apart(edges, &mut components));
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

/// How many edges are drawn to place a pivot.
const SAMPLE: usize = 1 << 16;
/// How many edges are looked at before what is kept of them is appended.
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
    fn pivot<W: Weight>(&self, edges: Edges<'_, W>, light: usize) -> <W::Key as Key>::Rank {
        let highest = no_edge::<W::Key>();
        if light >= self.len() {
            return highest;
        }
        // One draw from each of SAMPLE stretches of equal length, at a place in it that a hash picks.
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
    fn up_to<W: Weight>(
        &self,
        edges: Edges<'_, W>,
        pivot: <W::Key as Key>::Rank,
    ) -> Vec<<W::Key as Key>::Rank> {
        let rank = |id| edges.rank(id);
        let is_light = |rank| rank <= pivot;
        match self {
            Self::All(_) => select(edges.ids().map(rank), is_light),
            Self::These(ids) => select(ids.iter().map(|&id| rank(id)), is_light),
        }
    }

    /// The edges whose ends are not together yet. None of the light ones is among them: they have been united.
    fn apart<W: Weight>(self, edges: Edges<'_, W>, components: &mut UnionFind) -> Self {
        let representatives = components.flatten();
        // Most edges lie inside one giant component, and one bit a vertex that says so fits a closer cache.
        let giant = members_of_giant(representatives);
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
        };
        Self::These(select(outside.into_iter(), is_apart))
    }
}

/// The members of the component that holds the most vertices of a small sample.
fn members_of_giant(representatives: &[Vertex]) -> BitSet {
    let giant = giant_component(representatives.len(), |vertex| representatives[vertex]);
    let mut members = BitSet::new(representatives.len());
    for (vertex, &representative) in (0..).zip(representatives) {
        if Some(representative) == giant {
            members.insert(vertex);
        }
    }
    members
}

/// The items that a predicate holds for.
///
/// In blocks and in two steps, so that nothing stands between the memory accesses of different items: first the
/// predicate for all of a block, then the selection, without a branch that the processor could mispredict.
fn select<T: Copy + Default>(mut items: impl Iterator<Item = T>, holds: impl Fn(T) -> bool) -> Vec<T> {
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
        selected.extend_from_slice(&block[..len]);
        if filled < BLOCK {
            return selected;
        }
    }
}
