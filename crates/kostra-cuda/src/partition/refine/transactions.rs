//! Refinement by moves in transactions on a device.
//!
//! In each iteration, the gain of each vertex is computed exactly: the rows are sorted by the part
//! of the neighbor, the weights of equal parts are added up, and the part with the greatest sum is
//! chosen. The gain is this sum less the connection to the vertex's own part. Then the vertices
//! whose gain is in the range of the iteration move, each in a transaction. The range begins with
//! the greatest gains, and is extended by half until it has all positive gains. A pass repeats this
//! until few vertices move. Passes alternate between moves to higher and to lower part numbers. A
//! vertex moves at most once in a pass.
//!
//! * Source: Manoochehri 2017, section 4.4.3.
//! * Promises: the cut sinks with every vertex that moves (`kernels/partition_refine_stm.cu` has
//!   the proof), and no move brings a part above the limit, or
//!   makes it empty.
//! * Time O((n + m) log m) work per iteration, because of the sort. A part's weight is one counter,
//!   so the moves to one part are serialized.
//! * Reports the number of attempts of transactions, of commits, of aborts by conflicts, and of
//!   transactions that were given up, with the reason.
//!
//! Deviations from the source, with the reasons:
//!
//! * The inner transaction is a reservation: one atomic addition to the weight of the target, and
//!   one to the weight that stays in the vertex's own part. They are undone if the target is full,
//!   the own part would become empty, or the outer transaction fails. In the source, an inner
//!   transaction on both parts is repeated until it commits. Then it would wait for other threads
//!   while the outer one has marks or locks, and all threads would wait for few entries. A
//!   reservation takes at most four operations and never waits. The balance is kept: a part's
//!   counter is at least its weight with all granted reservations, because it is lowered only after
//!   a commit, and no reservation is granted above the limit. Two reservations for the last room
//!   may refuse each other; the vertices stay candidates.
//! * A transaction reads the state of the neighbors that could invalidate its gain, instead of
//!   marking the gains of all neighbors as invalid. These are the candidates that would move to its
//!   part, or away from its target. So rows of any length fit in a transaction, and most
//!   transactions have one vertex.
//!   [`MoveMethod::Invalidation`] marks the gains, of all neighbors that are candidates of the
//!   iteration; the gains of the others are computed again before they can move. A marked vertex
//!   does not move in the iteration. So the vertices that move are not adjacent, and the cut sinks
//!   by the sum of their gains, in any directions.
//! * A vertex that conflicts with 32 candidates or more does not move in this iteration. If no
//!   other vertex moves either, the next passes allow only moves from parts with one value of a bit
//!   of the part number to parts with the other value. Such moves do not conflict.
//! * A segmented reduction adds up equal parts, instead of a scan, which computes more than the
//!   sums.
//! * The source does not say how a range is extended, when few vertices move, or how many passes
//!   are made.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::CudaSlice;
use kostra_core::Run;

use super::balance::Balance;
use super::counters::Counters;
use super::kernels::{Arguments, Kernels, moving_grid};
use super::state::{Direction, State};
use super::{Effort, MoveMethod, RefinedPartition};
use crate::buffers::download;
use crate::error::DeviceError;
use crate::shared::fill;
use crate::step_clock::StepClock;

/// The most passes in both directions.
const MOST_PASSES: u32 = 8;
/// A pass ends when an iteration moves fewer than one in this number of vertices.
const FEW: u64 = 1000;
/// The passes end when two of them have not lowered the cut by one in this number of units.
const UNITS: u64 = 1000;
const MOST_BALANCING_PASSES: u32 = 16;

/// The memory of passes.
pub(super) struct Transactions {
    balance: Balance,
    targets: CudaSlice<u32>,
    gains: CudaSlice<u32>,
    /// The number of candidates with which each candidate conflicts.
    conflicts: CudaSlice<u32>,
    /// The tracking entry and the state of each vertex.
    states: CudaSlice<u64>,
    /// The weight of each part that does not leave it in an iteration.
    staying: CudaSlice<u64>,
    /// The number of the last pass in which a vertex moved.
    moved: CudaSlice<u32>,
    total: Counters,
    /// Whether a move marks the gains of neighbors as invalid.
    invalidates: bool,
}

impl Transactions {
    pub(super) fn new(state: &State<'_>, method: MoveMethod) -> Result<Self, DeviceError> {
        let n = state.graph.vertices as usize;
        Ok(Self {
            balance: Balance::new(state)?,
            targets: state.device.uninit(n)?,
            gains: state.device.uninit(n)?,
            conflicts: state.device.uninit(n)?,
            states: state.device.uninit(n)?,
            staying: state.device.uninit(state.shape.parts as usize)?,
            moved: state.device.filled(n, 0)?,
            total: Counters::default(),
            invalidates: method == MoveMethod::Invalidation,
        })
    }

    /// Lowers the overload if there is any, and then the cut.
    pub(super) fn refine(
        &mut self,
        state: &mut State<'_>,
        effort: Effort,
        clock: &mut StepClock<'_>,
        run: &mut Run<'_>,
    ) -> Result<RefinedPartition, DeviceError> {
        let mut best = self.bring_within_limit(state, effort.seed, clock)?;
        let (vertices, kernels) = (state.graph.vertices, &state.kernels.transactions);
        let arguments = &self.arguments(state);
        state.launch(&kernels.make_states, vertices, arguments, "making states")?;
        let mut pass = 0;
        while pass < 2 * MOST_PASSES && state.shape.parts > 1 {
            let mut stuck = false;
            // If gains are invalidated, the vertices that move in one iteration are not adjacent,
            // so they need no common direction.
            let directions: &[_] = match self.invalidates {
                true => &[Direction::Any],
                false => &[Direction::Upward, Direction::Downward],
            };
            for &direction in directions {
                pass += 1;
                stuck |= self.run(state, (pass, direction), clock)?;
            }
            if stuck && !self.invalidates {
                pass = self.run_across_bits(state, pass, clock)?;
            }
            let before = std::mem::replace(&mut best, connected(state, clock)?);
            if best.cut + before.cut.div_ceil(UNITS) > before.cut {
                break;
            }
        }
        self.total.report(run);
        Ok(best)
    }

