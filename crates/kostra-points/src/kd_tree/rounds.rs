//! The rounds of Borůvka's algorithm.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use kostra_core::{OutOfMemory, Run, UnionFind, memory};
use kostra_parallel::{Schedule, Team, atomic_u32, atomic_u64};

use super::search::{Components, Search, uncertain};
use super::space::{LEAVES, Space, for_each_chunk};
use crate::PointsError;
use crate::blocks::{LANES, Lanes};
use crate::canonical::{Accumulate, larger};
use crate::pair::Pair;
use crate::wide::wide;

/// No position.
pub(super) const NO_POINT: u32 = u32::MAX;
/// Several components.
pub(super) const MIXED: u32 = u32::MAX;

/// What the points of a leaf know about the nearest points of other components.
#[derive(Clone)]
pub(super) struct Candidates {
    /// The reach of the nearest known point of another component; infinity if none is known.
    pub(super) reach: [f64; LANES],
    /// The position of that point, or [`NO_POINT`].
    pub(super) partner: [u32; LANES],
    /// A lower bound of the reach of points that are not known. Infinity if the known point is
    /// before all of them, and for unused lanes.
    pub(super) unseen: [f64; LANES],
    /// The number of neighbors in the list of the point that have been looked at.
    seen: [u8; LANES],
}

/// The state of the rounds.
struct Rounds<'a, A, const D: usize> {
    space: &'a Space<A, D>,
    candidates: Vec<Candidates>,
    /// The component of each position.
    of: Vec<[u32; LANES]>,
    of_nodes: Vec<u32>,
    components: usize,
    /// The number of points of each component.
    sizes: Vec<u32>,
    pairs: Vec<Pair>,
}

/// The pairs of the minimum spanning tree.
pub(super) fn tree<A: Accumulate, const D: usize>(
    space: &Space<A, D>,
    team: &Team<'_>,
    run: &mut Run<'_>,
) -> Result<Vec<Pair>, PointsError> {
    let mut rounds = Rounds::new(space, team)?;
    let n = space.tree.len as usize;
    while rounds.components > 1 {
        run.round(rounds.components, n).map_err(|_| PointsError::Cancelled)?;
        rounds.round(team, run)?;
    }
    Ok(rounds.pairs)
}

impl<'a, A: Accumulate, const D: usize> Rounds<'a, A, D> {
    /// Each point is a component, and its first neighbor is its candidate.
    fn new(space: &'a Space<A, D>, team: &Team<'_>) -> Result<Self, OutOfMemory> {
        let leaves = space.tree.leaves.len();
        let unknown = Candidates {
            reach: [f64::INFINITY; LANES],
            partner: [NO_POINT; LANES],
            unseen: [f64::INFINITY; LANES],
            seen: [0; LANES],
        };
        let mut of = memory::filled(leaves, [MIXED; LANES])?;
        for position in 0..space.tree.len {
            of[position as usize / LANES][position as usize % LANES] = position;
        }
        let mut rounds = Self {
            space,
            candidates: memory::filled(leaves, unknown)?,
            of,
            of_nodes: memory::filled(space.tree.nodes.len(), MIXED)?,
            components: space.tree.len as usize,
            sizes: memory::filled(space.tree.len as usize, 1)?,
            pairs: memory::with_capacity(space.tree.len as usize - 1)?,
        };
        for_each_chunk(team, &mut rounds.candidates, |chunk, candidates| {
            for (leaf, candidates) in (chunk * LEAVES..).zip(candidates) {
                for lane in 0..space.tree.lanes(leaf) {
                    let position = (leaf * LANES + lane) as u32;
                    candidates.take(space, position, space.neighbors(position)[0], 0.0);
                    candidates.seen[lane] = 1;
                }
            }
        });
        Ok(rounds)
    }

