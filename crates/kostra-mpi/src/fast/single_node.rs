//! Ranks on one machine: rank 0 solves for all ranks, on their threads and processors.
//!
//! * Messages between ranks on one machine are copied twice through memory that the ranks share
//!   anyway. Each rank builds, compares and relabels data that threads of one process would read in
//!   place. So rank 0 copies the slices from the memory of the other ranks, computes the forest
//!   with the threads of all ranks, and sends each rank the bits of its slice. The other ranks
//!   sleep meanwhile, because rank 0 uses their processors.
//! * A rank first reduces a slice of 8 or more edges per vertex to its forest (cycle property).
//! * The slices are joined in the order of the ranks, so the edges of the joined list have the
//!   order of their ids.
//! * This path is not taken if each rank has its own region of the graph, which it contracts alone.
//!   It needs a system that permits one process to read another one's memory, enough memory for all
//!   edges, a number of edges that fits one list, and not far fewer edges than vertices.

use std::borrow::Cow;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::thread;
use std::time::{Duration, Instant};

use bytemuck::{Pod, Zeroable};
use kostra_core::{
    EdgeId, EdgeList, EdgeSet, Graph, MAX_EDGES, MAX_VERTICES, Order, Run, SolveError, Vertex,
    Weight, items_at,
};
use kostra_parallel::{for_each_mut, memory_info};

use super::active_edges::DENSE;
use super::bits;
use crate::comm::node::{
    AffinityGuard, Processors, ReadPermission, RemoteSlice, count, processors, union,
};
use crate::comm::{Communicator, Reduction};
use crate::graph::Slice;

/// The maximum number of vertices per edge. Above it, memory for all vertices is not worth it.
const MAX_VERTICES_PER_EDGE: u64 = 4;
/// The maximum number of edges of a rank with locality, in shares of one rank.
const MAX_SHARES: u64 = 2;
/// The number of sampled edges of each rank.
const LOCALITY_SAMPLE: usize = 1 << 10;
/// The number of blocks of vertices for each rank, fine enough to separate regions.
const BLOCKS_PER_RANK: usize = 16;
/// The maximum number of blocks, so that a rank sends at most 4 KiB to each other rank.
const MAX_BLOCKS: usize = 1 << 10;
/// One in this many sampled edge ends may be outside of the regions.
const OUTSIDE_SHARE: u32 = 8;
/// Scratch memory of the solver per edge and per vertex, in bytes.
const SCRATCH_PER_EDGE: usize = 12;
const SCRATCH_PER_VERTEX: usize = 24;
/// The number of bytes that one call copies, so that threads share the work evenly.
const FETCH_BYTES: usize = 4 << 20;
/// A sleeping rank wakes up after the event by at most the time waited so far divided by this.
const MAX_DELAY_SHARE: u32 = 32;
const MIN_SLEEP: Duration = Duration::from_micros(20);
const MAX_SLEEP: Duration = Duration::from_millis(1);

/// Where the edges of a rank are in memory.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Contribution {
    edges: u64,
    u: RemoteSlice,
    v: RemoteSlice,
    weights: RemoteSlice,
    /// A random number, and its place in memory. A rank that finds it there reads the right
    /// process.
    token: u64,
    token_in_memory: RemoteSlice,
    processors: Processors,
    threads: u64,
}

/// The edges that a rank contributes, between global ids.
struct OwnEdges<'a, W: Weight> {
    u: Cow<'a, [Vertex]>,
    v: Cow<'a, [Vertex]>,
    weights: Cow<'a, [W]>,
    /// The positions of the edges in the slice; `None` if the edges are the whole slice.
    positions: Option<Vec<EdgeId>>,
}

/// The edges of this rank's slice that are in the forest, or `None` on all ranks if this path is
/// not taken. Needs at least `min_edges` edges of all ranks. Collective.
pub(super) fn solve<W: Weight>(
    slice: &Slice<W>,
    order: Order,
    min_edges: u64,
    world: &Communicator,
    run: &mut Run<'_>,
) -> Result<Option<EdgeSet>, SolveError> {
    let edges = world.reduce_one(Reduction::Sum, slice.len() as u64);
    let max_vertices = (MAX_VERTICES_PER_EDGE * edges).min(MAX_VERTICES as u64);
    let is_one_list = edges <= MAX_EDGES as u64 && slice.vertices() <= max_vertices;
    if edges < min_edges
        || !is_one_list
        || !world.is_on_one_machine()
        || has_locality(slice, edges, world)
    {
        return Ok(None);
    }
    let own = world.phase(run, "thin", |run| OwnEdges::new(slice, order, run))?;
    let token = [RandomState::new().build_hasher().finish()];
    let contributions = world.all_gather(&[own.contribution(&token, run.threads())]).into_items();
    let _permission = ReadPermission::grant(contributions[0].u.process());
    world.barrier(); // all ranks have granted the permission
    let start =
        contributions[..world.rank()].iter().map(|contribution| contribution.edges as usize).sum();
    let words = if world.rank() == 0 {
        lead::<W>(&contributions, slice.vertices() as usize, order, world, run)?
    } else {
        follow(world, run)
    };
    Ok(words.map(|words| own.forest(&words, start, slice.len())))
}

