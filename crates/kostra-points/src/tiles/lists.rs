//! The nearest points of each point: a pass over all tiles keeps those with the lowest bounds, and
//! their exact distances say which of them are certain.

use std::sync::Mutex;

use kostra_core::{OutOfMemory, Run, memory};
use kostra_parallel::{Team, for_each_item, into_item, lock};

use super::filter::{Filter, SPARE};
use super::order::Balls;
use super::rows::BLOCK;
use super::scan::Hit;
use super::{Scratch, Tiled, in_steps};
use crate::neighbors::Nearest;
use crate::samples::neighbors_inside;
use crate::{PointsError, Prepared};

/// The nearest points of each point.
pub(super) struct Lists {
    pub(super) per_point: usize,
    /// Compared distances and indices of the nearest points, by point; in the order of both.
    pub(super) nearest: Vec<(f64, u32)>,
}

impl Lists {
    /// The nearest points of a point.
    pub(super) fn of(&self, point: u32) -> &[(f64, u32)] {
        &self.nearest[point as usize * self.per_point..][..self.per_point]
    }

    /// The compared core distances, if there are enough points in a list. None for `min_samples`
    /// of 1, where they are 0.
    pub(super) fn core(
        &self,
        prepared: &Prepared<'_>,
        min_samples: usize,
    ) -> Result<Vec<f64>, OutOfMemory> {
        if min_samples == 1 {
            return Ok(Vec::new());
        }
        memory::collected((0..prepared.len()).map(|point| {
            let list = self.of(point);
            let others = list.iter().map(|&(_, other)| other);
            let inside = neighbors_inside(point, others, min_samples - 1, prepared.weights());
            prepared.scaled_core(inside.checked_sub(1).map_or(0.0, |last| list[last].0))
        }))
    }
}

/// The places of points in an order, and what bounds their distances.
pub(super) struct Ordered<'a> {
    pub(super) prepared: &'a Prepared<'a>,
    pub(super) order: Vec<u32>,
    pub(super) filter: Filter,
    pub(super) balls: Balls,
}

impl<'a> Ordered<'a> {
    pub(super) fn new(
        tiled: &Tiled<'a>,
        order: Vec<u32>,
        team: &Team<'_>,
    ) -> Result<Self, OutOfMemory> {
        let prepared = tiled.prepared;
        let filter = Filter::new(&tiled.form, prepared, &order, team)?;
        let balls = Balls::new(prepared, &order, team)?;
        Ok(Self { prepared, order, filter, balls })
    }

    /// All pairs of blocks. Those that are near each other in the order come first.
    pub(super) fn tiles(&self) -> Result<Vec<[u32; 2]>, OutOfMemory> {
        let blocks = self.filter.blocks() as u32;
        let mut tiles = memory::with_capacity(blocks as usize * (blocks as usize + 1) / 2)?;
        for apart in 0..blocks {
            tiles.extend((0..blocks - apart).map(|block| [block, block + apart]));
        }
        Ok(tiles)
    }

    /// The points of a hit.
    pub(super) fn points(&self, [rows, columns]: [u32; 2], hit: Hit) -> [u32; 2] {
        let point = |block: u32, at: u16| self.order[block as usize * BLOCK + usize::from(at)];
        [point(rows, hit.row), point(columns, hit.column)]
    }

    /// Empty lists for `wanted` nearest points, by block. `near` has, for each point, some near
    /// points in the order of their distances, so that the lists need only nearer ones.
    pub(super) fn lists(
        &self,
        wanted: usize,
        near: &Lists,
    ) -> Result<Vec<Mutex<Kept>>, OutOfMemory> {
        let kept = (wanted + SPARE).min(self.order.len() - 1);
        let limit = |point: &u32| {
            // Points that are not nearer do not count.
            let last = near.of(*point).get(wanted - 1);
            last.map_or(f32::INFINITY, |(last, _)| self.filter.limit(*last).next_up())
        };
        let blocks = self.order.chunks(BLOCK);
        let blocks =
            blocks.map(|points| Ok(Mutex::new(Kept::new(points.iter().map(limit), kept)?)));
        blocks.collect()
    }
}

/// The `wanted` nearest points of each point, after all pairs were compared.
pub(super) fn nearest(
    ordered: &Ordered<'_>,
    kept: Vec<Mutex<Kept>>,
    wanted: usize,
    team: &Team<'_>,
    run: &mut Run<'_>,
) -> Result<Lists, PointsError> {
    let (mut lists, doubtful) = exact(ordered, kept, wanted, team)?;
    complete(&mut lists, ordered, &doubtful, team, run)?;
    Ok(lists)
}

