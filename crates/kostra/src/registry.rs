//! All solvers by name, and the choice among them.

use kostra_core::{AnyGraph, Solver};
use thiserror::Error;

/// Every solver, in the order in which tables show them.
pub fn solvers() -> impl Iterator<Item = &'static dyn Solver> {
    kostra_cpu::solvers()
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
            .filter(|other| strsim::jaro_winkler(other, id) > 0.8 || (id.len() > 2 && other.contains(id)))
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
pub fn auto(graph: &AnyGraph) -> &'static dyn Solver {
    /// Below this many edges Kruskal's algorithm is done before scratch memory is there.
    const SMALL: usize = 1 << 14;
    /// From this many vertices on `fast` has no labels.
    const MANY: u32 = 1 << 31;
    if graph.edges() < SMALL || graph.vertices() >= MANY {
        kostra_cpu::FASTEST_ON_SMALL
    } else {
        kostra_cpu::FASTEST
    }
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
