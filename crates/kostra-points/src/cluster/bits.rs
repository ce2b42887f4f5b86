//! Spanning trees of rows of bits, such as fingerprints of molecules.

use kostra_core::{OutOfMemory, Run, memory};
use kostra_parallel::{for_each_item, with_team};

use super::{ClusterError, rows_tree};
use crate::PointTree;
use crate::samples::core_of_row;

/// Points whose coordinates are bits, each the set of its ones.
#[derive(Clone, Copy, Debug)]
pub struct BitRows<'a> {
    /// The bits, row by row. Every row begins with a new word, and the bits after its end are zero.
    pub words: &'a [u64],
    /// The number of bits of a row.
    pub bits: u32,
    /// How many points each row counts as; empty for one each.
    pub weights: &'a [u32],
}

/// The distance of two sets. It is a function of four numbers: of the bits that are set in both
/// (`both`), in one (`one`), in the first and in the second only, and in none (`none`). The names
/// and the definitions are those of SciPy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BitMetric {
    /// `one / (2 * both + one)`. Two empty sets have no distance.
    Dice,
    /// `one / bits`.
    Hamming,
    /// `one / (both + one)`, and 0 for two empty sets.
    Jaccard,
    /// `2 * one / (bits + one)`.
    RogersTanimoto,
    /// `(bits - both) / bits`.
    RussellRao,
    /// `2 * one / (both + 2 * one)`. Two empty sets have no distance.
    SokalSneath,
    /// `2 * p / (both * none + p)`, where `p` is the number of bits in the first set only, times
    /// that of bits in the second only; 0 if `p` is.
    Yule,
}

impl BitMetric {
    /// All metrics.
    pub const ALL: [Self; 7] = [
        Self::Dice,
        Self::Hamming,
        Self::Jaccard,
        Self::RogersTanimoto,
        Self::RussellRao,
        Self::SokalSneath,
        Self::Yule,
    ];

    /// The name by which SciPy knows the metric.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dice => "dice",
            Self::Hamming => "hamming",
            Self::Jaccard => "jaccard",
            Self::RogersTanimoto => "rogerstanimoto",
            Self::RussellRao => "russellrao",
            Self::SokalSneath => "sokalsneath",
            Self::Yule => "yule",
        }
    }

    /// The metric of a [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|metric| metric.name() == name)
    }

    /// The distance of two sets with `bits` possible elements. `both` elements are in both sets.
    #[inline]
    fn of(self, bits: u32, [first, second]: [u32; 2], both: u32) -> f64 {
        let one = f64::from(first + second - 2 * both);
        let none = f64::from(bits + both - first - second);
        let product = f64::from(first - both) * f64::from(second - both);
        let (bits, both) = (f64::from(bits), f64::from(both));
        match self {
            Self::Dice => one / (2.0 * both + one),
            Self::Hamming => one / bits,
            Self::Jaccard if one == 0.0 => 0.0,
            Self::Jaccard => one / (both + one),
            Self::RogersTanimoto => 2.0 * one / (bits + one),
            Self::RussellRao => (bits - both) / bits,
            Self::SokalSneath => 2.0 * one / (both + 2.0 * one),
            Self::Yule if product == 0.0 => 0.0,
            Self::Yule => 2.0 * product / (both * none + product),
        }
    }
}

/// The canonical minimum spanning tree of rows of bits. With `min_samples` above 1, it is the tree
/// of mutual reachability distances; the distance of a point to itself is 0.
///
/// Two sets are compared by counting the bits of the intersection of their words. Threads find the
/// core distances, and one finds the tree by Prim's algorithm. O(n^2 bits / 64) time, and 48 bytes
/// per point and n floats per thread.
///
/// ```
/// use kostra_core::Run;
/// use kostra_points::cluster::{BitMetric, BitRows, bits_tree};
///
/// let rows = BitRows { words: &[0b0011, 0b1100, 0b0111], bits: 4, weights: &[] };
/// let tree = bits_tree(rows, BitMetric::Hamming, 1, &mut Run::new())?;
/// assert_eq!((tree.ends, tree.distances), (vec![[0, 2], [1, 2]], vec![0.25, 0.75]));
/// # Ok::<(), kostra_points::cluster::ClusterError>(())
/// ```
///
/// # Errors
/// When the words are not whole rows, `min_samples` is not from 1 to the number of rows, two sets
/// have no distance, the observer of the run cancels it, or the system does not grant the memory.
pub fn bits_tree(
    rows: BitRows<'_>,
    metric: BitMetric,
    min_samples: usize,
    run: &mut Run<'_>,
) -> Result<PointTree, ClusterError> {
    let sets = Sets::new(rows, metric)?;
    let n = sets.sizes.len();
    let cores = (min_samples != 1).then(|| sets.core_distances(min_samples, run)).transpose()?;
    let mut done = 0;
    rows_tree(n as u32, cores.as_deref(), |point, to| {
        done += 1;
        run.report.progress(done, n).map_err(|_| ClusterError::Cancelled)?;
        sets.distances(point as usize, to);
        Ok(())
    })
}

