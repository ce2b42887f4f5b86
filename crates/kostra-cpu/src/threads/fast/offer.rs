//! The offers of edges: every component is to know the lightest that leaves it.

use std::ops::Range;
use std::sync::atomic::{
    AtomicU64, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};
use std::sync::{Mutex, MutexGuard, PoisonError};

use kostra_core::{EdgeId, Key, Weight, prefetch};

use super::contract::Contraction;
use super::scale::{NONE, is_before_by_rank, pack, unpack};
use super::{VERTICES, edges_in};
use kostra_parallel::Schedule;

/// How many regions a thread takes at a time to find out where they lie.
const CLAIMS: usize = 32;
/// How many edges are looked at to find out where a region's edges lie.
const SAMPLE: usize = 16;
/// How many edges ahead offers that are made again ask for what they look at.
const AHEAD: usize = 32;

/// A stretch of records that one thread at a time works on. It shrinks in place.
pub(super) struct Region {
    pub(super) start: usize,
    pub(super) len: AtomicUsize,
    /// The components that the region alone writes to without exchanges, while all keep off those
    /// of others. None where the edges of a region are all over the graph: then all regions write
    /// to all components, with exchanges.
    pub(super) own: Option<Range<u32>>,
    /// Where edges are that join components of others, which wait until all regions are done with
    /// their own. If the list is full, those that it lacks may be anywhere.
    outside: Mutex<Vec<u32>>,
}

