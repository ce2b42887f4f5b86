//! Graphs and results in device memory, and their copies from and to the host.

#![allow(unsafe_code, reason = "device memory is known by its address only")]

use std::marker::PhantomData;
use std::sync::Arc;

use bytemuck::Pod;
use cudarc::driver::sys::CUdeviceptr;
use cudarc::driver::{
    CudaSlice, CudaView, DevicePtr, DeviceSlice, LaunchArgs, PushKernelArg, result,
};
use kostra_core::{CsrView, EdgeSet, Edges, Encoding, Key, Order, Vertex, WeightType};

use crate::device::Device;
use crate::error::DeviceError;
use crate::memory::DeviceMemory;
use crate::staging::{self, Transfer};

/// How kernels compute keys from weights: the arguments of `key_of` in `common.cuh`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keys {
    /// 0 unsigned integers, 1 signed ones, 2 floats.
    pub kind: u32,
    /// All ones for a maximum spanning forest, otherwise 0. Kernels widen it for 64-bit keys.
    pub flip: u32,
    /// Whether keys have 64 bits.
    pub wide: bool,
}

impl Keys {
    /// The keys of weights with this encoding.
    pub fn of<K: Key>(encoding: Encoding<K>) -> Self {
        let kind = match encoding.weight_type() {
            WeightType::U32 | WeightType::U64 => 0,
            WeightType::I32 | WeightType::I64 => 1,
            WeightType::F32 | WeightType::F64 => 2,
        };
        let flip = if encoding.order() == Order::Minimum { 0 } else { u32::MAX };
        Self { kind, flip, wide: K::BITS == 64 }
    }

    /// The number of bits of a key: the suffix of a kernel's name.
    pub fn bits(self) -> u32 {
        if self.wide { 64 } else { 32 }
    }
}

/// A read-only array in device memory. Either this value owns it, or the caller keeps it alive.
/// Kernels take a reference.
#[derive(Debug)]
pub(crate) struct DeviceArray<T> {
    pointer: CUdeviceptr,
    len: usize,
    own: Option<CudaSlice<T>>,
    _values: PhantomData<T>,
}

impl<T> DeviceArray<T> {
    pub(crate) fn address(&self) -> CUdeviceptr {
        self.pointer
    }

    /// The number of values.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// An array that the caller owns.
    ///
    /// # Safety
    /// The address is of `len` values on the device on which kernels read them, as long as this
    /// value exists.
    pub(crate) unsafe fn foreign(pointer: CUdeviceptr, len: usize) -> Self {
        Self { pointer, len, own: None, _values: PhantomData }
    }

    /// The array as one that may be changed. An array that the caller owns is copied.
    pub(crate) fn into_own(self, device: &Device) -> Result<CudaSlice<T>, DeviceError>
    where
        T: Copy,
    {
        if let Some(own) = self.own {
            return Ok(own);
        }
        let copy = device.uninit(self.len)?;
        if self.len > 0 {
            let (pointer, _) = copy.device_ptr(device.stream());
            let (bytes, stream) = (self.len * size_of::<T>(), device.stream().cu_stream());
            // SAFETY: the copy was allocated above with the same length.
            let copied = unsafe { result::memcpy_dtod_async(pointer, self.pointer, bytes, stream) };
            device.check(copied, "copying a graph")?;
        }
        Ok(copy)
    }
}

impl<T> From<CudaSlice<T>> for DeviceArray<T> {
    fn from(own: CudaSlice<T>) -> Self {
        // All work is on one stream, in order, so there is nothing to wait for.
        let (pointer, _) = own.device_ptr(own.stream());
        Self { pointer, len: own.len(), own: Some(own), _values: PhantomData }
    }
}

// SAFETY: the argument is the address, as for cudarc's own slices. It is stored in the array, which
// outlives 'b.
unsafe impl<'a, 'b: 'a, T> PushKernelArg<&'b DeviceArray<T>> for LaunchArgs<'a> {
    fn arg(&mut self, array: &'b DeviceArray<T>) -> &mut Self {
        self.arg(&array.pointer)
    }
}

