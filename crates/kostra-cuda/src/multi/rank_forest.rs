//! The forest of the edges of a rank of a cluster, which is merged with the forests of other ranks.
//!
//! Another crate sends and receives the messages. The forests stay on the devices: only ends and
//! weights are sent, and one bit per edge comes back. Edges are known by their places in the lists
//! that were reduced, so a graph may have more edges than 32-bit ids.

#![allow(unsafe_code, reason = "device memory is known by its address only")]

use cudarc::driver::sys::CUdeviceptr;
use kostra_core::{EdgeSet, Edges, Key, Run, SolveError};

use super::forest::{Ids, List, mark_members};
use super::seat::{Seat, graph_of, name_device};
use super::{bytes_of, load_all};
use crate::buffers::{DeviceEdgeSet, Keys, address, upload};
use crate::transfer::{self, Way};
use crate::wire::{Wire, WireMemory, WirePiece};
use crate::{Device, DeviceError, fast};

/// The forest of a rank's edges on its device.
pub struct RankForest<K: Key> {
    seat: Seat<K>,
    graph: (u32, Keys),
    memory: WireMemory,
    /// The lists that were reduced, the first one first.
    reduced: Vec<Reduced>,
}

/// A list of edges that was reduced to its forest.
struct Reduced {
    /// The number of edges of the list.
    edges: usize,
    /// The places of the forest's edges in the list.
    forest: Ids,
}

impl<K: Key> RankForest<K> {
    /// Whether the device has the memory to reduce these edges of a rank, and then to merge
    /// forests. The graph has `all` edges on all ranks.
    ///
    /// # Errors
    /// When there is no such device, or it fails.
    pub fn has_room(
        ordinal: usize,
        edges: Edges<'_, K>,
        all: u64,
        memory: WireMemory,
        run: &mut Run<'_>,
    ) -> Result<bool, SolveError> {
        if fast::admit(edges.vertices(), edges.len()).is_err() {
            return Ok(false);
        }
        let device = Device::open(ordinal)?;
        device.bind()?;
        let merged = u64::from(edges.vertices()).min(all) as usize;
        let share = edges.len().max(merged);
        let bytes = run.compile(|_| bytes_of::<K>(&device, graph_of(edges), share, true));
        let bytes = bytes?.saturating_add(memory.bytes_on_device());
        Ok(bytes <= device.available()?)
    }

    /// Copies the edges of a rank to its device, and reduces them. `memory` is what the messages to
    /// other ranks are sent from.
    ///
    /// # Errors
    /// When there is no such device, it fails, or it has too little memory. The error names the
    /// device.
    pub fn new(
        ordinal: usize,
        edges: Edges<'_, K>,
        memory: WireMemory,
        run: &mut Run<'_>,
    ) -> Result<Self, SolveError> {
        fast::admit(edges.vertices(), edges.len())?;
        let device = Device::open(ordinal)?;
        let graph = graph_of(edges);
        run.compile(|_| load_all(std::slice::from_ref(&device), graph.1))?;
        let named = |error: DeviceError| name_device(&device, error.into());
        let mut prepare = || {
            device.bind()?;
            // Now, because the later steps keep all memory that they get.
            device.return_wire(device.take_wire(memory)?);
            let mut seat = Seat::new(device.clone())?;
            run.upload(|run| seat.upload(edges, 0..edges.len(), run.request.threads()))?;
            Ok(seat)
        };
        let seat = prepare().map_err(named)?;
        let mut forest = Self { seat, graph, memory, reduced: Vec::new() };
        forest.reduce().map_err(|error| name_device(&device, error))?;
        Ok(forest)
    }

    /// The number of edges of the forest.
    pub fn len(&self) -> usize {
        self.seat.forest.len()
    }

    /// Whether the forest has no edge.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Sends the edges of the forest to another rank, which [merges](Self::merge) them. Calls
    /// `send` for each message, in order.
    ///
    /// # Errors
    /// When the device fails. The error names the device.
    pub fn send(&self, send: impl FnMut(WirePiece)) -> Result<(), SolveError> {
        let Seat { device, forest, .. } = &self.seat;
        let from = [address(&forest.u), address(&forest.v), address(&forest.weights)];
        let arrays = arrays::<K>(from, self.len());
        // SAFETY: the arrays are those of the forest, which has `len` edges.
        self.on_wire(|wire| unsafe { wire.send(device, &arrays, send) })
            .map_err(|error| name_device(device, error.into()))
    }

    /// Receives a forest of `received` edges, whose ids are all higher, and reduces both forests to
    /// one. Calls `receive` for each message, in order. All ranks have the same kind of memory for
    /// messages.
    ///
    /// # Errors
    /// When the device fails or has too little memory. The error names the device.
    pub fn merge(
        &mut self,
        received: usize,
        receive: impl FnMut(WirePiece),
    ) -> Result<(), SolveError> {
        let Seat { device, forest, .. } = &self.seat;
        let device = device.clone();
        let named = |error: DeviceError| name_device(&device, error.into());
        let (own, all) = (forest.len(), forest.len() + received);
        let list = List::uninit(&device, self.graph, 0, 0..all).map_err(named)?;
        // SAFETY: the list has room for both forests. The regions are without ids: the list has
        // new ones.
        unsafe {
            transfer::copy((&device, &device), &list.regions(0, forest)[..3], Way::Direct)
                .and_then(|()| {
                    let to = arrays::<K>(list.addresses(own), received);
                    self.on_wire(|wire| wire.receive(&device, &to, receive))
                })
                .map_err(named)?;
        }
        self.seat.list = Some(list);
        self.reduce().map_err(|error| name_device(&device, error))
    }

