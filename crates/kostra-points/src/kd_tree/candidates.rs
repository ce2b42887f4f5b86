//! What points know about the nearest points of other components.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::passes::View;
use crate::blocks::{LANES, Lanes};
use crate::canonical::{Accumulate, larger};

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

/// The components of a round.
pub(super) struct Components<'a> {
    /// The component of each position.
    pub(super) of: &'a [[u32; LANES]],
    /// The component of all points of each node, and of each leaf, or [`MIXED`].
    pub(super) of_nodes: &'a [u32],
    pub(super) of_leaves: &'a [u32],
    /// The reach of the best candidate of each component so far, as bits.
    pub(super) cut: &'a [AtomicU64],
    /// The largest component does not search: the others merge with it if they must.
    pub(super) skipped: u32,
}

impl Components<'_> {
    /// The reach of the best candidate of a component so far.
    #[inline(always)]
    pub(super) fn cut(&self, component: u32) -> f64 {
        f64::from_bits(self.cut[component as usize].load(Relaxed))
    }

    /// Lowers the reach of the best candidate of a component.
    #[inline(always)]
    pub(super) fn lower_cut(&self, component: u32, reach: f64) {
        let cut = &self.cut[component as usize];
        if reach.to_bits() < cut.load(Relaxed) {
            cut.fetch_min(reach.to_bits(), Relaxed);
        }
    }
}

/// The component of a position.
#[inline(always)]
pub(super) fn component_of(of: &[[u32; LANES]], position: u32) -> u32 {
    of[position as usize / LANES][position as usize % LANES]
}

impl Candidates {
    /// No candidates yet.
    pub(super) const UNKNOWN: Self = Self {
        reach: [f64::INFINITY; LANES],
        partner: [NO_POINT; LANES],
        unseen: [f64::INFINITY; LANES],
        seen: [0; LANES],
    };

    /// Makes the first neighbor of each point of a leaf its candidate.
    pub(super) fn start<A: Accumulate, const D: usize>(
        &mut self,
        view: &View<'_, A, D>,
        leaf: usize,
    ) {
        for lane in 0..view.tree.shape.lanes(leaf) {
            let position = (leaf * LANES + lane) as u32;
            self.take(view, position, view.lists.neighbors(position)[0], 0.0);
            self.seen[lane] = 1;
        }
    }

    /// Makes the first neighbor of a lane its candidate, for a metric itself.
    pub(super) fn set_first(&mut self, lane: usize, reach: f64, neighbor: u32) {
        self.guess(lane, reach, neighbor);
        self.seen[lane] = 1;
    }

    /// Makes a point of another component the candidate of a lane.
    pub(super) fn guess(&mut self, lane: usize, reach: f64, partner: u32) {
        (self.reach[lane], self.partner[lane]) = (reach, partner);
    }

    /// Makes a neighbor the candidate of a position. Points that are not known have at least the
    /// reach `unseen`.
    fn take<A: Accumulate, const D: usize>(
        &mut self,
        view: &View<'_, A, D>,
        position: u32,
        neighbor: u32,
        unseen: f64,
    ) {
        let lane = position as usize % LANES;
        let reach = view.reach(position, neighbor);
        (self.reach[lane], self.partner[lane]) = (reach, neighbor);
        self.unseen[lane] = if view.lists.is_first(position, reach) {
            f64::INFINITY
        } else {
            larger(unseen, view.reach_outside(position))
        };
    }

    /// Replaces candidates that have become points of the own component by the next neighbors.
    /// Lowers the cuts of both components of each candidate.
    pub(super) fn renew<A: Accumulate, const D: usize>(
        &mut self,
        view: &View<'_, A, D>,
        components: &Components<'_>,
        leaf: usize,
    ) {
        // Unused lanes have no partner.
        for lane in Lanes::that(|lane| self.partner[lane] != NO_POINT) {
            let own = components.of[leaf][lane];
            let is_own = |partner| component_of(components.of, partner) == own;
            if is_own(self.partner[lane]) {
                let position = (leaf * LANES + lane) as u32;
                let unseen = self.unseen[lane];
                let unseen = if unseen == f64::INFINITY { self.reach[lane] } else { unseen };
                let list = &view.lists.neighbors(position)[self.seen[lane] as usize..];
                let next = list.iter().position(|&neighbor| !is_own(neighbor));
                self.seen[lane] += next.map_or(list.len(), |next| next + 1) as u8;
                match next {
                    Some(next) => self.take(view, position, list[next], unseen),
                    None => {
                        (self.reach[lane], self.partner[lane]) = (f64::INFINITY, NO_POINT);
                        self.unseen[lane] = larger(unseen, view.reach_outside(position));
                        continue;
                    }
                }
            }
            let other = component_of(components.of, self.partner[lane]);
            components.lower_cut(own, self.reach[lane]);
            components.lower_cut(other, self.reach[lane]);
        }
    }
}

/// The lanes of a leaf that do not know whether another point is as near as the candidate of their
/// component. Compiled once, because a copy in each search would make programs larger.
#[inline(never)]
pub(super) fn uncertain(
    components: &Components<'_>,
    leaf: usize,
    candidates: &Candidates,
) -> Lanes {
    let (of, unseen) = (&components.of[leaf], &candidates.unseen);
    let common = components.of_leaves[leaf];
    if common == components.skipped {
        return Lanes(0);
    }
    if common != MIXED {
        let cut = components.cut(common);
        return Lanes::that(|lane| (unseen[lane] <= cut) & (unseen[lane] < f64::INFINITY));
    }
    let may_search =
        |lane: usize| (unseen[lane] < f64::INFINITY) & (of[lane] != components.skipped);
    let mut lanes = Lanes(0);
    for lane in Lanes::that(may_search) {
        lanes.0 |= u32::from(unseen[lane] <= components.cut(of[lane])) << lane;
    }
    lanes
}
