//! Personalized exchange: every rank has a part for every rank. It is sent directly, or in two hops
//! over a grid of ranks.
//!
//! A direct exchange on p ranks sends p - 1 messages per rank, however small. An exchange in two
//! hops sends about 2 sqrt(p). The ranks form a [grid](Grid) with rows of about sqrt(p) ranks. A
//! part first goes along the sender's row to the receiver's column, in one message with all other
//! parts for that column, and then along the column. All bytes are sent twice, so two hops are for
//! small messages.
//!
//! Source: the grid is folklore; Sanders & Schimek 2023 use it for spanning forests.

mod grid;

use std::collections::BTreeMap;
use std::ops::Add;

use bytemuck::Pod;
use bytemuck_derive::{Pod, Zeroable};
use mpi::datatype::{Partition, PartitionMut};
use mpi::traits::CommunicatorCollectives;

use self::grid::Grid;
use super::communicator::Communicator;
use super::messages::starts;
use super::parts::Parts;
use super::reduce::Reduction;
use super::traffic::Traffic;

/// The route of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// From each rank to each rank.
    Direct,
    /// In two hops over a grid of ranks.
    TwoHop,
}

/// The number of bytes that cost as much as one message. An estimate: the latency of a message is 1
/// to 2 microseconds, the bandwidth 5 to 10 GB/s.
const BYTES_PER_MESSAGE: u64 = 8 << 10;

impl Route {
    /// The route that is expected to be faster when each rank sends at most `bytes` bytes.
    pub fn for_bytes(bytes: u64, ranks: usize) -> Self {
        let messages_in_two_hops = 4 * Grid::new(ranks).columns;
        let saved_messages = ranks.saturating_sub(messages_in_two_hops) as u64;
        if bytes < saved_messages * BYTES_PER_MESSAGE { Self::TwoHop } else { Self::Direct }
    }

    /// The maximum number of messages that one rank sends when every rank has a non-empty part for
    /// every other rank.
    pub fn messages(self, ranks: usize) -> usize {
        let grid = Grid::new(ranks);
        match self {
            Self::Direct => ranks.saturating_sub(1),
            Self::TwoHop => {
                let sent = |rank| grid.first_hop_to(rank).len() + grid.second_hop_to(rank).len();
                // One rank of each kind: those that relay along a row for the short last row, those
                // that do not, and those of the last row.
                let kinds = [0, grid.columns.saturating_sub(1), ranks.saturating_sub(1)];
                kinds.into_iter().filter(|&rank| rank < ranks).map(sent).max().unwrap_or_default()
            }
        }
    }
}

impl Communicator {
    /// Sends `parts[r]` to rank `r`, and returns the parts that this rank receives, by sender.
    /// Chooses the route that is expected to be faster. Collective.
    ///
    /// # Panics
    /// When the number of parts is not the number of ranks.
    pub fn exchange<T: Pod>(&self, parts: &Parts<T>) -> Parts<T> {
        // With few ranks the direct route is always taken, without a reduction.
        let undecided = Route::for_bytes(0, self.size()) == Route::TwoHop;
        let bytes = size_of_val(parts.items()) as u64;
        let route = if undecided {
            Route::for_bytes(self.reduce_one(Reduction::Max, bytes), self.size())
        } else {
            Route::Direct
        };
        self.exchange_by(route, parts)
    }

    /// Like [`Self::exchange`], on a given route, which must be the same on all ranks. Collective.
    ///
    /// # Panics
    /// As [`Self::exchange`].
    pub fn exchange_by<T: Pod>(&self, route: Route, parts: &Parts<T>) -> Parts<T> {
        assert_eq!(parts.count(), self.size(), "there is one part for each rank");
        match route {
            Route::Direct => self.exchange_directly(parts),
            Route::TwoHop => self.exchange_in_two_hops(parts),
        }
    }

    fn exchange_directly<T: Pod>(&self, parts: &Parts<T>) -> Parts<T> {
        let rank = self.rank();
        let to: Vec<_> = parts.lengths().map(|length| length as u64).collect();
        let mut from = vec![0_u64; self.size()];
        self.counted(self.sent_to_others(8), || {
            self.meet();
            self.ranks.all_to_all_into(&to[..], &mut from[..]);
        });
        let lengths = from.iter().map(|&length| length as usize);
        let bytes = size_of_val(parts.items()).max(lengths.clone().sum::<usize>() * size_of::<T>());
        if self.reduce_one(Reduction::Max, bytes as u64) > self.longest_message() as u64 {
            return self.exchange_pairwise(parts);
        }
        let mut received: Vec<T> = Vec::new();
        self.grow(&mut received, lengths.clone().sum());
        let counts = |lengths: &[u64]| -> Vec<i32> {
            lengths.iter().map(|length| *length as i32 * size_of::<T>() as i32).collect()
        };
        let (counts_to, counts_from) = (counts(&to), counts(&from));
        let (starts_to, starts_from) = (starts(&counts_to), starts(&counts_from));
        let others = parts.iter().enumerate();
        let others = others.filter(|&(to, part)| to != rank && !part.is_empty());
        let sent = others.map(|(to, part)| self.sent_to(to, size_of_val(part)));
        let sent = sent.fold(Traffic::default(), Add::add);
        let out =
            Partition::new(bytemuck::cast_slice::<T, u8>(parts.items()), counts_to, starts_to);
        let mut into = PartitionMut::new(
            bytemuck::cast_slice_mut::<T, u8>(&mut received),
            counts_from,
            starts_from,
        );
        self.counted(sent, || self.ranks.all_to_all_varcount_into(&out, &mut into));
        Parts::new(received, lengths)
    }

