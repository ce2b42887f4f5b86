//! All ranks on one machine: the first of them solves for all, on the threads and processors of
//! all.
//!
//! * What ranks of one machine tell each other goes through the memory that they share anyway,
//!   copied twice, and each makes, compares and renames what threads of one process would just look
//!   up. So the first rank fetches the slices out of the others' memory, finds the forest with as
//!   many threads as all have, and sends each the bits of its slice. The others sleep meanwhile,
//!   for their processors are lent.
//! * A slice of 8 or more edges a vertex is thinned out to its forest by its own rank before (cycle
//!   property).
//! * Slices lie one after the other by rank, and ids ascend so: the joined list is ordered as the
//!   graph is.
//! * Not taken where each rank has a corner of the graph to itself, which it can settle alone,
//!   where the system does not let one process read another's memory, where the machine lacks the
//!   memory, or where the graph has more edges than one list can hold, or far fewer than vertices.

use std::borrow::Cow;
use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::thread;
use std::time::{Duration, Instant};

use bytemuck::{Pod, Zeroable};
use kostra_core::{
    EdgeId, EdgeList, EdgeSet, Graph, MAX_EDGES, MAX_VERTICES, Order, Run, SolveError, Vertex,
    Weight,
};
use kostra_parallel::for_each_mut;

use super::DENSE;
use super::part::pick;
use crate::neighbours::{Borrowed, Permission, Processors, Reach, all, count, processors};
use crate::{Communicator, Reduction, Slice};

/// What a rank tells of the edges that it brings.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Offer {
    edges: u64,
    u: Reach,
    v: Reach,
    weights: Reach,
    /// A number that nobody can guess, and where it lies: who finds it there reads the right
    /// process.
    token: u64,
    proof: Reach,
    processors: Processors,
    threads: u64,
}

/// The edges that a rank brings, between global names.
struct Own<'a, W: Weight> {
    u: Cow<'a, [Vertex]>,
    v: Cow<'a, [Vertex]>,
    weights: Cow<'a, [W]>,
    /// Where they are in the slice; none where they are the slice.
    positions: Option<Vec<EdgeId>>,
}

/// The edges of this rank's slice that are in the forest, or none where this is no way to go.
/// Collective, and so is the choice.
pub(super) fn solve<W: Weight>(
    slice: &Slice<W>,
    order: Order,
    from: u64,
    world: &Communicator,
    run: &mut Run<'_>,
) -> Result<Option<EdgeSet>, SolveError> {
    let edges = world.reduce_one(Reduction::Sum, slice.len() as u64);
    let is_one_list =
        edges <= MAX_EDGES as u64 && slice.vertices() <= (4 * edges).min(MAX_VERTICES as u64);
    if edges < from
        || !is_one_list
        || !world.is_on_one_machine()
        || have_corners(slice, edges, world)
    {
        return Ok(None);
    }
    let own = world.phase(run, "thin", |run| Own::of(slice, order, run))?;
    let token = [RandomState::new().build_hasher().finish()];
    let offers = world.all_gather(&[own.offer(&token, run.threads())]).into_items();
    let _permission = Permission::of(offers[0].u.process());
    world.barrier(); // all have permitted
    let start = offers[..world.rank()].iter().map(|offer| offer.edges as usize).sum();
    let words = if world.rank() == 0 {
        lead::<W>(&offers, slice.vertices() as usize, order, world, run)?
    } else {
        follow(world, run)
    };
    Ok(words.map(|words| own.forest(&words, start, slice.len())))
}

/// Whether most edges of each rank end where hardly any of others do, by a sample, as on grids and
/// road networks, and no rank has far more than its share of all edges: then each can settle nearly
/// all of its own alone. Collective.
fn have_corners<W: Weight>(slice: &Slice<W>, edges: u64, world: &Communicator) -> bool {
    // How many shares a rank may have; how many edges of each are looked at; how many blocks of
    // vertices there are for each rank, and at most.
    const SHARES: u64 = 2;
    const SAMPLE: usize = 1 << 10;
    const BLOCKS: usize = 16;
    const MOST: usize = 1 << 10;
    let longest = world.reduce_one(Reduction::Max, slice.len() as u64);
    if longest > SHARES * edges.div_ceil(world.size() as u64) {
        return false;
    }
    let blocks = (BLOCKS * world.size()).min(MOST);
    let mut ends = vec![0_u32; blocks];
    for id in (0..slice.len()).step_by(slice.len().div_ceil(SAMPLE).max(1)) {
        let (u, v) = slice.ends(id as EdgeId);
        for end in [u, v] {
            ends[(u128::from(end) * blocks as u128 / u128::from(slice.vertices())) as usize] += 1;
        }
    }
    let gathered = world.all_gather(&ends).into_items();
    let (mut all, mut corners) = (0, 0);
    for block in 0..blocks {
        let here = gathered.iter().skip(block).step_by(blocks);
        all += here.clone().sum::<u32>();
        corners += here.max().copied().unwrap_or(0);
    }
    corners >= all - all / 8
}

