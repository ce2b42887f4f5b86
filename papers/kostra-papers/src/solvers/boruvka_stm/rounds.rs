//! The rounds: discover, merge, flatten, prune.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use kostra_core::{Csr, Edges, Key, Run, SolveError, Vertex};
use kostra_parallel::{Schedule, SharedEdgeSet, Team, lock};

use super::arcs::LiveArcs;
use crate::shared::{
    Abort, Cells, LightestEdges, Participant, Tally, Transaction, Unfinished, Worklist,
};

/// The vertices that a thread gets at a time: a few cache lines of each array, and few enough to
/// divide graphs of some thousand vertices.
const BLOCK: Schedule = Schedule::Dynamic(128);
/// The words of bits that a thread clears at a time: a page.
const WORDS: Schedule = Schedule::Dynamic(512);

/// How components are merged.
pub(super) enum Merging<'m> {
    /// In transactions, with one participant for each thread. A lock is held by its own thread
    /// only, so no thread waits for it.
    Transactions(Vec<Mutex<Participant<'m>>>),
    /// By stores.
    Hooks,
}

impl<'m> Merging<'m> {
    pub(super) fn in_transactions(participants: Vec<Participant<'m>>) -> Self {
        Self::Transactions(participants.into_iter().map(Mutex::new).collect())
    }
}

/// The merges of a pass, each with the root, the neighbor in the other component, and the edge; and
/// those that are left for the next pass. The two lists swap their roles.
pub(super) struct Lists<'a> {
    pub(super) pending: Worklist<'a>,
    pub(super) postponed: Worklist<'a>,
}

/// The state between rounds.
pub(super) struct Rounds<'a, K: Key> {
    pub(super) team: &'a Team<'a>,
    pub(super) rows: &'a Csr<K>,
    pub(super) edges: Edges<'a, K>,
    /// The parent of each vertex.
    pub(super) cells: Cells<'a>,
    /// The lightest suggestion to each root.
    pub(super) lightest: LightestEdges<'a, K>,
    /// The entries of the rows that have not been pruned.
    pub(super) live: LiveArcs<'a>,
    /// The vertices that have not been deactivated.
    pub(super) active: LiveArcs<'a>,
    pub(super) merging: Merging<'a>,
    pub(super) forest: &'a SharedEdgeSet,
}

