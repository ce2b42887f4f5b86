//! Conversion between edges and rows of neighbors, for formats that store each edge in the rows of
//! both its ends.

mod fingerprint;
mod pairing;
#[cfg(test)]
mod tests;
mod write;

use std::fmt::Display;
use std::ops::Range;

use bytemuck::Zeroable;
use kostra_core::Vertex;
use kostra_core::memory::{self, OutOfMemory};

use crate::columns::{Columns, Weights};
pub(crate) use pairing::{BLOCK_ENTRIES, Division, Keep, RowEntries, edges};
pub(crate) use write::{MirroredRows, integer_weights};

/// The rows of a file: for each vertex its neighbors, and the weights of the edges to them.
#[derive(Clone, Copy)]
pub(crate) struct FileRows<'a, W> {
    /// The start of each row in `neighbors`, and the end of the last: `n + 1` ascending positions
    /// from 0.
    pub(crate) offsets: &'a [usize],
    /// The neighbors, each below `n`.
    pub(crate) neighbors: &'a [Vertex],
    /// The weight of each entry; empty if the file has no weights.
    pub(crate) weights: &'a [W],
    /// The number that the file gives the first vertex.
    pub(crate) first: u64,
}

/// A list of edges. There are as many weights as edges, or none.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct EdgeColumns<W> {
    pub(crate) u: Vec<Vertex>,
    pub(crate) v: Vec<Vertex>,
    pub(crate) weights: Vec<W>,
}

impl<W> EdgeColumns<W> {
    /// These edges as [`Columns`]; `wrap` decides the type of the weights.
    pub(crate) fn into_columns(self, wrap: impl FnOnce(Vec<W>) -> Weights) -> Columns {
        let mut columns = Columns::default();
        (columns.u, columns.v, columns.weights) = (self.u, self.v, wrap(self.weights));
        columns
    }
}

/// For each vertex, the later vertices whose rows contain it, in ascending order; and the end of
/// each vertex's entries.
type Mirrors<W> = (Vec<(Vertex, W)>, Vec<usize>);

/// An entry that contradicts the row of its other end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Asymmetry {
    /// The vertex whose row contains the entry.
    pub(crate) row: Vertex,
    /// The position of the entry among all entries.
    pub(crate) entry: usize,
    /// What is wrong with it.
    pub(crate) sentence: String,
}

