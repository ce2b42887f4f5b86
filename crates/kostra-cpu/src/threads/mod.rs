//! The solver that runs on the threads of one machine.

mod fast;

pub(crate) use fast::Fast;
pub(crate) use fast::fast_of_edges;
pub use fast::{InteriorContraction, UndecidedEdges, contract_interior};