/// The core distance of each row of bits.
///
/// # Errors
/// As [`bits_tree`].
pub fn bits_core_distances(
    rows: BitRows<'_>,
    metric: BitMetric,
    min_samples: usize,
    run: &mut Run<'_>,
) -> Result<Vec<f64>, ClusterError> {
    Sets::new(rows, metric)?.core_distances(min_samples, run)
}

/// The sets, with their numbers of elements.
struct Sets<'a> {
    words: &'a [u64],
    words_per_row: usize,
    bits: u32,
    sizes: Vec<u32>,
    metric: BitMetric,
    weights: &'a [u32],
}

impl<'a> Sets<'a> {
    fn new(rows: BitRows<'a>, metric: BitMetric) -> Result<Self, ClusterError> {
        let BitRows { words, bits, weights } = rows;
        let words_per_row = bits.div_ceil(u64::BITS) as usize;
        if words_per_row == 0 || !words.len().is_multiple_of(words_per_row) {
            return Err(ClusterError::Words { words: words.len(), bits });
        }
        let rows = words.chunks_exact(words_per_row);
        let size = |row: &[u64]| row.iter().map(|word| word.count_ones()).sum();
        let sizes = memory::collected(rows.map(size))?;
        crate::check_weights(weights, sizes.len())?;
        Ok(Self { words, words_per_row, bits, sizes, metric, weights })
    }

    /// The distances of a point to all points; 0 to itself.
    fn distances(&self, point: usize, to: &mut [f64]) {
        let own = &self.words[point * self.words_per_row..][..self.words_per_row];
        let rows = self.words.chunks_exact(self.words_per_row);
        for ((to, row), &size) in to.iter_mut().zip(rows).zip(&self.sizes) {
            let both = own.iter().zip(row).map(|(a, b)| (a & b).count_ones()).sum();
            *to = self.metric.of(self.bits, [self.sizes[point], size], both);
        }
        to[point] = 0.0;
    }

    fn core_distances(
        &self,
        min_samples: usize,
        run: &mut Run<'_>,
    ) -> Result<Vec<f64>, ClusterError> {
        /// Rows between two questions whether the run is cancelled.
        const BATCH: usize = 512;
        /// Rows that a thread takes at a time.
        const ROWS: usize = 16;
        let n = self.sizes.len();
        let entries = match self.weights {
            [] => n,
            weights => weights.iter().map(|&weight| weight as usize).sum(),
        };
        if !(1..=entries).contains(&min_samples) {
            return Err(ClusterError::FewEntries { entries, min_samples });
        }
        let threads = run.request.threads();
        let mut cores = memory::zeros(n)?;
        for (batch, cores) in cores.chunks_mut(BATCH).enumerate() {
            run.report.progress(0, n).map_err(|_| ClusterError::Cancelled)?;
            let mut blocks = Vec::new();
            for (block, cores) in cores.chunks_mut(ROWS).enumerate() {
                blocks.push((batch * BATCH + block * ROWS, cores, Ok(())));
            }
            with_team(threads, |team| {
                let work = blocks.iter_mut();
                for_each_item(team, work, |(first, cores, outcome)| {
                    *outcome = self.core_distances_of(*first, min_samples, cores);
                });
            });
            blocks.into_iter().try_for_each(|(.., outcome)| outcome)?;
        }
        Ok(cores)
    }

