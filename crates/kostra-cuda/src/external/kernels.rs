//! The kernels, and the sizes that they rely on.

use cudarc::driver::LaunchConfig;
use kostra_core::{Encoding, Order, SolveError};

use crate::buffers::Keys;
use crate::launch::kernels;
use crate::members::load_places;
use crate::shared::{arguments, constant, ptr};
use crate::source::Source;
use crate::{Device, fast};

const SOURCE: Source = Source::file("external.cu");

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

arguments! {
    pub(super) struct Arguments in SOURCE.text();
    ptr: chunk levels pivots words members before filled u v weights ids;
    ptr: taken_u taken_v taken_weights taken_ids keys parents center;
    u64: first_id low high word_count;
    u32: count kind flip vertices level lines samples;
}

kernels! {
    pub(super) struct Kernels(device, keys: Keys) of Arguments in SOURCE;
    place_lines begin_levels label_component;
    [keys.bits()] filter append take_forest sample_keys unite find_center;
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
    load_places(device)?;
    Kernels::load(device, keys)?;
    fast::most_scratch_bytes(device, 1, 1, keys)?;
    Ok(())
}