/// An edge list in device memory, with an order on it.
#[derive(Debug)]
pub struct DeviceEdges<K: Key> {
    pub(crate) vertices: u32,
    pub(crate) edges: u32,
    pub(crate) u: DeviceArray<Vertex>,
    pub(crate) v: DeviceArray<Vertex>,
    pub(crate) weights: DeviceArray<K>,
    pub(crate) keys: Keys,
}

impl<K: Key> DeviceEdges<K> {
    /// Copies an edge list to the device, on up to `threads` threads. The copy is complete when
    /// this returns.
    ///
    /// # Errors
    /// When the device fails, or has too little memory.
    pub fn upload(
        device: &Device,
        edges: Edges<'_, K>,
        threads: usize,
    ) -> Result<Self, DeviceError> {
        let copy = Self::uninit(device, edges)?;
        let [weights, u, v] = copy.transfers(edges);
        // SAFETY: the arrays have the lengths of their sources.
        unsafe { staging::send(device, &[weights, u, v], threads) }?;
        Ok(copy)
    }

    /// Both ends and the weights as arrays that may be changed.
    ///
    /// # Errors
    /// When the device fails, or has too little memory.
    pub fn into_arrays(
        self,
        device: &Device,
    ) -> Result<([CudaSlice<Vertex>; 2], CudaSlice<K>), DeviceError> {
        Ok(([self.u.into_own(device)?, self.v.into_own(device)?], self.weights.into_own(device)?))
    }

    /// Allocates the arrays of a copy.
    pub(crate) fn uninit(device: &Device, edges: Edges<'_, K>) -> Result<Self, DeviceError> {
        let len = edges.len();
        Ok(Self {
            vertices: edges.vertices(),
            edges: len as u32,
            u: device.uninit(len)?.into(),
            v: device.uninit(len)?.into(),
            weights: device.uninit(len)?.into(),
            keys: Keys::of(edges.encoding()),
        })
    }

    /// The transfers that make this the copy of the edges that it was allocated for: of the
    /// weights, and of both ends.
    pub(crate) fn transfers<'a>(&self, edges: Edges<'a, K>) -> [Transfer<'a>; 3] {
        [
            Transfer::new(edges.weights(), self.weights.pointer),
            Transfer::new(edges.u(), self.u.pointer),
            Transfer::new(edges.v(), self.v.pointer),
        ]
    }

    /// The number of bytes of a copy of `edges` edges.
    pub fn bytes(edges: usize) -> usize {
        edges * (8 + size_of::<K>())
    }
}

/// Rows in device memory, with an order on the edges.
///
/// As in [`Csr`](kostra_core::Csr), each edge is in the rows of both its ends, with its id, and
/// self-loops are in no row. Unlike there, offsets have 32 bits.
#[derive(Debug)]
pub struct DeviceCsr<K: Key> {
    pub(crate) vertices: u32,
    /// The number of edges. All ids are below it.
    pub(crate) edges: u32,
    /// The number of entries in the rows: two for each edge that is not a self-loop.
    pub(crate) entries: u32,
    pub(crate) offsets: DeviceArray<u32>,
    pub(crate) neighbors: DeviceArray<Vertex>,
    pub(crate) ids: DeviceArray<u32>,
    pub(crate) weights: DeviceArray<K>,
    pub(crate) keys: Keys,
}

impl<K: Key> DeviceCsr<K> {
    /// Copies rows to the device, on up to `threads` threads. The copy is complete when this
    /// returns.
    ///
    /// # Errors
    /// When the device fails, has too little memory, or there are 2^32 - 1 entries or more.
    pub fn upload(
        device: &Device,
        view: CsrView<'_, K>,
        threads: usize,
    ) -> Result<Self, DeviceError> {
        let rows = view.rows();
        let entries = rows.neighbors().len();
        if entries >= u32::MAX as usize {
            return Err(DeviceError::TooManyEntries { entries: entries as u64 });
        }
        let offsets: Vec<u32> = rows.offsets().iter().map(|&offset| offset as u32).collect();
        let copy = Self {
            vertices: view.vertices(),
            edges: view.edges() as u32,
            entries: entries as u32,
            offsets: device.uninit(offsets.len())?.into(),
            neighbors: device.uninit(entries)?.into(),
            ids: device.uninit(entries)?.into(),
            weights: device.uninit(entries)?.into(),
            keys: Keys::of(view.encoding()),
        };
        let transfers = [
            Transfer::new(&offsets, copy.offsets.pointer),
            Transfer::new(rows.weights(), copy.weights.pointer),
            Transfer::new(rows.neighbors(), copy.neighbors.pointer),
            Transfer::new(rows.ids(), copy.ids.pointer),
        ];
        // SAFETY: each array was allocated above with the length of its source.
        unsafe { staging::send(device, &transfers, threads) }?;
        Ok(copy)
    }

