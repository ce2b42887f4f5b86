//! Builds rows by counting, one bucket of vertices at a time.
//!
//! Direct insertion of the edges of a large graph causes cache misses at each end in each of four
//! arrays. So the vertices are divided into buckets whose rows fit a cache. The entries of a group
//! of buckets are staged in the order of buckets. Then the entries of each bucket are inserted into
//! its rows. The edge list is read once per group. Both steps keep the order of ids in a row.
//!
//! This saves time on random graphs. It costs time on graphs whose edges are sorted by their ends,
//! such as grids, where direct insertion would hit the caches.

use std::ops::Range;

use super::Csr;
use crate::{EdgeId, Edges, Key, OutOfMemory, Run, SolveError, Vertex, memory};

/// The number of edges, entries or values between two reports to the observer, which also gets a
/// report after each bucket.
const BLOCK: usize = 1 << 16;

/// The number of entries per bucket if they are evenly spread: with their rows they fit a
/// second-level cache.
const BUCKET_ENTRIES: usize = 1 << 14;

/// The binary logarithm of the most vertices per bucket: one block.
const BUCKET_VERTICES_LOG: u32 = BLOCK.ilog2();

/// The number of entries that are staged at once, unless an eighth of all entries is more.
const STAGE_ENTRIES: usize = 1 << 20;

/// A staged entry: an edge and the end whose row it belongs to.
#[derive(Clone, Copy, Default)]
struct Entry<K> {
    from: Vertex,
    to: Vertex,
    id: EdgeId,
    weight: K,
}

/// Builds the rows. An error names the solver that needs them.
pub(super) fn build<K: Key>(
    graph: Edges<'_, K>,
    solver: &'static str,
    run: &mut Run<'_>,
) -> Result<Csr<K>, SolveError> {
    let pace = &mut Pace { run, done: 0, entries: 2 * graph.len() };
    let buckets = Buckets::count(&graph, pace).map_err(|error| error.with_solver(solver))?;
    pace.entries = buckets.entries(0..buckets.len()).len();

    let (vertices, entries) = (graph.vertices() as usize, pace.entries);
    let groups = buckets.groups(STAGE_ENTRIES.max(entries / 8));
    let staged = groups.iter().map(|group| buckets.entries(group.clone()).len()).max().unwrap_or(0);
    let room = || {
        let rows = Csr {
            offsets: memory::with_capacity(vertices + 1)?,
            neighbors: memory::with_capacity(entries)?,
            ids: memory::with_capacity(entries)?,
            weights: memory::with_capacity(entries)?,
        };
        Ok((rows, memory::with_capacity(staged)?))
    };
    let (mut rows, mut stage) = room().map_err(|_: OutOfMemory| SolveError::OutOfMemory {
        solver,
        bytes: size_of::<usize>() * (vertices + 1)
            + (size_of::<Vertex>() + size_of::<EdgeId>() + size_of::<K>()) * entries
            + size_of::<Entry<K>>() * staged,
    })?;

    rows.offsets.push(0);
    grow(&mut stage, staged, pace)?;
    for group in groups {
        buckets
            .stage(group.clone(), &graph, &mut stage, pace)
            .map_err(|error| error.with_solver(solver))?;
        let first = buckets.starts[group.start];
        for bucket in group {
            let entries = buckets.entries(bucket..bucket + 1);
            insert(
                &stage[entries.start - first..entries.end - first],
                buckets.vertices(bucket),
                &mut rows,
                pace,
            )?;
        }
    }
    Ok(rows)
}

/// Extends an array within its capacity.
fn grow<T: Copy + Default>(
    values: &mut Vec<T>,
    length: usize,
    pace: &mut Pace<'_, '_>,
) -> Result<(), SolveError> {
    while values.len() < length {
        values.resize(length.min(values.len() + BLOCK), T::default());
        pace.go_on()?;
    }
    Ok(())
}

/// The progress of the build: the number of entries that are in their rows.
struct Pace<'a, 'r> {
    run: &'a mut Run<'r>,
    done: usize,
    entries: usize,
}

impl Pace<'_, '_> {
    fn go_on(&mut self) -> Result<(), SolveError> {
        self.run.report.progress(self.done, self.entries)
    }
}

/// Ranges of vertices, each of `1 << shift` but the last, and the entries in their rows.
struct Buckets {
    vertices: usize,
    shift: u32,
    /// The number of entries before each bucket, and the number of all entries.
    starts: Vec<usize>,
}

