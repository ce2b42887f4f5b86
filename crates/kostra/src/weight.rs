//! Weights of edges: the types that a graph can have, and a weight of any of them.

use std::cmp::Ordering;
use std::fmt::{self, Display};

use kostra_core::{AnyGraph, EdgeList, Weight};

/// A type of weights: `i32`, `u32`, `i64`, `u64`, `f32` or `f64`.
pub trait EdgeWeight: Weight + Into<Number> + sealed::Sealed {
    #[doc(hidden)]
    fn graph(edges: EdgeList<Self>) -> AnyGraph;
    #[doc(hidden)]
    fn weights(graph: &AnyGraph) -> Option<&[Self]>;
}

/// The weight of an edge, in the type of the weights of its graph. Weights of different types are
/// unequal and have no order; compare them by [`to_f64`](Self::to_f64).
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(missing_docs, reason = "each variant is the weight type it is named after")]
pub enum Number {
    I32(i32),
    U32(u32),
    I64(i64),
    U64(u64),
    F32(f32),
    F64(f64),
}

impl Number {
    /// The weight as a float. Integers above 2^53 are rounded.
    pub fn to_f64(self) -> f64 {
        match self {
            Self::I32(weight) => weight.into(),
            Self::U32(weight) => weight.into(),
            Self::I64(weight) => weight as f64,
            Self::U64(weight) => weight as f64,
            Self::F32(weight) => weight.into(),
            Self::F64(weight) => weight,
        }
    }
}

macro_rules! impl_weight {
    ($($weight:ty => $variant:ident),*) => {
        $(impl From<$weight> for Number {
            fn from(weight: $weight) -> Self {
                Self::$variant(weight)
            }
        }

        impl EdgeWeight for $weight {
            fn graph(edges: EdgeList<Self>) -> AnyGraph {
                edges.into()
            }

            fn weights(graph: &AnyGraph) -> Option<&[Self]> {
                match graph {
                    AnyGraph::$variant(graph) => Some(graph.edge_list().weights()),
                    _ => None,
                }
            }
        }

        impl sealed::Sealed for $weight {})*

        impl PartialOrd for Number {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                match (self, other) {
                    $((Self::$variant(a), Self::$variant(b)) => a.partial_cmp(b),)*
                    _ => None,
                }
            }
        }

        impl Display for Number {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Self::$variant(weight) => weight.fmt(f)),*
                }
            }
        }
    };
}
impl_weight!(i32 => I32, u32 => U32, i64 => I64, u64 => U64, f32 => F32, f64 => F64);

mod sealed {
    pub trait Sealed {}
}
