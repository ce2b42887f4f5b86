//! Sorts random edges by rows without holding them twice, on several threads.
//!
//! Edges are drawn by index. The rows are divided into windows, so that the draws of a window fit
//! the scratch memory. For each window, every thread makes some of the draws and keeps those of the
//! window in runs of [`RUN`] edges. A run is distributed into buckets of rows while it is in the
//! cache, as in a radix sort. Then each bucket is gathered from all runs, and a radix sort of
//! `(u, v)` sorts it in the cache. No step writes to random places of a large array: that is what a
//! distribution of all edges into all rows spends its time on.
//!
//! Edges are sorted, so the result does not depend on which thread made a draw. Time: one draw per
//! edge and window, and O(m) for the buckets. Scratch memory: 8 bytes per draw of a window.

use std::ops::Range;
use std::sync::Mutex;

use kostra_core::Vertex;
use kostra_parallel::{Schedule, into_item, lock};

use crate::SpecError;
use crate::allocation::array;
use crate::draw::{self, Draw, Edge};
use crate::radix_sort::RadixSorter;
use crate::share::Share;
use crate::source::{EdgeEnds, Emit, SourceRun, StopReason, in_waves};
use crate::target::EdgeArrays;

/// The edges of a run: its 512 KiB fit the cache of a core.
const RUN: usize = 1 << 16;
/// The runs of a slab: its 8 MiB are large pages if the program's allocator asks for them.
const RUNS: usize = 1 << 4;
/// The draws between two checks whether a run is full.
const BATCH: usize = 256;
/// The draws that a thread takes at a time.
const TAKE: usize = 1 << 16;
/// About the number of draws in a bucket: as keys, they fit the cache of a core twice.
const BUCKET: u64 = 1 << 15;
/// The most buckets: a run must have several edges for each.
const MOST_BUCKETS: u64 = 1 << 12;

/// The binary logarithm of the most rows in a bucket: a shift must be below the bits of an id.
const MOST_SHIFT: u32 = Vertex::BITS - 1;

/// Edges that are drawn by index, and the number of draws.
pub(crate) struct Draws<D> {
    pub(crate) vertices: u64,
    pub(crate) draws: u64,
    pub(crate) draw: D,
}

impl<D: Draw> Draws<D> {
    /// The number of windows that fit the scratch memory.
    fn windows(&self, run: &SourceRun<'_>) -> usize {
        let bytes = self.draws.saturating_mul(size_of::<Edge>() as u64);
        bytes.div_ceil(run.scratch.max(1)).clamp(1, self.vertices.max(1)) as usize
    }

    /// Emits the distinct edges in ascending order.
    pub(crate) fn sorted(&self, run: &SourceRun<'_>, emit: Emit<'_>) -> Result<(), StopReason> {
        let windows = self.windows(run);
        for window in 0..windows {
            let rows = Share::window(window, windows).rows(self.vertices);
            self.sorted_rows(run, rows, &mut *emit)?;
        }
        Ok(())
    }

    /// The distinct edges of a part of the rows in ascending order.
    pub(crate) fn collect(
        &self,
        run: &SourceRun<'_>,
        share: Share<'_>,
    ) -> Result<EdgeEnds, StopReason> {
        // The whole has at most as many edges as draws; the size of a part is not known.
        let mut arrays = EdgeArrays::new(share.is_whole().then_some(self.draws))?;
        let mut next = 0;
        let mut add =
            |wave: &[EdgeEnds]| Ok(arrays.add(run.team, wave, &mut next, &(0..u64::MAX))?);
        if share.is_whole() {
            self.sorted(run, &mut add)?;
        } else {
            self.sorted_rows(run, share.rows(self.vertices), &mut add)?;
        }
        Ok(arrays.finish())
    }

    /// Emits the distinct edges with first ends in `rows` in ascending order.
    pub(crate) fn sorted_rows(
        &self,
        run: &SourceRun<'_>,
        rows: Range<Vertex>,
        emit: Emit<'_>,
    ) -> Result<(), StopReason> {
        if rows.is_empty() {
            return Ok(());
        }
        let buckets = Buckets::new(&rows, self.vertices, self.draws);
        // Sorting takes about as long as drawing.
        run.meter.expect(2 * self.draws);
        let runs = self.runs(run, &rows, &buckets)?;
        let fill = |bucket: usize, sorter: &mut RadixSorter, ends: &mut EdgeEnds| {
            buckets.sort(bucket, &runs, sorter, ends);
        };
        in_waves(run, 0..buckets.count, fill, &mut |wave| {
            emit(wave)?;
            run.meter.advance(self.draws * wave.len() as u64 / buckets.count as u64);
            Ok(())
        })
    }

