//! Borůvka's algorithm on sparse graphs, filtering by pivots on dense graphs.
//!
//! ```text
//! contract, up to three edges per vertex     filter, more edges per vertex
//!   every vertex: choose its lightest edge     while edges remain:
//!   while edges remain:                          select a batch: the edges up to a pivot
//!     every component: hook onto the other       solve the batch: by Kruskal's algorithm,
//!       end of its lightest edge                   or by rounds as on the left
//!     number the new components, shortcut        label every vertex with its component
//!     relabel the edges, drop those inside       filter: drop remaining edges inside
//!       a component                                a component
//! ```
//!
//! Why it is correct. Edges are ordered by key and, among equal keys, by id. The order is strict.
//!
//! * A round keeps only forest edges: the lightest edge that leaves a component is in the forest
//!   (cut property).
//! * A round closes no cycle. Along a path of hooked components, the chosen edges get lighter or
//!   stay the same. So a cycle consists of two components that chose one edge, and the one with the
//!   lesser number stays a root.
//! * A filter drops only edges that are not in the forest: if both ends of an edge after the pivot
//!   are in one component, it is the heaviest edge of a cycle (cycle property). The edges between
//!   components remain for a later batch.
//! * Source: this project. Filtering by a pivot follows Osipov, Sanders & Singler 2009, contraction
//!   follows Sousa 2014, 4.4. `docs/algorithms/fast.md` explains both in detail.
//! * Time: expected O(m + n log n) for random weights, O((n + m) log n) for any weights, over the
//!   threads. Every component that an edge leaves is merged in a round, so their number at least
//!   halves.
//! * Memory: 12 bytes per edge and 24 per vertex, allocated before the work starts.
//! * Input: an edge list. Exact.

mod batch;
mod batch_kruskal;
mod batch_rounds;
mod bits;
mod candidates;
mod edge_block;
mod filter;
mod filtering;
mod gather;
mod giant_edges;
mod hook;
mod interior;
mod kruskal;
mod labels;
mod parallel_edges;
mod pivot;
mod prefix;
mod relabel;
mod segment;
mod selection;
mod sort;
mod state;
#[cfg(test)]
mod tests;

use kostra_core::{
    Algorithm, BitSet, EdgeId, EdgeSet, Edges, Key, OptionValues, OutOfMemory, Platform, Problem,
    Representation, Run, SolveError, SolverInfo, SolverOption,
};
use kostra_parallel::{SharedEdgeSet, atomic_u32, atomic_u64, edge_ids, with_observed_team};

use self::batch::{Batch, BatchLimits, BatchResult};
pub use self::bits::pack_bits;
use self::filter::FilterArrays;
use self::filtering::Filtering;
use self::interior::BoundaryComponents;
pub use self::interior::{InteriorContraction, UndecidedEdges};
use self::labels::ComponentCounts;
use self::pivot::Pivot;
use self::prefix::PrefixScale;
use self::segment::{Segment, edge_count};
use self::state::{
    AnyOrder, ById, Contraction, Input, ManyThreads, OneThread, Records, Solve, ThreadCount,
};
use crate::MANY;

/// Borůvka's algorithm on sparse graphs, filtering by pivots on dense graphs.
pub(crate) struct Fast;

const GRAIN: SolverOption = SolverOption {
    name: "grain",
    about: "the minimum number of edges for each additional thread",
    default: 1 << 14,
    values: OptionValues::Number { lowest: 1, highest: u32::MAX as u64 },
};

/// Edges per vertex up to which a graph counts as sparse: contraction is faster than filtering, and
/// the records of all edges fit into the scratch memory.
const MAX_SPARSE_DEGREE: usize = 3;
/// Bytes of scratch memory that rounding arrays up to whole words may take.
const ROUNDING_BYTES: usize = 256;

impl Algorithm for Fast {
    const INFO: SolverInfo = SolverInfo {
        id: "fast",
        title: "Contraction on sparse graphs, filtering on dense graphs",
        source: "this project; after Osipov, Sanders & Singler 2009 and Sousa 2014, 4.4",
        platform: Platform::Threads,
        representation: Representation::EdgeList,
        exact: true,
        time: "O(m + n log n) expected",
        scratch: "12 bytes per edge, 24 per vertex",
        options: &[GRAIN],
    };

    fn admit(&self, vertices: u32, _edges: usize) -> Result<(), SolveError> {
        if vertices < MANY {
            return Ok(());
        }
        let cost = format!("{vertices} labels, more than its 2^31 - 1,");
        Err(SolveError::Unsuitable { solver: Self::INFO.id, cost, advice: "use filter-kruskal" })
    }

    fn solve<K: Key>(
        &self,
        problem: Problem<'_, K>,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        fast_of_edges(problem.edges(), run)
    }