impl<K: Key> Rounds<'_, K> {
    /// Algorithm 3.1.
    pub(super) fn run(&self, mut lists: Lists<'_>, run: &mut Run<'_>) -> Result<(), SolveError> {
        let mut components = self.vertices();
        let mut entries = self.rows.neighbors().len();
        run.phase("initialize", |_| self.initialize());
        while entries > 0 {
            run.report.round(components, entries / 2)?;
            run.phase("discover edges", |_| self.discover());
            run.report.progress(self.vertices() - components, self.vertices())?;
            components -= self.merge_components(&mut lists, run)?;
            entries = run.phase("prune", |_| self.prune());
            run.report.progress(self.vertices() - components, self.vertices())?;
        }
        Ok(())
    }

    fn vertices(&self) -> usize {
        self.edges.vertices() as usize
    }

    fn row(&self, vertex: Vertex) -> Range<usize> {
        let offsets = self.rows.offsets();
        offsets[vertex as usize]..offsets[vertex as usize + 1]
    }

    /// Calls `step` for each active vertex.
    fn for_each_active(&self, step: impl Fn(Vertex) + Sync) {
        self.team.distribute(self.vertices(), BLOCK, |_, range| {
            self.active.iter(range).for_each(|vertex| step(vertex as Vertex));
        });
    }

    fn initialize(&self) {
        self.team.for_each(self.vertices(), BLOCK, |vertex| {
            self.cells.set(vertex as Vertex, vertex as Vertex);
            self.lightest.clear(vertex as Vertex);
        });
        for bits in [&self.live, &self.active] {
            self.team.for_each(bits.len(), WORDS, |word| bits.revive(word));
        }
    }

    /// Algorithm 3.2: suggests the lightest edge of each vertex to its root. All live edges leave
    /// their component, and all vertices point to roots.
    fn discover(&self) {
        let (ids, weights) = (self.rows.ids(), self.rows.weights());
        self.for_each_active(|vertex| {
            let suggestion = self
                .live
                .iter(self.row(vertex))
                .map(|entry| self.edges.key_of(weights[entry]).rank(ids[entry]))
                .min();
            let Some(suggestion) = suggestion else { return self.deactivate(vertex) };
            let id = K::rank_id(suggestion);
            self.lightest.write_min(self.cells.get(vertex), self.edges.key(id), id);
        });
    }

    fn deactivate(&self, vertex: Vertex) {
        let vertex = vertex as usize;
        self.active.retain(vertex..vertex + 1, |_| false);
    }

    /// Merges each component with its choice, in as many passes as transactions need. Leaves flat
    /// trees. Returns the number of merges.
    fn merge_components(
        &self,
        lists: &mut Lists<'_>,
        run: &mut Run<'_>,
    ) -> Result<usize, SolveError> {
        lists.pending.clear();
        run.phase("list", |_| self.list(&lists.pending));
        let (mut merged, mut passes, mut sweeps) = (0, 0, 0);
        while lists.pending.count() > 0 {
            lists.postponed.clear();
            merged += run.phase("merge", |_| match &self.merging {
                Merging::Transactions(participants) => self.merge(participants, lists),
                Merging::Hooks => self.hook(&lists.pending),
            });
            std::mem::swap(&mut lists.pending, &mut lists.postponed);
            passes += 1;
            sweeps += run.phase("flatten", |_| self.flatten());
            run.report.progress(merged, self.vertices())?;
        }
        run.report.counter("merge passes", f64::from(passes));
        run.report.counter("flattening sweeps", f64::from(sweeps));
        self.report(run);
        Ok(merged)
    }

    /// Lists the roots that have a suggestion, with the neighbor in the other component.
    fn list(&self, pending: &Worklist<'_>) {
        self.team.for_each(self.vertices(), BLOCK, |vertex| {
            let root = vertex as Vertex;
            let Some(id) = self.lightest.get(root) else { return };
            let (u, v) = self.edges.ends(id);
            let neighbor = if self.cells.get(u) == root { v } else { u };
            let both_chose_it = || self.lightest.get(self.cells.get(neighbor)) == Some(id);
            let stays = matches!(self.merging, Merging::Hooks)
                && root < self.cells.get(neighbor)
                && both_chose_it();
            pending.push((root, if stays { root } else { neighbor }), id);
        });
    }

    /// Algorithm 3.4: merges in transactions, and returns the number of merges.
    fn merge(&self, participants: &[Mutex<Participant<'_>>], lists: &Lists<'_>) -> usize {
        let merged = AtomicUsize::new(0);
        self.team.distribute(lists.pending.count(), BLOCK, |thread, range| {
            let mut participant = lock(&participants[thread]);
            let mut committed = 0;
            for place in range {
                let ((root, neighbor), id) = (lists.pending.ends(place), lists.pending.id(place));
                self.lightest.clear(root);
                match participant.run(|transaction| self.union(transaction, root, neighbor)) {
                    Ok(()) => committed += usize::from(self.forest.insert(id)),
                    Err(Unfinished::TooLong) => lists.postponed.push((root, neighbor), id),
                    // The other component has chosen the same edge, and was first.
                    Err(Unfinished::Withdrawn) => {}
                }
            }
            merged.fetch_add(committed, Relaxed);
        });
        merged.into_inner()
    }

    /// Links a root under the root of its neighbor.
    fn union(
        &self,
        transaction: &mut Transaction<'_>,
        root: Vertex,
        neighbor: Vertex,
    ) -> Result<(), Abort> {
        // Any ancestor of the neighbor is in its component, also one that is out of date.
        let start = self.cells.get(neighbor);
        let other = find(transaction, start)?;
        if other == root {
            return Err(Abort::withdraw());
        }
        transaction.write(root, other)?;
        let mut vertex = start;
        while vertex != other {
            let parent = transaction.read(vertex)?;
            transaction.write(vertex, other)?;
            vertex = parent;
        }
        Ok(())
    }

    /// Hooks each root under the root of its neighbor, unless it stays, and returns the number of
    /// hooks.
    fn hook(&self, pending: &Worklist<'_>) -> usize {
        let merged = AtomicUsize::new(0);
        self.team.distribute(pending.count(), BLOCK, |_, range| {
            let mut hooked = 0;
            for place in range {
                let (root, neighbor) = pending.ends(place);
                self.lightest.clear(root);
                if root != neighbor {
                    // Another thread may hook the parent now. Both values are ancestors.
                    self.cells.set(root, self.cells.get(neighbor));
                    hooked += usize::from(self.forest.insert(pending.id(place)));
                }
            }
            merged.fetch_add(hooked, Relaxed);
        });
        merged.into_inner()
    }

    /// Points each vertex to its grandparent, until all point to roots. A thread may read a parent
    /// before or after another thread replaces it by the grandparent: both are ancestors. Returns
    /// the number of sweeps.
    fn flatten(&self) -> u32 {
        let (mut sweeps, is_flat) = (0, AtomicBool::new(false));
        while !is_flat.swap(true, Relaxed) {
            sweeps += 1;
            self.team.for_each(self.vertices(), BLOCK, |vertex| {
                let parent = self.cells.get(vertex as Vertex);
                let grandparent = self.cells.get(parent);
                if parent != grandparent {
                    self.cells.set(vertex as Vertex, grandparent);
                    is_flat.store(false, Relaxed);
                }
            });
        }
        sweeps
    }

    /// Removes the edges inside components, and returns the number of entries that are left.
    fn prune(&self) -> usize {
        let left = AtomicUsize::new(0);
        let neighbors = self.rows.neighbors();
        self.team.distribute(self.vertices(), BLOCK, |_, range| {
            let mut kept = 0;
            for vertex in self.active.iter(range) {
                let root = self.cells.get(vertex as Vertex);
                kept += self.live.retain(self.row(vertex as Vertex), |entry| {
                    self.cells.get(neighbors[entry]) != root
                });
            }
            left.fetch_add(kept, Relaxed);
        });
        left.into_inner()
    }

    /// Reports the transactions of the round.
    fn report(&self, run: &mut Run<'_>) {
        let Merging::Transactions(participants) = &self.merging else { return };
        let mut tally = Tally::default();
        for participant in participants {
            tally += lock(participant).take_tally();
        }
        let counters = [
            ("transactions started", tally.started),
            ("transactions committed", tally.committed),
            ("transactions aborted", tally.aborted()),
            ("transactions too long", tally.too_long),
            ("transactions with right of way", tally.right_of_way),
            ("most attempts of a transaction", tally.most_attempts),
        ];
        counters.into_iter().for_each(|(name, value)| run.report.counter(name, value as f64));
    }
}

/// The root of a vertex's tree, inside a transaction.
fn find(transaction: &mut Transaction<'_>, mut vertex: Vertex) -> Result<Vertex, Abort> {
    loop {
        let parent = transaction.read(vertex)?;
        if parent == vertex {
            return Ok(vertex);
        }
        vertex = parent;
    }
}
