//! The kernels for merges.

use cudarc::driver::CudaFunction;

use crate::device::Device;
use crate::error::DeviceError;
use crate::shared::constant;
use crate::source::Source;

pub(super) const MERGES: Source = Source::file("points_merges.cu");

/// The indices of the flags.
pub(super) const UNFINISHED: usize = constant(MERGES.text(), "UNFINISHED") as usize;
pub(super) const OUTSIDE: usize = constant(MERGES.text(), "OUTSIDE") as usize;

/// The kernels for merges.
pub(super) struct MergeKernels {
    pub(super) begin_level: CudaFunction,
    pub(super) find_lightest: CudaFunction,
    pub(super) hook: CudaFunction,
    pub(super) hook_points: CudaFunction,
    pub(super) shortcut: CudaFunction,
    pub(super) enter_next_level: CudaFunction,
    pub(super) contract: CudaFunction,
    pub(super) find_chains: CudaFunction,
    pub(super) begin_chains: CudaFunction,
    pub(super) list_sizes: CudaFunction,
    pub(super) finish_level: CudaFunction,
}

impl MergeKernels {
    /// Loads the kernels.
    pub(super) fn load(device: &Device) -> Result<Self, DeviceError> {
        let kernel = |name: &str| device.function(MERGES, name);
        Ok(Self {
            begin_level: kernel("begin_level")?,
            find_lightest: kernel("find_lightest")?,
            hook: kernel("hook")?,
            hook_points: kernel("hook_points")?,
            shortcut: kernel("shortcut")?,
            enter_next_level: kernel("enter_next_level")?,
            contract: kernel("contract")?,
            find_chains: kernel("find_chains")?,
            begin_chains: kernel("begin_chains")?,
            list_sizes: kernel("list_sizes")?,
            finish_level: kernel("finish_level")?,
        })
    }
}
