//! The forest of all ranks' active edges, merged along a binary tree of ranks.
//!
//! Ranks merge with their neighbors by rank, so positions of edges ascend with the ids, and no ids
//! are sent. Component ids, ends and weights go up the tree, and one bit per edge comes down.

use kostra_core::{Order, Run, SolveError, UnionFind, Weight};

use super::active_edges::ActiveEdges;
use super::bits;
use super::global_id::GlobalId;
use super::rank_tree;
use crate::comm::Communicator;

/// A merge of the edges of two ranks.
struct Merge {
    /// The rank that sent its edges.
    sender: usize,
    /// The number of edges that this rank had.
    own: usize,
    /// The number of edges that the sender had.
    received: usize,
    /// The positions of the merged forest among the edges of both.
    kept: Vec<u32>,
}

/// The positions of this rank's edges that are in the forest of all ranks' edges. Collective.
///
/// If `adopted` is given, it gets, on every rank, a pair for each component that has become part of
/// another one: the component, and the component that it has become part of.
pub(super) fn merge<I: GlobalId, W: Weight>(
    edges: &ActiveEdges<'_, I, W>,
    order: Order,
    adopted: Option<&mut Vec<(I, I)>>,
    world: &Communicator,
    run: &mut Run<'_>,
) -> Result<Vec<u32>, SolveError> {
    let own = edges.forest(order, run)?;
    let mut held = edges.select(&own);
    let mut merges = Vec::new();
    for sender in rank_tree::senders(world.rank(), world.size()) {
        let own = held.len();
        held = held.followed_by(&ActiveEdges::receive(sender, world));
        let kept = held.forest(order, run)?;
        merges.push(Merge { sender, own, received: held.len() - own, kept: kept.clone() });
        held = held.select(&kept);
    }
    let leader = rank_tree::leader(world.rank());
    if let Some(leader) = leader {
        held.send(leader, world);
    }
    // This comes before any rank waits for its leader: a broadcast may wait until all ranks take
    // part.
    if let Some(adopted) = adopted {
        let pairs = if leader.is_none() { held.component_pairs() } else { Vec::new() };
        let (components, roots) = pairs.into_iter().unzip();
        let (components, roots) =
            (world.broadcast_vec(0, components), world.broadcast_vec(0, roots));
        adopted.extend(components.into_iter().zip(roots));
    }
    let chosen = match leader {
        Some(leader) => bits::unpack(&world.receive::<u8>(leader)),
        None => vec![true; held.len()],
    };
    let chosen = return_along_tree(chosen, merges, world);
    Ok(own.into_iter().zip(chosen).filter(|(_, chosen)| *chosen).map(|(edge, _)| edge).collect())
}

/// Undoes the merges, the last one first. `chosen` says which edges of the last merged forest are
/// in the result. Sends each sender the bits of its edges, and returns the bits of this rank's
/// edges.
fn return_along_tree(
    mut chosen: Vec<bool>,
    mut merges: Vec<Merge>,
    world: &Communicator,
) -> Vec<bool> {
    while let Some(Merge { sender, own, received, kept }) = merges.pop() {
        let mut all = vec![false; own + received];
        for (position, chosen) in kept.into_iter().zip(chosen) {
            all[position as usize] = chosen;
        }
        world.send(sender, &bits::pack::<u8, _>(&all[own..], |&bit| bit));
        all.truncate(own);
        chosen = all;
    }
    chosen
}

impl<I: GlobalId, W: Weight> ActiveEdges<'_, I, W> {
    /// Pairs of a component and the lowest component that the edges join it to, for each component
    /// that is not the lowest itself.
    fn component_pairs(&self) -> Vec<(I, I)> {
        let mut sets = UnionFind::new(self.components.len() as u32);
        for (&u, &v) in self.u.iter().zip(&*self.v) {
            sets.union(u, v);
        }
        let roots = sets.flatten().iter().map(|&root| self.components[root as usize]);
        let pairs = self.components.iter().copied().zip(roots);
        pairs.filter(|(component, root)| component != root).collect()
    }
}
