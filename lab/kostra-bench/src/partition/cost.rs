//! The cost analysis of the partitioner on a device, checked against its measured steps.
//!
//! Manoochehri 2017, section 4.4, bounds the time of each step in the model of threaded many-core
//! memory: `T_p = max(T_1 / p, T_inf, mu L / (tau p))`, with the work `T_1`, the span `T_inf` and
//! the number `mu` of memory transfers. The counts below are those of the kernels, with the sizes
//! of the level: neighboring accesses of a warp are grouped into sectors, all others count one by
//! one. The span is the number of dependent launches. Work is left out, because every step loads as
//! often as it computes, and the device computes faster than it loads.
//!
//! Two constants of the device are fitted to all steps of a record: the time of a launch, and
//! `L / (tau p)`, the time of a transfer. The fit minimizes the squared logarithms of the ratios of
//! measured and modelled times.

use std::collections::BTreeMap;

use super::PartitionResult;
use crate::observed::{Observed, PhaseTotal};

/// Words of four bytes in a sector of memory, the source's `C`.
const SECTOR: f64 = 8.0;
/// The entries that a block sorts in shared memory. Longer runs are merged from global memory.
const SORTED_TILE: f64 = 1024.0;
/// The accesses of a transaction to each cell: mark, validate, lock, read and write.
const ACCESSES: f64 = 5.0;

/// A step on a level.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LevelStep {
    pub(crate) name: String,
    /// The number of edges of the level.
    pub(crate) edges: f64,
    pub(crate) seconds: f64,
    span: f64,
    transfers: f64,
}

/// The fitted constants of a device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fit {
    /// Seconds of a launch.
    pub(crate) launch: f64,
    /// Seconds of a memory transfer.
    pub(crate) transfer: f64,
}

/// How far a step is from the model.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Residual {
    pub(crate) name: String,
    /// The number of levels.
    pub(crate) levels: usize,
    /// The measured seconds of all levels.
    pub(crate) seconds: f64,
    /// The geometric mean of measured by modelled time.
    pub(crate) ratio: f64,
    /// The factor of one standard deviation around that mean.
    pub(crate) spread: f64,
}

impl Fit {
    /// The modelled seconds of a step.
    pub(crate) fn seconds(&self, step: &LevelStep) -> f64 {
        (self.launch * step.span).max(self.transfer * step.transfers)
    }

    /// The best constants for steps; none if there are no steps.
    pub(crate) fn to(steps: &[LevelStep]) -> Option<Self> {
        /// The exponents of ten between which the constants are searched.
        const LAUNCHES: (f64, f64) = (-7.0, -3.0);
        const TRANSFERS: (f64, f64) = (-13.0, -8.0);
        const POINTS: i32 = 40;
        if steps.is_empty() {
            return None;
        }
        let error = |fit: &Self| -> f64 {
            steps.iter().map(|step| (step.seconds / fit.seconds(step)).ln().powi(2)).sum()
        };
        let middle = |(low, high): (f64, f64)| f64::midpoint(low, high);
        let (mut launch, mut transfer) = (middle(LAUNCHES), middle(TRANSFERS));
        let mut width = (LAUNCHES.1 - LAUNCHES.0, TRANSFERS.1 - TRANSFERS.0);
        let at = |launch: f64, transfer: f64| Self {
            launch: 10_f64.powf(launch),
            transfer: 10_f64.powf(transfer),
        };
        // Each grid is around the best point of the one before it.
        for _ in 0..3 {
            let place = |center: f64, width: f64, point: i32| {
                center + width * (f64::from(point) / f64::from(POINTS) - 0.5)
            };
            let grid = (0..=POINTS).flat_map(|x| (0..=POINTS).map(move |y| (x, y)));
            let points = grid
                .map(|(x, y)| (place(launch, width.0, x), place(transfer, width.1, y)))
                .map(|(x, y)| (error(&at(x, y)), x, y));
            let best = points.min_by(|one, other| one.0.total_cmp(&other.0));
            (_, launch, transfer) = best?;
            width = (width.0 / 10.0, width.1 / 10.0);
        }
        Some(at(launch, transfer))
    }

    /// The residuals by step, and those of all steps at the end.
    pub(crate) fn residuals(&self, steps: &[LevelStep]) -> Vec<Residual> {
        let mut by_name: BTreeMap<&str, Vec<&LevelStep>> = BTreeMap::new();
        for step in steps {
            by_name.entry(&step.name).or_default().push(step);
        }
        let all = steps.iter().collect();
        let groups = by_name.into_iter().chain([("all steps", all)]);
        groups.map(|(name, steps)| self.residual(name, &steps)).collect()
    }

    fn residual(&self, name: &str, steps: &[&LevelStep]) -> Residual {
        let count = steps.len() as f64;
        let logarithm = |step: &&LevelStep| (step.seconds / self.seconds(step)).ln();
        let mean = steps.iter().map(logarithm).sum::<f64>() / count;
        let squares = steps.iter().map(|step| (logarithm(step) - mean).powi(2)).sum::<f64>();
        Residual {
            name: name.to_owned(),
            levels: steps.len(),
            seconds: steps.iter().map(|step| step.seconds).sum(),
            ratio: mean.exp(),
            spread: (squares / count).sqrt().exp(),
        }
    }
}

/// The steps of an observed partition, by level; none without an observed one.
pub(crate) fn steps(result: &PartitionResult) -> Vec<LevelStep> {
    let Some(observed) = &result.observed else { return Vec::new() };
    let sorts = result.contestant.ends_with("-transactions");
    let step = |phase: &PhaseTotal| {
        let level = Level::new(observed, phase, sorts, f64::from(result.parts))?;
        let (span, transfers) = level.terms(&phase.name)?;
        let (name, seconds) = (phase.name.clone(), phase.seconds);
        // Events tick in half a microsecond: shorter steps are noise.
        (seconds > 1e-6).then(|| LevelStep {
            name,
            edges: level.entries / 2.0,
            seconds,
            span,
            transfers,
        })
    };
    observed.phases.iter().filter_map(step).collect()
}

