//! The memory of a graph or a part of a graph, reserved before the generator starts and of exactly
//! the final size.

use std::ops::Range;

use kostra_core::{MAX_EDGES, MAX_VERTICES, Vertex, memory};

use crate::share::Share;
use crate::weights::Weights;
use crate::{Generated, SpecError};

/// The bytes of both ends of an edge.
pub(crate) const ENDS: usize = 2 * size_of::<Vertex>();

/// An edge list of known final length. For a part of a graph, it keeps only the edges of that part.
pub(crate) struct Builder {
    vertices: usize,
    /// The ids of the kept edges.
    kept: Range<u64>,
    /// The id of the next edge.
    next: u64,
    u: Vec<Vertex>,
    v: Vec<Vertex>,
}

impl Builder {
    /// Reserves the memory of a graph with weights of the kind `weights`.
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

    /// The arrays without weights, and the id of the first edge, for generators with weights of
    /// their own.
    pub(crate) fn into_ends(self) -> (Vec<Vertex>, Vec<Vertex>, u64) {
        (self.u, self.v, self.kept.start)
    }

    /// The graph with its weights.
    pub(crate) fn finish(self, weights: Weights, seed: u64) -> Result<Generated, SpecError> {
        let first = self.kept.start;
        let graph = weights.graph(seed, self.vertices, first, self.u, self.v)?;
        Ok(Generated { graph, coordinates: None, first })
    }
}

/// Refuses a graph that is too large for 32-bit ids, or that needs more than the system's memory,
/// `bytes` in total.
///
/// Reserves the total in one request and does not touch it. The system could grant separate
/// requests one by one, and kill the process when it uses them.
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

/// An empty array with capacity for exactly `length` values.
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
