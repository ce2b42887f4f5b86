//! Borůvka's algorithm by contraction: rounds in which every component hooks onto its lightest
//! edge, and what is left of the graph is rewritten in terms of the new components.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use kostra_core::{EdgeId, Edges, Run, Vertex, Weight, prefetch};

use super::VERTICES;
use super::offer::Region;
use super::scale::{NONE, Scale, pack, unpack};
use super::settle::Staying;
use super::twins::Twins;
use kostra_parallel::SharedEdgeSet;
use kostra_parallel::{Schedule, Team};

/// Marks a label among parents.
pub(super) const LABEL: u32 = 1 << 31;
/// Stands for the first component that no edge leaves; the later ones count down from it.
const FINISHED: u32 = u32::MAX;
/// How many edges are looked up before the first of them is written.
const BLOCK: usize = 128;
/// How many components are looked up before the first of them hooks.
const HOOKS: usize = 128;
/// The components that an edge joins; the stand-in of its key, and its id below it. Side by side,
/// so that one cache line holds both.
pub(super) type Record = [AtomicU64; 2];

/// How many components there are.
#[derive(Clone, Copy, Default)]
pub(super) struct Counts {
    /// That edges leave, or may.
    pub(super) live: u32,
    /// That no edge of the band leaves.
    pub(super) finished: u32,
}

impl Counts {
    /// What a label means when all components of a band are finished: those of the last round come
    /// first.
    #[inline]
    pub(super) fn place(self, label: u32) -> Result<u32, u32> {
        if label > FINISHED - self.finished {
            Ok(self.live + (FINISHED - label))
        } else {
            Err(label & !LABEL)
        }
    }
}

/// What all rounds of one solve share. Steps take it by value, so that their loops keep it in
/// registers. `ORDERED` says that edges lie in the order of their ids, so that of two with equal
/// keys the one that lies first is the lighter.
#[derive(Clone, Copy)]
pub(super) struct Contraction<'a, W: Weight, const ORDERED: bool> {
    pub(super) edges: Edges<'a, W>,
    pub(super) team: &'a Team<'a>,
    pub(super) scale: Scale,
    pub(super) records: &'a [Record],
    pub(super) lightest: &'a [AtomicU64],
    pub(super) forest: &'a SharedEdgeSet,
    /// Fewer edges than this are one thread's work.
    pub(super) grain: usize,
}

