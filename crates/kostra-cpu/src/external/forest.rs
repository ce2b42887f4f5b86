//! The result, and the state of an unfinished run.

use kostra_core::{OutOfMemory, Total, Vertex, Weight, memory};

use super::edges::EdgeArrays;
use crate::radix_sort_by_key;

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

    /// Sorts edges by id. Takes 16 bytes per edge, and then a copy of one array at a time.
    pub(super) fn sorted(vertices: u32, edges: EdgeArrays<W::Key>) -> Result<Self, OutOfMemory> {
        let order = places_by_id(&edges.ids)?;
        let EdgeArrays { u, v, weights, ids } = edges;
        Ok(Self {
            vertices,
            ids: arranged(ids, &order)?,
            u: arranged(u, &order)?,
            v: arranged(v, &order)?,
            weights: bytemuck::cast_vec(arranged(weights, &order)?),
        })
    }
}

/// The places of edges in the order of their ids.
fn places_by_id(ids: &[u64]) -> Result<Vec<u32>, OutOfMemory> {
    let places = 0..ids.len() as u32;
    if ids.iter().all(|&id| id <= u64::from(u32::MAX)) {
        // An id and a place fit into one word, and a radix sort of words takes no more memory.
        let words = ids.iter().zip(places).map(|(&id, place)| id << 32 | u64::from(place));
        let mut words: Vec<u64> = memory::collected(words)?;
        let mut spare = memory::zeros(words.len())?;
        let sorted = radix_sort_by_key(&mut words, &mut spare, |word| word >> 32);
        return memory::collected(sorted.iter().map(|&word| word as u32));
    }
    let mut pairs: Vec<(u64, u32)> = memory::collected(ids.iter().copied().zip(places))?;
    pairs.sort_unstable();
    memory::collected(pairs.into_iter().map(|(_, place)| place))
}

fn arranged<T: Copy>(values: Vec<T>, order: &[u32]) -> Result<Vec<T>, OutOfMemory> {
    memory::collected(order.iter().map(|&place| values[place as usize]))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_any_width_are_sorted() {
        for high in [0, 1 << 32, 1 << 47] {
            let ids: Vec<u64> = (0..10_000).map(|at| at * 7919 % 10_007 + at % 2 * high).collect();
            let order = places_by_id(&ids).unwrap();
            let sorted: Vec<_> = order.iter().map(|&place| ids[place as usize]).collect();
            let mut right = ids;
            right.sort_unstable();
            assert_eq!(sorted, right);
        }
    }
}
