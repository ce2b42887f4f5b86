//! From a spanning tree to clusters.
//!
//! [`Hierarchy`] is single-linkage clustering: SciPy's linkage matrix and flat cuts.
//! [`CondensedTree`] is the hierarchy without the clusters of fewer than `min_cluster_size` points,
//! and [`CondensedTree::select`] chooses clusters from it: HDBSCAN. [`segment`] divides a graph,
//! such as the pixels of an image, by the criterion of Felzenszwalb and Huttenlocher.
//!
//! ```
//! use kostra_points::PointTree;
//! use kostra_points::cluster::{Hierarchy, Selection, Ties};
//!
//! // Points at 0, 1, 2, 10, 11, 12 and 30 on a line.
//! let tree = PointTree {
//!     len: 7,
//!     ends: vec![[0, 1], [1, 2], [3, 4], [4, 5], [2, 3], [5, 6]],
//!     distances: vec![1.0, 1.0, 1.0, 1.0, 8.0, 18.0],
//! };
//! let hierarchy = Hierarchy::new(tree)?;
//! assert_eq!(hierarchy.cut(5.0)?, [0, 0, 0, 1, 1, 1, 2]);
//! let clusters = hierarchy.condensed(2, Ties::Together)?.select(Selection::default())?;
//! assert_eq!(clusters.labels, [0, 0, 0, 1, 1, 1, -1]);
//! # Ok::<(), kostra_points::cluster::ClusterError>(())
//! ```

mod bits;
mod condense;
mod condensed_tree;
mod constraints;
mod error;
mod exemplars;
mod features;
mod heights;
mod hierarchy;
mod memberships;
mod numbering;
mod pairwise;
mod predict;
mod segment;
mod select;
mod simplify;
mod sparse;
mod validity;

pub use bits::{BitMetric, BitRows, bits_core_distances, bits_tree};
pub use condense::{Copies, Ties};
pub use condensed_tree::{Cluster, CondensedTree};
pub use constraints::Constraints;
pub use error::ClusterError;
pub use exemplars::Exemplars;
pub use features::{FeatureRows, features_core_distances, features_tree};
pub use hierarchy::Hierarchy;
pub use memberships::TopMemberships;
pub use pairwise::{Distances, pairwise_tree, rows_tree};
pub use predict::{ApproximatePredictions, Fitted, Predictions};
pub use segment::{Segments, segment};
pub use select::{Clustering, Method, Selection};
pub use sparse::{Entries, asymmetric_entries, sparse_core_distances, sparse_tree};
pub use validity::{Gaps, Validity, pairwise_validity, validity};
