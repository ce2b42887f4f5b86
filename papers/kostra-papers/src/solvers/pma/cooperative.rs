//! Cooperative search: when an iteration has fewer processors than there are threads, all threads
//! search each row together.
//!
//! In the source one processor searches a row, however long it is. The last iterations often have a
//! few vertices with most of the edges left between them, so one thread has all the work. Here each
//! vertex is then a tree of its own that chooses its lightest edge and touches the tree at the
//! other end. The proofs of the solver hold for such trees as for all others.

use std::sync::Mutex;

use kostra_core::{Run, SolveError};
use kostra_parallel::{Schedule, Team, lock};

use super::super::stage_graph::Entry;
use super::partial_prim::{Iteration, Worker, joined};

/// The number of entries that a thread searches at a time.
const ENTRIES: Schedule = Schedule::Dynamic(1 << 14);

impl Iteration<'_> {
    /// One iteration of Algorithm 1, in which each vertex is a tree. The first worker counts.
    pub(super) fn search_together(
        &self,
        workers: &[Mutex<Worker>],
        team: &Team<'_>,
        run: &mut Run<'_>,
        all: usize,
    ) -> Result<(), SolveError> {
        let joined = joined(workers);
        let Some(worker) = workers.first() else { return Ok(()) };
        for vertex in 0..self.graph.vertices() {
            // Never fails, because no other thread claims vertices.
            let _unvisited = self.trees.claim(vertex, vertex);
        }
        for vertex in 0..self.graph.vertices() {
            let row = self.graph.row(vertex);
            let lightest: Mutex<Option<&Entry>> = Mutex::new(None);
            team.distribute(row.len(), ENTRIES, |_, part| {
                let leaves = row[part].iter().filter(|entry| entry.to() != vertex);
                let found = leaves.min_by_key(|entry| entry.rank());
                let mut lightest = lock(&lightest);
                *lightest = found.into_iter().chain(*lightest).min_by_key(|entry| entry.rank());
            });
            let mut worker = lock(worker);
            let tally = &mut worker.tally;
            tally.trees += 1;
            tally.largest = tally.largest.max(1);
            tally.looked_at += row.len() as u64;
            match *lock(&lightest) {
                Some(edge) => {
                    self.forest.insert(edge.id());
                    self.trees.touch(vertex, edge.to());
                    tally.touches += 1;
                }
                None => self.trees.end(vertex),
            }
            run.report.progress(joined, all)?;
        }
        Ok(())
    }
}
