//! Counting the vertices that are in no edge of any rank.

use kostra_core::AnyGraph;
use kostra_mpi::{Communicator, Parts, Reduction};

/// Counts the isolated vertices. `part` holds this rank's edges. Collective. Each rank uses two
/// bits per vertex and sends one: it collects the bits of its share of the vertices.
pub(super) fn count_isolated(part: &AnyGraph, world: &Communicator) -> u64 {
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
    let bits_of = |word: usize| received.iter().fold(0_u64, |bits, of_rank| bits | of_rank[word]);
    let present = (0..own).map(|word| u64::from(bits_of(word).count_ones())).sum();
    let present = world.reduce_one(Reduction::Sum, present);
    vertices as u64 - present
}
