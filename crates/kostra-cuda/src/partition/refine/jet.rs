//! Refinement by unconstrained moves on a device (Jet: Gilbert et al. 2024).
//!
//! The twin of `kostra-partition/src/refine/jet.rs`, with the same steps. In a pass, each vertex
//! chooses the part to which it has the heaviest connection, even if the move raises the cut by a
//! share of its connection to its own part. The afterburner computes each gain again, as if the
//! better candidates had moved, and drops the candidates that then lose. The others move at once,
//! and rest for one pass. If a part exceeds the limit, a balancing pass follows instead. The best
//! partition is kept.
//!
//! * Source: Gilbert et al. 2024, section 4. It keeps the connections in hash tables
//!   that each move updates. Here each pass computes them anew, in O(n + m): the tables then need
//!   no room for later neighbors, and no part is deleted from them.
//! * Time O(n + m + k) work per pass, in about ten launches, with one round trip to the host.

use cudarc::driver::CudaSlice;

use super::balance::Balance;
use super::kernels::{Arguments, JET};
use super::state::{Direction, State};
use super::{Effort, RefinedPartition};
use crate::error::DeviceError;
use crate::shared::{constant, fill};
use crate::step_clock::StepClock;

/// The denominator of the temperature.
const WHOLE: u32 = constant(JET.text(), "WHOLE") as u32;
/// The share of the connection to its own part that a vertex may lose by a move, on the finest
/// graph and on coarser ones.
const TEMPERATURES: [u32; 2] = [WHOLE / 4, 3 * WHOLE / 4];
/// No limit for the weight of the target.
const UNLIMITED: u64 = u64::MAX / 2;
/// The rank of a partition that cannot be improved.
const PERFECT: (u64, u32, u64) = (0, 0, 0);

/// Whether `now` is so much better than `best` that the search goes on.
fn is_worthwhile(now: RefinedPartition, best: RefinedPartition) -> bool {
    /// An improvement by one in this number of units of the cut.
    const UNITS: u64 = 1000;
    now.rank() < best.rank()
        && ((now.overload, now.empty) < (best.overload, best.empty)
            || now.cut + best.cut.div_ceil(UNITS) <= best.cut)
}

/// The memory of passes.
pub(super) struct Jet {
    balance: Balance,
    /// The target of each candidate of the current pass.
    targets: CudaSlice<u32>,
    gains: CudaSlice<u32>,
    /// The gains that the afterburner computes.
    later_gains: CudaSlice<u32>,
    /// The number of the last pass in which a vertex moved.
    moved: CudaSlice<u32>,
}

impl Jet {
    pub(super) fn new(state: &State<'_>) -> Result<Self, DeviceError> {
        let n = state.graph.vertices as usize;
        Ok(Self {
            balance: Balance::new(state)?,
            targets: state.device.uninit(n)?,
            gains: state.device.uninit(n)?,
            later_gains: state.device.uninit(n)?,
            moved: state.device.filled(n, 0)?,
        })
    }

    /// Lowers the cut, and the overload if there is any.
    pub(super) fn refine(
        &mut self,
        state: &mut State<'_>,
        effort: Effort,
        clock: &mut StepClock<'_>,
    ) -> Result<RefinedPartition, DeviceError> {
        state.connect()?;
        clock.lap("connect")?;
        let mut now = state.outcome()?;
        let mut best = now;
        state.keep()?;
        let (mut stale, mut pass) = (0, 0);
        while stale < effort.patience && state.shape.parts > 1 && best.rank() > PERFECT {
            pass += 1;
            clock.start()?;
            if now.overload == 0 {
                self.run(state, (effort, pass), clock)?;
            } else {
                self.balance.run(state, effort.seed ^ pass)?;
                clock.lap("balance")?;
            }
            state.connect()?;
            clock.lap("connect")?;
            now = state.outcome()?;
            if now.overload == 0 {
                self.balance.rest();
            }
            stale = if is_worthwhile(now, best) { 0 } else { stale + 1 };
            if now.rank() < best.rank() {
                best = now;
                state.keep()?;
            }
        }
        state.undo()?;
        Ok(best)
    }

    /// Runs pass `pass`, counted from 1.
    fn run(
        &mut self,
        state: &mut State<'_>,
        (effort, pass): (Effort, u32),
        clock: &mut StepClock<'_>,
    ) -> Result<(), DeviceError> {
        state.choose(UNLIMITED, Direction::Any)?;
        let temperature = TEMPERATURES[usize::from(!effort.finest)];
        let arguments = &fill!(Arguments { pass, temperature }, ..state.arguments();
            self => targets gains later_gains moved);
        let (vertices, kernels) = (state.graph.vertices, &state.kernels.jet);
        state.launch(&kernels.find_candidates, vertices, arguments, "finding candidates")?;
        clock.lap("choose parts")?;
        state.device.fill(&mut self.later_gains, 0)?;
        let entries = state.graph.entries;
        state.launch(&kernels.afterburner, entries, arguments, "computing gains again")?;
        clock.lap("afterburner")?;
        state.launch(&kernels.move_candidates, vertices, arguments, "moving vertices")?;
        clock.lap("move vertices")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_improvement_by_less_than_a_thousandth_does_not_prolong_the_search() {
        let outcome = |overload, cut| RefinedPartition { cut, overload, empty: 0 };
        assert!(is_worthwhile(outcome(0, 999), outcome(0, 1000)));
        assert!(is_worthwhile(outcome(0, 9990), outcome(0, 10_000)));
        assert!(!is_worthwhile(outcome(0, 9991), outcome(0, 10_000)));
        assert!(is_worthwhile(outcome(1, 5000), outcome(2, 10)));
        assert!(!is_worthwhile(outcome(1, 10), outcome(0, 1000)), "it is not better");
        assert!(!is_worthwhile(outcome(0, 0), outcome(0, 0)));
    }
}
