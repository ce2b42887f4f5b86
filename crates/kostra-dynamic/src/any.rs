//! A dynamic forest whose weight type is known at run time only.

use kostra_core::{AnyGraph, EdgeList, Graph, Order, Weight, WeightType};

use crate::{DynamicForest, UpdateError};

/// A [`DynamicForest`] whose weight type is known at run time only.
///
/// [`with_dynamic_forest!`](crate::with_dynamic_forest) gives access to the typed forest.
#[expect(missing_docs, reason = "each variant is the weight type it is named after")]
pub enum AnyDynamicForest {
    I32(DynamicForest<i32>),
    U32(DynamicForest<u32>),
    I64(DynamicForest<i64>),
    U64(DynamicForest<u64>),
    F32(DynamicForest<f32>),
    F64(DynamicForest<f64>),
}

/// Runs an expression on the typed forest inside an [`AnyDynamicForest`]:
/// `with_dynamic_forest!(any, forest => forest.edges())`.
#[macro_export]
macro_rules! with_dynamic_forest {
    ($any:expr, $forest:ident => $body:expr) => {
        match $any {
            $crate::AnyDynamicForest::I32($forest) => $body,
            $crate::AnyDynamicForest::U32($forest) => $body,
            $crate::AnyDynamicForest::I64($forest) => $body,
            $crate::AnyDynamicForest::U64($forest) => $body,
            $crate::AnyDynamicForest::F32($forest) => $body,
            $crate::AnyDynamicForest::F64($forest) => $body,
        }
    };
}

impl AnyDynamicForest {
    /// A graph without edges, for weights of one type.
    ///
    /// # Errors
    /// As [`DynamicForest::new`].
    pub fn new(vertices: usize, weights: WeightType, order: Order) -> Result<Self, UpdateError> {
        Ok(match weights {
            WeightType::I32 => Self::I32(DynamicForest::new(vertices, order)?),
            WeightType::U32 => Self::U32(DynamicForest::new(vertices, order)?),
            WeightType::I64 => Self::I64(DynamicForest::new(vertices, order)?),
            WeightType::U64 => Self::U64(DynamicForest::new(vertices, order)?),
            WeightType::F32 => Self::F32(DynamicForest::new(vertices, order)?),
            WeightType::F64 => Self::F64(DynamicForest::new(vertices, order)?),
        })
    }

    /// The forest of a graph, whose edges keep their ids.
    ///
    /// # Errors
    /// As [`DynamicForest::new`].
    pub fn of_graph(graph: &AnyGraph, order: Order) -> Result<Self, UpdateError> {
        Ok(match graph {
            AnyGraph::I32(graph) => Self::I32(of_edges(graph, order)?),
            AnyGraph::U32(graph) => Self::U32(of_edges(graph, order)?),
            AnyGraph::I64(graph) => Self::I64(of_edges(graph, order)?),
            AnyGraph::U64(graph) => Self::U64(of_edges(graph, order)?),
            AnyGraph::F32(graph) => Self::F32(of_edges(graph, order)?),
            AnyGraph::F64(graph) => Self::F64(of_edges(graph, order)?),
        })
    }

    /// The type of the weights.
    pub fn weight_type(&self) -> WeightType {
        with_dynamic_forest!(self, forest => forest.weight_type())
    }
}

fn of_edges<W: Weight>(graph: &Graph<W>, order: Order) -> Result<DynamicForest<W>, UpdateError> {
    let edges: &EdgeList<W> = graph.edge_list();
    let mut forest = DynamicForest::new(edges.vertices() as usize, order)?;
    forest.insert(edges.u(), edges.v(), edges.weights())?;
    Ok(forest)
}
