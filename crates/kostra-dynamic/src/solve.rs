//! A batch that is solved as a whole.
//!
//! A solver reads only what can be in the new forest:
//!
//! * edges that are new or became better, and the forest (cycle property);
//! * if edges left the forest or became worse: the edges between the trees of the remaining forest,
//!   which are contracted, because all of this forest stays (cut property);
//! * if both happened, or most edges are between those trees: all edges.

use std::ops::Range;

use kostra_core::{
    EdgeId, EdgeSet, Edges, OutOfMemory, Run, SolveError, UnionFind, Vertex, Weight, memory,
};
use kostra_cpu::forest_of_edges;

use crate::DynamicForest;
use crate::edge_table::{Code, Membership};
use crate::trees::Trees;

/// If the forest has lost more than one edge for this many vertices, its trees are not contracted:
/// most edges are between them.
const VERTICES_PER_LOSS: usize = 4;
/// Solvers read the table itself if at most one of this many entries is that of an absent edge.
const ENTRIES_PER_ABSENT: usize = 5;

/// Edges that a solver reads, ascending by id.
struct Candidates<W> {
    /// The positions in the table.
    positions: Vec<u32>,
    u: Vec<Vertex>,
    v: Vec<Vertex>,
    weights: Vec<W>,
}

impl<W: Weight> DynamicForest<W> {
    /// Solves for a batch and drops the trees. The edges `lost` leave the forest if they are in it,
    /// to become `state`, and those of them that are present may enter again. The edges `gained`,
    /// ascending by id, are new or became better. Nothing changes without memory.
    pub(crate) fn solve(
        &mut self,
        lost: &[EdgeId],
        state: Membership,
        gained: impl ExactSizeIterator<Item = EdgeId>,
    ) -> Result<(), OutOfMemory> {
        let before = memory::collected(lost.iter().map(|&id| self.table.get(id)))?;
        lost.iter().for_each(|&id| self.table.set_state(id, state));
        let leaving = before.iter().filter(|edge| edge.state.is_forest()).count();
        let solved = self.forest_after(leaving, gained);
        let (positions, forest) = solved.inspect_err(|_| {
            lost.iter().zip(&before).for_each(|(&id, &edge)| self.table.set(id, edge));
        })?;
        self.trees = Trees::None;
        for (&id, edge) in lost.iter().zip(before) {
            if edge.state.is_forest() {
                self.left_as(id, state);
            }
        }
        match positions {
            Positions::These(positions) => self.adopt(positions.into_iter(), &forest),
            Positions::All(all) => self.adopt(all.map(|position| position as u32), &forest),
        }
        Ok(())
    }

    /// Makes the edges at these positions edges of the forest if they are in `forest`.
    fn adopt(&mut self, positions: impl Iterator<Item = u32>, forest: &EdgeSet) {
        for (place, position) in (0..).zip(positions) {
            let is_in = forest.contains(place);
            if is_in != self.table.states()[position as usize].is_forest() {
                let id = self.table.id_at(position as usize);
                if is_in { self.entered_as(id, 0) } else { self.left_as(id, Membership::NonForest) }
            }
        }
    }

    /// The candidates' positions and the forest's edges among them, when `leaving` edges have left
    /// the forest.
    fn forest_after(
        &self,
        leaving: usize,
        gained: impl ExactSizeIterator<Item = EdgeId>,
    ) -> Result<(Positions, EdgeSet), OutOfMemory> {
        let all = self.table.positions();
        let absent = self.table.states()[all.clone()].iter().filter(|s| !s.is_present()).count();
        let candidates = if leaving == 0 {
            let mut gained = gained.map(|id| self.table.position(id)).peekable();
            let mut is_gained = |position| gained.next_if_eq(&position).is_some();
            let (u, v) = self.table.ends();
            self.gather(|position, state| {
                let ends = [u[position], v[position]];
                (state.is_forest() | is_gained(position) & (state == Code::NON_FOREST), ends)
            })?
        } else if gained.len() == 0 && leaving * VERTICES_PER_LOSS <= self.vertices as usize {
            self.between_trees()?
        } else if ENTRIES_PER_ABSENT * absent > all.len() {
            let (u, v) = self.table.ends();
            self.gather(|position, state| {
                let ends = [u[position], v[position]];
                (state.is_forest() | (state == Code::NON_FOREST), ends)
            })?
        } else {
            let (u, v) = self.table.ends();
            let (ends, weights) = ((&u[all.clone()], &v[all.clone()]), self.table.weights());
            let forest = self.forest_of(ends, &weights[all.clone()])?;
            return Ok((Positions::All(all), forest));
        };
        let forest = self.forest_of((&candidates.u, &candidates.v), &candidates.weights)?;
        Ok((Positions::These(candidates.positions), forest))
    }

    /// The edges between the trees of the forest, which are contracted.
    fn between_trees(&self) -> Result<Candidates<W>, OutOfMemory> {
        let (u, v) = self.table.ends();
        let mut trees = UnionFind::try_new(self.vertices)?;
        for position in self.table.positions() {
            if self.table.states()[position].is_forest() {
                trees.union(u[position], v[position]);
            }
        }
        let trees = trees.into_lowest();
        self.gather(|position, state| {
            let [u, v] = [u, v].map(|ends| trees[ends[position] as usize]);
            ((u != v) & (state == Code::NON_FOREST), [u, v])
        })
    }

    /// The edges that are `wanted`, with the ends that it returns.
    fn gather(
        &self,
        mut wanted: impl FnMut(usize, Code) -> (bool, [Vertex; 2]),
    ) -> Result<Candidates<W>, OutOfMemory> {
        let all = self.table.positions();
        // One more than needed: each edge is written, and the next one over it unless it is wanted.
        // With a branch, half of the time would be mispredictions.
        let most = all.len() + 1;
        let mut positions = memory::zeros(most)?;
        let (mut u, mut v) = (memory::zeros(most)?, memory::zeros(most)?);
        let mut weights = memory::zeros(most)?;
        let mut len = 0;
        for position in all {
            let (is_wanted, ends) = wanted(position, self.table.states()[position]);
            [u[len], v[len]] = ends;
            (positions[len], weights[len]) = (position as u32, self.table.weights()[position]);
            len += usize::from(is_wanted);
        }
        positions.truncate(len);
        u.truncate(len);
        v.truncate(len);
        weights.truncate(len);
        Ok(Candidates { positions, u, v, weights })
    }

    /// The canonical forest of edges, by their places.
    fn forest_of(
        &self,
        ends: (&[Vertex], &[Vertex]),
        weights: &[W],
    ) -> Result<EdgeSet, OutOfMemory> {
        let weights = bytemuck::cast_slice(weights);
        let edges = Edges::of_checked(self.vertices, ends, weights, self.encoding);
        let threads = kostra_core::default_threads();
        forest_of_edges(edges, &mut Run::new().on_threads(threads)).map_err(|error| match error {
            SolveError::OutOfMemory { bytes, .. } => OutOfMemory { bytes },
            error => unreachable!("nobody cancels the run: {error}"),
        })
    }
}

/// The positions of candidates in the table.
enum Positions {
    All(Range<usize>),
    These(Vec<u32>),
}
