//! Spanning forests of some pairs of points, whose distances are given.

use kostra_core::{UnionFind, memory};
use kostra_parallel::{for_each_item, with_team};

use crate::PointTree;
use crate::pair::{self, Pair};

use super::ClusterError;

/// The distances between some pairs of points, as the entries of a sparse matrix. A pair may have
/// several entries in either order; the least distance counts. Entries on the diagonal have no
/// effect.
#[derive(Clone, Copy, Debug, Default)]
pub struct Entries<'a> {
    /// The number of points.
    pub points: u32,
    /// The first point of each entry.
    pub rows: &'a [u32],
    /// The second point of each entry.
    pub columns: &'a [u32],
    /// The distance of the two points of each entry.
    pub distances: &'a [f64],
}

/// The canonical minimum spanning forest of some pairs of points. It does not depend on the order
/// of the entries. An infinite distance is an ordinary distance. With `cores`, a core distance per
/// point, it is the forest of mutual reachability distances: the largest of the distance and the
/// two core distances.
///
/// Kruskal's algorithm. Threads sort the entries in O(m) time, and one joins the points. 32 bytes
/// per entry beside the entries.
///
/// ```
/// use kostra_points::cluster::{Entries, sparse_tree};
///
/// let (rows, columns) = (&[2, 0, 1], &[1, 1, 2]);
/// let entries = Entries { points: 4, rows, columns, distances: &[3.0, 2.0, 2.0] };
/// let tree = sparse_tree(entries, None, 1)?;
/// assert_eq!((tree.ends, tree.distances), (vec![[0, 1], [1, 2]], vec![2.0, 2.0]));
/// # Ok::<(), kostra_points::cluster::ClusterError>(())
/// ```
///
/// # Errors
/// When the three arrays differ in length, there is no such point, a distance is NaN or negative,
/// there is not one core distance per point, or the system does not grant the memory.
pub fn sparse_tree(
    entries: Entries<'_>,
    cores: Option<&[f64]>,
    threads: usize,
) -> Result<PointTree, ClusterError> {
    let mut pairs = entries.pairs(cores)?;
    with_team(threads, |team| pair::sort(&mut pairs, team))?;
    let mut components = UnionFind::try_new(entries.points)?;
    pairs.retain(|pair| components.union(pair.low, pair.high));
    Ok(PointTree {
        len: entries.points,
        ends: memory::collected(pairs.iter().map(|pair| [pair.low, pair.high]))?,
        distances: memory::collected(pairs.iter().map(|pair| pair.compared))?,
    })
}

