//! The graph of a round in the device's memory, or in unified memory.
//!
//! Unified memory is copied page by page when the host or the device touches it. So the copy to the
//! device is a part of the first kernels' time, and a graph may exceed the device's memory.

#![allow(unsafe_code, reason = "unified memory is known by its address only")]

use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};

use cudarc::driver::sys::CUmemAttach_flags;
use cudarc::driver::{CudaSlice, result};
use kostra_core::{CsrView, Key, OptionValues, SolverOption};
use kostra_cuda::buffers::address;
use kostra_cuda::rows::RoundGraph;
use kostra_cuda::{Device, DeviceCsr, DeviceError};

/// The option of GPU-u.
pub(super) const MEMORY: SolverOption = SolverOption {
    name: "memory",
    about: "where the graph is stored: in the device's memory, or in unified memory (GPU-u)",
    default: Place::Device as u64,
    values: OptionValues::Choice(&["device", "unified"]),
};

/// Where graphs are. The numbers are those of [`MEMORY`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Device = 0,
    Unified = 1,
}

/// A graph, and where its arrays are.
pub(super) struct PlacedGraph<K: Key> {
    graph: ManuallyDrop<RoundGraph<K>>,
    place: Place,
}

impl<K: Key> PlacedGraph<K> {
    /// Copies rows.
    pub(super) fn given(
        device: &Device,
        rows: CsrView<'_, K>,
        (place, threads): (Place, usize),
    ) -> Result<Self, DeviceError> {
        let graph = match place {
            Place::Device => RoundGraph::given(device, DeviceCsr::upload(device, rows, threads)?)?,
            Place::Unified => unified(device, rows)?,
        };
        Ok(Self { graph: ManuallyDrop::new(graph), place })
    }

    /// Memory for the contraction of a graph, as [`RoundGraph::contracted`].
    pub(super) fn contracted(
        device: &Device,
        rows: CsrView<'_, K>,
        place: Place,
    ) -> Result<Self, DeviceError> {
        let (vertices, entries) = (rows.vertices(), rows.rows().neighbors().len());
        let graph = match place {
            Place::Device => RoundGraph::contracted(device, vertices, entries)?,
            Place::Unified => unified_contraction(device, vertices, entries)?,
        };
        Ok(Self { graph: ManuallyDrop::new(graph), place })
    }

    /// The bytes of the device's memory that `given` and `contracted` allocate.
    pub(super) fn bytes(vertices: u32, entries: usize, place: Place) -> usize {
        match place {
            Place::Device => {
                DeviceCsr::<K>::bytes(vertices, entries)
                    + RoundGraph::<K>::contracted_bytes(vertices as usize, entries)
            }
            Place::Unified => 0,
        }
    }
}

impl<K: Key> Deref for PlacedGraph<K> {
    type Target = RoundGraph<K>;

    fn deref(&self) -> &RoundGraph<K> {
        &self.graph
    }
}

impl<K: Key> DerefMut for PlacedGraph<K> {
    fn deref_mut(&mut self) -> &mut RoundGraph<K> {
        &mut self.graph
    }
}

impl<K: Key> Drop for PlacedGraph<K> {
    fn drop(&mut self) {
        // SAFETY: `graph` is not used after this.
        let graph = unsafe { ManuallyDrop::take(&mut self.graph) };
        if self.place == Place::Unified {
            let RoundGraph { first_edge, neighbors, keys, ids, .. } = graph;
            drop((Managed::of_slice(first_edge), Managed::of_slice(neighbors)));
            drop((Managed::of_slice(keys), Managed::of_slice(ids)));
        }
    }
}

/// Rows in unified memory, which the host fills.
fn unified<K: Key>(device: &Device, view: CsrView<'_, K>) -> Result<RoundGraph<K>, DeviceError> {
    let rows = view.rows();
    let offsets: Vec<u32> = rows.offsets().iter().map(|&offset| offset as u32).collect();
    let first_edge = Managed::filled(device, &offsets)?;
    let neighbors = Managed::filled(device, rows.neighbors())?;
    let keys = Managed::filled(device, rows.weights())?;
    let ids = Managed::filled(device, rows.ids())?;
    Ok(RoundGraph {
        vertices: view.vertices(),
        entries: rows.neighbors().len() as u32,
        first_edge: first_edge.into_slice(),
        neighbors: neighbors.into_slice(),
        keys: keys.into_slice(),
        ids: ids.into_slice(),
    })
}

/// Memory for the contraction, in unified memory.
fn unified_contraction<K: Key>(
    device: &Device,
    vertices: u32,
    entries: usize,
) -> Result<RoundGraph<K>, DeviceError> {
    let first_edge = Managed::uninit(device, vertices as usize / 2 + 1)?;
    let neighbors = Managed::uninit(device, entries)?;
    let keys = Managed::uninit(device, entries)?;
    let ids = Managed::uninit(device, entries)?;
    Ok(RoundGraph {
        vertices: 0,
        entries: 0,
        first_edge: first_edge.into_slice(),
        neighbors: neighbors.into_slice(),
        keys: keys.into_slice(),
        ids: ids.into_slice(),
    })
}

/// An array in unified memory.
struct Managed<T>(ManuallyDrop<CudaSlice<T>>);

impl<T: Copy> Managed<T> {
    fn uninit(device: &Device, len: usize) -> Result<Self, DeviceError> {
        const DOING: &str = "allocating unified memory";
        let bytes = (len * size_of::<T>()).max(1);
        device.check(device.context().bind_to_thread(), DOING)?;
        // SAFETY: the context is that of the device.
        let memory =
            unsafe { result::malloc_managed(bytes, CUmemAttach_flags::CU_MEM_ATTACH_GLOBAL) };
        let memory = device.check(memory, DOING)?;
        // SAFETY: the memory is long enough, and aligned to 256 bytes. Every stream may use it.
        Ok(Self(ManuallyDrop::new(unsafe { device.stream().upgrade_device_ptr(memory, len) })))
    }

    fn filled(device: &Device, values: &[T]) -> Result<Self, DeviceError> {
        let array = Self::uninit(device, values.len())?;
        // Some devices do not let the host touch unified memory while a kernel runs.
        device.finish()?;
        let target: *mut T = std::ptr::with_exposed_provenance_mut(address(&*array.0) as usize);
        // SAFETY: the array is as long, the host may write unified memory, and no kernel runs.
        unsafe { std::ptr::copy_nonoverlapping(values.as_ptr(), target, values.len()) };
        Ok(array)
    }
}

impl<T> Managed<T> {
    /// The array as kernels take it. It must not be dropped, but be given to
    /// [`of_slice`](Self::of_slice).
    fn into_slice(self) -> CudaSlice<T> {
        let mut this = ManuallyDrop::new(self);
        // SAFETY: `this` is not used after this.
        unsafe { ManuallyDrop::take(&mut this.0) }
    }

    /// The inverse of [`into_slice`](Self::into_slice).
    fn of_slice(array: CudaSlice<T>) -> Self {
        Self(ManuallyDrop::new(array))
    }
}

impl<T> Drop for Managed<T> {
    fn drop(&mut self) {
        // SAFETY: the array is not used after this.
        let array = unsafe { ManuallyDrop::take(&mut self.0) };
        let stream = array.stream().clone();
        // An error of a kernel has been reported by whoever launched it.
        let _ = stream.synchronize();
        // SAFETY: the memory was allocated by `malloc_managed`, and no kernel uses it any more.
        let _ = unsafe { result::free_sync(array.leak()) };
    }
}
