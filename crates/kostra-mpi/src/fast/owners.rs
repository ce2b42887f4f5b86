//! Components and their owners. Each rank owns a block of the vertices. For each vertex of the
//! block that is or was the root of a component, it stores the component that the vertex belongs
//! to.
//!
//! In a round, ranks send owners their minimum edge candidate for each component. Owners hook
//! components onto each other, and answer each candidate with the new root of its component, in the
//! order of the candidates. A rank stores only its own block and the components at which its own
//! edges end.

use kostra_core::{BitSet, Key, Order, Weight};

use super::active_edges::ActiveEdges;
use super::bits;
use super::global_id::GlobalId;
use crate::comm::{Communicator, Parts, Reduction};
use crate::graph::VertexDistribution;

/// The components in this rank's block of vertices.
pub(super) struct Owners<'a, I: GlobalId> {
    world: &'a Communicator,
    distribution: VertexDistribution,
    /// The first vertex of the block.
    first: u64,
    /// The parent of each vertex of the block in the tree of its component; the parent of a root is
    /// the root itself.
    parents: Vec<I>,
    /// For each vertex the best candidate of the round, by its position among the candidates.
    best: Vec<u32>,
}

/// No candidate, and no request.
const NONE: u32 = u32::MAX;
/// The number of recent requests that a rank remembers. They fit the first-level cache.
const RECENT: usize = 1 << 12;
/// The factor of Fibonacci hashing: 2^64 divided by the golden ratio.
const HASH_FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
/// The number of vertices of all ranks that are sampled to find the giant component.
const GIANT_SAMPLE: usize = 1 << 10;
/// A component is giant if it contains one in this many of the sampled vertices.
const GIANT_SHARE: usize = 4;

/// The cycles that parents may form before roots are found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cycles {
    /// None.
    None,
    /// Pairs of components that have hooked onto each other, along the one edge that is lightest at
    /// both. [One of them](is_root) becomes the root. Longer cycles cannot occur under a strict
    /// order.
    Pairs,
}

/// The result of a round on a rank.
pub(super) struct Round<I> {
    /// The new component of each component, by local id.
    pub(super) labels: Vec<I>,
    /// The positions of the edges that are in the forest. Some may occur twice.
    pub(super) chosen: Vec<u32>,
}

impl<'a, I: GlobalId> Owners<'a, I> {
    /// The initial state, in which every vertex is a component.
    pub(super) fn new(distribution: VertexDistribution, world: &'a Communicator) -> Self {
        let (first, len) = (distribution.first(world.rank()), distribution.len(world.rank()));
        let parents = (0..len as u64).map(|offset| I::from_u64(first + offset)).collect();
        Self { world, distribution, first, parents, best: vec![NONE; len] }
    }

    /// A round of Borůvka's algorithm: every component hooks along the lightest edge that any rank
    /// has at it. Each of the components must have an edge, and no edge may be a self-loop.
    /// Collective.
    ///
    /// Edge ids ascend with the ranks and with the positions on a rank. So among equal keys, the
    /// edge with the lower position, or on the lower rank, is lighter.
    pub(super) fn round<W: Weight>(
        &mut self,
        edges: &ActiveEdges<'_, I, W>,
        order: Order,
    ) -> Round<I> {
        let lightest = edges.lightest_at_components(order);
        let width = 1 + I::WORDS + W::Key::BITS as usize / 32;
        let mut words: Vec<u32> = Vec::with_capacity(lightest.len() * width);
        let mut lengths = vec![0; self.distribution.ranks()];
        let mut component = 0;
        let ids = edges.components.iter().map(|id| id.to_u64());
        self.distribution.locate_ascending(ids, |owner, offset| {
            let position = lightest[component] as usize;
            let other = edges.u[position] ^ edges.v[position] ^ component as u32;
            words.push(offset);
            push_number(
                &mut words,
                edges.key(position as u32, order).to_u64(),
                W::Key::BITS as usize / 32,
            );
            push_number(&mut words, edges.components[other as usize].to_u64(), I::WORDS);
            lengths[owner] += width;
            component += 1;
        });
        let arrived = self.world.exchange(&Parts::new(words, lengths));
        let answers = self.hook(&arrived, width);
        drop(arrived);
        let answers = self.world.exchange(&answers);

        let mut labels = Vec::with_capacity(lightest.len());
        let mut chosen = Vec::new();
        for answers in answers.iter() {
            // The message contains `count` ids, followed by one bit for each.
            let count = count_of_answers::<I>(answers.len());
            let (ids, hooked) = answers.split_at(count * I::WORDS);
            for (index, id) in ids.chunks_exact(I::WORDS).enumerate() {
                if bits::get(hooked, index) {
                    chosen.push(lightest[labels.len()]);
                }
                labels.push(I::from_u64(read_number(id)));
            }
        }
        Round { labels, chosen }
    }

