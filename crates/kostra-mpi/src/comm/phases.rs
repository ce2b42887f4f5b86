//! Phases of a solver, and accounting for what they send.

use std::time::{Duration, Instant};

use kostra_core::Run;
use mpi::traits::CommunicatorCollectives;

use super::communicator::Communicator;
use super::memory;
use super::reduce::Reduction;
use super::traffic::{PhaseOnRank, PhaseTraffic, Traffic};

impl Communicator {
    /// What this rank has sent so far.
    pub fn traffic(&self) -> Traffic {
        self.traffic.get()
    }

    /// Runs `step` as a phase of the run, and accounts for what it sends. Before the phase ends,
    /// the observer gets the counters "messages", "bytes sent" and "seconds of communication" of
    /// this rank, and "seconds of waiting" if [waiting is counted](Self::count_waiting).
    ///
    /// The traffic of an inner phase counts for the outer phase too.
    pub fn phase<T>(
        &self,
        run: &mut Run<'_>,
        name: &'static str,
        step: impl FnOnce(&mut Run<'_>) -> T,
    ) -> T {
        run.phase(name, |run| {
            let (start, before) = (Instant::now(), self.traffic());
            let outer = memory::set_current_phase(name);
            let result = step(run);
            memory::set_current_phase(outer);
            let (elapsed, traffic) = (start.elapsed(), self.traffic() - before);
            run.counter("messages", traffic.messages as f64);
            run.counter("bytes sent", traffic.bytes as f64);
            run.counter("seconds of communication", traffic.time.as_secs_f64());
            if self.counts_waiting.get() {
                run.counter("seconds of waiting", traffic.waiting.as_secs_f64());
            }
            let mut phases = self.phases.borrow_mut();
            match phases.iter_mut().find(|phase| phase.name == name) {
                Some(phase) => {
                    phase.elapsed += elapsed;
                    phase.traffic = phase.traffic + traffic;
                }
                None => phases.push(PhaseOnRank { name, elapsed, traffic }),
            }
            result
        })
    }

    /// The phases since the last call, over all ranks. Collective. Every rank must have run the
    /// same phases, first entered in the same order.
    pub fn take_phases(&self) -> Vec<PhaseTraffic> {
        let phases = self.phases.take();
        let before = self.traffic();
        let names: Vec<_> = phases.iter().map(|phase| phase.name).collect();
        if let Err(refusal) = self.agree_on("the list of phases", &names.join(", ")) {
            self.fail(refusal);
        }
        let mut sums: Vec<u64> =
            phases.iter().flat_map(|phase| [phase.traffic.messages, phase.traffic.bytes]).collect();
        let mut longest: Vec<u64> = phases
            .iter()
            .flat_map(|phase| {
                let times = [phase.elapsed, phase.traffic.time, phase.traffic.waiting];
                times.map(|time| time.as_nanos() as u64)
            })
            .collect();
        self.reduce(Reduction::Sum, &mut sums);
        self.reduce(Reduction::Max, &mut longest);
        self.traffic.set(before); // this report is not part of the reported traffic
        let figures = sums.chunks_exact(2).zip(longest.chunks_exact(3));
        let phases = names.into_iter().zip(figures).map(|(name, (sums, longest))| PhaseTraffic {
            name,
            elapsed: Duration::from_nanos(longest[0]),
            traffic: Traffic {
                messages: sums[0],
                bytes: sums[1],
                time: Duration::from_nanos(longest[1]),
                waiting: Duration::from_nanos(longest[2]),
            },
        });
        phases.collect()
    }

    /// Runs `step`, which sends this many messages and bytes, and counts them.
    pub(crate) fn counted<T>(&self, messages: usize, bytes: usize, step: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = step();
        let (messages, bytes, time) = (messages as u64, bytes as u64, start.elapsed());
        let sent = Traffic { messages, bytes, time, waiting: Duration::ZERO };
        self.traffic.set(self.traffic.get() + sent);
        result
    }

    /// Sets whether waiting in collective operations is counted from now on; by default it is not.
    /// To count it, the ranks meet at a barrier before an operation in which every rank needs
    /// something of all others. Before a broadcast, the others wait for one byte of the root. This
    /// takes time of its own, which counts as waiting, so a solve that is timed should not count
    /// it. All ranks must call this.
    pub fn count_waiting(&self, is_counted: bool) {
        self.counts_waiting.set(is_counted);
    }

    /// Runs `step`, which waits for other ranks, inside a [counted](Self::counted) step.
    pub(super) fn waited<T>(&self, step: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = step();
        let waiting = Traffic { waiting: start.elapsed(), ..Traffic::default() };
        self.traffic.set(self.traffic.get() + waiting);
        result
    }

    /// Waits for all ranks before a collective operation in which every rank needs all others, if
    /// [waiting is counted](Self::count_waiting).
    pub(super) fn meet(&self) {
        if self.counts_waiting.get() {
            self.waited(|| self.world.barrier());
        }
    }

    /// The number of steps of a collective operation over a binary tree: log2 of the number of
    /// ranks, rounded up.
    pub(super) fn tree_depth(&self) -> usize {
        self.size().next_power_of_two().trailing_zeros() as usize
    }
}