    /// A direct exchange of more bytes than MPI can count.
    fn exchange_pairwise<T: Pod>(&self, parts: &Parts<T>) -> Parts<T> {
        // Each rank starts with the next one, so that not all ranks first send to the same rank.
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
        let (rank, grid) = (self.rank(), Grid::new(self.size()));
        // The first hop: to the relays.
        let mut by_relay: BTreeMap<usize, Vec<u8>> = BTreeMap::new();
        for to in grid.first_hop_to(rank) {
            by_relay.insert(to, Vec::new());
        }
        for (to, part) in parts.iter().enumerate().filter(|(_, part)| !part.is_empty()) {
            let letters = by_relay.entry(grid.relay(rank, to)).or_default();
            self.write_letter(letters, rank, to, bytemuck::cast_slice(part));
        }
        let arrived = self.hop(by_relay, &grid.first_hop_from(rank));
        // The second hop: to the receivers.
        let mut by_receiver: BTreeMap<usize, Vec<u8>> = BTreeMap::new();
        for to in grid.second_hop_to(rank) {
            by_receiver.insert(to, Vec::new());
        }
        for (header, bytes) in arrived.iter().flat_map(|letters| letters_in(letters)) {
            let letters = by_receiver.entry(header.to as usize).or_default();
            self.write_letter(letters, header.from as usize, header.to as usize, bytes);
        }
        drop(arrived);
        let arrived = self.hop(by_receiver, &grid.second_hop_from(rank));
        let mut by_sender: Vec<_> =
            arrived.iter().flat_map(|letters| letters_in(letters)).collect();
        by_sender.sort_unstable_by_key(|(header, _)| header.from); // one letter from each
        let mut lengths = vec![0; self.size()];
        for (header, bytes) in &by_sender {
            lengths[header.from as usize] = bytes.len() / size_of::<T>();
        }
        let mut items: Vec<T> = Vec::new();
        self.grow(&mut items, lengths.iter().sum());
        let mut rest: &mut [u8] = bytemuck::cast_slice_mut(&mut items);
        for (_, bytes) in by_sender {
            let (slot, others) = rest.split_at_mut(bytes.len());
            slot.copy_from_slice(bytes);
            rest = others;
        }
        Parts::new(items, lengths)
    }

    /// Appends a letter: a header and a part.
    fn write_letter(&self, letters: &mut Vec<u8>, from: usize, to: usize, bytes: &[u8]) {
        let header = Header { from: from as u32, to: to as u32, bytes: bytes.len() as u64 };
        self.append(letters, bytemuck::bytes_of(&header));
        self.append(letters, bytes);
    }

    /// Sends `letters` by receiver, and receives letters from each rank of `from`. `letters` has an
    /// entry for each rank that waits for this rank. Letters to this rank itself come first in the
    /// result.
    fn hop(&self, mut letters: BTreeMap<usize, Vec<u8>>, from: &[usize]) -> Vec<Vec<u8>> {
        let own = letters.remove(&self.rank()).unwrap_or_default();
        let to: Vec<_> = letters.iter().map(|(&to, letters)| (to, &letters[..])).collect();
        let mut arrived = vec![own];
        arrived.extend(self.swap(&to, from));
        arrived
    }
}

/// The header of a part in transit.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Header {
    from: u32,
    to: u32,
    bytes: u64,
}

/// The letters in a message of one hop.
fn letters_in(mut letters: &[u8]) -> impl Iterator<Item = (Header, &[u8])> {
    std::iter::from_fn(move || {
        let (header, rest) = letters.split_at_checked(size_of::<Header>())?;
        let header: Header = bytemuck::pod_read_unaligned(header);
        let (bytes, rest) = rest.split_at_checked(header.bytes as usize)?;
        letters = rest;
        Some((header, bytes))
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Simulates an exchange without MPI. Returns the number of messages that each rank sends, and
    /// the letters that arrive, as pairs of a sender and a receiver.
    fn simulate(
        route: Route,
        ranks: usize,
        letters: &[(usize, usize)],
    ) -> (Vec<usize>, Vec<(usize, usize)>) {
        let grid = Grid::new(ranks);
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
            // Each rank has parts for some others.
            let mut state = 1_u64;
            let mut random = || {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) as usize % ranks
            };
            let letters: BTreeSet<_> = (0..8 * ranks).map(|index| (index / 8, random())).collect();
            let letters = Vec::from_iter(letters);
            let (messages, arrived) = simulate(Route::TwoHop, ranks, &letters);
            assert!(arrived == letters);
            assert_eq!(messages.iter().max(), Some(&most), "{ranks} ranks");
            assert_eq!(Route::TwoHop.messages(ranks), most, "{ranks} ranks");
            let (messages, arrived) = simulate(Route::Direct, ranks, &letters);
            assert!(arrived == letters);
            assert!(messages.iter().all(|&messages| messages <= 8));
            assert_eq!(Route::Direct.messages(ranks), ranks - 1);
        }
    }

    #[test]
    fn the_predicted_number_of_messages_is_sent() {
        for ranks in (1..=40).chain([300]) {
            let all: Vec<_> =
                (0..ranks * ranks).map(|index| (index / ranks, index % ranks)).collect();
            for route in [Route::Direct, Route::TwoHop] {
                let (messages, arrived) = simulate(route, ranks, &all);
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
    fn two_hops_are_for_many_ranks_with_small_parts() {
        assert_eq!(Route::for_bytes(0, 16), Route::Direct);
        assert_eq!(Route::for_bytes(0, 64), Route::TwoHop);
        assert_eq!(Route::for_bytes(1 << 30, 64), Route::Direct);
        assert_eq!(Route::for_bytes(1 << 20, 1 << 16), Route::TwoHop);
    }
}
