//! Steps over the cells of a grid that several problems share, on the threads of a team.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use kostra_core::{OutOfMemory, Vertex, memory};
use kostra_parallel::{Schedule, Team, into_item, lock};
use kostra_points::grid::Grid;

/// Cells that a thread takes at a time.
pub(crate) const BLOCK: usize = 1 << 14;

/// Calls `visit` with each cell and the steps to its neighbors, in any order.
pub(crate) fn for_each_cell(grid: &Grid, team: &Team<'_>, visit: impl Fn(usize, &[isize]) + Sync) {
    let rows_of_block = BLOCK.div_ceil(grid.row_len().max(1));
    team.distribute(grid.rows(), Schedule::Dynamic(rows_of_block), |_, rows| {
        grid.for_each_cell_in_rows(rows, &visit);
    });
}

/// Replaces the next cell on the path of each cell by the last one, which is its own next cell.
/// Other threads may have replaced it for a cell on the path, which shortens the path.
pub(crate) fn follow_paths(team: &Team<'_>, next: &[AtomicU32]) {
    let after = |cell: Vertex| next[cell as usize].load(Relaxed);
    team.for_each(next.len(), Schedule::Dynamic(BLOCK), |cell| {
        let mut at = after(cell as Vertex);
        loop {
            let beyond = after(at);
            if beyond == at {
                break;
            }
            at = beyond;
        }
        next[cell].store(at, Relaxed);
    });
}

/// The items that `collect` adds for all rows of a grid, in the order of the rows.
pub(crate) fn in_order_of_rows<I: Copy + Send>(
    grid: &Grid,
    team: &Team<'_>,
    collect: impl Fn(Range<usize>, &mut Vec<I>) + Sync,
) -> Result<Vec<I>, OutOfMemory> {
    let lists: Vec<_> = (0..team.threads()).map(|_| Mutex::new(Vec::new())).collect();
    team.in_parts(grid.rows(), |part, rows| collect(rows, &mut lock(&lists[part])));
    let lists: Vec<_> = lists.into_iter().map(into_item).collect();
    let mut all = memory::with_capacity(lists.iter().map(Vec::len).sum())?;
    lists.iter().for_each(|list| all.extend_from_slice(list));
    Ok(all)
}

/// The last cells of all paths, ascending.
pub(crate) fn last_cells(
    grid: &Grid,
    team: &Team<'_>,
    last: &[AtomicU32],
) -> Result<Vec<Vertex>, OutOfMemory> {
    in_order_of_rows(grid, team, |rows, list| {
        grid.for_each_cell_in_rows(rows, |cell, _| {
            if last[cell].load(Relaxed) == cell as Vertex {
                list.push(cell as Vertex);
            }
        });
    })
}
