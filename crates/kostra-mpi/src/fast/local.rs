//! The forest of a graph on one rank: on the device of the run, if it has one, else on its threads.
//!
//! A device copies the ends and weights of a slice and returns one bit per edge. Ranks that all
//! have a device keep their forests there instead ([`devices`](super::devices)).

use kostra_core::{EdgeSet, Graph, OptionValues, Order, Run, SolveError, SolverOption, Weight};

/// A graph of fewer edges is solved on threads: a device takes milliseconds to allocate memory.
pub(super) const DEVICE_EDGES: SolverOption = SolverOption {
    name: "device_edges",
    about: "number of edges of a rank from which its device is used, if it has one",
    default: 1 << 18,
    values: OptionValues::Number { lowest: 0, highest: 1 << 40 },
};

/// Whether a graph of this many edges is solved on a device.
pub(super) fn is_on_device(edges: usize, run: &Run<'_>) -> bool {
    run.request.chosen_device().is_some()
        && edges > 0
        && edges as u64 >= run.request.option(&DEVICE_EDGES)
}

/// The edges of the canonical forest.
///
/// # Errors
/// When the run is cancelled, the system refuses memory, or the device fails or has too little
/// memory.
pub(super) fn forest<W: Weight>(
    graph: &Graph<W>,
    order: Order,
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    let edges = graph.edge_list().edges(order);
    if is_on_device(edges.len(), run) {
        kostra_cuda::fast::from_host(edges, run)
    } else {
        kostra_cpu::forest_of_edges(edges, run)
    }
}
