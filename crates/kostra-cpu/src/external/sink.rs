//! The sink: filters edges, buffers the rest, and reduces.

use std::sync::{Mutex, PoisonError};

use kostra_core::{EdgeList, Edges, Key, Order, OutOfMemory, Weight, key_of, memory, prefetch};
use kostra_parallel::{Schedule, Team, with_team};

use super::edges::{Edge, EdgeArrays};
use super::forest::{ExternalForest, ForestState};
use super::levels::Levels;
use super::limits::Limits;
use super::link_tree::LinkTree;

/// The number of edges that the threads filter before the rest is buffered.
const WAVE: usize = 1 << 16;
/// The number of edges that a thread filters at a time.
const PART: usize = 1 << 13;
/// How many edges ahead memory is prefetched: it arrives in about the time of some ten edges.
const AHEAD: usize = 24;

/// Counts of what happened to the edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The edges that one comparison with a pivot dropped.
    pub dropped_by_pivot: u64,
    /// The edges that were dropped because of the heaviest edge between their ends, and self-loops.
    pub dropped_by_path: u64,
    /// The edges that were buffered.
    pub buffered: u64,
    /// How often the buffer was reduced.
    pub reductions: u64,
}

/// Takes the edges of a graph in blocks, and finds the canonical forest within a memory budget. See
/// the [module](super) for the algorithm.
#[derive(Debug)]
pub struct ForestSink<W: Weight> {
    order: Order,
    threads: usize,
    limits: Limits,
    vertices: u32,
    /// The forest of all edges up to the last reduction, ascending by key and id.
    forest: EdgeArrays<W>,
    /// Later edges that may be in the forest, ascending by id.
    buffer: EdgeArrays<W>,
    tree: LinkTree<W::Key>,
    levels: Levels<W::Key>,
    /// Memory in which the buffer is sorted.
    ranks: Vec<<W::Key as Key>::Rank>,
    /// The number of input edges so far.
    taken: u64,
    statistics: Statistics,
}

/// The edges of a part of a wave that were not dropped, and how many were.
#[derive(Default)]
struct Part {
    kept: Vec<u32>,
    statistics: Statistics,
}

impl<W: Weight> ForestSink<W> {
    /// A sink for a graph with `vertices` vertices. Filters on up to `threads` threads.
    ///
    /// # Errors
    /// When the system refuses the memory, as for all functions.
    pub fn new(
        vertices: u32,
        order: Order,
        limits: Limits,
        threads: usize,
    ) -> Result<Self, OutOfMemory> {
        let mut sink = Self {
            order,
            threads,
            limits,
            vertices,
            forest: EdgeArrays::default(),
            buffer: EdgeArrays::default(),
            tree: LinkTree::new(),
            levels: Levels::new(),
            ranks: Vec::new(),
            taken: 0,
            statistics: Statistics::default(),
        };
        sink.tree.reset(vertices)?;
        sink.reserve()?;
        Ok(sink)
    }

    /// Continues from a state that [`state`](Self::state) returned. None if the arrays are not the
    /// state of any sink.
    ///
    /// # Errors
    /// When the system refuses the memory.
    pub fn restore(
        state: ForestState<'_, W>,
        order: Order,
        limits: Limits,
        threads: usize,
    ) -> Result<Option<Self>, OutOfMemory> {
        let mut sink = Self::new(state.vertices, order, limits, threads)?;
        let edges = state.ids.len();
        let is_edge = |at: usize| {
            let ends = (state.u[at] < state.vertices) & (state.v[at] < state.vertices);
            ends && state.ids[at] < state.taken && !state.weights[at].is_nan()
        };
        let place = |at: usize| (key_of(state.weights[at], order), state.ids[at]);
        let lengths = [state.u.len(), state.v.len(), state.weights.len()];
        if lengths != [edges; 3]
            || !(0..edges).all(is_edge)
            || !(1..edges).all(|at| place(at - 1) < place(at))
            || edges > (state.vertices as usize).saturating_sub(1)
        {
            return Ok(None);
        }
        sink.taken = state.taken;
        sink.forest.u.extend_from_slice(state.u);
        sink.forest.v.extend_from_slice(state.v);
        sink.forest.weights.extend_from_slice(state.weights);
        sink.forest.ids.extend_from_slice(state.ids);
        sink.reduce_on_team()?;
        Ok((sink.forest.len() == edges).then_some(sink))
    }

    fn reserve(&mut self) -> Result<(), OutOfMemory> {
        let most = (self.vertices as usize).saturating_sub(1);
        self.forest.reserve(most + self.limits.buffer)?;
        self.buffer.reserve(self.limits.buffer)?;
        memory::reserve_exact(&mut self.ranks, self.limits.buffer)
    }

