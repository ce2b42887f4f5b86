//! Spanning forests of some pairs of points, whose distances are given.

use kostra_core::{UnionFind, memory};
use kostra_parallel::with_team;

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
/// of the entries. An infinite distance is an ordinary distance.
///
/// Kruskal's algorithm. Threads sort the entries, in O(m) time if few distances are nearly equal,
/// and one joins the points. 32 bytes per entry beside the entries.
///
/// ```
/// use kostra_points::cluster::{Entries, sparse_tree};
///
/// let (rows, columns) = (&[2, 0, 1], &[1, 1, 2]);
/// let entries = Entries { points: 4, rows, columns, distances: &[3.0, 2.0, 2.0] };
/// let tree = sparse_tree(entries, 1)?;
/// assert_eq!((tree.ends, tree.distances), (vec![[0, 1], [1, 2]], vec![2.0, 2.0]));
/// # Ok::<(), kostra_points::cluster::ClusterError>(())
/// ```
///
/// # Errors
/// When the three arrays differ in length, there is no such point, a distance is NaN or negative,
/// or the system does not grant the memory.
pub fn sparse_tree(entries: Entries<'_>, threads: usize) -> Result<PointTree, ClusterError> {
    let mut pairs = entries.pairs()?;
    with_team(threads, |team| pair::sort(&mut pairs, team))?;
    let mut components = UnionFind::try_new(entries.points)?;
    pairs.retain(|pair| components.union(pair.low, pair.high));
    Ok(PointTree {
        len: entries.points,
        ends: memory::collected(pairs.iter().map(|pair| [pair.low, pair.high]))?,
        distances: memory::collected(pairs.iter().map(|pair| pair.compared))?,
    })
}

impl Entries<'_> {
    fn pairs(&self) -> Result<Vec<Pair>, ClusterError> {
        let Self { points, rows, columns, distances } = *self;
        if rows.len() != columns.len() || rows.len() != distances.len() {
            let (rows, columns, distances) = (rows.len(), columns.len(), distances.len());
            return Err(ClusterError::Entries { rows, columns, distances });
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
                let positive_zero = distance + 0.0; // the order compares bits
                pairs.push(Pair::new(positive_zero, row, column));
            }
        }
        Ok(pairs)
    }
}

#[cfg(test)]
mod tests {
    use kostra_core::random::Stream;

    use super::*;
    use crate::cluster::{Distances, pairwise_tree};

    #[test]
    fn all_pairs_in_any_order_give_the_tree_of_the_matrix() {
        let n = 120_u32; // more entries than the least number that threads sort
        let random = Stream::new(3);
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
            assert_eq!(sparse_tree(entries, threads).unwrap(), expected);
        }
    }

    #[test]
    fn the_least_entry_of_a_pair_counts_and_the_diagonal_does_not() {
        let (rows, columns) = (&[0, 2, 0, 1, 1], &[0, 1, 1, 2, 0]);
        let distances = &[0.0, 5.0, -0.0, 4.0, f64::INFINITY];
        let tree = sparse_tree(Entries { points: 5, rows, columns, distances }, 1).unwrap();
        assert_eq!((tree.len, tree.ends), (5, vec![[0, 1], [1, 2]]));
        assert_eq!(tree.distances, [0.0, 4.0]);
        assert_eq!(sparse_tree(Entries::default(), 1).unwrap(), PointTree::default());
    }

    #[test]
    fn wrong_entries_are_refused() {
        let error = |rows: &[u32], distance| {
            let distances = &[distance; 2];
            sparse_tree(Entries { points: 3, rows, columns: &[1, 1], distances }, 1)
                .unwrap_err()
                .to_string()
        };
        assert!(error(&[0], 1.0).contains("1 rows, 2 columns and 2 distances"));
        assert!(error(&[0, 3], 1.0).contains("there is no point 3"));
        assert!(error(&[0, 2], f64::NAN).contains("row 0, column 1 is NaN"));
        assert!(error(&[2, 0], -1.0).contains("row 2, column 1 is -1;"));
    }
}
