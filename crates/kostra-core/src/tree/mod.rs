//! Uses of a spanning forest: hierarchies of clusters, bottlenecks of paths, and rooted trees.

mod merge_tree;
mod not_a_forest;
mod rooted;

pub use merge_tree::{Bottleneck, Helpers, Merge, MergeTree};
pub use not_a_forest::NotAForest;
pub use rooted::{NO_PARENT, parents};