    /// The number of vertices.
    pub fn vertices(&self) -> u32 {
        self.vertices
    }

    /// The number of input edges so far.
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// Counts of what happened to the edges.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// Adds vertices, so that there are `vertices`. The limits must suffice for them. Edges are
    /// reduced first.
    ///
    /// # Errors
    /// When the system refuses the memory.
    pub fn grow(&mut self, vertices: u32, limits: Limits) -> Result<(), OutOfMemory> {
        self.reduce_buffer()?;
        self.buffer = EdgeArrays::default();
        self.ranks = Vec::new();
        self.forest.shrink();
        self.vertices = self.vertices.max(vertices);
        self.limits = limits;
        self.rebuild()
    }

    /// Converts all weights. The order of the weights, and of those of dropped edges, must stay.
    ///
    /// # Errors
    /// When the system refuses the memory.
    pub fn convert<V: Weight>(
        mut self,
        limits: Limits,
        weight: impl Fn(W) -> V,
    ) -> Result<ForestSink<V>, OutOfMemory> {
        self.reduce_buffer()?;
        let Self { order, threads, vertices, forest, taken, statistics, .. } = self;
        let EdgeArrays { u, v, weights, ids } = forest;
        let weights = memory::collected(weights.into_iter().map(weight))?;
        let mut sink = ForestSink {
            order,
            threads,
            limits,
            vertices,
            forest: EdgeArrays { u, v, weights, ids },
            buffer: EdgeArrays::default(),
            tree: LinkTree::new(),
            levels: Levels::new(),
            ranks: Vec::new(),
            taken,
            statistics,
        };
        sink.rebuild()?;
        Ok(sink)
    }

    /// Allocates the arrays, and builds the tree of the forest.
    fn rebuild(&mut self) -> Result<(), OutOfMemory> {
        self.tree = LinkTree::new();
        self.levels = Levels::new();
        self.tree.reset(self.vertices)?;
        self.reserve()?;
        self.reduce_on_team()
    }

    /// Adds the edges that follow the edges so far. Edge `i` of the block has the id `first + i`.
    ///
    /// # Errors
    /// When the system refuses the memory.
    ///
    /// # Panics
    /// If edges are added again, or the block has more vertices than the sink.
    pub fn add(&mut self, first: u64, edges: &EdgeList<W>) -> Result<(), OutOfMemory> {
        assert!(first >= self.taken, "edges arrive in the order of their ids");
        assert!(edges.vertices() <= self.vertices, "the sink grows before a block is added");
        self.taken = first + edges.len() as u64;
        let edges = edges.edges(self.order);
        let threads = self.threads.min(1 + edges.len() / PART);
        with_team(threads, |team| {
            let mut parts: Vec<_> = (0..WAVE / PART).map(|_| Mutex::new(Part::default())).collect();
            for start in (0..edges.len()).step_by(WAVE) {
                let end = edges.len().min(start + WAVE);
                team.for_each((end - start).div_ceil(PART), Schedule::Dynamic(1), |part| {
                    let mut found = parts[part].lock().unwrap_or_else(PoisonError::into_inner);
                    let from = start + part * PART;
                    self.filter(edges, from..end.min(from + PART), &mut found);
                });
                let reductions = self.statistics.reductions;
                for part in &mut parts {
                    let part = part.get_mut().unwrap_or_else(PoisonError::into_inner);
                    self.statistics.add(std::mem::take(&mut part.statistics));
                    for at in part.kept.drain(..) {
                        let (u, v) = edges.ends(at);
                        // A reduction since the filter may have made the edge useless.
                        if self.statistics.reductions > reductions
                            && self.tree.joins(u, v, edges.key(at))
                        {
                            self.statistics.dropped_by_path += 1;
                            continue;
                        }
                        let (weight, id) = (edges.weights()[at as usize], first + u64::from(at));
                        self.buffer(Edge { u, v, weight, id }, team)?;
                    }
                }
            }
            Ok(())
        })
    }

    fn filter(&self, edges: Edges<'_, W>, range: std::ops::Range<usize>, part: &mut Part) {
        for at in range.start as u32..range.end as u32 {
            let (u, v) = edges.ends(at);
            let key = edges.key(at);
            if self.levels.drops(u, v, key) {
                part.statistics.dropped_by_pivot += 1;
            } else if self.tree.joins(u, v, key) {
                part.statistics.dropped_by_path += 1;
            } else {
                part.kept.push(at);
            }
        }
    }

    fn buffer(&mut self, edge: Edge<W>, team: &Team<'_>) -> Result<(), OutOfMemory> {
        if self.buffer.len() >= self.limits.buffer {
            self.reduce(team)?;
        }
        self.statistics.buffered += 1;
        self.buffer.push(edge);
        Ok(())
    }

