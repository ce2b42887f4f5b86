//! Boundary vertices, at which several ranks have edges, and the contraction of a slice's interior.

use std::borrow::Cow;

use kostra_core::{BitSet, EdgeSet, Order, Run, SolveError, Weight, items_at};

use super::active_edges::ActiveEdges;
use super::global_id::GlobalId;
use super::{bits, local};
use crate::comm::{Communicator, Parts};
use crate::graph::{RankBitVector, Slice, VertexDistribution, VertexMap};

/// The boundary of a slice.
pub(super) struct Boundary {
    /// The local ids of the boundary vertices of this slice.
    pub(super) vertices: BitSet,
    /// The number of vertices at which this slice has edges.
    pub(super) vertices_of_slice: usize,
    /// The number of vertices that this rank owns and at which any rank has edges.
    pub(super) owned_with_edges: u64,
}

/// The first word of a message that lists offsets in a block of vertices.
const AS_LIST: u32 = 0;
/// The first word of a message with one bit per vertex of a block.
const AS_BITS: u32 = 1;

/// Finds the boundary. Each rank tells the owners of vertices at which of them it has edges, as a
/// list or as bits, whichever is shorter. Owners answer with one bit per vertex. Collective.
pub(super) fn find_boundary<W: Weight>(
    slice: &Slice<W>,
    distribution: VertexDistribution,
    world: &Communicator,
    threads: usize,
) -> Boundary {
    let edges = slice.edges();
    // The vertices at which the slice has edges, ascending. These are all ids of a table, whose
    // positions are the local ids, or some of the ids of the graph.
    let (ids, is_table): (Cow<'_, [u64]>, _) = match slice.vertex_map() {
        VertexMap::Table(ids) => (ids.into(), true),
        VertexMap::Identity => {
            let used = RankBitVector::of_ends_on(threads, edges.vertices(), [edges.u(), edges.v()]);
            (used.iter().collect::<Vec<_>>().into(), false)
        }
    };
    let start_of = |owner| ids.partition_point(|&id| id < distribution.first(owner));
    let owned_by: Vec<_> =
        (0..distribution.ranks()).map(|owner| start_of(owner)..start_of(owner + 1)).collect();
    let words_of_bits = |owner: usize| distribution.len(owner).div_ceil(32);
    let sends_bits = |owner: usize| words_of_bits(owner) < owned_by[owner].len();
    let mut words = Vec::new();
    let mut lengths = Vec::with_capacity(distribution.ranks());
    for (owner, range) in owned_by.iter().enumerate() {
        let (start, first) = (words.len(), distribution.first(owner));
        let offsets = ids[range.clone()].iter().map(|id| (id - first) as u32);
        if sends_bits(owner) {
            words.resize(start + 1 + words_of_bits(owner), 0);
            words[start] = AS_BITS;
            let block = &mut words[start + 1..];
            offsets.for_each(|offset| bits::set_if(block, offset as usize, true));
        } else if !range.is_empty() {
            words.push(AS_LIST);
            words.extend(offsets);
        }
        lengths.push(words.len() - start);
    }
    let arrived = world.exchange(&Parts::new(words, lengths));
    let (answers, owned_with_edges) = answer(&arrived, distribution.len(world.rank()));
    drop(arrived);
    let answers = world.exchange(&answers);

    let mut vertices = BitSet::new(edges.vertices() as usize);
    for (owner, answer) in answers.iter().enumerate() {
        let (first, is_bits) = (distribution.first(owner), sends_bits(owner));
        for (index, position) in owned_by[owner].clone().enumerate() {
            let bit = if is_bits { (ids[position] - first) as usize } else { index };
            if bits::get(answer, bit) {
                vertices.insert(if is_table { position as u32 } else { ids[position] as u32 });
            }
        }
    }
    Boundary { vertices, vertices_of_slice: ids.len(), owned_with_edges }
}

/// Answers for each vertex in a message whether another rank has named it too, in the form of the
/// message. Also returns the number of vertices that were named.
fn answer(arrived: &Parts<u32>, block: usize) -> (Parts<u32>, u64) {
    let (mut once, mut again) = (vec![0_u32; block.div_ceil(32)], vec![0_u32; block.div_ceil(32)]);
    for message in arrived.iter().filter(|message| !message.is_empty()) {
        if message[0] == AS_BITS {
            for ((once, again), &bits) in once.iter_mut().zip(&mut again).zip(&message[1..]) {
                *again |= *once & bits;
                *once |= bits;
            }
        } else {
            for &offset in &message[1..] {
                let is_repeated = bits::get(&once, offset as usize);
                bits::set_if(&mut again, offset as usize, is_repeated);
                bits::set_if(&mut once, offset as usize, true);
            }
        }
    }
    let answers = arrived.iter().map(|message| match message.split_first() {
        None => Vec::new(),
        Some((&AS_BITS, bits)) => {
            bits.iter().zip(&again).map(|(bits, again)| bits & again).collect()
        }
        Some((_, offsets)) => bits::pack(offsets, |&offset| bits::get(&again, offset as usize)),
    });
    let answers = answers.collect();
    (answers, once.iter().map(|bits| u64::from(bits.count_ones())).sum())
}

/// Contracts the interior of a slice. Adds to `forest` the edges that are in the forest of the
/// whole graph whatever edges other ranks have. Returns the edges that may or may not be in it: a
/// forest between trees that each contain one boundary vertex, whose id is the id of the tree.
///
/// Consider Kruskal's algorithm, and an edge that joins two trees, one of which has no boundary
/// vertex. This edge is the lightest of all edges that leave that tree, on any rank, so it is in
/// the forest (cut property). A slice of more than three edges per vertex is first reduced to its
/// own forest (cycle property).
pub(super) fn contract_interior<I: GlobalId, W: Weight>(
    slice: &Slice<W>,
    boundary: &BitSet,
    order: Order,
    forest: &mut EdgeSet,
    run: &mut Run<'_>,
) -> Result<ActiveEdges<'static, I, W>, SolveError> {
    let edges = slice.edges();
    let (ends, undecided) = if edges.len() <= 3 * edges.vertices() as usize {
        let interior = kostra_cpu::contract_interior(edges.edges(order), boundary, run)?;
        *forest = interior.forest;
        (interior.undecided.ends, interior.undecided.ids)
    } else {
        let kept = local::forest(slice.graph(), order, run)?.into_ids();
        let kept_edges = edges.subgraph(&kept);
        let interior = kostra_cpu::contract_interior(kept_edges.edges(order), boundary, run)?;
        for position in interior.forest.into_ids() {
            forest.insert(kept[position as usize]);
        }
        (interior.undecided.ends, items_at(&kept, &interior.undecided.ids))
    };
    let active = ActiveEdges::between(slice, ends, undecided, run.request.threads());
    let kept = active.forest(order, run)?;
    Ok(active.reduced_to_forest(&kept))
}
