//! Minimum spanning forests of graphs whose edges fit neither into device memory nor, possibly,
//! into host memory.
//!
//! The edges arrive in blocks, in input order. A [`Sink`] keeps the forest of the edges so
//! far in device memory, and behind it a buffer of later edges that may change it. Blocks are cut
//! into chunks. While chunks are copied to the device, the device filters the chunk before them:
//! the edges that may be in the forest are appended to the buffer, in input order. Before the
//! buffer can overflow, it is *reduced*: `cuda-fast` finds the forest of the edges of the forest
//! and the buffer, and its edges become the new forest.
//!
//! Why it is correct. Edges are ordered by key and, among equal keys, by id.
//!
//! * The edges of forest and buffer ascend by id, because those of the buffer came later. So the
//!   order of their places, by which `cuda-fast` breaks ties, is the order of their ids.
//! * After each reduction, every vertex gets a *level*: the lowest of several pivots such that
//!   edges of the forest up to the pivot join the vertex to a center, if there is one. If a later
//!   edge is not lighter than the pivots of both its ends, edges with lower ids and no higher keys
//!   join its ends. It is the last edge of a cycle, so it is in no forest (cycle property).
//! * For the same reason the forest of the forest so far and the buffer is the forest of all edges
//!   so far.
//!
//! Pivots are quantiles of the keys of the forest. Above a pivot is a quarter of the edges that are
//! above the pivot before it: in a random graph, components beside the largest become rarer in this
//! way. The levels of a graph with tens of millions of vertices fit into the device's cache.
//!
//! * Source: this project, as `kostra_cpu::external`. Components are found as in ECL-CC (Jaiganesh
//!   & Burtscher 2018).
//! * Time: O(m) for the filter, and O((n + b) log n) work per reduction of b buffered edges. On
//!   edges in random order there are O(1 + n / b log(m / n)) reductions.
//! * Memory: see [`Limits`].

mod intake;
mod kernels;
mod levels;
mod limits;
mod reduce;
mod sink;
#[cfg(test)]
mod tests;

use self::kernels::LEVELS;
pub use self::kernels::compile;
pub use self::limits::{Limits, LimitsError};
pub use self::sink::Sink;
