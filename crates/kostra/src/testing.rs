//! A stand-in for a device, so that tests of all faces see what happens if a solver for a device
//! fails, on any machine.

use std::cell::Cell;

use kostra_core::Solver;

thread_local! {
    static DEVICE_SOLVER: Cell<Option<&'static dyn Solver>> = const { Cell::new(None) };
}

/// Runs `body` as on a machine with a device that suits every graph: on this thread,
/// [`auto`](crate::auto) chooses `solver`.
pub fn with_device_solver<T>(solver: &'static dyn Solver, body: impl FnOnce() -> T) -> T {
    let before = DEVICE_SOLVER.replace(Some(solver));
    let result = body();
    DEVICE_SOLVER.set(before);
    result
}

pub(crate) fn device_solver() -> Option<&'static dyn Solver> {
    DEVICE_SOLVER.get()
}
