//! The counters of a round.

use kostra_core::Run;
use kostra_cuda::shared::constant;

use super::kernels::SOURCE;

/// What the kernels of a round have counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counters {
    /// Entries that are not pruned.
    pub(super) remaining: u64,
    /// Attempts to merge.
    pub(super) started: u64,
    /// Attempts that merged two components.
    pub(super) committed: u64,
    /// Attempts that failed because of another thread.
    pub(super) aborted: u64,
    /// Transactions that met more than the allowed number of vertices.
    pub(super) exceeded: u64,
}

impl Counters {
    /// The number of counters on the device.
    pub(super) const COUNT: usize = constant(SOURCE.text(), "EXCEEDED") as usize + 1;

    /// The counters as the device stores them.
    pub(super) fn new(words: &[u64]) -> Self {
        let get = |place: u64| words.get(place as usize).copied().unwrap_or_default();
        Self {
            remaining: get(const { constant(SOURCE.text(), "REMAINING") }),
            started: get(const { constant(SOURCE.text(), "STARTED") }),
            committed: get(const { constant(SOURCE.text(), "COMMITTED") }),
            aborted: get(const { constant(SOURCE.text(), "ABORTED") }),
            exceeded: get(const { constant(SOURCE.text(), "EXCEEDED") }),
        }
    }

    /// Reports the counters of a merge phase with or without transactions.
    pub(super) fn report(self, transactions: bool, run: &mut Run<'_>) {
        let Self { started, committed, aborted, exceeded, .. } = self;
        if transactions {
            run.report.counter("transactions started", started as f64);
            run.report.counter("transactions committed", committed as f64);
            run.report.counter("transactions aborted", aborted as f64);
            run.report.counter("transactions too long", exceeded as f64);
        } else {
            run.report.counter("hooks started", started as f64);
            run.report.counter("hooks succeeded", committed as f64);
            run.report.counter("hooks failed", aborted as f64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_have_the_places_of_the_kernels() {
        let counters = Counters::new(&[1, 2, 3, 4, 5]);
        let expected = Counters { remaining: 1, started: 2, committed: 3, aborted: 4, exceeded: 5 };
        assert_eq!(counters, expected);
        assert_eq!(Counters::COUNT, 5);
    }
}