    /// Makes all draws, and distributes those of `rows` into buckets, run by run.
    fn runs(
        &self,
        run: &SourceRun<'_>,
        rows: &Range<Vertex>,
        buckets: &Buckets,
    ) -> Result<Vec<Slab>, SpecError> {
        let sorters: Vec<_> =
            (0..run.team.threads()).map(|_| Mutex::new(Ok(Sorter::default()))).collect();
        run.team.distribute(self.draws as usize, Schedule::Dynamic(TAKE), |thread, range| {
            let mut slot = lock(&sorters[thread]);
            if let Ok(sorter) = &mut *slot
                && let Err(refused) = self.draw_into(sorter, range.clone(), rows, buckets)
            {
                *slot = Err(refused);
            }
            run.meter.advance(range.len() as u64);
        });
        let mut runs = Vec::new();
        for sorter in sorters {
            let mut sorter = into_item(sorter)?;
            sorter.finish_run(buckets)?;
            runs.append(&mut sorter.slabs);
        }
        Ok(runs)
    }

    /// Makes the draws of a range of indices.
    fn draw_into(
        &self,
        sorter: &mut Sorter,
        indices: Range<usize>,
        rows: &Range<Vertex>,
        buckets: &Buckets,
    ) -> Result<(), SpecError> {
        let mut drawn = [(0, 0); BATCH];
        for start in indices.clone().step_by(BATCH) {
            let batch = &mut drawn[..BATCH.min(indices.end - start)];
            draw::draw(&self.draw, start as u64, batch);
            sorter.add(batch, rows, buckets)?;
        }
        Ok(())
    }
}

/// Equal ranges of rows, a power of two rows each.
struct Buckets {
    first: Vertex,
    shift: u32,
    count: usize,
    /// The bits of a second end.
    bits_of_v: u32,
    /// The number of draws of all buckets.
    draws: u64,
}

impl Buckets {
    fn new(rows: &Range<Vertex>, vertices: u64, draws: u64) -> Self {
        let wanted = (draws / BUCKET).clamp(1, MOST_BUCKETS);
        let length = (rows.end - rows.start) as u64;
        let shift = length.div_ceil(wanted).next_power_of_two().trailing_zeros().min(MOST_SHIFT);
        Self {
            first: rows.start,
            shift,
            count: length.div_ceil(1 << shift) as usize,
            bits_of_v: vertices.next_power_of_two().trailing_zeros(),
            draws,
        }
    }

    #[inline]
    fn bucket(&self, u: Vertex) -> usize {
        ((u - self.first) >> self.shift) as usize
    }

    /// Adds the distinct edges of a bucket in ascending order.
    fn sort(&self, bucket: usize, slabs: &[Slab], sorter: &mut RadixSorter, ends: &mut EdgeEnds) {
        let first = self.first + ((bucket as u32) << self.shift);
        let keys = &mut sorter.keys;
        keys.clear();
        for part in slabs.iter().flat_map(|slab| slab.bucket(bucket)) {
            let key = |&(u, v): &Edge| u64::from(u - first) << self.bits_of_v | u64::from(v);
            keys.extend(part.iter().map(key));
        }
        sorter.sort(self.shift + self.bits_of_v);
        let keys = &sorter.keys;
        ends.u.resize(keys.len(), 0);
        ends.v.resize(keys.len(), 0);
        let (mut kept, mut last) = (0, u64::MAX);
        for &key in keys {
            // Without a branch: a repetition is written over the edge that it repeats.
            kept += usize::from(key != last);
            last = key;
            ends.u[kept - 1] = first + (key >> self.bits_of_v) as Vertex;
            ends.v[kept - 1] = (key & ((1 << self.bits_of_v) - 1)) as Vertex;
        }
        ends.u.truncate(kept);
        ends.v.truncate(kept);
    }
}

/// Runs of edges, each in the order of buckets.
struct Slab {
    edges: Vec<Edge>,
    /// For each run the start of each bucket in `edges`, and the end of the last one.
    starts: Vec<Vec<u32>>,
}

impl Slab {
    /// A slab for the runs of at most `draws` draws.
    fn new(draws: u64) -> Result<Self, SpecError> {
        let room = draws.min((RUNS * RUN) as u64) as usize;
        Ok(Self { edges: array(room)?, starts: Vec::new() })
    }

