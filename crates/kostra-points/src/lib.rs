//! Spanning trees of points, and the clusters that they contain.
//!
//! [`PointTree`] is what the parts of this crate have in common: the functions for points return
//! it, and the functions for clusters take it.

pub mod cluster;
pub mod grid;
mod point_tree;

pub use point_tree::PointTree;
