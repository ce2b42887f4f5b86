//! Every rank has something for every rank: directly, or in two hops over a grid of ranks.
//!
//! Directly, a rank of p sends p - 1 messages, however small. In two hops it sends about 2 sqrt(p):
//! the ranks lie in rows of about sqrt(p); what is for a rank goes along the row to the column of
//! that rank, together with all else for that column, and from there along the column. All bytes
//! are sent twice, so this is for small messages. Where the last row is not full, what its ranks
//! have for columns that it lacks goes along the column first and the row then.
//!
//! Source: the grid is folklore; Sanders & Schimek 2023 use it in their forests.

use std::collections::BTreeMap;

use bytemuck::{Pod, Zeroable};
use mpi::datatype::{Partition, PartitionMut};
use mpi::traits::CommunicatorCollectives;

use crate::messages::starts;
use crate::{Communicator, Parts, Reduction};

/// Which way an exchange goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// From each rank to each rank.
    Direct,
    /// Over a grid of ranks.
    TwoHop,
}

impl Route {
    /// The way that should be faster when no rank sends more bytes than so many. A message is as
    /// dear as some 8 KiB, which is a guess: 1 to 2 microseconds at 5 to 10 GB/s.
    pub fn for_bytes(bytes: u64, ranks: usize) -> Self {
        const MESSAGE: u64 = 8 << 10;
        let hops = 4 * Grid::of(ranks).columns;
        if bytes < ranks.saturating_sub(hops) as u64 * MESSAGE {
            Self::TwoHop
        } else {
            Self::Direct
        }
    }

    /// The most messages that one of so many ranks sends when every rank has something for every
    /// other.
    pub fn messages(self, ranks: usize) -> usize {
        let grid = Grid::of(ranks);
        match self {
            Self::Direct => ranks.saturating_sub(1),
            Self::TwoHop => {
                let sent = |rank| grid.first_hop_to(rank).len() + grid.second_hop_to(rank).len();
                // One of each kind: those that pass on to a row for the short last one, those that
                // do not, and the last row.
                let kinds = [0, grid.columns.saturating_sub(1), ranks.saturating_sub(1)];
                kinds.into_iter().filter(|&rank| rank < ranks).map(sent).max().unwrap_or_default()
            }
        }
    }
}

impl Communicator {
    /// Gives each rank its part, and returns the parts that are for this rank, by the rank that
    /// they are from; goes the way that should be faster. Collective.
    ///
    /// # Panics
    /// When there is not one part for each rank.
    pub fn exchange<T: Pod>(&self, parts: &Parts<T>) -> Parts<T> {
        // Below so many ranks it is known, and need not be talked over.
        let undecided = Route::for_bytes(0, self.size()) == Route::TwoHop;
        let bytes = size_of_val(parts.items()) as u64;
        let route = if undecided {
            Route::for_bytes(self.reduce_one(Reduction::Max, bytes), self.size())
        } else {
            Route::Direct
        };
        self.exchange_by(route, parts)
    }

    /// The same, a certain way, which must be the same on all ranks. Collective.
    ///
    /// # Panics
    /// As [`Self::exchange`].
    pub fn exchange_by<T: Pod>(&self, route: Route, parts: &Parts<T>) -> Parts<T> {
        assert_eq!(parts.count(), self.size(), "there is a part for each rank");
        match route {
            Route::Direct => self.exchange_directly(parts),
            Route::TwoHop => self.exchange_in_two_hops(parts),
        }
    }

    fn exchange_directly<T: Pod>(&self, parts: &Parts<T>) -> Parts<T> {
        let (rank, others) = (self.rank(), self.size() - 1);
        let to: Vec<_> = parts.lengths().map(|length| length as u64).collect();
        let mut from = vec![0_u64; self.size()];
        self.counted(others, others * 8, || self.world.all_to_all_into(&to[..], &mut from[..]));
        let lengths = from.iter().map(|&length| length as usize);
        let bytes = size_of_val(parts.items()).max(lengths.clone().sum::<usize>() * size_of::<T>());
        if self.reduce_one(Reduction::Max, bytes as u64) > self.longest as u64 {
            return self.exchange_pairwise(parts);
        }
        let mut received: Vec<T> = Vec::new();
        self.grow(&mut received, lengths.clone().sum());
        let counts = |lengths: &[u64]| -> Vec<i32> {
            lengths.iter().map(|length| *length as i32 * size_of::<T>() as i32).collect()
        };
        let (counts_to, counts_from) = (counts(&to), counts(&from));
        let (starts_to, starts_from) = (starts(&counts_to), starts(&counts_from));
        let messages =
            to.iter().enumerate().filter(|&(to, &length)| to != rank && length > 0).count();
        let bytes = (parts.items().len() - parts.part(rank).len()) * size_of::<T>();
        let out =
            Partition::new(bytemuck::cast_slice::<T, u8>(parts.items()), counts_to, starts_to);
        let mut into = PartitionMut::new(
            bytemuck::cast_slice_mut::<T, u8>(&mut received),
            counts_from,
            starts_from,
        );
        self.counted(messages, bytes, || self.world.all_to_all_varcount_into(&out, &mut into));
        Parts::new(received, lengths)
    }

