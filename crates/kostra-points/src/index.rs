//! Fitted points that new points search: a k-d tree, or all points in turn.

use std::marker::PhantomData;

use kostra_core::{OutOfMemory, memory};
use kostra_parallel::Team;

use crate::blocks::{LANES, PointBlocks, compared};
use crate::canonical::{Absolutes, Accumulate, Largest, Norm, Squares, larger};
use crate::equal_points::{EqualPoints, Grouped};
use crate::kd_tree::{self, Bounds, Searchable, ValueSpan, Visitor, searchable};
use crate::neighbors::Nearest;
use crate::wide::{Work, wide};
use crate::{MAX_TREE_DIMENSIONS, Prepared};

/// An index of at least one point, with the span and the label of each point.
pub(crate) fn index(
    prepared: &Prepared<'_>,
    spans: &[ValueSpan],
    labels: &[i32],
    team: &Team<'_>,
) -> Result<Box<dyn Searchable>, OutOfMemory> {
    let Some(groups) = EqualPoints::of(prepared, spans, labels)? else {
        return index_of_all(prepared, spans, team);
    };
    let spans = memory::collected(groups.firsts().map(|first| spans[first as usize]))?;
    let index = index_of_all(&prepared.selected(groups.firsts())?, &spans, team)?;
    Ok(Box::new(Grouped { index, groups }))
}

fn index_of_all(
    prepared: &Prepared<'_>,
    spans: &[ValueSpan],
    team: &Team<'_>,
) -> Result<Box<dyn Searchable>, OutOfMemory> {
    if prepared.dimensions() <= MAX_TREE_DIMENSIONS {
        return Ok(Box::new(searchable(prepared, spans, team)?));
    }
    let mut blocks = PointBlocks::zeros(prepared.len() as usize, prepared.dimensions())?;
    (0..prepared.len()).for_each(|point| blocks.set(point as usize, prepared.row(point)));
    Ok(Box::new(AllPoints { blocks, len: prepared.len(), norm: prepared.norm() }))
}

/// Points in an order in which neighbors are near, if an index gains from it.
pub(crate) fn spatial_order(
    prepared: &Prepared<'_>,
    team: &Team<'_>,
) -> Result<Vec<u32>, OutOfMemory> {
    match prepared.dimensions() <= MAX_TREE_DIMENSIONS {
        true => kd_tree::spatial_order(prepared, team),
        false => memory::collected(0..prepared.len()),
    }
}

/// Every search visits all points.
struct AllPoints {
    blocks: PointBlocks,
    len: u32,
    norm: Norm,
}

impl Searchable for AllPoints {
    fn search(&self, row: &[f64], visitor: &mut dyn Visitor) {
        match self.norm {
            Norm::Squares => wide(Visit::<Squares> { all: self, row, visitor, norm: PhantomData }),
            Norm::Absolutes => {
                wide(Visit::<Absolutes> { all: self, row, visitor, norm: PhantomData });
            }
            Norm::Largest => wide(Visit::<Largest> { all: self, row, visitor, norm: PhantomData }),
        }
    }
}

struct Visit<'a, A> {
    all: &'a AllPoints,
    row: &'a [f64],
    visitor: &'a mut dyn Visitor,
    norm: PhantomData<A>,
}

impl<A: Accumulate> Work for Visit<'_, A> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for first in (0..self.all.len).step_by(LANES) {
            let block = self.all.blocks.block(first as usize / LANES);
            let distances = compared::<A>(self.row, block);
            let ids: [u32; LANES] = std::array::from_fn(|lane| first + lane as u32);
            let lanes = LANES.min((self.all.len - first) as usize);
            self.visitor.visit(&ids[..lanes], &distances[..lanes]);
        }
    }
}

/// Looks for the first points in the order of (compared distance, index).
impl Visitor for Nearest {
    fn wants(&self, Bounds { compared, least_id, .. }: Bounds) -> bool {
        let last = self.points.len() - 1;
        compared < self.compared[last]
            || compared == self.compared[last] && least_id < self.points[last].0
    }

    fn visit(&mut self, ids: &[u32], compared: &[f64]) {
        ids.iter().zip(compared).for_each(|(&id, &compared)| self.offer(compared, id));
    }

    fn visit_equal(&mut self, ids: &[u32], compared: f64) {
        let span = ValueSpan::EMPTY;
        for &id in ids {
            // The ids ascend, so those after the first that comes too late do, too.
            if !self.wants(Bounds { compared, least_id: id, span }) {
                break;
            }
            self.offer(compared, id);
        }
    }
}

