//! The part of each vertex, for solvers that work on the parts of a graph.

use thiserror::Error;

use crate::Vertex;

/// A partition of the vertices of a graph: the number of the part of each vertex.
///
/// A solver whose [`uses_partition`](crate::Solver::uses_partition) is true takes it from its
/// [`Run`](crate::Run). Parts may be empty.
#[derive(Clone, Copy, Debug)]
pub struct VertexParts<'a> {
    part_of: &'a [u32],
    count: u32,
}

/// The reason why a partition cannot be used.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PartsError {
    /// A part number is not below the number of parts.
    #[error("vertex {vertex} is in part {part}, but the {count} parts are numbered from 0")]
    OutOfRange {
        /// The first such vertex.
        vertex: Vertex,
        /// Its part.
        part: u32,
        /// The number of parts.
        count: u32,
    },
    /// There are more parts than vertices.
    #[error("{count} parts are more than the {vertices} vertices; use fewer parts")]
    TooMany {
        /// The number of parts.
        count: u32,
        /// The number of vertices.
        vertices: usize,
    },
    /// The partition belongs to another graph.
    #[error("the partition has {parts} vertices, but the graph has {vertices}")]
    WrongLength {
        /// The number of vertices of the partition.
        parts: usize,
        /// The number of vertices of the graph.
        vertices: u32,
    },
    /// The solver does not work on parts.
    #[error("{solver} does not use a partition; omit it, or choose a solver that does")]
    NotUsed {
        /// The solver's id.
        solver: &'static str,
    },
}

impl<'a> VertexParts<'a> {
    /// The partition in which vertex `v` is in part `of[v]`, one of `count` parts. O(n).
    ///
    /// # Errors
    /// When a part number is not below `count`, or there are more parts than vertices. One part is
    /// allowed without vertices.
    pub fn new(part_of: &'a [u32], count: u32) -> Result<Self, PartsError> {
        if count as usize > part_of.len().max(1) {
            return Err(PartsError::TooMany { count, vertices: part_of.len() });
        }
        match part_of.iter().position(|&part| part >= count) {
            Some(vertex) => {
                let part = part_of[vertex];
                Err(PartsError::OutOfRange { vertex: vertex as Vertex, part, count })
            }
            None => Ok(Self { part_of, count }),
        }
    }

    /// The part of each vertex.
    pub fn as_slice(self) -> &'a [u32] {
        self.part_of
    }

    /// The number of parts.
    pub fn count(self) -> u32 {
        self.count
    }

    /// Checks that the partition is one of a graph with `vertices` vertices, for `solver`.
    pub(crate) fn check(self, vertices: u32) -> Result<(), PartsError> {
        if self.part_of.len() == vertices as usize {
            return Ok(());
        }
        Err(PartsError::WrongLength { parts: self.part_of.len(), vertices })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_number_beyond_the_parts_is_refused_with_its_vertex() {
        let error = VertexParts::new(&[0, 1, 3], 3).unwrap_err();
        assert_eq!(error, PartsError::OutOfRange { vertex: 2, part: 3, count: 3 });
        assert!(VertexParts::new(&[0, 1, 2], 3).is_ok());
        assert!(VertexParts::new(&[2, 2, 2], 3).is_ok(), "parts may be empty");
    }

    #[test]
    fn more_parts_than_vertices_are_refused() {
        let error = VertexParts::new(&[0, 0], 3).unwrap_err();
        assert_eq!(error, PartsError::TooMany { count: 3, vertices: 2 });
        assert!(VertexParts::new(&[], 1).is_ok() && VertexParts::new(&[], 0).is_ok());
    }
}
