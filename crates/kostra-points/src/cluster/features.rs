//! Spanning trees of sparse rows, such as the TF-IDF vectors of documents.
//!
//! * **Idea**: an inverted index gives the products of one row with all others, and their rounding
//!   errors are bounded. The canonical distance is computed only where the bound leaves open
//!   whether it counts.
//! * **Why correct**: a zero changes no canonical distance. So the columns that either row has, in
//!   ascending order, give the same number as all columns. The tree is that of dense rows.
//! * **Time** O(n^2 + p) for p products of numbers in one column, and a few canonical distances per
//!   row. Memory O(n) beside two copies of the matrix. Threads find the core distances, and one
//!   finds the tree by Prim's algorithm.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;

use kostra_core::{OutOfMemory, Run, memory};

use super::pairwise::Prim;
use super::predict::in_blocks;
use crate::canonical::{Accumulate, Squares, larger};
use crate::neighbors::Nearest;
use crate::points::check_min_samples;
use crate::samples::core_of;
use crate::{Distance, Metric, PointTree, PointsError};

/// A sparse matrix in compressed rows.
#[derive(Clone, Copy, Debug)]
pub struct FeatureRows<'a> {
    /// Where each row begins in the other arrays, and where the last one ends.
    pub starts: &'a [usize],
    /// The column of each value, in ascending order in each row.
    pub columns: &'a [u32],
    /// The values. All others are zero.
    pub values: &'a [f64],
    /// How many points each row counts as; empty for one each.
    pub weights: &'a [u32],
}

/// The canonical minimum spanning tree of sparse rows, by the Euclidean or the cosine distance. It
/// is [`spanning_tree`](crate::spanning_tree) of the same rows with their zeros, bit by bit. With
/// `min_samples` above 1, it is the tree of mutual reachability distances.
///
/// ```
/// use kostra_points::cluster::{FeatureRows, features_tree};
/// use kostra_points::{Metric, Run};
///
/// // (1, 0, 2), (1, 0, 0) and (0, 3, 0).
/// let (starts, columns) = (&[0, 2, 3, 4], &[0, 2, 0, 1]);
/// let rows = FeatureRows { starts, columns, values: &[1.0, 2.0, 1.0, 3.0], weights: &[] };
/// let tree = features_tree(rows, Metric::Euclidean, &mut Run::new())?;
/// assert_eq!((tree.ends, tree.distances[0]), (vec![[0, 1], [1, 2]], 2.0));
/// # Ok::<(), kostra_points::PointsError>(())
/// ```
///
/// # Errors
/// As [`spanning_tree`](crate::spanning_tree), when the arrays are no rows, and for other metrics.
pub fn features_tree(
    rows: FeatureRows<'_>,
    distance: impl Into<Distance>,
    run: &mut Run<'_>,
) -> Result<PointTree, PointsError> {
    let distance = distance.into();
    let (index, min_samples) = (InvertedIndex::new(rows, distance)?, distance.min_samples);
    let n = index.rows();
    crate::check_weights(rows.weights, n)?;
    check_min_samples(min_samples, n, rows.weights)?;
    let cores = (min_samples > 1 && n > 0).then(|| index.cores(min_samples, run)).transpose()?;
    let mut prim = Prim::new(n as u32)?;
    let mut products = memory::filled(n, 0.0)?;
    while !prim.outside.is_empty() {
        let done = n - prim.outside.len();
        run.report.progress(done, n).map_err(|_| PointsError::Cancelled)?;
        let newest = prim.newest as usize;
        index.products(newest, &mut products);
        prim.step(cores.as_deref(), |point, limit| {
            let point = point as usize;
            match index.bound(newest, point, products[point]) > limit {
                true => f64::INFINITY,
                false => index.compared(newest, point),
            }
        });
    }
    let mut tree = prim.tree()?;
    tree.distances.iter_mut().for_each(|compared| *compared = reported(distance, *compared));
    Ok(tree)
}

