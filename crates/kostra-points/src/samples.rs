//! The points near to a point, and how many samples they are, if points count as several.

use kostra_core::{OutOfMemory, memory};

/// The compared distances of the neighbors of a point, and their indices and positions.
pub(crate) type NeighborList<'a> = (&'a [f64], &'a [(u32, u32)]);

/// What takes a point and its nearest neighbors, on any thread.
pub(crate) type Found<'a> = dyn Fn(u32, NeighborList<'_>) + Sync + 'a;

/// The number of nearest neighbors of the point `id` that count as `points` others, with what the
/// point counts as beyond itself. `found` are its neighbors in order.
#[inline(always)]
pub(crate) fn neighbors_inside(
    id: u32,
    found: impl Iterator<Item = u32>,
    points: usize,
    weights: &[u32],
) -> usize {
    if weights.is_empty() {
        return points;
    }
    counted(found, (points + 1).saturating_sub(weights[id as usize] as usize), weights)
}

/// The number of the first points that count as `points`, or of all if they count as fewer.
pub(crate) fn counted(
    mut found: impl Iterator<Item = u32>,
    points: usize,
    weights: &[u32],
) -> usize {
    let (mut rest, mut inside) = (points, 0);
    while rest > 0
        && let Some(id) = found.next()
    {
        rest = rest.saturating_sub(weights.get(id as usize).map_or(1, |&weight| weight as usize));
        inside += 1;
    }
    inside
}

/// The compared core distance of a point, by the compared distances and the indices of its nearest
/// neighbors.
pub(crate) fn core_of(
    point: u32,
    (compared, found): NeighborList<'_>,
    min_samples: usize,
    weights: &[u32],
) -> f64 {
    let others = found.iter().map(|&(id, _)| id);
    let inside = neighbors_inside(point, others, min_samples - 1, weights);
    inside.checked_sub(1).map_or(0.0, |last| compared[last])
}

/// The least distance within which points count as `samples`; none if all count as fewer. `row` has
/// the distance of each point, and its order changes.
pub(crate) fn core_of_row(
    row: &mut [f64],
    samples: usize,
    weights: &[u32],
) -> Result<Option<f64>, OutOfMemory> {
    if weights.is_empty() {
        let place = samples.checked_sub(1).filter(|&place| place < row.len());
        return Ok(place.map(|place| *row.select_nth_unstable_by(place, f64::total_cmp).1));
    }
    let mut row = memory::collected(row.iter().copied().zip(weights.iter().copied()))?;
    row.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let mut rest = samples;
    Ok(row.iter().find_map(|&(distance, weight)| {
        rest = rest.saturating_sub(weight as usize);
        (rest == 0).then_some(distance)
    }))
}
