//! Core distances.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::CudaSlice;

use super::{Tree, WARPS_BLOCK, WIDTH, warps};
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::launch;
use crate::points::kernels::{CORES, TreeKernels};

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
        let mut cores = device.uninit(self.count as usize)?;
        let most = device.multiprocessors() * BLOCKS * (WARPS_BLOCK / WIDTH);
        // SAFETY: the tree's arrays fit together, and there is a core distance for each point.
        unsafe {
            launch!(
                device,
                kernels.cores(neighbors),
                warps(self.count.min(most)),
                (CORES, "cores"),
                [
                    ptr rows = &self.rows,
                    ptr exact = &self.exact(device),
                    ptr order = &self.order,
                    ptr boxes = &self.boxes,
                    u32 count = &self.count,
                    ptr frame = &self.frame,
                    u32 neighbors = &neighbors,
                    ptr cores = &mut cores,
                ],
                "finding core distances"
            )
        }?;
        Ok(cores)
    }
}