/// The core distance of each sparse row, as [`core_distances`](crate::core_distances) finds it for
/// the same rows with their zeros.
///
/// # Errors
/// As [`features_tree`].
pub fn features_core_distances(
    rows: FeatureRows<'_>,
    distance: impl Into<Distance>,
    run: &mut Run<'_>,
) -> Result<Vec<f64>, PointsError> {
    let distance = distance.into();
    let (index, min_samples) = (InvertedIndex::new(rows, distance)?, distance.min_samples);
    crate::check_weights(rows.weights, index.rows())?;
    check_min_samples(min_samples, index.rows(), rows.weights)?;
    let mut cores = index.cores(min_samples, run)?;
    cores.iter_mut().for_each(|core| *core = reported(distance, *core));
    Ok(cores)
}

fn reported(Distance { metric, alpha, .. }: Distance, compared: f64) -> f64 {
    (if metric == Metric::Cosine { compared / 2.0 } else { compared.sqrt() }) / alpha
}

impl FeatureRows<'_> {
    /// Refuses arrays that are no rows of finite numbers.
    fn check(&self) -> Result<(), PointsError> {
        let Self { starts, columns, values, .. } = *self;
        let ends = starts.windows(2).map(|pair| pair[0]..pair[1]);
        for (row, range) in ends.enumerate() {
            let of_row = columns.get(range.clone()).zip(values.get(range));
            let (columns, values) = of_row.ok_or(PointsError::SparseRow { row })?;
            if columns.windows(2).any(|pair| pair[0] >= pair[1]) {
                return Err(PointsError::SparseRow { row });
            }
            if let Some(at) = values.iter().position(|value| !value.is_finite()) {
                let (column, value) = (columns[at] as usize, values[at]);
                return Err(PointsError::NotFinite { row, column, value });
            }
        }
        Ok(())
    }
}

/// The rows, and the rows of each column.
struct InvertedIndex<'a> {
    starts: &'a [usize],
    columns: &'a [u32],
    values: Cow<'a, [f64]>,
    /// The sum of the squares of each row.
    squares: Vec<f64>,
    /// Where the rows of each column begin in `postings`.
    column_starts: Vec<usize>,
    postings: Vec<(u32, f64)>,
    /// The largest relative error of a distance by products.
    error: f64,
    weights: &'a [u32],
    distance: Distance,
}

impl<'a> InvertedIndex<'a> {
    fn new(rows: FeatureRows<'a>, distance: Distance) -> Result<Self, PointsError> {
        /// As for dense points.
        const LEAST_SQUARE: f64 = 1e-280;
        let metric = distance.metric;
        if !matches!(metric, Metric::Euclidean | Metric::Cosine) {
            return Err(PointsError::SparseMetric { metric });
        }
        distance.check_alpha()?;
        rows.check()?;
        let FeatureRows { starts, columns, values, weights } = rows;
        let values = match metric {
            Metric::Cosine => Cow::Owned(directions(rows)?),
            _ => Cow::Borrowed(values),
        };
        let ranges = || starts.windows(2).map(|pair| pair[0]..pair[1]);
        let squares: Vec<f64> = memory::collected(
            ranges().map(|range| values[range].iter().copied().fold(0.0, Squares::add)),
        )?;
        let largest = squares.iter().copied().fold(0.0, larger);
        // Twice the longest row apart, a distance is at most four times as large.
        let most = 4.0 * largest;
        if !(most.is_finite() && distance.scaled_core(most).is_finite()) {
            return Err(PointsError::TooWide { divisor: 2.0_f64.powi(520) });
        }
        if largest < LEAST_SQUARE && values.iter().any(|&value| value != 0.0) {
            return Err(PointsError::TooNarrow { factor: 2.0_f64.powi(512) });
        }
        let (column_starts, postings) = postings(starts, columns, &values)?;
        let longest = ranges().map(|range| range.len()).max().unwrap_or(0);
        // Each of three sums and the distance itself has at most this number of roundings.
        let error = 4.0 * (2 * longest + 4) as f64 * f64::EPSILON;
        Ok(Self {
            starts,
            columns,
            values,
            squares,
            column_starts,
            postings,
            error,
            weights,
            distance,
        })
    }

    fn rows(&self) -> usize {
        self.squares.len()
    }

    fn range(&self, row: usize) -> Range<usize> {
        self.starts[row]..self.starts[row + 1]
    }

