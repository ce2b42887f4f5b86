//! Prim's algorithm in the parts of a partition: the solvers of Sousa 2014, section 4.3.2.
//!
//! * `cut`: the parts.
//! * `grow`: an instance of Prim's algorithm in each part, and the local forests that they find.
//! * `trees`: trees that stop at the boundary of their part.
//! * `last_stage`: the solver that finishes the forest.
//! * `union`: the solver `prim-union`. `boundary`: the solver `prim-boundary`.

mod boundary;
mod cut;
mod grow;
mod last_stage;
mod trees;
mod union;

pub(super) use boundary::PrimBoundary;
pub(super) use union::PrimUnion;

use kostra_core::Run;

use cut::Parts;

/// Reports the parts: their number, the vertices of the largest, and the edges that cross parts.
fn report(parts: &Parts<'_>, crossing: usize, run: &mut Run<'_>) {
    run.report.counter("parts", parts.count() as f64);
    run.report.counter("vertices of the largest part", f64::from(parts.largest()));
    run.report.counter("edges that cross parts", crossing as f64);
}

#[cfg(test)]
mod tests;