/// The first rank: joins the slices, solves, and tells the others. Returns the words in which its
/// own bits are.
fn lead<W: Weight>(
    offers: &[Offer],
    vertices: usize,
    order: Order,
    world: &Communicator,
    run: &mut Run<'_>,
) -> Result<Option<Vec<u64>>, SolveError> {
    let processors = all(offers.iter().map(|offer| offer.processors));
    let threads: usize = offers.iter().map(|offer| offer.threads as usize).sum();
    let threads = match count(&processors) {
        0 => threads, // the system does not say
        cores => threads.min(cores),
    };
    let _borrowed = Borrowed::these(&processors);
    let tell = |parts: &[&[u8]]| {
        let to: Vec<_> = parts.iter().copied().enumerate().skip(1).collect();
        world.swap::<u8>(&to, &[]); // to all at once, for each wakes when it wakes
    };
    let joined = world.phase(run, "join", |_| {
        let joined = join::<W>(offers, vertices, threads);
        tell(&vec![&[u8::from(joined.is_some())][..]; offers.len()]);
        joined
    });
    let Some(joined) = joined else { return Ok(None) };
    let graph = Graph::from(joined); // which is not given back before all have their answers
    world.phase(run, "local", |run| {
        let forest = run.lent(threads, |run| kostra_cpu::forest(&graph, order, run))?;
        let mut start = 0;
        let words = offers.iter().map(|offer| {
            let first = start / 64;
            start += offer.edges as usize;
            &forest.words()[first..start.div_ceil(64)]
        });
        let words: Vec<_> = words.collect();
        tell(&words.iter().map(|words| bytemuck::cast_slice(words)).collect::<Vec<_>>());
        Ok(Some(words[0].to_vec()))
    })
}

/// The other ranks: what the first one says.
fn follow(world: &Communicator, run: &mut Run<'_>) -> Option<Vec<u64>> {
    let is_joined = world.phase(run, "join", |_| receive_asleep::<u8>(world) == [1]);
    is_joined.then(|| world.phase(run, "local", |_| receive_asleep(world)))
}

/// Receives from the first rank without keeping a processor busy until something comes.
fn receive_asleep<T: Pod>(world: &Communicator) -> Vec<T> {
    // So long after what one waits for as a share of the wait.
    const LATE: u32 = 32;
    let (shortest, longest) = (Duration::from_micros(20), Duration::from_millis(1));
    let start = Instant::now();
    world.counted(0, 0, || {
        while !world.has_come(0) {
            thread::sleep((start.elapsed() / LATE).clamp(shortest, longest));
        }
    });
    world.swap(&[], &[0]).swap_remove(0)
}

impl<'a, W: Weight> Own<'a, W> {
    fn of(slice: &'a Slice<W>, order: Order, run: &mut Run<'_>) -> Result<Self, SolveError> {
        let edges = slice.edges();
        let is_dense = edges.len() as u64 / DENSE >= slice.vertices();
        let positions = if is_dense {
            Some(kostra_cpu::forest(slice.graph(), order, run)?.into_ids())
        } else {
            None
        };
        let [u, v]: [Cow<'_, [Vertex]>; 2] = match slice.global_ends() {
            Some(ends) => ends.map(Cow::from),
            None => [edges.u(), edges.v()]
                .map(|ends| ends.iter().map(|&end| slice.names().global(end) as Vertex).collect()),
        };
        let Some(positions) = positions else {
            return Ok(Self { u, v, weights: edges.weights().into(), positions: None });
        };
        let [u, v] = [u, v].map(|ends| pick(&ends, &positions).into());
        let weights = pick(edges.weights(), &positions).into();
        Ok(Self { u, v, weights, positions: Some(positions) })
    }

    fn offer(&self, token: &[u64; 1], threads: usize) -> Offer {
        Offer {
            edges: self.u.len() as u64,
            u: Reach::of(&self.u),
            v: Reach::of(&self.v),
            weights: Reach::of(&self.weights),
            token: token[0],
            proof: Reach::of(token),
            processors: processors(),
            threads: threads as u64,
        }
    }

    /// The forest among these edges, as edges of the slice: of the joined list's bits the words
    /// with those of the edges from `start` on.
    fn forest(&self, words: &[u64], start: usize, len: usize) -> EdgeSet {
        let bits = from_bit(words, start % 64, self.u.len());
        let Some(positions) = &self.positions else { return EdgeSet::from_words(bits) };
        let mut forest = EdgeSet::new(len);
        for place in EdgeSet::from_words(bits).into_ids() {
            forest.insert(positions[place as usize]);
        }
        forest
    }
}