    fn reduce_buffer(&mut self) -> Result<(), OutOfMemory> {
        if self.buffer.len() == 0 { Ok(()) } else { self.reduce_on_team() }
    }

    fn reduce_on_team(&mut self) -> Result<(), OutOfMemory> {
        let threads = self.threads.min(1 + self.vertices as usize / PART);
        with_team(threads, |team| self.reduce(team))
    }

    /// Replaces the forest by the forest of itself and the buffer, and builds its tree and levels.
    fn reduce(&mut self, team: &Team<'_>) -> Result<(), OutOfMemory> {
        let (weights, order) = (&self.buffer.weights, self.order);
        let ranks = weights.iter().zip(0..).map(|(&weight, at)| key_of(weight, order).rank(at));
        self.ranks.clear();
        self.ranks.extend(ranks); // the memory was reserved
        self.ranks.sort_unstable();
        self.tree.reset(self.vertices)?;
        self.merge();
        self.buffer.truncate(0);
        self.statistics.reductions += 1;
        let weights = &self.forest.weights;
        let ascending = (weights.len(), |at: usize| key_of(weights[at], order));
        let center = self.tree.highest_root();
        self.levels.find(ascending, (&self.tree, center), team)
    }

    /// Merges the forest and the buffer, whose edges the ranks give in order, and unites them
    /// as Kruskal's algorithm does.
    ///
    /// The edges of the forest move to the end of their arrays first, by as many places as there
    /// are edges in the buffer. So no edge is overwritten before it is read.
    fn merge(&mut self) {
        let Self { forest, buffer, tree, ranks, order, .. } = self;
        let (first, end) = (buffer.len(), buffer.len() + forest.len());
        forest.move_up(first);
        let (mut at, mut kept) = (first, 0);
        let mut unite = |edge: Edge<W>, key, forest: &mut EdgeArrays<W>, tree: &mut LinkTree<_>| {
            if tree.link(edge.u, edge.v, key) {
                forest.set(kept, edge);
                kept += 1;
            }
            !tree.is_complete()
        };
        let mut goes_on = true;
        let last = ranks.iter().map(Some).chain([None]);
        for (next, rank) in last.enumerate() {
            if let Some(&ahead) = ranks.get(next + AHEAD) {
                let ahead = W::Key::rank_id(ahead) as usize;
                prefetch(&buffer.u, ahead);
                prefetch(&buffer.v, ahead);
            }
            if let Some(&ahead) = ranks.get(next + AHEAD / 2) {
                let ahead = W::Key::rank_id(ahead) as usize;
                tree.prefetch(buffer.u[ahead]);
                tree.prefetch(buffer.v[ahead]);
            }
            // Among equal keys, the edges of the forest come first: their ids are lower.
            while goes_on && at < end {
                let edge = forest.get(at);
                let key = key_of(edge.weight, *order);
                if at + AHEAD < end {
                    tree.prefetch(forest.u[at + AHEAD]);
                    tree.prefetch(forest.v[at + AHEAD]);
                }
                if rank.is_some_and(|&rank| W::Key::rank_key(rank) < key) {
                    break;
                }
                goes_on = unite(edge, key, forest, tree);
                at += 1;
            }
            let Some(&rank) = rank.filter(|_| goes_on) else { break };
            let edge = buffer.get(W::Key::rank_id(rank) as usize);
            goes_on = unite(edge, W::Key::rank_key(rank), forest, tree);
        }
        forest.truncate(kept);
    }

    /// The state after all edges so far, from which [`restore`](Self::restore) continues.
    ///
    /// # Errors
    /// When the system refuses the memory.
    pub fn state(&mut self) -> Result<ForestState<'_, W>, OutOfMemory> {
        self.reduce_buffer()?;
        let EdgeArrays { u, v, weights, ids } = &self.forest;
        Ok(ForestState { taken: self.taken, vertices: self.vertices, ids, u, v, weights })
    }

    /// The canonical forest of all edges, and the counts of what happened to them.
    ///
    /// # Errors
    /// When the system refuses the memory.
    pub fn finish(mut self) -> Result<(ExternalForest<W>, Statistics), OutOfMemory> {
        self.reduce_buffer()?;
        let Self { vertices, forest, statistics, .. } = self;
        Ok((ExternalForest::sorted(vertices, forest)?, statistics))
    }
}

impl Statistics {
    fn add(&mut self, more: Self) {
        self.dropped_by_pivot += more.dropped_by_pivot;
        self.dropped_by_path += more.dropped_by_path;
        self.buffered += more.buffered;
        self.reductions += more.reductions;
    }
}
