//! The basins of a grid, and the graph of their neighbors.
//!
//! Each cell that is no local minimum is joined to its first neighbor: the one with the lowest
//! value, and then the lowest number. It enters with this edge, so it never is a component of its
//! own for longer than an instant. What remains is a vertex for each local minimum, and an edge for
//! each pair of neighbors in different basins. The edges are ordered by (the later cell, the
//! earlier cell), and get the value of the later one.
//!
//! This is the first round of Borůvka's algorithm, in an order that keeps the elder of each
//! component at the bottom of its basin. Two cells of a pair that enters with the later cell are
//! always in components of the reduced graph, so its pairs of values are those of the grid.

use std::ops::Range;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use kostra_core::{Edges, Encoding, Key, Order, OutOfMemory, Run, Vertex, Weight, bits_of, memory};
use kostra_parallel::{Team, atomic_u32, with_observed_team};
use kostra_points::grid::{Grid, Value};

use super::PersistenceError;
use crate::cells::{BLOCK, follow_paths, for_each_cell, in_order_of_rows, last_cells};

/// The graph of basins. Basins are numbered by their local minima.
pub(super) struct Basins<K: Key> {
    /// The cell of the local minimum of each basin, ascending.
    pub(super) minima: Vec<Vertex>,
    /// The keys of their values.
    pub(super) births: Vec<K>,
    /// The later cell of each edge.
    pub(super) passes: Vec<Vertex>,
    ends: [Vec<Vertex>; 2],
    /// The bits of the values of the edges.
    weights: Vec<K>,
    encoding: Encoding<K>,
}

impl<K: Key> Basins<K> {
    pub(super) fn of<T: Value + Weight<Key = K>>(
        grid: &Grid,
        values: &[T],
        order: Order,
        run: &mut Run<'_>,
    ) -> Result<Self, PersistenceError> {
        grid.check(values, 1)?;
        let encoding = Encoding::new::<T>(order);
        let threads = run.request.threads().min(values.len().div_ceil(BLOCK)).max(1);
        with_observed_team(run, threads, |team, _| {
            Ok(Field { grid, bits: bits_of(values), encoding, team }.basins()?)
        })
    }

    pub(super) fn edges(&self) -> Edges<'_, K> {
        let [u, v] = &self.ends;
        Edges::of_checked(self.minima.len() as u32, (u, v), &self.weights, self.encoding)
    }
}

/// The values of a grid, and the threads that find its basins.
struct Field<'a, K: Key> {
    grid: &'a Grid,
    bits: &'a [K],
    encoding: Encoding<K>,
    team: &'a Team<'a>,
}

/// A pair of neighbors in different basins: the later cell, and the local minima of the two.
type Pass = (Vertex, [Vertex; 2]);

impl<K: Key> Field<'_, K> {
    fn key(&self, cell: usize) -> K {
        self.encoding.key(self.bits[cell])
    }

    fn basins(&self) -> Result<Basins<K>, OutOfMemory> {
        let mut downhill = memory::zeros(self.bits.len())?;
        let slots = atomic_u32(&mut downhill);
        self.descend(slots);
        follow_paths(self.team, slots);
        let minima = last_cells(self.grid, self.team, slots)?;
        let passes = in_order_of_rows(self.grid, self.team, |rows, list| {
            self.passes(rows, slots, list);
        })?;
        // The number of a basin, by the cell of its minimum.
        let mut numbers: Vec<Vertex> = memory::zeros(self.bits.len())?;
        (0..).zip(&minima).for_each(|(basin, &cell)| numbers[cell as usize] = basin);
        let ends = |end: usize| {
            memory::collected(passes.iter().map(|(_, minima)| numbers[minima[end] as usize]))
        };
        let ends = [ends(0)?, ends(1)?];
        Ok(Basins {
            births: memory::collected(minima.iter().map(|&cell| self.key(cell as usize)))?,
            weights: memory::collected(passes.iter().map(|pass| self.bits[pass.0 as usize]))?,
            passes: memory::collected(passes.iter().map(|pass| pass.0))?,
            encoding: self.encoding,
            minima,
            ends,
        })
    }

    /// Stores for each cell its first neighbor, or the cell itself if it is a local minimum.
    fn descend(&self, downhill: &[AtomicU32]) {
        for_each_cell(self.grid, self.team, |cell, steps| {
            let mut first = (self.key(cell), cell);
            for &step in steps {
                let neighbor = cell.wrapping_add_signed(step);
                first = first.min((self.key(neighbor), neighbor));
            }
            downhill[cell].store(first.1 as Vertex, Relaxed);
        });
    }

    /// Adds the pairs of neighbors in different basins whose later cell is in these rows. Of the
    /// neighbors of one cell in one basin, only the first counts, because the others close cycles.
    fn passes(&self, rows: Range<usize>, minima: &[AtomicU32], list: &mut Vec<Pass>) {
        let minimum = |cell: usize| minima[cell].load(Relaxed);
        self.grid.for_each_cell_in_rows(rows, |cell, steps| {
            let (own, key) = (minimum(cell), self.key(cell));
            let start = list.len();
            for &step in steps {
                let neighbor = cell.wrapping_add_signed(step);
                let other = minimum(neighbor);
                if other != own
                    && (self.key(neighbor), neighbor) < (key, cell)
                    && list[start..].iter().all(|pass| pass.1[1] != other)
                {
                    list.push((cell as Vertex, [own, other]));
                }
            }
        });
    }
}
