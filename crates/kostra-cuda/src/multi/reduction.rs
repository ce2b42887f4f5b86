//! The device's half of a solve that another solver takes part in.

#![allow(unsafe_code, reason = "device memory is known by its address only")]

use std::ops::Range;
use std::sync::Arc;

use kostra_core::{Algorithm, EdgeId, EdgeSet, Edges, Key, Run, SolveError, Vertex};

use super::forest::{List, Side};
use super::seat::{Seat, graph_of, name_device};
use super::transfer::{self, Way};
use super::{Multi, load_all};
use crate::buffers::Keys;
use crate::staging::{self, Transfer};
use crate::{Device, DeviceError};

/// Edges with their ids, which ascend. All arrays are equally long.
#[derive(Clone, Copy, Debug)]
pub struct ListedEdges<'a, K: Key> {
    /// The first ends.
    pub u: &'a [Vertex],
    /// The second ends.
    pub v: &'a [Vertex],
    /// The weights.
    pub weights: &'a [K],
    /// The ids.
    pub ids: &'a [EdgeId],
}

/// A device that reduces parts of a graph's edges to their forest, from the last edge to the first.
/// Another solver reduces the other edges at the same time.
pub struct Reduction<K: Key> {
    device: Arc<Device>,
    seat: Seat<K>,
    graph: (u32, Keys),
}

impl<K: Key> Reduction<K> {
    /// Opens the device, and loads the kernels in the phase "compile" of the run.
    ///
    /// # Errors
    /// When there is no such device, it fails, or the graph has too many vertices.
    pub fn new(ordinal: usize, edges: Edges<'_, K>, run: &mut Run<'_>) -> Result<Self, SolveError> {
        Multi.admit(edges.vertices(), edges.len())?;
        let device = Device::open(ordinal)?;
        let graph = graph_of(edges);
        run.compile(|_| load_all(std::slice::from_ref(&device), graph.1))?;
        let seat = device.bind().and_then(|()| Seat::new(device.clone()));
        let seat = seat.map_err(|error| name_device(&device, error.into()))?;
        Ok(Self { device, seat, graph })
    }

    /// Reduces further edges of the graph, together with the forest so far. `share` ends where the
    /// share before began. Copies on up to `threads` threads.
    ///
    /// # Errors
    /// When the device fails or has too little memory. The error names the device.
    pub fn add(
        &mut self,
        edges: Edges<'_, K>,
        share: Range<usize>,
        threads: usize,
    ) -> Result<(), SolveError> {
        let Self { device, seat, .. } = self;
        let step = || {
            device.bind()?;
            seat.upload(edges, share, Side::After, threads)?;
            seat.reduce()
        };
        step().map_err(|error| name_device(device, error))
    }

    /// The number of edges of the forest so far.
    pub fn len(&self) -> usize {
        self.seat.forest.len()
    }

    /// Whether the forest so far has no edge.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The forest of the edges so far and of `lower`, whose ids are lower. `all` is the number of
    /// edges of the graph.
    ///
    /// # Errors
    /// When the device fails or has too little memory. The error names the device.
    pub fn finish_with(
        self,
        lower: ListedEdges<'_, K>,
        all: usize,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        let Self { device, seat, graph } = self;
        let named = |error: DeviceError| name_device(&device, error.into());
        let list = run.upload(|run| {
            let known = lower.ids.len() + seat.forest.len();
            let list = List::uninit(&device, graph, (known, Side::Before), 0..0)?;
            let [u, v, weights] = list.addresses(0);
            let transfers = [
                Transfer::new(lower.weights, weights),
                Transfer::new(lower.u, u),
                Transfer::new(lower.v, v),
                Transfer::new(lower.ids, list.id_address(0)),
            ];
            let regions = list.regions(lower.ids.len(), &seat.forest);
            // SAFETY: the list has room for the lower edges, and then for the forest.
            unsafe {
                staging::send(&device, &transfers, run.threads())?;
                transfer::copy((&device, &device), &regions, Way::Direct)?;
            }
            Ok(list)
        });
        let list = list.map_err(named)?;
        drop(seat);
        let set = run.phase("last forest", |_| list.mark(&device, all));
        let set = set.map_err(|error| name_device(&device, error))?;
        run.download(|run| set.download(&device, run.threads())).map_err(named)
    }
}
