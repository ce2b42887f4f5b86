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
        self.job.traffic.get()
    }

    /// Runs `step` as a phase of the run, and accounts for what it sends. Before the phase ends,
    /// the observer gets the counters "messages", "bytes sent" and "seconds of communication" of
    /// this rank, "bytes between machines" if there are several, and "seconds of waiting" if [waiting is counted](Self::count_waiting).
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
            run.report.counter("messages", traffic.messages as f64);
            run.report.counter("bytes sent", traffic.bytes as f64);
            if self.machines() > 1 {
                run.report.counter("bytes between machines", traffic.bytes_between_machines as f64);
            }
            run.report.counter("seconds of communication", traffic.time.as_secs_f64());
            if self.job.counts_waiting.get() {
                run.report.counter("seconds of waiting", traffic.waiting.as_secs_f64());
            }
            let mut phases = self.job.phases.borrow_mut();
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

    /// The phases that this rank has run since the last call, over all ranks. Collective. Rank 0
    /// must have run every phase that any rank has run.
    pub fn take_phases(&self) -> Vec<PhaseTraffic> {
        let phases = self.job.phases.take();
        let before = self.traffic();
        let names: Vec<_> = phases.iter().map(|phase| phase.name).collect();
        let names = self.broadcast_vec(0, names.join("\n").into_bytes());
        let names = String::from_utf8_lossy(&names);
        // The places of this rank's phases in rank 0's list.
        let places = phases.iter().map(|phase| {
            let place = names.lines().position(|name| name == phase.name);
            place.unwrap_or_else(|| self.fail(format!("rank 0 has no phase '{}'", phase.name)))
        });
        let places: Vec<_> = places.collect();
        let count = names.lines().count();
        let (mut sums, mut longest) = (vec![[0; 4]; count], vec![[0; 3]; count]);
        for (phase, &place) in phases.iter().zip(&places) {
            let Traffic { messages, bytes, time, waiting, .. } = phase.traffic;
            let Traffic { messages_between_machines, bytes_between_machines, .. } = phase.traffic;
            sums[place] = [messages, bytes, messages_between_machines, bytes_between_machines];
            longest[place] = [phase.elapsed, time, waiting].map(|time| time.as_nanos() as u64);
        }
        self.reduce(Reduction::Sum, sums.as_flattened_mut());
        self.reduce(Reduction::Max, longest.as_flattened_mut());
        self.job.traffic.set(before); // this report is not part of the reported traffic
        let over_all_ranks = |(phase, place): (PhaseOnRank, usize)| {
            let [elapsed, time, waiting] = longest[place].map(Duration::from_nanos);
            let [messages, bytes, messages_between_machines, bytes_between_machines] = sums[place];
            let traffic = Traffic {
                messages,
                bytes,
                messages_between_machines,
                bytes_between_machines,
                time,
                waiting,
            };
            PhaseTraffic { name: phase.name, elapsed, traffic }
        };
        phases.into_iter().zip(places).map(over_all_ranks).collect()
    }

    /// Runs `step`, which sends `sent`, and counts it.
    pub(crate) fn counted<T>(&self, sent: Traffic, step: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = step();
        let sent = Traffic { time: start.elapsed(), ..sent };
        self.job.traffic.set(self.job.traffic.get() + sent);
        result
    }

    /// Sets whether waiting in collective operations is counted from now on; by default it is not.
    /// To count it, the ranks meet at a barrier before an operation in which every rank needs
    /// something of all others. Before a broadcast, the others wait for one byte of the root. This
    /// takes time of its own, which counts as waiting, so a solve that is timed should not count
    /// it. All ranks must call this.
    pub fn count_waiting(&self, is_counted: bool) {
        self.job.counts_waiting.set(is_counted);
    }

    /// Runs `step`, which waits for other ranks, inside a [counted](Self::counted) step.
    pub(super) fn waited<T>(&self, step: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = step();
        let waiting = Traffic { waiting: start.elapsed(), ..Traffic::default() };
        self.job.traffic.set(self.job.traffic.get() + waiting);
        result
    }

    /// Waits for all ranks before a collective operation in which every rank needs all others, if
    /// [waiting is counted](Self::count_waiting).
    pub(super) fn meet(&self) {
        if self.job.counts_waiting.get() {
            self.waited(|| self.ranks.barrier());
        }
    }

    /// A message of `bytes` bytes to a rank, or between this rank and a root.
    pub(super) fn sent_to(&self, rank: usize, bytes: usize) -> Traffic {
        Traffic::of(1, usize::from(self.is_far(rank)), bytes)
    }

    /// A message of `bytes` bytes to each other rank.
    pub(super) fn sent_to_others(&self, bytes: usize) -> Traffic {
        let far = (0..self.size()).filter(|&rank| self.is_far(rank)).count();
        Traffic::of(self.size() - 1, far, bytes)
    }

    /// What a rank sends of an all-reduce of `bytes` bytes.
    pub(super) fn sent_along_tree(&self, bytes: usize) -> Traffic {
        let depth = |count: usize| count.next_power_of_two().trailing_zeros() as usize;
        Traffic::of(depth(self.size()), depth(self.machines()), bytes)
    }
}
