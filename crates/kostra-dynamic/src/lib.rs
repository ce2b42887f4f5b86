//! Minimum spanning forests of graphs that change.
//!
//! [`DynamicForest`] holds a graph and its canonical forest while edges are inserted, deleted and
//! reweighted in batches. After each batch the forest is the one that a solver returns for the
//! present edges, edge by edge. An [`UpdateLog`] records the updates in a file.
//!
//! ```
//! use kostra_core::{Order, Total};
//! use kostra_dynamic::DynamicForest;
//!
//! let mut forest = DynamicForest::new(3, Order::Minimum)?;
//! forest.insert(&[0, 1, 2], &[1, 2, 0], &[1, 2, 3])?; // edges 0, 1 and 2
//! assert_eq!(forest.total(), Total::Integer(3));
//! forest.delete(&[1])?;
//! assert_eq!((forest.entered(), forest.left()), (&[2][..], &[1][..]));
//! assert_eq!(forest.bottleneck(1, 2)?, Some(2)); // the heaviest edge of the path
//! # Ok::<(), kostra_dynamic::UpdateError>(())
//! ```

mod any;
mod bottleneck_tree;
mod changing_trees;
mod edge_table;
mod error;
mod forest;
mod line;
mod link_cut;
mod log;
mod plan;
mod sequence;
mod solve;
#[cfg(test)]
mod tests;
mod tours;
mod trees;
mod update;

pub use any::AnyDynamicForest;
pub use error::{LogError, MAX_VERTICES, UpdateError};
pub use forest::DynamicForest;
pub use line::{LineError, UpdateLine};
pub use log::{OpenedLog, UpdateLog};
pub use sequence::{ForestStep, Update};
pub use update::UpdateBatch;
