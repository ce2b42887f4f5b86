//! A pairing heap of vertices: a tree in heap order that is restructured only when its root is
//! removed.
//!
//! Adding a vertex and lowering a rank meld a tree with the root in O(1). Removing the root melds
//! its children in pairs from the first to the last, and then the pairs from the last to the first.
//! Every operation takes O(log n) amortized time (Fredman, Sedgewick, Sleator and Tarjan 1986).
//! Moret and Shapiro 1994 measured their best times for Prim's algorithm with it.
//!
//! The nodes are stored in one array, indexed by vertex, and the two passes follow the links of the
//! children. So nothing is allocated after the start, and nothing recurses. Memory: 24 bytes per
//! vertex (32 with 64-bit weights).

use kostra_core::{Key, OutOfMemory, Vertex, memory};

use crate::heap::Heap;

/// No vertex: a graph's vertices are below this number.
const NONE: Vertex = Vertex::MAX;

#[derive(Clone, Copy)]
struct Node<R> {
    rank: R,
    first_child: Vertex,
    next_sibling: Vertex,
    /// The previous sibling; for a first child, the parent.
    previous: Vertex,
}

/// A pairing heap.
pub struct PairingHeap<K: Key> {
    nodes: Vec<Node<K::Rank>>,
    root: Vertex,
}

impl<K: Key> Heap<K> for PairingHeap<K> {
    fn new(vertices: u32) -> Result<Self, OutOfMemory> {
        let alone =
            Node { rank: K::MIN.rank(0), first_child: NONE, next_sibling: NONE, previous: NONE };
        Ok(Self { nodes: memory::filled(vertices as usize, alone)?, root: NONE })
    }

    #[inline]
    fn insert(&mut self, vertex: Vertex, rank: K::Rank) -> Result<(), OutOfMemory> {
        *self.node(vertex) = Node { rank, first_child: NONE, next_sibling: NONE, previous: NONE };
        self.root = if self.root == NONE { vertex } else { self.meld(self.root, vertex) };
        Ok(())
    }

    fn decrease(&mut self, vertex: Vertex, rank: K::Rank) {
        self.node(vertex).rank = rank;
        if vertex != self.root {
            self.cut(vertex);
            self.root = self.meld(self.root, vertex);
        }
    }

    fn delete_min(&mut self) -> Option<Vertex> {
        if self.root == NONE {
            return None;
        }
        let lowest = self.root;
        let first_child = self.node(lowest).first_child;
        let pairs = self.meld_in_pairs(first_child);
        self.root = self.meld_all(pairs);
        Some(lowest)
    }
}

impl<K: Key> PairingHeap<K> {
    fn node(&mut self, vertex: Vertex) -> &mut Node<K::Rank> {
        &mut self.nodes[vertex as usize]
    }

    /// Makes the root that comes later the first child of the other, which it returns. Neither has
    /// siblings then.
    fn meld(&mut self, a: Vertex, b: Vertex) -> Vertex {
        let a_first = self.nodes[a as usize].rank < self.nodes[b as usize].rank;
        let (parent, child) = if a_first { (a, b) } else { (b, a) };
        let sibling = std::mem::replace(&mut self.node(parent).first_child, child);
        if sibling != NONE {
            self.node(sibling).previous = child;
        }
        let node = self.node(child);
        (node.next_sibling, node.previous) = (sibling, parent);
        let node = self.node(parent);
        (node.next_sibling, node.previous) = (NONE, NONE);
        parent
    }

    /// Takes a vertex, with the tree below it, from its parent.
    fn cut(&mut self, vertex: Vertex) {
        let Node { next_sibling: next, previous, .. } = *self.node(vertex);
        if next != NONE {
            self.node(next).previous = previous;
        }
        let before = self.node(previous);
        if before.first_child == vertex {
            before.first_child = next;
        } else {
            before.next_sibling = next;
        }
    }

    /// The first pass: melds siblings two by two. Returns the last pair, with links to the pairs
    /// before it.
    fn meld_in_pairs(&mut self, mut first: Vertex) -> Vertex {
        let mut pairs = NONE;
        while first != NONE {
            let second = self.node(first).next_sibling;
            let (pair, rest) = if second == NONE {
                (first, NONE)
            } else {
                let rest = self.node(second).next_sibling;
                (self.meld(first, second), rest)
            };
            self.node(pair).next_sibling = pairs;
            pairs = pair;
            first = rest;
        }
        pairs
    }

    /// The second pass: melds the pairs, in the order of their links, into one tree.
    fn meld_all(&mut self, mut root: Vertex) -> Vertex {
        if root == NONE {
            return NONE;
        }
        let mut pair = self.node(root).next_sibling;
        while pair != NONE {
            let before = self.node(pair).next_sibling;
            root = self.meld(root, pair);
            pair = before;
        }
        let node = self.node(root);
        (node.next_sibling, node.previous) = (NONE, NONE);
        root
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_the_lowest_first_whatever_happened_before() {
        crate::heap::agrees_with_a_searched_list::<PairingHeap<u32>>();
    }

    #[test]
    fn a_million_children_of_one_root_need_no_deep_stack() {
        let n = if cfg!(miri) { 500 } else { 1_000_000 };
        let mut heap = PairingHeap::<u32>::new(n).unwrap();
        heap.insert(0, 0_u32.rank(0)).unwrap();
        for vertex in 1..n {
            heap.insert(vertex, (n - vertex).rank(vertex)).unwrap();
        }
        assert_eq!(heap.delete_min(), Some(0));
        for vertex in (1..n).rev() {
            assert_eq!(heap.delete_min(), Some(vertex));
        }
    }
}