    /// The edges of a bucket, run by run.
    #[inline]
    fn bucket(&self, bucket: usize) -> impl Iterator<Item = &[Edge]> {
        let part = move |starts: &Vec<u32>| starts[bucket] as usize..starts[bucket + 1] as usize;
        self.starts.iter().map(move |starts| &self.edges[part(starts)])
    }
}

/// The runs of a thread, and its unfinished run.
#[derive(Default)]
struct Sorter {
    edges: Vec<Edge>,
    length: usize,
    slabs: Vec<Slab>,
}

impl Sorter {
    /// Adds the edges with first ends in `rows`.
    fn add(
        &mut self,
        batch: &[Edge],
        rows: &Range<Vertex>,
        buckets: &Buckets,
    ) -> Result<(), SpecError> {
        if self.edges.is_empty() {
            self.edges = array(RUN)?;
            self.edges.resize(RUN, (0, 0));
        }
        let mut length = self.length;
        let room = &mut self.edges[..length + batch.len()];
        for &(u, v) in batch {
            // Without a branch: which draws belong to the window is random.
            room[length] = (u, v);
            length += usize::from(rows.contains(&u) & (u != v));
        }
        self.length = length;
        if length + BATCH > RUN { self.finish_run(buckets) } else { Ok(()) }
    }

    /// Distributes the unfinished run into buckets.
    fn finish_run(&mut self, buckets: &Buckets) -> Result<(), SpecError> {
        let own = &self.edges[..self.length];
        let mut starts = array(buckets.count + 1)?;
        starts.resize(buckets.count + 1, 0_u32);
        own.iter().for_each(|&(u, _)| starts[buckets.bucket(u)] += 1);
        if self.slabs.last().is_none_or(|slab| slab.starts.len() == RUNS) {
            self.slabs.push(Slab::new(buckets.draws)?);
        }
        let Some(slab) = self.slabs.last_mut() else { return Ok(()) };
        let mut end = slab.edges.len() as u32;
        slab.edges.resize(slab.edges.len() + own.len(), (0, 0));
        for start in &mut starts {
            end += std::mem::replace(start, end);
        }
        for &edge in own {
            let cursor = &mut starts[buckets.bucket(edge.0)];
            slab.edges[*cursor as usize] = edge;
            *cursor += 1;
        }
        // The cursors have moved to the ends; shifted by one, they are the starts again.
        starts.rotate_right(1);
        starts[0] = slab.edges.len() as u32 - own.len() as u32;
        slab.starts.push(starts);
        self.length = 0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use kostra_core::random::RandomStream;
    use kostra_parallel::with_team;

    use super::*;
    use crate::source::Meter;

    fn sorted(draws: u64, vertices: u64, threads: usize, scratch: u64) -> Vec<Edge> {
        let stream = RandomStream::new(5);
        let draw = |index| {
            let [u, v] = [0, 1].map(|end| stream.below(2 * index + end, vertices) as Vertex);
            (u.min(v), u.max(v))
        };
        let mut edges = Vec::new();
        with_team(threads, |team| {
            let meter = Meter::new(&|_, _| {});
            let run = SourceRun { team, scratch, meter: &meter };
            let draws = Draws { vertices, draws, draw };
            draws.sorted(&run, &mut |wave| {
                edges.extend(wave.iter().flat_map(|ends| (0..ends.len()).map(|at| ends.at(at))));
                Ok(())
            })
        })
        .unwrap();
        let mut expected: Vec<_> = (0..draws).map(draw).filter(|(u, v)| u != v).collect();
        expected.sort_unstable();
        expected.dedup();
        assert!(edges == expected, "{draws} draws, {threads} threads, {scratch} bytes");
        edges
    }

    #[test]
    fn any_number_of_windows_and_threads_gives_the_sorted_distinct_draws() {
        for scratch in [1 << 30, 700_000, 1] {
            for threads in [1, 2, 8] {
                assert_eq!(sorted(0, 5, threads, scratch), []);
                sorted(900, 20, threads, scratch);
            }
        }
        // More than one run and one bucket for each thread, and rows longer than an insertion
        // sorts.
        sorted(300_000, 3000, 2, 1 << 30);
        sorted(300_000, 100_000, 2, 600_000);
        sorted(150_000, 3, 2, 600_000);
    }
}
