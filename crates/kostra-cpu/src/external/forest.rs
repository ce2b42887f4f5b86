//! The result, and the state of an unfinished run.

use kostra_core::{OutOfMemory, Total, Vertex, Weight, memory};

use super::edges::EdgeArrays;

/// A forest with 64-bit edge ids. Edge `i` of the forest is input edge `ids[i]`; ids ascend.
#[derive(Clone, Debug, PartialEq)]
pub struct ExternalForest<W> {
    /// The number of vertices.
    pub vertices: u32,
    /// The edges in the input.
    pub ids: Vec<u64>,
    /// The first ends.
    pub u: Vec<Vertex>,
    /// The second ends.
    pub v: Vec<Vertex>,
    /// The weights.
    pub weights: Vec<W>,
}

impl<W: Weight> ExternalForest<W> {
    /// The sum of the weights.
    pub fn total(&self) -> Total {
        W::total(self.weights.iter().copied())
    }

    /// The number of components of the graph, isolated vertices included.
    pub fn components(&self) -> u32 {
        self.vertices - self.ids.len() as u32
    }

    /// Sorts edges by id. Takes 16 bytes per edge, and a copy of one array at a time.
    pub(super) fn sorted(vertices: u32, edges: EdgeArrays<W>) -> Result<Self, OutOfMemory> {
        let EdgeArrays { u, v, weights, ids } = edges;
        let mut order: Vec<(u64, u32)> =
            memory::collected(ids.iter().copied().zip(0..ids.len() as u32))?;
        drop(ids);
        order.sort_unstable();
        Ok(Self {
            vertices,
            u: arranged(u, &order)?,
            v: arranged(v, &order)?,
            weights: arranged(weights, &order)?,
            ids: memory::collected(order.into_iter().map(|(id, _)| id))?,
        })
    }
}

fn arranged<T: Copy>(values: Vec<T>, order: &[(u64, u32)]) -> Result<Vec<T>, OutOfMemory> {
    memory::collected(order.iter().map(|&(_, at)| values[at as usize]))
}

/// The state of a sink between two blocks: the forest of all edges so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForestState<'a, W> {
    /// The number of input edges so far.
    pub taken: u64,
    /// The number of vertices.
    pub vertices: u32,
    /// The ids of the forest's edges, which ascend by weight and then by id.
    pub ids: &'a [u64],
    /// The first ends.
    pub u: &'a [Vertex],
    /// The second ends.
    pub v: &'a [Vertex],
    /// The weights.
    pub weights: &'a [W],
}
