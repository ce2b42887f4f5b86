//! Components and their owners: each rank owns a block of the vertices, and keeps, for each of them
//! that is or was a component's root, which component it has become part of.
//!
//! Ranks tell owners the lightest edge that they have at a component; owners hook components onto
//! each other and answer with what has become of them, in the order in which they were told. Nobody
//! has to ask, and nobody holds more than its own block and the names that its own edges end at.

use kostra_core::{BitSet, Key, Order, Weight};

use super::name::{Blocks, Name};
use super::part::Part;
use crate::{Communicator, Parts, Reduction};

/// This rank's block.
pub(super) struct Owners<'a, N: Name> {
    world: &'a Communicator,
    blocks: Blocks,
    first: u64,
    /// The component that each vertex of the block has become part of, or one that has become part
    /// of that; a root's is itself.
    parents: Vec<N>,
    /// For each vertex the best candidate in the round, as it arrived.
    best: Vec<u32>,
}

/// No candidate.
const NONE: u32 = u32::MAX;

/// What a round has brought to a rank.
pub(super) struct Round<N> {
    /// The components that the part's components have become part of, by place in its names.
    pub(super) labels: Vec<N>,
    /// The places of the part's edges that are in the forest; some may be there twice.
    pub(super) chosen: Vec<u32>,
}

impl<'a, N: Name> Owners<'a, N> {
    /// Every vertex is a component by itself.
    pub(super) fn new(blocks: Blocks, world: &'a Communicator) -> Self {
        let (first, len) = (blocks.first(world.rank()), blocks.len(world.rank()));
        let parents = (0..len as u64).map(|offset| N::of(first + offset)).collect();
        Self { world, blocks, first, parents, best: vec![NONE; len] }
    }

    /// A round of Borůvka's algorithm: every component hooks onto the lightest edge that any rank
    /// has at it. Every name of the part has an edge, and no edge is a loop. Collective.
    ///
    /// Ascending ranks have ascending ids, and so have the places of a part: among equal keys the
    /// lower place and the lower rank have the lighter edge.
    pub(super) fn round<W: Weight>(&mut self, part: &Part<'_, N, W>, order: Order) -> Round<N> {
        let lightest = lightest_by_name(part, order);
        let width = 1 + N::WORDS + W::Key::BITS as usize / 32;
        let mut words: Vec<u32> = Vec::with_capacity(lightest.len() * width);
        let mut lengths = vec![0; self.blocks.ranks()];
        let mut name = 0;
        self.blocks.walk(part.names.iter().map(|name| name.get()), |owner, offset| {
            let place = lightest[name] as usize;
            let other = part.u[place] ^ part.v[place] ^ name as u32;
            words.push(offset);
            push(&mut words, part.key(place as u32, order).to_u64(), W::Key::BITS as usize / 32);
            push(&mut words, part.names[other as usize].get(), N::WORDS);
            lengths[owner] += width;
            name += 1;
        });
        let arrived = self.world.exchange(&Parts::new(words, lengths));
        let answers = self.hook(&arrived, width);
        drop(arrived);
        let answers = self.world.exchange(&answers);

        let mut labels = Vec::with_capacity(lightest.len());
        let mut chosen = Vec::new();
        for answers in answers.iter() {
            // So many names, and a bit for each.
            let count = count_of_answers::<N>(answers.len());
            let (names, bits) = answers.split_at(count * N::WORDS);
            for (index, name) in names.chunks_exact(N::WORDS).enumerate() {
                if bits[index / 32] >> (index % 32) & 1 == 1 {
                    chosen.push(lightest[labels.len()]);
                }
                labels.push(N::of(read(name)));
            }
        }
        Round { labels, chosen }
    }

