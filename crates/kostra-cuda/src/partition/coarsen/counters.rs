//! The counters of a round of matching.

use kostra_core::Run;

use crate::partition::Matching;
use crate::shared::constant;
use crate::source::Source;

/// The file of the kernels that count.
pub(super) const SOURCE: Source = Source::file("partition_match.cu");

/// What the kernels of a round have counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counters {
    /// Attempts to match a pair.
    pub(super) started: u64,
    /// Pairs.
    pub(super) committed: u64,
    /// Attempts that failed because of another thread.
    pub(super) aborted: u64,
    /// Attempts that found a vertex matched, or a choice that is not mutual.
    pub(super) late: u64,
}

impl Counters {
    /// The number of counters on the device.
    pub(super) const COUNT: usize = constant(SOURCE.text(), "LATE") as usize + 1;

    /// The counters as the device stores them.
    pub(super) fn new(words: &[u64]) -> Self {
        let get = |place: u64| words.get(place as usize).copied().unwrap_or_default();
        Self {
            started: get(const { constant(SOURCE.text(), "STARTED") }),
            committed: get(const { constant(SOURCE.text(), "COMMITTED") }),
            aborted: get(const { constant(SOURCE.text(), "ABORTED") }),
            late: get(const { constant(SOURCE.text(), "LATE") }),
        }
    }

    /// Reports the counters of a round.
    pub(super) fn report(self, matching: Matching, run: &mut Run<'_>) {
        let Self { started, committed, aborted, late } = self;
        match matching {
            Matching::Transactions | Matching::HeavyEdge => {
                run.report.counter("transactions started", started as f64);
                run.report.counter("transactions committed", committed as f64);
                run.report.counter("transactions aborted", aborted as f64);
                run.report.counter("transactions too late", late as f64);
            }
            Matching::Handshake => {
                run.report.counter("handshakes started", started as f64);
                run.report.counter("handshakes succeeded", committed as f64);
                run.report.counter("handshakes refused", late as f64);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_have_the_places_of_the_kernels() {
        let expected = Counters { started: 1, committed: 2, aborted: 3, late: 4 };
        assert_eq!(Counters::new(&[1, 2, 3, 4]), expected);
        assert_eq!(Counters::COUNT, 4);
    }
}
