//! The rounds of Borůvka's algorithm.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use kostra_core::{OutOfMemory, Run, memory};
use kostra_parallel::{Schedule, Team, atomic_u32, atomic_u64};

use super::candidates::{Candidates, Components, MIXED, NO_POINT, component_of, uncertain};
use super::lists::{LEAVES, Lists, for_each_chunk};
use super::merge::merge;
use super::passes::{Chunk, Passes};
use crate::PointsError;
use crate::blocks::{LANES, Lanes};
use crate::pair::Pair;

/// If one component in this many is certain, the others wait. Measured on a loaded machine: up to a
/// tenth less time than without waiting in 2 dimensions, no clear difference in 5.
const ENOUGH_CERTAIN: usize = 3;

/// The state of the rounds.
struct Rounds<'a> {
    passes: &'a dyn Passes,
    lists: &'a Lists,
    candidates: &'a mut [Candidates],
    /// The component of each position.
    of: Vec<[u32; LANES]>,
    /// The component of all points of each node, and of each leaf, or [`MIXED`].
    of_nodes: Vec<u32>,
    of_leaves: Vec<u32>,
    /// Whether a round has searched.
    has_searched: bool,
    components: usize,
    /// The number of points of each component.
    sizes: Vec<u32>,
    pairs: Vec<Pair>,
}

/// The pairs of the minimum spanning tree.
pub(super) fn tree(
    passes: &dyn Passes,
    (lists, candidates): &mut (Lists, Vec<Candidates>),
    team: &Team<'_>,
    run: &mut Run<'_>,
) -> Result<Vec<Pair>, PointsError> {
    let n = passes.shape().len as usize;
    let mut of = memory::filled(passes.shape().leaves(), [MIXED; LANES])?;
    for position in 0..n {
        of[position / LANES][position % LANES] = position as u32;
    }
    let mut rounds = Rounds::new(passes, lists, candidates, of, memory::filled(n, 1)?)?;
    while rounds.components > 1 {
        run.report.round(rounds.components, n).map_err(|_| PointsError::Cancelled)?;
        if rounds.components == n && lists.core.is_empty() {
            // The first neighbor of each point is its first pair.
            let winners = memory::collected(0..n as u32)?;
            run.phase("merge", |_| rounds.merge(&winners, team))?;
        } else {
            rounds.round(team, run)?;
        }
    }
    Ok(rounds.pairs)
}

/// The components of a forest of some edges of the tree.
pub(crate) struct Pieces<'a> {
    /// The component of each point.
    pub(crate) of: &'a [u32],
    /// The number of points of each component.
    pub(crate) sizes: Vec<u32>,
    /// Pairs of points of different components, perhaps in the tree.
    pub(crate) guesses: &'a [Pair],
    /// The scaled core distance of each point; empty for a metric itself.
    pub(crate) cores: &'a [f64],
}

/// The pairs of the minimum spanning tree that join the components of a forest. Without lists of
/// neighbors, every point may have to search. But most points are inside of large components.
pub(super) fn links(
    passes: &dyn Passes,
    lists: &Lists,
    pieces: Pieces<'_>,
    team: &Team<'_>,
    run: &mut Run<'_>,
) -> Result<Vec<Pair>, PointsError> {
    let shape = passes.shape();
    let mut candidates = memory::filled(shape.leaves(), Candidates::UNKNOWN)?;
    let mut positions = memory::zeros(shape.len as usize)?;
    let mut of = memory::filled(shape.leaves(), [MIXED; LANES])?;
    for position in 0..shape.len {
        let (leaf, lane) = (position as usize / LANES, position as usize % LANES);
        let point = shape.id(position) as usize;
        positions[point] = position;
        of[leaf][lane] = pieces.of[point];
        candidates[leaf].unseen[lane] = lists.core.get(leaf).map_or(0.0, |core| core[lane]);
    }
    for pair in pieces.guesses {
        let [low, high] = [pair.low, pair.high].map(|point| positions[point as usize]);
        candidates[low as usize / LANES].guess(low as usize % LANES, pair.compared, high);
    }
    let unchanged = memory::collected(0..pieces.sizes.len() as u32)?;
    let mut rounds = Rounds::new(passes, lists, &mut candidates, of, pieces.sizes)?;
    rounds.has_searched = true;
    rounds.rename(&unchanged, team);
    while rounds.components > 1 {
        run.report
            .round(rounds.components, shape.len as usize)
            .map_err(|_| PointsError::Cancelled)?;
        rounds.round(team, run)?;
    }
    Ok(rounds.pairs)
}