/// The core distance of each point: the `min_samples`-th least distance of the entries of its row.
/// The entry on the diagonal counts, if there is one. A pair without an entry has an infinite
/// distance, and so has a point with fewer entries an infinite core distance.
///
/// Threads select the distances, row by row, in O(m) time and memory.
///
/// ```
/// use kostra_points::cluster::{Entries, sparse_core_distances};
///
/// let (rows, columns) = (&[0, 0, 1, 1], &[0, 1, 1, 0]);
/// let entries = Entries { points: 2, rows, columns, distances: &[0.0, 3.0, 0.0, 3.0] };
/// assert_eq!(sparse_core_distances(entries, 2, 1)?, [3.0, 3.0]);
/// # Ok::<(), kostra_points::cluster::ClusterError>(())
/// ```
///
/// # Errors
/// When the three arrays differ in length, there is no such point, `min_samples` is 0, no row has
/// as many entries, or the system does not grant the memory.
pub fn sparse_core_distances(
    entries: Entries<'_>,
    min_samples: usize,
    threads: usize,
) -> Result<Vec<f64>, ClusterError> {
    /// Rows that a thread takes at a time.
    const ROWS: usize = 1 << 10;
    entries.check()?;
    let Entries { points, rows, distances, .. } = entries;
    let mut ends: Vec<usize> = memory::zeros(points as usize)?;
    for &row in rows {
        let end = ends.get_mut(row as usize).ok_or(ClusterError::Point { point: row, points })?;
        *end += 1;
    }
    let most = ends.iter().copied().max().unwrap_or(min_samples);
    if min_samples == 0 || most < min_samples {
        return Err(ClusterError::FewEntries { entries: most, min_samples });
    }
    let mut sum = 0;
    for end in &mut ends {
        // The start of the row, which becomes its end when its entries are placed.
        sum += std::mem::replace(end, sum);
    }
    let mut values: Vec<f64> = memory::zeros(distances.len())?;
    for (&row, &distance) in rows.iter().zip(distances) {
        let place = &mut ends[row as usize];
        values[*place] = distance;
        *place += 1;
    }
    let mut cores = memory::zeros(points as usize)?;
    let (mut rest, mut start) = (&mut values[..], 0);
    let blocks = cores.chunks_mut(ROWS).zip(ends.chunks(ROWS)).map(|(cores, ends)| {
        let end = ends.last().copied().unwrap_or(start);
        let (values, others) = std::mem::take(&mut rest).split_at_mut(end - start);
        let block = (cores, ends, start, values);
        (rest, start) = (others, end);
        block
    });
    with_team(threads, |team| {
        for_each_item(team, blocks, |(cores, ends, start, mut values)| {
            let mut start = start;
            for (core, &end) in cores.iter_mut().zip(ends) {
                let (row, others) = values.split_at_mut(end - start);
                *core = match row.len() < min_samples {
                    true => f64::INFINITY,
                    false => *row.select_nth_unstable_by(min_samples - 1, f64::total_cmp).1,
                };
                (values, start) = (others, end);
            }
        });
    });
    Ok(cores)
}

