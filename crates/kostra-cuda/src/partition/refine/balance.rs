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

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::CudaSlice;

use super::kernels::{BLOCKS, JET};
use super::state::{Direction, State};
use crate::error::DeviceError;
use crate::launch::launch;
use crate::shared::constant;

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
        let limit = u64::from(state.shape.limit);
        state.choose(limit, Direction::Any)?;
        self.rate(state, limit)?;
        self.scan_classes(state, limit)?;
        self.passes += 1;
        let strict = u32::from(self.passes > WEAK_PASSES);
        // SAFETY: classes are those of parts, best parts are parts, and the other arrays have a
        // value for each vertex.
        unsafe {
            launch!(
                state.device,
                &state.kernels.rebalance,
                BLOCKS.for_items(state.graph.vertices),
                (JET, "rebalance"),
                [
                    ptr vertex_weights = &state.graph.vertex_weights,
                    u32 vertices = &state.graph.vertices,
                    u32 count = &state.shape.parts,
                    u64 limit = &limit,
                    ptr best = &state.best,
                    ptr classes = &self.classes,
                    ptr places = &self.places,
                    ptr class_weights = &self.class_weights,
                    ptr excesses = &self.excesses,
                    u32 strict = &strict,
                    u32 seed = &seed,
                    ptr parts = &mut *state.parts,
                    ptr part_weights = &mut state.part_weights,
                ],
                "balancing parts"
            )
        }
    }

    fn rate(&mut self, state: &State<'_>, limit: u64) -> Result<(), DeviceError> {
        state.device.fill(&mut self.class_weights, 0)?;
        // SAFETY: all parts have a weight and classes, and the other arrays have a value for each
        // vertex.
        unsafe {
            launch!(
                state.device,
                &state.kernels.rate,
                BLOCKS.for_items(state.graph.vertices),
                (JET, "rate"),
                [
                    ptr vertex_weights = &state.graph.vertex_weights,
                    u32 vertices = &state.graph.vertices,
                    ptr parts = &*state.parts,
                    ptr part_weights = &state.part_weights,
                    u64 limit = &limit,
                    ptr best = &state.best,
                    ptr inside = &state.inside,
                    ptr classes = &mut self.classes,
                    ptr places = &mut self.places,
                    ptr class_weights = &mut self.class_weights,
                ],
                "rating vertices"
            )
        }
    }

    fn scan_classes(&mut self, state: &State<'_>, limit: u64) -> Result<(), DeviceError> {
        // SAFETY: each part has a weight and classes.
        unsafe {
            launch!(
                state.device,
                &state.kernels.scan_classes,
                BLOCKS.for_items(state.shape.parts),
                (JET, "scan_classes"),
                [
                    u32 count = &state.shape.parts,
                    ptr part_weights = &state.part_weights,
                    u64 limit = &limit,
                    ptr class_weights = &mut self.class_weights,
                    ptr excesses = &mut self.excesses,
                ],
                "scanning classes"
            )
        }
    }
}
