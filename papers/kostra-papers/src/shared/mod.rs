//! The data structures that the threads of these solvers share. Each states its progress guarantee
//! and its memory orders.
//!
//! | module | contents |
//! |---|---|
//! | `shared_trees` | [`SharedTrees`]: trees that threads grow until they touch |
//! | `shared_union_find` | [`SharedUnionFind`]: disjoint sets that threads merge |
//! | `lightest_edges` | [`LightestEdges`]: a minimum for each component |
//! | `worklist` | [`Worklist`]: the output of a parallel filter |
//! | `adjacency_list` | [`AdjacencyList`]: a graph that threads build |
//! | `stm` | [`TransactionalMemory`]: cells that threads change in transactions |

mod adjacency_list;
mod lightest_edges;
mod shared_trees;
mod shared_union_find;
mod stm;
mod worklist;

pub use adjacency_list::{AdjacencyList, ListReader, ListWriter};
pub use lightest_edges::LightestEdges;
pub use shared_trees::SharedTrees;
pub use shared_union_find::SharedUnionFind;
pub use stm::{
    Abort, Cells, LimitOutOfRange, PATIENCE, Participant, Tally, Transaction, TransactionalMemory,
    Unfinished,
};
pub use worklist::Worklist;