impl<W> FileRows<'_, W>
where
    W: Copy + Ord + Default + Display + Into<i64> + Send + Sync + Zeroable,
{
    /// Each edge once, in the order of first appearance: the entries of each row that do not name
    /// an earlier vertex.
    ///
    /// An entry that names the vertex of its row is a self-loop. Every other entry must also be in
    /// the row of the other end, equally often and with the same weights, in any order. The inner
    /// `Err` is the first entry that is not.
    ///
    /// Linear time. If the rows are not symmetric, the search for the first entry at fault also
    /// takes a vertex and a weight per edge, and 8 bytes per vertex, and sorts rows that are not
    /// sorted.
    ///
    /// # Errors
    /// When the system does not grant the memory.
    pub(crate) fn edges(
        self,
        division: Division,
    ) -> Result<Result<EdgeColumns<W>, Asymmetry>, OutOfMemory> {
        match edges(self.offsets, &self, Keep::Symmetric, division)? {
            Some(columns) => Ok(Ok(columns)),
            None => match self.first_asymmetry()? {
                Some(asymmetry) => Ok(Err(asymmetry)),
                None => unreachable!("equal multisets have equal fingerprints"),
            },
        }
    }

    /// The first entry without its copy in the row of the other end. Compares the rows themselves.
    fn first_asymmetry(&self) -> Result<Option<Asymmetry>, OutOfMemory> {
        let n = self.offsets.len().saturating_sub(1) as Vertex;
        let (mut mirrors, ends) = self.mirrors(n)?;
        let mut start = 0;
        for (row, end) in (0..n).zip(ends) {
            let mirror = mirrors.get_mut(start..end).unwrap_or_default();
            start = end;
            let later = || self.row(row).filter(move |&(to, _)| to > row);
            if !later().eq(mirror.iter().copied()) {
                let mut own = memory::with_capacity(mirror.len())?;
                later().try_for_each(|entry| memory::push(&mut own, entry))?;
                own.sort_unstable();
                mirror.sort_unstable();
                if own != mirror {
                    return Ok(Some(self.asymmetry(row, &own, mirror)));
                }
            }
        }
        Ok(None)
    }

    fn row(&self, row: Vertex) -> impl Iterator<Item = (Vertex, W)> + '_ {
        self.entries(row).map(|entry| {
            // No weights at all, and every entry weighs the same.
            (self.neighbors[entry], self.weights.get(entry).copied().unwrap_or_default())
        })
    }

    fn entries(&self, row: Vertex) -> Range<usize> {
        self.offsets[row as usize]..self.offsets[row as usize + 1]
    }

    fn mirrors(&self, n: Vertex) -> Result<Mirrors<W>, OutOfMemory> {
        let earlier = |row: Vertex| self.row(row).filter(move |&(to, _)| to < row);
        let mut cursors = memory::zeros::<usize>(n as usize)?;
        for (to, _) in (0..n).flat_map(earlier) {
            cursors[to as usize] += 1;
        }
        let mut entries = 0;
        for cursor in &mut cursors {
            entries += std::mem::replace(cursor, entries);
        }
        let mut mirrors = memory::filled(entries, (0, W::default()))?;
        for row in 0..n {
            for (to, weight) in earlier(row) {
                let cursor = &mut cursors[to as usize];
                mirrors[*cursor] = (row, weight);
                *cursor += 1;
            }
        }
        // Each cursor has moved from the start of its vertex's entries to the end.
        Ok((mirrors, cursors))
    }

    /// The fault in the row of a vertex: `own` are its later neighbors and `mirror` the later rows
    /// that contain it, both sorted.
    fn asymmetry(&self, row: Vertex, own: &[(Vertex, W)], mirror: &[(Vertex, W)]) -> Asymmetry {
        let at = own.iter().zip(mirror).take_while(|(a, b)| a == b).count();
        let (a, b) = (own.get(at), mirror.get(at));
        let to = a.into_iter().chain(b).map(|&(to, _)| to).min().unwrap_or(row);
        let times = |entries: &[(Vertex, W)]| entries.iter().filter(|entry| entry.0 == to).count();
        let (there, back) = (times(own), times(mirror));
        let (from, to) = if there < back { (to, row) } else { (row, to) };
        let entry = self.entries(from).find(|&entry| {
            let differs = there != back
                || a.is_none_or(|&(_, weight)| self.weights.get(entry) == Some(&weight));
            self.neighbors[entry] == to && differs
        });
        let name = |vertex: Vertex| self.first + u64::from(vertex);
        let (x, y) = (name(from), name(to));
        let sentence = match (a, b) {
            (Some((_, here)), Some((_, there_too))) if there == back => format!(
                "the edge between vertices {x} and {y} weighs {here} in the row of {x}, but {there_too} in the row of {y}"
            ),
            _ if there.min(back) == 0 => {
                format!(
                    "vertex {x} names {y} as its neighbor, but {y} does not name {x}: each edge must be in both rows"
                )
            }
            _ => format!(
                "vertex {x} names {y} as its neighbor {} times, but {y} names {x} only {}: each edge must be in both rows",
                there.max(back),
                there.min(back)
            ),
        };
        Asymmetry { row: from, entry: entry.unwrap_or_default(), sentence }
    }
}

/// Rows in memory; reading a block costs nothing.
impl<W> RowEntries for FileRows<'_, W>
where
    W: Copy + Default + Into<i64> + Send + Sync + Zeroable,
{
    type Weight = W;
    type Scratch = ();

    fn weighted(&self) -> bool {
        !self.weights.is_empty()
    }

    fn block<'s>(
        &'s self,
        entries: Range<usize>,
        (): &'s mut (),
    ) -> Option<(&'s [Vertex], &'s [W])> {
        let weights = self.weights.get(entries.clone()).unwrap_or_default();
        Some((self.neighbors.get(entries)?, weights))
    }
}
