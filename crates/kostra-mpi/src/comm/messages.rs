//! Messages between two ranks, broadcasts, gathers and scatters, of any length and plain type.

use std::ops::Add;

use bytemuck::Pod;
use mpi::request::{WaitGuard, scope};
use mpi::traits::{CommunicatorCollectives, Destination, Equivalence, Root, Source};

use super::communicator::Communicator;
use super::memory;
use super::parts::Parts;
use super::traffic::Traffic;

/// The kind of a message. A receive matches only messages of its kind.
type Tag = i32;
/// A message of [`Communicator::send`].
pub(super) const MESSAGE: Tag = 1;
/// A message of a [`Mailbox`](super::Mailbox).
pub(super) const MAIL: Tag = 2;
/// An array whose address is that of a variable.
static NOTHING: [u8; 1] = [0];
/// A message of [`Communicator::swap`].
const SWAP: Tag = 3;

impl Communicator {
    /// Waits until all ranks have called this. Collective.
    pub fn barrier(&self) {
        self.counted(self.sent_along_tree(0), || self.waited(|| self.ranks.barrier()));
    }

    /// Sends `items` to another rank, which must [receive](Self::receive) them. This may wait until
    /// it does.
    pub fn send<T: Pod>(&self, to: usize, items: &[T]) {
        let bytes = bytemuck::cast_slice(items);
        self.counted(self.sent_to(to, bytes.len()), || {
            for piece in self.pieces(bytes) {
                self.process(to).send_with_tag(piece, MESSAGE);
            }
        });
    }

    /// Receives what another rank has [sent](Self::send) with the same type. Waits for it. Several
    /// messages of one rank are received in the order of sending.
    pub fn receive<T: Pod>(&self, from: usize) -> Vec<T> {
        self.counted(Traffic::default(), || self.receive_tagged(from, MESSAGE))
    }

    /// Copies the root's `items` to every rank. Collective. `items` must have the same length on
    /// every rank.
    pub fn broadcast<T: Pod>(&self, root: usize, items: &mut [T]) {
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(items);
        let is_root = root == self.rank();
        let sent = if is_root { Traffic::default() } else { self.sent_to(root, bytes.len()) };
        self.counted(sent, || {
            if self.job.counts_waiting.get() {
                let first = || self.process(root).broadcast_into(&mut [0_u8][..]);
                if is_root { first() } else { self.waited(first) }
            }
            for piece in bytes.chunks_mut(self.longest_message()) {
                self.process(root).broadcast_into(piece);
            }
        });
    }

    /// Returns the root's `item` on every rank. Collective.
    pub fn broadcast_one<T: Pod>(&self, root: usize, item: T) -> T {
        let mut items = [item];
        self.broadcast(root, &mut items);
        items[0]
    }

    /// Returns the root's `items` on every rank. The items of other ranks are dropped. Collective.
    pub fn broadcast_vec<T: Pod>(&self, root: usize, mut items: Vec<T>) -> Vec<T> {
        let length = self.broadcast_one(root, items.len() as u64) as usize;
        if root != self.rank() {
            items.clear();
            self.grow(&mut items, length);
        }
        self.broadcast(root, &mut items);
        items
    }

    /// Returns the items of all ranks at the root, in parts by rank; `None` at other ranks.
    /// Collective.
    pub fn gather<T: Pod>(&self, root: usize, items: &[T]) -> Option<Parts<T>> {
        if root != self.rank() {
            self.send(root, items);
            return None;
        }
        let mut lengths = Vec::with_capacity(self.size());
        let mut all = Vec::new();
        for rank in 0..self.size() {
            let part = if rank == root { items.to_vec() } else { self.receive(rank) };
            lengths.push(part.len());
            self.append(&mut all, &part);
        }
        Some(Parts::new(all, lengths))
    }

    /// Returns on each rank its part of the root's `parts`. The parts of other ranks are dropped.
    /// Collective.
    pub fn scatter<T: Pod>(&self, root: usize, parts: Option<&Parts<T>>) -> Vec<T> {
        if root != self.rank() {
            let part = self.receive(root);
            self.counted(self.sent_to(root, size_of_val(&part[..])), || ());
            return part;
        }
        let Some(parts) = parts.filter(|parts| parts.count() == self.size()) else {
            self.fail("the array to scatter does not have one part for each rank");
        };
        for rank in (0..self.size()).filter(|&rank| rank != root) {
            let bytes = bytemuck::cast_slice(parts.part(rank));
            self.counted(Traffic::default(), || {
                for piece in self.pieces(bytes) {
                    self.process(rank).send_with_tag(piece, MESSAGE);
                }
            });
        }
        parts.part(root).to_vec()
    }