    /// The number of bytes of a copy with `vertices` rows and `entries` entries.
    pub fn bytes(vertices: u32, entries: usize) -> usize {
        4 * (vertices as usize + 1) + entries * (8 + size_of::<K>())
    }
}

/// Copies values to the device. The copy is complete when this returns.
///
/// # Errors
/// When the device fails, or has too little memory.
pub fn upload<T: Pod>(device: &Device, values: &[T]) -> Result<CudaSlice<T>, DeviceError> {
    let copy = device.uninit(values.len())?;
    let (pointer, _) = copy.device_ptr(device.stream());
    // SAFETY: the copy was allocated above with the same length.
    unsafe { staging::send(device, &[Transfer::new(values, pointer)], 1) }?;
    Ok(copy)
}

/// An array in device memory, whose address kernels take.
pub trait KernelArray {
    /// The address of the first value.
    fn address(&self) -> CUdeviceptr;
}

impl<T> KernelArray for CudaSlice<T> {
    fn address(&self) -> CUdeviceptr {
        // All work is on one stream, in order, so there is nothing to wait for.
        self.device_ptr(self.stream()).0
    }
}

impl<T> KernelArray for CudaView<'_, T> {
    fn address(&self) -> CUdeviceptr {
        self.device_ptr(self.stream()).0
    }
}

impl<T> KernelArray for DeviceArray<T> {
    fn address(&self) -> CUdeviceptr {
        self.pointer
    }
}

impl KernelArray for DeviceMemory {
    fn address(&self) -> CUdeviceptr {
        Self::address(self)
    }
}

impl<A: KernelArray> KernelArray for &mut A {
    fn address(&self) -> CUdeviceptr {
        A::address(self)
    }
}

impl<A: KernelArray> KernelArray for Arc<A> {
    fn address(&self) -> CUdeviceptr {
        A::address(self)
    }
}

impl<A: KernelArray> KernelArray for &A {
    fn address(&self) -> CUdeviceptr {
        A::address(self)
    }
}

/// The address of an array that is missing is null.
impl<A: KernelArray> KernelArray for Option<A> {
    fn address(&self) -> CUdeviceptr {
        self.as_ref().map_or(0, A::address)
    }
}

/// The address of an array.
pub fn address(array: &impl KernelArray) -> CUdeviceptr {
    array.address()
}

/// Copies values to the host, and waits for the copy.
pub fn download<T: Pod>(
    device: &Device,
    values: &impl DevicePtr<T>,
) -> Result<Vec<T>, DeviceError> {
    let mut copy = vec![T::zeroed(); values.len()];
    if !copy.is_empty() {
        let (pointer, _) = values.device_ptr(device.stream());
        // SAFETY: both arrays have the same length, any bytes are a number, and `finish` below
        // waits for the copy.
        let done =
            unsafe { result::memcpy_dtoh_async(&mut copy, pointer, device.stream().cu_stream()) };
        device.check(done, "copying from it")?;
    }
    device.finish()?;
    Ok(copy)
}

/// A set of edges on the device: bit `i % 32` of word `i / 32` is set if edge `i` is a member.
#[derive(Debug)]
pub struct DeviceEdgeSet {
    /// The words.
    pub words: CudaSlice<u32>,
}

impl DeviceEdgeSet {
    /// An empty set of edges below `edges`.
    pub fn new(device: &Device, edges: usize) -> Result<Self, DeviceError> {
        // The number of words is even, because the host reads them in pairs.
        Ok(Self { words: device.filled(2 * edges.div_ceil(64), 0)? })
    }

