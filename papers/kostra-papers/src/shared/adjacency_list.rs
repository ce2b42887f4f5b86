//! An adjacency list that several threads build without a lock.
//!
//! Each vertex has a linked list of its edges. Threads share only the heads of the lists. An
//! insertion is one atomic exchange: the new entry becomes the head, and links to the old head.
//! Exchanges of one head have a total order, so each entry is replaced as head by at most one later
//! entry. So each list is a chain of all inserted entries, in some order, and no entry is lost.
//!
//! Between the exchange and the write of the link, a list is interrupted. So only
//! [`rows`](AdjacencyList::rows) gives read access, and its exclusive borrow excludes all writers.
//!
//! * Source: Sousa 2014, section 4.2, Listing 4.2. There each entry is allocated on its own and
//!   holds the weight. Here all entries are in one array, in which each writer reserves its part by
//!   one atomic addition. An entry holds the edge's id, which gives the weight and the order among
//!   equal weights.
//! * Progress: wait-free. An insertion is one exchange and a reservation one addition. Neither is
//!   repeated, and no thread waits for another.
//! * Memory order: relaxed. The exchanges of one head have a total order by themselves. An entry
//!   belongs to one writer until the exclusive borrow of the reader, which follows all writes.
//! * Cost: O(1) per insertion; 8 bytes per vertex and 16 per entry. An edge takes two entries.

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

use kostra_core::{EdgeId, OutOfMemory, Vertex, memory};

use kostra_parallel::sync::{AtomicU32, AtomicUsize};

/// The link of the last entry of a list.
const END: usize = usize::MAX;

/// Lists of the edges at each vertex.
pub struct AdjacencyList {
    /// The first entry of each vertex's list.
    heads: Vec<AtomicUsize>,
    entries: Vec<Entry>,
    /// The number of reserved entries.
    reserved: AtomicUsize,
}

/// An edge as seen from one of its ends.
#[derive(Default)]
struct Entry {
    to: AtomicU32,
    id: AtomicU32,
    next: AtomicUsize,
}

impl AdjacencyList {
    /// An empty list for each vertex below `vertices`, with a total capacity of `entries` entries.
    ///
    /// # Errors
    /// When the system refuses the memory.
    pub fn new(vertices: u32, entries: usize) -> Result<Self, OutOfMemory> {
        Ok(Self {
            heads: memory::collected((0..vertices).map(|_| AtomicUsize::new(END)))?,
            entries: memory::collected((0..entries).map(|_| Entry::default()))?,
            reserved: AtomicUsize::new(0),
        })
    }

    /// A writer that can insert `entries` entries. Several threads may have a writer each.
    #[inline]
    pub fn writer(&self, entries: usize) -> ListWriter<'_> {
        let first = self.reserved.fetch_add(entries, Relaxed);
        ListWriter { list: self, free: first..first + entries }
    }

    /// The lists, for reading.
    pub fn rows(&mut self) -> ListReader<'_> {
        ListReader { list: self }
    }
}

/// Inserts into the lists concurrently with other writers.
pub struct ListWriter<'a> {
    list: &'a AdjacencyList,
    /// The reserved entries that are still unused.
    free: Range<usize>,
}

impl ListWriter<'_> {
    /// Inserts an edge into the lists of both ends. Wait-free. Takes two entries.
    ///
    /// # Panics
    /// When the writer has no reserved entry left, or the list no capacity.
    #[inline]
    pub fn insert_edge(&mut self, u: Vertex, v: Vertex, id: EdgeId) {
        self.insert(u, v, id);
        self.insert(v, u, id);
    }

    /// Inserts an edge into the list of one end.
    #[inline]
    fn insert(&mut self, from: Vertex, to: Vertex, id: EdgeId) {
        let index =
            self.free.next().expect("a writer inserts no more entries than it has reserved");
        let entry = &self.list.entries[index];
        entry.to.store(to, Relaxed);
        entry.id.store(id, Relaxed);
        let next = self.list.heads[from as usize].swap(index, Relaxed);
        entry.next.store(next, Relaxed);
    }
}

/// Read access to the lists.
#[derive(Clone, Copy)]
pub struct ListReader<'a> {
    list: &'a AdjacencyList,
}

impl<'a> ListReader<'a> {
    /// The edges of a vertex, each with its other end, in no particular order.
    #[inline]
    pub fn row(self, vertex: Vertex) -> impl Iterator<Item = (Vertex, EdgeId)> + use<'a> {
        let mut at = self.list.heads[vertex as usize].load(Relaxed);
        std::iter::from_fn(move || {
            // `END` is past the last entry.
            let entry = self.list.entries.get(at)?;
            at = entry.next.load(Relaxed);
            Some((entry.to.load(Relaxed), entry.id.load(Relaxed)))
        })
    }
}

#[cfg(all(test, loom))]
mod under_loom {
    use std::sync::Arc;

    use super::*;

