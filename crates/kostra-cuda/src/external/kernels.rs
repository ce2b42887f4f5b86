//! The kernels, and the sizes that they rely on.

use cudarc::driver::{CudaFunction, LaunchConfig};
use kostra_core::{Encoding, Order, SolveError};

use crate::buffers::Keys;
use crate::members::load_places;
use crate::shared::constant;
use crate::source::Source;
use crate::{Device, DeviceError, fast};

pub(super) const SOURCE: Source = Source::file("external.cu");

/// The number of edges that are copied to the device at once.
pub(super) const PORTION: usize = constant(SOURCE.text(), "PORTION") as usize;
/// The number of threads of a kernel with one block.
const BLOCK: u32 = constant(SOURCE.text(), "BLOCK") as u32;
/// The grid of a kernel with one block.
pub(super) const ONE_BLOCK: LaunchConfig =
    LaunchConfig { grid_dim: (1, 1, 1), block_dim: (BLOCK, 1, 1), shared_mem_bytes: 0 };
/// The number of levels of vertices in the component of the center.
pub(super) const LEVELS: usize = constant(SOURCE.text(), "LEVELS") as usize;
/// The level of all other vertices.
pub(super) const OUTSIDE: u8 = constant(SOURCE.text(), "OUTSIDE") as u8;

const _: () = assert!(OUTSIDE as usize == LEVELS);

/// The kernels for a width of keys.
pub(super) struct Kernels {
    pub(super) filter: CudaFunction,
    pub(super) place_lines: CudaFunction,
    pub(super) append: CudaFunction,
    pub(super) take_forest: CudaFunction,
    pub(super) sample_keys: CudaFunction,
    pub(super) begin_levels: CudaFunction,
    pub(super) unite: CudaFunction,
    pub(super) find_center: CudaFunction,
    pub(super) label_component: CudaFunction,
}

impl Kernels {
    pub(super) fn load(device: &Device, keys: Keys) -> Result<Self, DeviceError> {
        load_places(device)?;
        let of_keys = |name| device.function(SOURCE, &format!("{name}_{}", keys.bits()));
        let common = |name| device.function(SOURCE, name);
        Ok(Self {
            filter: of_keys("filter")?,
            place_lines: common("place_lines")?,
            append: of_keys("append")?,
            take_forest: of_keys("take_forest")?,
            sample_keys: of_keys("sample_keys")?,
            begin_levels: common("begin_levels")?,
            unite: of_keys("unite")?,
            find_center: of_keys("find_center")?,
            label_component: common("label_component")?,
        })
    }
}

/// Compiles the kernels of sinks, or loads them from the cache. Without this call, the first sink
/// does.
///
/// # Errors
/// When the device fails.
pub fn compile(device: &Device) -> Result<(), SolveError> {
    device.bind()?;
    // The files have the kernels for all keys.
    let keys = Keys::of(Encoding::new::<u32>(Order::Minimum));
    Kernels::load(device, keys)?;
    fast::most_scratch_bytes(device, 1, 1, keys)?;
    Ok(())
}