    /// The number of bytes of a set of edges below `edges`.
    pub fn bytes(edges: usize) -> usize {
        8 * edges.div_ceil(64)
    }

    /// Copies the set to the host, on up to `threads` threads.
    pub fn download(&self, device: &Device, threads: usize) -> Result<EdgeSet, DeviceError> {
        download_set(device, &self.words, threads)
    }
}

/// Copies a set of edges to the host, on up to `threads` threads. The number of words is even.
pub(crate) fn download_set(
    device: &Device,
    words: &impl DevicePtr<u32>,
    threads: usize,
) -> Result<EdgeSet, DeviceError> {
    // On every host of a CUDA device, the lower word of a pair is the first one, too.
    let (pointer, _) = words.device_ptr(device.stream());
    // SAFETY: the array has this number of pairs.
    unsafe { staging::fetch_set(device, pointer, words.len() / 2, threads) }
}

#[cfg(test)]
mod tests {
    use kostra_core::SolveError;

    use super::*;
    use crate::testing::device;

    #[test]
    fn an_upload_and_a_download_give_the_same_values() {
        let Some(device) = device() else { return };
        // No value, one, a few, the most that are copied without lanes, several pieces and a rest.
        for len in [0, 1, 1000, 65_536, 65_537, 5_000_001] {
            let values: Vec<u32> = (0..len as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
            for threads in [1, 3, 20] {
                let copy = device.uninit(len).unwrap();
                let (pointer, _) = copy.device_ptr(device.stream());
                // SAFETY: the copy is as long.
                unsafe { staging::send(&device, &[Transfer::new(&values, pointer)], threads) }
                    .unwrap();
                assert!(
                    download::<u32>(&device, &copy).unwrap() == values,
                    "{len} values by {threads}"
                );
            }
        }
        let values: Vec<f64> = (0..1000).map(|i| f64::from(i) - 0.5).collect();
        assert_eq!(download(&device, &upload(&device, &values).unwrap()).unwrap(), values);
    }

    #[test]
    fn a_download_of_an_edge_set_has_the_same_bits() {
        let Some(device) = device() else { return };
        let mut set = DeviceEdgeSet::new(&device, 130).unwrap();
        assert_eq!(set.words.len() * 4, DeviceEdgeSet::bytes(130));
        assert!(set.download(&device, 1).unwrap().is_empty());
        set.words = upload(&device, &[1_u32 << 31, 1, 0, 0, 2, 0]).unwrap();
        assert_eq!(set.download(&device, 4).unwrap().into_ids(), [31, 32, 129]);
    }

    #[test]
    fn any_number_of_threads_downloads_a_large_edge_set() {
        let Some(device) = device() else { return };
        for pairs in [32_768, 32_769, 1_000_003] {
            let words: Vec<u32> =
                (0..2 * pairs as u32).map(|i| i.wrapping_mul(2_654_435_761) & i).collect();
            let expected =
                words.chunks_exact(2).map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32);
            let expected = EdgeSet::from_words(expected.collect());
            let set = DeviceEdgeSet { words: upload(&device, &words).unwrap() };
            for threads in [1, 3, 20] {
                assert!(
                    set.download(&device, threads).unwrap() == expected,
                    "{pairs} pairs by {threads}"
                );
            }
        }
    }

    #[test]
    fn too_large_allocations_are_refused_with_the_bytes() {
        let Some(device) = device() else { return };
        let bytes = device.available().unwrap();
        assert!(bytes > 0 && bytes <= device.memory());
        assert!(device.admit(0, bytes / 2).is_ok());
        let too_much = 2 * device.memory();
        for (scratch, others) in [(0, too_much), (too_much, 0)] {
            let error = device.admit(scratch, others).unwrap_err();
            let SolveError::DeviceMemory { bytes, free } = error else { panic!("{error}") };
            assert!(bytes >= too_much && free <= device.memory());
        }
        let error = device.uninit::<u64>(device.memory()).unwrap_err();
        let DeviceError::OutOfMemory { bytes, free } = error else { panic!("{error}") };
        assert!(bytes == 8 * device.memory() && free > 0 && free <= device.memory());
        assert!(device.uninit::<u64>(1000).is_ok(), "the device goes on after a refusal");
    }
}