    fn list(&self, forest: EdgeSet, run: &Run<'_>) -> Result<Vec<EdgeId>, OutOfMemory> {
        edge_ids(forest, run.request.threads())
    }
}

/// The edges of the canonical forest of an edge list with fewer than [`MANY`] vertices.
///
/// # Errors
/// When the run is cancelled or the system refuses the memory.
pub(crate) fn fast_of_edges<K: Key>(
    edges: Edges<'_, K>,
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    Fast.admit(edges.vertices(), edges.len())?;
    let (forest, ()) = with_memory(edges, None, run, |solve, words, run| {
        if is_sparse(edges) {
            solve.contract(words, None, run).map(drop)
        } else {
            solve.filter(words, None, run)
        }
    })?;
    Ok(forest)
}

/// What is known of a forest before it is found.
#[derive(Clone, Copy)]
pub enum ForestBound<'a> {
    /// It has these edges and perhaps others.
    Includes(&'a EdgeSet),
    /// It has no other edges than some of these.
    Within(&'a EdgeSet),
}

/// [`fast_of_edges`] by filtering, where a part of the answer is known.
///
/// Edges that the forest includes are the first batch, which needs no order. Of edges that it is
/// within, the others are never read.
pub(crate) fn fast_within_bound<K: Key>(
    edges: Edges<'_, K>,
    bound: ForestBound<'_>,
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    Fast.admit(edges.vertices(), edges.len())?;
    let (ForestBound::Includes(set) | ForestBound::Within(set)) = bound;
    let (forest, ()) = with_memory(edges, Some(set.len()), run, |solve, words, run| {
        solve.filter(words, Some(bound), run)
    })?;
    Ok(forest)
}

/// Finds the edges of a part of a graph that are certainly in the forest of the whole graph, and
/// the edges that remain undecided, because the `boundary` vertices may have other edges elsewhere.
///
/// For graphs with up to three edges per vertex and fewer than [`MANY`] vertices. O((n + m) log n)
/// over the threads of the run.
///
/// # Errors
/// When the run is cancelled, or when the system does not grant 12 bytes per edge and 24 per
/// vertex.
///
/// # Panics
/// If the graph has more edges or vertices.
pub fn contract_interior<K: Key>(
    edges: Edges<'_, K>,
    boundary: &BitSet,
    run: &mut Run<'_>,
) -> Result<InteriorContraction, SolveError> {
    assert!(is_sparse(edges) && edges.vertices() < MANY);
    let mut boundary = BoundaryComponents::new(boundary);
    let (forest, undecided) = with_memory(edges, None, run, |solve, words, run| {
        solve.contract(words, Some(&mut boundary), run)
    })?;
    Ok(InteriorContraction { forest, undecided })
}

fn is_sparse<K: Key>(edges: Edges<'_, K>) -> bool {
    edges.len() <= MAX_SPARSE_DEGREE * edges.vertices() as usize
}

/// Calls `work` with the threads and the scratch memory of a solve. For a bound of `bounded` edges,
/// the memory suffices to filter a sparse graph, and for a first batch of these edges. Returns the
/// forest that it finds, and its result.
fn with_memory<K: Key, T: Send>(
    edges: Edges<'_, K>,
    bounded: Option<usize>,
    run: &mut Run<'_>,
    work: impl FnOnce(&Solve<'_, K>, &mut [u64], &mut Run<'_>) -> Result<T, SolveError>,
) -> Result<(EdgeSet, T), SolveError> {
    let (n, m) = (edges.vertices() as usize, edges.len());
    let mut scratch = run.request.take_workspace();
    let bytes = ROUNDING_BYTES
        + match bounded {
            None => 12 * m + 24 * n,
            Some(bounded) => (12 * m).max(32 * bounded + m) + 32 * n,
        };
    let words =
        scratch.words(bytes).ok_or(SolveError::OutOfMemory { solver: Fast::INFO.id, bytes })?;
    let words = &mut words[..bytes / 8];
    let forest = SharedEdgeSet::new(m)?;
    let grain = run.request.option(&GRAIN) as usize;
    let threads = run.request.threads().min(1 + m / grain);
    let result = with_observed_team(run, threads, |team, run| {
        work(&Solve { edges, team, forest: &forest, grain }, words, run)
    })?;
    run.phase("free memory", |_| drop(scratch));
    Ok((forest.into_edge_set(), result))
}

impl<K: Key> Solve<'_, K> {
    /// Sparse graphs: rounds of Borůvka's algorithm on all edges. Returns the edges between
    /// `boundary` components.
    fn contract(
        &self,
        words: &mut [u64],
        boundary: Option<&mut BoundaryComponents>,
        run: &mut Run<'_>,
    ) -> Result<UndecidedEdges, SolveError> {
        if self.team.threads() == 1 {
            self.contract_by::<OneThread>(words, boundary, run)
        } else {
            self.contract_by::<ManyThreads>(words, boundary, run)
        }
    }

    /// [`contract`](Self::contract) with one thread or with many.
    fn contract_by<T: ThreadCount>(
        &self,
        words: &mut [u64],
        mut boundary: Option<&mut BoundaryComponents>,
        run: &mut Run<'_>,
    ) -> Result<UndecidedEdges, SolveError> {
        let (n, m) = (self.edges.vertices() as usize, self.edges.len());
        let (records, rest) = words.split_at_mut(2 * m);
        let (lightest, rest) = rest.split_at_mut(n);
        let memory = (atomic_u64(records).as_chunks().0, atomic_u64(lightest));
        let parents = atomic_u32(&mut bytemuck::cast_slice_mut(rest)[..n]);
        let scale = run.phase("scale", |_| PrefixScale::of_all(self.edges, self.team));
        let state = Contraction::new(*self, scale, memory, ById);

        // The first round reads the input itself.
        run.report.round(n, m)?;
        let mut segments = Segment::partition(m, self.team.threads());
        run.phase("choose", |_| {
            state.clear_candidates(n);
            state.choose_from_input::<T>(&mut segments);
        });
        let mut counts = ComponentCounts::default();
        state.hook::<T, Input>(parents, boundary.as_deref(), &mut counts, run);
        run.report.progress(0, m)?;
        run.phase("relabel", |_| state.relabel_input::<T>(parents, counts.live, &mut segments));
        loop {
            if let Some(boundary) = &mut boundary {
                boundary.relabel(parents, counts.live);
            }
            let fixed = boundary.as_ref().map_or(0, |boundary| boundary.len());
            segments.retain(|segment| !segment.is_empty());
            if segments.is_empty() || counts.live as usize == fixed {
                return Ok(boundary.map_or_else(Default::default, |boundary| {
                    boundary.undecided(&state, &segments)
                }));
            }
            let parents = &parents[..counts.live as usize];
            run.report.round(parents.len(), edge_count(&segments))?;
            state.hook::<T, Records>(parents, boundary.as_deref(), &mut counts, run);
            run.phase("relabel", |_| state.relabel::<T>(parents, counts.live, &mut segments));
        }
    }

    /// Dense graphs: batches of light edges, each followed by a filter.
    fn filter(
        &self,
        words: &mut [u64],
        bound: Option<ForestBound<'_>>,
        run: &mut Run<'_>,
    ) -> Result<(), SolveError> {
        let (arrays, memory) = FilterArrays::take(words, self.edges);
        let mut state = Filtering::new(*self, &arrays);
        let mut known = None;
        match bound {
            Some(ForestBound::Includes(set)) => known = Some(set),
            Some(ForestBound::Within(set)) => state.keep_only(set),
            None => {}
        }
        while state.remaining.len() > 0 && state.components > 1 {
            run.report.round(state.components, state.remaining.len())?;
            let first = known.take();
            let (pivot, batch) = if let Some(known) = first {
                (Pivot::FIRST, state.known_batch(known))
            } else {
                let pivot = state.select_batch(memory.len(), run)?;
                (pivot, state.batch(pivot))
            };
            let result = solve_batch(&batch, memory, run)?;
            let components = result.components;
            if pivot == Pivot::LAST || components <= 1 {
                return Ok(());
            }
            let giant = run.phase("label", |_| state.label_vertices(&result));
            if let Some(known) = first.filter(|_| state.most_join_components()) {
                state = run.phase("filter", |_| state.without(known, components));
                continue;
            }
            let giant_edges = run.phase("filter", |_| state.filter(giant));
            state = state.next(pivot, components, giant_edges.as_ref());

            let Some(giant_edges) = giant_edges else { continue };
            if let Some(batch) = state.last_batch(&giant_edges, memory.len()) {
                run.report.round(components, batch.len())?;
                return solve_batch(&batch, memory, run).map(drop);
            }
            run.phase("filter", |_| state.keep(&giant_edges));
        }
        Ok(())
    }
}

/// Finds the forest of a batch in `memory`: by sorting and uniting on few threads or for few edges,
/// otherwise by rounds, in which all threads share every step.
fn solve_batch<'b, K: Key>(
    batch: &Batch<'_, K>,
    memory: &'b mut [u64],
    run: &mut Run<'_>,
) -> Result<BatchResult<'b>, SolveError> {
    run.report.counter("edges of the batch", batch.len() as f64);
    let (threads, words) = (batch.solve.team.threads(), memory.len());
    let limits = BatchLimits { threads, words, components: batch.components };
    if limits.is_sorted(batch.len()) {
        batch.sort_and_unite(memory, run)
    } else if batch.giant_edges.is_none() {
        batch.contract_rounds(ById, memory, run)
    } else {
        // Edges to the giant component follow the selected edges, whatever their ids are.
        batch.contract_rounds(AnyOrder, memory, run)
    }
}
