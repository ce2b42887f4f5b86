//! Borůvka's algorithm by contraction: rounds in which every component hooks onto its lightest edge, and what is
//! left of the graph is rewritten in terms of the new components.

use std::ops::Range;
use std::sync::atomic::{
    AtomicU32, AtomicU64, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};

use kostra_core::{EdgeId, Edges, Key, Run, Vertex, Weight, prefetch};

use super::scale::{Scale, pack, unpack};
use crate::threads::edge_set::SharedEdgeSet;
use crate::threads::team::{Schedule, Team};

/// No edge: after every offer.
const NONE: u64 = u64::MAX;
/// Marks a label among parents.
pub(super) const LABEL: u32 = 1 << 31;
/// Stands for the first component that no edge leaves; the later ones count down from it.
const FINISHED: u32 = u32::MAX;
/// The extent of a region of which nothing is known.
const ANY: Range<u32> = 0..u32::MAX;
/// How many vertices a thread takes at a time.
const VERTICES: usize = 1 << 14;
/// How many edges are looked up before the first of them is written.
const BLOCK: usize = 128;
/// How many components are looked up before the first of them hooks.
const HOOKS: usize = 128;

/// The components that an edge joins; the stand-in of its key, and its id below it. Side by side, so that one cache
/// line holds both.
pub(super) type Record = [AtomicU64; 2];

/// A stretch of records that one thread at a time works on. It shrinks in place.
pub(super) struct Region {
    pub(super) start: usize,
    pub(super) len: AtomicUsize,
    /// The components that its edges join are among these.
    extent: Range<u32>,
    /// The components that the edges of no other region join, or some of them: the region's own, which it may write to
    /// without exchanges. In graphs whose numbering is local these are nearly all.
    own: Range<u32>,
}

impl Region {
    pub(super) fn new(range: Range<usize>) -> Self {
        Self { start: range.start, len: AtomicUsize::new(range.len()), extent: ANY, own: 0..0 }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len.load(Relaxed) == 0
    }
}

/// How many components there are.
#[derive(Clone, Copy, Default)]
pub(super) struct Counts {
    /// That edges leave, or may.
    pub(super) live: u32,
    /// That no edge of the band leaves.
    pub(super) finished: u32,
}

impl Counts {
    /// What a label means when all components of a band are finished: those of the last round come first.
    #[inline]
    pub(super) fn place(self, label: u32) -> Result<u32, u32> {
        if label > FINISHED - self.finished {
            Ok(self.live + (FINISHED - label))
        } else {
            Err(label & !LABEL)
        }
    }
}

/// What all rounds of one solve share.
pub(super) struct Contraction<'a, W: Weight> {
    pub(super) edges: Edges<'a, W>,
    pub(super) team: &'a Team<'a>,
    pub(super) scale: Scale,
    pub(super) records: &'a [Record],
    pub(super) lightest: &'a [AtomicU64],
    pub(super) forest: &'a SharedEdgeSet,
}