    /// For more bytes than MPI can count.
    fn exchange_pairwise<T: Pod>(&self, parts: &Parts<T>) -> Parts<T> {
        // Everybody starts with the next, so that not all send to the same rank at first.
        let others: Vec<_> =
            (1..self.size()).map(|step| (self.rank() + step) % self.size()).collect();
        let to: Vec<_> =
            others.iter().map(|&to| (to, bytemuck::cast_slice(parts.part(to)))).collect();
        let from: Vec<_> = others.iter().rev().copied().collect();
        let mut received: BTreeMap<_, _> =
            from.iter().copied().zip(self.swap(&to, &from)).collect();
        received.insert(self.rank(), parts.part(self.rank()).to_vec());
        received.into_values().collect()
    }

    fn exchange_in_two_hops<T: Pod>(&self, parts: &Parts<T>) -> Parts<T> {
        let (rank, grid) = (self.rank(), Grid::of(self.size()));
        // First to the ranks that pass it on.
        let mut by_relay: BTreeMap<usize, Vec<u8>> = BTreeMap::new();
        for to in grid.first_hop_to(rank) {
            by_relay.insert(to, Vec::new());
        }
        for (to, part) in parts.iter().enumerate().filter(|(_, part)| !part.is_empty()) {
            let letter = by_relay.entry(grid.relay(rank, to)).or_default();
            self.write_letter(letter, rank, to, bytemuck::cast_slice(part));
        }
        let arrived = self.hop(by_relay, &grid.first_hop_from(rank));
        // Then to those whom it is for.
        let mut by_end: BTreeMap<usize, Vec<u8>> = BTreeMap::new();
        for to in grid.second_hop_to(rank) {
            by_end.insert(to, Vec::new());
        }
        for (header, bytes) in arrived.iter().flat_map(|letters| letters_in(letters)) {
            let letter = by_end.entry(header.to as usize).or_default();
            self.write_letter(letter, header.from as usize, header.to as usize, bytes);
        }
        drop(arrived);
        let arrived = self.hop(by_end, &grid.second_hop_from(rank));
        let mut by_origin: Vec<_> =
            arrived.iter().flat_map(|letters| letters_in(letters)).collect();
        by_origin.sort_unstable_by_key(|(header, _)| header.from); // one letter from each
        let mut lengths = vec![0; self.size()];
        for (header, bytes) in &by_origin {
            lengths[header.from as usize] = bytes.len() / size_of::<T>();
        }
        let mut items: Vec<T> = Vec::new();
        self.grow(&mut items, lengths.iter().sum());
        let mut rest: &mut [u8] = bytemuck::cast_slice_mut(&mut items);
        for (_, bytes) in by_origin {
            let (slot, others) = rest.split_at_mut(bytes.len());
            slot.copy_from_slice(bytes);
            rest = others;
        }
        Parts::new(items, lengths)
    }

    fn write_letter(&self, letters: &mut Vec<u8>, from: usize, to: usize, bytes: &[u8]) {
        let header = Header { from: from as u32, to: to as u32, bytes: bytes.len() as u64 };
        self.append(letters, bytemuck::bytes_of(&header));
        self.append(letters, bytes);
    }

    /// Sends letters, which there are for each rank that waits for some; what stays here is first
    /// among what arrives.
    fn hop(&self, mut letters: BTreeMap<usize, Vec<u8>>, from: &[usize]) -> Vec<Vec<u8>> {
        let own = letters.remove(&self.rank()).unwrap_or_default();
        let to: Vec<_> = letters.iter().map(|(&to, letters)| (to, &letters[..])).collect();
        let mut arrived = vec![own];
        arrived.extend(self.swap(&to, from));
        arrived
    }
}

