//! The nearest point of another component, for the points of a leaf at once.

use super::build::{Node, distances};
use super::candidates::{Candidates, Components, MIXED, NO_POINT, uncertain};
use super::nearest::POINTWISE;
use super::passes::{Chunk, Passes, View};
use super::walk::{DEPTH, Walk};
use crate::blocks::{LANES, Lanes, largest};
use crate::canonical::{Accumulate, larger, smaller};
use crate::wide::Work;

/// The search from the leaves of a subtree.
pub(super) struct Search<'a, A, const D: usize> {
    pub(super) passes: &'a dyn Passes,
    pub(super) view: View<'a, A, D>,
    pub(super) chunk: Chunk<'a>,
    /// The root of the subtree.
    pub(super) root: u32,
}

impl<A: Accumulate, const D: usize> Work for Search<'_, A, D> {
    type Output = ();
    const EVERYWHERE: bool = super::passes::is_everywhere(D);

    #[inline(always)]
    fn run(self) {
        let Self { passes, view, chunk: Chunk { components, first_leaf, candidates, .. }, root } =
            self;
        let mut waiting = [root; DEPTH];
        let mut len = 1;
        while len > 0 {
            len -= 1;
            let number = waiting[len];
            let node = &view.tree.nodes[number as usize];
            if node.right != 0 {
                if !is_enclosed(passes, components, number) {
                    [waiting[len], waiting[len + 1]] = [node.right, number + 1];
                    len += 2;
                }
                continue;
            }
            let leaf = node.leaf as usize;
            let candidates = &mut candidates[leaf - first_leaf];
            let Some(mut searching) = Searching::new(components, leaf, candidates) else {
                continue;
            };
            searching.search(&view, leaf, candidates);
            searching.finish(candidates);
        }
    }
}

/// Whether a subtree is inside one component, and no point of another component is within the
/// component's cut. Then none of its points must search. One walk for a subtree replaces one walk
/// for each leaf.
fn is_enclosed(passes: &dyn Passes, components: &Components<'_>, number: u32) -> bool {
    let own = components.of_nodes[number as usize];
    if own == MIXED || own == components.skipped {
        return own != MIXED;
    }
    let (shape, cut) = (passes.shape(), components.cut(own));
    let mut waiting = [0; DEPTH];
    let mut walked = number;
    // The siblings of the ancestors, from the subtree to the root.
    while walked != 0 {
        waiting[0] = shape.sibling(walked);
        walked = shape.parents[walked as usize];
        let mut len = 1;
        while len > 0 {
            len -= 1;
            let node = waiting[len];
            if components.of_nodes[node as usize] == own || passes.bound(number, node) > cut {
                continue;
            }
            let Some(right) = shape.right(node) else { return false };
            [waiting[len], waiting[len + 1]] = [right, node + 1];
            len += 2;
        }
    }
    true
}

/// The points of a leaf that search.
struct Searching<'a> {
    components: &'a Components<'a>,
    /// The component of each lane.
    of: &'a [u32; LANES],
    /// The lanes that search.
    lanes: Lanes,
    /// The reach of the best candidate of the component of each lane; negative for lanes that do
    /// not search.
    cut: [f64; LANES],
    /// The index of the candidate of each lane.
    id: [u32; LANES],
    /// The component of all lanes that search, or [`MIXED`].
    common: u32,
}

impl<'a> Searching<'a> {
    /// The points of a leaf whose component may have a better candidate at them.
    #[inline(always)]
    fn new(components: &'a Components<'a>, leaf: usize, candidates: &Candidates) -> Option<Self> {
        let of = &components.of[leaf];
        let mut cut = [-1.0; LANES];
        let (mut lanes, mut common) = (0, None);
        for lane in uncertain(components, leaf, candidates) {
            lanes |= 1 << lane;
            cut[lane] = components.cut(of[lane]);
            let other = common.unwrap_or(of[lane]);
            common = Some(if other == of[lane] { other } else { MIXED });
        }
        let id = [u32::MAX; LANES];
        Some(Self { components, of, lanes: Lanes(lanes), cut, id, common: common? })
    }

    #[inline(always)]
    fn search<A: Accumulate, const D: usize>(
        &mut self,
        view: &View<'_, A, D>,
        leaf: usize,
        candidates: &mut Candidates,
    ) {
        let tree = view.tree;
        for lane in self.lanes {
            if candidates.partner[lane] != NO_POINT {
                self.id[lane] = tree.shape.id(candidates.partner[lane]);
            }
        }
        let own = self.searching_box(view, leaf);
        let mut widest = largest(&self.cut);
        let mut walk = Walk::<A, D>::new(tree, tree.shape.leaf_nodes[leaf], own);
        // Other points of the leaf come first.
        let mut next = Some((0.0, tree.shape.leaf_nodes[leaf]));
        while let Some((bound, number)) = next {
            let node = &tree.nodes[number as usize];
            let component = self.components.of_nodes[number as usize];
            let bound = larger(bound, larger(own.least_core, node.least_core));
            let matters = bound <= widest
                && self.is_foreign(component)
                && (bound < widest || self.may_be_before(node, bound, candidates));
            if matters && node.right != 0 {
                if D < POINTWISE || self.is_near::<A, D>(node, &tree.leaves[leaf]) {
                    walk.open(number, node, widest);
                }
            } else if matters {
                self.compare_leaf(view, leaf, (node, component), candidates);
                widest = largest(&self.cut);
            }
            next = walk.next();
        }
    }