impl<W: Weight, const ORDERED: bool> Contraction<'_, W, ORDERED> {
    /// The id of the edge at a position.
    #[inline]
    pub(super) fn id<const FIRST: bool>(self, position: u32) -> EdgeId {
        if FIRST { position } else { self.records[position as usize][1].load(Relaxed) as u32 }
    }

    /// Hooks every component onto the one that its lightest edge leads to, but for those that are
    /// to stay, and numbers the new components. `parents` then holds for each old component its new
    /// one, marked as a label; for one that no edge leaves, [`Counts::finished`] says which.
    pub(super) fn hook<const ALONE: bool, const FIRST: bool>(
        &self,
        parents: &[AtomicU32],
        staying: Option<&Staying>,
        counts: &mut Counts,
        run: &mut Run<'_>,
    ) {
        let components = parents.len();
        let blocks = components.div_ceil(VERTICES);
        let block = |block: usize| block * VERTICES..components.min((block + 1) * VERTICES);
        let found: Vec<AtomicU64> = (0..blocks).map(|_| AtomicU64::new(0)).collect();
        run.phase("hook", |_| {
            self.team.distribute(blocks, Schedule::Dynamic(1), |_, dealt| {
                let (this, parents, staying) = (*self, parents, staying); // in registers
                for index in dealt {
                    let (mut roots, mut finished) = (0, 0);
                    let mut start = block(index).start;
                    while start < block(index).end {
                        let end = block(index).end.min(start + HOOKS);
                        let tell = |component, parent| {
                            roots += u32::from(parent == component);
                            finished += u32::from(parent == FINISHED);
                            parents[component as usize].store(parent, Relaxed);
                        };
                        match staying {
                            None => this.parents_of::<ALONE, FIRST>(start..end, |_| false, tell),
                            Some(staying) => {
                                let stays = |component| staying.contains(component);
                                this.parents_of::<ALONE, FIRST>(start..end, stays, tell);
                            }
                        }
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
            self.team.distribute(blocks, Schedule::Dynamic(1), |_, dealt| {
                for index in dealt {
                    let (mut number, mut finished) = unpack(found[index].load(Relaxed));
                    for (component, slot) in block(index).zip(&parents[block(index)]) {
                        let parent = slot.load(Relaxed);
                        let is_root = parent == component as u32;
                        let mut word = if is_root { LABEL | number } else { parent };
                        if parent == FINISHED {
                            word -= finished;
                            finished += 1;
                        }
                        slot.store(word, Relaxed);
                        number += u32::from(is_root);
                    }
                }
            });
        });
        run.phase("label", |_| {
            self.team.distribute(blocks, Schedule::Dynamic(1), |_, dealt| {
                let (parents, lightest) = (parents, self.lightest); // in registers
                for index in dealt {
                    for component in block(index) {
                        label(parents, component as u32);
                    }
                    let cleared = block(index);
                    lightest[cleared.start.min(live as usize)..cleared.end.min(live as usize)]
                        .iter()
                        .for_each(|slot| slot.store(NONE, Relaxed));
                }
            });
        });
    }

    /// Where components hook: onto themselves if they stay, or if the other end chose the same edge
    /// and this end is the lower; nowhere without an edge. Keeps the edges.
    ///
    /// In stages, each of which asks for the memory that the next one reads.
    #[inline(always)]
    fn parents_of<const ALONE: bool, const FIRST: bool>(
        self,
        components: Range<usize>,
        stays: impl Fn(u32) -> bool,
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
            self.forest.prefetch(self.id::<FIRST>(position));
        }
        for (slot, component) in components.enumerate() {
            let (component, other) = (component as u32, others[slot]);
            if stays(component) {
                tell(component, component);
                continue;
            }
            if lightest[slot] == NONE {
                tell(component, FINISHED);
                continue;
            }
            // Both ends keep an edge that both chose: deciding which of them does costs as much.
            let id = self.id::<FIRST>(lightest[slot] as u32);
            if ALONE {
                self.forest.insert_alone(id);
            } else {
                self.forest.insert(id);
            }
            let is_root = (component < other)
                & (self.lightest[other as usize].load(Relaxed) == lightest[slot])
                & !stays(other);
            tell(component, if is_root { component } else { other });
        }
    }

    /// Rewrites records in terms of new components, drops those inside one, and lets the rest make
    /// their offers.
    pub(super) fn contract<const ALONE: bool>(
        &self,
        labels: &[AtomicU32],
        live: u32,
        regions: &mut [Region],
    ) {
        let records = self.records;
        self.rewrite::<ALONE, _>(labels, live, regions, |positions| {
            records[positions]
                .iter()
                .map(|[ends, tail]| (unpack(ends.load(Relaxed)), tail.load(Relaxed)))
        });
    }

    /// The same from the input into records.
    pub(super) fn contract_input<const ALONE: bool>(
        &self,
        labels: &[AtomicU32],
        live: u32,
        regions: &mut [Region],
    ) {
        let this = *self;
        self.rewrite::<ALONE, _>(labels, live, regions, |ids| this.input(ids));
    }

    /// Writes chosen edges of the input as records, and lets them make their offers, hastily.
    pub(super) fn gather_chosen(
        &self,
        region: &Region,
        mut ids: impl Iterator<Item = EdgeId>,
        label: impl Fn(Vertex) -> Vertex,
    ) {
        let mut picked = [0; BLOCK];
        self.gather(region, |block| {
            let mut filled = 0;
            for (slot, id) in picked.iter_mut().zip(&mut ids) {
                *slot = id;
                filled += 1;
                prefetch(self.edges.u(), id as usize);
                prefetch(self.edges.v(), id as usize);
                prefetch(self.edges.weights(), id as usize);
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
            (filled > 0).then_some(left)
        });
    }

    /// The same with edges that are at hand, each with the components that it joins.
    pub(super) fn gather_these(
        &self,
        region: &Region,
        mut edges: impl Iterator<Item = ((u32, u32), u64)>,
    ) {
        self.gather(region, |block| {
            let mut filled = 0;
            for ((u, v), tail) in edges.by_ref().take(BLOCK) {
                (block.u[filled], block.v[filled], block.tails[filled]) = (u, v, tail);
                filled += 1;
            }
            (filled > 0).then_some(filled)
        });
    }

    /// Writes block after block. What fills them says how many edges are in each, and nothing when
    /// it has had its last.
    #[inline(always)]
    fn gather(&self, region: &Region, mut fill: impl FnMut(&mut Block) -> Option<usize>) {
        let (mut block, mut end) = (Block::default(), region.start);
        while let Some(left) = fill(&mut block) {
            let start = end;
            end += self.write(&block, left, start, |_, _| false);
            for ((u, v), offer) in self.written(start..end) {
                self.offer_hastily(u, offer);
                self.offer_hastily(v, offer);
            }
        }
        region.len.store(end - region.start, Relaxed);
    }

    /// Writes the first edges of a block as records from a position on, but for those of which it
    /// is told that they are superfluous, and asks for what their offers will look at. Returns how
    /// many there are.
    #[inline(always)]
    fn write(
        self,
        block: &Block,
        len: usize,
        start: usize,
        mut is_superfluous: impl FnMut(u64, u64) -> bool,
    ) -> usize {
        let mut kept = 0;
        for slot in 0..len {
            let (u, v, tail) = (block.u[slot], block.v[slot], block.tails[slot]);
            prefetch(self.lightest, u as usize);
            prefetch(self.lightest, v as usize);
            let record = &self.records[start + kept];
            record[0].store(pack(u, v), Relaxed);
            record[1].store(tail, Relaxed);
            kept += usize::from(!is_superfluous(pack(u, v), tail));
        }
        kept
    }

    /// Rewrites the edges that are read at some positions between new components.
    #[inline(always)]
    fn rewrite<const ALONE: bool, I: Iterator<Item = ((u32, u32), u64)>>(
        &self,
        labels: &[AtomicU32],
        live: u32,
        regions: &mut [Region],
        read: impl Fn(Range<usize>) -> I + Sync,
    ) {
        self.claim::<ALONE>(regions, live, |position| {
            let ends = read(position..position + 1).next().map(|(ends, _)| ends);
            ends.map_or((0, 0), |(u, v)| (label_of(labels, u), label_of(labels, v)))
        });
        self.deal(regions, |region| {
            let (this, labels) = (*self, labels); // in registers
            let (len, mut outside, mut block) =
                (region.len.load(Relaxed), region.list(), Block::default());
            let mut twins = Twins::new(len);
            let (mut from, mut kept) = (0, 0);
            while from < len {
                let filled = BLOCK.min(len - from);
                let mut left = 0;
                for ((u, v), tail) in read(region.start + from..region.start + from + filled) {
                    let (u, v) = (label_of(labels, u), label_of(labels, v));
                    (block.u[left], block.v[left]) = (u.min(v), u.max(v));
                    block.tails[left] = tail;
                    left += usize::from(u != v);
                }
                let start = region.start + kept;
                let written = if twins.are_many() {
                    this.write(&block, left, start, |ends, edge| {
                        twins.seen(ends, edge, |a, b| this.scale.is_before(this.edges, a, b))
                    })
                } else {
                    this.write(&block, left, start, |_, _| false)
                };
                let edges = this.written(start..start + written);
                this.offer::<ALONE, false>(&region.own, &mut outside, edges);
                kept += written;
                from += filled;
            }
            region.len.store(kept, Relaxed);
            *region.outside() = outside;
        });
        self.offer_outside::<false>(regions);
    }
}

pub(super) fn label_of(labels: &[AtomicU32], component: u32) -> u32 {
    labels[component as usize].load(Relaxed) & !LABEL
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
