//! Memory for a graph, or a part of one, asked for before it is begun, and exactly as much as it
//! will fill.

use std::ops::Range;

use kostra_core::{MAX_EDGES, MAX_VERTICES, Vertex, memory};

use crate::share::Share;
use crate::weights::Weights;
use crate::{Generated, SpecError};

/// Bytes that both ends of an edge take.
pub(crate) const ENDS: usize = 2 * size_of::<Vertex>();

/// An edge list that grows to a length known from the start. Of a part, it keeps the edges that are
/// the part's.
pub(crate) struct Builder {
    vertices: usize,
    /// The ids of the edges that are kept.
    kept: Range<u64>,
    /// The id of the next edge.
    next: u64,
    u: Vec<Vertex>,
    v: Vec<Vertex>,
}

impl Builder {
    /// Room for a graph whose edges weigh as `weights` says.
    pub(crate) fn new(
        vertices: u128,
        edges: u128,
        weights: Weights,
        share: Share<'_>,
    ) -> Result<Self, SpecError> {
        check(vertices, edges, share.of(edges.saturating_mul((ENDS + weights.bytes()) as u128)))?;
        // The check has bounded both.
        let (vertices, kept) = (vertices as usize, share.ids(edges as u64));
        let length = (kept.end - kept.start) as usize;
        Ok(Self { vertices, kept, next: 0, u: array(length)?, v: array(length)? })
    }

    /// Adds an edge.
    #[inline]
    pub(crate) fn edge(&mut self, u: Vertex, v: Vertex) {
        if self.kept.contains(&self.next) {
            self.u.push(u);
            self.v.push(v);
        }
        self.next += 1;
    }

    /// The arrays, for weights that only the generator knows, and the id of their first edge.
    pub(crate) fn into_ends(self) -> (Vec<Vertex>, Vec<Vertex>, u64) {
        (self.u, self.v, self.kept.start)
    }

    /// The graph, weighed.
    pub(crate) fn finish(self, weights: Weights, seed: u64) -> Result<Generated, SpecError> {
        let first = self.kept.start;
        let graph = weights.graph(seed, self.vertices, first, self.u, self.v)?;
        Ok(Generated { graph, coordinates: None, first })
    }
}

/// Refuses a graph that 32-bit ids cannot number, or that needs more `bytes` in all than the system
/// gives.
///
/// The system is asked for everything at once, and nothing of it is touched: one array after the
/// other it might promise, and then end the process when they fill.
pub(crate) fn check(vertices: u128, edges: u128, bytes: u128) -> Result<(), SpecError> {
    if vertices > MAX_VERTICES as u128 {
        return Err(SpecError::TooManyVertices { vertices });
    }
    if edges > MAX_EDGES as u128 {
        return Err(SpecError::TooManyEdges { edges });
    }
    let refused = SpecError::OutOfMemory { bytes };
    let Ok(bytes) = usize::try_from(bytes) else { return Err(refused) };
    // Opaque to the optimizer, which would otherwise do away with memory that nobody uses.
    let all = memory::room::<u8>(bytes).map_err(|_| refused)?;
    std::hint::black_box(all);
    Ok(())
}

/// An empty array with room for exactly `length` values.
pub(crate) fn array<T>(length: usize) -> Result<Vec<T>, SpecError> {
    let bytes = length as u128 * size_of::<T>() as u128;
    memory::room(length).map_err(|_| SpecError::OutOfMemory { bytes })
}

/// An array of `length` zeros.
pub(crate) fn zeros(length: usize) -> Result<Vec<u32>, SpecError> {
    let bytes = length as u128 * size_of::<u32>() as u128;
    memory::zeros(length).map_err(|_| SpecError::OutOfMemory { bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_not_there_is_an_error_and_not_an_abort() {
        // More than a 64-bit processor of today can address, than an array may have, than a number
        // can say.
        for bytes in [1 << 56, 1 << 63, u128::MAX] {
            assert_eq!(check(1, 1, bytes), Err(SpecError::OutOfMemory { bytes }));
        }
        assert_eq!(check(1, 1, 20), Ok(()));
        assert_eq!(array::<u64>(1 << 60), Err(SpecError::OutOfMemory { bytes: 1 << 63 }));
    }
}