    /// The products of a row with all rows.
    fn products(&self, row: usize, products: &mut [f64]) {
        products.fill(0.0);
        for at in self.range(row) {
            let (column, value) = (self.columns[at] as usize, self.values[at]);
            let postings = self.column_starts[column]..self.column_starts[column + 1];
            for &(other, of_other) in &self.postings[postings] {
                products[other as usize] += value * of_other;
            }
        }
    }

    /// A lower bound of the compared distance, from the product of the rows.
    #[inline]
    fn bound(&self, u: usize, v: usize, product: f64) -> f64 {
        let squares = self.squares[u] + self.squares[v];
        // The last term is for products that vanish.
        squares - 2.0 * product - self.error * squares - f64::MIN_POSITIVE
    }

    /// The compared distance.
    fn compared(&self, u: usize, v: usize) -> f64 {
        let (mut at, mut of) = (self.range(u), self.range(v));
        let mut sum = 0.0;
        while !at.is_empty() && !of.is_empty() {
            let order = self.columns[at.start].cmp(&self.columns[of.start]);
            let value = |range: &mut Range<usize>, has: bool| match has {
                true => range.next().map_or(0.0, |place| self.values[place]),
                false => 0.0,
            };
            let x = value(&mut at, order != Ordering::Greater);
            let y = value(&mut of, order != Ordering::Less);
            sum = Squares::add(sum, x - y);
        }
        self.values[at].iter().chain(&self.values[of]).copied().fold(sum, Squares::add)
    }

    /// The compared core distance of each row.
    fn cores(&self, min_samples: usize, run: &mut Run<'_>) -> Result<Vec<f64>, PointsError> {
        let mut cores = memory::filled(self.rows(), 0.0)?;
        let k = (min_samples - 1).min(self.rows().saturating_sub(1));
        if k == 0 {
            return Ok(cores);
        }
        let template = (Nearest::new(k)?, memory::filled(self.rows(), 0.0)?);
        in_blocks(&mut cores, run, |first, cores| {
            let (mut nearest, mut products) = template.clone();
            for (row, core) in (first..).zip(cores) {
                nearest.clear();
                self.products(row, &mut products);
                for other in (0..self.rows()).filter(|&other| other != row) {
                    if self.bound(row, other, products[other]) <= nearest.compared[k - 1] {
                        nearest.offer(self.compared(row, other), other as u32);
                    }
                }
                nearest.finish();
                let found = (&nearest.compared[..], &nearest.points[..]);
                let compared = core_of(row as u32, found, min_samples, self.weights);
                *core = self.distance.scaled_core(compared);
            }
        })?;
        Ok(cores)
    }
}

/// The values divided by the lengths of their rows, as for dense points.
fn directions(rows: FeatureRows<'_>) -> Result<Vec<f64>, PointsError> {
    let mut values = memory::copied(rows.values)?;
    for (row, pair) in rows.starts.windows(2).enumerate() {
        if !crate::canonical::divide_by_length(&mut values[pair[0]..pair[1]]) {
            return Err(PointsError::ZeroVector { row });
        }
    }
    Ok(values)
}

/// Where the rows of each column begin, and all of these rows with their values.
type Postings = (Vec<usize>, Vec<(u32, f64)>);

fn postings(starts: &[usize], columns: &[u32], values: &[f64]) -> Result<Postings, OutOfMemory> {
    let count = columns.iter().max().map_or(0, |&most| most as usize + 1);
    let mut ends: Vec<usize> = memory::zeros(count + 1)?;
    columns.iter().for_each(|&column| ends[column as usize] += 1);
    let mut sum = 0;
    for end in &mut ends {
        // The start of the column, which becomes its end when its rows are placed.
        sum += std::mem::replace(end, sum);
    }
    let mut postings = memory::filled(columns.len(), (0, 0.0))?;
    for (row, pair) in (0..).zip(starts.windows(2)) {
        for at in pair[0]..pair[1] {
            let place = &mut ends[columns[at] as usize];
            postings[*place] = (row, values[at]);
            *place += 1;
        }
    }
    // Each column now ends where the next one begins.
    ends.rotate_right(1);
    ends[0] = 0;
    Ok((ends, postings))
}

#[cfg(test)]
mod tests {
    use kostra_core::random::RandomStream;

    use crate::{Distance, Points, spanning_tree};

    use super::*;

    const COLUMNS: u64 = 30;

