//! Which vertices several ranks have edges at, and what that spares: edges about which nobody else
//! has to be asked.

use std::borrow::Cow;

use kostra_core::{BitSet, EdgeId, EdgeList, EdgeSet, Order, Run, SolveError, Weight};

use super::name::{Blocks, Name};
use super::part::{Part, pick};
use crate::ranked::Ranked;
use crate::{Communicator, Names, Parts, Slice};

/// The vertices that edges of a slice end at.
pub(super) struct Sharing {
    /// Those of them, by local name, that edges of other ranks end at too.
    pub(super) shared: BitSet,
    /// How many they are.
    pub(super) here: usize,
    /// How many vertices have edges on any rank that this rank owns.
    pub(super) owned: u64,
}

/// The first word of a list of places in a block.
const LIST: u32 = 0;
/// The first word of a bit for each place in a block.
const BITS: u32 = 1;

/// Finds out who shares what: each rank tells the owners of vertices which of them it has edges at,
/// as a list or as bits, whatever is shorter, and owners answer with a bit for each. Collective.
pub(super) fn sharing<W: Weight>(
    slice: &Slice<W>,
    blocks: Blocks,
    world: &Communicator,
) -> Sharing {
    let edges = slice.edges();
    // The vertices that edges end at, ascending: all of a table, whose places are local names, or
    // some of the graph's.
    let (names, is_table): (Cow<'_, [u64]>, _) = match slice.names() {
        Names::Table(names) => (names.into(), true),
        Names::Identity => {
            let used = Ranked::ends(edges.vertices().into(), edges.u(), edges.v());
            (used.iter().collect::<Vec<_>>().into(), false)
        }
    };
    let start_of = |owner| names.partition_point(|&name| name < blocks.first(owner));
    let owned_by: Vec<_> =
        (0..blocks.ranks()).map(|owner| start_of(owner)..start_of(owner + 1)).collect();
    let words_of_bits = |owner: usize| blocks.len(owner).div_ceil(32);
    let as_bits = |owner: usize| words_of_bits(owner) < owned_by[owner].len();
    let mut words = Vec::new();
    let mut lengths = Vec::with_capacity(blocks.ranks());
    for (owner, range) in owned_by.iter().enumerate() {
        let (start, first) = (words.len(), blocks.first(owner));
        let offsets = names[range.clone()].iter().map(|name| (name - first) as u32);
        if as_bits(owner) {
            words.resize(start + 1 + words_of_bits(owner), 0);
            words[start] = BITS;
            let bits = &mut words[start + 1..];
            offsets.for_each(|offset| bits[offset as usize / 32] |= 1 << (offset % 32));
        } else if !range.is_empty() {
            words.push(LIST);
            words.extend(offsets);
        }
        lengths.push(words.len() - start);
    }
    let arrived = world.exchange(&Parts::new(words, lengths));
    let (answers, owned) = answer(&arrived, blocks.len(world.rank()));
    drop(arrived);
    let answers = world.exchange(&answers);

    let mut shared = BitSet::new(edges.vertices() as usize);
    for (owner, answer) in answers.iter().enumerate() {
        let (range, first, as_bits) =
            (owned_by[owner].clone(), blocks.first(owner), as_bits(owner));
        for (seen, place) in range.enumerate() {
            let bit = if as_bits { (names[place] - first) as usize } else { seen };
            if answer[bit / 32] >> (bit % 32) & 1 == 1 {
                shared.insert(if is_table { place as u32 } else { names[place] as u32 });
            }
        }
    }
    Sharing { shared, here: names.len(), owned }
}

/// For each vertex that a rank has told of, whether another one has too, in the form in which it
/// was told; and how many vertices were told of.
fn answer(arrived: &Parts<u32>, block: usize) -> (Parts<u32>, u64) {
    let (mut once, mut again) = (vec![0_u32; block.div_ceil(32)], vec![0_u32; block.div_ceil(32)]);
    for told in arrived.iter().filter(|told| !told.is_empty()) {
        if told[0] == BITS {
            for ((once, again), &bits) in once.iter_mut().zip(&mut again).zip(&told[1..]) {
                *again |= *once & bits;
                *once |= bits;
            }
        } else {
            for &place in &told[1..] {
                let (word, bit) = (place as usize / 32, 1 << (place % 32));
                again[word] |= once[word] & bit;
                once[word] |= bit;
            }
        }
    }
    let answers = arrived.iter().map(|told| match told.split_first() {
        None => Vec::new(),
        Some((&BITS, bits)) => bits.iter().zip(&again).map(|(bits, again)| bits & again).collect(),
        Some((_, places)) => {
            let is_shared = |place: u32| again[place as usize / 32] >> (place % 32) & 1;
            let pack = |places: &[u32]| {
                places.iter().rev().fold(0, |bits, &place| bits << 1 | is_shared(place))
            };
            places.chunks(32).map(pack).collect()
        }
    });
    let answers = answers.collect();
    (answers, once.iter().map(|bits| u64::from(bits.count_ones())).sum())
}

/// Marks the edges of a slice that are in the forest of the whole graph whatever other ranks have,
/// and returns those that may or may not be: a forest of trees that each have one shared vertex,
/// and are called by it.
///
/// Take edges by Kruskal's algorithm. When one joins two trees of which one has no shared vertex,
/// it is the lightest of all edges that leave that tree, on any rank: it is in the forest (cut
/// property). A slice of more than three edges a vertex is thinned out to its own forest before
/// (cycle property).
pub(super) fn shrink<N: Name, W: Weight>(
    slice: &Slice<W>,
    shared: &BitSet,
    order: Order,
    forest: &mut EdgeSet,
    run: &mut Run<'_>,
) -> Result<Part<'static, N, W>, SolveError> {
    let edges = slice.edges();
    let (ends, left) = if edges.len() <= 3 * edges.vertices() as usize {
        let interior = kostra_cpu::contract_interior(slice.graph(), shared, order, run)?;
        *forest = interior.forest;
        (interior.undecided.ends, interior.undecided.ids)
    } else {
        let kept = kostra_cpu::forest(slice.graph(), order, run)?.into_ids();
        let kept_graph = these(edges, &kept).into();
        let interior = kostra_cpu::contract_interior(&kept_graph, shared, order, run)?;
        for place in interior.forest.into_ids() {
            forest.insert(kept[place as usize]);
        }
        (interior.undecided.ends, pick(&kept, &interior.undecided.ids))
    };
    let part = Part::between(slice, ends, left);
    let kept = part.forest(order, run)?;
    Ok(part.thinned_to(&kept))
}

/// Some of the edges of a list, between all its vertices.
fn these<W: Weight>(edges: &EdgeList<W>, ids: &[EdgeId]) -> EdgeList<W> {
    let [u, v] = [edges.u(), edges.v()].map(|ends| pick(ends, ids));
    EdgeList::of_checked(edges.vertices(), u, v, pick(edges.weights(), ids))
}
