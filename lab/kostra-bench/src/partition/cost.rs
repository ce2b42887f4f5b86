//! The cost analysis of the partitioner on a device, checked against its measured steps.
//!
//! Manoochehri 2017, section 4.4, bounds the time of each step in the model of threaded many-core
//! memory: `T_p = max(T_1 / p, T_inf, mu L / (tau p))`, with the work `T_1`, the span `T_inf` and
//! the number `mu` of memory transfers. The counts below are those of the kernels, with the sizes
//! of the level: neighboring accesses of a warp are grouped into sectors, all others count one by
//! one. The span is the number of dependent launches. The work is an operation for every word that
//! is read or written, grouped or not, and one for every comparison of a sort in shared memory.
//! Aborted attempts of transactions count as well, which the source's single processor does not
//! have. Partitioners that sort rows by segmented scans are left out: the number of rounds of such
//! a sort depends on the keys.
//!
//! Three constants of the device are fitted to all steps of a record: the time of a launch,
//! `L / (tau p)`, the time of a transfer, and `1 / p`, the time of an operation. The fit minimizes
//! the squared logarithms of the ratios of measured and modelled times. If the work decides no
//! step, every small time of an operation fits, and the smallest one is taken.

use std::collections::BTreeMap;

use super::{PartitionResult, contestants};
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
    cost: Cost,
}

/// The three terms of a step's cost.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cost {
    span: f64,
    transfers: f64,
    work: f64,
}

