//! Launches of kernels with one thread per item: arguments and grids.

#![allow(unsafe_code, reason = "arguments of launches are pushed as cudarc does it")]

use cudarc::driver::sys::CUdeviceptr;
use cudarc::driver::{CudaSlice, CudaView, LaunchArgs, LaunchConfig, PushKernelArg};
use kostra_core::SolverOption;

use crate::buffers::DeviceArray;

/// The option for the number of threads of a block.
pub(crate) const fn block_size(default: u64) -> SolverOption {
    SolverOption {
        name: "block-size",
        about: "number of threads in a block of a kernel",
        default,
        lowest: 32,
        highest: 1024,
    }
}

/// The size of the blocks of kernels that have one thread per item.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocks {
    pub(crate) threads: u32,
}

impl Blocks {
    /// The grid with one thread per item. It has at least one block, because devices refuse an
    /// empty grid.
    pub(crate) fn for_items(self, items: u32) -> LaunchConfig {
        LaunchConfig {
            grid_dim: (items.div_ceil(self.threads).max(1), 1, 1),
            block_dim: (self.threads, 1, 1),
            shared_mem_bytes: 0,
        }
    }
}

/// The name of a kernel for a width of keys.
macro_rules! of_keys {
    ($name:literal, $keys:expr) => {
        if $keys.wide { concat!($name, "_64") } else { concat!($name, "_32") }
    };
}
pub(crate) use of_keys;

/// The threads of a block of [`grid_stride`]. Several such blocks fit on a multiprocessor of every
/// device.
pub(crate) const STRIDE_BLOCK: u32 = 256;

/// The grid of a kernel that loops with the stride of the grid over `items` items.
pub(crate) fn grid_stride(items: u64) -> LaunchConfig {
    /// More than any device holds at once.
    const MOST_BLOCKS: u64 = 1 << 16;
    let blocks = items.div_ceil(STRIDE_BLOCK.into()).clamp(1, MOST_BLOCKS) as u32;
    LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (STRIDE_BLOCK, 1, 1), shared_mem_bytes: 0 }
}

/// Launches a kernel with named arguments, and checks the driver's answer.
///
/// `launch!(device, &function, grid, (SOURCE, "sort"), [ptr keys = &keys, u32 count = &n],
/// "sorting")` launches `function`, which is the kernel `sort` of `SOURCE`. An argument is its
/// kind, the name of the kernel's parameter, and a reference to the value. The kinds are `ptr` (an
/// array or an address), `u32`, `u64` and `option_u32`, which is no argument if it is `None`.
/// Kinds, names and order are compared with the CUDA source when the crate is compiled. The last
/// argument completes "the CUDA device failed while ...".
///
/// # Safety
/// Each array has the kernel's element type, and is as long as the kernel relies on.
macro_rules! launch {
    (
        $device:expr, $function:expr, $grid:expr, ($source:expr, $kernel:expr),
        [$($kind:ident $parameter:ident = $value:expr),+ $(,)?], $doing:expr $(,)?
    ) => {{
        use ::cudarc::driver::PushKernelArg as _;
        const {
            $crate::shared::assert_parameters(
                $source.text(),
                $kernel,
                &[$((stringify!($kind), stringify!($parameter))),+],
            );
        }
        let device: &$crate::Device = $device;
        let launched = device
            .stream()
            .launch_builder($function)
            $(.arg($crate::launch::argument::$kind($value)))+
            .launch($grid);
        device.check(launched, $doing).map(drop)
    }};
}
pub(crate) use launch;

/// The kinds of arguments of [`launch!`]: each function restricts the type of its argument.
pub(crate) mod argument {
    use super::{OptionalArgument, Pointer};

    pub(crate) fn ptr<P: Pointer>(array: P) -> P {
        array
    }

    pub(crate) fn u32(value: &u32) -> &u32 {
        value
    }

    pub(crate) fn u64(value: &u64) -> &u64 {
        value
    }

    pub(crate) fn option_u32(value: Option<&u32>) -> OptionalArgument<'_> {
        OptionalArgument(value)
    }
}

/// An argument that a kernel may lack.
pub(crate) struct OptionalArgument<'a>(Option<&'a u32>);

// SAFETY: what is pushed is the address of a number that outlives 'b, or nothing.
unsafe impl<'a, 'b: 'a> PushKernelArg<OptionalArgument<'b>> for LaunchArgs<'a> {
    fn arg(&mut self, argument: OptionalArgument<'b>) -> &mut Self {
        match argument.0 {
            Some(value) => self.arg(value),
            None => self,
        }
    }
}

/// What a kernel's pointer parameter accepts.
pub(crate) trait Pointer {}

impl Pointer for &CUdeviceptr {}
impl<T> Pointer for &CudaSlice<T> {}
impl<T> Pointer for &mut CudaSlice<T> {}
impl<T> Pointer for &CudaView<'_, T> {}
impl<T> Pointer for &DeviceArray<T> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_has_a_thread_for_each_item_and_no_unused_block() {
        let blocks = Blocks { threads: 96 };
        for (items, grid) in [(0, 1), (1, 1), (96, 1), (97, 2), (u32::MAX, u32::MAX.div_ceil(96))] {
            assert_eq!(blocks.for_items(items).grid_dim, (grid, 1, 1), "{items} items");
        }
    }
}
