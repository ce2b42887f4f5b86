//! A batch that is solved as a whole.
//!
//! A solver reads the table as it is. What a batch cannot change is known before:
//!
//! * If edges only left the forest or became worse, the new forest includes what remains of the old
//!   one (cut property). So the solver unites these edges in any order, and reads only the edges
//!   between the trees that they form.
//! * If edges only came or became better, the new forest is within the old one and these edges
//!   (cycle property).
//! * If both happened, it is within the present edges.

use kostra_core::{
    BitSet, EdgeId, EdgeSet, Edges, Key, OutOfMemory, Run, SolveError, Weight, memory,
};
use kostra_cpu::{ForestBound, forest_of_edges, forest_within_bound, pack_bits};

use crate::DynamicForest;
use crate::edge_table::{Code, Membership};
use crate::trees::Trees;

/// A forest that has lost more than one of this many edges says little about the new one.
const EDGES_PER_LOSS: usize = 2;
/// Solvers pass over the entries of absent edges, unless there are more than one for this many
/// entries.
const ENTRIES_PER_ABSENT: usize = 5;
/// A bound that is more than one of this many entries saves less than contraction, by which sparse
/// graphs are solved without it.
const ENTRIES_PER_BOUND: usize = 2;

impl<W: Weight> DynamicForest<W> {
    /// Solves for a batch and drops the trees. The edges `leaving` were in the forest; their states
    /// in the table are the new ones, and those that are present may enter again. The edges
    /// `gained` are new or became better. Without memory, no state changes.
    pub(crate) fn solve(
        &mut self,
        leaving: &[(EdgeId, Membership)],
        gained: &[EdgeId],
    ) -> Result<(), OutOfMemory> {
        let (old, new) = self.forest_after(leaving.len(), gained)?;
        self.trees = Trees::None;
        for &(id, state) in leaving {
            self.left_as(id, state);
        }
        self.adopt(&old, &new);
        Ok(())
    }

    /// Changes the forest from `old` to `new`, sets of positions from the first one on.
    fn adopt(&mut self, old: &EdgeSet, new: &EdgeSet) {
        let first = self.table.positions().start;
        for (index, (&old, &new)) in old.words().iter().zip(new.words()).enumerate() {
            let mut changed = old ^ new;
            while changed != 0 {
                let bit = changed.trailing_zeros();
                let id = self.table.id_at(first + index * 64 + bit as usize);
                if new >> bit & 1 == 1 {
                    self.entered_as(id, 0);
                } else {
                    self.left_as(id, Membership::NonForest);
                }
                changed &= changed - 1;
            }
        }
    }

    /// What remains of the forest when `leaving` edges have left it, and the new forest: positions
    /// from the first one on.
    fn forest_after(
        &self,
        leaving: usize,
        gained: &[EdgeId],
    ) -> Result<(EdgeSet, EdgeSet), OutOfMemory> {
        let all = self.table.positions();
        let (u, v) = self.table.ends();
        let ends = (&u[all.clone()], &v[all.clone()]);
        let weights = bytemuck::cast_slice(&self.table.weights()[all.clone()]);
        let edges = Edges::of_checked(self.vertices, ends, weights, self.encoding);
        let run = &mut Run::new().on_threads(kostra_core::default_threads());

        let old = self.positions_of(Code::is_forest)?;
        let solved = if leaving == 0 {
            let mut words = memory::copied(old.words())?;
            for &id in gained {
                let place = self.table.position(id) - all.start;
                words[place / 64] |= 1 << (place % 64);
            }
            within(edges, &BitSet::from_words(words), run)
        } else if gained.is_empty() && EDGES_PER_LOSS * leaving <= old.len() {
            forest_within_bound(edges, ForestBound::Includes(&old), run)
        } else if ENTRIES_PER_ABSENT * (all.len() - self.present) > all.len() {
            within(edges, &self.positions_of(Code::is_present)?, run)
        } else {
            forest_of_edges(edges, run)
        };
        Ok((old, solved.map_err(out_of_memory)?))
    }

    /// The entries with a `wanted` state, by positions from the first one on.
    fn positions_of(&self, wanted: impl Fn(Code) -> bool) -> Result<EdgeSet, OutOfMemory> {
        let states = &self.table.states()[self.table.positions()];
        let word = |states| pack_bits(states, &wanted);
        Ok(BitSet::from_words(memory::collected(states.chunks(64).map(word))?))
    }
}

/// The error of a solve that nobody cancels.
pub(crate) fn out_of_memory(error: SolveError) -> OutOfMemory {
    match error {
        SolveError::OutOfMemory { bytes, .. } => OutOfMemory { bytes },
        error => unreachable!("nobody cancels the run: {error}"),
    }
}

/// The forest of edges, which is within a set.
fn within<K: Key>(
    edges: Edges<'_, K>,
    set: &EdgeSet,
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    if ENTRIES_PER_BOUND * set.len() > edges.len() {
        return forest_of_edges(edges, run);
    }
    forest_within_bound(edges, ForestBound::Within(set), run)
}