    /// Hooks each component along its best candidate. Answers each candidate with the new root of
    /// its component, and with one bit that says whether the candidate is the best one.
    fn hook(&mut self, arrived: &Parts<u32>, width: usize) -> Parts<u32> {
        let key_of = |candidate: &[u32]| read_number(&candidate[1..width - I::WORDS]);
        let candidate_at = |index: u32| &arrived.items()[index as usize * width..][..width];
        let mut hooked = Vec::new();
        for (index, candidate) in arrived.items().chunks_exact(width).enumerate() {
            let best = &mut self.best[candidate[0] as usize];
            if *best == NONE {
                hooked.push(candidate[0]);
                *best = index as u32;
            } else if key_of(candidate) < key_of(candidate_at(*best)) {
                *best = index as u32;
            }
        }
        for &offset in &hooked {
            let candidate = candidate_at(self.best[offset as usize]);
            self.parents[offset as usize] =
                I::from_u64(read_number(&candidate[width - I::WORDS..]));
        }
        self.find_roots(hooked.clone(), Cycles::Pairs);
        let mut words =
            Vec::with_capacity(arrived.items().len() / width * I::WORDS + arrived.count());
        let mut lengths = Vec::with_capacity(arrived.count());
        let mut index = 0;
        for candidates in arrived.iter() {
            let start = words.len();
            let mut is_best = vec![0_u32; (candidates.len() / width).div_ceil(32)];
            for (order, candidate) in candidates.chunks_exact(width).enumerate() {
                let offset = candidate[0] as usize;
                push_number(&mut words, self.parents[offset].to_u64(), I::WORDS);
                bits::set_if(&mut is_best, order, self.best[offset] == index);
                index += 1;
            }
            words.extend(is_best);
            lengths.push(words.len() - start);
        }
        for offset in hooked {
            self.best[offset as usize] = NONE;
        }
        Parts::new(words, lengths)
    }

    /// Sets the parents of the vertices `open` of the block to the roots of their components, by
    /// pointer doubling. In each step, the rank asks the owner of each parent for the parent's
    /// parent, until that is the parent itself. Collective.
    fn find_roots(&mut self, mut open: Vec<u32>, cycles: Cycles) {
        let mut may_have_pairs = cycles == Cycles::Pairs;
        while self.world.reduce_one(Reduction::Max, open.len() as u64) > 0 {
            let parents: Vec<_> =
                open.iter().map(|&offset| self.parents[offset as usize]).collect();
            let grand = self.ask(&parents);
            let mut remaining = 0;
            for index in 0..open.len() {
                let (offset, parent, grand) = (open[index], parents[index], grand[index]);
                let own = I::from_u64(self.first + u64::from(offset));
                let is_done = if may_have_pairs && grand == own {
                    if is_root(own, parent) {
                        self.parents[offset as usize] = own;
                    }
                    true
                } else {
                    self.parents[offset as usize] = grand;
                    grand == parent
                };
                open[remaining] = offset;
                remaining += usize::from(!is_done);
            }
            open.truncate(remaining);
            may_have_pairs = false;
        }
    }

    /// The current parents of `vertices`, from their owners. Collective.
    ///
    /// Many of the vertices are equal, such as the root of the largest component. So a vertex that
    /// is in the cache of recent requests is not requested again.
    fn ask(&self, vertices: &[I]) -> Vec<I> {
        let mut recent = vec![NONE; RECENT];
        let mut requested: Vec<I> = Vec::with_capacity(vertices.len());
        let request_of: Vec<u32> = vertices
            .iter()
            .map(|&vertex| {
                let hash = vertex.to_u64().wrapping_mul(HASH_FACTOR) >> (64 - RECENT.ilog2());
                let seen = &mut recent[hash as usize];
                if *seen == NONE || requested[*seen as usize] != vertex {
                    *seen = requested.len() as u32;
                    requested.push(vertex);
                }
                *seen
            })
            .collect();
        let mut lengths = vec![0; self.distribution.ranks()];
        let located: Vec<_> =
            requested.iter().map(|vertex| self.distribution.locate(vertex.to_u64())).collect();
        for &(owner, _) in &located {
            lengths[owner] += 1;
        }
        let mut next: Vec<usize> = lengths
            .iter()
            .scan(0, |sum, &length| {
                *sum += length;
                Some(*sum - length)
            })
            .collect();
        let mut requests = vec![0_u32; requested.len()];
        let position_of: Vec<u32> = located
            .iter()
            .map(|&(owner, offset)| {
                let position = next[owner];
                next[owner] += 1;
                requests[position] = offset;
                position as u32
            })
            .collect();
        let answers = self.parents_at(&Parts::new(requests, lengths));
        request_of.iter().map(|&request| answers[position_of[request as usize] as usize]).collect()
    }

    /// Returns the parents of the vertices at these offsets in the blocks of their owners.
    /// Collective.
    fn parents_at(&self, requests: &Parts<u32>) -> Vec<I> {
        let arrived = self.world.exchange(requests);
        let answers = arrived.items().iter().map(|&offset| self.parents[offset as usize]).collect();
        let answers: Parts<I> = Parts::new(answers, arrived.lengths());
        self.world.exchange(&answers).into_items()
    }

