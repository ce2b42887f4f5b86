//! The lightest edge of each component, found by several threads: the minimum of Borůvka's
//! algorithm.
//!
//! * With 32-bit weights a slot holds a rank (key above id), and [`write_min`] is one atomic
//!   minimum. With 64-bit weights a rank has 96 bits, so a slot holds the id alone. Then
//!   [`write_min`] reads the key of the edge in the slot, and replaces the id by a
//!   compare-exchange if its own edge is lighter. A candidate that is not lighter only reads.
//! * Progress: lock-free; wait-free on processors with an atomic minimum. A compare-exchange fails
//!   only when another thread has written a lighter edge, so the number of attempts is at most the
//!   number of lighter candidates.
//! * Memory order: relaxed. The values of a slot descend in the strict total order. The slot
//!   publishes no other data, and its final value is read in a later step of the team.
//! * Memory: 8 bytes per component, 4 with 64-bit weights.
//!
//! [`write_min`]: LightestEdges::write_min

use std::sync::atomic::Ordering::Relaxed;

use kostra_core::{EdgeId, Edges, Key, Vertex};

use kostra_parallel::sync::{AtomicU32, AtomicU64, as_atomic_u32, as_atomic_u64};

/// No graph has an edge with this id.
const NO_EDGE: EdgeId = EdgeId::MAX;

/// One slot per component.
pub struct LightestEdges<'a, K: Key> {
    edges: Edges<'a, K>,
    slots: Slots<'a>,
}

enum Slots<'a> {
    Ranks(&'a [AtomicU64]),
    Ids(&'a [AtomicU32]),
}

impl<'a, K: Key> LightestEdges<'a, K> {
    /// The number of words that `components` slots take.
    pub const fn words(components: usize) -> usize {
        if K::BITS == 32 { components } else { components.div_ceil(2) }
    }

    /// Slots in [`words(components)`](Self::words) words of any content. The caller must
    /// [clear](Self::clear) a slot before it uses it.
    pub fn in_words(edges: Edges<'a, K>, words: &'a mut [u64]) -> Self {
        let slots = if K::BITS == 32 {
            Slots::Ranks(as_atomic_u64(words))
        } else {
            Slots::Ids(as_atomic_u32(bytemuck::cast_slice_mut(words)))
        };
        Self { edges, slots }
    }

    /// Writes an edge to the component's slot if it is the lightest so far.
    #[inline]
    pub fn write_min(&self, component: Vertex, key: K, id: EdgeId) {
        match self.slots {
            Slots::Ranks(ranks) => {
                let (slot, rank) = (&ranks[component as usize], packed(key, id));
                if rank < slot.load(Relaxed) {
                    slot.fetch_min(rank, Relaxed);
                }
            }
            Slots::Ids(ids) => {
                let (slot, rank) = (&ids[component as usize], key.rank(id));
                let mut current = slot.load(Relaxed);
                while current == NO_EDGE || rank < self.edges.rank(current) {
                    match slot.compare_exchange_weak(current, id, Relaxed, Relaxed) {
                        Ok(_) => return,
                        Err(lighter) => current = lighter,
                    }
                }
            }
        }
    }

    /// The lightest edge since the slot was cleared.
    #[inline]
    pub fn get(&self, component: Vertex) -> Option<EdgeId> {
        let id = match self.slots {
            Slots::Ranks(ranks) => ranks[component as usize].load(Relaxed) as EdgeId,
            Slots::Ids(ids) => ids[component as usize].load(Relaxed),
        };
        (id != NO_EDGE).then_some(id)
    }

    /// Empties a slot. No thread may call [`write_min`](Self::write_min) on it in the same step.
    #[inline]
    pub fn clear(&self, component: Vertex) {
        match self.slots {
            Slots::Ranks(ranks) => ranks[component as usize].store(u64::MAX, Relaxed),
            Slots::Ids(ids) => ids[component as usize].store(NO_EDGE, Relaxed),
        }
    }
}

/// The rank of an edge with a 32-bit key.
fn packed<K: Key>(key: K, id: EdgeId) -> u64 {
    key.to_u64() << 32 | u64::from(id)
}

#[cfg(all(test, loom))]
mod under_loom {
    use kostra_core::{EdgeList, Order, Weight};

    use super::*;

    /// Three threads write candidates to one component, in every interleaving.
    fn check<W: Weight>(weights: &'static [W], candidates: [&'static [EdgeId]; 3]) {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(move || {
            let ends = vec![0; weights.len()];
            let graph = Box::leak(Box::new(
                EdgeList::new(1, ends.clone(), ends, weights.to_vec()).unwrap(),
            ));
            let edges = graph.edges(Order::Minimum);
            let words = Vec::leak(vec![0; LightestEdges::<W::Key>::words(1)]);
            let lightest: &LightestEdges<'_, W::Key> =
                Box::leak(Box::new(LightestEdges::in_words(edges, words)));
            lightest.clear(0);
            let threads = candidates.map(|ids| {
                loom::thread::spawn(move || {
                    ids.iter().for_each(|&id| lightest.write_min(0, edges.key(id), id))
                })
            });
            threads.into_iter().for_each(|thread| thread.join().unwrap());
            let expected = candidates.concat().into_iter().min_by_key(|id| edges.rank(*id));
            assert_eq!(lightest.get(0), expected);
        });
    }

    #[test]
    fn the_lightest_candidate_stays_in_any_interleaving() {
        check(&[5_u32, 3, 3, 4], [&[0, 2], &[1], &[3]]);
        check(&[5_u64, 3, 3, 4], [&[0, 2], &[1], &[3]]);
        check(&[7_u32; 3], [&[2], &[1], &[0]]);
        check(&[7_u64; 3], [&[2], &[1], &[0]]);
    }
}

