//! Lists of edges on one device, and their forests as lists of their own.

#![allow(unsafe_code, reason = "kernels are launched, and device memory is known by its address")]

use std::ops::Range;

use cudarc::driver::sys::CUdeviceptr;
use cudarc::driver::{CudaSlice, CudaView};
use kostra_core::{Key, Run, SolveError};

use super::kernels::{Arguments, launch};
use crate::buffers::{DeviceEdgeSet, DeviceEdges, Keys, address};
use crate::launch::of_keys;
use crate::members::places_of_members;
use crate::shared::fill;
use crate::transfer::Region;
use crate::{Device, DeviceError, fast};

/// The ids of the edges of a list, which ascend. Edges of forests come first and have ids of their
/// own; those of all other edges follow each other.
pub(super) struct Ids {
    /// The ids of the edges of forests.
    known: CudaSlice<u32>,
    /// What is added to the place of each other edge, modulo 2^32.
    offset: u32,
}

impl Ids {
    /// The ids of edges that follow each other from `first` on.
    pub(super) fn from(device: &Device, first: u32) -> Result<Self, DeviceError> {
        Ok(Self { known: device.uninit(0)?, offset: first })
    }

    /// The argument of kernels: members of a list of edges with these ids.
    fn arguments(&self, members: &CudaView<'_, u32>) -> Arguments {
        Arguments {
            words: address(members),
            count: members.len() as u64,
            ids: address(&self.known),
            known: self.known.len() as u32,
            offset: self.offset,
            ..Arguments::default()
        }
    }
}

/// The forest of some edges, in device memory: its edges, ascending by id.
pub(super) struct DeviceForest<K: Key> {
    len: usize,
    pub(super) u: CudaSlice<u32>,
    pub(super) v: CudaSlice<u32>,
    pub(super) weights: CudaSlice<K>,
    ids: CudaSlice<u32>,
}

impl<K: Key> DeviceForest<K> {
    pub(super) fn empty(device: &Device) -> Result<Self, DeviceError> {
        Self::uninit(device, 0)
    }

    pub(super) fn uninit(device: &Device, len: usize) -> Result<Self, DeviceError> {
        Ok(Self {
            len,
            u: device.uninit(len)?,
            v: device.uninit(len)?,
            weights: device.uninit(len)?,
            ids: device.uninit(len)?,
        })
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Takes the ids out of the forest, which is then without ids.
    pub(super) fn take_ids(&mut self, device: &Device) -> Result<Ids, DeviceError> {
        let known = std::mem::replace(&mut self.ids, device.uninit(0)?);
        Ok(Ids { known, offset: 0 })
    }

    /// The edges as a list of their own. The ids are dropped.
    pub(super) fn into_edges(self, (vertices, keys): (u32, Keys)) -> DeviceEdges<K> {
        DeviceEdges {
            vertices,
            edges: self.len as u32,
            u: self.u.into(),
            v: self.v.into(),
            weights: self.weights.into(),
            keys,
        }
    }
}

/// The bytes of an edge of a forest.
pub(super) const fn forest_edge_bytes<K: Key>() -> usize {
    12 + size_of::<K>()
}

/// A list of edges in device memory: edges of forests, then edges whose ids follow each other.
pub(super) struct List<K: Key> {
    pub(super) edges: DeviceEdges<K>,
    ids: Ids,
}

impl<K: Key> List<K> {
    /// Allocates a list of `known` edges of forests, and of the edges with the ids `others`.
    pub(super) fn uninit(
        device: &Device,
        (vertices, keys): (u32, Keys),
        known: usize,
        others: Range<usize>,
    ) -> Result<Self, DeviceError> {
        let len = known + others.len();
        let ids = Ids {
            known: device.uninit(known)?,
            offset: (others.start as u32).wrapping_sub(known as u32),
        };
        let edges = DeviceEdges {
            vertices,
            edges: len as u32,
            u: device.uninit(len)?.into(),
            v: device.uninit(len)?.into(),
            weights: device.uninit(len)?.into(),
            keys,
        };
        Ok(Self { edges, ids })
    }

    /// The place of the first edge that is not of a forest.
    pub(super) fn others_at(&self) -> usize {
        self.ids.known.len()
    }

    /// The addresses of the ends and the weight of the edge at a place.
    pub(super) fn addresses(&self, place: usize) -> [CUdeviceptr; 3] {
        let at = |address: CUdeviceptr, size: usize| address + (place * size) as CUdeviceptr;
        [
            at(self.edges.u.address(), 4),
            at(self.edges.v.address(), 4),
            at(self.edges.weights.address(), size_of::<K>()),
        ]
    }

    /// The address of the id of an edge of a forest. `known` counts these edges.
    pub(super) fn id_address(&self, known: usize) -> CUdeviceptr {
        address(&self.ids.known) + 4 * known as CUdeviceptr
    }