/// The fitted constants of a device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fit {
    /// Seconds of a launch.
    pub(crate) launch: f64,
    /// Seconds of a memory transfer.
    pub(crate) transfer: f64,
    /// Seconds of an operation.
    pub(crate) operation: f64,
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
        let Cost { span, transfers, work } = step.cost;
        (self.launch * span).max(self.transfer * transfers).max(self.operation * work)
    }

    /// The best constants for steps; none if there are no steps.
    pub(crate) fn to(steps: &[LevelStep]) -> Option<Self> {
        /// The exponents of ten between which the times of a launch, a transfer and an operation
        /// are searched.
        const EXPONENTS: [(f64, f64); 3] = [(-7.0, -3.0), (-13.0, -8.0), (-15.0, -8.0)];
        /// The points of a grid in each direction, less one.
        const POINTS: u32 = 20;
        /// Each grid is around the best point of the one before it, and a fifth as wide.
        const GRIDS: i32 = 5;
        if steps.is_empty() {
            return None;
        }
        let at = |[launch, transfer, operation]: [f64; 3]| Self {
            launch: 10_f64.powf(launch),
            transfer: 10_f64.powf(transfer),
            operation: 10_f64.powf(operation),
        };
        let error = |fit: Self| -> f64 {
            steps.iter().map(|step| (step.seconds / fit.seconds(step)).ln().powi(2)).sum()
        };
        let mut center = EXPONENTS.map(|(low, high)| f64::midpoint(low, high));
        for grid in 0..GRIDS {
            let place = |axis: usize, point: u32| {
                let (low, high) = EXPONENTS[axis];
                let width = (high - low) / 5_f64.powi(grid);
                let place = center[axis] + width * (f64::from(point) / f64::from(POINTS) - 0.5);
                place.clamp(low, high)
            };
            let axis = || 0..=POINTS;
            let points =
                axis().flat_map(|x| axis().flat_map(move |y| axis().map(move |z| [x, y, z])));
            let places = points.map(|[x, y, z]| [place(0, x), place(1, y), place(2, z)]);
            // Of equal errors the first one is taken, which has the smaller times.
            let best = places
                .map(|place| (error(at(place)), place))
                .min_by(|one, other| one.0.total_cmp(&other.0));
            center = best?.1;
        }
        Some(at(center))
    }

    /// The numbers of steps whose greatest term are the launches, the transfers and the work.
    pub(crate) fn deciding_terms(&self, steps: &[LevelStep]) -> [usize; 3] {
        let mut counts = [0; 3];
        for LevelStep { cost: Cost { span, transfers, work }, .. } in steps {
            let terms = [self.launch * span, self.transfer * transfers, self.operation * work];
            let greatest = (0..3).max_by(|&one, &other| terms[one].total_cmp(&terms[other]));
            greatest.into_iter().for_each(|term| counts[term] += 1);
        }
        counts
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

/// The steps of an observed partition, by level; none without an observed one, or if rows are
/// sorted by segmented scans.
pub(crate) fn steps(result: &PartitionResult) -> Vec<LevelStep> {
    let Some(observed) = &result.observed else { return Vec::new() };
    if contestants::sorts_by_scans(&result.contestant) {
        return Vec::new();
    }
    let sorts = result.contestant.ends_with("-transactions");
    let step = |phase: &PhaseTotal| {
        let level = Level::new(observed, phase, sorts, f64::from(result.parts))?;
        let cost = level.cost(&phase.name)?;
        let (name, seconds) = (phase.name.clone(), phase.seconds);
        // Events tick in half a microsecond: shorter steps are noise.
        (seconds > 1e-6).then(|| LevelStep { name, edges: level.entries / 2.0, seconds, cost })
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

    /// The cost of a step; none for an unknown one.
    fn cost(&self, name: &str) -> Option<Cost> {
        let (span, words, single) = self.terms(name)?;
        // The comparisons in shared memory: one for each entry and halving of a tile.
        let sorts = match name {
            "sort rows" => true,
            "connect" | "find gains" => self.sorts,
            _ => false,
        };
        let comparisons = if sorts { self.entries * SORTED_TILE.log2() } else { 0.0 };
        Some(Cost {
            span: span * self.runs,
            transfers: (words / SECTOR + single) * self.runs,
            work: (words + single + comparisons) * self.runs,
        })
    }

    /// The span of a step, the words that neighbors of a warp access together, and the words that
    /// are accessed one by one; none for an unknown step.
    fn terms(&self, name: &str) -> Option<(f64, f64, f64)> {
        let (n, e, merges) = (self.vertices, self.entries, self.merges());
        let sort_words = 6.0 * e + 2.0 * merges * e;
        let sort_span = 1.0 + 2.0 * merges;
        let (connect_span, connect, connect_single) = if self.sorts {
            (5.0 + sort_span, 7.0 * e + sort_words, e)
        } else {
            (4.0, 5.0 * e, 3.0 * e)
        };
        let (choose_span, choose) = (3.0, 3.0 * e + 5.0 * n);
        let attempts = ACCESSES * self.attempts / self.runs;
        Some(match name {
            "find candidates" => (1.0, 5.0 * n + 2.0 * e, 2.0 * e),
            "match" => (1.0, n, 2.0 * attempts),
            "match by common neighbors" => (6.0, 2.0 * e + 6.0 * n, e + 3.0 * n),
            "map vertices" => (3.0, 6.0 * n, n),
            "gather rows" => (3.0, 6.0 * (n + e), n + e),
            "sort rows" => (sort_span, sort_words, 0.0),
            "mark parallel edges" => (1.0, 5.0 * e, 0.0),
            "pack rows" => (4.0, 6.0 * e, 0.0),
            "project" => (1.0, 2.0 * n, n),
            "connect" => (connect_span, connect, connect_single),
            "choose parts" => (choose_span + 1.0, choose + 6.0 * n, n),
            "find gains" => {
                let words = connect + choose + 6.0 * n;
                (connect_span + choose_span + 1.0, words, connect_single + n)
            }
            "afterburner" => (2.0, 3.0 * e + n, 2.0 * e),
            "move vertices" => (1.0, 5.0 * n, 0.0),
            "balance" => (choose_span + 4.0, choose + 8.0 * n + self.parts, n),
            "count conflicts" => (2.0, 2.0 * e + n, 2.0 * e),
            "move in transactions" => (3.0, 8.0 * n, attempts * (1.0 + e / n)),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(cost: [f64; 3], seconds: f64) -> LevelStep {
        let [span, transfers, work] = cost;
        let cost = Cost { span, transfers, work };
        LevelStep { name: "connect".to_owned(), edges: 1.0, seconds, cost }
    }

    fn exact_steps(fit: Fit, costs: &[[f64; 3]]) -> Vec<LevelStep> {
        let step = |&cost: &[f64; 3]| step(cost, fit.seconds(&step(cost, 0.0)));
        costs.iter().map(step).collect()
    }

    #[test]
    fn the_fit_finds_the_constants_of_exact_steps() {
        let exact = Fit { launch: 4e-6, transfer: 3e-11, operation: 2e-12 };
        let costs = [[4.0, 1e3, 1e3], [8.0, 1e5, 2e5], [4.0, 1e7, 2e7], [4.0, 1e7, 5e9]];
        let steps = exact_steps(exact, &costs);
        let fit = Fit::to(&steps).unwrap();
        for (found, expected) in [
            (fit.launch, exact.launch),
            (fit.transfer, exact.transfer),
            (fit.operation, exact.operation),
        ] {
            assert!((found / expected).ln().abs() < 0.01, "{fit:?}");
        }
        assert_eq!(fit.deciding_terms(&steps), [2, 1, 1]);
        let residuals = fit.residuals(&steps);
        assert_eq!((&*residuals[0].name, residuals[1].levels), ("connect", 4));
        assert!(residuals.iter().all(|one| (one.ratio - 1.0).abs() < 0.01 && one.spread < 1.01));
        assert_eq!(Fit::to(&[]), None);
    }

    /// If transfers take longer in every step, the time of an operation is too short to matter.
    #[test]
    fn work_that_decides_no_step_adds_no_time() {
        let exact = Fit { launch: 4e-6, transfer: 3e-11, operation: 0.0 };
        let steps = exact_steps(exact, &[[4.0, 1e3, 8e3], [4.0, 1e7, 8e7], [4.0, 1e9, 8e9]]);
        let fit = Fit::to(&steps).unwrap();
        assert!(steps.iter().all(|step| fit.operation * step.cost.work < step.seconds), "{fit:?}");
        assert!((fit.transfer / exact.transfer).ln().abs() < 0.01, "{fit:?}");
    }

    #[test]
    fn a_level_has_work_for_every_word() {
        let level = Level {
            vertices: 10.0,
            entries: 40.0,
            parts: 2.0,
            runs: 3.0,
            attempts: 0.0,
            sorts: false,
        };
        // 6 words for each vertex and entry together with neighbors, and one by itself.
        let gather = level.cost("gather rows").unwrap();
        assert_eq!((gather.span, gather.work), (9.0, 3.0 * 7.0 * 50.0));
        assert_eq!(gather.transfers, 3.0 * (6.0 / 8.0 + 1.0) * 50.0);
        // A sort of 40 entries reads and writes 6 words each, and compares ten times.
        assert_eq!(level.cost("sort rows").unwrap().work, 3.0 * (6.0 + 10.0) * 40.0);
        assert_eq!(level.cost("unknown"), None);
    }

    #[test]
    fn partitioners_that_sort_by_segmented_scans_are_known() {
        let sort_by_scans = ["kostra-cuda-manoochehri", "kostra-cuda-handshake-transactions-scans"];
        assert!(sort_by_scans.iter().all(|name| contestants::sorts_by_scans(name)));
        let merge = ["kostra-cuda-handshake-transactions", "kostra-fast", contestants::BLOCKS];
        assert!(!merge.iter().any(|name| contestants::sorts_by_scans(name)));
    }

    #[test]
    fn a_residual_has_its_factor_and_its_spread() {
        let fit = Fit { launch: 1.0, transfer: 1.0, operation: 1.0 };
        let steps = [step([1.0, 0.0, 0.0], 2.0), step([1.0, 0.0, 0.0], 8.0)];
        let residual = &fit.residuals(&steps)[0];
        assert!((residual.ratio - 4.0).abs() < 1e-9 && (residual.spread - 2.0).abs() < 1e-9);
    }
}
