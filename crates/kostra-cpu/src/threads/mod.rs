//! The solver that runs on the threads of one machine.

mod fast;

pub(crate) use fast::Fast;
pub use fast::{ForestBound, InteriorContraction, UndecidedEdges, contract_interior, pack_bits};
pub(crate) use fast::{fast_of_edges, fast_within_bound};
