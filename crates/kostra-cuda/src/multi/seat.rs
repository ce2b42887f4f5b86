//! What one of several devices has, and the steps that all of them take at the same time.

#![allow(unsafe_code, reason = "device memory is known by its address only")]

use std::ops::Range;
use std::sync::Arc;

use kostra_core::{Edges, Key, SolveError};
use kostra_parallel::for_each_mut;

use super::forest::{self, DeviceForest, Ids, List, forest_edge_bytes};
use crate::buffers::{DeviceEdges, Keys};
use crate::staging::{self, Transfer};
use crate::transfer::{self, Way};
use crate::{Device, DeviceError};

/// A device, and the forest of the shares that it has reduced so far.
pub(super) struct Seat<K: Key> {
    pub(super) device: Arc<Device>,
    pub(super) forest: DeviceForest<K>,
    /// A list whose forest is the next one.
    pub(super) list: Option<List<K>>,
}

impl<K: Key> Seat<K> {
    pub(super) fn new(device: Arc<Device>) -> Result<Self, DeviceError> {
        let forest = DeviceForest::empty(&device)?;
        Ok(Self { device, forest, list: None })
    }

    /// Copies a share of the graph's edges to the device. The edges of the forest so far have lower
    /// ids.
    pub(super) fn upload(
        &mut self,
        edges: Edges<'_, K>,
        share: Range<usize>,
        threads: usize,
    ) -> Result<(), DeviceError> {
        let device = &*self.device;
        let known = self.forest.len();
        let list = List::uninit(device, graph_of(edges), known, share.clone())?;
        if known > 0 {
            // SAFETY: the list has room for the forest, which is complete.
            unsafe {
                transfer::copy((device, device), &list.regions(0, &self.forest), Way::Direct)
            }?;
        }
        let [u, v, weights] = list.addresses(list.others_at());
        let transfers = [
            Transfer::new(&edges.weights()[share.clone()], weights),
            Transfer::new(&edges.u()[share.clone()], u),
            Transfer::new(&edges.v()[share], v),
        ];
        // SAFETY: the list has room for the share beside the forest.
        unsafe { staging::send(device, &transfers, threads) }?;
        self.list = Some(list);
        Ok(())
    }

    /// Replaces the list by its forest.
    pub(super) fn reduce(&mut self) -> Result<(), SolveError> {
        if let Some(list) = self.list.take() {
            self.forest = list.reduce(&self.device)?;
        }
        Ok(())
    }

    /// Sets the forest of edges that are on the device already, whose ids follow each other from
    /// `first` on.
    pub(super) fn reduce_resident(
        &mut self,
        edges: &DeviceEdges<K>,
        first: u32,
    ) -> Result<(), SolveError> {
        self.forest = forest::reduce(&self.device, edges, &Ids::from(&self.device, first)?)?;
        Ok(())
    }

    /// Makes a list of this forest and of another seat's, whose ids are all higher.
    pub(super) fn join(&mut self, graph: (u32, Keys), other: &Self) -> Result<(), SolveError> {
        let device = &*self.device;
        let (own, others) = (self.forest.len(), other.forest.len());
        let named = |error: DeviceError| name_device(device, error.into());
        let known = own + others;
        let list = List::uninit(device, graph, known, 0..0).map_err(named)?;
        // SAFETY: the list has room for both forests, which are complete.
        unsafe {
            transfer::copy((device, device), &list.regions(0, &self.forest), Way::Direct)
                .map_err(named)?;
            let way = Way::between(&other.device, device);
            let regions = list.regions(own, &other.forest);
            transfer::copy((&other.device, device), &regions, way)
                .map_err(|error| name_devices(&other.device, device, error))?;
        }
        self.list = Some(list);
        Ok(())
    }

    /// Allocates and frees the memory of the later steps, so that they get it without the system:
    /// two forests, and the list of both. The device keeps memory that is freed.
    pub(super) fn reserve(&self, vertices: u32, edges: usize) -> Result<(), DeviceError> {
        let most = edges.min(vertices as usize);
        let bytes = 2 * most * forest_edge_bytes::<K>() + list_bytes::<K>(2 * most, 0);
        self.device.uninit::<u8>(bytes).map(drop)
    }
}

/// The number of vertices, and how keys are computed.
pub(super) fn graph_of<K: Key>(edges: Edges<'_, K>) -> (u32, Keys) {
    (edges.vertices(), Keys::of(edges.encoding()))
}

/// Takes a step on all seats at the same time. The error names the device.
pub(super) fn on_all<K: Key, E: Into<SolveError> + Send>(
    seats: &mut [Seat<K>],
    step: impl Fn(usize, &mut Seat<K>) -> Result<(), E> + Sync,
) -> Result<(), SolveError> {
    let mut work: Vec<_> = seats.iter_mut().enumerate().map(|seat| (seat, Ok(()))).collect();
    for_each_mut(&mut work, |((index, seat), result)| {
        *result = match seat.device.bind() {
            Ok(()) => step(*index, seat).map_err(Into::into),
            Err(error) => Err(error.into()),
        };
    });
    work.into_iter().try_for_each(|((_, seat), result)| {
        result.map_err(|error| name_device(&seat.device, error))
    })
}

/// Merges the forests of seats in pairs at the same time: the first seat of a pair gets the list of
/// both forests, and reduces it if `reduces`. The second one gets an empty forest.
pub(super) fn merge<K: Key>(
    seats: &mut [Seat<K>],
    graph: (u32, Keys),
    pairs: &[(usize, usize)],
    reduces: bool,
) -> Result<(), SolveError> {
    let mut free: Vec<_> = seats.iter_mut().map(Some).collect();
    let mut work: Vec<_> = pairs
        .iter()
        .filter_map(|&(into, from)| {
            Some((free.get_mut(into)?.take()?, free.get_mut(from)?.take()?, Ok(())))
        })
        .collect();
    for_each_mut(&mut work, |(into, from, result)| {
        *result = into.device.bind().map_err(SolveError::from).and_then(|()| {
            into.join(graph, from)?;
            from.forest = DeviceForest::empty(&from.device)?;
            if reduces {
                into.reduce().map_err(|error| name_device(&into.device, error))?;
            }
            Ok(())
        });
    });
    work.into_iter().try_for_each(|(.., result)| result)
}

/// Adds the device's number to an error that does not name the device.
pub(super) fn name_device(device: &Device, error: SolveError) -> SolveError {
    let what = match error {
        SolveError::Device { what } => what,
        error @ SolveError::DeviceMemory { .. } => error.to_string(),
        error => return error,
    };
    SolveError::Device { what: format!("cuda:{}: {what}", device.ordinal()) }
}

/// Adds the numbers of both devices to the error of a copy from one to the other.
pub(super) fn name_devices(from: &Device, to: &Device, error: DeviceError) -> SolveError {
    let what = SolveError::from(error).to_string();
    SolveError::Device {
        what: format!("copying from cuda:{} to cuda:{}: {what}", from.ordinal(), to.ordinal()),
    }
}

/// The bytes of a list of `known` edges of forests and `others` edges.
pub(super) fn list_bytes<K: Key>(known: usize, others: usize) -> usize {
    DeviceEdges::<K>::bytes(known + others).saturating_add(4 * known)
}
