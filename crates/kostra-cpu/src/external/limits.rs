//! How a memory budget is divided between the vertices and the buffer of edges.

use kostra_core::{MAX_VERTICES, WeightType, counted};

/// The memory budget does not suffice for the arrays per vertex and the smallest sensible buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BudgetTooSmall {
    /// The least number of bytes that suffices.
    pub least: u64,
    /// The number of vertices.
    pub vertices: u32,
}

impl std::fmt::Display for BudgetTooSmall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let vertices = counted(self.vertices, "vertex", "vertices");
        write!(f, "{vertices} need at least {} bytes of memory", self.least)
    }
}

impl std::error::Error for BudgetTooSmall {}

/// The number of edges that a [`Sink`](super::Sink) buffers.
///
/// A sink has room for the forest, one edge less than there are vertices, and for the buffer. It
/// takes these bytes, for weights of `w` bytes, and about 1 % more:
///
/// ```text
/// an edge of the forest or the buffer    16 + w, and 13 to reduce it
/// a vertex                               24 to reduce, and 1 for its level
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub(super) buffer: usize,
}

/// The smallest sensible buffer: a quarter of an edge per vertex.
const VERTICES_PER_BUFFERED_EDGE: usize = 4;
/// The largest useful buffer. The time of a reduction is mostly that of the vertices, so a larger
/// buffer saves reductions. But edges are buffered in vain that an earlier reduction would let the
/// filter drop.
const LARGEST_BUFFER_PER_VERTEX: usize = 8;
/// The largest useful buffer of a graph with few vertices.
const LARGEST_BUFFER: usize = 1 << 16;
/// Bytes for pivots, rounding, and lists of the edges that pass the filter.
const FIXED_BYTES: u64 = 1 << 21;

impl Limits {
    /// The limits by which a sink for `vertices` vertices and weights of this type stays within
    /// `bytes` bytes.
    ///
    /// # Errors
    /// When the budget is too small.
    pub fn within(
        bytes: u64,
        vertices: u32,
        weight_type: WeightType,
    ) -> Result<Self, BudgetTooSmall> {
        let smallest = smallest_buffer(vertices);
        let (per_vertex, per_edge) = (bytes_per_vertex(weight_type), bytes_per_edge(weight_type));
        let fixed = FIXED_BYTES + per_vertex * u64::from(vertices);
        let least = fixed + per_edge * smallest as u64;
        if bytes < least {
            return Err(BudgetTooSmall { least, vertices });
        }
        let fitting = usize::try_from((bytes - fixed) / per_edge).unwrap_or(usize::MAX);
        let largest = (LARGEST_BUFFER_PER_VERTEX * vertices as usize).max(LARGEST_BUFFER);
        Ok(Self { buffer: fitting.min(largest).min(MAX_VERTICES) })
    }

    /// A buffer of `edges` edges, but at least 1, whatever memory it takes.
    pub fn with_buffer(edges: usize) -> Self {
        Self { buffer: edges.clamp(1, MAX_VERTICES) }
    }

    /// The number of edges in the buffer.
    pub fn buffer(&self) -> usize {
        self.buffer
    }
}

fn smallest_buffer(vertices: u32) -> usize {
    vertices as usize / VERTICES_PER_BUFFERED_EDGE + 1
}

fn bytes_per_vertex(weight_type: WeightType) -> u64 {
    bytes_per_edge(weight_type) + 24 + 1
}

fn bytes_per_edge(weight_type: WeightType) -> u64 {
    // The solver takes 12 bytes besides the edge, and some bits for its answer.
    16 + u64::from(weight_type.bits() / 8) + 13
}
