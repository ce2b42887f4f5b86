//! All solvers by id, and the choice of a solver for a graph.

use kostra_core::{AnyGraph, RequestError, Solver};
#[cfg(feature = "cuda")]
use kostra_cuda::Device;
use thiserror::Error;

/// All solvers, in the order of the tables in the documentation.
pub fn solvers() -> impl Iterator<Item = &'static dyn Solver> {
    let solvers = kostra_cpu::solvers();
    #[cfg(feature = "papers")]
    let solvers = solvers.chain(kostra_papers::solvers());
    #[cfg(feature = "cuda")]
    let solvers = solvers.chain(kostra_cuda::solvers());
    #[cfg(all(feature = "cuda", feature = "papers"))]
    let solvers = solvers.chain(kostra_papers::cuda::solvers());
    solvers
}

/// No solver has the requested id.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[error("there is no algorithm '{id}'; {hint}")]
pub struct UnknownSolver {
    id: String,
    hint: String,
}

/// Ids with at least this Jaro-Winkler similarity to the requested id are suggested. A higher value
/// misses typing errors, and a lower value suggests unrelated ids.
const SIMILAR: f64 = 0.8;
/// A shorter id is part of too many other ids to suggest those that contain it.
const SHORTEST_PART: usize = 3;

impl UnknownSolver {
    /// The error for the requested id. It suggests ids of `known` that are similar, or lists all of
    /// them if none is.
    pub fn new<'a>(id: &str, known: impl Iterator<Item = &'a str>) -> Self {
        let (known, meant) = (known.collect::<Vec<_>>(), id_of(id));
        let is_similar = |other: &&&str| {
            strsim::jaro_winkler(other, &meant) > SIMILAR
                || (meant.len() >= SHORTEST_PART && other.contains(&meant))
        };
        let similar: Vec<_> = known.iter().filter(is_similar).copied().collect();
        let hint = if similar.is_empty() {
            format!("the algorithms are {}", known.join(", "))
        } else {
            format!("did you mean {}?", similar.join(" or "))
        };
        Self { id: id.to_owned(), hint }
    }

    /// The requested id.
    pub fn id(&self) -> &str {
        &self.id
    }
}

/// The id that a text means: without capitals, with hyphens, and by the algorithm's usual name. All
/// exact solvers return the same forest, so a common name may stand for one of several.
pub fn id_of(text: &str) -> String {
    let id = text.trim().to_lowercase().replace(['_', ' '], "-").replace('ů', "u");
    match &*id {
        "prim" | "jarnik" | "prim-jarnik" => "prim-binary".to_owned(),
        "sollin" => "boruvka".to_owned(),
        _ => id,
    }
}

/// The solver with this [id](id_of).
///
/// # Errors
/// When no solver has the id; the error suggests similar ids.
pub fn solver(id: &str) -> Result<&'static dyn Solver, UnknownSolver> {
    let meant = id_of(id);
    let found = solvers().find(|solver| solver.info().id == meant);
    found.ok_or_else(|| UnknownSolver::new(id, solvers().map(|solver| solver.info().id)))
}

/// Chooses the exact solver that is likely to be fastest for a graph on this machine.
///
/// A solver for a device can still fail because the device has too little memory.
/// [`auto_on_processor`] chooses a solver without a device.
pub fn auto(graph: &AnyGraph) -> &'static dyn Solver {
    #[cfg(any(test, feature = "testing"))]
    if let Some(solver) = crate::testing::device_solver() {
        return solver;
    }
    on_device(graph).unwrap_or_else(|| auto_on_processor(graph))
}

/// The solver for a device, if it is likely to be faster than those for the processor.
#[cfg(not(feature = "cuda"))]
fn on_device(_: &AnyGraph) -> Option<&'static dyn Solver> {
    None
}

/// The solver for a device, if it is likely to be faster than those for the processor.
#[cfg(feature = "cuda")]
fn on_device(graph: &AnyGraph) -> Option<&'static dyn Solver> {
    kostra_cuda::FASTEST.filter(|_| is_worth_a_device(graph.edges()) && is_usable(0))
}

/// The solver for one CUDA device, or for several.
#[cfg(feature = "cuda")]
pub(crate) fn for_devices(several: bool) -> Result<&'static dyn Solver, RequestError> {
    let solver = if several { Some(kostra_cuda::FOR_SEVERAL) } else { kostra_cuda::FASTEST };
    solver.ok_or(RequestError::NoDeviceSolver)
}

/// The solver for one CUDA device, or for several.
#[cfg(not(feature = "cuda"))]
pub(crate) fn for_devices(_: bool) -> Result<&'static dyn Solver, RequestError> {
    Err(RequestError::NoDeviceSolver)
}

/// Whether the device exists, and its kernels are already compiled.
#[cfg(feature = "cuda")]
fn is_usable(ordinal: usize) -> bool {
    kostra_cuda::kernels_are_compiled() && Device::open(ordinal).is_ok()
}

/// Whether solving on a device saves more time than the transfer of the graph takes.
///
/// The limits are estimates, not measurements. The transfer moves 12 bytes per edge at about 20
/// GB/s, a tenth of the time that a processor needs to solve. The main cost is the start: opening
/// the device takes about 0.3 s in a process. In that time, sixteen cores solve about 80 million
/// edges, and two cores about 10 million. Later uses of the device start within a millisecond.
#[cfg(feature = "cuda")]
fn is_worth_a_device(edges: usize) -> bool {
    /// The fewest edges if the device must be opened first.
    const LEAST_BEFORE_OPENING: usize = 1 << 25;
    /// The fewest edges if the device is open.
    const LEAST_AFTER_OPENING: usize = 1 << 21;
    let is_open = Device::is_open(0);
    edges >= if is_open { LEAST_AFTER_OPENING } else { LEAST_BEFORE_OPENING }
}

/// Chooses the exact solver that is likely to be fastest for a graph on this machine's processor.
pub fn auto_on_processor(graph: &AnyGraph) -> &'static dyn Solver {
    kostra_cpu::fastest_for(graph.vertices(), graph.edges())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn ids_are_unique_and_found() {
        let ids: Vec<_> = solvers().map(|solver| solver.info().id).collect();
        assert_eq!(ids.iter().collect::<HashSet<_>>().len(), ids.len());
        for id in ids {
            assert_eq!(solver(id).map(|solver| solver.info().id), Ok(id));
            let loud = id.to_uppercase().replace('-', "_");
            assert_eq!(solver(&loud).map(|solver| solver.info().id), Ok(id));
        }
        for (name, id) in [("Prim", "prim-binary"), ("Borůvka", "boruvka"), ("Kruskal", "kruskal")]
        {
            assert_eq!(solver(name).map(|solver| solver.info().id), Ok(id));
        }
    }

    #[test]
    fn an_unknown_id_is_answered_with_similar_ids_or_all() {
        let known = ["kruskal", "filter-kruskal", "boruvka"];
        let message = |id| UnknownSolver::new(id, known.into_iter()).to_string();
        assert_eq!(message("kruskall"), "there is no algorithm 'kruskall'; did you mean kruskal?");
        assert_eq!(
            message("zzz"),
            "there is no algorithm 'zzz'; the algorithms are kruskal, filter-kruskal, boruvka"
        );
    }
}