impl<W: Weight> Contraction<'_, W> {
    /// The id of the edge at a position.
    #[inline]
    fn id<const FIRST: bool>(&self, position: u32) -> EdgeId {
        if FIRST { position } else { self.records[position as usize][1].load(Relaxed) as u32 }
    }

    /// Offers an edge to a component: the lightest is kept. Lock-free: an exchange fails only when another thread's
    /// has brought a lighter edge.
    #[inline]
    fn offer<const ALONE: bool, const FIRST: bool>(&self, own: &Range<u32>, component: u32, offer: u64) {
        let slot = &self.lightest[component as usize];
        let mut held = slot.load(Acquire);
        loop {
            let is_own = ALONE || own.contains(&component);
            if W::Key::BITS == 32 {
                if is_own {
                    return slot.store(held.min(offer), Relaxed);
                }
                if held <= offer {
                    return;
                }
            } else if !self.is_lighter::<FIRST>(offer, held) {
                return;
            } else if is_own {
                return slot.store(offer, Relaxed);
            }
            // Release, and acquire above: who sees a position sees the record that was written there.
            match slot.compare_exchange_weak(held, offer, Release, Acquire) {
                Ok(_) => return,
                Err(other) => held = other,
            }
        }
    }

    #[inline]
    fn is_lighter<const FIRST: bool>(&self, a: u64, b: u64) -> bool {
        let (stand_in_a, position_a) = unpack(a);
        let (stand_in_b, position_b) = unpack(b);
        if stand_in_a != stand_in_b || b == NONE {
            return a < b;
        }
        let rank = |position| self.edges.rank(self.id::<FIRST>(position));
        rank(position_a) < rank(position_b)
    }

    /// Lets the input's edges make the first offers.
    pub(super) fn offer_input<const ALONE: bool>(&self, regions: &mut [Region]) {
        let edges = self.edges;
        let range = |region: &Region| region.start..region.start + region.len.load(Relaxed);
        if !ALONE {
            self.claim(regions, |region| {
                let ends = edges.u()[range(region)].iter().chain(&edges.v()[range(region)]);
                extent(ends.copied())
            });
        }
        self.team.deal(regions.len(), Schedule::Dynamic(1), |_, dealt| {
            for region in &regions[dealt] {
                for id in range(region) {
                    let (u, v) = edges.ends(id as EdgeId);
                    if u != v {
                        let offer = pack(self.scale.of(edges.key(id as EdgeId)), id as u32);
                        self.offer::<ALONE, true>(&region.own, u, offer);
                        self.offer::<ALONE, true>(&region.own, v, offer);
                    }
                }
            }
        });
    }

    /// Finds which components are a region's own, given what its edges are about to join.
    fn claim(&self, regions: &mut [Region], extent: impl Fn(&Region) -> Range<u32> + Sync) {
        let extents: Vec<AtomicU64> = regions.iter().map(|_| AtomicU64::new(0)).collect();
        self.team.deal(regions.len(), Schedule::Dynamic(1), |_, dealt| {
            for index in dealt {
                let extent = extent(&regions[index]);
                extents[index].store(pack(extent.start, extent.end), Relaxed);
            }
        });
        for (region, extent) in regions.iter_mut().zip(extents) {
            let (start, end) = unpack(extent.into_inner());
            (region.extent, region.own) = (start..end, start..end);
        }
        let mut by_start: Vec<_> = regions.iter_mut().filter(|region| !region.extent.is_empty()).collect();
        by_start.sort_unstable_by_key(|region| region.extent.start);
        let mut end = 0;
        for region in &mut by_start {
            region.own.start = region.own.start.max(end);
            end = end.max(region.extent.end);
        }
        let mut start = u32::MAX;
        for region in by_start.iter_mut().rev() {
            region.own.end = region.own.end.min(start);
            start = region.extent.start;
        }
    }

    /// The same when components are about to get new numbers.
    fn claim_labels(&self, regions: &mut [Region], labels: &[AtomicU32], live: u32) {
        let total: usize = regions.iter().map(|region| region.extent.len()).sum();
        if total > 2 * labels.len() {
            regions.iter_mut().for_each(|region| (region.extent, region.own) = (ANY, 0..0));
            return;
        }
        self.claim(regions, |region| {
            // A region without edges has none.
            let labels = labels.get(region.extent.start as usize..region.extent.end as usize);
            let labels = labels.unwrap_or_default().iter().map(|label| label.load(Relaxed) & !LABEL);
            extent(labels.filter(|&label| label < live))
        });
    }

    pub(super) fn clear_lightest(&self, components: usize) {
        self.team.deal(components, Schedule::Dynamic(VERTICES), |_, range| {
            self.lightest[range].iter().for_each(|slot| slot.store(NONE, Relaxed));
        });
    }

    /// Hooks every component onto the one that its lightest edge leads to, and numbers the new components. `parents`
    /// then holds for each old component its new one, marked as a label; for one that no edge leaves, [`Counts::finished`]
    /// says which.
    pub(super) fn hook<const ALONE: bool, const FIRST: bool>(
        &self,
        parents: &[AtomicU32],
        counts: &mut Counts,
        run: &mut Run<'_>,
    ) {
        let components = parents.len();
        let blocks = components.div_ceil(VERTICES);
        let block = |block: usize| block * VERTICES..components.min((block + 1) * VERTICES);
        let found: Vec<AtomicU64> = (0..blocks).map(|_| AtomicU64::new(0)).collect();
        run.phase("hook", |_| {
            self.team.deal(blocks, Schedule::Dynamic(1), |_, dealt| {
                for index in dealt {
                    let (mut roots, mut finished) = (0, 0);
                    let mut start = block(index).start;
                    while start < block(index).end {
                        let end = block(index).end.min(start + HOOKS);
                        self.parents_of::<ALONE, FIRST>(start..end, |component, parent| {
                            roots += u32::from(parent == component);
                            finished += u32::from(parent == FINISHED);
                            parents[component as usize].store(parent, Relaxed);
                        });
                        start = end;
                    }
                    found[index].store(pack(roots, finished), Relaxed);
                }
            });
        });
        let (mut live, mut finished) = (0, counts.finished);
        for count in &found {
            let (roots_here, finished_here) = unpack(count.swap(pack(live, finished), Relaxed));
            live += roots_here;
            finished += finished_here;
        }
        *counts = Counts { live, finished };
        run.phase("number", |_| {
            self.team.deal(blocks, Schedule::Dynamic(1), |_, dealt| {
                for index in dealt {
                    let (mut number, mut finished) = unpack(found[index].load(Relaxed));
                    for component in block(index) {
                        let parent = parents[component].load(Relaxed);
                        if parent == component as u32 {
                            parents[component].store(LABEL | number, Relaxed);
                            number += 1;
                        } else if parent == FINISHED {
                            parents[component].store(FINISHED - finished, Relaxed);
                            finished += 1;
                        }
                    }
                }
            });
        });
        run.phase("label", |_| {
            self.team.deal(blocks, Schedule::Dynamic(1), |_, dealt| {
                for index in dealt {
                    for component in block(index) {
                        label(parents, component as u32);
                    }
                    let cleared = block(index);
                    self.lightest[cleared.start.min(live as usize)..cleared.end.min(live as usize)]
                        .iter()
                        .for_each(|slot| slot.store(NONE, Relaxed));
                }
            });
        });
    }

    /// Where components hook: onto themselves if the other end chose the same edge and this end is the lower;
    /// nowhere without an edge. Keeps the edges.
    ///
    /// In stages, each of which asks for the memory that the next one reads.
    #[inline(always)]
    fn parents_of<const ALONE: bool, const FIRST: bool>(
        &self,
        components: Range<usize>,
        mut tell: impl FnMut(u32, u32),
    ) {
        let mut lightest = [NONE; HOOKS];
        let mut others = [0; HOOKS];
        for (slot, component) in components.clone().enumerate() {
            lightest[slot] = self.lightest[component].load(Relaxed);
            let position = lightest[slot] as u32 as usize;
            if FIRST {
                prefetch(self.edges.u(), position);
                prefetch(self.edges.v(), position);
            } else {
                prefetch(self.records, position);
            }
        }
        for (slot, component) in components.clone().enumerate() {
            if lightest[slot] == NONE {
                continue;
            }
            let position = lightest[slot] as u32;
            let (u, v) = if FIRST {
                self.edges.ends(position)
            } else {
                unpack(self.records[position as usize][0].load(Relaxed))
            };
            others[slot] = u ^ v ^ component as u32;
            prefetch(self.lightest, others[slot] as usize);
        }
        for (slot, component) in components.enumerate() {
            let (component, other) = (component as u32, others[slot]);
            if lightest[slot] == NONE {
                tell(component, FINISHED);
                continue;
            }
            // Both ends keep an edge that both chose: that costs less than to decide which.
            let id = self.id::<FIRST>(lightest[slot] as u32);
            if ALONE {
                self.forest.insert_alone(id);
            } else {
                self.forest.insert(id);
            }
            let is_root =
                (component < other) & (self.lightest[other as usize].load(Relaxed) == lightest[slot]);
            tell(component, if is_root { component } else { other });
        }
    }

    /// Rewrites records in terms of new components, drops those inside one, and lets the rest make their offers.
    pub(super) fn contract<const ALONE: bool>(
        &self,
        labels: &[AtomicU32],
        live: u32,
        regions: &mut [Region],
    ) {
        if !ALONE {
            self.claim_labels(regions, labels, live);
        }
        self.team.deal(regions.len(), Schedule::Dynamic(1), |_, dealt| {
            for region in &regions[dealt] {
                let read = |from: usize, len: usize, block: &mut Block| {
                    for (slot, position) in (0..len).zip(region.start + from..) {
                        let [ends, tail] = &self.records[position];
                        (block.u[slot], block.v[slot]) = unpack(ends.load(Relaxed));
                        block.tails[slot] = tail.load(Relaxed);
                    }
                };
                let kept = self.rewrite::<ALONE>(labels, region, read);
                region.len.store(kept, Relaxed);
            }
        });
    }

    /// The same from the input into records.
    pub(super) fn contract_input<const ALONE: bool>(
        &self,
        labels: &[AtomicU32],
        live: u32,
        regions: &mut [Region],
    ) {
        let edges = self.edges;
        if !ALONE {
            self.claim_labels(regions, labels, live);
        }
        self.team.deal(regions.len(), Schedule::Dynamic(1), |_, dealt| {
            for region in &regions[dealt] {
                let read = |from: usize, len: usize, block: &mut Block| {
                    let at = region.start + from;
                    block.u[..len].copy_from_slice(&edges.u()[at..at + len]);
                    block.v[..len].copy_from_slice(&edges.v()[at..at + len]);
                    for (slot, id) in (0..len).zip(at as u32..) {
                        block.tails[slot] = pack(self.scale.of(edges.key(id)), id);
                    }
                };
                let kept = self.rewrite::<ALONE>(labels, region, read);
                region.len.store(kept, Relaxed);
            }
        });
    }

    /// Writes chosen edges of the input as records, and lets them make their offers.
    pub(super) fn gather(
        &self,
        label: impl Fn(Vertex) -> Vertex,
        region: &Region,
        mut ids: impl Iterator<Item = EdgeId>,
    ) {
        let mut block = Block::default();
        let mut picked = [0; BLOCK];
        let mut kept = 0;
        loop {
            let mut filled = 0;
            for (slot, id) in picked.iter_mut().zip(&mut ids) {
                *slot = id;
                filled += 1;
            }
            let mut left = 0;
            for &id in &picked[..filled] {
                let (u, v) = self.edges.ends(id);
                let (u, v) = (label(u), label(v));
                block.u[left] = u;
                block.v[left] = v;
                block.tails[left] = pack(self.scale.of(self.edges.key(id)), id);
                left += usize::from(u != v);
            }
            self.write::<false>(&block, left, region, kept);
            kept += left;
            if filled < BLOCK {
                break;
            }
        }
        region.len.store(kept, Relaxed);
    }

    #[inline(always)]
    fn write<const ALONE: bool>(&self, block: &Block, len: usize, region: &Region, kept: usize) {
        for slot in 0..len {
            prefetch(self.lightest, block.u[slot] as usize);
            prefetch(self.lightest, block.v[slot] as usize);
        }
        for slot in 0..len {
            let (u, v, tail) = (block.u[slot], block.v[slot], block.tails[slot]);
            let position = region.start + kept + slot;
            let record = &self.records[position];
            record[0].store(pack(u, v), Relaxed);
            record[1].store(tail, Relaxed);
            let offer = tail & !0xFFFF_FFFF | position as u64;
            self.offer::<ALONE, false>(&region.own, u, offer);
            self.offer::<ALONE, false>(&region.own, v, offer);
        }
    }

    fn rewrite<const ALONE: bool>(
        &self,
        labels: &[AtomicU32],
        region: &Region,
        read: impl Fn(usize, usize, &mut Block),
    ) -> usize {
        let mut block = Block::default();
        let len = region.len.load(Relaxed);
        let (mut from, mut kept) = (0, 0);
        while from < len {
            let filled = BLOCK.min(len - from);
            read(from, filled, &mut block);
            let mut left = 0;
            for slot in 0..filled {
                let u = labels[block.u[slot] as usize].load(Relaxed) & !LABEL;
                let v = labels[block.v[slot] as usize].load(Relaxed) & !LABEL;
                block.u[left] = u;
                block.v[left] = v;
                block.tails[left] = block.tails[slot];
                left += usize::from(u != v);
            }
            self.write::<ALONE>(&block, left, region, kept);
            kept += left;
            from += filled;
        }
        kept
    }
}

