//! Which vertices several ranks have edges at, and what that spares: edges about which nobody else has to be asked.

use kostra_core::{BitSet, EdgeList, EdgeSet, Graph, Order, Run, SolveError, UnionFind, Weight};

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
        let mut seen = 0;
        for vertex in vertices.by_ref().take(counts[owner]) {
            let place = if is_list { seen } else { slice_place(slice, vertex, blocks) };
            if answer[place / 32] >> (place % 32) & 1 == 1 {
                shared.insert(vertex);
            }
            seen += 1;
        }
    }
    Sharing { shared, here: used.len(), owned }
}

fn slice_place<W: Weight>(slice: &Slice<W>, vertex: u32, blocks: Blocks) -> usize {
    blocks.place(slice.names().global(vertex)).1 as usize
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

/// Marks the edges of a slice that are in the forest whatever other ranks have, and returns those that may or may not be:
/// a forest on the shared vertices.
///
/// Take edges by Kruskal's algorithm. When one joins two trees of which one has no shared vertex, it is the lightest of
/// all edges that leave that tree, on any rank: it is in the forest (cut property). These are the edges of the forest of
/// the slice in which all shared vertices are made one, so the engine finds them as they are. Afterwards no tree has two
/// shared vertices, and each is called by its own; trees that have none are done.
pub(super) fn shrink<N: Name, W: Weight>(
    slice: &Slice<W>,
    shared: &BitSet,
    order: Order,
    forest: &mut EdgeSet,
    run: &mut Run<'_>,
) -> Result<Part<'static, N, W>, SolveError> {
    let edges = slice.edges();
    let n = edges.vertices();
    let Some(one) = (0..n).find(|&vertex| shared.contains(vertex)) else {
        *forest = kostra_cpu::forest(slice.graph(), order, run)?;
        return Ok(Part::none());
    };
    let made_one = |ends: &[u32]| {
        ends.iter().map(|&end| if shared.contains(end) { one } else { end }).collect::<Vec<_>>()
    };
    let list = EdgeList::new(n as usize, made_one(edges.u()), made_one(edges.v()), edges.weights().to_vec());
    let Ok(list) = list else { unreachable!("the ends are those of an edge list, or one of its vertices") };
    let certain = kostra_cpu::forest(&Graph::from(list), order, run)?.into_ids();
    let mut trees = UnionFind::new(n);
    for &edge in &certain {
        forest.insert(edge);
        trees.union(edges.u()[edge as usize], edges.v()[edge as usize]);
    }
    let mut names = trees.flatten().to_vec();
    let mut its_own = vec![0; n as usize];
    for vertex in (0..n).filter(|&vertex| shared.contains(vertex)) {
        its_own[names[vertex as usize] as usize] = vertex;
    }
    for name in &mut names {
        *name = its_own[*name as usize];
    }
    let whole = Part::of(slice);
    let places = whole
        .places(|place| names[whole.u[place as usize] as usize] != names[whole.v[place as usize] as usize]);
    let left = whole.renamed(&places, |vertex| whole.names[names[vertex as usize] as usize]);
    let kept = left.forest(order, run)?;
    Ok(left.these(&kept))
}