impl<'a> Rounds<'a> {
    /// `of` has the component of each position, and `sizes` their numbers of points.
    fn new(
        passes: &'a dyn Passes,
        lists: &'a Lists,
        candidates: &'a mut [Candidates],
        of: Vec<[u32; LANES]>,
        sizes: Vec<u32>,
    ) -> Result<Self, OutOfMemory> {
        let shape = passes.shape();
        let components = sizes.len();
        Ok(Self {
            passes,
            lists,
            candidates,
            of,
            of_nodes: memory::filled(shape.nodes(), MIXED)?,
            of_leaves: memory::filled(shape.leaves(), MIXED)?,
            has_searched: false,
            components,
            sizes,
            pairs: memory::with_capacity(components - 1)?,
        })
    }

    /// Finds the first pairs that leave components, and merges the components.
    ///
    /// A component is *certain* if no point that is not known may be as near as its candidate.
    /// While many components are certain, only they merge: in the next round, the others have more
    /// points, so nearer candidates, and fewer of their points must search.
    fn round(&mut self, team: &Team<'_>, run: &mut Run<'_>) -> Result<(), PointsError> {
        let mut cut = memory::filled(self.components, f64::INFINITY.to_bits())?;
        let (passes, lists, skipped) = (self.passes, self.lists, self.largest());
        let cut = atomic_u64(&mut cut);
        let (of, of_nodes, of_leaves) = (&self.of, &self.of_nodes, &self.of_leaves);
        let components = &Components { of, of_nodes, of_leaves, cut, skipped };
        run.phase("renew candidates", |_| {
            for_each_chunk(team, self.candidates, |chunk, candidates| {
                let first_leaf = chunk * LEAVES;
                passes.renew(Chunk { lists, components, first_leaf, candidates });
            });
        });
        let mut waiting = Vec::new();
        if !self.has_searched {
            waiting = memory::zeros(self.components)?;
            let marks = atomic_u32(&mut waiting);
            let certain = run.phase("find certain", |_| self.find_certain(components, marks, team));
            if certain < (self.components / ENOUGH_CERTAIN).max(1) {
                // Later rounds have fewer certain components, so they need not count them.
                self.has_searched = true;
                waiting.clear();
            }
        }
        if self.has_searched {
            run.phase("search", |_| {
                passes.shape().for_each_subtree(
                    self.candidates,
                    team,
                    |root, first_leaf, candidates| {
                        passes.search(root, Chunk { lists, components, first_leaf, candidates });
                    },
                );
            });
        }
        let mut winners = memory::filled(self.components, NO_POINT)?;
        let slots = atomic_u32(&mut winners);
        run.phase("choose", |_| self.choose(components, &waiting, slots, team));
        run.phase("merge", |_| self.merge(&winners, team))?;
        Ok(())
    }

    /// Marks the components that are not certain, and returns the number of the others, without
    /// the component that does not search.
    fn find_certain(
        &self,
        components: &Components<'_>,
        waiting: &[AtomicU32],
        team: &Team<'_>,
    ) -> usize {
        team.for_each(self.candidates.len(), Schedule::Dynamic(LEAVES), |leaf| {
            for lane in uncertain(components, leaf, &self.candidates[leaf]) {
                waiting[self.of[leaf][lane] as usize].store(1, Relaxed);
            }
        });
        waiting.iter().filter(|waiting| waiting.load(Relaxed) == 0).count() - 1
    }

