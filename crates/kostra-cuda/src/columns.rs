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
use kostra_core::{ElementType, Encoding, Key, Order, Vertex, Weight, WeightType};

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
    /// # Panics
    /// When `integers` is not a type of integers.
    ///
    /// # Safety
    /// As for [`DeviceCsr::from_addresses`](crate::DeviceCsr::from_addresses).
    pub unsafe fn from_address(
        device: &Device,
        integers: ElementType,
        address: u64,
        len: u32,
    ) -> Result<Self, DeviceGraphError> {
        assert!(integers.is_integer(), "vertices are integers, not {integers}");
        let count = u64::from(len);
        let in_place = integers.size() == 4;
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
        let kernel = device.function(ARRAYS, &format!("vertices_{integers}"))?;
        // SAFETY: the kernel reads `len` integers, and writes `len` vertices if `target` is not
        // null.
        unsafe {
            launch!(
                device, &kernel, grid_stride(count), (ARRAYS, "vertices"),
                [ptr source = &address, u64 count = &count, ptr target = &target,
                ptr fault = &mut fault, ptr highest = &mut highest], "converting vertices"
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

    /// `len` weights that are all equal (to zero).
    ///
    /// # Errors
    /// When the device fails, or has too little memory.
    pub fn equal(device: &Device, len: u32) -> Result<Self, DeviceError> {
        Ok(Self::new(device.filled(len as usize, 0)?.into()))
    }

    /// The `len` numbers at an address. Those that are narrower than `W` are converted.
    ///
    /// # Errors
    /// When the device fails, or has too little memory.
    ///
    /// # Panics
    /// When `W` is not the [type of weights](ElementType::weight_type) of `numbers`.
    ///
    /// # Safety
    /// As for [`DeviceCsr::from_addresses`](crate::DeviceCsr::from_addresses).
    pub unsafe fn from_address(
        device: &Device,
        numbers: ElementType,
        address: u64,
        len: u32,
    ) -> Result<Self, DeviceError> {
        assert_eq!(W::TYPE, numbers.weight_type(), "numbers are widened to one type each");
        if numbers.size() == size_of::<W::Key>() {
            // SAFETY: the caller guarantees the address.
            return Ok(Self::new(unsafe { DeviceArray::foreign(address, len as usize) }));
        }
        // Truth values are bytes with 0 or 1.
        let narrow = if numbers == ElementType::Bool { ElementType::U8 } else { numbers };
        let name = format!("widen_{narrow}");
        let mut column: CudaSlice<W::Key> = device.uninit(len as usize)?;
        let (kernel, count) = (device.function(ARRAYS, &name)?, u64::from(len));
        // SAFETY: the kernel reads `len` narrow numbers, and writes `len` of the wide type above.
        unsafe {
            launch!(
                device, &kernel, grid_stride(count), (ARRAYS, "widen"),
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
                    device, &kernel, grid_stride(count), (ARRAYS, "skip_nan"),
                    [ptr u = &mut own_u, ptr v = &v, ptr weights = &mut own_weights,
                    u64 count = &count], "leaving edges out"
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
/// # Safety
/// `column` is the address of a column on the device of `ids`, with one value of type `values` for
/// each edge; `ids` are those of [`fast::ids_on_edges`](crate::fast::ids_on_edges) for that graph.
pub unsafe fn pick(
    ids: &DeviceMemory,
    column: u64,
    values: ElementType,
) -> Result<DeviceMemory, DeviceError> {
    let (size, name) = (values.size(), format!("pick_{}", values.size()));
    let device = ids.device();
    let len = ids.len() / 8;
    let picked = DeviceMemory::uninit(device, len * size)?;
    let (kernel, count) = (device.function(ARRAYS, &name)?, len as u64);
    // SAFETY: the caller guarantees that all ids are places in the column. `picked` has room for
    // all values.
    unsafe {
        launch!(
            device, &kernel, grid_stride(count), (ARRAYS, "pick"),
            [ptr column = &column, ptr places = &ids.address(), u64 count = &count,
            ptr picked = &picked.address()], "picking a forest's edges"
        )
    }?;
    Ok(picked)
}

/// Copies values of a column to host memory, as bytes.
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
