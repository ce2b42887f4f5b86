//! A device that no graph fits on: the solver for it refuses each graph as `cuda-fast` refuses one
//! with more vertices than its labels can number. The processor takes over, and each face of Kostra
//! says why.

use kostra::testing::with_device_solver;
use kostra_core::{
    Algorithm, EdgeSet, Key, Platform, Problem, Representation, Run, SolveError, SolverInfo,
};
use kostra_cuda::fast;

/// What every face says after it fell back from this device.
pub const REASON: &str = "small-device failed (cuda-fast would take numbers of more than 32 bits \
                          on this graph; take fast); solved on the processor instead";

/// Runs `body` as on a machine whose only device is this one.
pub fn with_small_device<T>(body: impl FnOnce() -> T) -> T {
    with_device_solver(&SmallDevice, body)
}

struct SmallDevice;

impl Algorithm for SmallDevice {
    const INFO: SolverInfo = SolverInfo {
        id: "small-device",
        title: "Refuses every graph",
        source: "this test",
        platform: Platform::Cuda,
        representation: Representation::EdgeList,
        exact: true,
        time: "O(1)",
        scratch: "none",
        options: &[],
    };

    fn admit(&self, _: u32, edges: usize) -> Result<(), SolveError> {
        fast::admit(u32::MAX, edges)
    }

    fn solve<K: Key>(&self, _: Problem<'_, K>, _: &mut Run<'_>) -> Result<EdgeSet, SolveError> {
        unreachable!("no graph is admitted")
    }
}
