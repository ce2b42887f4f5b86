//! Graphs in device memory, and the way there and back.

#![allow(unsafe_code, reason = "weights are copied as the bytes that they are")]

use cudarc::driver::{CudaSlice, DevicePtrMut, result};
use kostra_core::{CsrView, EdgeSet, Edges, Order, Vertex, Weight, WeightType};

use crate::{Device, DeviceError};

/// How kernels turn raw weights into keys: what `key_of` in `common.cuh` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Keys {
    /// 0 unsigned integers, 1 signed ones, 2 floats.
    pub(crate) kind: u32,
    /// All ones for a maximum spanning forest, else 0; for 64-bit keys it is widened.
    pub(crate) flip: u32,
    /// Whether keys have 64 bits.
    pub(crate) wide: bool,
}

impl Keys {
    /// The keys of weights of type `W` in this order.
    pub(crate) fn of<W: Weight>(order: Order) -> Self {
        let kind = match W::TYPE {
            WeightType::U32 | WeightType::U64 => 0,
            WeightType::I32 | WeightType::I64 => 1,
            WeightType::F32 | WeightType::F64 => 2,
        };
        let flip = if order == Order::Minimum { 0 } else { u32::MAX };
        Self { kind, flip, wide: size_of::<W>() == 8 }
    }
}

/// An edge list in device memory.
#[derive(Debug)]
pub(crate) struct DeviceEdges<W: Weight> {
    pub(crate) vertices: u32,
    pub(crate) edges: u32,
    pub(crate) u: CudaSlice<Vertex>,
    pub(crate) v: CudaSlice<Vertex>,
    pub(crate) weights: CudaSlice<W>,
    pub(crate) keys: Keys,
}

impl<W: Weight> DeviceEdges<W> {
    /// How many bytes such a copy takes.
    pub(crate) fn bytes(edges: usize) -> usize {
        edges * (8 + size_of::<W>())
    }
}

/// Rows in device memory.
#[derive(Debug)]
pub(crate) struct DeviceCsr<W: Weight> {
    pub(crate) vertices: u32,
    /// Edges of the graph, self-loops included: every id is below it.
    pub(crate) edges: u32,
    /// Entries of the rows: two for each edge that is no self-loop.
    pub(crate) entries: u32,
    pub(crate) offsets: CudaSlice<u32>,
    pub(crate) neighbours: CudaSlice<Vertex>,
    pub(crate) ids: CudaSlice<u32>,
    pub(crate) weights: CudaSlice<W>,
    pub(crate) keys: Keys,
}

impl<W: Weight> DeviceCsr<W> {
    /// How many bytes such a copy takes.
    pub(crate) fn bytes(vertices: u32, entries: usize) -> usize {
        4 * (vertices as usize + 1) + entries * (8 + size_of::<W>())
    }
}

/// Copies an edge list to the device; when it returns, the copy is complete.
pub(crate) fn upload_edges<W: Weight>(
    device: &Device,
    edges: Edges<'_, W>,
) -> Result<DeviceEdges<W>, DeviceError> {
    let copy = DeviceEdges {
        vertices: edges.vertices(),
        edges: edges.len() as u32,
        u: upload(device, edges.u())?,
        v: upload(device, edges.v())?,
        weights: upload(device, edges.weights())?,
        keys: Keys::of::<W>(edges.order()),
    };
    device.finish()?;
    Ok(copy)
}

/// Copies rows to the device; when it returns, the copy is complete.
pub(crate) fn upload_csr<W: Weight>(
    device: &Device,
    view: CsrView<'_, W>,
    order: Order,
) -> Result<DeviceCsr<W>, DeviceError> {
    let rows = view.rows();
    let entries = rows.neighbours().len();
    if entries >= u32::MAX as usize {
        return Err(DeviceError::TooManyEntries { entries: entries as u64 });
    }
    let offsets: Vec<u32> = rows.offsets().iter().map(|&offset| offset as u32).collect();
    let copy = DeviceCsr {
        vertices: view.vertices(),
        edges: view.edges() as u32,
        entries: entries as u32,
        offsets: upload(device, &offsets)?,
        neighbours: upload(device, rows.neighbours())?,
        ids: upload(device, rows.ids())?,
        weights: upload(device, rows.weights())?,
        keys: Keys::of::<W>(order),
    };
    device.finish()?;
    Ok(copy)
}

/// Copies values to the device.
pub(crate) fn upload<T: Weight>(device: &Device, values: &[T]) -> Result<CudaSlice<T>, DeviceError> {
    let mut copy = device.uninit(values.len())?;
    if !values.is_empty() {
        let (pointer, _guard) = copy.device_ptr_mut(device.stream());
        // SAFETY: both are as long; the driver has read the host's side when the call returns, for it is pageable.
        let done = unsafe { result::memcpy_htod_async(pointer, values, device.stream().cu_stream()) };
        device.check(done, "copying to it")?;
    }
    Ok(copy)
}

/// Copies a few values back, and waits for them.
pub(crate) fn download<T: Weight>(device: &Device, values: &CudaSlice<T>) -> Result<Vec<T>, DeviceError> {
    let mut copy = vec![T::default(); values.len()];
    if !copy.is_empty() {
        let (pointer, _guard) = cudarc::driver::DevicePtr::device_ptr(values, device.stream());
        // SAFETY: both are as long, any bytes are a number, and the host's side is waited for below.
        let done = unsafe { result::memcpy_dtoh_async(&mut copy, pointer, device.stream().cu_stream()) };
        device.check(done, "copying from it")?;
    }
    device.finish()?;
    Ok(copy)
}

/// A set of edges on the device: bit `i % 32` of word `i / 32` stands for edge `i`.
#[derive(Debug)]
pub(crate) struct DeviceEdgeSet {
    pub(crate) words: CudaSlice<u32>,
}

impl DeviceEdgeSet {
    /// An empty set of edges below `edges`.
    pub(crate) fn new(device: &Device, edges: usize) -> Result<Self, DeviceError> {
        // An even number of words, for the host reads them in pairs.
        Ok(Self { words: device.filled(2 * edges.div_ceil(64), 0)? })
    }

    /// How many bytes it takes.
    pub(crate) fn bytes(edges: usize) -> usize {
        8 * edges.div_ceil(64)
    }

    /// Copies it back.
    pub(crate) fn download(&self, device: &Device) -> Result<EdgeSet, DeviceError> {
        let words = download(device, &self.words)?;
        let pairs = words.chunks_exact(2).map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32);
        Ok(EdgeSet::from_words(pairs.collect()))
    }
}
