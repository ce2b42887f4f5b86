//! The counters of moves in transactions.

use kostra_core::Run;

use super::kernels::STM;
use crate::shared::constant;

/// What the kernels have counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counters {
    pub(super) greatest_gain: u64,
    /// Attempts of transactions.
    pub(super) started: u64,
    pub(super) committed: u64,
    /// Attempts that failed because of another thread.
    pub(super) aborted: u64,
    /// Transactions that were given up because a neighbor had moved.
    pub(super) outdated: u64,
    /// Transactions that were given up because the target was full, or the own part
    /// would have become empty.
    pub(super) no_room: u64,
    /// Vertices with more conflicts than a transaction can have.
    pub(super) too_long: u64,
}

impl Counters {
    /// The number of counters on the device.
    pub(super) const COUNT: usize = constant(STM.text(), "TOO_LONG") as usize + 1;

    /// The counters as the device stores them.
    pub(super) fn new(words: &[u64]) -> Self {
        let get = |place: u64| words.get(place as usize).copied().unwrap_or_default();
        Self {
            greatest_gain: get(const { constant(STM.text(), "GREATEST_GAIN") }),
            started: get(const { constant(STM.text(), "STARTED") }),
            committed: get(const { constant(STM.text(), "COMMITTED") }),
            aborted: get(const { constant(STM.text(), "ABORTED") }),
            outdated: get(const { constant(STM.text(), "OUTDATED") }),
            no_room: get(const { constant(STM.text(), "NO_ROOM") }),
            too_long: get(const { constant(STM.text(), "TOO_LONG") }),
        }
    }

    /// Adds what the kernels of another iteration have counted.
    pub(super) fn add(&mut self, other: Self) {
        self.greatest_gain = self.greatest_gain.max(other.greatest_gain);
        self.started += other.started;
        self.committed += other.committed;
        self.aborted += other.aborted;
        self.outdated += other.outdated;
        self.no_room += other.no_room;
        self.too_long += other.too_long;
    }

    pub(super) fn report(self, run: &mut Run<'_>) {
        run.report.counter("transactions started", self.started as f64);
        run.report.counter("transactions committed", self.committed as f64);
        run.report.counter("transactions aborted", self.aborted as f64);
        run.report.counter("transactions outdated", self.outdated as f64);
        run.report.counter("transactions without room", self.no_room as f64);
        run.report.counter("transactions too long", self.too_long as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_have_the_places_of_the_kernels() {
        let counters = Counters::new(&[9, 1, 2, 3, 4, 5, 6, 7]);
        let expected = Counters {
            greatest_gain: 1,
            started: 2,
            committed: 3,
            aborted: 4,
            outdated: 5,
            no_room: 6,
            too_long: 7,
        };
        assert_eq!(counters, expected);
        assert_eq!(Counters::COUNT, 8);
    }
}
