//! Edges as four arrays.

use std::sync::Mutex;

use kostra_core::{Key, OutOfMemory, Vertex, memory, prefetch};

/// Edges with their ids: edge `i` is input edge `ids[i]` and joins `u[i]` and `v[i]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct EdgeArrays<K> {
    pub(super) u: Vec<Vertex>,
    pub(super) v: Vec<Vertex>,
    pub(super) weights: Vec<K>,
    pub(super) ids: Vec<u64>,
}

/// One edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Edge<K> {
    pub(super) u: Vertex,
    pub(super) v: Vertex,
    pub(super) weight: K,
    pub(super) id: u64,
}

impl<K: Key> EdgeArrays<K> {
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// Reserves memory so that the arrays hold exactly `edges` edges.
    pub(super) fn reserve(&mut self, edges: usize) -> Result<(), OutOfMemory> {
        let more = edges.saturating_sub(self.len());
        memory::reserve_exact(&mut self.u, more)?;
        memory::reserve_exact(&mut self.v, more)?;
        memory::reserve_exact(&mut self.weights, more)?;
        memory::reserve_exact(&mut self.ids, more)
    }

    /// Arrays of `edges` edges, all zero. The system provides the memory when it is first written.
    pub(super) fn zeros(edges: usize) -> Result<Self, OutOfMemory> {
        Ok(Self {
            u: memory::zeros(edges)?,
            v: memory::zeros(edges)?,
            weights: memory::zeros(edges)?,
            ids: memory::zeros(edges)?,
        })
    }

    #[inline]
    pub(super) fn get(&self, at: usize) -> Edge<K> {
        Edge { u: self.u[at], v: self.v[at], weight: self.weights[at], id: self.ids[at] }
    }

    #[inline]
    pub(super) fn set(&mut self, at: usize, edge: Edge<K>) {
        self.slices().set(at, edge);
    }

    #[inline]
    pub(super) fn prefetch(&self, at: usize) {
        prefetch(&self.u, at);
        prefetch(&self.v, at);
        prefetch(&self.weights, at);
        prefetch(&self.ids, at);
    }

    pub(super) fn truncate(&mut self, edges: usize) {
        self.u.truncate(edges);
        self.v.truncate(edges);
        self.weights.truncate(edges);
        self.ids.truncate(edges);
    }

    /// Frees the memory for further edges.
    pub(super) fn shrink(&mut self) {
        self.u.shrink_to_fit();
        self.v.shrink_to_fit();
        self.weights.shrink_to_fit();
        self.ids.shrink_to_fit();
    }

    /// Appends edges until there are `edges`. The new edges are any.
    pub(super) fn extend_to(&mut self, edges: usize) {
        self.u.resize(edges, 0);
        self.v.resize(edges, 0);
        self.weights.resize(edges, K::default());
        self.ids.resize(edges, 0);
    }

    #[inline]
    fn slices(&mut self) -> EdgeSlices<'_, K> {
        let Self { u, v, weights, ids } = self;
        EdgeSlices { u, v, weights, ids }
    }

    /// The consecutive ranges from `start` that end at `ends`, for threads that fill them.
    pub(super) fn split(&mut self, start: usize, ends: &[usize]) -> Vec<Mutex<EdgeSlices<'_, K>>> {
        let (_, mut rest) = self.slices().split_at(start);
        let mut before = start;
        let mut split = |&end: &usize| {
            let (first, others) = std::mem::take(&mut rest).split_at(end - before);
            (rest, before) = (others, end);
            Mutex::new(first)
        };
        ends.iter().map(&mut split).collect()
    }
}

/// A range of edges that one thread fills.
#[derive(Default)]
pub(super) struct EdgeSlices<'a, K> {
    u: &'a mut [Vertex],
    v: &'a mut [Vertex],
    weights: &'a mut [K],
    ids: &'a mut [u64],
}

impl<'a, K: Key> EdgeSlices<'a, K> {
    fn split_at(self, at: usize) -> (Self, Self) {
        let (u, u_rest) = self.u.split_at_mut(at);
        let (v, v_rest) = self.v.split_at_mut(at);
        let (weights, weights_rest) = self.weights.split_at_mut(at);
        let (ids, ids_rest) = self.ids.split_at_mut(at);
        let rest = Self { u: u_rest, v: v_rest, weights: weights_rest, ids: ids_rest };
        (Self { u, v, weights, ids }, rest)
    }

    #[inline]
    pub(super) fn set(&mut self, at: usize, edge: Edge<K>) {
        self.u[at] = edge.u;
        self.v[at] = edge.v;
        self.weights[at] = edge.weight;
        self.ids[at] = edge.id;
    }
}
