//! Minimum spanning forests of graphs whose edges do not fit into memory.
//!
//! The edges arrive in blocks, in input order. A [`Sink`] keeps the forest of the edges so
//! far and a buffer of edges that may change it. Whenever the buffer is full, it is *reduced*: the
//! forest is replaced by the forest of its edges and those of the buffer, which an in-memory solver
//! finds on all threads.
//!
//! Why it is correct. Edges are ordered by key and, among equal keys, by id; ids ascend with the
//! input.
//!
//! * An edge whose ends the forest joins by edges that are not heavier is the last edge of a cycle,
//!   because all edges of the forest have lower ids. It is in no forest (cycle property) and is
//!   dropped without being buffered.
//! * For the same reason the forest of the forest so far and the buffer is the forest of all edges
//!   so far.
//!
//! Most edges are dropped by one comparison with a *pivot*, which two bytes choose: one byte per
//! vertex says how heavy the edges are that join it to the center of the forest.
//!
//! * Source: this project. Feigenbaum, Kannan, McGregor, Suri & Zhang 2005 keep the forest of the
//!   edges so far, one edge at a time.
//! * Time: O(m), and that of the in-memory solver for the forest and the buffer per reduction. On
//!   edges in random order the number of reductions is O(1 + n / b log(m / n)) expected for a
//!   buffer of b edges: the forest of the first k edges holds the next edge with probability below
//!   n / k, and the filter keeps a small multiple of these edges.
//! * Memory: see [`Limits`].

mod edges;
mod filter;
mod levels;
mod limits;
mod reduce;
mod sink;
#[cfg(test)]
mod tests;

pub use limits::{BudgetTooSmall, Limits};
pub use sink::Sink;