    /// Sets the parent of every vertex to its root, also of vertices that were hooked in earlier
    /// rounds. Collective.
    pub(super) fn flatten(&mut self) {
        let own = |offset: u32| I::from_u64(self.first + u64::from(offset));
        let open = (0..self.parents.len() as u32)
            .filter(|&offset| self.parents[offset as usize] != own(offset));
        self.find_roots(open.collect(), Cycles::None);
    }

    /// The positions of those of `components` that are in the giant component. `components` must
    /// ascend and be [flattened](Self::flatten). `None` if there is no giant component, or if one
    /// bit per vertex for all ranks takes more bytes than asking for the labels. Collective.
    pub(super) fn giant(&self, components: &[I]) -> Option<BitSet> {
        let ranks = self.distribution.ranks() as u64;
        let asked = self.world.reduce_one(Reduction::Sum, components.len() as u64);
        if self.distribution.vertices() / 8 * ranks
            > asked * (size_of::<u32>() + size_of::<I>()) as u64
        {
            return None;
        }
        let stride = (self.parents.len() * self.distribution.ranks() / GIANT_SAMPLE).max(1);
        let sample: Vec<_> = self.parents.iter().copied().step_by(stride).collect();
        let mut sample = self.world.all_gather(&sample).into_items();
        sample.sort_unstable();
        let most = sample.chunk_by(|a, b| a == b).max_by_key(|run| run.len())?;
        if most.len() < sample.len() / GIANT_SHARE {
            return None;
        }
        let root = most[0];
        let members: Vec<u64> = bits::pack(&self.parents, |&parent| parent == root);
        let members = self.world.all_gather(&members);
        let mut words = vec![0_u64; components.len().div_ceil(64)];
        let mut position = 0;
        self.distribution.locate_ascending(
            components.iter().map(|id| id.to_u64()),
            |owner, offset| {
                bits::set_if(&mut words, position, bits::get(members.part(owner), offset as usize));
                position += 1;
            },
        );
        Some(BitSet::from_words(words))
    }

    /// The roots of `components`, which must ascend and be [flattened](Self::flatten). Collective.
    pub(super) fn labels(&self, components: impl Iterator<Item = I>) -> Vec<I> {
        let mut requests = Vec::with_capacity(components.size_hint().0);
        let mut lengths = vec![0; self.distribution.ranks()];
        self.distribution.locate_ascending(components.map(I::to_u64), |owner, offset| {
            requests.push(offset);
            lengths[owner] += 1;
        });
        self.parents_at(&Parts::new(requests, lengths))
    }

    /// Sets new parents of roots that this rank owns. Each pair is a root and its new root; pairs
    /// of roots that other ranks own are ignored.
    pub(super) fn adopt(&mut self, pairs: impl Iterator<Item = (I, I)>) {
        for (root, parent) in pairs {
            let offset = root.to_u64().checked_sub(self.first).map(|offset| offset as usize);
            if let Some(slot) = offset.and_then(|offset| self.parents.get_mut(offset)) {
                *slot = parent;
            }
        }
    }
}

/// Whether `own` is the root of two components that have hooked onto each other. A hash of both ids
/// decides, so both owners decide alike. If the lower id were the root, the first ranks would own
/// all remaining components after some rounds.
fn is_root<I: GlobalId>(own: I, other: I) -> bool {
    let coin = (own.to_u64() ^ other.to_u64()).wrapping_mul(HASH_FACTOR) >> 63 == 1;
    (own < other) != coin
}

/// The number of answers in a message of `words` words: ids, followed by one bit for each.
fn count_of_answers<I: GlobalId>(words: usize) -> usize {
    // 32 ids share a word of bits; the remaining ids have a word of bits too.
    let whole = words / (32 * I::WORDS + 1);
    let rest = words % (32 * I::WORDS + 1);
    32 * whole + rest.saturating_sub(1) / I::WORDS
}

/// Appends the low `width` words of a number.
#[inline]
fn push_number(words: &mut Vec<u32>, number: u64, width: usize) {
    words.push(number as u32);
    if width > 1 {
        words.push((number >> 32) as u32);
    }
}

/// The number in one or two words.
#[inline]
fn read_number(words: &[u32]) -> u64 {
    words.iter().rev().fold(0, |number, &word| number << 32 | u64::from(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_one_of_two_components_is_the_root() {
        assert!((0..1000_u64).all(|own| is_root(own, own + 7) != is_root(own + 7, own)));
        let spread = (0..1000_u64).filter(|&own| is_root(own, own ^ (own * 31 + 1000))).count();
        assert!((300..700).contains(&spread), "{spread}");
    }

    #[test]
    fn answers_are_counted() {
        for count in 0..200_usize {
            assert_eq!(count_of_answers::<u32>(count + count.div_ceil(32)), count);
            assert_eq!(count_of_answers::<u64>(2 * count + count.div_ceil(32)), count);
        }
    }
}
