//! What spanning forests are wanted for: hierarchies of clusters, lightest bottlenecks, and trees
//! to walk down.

mod merge_tree;
mod rooted;

pub use merge_tree::{Bottleneck, Merge, MergeTree};
pub use rooted::{NO_PARENT, parents};
