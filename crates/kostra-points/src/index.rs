//! Fitted points that new points search: a k-d tree, or all points in turn.

use std::marker::PhantomData;

use kostra_core::{OutOfMemory, memory};
use kostra_parallel::Team;

use crate::blocks::{LANES, PointBlocks, compared};
use crate::canonical::{Absolutes, Accumulate, Largest, Norm, Squares, larger};
use crate::kd_tree::{Searchable, Visitor, searchable};
use crate::neighbors::Nearest;
use crate::wide::{Work, wide};
use crate::{MAX_TREE_DIMENSIONS, Prepared};

/// An index of at least one point. Each point has a floor, a distance that searches by
/// [`Lowest`] add.
pub(crate) fn index(
    prepared: &Prepared<'_>,
    floors: &[f64],
    team: &Team<'_>,
) -> Result<Box<dyn Searchable>, OutOfMemory> {
    if prepared.dimensions() <= MAX_TREE_DIMENSIONS {
        return searchable(prepared, floors, team);
    }
    let mut blocks = PointBlocks::zeros(prepared.len() as usize, prepared.dimensions())?;
    (0..prepared.len()).for_each(|point| blocks.set(point as usize, prepared.row(point)));
    Ok(Box::new(AllPoints { blocks, len: prepared.len(), norm: prepared.norm() }))
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
            for (id, distance) in (first..self.all.len).zip(distances) {
                self.visitor.visit(id, distance);
            }
        }
    }
}

/// Looks for the first points in the order of (compared distance, index).
impl Visitor for Nearest {
    fn wants(&self, bound: f64, least_id: u32, _: f64) -> bool {
        let last = self.points.len() - 1;
        bound < self.compared[last]
            || bound == self.compared[last] && least_id < self.points[last].0
    }

    fn visit(&mut self, id: u32, compared: f64) {
        self.offer(compared, id);
    }
}

/// Looks for the point with the lowest value, and of these the one with the lowest index. The value
/// is the largest of `least`, the reported distance, and the floor of the point.
pub(crate) struct Lowest<'a, F> {
    pub(crate) prepared: &'a Prepared<'a>,
    pub(crate) floors: &'a [f64],
    pub(crate) least: f64,
    /// Whether a point with this value counts.
    pub(crate) accepts: F,
    /// The value and the index of the best point so far.
    pub(crate) best: (f64, u32),
}

impl<F: Fn(u32, f64) -> bool> Visitor for Lowest<'_, F> {
    fn wants(&self, bound: f64, least_id: u32, least_floor: f64) -> bool {
        let value = larger(self.least, larger(self.prepared.reported(bound), least_floor));
        (value, least_id) < self.best
    }

    fn visit(&mut self, id: u32, compared: f64) {
        let floor = larger(self.least, self.floors[id as usize]);
        if floor > self.best.0 {
            return;
        }
        let value = larger(floor, self.prepared.reported(compared));
        if (value, id) < self.best && (self.accepts)(id, value) {
            self.best = (value, id);
        }
    }
}

/// The values of `of` in another order.
pub(crate) fn reordered<T: Copy>(of: &[T], order: &[u32]) -> Result<Vec<T>, OutOfMemory> {
    memory::collected(order.iter().map(|&point| of[point as usize]))
}