/// What stands before a part on its way.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Header {
    from: u32,
    to: u32,
    bytes: u64,
}

/// The letters in what a rank has sent in one hop.
fn letters_in(mut letters: &[u8]) -> impl Iterator<Item = (Header, &[u8])> {
    std::iter::from_fn(move || {
        let (header, rest) = letters.split_at_checked(size_of::<Header>())?;
        let header: Header = bytemuck::pod_read_unaligned(header);
        let (bytes, rest) = rest.split_at_checked(header.bytes as usize)?;
        letters = rest;
        Some((header, bytes))
    })
}

/// Ranks in rows of about the square root of their number; the last row may be shorter.
#[derive(Clone, Copy, Debug)]
struct Grid {
    ranks: usize,
    columns: usize,
}

impl Grid {
    fn of(ranks: usize) -> Self {
        let root = ranks.isqrt();
        Self { ranks, columns: root + usize::from(root * root < ranks) }
    }

    fn row(&self, rank: usize) -> usize {
        rank / self.columns
    }

    fn column(&self, rank: usize) -> usize {
        rank % self.columns
    }

    /// The rank through which a part goes.
    fn relay(&self, from: usize, to: usize) -> usize {
        let along_the_row = self.row(from) * self.columns + self.column(to);
        if along_the_row < self.ranks {
            along_the_row
        } else {
            // The sender's row is the last and lacks the column; so the receiver's row is another,
            // and full.
            self.row(to) * self.columns + self.column(from)
        }
    }

    /// The number of ranks in the last row if that is not full, and where the row begins.
    fn short_row(&self) -> (usize, usize) {
        let length = self.ranks % self.columns;
        (length, self.ranks - length)
    }

    fn others_in_row(&self, rank: usize) -> impl Iterator<Item = usize> {
        let start = self.row(rank) * self.columns;
        (start..self.ranks.min(start + self.columns)).filter(move |&other| other != rank)
    }

    fn others_in_column(&self, rank: usize) -> impl Iterator<Item = usize> {
        (self.column(rank)..self.ranks).step_by(self.columns).filter(move |&other| other != rank)
    }

    fn is_in_short_row(&self, rank: usize) -> bool {
        let (length, start) = self.short_row();
        length > 0 && rank >= start
    }

    /// The ranks to which a rank sends in the first hop, itself left out; and so on.
    fn first_hop_to(&self, rank: usize) -> Vec<usize> {
        let column = self.others_in_column(rank).filter(|_| self.is_in_short_row(rank));
        self.others_in_row(rank).chain(column).collect()
    }

    fn first_hop_from(&self, rank: usize) -> Vec<usize> {
        let short = self.others_in_column(rank).filter(|&other| self.is_in_short_row(other));
        self.others_in_row(rank).chain(short).collect()
    }

    fn second_hop_to(&self, rank: usize) -> Vec<usize> {
        let (length, _) = self.short_row();
        let passes_on = !self.is_in_short_row(rank) && self.column(rank) < length;
        let row = self.others_in_row(rank).filter(|&to| passes_on && self.column(to) >= length);
        self.others_in_column(rank).chain(row).collect()
    }

