//! Refinement: moves of vertices between parts that lower the cut and keep the balance.

mod balance;
mod jet;
mod pair_search;
mod pairs;
mod queues;
mod state;
mod worker;

pub(crate) use balance::{enforce, rebalance};
pub(crate) use jet::{Effort, refine};
pub(crate) use pair_search::PairEffort;
pub(crate) use pairs::refine_pairs;
pub(crate) use queues::refine_by_queues;
pub(crate) use state::State;
