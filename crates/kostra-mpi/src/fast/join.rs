//! The slices of all ranks of a machine, joined to one list of edges.
//!
//! * A rank first reduces a slice of 8 or more edges per vertex to its forest (cycle property).
//! * Each rank tells the others where its edges are in memory. The leader copies them from there,
//!   on the threads of all ranks.
//! * The slices are joined in the order of the ranks, so the edges of the joined list have the
//!   order of their ids.

use std::borrow::Cow;
use std::hash::{BuildHasher, Hasher, RandomState};

use bytemuck::Pod;
use bytemuck_derive::{Pod, Zeroable};
use kostra_core::{EdgeId, EdgeList, EdgeSet, Order, Run, SolveError, Vertex, Weight, items_at};
use kostra_parallel::{for_each_mut, memory_info};

use super::active_edges::DENSE;
use super::local::is_on_device;
use super::{bits, local};
use crate::comm::node::{Processors, RemoteSlice, processors};
use crate::graph::{Slice, VertexMap};

/// The number of bytes that one call copies, so that threads share the work evenly.
const FETCH_BYTES: usize = 4 << 20;

/// A random number. A rank that finds it in the memory of another one reads the right process.
pub(super) struct Token([u64; 1]);

impl Token {
    pub(super) fn new() -> Self {
        Self([RandomState::new().build_hasher().finish()])
    }
}

/// Where the edges of a rank are in memory.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Contribution {
    edges: u64,
    u: RemoteSlice,
    v: RemoteSlice,
    weights: RemoteSlice,
    /// A [`Token`], and its place in memory.
    token: u64,
    token_in_memory: RemoteSlice,
    /// 1 if the slice needs no table of vertices, else 0.
    has_global_ids: u64,
    /// The processors and the number of threads that the rank may use.
    pub(super) processors: Processors,
    pub(super) threads: u64,
}

impl Contribution {
    /// The number of edges.
    pub(super) fn len(&self) -> usize {
        self.edges as usize
    }

    /// Whether the slice needs no table of vertices. A slice of more edges needs none either.
    pub(super) fn has_global_ids(&self) -> bool {
        self.has_global_ids == 1
    }

    /// The process of the rank.
    pub(super) fn process(&self) -> u64 {
        self.token_in_memory.process()
    }
}

/// The edges that a rank contributes, between global ids.
pub(super) struct OwnEdges<'a, W: Weight> {
    u: Cow<'a, [Vertex]>,
    v: Cow<'a, [Vertex]>,
    weights: Cow<'a, [W]>,
    /// The positions of the edges in the slice; `None` if the edges are the whole slice.
    positions: Option<Vec<EdgeId>>,
    /// Whether the slice needs no table of vertices.
    has_global_ids: bool,
}

impl<'a, W: Weight> OwnEdges<'a, W> {
    pub(super) fn new(
        slice: &'a Slice<W>,
        order: Order,
        run: &mut Run<'_>,
    ) -> Result<Self, SolveError> {
        let edges = slice.edges();
        let is_dense = edges.len() as u64 / DENSE >= slice.vertices();
        let positions = if is_dense || is_on_device(edges.len(), run) {
            Some(local::forest(slice.graph(), order, run)?.into_ids())
        } else {
            None
        };
        let [u, v]: [Cow<'_, [Vertex]>; 2] = match slice.global_ends() {
            Some(ends) => ends.map(Cow::from),
            None => [edges.u(), edges.v()].map(|ends| {
                ends.iter().map(|&end| slice.vertex_map().global(end) as Vertex).collect()
            }),
        };
        let has_global_ids = matches!(slice.vertex_map(), VertexMap::Identity);
        let Some(positions) = positions else {
            let weights = edges.weights().into();
            return Ok(Self { u, v, weights, positions: None, has_global_ids });
        };
        let [u, v] = [u, v].map(|ends| items_at(&ends, &positions).into());
        let weights = items_at(edges.weights(), &positions).into();
        Ok(Self { u, v, weights, positions: Some(positions), has_global_ids })
    }

    /// `threads` is the number of threads that this rank may use.
    pub(super) fn contribution(&self, token: &Token, threads: usize) -> Contribution {
        Contribution {
            edges: self.u.len() as u64,
            u: RemoteSlice::new(&self.u),
            v: RemoteSlice::new(&self.v),
            weights: RemoteSlice::new(&self.weights),
            token: token.0[0],
            token_in_memory: RemoteSlice::new(&token.0),
            has_global_ids: self.has_global_ids.into(),
            processors: processors(),
            threads: threads as u64,
        }
    }

    /// The edges of the slice that are in the forest. `words` contains the bits of this rank's
    /// edges; `start` is the position of the first one in the joined list, and `len` the length of
    /// the slice.
    pub(super) fn forest(&self, words: &[u64], start: usize, len: usize) -> EdgeSet {
        let is_in_forest = bits::extract(words, start % 64, self.u.len());
        let Some(positions) = &self.positions else { return EdgeSet::from_words(is_in_forest) };
        let mut forest = EdgeSet::new(len);
        for position in EdgeSet::from_words(is_in_forest).into_ids() {
            forest.insert(positions[position as usize]);
        }
        forest
    }
}

/// The contributions joined to one list; `None` if twice `bytes` bytes of memory are not available,
/// or if the memory of a rank cannot be read.
pub(super) fn join<W: Weight>(
    contributions: &[Contribution],
    vertices: usize,
    bytes: usize,
    threads: usize,
) -> Option<EdgeList<W>> {
    let edges = contributions.iter().map(Contribution::len).sum();
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
        let (part, rest) = column.split_at_mut(contribution.len());
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
        let token = Token([7]);
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
            has_global_ids: true,
        };
        let owns = [own(0..1000), own(1000..1000), own(1000..3000)];
        let mut contributions: Vec<_> =
            owns.iter().map(|own| own.contribution(&token, 1)).collect();
        let list = join::<i64>(&contributions, 3000, 1, 2);
        let list = list.expect("a process may read its own memory");
        assert!(list.u() == u && list.v() == v && list.weights() == w);
        assert!(join::<i64>(&contributions, 3000, usize::MAX, 2).is_none());
        contributions[2].token = 8;
        assert!(join::<i64>(&contributions, 3000, 1, 2).is_none());
    }
}
