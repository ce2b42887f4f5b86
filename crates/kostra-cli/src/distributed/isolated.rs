//! How many vertices are in no edge of any rank.

use kostra::AnyGraph;
use kostra_mpi::{Communicator, Parts, Reduction};

/// Counts them over the ranks' parts of the edges. Collective; takes one bit a vertex on each rank, twice, and sends it
/// once: each rank gathers the bits of its share of the vertices.
pub(super) fn count(part: &AnyGraph, world: &Communicator) -> u64 {
    let vertices = part.vertices() as usize;
    let mut occurring = vec![0_u64; vertices.div_ceil(64)];
    for &vertex in part.u().iter().chain(part.v()) {
        occurring[vertex as usize / 64] |= 1 << (vertex % 64);
    }
    let (words, ranks) = (occurring.len(), world.size());
    let bound = |rank: usize| words * rank / ranks;
    let lengths: Vec<usize> = (0..ranks).map(|rank| bound(rank + 1) - bound(rank)).collect();
    let received = world.exchange(&Parts::new(occurring, lengths));
    let own = bound(world.rank() + 1) - bound(world.rank());
    let in_some_part =
        |word: usize| received.iter().fold(0, |bits, of_rank| bits | of_rank[word]).count_ones().into();
    let present = world.reduce_one(Reduction::Sum, (0..own).map(in_some_part).sum());
    vertices as u64 - present
}
