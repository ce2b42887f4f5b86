//! Sets of edges on a device: where their members go when they are listed.
//!
//! A set has a bit for each edge. Members are counted for each line of 1024 edges, so listing reads
//! the set twice and little else.

#![allow(unsafe_code, reason = "kernels are launched")]

use std::sync::Arc;

use cudarc::driver::{CudaSlice, CudaView};

use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::{STRIDE_BLOCK, grid_stride, launch};
use crate::memory::DeviceMemory;
use crate::scan::{self, Scan, TileSums};
use crate::shared::constant;
use crate::source::Source;

const SOURCE: Source = Source::file("members.cu");
const HEADER: &str = include_str!("../kernels/members.cuh");

/// The edges of a line of a set, which a warp handles at once.
pub(crate) const LINE: usize = constant(HEADER, "LINE") as usize;
/// The words of a line.
pub(crate) const LINE_WORDS: usize = LINE / 32;
const _: () = assert!(constant(HEADER, "LINE_WARPS") * 32 >= STRIDE_BLOCK as u64);

/// Lists the members of a set of edges in ascending order, as 64-bit integers in device memory.
pub(crate) fn list_set(
    device: &Arc<Device>,
    set: &CudaView<'_, u32>,
) -> Result<DeviceMemory, DeviceError> {
    let count = set.len() as u64;
    let (places, members) = places_of_members(device, set)?;
    let ids = DeviceMemory::uninit(device, 8 * members as usize)?;
    let kernel = device.function(SOURCE, "list_members")?;
    // SAFETY: all places are below the number of members, and `ids` has room for all members.
    unsafe {
        launch!(
            device, &kernel, grid_stride(count), (SOURCE, "list_members"),
            [ptr words = set, u64 count = &count, ptr before = &places, ptr ids = &ids.address()],
            "listing a forest"
        )
    }?;
    Ok(ids)
}

/// For each line of [`LINE_WORDS`] words of a set, the number of members in the lines before it;
/// and the number of all members.
pub(crate) fn places_of_members(
    device: &Device,
    set: &CudaView<'_, u32>,
) -> Result<(CudaSlice<u32>, u32), DeviceError> {
    let (count, lines) = (set.len() as u64, set.len().div_ceil(LINE_WORDS));
    let mut places: CudaSlice<u32> = device.uninit(lines)?;
    let kernel = device.function(SOURCE, "count_members")?;
    // SAFETY: `places` has a number for each line.
    unsafe {
        launch!(
            device, &kernel, grid_stride(count), (SOURCE, "count_members"),
            [ptr words = set, u64 count = &count, ptr members = &mut places], "listing a forest"
        )
    }?;
    let mut scan = Scan::new(device, scan::ScanKernels::load(device)?, lines, TileSums::OnDevice)?;
    let members = scan.exclusive_prefix_sum(device, &mut places, lines)?;
    Ok((places, members))
}

/// Loads the kernels of [`places_of_members`].
pub(crate) fn load_places(device: &Device) -> Result<(), DeviceError> {
    device.function(SOURCE, "count_members")?;
    scan::ScanKernels::load(device).map(drop)
}