    fn second_hop_from(&self, rank: usize) -> Vec<usize> {
        let (length, _) = self.short_row();
        let row = self
            .others_in_row(rank)
            .filter(|&from| self.column(from) < length && self.column(rank) >= length);
        self.others_in_column(rank).chain(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_part_has_a_way_and_every_message_is_waited_for() {
        for ranks in 1..=150 {
            let grid = Grid::of(ranks);
            let set = |list: Vec<usize>| list.into_iter().collect::<BTreeSet<_>>();
            for from in 0..ranks {
                let (first, limit) = (set(grid.first_hop_to(from)), 2 * grid.columns);
                assert!(first.len() < limit && grid.second_hop_to(from).len() < limit);
                for to in 0..ranks {
                    let relay = grid.relay(from, to);
                    assert!(relay < ranks);
                    assert!(
                        relay == from || first.contains(&relay),
                        "{ranks}: {from} to {to} by {relay}"
                    );
                    assert!(
                        relay == to || grid.second_hop_to(relay).contains(&to),
                        "{ranks}: {from} to {to}"
                    );
                    let (first, back) =
                        (first.contains(&to), set(grid.first_hop_from(to)).contains(&from));
                    assert_eq!(first, back, "{ranks}: {from} to {to}");
                    let second = set(grid.second_hop_to(from)).contains(&to);
                    assert_eq!(
                        second,
                        set(grid.second_hop_from(to)).contains(&from),
                        "{ranks}: {from} to {to}"
                    );
                }
            }
        }
    }

    /// An exchange without MPI: who sends a message to whom, and which letters are in it. Returns
    /// how many messages each rank has sent, and which letters, by origin and end, have arrived.
    fn play(
        route: Route,
        ranks: usize,
        letters: &[(usize, usize)],
    ) -> (Vec<usize>, Vec<(usize, usize)>) {
        let grid = Grid::of(ranks);
        let hops: [&dyn Fn(usize) -> Vec<usize>; 2] =
            [&|rank| grid.first_hop_to(rank), &|rank| grid.second_hop_to(rank)];
        let hops = if route == Route::TwoHop { &hops[..] } else { &[] };
        let mut messages = vec![0; ranks];
        let mut at: Vec<(usize, (usize, usize))> =
            letters.iter().map(|&letter| (letter.0, letter)).collect();
        for (hop, to) in hops.iter().enumerate() {
            at.sort_unstable();
            let mut next = Vec::with_capacity(at.len());
            let mut rest = &at[..];
            for (rank, messages) in messages.iter_mut().enumerate() {
                let here = rest.partition_point(|letter| letter.0 == rank);
                let reached: BTreeSet<_> = to(rank).into_iter().chain([rank]).collect();
                *messages += reached.len() - 1; // empty or not
                for &(_, (from, end)) in &rest[..here] {
                    let stop = if hop == 0 { grid.relay(from, end) } else { end };
                    assert!(
                        reached.contains(&stop),
                        "{ranks} ranks, {from} to {end}: from {rank} to {stop}"
                    );
                    next.push((stop, (from, end)));
                }
                rest = &rest[here..];
            }
            at = next;
        }
        if route == Route::Direct {
            for letter in &mut at {
                messages[letter.0] += usize::from(letter.1.1 != letter.0);
                letter.0 = letter.1.1;
            }
        }
        assert!(at.iter().all(|&(place, (_, end))| place == end));
        let mut arrived: Vec<_> = at.into_iter().map(|(_, letter)| letter).collect();
        arrived.sort_unstable();
        (messages, arrived)
    }

    #[test]
    fn thousands_of_ranks_send_two_square_roots_of_messages_each() {
        for (ranks, most) in [(1000, 86), (1024, 62), (65_536, 510)] {
            // Each rank has something for some others.
            let mut state = 1_u64;
            let mut random = || {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) as usize % ranks
            };
            let letters: BTreeSet<_> = (0..8 * ranks).map(|index| (index / 8, random())).collect();
            let letters = Vec::from_iter(letters);
            let (messages, arrived) = play(Route::TwoHop, ranks, &letters);
            assert!(arrived == letters);
            assert_eq!(messages.iter().max(), Some(&most), "{ranks} ranks");
            assert_eq!(Route::TwoHop.messages(ranks), most, "{ranks} ranks");
            let (messages, arrived) = play(Route::Direct, ranks, &letters);
            assert!(arrived == letters);
            assert!(messages.iter().all(|&messages| messages <= 8));
            assert_eq!(Route::Direct.messages(ranks), ranks - 1);
        }
    }

    #[test]
    fn as_many_messages_are_sent_as_are_foreseen() {
        for ranks in (1..=40).chain([300]) {
            let all: Vec<_> =
                (0..ranks * ranks).map(|index| (index / ranks, index % ranks)).collect();
            for route in [Route::Direct, Route::TwoHop] {
                let (messages, arrived) = play(route, ranks, &all);
                assert!(arrived == all);
                assert_eq!(
                    messages.into_iter().max(),
                    Some(route.messages(ranks)),
                    "{route:?}, {ranks} ranks"
                );
            }
        }
    }

    #[test]
    fn two_hops_are_for_many_ranks_with_little_to_say() {
        assert_eq!(Route::for_bytes(0, 16), Route::Direct);
        assert_eq!(Route::for_bytes(0, 64), Route::TwoHop);
        assert_eq!(Route::for_bytes(1 << 30, 64), Route::Direct);
        assert_eq!(Route::for_bytes(1 << 20, 1 << 16), Route::TwoHop);
    }
}
