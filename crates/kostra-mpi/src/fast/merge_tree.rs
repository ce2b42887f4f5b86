//! What is left of all ranks' edges, merged along a binary tree of ranks, and what became of them,
//! told back along it.
//!
//! Neighbours merge, so that the places of edges ascend as ids do, and no ids need to travel: up go
//! names, ends and weights, and down one bit an edge.

use kostra_core::{Order, Run, SolveError, UnionFind, Weight};

use super::name::Name;
use super::part::Part;
use crate::Communicator;

/// The places of this rank's edges that are in the forest of all ranks' edges. Collective.
///
/// Where `adopted` is given, it is filled, on every rank, with each component that has become part
/// of another one, and that other one.
pub(super) fn merge<N: Name, W: Weight>(
    part: &Part<'_, N, W>,
    order: Order,
    adopted: Option<&mut Vec<(N, N)>>,
    world: &Communicator,
    run: &mut Run<'_>,
) -> Result<Vec<u32>, SolveError> {
    let own = part.forest(order, run)?;
    let mut held = part.these(&own);
    let mut turns = Vec::new();
    let mut stride = 1;
    let mut leader = None;
    while stride < world.size() && leader.is_none() {
        if !world.rank().is_multiple_of(2 * stride) {
            leader = Some(world.rank() - stride);
            held.send(world.rank() - stride, world);
        } else if world.rank() + stride < world.size() {
            let before = held.len();
            held = held.followed_by(&Part::receive(world.rank() + stride, world));
            let kept = held.forest(order, run)?;
            turns.push((world.rank() + stride, before, held.len() - before, kept.clone()));
            held = held.these(&kept);
        }
        stride *= 2;
    }
    // Before anybody waits for word from above: who broadcasts may have to wait until all take
    // part.
    if let Some(adopted) = adopted {
        let pairs = if leader.is_none() { held.components() } else { Vec::new() };
        let (names, roots) = pairs.into_iter().unzip();
        let (names, roots) = (world.broadcast_vec(0, names), world.broadcast_vec(0, roots));
        adopted.extend(names.into_iter().zip(roots));
    }
    let mut chosen = match leader {
        Some(leader) => of_words(world.receive(leader)),
        None => vec![true; held.len()],
    };
    while let Some((other, before, theirs, kept)) = turns.pop() {
        let mut all = vec![false; before + theirs];
        for (place, chosen) in kept.into_iter().zip(chosen) {
            all[place as usize] = chosen;
        }
        world.send(other, &to_words(&all[before..]));
        all.truncate(before);
        chosen = all;
    }
    Ok(own.into_iter().zip(chosen).filter(|(_, chosen)| *chosen).map(|(place, _)| place).collect())
}

pub(super) fn to_words(bits: &[bool]) -> Vec<u8> {
    bits.chunks(8)
        .map(|bits| bits.iter().rev().fold(0, |word, &bit| word << 1 | u8::from(bit)))
        .collect()
}

pub(super) fn of_words(words: Vec<u8>) -> Vec<bool> {
    words.into_iter().flat_map(|word| (0..8).map(move |bit| word >> bit & 1 == 1)).collect()
}

impl<N: Name, W: Weight> Part<'_, N, W> {
    /// For each component that edges of this part join to a lower one, the lowest that they join it
    /// to.
    fn components(&self) -> Vec<(N, N)> {
        let mut sets = UnionFind::new(self.names.len() as u32);
        for (&u, &v) in self.u.iter().zip(&*self.v) {
            sets.union(u, v);
        }
        let roots = sets.flatten().iter().map(|&root| self.names[root as usize]);
        self.names.iter().copied().zip(roots).filter(|(name, root)| name != root).collect()
    }
}
