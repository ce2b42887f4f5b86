//! Heaps of arcs that can be merged, and whose keys can be lowered together.

use kostra_core::{OutOfMemory, memory};

use super::network::{Amount, ArcId, Network};

/// No arc: the end of a heap.
const NONE: ArcId = ArcId::MAX;

/// Skew heaps (Sleator & Tarjan 1986) in which an amount that all keys lose waits at the root. Each
/// arc is in one heap at most. Every operation takes O(log m) amortized.
pub(super) struct Heaps<A> {
    nodes: Vec<Node<A>>,
}

struct Node<A> {
    /// The key, once the ancestors have passed on what they owe.
    key: A,
    /// What the keys below have still to lose.
    owed: A,
    children: [ArcId; 2],
}

/// A heap: the arc at its top.
#[derive(Clone, Copy)]
pub(super) struct Heap(ArcId);

impl Heap {
    pub(super) const EMPTY: Self = Self(NONE);
}

impl<A: Amount> Heaps<A> {
    /// A heap for each arc, whose key is the cost.
    pub(super) fn new(network: &Network<'_, A>) -> Result<Self, OutOfMemory> {
        let mut nodes = memory::with_capacity(network.arcs())?;
        nodes.extend((0..network.arcs() as ArcId).map(|arc| {
            let (key, owed) = (network.cost(arc).clone(), A::default());
            Node { key, owed, children: [NONE; 2] }
        }));
        Ok(Self { nodes })
    }

    /// The heap with this arc alone, which is in no other one.
    pub(super) fn of(arc: ArcId) -> Heap {
        Heap(arc)
    }

    /// Removes the arc with the lowest key; the arc, its key, and the heap of the others.
    pub(super) fn pop(&mut self, heap: Heap) -> Option<(ArcId, A, Heap)> {
        let Heap(top) = heap;
        if top == NONE {
            return None;
        }
        self.pass_on(top);
        let node = &mut self.nodes[top as usize];
        let [left, right] = std::mem::replace(&mut node.children, [NONE; 2]);
        let key = node.key.clone();
        Some((top, key, self.merge(Heap(left), Heap(right))))
    }

    /// Lowers all keys of a heap.
    pub(super) fn lower(&mut self, heap: Heap, by: &A) {
        if let Some(node) = self.nodes.get_mut(heap.0 as usize) {
            node.key -= by;
            node.owed += by;
        }
    }

    /// Merges two heaps: walks down the right sides of both, and makes them left sides.
    pub(super) fn merge(&mut self, Heap(mut one): Heap, Heap(mut other): Heap) -> Heap {
        if one == NONE || other == NONE {
            return Heap(one.min(other));
        }
        if self.is_before(other, one) {
            std::mem::swap(&mut one, &mut other);
        }
        let top = one;
        loop {
            // `one` is the lower of the two tops: its right child is merged with `other`.
            self.pass_on(one);
            let [left, right] = self.nodes[one as usize].children;
            if right == NONE {
                self.nodes[one as usize].children = [other, left];
                return Heap(top);
            }
            let (next, rest) =
                if self.is_before(other, right) { (other, right) } else { (right, other) };
            self.nodes[one as usize].children = [next, left];
            (one, other) = (next, rest);
        }
    }

    fn is_before(&self, one: ArcId, other: ArcId) -> bool {
        self.nodes[one as usize].key < self.nodes[other as usize].key
    }

    /// Passes on to the children what their keys have to lose.
    fn pass_on(&mut self, arc: ArcId) {
        let node = &mut self.nodes[arc as usize];
        if node.owed == A::default() {
            return;
        }
        let (owed, children) = (std::mem::take(&mut node.owed), node.children);
        children.into_iter().for_each(|child| self.lower(Heap(child), &owed));
    }
}

#[cfg(test)]
mod tests {
    use kostra_core::AnyGraph;
    use kostra_core::random::RandomStream;

    use super::*;

    #[test]
    fn heaps_return_their_keys_in_order_after_merges_and_lowered_keys() {
        let (stream, mut draws) = (RandomStream::new(5), 0);
        let mut below = |bound| {
            draws += 1;
            stream.below(draws, bound)
        };
        let count = 400_u32;
        let weights: Vec<i32> = (0..count).map(|_| below(90) as i32 - 40).collect();
        let ends = vec![0; count as usize];
        let graph = AnyGraph::from_edges(1, ends.clone(), ends, weights.clone()).unwrap();
        let mut costs: Vec<i128> = weights.iter().map(|&weight| weight.into()).collect();
        let network = Network::new(&graph, &costs, &[0]).unwrap();
        let mut heaps = Heaps::new(&network).unwrap();
        // Several heaps with the arcs that each one has.
        let mut all: Vec<(Heap, Vec<ArcId>)> =
            (0..count).map(|arc| (Heaps::<i128>::of(arc), vec![arc])).collect();
        while all.len() > 1 {
            let place = below(all.len() as u64) as usize;
            let by = i128::from(below(20)) - 5;
            let (heap, arcs) = &mut all[place];
            heaps.lower(*heap, &by);
            arcs.iter().for_each(|&arc| costs[arc as usize] -= by);
            if below(4) == 0
                && let Some((arc, key, rest)) = heaps.pop(*heap)
            {
                assert_eq!(Some(&key), arcs.iter().map(|&arc| &costs[arc as usize]).min());
                assert_eq!(key, costs[arc as usize]);
                arcs.retain(|&other| other != arc);
                *heap = rest;
            }
            let (one, mut gone) = all.swap_remove(place);
            let other = below(all.len() as u64) as usize;
            let (heap, arcs) = &mut all[other];
            *heap = heaps.merge(one, *heap);
            arcs.append(&mut gone);
        }
        let (mut heap, arcs) = all.pop().unwrap();
        let mut left: Vec<_> = arcs.iter().map(|&arc| costs[arc as usize]).collect();
        left.sort_unstable();
        assert!(left.len() > 200);
        for expected in left {
            let (_, key, rest) = heaps.pop(heap).unwrap();
            assert_eq!(key, expected);
            heap = rest;
        }
        assert!(heaps.pop(heap).is_none());
    }
}
