//! The priority queues of Prim's algorithm, behind one trait: the solvers share the growing loop,
//! and the heaps share a test.

mod binary;
mod pairing;

use kostra_core::{Key, OutOfMemory, Vertex};

pub use binary::BinaryHeap;
pub use pairing::PairingHeap;

/// A priority queue of vertices, lowest rank first, in which ranks can be lowered. All functions
/// that return [`OutOfMemory`] fail when the system refuses the memory.
pub trait Heap<K: Key>: Sized {
    /// An empty queue for the vertices below `vertices`.
    fn new(vertices: u32) -> Result<Self, OutOfMemory>;
    /// Adds a vertex that is not in the queue.
    fn insert(&mut self, vertex: Vertex, rank: K::Rank) -> Result<(), OutOfMemory>;
    /// Lowers the rank of a vertex that is in the queue.
    fn decrease(&mut self, vertex: Vertex, rank: K::Rank);
    /// Removes and returns the vertex with the lowest rank.
    fn delete_min(&mut self) -> Option<Vertex>;
}

/// The test of every heap: it gives the same answers as a list that is searched.
#[cfg(test)]
pub fn agrees_with_a_searched_list<H: Heap<u32>>() {
    const VERTICES: u32 = 200;
    let mut random = crate::testing::CongruentialGenerator(7);
    for _ in 0..if cfg!(miri) { 2 } else { 100 } {
        let mut heap = H::new(VERTICES).unwrap();
        let mut list: Vec<(u64, Vertex)> = Vec::new();
        for step in 0..2000 {
            // The step is the id, so all ranks differ.
            let rank = random.below(50).rank(step);
            let vertex = random.below(VERTICES);
            // Filling and emptying phases alternate, so that the heap becomes deep and shallow.
            if random.below(8) < if step / 250 % 2 == 0 { 2 } else { 5 } {
                let lowest = list.iter().copied().min();
                assert_eq!(heap.delete_min(), lowest.map(|(_, vertex)| vertex));
                list.retain(|&entry| Some(entry) != lowest);
            } else if let Some(entry) = list.iter_mut().find(|entry| entry.1 == vertex) {
                if rank < entry.0 {
                    heap.decrease(vertex, rank);
                    entry.0 = rank;
                }
            } else {
                heap.insert(vertex, rank).unwrap();
                list.push((rank, vertex));
            }
        }
        list.sort_unstable();
        for (_, vertex) in list {
            assert_eq!(heap.delete_min(), Some(vertex));
        }
        assert_eq!(heap.delete_min(), None);
    }
}