/// The positions of two entries (i, j) and (j, i) whose distances differ by more than rounding: by
/// more than 1e-5 of them and 1e-7 of the largest distance. A pair of points may have an entry in
/// one order only.
///
/// O(m + n) time, and 8 bytes per entry and point.
///
/// # Errors
/// When the three arrays differ in length, there is no such point, or the system does not grant the
/// memory.
pub fn asymmetric_entries(entries: Entries<'_>) -> Result<Option<[usize; 2]>, ClusterError> {
    entries.check()?;
    let Entries { points, rows, columns, distances } = entries;
    if let Some(&point) = rows.iter().chain(columns).find(|&&point| point >= points) {
        return Err(ClusterError::Point { point, points });
    }
    let by_row = grouped(rows, points)?;
    let by_column = grouped(columns, points)?;
    let finite = distances.iter().copied().filter(|distance| distance.is_finite());
    let least = 1e-7 * finite.fold(0.0, f64::max);
    let is_close = |one: f64, other: f64| {
        one == other || (one - other).abs() <= least + 1e-5 * f64::min(one, other)
    };
    let mut last: Vec<usize> = memory::zeros(points as usize)?;
    for point in 0..points {
        for &entry in by_row.of(point) {
            last[columns[entry] as usize] = entry;
        }
        let opposite = |&entry: &usize| {
            let other = last[rows[entry] as usize];
            // `last` also contains entries of earlier rows.
            let is_pair = rows[other] == point && columns[other] == rows[entry];
            (is_pair && !is_close(distances[entry], distances[other])).then_some([entry, other])
        };
        if let Some(found) = by_column.of(point).iter().find_map(opposite) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The positions of entries, by one of their points.
struct Grouped {
    /// The end of the entries of each point.
    ends: Vec<usize>,
    entries: Vec<usize>,
}

impl Grouped {
    fn of(&self, point: u32) -> &[usize] {
        let start = point.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        &self.entries[start..self.ends[point as usize]]
    }
}

fn grouped(of: &[u32], points: u32) -> Result<Grouped, ClusterError> {
    let mut ends: Vec<usize> = memory::zeros(points as usize)?;
    of.iter().for_each(|&point| ends[point as usize] += 1);
    let mut sum = 0;
    for end in &mut ends {
        // The start of the entries, which becomes their end when they are placed.
        sum += std::mem::replace(end, sum);
    }
    let mut entries = memory::zeros(of.len())?;
    for (entry, &point) in of.iter().enumerate() {
        let place = &mut ends[point as usize];
        entries[*place] = entry;
        *place += 1;
    }
    Ok(Grouped { ends, entries })
}

impl Entries<'_> {
    fn check(&self) -> Result<(), ClusterError> {
        let [rows, columns, distances] =
            [self.rows.len(), self.columns.len(), self.distances.len()];
        match rows == columns && rows == distances {
            true => Ok(()),
            false => Err(ClusterError::Entries { rows, columns, distances }),
        }
    }

    fn pairs(&self, cores: Option<&[f64]>) -> Result<Vec<Pair>, ClusterError> {
        self.check()?;
        let Self { points, rows, columns, distances } = *self;
        if let Some(cores) = cores.filter(|cores| cores.len() != points as usize) {
            return Err(ClusterError::Cores { points, cores: cores.len() });
        }
        let mut pairs = memory::with_capacity(rows.len())?;
        for ((&row, &column), &distance) in rows.iter().zip(columns).zip(distances) {
            let point = row.max(column);
            if point >= points {
                return Err(ClusterError::Point { point, points });
            }
            if distance.is_nan() {
                return Err(ClusterError::NanDistance { row, column });
            }
            if distance < 0.0 {
                return Err(ClusterError::NegativeDistance { row, column, distance });
            }
            if row != column {
                let core = |point: u32| cores.map(|cores| cores[point as usize]);
                let reach = match (core(row), core(column)) {
                    (Some(one), Some(other)) => distance.max(one).max(other),
                    _ => distance,
                };
                let positive_zero = reach + 0.0; // the order compares bits
                pairs.push(Pair::new(positive_zero, row, column));
            }
        }
        Ok(pairs)
    }
}

#[cfg(test)]
mod tests {
    use kostra_core::random::RandomStream;

    use super::*;
    use crate::cluster::{Distances, pairwise_tree};

    #[test]
    fn all_pairs_in_any_order_give_the_tree_of_the_matrix() {
        let n = 120_u32; // more entries than the least number that threads sort
        let random = RandomStream::new(3);
        let mut pairs: Vec<_> = (0..n).flat_map(|u| (u + 1..n).map(move |v| (u, v))).collect();
        let condensed: Vec<_> =
            (0..pairs.len() as u64).map(|at| random.below(at, 7) as f64).collect();
        let expected = pairwise_tree(Distances::Condensed(&condensed), None).unwrap();
        let mut distances = condensed.clone();
        pairs.reverse();
        distances.reverse();
        pairs.iter_mut().step_by(3).for_each(|pair| *pair = (pair.1, pair.0));
        let (rows, columns): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
        let entries = Entries { points: n, rows: &rows, columns: &columns, distances: &distances };
        for threads in [1, 3] {
            assert_eq!(sparse_tree(entries, None, threads).unwrap(), expected);
        }
    }

    #[test]
    fn the_least_entry_of_a_pair_counts_and_the_diagonal_does_not() {
        let (rows, columns) = (&[0, 2, 0, 1, 1], &[0, 1, 1, 2, 0]);
        let distances = &[0.0, 5.0, -0.0, 4.0, f64::INFINITY];
        let tree = sparse_tree(Entries { points: 5, rows, columns, distances }, None, 1).unwrap();
        assert_eq!((tree.len, tree.ends), (5, vec![[0, 1], [1, 2]]));
        assert_eq!(tree.distances, [0.0, 4.0]);
        assert_eq!(sparse_tree(Entries::default(), None, 1).unwrap(), PointTree::default());
    }

    #[test]
    fn core_distances_are_the_order_statistics_of_the_rows() {
        let (n, m) = (2500_u32, 40_000_u64);
        let random = RandomStream::new(9);
        let drawn = (0..m).map(|at| random.below(2 * at, u64::from(n)) as u32);
        let rows: Vec<_> = drawn.chain((0..n).flat_map(|row| [row; 3])).collect();
        let columns: Vec<_> = rows.iter().map(|row| (row + 1) % n).collect();
        let distances: Vec<_> =
            (0..rows.len() as u64).map(|at| random.below(2 * at + 1, 50) as f64).collect();
        let entries = Entries { points: n, rows: &rows, columns: &columns, distances: &distances };
        for min_samples in [1, 3] {
            let expected: Vec<_> = (0..n)
                .map(|point| {
                    let own = rows.iter().zip(&distances).filter(|(row, _)| **row == point);
                    let mut own: Vec<_> = own.map(|(_, distance)| *distance).collect();
                    own.sort_by(f64::total_cmp);
                    own[min_samples - 1]
                })
                .collect();
            for threads in [1, 3] {
                let cores = sparse_core_distances(entries, min_samples, threads).unwrap();
                assert_eq!(cores, expected);
            }
        }
        let said =
            |min_samples| sparse_core_distances(entries, min_samples, 1).unwrap_err().to_string();
        assert!(said(200).contains("but no row has more than"), "{}", said(200));
        let few = Entries { points: 2, rows: &[0, 0], columns: &[0, 1], distances: &[0.0, 3.0] };
        assert_eq!(sparse_core_distances(few, 2, 1).unwrap(), [3.0, f64::INFINITY]);
        assert!(said(0).contains("min_samples is 0"));
    }

    #[test]
    fn the_forest_of_core_distances_is_that_of_mutual_reachability() {
        let (rows, columns) = (&[0, 1, 0], &[1, 2, 2]);
        let entries = Entries { points: 3, rows, columns, distances: &[1.0, 2.0, 4.0] };
        let tree = sparse_tree(entries, Some(&[5.0, 3.0, 0.0]), 1).unwrap();
        assert_eq!((tree.ends, tree.distances), (vec![[1, 2], [0, 1]], vec![3.0, 5.0]));
        let error = sparse_tree(entries, Some(&[5.0]), 1).unwrap_err().to_string();
        assert!(error.contains("3 points but 1 core distances"), "{error}");
    }

    #[test]
    fn two_distances_of_a_pair_are_found_and_one_is_no_fault() {
        let find = |rows: &[u32], columns: &[u32], distances: &[f64]| {
            asymmetric_entries(Entries { points: 3, rows, columns, distances }).unwrap()
        };
        let (rows, columns) = (&[0, 2, 1, 0, 1], &[2, 0, 2, 0, 0]);
        assert_eq!(find(rows, columns, &[5.0, 5.000_001, 1.0, 0.0, 2.0]), None);
        assert_eq!(find(rows, columns, &[5.0, 0.0, 1.0, 0.0, 2.0]), Some([1, 0]));
        assert_eq!(find(rows, columns, &[f64::INFINITY, 7.0, 1.0, 0.0, 2.0]), Some([1, 0]));
        assert_eq!(find(rows, columns, &[f64::INFINITY; 5]), None);
        assert_eq!(find(&[0, 1, 0], &[1, 0, 1], &[3.0, 2.0, 3.0]), Some([1, 2]));
        assert_eq!(find(&[], &[], &[]), None);
        let outside = Entries { points: 1, rows: &[0], columns: &[1], distances: &[1.0] };
        let error = asymmetric_entries(outside).unwrap_err().to_string();
        assert!(error.contains("there is no point 1"), "{error}");
    }

    #[test]
    fn wrong_entries_are_refused() {
        let error = |rows: &[u32], distance| {
            let distances = &[distance; 2];
            sparse_tree(Entries { points: 3, rows, columns: &[1, 1], distances }, None, 1)
                .unwrap_err()
                .to_string()
        };
        assert!(error(&[0], 1.0).contains("1 rows, 2 columns and 2 distances"));
        assert!(error(&[0, 3], 1.0).contains("there is no point 3"));
        assert!(error(&[0, 2], f64::NAN).contains("row 0, column 1 is NaN"));
        assert!(error(&[2, 0], -1.0).contains("row 2, column 1 is -1;"));
    }
}
