//! Balance on a device: moves out of parts that exceed the limit.
//!
//! The twin of `kostra-partition/src/refine/balance.rs`. The vertices of a part above the limit are
//! put into classes by the cut that they lose for each unit of weight. Those of the first classes
//! move, until their weight is at least the excess. In a class, the order is that of arrival. A
//! vertex goes to the best part with room, or to any part with room.
//!
//! At first several vertices may take the same room, so that each one goes to its best part (the
//! weak rebalancing of Gilbert et al. 2024). If two passes do not suffice, each vertex reserves its
//! room (the strong one): then no part gets above the limit, and the overload never rises.
//!
//! O(n + k) work per pass, and up to `k` probes for each vertex that moves, after
//! [`State::choose`].

use cudarc::driver::CudaSlice;

use super::kernels::{Arguments, JET};
use super::state::{Direction, State};
use crate::error::DeviceError;
use crate::shared::{constant, fill};

/// The number of classes of a part.
const CLASSES: usize = constant(JET.text(), "CLASSES") as usize;
/// The number of passes in a row without reservations.
const WEAK_PASSES: u32 = 2;

/// The memory of balancing passes.
pub(super) struct Balance {
    /// The class of each vertex, and the weight before it in the class.
    classes: CudaSlice<u32>,
    places: CudaSlice<u32>,
    class_weights: CudaSlice<u32>,
    excesses: CudaSlice<u64>,
    /// The number of passes since the last balanced partition.
    passes: u32,
}

impl Balance {
    pub(super) fn new(state: &State<'_>) -> Result<Self, DeviceError> {
        let (n, count) = (state.graph.vertices as usize, state.shape.parts as usize);
        Ok(Self {
            classes: state.device.uninit(n)?,
            places: state.device.uninit(n)?,
            class_weights: state.device.uninit(count * CLASSES)?,
            excesses: state.device.uninit(count)?,
            passes: 0,
        })
    }

    /// Notes that the partition is balanced: the next passes are without reservations again.
    pub(super) fn rest(&mut self) {
        self.passes = 0;
    }

    /// Runs a pass on a state that is connected.
    pub(super) fn run(&mut self, state: &mut State<'_>, seed: u32) -> Result<(), DeviceError> {
        state.choose(state.shape.limit.into(), Direction::Any)?;
        state.device.fill(&mut self.class_weights, 0)?;
        self.passes += 1;
        let strict = u32::from(self.passes > WEAK_PASSES);
        let arguments = &fill!(Arguments { strict, seed }, ..state.arguments();
            self => classes places class_weights excesses);
        let (vertices, kernels) = (state.graph.vertices, &state.kernels.jet);
        state.launch(&kernels.rate, vertices, arguments, "rating vertices")?;
        state.launch(&kernels.scan_classes, arguments.count, arguments, "scanning classes")?;
        state.launch(&kernels.rebalance, vertices, arguments, "balancing parts")
    }
}