    /// Has a thread for each share insert its edges, and asserts that whoever has the lists next
    /// finds all of them.
    fn check(
        vertices: u32,
        shares: &'static [&'static [(Vertex, Vertex, EdgeId)]],
        preemptions: usize,
    ) {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(preemptions);
        model.check(move || {
            let entries = shares.iter().map(|edges| 2 * edges.len()).sum();
            let list = Arc::new(AdjacencyList::new(vertices, entries).unwrap());
            let insert = |list: &AdjacencyList, edges: &[(Vertex, Vertex, EdgeId)]| {
                let mut writer = list.writer(2 * edges.len());
                edges.iter().for_each(|&(u, v, id)| writer.insert_edge(u, v, id));
            };
            let threads: Vec<_> = shares[1..]
                .iter()
                .map(|edges| {
                    let list = Arc::clone(&list);
                    loom::thread::spawn(move || insert(&list, edges))
                })
                .collect();
            insert(&list, shares[0]);
            threads.into_iter().for_each(|thread| thread.join().unwrap());
            let mut list = Arc::into_inner(list).expect("the others are gone");
            let rows = list.rows();
            for vertex in 0..vertices {
                let mut row: Vec<_> = rows.row(vertex).collect();
                row.sort_unstable();
                let at = |&(u, v, id): &(_, _, _)| [(u, v, id), (v, u, id)];
                let mut expected: Vec<_> = shares.concat().iter().flat_map(at).collect();
                expected.retain(|&(from, ..)| from == vertex);
                expected.sort_unstable();
                assert_eq!(
                    row,
                    expected.into_iter().map(|(_, to, id)| (to, id)).collect::<Vec<_>>()
                );
            }
        });
    }

    #[test]
    fn nothing_is_lost_or_torn_when_threads_insert_at_one_head() {
        check(2, &[&[(0, 1, 0)], &[(1, 0, 1)]], 4);
        check(3, &[&[(0, 1, 0), (1, 2, 1)], &[(2, 1, 2), (0, 1, 3)]], 3);
        check(2, &[&[(0, 1, 0)], &[(1, 0, 1)], &[(0, 1, 2)]], 2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kostra_parallel::with_team;

    fn row(rows: ListReader<'_>, vertex: Vertex) -> Vec<(Vertex, EdgeId)> {
        let mut row: Vec<_> = rows.row(vertex).collect();
        row.sort_unstable_by_key(|&(_, id)| id);
        row
    }

    #[test]
    fn an_edge_is_in_the_lists_of_both_its_ends() {
        let mut list = AdjacencyList::new(4, 6).unwrap();
        let mut writer = list.writer(6);
        writer.insert_edge(0, 1, 7);
        writer.insert_edge(2, 1, 8);
        writer.insert_edge(0, 1, 9);
        let rows = list.rows();
        assert_eq!(row(rows, 0), [(1, 7), (1, 9)]);
        assert_eq!(row(rows, 1), [(0, 7), (2, 8), (0, 9)]);
        assert_eq!(row(rows, 2), [(1, 8)]);
        assert_eq!(row(rows, 3), []);
    }

    #[test]
    #[should_panic(expected = "no more entries than it has reserved")]
    fn a_writer_keeps_to_its_share() {
        AdjacencyList::new(2, 4).unwrap().writer(2).insert_edge(0, 1, 0);
        let list = AdjacencyList::new(2, 4).unwrap();
        let (mut writer, _other) = (list.writer(2), list.writer(2));
        writer.insert_edge(0, 1, 0);
        writer.insert_edge(0, 1, 1);
    }

    /// All threads insert at the same few vertices, so that exchanges of one head meet.
    #[test]
    fn nothing_is_lost_when_threads_insert_at_one_head() {
        const THREADS: usize = 4;
        let edges: u32 = if cfg!(miri) { 30 } else { 20_000 };
        for vertices in [2, 3, 50] {
            for round in 0..if cfg!(miri) { 2 } else { 10 } {
                let mut list = AdjacencyList::new(vertices, 2 * edges as usize * THREADS).unwrap();
                let (u, v) = (
                    |id: u32| id % (vertices - 1),
                    |id: u32| vertices - 1 - id % 2 * (vertices / 2),
                );
                let ends = |id: u32| (u(id), v(id));
                with_team(THREADS, |team| {
                    // Where the system grants fewer threads, the others' shares are done by those
                    // that there are.
                    team.on_all(|thread| {
                        for share in (thread..THREADS).step_by(team.threads()) {
                            let mut writer = list.writer(2 * edges as usize);
                            for id in share as u32 * edges..(share as u32 + 1) * edges {
                                let (u, v) = ends(id);
                                writer.insert_edge(u, v, id);
                            }
                        }
                    });
                });
                let rows = list.rows();
                let mut seen = vec![0_u8; edges as usize * THREADS];
                for vertex in 0..vertices {
                    for (to, id) in rows.row(vertex) {
                        let (u, v) = ends(id);
                        assert!(
                            (vertex, to) == (u, v) || (vertex, to) == (v, u),
                            "round {round}, edge {id}"
                        );
                        seen[id as usize] += 1;
                    }
                }
                assert!(seen.iter().all(|&times| times == 2), "round {round}, {vertices} vertices");
            }
        }
    }
}
