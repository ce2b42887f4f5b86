//! Ranks that all have a device: their forests stay on the devices and are merged there.
//!
//! * Each rank copies its slice to its device and reduces it to its forest. Forests are then merged
//!   along a binary tree of ranks, as in [`merge_tree`](super::merge_tree): the receiving rank
//!   reduces both forests on its device. Ends and weights go up the tree, and one bit per edge
//!   comes down.
//! * The messages with edges go from device to device if MPI takes device pointers, else through
//!   page-locked host memory.
//! * This way is taken if every rank has a device with enough memory and enough edges, and if the
//!   graph has no [`locality`](super::locality). With locality, a rank contracts most of its edges
//!   on its threads, and sends few.
#![expect(unsafe_code, reason = "messages are sent from and received into device memory")]

use kostra_core::{EdgeSet, Edges, Key, Order, Run, SolveError, Weight};
use kostra_cuda::WireMemory;
use kostra_cuda::multi::RankForest;

use super::bits;
use super::local::is_on_device;
use super::locality::has_locality;
use super::rank_tree;
use crate::comm::{Communicator, Reduction, takes_device_pointers};
use crate::graph::Slice;

/// The maximum number of vertices per edge of all ranks. Above it, the steps for all vertices take
/// longer than those for edges.
const MAX_VERTICES_PER_EDGE: u64 = 4;

/// A merge of the forests of two ranks.
struct Merge {
    /// The rank that sent its forest.
    sender: usize,
    /// The number of edges of this rank's forest before the merge.
    own: usize,
    /// The number of edges of the sender's forest.
    received: usize,
}

/// The edges of this rank's slice that are in the forest, or `None` on all ranks if this way is not
/// taken. Collective.
pub(super) fn solve<W: Weight>(
    slice: &Slice<W>,
    order: Order,
    world: &Communicator,
    run: &mut Run<'_>,
) -> Result<Option<EdgeSet>, SolveError> {
    let edges = slice.global_graph().map(|graph| graph.edge_list().edges(order));
    let edges = edges.filter(|edges| is_on_device(edges.len(), run));
    let are_all_on_devices = everywhere(edges.is_some(), world);
    let Some(edges) = edges.filter(|_| are_all_on_devices) else { return Ok(None) };
    let all = world.reduce_one(Reduction::Sum, slice.len() as u64);
    if slice.vertices() > MAX_VERTICES_PER_EDGE * all || has_locality(slice, all, world) {
        return Ok(None);
    }
    let memory = if everywhere(takes_device_pointers(), world) {
        WireMemory::OnDevice
    } else {
        WireMemory::PageLocked
    };
    let has_room = RankForest::has_room(run.request.device(), edges, all, memory, run)?;
    if !everywhere(has_room, world) {
        return Ok(None);
    }
    merge(edges, memory, world, run).map(Some)
}

/// Whether `holds` is true on all ranks. Collective.
fn everywhere(holds: bool, world: &Communicator) -> bool {
    world.reduce_one(Reduction::Min, holds.into()) == 1
}

/// The edges of this rank that are in the forest of all ranks' edges. Collective.
fn merge<K: Key>(
    edges: Edges<'_, K>,
    memory: WireMemory,
    world: &Communicator,
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    let mut forest = world
        .phase(run, "local", |run| RankForest::new(run.request.device(), edges, memory, run))?;
    world.phase(run, "merge", |run| {
        let is_on_device = memory == WireMemory::OnDevice;
        run.report.counter("device pointers", f64::from(u8::from(is_on_device)));
        let mut merges = Vec::new();
        for sender in rank_tree::senders(world.rank(), world.size()) {
            let (own, received) = (forest.len(), world.receive::<u64>(sender)[0] as usize);
            forest.merge(received, |piece| {
                // SAFETY: the pieces are of memory that MPI takes.
                unsafe { world.receive_at(sender, piece.address, piece.bytes) }
            })?;
            merges.push(Merge { sender, own, received });
        }
        let mut chosen = match rank_tree::leader(world.rank()) {
            Some(leader) => {
                world.send(leader, &[forest.len() as u64]);
                forest.send(|piece| {
                    // SAFETY: the pieces are of memory that MPI takes.
                    unsafe { world.send_at(leader, piece.address, piece.bytes) }
                })?;
                EdgeSet::from_words(world.receive(leader))
            }
            None => all_of(forest.len()),
        };
        // The merges are undone, the last one first.
        while let Some(Merge { sender, own, received }) = merges.pop() {
            let both = forest.undo(&chosen, run)?;
            let of_sender = &both.words()[own / 64..];
            world.send(sender, &bits::extract(of_sender, own % 64, received));
            chosen = EdgeSet::from_words(bits::extract(both.words(), 0, own));
        }
        forest.undo(&chosen, run)
    })
}

/// The set of all edges below `edges`.
fn all_of(edges: usize) -> EdgeSet {
    EdgeSet::from_words(bits::extract(&vec![u64::MAX; edges.div_ceil(64)], 0, edges))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_of_all_edges_has_these_and_no_others() {
        for edges in [0, 1, 63, 64, 65, 128, 1000] {
            assert!(all_of(edges).into_ids().into_iter().eq(0..edges as u32), "{edges}");
        }
    }
}
