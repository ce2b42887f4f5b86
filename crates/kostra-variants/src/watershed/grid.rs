//! The watershed of a grid.
//!
//! Each cell without a marker is joined to a neighbor by its lightest edge: one round of Borůvka's
//! algorithm on edges that are computed when they are needed. What remains is a vertex for each
//! component and for each marked cell, and an edge for each pair of neighbors in different ones.
//! They are in the order of the edge ids of the grid, so the regions are those of its graph.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use kostra_core::{Edges, Encoding, Key, Order, Run, Vertex, bits_of, memory};
use kostra_parallel::{Schedule, Team, atomic_u32, with_observed_team};
use kostra_points::grid::{Grid, GridError, Value, difference};

use super::{WatershedError, regions};
use crate::cells::{BLOCK, follow_paths, for_each_cell, in_order_of_rows, last_cells};

/// What the edges of a grid weigh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relief {
    /// The values are those of an image: an edge weighs the difference of its two cells.
    Differences,
    /// The values are heights, such as those of a terrain or a map of boundaries: an edge weighs
    /// the higher one of its two cells.
    Heights,
}

/// A grid whose cells have values.
#[derive(Clone, Copy, Debug)]
pub struct GridRelief<'a, T> {
    /// The grid.
    pub grid: &'a Grid,
    /// The values of the cells, `channels` for each.
    pub values: &'a [T],
    /// The number of values of a cell; 1 for heights.
    pub channels: usize,
    /// What the edges weigh.
    pub relief: Relief,
}

impl<T: Value> GridRelief<'_, T> {
    fn check(&self) -> Result<(), GridError> {
        let channels = if self.relief == Relief::Heights { 1 } else { self.channels };
        self.grid.check(self.values, channels)
    }

    fn weight(&self, one: usize, other: usize) -> T {
        match self.relief {
            Relief::Differences => difference(self.values, self.channels, one, other),
            Relief::Heights if self.values[one] > self.values[other] => self.values[one],
            Relief::Heights => self.values[other],
        }
    }
}

/// The region of each cell of a grid, as [`watershed_of_graph`](super::watershed_of_graph) finds it
/// in the graph of the grid. `markers` has the label of each cell, or 0.
///
/// Takes two passes over the grid on all threads, a solve of what remains, and O(k α(k)) on one
/// thread, for k components after the first round. Memory: 8 bytes per cell, 16 to 20 bytes per
/// edge that remains, and that of the solve.
///
/// # Errors
/// When there are not `channels` values and one label for each cell, a value is NaN, no cell is
/// marked, the run is cancelled, or the system refuses the memory.
pub fn watershed_of_grid<T: Value>(
    field: &GridRelief<'_, T>,
    markers: &[u32],
    run: &mut Run<'_>,
) -> Result<Vec<u32>, WatershedError> {
    field.check()?;
    let grid = field.grid;
    if markers.len() != grid.cells() {
        let vertices = grid.cells() as u32;
        return Err(WatershedError::Length { markers: markers.len(), vertices });
    }
    let threads = run.request.threads().min(grid.cells().div_ceil(BLOCK)).max(1);
    let encoding = Encoding::new::<T>(Order::Minimum);
    let bits = |one: usize, other: usize| bits_of(&[field.weight(one, other)])[0];
    let (mut components, [u, v], weights, labels) = with_observed_team(run, threads, |team, _| {
        let marked = MarkedGrid { grid, markers, encoding, bits: &bits, team };
        let mut last = memory::zeros(grid.cells())?;
        let slots = atomic_u32(&mut last);
        marked.join(slots);
        follow_paths(team, slots);
        let cells = last_cells(grid, team, slots)?;
        marked.number(slots, &cells)?;
        let links = marked.links(slots)?;
        let labels = memory::collected(cells.iter().map(|&cell| markers[cell as usize]))?;
        let ends = |end: usize| memory::collected(links.iter().map(|link| link.0[end]));
        let weights = memory::collected(links.iter().map(|link| link.1))?;
        Ok::<_, WatershedError>((last, [ends(0)?, ends(1)?], weights, labels))
    })?;
    let edges = Edges::of_checked(labels.len() as u32, (&u, &v), &weights, encoding);
    let regions = regions(edges, &labels, run)?;
    components.iter_mut().for_each(|component| *component = regions[*component as usize]);
    Ok(components)
}

/// A grid with the weights of its edges, and the threads that work on it.
struct MarkedGrid<'a, K: Key, B> {
    grid: &'a Grid,
    markers: &'a [u32],
    encoding: Encoding<K>,
    /// The bits of the weight of the edge between two cells.
    bits: &'a B,
    team: &'a Team<'a>,
}

/// An edge between two components, and the bits of its weight.
type Link<K> = ([Vertex; 2], K);

impl<K: Key, B: Fn(usize, usize) -> K + Sync> MarkedGrid<'_, K, B> {
    /// Stores for each cell the other end of its lightest edge, or the cell itself: for a marked
    /// one, and for the lower one of two cells that have the same lightest edge.
    fn join(&self, next: &[AtomicU32]) {
        for_each_cell(self.grid, self.team, |cell, steps| {
            let mut lightest: Option<(K, usize)> = None;
            if self.markers[cell] == 0 {
                // The ids of the edges ascend with the neighbors, so the first of equals is kept.
                for &step in steps {
                    let neighbor = cell.wrapping_add_signed(step);
                    let key = self.encoding.key((self.bits)(cell, neighbor));
                    if lightest.is_none_or(|(least, _)| key < least) {
                        lightest = Some((key, neighbor));
                    }
                }
            }
            let other = lightest.map_or(cell, |(_, neighbor)| neighbor);
            next[cell].store(other as Vertex, Relaxed);
        });
        let after = |cell: usize| next[cell].load(Relaxed) as usize;
        self.team.for_each(next.len(), Schedule::Dynamic(BLOCK), |cell| {
            // Only the lower cell of the two changes, so the order of the threads does not matter.
            if cell < after(cell) && after(after(cell)) == cell {
                next[cell].store(cell as Vertex, Relaxed);
            }
        });
    }

    /// Replaces the last cell of each path by the number of its component.
    fn number(&self, last: &[AtomicU32], cells: &[Vertex]) -> Result<(), WatershedError> {
        let mut numbers: Vec<Vertex> = memory::zeros(last.len())?;
        (0..).zip(cells).for_each(|(number, &cell)| numbers[cell as usize] = number);
        self.team.for_each(last.len(), Schedule::Dynamic(BLOCK), |cell| {
            last[cell].store(numbers[last[cell].load(Relaxed) as usize], Relaxed);
        });
        Ok(())
    }

    /// The edges between components, in the order of their ids.
    fn links(&self, components: &[AtomicU32]) -> Result<Vec<Link<K>>, WatershedError> {
        let component = |cell: usize| components[cell].load(Relaxed);
        Ok(in_order_of_rows(self.grid, self.team, |rows, list| {
            self.grid.for_each_cell_in_rows(rows, |cell, steps| {
                let own = component(cell);
                for &step in steps.iter().filter(|&&step| step > 0) {
                    let neighbor = cell.wrapping_add_signed(step);
                    let other = component(neighbor);
                    let are_marked = self.markers[cell] != 0 && self.markers[neighbor] != 0;
                    if own != other && !are_marked {
                        list.push(([own, other], (self.bits)(cell, neighbor)));
                    }
                }
            });
        })?)
    }
}
