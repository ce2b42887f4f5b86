//! Refinement of a partition on a device: moves vertices between parts to lower the cut.
//!
//! [`MoveMethod`] chooses the way. All start from the connections of each vertex to the parts
//! of its neighbors, which [`State`] computes, and both
//! first bring parts above the limit within it.
//!
//! | module | contents |
//! |---|---|
//! | `state` | the partition, the connections, the best part of each vertex |
//! | `jet` | passes of unconstrained moves with an afterburner; the default |
//! | `balance` | moves out of parts above the limit |
//! | `transactions` | moves in transactions, in ranges of gains |
//! | `counters` | counts of transactions |
//! | `kernels` | the kernels of all of these |

mod balance;
mod counters;
mod jet;
mod kernels;
mod state;
#[cfg(test)]
mod tests;
mod transactions;

use cudarc::driver::CudaSlice;
use kostra_core::Run;

use self::jet::Jet;
use self::kernels::JET;
pub(crate) use self::kernels::Kernels;
use self::state::State;
use self::transactions::Transactions;
use super::graph::DeviceGraph;
use crate::device::Device;
use crate::error::DeviceError;
use crate::shared::constant;
use crate::step_clock::StepClock;

/// What a partition must be like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartitionShape {
    pub(crate) parts: u32,
    /// The greatest weight of a part.
    pub(crate) limit: u32,
}

/// A graph on a device, and its partition, which is refined.
pub(crate) struct Divided<'a> {
    pub(crate) device: &'a Device,
    pub(crate) kernels: &'a Kernels,
    pub(crate) graph: &'a DeviceGraph,
    /// The part of each vertex, below `shape.parts`.
    pub(crate) parts: &'a mut CudaSlice<u32>,
    pub(crate) shape: PartitionShape,
}

/// How vertices move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MoveMethod {
    /// Many vertices at once, even to lower gains and heavier parts (Jet).
    #[default]
    Jet,
    /// In transactions, with a positive gain, within the limit (Manoochehri).
    Transactions,
    /// The same, in transactions that mark the gains of neighbors as invalid (Manoochehri, without
    /// Kostra's additions).
    Invalidation,
}

/// How to search, and how long.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    pub(crate) method: MoveMethod,
    /// Whether this is the finest graph. Coarser ones accept greater losses ([`MoveMethod::Jet`]).
    pub(crate) finest: bool,
    /// The number of passes without a better partition that end [`MoveMethod::Jet`].
    pub(crate) patience: u32,
    /// Chooses the part of vertices that may move to any part.
    pub(crate) seed: u32,
}

impl Effort {
    /// The patience that the source of Jet recommends.
    pub(crate) const PATIENCE: u32 = 12;
}

/// The most parts whose classes have numbers of 32 bits.
const MOST_PARTS: u32 = u32::MAX / constant(JET.text(), "CLASSES") as u32;

/// The partition that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RefinedPartition {
    /// The weight of all edges between different parts.
    pub(crate) cut: u64,
    /// The weight above the limit, in all parts. It is 0 if it was 0 before, and nearly always
    /// otherwise.
    pub(crate) overload: u64,
    /// The number of parts without weight, not more than before.
    pub(crate) empty: u32,
}

/// Lowers the cut of a partition, and the overload if there is any.
///
/// Call it on each level after the parts are projected, with the clock that measures the steps:
///
/// ```ignore
/// let kernels = run.compile(|_| refine::Kernels::load(device, row_sort))?; // once
/// let shape = Shape { parts: k, limit };
/// let divided =
///     Divided { device, kernels: &kernels, graph: &graph, parts: &mut parts, shape };
/// let effort =
///     Effort { method: Method::Jet, finest: level == 0, patience: Effort::PATIENCE, seed };
/// let outcome = refine(divided, effort, &mut clock, run)?;
/// ```
///
/// Afterwards neither the overload nor
/// the number of empty parts is greater than before. The cut is not greater either, unless one of
/// them became less. If `outcome.overload` is not 0, or a part is empty, enforce the limit on the
/// processor.
///
/// With more than [`MOST_PARTS`] parts, the partition stays as it is. The result may differ from
/// run to run, because vertices reserve room in parts in any order.
///
/// Memory: 12 bytes per entry, with transactions 32; 40 bytes per vertex, with transactions 52; and
/// 156 bytes per part.
///
/// # Errors
/// When the device fails or has too little memory.
pub(crate) fn refine(
    divided: Divided<'_>,
    effort: Effort,
    clock: &mut StepClock<'_>,
    run: &mut Run<'_>,
) -> Result<RefinedPartition, DeviceError> {
    let shape = divided.shape;
    if divided.graph.vertices == 0 {
        return Ok(RefinedPartition { cut: 0, overload: 0, empty: shape.parts });
    }
    clock.start()?;
    let mut state = State::new(divided, effort.method)?;
    if shape.parts > MOST_PARTS {
        state.connect()?;
        return state.outcome();
    }
    let outcome = match effort.method {
        MoveMethod::Jet => Jet::new(&state)?.refine(&mut state, effort, clock),
        MoveMethod::Transactions | MoveMethod::Invalidation => {
            Transactions::new(&state, effort.method)?.refine(&mut state, effort, clock, run)
        }
    }?;
    clock.report(run)?;
    Ok(outcome)
}
