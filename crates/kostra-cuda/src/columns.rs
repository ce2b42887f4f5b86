//! Columns of an edge list in device memory, with the element types of their owner, and the values
//! of such columns for the edges of a forest.
//!
//! Solvers take 32-bit vertices and 32-bit or 64-bit weights. Columns of these types are used
//! without a copy, unless NaN weights are skipped. Others are converted on the device in one pass;
//! no number is rounded or truncated.

#![allow(
    unsafe_code,
    reason = "device memory is known by its address only, and kernels are launched"
)]

use std::marker::PhantomData;

use cudarc::driver::CudaSlice;
use cudarc::driver::sys::CUdeviceptr;
use kostra_core::{Encoding, Key, Order, Vertex, Weight, WeightType};

use crate::buffers::{DeviceArray, DeviceEdges, Keys, download};
use crate::device::Device;
use crate::error::DeviceError;
use crate::foreign::DeviceGraphError;
use crate::launch::{grid_stride, launch};
use crate::memory::{DeviceMemory, bytes_at};
use crate::shared::assert_parameters;
use crate::source::Source;

const ARRAYS: Source = Source::file("arrays.cu");

// A launch of `widen` is compared with the first kernel of this name. This one has a body of its
// own.
const _: () = assert_parameters(
    ARRAYS.text(),
    "widen_f16",
    &[("ptr", "source"), ("u64", "count"), ("ptr", "target")],
);

/// An integer type of vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as Rust's own types")]
pub enum IntegerType {
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
}

impl IntegerType {
    fn kernel(self) -> &'static str {
        match self {
            Self::I8 => "vertices_i8",
            Self::I16 => "vertices_i16",
            Self::I32 => "vertices_i32",
            Self::I64 => "vertices_i64",
            Self::U8 => "vertices_u8",
            Self::U16 => "vertices_u16",
            Self::U32 => "vertices_u32",
            Self::U64 => "vertices_u64",
        }
    }
}

/// One end of each edge, on the device.
#[derive(Debug)]
pub struct DeviceEnds {
    column: DeviceArray<Vertex>,
    bound: u64,
}

impl DeviceEnds {
    /// Checks `len` integers at an address in one pass, and copies them as vertices if they do not
    /// have 32 bits.
    ///
    /// # Errors
    /// [`DeviceGraphError::NotAVertex`] with the first place where a number is negative or has more
    /// than 32 bits; or when the device fails or has too little memory.
    ///
    /// # Safety
    /// As for [`DeviceCsr::from_addresses`](crate::DeviceCsr::from_addresses).
    pub unsafe fn from_address(
        device: &Device,
        integers: IntegerType,
        address: u64,
        len: u32,
    ) -> Result<Self, DeviceGraphError> {
        let count = u64::from(len);
        let in_place = matches!(integers, IntegerType::I32 | IntegerType::U32);
        let copy: Option<CudaSlice<Vertex>> =
            if in_place { None } else { Some(device.uninit(len as usize)?) };
        let column: DeviceArray<Vertex> = match copy {
            Some(copy) => copy.into(),
            // SAFETY: the caller guarantees the address.
            None => unsafe { DeviceArray::foreign(address, len as usize) },
        };
        let target: CUdeviceptr = if in_place { 0 } else { column.address() };
        let mut fault: CudaSlice<u64> = device.filled(1, 0xff)?;
        let mut highest: CudaSlice<u32> = device.filled(1, 0)?;
        let kernel = device.function(ARRAYS, integers.kernel())?;
        // SAFETY: the kernel reads `len` integers, and writes `len` vertices if `target` is not
        // null.
        unsafe {
            launch!(
                device,
                &kernel,
                grid_stride(count),
                (ARRAYS, "vertices"),
                [
                    ptr source = &address,
                    u64 count = &count,
                    ptr target = &target,
                    ptr fault = &mut fault,
                    ptr highest = &mut highest,
                ],
                "converting vertices"
            )
        }?;
        match download(device, &fault)?.first() {
            Some(&index) if index != u64::MAX => {
                return Err(DeviceGraphError::NotAVertex { index });
            }
            _ => {}
        }
        let highest = download(device, &highest)?.into_iter().map(u64::from).max();
        let bound = if len == 0 { 0 } else { highest.unwrap_or_default() + 1 };
        Ok(Self { column, bound })
    }

    /// One more than the highest vertex; 0 if there is none.
    pub fn bound(&self) -> u64 {
        self.bound
    }
}

/// A number type that is narrower than the weights that solvers take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as Rust's own types")]
pub enum NarrowType {
    I8,
    I16,
    U8,
    U16,
    F16,
}

/// The weight of each edge, on the device.
#[derive(Debug)]
pub struct DeviceWeights<W: Weight> {
    bits: DeviceArray<W::Key>,
    weights: PhantomData<W>,
}

impl<W: Weight> DeviceWeights<W> {
    fn new(bits: DeviceArray<W::Key>) -> Self {
        Self { bits, weights: PhantomData }
    }

    /// The `len` weights at an address. Nothing is copied.
    ///
    /// # Safety
    /// As for [`DeviceCsr::from_addresses`](crate::DeviceCsr::from_addresses).
    pub unsafe fn from_address(address: u64, len: u32) -> Self {
        // SAFETY: the caller guarantees the address.
        Self::new(unsafe { DeviceArray::foreign(address, len as usize) })
    }

    /// `len` weights that are all equal (to zero).
    ///
    /// # Errors
    /// When the device fails, or has too little memory.
    pub fn equal(device: &Device, len: u32) -> Result<Self, DeviceError> {
        Ok(Self::new(device.filled(len as usize, 0)?.into()))
    }