    /// The core distances of consecutive points from `first`.
    fn core_distances_of(
        &self,
        first: usize,
        min_samples: usize,
        cores: &mut [f64],
    ) -> Result<(), OutOfMemory> {
        let mut row = memory::zeros(self.sizes.len())?;
        for (point, core) in (first..).zip(cores) {
            self.distances(point, &mut row);
            // The number of samples is at most what all sets count as.
            *core = core_of_row(&mut row, min_samples, self.weights)?.unwrap_or(f64::INFINITY);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use kostra_core::random::RandomStream;

    use super::*;
    use crate::cluster::{Distances, pairwise_tree};

    #[test]
    fn the_tree_is_that_of_the_distances_by_their_definitions() {
        for (seed, bits) in [(0, 1_u32), (1, 64), (2, 65), (3, 200)] {
            let random = RandomStream::new(seed);
            let per_row = bits.div_ceil(64) as usize;
            let n = 45_usize;
            // Every row has a one, because some metrics have no distance of two empty sets.
            let is_set = |row: usize, bit: u32| {
                bit == 0 || random.below((row * 256) as u64 + u64::from(bit), 3) == 0
            };
            let mut words = vec![0_u64; n * per_row];
            for (row, words) in words.chunks_mut(per_row).enumerate() {
                for bit in (0..bits).filter(|&bit| is_set(row, bit)) {
                    words[bit as usize / 64] |= 1 << (bit % 64);
                }
            }
            for metric in BitMetric::ALL {
                let distance = |a: usize, b: usize| {
                    let count = |first: bool, second: bool| {
                        (0..bits)
                            .filter(|&bit| [is_set(a, bit), is_set(b, bit)] == [first, second])
                            .count() as f64
                    };
                    let (tt, tf, ft, ff) = (
                        count(true, true),
                        count(true, false),
                        count(false, true),
                        count(false, false),
                    );
                    let (differ, all) = (tf + ft, f64::from(bits));
                    match metric {
                        _ if a == b => 0.0,
                        BitMetric::Dice => differ / (2.0 * tt + differ),
                        BitMetric::Hamming => differ / all,
                        BitMetric::Jaccard => differ / (tt + differ),
                        BitMetric::RogersTanimoto => 2.0 * differ / (tt + ff + 2.0 * differ),
                        BitMetric::RussellRao => (tf + ft + ff) / all,
                        BitMetric::SokalSneath => 2.0 * differ / (tt + 2.0 * differ),
                        BitMetric::Yule if tf * ft == 0.0 => 0.0,
                        BitMetric::Yule => 2.0 * tf * ft / (tt * ff + tf * ft),
                    }
                };
                let square: Vec<f64> = (0..n * n).map(|at| distance(at / n, at % n)).collect();
                for min_samples in [1, 4, n] {
                    let cores: Vec<f64> = square
                        .chunks(n)
                        .map(|row| {
                            let mut row = row.to_vec();
                            row.sort_by(f64::total_cmp);
                            row[min_samples - 1]
                        })
                        .collect();
                    let expected = pairwise_tree(Distances::Square(&square), Some(&cores));
                    for threads in [1, 3] {
                        let mut run = Run::new().on_threads(threads);
                        let rows = BitRows { words: &words, bits, weights: &[] };
                        let found = bits_tree(rows, metric, min_samples, &mut run);
                        assert_eq!(found, expected, "{}, {bits} bits", metric.name());
                    }
                }
            }
        }
    }

    #[test]
    fn wrong_rows_and_sets_without_a_distance_are_refused() {
        let error = |words: &[u64], bits, min_samples| {
            let rows = BitRows { words, bits, weights: &[] };
            bits_tree(rows, BitMetric::Dice, min_samples, &mut Run::new()).unwrap_err().to_string()
        };
        assert!(error(&[1, 2, 3], 65, 1).contains("3 words are not rows of 65 bits"));
        assert!(error(&[1, 2, 3], 0, 1).contains("rows of 0 bits"));
        assert!(error(&[1, 2, 3], 2, 4).contains("min_samples is 4"));
        assert!(error(&[1, 0, 0], 2, 1).contains("row 1, column 2 is NaN"));
        assert_eq!(BitMetric::from_name("euclidean"), None);
        assert_eq!(BitMetric::from_name("yule"), Some(BitMetric::Yule));
    }
}
