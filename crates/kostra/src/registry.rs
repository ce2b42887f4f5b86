//! All solvers by name, and the choice among them.

use kostra_core::{AnyGraph, Solver};
use kostra_cuda::Device;
use thiserror::Error;

/// Every solver, in the order in which tables show them.
pub fn solvers() -> impl Iterator<Item = &'static dyn Solver> {
    kostra_cpu::solvers().chain(kostra_cuda::solvers())
}

/// There is no solver of that name.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[error("there is no algorithm '{id}'; {hint}")]
pub struct UnknownSolver {
    id: String,
    hint: String,
}

/// The solver of this name.
///
/// # Errors
/// When there is none; the error suggests the names that are near.
pub fn solver(id: &str) -> Result<&'static dyn Solver, UnknownSolver> {
    solvers().find(|solver| solver.info().id == id).ok_or_else(|| {
        let ids = || solvers().map(|solver| solver.info().id);
        let near: Vec<_> = ids()
            .filter(|other| {
                strsim::jaro_winkler(other, id) > 0.8 || (id.len() > 2 && other.contains(id))
            })
            .collect();
        let hint = if near.is_empty() {
            format!("there are: {}", ids().collect::<Vec<_>>().join(", "))
        } else {
            format!("did you mean {}?", near.join(" or "))
        };
        UnknownSolver { id: id.to_owned(), hint }
    })
}

/// The solver that should be fastest for a graph on this machine. It is exact.
///
/// Where it takes a graph to a device, it may still find too little memory there;
/// [`auto_on_processor`] is the way out.
pub fn auto(graph: &AnyGraph) -> &'static dyn Solver {
    match kostra_cuda::FASTEST {
        Some(solver) if is_worth_a_device(graph.edges()) && is_usable(0) => solver,
        _ => auto_on_processor(graph),
    }
}

/// Whether a device is there, and kernels for it that need not be compiled first.
fn is_usable(ordinal: usize) -> bool {
    kostra_cuda::kernels_are_compiled() && Device::open(ordinal).is_ok()
}

/// Whether a graph in the machine's memory is worth being carried to a device, if there is one.
///
/// A guess until it is measured. The transfer moves 12 bytes an edge at some 20 GB/s, which is a
/// tenth of what a processor takes to solve; what has to be earned back is the start: about 0.3 s
/// when a process first opens the device, in which sixteen cores solve some 80 million edges and
/// two some 10 million, and a fraction of a millisecond from then on.
fn is_worth_a_device(edges: usize) -> bool {
    const FIRST: usize = 1 << 25;
    const AGAIN: usize = 1 << 21;
    edges >= if Device::is_open(0) { AGAIN } else { FIRST }
}

/// The solver that should be fastest for a graph on this machine's processor. It is exact.
pub fn auto_on_processor(graph: &AnyGraph) -> &'static dyn Solver {
    kostra_cpu::fastest_for(graph.vertices(), graph.edges())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        let ids: Vec<_> = solvers().map(|solver| solver.info().id).collect();
        assert_eq!(ids.iter().collect::<HashSet<_>>().len(), ids.len());
        for id in ids {
            assert_eq!(solver(id).map(|solver| solver.info().id), Ok(id));
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_near_ones() {
        let message = |id| solver(id).err().map(|error| error.to_string()).unwrap_or_default();
        assert_eq!(message("kruskall"), "there is no algorithm 'kruskall'; did you mean kruskal?");
        assert!(
            message("zzz").starts_with("there is no algorithm 'zzz'; there are: kruskal"),
            "{}",
            message("zzz")
        );
    }
}