#[cfg(test)]
mod tests {
    use kostra_core::{EdgeList, Order, Weight};

    use super::*;
    use kostra_parallel::with_team;

    fn assert_the_lightest_stays<W: Weight>(weights: &[W]) {
        let m = weights.len() as u32;
        let graph =
            EdgeList::new(1, vec![0; m as usize], vec![0; m as usize], weights.to_vec()).unwrap();
        for order in [Order::Minimum, Order::Maximum] {
            let edges = graph.edges(order);
            let mut words = vec![0; LightestEdges::<W::Key>::words(3)];
            let lightest = LightestEdges::in_words(edges, &mut words);
            (0..3).for_each(|component| lightest.clear(component));
            with_team(3, |team| {
                team.on_all(|thread| {
                    for id in 0..m {
                        lightest.write_min(0, edges.key(id), id);
                        lightest.write_min(2, edges.key(m - 1 - id), m - 1 - id);
                        lightest.write_min(thread as u32, edges.key(m - 1), m - 1);
                    }
                });
            });
            let expected = edges.ids().min_by_key(|id| edges.rank(*id));
            assert_eq!((lightest.get(0), lightest.get(2)), (expected, expected));
            assert_eq!(lightest.get(1), Some(m - 1));
            lightest.clear(0);
            assert_eq!((lightest.get(0), lightest.get(2)), (None, expected));
        }
    }

    #[test]
    fn of_equal_weights_the_lowest_id_stays() {
        assert_the_lightest_stays(&[3, 1, 2, 1, i32::MAX, 3]);
        assert_the_lightest_stays(&[u32::MAX; 4]);
        assert_the_lightest_stays(&[3, 1, 2, 1, i64::MAX, 3]);
        assert_the_lightest_stays(&[u64::MAX; 4]);
        assert_the_lightest_stays(&[
            0.0,
            -0.0,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NEG_INFINITY,
        ]);
        assert_the_lightest_stays(&[
            0.0,
            -0.0,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NEG_INFINITY,
        ]);
    }
}