/// So many bits from a certain one on, of the first word, and no others.
fn from_bit(words: &[u64], first: usize, count: usize) -> Vec<u64> {
    let word = |index: usize| words.get(index).copied().unwrap_or(0);
    let shifted =
        |index| word(index) >> first | if first > 0 { word(index + 1) << (64 - first) } else { 0 };
    let mut bits: Vec<_> = (0..count.div_ceil(64)).map(shifted).collect();
    if let Some(last) = bits.last_mut().filter(|_| !count.is_multiple_of(64)) {
        *last &= (1 << (count % 64)) - 1;
    }
    bits
}

/// All that is offered as one list; none where it cannot be had.
fn join<W: Weight>(offers: &[Offer], vertices: usize, threads: usize) -> Option<EdgeList<W>> {
    let edges = offers.iter().map(|offer| offer.edges as usize).sum();
    // The list, and what the solver works in; and as much again for whoever else there is.
    let bytes = edges * (2 * size_of::<Vertex>() + size_of::<W>() + 12) + vertices * 24;
    let is_reached = |offer: &Offer| {
        let mut token = [0; 8];
        offer.proof.fetch(0, &mut token) && u64::from_ne_bytes(token) == offer.token
    };
    if available() / 2 < bytes || !offers.iter().all(is_reached) {
        return None;
    }
    let (mut u, mut v, mut weights) = (vec![0; edges], vec![0; edges], vec![W::default(); edges]);
    let mut lanes: Vec<Lane<'_>> = Vec::new();
    lanes.resize_with(threads, Lane::default);
    deal(&mut lanes, offers, |offer| offer.u, &mut u);
    deal(&mut lanes, offers, |offer| offer.v, &mut v);
    deal(&mut lanes, offers, |offer| offer.weights, &mut weights);
    for_each_mut(&mut lanes, |lane| {
        lane.has_failed =
            !lane.pieces.iter_mut().all(|(reach, start, piece)| reach.fetch(*start, piece));
    });
    let has_failed = lanes.iter().any(|lane| lane.has_failed);
    (!has_failed).then(|| EdgeList::of_checked(vertices as u32, u, v, weights))
}

/// What one thread is to fetch.
#[derive(Default)]
struct Lane<'a> {
    /// Of which array the bytes from where on go where.
    pieces: Vec<(Reach, usize, &'a mut [u8])>,
    has_failed: bool,
}

/// Deals what is offered of one column out to lanes in turn.
fn deal<'a, T: Pod>(
    lanes: &mut [Lane<'a>],
    offers: &[Offer],
    of: impl Fn(&Offer) -> Reach,
    column: &'a mut [T],
) {
    // How many bytes are fetched at a time.
    const PIECE: usize = 4 << 20;
    let (mut column, mut turn) = (column, 0);
    for offer in offers {
        let (part, rest) = column.split_at_mut(offer.edges as usize);
        column = rest;
        for (index, piece) in bytemuck::cast_slice_mut(part).chunks_mut(PIECE).enumerate() {
            lanes[turn % lanes.len()].pieces.push((of(offer), index * PIECE, piece));
            turn += 1;
        }
    }
}

/// How much memory the system could grant now, in bytes; none where it does not say.
fn available() -> usize {
    let said = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = said.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let number = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok());
    number.map_or(0, |number| number << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_taken_from_any_place() {
        let words = [0xF0F0_1234_5678_9ABC, 0x0123_4567_89AB_CDEF, u64::MAX];
        let bit = |place: usize| words[place / 64] >> (place % 64) & 1;
        for first in [0, 1, 17, 63] {
            for count in [0, 1, 40, 64, 65, 120] {
                let bits = from_bit(&words, first, count);
                assert_eq!(bits.len(), count.div_ceil(64));
                for place in 0..64 * bits.len() {
                    let expected = if place < count { bit(first + place) } else { 0 };
                    assert_eq!(
                        bits[place / 64] >> (place % 64) & 1,
                        expected,
                        "{first} {count} {place}"
                    );
                }
            }
        }
    }

    #[test]
    fn what_this_process_offers_is_joined() {
        let token = [7];
        let (u, v, w): (Vec<u32>, Vec<u32>, Vec<i64>) = (
            (0..3000).collect(),
            (0..3000).rev().collect(),
            (0..3000).map(|i| i * i - 5).collect(),
        );
        let own = |part: std::ops::Range<usize>| Own {
            u: u[part.clone()].into(),
            v: v[part.clone()].into(),
            weights: w[part].into(),
            positions: None,
        };
        let owns = [own(0..1000), own(1000..1000), own(1000..3000)];
        let mut offers: Vec<_> = owns.iter().map(|own| own.offer(&token, 1)).collect();
        let list = join::<i64>(&offers, 3000, 2).expect("a process may read its own memory");
        assert!(list.u() == u && list.v() == v && list.weights() == w);
        offers[2].token = 8;
        assert!(join::<i64>(&offers, 3000, 2).is_none());
    }
}
