//! What a rank sends, and how long it is busy with that: what papers report of their solvers, phase
//! by phase.

use std::ops::{Add, Sub};
use std::time::{Duration, Instant};

use kostra_core::Run;

use crate::{Communicator, Reduction, memory};

/// What one rank has sent.
///
/// The messages inside a collective operation cannot be seen. It is counted as the plain algorithm
/// for it would send: a barrier or all-reduce of any size as log2 of the ranks, rounded up; an
/// all-gather as two to each other rank, one of 8 bytes for the length; a gather, scatter or
/// broadcast as one for each rank but the root, counted at that rank (two for a broadcast whose
/// length the other ranks do not know). An all-to-all counts a message to each rank that gets
/// something, and one of 8 bytes to each for the lengths. What a rank gives to itself is not
/// counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Messages.
    pub messages: u64,
    /// Bytes in them.
    pub bytes: u64,
    /// Time spent in sending, receiving, and waiting for others.
    pub time: Duration,
}

impl Add for Traffic {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            messages: self.messages + other.messages,
            bytes: self.bytes + other.bytes,
            time: self.time + other.time,
        }
    }
}

impl Sub for Traffic {
    type Output = Self;
    fn sub(self, earlier: Self) -> Self {
        Self {
            messages: self.messages - earlier.messages,
            bytes: self.bytes - earlier.bytes,
            time: self.time - earlier.time,
        }
    }
}

/// A phase on this rank, all its turns together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Phase {
    name: &'static str,
    elapsed: Duration,
    traffic: Traffic,
}

/// A phase on all ranks, all its turns together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseTraffic {
    /// The phase.
    pub name: &'static str,
    /// How long it took the rank that it took longest.
    pub elapsed: Duration,
    /// Messages and bytes of all ranks; the time is that of the rank that was busy with it longest.
    pub traffic: Traffic,
}

impl Communicator {
    /// What this rank has sent so far.
    pub fn traffic(&self) -> Traffic {
        self.traffic.get()
    }

    /// Runs a step of a solver as a named phase of the run, and accounts for what it sends; the
    /// observer sees the counters "messages", "bytes sent" and "seconds of communication" of this
    /// rank before the phase ends.
    ///
    /// What is sent in an inner phase counts for the outer one as well.
    pub fn phase<T>(
        &self,
        run: &mut Run<'_>,
        name: &'static str,
        step: impl FnOnce(&mut Run<'_>) -> T,
    ) -> T {
        run.phase(name, |run| {
            let (start, before) = (Instant::now(), self.traffic());
            let outer = memory::doing(name);
            let result = step(run);
            memory::doing(outer);
            let (elapsed, traffic) = (start.elapsed(), self.traffic() - before);
            run.counter("messages", traffic.messages as f64);
            run.counter("bytes sent", traffic.bytes as f64);
            run.counter("seconds of communication", traffic.time.as_secs_f64());
            let mut phases = self.phases.borrow_mut();
            match phases.iter_mut().find(|phase| phase.name == name) {
                Some(phase) => {
                    phase.elapsed += elapsed;
                    phase.traffic = phase.traffic + traffic;
                }
                None => phases.push(Phase { name, elapsed, traffic }),
            }
            result
        })
    }

    /// The phases since this was last asked, over all ranks. Collective; every rank must have been
    /// in the same phases, first entered in the same order.
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
                [phase.elapsed, phase.traffic.time].map(|time| time.as_nanos() as u64)
            })
            .collect();
        self.reduce(Reduction::Sum, &mut sums);
        self.reduce(Reduction::Max, &mut longest);
        self.traffic.set(before); // the report is no part of what is reported
        let figures = sums.chunks_exact(2).zip(longest.chunks_exact(2));
        let phases = names.into_iter().zip(figures).map(|(name, (sums, longest))| PhaseTraffic {
            name,
            elapsed: Duration::from_nanos(longest[0]),
            traffic: Traffic {
                messages: sums[0],
                bytes: sums[1],
                time: Duration::from_nanos(longest[1]),
            },
        });
        phases.collect()
    }

    /// Does something that sends so much, and counts it.
    pub(crate) fn counted<T>(&self, messages: usize, bytes: usize, step: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = step();
        let sent =
            Traffic { messages: messages as u64, bytes: bytes as u64, time: start.elapsed() };
        self.traffic.set(self.traffic.get() + sent);
        result
    }

    /// How many steps in which everybody sends one message let everybody hear of everybody.
    pub(crate) fn steps(&self) -> usize {
        self.size().next_power_of_two().trailing_zeros() as usize
    }
}
