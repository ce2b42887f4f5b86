//! Uses of a spanning forest: hierarchies of clusters, bottlenecks of paths, and rooted trees.

mod merge_tree;
mod rooted;

pub use merge_tree::{Bottleneck, Merge, MergeTree};
pub use rooted::{NO_PARENT, parents};