    /// Undoes the last merge, or at last the reduction of the rank's own edges. `chosen` is a set
    /// of edges of the forest, by their places in it. Returns the same edges by their places in the
    /// list that was reduced: this rank's edges, then those that it has received.
    ///
    /// # Errors
    /// When the device fails or has too little memory. The error names the device.
    pub fn undo(&mut self, chosen: &EdgeSet, run: &mut Run<'_>) -> Result<EdgeSet, SolveError> {
        let Some(Reduced { edges, forest }) = self.reduced.pop() else {
            return Ok(EdgeSet::new(0));
        };
        let device = &*self.seat.device;
        let mut mark = || {
            let members = upload::<u32>(device, bytemuck::cast_slice(chosen.words()))?;
            let mut set = DeviceEdgeSet::new(device, edges)?;
            mark_members(device, &forest, &members.as_view(), &mut set)?;
            run.download(|run| set.download(device, run.request.threads()))
        };
        mark().map_err(|error: DeviceError| name_device(device, error.into()))
    }

    fn on_wire(
        &self,
        step: impl FnOnce(&Wire) -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        let device = &self.seat.device;
        let wire = device.take_wire(self.memory)?;
        let result = step(&wire);
        device.return_wire(wire);
        result
    }

    fn reduce(&mut self) -> Result<(), SolveError> {
        let edges = self.seat.list.as_ref().map_or(0, |list| list.edges.edges as usize);
        self.seat.reduce()?;
        let forest = self.seat.forest.take_ids(&self.seat.device)?;
        self.reduced.push(Reduced { edges, forest });
        Ok(())
    }
}

/// The arrays of the ends and the weights of `edges` edges.
fn arrays<K: Key>([u, v, weights]: [CUdeviceptr; 3], edges: usize) -> [(CUdeviceptr, usize); 3] {
    [(u, 4 * edges), (v, 4 * edges), (weights, size_of::<K>() * edges)]
}

#[cfg(test)]
mod tests {
    use cudarc::driver::result;
    use kostra_core::{EdgeList, Order};

    use super::*;
    use crate::testing::{device, kruskal};

    /// Merges `from` into `into`. The messages go through host memory.
    fn merge(into: &mut RankForest<u32>, from: &RankForest<u32>) {
        let mut messages = Vec::new();
        let host = |piece: WirePiece| piece.address.expose_provenance() as CUdeviceptr;
        from.send(|piece| {
            let mut bytes = vec![0_u8; piece.bytes];
            // SAFETY: the piece has the bytes.
            unsafe { result::memcpy_dtoh_sync(&mut bytes, host(piece)) }.unwrap();
            messages.push(bytes);
        })
        .unwrap();
        let mut messages = messages.into_iter();
        into.merge(from.len(), |piece| {
            // SAFETY: the piece has room for the message.
            unsafe { result::memcpy_htod_sync(host(piece), &messages.next().unwrap()) }.unwrap();
        })
        .unwrap();
        assert!(messages.next().is_none());
    }

    #[test]
    fn forests_of_ranks_merge_to_the_forest_of_the_graph() {
        if device().is_none() {
            return;
        }
        let (n, m) = (5000_u32, 40_000_u32);
        let random = |i: u32, salt: u32| (i ^ salt).wrapping_mul(2_654_435_761) >> 7;
        let list = |range: std::ops::Range<u32>| {
            let ends = |salt| range.clone().map(|i| random(i, salt) % n).collect::<Vec<_>>();
            let weights: Vec<u32> = range.clone().map(|i| random(i, 77) % 50).collect();
            EdgeList::new(n as usize, ends(1 << 20), ends(3 << 21), weights).unwrap()
        };
        let set = |len: usize, ids: &mut dyn Iterator<Item = u32>| {
            let mut set = EdgeSet::new(len);
            for id in ids {
                set.insert(id);
            }
            set
        };
        let graph = list(0..m);
        for order in [Order::Minimum, Order::Maximum] {
            for memory in [WireMemory::OnDevice, WireMemory::PageLocked] {
                let parts = [0..9000, 9000..9001, 9001..m].map(list);
                let run = &mut Run::new();
                let [mut first, second, third] = parts.each_ref().map(|part| {
                    let edges = part.edges(order);
                    assert!(RankForest::has_room(0, edges, m.into(), memory, run).unwrap());
                    RankForest::new(0, edges, memory, run).unwrap()
                });
                let lens = [&first, &second, &third].map(RankForest::len);
                merge(&mut first, &second);
                let merged = first.len();
                merge(&mut first, &third);
                let all = set(first.len(), &mut (0..first.len() as u32));
                let both = first.undo(&all, run).unwrap().into_ids();
                let (low, high) = both.split_at(both.partition_point(|&at| at < merged as u32));
                let of_third = set(lens[2], &mut high.iter().map(|at| at - merged as u32));
                let both =
                    first.undo(&set(merged, &mut low.iter().copied()), run).unwrap().into_ids();
                let (low, high) = both.split_at(both.partition_point(|&at| at < lens[0] as u32));
                let of_second = set(lens[1], &mut high.iter().map(|at| at - lens[0] as u32));
                let of_first = set(lens[0], &mut low.iter().copied());
                let undone =
                    [(first, of_first, 0), (second, of_second, 9000), (third, of_third, 9001)].map(
                        |(mut forest, chosen, start)| {
                            let ids = forest.undo(&chosen, run).unwrap().into_ids();
                            ids.into_iter().map(|id| id + start).collect::<Vec<u32>>()
                        },
                    );
                assert_eq!(undone.concat(), kruskal(graph.edges(order)), "{order:?}, {memory:?}");
            }
        }
    }
}