/// The nearest of the kept points by their exact distances, in the order of points, and the points
/// whose list may lack one.
fn exact(
    Ordered { prepared, order, filter, .. }: &Ordered<'_>,
    kept: Vec<Mutex<Kept>>,
    wanted: usize,
    team: &Team<'_>,
) -> Result<(Lists, Vec<u32>), OutOfMemory> {
    let mut nearest = memory::filled(order.len() * wanted, (f64::INFINITY, u32::MAX))?;
    let doubtful = Mutex::new(Vec::new());
    // The order is a permutation, so the place of each point is taken once.
    let mut places: Vec<_> = nearest.chunks_mut(wanted).map(Some).collect();
    let mut places = order.iter().map(|point| places[*point as usize].take());
    let parts = kept.into_iter().zip(order.chunks(BLOCK)).map(|(kept, points)| {
        let places: Vec<_> = places.by_ref().take(points.len()).collect();
        (into_item(kept), points, places)
    });
    for_each_item(team, parts, |(mut kept, points, places)| {
        for (row, (&point, place)) in points.iter().zip(places).enumerate() {
            let (positions, limit) = kept.finish(row);
            let mut found: Vec<_> = positions
                .map(|position| order[position as usize])
                .map(|other| (prepared.compared(point, other), other))
                .collect();
            found.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            found.truncate(wanted);
            if found.last().is_some_and(|last| last.0 >= filter.compared(limit)) {
                lock(&doubtful).push(point);
            }
            place.into_iter().for_each(|place| place.copy_from_slice(&found));
        }
    });
    let mut doubtful = into_item(doubtful);
    doubtful.sort_unstable();
    Ok((Lists { per_point: wanted, nearest }, doubtful))
}

/// Finds the nearest points of those whose list may lack one: all points that may be as near as
/// the last of the list.
fn complete(
    Lists { per_point: wanted, nearest, .. }: &mut Lists,
    ordered: &Ordered<'_>,
    points: &[u32],
    team: &Team<'_>,
    run: &mut Run<'_>,
) -> Result<(), PointsError> {
    let wanted = *wanted;
    let Ordered { prepared, order, filter, .. } = ordered;
    let doubtful = Filter::new(&filter.form, prepared, points, team)?;
    let lists = points.chunks(BLOCK).map(|points| {
        let empty = Nearest::new(wanted)?;
        Ok(Mutex::new(memory::filled(points.len(), empty)?))
    });
    let lists: Vec<_> = lists.collect::<Result<_, OutOfMemory>>()?;
    let none = [f32::NEG_INFINITY; BLOCK];
    let limits = points.chunks(BLOCK).map(|points| {
        let mut limits = none;
        for (limit, &point) in limits.iter_mut().zip(points) {
            *limit = filter.limit(nearest[point as usize * wanted + wanted - 1].0);
        }
        limits
    });
    let limits: Vec<_> = limits.collect();
    in_steps(team, run, lists.len() * filter.blocks(), |Scratch { tile, hits }, at| {
        let (block, column) = (at % lists.len(), at / lists.len());
        tile.compute((&doubtful, block), (filter, column));
        hits.clear();
        tile.within(0..BLOCK, &limits[block], &none, hits);
        for hit in hits.iter() {
            let point = points[block * BLOCK + usize::from(hit.row)];
            let other = order[column * BLOCK + usize::from(hit.column)];
            if other != point {
                let compared = prepared.compared(point, other);
                lock(&lists[block])[usize::from(hit.row)].offer(compared, other);
            }
        }
    })?;
    for (points, lists) in points.chunks(BLOCK).zip(lists) {
        for (&point, mut list) in points.iter().zip(into_item(lists)) {
            list.finish();
            let place = &mut nearest[point as usize * wanted..][..wanted];
            for (place, (compared, (other, _))) in
                place.iter_mut().zip(list.compared.iter().zip(&list.points))
            {
                *place = (*compared, *other);
            }
        }
    }
    Ok(())
}

/// The pairs of the rows of a block with the lowest bounds so far.
pub(super) struct Kept {
    /// `2 * per_row` places of a row: the bits of a bound, which is not negative, and a position.
    keys: Vec<u64>,
    used: [u32; BLOCK],
    per_row: usize,
    /// A pair with a larger bound is not among the first `per_row` of the row.
    pub(super) limits: [f32; BLOCK],
}

impl Kept {
    fn new(rows: impl ExactSizeIterator<Item = f32>, per_row: usize) -> Result<Self, OutOfMemory> {
        let keys = memory::zeros(rows.len() * 2 * per_row)?;
        let mut limits = [f32::NEG_INFINITY; BLOCK];
        limits.iter_mut().zip(rows).for_each(|(to, limit)| *to = limit);
        Ok(Self { keys, used: [0; BLOCK], per_row, limits })
    }

    pub(super) fn offer(&mut self, row: usize, low: f32, position: u32) {
        if low > self.limits[row] {
            return;
        }
        let places = 2 * self.per_row;
        // A bound below 0 is one of 0, too.
        let key = u64::from(low.max(0.0).to_bits()) << 32 | u64::from(position);
        self.keys[row * places + self.used[row] as usize] = key;
        self.used[row] += 1;
        if self.used[row] as usize == places {
            self.select(row);
        }
    }

    /// Keeps the first keys of a row.
    fn select(&mut self, row: usize) {
        let used = self.used[row] as usize;
        let keys = &mut self.keys[row * 2 * self.per_row..][..used];
        let last = *keys.select_nth_unstable(self.per_row - 1).1;
        self.limits[row] = self.limits[row].min(f32::from_bits((last >> 32) as u32));
        self.used[row] = self.per_row as u32;
    }

    /// The first positions of a row in any order, and the limit below which no other is.
    fn finish(&mut self, row: usize) -> (impl Iterator<Item = u32>, f32) {
        if self.used[row] as usize > self.per_row {
            self.select(row);
        }
        let keys = &self.keys[row * 2 * self.per_row..][..self.used[row] as usize];
        (keys.iter().map(|key| *key as u32), self.limits[row])
    }
}
