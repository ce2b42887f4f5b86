//! Core distances.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::CudaSlice;

use super::{Tree, WARPS_BLOCK, WIDTH, warps};
use crate::buffers::address;
use crate::device::Device;
use crate::error::DeviceError;
use crate::points::kernels::{TreeArguments, TreeKernels};

/// The blocks for each multiprocessor: enough to hide waiting for memory.
const BLOCKS: u32 = 16;

impl Tree {
    /// The squared distance from each point to its `neighbors`-th nearest other point, in the given
    /// order of the points. There are more points than `neighbors`, which is from 1 to 128.
    pub(in super::super) fn core_distances(
        &self,
        device: &Device,
        kernels: &TreeKernels,
        neighbors: u32,
    ) -> Result<CudaSlice<f64>, DeviceError> {
        let cores = device.uninit(self.count as usize)?;
        let most = device.multiprocessors() * BLOCKS * (WARPS_BLOCK / WIDTH);
        let core_distances = address(&cores);
        let arguments = TreeArguments { neighbors, core_distances, ..self.arguments(device) };
        let (kernel, grid) = (kernels.cores(neighbors), warps(self.count.min(most)));
        // SAFETY: the tree's arrays fit together, and there is a core distance for each point.
        unsafe { kernel.launch(device, grid, &arguments, "finding core distances") }?;
        Ok(cores)
    }
}