impl Region {
    pub(super) fn new(range: Range<usize>) -> Self {
        let (start, len) = (range.start, AtomicUsize::new(range.len()));
        Self { start, len, own: None, outside: Mutex::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len.load(Relaxed) == 0
    }

    /// An empty list, of the room that the region's has.
    pub(super) fn list(&self) -> Vec<u32> {
        match self.own {
            Some(_) => Vec::with_capacity(16 + self.len.load(Relaxed) / 16),
            None => Vec::new(),
        }
    }

    pub(super) fn outside(&self) -> MutexGuard<'_, Vec<u32>> {
        self.outside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W: Weight, const ORDERED: bool> Contraction<'_, W, ORDERED> {
    pub(super) fn clear_lightest(&self, components: usize) {
        self.team.distribute(components, Schedule::Dynamic(VERTICES), |_, range| {
            self.lightest[range].iter().for_each(|slot| slot.store(NONE, Relaxed));
        });
    }

    /// Lets the input's edges make the first offers.
    pub(super) fn offer_input<const ALONE: bool>(&self, regions: &mut [Region]) {
        self.claim::<ALONE>(regions, self.lightest.len() as u32, |position| {
            self.edges.ends(position as EdgeId)
        });
        self.deal(regions, |region| {
            let (this, mut outside) = (*self, region.list());
            let edges = this.input(region.start..region.start + region.len.load(Relaxed));
            this.offer::<ALONE, true>(&region.own, &mut outside, edges);
            *region.outside() = outside;
        });
        self.offer_outside::<true>(regions);
    }

    /// Edges of the input: the components that they join, and the offers that they make.
    #[inline(always)]
    pub(super) fn input(self, ids: Range<usize>) -> impl Iterator<Item = ((u32, u32), u64)> {
        let edges = self.edges;
        let ends = edges.u()[ids.clone()].iter().zip(&edges.v()[ids.clone()]);
        let keys = edges.weights()[ids.clone()]
            .iter()
            .map(move |weight| self.scale.of(edges.key_of(*weight)));
        ends.zip(keys)
            .zip(ids)
            .map(|(((u, v), stand_in), id)| ((*u, *v), pack(stand_in, id as u32)))
    }

    /// Edges that are written as records: the same.
    #[inline(always)]
    pub(super) fn written(
        self,
        positions: Range<usize>,
    ) -> impl Iterator<Item = ((u32, u32), u64)> {
        let records = &self.records[positions.clone()];
        records.iter().zip(positions.start as u64..).map(|([ends, tail], position)| {
            (unpack(ends.load(Relaxed)), tail.load(Relaxed) & !0xFFFF_FFFF | position)
        })
    }

    /// The components that the edge at a position joins, and the offer that it makes to them.
    #[inline]
    fn edge<const FIRST: bool>(self, position: usize) -> ((u32, u32), u64) {
        if FIRST {
            let id = position as EdgeId;
            return (self.edges.ends(id), pack(self.scale.of(self.edges.key(id)), id));
        }
        let [ends, tail] = &self.records[position];
        (unpack(ends.load(Relaxed)), tail.load(Relaxed) & !0xFFFF_FFFF | position as u64)
    }

    /// Deals out regions; few edges are not worth waking anybody for.
    pub(super) fn deal(&self, regions: &[Region], step: impl Fn(&Region) + Sync) {
        let block = if edges_in(regions) < self.grain { regions.len() } else { 1 };
        self.team.distribute(regions.len(), Schedule::Dynamic(block), |_, dealt| {
            regions[dealt].iter().for_each(&step);
        });
    }

    /// Finds which components are a region's own, given what the edge at a position is about to
    /// join. A sample says where the middle half of a region's ends lies; regions meet halfway
    /// between.
    pub(super) fn claim<const ALONE: bool>(
        &self,
        regions: &mut [Region],
        components: u32,
        ends: impl Fn(usize) -> (u32, u32) + Sync,
    ) {
        if ALONE || edges_in(regions) < self.grain {
            regions.iter_mut().for_each(|region| region.own = Some(0..u32::MAX));
            return;
        }
        let middles: Vec<AtomicU64> = regions.iter().map(|_| AtomicU64::new(0)).collect();
        self.team.distribute(regions.len(), Schedule::Dynamic(CLAIMS), |_, dealt| {
            for index in dealt {
                let (start, len) = (regions[index].start, regions[index].len.load(Relaxed));
                let sample = (0..SAMPLE).map(|drawn| ends(start + len * drawn / SAMPLE));
                let mut sample: Vec<_> =
                    sample.flat_map(|(u, v)| [u, v]).filter(|&end| end < components).collect();
                sample.sort_unstable();
                let [low, high] =
                    [1, 3].map(|quarters| sample.get(sample.len() * quarters / 4).copied());
                middles[index]
                    .store(pack(low.unwrap_or(components), high.unwrap_or(components)), Relaxed);
            }
        });
        let mut by_middle: Vec<_> =
            middles.into_iter().map(|middle| unpack(middle.into_inner())).zip(regions).collect();
        by_middle.sort_unstable_by_key(|((low, high), _)| u64::from(*low) + u64::from(*high));
        let (mut start, mut local) = (0, 0);
        for index in 0..by_middle.len() {
            let (low, high) = by_middle[index].0;
            let end = match by_middle.get(index + 1) {
                Some(((next, _), _)) => start.max(high / 2 + next / 2),
                None => u32::MAX,
            };
            local += usize::from(start <= low && high <= end);
            by_middle[index].1.own = Some(start..end);
            start = end;
        }
        if local < by_middle.len() * 3 / 4 {
            by_middle.iter_mut().for_each(|(_, region)| region.own = None);
        }
    }

    /// Lets edges make their offers to a region's own components, or to all where no region has its
    /// own. Keeps in mind which are left.
    #[inline(always)]
    pub(super) fn offer<const ALONE: bool, const FIRST: bool>(
        self,
        own: &Option<Range<u32>>,
        outside: &mut Vec<u32>,
        edges: impl Iterator<Item = ((u32, u32), u64)>,
    ) {
        let shared = !ALONE && own.is_none();
        let own = own.clone().unwrap_or_default();
        let width = own.end - own.start;
        let is_own = |component: u32| component.wrapping_sub(own.start) < width;
        for ((u, v), offer) in edges {
            if u == v {
                continue;
            }
            if ALONE || is_own(u) & is_own(v) {
                self.offer_own::<FIRST>(u, offer);
                self.offer_own::<FIRST>(v, offer);
            } else if shared {
                self.offer_shared::<FIRST>(u, offer);
                self.offer_shared::<FIRST>(v, offer);
            } else {
                for component in [u, v] {
                    if is_own(component) {
                        self.offer_own::<FIRST>(component, offer);
                    }
                }
                if outside.len() < outside.capacity() {
                    outside.push(offer as u32);
                }
            }
        }
    }

    /// Makes the offers that had to wait.
    pub(super) fn offer_outside<const FIRST: bool>(&self, regions: &mut [Region]) {
        if regions.iter_mut().all(|region| region.outside().is_empty()) {
            return;
        }
        self.team.distribute(regions.len(), Schedule::Dynamic(1), |_, dealt| {
            for region in &regions[dealt] {
                let (this, own) = (*self, region.own.clone().unwrap_or_default());
                let offer = |position: usize| {
                    let ((u, v), offer) = this.edge::<FIRST>(position);
                    for component in [u, v] {
                        if u != v && !own.contains(&component) {
                            this.offer_shared::<FIRST>(component, offer);
                        }
                    }
                };
                let outside = std::mem::take(&mut *region.outside());
                if outside.len() < outside.capacity() {
                    outside.into_iter().for_each(|position| offer(position as usize));
                } else {
                    (region.start..region.start + region.len.load(Relaxed)).for_each(offer);
                }
            }
        });
    }

    /// Makes all offers once more that were made hastily: hardly any is left to do, and so hardly
    /// anything to wait for.
    pub(super) fn settle(&self, regions: &[Region]) {
        self.deal(regions, |region| {
            let this = *self;
            let end = region.start + region.len.load(Relaxed);
            for position in region.start..end {
                if let Some([ends, _]) = this.records[..end].get(position + AHEAD) {
                    let (u, v) = unpack(ends.load(Relaxed));
                    prefetch(this.lightest, u as usize);
                    prefetch(this.lightest, v as usize);
                }
                let ((u, v), offer) = this.edge::<false>(position);
                this.offer_shared::<false>(u, offer);
                this.offer_shared::<false>(v, offer);
            }
        });
    }

    /// Offers an edge to a component that no other thread writes to: the lightest is kept.
    #[inline]
    fn offer_own<const FIRST: bool>(self, component: u32, offer: u64) {
        let slot = &self.lightest[component as usize];
        let held = slot.load(Relaxed);
        if self.offers_decide() {
            slot.store(held.min(offer), Relaxed);
        } else if self.is_lighter::<FIRST>(offer, held) {
            slot.store(offer, Relaxed);
        }
    }

    /// The same where others may. Lock-free: an exchange fails only when another thread's has
    /// brought a lighter edge.
    #[inline]
    fn offer_shared<const FIRST: bool>(self, component: u32, offer: u64) {
        let slot = &self.lightest[component as usize];
        let mut held = slot.load(Acquire);
        while self.is_lighter::<FIRST>(offer, held) {
            // Release, and acquire above: who sees a position sees the record that was written
            // there.
            match slot.compare_exchange_weak(held, offer, Release, Acquire) {
                Ok(_) => return,
                Err(other) => held = other,
            }
        }
    }

    /// The same without an exchange, which nothing overtakes: of two offers at once the lighter may
    /// be lost, so that all have to be made again ([`Self::settle`]).
    #[inline]
    pub(super) fn offer_hastily(self, component: u32, offer: u64) {
        let slot = &self.lightest[component as usize];
        if self.is_lighter::<false>(offer, slot.load(Acquire)) {
            slot.store(offer, Release);
        }
    }

    /// Whether of two offers the lower number is that of the lighter edge.
    #[inline]
    fn offers_decide(self) -> bool {
        ORDERED && (W::Key::BITS == 32 || self.scale.is_exact)
    }

    #[inline]
    fn is_lighter<const FIRST: bool>(self, a: u64, b: u64) -> bool {
        if self.offers_decide() {
            return a < b;
        }
        is_before_by_rank(self.edges, |position| self.id::<FIRST>(position), a, b)
    }
}