/// The range from the lowest to the highest; empty without any.
fn extent(components: impl Iterator<Item = u32>) -> Range<u32> {
    let (start, end) = components
        .fold((u32::MAX, 0), |(start, end), component| (start.min(component), end.max(component + 1)));
    start..end
}

struct Block {
    u: [Vertex; BLOCK],
    v: [Vertex; BLOCK],
    tails: [u64; BLOCK],
}

impl Default for Block {
    fn default() -> Self {
        Self { u: [0; BLOCK], v: [0; BLOCK], tails: [0; BLOCK] }
    }
}

/// Climbs to the label of a component's root, and leaves it with every component on the way.
#[inline]
pub(super) fn label(parents: &[AtomicU32], component: u32) {
    let climb = |component: u32| parents[component as usize].load(Relaxed);
    let first = climb(component);
    // A root is looked up once more, which costs less than a branch that nobody can foresee.
    let mut found = climb(if first & LABEL == 0 { first } else { component });
    if found & LABEL == 0 {
        while found & LABEL == 0 {
            found = climb(found);
        }
        let mut step = first;
        loop {
            let next = climb(step);
            if next & LABEL != 0 {
                break;
            }
            parents[step as usize].store(found, Relaxed);
            step = next;
        }
    }
    parents[component as usize].store(found, Relaxed);
}
