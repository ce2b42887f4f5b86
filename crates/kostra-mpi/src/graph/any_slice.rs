//! Slices of any weight type.

use std::ops::Range;

use kostra_core::{AnyGraph, Weight, WeightType, with_graph};

use super::slice::{Slice, SliceError};
use super::vertex_placement::VertexPlacement;

/// A slice whose weight type is known only at run time, for example because it comes from a file.
/// The weight type is the same on all ranks.
///
/// [`with_slice!`](crate::with_slice) gives access to the typed slice.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "each variant is the weight type it is named after")]
pub enum AnySlice {
    I32(Slice<i32>),
    U32(Slice<u32>),
    I64(Slice<i64>),
    U64(Slice<u64>),
    F32(Slice<f32>),
    F64(Slice<f64>),
}

/// Runs an expression on the typed slice inside an [`AnySlice`]:
/// `with_slice!(any, slice => slice.len())`.
#[macro_export]
macro_rules! with_slice {
    ($any:expr, $slice:ident => $body:expr) => {
        match $any {
            $crate::AnySlice::I32($slice) => $body,
            $crate::AnySlice::U32($slice) => $body,
            $crate::AnySlice::I64($slice) => $body,
            $crate::AnySlice::U64($slice) => $body,
            $crate::AnySlice::F32($slice) => $body,
            $crate::AnySlice::F64($slice) => $body,
        }
    };
}

impl AnySlice {
    /// The edges in `range` of a graph that this rank holds whole. They are copied.
    ///
    /// # Errors
    /// As [`Slice::from_range`].
    pub fn from_range(whole: &AnyGraph, range: Range<u64>) -> Result<Self, SliceError> {
        with_graph!(whole, graph => Slice::from_range(graph.edge_list(), range).map(Self::from))
    }

    /// The slice of the edges with the ids from `first` on, whose ends are global ids.
    ///
    /// # Errors
    /// As [`Slice::from_graph`].
    pub fn from_graph(first: u64, graph: AnyGraph) -> Result<Self, SliceError> {
        with_graph!(graph, graph => Slice::from_graph(first, graph).map(Self::from))
    }

    /// The slice with the vertex ids of `placement`.
    ///
    /// # Errors
    /// As [`Slice::new`], for too many vertices.
    pub(crate) fn placed(&self, placement: &VertexPlacement) -> Result<Self, SliceError> {
        with_slice!(self, slice => placement.place(slice).map(Self::from))
    }

    /// The type of the weights.
    pub fn weight_type(&self) -> WeightType {
        fn type_of<W: Weight>(_: &Slice<W>) -> WeightType {
            W::TYPE
        }
        with_slice!(self, slice => type_of(slice))
    }

    /// The number of vertices of the whole graph.
    pub fn vertices(&self) -> u64 {
        with_slice!(self, slice => slice.vertices())
    }

    /// The id of the first edge, as [`Slice::first`].
    pub fn first(&self) -> u64 {
        with_slice!(self, slice => slice.first())
    }

    /// The number of edges of the slice.
    pub fn len(&self) -> usize {
        with_slice!(self, slice => slice.len())
    }

    /// Whether the slice has no edges.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

macro_rules! impl_from_slice {
    ($($weight:ty => $variant:ident),*) => {
        $(impl From<Slice<$weight>> for AnySlice {
            fn from(slice: Slice<$weight>) -> Self {
                Self::$variant(slice)
            }
        })*
    };
}
impl_from_slice!(i32 => I32, u32 => U32, i64 => I64, u64 => U64, f32 => F32, f64 => F64);