    /// Converts the `len` narrow numbers at an address to `W`: signed integers to `i32`, unsigned
    /// ones to `u32`, half-precision floats to `f32`.
    ///
    /// # Errors
    /// When the device fails, or has too little memory.
    ///
    /// # Panics
    /// When `W` is not the type to which `narrow` is converted.
    ///
    /// # Safety
    /// As for [`DeviceCsr::from_addresses`](crate::DeviceCsr::from_addresses).
    pub unsafe fn widened(
        device: &Device,
        narrow: NarrowType,
        address: u64,
        len: u32,
    ) -> Result<Self, DeviceError> {
        let (name, wide) = match narrow {
            NarrowType::I8 => ("widen_i8", WeightType::I32),
            NarrowType::I16 => ("widen_i16", WeightType::I32),
            NarrowType::U8 => ("widen_u8", WeightType::U32),
            NarrowType::U16 => ("widen_u16", WeightType::U32),
            NarrowType::F16 => ("widen_f16", WeightType::F32),
        };
        assert_eq!(W::TYPE, wide, "narrow weights are widened to one type each");
        let mut column: CudaSlice<W::Key> = device.uninit(len as usize)?;
        let (kernel, count) = (device.function(ARRAYS, name)?, u64::from(len));
        // SAFETY: the kernel reads `len` narrow numbers, and writes `len` of the wide type above.
        unsafe {
            launch!(
                device,
                &kernel,
                grid_stride(count),
                (ARRAYS, "widen"),
                [ptr source = &address, u64 count = &count, ptr target = &mut column],
                "widening weights"
            )
        }?;
        Ok(Self::new(column.into()))
    }
}

/// The columns of an edge list.
#[derive(Debug)]
pub struct DeviceColumns<W: Weight> {
    /// The two ends of each edge.
    pub ends: [DeviceEnds; 2],
    /// The weight of each edge.
    pub weights: DeviceWeights<W>,
}

impl<K: Key> DeviceEdges<K> {
    /// An edge list of columns of equal length, after one pass has checked it. With `skip_nan`,
    /// edges whose weight is NaN are left out: they become self-loops in the first column of ends
    /// and the weights, which are copied first if the caller owns them.
    ///
    /// # Errors
    /// When the columns have a fault, with the place of the first one; or when the device fails or
    /// has too little memory.
    ///
    /// # Panics
    /// When the columns have different lengths.
    pub fn from_columns<W: Weight<Key = K>>(
        device: &Device,
        vertices: u32,
        columns: DeviceColumns<W>,
        order: Order,
        skip_nan: bool,
    ) -> Result<Self, DeviceGraphError> {
        let DeviceColumns { ends: [u, v], weights } = columns;
        let (mut u, v, mut weights) = (u.column, v.column, weights.bits);
        assert!(
            u.len() == v.len() && u.len() == weights.len(),
            "columns of an edge list are equally long"
        );
        let keys = Keys::of(Encoding::new::<W>(order));
        if skip_nan && matches!(W::TYPE, WeightType::F32 | WeightType::F64) {
            let (mut own_u, mut own_weights) = (u.into_own(device)?, weights.into_own(device)?);
            let kernel =
                device.function(ARRAYS, if keys.wide { "skip_nan_64" } else { "skip_nan_32" })?;
            let count = v.len() as u64;
            // SAFETY: each column has `count` values.
            unsafe {
                launch!(
                    device,
                    &kernel,
                    grid_stride(count),
                    (ARRAYS, "skip_nan"),
                    [
                        ptr u = &mut own_u,
                        ptr v = &v,
                        ptr weights = &mut own_weights,
                        u64 count = &count,
                    ],
                    "leaving edges out"
                )
            }?;
            (u, weights) = (own_u.into(), own_weights.into());
        }
        let edges = Self { vertices, edges: v.len() as u32, u, v, weights, keys };
        edges.check(device)?;
        Ok(edges)
    }
}

/// The values of a column of the graph at the ids of a forest's edges.
///
/// # Errors
/// When the device fails, or has too little memory.
///
/// # Panics
/// When `size` is not 1, 2, 4 or 8 bytes.
///
/// # Safety
/// `column` is the address of a column on the device of `ids`, with one value of `size` bytes for
/// each edge; `ids` are those of [`fast::ids_on_edges`](crate::fast::ids_on_edges) for that graph.
pub unsafe fn pick(
    ids: &DeviceMemory,
    column: u64,
    size: usize,
) -> Result<DeviceMemory, DeviceError> {
    let name = match size {
        1 => "pick_1",
        2 => "pick_2",
        4 => "pick_4",
        8 => "pick_8",
        _ => panic!("{size} bytes are not the size of a number"),
    };
    let device = ids.device();
    let len = ids.len() / 8;
    let picked = DeviceMemory::uninit(device, len * size)?;
    let (kernel, count) = (device.function(ARRAYS, name)?, len as u64);
    // SAFETY: the caller guarantees that all ids are places in the column. `picked` has room for
    // all values.
    unsafe {
        launch!(
            device,
            &kernel,
            grid_stride(count),
            (ARRAYS, "pick"),
            [
                ptr column = &column,
                ptr places = &ids.address(),
                u64 count = &count,
                ptr picked = &picked.address(),
            ],
            "picking a forest's edges"
        )
    }?;
    Ok(picked)
}

/// Copies one value of a column to host memory, as bytes.
///
/// # Errors
/// When the device fails.
///
/// # Safety
/// The address is of `size` bytes in the memory of this device.
pub unsafe fn value_at(device: &Device, address: u64, size: usize) -> Result<Vec<u8>, DeviceError> {
    // SAFETY: the caller guarantees the address.
    unsafe { bytes_at(device, address, size) }
}
