//! Edges as four arrays.

use std::sync::Mutex;

use kostra_core::{BitSet, Edges, Encoding, ForestEdges, Key, OutOfMemory, Vertex, memory};

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

    /// Zeros for `edges` edges, whose memory the system provides when it is first written.
    pub(super) fn zeros(edges: usize) -> Result<Self, OutOfMemory> {
        Ok(Self {
            u: memory::zeros(edges)?,
            v: memory::zeros(edges)?,
            weights: memory::zeros(edges)?,
            ids: memory::zeros(edges)?,
        })
    }

    /// Moves edges to the front. At most one array exists twice at a time.
    pub(super) fn fill(&mut self, from: ForestEdges<K>) {
        fn fill<T: Copy>(to: &mut [T], from: Vec<T>) {
            to[..from.len()].copy_from_slice(&from);
        }
        fill(&mut self.u, from.u);
        fill(&mut self.v, from.v);
        fill(&mut self.weights, from.weights);
        fill(&mut self.ids, from.ids);
    }

    /// The first edges as a graph with `vertices` vertices.
    pub(super) fn first(
        &self,
        edges: usize,
        (vertices, encoding): (u32, Encoding<K>),
    ) -> Edges<'_, K> {
        let ends = (&self.u[..edges], &self.v[..edges]);
        Edges::of_checked(vertices, ends, &self.weights[..edges], encoding)
    }

    /// Moves the edges at these places to the front, in their order.
    pub(super) fn keep(&mut self, places: &BitSet) {
        let Self { u, v, weights, ids } = self;
        let mut to = 0;
        for (word, &bits) in places.words().iter().enumerate() {
            let mut rest = bits;
            while rest != 0 {
                let from = word * 64 + rest.trailing_zeros() as usize;
                u[to] = u[from];
                v[to] = v[from];
                weights[to] = weights[from];
                ids[to] = ids[from];
                to += 1;
                rest &= rest - 1;
            }
        }
    }

    /// Drops all but the first edges, and their memory.
    pub(super) fn shrink(&mut self, edges: usize) {
        fn shrink<T>(values: &mut Vec<T>, len: usize) {
            values.truncate(len);
            values.shrink_to_fit();
        }
        shrink(&mut self.u, edges);
        shrink(&mut self.v, edges);
        shrink(&mut self.weights, edges);
        shrink(&mut self.ids, edges);
    }

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
