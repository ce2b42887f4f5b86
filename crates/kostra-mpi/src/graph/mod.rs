//! The distributed graph: edges and vertices by rank, and the forest.

mod any_slice;
mod edge_distribution;
mod forest;
mod rank_bit_vector;
mod slice;
mod vertex_distribution;
mod vertex_map;
mod vertex_placement;

pub use any_slice::AnySlice;
pub use edge_distribution::EdgeDistribution;
pub use forest::DistributedForest;
pub(crate) use rank_bit_vector::RankBitVector;
pub use slice::{Slice, SliceError};
pub use vertex_distribution::VertexDistribution;
pub use vertex_map::VertexMap;
pub use vertex_placement::VertexPlacement;