/// Whether the slices have locality: each rank has its own region of the graph, as on grids and
/// road networks, and so contracts most of its edges alone. That is the case if most sampled edges
/// of each rank end in blocks of vertices where other ranks have few edges, and if no rank has far
/// more than its share of all edges. Collective.
fn has_locality<W: Weight>(slice: &Slice<W>, edges: u64, world: &Communicator) -> bool {
    let longest = world.reduce_one(Reduction::Max, slice.len() as u64);
    if longest > MAX_SHARES * edges.div_ceil(world.size() as u64) {
        return false;
    }
    let blocks = (BLOCKS_PER_RANK * world.size()).min(MAX_BLOCKS);
    let mut ends = vec![0_u32; blocks];
    for id in (0..slice.len()).step_by(slice.len().div_ceil(LOCALITY_SAMPLE).max(1)) {
        let (u, v) = slice.ends(id as EdgeId);
        for end in [u, v] {
            ends[(u128::from(end) * blocks as u128 / u128::from(slice.vertices())) as usize] += 1;
        }
    }
    let gathered = world.all_gather(&ends).into_items();
    let (mut all, mut in_regions) = (0, 0);
    for block in 0..blocks {
        let of_ranks = gathered.iter().skip(block).step_by(blocks);
        all += of_ranks.clone().sum::<u32>();
        in_regions += of_ranks.max().copied().unwrap_or(0);
    }
    in_regions >= all - all / OUTSIDE_SHARE
}

/// Rank 0: joins the slices, computes the forest, and sends the others their results. Returns the
/// words that contain the bits of rank 0's edges.
fn lead<W: Weight>(
    contributions: &[Contribution],
    vertices: usize,
    order: Order,
    world: &Communicator,
    run: &mut Run<'_>,
) -> Result<Option<Vec<u64>>, SolveError> {
    let processors = union(contributions.iter().map(|contribution| contribution.processors));
    let threads: usize =
        contributions.iter().map(|contribution| contribution.threads as usize).sum();
    let threads = match count(&processors) {
        0 => threads, // unknown on this system
        cores => threads.min(cores),
    };
    let _affinity = AffinityGuard::set(&processors);
    let send = |parts: &[&[u8]]| {
        let to: Vec<_> = parts.iter().copied().enumerate().skip(1).collect();
        world.swap::<u8>(&to, &[]); // to all at once, because each rank wakes up at its own time
    };
    let joined = world.phase(run, "join", |_| {
        let joined = join::<W>(contributions, vertices, threads);
        send(&vec![&[u8::from(joined.is_some())][..]; contributions.len()]);
        joined
    });
    let Some(joined) = joined else { return Ok(None) };
    let graph = Graph::from(joined); // freed only after all ranks have their results
    world.phase(run, "local", |run| {
        let forest = run.with_threads(threads, |run| kostra_cpu::forest(&graph, order, run))?;
        let mut start = 0;
        let words = contributions.iter().map(|contribution| {
            let first = start / 64;
            start += contribution.edges as usize;
            &forest.words()[first..start.div_ceil(64)]
        });
        let words: Vec<_> = words.collect();
        send(&words.iter().map(|words| bytemuck::cast_slice(words)).collect::<Vec<_>>());
        Ok(Some(words[0].to_vec()))
    })
}

/// The other ranks: receive the words that contain the bits of their edges, or `None` if rank 0
/// cannot join the slices.
fn follow(world: &Communicator, run: &mut Run<'_>) -> Option<Vec<u64>> {
    let is_joined = world.phase(run, "join", |_| receive_asleep::<u8>(world) == [1]);
    is_joined.then(|| world.phase(run, "local", |_| receive_asleep(world)))
}

/// Receives from rank 0. Sleeps until a message arrives, so that the processor is free.
fn receive_asleep<T: Pod>(world: &Communicator) -> Vec<T> {
    let start = Instant::now();
    world.counted(0, 0, || {
        while !world.has_arrived(0) {
            thread::sleep((start.elapsed() / MAX_DELAY_SHARE).clamp(MIN_SLEEP, MAX_SLEEP));
        }
    });
    world.swap(&[], &[0]).swap_remove(0)
}

impl<'a, W: Weight> OwnEdges<'a, W> {
    fn new(slice: &'a Slice<W>, order: Order, run: &mut Run<'_>) -> Result<Self, SolveError> {
        let edges = slice.edges();
        let is_dense = edges.len() as u64 / DENSE >= slice.vertices();
        let positions = if is_dense {
            Some(kostra_cpu::forest(slice.graph(), order, run)?.into_ids())
        } else {
            None
        };
        let [u, v]: [Cow<'_, [Vertex]>; 2] = match slice.global_ends() {
            Some(ends) => ends.map(Cow::from),
            None => [edges.u(), edges.v()].map(|ends| {
                ends.iter().map(|&end| slice.vertex_map().global(end) as Vertex).collect()
            }),
        };
        let Some(positions) = positions else {
            return Ok(Self { u, v, weights: edges.weights().into(), positions: None });
        };
        let [u, v] = [u, v].map(|ends| items_at(&ends, &positions).into());
        let weights = items_at(edges.weights(), &positions).into();
        Ok(Self { u, v, weights, positions: Some(positions) })
    }