    /// Hooks the components that there are candidates for, and answers each candidate with its
    /// component's new root, and whether it is the one.
    fn hook(&mut self, arrived: &Parts<u32>, width: usize) -> Parts<u32> {
        let key_of = |candidate: &[u32]| read(&candidate[1..width - N::WORDS]);
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
            self.parents[offset as usize] = N::of(read(&candidate[width - N::WORDS..]));
        }
        self.find_roots::<true>(hooked.clone());
        let mut words =
            Vec::with_capacity(arrived.items().len() / width * N::WORDS + arrived.count());
        let mut lengths = Vec::with_capacity(arrived.count());
        let mut index = 0;
        for candidates in arrived.iter() {
            let start = words.len();
            let mut bits = vec![0_u32; (candidates.len() / width).div_ceil(32)];
            for (order, candidate) in candidates.chunks_exact(width).enumerate() {
                let offset = candidate[0] as usize;
                push(&mut words, self.parents[offset].get(), N::WORDS);
                bits[order / 32] |= u32::from(self.best[offset] == index) << (order % 32);
                index += 1;
            }
            words.extend(bits);
            lengths.push(words.len() - start);
        }
        for offset in hooked {
            self.best[offset as usize] = NONE;
        }
        Parts::new(words, lengths)
    }

    /// Leads these vertices of the block to the roots of their components, by pointer doubling:
    /// each asks its parent's owner for the parent's parent, until that is the parent itself. Where
    /// `HOOKED`, two components that have hooked onto each other, by the one edge that is lightest
    /// at both, are still to be parted: [one](is_root) is the root. Under a strict order there are
    /// no longer cycles. Collective.
    fn find_roots<const HOOKED: bool>(&mut self, mut open: Vec<u32>) {
        let mut first = HOOKED;
        while self.world.reduce_one(Reduction::Max, open.len() as u64) > 0 {
            let parents: Vec<_> =
                open.iter().map(|&offset| self.parents[offset as usize]).collect();
            let grand = self.ask(&parents);
            let mut still_open = 0;
            for index in 0..open.len() {
                let (offset, parent, grand) = (open[index], parents[index], grand[index]);
                let own = N::of(self.first + u64::from(offset));
                let is_settled = if first && grand == own {
                    if is_root(own, parent) {
                        self.parents[offset as usize] = own;
                    }
                    true
                } else {
                    self.parents[offset as usize] = grand;
                    grand == parent
                };
                open[still_open] = offset;
                still_open += usize::from(!is_settled);
            }
            open.truncate(still_open);
            first = false;
        }
    }

    /// The parents of some names, by their owners' books at this moment. Collective.
    fn ask(&self, names: &[N]) -> Vec<N> {
        // Many ask for the same few, such as the root of the largest component: what was asked
        // lately is not asked again.
        const LATELY: usize = 1 << 12;
        let mut lately = vec![NONE; LATELY];
        let mut asked: Vec<N> = Vec::with_capacity(names.len());
        let slot: Vec<u32> = names
            .iter()
            .map(|&name| {
                let seen =
                    &mut lately[(name.get().wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 52) as usize];
                if *seen == NONE || asked[*seen as usize] != name {
                    *seen = asked.len() as u32;
                    asked.push(name);
                }
                *seen
            })
            .collect();
        let mut lengths = vec![0; self.blocks.ranks()];
        let places: Vec<_> = asked.iter().map(|name| self.blocks.place(name.get())).collect();
        for &(owner, _) in &places {
            lengths[owner] += 1;
        }
        let mut next: Vec<usize> = lengths
            .iter()
            .scan(0, |sum, &length| {
                *sum += length;
                Some(*sum - length)
            })
            .collect();
        let mut requests = vec![0_u32; asked.len()];
        let dealt: Vec<u32> = places
            .iter()
            .map(|&(owner, offset)| {
                let place = next[owner];
                next[owner] += 1;
                requests[place] = offset;
                place as u32
            })
            .collect();
        let answers = self.answer(&Parts::new(requests, lengths));
        slot.iter().map(|&slot| answers[dealt[slot as usize] as usize]).collect()
    }

    /// Sends places in the blocks of owners, and returns what those places' parents are.
    /// Collective.
    fn answer(&self, requests: &Parts<u32>) -> Vec<N> {
        let arrived = self.world.exchange(requests);
        let answers = arrived.items().iter().map(|&offset| self.parents[offset as usize]).collect();
        let answers: Parts<N> = Parts::new(answers, arrived.lengths());
        self.world.exchange(&answers).into_items()
    }

    /// Leads all vertices to their roots, however many rounds ago their components were hooked.
    /// Collective.
    pub(super) fn flatten(&mut self) {
        let own = |offset: u32| N::of(self.first + u64::from(offset));
        let open = (0..self.parents.len() as u32)
            .filter(|&offset| self.parents[offset as usize] != own(offset));
        self.find_roots::<false>(open.collect());
    }

    /// Which of these ascending names are in one giant component, by their places; the components
    /// must be [flattened](Self::flatten). None where there is no such component, or to tell all
    /// ranks a bit for each vertex would take more bytes than to ask for the names' labels.
    /// Collective.
    pub(super) fn giant(&self, names: &[N]) -> Option<BitSet> {
        const SAMPLE: usize = 1 << 10;
        let ranks = self.blocks.ranks() as u64;
        let asked = self.world.reduce_one(Reduction::Sum, names.len() as u64);
        if self.blocks.vertices() / 8 * ranks > asked * (size_of::<u32>() + size_of::<N>()) as u64 {
            return None;
        }
        let stretch = (self.parents.len() * self.blocks.ranks() / SAMPLE).max(1);
        let sample: Vec<_> = self.parents.iter().copied().step_by(stretch).collect();
        let mut sample = self.world.all_gather(&sample).into_items();
        sample.sort_unstable();
        let most = sample.chunk_by(|a, b| a == b).max_by_key(|run| run.len())?;
        if most.len() < sample.len() / 4 {
            return None;
        }
        let root = most[0];
        let bits = |members: &[N]| {
            members.iter().rev().fold(0, |bits, &parent| bits << 1 | u64::from(parent == root))
        };
        let bits: Vec<u64> = self.parents.chunks(64).map(bits).collect();
        let bits = self.world.all_gather(&bits);
        let mut words = vec![0_u64; names.len().div_ceil(64)];
        let mut place = 0;
        self.blocks.walk(names.iter().map(|name| name.get()), |owner, offset| {
            let bit = bits.part(owner)[offset as usize / 64] >> (offset % 64) & 1;
            words[place / 64] |= bit << (place % 64);
            place += 1;
        });
        Some(BitSet::from_words(words))
    }

    /// The roots of the components of these ascending names, once they are
    /// [flattened](Self::flatten). Collective.
    pub(super) fn labels(&self, names: impl Iterator<Item = N>) -> Vec<N> {
        let mut requests = Vec::with_capacity(names.size_hint().0);
        let mut lengths = vec![0; self.blocks.ranks()];
        self.blocks.walk(names.map(N::get), |owner, offset| {
            requests.push(offset);
            lengths[owner] += 1;
        });
        self.answer(&Parts::new(requests, lengths))
    }

    /// Makes roots part of other components, by pairs of a root and the root that it becomes part
    /// of, whoever owns them.
    pub(super) fn adopt(&mut self, pairs: impl Iterator<Item = (N, N)>) {
        for (name, parent) in pairs {
            let offset = name.get().checked_sub(self.first).map(|offset| offset as usize);
            if let Some(slot) = offset.and_then(|offset| self.parents.get_mut(offset)) {
                *slot = parent;
            }
        }
    }
}