    /// Balances the parts if necessary. Returns the figures of the best partition.
    fn bring_within_limit(
        &mut self,
        state: &mut State<'_>,
        seed: u32,
        clock: &mut StepClock<'_>,
    ) -> Result<RefinedPartition, DeviceError> {
        let mut best = connected(state, clock)?;
        if best.overload == 0 || state.shape.parts < 2 {
            return Ok(best);
        }
        state.keep()?;
        for pass in 0..MOST_BALANCING_PASSES {
            self.balance.run(state, seed ^ pass)?;
            clock.lap("balance")?;
            let now = connected(state, clock)?;
            if now.rank() < best.rank() {
                best = now;
                state.keep()?;
            }
            if now.overload == 0 {
                break;
            }
        }
        state.undo()?;
        state.weigh()?;
        connected(state, clock)
    }

    /// Runs pass `pass`, counted from 1. Returns whether vertices with too many conflicts were all
    /// that was left.
    fn run(
        &mut self,
        state: &mut State<'_>,
        (pass, direction): (u32, Direction),
        clock: &mut StepClock<'_>,
    ) -> Result<bool, DeviceError> {
        let mut least = u64::MAX;
        loop {
            clock.start()?;
            state.connect()?;
            state.choose(state.shape.limit.into(), direction)?;
            let mut arguments = Arguments { pass, ..self.arguments(state) };
            let Kernels { transactions: kernels, .. } = state.kernels;
            let (vertices, entries) = (state.graph.vertices, state.graph.entries);
            state.launch(&kernels.find_gains, vertices, &arguments, "finding gains")?;
            clock.lap("find gains")?;
            let greatest = self.counters(state)?.greatest_gain;
            if greatest == 0 {
                return Ok(false);
            }
            least = extended(least, greatest);
            clock.start()?;
            arguments.least = least as u32;
            state.device.fill(&mut self.conflicts, 0)?;
            let count = match self.invalidates {
                true => &kernels.count_adjacent_candidates,
                false => &kernels.count_conflicts,
            };
            state.launch(count, entries, &arguments, "counting conflicts")?;
            clock.lap("count conflicts")?;
            self.move_in_transactions(state, &arguments)?;
            clock.lap("move in transactions")?;
            let counters = self.counters(state)?;
            self.total.add(counters);
            let few = u64::from(state.graph.vertices) / FEW;
            if least == 1 && counters.committed <= few {
                return Ok(counters.committed == 0 && counters.too_long > 0);
            }
        }
    }

    /// Runs a pass for each bit of part numbers and each way across it. Returns the last pass.
    fn run_across_bits(
        &mut self,
        state: &mut State<'_>,
        mut pass: u32,
        clock: &mut StepClock<'_>,
    ) -> Result<u32, DeviceError> {
        for bit in 0..u32::BITS - (state.shape.parts - 1).leading_zeros() {
            for value in [false, true] {
                pass += 1;
                self.run(state, (pass, Direction::Bit(bit, value)), clock)?;
            }
        }
        Ok(pass)
    }

    fn counters(&self, state: &State<'_>) -> Result<Counters, DeviceError> {
        Ok(Counters::new(&download(state.device, &state.counters)?))
    }

    /// Moves the vertices with a gain of at least `least`.
    fn move_in_transactions(
        &mut self,
        state: &State<'_>,
        arguments: &Arguments,
    ) -> Result<(), DeviceError> {
        const DOING: &str = "moving vertices";
        let copied = state.device.stream().memcpy_dtod(&state.part_weights, &mut self.staying);
        state.device.check(copied, "copying weights")?;
        let kernels = &state.kernels.transactions;
        let grid = moving_grid(state.graph.vertices);
        let kernel = match self.invalidates {
            true => &kernels.move_and_invalidate,
            false => &kernels.move_in_transactions,
        };
        // SAFETY: as in `State::launch`. Vertices with a gain have a target, and no transaction has
        // marked a state.
        unsafe { kernel.launch(state.device, grid, arguments, DOING) }?;
        state.launch(&kernels.take_moves, state.graph.vertices, arguments, "taking moves")
    }

    fn arguments(&self, state: &State<'_>) -> Arguments {
        fill!(Arguments {}, ..state.arguments();
            self => targets gains conflicts states staying moved)
    }
}

/// The least gain of the next iteration, if the last one had `least` and `greatest` is the greatest
/// gain now: half of it, but not above the greatest power of two up to `greatest`.
fn extended(least: u64, greatest: u64) -> u64 {
    (least / 2).clamp(1, 1 << greatest.ilog2())
}

/// The figures of the current partition.
fn connected(
    state: &mut State<'_>,
    clock: &mut StepClock<'_>,
) -> Result<RefinedPartition, DeviceError> {
    clock.start()?;
    state.connect()?;
    clock.lap("connect")?;
    state.outcome()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_is_extended_to_all_positive_gains() {
        let mut ranges = vec![u64::MAX];
        while ranges.last() != Some(&1) {
            ranges.push(extended(*ranges.last().unwrap(), 100));
        }
        assert_eq!(ranges[1..], [64, 32, 16, 8, 4, 2, 1]);
        assert_eq!(extended(64, 3), 2, "no iteration without candidates");
        assert_eq!(extended(1, 3), 1);
    }
}