    /// What to copy so that the edges of forests from `known` on are those of `forest`, which is on
    /// this device or another one.
    pub(super) fn regions(&self, known: usize, forest: &DeviceForest<K>) -> [Region; 4] {
        let [u, v, weights] = self.addresses(known);
        let ids = self.id_address(known);
        let region = |from, to, size| Region { from, to, bytes: forest.len * size };
        [
            region(address(&forest.u), u, 4),
            region(address(&forest.v), v, 4),
            region(address(&forest.weights), weights, size_of::<K>()),
            region(address(&forest.ids), ids, 4),
        ]
    }

    /// The forest of the list.
    pub(super) fn reduce(&self, device: &Device) -> Result<DeviceForest<K>, SolveError> {
        reduce(device, &self.edges, &self.ids)
    }

    /// The forest of a list that has only edges of forests or light edges, in any order, whose ids
    /// are below `all`.
    pub(super) fn find<'a>(
        &self,
        device: &'a Device,
        all: u32,
    ) -> Result<fast::FoundForest<'a>, SolveError> {
        fast::find_listed(device, &self.edges, &self.ids.known, all)
    }

    /// The forest of the list as members of the set of all `all` edges of the graph.
    pub(super) fn mark(&self, device: &Device, all: usize) -> Result<DeviceEdgeSet, SolveError> {
        // Freeing memory of another device makes that one current.
        device.bind()?;
        let mut set = DeviceEdgeSet::new(device, all)?;
        self.mark_in(device, &mut set)?;
        Ok(set)
    }

    /// Adds the forest of the list to a set of edges of the graph.
    pub(super) fn mark_in(
        &self,
        device: &Device,
        set: &mut DeviceEdgeSet,
    ) -> Result<(), SolveError> {
        if self.edges.edges > 0 {
            let found = fast::find_on_edges(device, &self.edges, &mut Run::new())?;
            self.mark_members(device, &found.words(), set)?;
        }
        Ok(())
    }

    /// Adds members of the list to a set of edges of the graph, which has all ids of the list.
    pub(super) fn mark_members(
        &self,
        device: &Device,
        members: &CudaView<'_, u32>,
        set: &mut DeviceEdgeSet,
    ) -> Result<(), DeviceError> {
        mark_members(device, &self.ids, members, set)
    }

    /// Replaces the ends of all edges by the components of their vertices. The number of components
    /// is `components`. `labels` has the component of each vertex, with a mark in the highest bit.
    pub(super) fn contract_ends(
        &mut self,
        device: &Device,
        labels: &CudaSlice<u32>,
        components: u32,
    ) -> Result<(), DeviceError> {
        let arguments = fill!(Arguments {
            count: self.edges.edges.into(),
            labels: address(labels),
        }, ..Arguments::default(); self.edges => u v);
        // SAFETY: the list has `count` edges, and there is a label for each of its vertices.
        unsafe { launch(device, "contract_ends", &arguments, "contracting vertices") }?;
        self.edges.vertices = components;
        Ok(())
    }
}

/// Adds members of a list of edges with these ids to a set of edges of the graph, which has all of
/// the ids.
pub(super) fn mark_members(
    device: &Device,
    ids: &Ids,
    members: &CudaView<'_, u32>,
    set: &mut DeviceEdgeSet,
) -> Result<(), DeviceError> {
    let arguments = Arguments { set: address(&set.words), ..ids.arguments(members) };
    // SAFETY: the members have `count` words, `known` edges have ids, and the set has all ids.
    unsafe { launch(device, "mark_members", &arguments, "marking a forest") }?;
    device.finish()
}

/// The forest of a list of edges with these ids.
pub(super) fn reduce<K: Key>(
    device: &Device,
    list: &DeviceEdges<K>,
    ids: &Ids,
) -> Result<DeviceForest<K>, SolveError> {
    device.bind()?; // freeing memory of another device makes that one current
    if list.edges == 0 {
        return Ok(DeviceForest::empty(device)?);
    }
    let found = fast::find_on_edges(device, list, &mut Run::new())?;
    Ok(take_members(device, list, ids, &found.words())?)
}

/// The members of a list of edges with these ids. They are listed when this returns.
pub(super) fn take_members<K: Key>(
    device: &Device,
    list: &DeviceEdges<K>,
    ids: &Ids,
    members: &CudaView<'_, u32>,
) -> Result<DeviceForest<K>, DeviceError> {
    let (before, len) = places_of_members(device, members)?;
    let forest = DeviceForest::uninit(device, len as usize)?;
    let arguments = fill!(Arguments {
        before: address(&before),
        taken_u: address(&forest.u),
        taken_v: address(&forest.v),
        taken_weights: address(&forest.weights),
        taken_ids: address(&forest.ids),
    }, ..ids.arguments(members); list => u v weights);
    let kernel = of_keys!("take_members", list.keys);
    // SAFETY: all members are places in the list, and the forest has room for all members.
    unsafe { launch(device, kernel, &arguments, "listing a forest") }?;
    // The scratch memory, which has the set, is free for other solves from here on.
    device.finish()?;
    Ok(forest)
}