/// The sizes of a level, and how often a step ran there.
struct Level {
    vertices: f64,
    /// Twice the number of edges.
    entries: f64,
    parts: f64,
    runs: f64,
    /// Attempts of transactions or handshakes.
    attempts: f64,
    /// Whether refinement sorts the rows by part. Otherwise they are hash tables.
    sorts: bool,
}

impl Level {
    fn new(observed: &Observed, phase: &PhaseTotal, sorts: bool, parts: f64) -> Option<Self> {
        let round = observed.rounds.iter().find(|round| Some(round.round) == phase.round)?;
        let is_attempt = |name: &str| name.ends_with("s started");
        let counters = observed.counters.iter().filter(|one| one.round == phase.round);
        Some(Self {
            vertices: round.components as f64,
            entries: 2.0 * round.edges as f64,
            parts,
            runs: phase.runs as f64,
            attempts: counters.filter(|one| is_attempt(&one.name)).map(|one| one.value).sum(),
            sorts,
        })
    }

    /// The passes of the merge sort over global memory.
    fn merges(&self) -> f64 {
        (self.entries / SORTED_TILE).log2().ceil().max(0.0)
    }

    /// The span and the transfers of a step; none for an unknown one. Words that neighbors of a
    /// warp access together are divided by [`SECTOR`].
    fn terms(&self, name: &str) -> Option<(f64, f64)> {
        let (n, e, runs, merges) = (self.vertices, self.entries, self.runs, self.merges());
        let sort_words = 6.0 * e + 2.0 * merges * e;
        let sort_span = 1.0 + 2.0 * merges;
        let (connect_span, connect) = if self.sorts {
            (5.0 + sort_span, (7.0 * e + sort_words) / SECTOR + e)
        } else {
            (4.0, 5.0 * e / SECTOR + 3.0 * e)
        };
        let (choose_span, choose) = (3.0, (3.0 * e + 5.0 * n) / SECTOR + n);
        let (span, transfers) = match name {
            "find candidates" => (1.0, (5.0 * n + 2.0 * e) / SECTOR + 2.0 * e),
            "match" => {
                let cells = 2.0 * ACCESSES * self.attempts / runs;
                (1.0, n / SECTOR + cells)
            }
            "match by common neighbors" => (6.0, (2.0 * e + 6.0 * n) / SECTOR + e + 3.0 * n),
            "map vertices" => (3.0, 6.0 * n / SECTOR + n),
            "gather rows" => (3.0, 6.0 * (n + e) / SECTOR + n + e),
            "sort rows" => (sort_span, sort_words / SECTOR),
            "mark parallel edges" => (1.0, 5.0 * e / SECTOR),
            "pack rows" => (4.0, 6.0 * e / SECTOR),
            "project" => (1.0, 2.0 * n / SECTOR + n),
            "connect" => (connect_span, connect),
            "choose parts" => (choose_span + 1.0, choose + 6.0 * n / SECTOR),
            "find gains" => (connect_span + choose_span + 1.0, connect + choose + 6.0 * n / SECTOR),
            "afterburner" => (2.0, (3.0 * e + n) / SECTOR + 2.0 * e),
            "move vertices" => (1.0, 5.0 * n / SECTOR),
            "balance" => (choose_span + 4.0, choose + (8.0 * n + self.parts) / SECTOR),
            "count conflicts" => (2.0, (2.0 * e + n) / SECTOR + 2.0 * e),
            "move in transactions" => {
                let cells = ACCESSES * self.attempts / runs * (1.0 + e / n);
                (3.0, 8.0 * n / SECTOR + cells)
            }
            _ => return None,
        };
        Some((span * runs, transfers * runs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(span: f64, transfers: f64, seconds: f64) -> LevelStep {
        LevelStep { name: "connect".to_owned(), edges: 1.0, seconds, span, transfers }
    }

    #[test]
    fn the_fit_finds_the_constants_of_exact_steps() {
        let exact = Fit { launch: 4e-6, transfer: 3e-11 };
        let sizes = [(4.0, 1e3), (8.0, 1e5), (4.0, 1e7), (4.0, 1e9)];
        let steps = sizes.map(|(span, transfers)| {
            let unknown = step(span, transfers, 0.0);
            LevelStep { seconds: exact.seconds(&unknown), ..unknown }
        });
        let fit = Fit::to(&steps).unwrap();
        assert!((fit.launch / exact.launch).ln().abs() < 0.01, "{fit:?}");
        assert!((fit.transfer / exact.transfer).ln().abs() < 0.01, "{fit:?}");
        let residuals = fit.residuals(&steps);
        assert_eq!((&*residuals[0].name, residuals[1].levels), ("connect", 4));
        assert!(residuals.iter().all(|one| (one.ratio - 1.0).abs() < 0.01 && one.spread < 1.01));
        assert_eq!(Fit::to(&[]), None);
    }

    #[test]
    fn a_residual_has_its_factor_and_its_spread() {
        let fit = Fit { launch: 1.0, transfer: 1.0 };
        let steps = [step(1.0, 0.0, 2.0), step(1.0, 0.0, 8.0)];
        let residual = &fit.residuals(&steps)[0];
        assert!((residual.ratio - 4.0).abs() < 1e-9 && (residual.spread - 2.0).abs() < 1e-9);
    }
}