impl Buckets {
    fn count<K: Key>(graph: &Edges<'_, K>, pace: &mut Pace<'_, '_>) -> Result<Self, SolveError> {
        let vertices = graph.vertices() as usize;
        let wanted = (2 * graph.len() / BUCKET_ENTRIES).max(1);
        let shift = (vertices / wanted).max(1).ilog2().min(BUCKET_VERTICES_LOG);
        // A bucket is counted one place further on, so that running sums give its start.
        let mut starts: Vec<usize> = memory::zeros(vertices.div_ceil(1 << shift) + 1)?;
        for (u, v) in graph.u().chunks(BLOCK).zip(graph.v().chunks(BLOCK)) {
            pace.go_on()?;
            for (u, v) in u.iter().zip(v).filter(|(u, v)| u != v) {
                starts[(u >> shift) as usize + 1] += 1;
                starts[(v >> shift) as usize + 1] += 1;
            }
        }
        let mut before = 0;
        for start in &mut starts {
            before += *start;
            *start = before;
        }
        Ok(Self { vertices, shift, starts })
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The range of the entries of some buckets.
    fn entries(&self, buckets: Range<usize>) -> Range<usize> {
        self.starts[buckets.start]..self.starts[buckets.end]
    }

    fn vertices(&self, bucket: usize) -> Range<usize> {
        bucket << self.shift..self.vertices.min((bucket + 1) << self.shift)
    }

    /// Groups of buckets. A group has at most `entries` entries or a single bucket.
    fn groups(&self, entries: usize) -> Vec<Range<usize>> {
        let mut groups = Vec::new();
        let mut first = 0;
        while first < self.len() {
            let most = self.starts[first] + entries;
            let end = self.starts.partition_point(|&start| start <= most) - 1;
            let end = end.max(first + 1);
            groups.push(first..end);
            first = end;
        }
        groups
    }

    /// Puts the entries of a group side by side, bucket by bucket.
    fn stage<K: Key>(
        &self,
        group: Range<usize>,
        graph: &Edges<'_, K>,
        stage: &mut [Entry<K>],
        pace: &mut Pace<'_, '_>,
    ) -> Result<(), SolveError> {
        let first = self.starts[group.start];
        let mut places =
            memory::collected(self.starts[group.clone()].iter().map(|start| start - first))?;
        let blocks =
            graph.u().chunks(BLOCK).zip(graph.v().chunks(BLOCK)).zip(graph.weights().chunks(BLOCK));
        for (block, ((u, v), weights)) in blocks.enumerate() {
            pace.go_on()?;
            for (((&u, &v), &weight), id) in u.iter().zip(v).zip(weights).zip(block * BLOCK..) {
                let mut put = |from: Vertex, to: Vertex| {
                    // Buckets before the group wrap around, so all buckets outside of the group are
                    // out of range.
                    let bucket = ((from >> self.shift) as usize).wrapping_sub(group.start);
                    if let Some(place) = places.get_mut(bucket) {
                        stage[*place] = Entry { from, to, id: id as EdgeId, weight };
                        *place += 1;
                    }
                };
                if u != v {
                    put(u, v);
                    put(v, u);
                }
            }
        }
        Ok(())
    }
}

/// Appends the rows of a bucket.
fn insert<K: Key>(
    entries: &[Entry<K>],
    vertices: Range<usize>,
    rows: &mut Csr<K>,
    pace: &mut Pace<'_, '_>,
) -> Result<(), SolveError> {
    let start = rows.ids.len();
    grow(&mut rows.offsets, vertices.end + 1, pace)?;
    grow(&mut rows.neighbors, start + entries.len(), pace)?;
    grow(&mut rows.ids, start + entries.len(), pace)?;
    grow(&mut rows.weights, start + entries.len(), pace)?;
    // The place of the next entry of each row. When a row is full, this is the start of the row
    // after it: that row's offset.
    let places = &mut rows.offsets[vertices.start + 1..];
    let place_of = |from: Vertex| from as usize - vertices.start;
    for block in entries.chunks(BLOCK) {
        pace.go_on()?;
        block.iter().for_each(|entry| places[place_of(entry.from)] += 1);
    }
    let mut before = start;
    for place in places.iter_mut() {
        before += std::mem::replace(place, before);
    }
    for block in entries.chunks(BLOCK) {
        for entry in block {
            let place = &mut places[place_of(entry.from)];
            rows.neighbors[*place] = entry.to;
            rows.ids[*place] = entry.id;
            rows.weights[*place] = entry.weight;
            *place += 1;
        }
        pace.done += block.len();
        pace.go_on()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::{EdgeList, Graph, Observer, Order};

    /// Random edges with a hub and self-loops, in several groups of buckets.
    fn tangle() -> EdgeList<u32> {
        let (vertices, edges) = if cfg!(miri) { (50, 200) } else { (40_000, 3 << 19) };
        let mut random = 1_u64;
        let mut end = || {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let end = (random >> 40) as u32;
            if end.is_multiple_of(4) { 7 } else { end % vertices }
        };
        let (u, v): (Vec<_>, Vec<_>) = (0..edges).map(|_| (end(), end())).unzip();
        EdgeList::new(vertices as usize, u, v, (0..edges).rev().collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn rows_are_those_that_edges_inserted_one_by_one_make() {
        let graph = tangle();
        let mut rows = vec![Vec::new(); graph.vertices() as usize];
        for (id, (&u, &v)) in
            graph.u().iter().zip(graph.v()).enumerate().filter(|(_, (u, v))| u != v)
        {
            rows[u as usize].push((v, id as EdgeId, graph.weights()[id]));
            rows[v as usize].push((u, id as EdgeId, graph.weights()[id]));
        }
        let csr = build(graph.edges(Order::Minimum), "test", &mut Run::new()).unwrap();
        assert_eq!(csr.offsets.len(), rows.len() + 1);
        for (row, ends) in rows.iter().zip(csr.offsets.windows(2)) {
            let entries =
                (ends[0]..ends[1]).map(|at| (csr.neighbors[at], csr.ids[at], csr.weights[at]));
            assert!(entries.eq(row.iter().copied()));
        }
        assert_eq!(csr.ids.len(), rows.iter().map(Vec::len).sum());
    }

    #[test]
    fn vertices_without_edges_have_empty_rows() {
        let vertices = if cfg!(miri) { 200 } else { 3 * BLOCK + 1 };
        let last = vertices as Vertex - 1;
        let graph =
            EdgeList::new(vertices, vec![last, 0], vec![last, last - 1], vec![1, 2]).unwrap();
        let csr = build(graph.edges(Order::Minimum), "test", &mut Run::new()).unwrap();
        assert_eq!((csr.offsets[0], csr.offsets[1], csr.offsets[vertices - 2]), (0, 1, 1));
        assert_eq!((csr.offsets[vertices - 1], csr.offsets[vertices]), (2, 2));
        assert_eq!((csr.neighbors, csr.ids), (vec![last - 1, 0], vec![1, 1]));
    }

    /// Cancels after `left` questions.
    struct Patience {
        left: Cell<u32>,
        asked: u32,
        done: u64,
    }

    impl Observer for Patience {
        fn progress(&mut self, done: u64, total: u64) {
            assert!(self.done <= done && done <= total, "{} and then {done} of {total}", self.done);
            self.done = done;
            self.asked += 1;
        }

        fn cancelled(&self) -> bool {
            self.left.replace(self.left.get().saturating_sub(1)) == 0
        }
    }

    #[test]
    fn rows_whose_building_is_cancelled_are_not_kept() {
        let graph = Graph::from(tangle());
        let attempt = |questions: u32| {
            let mut observer = Patience { left: questions.into(), asked: 0, done: 0 };
            let result = graph
                .csr("test", &mut Run::new().observed_by(&mut observer))
                .map(|csr| csr.ids.len());
            (result, observer.asked)
        };
        for questions in [0, 1, 10, 30, 50, 100] {
            let (result, asked) = attempt(questions);
            if asked <= questions {
                assert!(cfg!(miri) && result.is_ok(), "{asked} questions");
                return;
            }
            assert_eq!((result, asked), (Err(SolveError::Cancelled), questions + 1));
        }
        let expected = build(graph.edge_list().edges(Order::Minimum), "test", &mut Run::new())
            .unwrap()
            .ids
            .len();
        assert_eq!(attempt(u32::MAX).0, Ok(expected));
        assert_eq!(attempt(0), (Ok(expected), 0), "rows that are there take no time");
    }
}
