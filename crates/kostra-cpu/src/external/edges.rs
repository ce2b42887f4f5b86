//! Edges as four arrays.

use kostra_core::{OutOfMemory, Vertex, Weight, memory};

/// Edges with their ids: edge `i` is input edge `ids[i]` and joins `u[i]` and `v[i]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct EdgeArrays<W> {
    pub(super) u: Vec<Vertex>,
    pub(super) v: Vec<Vertex>,
    pub(super) weights: Vec<W>,
    pub(super) ids: Vec<u64>,
}

/// One edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Edge<W> {
    pub(super) u: Vertex,
    pub(super) v: Vertex,
    pub(super) weight: W,
    pub(super) id: u64,
}

impl<W: Weight> EdgeArrays<W> {
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

    #[inline]
    pub(super) fn push(&mut self, edge: Edge<W>) {
        self.u.push(edge.u);
        self.v.push(edge.v);
        self.weights.push(edge.weight);
        self.ids.push(edge.id);
    }

    #[inline]
    pub(super) fn get(&self, at: usize) -> Edge<W> {
        Edge { u: self.u[at], v: self.v[at], weight: self.weights[at], id: self.ids[at] }
    }

    #[inline]
    pub(super) fn set(&mut self, at: usize, edge: Edge<W>) {
        self.u[at] = edge.u;
        self.v[at] = edge.v;
        self.weights[at] = edge.weight;
        self.ids[at] = edge.id;
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

    /// Moves all edges `places` places towards the end. The first `places` edges are then any.
    pub(super) fn move_up(&mut self, places: usize) {
        fn move_up<T: Copy + Default>(values: &mut Vec<T>, places: usize) {
            let len = values.len();
            values.resize(len + places, T::default());
            values.copy_within(..len, places);
        }
        move_up(&mut self.u, places);
        move_up(&mut self.v, places);
        move_up(&mut self.weights, places);
        move_up(&mut self.ids, places);
    }
}
