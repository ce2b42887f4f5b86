//! What a rank sends, and the time that it spends on sending and waiting.

use std::ops::{Add, Sub};
use std::time::Duration;

/// What one rank has sent.
///
/// The messages inside a collective operation cannot be observed. They are counted as the simplest
/// algorithm would send them:
///
/// * barrier, all-reduce of any length: log2 of the number of ranks, rounded up;
/// * all-gather: two messages to each other rank, one of them with the length in 8 bytes;
/// * gather, scatter, broadcast: one message for each rank except the root, counted at that rank,
///   and two for a broadcast whose length the other ranks do not know;
/// * all-to-all: one message to each rank that gets something, and one of 8 bytes to each rank for
///   the lengths.
///
/// What a rank gives to itself is not counted.
///
/// The counts between machines are the part that goes to ranks of other machines. Of a barrier or
/// an all-reduce, a rank sends log2 of the number of machines there, rounded up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// The number of messages.
    pub messages: u64,
    /// The number of bytes in them.
    pub bytes: u64,
    /// The number of messages to ranks of other machines.
    pub messages_between_machines: u64,
    /// The number of bytes in them.
    pub bytes_between_machines: u64,
    /// The time spent on sending, receiving, and waiting for other ranks.
    pub time: Duration,
    /// The part of `time` in which the rank waited for a message to begin to arrive or for another
    /// rank to come to the same operation. Waiting for a rank in a collective operation is in it
    /// only if [`count_waiting`](super::Communicator::count_waiting) asks for it.
    pub waiting: Duration,
}

impl Add for Traffic {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            messages: self.messages + other.messages,
            bytes: self.bytes + other.bytes,
            messages_between_machines: self.messages_between_machines
                + other.messages_between_machines,
            bytes_between_machines: self.bytes_between_machines + other.bytes_between_machines,
            time: self.time + other.time,
            waiting: self.waiting + other.waiting,
        }
    }
}

impl Sub for Traffic {
    type Output = Self;
    fn sub(self, earlier: Self) -> Self {
        Self {
            messages: self.messages - earlier.messages,
            bytes: self.bytes - earlier.bytes,
            messages_between_machines: self.messages_between_machines
                - earlier.messages_between_machines,
            bytes_between_machines: self.bytes_between_machines - earlier.bytes_between_machines,
            time: self.time - earlier.time,
            waiting: self.waiting - earlier.waiting,
        }
    }
}

impl Traffic {
    /// `messages` messages of `bytes` bytes each, `far` of them to ranks of other machines.
    pub(super) fn of(messages: usize, far: usize, bytes: usize) -> Self {
        Self {
            messages: messages as u64,
            bytes: (messages * bytes) as u64,
            messages_between_machines: far as u64,
            bytes_between_machines: (far * bytes) as u64,
            ..Self::default()
        }
    }
}

/// A phase on this rank, summed over its repetitions.
#[derive(Clone, Copy, Debug)]
pub(super) struct PhaseOnRank {
    pub(super) name: &'static str,
    pub(super) elapsed: Duration,
    pub(super) traffic: Traffic,
}

/// A phase on all ranks, summed over its repetitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseTraffic {
    /// The name of the phase.
    pub name: &'static str,
    /// The time on the rank where the phase took longest.
    pub elapsed: Duration,
    /// Messages and bytes of all ranks; the times are the longest times of any rank.
    pub traffic: Traffic,
}