    /// The box of the points that search.
    #[inline(always)]
    fn searching_box<A: Accumulate, const D: usize>(
        &self,
        view: &View<'_, A, D>,
        leaf: usize,
    ) -> Node<D> {
        let node = &view.tree.nodes[view.tree.shape.leaf_nodes[leaf] as usize];
        let mut own = Node { low: [f64::INFINITY; D], high: [f64::NEG_INFINITY; D], ..*node };
        for lane in self.lanes {
            for (k, column) in view.tree.leaves[leaf].iter().enumerate() {
                own.low[k] = smaller(column[lane], own.low[k]);
                own.high[k] = larger(column[lane], own.high[k]);
            }
        }
        own
    }

    /// Whether a node may have a candidate of a lane that searches.
    #[inline(always)]
    fn is_near<A: Accumulate, const D: usize>(
        &self,
        node: &Node<D>,
        from: &[[f64; LANES]; D],
    ) -> bool {
        let bounds = node.bounds::<A>(from);
        !Lanes::that(|lane| bounds[lane] <= self.cut[lane]).is_empty()
    }

    /// Compares the points that search with all points of a leaf.
    #[inline(always)]
    fn compare_leaf<A: Accumulate, const D: usize>(
        &mut self,
        view: &View<'_, A, D>,
        leaf: usize,
        (node, component): (&Node<D>, u32),
        candidates: &mut Candidates,
    ) {
        let bounds = node.bounds::<A>(&view.tree.leaves[leaf]);
        let passes = |lane| (bounds[lane] <= self.cut[lane]) & (self.of[lane] != component);
        for lane in Lanes::that(passes) {
            self.compare(view, (leaf, lane), node.leaf as usize, candidates);
        }
    }

    /// Whether a node has points of another component than a searching lane.
    #[inline(always)]
    fn is_foreign(&self, component: u32) -> bool {
        component == MIXED
            || component != self.common
                && (self.common != MIXED
                    || !Lanes::that(|lane| (self.cut[lane] >= 0.0) & (self.of[lane] != component))
                        .is_empty())
    }

    /// Whether a node at the given distance may contain a candidate that is before a lane's.
    #[inline(always)]
    fn may_be_before<const D: usize>(
        &self,
        node: &Node<D>,
        bound: f64,
        candidates: &Candidates,
    ) -> bool {
        let improves = |lane| {
            (self.cut[lane] >= bound)
                & ((candidates.reach[lane] > bound) | (node.least_id < self.id[lane]))
        };
        !Lanes::that(improves).is_empty()
    }

    /// Compares a point with all points of a leaf.
    #[inline(always)]
    fn compare<A: Accumulate, const D: usize>(
        &mut self,
        view: &View<'_, A, D>,
        (leaf, lane): (usize, usize),
        to: usize,
        candidates: &mut Candidates,
    ) {
        let tree = view.tree;
        let mut reaches = distances::<A, D>(&tree.leaves[leaf], lane, &tree.leaves[to]);
        if !view.lists.core.is_empty() {
            let core = view.lists.core[leaf][lane];
            for (reach, &other) in reaches.iter_mut().zip(&view.lists.core[to]) {
                // The distance is second, so that the NaN of an unused lane stays.
                *reach = larger(larger(core, other), *reach);
            }
        }
        let (component, others) = (self.of[lane], &self.components.of[to]);
        let passes =
            |other: usize| (reaches[other] <= self.cut[lane]) & (others[other] != component);
        for other in Lanes::that(passes) {
            let (reach, id) = (reaches[other], tree.shape.ids[to][other]);
            if (reach, id) >= (candidates.reach[lane], self.id[lane]) {
                continue;
            }
            candidates.reach[lane] = reach;
            candidates.partner[lane] = (to * LANES + other) as u32;
            self.id[lane] = id;
            if reach < self.cut[lane] {
                for (cut, &of) in self.cut.iter_mut().zip(self.of) {
                    *cut = if (of == component) & (reach < *cut) { reach } else { *cut };
                }
                self.components.lower_cut(component, reach);
                self.components.lower_cut(others[other], reach);
            }
        }
    }

    /// Notes what the search has shown.
    #[inline(always)]
    fn finish(&self, candidates: &mut Candidates) {
        for lane in self.lanes {
            let is_first = candidates.reach[lane] <= self.cut[lane];
            candidates.unseen[lane] = if is_first { f64::INFINITY } else { self.cut[lane] };
        }
    }
}