/// Looks for the lowest value of a point, and of the points with this value, for the lowest label.
/// The value is the largest of `least`, the reported distance, and the floor of the point. A point
/// whose value is not below its ceiling does not count.
pub(crate) struct Lowest<'a> {
    pub(crate) prepared: &'a Prepared<'a>,
    pub(crate) spans: &'a [ValueSpan],
    /// The label of each point. The labels of points that count ascend.
    pub(crate) labels: &'a [i32],
    pub(crate) least: f64,
    /// The value and the label of the best point so far.
    pub(crate) best: (f64, i32),
}

impl Lowest<'_> {
    /// Labels are compared only at equal values, because most nodes need none.
    fn improves(&self, value: f64, id: u32) -> bool {
        value < self.best.0 || value == self.best.0 && self.labels[id as usize] < self.best.1
    }
}

impl Visitor for Lowest<'_> {
    fn wants(&self, Bounds { compared, least_id, span }: Bounds) -> bool {
        let value = larger(self.least, larger(self.prepared.reported(compared), span.floor));
        value < span.ceiling && self.improves(value, least_id)
    }

    fn visit(&mut self, ids: &[u32], compared: &[f64]) {
        for (&id, &compared) in ids.iter().zip(compared) {
            let ValueSpan { floor, ceiling } = self.spans[id as usize];
            if floor > self.best.0 {
                continue;
            }
            let value = larger(self.least, larger(self.prepared.reported(compared), floor));
            if value < ceiling && self.improves(value, id) {
                self.best = (value, self.labels[id as usize]);
            }
        }
    }

    fn visit_equal(&mut self, ids: &[u32], compared: f64) {
        // They have one span and one label.
        self.visit(&ids[..1], &[compared]);
    }
}

/// The values of `of` in another order.
pub(crate) fn reordered<T: Copy>(of: &[T], order: &[u32]) -> Result<Vec<T>, OutOfMemory> {
    memory::collected(order.iter().map(|&point| of[point as usize]))
}

#[cfg(test)]
mod tests {
    use kostra_parallel::with_team;

    use crate::{Metric, Points};

    use super::*;

    struct Counting<'a> {
        lowest: Lowest<'a>,
        visited: usize,
    }

    impl Visitor for Counting<'_> {
        fn wants(&self, points: Bounds) -> bool {
            self.lowest.wants(points)
        }

        fn visit(&mut self, ids: &[u32], compared: &[f64]) {
            self.visited += ids.len();
            self.lowest.visit(ids, compared);
        }

        fn visit_equal(&mut self, ids: &[u32], compared: f64) {
            self.visited += 1;
            self.lowest.visit_equal(ids, compared);
        }
    }

    #[test]
    fn a_search_without_an_answer_or_with_equal_values_visits_few_points() {
        // A square of points whose values are equal up to distance 10.
        let rows: Vec<f64> =
            (0..10_000).flat_map(|i| [f64::from(i % 100), f64::from(i / 100)]).collect();
        let prepared = Prepared::new(&Points::new(&rows, 2).unwrap(), Metric::Euclidean).unwrap();
        let spans = vec![ValueSpan { floor: 10.0, ceiling: 11.0 }; 10_000];
        let labels: Vec<i32> = (0..10_000).map(|id| id / 5_000).collect();
        let index = with_team(1, |team| index(&prepared, &spans, &labels, team)).unwrap();
        let search = |row: [f64; 2], least: f64| {
            let best = (f64::INFINITY, -1);
            let (prepared, spans, labels) = (&prepared, &spans[..], &labels[..]);
            let lowest = Lowest { prepared, spans, labels, least, best };
            let mut counting = Counting { lowest, visited: 0 };
            index.search(&row, &mut counting);
            (counting.lowest.best, counting.visited)
        };
        assert_eq!(search([20.0, 20.0], 11.0), ((f64::INFINITY, -1), 0));
        assert_eq!(search([-11.0, 20.0], 0.0).0, (f64::INFINITY, -1));
        assert_eq!(search([-10.5, 20.0], 0.0).0, (10.5, 0));
        assert_eq!(search([20.0, 55.0], 0.0).0, (10.0, 0));
        for row in [[20.0, 20.0], [-11.0, 20.0], [-10.5, 20.0], [80.0, 90.0]] {
            let (_, visited) = search(row, 0.0);
            assert!(visited <= 2 * LANES, "{visited} at {row:?}");
        }
    }
}
