//! Which vertices several ranks have edges at, and what that spares: edges about which nobody else has to be asked.

use std::borrow::Cow;

use kostra_core::{BitSet, EdgeSet, Order, Run, SolveError, UnionFind, Weight};

use super::name::{Blocks, Name};
use super::part::Part;
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

/// Finds out who shares what: each rank tells the owners of vertices which of them it has edges at, as a list or as bits,
/// whatever is shorter, and owners answer with a bit for each. Collective.
pub(super) fn sharing<W: Weight>(slice: &Slice<W>, blocks: Blocks, world: &Communicator) -> Sharing {
    let edges = slice.edges();
    // The vertices that edges end at, ascending: all of a table, whose places are local names, or some of the graph's.
    let (names, is_table): (Cow<'_, [u64]>, _) = match slice.names() {
        Names::Table(names) => (names.into(), true),
        Names::Identity => {
            let used = Ranked::ends(edges.vertices().into(), edges.u(), edges.v());
            (used.iter().collect::<Vec<_>>().into(), false)
        }
    };
    let start_of = |owner| names.partition_point(|&name| name < blocks.first(owner));
    let owned_by: Vec<_> = (0..blocks.ranks()).map(|owner| start_of(owner)..start_of(owner + 1)).collect();
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
        let (range, first, as_bits) = (owned_by[owner].clone(), blocks.first(owner), as_bits(owner));
        for (seen, place) in range.enumerate() {
            let bit = if as_bits { (names[place] - first) as usize } else { seen };
            if answer[bit / 32] >> (bit % 32) & 1 == 1 {
                shared.insert(if is_table { place as u32 } else { names[place] as u32 });
            }
        }
    }
    Sharing { shared, here: names.len(), owned }
}

/// For each vertex that a rank has told of, whether another one has too, in the form in which it was told; and how many
/// vertices were told of.
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
            let pack =
                |places: &[u32]| places.iter().rev().fold(0, |bits, &place| bits << 1 | is_shared(place));
            places.chunks(32).map(pack).collect()
        }
    });
    let answers = answers.collect();
    (answers, once.iter().map(|bits| u64::from(bits.count_ones())).sum())
}

/// Of the forest of a slice, marks the edges that are in the forest of the whole graph whatever other ranks have, and
/// returns those that may or may not be: a forest on the shared vertices.
///
/// Take edges by Kruskal's algorithm. When one joins two trees of which one has no shared vertex, it is the lightest of
/// all edges that leave that tree, on any rank: it is in the forest (cut property). These are the edges of the forest of
/// the slice in which all shared vertices are made one. Afterwards no tree has two shared vertices, and each is called by
/// its own; trees that have none are done.
///
/// Of the slice's own forest all but the paths between shared vertices are such edges: it is peeled, leaf by leaf, and
/// only what cannot be is looked at as a graph.
pub(super) fn shrink<N: Name, W: Weight>(
    slice: &Slice<W>,
    kept: &EdgeSet,
    shared: &BitSet,
    order: Order,
    forest: &mut EdgeSet,
    run: &mut Run<'_>,
) -> Result<Part<'static, N, W>, SolveError> {
    let paths = peel(slice, kept, shared, forest);
    let part = Part::forest_of(slice, &paths);
    drop(paths);
    let n = part.names.len() as u32;
    let local = |name: &N| slice.names().local(name.get()).is_some_and(|name| shared.contains(name));
    let is_shared: Vec<bool> = part.names.iter().map(local).collect();
    let one = is_shared.iter().position(|&is_shared| is_shared).unwrap_or_default() as u32;
    let made_one = |ends: &[u32]| {
        ends.iter().map(|&end| if is_shared[end as usize] { one } else { end }).collect::<Vec<_>>()
    };
    let certain = part.forest_with_ends(&made_one(&part.u), &made_one(&part.v), order, run)?;
    let mut trees = UnionFind::new(n);
    for &place in &certain {
        forest.insert(part.position(place));
        trees.union(part.u[place as usize], part.v[place as usize]);
    }
    let mut labels = trees.flatten().to_vec();
    let mut its_own = vec![0; n as usize];
    for vertex in (0..n).filter(|&vertex| is_shared[vertex as usize]) {
        its_own[labels[vertex as usize] as usize] = vertex;
    }
    // Of a tree without one the name does not matter: no edge leaves it.
    for label in &mut labels {
        *label = its_own[*label as usize];
    }
    let names: Vec<_> = labels.into_iter().map(|label| part.names[label as usize]).collect();
    Ok(part.contract_forest(&names))
}

/// Takes leaves that are not shared off the forest of a slice, until there are none, and marks their edges. Returns the
/// others, ascending.
fn peel<W: Weight>(slice: &Slice<W>, kept: &EdgeSet, shared: &BitSet, forest: &mut EdgeSet) -> Vec<u32> {
    const EDGE: u64 = 1 << 32;
    const GONE: u64 = u64::MAX;
    let (u, v) = (slice.edges().u(), slice.edges().v());
    // How many edges a vertex has, and below that the exclusive or of their other ends: of a leaf, its neighbour.
    let mut around = vec![0_u64; slice.edges().vertices() as usize];
    for_each(kept, |edge| {
        let (u, v) = (u[edge as usize], v[edge as usize]);
        for (end, other) in [(u, v), (v, u)] {
            let around = &mut around[end as usize];
            *around = (*around + EDGE) ^ u64::from(other);
        }
    });
    for vertex in 0..around.len() as u32 {
        let mut leaf = vertex;
        while around[leaf as usize] / EDGE == 1 && !shared.contains(leaf) {
            let neighbour = around[leaf as usize] as u32;
            around[leaf as usize] = GONE;
            let of_neighbour = &mut around[neighbour as usize];
            *of_neighbour = (*of_neighbour - EDGE) ^ u64::from(leaf);
            leaf = neighbour;
        }
    }
    let mut left = Vec::new();
    for_each(kept, |edge| {
        if around[u[edge as usize] as usize] == GONE || around[v[edge as usize] as usize] == GONE {
            forest.insert(edge);
        } else {
            left.push(edge);
        }
    });
    left
}

/// Calls with the members of a set, ascending.
fn for_each(set: &EdgeSet, mut visit: impl FnMut(u32)) {
    for (&word, index) in set.words().iter().zip(0_u32..) {
        let mut rest = word;
        while rest != 0 {
            visit(index * 64 + rest.trailing_zeros());
            rest &= rest - 1;
        }
    }
}
