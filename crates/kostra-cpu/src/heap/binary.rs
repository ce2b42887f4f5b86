//! A binary heap of vertices that stores each vertex's position, so that a rank can be lowered in
//! place.
//!
//! Every operation takes O(log n). Memory: 4 bytes per vertex of the graph, and 16 per vertex in
//! the heap (32 with 64-bit weights). Prim's algorithm keeps only the neighbors of its tree in the
//! heap.

use kostra_core::{Key, OutOfMemory, Vertex, memory};

use crate::heap::Heap;

/// A binary heap with positions.
pub struct BinaryHeap<K: Key> {
    /// Ranks with their vertices, so that comparisons read this array only. No entry's rank is
    /// below its parent's.
    entries: Vec<(K::Rank, Vertex)>,
    /// The position of each vertex in `entries`; meaningless for vertices outside the heap.
    positions: Vec<u32>,
}

impl<K: Key> Heap<K> for BinaryHeap<K> {
    fn new(vertices: u32) -> Result<Self, OutOfMemory> {
        Ok(Self { entries: Vec::new(), positions: memory::zeros(vertices as usize)? })
    }

    #[inline]
    fn insert(&mut self, vertex: Vertex, rank: K::Rank) -> Result<(), OutOfMemory> {
        memory::push(&mut self.entries, (rank, vertex))?;
        self.sift_up(self.entries.len() - 1, (rank, vertex));
        Ok(())
    }

    fn decrease(&mut self, vertex: Vertex, rank: K::Rank) {
        self.sift_up(self.positions[vertex as usize] as usize, (rank, vertex));
    }

    fn delete_min(&mut self) -> Option<Vertex> {
        let last = self.entries.pop()?;
        let Some(&(_, lowest)) = self.entries.first() else { return Some(last.1) };
        self.sift_down(0, last);
        Some(lowest)
    }
}

impl<K: Key> BinaryHeap<K> {
    /// The rank of a vertex, if it is in the heap. O(1).
    pub fn rank_of(&self, vertex: Vertex) -> Option<K::Rank> {
        let &(rank, there) = self.entries.get(self.positions[vertex as usize] as usize)?;
        // The position of a vertex that has left belongs to another vertex or to none.
        (there == vertex).then_some(rank)
    }

    /// The vertex with the lowest rank, and its rank. O(1).
    pub fn first(&self) -> Option<(K::Rank, Vertex)> {
        self.entries.first().copied()
    }

    /// Removes all vertices. O(1).
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// Puts an entry into a hole, after moving each parent of a higher rank down into it.
    fn sift_up(&mut self, mut hole: usize, entry: (K::Rank, Vertex)) {
        while hole > 0 {
            let parent = (hole - 1) / 2;
            if self.entries[parent].0 < entry.0 {
                break;
            }
            self.place(hole, self.entries[parent]);
            hole = parent;
        }
        self.place(hole, entry);
    }

    /// Puts an entry into a hole, after moving each child of a lower rank up into it.
    fn sift_down(&mut self, mut hole: usize, entry: (K::Rank, Vertex)) {
        loop {
            let left = 2 * hole + 1;
            // The child of the lower rank, if there are two.
            let child = match self.entries.get(left..) {
                Some([left_child, right_child, ..]) => {
                    left + usize::from(right_child.0 < left_child.0)
                }
                Some([_]) => left,
                _ => break,
            };
            if entry.0 < self.entries[child].0 {
                break;
            }
            self.place(hole, self.entries[child]);
            hole = child;
        }
        self.place(hole, entry);
    }

    fn place(&mut self, hole: usize, entry: (K::Rank, Vertex)) {
        self.entries[hole] = entry;
        self.positions[entry.1 as usize] = hole as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_the_lowest_first_whatever_happened_before() {
        crate::heap::agrees_with_a_searched_list::<BinaryHeap<u32>>();
    }

    #[test]
    fn a_vertex_has_a_rank_while_it_is_in_the_heap_and_no_longer() {
        let mut heap = BinaryHeap::<u32>::new(4).unwrap();
        assert_eq!((heap.rank_of(0), heap.first()), (None, None));
        for vertex in 0..4 {
            heap.insert(vertex, (9 - vertex).rank(vertex)).unwrap();
        }
        heap.decrease(1, 2_u32.rank(1));
        assert_eq!(heap.first(), Some((2_u32.rank(1), 1)));
        assert_eq!(heap.delete_min(), Some(1));
        let ranks = [0, 1, 2, 3].map(|vertex| heap.rank_of(vertex).map(u32::rank_key));
        assert_eq!(ranks, [Some(9), None, Some(7), Some(6)]);
        heap.clear();
        heap.insert(2, 5_u32.rank(2)).unwrap();
        let ranks = [0, 1, 2, 3].map(|vertex| heap.rank_of(vertex).map(u32::rank_key));
        assert_eq!(ranks, [None, None, Some(5), None]);
    }

    #[test]
    fn every_vertex_knows_its_place() {
        let mut heap = BinaryHeap::<u32>::new(100).unwrap();
        for vertex in 0..100 {
            heap.insert(vertex, (vertex * 37 % 100 + 100).rank(vertex)).unwrap();
        }
        for vertex in (0..100).step_by(3) {
            heap.decrease(vertex, (vertex * 41 % 100).rank(vertex));
        }
        while heap.delete_min().is_some() {
            for (place, &(_, vertex)) in heap.entries.iter().enumerate() {
                assert_eq!(heap.positions[vertex as usize] as usize, place);
            }
        }
    }
}