    fn contribution(&self, token: &[u64; 1], threads: usize) -> Contribution {
        Contribution {
            edges: self.u.len() as u64,
            u: RemoteSlice::new(&self.u),
            v: RemoteSlice::new(&self.v),
            weights: RemoteSlice::new(&self.weights),
            token: token[0],
            token_in_memory: RemoteSlice::new(token),
            processors: processors(),
            threads: threads as u64,
        }
    }

    /// The edges of the slice that are in the forest. `words` contains the bits of this rank's
    /// edges; `start` is the position of the first one in the joined list, and `len` the length of
    /// the slice.
    fn forest(&self, words: &[u64], start: usize, len: usize) -> EdgeSet {
        let is_in_forest = bits::extract(words, start % 64, self.u.len());
        let Some(positions) = &self.positions else { return EdgeSet::from_words(is_in_forest) };
        let mut forest = EdgeSet::new(len);
        for position in EdgeSet::from_words(is_in_forest).into_ids() {
            forest.insert(positions[position as usize]);
        }
        forest
    }
}

/// The contributions joined to one list; `None` if there is not enough memory, or if the memory of
/// a rank cannot be read.
fn join<W: Weight>(
    contributions: &[Contribution],
    vertices: usize,
    threads: usize,
) -> Option<EdgeList<W>> {
    let edges = contributions.iter().map(|contribution| contribution.edges as usize).sum();
    // The list and the scratch memory of the solver. Half of the available memory is left free.
    let per_edge = 2 * size_of::<Vertex>() + size_of::<W>() + SCRATCH_PER_EDGE;
    let bytes = edges * per_edge + vertices * SCRATCH_PER_VERTEX;
    let is_readable = |contribution: &Contribution| {
        let mut token = [0; 8];
        contribution.token_in_memory.fetch(0, &mut token)
            && u64::from_ne_bytes(token) == contribution.token
    };
    let available = memory_info("MemAvailable").unwrap_or(0);
    if available / 2 < bytes as u64 || !contributions.iter().all(is_readable) {
        return None;
    }
    let (mut u, mut v, mut weights) = (vec![0; edges], vec![0; edges], vec![W::default(); edges]);
    let mut tasks: Vec<FetchTask<'_>> = Vec::new();
    tasks.resize_with(threads, FetchTask::default);
    schedule(&mut tasks, contributions, |contribution| contribution.u, &mut u);
    schedule(&mut tasks, contributions, |contribution| contribution.v, &mut v);
    schedule(&mut tasks, contributions, |contribution| contribution.weights, &mut weights);
    for_each_mut(&mut tasks, |task| {
        task.has_failed =
            !task.pieces.iter_mut().all(|(array, start, piece)| array.fetch(*start, piece));
    });
    let has_failed = tasks.iter().any(|task| task.has_failed);
    (!has_failed).then(|| EdgeList::of_checked(vertices as u32, u, v, weights))
}

/// The bytes that one thread copies.
#[derive(Default)]
struct FetchTask<'a> {
    /// For each copy, the array, the offset of its first byte, and the destination.
    pieces: Vec<(RemoteSlice, usize, &'a mut [u8])>,
    has_failed: bool,
}

/// Schedules the copies of one column round robin to tasks. `array_of` selects the column.
fn schedule<'a, T: Pod>(
    tasks: &mut [FetchTask<'a>],
    contributions: &[Contribution],
    array_of: impl Fn(&Contribution) -> RemoteSlice,
    column: &'a mut [T],
) {
    let (mut column, mut turn) = (column, 0);
    for contribution in contributions {
        let (part, rest) = column.split_at_mut(contribution.edges as usize);
        column = rest;
        for (index, piece) in bytemuck::cast_slice_mut(part).chunks_mut(FETCH_BYTES).enumerate() {
            let task = &mut tasks[turn % tasks.len()];
            task.pieces.push((array_of(contribution), index * FETCH_BYTES, piece));
            turn += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contributions_of_this_process_are_joined() {
        let token = [7];
        let (u, v, w): (Vec<u32>, Vec<u32>, Vec<i64>) = (
            (0..3000).collect(),
            (0..3000).rev().collect(),
            (0..3000).map(|i| i * i - 5).collect(),
        );
        let own = |part: std::ops::Range<usize>| OwnEdges {
            u: u[part.clone()].into(),
            v: v[part.clone()].into(),
            weights: w[part].into(),
            positions: None,
        };
        let owns = [own(0..1000), own(1000..1000), own(1000..3000)];
        let mut contributions: Vec<_> =
            owns.iter().map(|own| own.contribution(&token, 1)).collect();
        let list = join::<i64>(&contributions, 3000, 2).expect("a process may read its own memory");
        assert!(list.u() == u && list.v() == v && list.weights() == w);
        contributions[2].token = 8;
        assert!(join::<i64>(&contributions, 3000, 2).is_none());
    }
}
