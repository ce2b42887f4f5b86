//! The joins of a forest's edges, by one thread while others search ahead.
//!
//! * **Idea**: most of the time is spent on the way from the ends of an edge to the representatives
//!   of their clusters. This way may be taken in advance. Links are never removed, so what a helper
//!   finds in an earlier state is an ancestor, and the join goes on from there.
//! * **Why the result does not depend on threads**: one thread joins the edges in their order, and
//!   the representatives that it finds do not depend on the ancestor from which it starts.
//! * **Source**: the idea of threads that test later edges of Kruskal's algorithm against an older
//!   state is of Katsigiannis, Anastopoulos, Nikas & Koziris 2012. They drop edges that close
//!   cycles. Here there are none, and the ancestors are kept.
//! * **Time**: the joins themselves stay sequential, O(1) expected steps each, because few clusters
//!   have merged since the search.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use crate::{OutOfMemory, Vertex, memory};

use super::nodes::Nodes;

/// Threads that run steps together with the calling thread.
pub trait Helpers {
    /// The number of threads, the calling one included.
    fn threads(&self) -> usize;

    /// Calls `step` once for each number below `steps`, on any of the threads, and returns when all
    /// calls have returned. Lower numbers start first.
    fn for_each(&self, steps: usize, step: &(dyn Fn(usize) + Sync));
}

/// The edges between two waits of the threads for each other. The ancestors of two batches fit into
/// the second-level cache.
const BATCH: usize = if cfg!(test) { 1 << 6 } else { 1 << 14 };
/// The edges that a helper takes at a time.
const BLOCK: usize = if cfg!(test) { 1 << 4 } else { 1 << 10 };

/// Ancestors of the ends of a batch of edges.
struct Ancestors(Vec<AtomicU64>);

impl Ancestors {
    fn new() -> Result<Self, OutOfMemory> {
        Ok(Self(memory::collected((0..BATCH).map(|_| AtomicU64::new(0)))?))
    }

    fn get(&self, place: usize) -> [Vertex; 2] {
        let packed = self.0[place].load(Relaxed);
        [packed as u32, (packed >> 32) as u32]
    }

    /// Searches from the ends of the edges of a block.
    fn find(&self, nodes: &Nodes, batch: &[[Vertex; 2]], block: usize) {
        for place in block * BLOCK..batch.len().min((block + 1) * BLOCK) {
            nodes.prefetch_paths(batch, place);
            let [u, v] = batch[place].map(|end| nodes.root(end).0);
            self.0[place].store(u64::from(v) << 32 | u64::from(u), Relaxed);
        }
    }
}

/// Joins the ends of all edges in order. All ends are vertices. Returns the vertex that each edge
/// linked, up to the first edge that closes a cycle.
pub(super) fn join_all(
    nodes: &Nodes,
    ends: &[[Vertex; 2]],
    helpers: &impl Helpers,
) -> Result<Vec<Vertex>, OutOfMemory> {
    let mut children = Mutex::new(memory::with_capacity(ends.len())?);
    let mut ancestors = [Ancestors::new()?, Ancestors::new()?];
    let batch =
        |number: usize| ends.get(number * BATCH..).map(|rest| &rest[..rest.len().min(BATCH)]);
    for number in 0..=ends.len().div_ceil(BATCH) {
        let [found, next] = &ancestors;
        let later = batch(number).unwrap_or_default();
        helpers.for_each(1 + later.len().div_ceil(BLOCK), &|step| match step.checked_sub(1) {
            Some(block) => next.find(nodes, later, block),
            None => {
                let mut children = children.lock().unwrap_or_else(PoisonError::into_inner);
                let joined = number.checked_sub(1).and_then(batch).unwrap_or_default();
                join(nodes, found, joined.len(), &mut children);
            }
        });
        ancestors.swap(0, 1);
        let joined = children.get_mut().unwrap_or_else(PoisonError::into_inner).len();
        if joined < ends.len().min(number * BATCH) {
            break; // A cycle.
        }
    }
    Ok(children.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// Joins the clusters of the first ancestors.
fn join(nodes: &Nodes, ancestors: &Ancestors, edges: usize, children: &mut Vec<Vertex>) {
    /// How many edges before its use a node is prefetched.
    const DISTANCE: usize = 16;
    for place in 0..edges {
        ancestors
            .get((place + DISTANCE) % BATCH)
            .into_iter()
            .for_each(|vertex| nodes.prefetch(vertex));
        let [u, v] = ancestors.get(place);
        let Some(child) = nodes.join(u, v, children.len() as u32) else { return };
        children.push(child);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use crate::random::RandomStream;
    use crate::tree::MergeTree;

    use super::*;

    /// Runs the steps on one thread in random order, as if others were late or early.
    struct AnyOrder(RefCell<RandomStream>);

    impl Helpers for AnyOrder {
        fn threads(&self) -> usize {
            2
        }

        fn for_each(&self, steps: usize, step: &(dyn Fn(usize) + Sync)) {
            let mut random = self.0.borrow_mut();
            *random = random.split(steps as u64);
            let mut order: Vec<usize> = (0..steps).collect();
            order.sort_by_cached_key(|&number| random.at(number as u64));
            order.into_iter().for_each(step);
        }
    }

    fn any_order(seed: u64) -> AnyOrder {
        AnyOrder(RefCell::new(RandomStream::new(seed)))
    }

    /// Trees of several shapes, and forests: the ends of their edges in order.
    fn shape(kind: u64, n: u32, random: RandomStream) -> Vec<[Vertex; 2]> {
        let below = |v: u32, bound: u32| random.below(v.into(), bound.into()) as u32;
        let mut ends: Vec<_> = (1..n)
            .map(|v| match kind % 5 {
                0 => [v - 1, v],
                1 => [v, 0],
                2 => [below(v, v), v],
                3 => [v, v - 1 - below(v, v.min(3))],
                _ => [v / 2, v],
            })
            .collect();
        if kind >= 5 {
            ends.sort_by_cached_key(|pair| random.split(1).at(pair[0].max(pair[1]).into()));
        }
        if kind >= 10 {
            ends.retain(|&[u, v]| (u + v) % 7 > 0);
        }
        ends
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes minutes, and the code has no unsafe blocks")]
    fn the_order_of_steps_does_not_matter() {
        for kind in 0..15 {
            for n in [1, 2, 17, 63, 64, 65, 66, 129, 1000] {
                let ends = shape(kind, n, RandomStream::new(kind));
                let expected = MergeTree::in_order(n, &ends).unwrap();
                for seed in 0..4 {
                    let found = MergeTree::in_order_with(n, &ends, &any_order(seed)).unwrap();
                    assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{kind}, {n}");
                }
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes minutes, and the code has no unsafe blocks")]
    fn the_first_fault_is_named() {
        let n = 300;
        for at in [0, 1, 63, 64, 65, 200, 298] {
            for wrong in [[5, 5], [7, n], [n + 3, n]] {
                let mut ends = shape(7, n, RandomStream::new(1));
                ends[at] = wrong;
                ends[at.max(250)] = [n, 0];
                let expected = MergeTree::in_order(n, &ends).err();
                assert!(expected.is_some());
                assert_eq!(MergeTree::in_order_with(n, &ends, &any_order(2)).err(), expected);
            }
        }
    }
}
