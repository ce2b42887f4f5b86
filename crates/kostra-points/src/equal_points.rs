//! An index for sets with many equal points: each distinct point is searched once.
//!
//! Without this, a search among equal points would visit all of them, because the lowest places of
//! a tie can be in any leaf.

use std::cmp::Ordering;

use kostra_core::{OutOfMemory, memory};

use crate::Prepared;
use crate::kd_tree::{Bounds, Searchable, ValueSpan, Visitor};

/// The points in groups: the points of a group have equal coordinates, spans and labels. Groups
/// ascend by their first point.
pub(crate) struct EqualPoints {
    /// The places of the points, group by group, ascending in each.
    places: Vec<u32>,
    /// Where each group starts, and the end of the last.
    starts: Vec<u32>,
}

impl EqualPoints {
    /// The groups; none if all points are distinct. O(n log n) time and 20 bytes per point.
    pub(crate) fn of(
        prepared: &Prepared<'_>,
        spans: &[ValueSpan],
        labels: &[i32],
    ) -> Result<Option<Self>, OutOfMemory> {
        let order = |&a: &u32, &b: &u32| {
            let coordinates = prepared.row(a).iter().zip(prepared.row(b));
            let different = coordinates.map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne());
            let [a, b] = [a as usize, b as usize];
            let span =
                |place: usize| (spans[place].floor.to_bits(), spans[place].ceiling.to_bits());
            let known = || (span(a), labels[a]).cmp(&(span(b), labels[b]));
            different.unwrap_or(Ordering::Equal).then_with(known)
        };
        let mut sorted = memory::collected(0..prepared.len())?;
        sorted.sort_unstable_by(|a, b| order(a, b).then(a.cmp(b)));
        let mut groups = memory::with_capacity(sorted.len())?;
        groups.extend(sorted.chunk_by(|a, b| order(a, b).is_eq()));
        if groups.len() == sorted.len() {
            return Ok(None);
        }
        groups.sort_unstable_by_key(|group| group[0]);
        let (mut places, mut starts) = (memory::with_capacity(sorted.len())?, Vec::new());
        memory::reserve_exact(&mut starts, groups.len() + 1)?;
        for group in groups {
            starts.push(places.len() as u32);
            places.extend_from_slice(group);
        }
        starts.push(places.len() as u32);
        Ok(Some(Self { places, starts }))
    }

    /// The first point of each group.
    pub(crate) fn firsts(&self) -> impl ExactSizeIterator<Item = u32> {
        let starts = &self.starts[..self.starts.len() - 1];
        starts.iter().map(|&start| self.places[start as usize])
    }

    fn group(&self, group: u32) -> &[u32] {
        let [start, end] = [group, group + 1].map(|group| self.starts[group as usize] as usize);
        &self.places[start..end]
    }
}

/// An index of the first points of groups, which stand for all.
pub(crate) struct Grouped {
    pub(crate) index: Box<dyn Searchable>,
    pub(crate) groups: EqualPoints,
}

impl Searchable for Grouped {
    fn search(&self, row: &[f64], visitor: &mut dyn Visitor) {
        self.index.search(row, &mut OfGroups { groups: &self.groups, visitor });
    }
}

/// Shows the points of groups to a visitor.
struct OfGroups<'a> {
    groups: &'a EqualPoints,
    visitor: &'a mut dyn Visitor,
}

impl Visitor for OfGroups<'_> {
    fn wants(&self, points: Bounds) -> bool {
        let least_id = self.groups.group(points.least_id)[0];
        self.visitor.wants(Bounds { least_id, ..points })
    }

    fn visit(&mut self, ids: &[u32], compared: &[f64]) {
        for (&group, &compared) in ids.iter().zip(compared) {
            self.visitor.visit_equal(self.groups.group(group), compared);
        }
    }

    fn visit_equal(&mut self, ids: &[u32], compared: f64) {
        ids.iter().for_each(|&group| self.visit(&[group], &[compared]));
    }
}

#[cfg(test)]
mod tests {
    use kostra_core::random::RandomStream;
    use kostra_parallel::with_team;

    use crate::index::index;
    use crate::neighbors::Nearest;
    use crate::{Metric, Points};

    use super::*;

    /// Counts what a search for the nearest points takes.
    struct Counting {
        nearest: Nearest,
        visited: usize,
    }

    impl Visitor for Counting {
        fn wants(&self, points: Bounds) -> bool {
            self.nearest.wants(points)
        }

        fn visit(&mut self, ids: &[u32], compared: &[f64]) {
            self.visited += ids.len();
            self.nearest.visit(ids, compared);
        }

        fn visit_equal(&mut self, ids: &[u32], compared: f64) {
            self.visited += 1;
            self.nearest.visit_equal(ids, compared);
        }
    }

    #[test]
    fn equal_points_are_visited_once_and_found_in_order() {
        let random = RandomStream::new(7);
        for (n, dimensions, k) in [(5_000, 2, 100), (5_000, 2, 5), (3_000, 20, 70), (300, 3, 300)] {
            let at = |point: u64, k: u64| (random.at(point * 64 + k) % 3) as f64;
            let rows: Vec<f64> = (0..n as u64)
                .flat_map(|point| (0..dimensions as u64).map(move |k| at(point, k.min(1))))
                .collect();
            let points = Points::new(&rows, dimensions).unwrap();
            let prepared = Prepared::new(&points, Metric::Euclidean).unwrap();
            let of = |point: usize| (random.split(1).at(point as u64) % 2) as i32;
            let labels: Vec<i32> = (0..n).map(of).collect();
            let spans: Vec<_> = labels
                .iter()
                .map(|&label| ValueSpan { floor: f64::from(label), ceiling: 9.0 })
                .collect();
            let index = with_team(1, |team| index(&prepared, &spans, &labels, team)).unwrap();
            for row in [[0.0, 0.0], [1.0, 2.0], [0.5, 0.5], [7.0, 7.0]] {
                let row: Vec<f64> = (0..dimensions).map(|k| row[k.min(1)]).collect();
                let mut counting = Counting { nearest: Nearest::new(k).unwrap(), visited: 0 };
                index.search(&row, &mut counting);
                // Nine places with two labels each.
                assert!(counting.visited <= 18, "{}", counting.visited);
                counting.nearest.finish();
                let compared = |point: u32| -> f64 {
                    let point = &rows[point as usize * dimensions..][..dimensions];
                    point.iter().zip(&row).map(|(x, y)| (x - y) * (x - y)).sum()
                };
                let mut all: Vec<_> = (0..n as u32).map(|point| (compared(point), point)).collect();
                all.sort_by(|a, b| a.partial_cmp(b).unwrap());
                let found = counting.nearest.compared.iter().zip(&counting.nearest.points);
                let found: Vec<_> =
                    found.map(|(&compared, &(point, _))| (compared, point)).collect();
                assert_eq!(found, all[..k], "{n} points, {dimensions} dimensions, {row:?}");
            }
        }
    }

    #[test]
    fn distinct_points_have_no_groups() {
        let points = Points::new(&[0.0, 1.0, 2.0], 1).unwrap();
        let prepared = Prepared::new(&points, Metric::Euclidean).unwrap();
        let spans = [ValueSpan { floor: 0.0, ceiling: 1.0 }; 3];
        assert!(EqualPoints::of(&prepared, &spans, &[0; 3]).unwrap().is_none());
    }
}
