//! Problems around the minimum spanning forest of a graph. Each module is one problem.
//!
//! | module | contents |
//! |---|---|
//! | `alternatives` | [`Alternatives`]: edges of some and of every best forest, their number, rivals; [`BestForests`] |
//! | `arborescence` | [`arborescence()`]: the forest of a directed graph, with its proof |
//! | `constraints` | [`ForestConstraints`]: edges in and out, linked vertices, numbers of trees; [`ReducedGraph`] |
//! | `persistence` | [`persistence_of_graph`], of grids and of points: when components start and end; [`JoinTree`] |
//! | `steiner` | [`steiner_tree`]: cheap trees that join given vertices, with a lower bound |
//! | `watershed` | [`watershed_of_graph`] and of grids: regions that grow from markers; [`watershed_hierarchy`] |

mod alternatives;
mod arborescence;
mod cells;
mod constraints;
mod exact;
mod persistence;
mod rooted;
mod steiner;
mod watershed;

pub use alternatives::{Alternatives, BestForests, BestForestsError, CountError, RankedForest};
pub use arborescence::{Arborescence, ArborescenceError, ArborescenceFlaw, arborescence};
pub use constraints::{ConstraintError, ForestConstraints, ReducedGraph, TreeCount};
pub use num_bigint::BigUint;
pub use persistence::{
    Births, BranchEnd, JoinTree, PersistenceError, PersistencePair, longer_than, lower_star,
    persistence_of_graph, persistence_of_grid, persistence_of_points, with_float_weights,
};
pub use steiner::{SteinerError, SteinerOptions, SteinerTree, steiner_tree};
pub use watershed::{
    GridRelief, Regional, Relief, WatershedError, important_regions, watershed_hierarchy,
    watershed_of_graph, watershed_of_grid,
};
