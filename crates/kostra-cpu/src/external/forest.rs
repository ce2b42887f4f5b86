//! The result.

use kostra_core::{Total, Vertex, Weight};

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
}
