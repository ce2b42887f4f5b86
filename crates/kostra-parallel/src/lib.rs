//! Teams of threads, and the data structures that the threads of a team share.
//!
//! | module | contents |
//! |---|---|
//! | `team` | [`with_team`]: threads that run the steps of one solve together |
//! | `observed` | [`with_observed_team`]: the same, with the start and end of the threads as phases |
//! | `placement` | the processor on which each thread of a team starts |
//! | `atomic` | [`atomic_u32`], [`atomic_u64`]: borrowed integers as atomic integers |
//! | `scan` | [`exclusive_prefix_sum`] |
//! | `items` | [`for_each_item`], [`for_each_mut`]: one call for each item; [`lock`]: one thread at a time |
//! | `edge_ids` | [`edge_ids`]: the ids of a set of edges in ascending order |
//! | `shared_edge_set` | [`SharedEdgeSet`]: a set of edges that threads fill |
//! | `shared_trees` | [`SharedTrees`]: trees that threads grow until they touch |
//! | `shared_union_find` | [`SharedUnionFind`]: disjoint sets that threads merge |
//! | `lightest_edges` | [`LightestEdges`]: a minimum for each component |
//! | `worklist` | [`Worklist`]: the output of a parallel filter |
//! | `adjacency_list` | [`AdjacencyList`]: a graph that threads build |
//! | `stm` | [`TransactionalMemory`]: cells that threads change in transactions |
//! | `machine` | [`memory_info`]: the memory of the machine |
//! | `sync` | the atomic types and locks, which the model checker replaces |
//!
//! Each data structure states its progress guarantee and its memory orders. `scripts/loom` checks
//! them with a model checker, and `scripts/tsan` runs them under ThreadSanitizer.
//!
//! There is no thread pool: a team starts its threads and ends them.

mod adjacency_list;
mod atomic;
mod edge_ids;
mod items;
mod lightest_edges;
mod machine;
mod observed;
mod placement;
mod scan;
mod shared_edge_set;
mod shared_trees;
mod shared_union_find;
mod stm;
mod sync;
mod team;
mod worklist;

pub use adjacency_list::{AdjacencyList, Rows, Writer};
pub use atomic::{atomic_u32, atomic_u64};
pub use edge_ids::edge_ids;
pub use items::{for_each_item, for_each_mut, into_item, lock};
pub use lightest_edges::LightestEdges;
pub use machine::memory_info;
pub use observed::with_observed_team;
pub use scan::exclusive_prefix_sum;
pub use shared_edge_set::SharedEdgeSet;
pub use shared_trees::SharedTrees;
pub use shared_union_find::SharedUnionFind;
pub use stm::{
    Abort, Cells, LimitOutOfRange, PATIENCE, Participant, Tally, Transaction, TransactionalMemory,
    Unfinished,
};
pub use team::{Schedule, Team, affordable_threads, with_team};
pub use worklist::Worklist;
