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
//! | `machine` | [`memory_info`]: the memory of the machine |
//! | `sync` | the atomic types and locks, which the model checker replaces |
//!
//! Each data structure states its progress guarantee and its memory orders. `scripts/loom` checks
//! them with a model checker, and `scripts/tsan` runs them under ThreadSanitizer.
//!
//! There is no thread pool: a team starts its threads and ends them.

mod atomic;
mod edge_ids;
mod items;
mod machine;
mod observed;
mod placement;
mod scan;
mod shared_edge_set;
pub mod sync;
mod team;

pub use atomic::{atomic_u32, atomic_u64};
pub use edge_ids::edge_ids;
pub use items::{for_each_item, for_each_mut, into_item, lock};
pub use machine::{available_memory, memory_info};
pub use observed::with_observed_team;
pub use scan::exclusive_prefix_sum;
pub use shared_edge_set::SharedEdgeSet;
pub use team::{Schedule, Team, affordable_threads, with_team};
