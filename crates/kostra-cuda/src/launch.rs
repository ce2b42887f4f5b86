//! Launches of kernels: arguments and grids.
//!
//! A kernel takes one struct, which [`arguments!`](crate::shared::arguments) declares. Kernels with
//! two or three arguments take them one by one, by [`launch!`].

#![allow(unsafe_code, reason = "arguments of launches are pushed as cudarc does it")]

use std::marker::PhantomData;
use std::ops::Deref;

use cudarc::driver::sys::CUdeviceptr;
use cudarc::driver::{CudaFunction, CudaSlice, CudaView, DeviceRepr, LaunchConfig, PushKernelArg};
use kostra_core::{OptionValues, SolverOption};

use crate::buffers::DeviceArray;
use crate::device::Device;
use crate::error::DeviceError;
use crate::source::{KernelFiles, KernelSource};

/// The option for the number of threads of a block.
pub const fn block_size(default: u64) -> SolverOption {
    SolverOption {
        name: "block-size",
        about: "number of threads in a block of a kernel",
        default,
        values: OptionValues::Number { lowest: 32, highest: 1024 },
    }
}

/// The size of the blocks of kernels that have one thread per item.
#[derive(Clone, Copy, Debug)]
pub struct BlockSize {
    /// The number of threads of a block.
    pub threads: u32,
}

impl BlockSize {
    /// The grid with one thread per item. It has at least one block, because devices refuse an
    /// empty grid.
    pub fn for_items(self, items: u32) -> LaunchConfig {
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
pub fn grid_stride(items: u64) -> LaunchConfig {
    /// More than any device holds at once.
    const MOST_BLOCKS: u64 = 1 << 16;
    let blocks = items.div_ceil(STRIDE_BLOCK.into()).clamp(1, MOST_BLOCKS) as u32;
    LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (STRIDE_BLOCK, 1, 1), shared_mem_bytes: 0 }
}

/// A kernel that takes the struct `A`.
#[derive(Clone, Debug)]
pub struct Kernel<A> {
    function: CudaFunction,
    _arguments: PhantomData<fn(A)>,
}

impl<A: DeviceRepr> Kernel<A> {
    /// Looks up a kernel. [`kernels!`] also checks that the kernel takes the struct.
    pub fn load(
        device: &Device,
        source: KernelSource<impl KernelFiles>,
        name: &str,
    ) -> Result<Self, DeviceError> {
        Ok(Self { function: device.function(source, name)?, _arguments: PhantomData })
    }

    /// The same, and the number of its blocks of `block` threads that a multiprocessor holds at
    /// once: see [`Device::resident`].
    pub(crate) fn resident(
        device: &Device,
        source: KernelSource<impl KernelFiles>,
        name: &'static str,
        block: u32,
    ) -> Result<(Self, u32), DeviceError> {
        let (function, fit) = device.resident(source, name, block)?;
        Ok((Self { function, _arguments: PhantomData }, fit))
    }

    /// Launches the kernel, and checks the driver's answer. `doing` completes "the CUDA device
    /// failed while ...".
    ///
    /// # Safety
    /// The addresses that the kernel uses are of arrays of its element types, as long as the kernel
    /// relies on.
    pub unsafe fn launch(
        &self,
        device: &Device,
        grid: LaunchConfig,
        arguments: &A,
        doing: &'static str,
    ) -> Result<(), DeviceError> {
        let mut launch = device.stream().launch_builder(&self.function);
        // SAFETY: the caller guarantees the arrays.
        let launched = unsafe { launch.arg(arguments).launch(grid) };
        device.check(launched, doing).map(drop)
    }
}

impl<A> Deref for Kernel<A> {
    type Target = CudaFunction;

    fn deref(&self) -> &CudaFunction {
        &self.function
    }
}

/// Declares a struct of the kernels of a file that take the struct `$arguments`, and its function
/// `load`. When the crate is compiled, the CUDA source is compared, or the header `$header` that
/// declares the kernels. Kernels after `[suffix]` have names that end with it, after `_`. Other
/// fields are declared in braces, with their values.
#[macro_export]
macro_rules! kernels {
    (
        $(#[$attribute:meta])*
        $visible:vis struct $name:ident($device:ident $(, $option:ident: $type:ty)*)
        of $arguments:ident in $source:ident $(, declared in $header:ident)?;
        $($($kernel:ident)+;)?
        $([$suffix:expr] $($typed:ident)+;)*
        $({$($(#[$other_attribute:meta])* $other:ident: $other_type:ty = $value:expr;)+})?
    ) => {
        $(#[$attribute])*
        $visible struct $name {
            $($($visible $kernel: $crate::launch::Kernel<$arguments>,)+)?
            $($($visible $typed: $crate::launch::Kernel<$arguments>,)+)*
            $($($(#[$other_attribute])* $visible $other: $other_type,)+)?
        }

        const _: () = {
            const TEXT: &str = [$($header.text(),)? $source.text()][0];
            $($($crate::shared::assert_takes(TEXT, stringify!($kernel), stringify!($arguments));)+)?
            $($($crate::shared::assert_takes(TEXT, stringify!($typed), stringify!($arguments));)+)*
        };

        impl $name {
            /// Loads the kernels, and compiles them if necessary.
            $visible fn load(
                $device: &$crate::Device
                $(, $option: $type)*
            ) -> Result<Self, $crate::DeviceError> {
                use $crate::launch::Kernel;
                Ok(Self {
                    $($($kernel: Kernel::load($device, $source, stringify!($kernel))?,)+)?
                    $($(
                        $typed: Kernel::load(
                            $device,
                            $source,
                            &format!("{}_{}", stringify!($typed), $suffix),
                        )?,
                    )+)*
                    $($($other: $value,)+)?
                })
            }
        }
    };
}
pub use kernels;

/// Launches a kernel with named arguments, and checks the driver's answer.
///
/// `launch!(device, &function, grid, (SOURCE, "sort"), [ptr keys = &keys, u32 count = &n],
/// "sorting")` launches `function`, which is the kernel `sort` of `SOURCE`. An argument is its
/// kind, the name of the kernel's parameter, and a reference to the value. The kinds are `ptr` (an
/// array or an address), `u32` and `u64`.
/// Kinds, names and order are compared with the CUDA source when the crate is compiled. The last
/// argument completes "the CUDA device failed while ...".
///
/// # Safety
/// Each array has the kernel's element type, and is as long as the kernel relies on.
#[macro_export]
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
pub use launch;

/// The kinds of arguments of [`launch!`]: each function restricts the type of its argument.
pub mod argument {
    use super::Pointer;

    /// An array or an address.
    pub fn ptr<P: Pointer>(array: P) -> P {
        array
    }

    /// A number of 32 bits.
    pub fn u32(value: &u32) -> &u32 {
        value
    }

    /// A number of 64 bits.
    pub fn u64(value: &u64) -> &u64 {
        value
    }
}

/// What a kernel's pointer parameter accepts.
pub trait Pointer {}

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
        let blocks = BlockSize { threads: 96 };
        for (items, grid) in [(0, 1), (1, 1), (96, 1), (97, 2), (u32::MAX, u32::MAX.div_ceil(96))] {
            assert_eq!(blocks.for_items(items).grid_dim, (grid, 1, 1), "{items} items");
        }
    }
}
