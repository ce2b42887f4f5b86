//! Problems around the minimum spanning forest of a graph. Each module is one problem, and returns
//! ids of edges, as solvers do.
//!
//! | module | contents |
//! |---|---|
//! | `alternatives` | [`Alternatives`]: edges of some and of every best forest, their number, rivals; [`BestForests`] |
//! | `constraints` | [`ForestConstraints`]: edges in and out, linked vertices, numbers of trees; [`ReducedGraph`] |
//! | `steiner` | [`steiner_tree`]: cheap trees that join given vertices, with a lower bound |

mod alternatives;
mod constraints;
mod rooted;
mod steiner;

pub use alternatives::{Alternatives, BestForests, BestForestsError, CountError, RankedForest};
pub use constraints::{ConstraintError, ForestConstraints, ReducedGraph, TreeCount};
pub use num_bigint::BigUint;
pub use steiner::{SteinerError, SteinerOptions, SteinerTree, steiner_tree};