/// Which of two components is the root of both. As a coin falls that both can see: were it the
/// lower one, then after some rounds the first ranks would own all components that are left.
fn is_root<N: Name>(own: N, other: N) -> bool {
    let coin = (own.get() ^ other.get()).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 63 == 1;
    (own < other) != coin
}

/// The place of the lightest edge at each name.
fn lightest_by_name<N: Name, W: Weight>(part: &Part<'_, N, W>, order: Order) -> Vec<u32> {
    let none = W::Key::MAX.rank(NONE);
    let mut lightest = vec![none; part.names.len()];
    for place in 0..part.len() as u32 {
        let rank = part.key(place, order).rank(place);
        for end in [part.u[place as usize], part.v[place as usize]] {
            let slot = &mut lightest[end as usize];
            *slot = (*slot).min(rank);
        }
    }
    lightest.into_iter().map(W::Key::rank_id).collect()
}

/// Of how many names answers of so many words are, with a bit for each.
fn count_of_answers<N: Name>(words: usize) -> usize {
    // 32 names and their word of bits at a time; what is left has a word of bits too.
    let whole = words / (32 * N::WORDS + 1);
    let rest = words % (32 * N::WORDS + 1);
    32 * whole + rest.saturating_sub(1) / N::WORDS
}

#[inline]
fn push(words: &mut Vec<u32>, number: u64, width: usize) {
    words.push(number as u32);
    if width > 1 {
        words.push((number >> 32) as u32);
    }
}

#[inline]
fn read(words: &[u32]) -> u64 {
    words.iter().rev().fold(0, |number, &word| number << 32 | u64::from(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_components_one_is_the_root() {
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
