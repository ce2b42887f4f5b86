//! Which vertices several ranks have edges at, and what that spares: edges about which nobody else has to be asked.

use kostra_core::{BitSet, EdgeSet, Order, Run, SolveError, UnionFind, Weight};

use super::name::{Blocks, Name, Ranked};
use super::part::Part;
use crate::{Communicator, Parts, Slice};

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
    let used = Ranked::ends(edges.vertices() as usize, edges.u(), edges.v());
    let mut counts = vec![0_usize; blocks.ranks()];
    let names = || used.iter().map(|vertex| slice.names().global(vertex));
    blocks.walk(names(), |owner, _| counts[owner] += 1);
    let as_bits = |owner: usize| blocks.len(owner).div_ceil(32) < counts[owner];
    let length = |owner: usize| match counts[owner] {
        0 => 0,
        count => 1 + if as_bits(owner) { blocks.len(owner).div_ceil(32) } else { count },
    };
    let lengths: Vec<_> = (0..blocks.ranks()).map(length).collect();
    let mut words = vec![0_u32; lengths.iter().sum()];
    let (mut current, mut start, mut next) = (usize::MAX, 0, 0);
    let mut end = 0;
    let mut begun = 0;
    blocks.walk(names(), |owner, offset| {
        while current != owner {
            current = begun;
            (start, end) = (end, end + lengths[begun]);
            begun += 1;
            next = start + 1;
            if current == owner {
                words[start] = if as_bits(owner) { BITS } else { LIST };
            }
        }
        if words[start] == BITS {
            words[start + 1 + offset as usize / 32] |= 1 << (offset % 32);
        } else {
            words[next] = offset;
            next += 1;
        }
    });
    let told = Parts::new(words, lengths);
    let arrived = world.exchange(&told);
    let (answers, owned) = answer(&arrived, blocks.len(world.rank()));
    drop(arrived);
    let answers = world.exchange(&answers);

    let mut shared = BitSet::new(edges.vertices() as usize);
    let mut vertices = used.iter();
    for (owner, answer) in answers.iter().enumerate() {
        let is_list = told.part(owner).first() == Some(&LIST);
        for (seen, vertex) in vertices.by_ref().take(counts[owner]).enumerate() {
            let in_block = || (slice.names().global(vertex) - blocks.first(owner)) as usize;
            let place = if is_list { seen } else { in_block() };
            if answer[place / 32] >> (place % 32) & 1 == 1 {
                shared.insert(vertex);
            }
        }
    }
    Sharing { shared, here: used.len(), owned }
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

/// Marks those of a rank's edges that are in the forest whatever other ranks have, and returns those that may or may not
/// be: a forest on the shared vertices. The part holds all that matters of a slice, under the slice's names.
///
/// Take edges by Kruskal's algorithm. When one joins two trees of which one has no shared vertex, it is the lightest of
/// all edges that leave that tree, on any rank: it is in the forest (cut property). These are the edges of the forest of
/// the slice in which all shared vertices are made one, so the engine finds them as they are. Afterwards no tree has two
/// shared vertices, and each is called by its own; trees that have none are done.
pub(super) fn shrink<N: Name, W: Weight>(
    part: &Part<'_, N, W>,
    shared: &BitSet,
    order: Order,
    forest: &mut EdgeSet,
    run: &mut Run<'_>,
) -> Result<Part<'static, N, W>, SolveError> {
    let n = part.names.len() as u32;
    let one = (0..n).find(|&vertex| shared.contains(vertex)).unwrap_or_default();
    let made_one = |ends: &[u32]| {
        ends.iter().map(|&end| if shared.contains(end) { one } else { end }).collect::<Vec<_>>()
    };
    let certain = part.forest_with_ends(&made_one(&part.u), &made_one(&part.v), order, run)?;
    let mut trees = UnionFind::new(n);
    for &place in &certain {
        forest.insert(part.position(place));
        trees.union(part.u[place as usize], part.v[place as usize]);
    }
    let mut labels = trees.flatten().to_vec();
    let mut its_own = vec![0; n as usize];
    for vertex in (0..n).filter(|&vertex| shared.contains(vertex)) {
        its_own[labels[vertex as usize] as usize] = vertex;
    }
    // Of a tree without one the name does not matter: no edge leaves it.
    for label in &mut labels {
        *label = its_own[*label as usize];
    }
    let left = part.contract(&labels.into_iter().map(|label| part.names[label as usize]).collect::<Vec<_>>());
    let kept = left.forest(order, run)?;
    Ok(left.these(&kept))
}