    /// Returns the items of all ranks on every rank, in parts by rank. Collective.
    pub fn all_gather<T: Pod>(&self, items: &[T]) -> Parts<T> {
        let mut lengths = vec![0_u64; self.size()];
        self.counted(self.sent_to_others(8), || {
            self.meet();
            self.ranks.all_gather_into(&(items.len() as u64), &mut lengths[..]);
        });
        let lengths: Vec<_> = lengths.into_iter().map(|length| length as usize).collect();
        let mut all: Vec<T> = Vec::new();
        self.grow(&mut all, lengths.iter().sum());
        if all.is_empty() {
            self.counted(self.sent_to_others(0), || ());
            return Parts::new(all, lengths);
        }
        // An empty array of bytes may start at address 1, which Open MPI takes for MPI_IN_PLACE.
        let own: &[u8] = if items.is_empty() { &NOTHING[..0] } else { bytemuck::cast_slice(items) };
        if size_of_val(&all[..]) <= self.longest_message() {
            let counts: Vec<_> =
                lengths.iter().map(|length| (length * size_of::<T>()) as i32).collect();
            let starts = starts(&counts);
            let mut into = mpi::datatype::PartitionMut::new(
                bytemuck::cast_slice_mut::<T, u8>(&mut all),
                counts,
                starts,
            );
            self.counted(self.sent_to_others(own.len()), || {
                self.ranks.all_gather_varcount_into(own, &mut into);
            });
        } else {
            let mut start = 0;
            for (rank, &length) in lengths.iter().enumerate() {
                let part = &mut all[start..start + length];
                if rank == self.rank() {
                    part.copy_from_slice(items);
                }
                self.broadcast(rank, part);
                start += length;
            }
        }
        Parts::new(all, lengths)
    }

    /// Sends each message of `to`, a pair of a rank and bytes, and meanwhile receives one message
    /// from each rank of `from`. Returns the received messages in the order of `from`. Neither list
    /// may name this rank. Each receiver must call this function too.
    pub(crate) fn swap<T: Pod>(&self, to: &[(usize, &[u8])], from: &[usize]) -> Vec<Vec<T>> {
        let sent = to.iter().map(|(to, bytes)| self.sent_to(*to, bytes.len()));
        self.counted(sent.fold(Traffic::default(), Add::add), || {
            scope(|scope| {
                let mut sent = Vec::with_capacity(to.len());
                for &(to, bytes) in to {
                    for piece in self.pieces(bytes) {
                        let request = self.process(to).immediate_send_with_tag(scope, piece, SWAP);
                        sent.push(WaitGuard::from(request));
                    }
                }
                from.iter().map(|&from| self.receive_tagged(from, SWAP)).collect()
            })
        })
    }

    /// Whether a message that rank `from` has sent by [`Self::swap`] has arrived and was not
    /// received yet.
    pub(crate) fn has_arrived(&self, from: usize) -> bool {
        self.process(from).immediate_probe_with_tag(SWAP).is_some()
    }

    /// The pieces in which a message is sent. The first piece that is shorter than the longest
    /// message ends the sequence; it may be empty.
    fn pieces<'a>(&self, bytes: &'a [u8]) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let end: &[u8] = &[];
        let is_even = bytes.len().is_multiple_of(self.longest_message());
        bytes.chunks(self.longest_message()).chain(is_even.then_some(end))
    }

    fn receive_tagged<T: Pod>(&self, from: usize, tag: Tag) -> Vec<T> {
        const { assert!(size_of::<T>() > 0, "items have a size") };
        let (mut items, mut filled) = (Vec::new(), 0);
        loop {
            let (message, status) = self.waited(|| self.process(from).matched_probe_with_tag(tag));
            let piece = status.count(u8::equivalent_datatype()) as usize;
            self.grow(&mut items, (filled + piece).div_ceil(size_of::<T>()));
            let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut items);
            message.matched_receive_into(&mut bytes[filled..filled + piece]);
            filled += piece;
            if piece < self.longest_message() {
                break;
            }
        }
        if !filled.is_multiple_of(size_of::<T>()) {
            self.fail(format!(
                "rank {from} has sent {filled} bytes, which is not a multiple of the item size {}",
                size_of::<T>()
            ));
        }
        items
    }

    /// Extends `items` to `length` with zeros. If the memory is not granted, this rank ends the
    /// job.
    pub(super) fn grow<T: Pod>(&self, items: &mut Vec<T>, length: usize) {
        self.reserve(items, length.saturating_sub(items.len()));
        items.resize(length, T::zeroed());
    }

    /// Appends `more` to `items`. If the memory is not granted, this rank ends the job.
    pub(super) fn append<T: Pod>(&self, items: &mut Vec<T>, more: &[T]) {
        self.reserve(items, more.len());
        items.extend_from_slice(more);
    }

    fn reserve<T>(&self, items: &mut Vec<T>, more: usize) {
        if items.try_reserve(more).is_err() {
            let bytes = (items.len() + more).saturating_mul(size_of::<T>());
            self.fail(memory::refusal(bytes));
        }
    }
}

/// The start of each of several consecutive parts with these lengths.
pub(super) fn starts(counts: &[i32]) -> Vec<i32> {
    let mut start = 0;
    let next = |count: &i32| {
        start += count;
        start - count
    };
    counts.iter().map(next).collect()
}