    /// Rows of random values. With small integers, many distances are equal. Some rows are equal,
    /// and some zeros are stored.
    fn rows(seed: u64, n: u64, scale: f64) -> (Vec<usize>, Vec<u32>, Vec<f64>) {
        let random = RandomStream::new(seed);
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in 0..n {
            let like = if row % 7 == 6 { row - 1 } else { row };
            for column in 0..COLUMNS {
                let at = like * COLUMNS + column;
                if random.below(at, 5) == 0 {
                    columns.push(column as u32);
                    values.push(random.split(1).below(at, 4) as f64 + scale * random.unit(at));
                }
            }
            // No row has only zeros.
            columns.push(COLUMNS as u32 + (like % 3) as u32);
            values.push(1.0);
            starts.push(columns.len());
        }
        (starts, columns, values)
    }

    #[test]
    fn the_tree_is_that_of_the_rows_with_their_zeros() {
        for (seed, scale) in [(1, 0.0), (2, 1.0), (3, 1e-9)] {
            let (starts, columns, values) = rows(seed, 150, scale);
            let width = COLUMNS as usize + 3;
            let mut dense = vec![0.0; 150 * width];
            for (row, pair) in starts.windows(2).enumerate() {
                for at in pair[0]..pair[1] {
                    dense[row * width + columns[at] as usize] = values[at];
                }
            }
            let points = Points::new(&dense, width).unwrap();
            let rows =
                FeatureRows { starts: &starts, columns: &columns, values: &values, weights: &[] };
            for metric in [Metric::Euclidean, Metric::Cosine] {
                for min_samples in [1, 2, 6, 80] {
                    let distance = Distance::mutual_reachability(metric, min_samples);
                    let right = spanning_tree(&points, distance, &mut Run::new()).unwrap();
                    let run = &mut Run::new().on_threads(2);
                    assert_eq!(features_tree(rows, distance, run).unwrap(), right);
                }
            }
        }
    }

    #[test]
    fn few_distances_are_computed() {
        let (starts, columns, values) = rows(4, 700, 1.0);
        let rows =
            FeatureRows { starts: &starts, columns: &columns, values: &values, weights: &[] };
        let index = InvertedIndex::new(rows, Metric::Euclidean.into()).unwrap();
        let mut products = vec![0.0; 700];
        for u in 0..700 {
            index.products(u, &mut products);
            for (v, &product) in products.iter().enumerate() {
                let (bound, exact) = (index.bound(u, v, product), index.compared(u, v));
                assert!(bound <= exact && exact - bound < 1e-9, "{bound} {exact}");
            }
        }
    }

    #[test]
    fn arrays_that_are_no_rows_are_refused() {
        let error = |starts: &[usize], columns: &[u32], values: &[f64], metric| {
            let rows = FeatureRows { starts, columns, values, weights: &[] };
            features_tree(rows, metric, &mut Run::new()).unwrap_err().to_string()
        };
        let euclidean = Metric::Euclidean;
        assert!(error(&[0, 2], &[1, 1], &[1.0, 2.0], euclidean).contains("row 0 of the sparse"));
        assert!(error(&[0, 1, 3], &[1, 1], &[1.0, 2.0], euclidean).contains("row 1 of the sparse"));
        assert!(error(&[0, 1], &[4], &[f64::NAN], euclidean).contains("row 0, column 4"));
        assert!(error(&[0, 0], &[], &[], Metric::Cosine).contains("row 0 has only zeros"));
        assert!(error(&[0, 0], &[], &[], Metric::Manhattan).contains("not by manhattan"));
        assert!(error(&[0, 1], &[0], &[1e300], euclidean).contains("divide all coordinates"));
        assert!(error(&[0, 1], &[0], &[1e-200], euclidean).contains("multiply all coordinates"));
        let distance = |samples| Distance::mutual_reachability(euclidean, samples);
        let none = FeatureRows { starts: &[0], columns: &[], values: &[], weights: &[] };
        let tree = features_tree(none, distance(5), &mut Run::new()).unwrap();
        assert_eq!(tree, PointTree::default());
        let few = FeatureRows { starts: &[0, 0], columns: &[], values: &[], weights: &[] };
        assert!(features_tree(few, distance(2), &mut Run::new()).is_err());
    }
}