    /// Finds the first pairs that leave components, and merges the components.
    ///
    /// A component is *certain* if no point that is not known may be as near as its candidate.
    /// While many components are certain, only they merge: in the next round, the others have more
    /// points, so nearer candidates, and fewer of their points must search.
    fn round(&mut self, team: &Team<'_>, run: &mut Run<'_>) -> Result<(), PointsError> {
        let mut cut = memory::filled(self.components, f64::INFINITY.to_bits())?;
        let (space, skipped) = (self.space, self.largest());
        let cut = atomic_u64(&mut cut);
        let components = Components { of: &self.of, of_nodes: &self.of_nodes, cut, skipped };
        run.phase("renew candidates", |_| {
            for_each_chunk(team, &mut self.candidates, |chunk, candidates| {
                for (leaf, candidates) in (chunk * LEAVES..).zip(candidates) {
                    candidates.renew(space, &components, leaf);
                }
            });
        });
        let mut waiting = memory::zeros(self.components)?;
        let waiting = atomic_u32(&mut waiting);
        let certain = run.phase("find certain", |_| self.find_certain(&components, waiting, team));
        if (certain as f64) < certain_part() * self.components as f64 {
            waiting.iter().for_each(|waiting| waiting.store(0, Relaxed));
            run.phase("search", |_| {
                for_each_chunk(team, &mut self.candidates, |chunk, candidates| {
                    let (components, first_leaf) = (&components, chunk * LEAVES);
                    wide(Search { space, components, first_leaf, candidates });
                });
            });
        }
        let mut winners = memory::filled(self.components, NO_POINT)?;
        let slots = atomic_u32(&mut winners);
        run.phase("choose", |_| self.choose(&components, waiting, slots, team));
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
            let of = &self.of[leaf];
            for lane in uncertain(components, of, &self.candidates[leaf]) {
                waiting[of[lane] as usize].store(1, Relaxed);
            }
        });
        waiting.iter().filter(|waiting| waiting.load(Relaxed) == 0).count() - 1
    }

    /// The component with the most points.
    fn largest(&self) -> u32 {
        let sizes = (0..).zip(&self.sizes);
        sizes.max_by_key(|(_, size)| **size).map_or(0, |(component, _)| component)
    }

    /// Finds the position with the first pair of each component that is not waiting.
    fn choose(
        &self,
        components: &Components<'_>,
        waiting: &[AtomicU32],
        winners: &[AtomicU32],
        team: &Team<'_>,
    ) {
        team.for_each(self.candidates.len(), Schedule::Dynamic(LEAVES), |leaf| {
            let (candidates, of) = (&self.candidates[leaf], &self.of[leaf]);
            for lane in Lanes::that(|lane| candidates.partner[lane] != NO_POINT) {
                let component = of[lane] as usize;
                if of[lane] != components.skipped
                    && candidates.reach[lane] <= components.cut(of[lane])
                    && waiting[component].load(Relaxed) == 0
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
        let (id, partner) = (self.space.tree.id(position), candidates.partner[lane]);
        Pair::new(candidates.reach[lane], id, self.space.tree.id(partner))
    }

    /// Merges the components of the winners' pairs, and numbers the new components.
    fn merge(&mut self, winners: &[u32], team: &Team<'_>) -> Result<(), OutOfMemory> {
        let mut sets = UnionFind::try_new(self.components as u32)?;
        for (component, &winner) in (0..).zip(winners) {
            if winner == NO_POINT {
                continue;
            }
            let (leaf, lane) = (winner as usize / LANES, winner as usize % LANES);
            let partner = self.candidates[leaf].partner[lane];
            if sets.union(component, component_of(&self.of, partner)) {
                self.pairs.push(self.pair(winner));
            }
        }
        let mut sizes = memory::with_capacity(sets.sets() as usize)?;
        let mut new = sets.into_lowest();
        for component in 0..new.len() {
            let lowest = new[component] as usize;
            if lowest == component {
                new[component] = sizes.len() as u32;
                sizes.push(0);
            } else {
                new[component] = new[lowest];
            }
            sizes[new[component] as usize] += self.sizes[component];
        }
        (self.components, self.sizes) = (sizes.len(), sizes);
        for_each_chunk(team, &mut self.of, |_, leaves| {
            for of in leaves.iter_mut().flatten().filter(|of| **of != MIXED) {
                *of = new[*of as usize];
            }
        });
        self.mark_nodes();
        Ok(())
    }

    /// Notes the component of each node.
    fn mark_nodes(&mut self) {
        for number in (0..self.of_nodes.len()).rev() {
            let node = &self.space.tree.nodes[number];
            self.of_nodes[number] = if node.right == 0 {
                let leaf = node.leaf as usize;
                let lanes = &self.of[leaf][..self.space.tree.lanes(leaf)];
                if lanes.iter().all(|of| *of == lanes[0]) { lanes[0] } else { MIXED }
            } else {
                let (left, right) = (self.of_nodes[number + 1], self.of_nodes[node.right as usize]);
                if left == right { left } else { MIXED }
            };
        }
    }
}

/// If at least this part of the components is certain, the others wait.
fn certain_part() -> f64 {
    std::env::var("PART").ok().and_then(|x| x.parse().ok()).unwrap_or(0.3)
}

/// The component of a position.
#[inline(always)]
fn component_of(of: &[[u32; LANES]], position: u32) -> u32 {
    of[position as usize / LANES][position as usize % LANES]
}

impl Candidates {
    /// Makes a neighbor the candidate of a position. Points that are not known have at least the
    /// reach `unseen`.
    fn take<A: Accumulate, const D: usize>(
        &mut self,
        space: &Space<A, D>,
        position: u32,
        neighbor: u32,
        unseen: f64,
    ) {
        let lane = position as usize % LANES;
        let reach = space.reach(position, neighbor);
        (self.reach[lane], self.partner[lane]) = (reach, neighbor);
        self.unseen[lane] = if space.is_first(position, reach) {
            f64::INFINITY
        } else {
            larger(unseen, space.reach_outside(position))
        };
    }

    /// Replaces candidates that have become points of the own component by the next neighbors.
    /// Lowers the cuts of the components.
    fn renew<A: Accumulate, const D: usize>(
        &mut self,
        space: &Space<A, D>,
        components: &Components<'_>,
        leaf: usize,
    ) {
        for lane in 0..space.tree.lanes(leaf) {
            if self.partner[lane] == NO_POINT {
                continue;
            }
            let own = components.of[leaf][lane];
            let is_own = |partner| component_of(components.of, partner) == own;
            if is_own(self.partner[lane]) {
                let position = (leaf * LANES + lane) as u32;
                let unseen = self.unseen[lane];
                let unseen = if unseen == f64::INFINITY { self.reach[lane] } else { unseen };
                let list = &space.neighbors(position)[self.seen[lane] as usize..];
                let next = list.iter().position(|&neighbor| !is_own(neighbor));
                self.seen[lane] += next.map_or(list.len(), |next| next + 1) as u8;
                match next {
                    Some(next) => self.take(space, position, list[next], unseen),
                    None => {
                        (self.reach[lane], self.partner[lane]) = (f64::INFINITY, NO_POINT);
                        self.unseen[lane] = larger(unseen, space.reach_outside(position));
                        continue;
                    }
                }
            }
            components.lower_cut(own, self.reach[lane]);
        }
    }
}