    /// The component with the most points.
    fn largest(&self) -> u32 {
        let sizes = (0..).zip(&self.sizes);
        sizes.max_by_key(|(_, size)| **size).map_or(0, |(component, _)| component)
    }

    /// Finds the position with the first pair of each component that is not waiting. `waiting` is
    /// empty if none is.
    fn choose(
        &self,
        components: &Components<'_>,
        waiting: &[u32],
        winners: &[AtomicU32],
        team: &Team<'_>,
    ) {
        team.for_each(self.candidates.len(), Schedule::Dynamic(LEAVES), |leaf| {
            let (candidates, of) = (&self.candidates[leaf], &self.of[leaf]);
            if self.of_leaves[leaf] == components.skipped {
                return;
            }
            for lane in Lanes::that(|lane| candidates.partner[lane] != NO_POINT) {
                let component = of[lane] as usize;
                if of[lane] != components.skipped
                    && candidates.reach[lane] <= components.cut(of[lane])
                    && waiting.get(component).is_none_or(|waiting| *waiting == 0)
                {
                    self.propose(&winners[component], (leaf * LANES + lane) as u32);
                }
            }
        });
    }

    /// Makes a position the winner if its pair is before the winner's.
    fn propose(&self, winner: &AtomicU32, position: u32) {
        let pair = self.pair(position);
        let mut current = winner.load(Relaxed);
        while current == NO_POINT || pair.is_before(&self.pair(current)) {
            match winner.compare_exchange_weak(current, position, Relaxed, Relaxed) {
                Ok(_) => return,
                Err(other) => current = other,
            }
        }
    }

    /// The pair of a position and its candidate.
    fn pair(&self, position: u32) -> Pair {
        let (leaf, lane) = (position as usize / LANES, position as usize % LANES);
        let candidates = &self.candidates[leaf];
        let (shape, partner) = (self.passes.shape(), candidates.partner[lane]);
        Pair::new(candidates.reach[lane], shape.id(position), shape.id(partner))
    }

    /// Merges the components of the winners' pairs, and numbers the new components.
    fn merge(&mut self, winners: &[u32], team: &Team<'_>) -> Result<(), OutOfMemory> {
        let mut next = memory::zeros(self.components)?;
        let slots = atomic_u32(&mut next);
        team.for_each(self.components, Schedule::Dynamic(LEAVES * LANES), |component| {
            let winner = winners[component];
            let other = if winner == NO_POINT {
                component as u32
            } else {
                let (leaf, lane) = (winner as usize / LANES, winner as usize % LANES);
                component_of(&self.of, self.candidates[leaf].partner[lane])
            };
            slots[component].store(other, Relaxed);
        });
        let mut pairs = std::mem::take(&mut self.pairs);
        let pair = |component: usize| self.pair(winners[component]);
        let merged = merge(next, &self.sizes, &pair, &mut pairs, team)?;
        (self.pairs, self.components, self.sizes) = (pairs, merged.sizes.len(), merged.sizes);
        self.rename(&merged.new, team);
        Ok(())
    }

    /// Notes the new component of each position and each node.
    fn rename(&mut self, new: &[u32], team: &Team<'_>) {
        let shape = self.passes.shape();
        let mut of_leaves: Vec<_> = self.of.iter_mut().zip(&mut self.of_leaves).collect();
        for_each_chunk(team, &mut of_leaves, |chunk, leaves| {
            for (leaf, (of, of_leaf)) in (chunk * LEAVES..).zip(leaves) {
                let lanes = &mut of[..shape.lanes(leaf)];
                if **of_leaf == MIXED {
                    lanes.iter_mut().for_each(|of| *of = new[*of as usize]);
                    let is_one = lanes.iter().all(|of| *of == lanes[0]);
                    **of_leaf = if is_one { lanes[0] } else { MIXED };
                } else {
                    **of_leaf = new[**of_leaf as usize];
                    lanes.fill(**of_leaf);
                }
            }
        });
        shape.join_upwards(&mut self.of_nodes, &self.of_leaves, team, |left, right| {
            if left == right { left } else { MIXED }
        });
    }
}
