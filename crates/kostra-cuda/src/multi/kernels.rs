//! The kernels of `kernels/multi.cu`.

#![allow(unsafe_code, reason = "kernels are launched")]

use crate::buffers::Keys;
use crate::launch::{Kernel, grid_stride, of_keys};
use crate::members::load_places;
use crate::shared::{arguments, assert_takes, ptr};
use crate::source::Source;
use crate::{Device, DeviceError, light_edges};

const SOURCE: Source = Source::file("multi.cu");

/// The kernels that do not depend on the type of weights.
const COMMON: [&str; 9] = [
    "mark_members",
    "contract_ends",
    "add_ends",
    "add_common",
    "hide_ends",
    "represent_by_members",
    "represent_by_ends",
    "replace_ends",
    "list_links",
];

const _: () = {
    let mut kernel = 0;
    while kernel < COMMON.len() {
        assert_takes(SOURCE.text(), COMMON[kernel], "Arguments");
        kernel += 1;
    }
    assert_takes(SOURCE.text(), "take_members", "Arguments");
};

arguments! {
    pub(super) struct Arguments in SOURCE.text();
    ptr: words before u v weights ids taken_u taken_v taken_weights taken_ids set labels;
    ptr: representatives other common;
    u64: count;
    u32: known offset hidden;
}

pub(super) fn load_kernels(device: &Device, keys: Keys) -> Result<(), DeviceError> {
    load_places(device)?;
    light_edges::load_kernels(device, keys)?;
    let names = COMMON.into_iter().chain([of_keys!("take_members", keys)]);
    names.into_iter().try_for_each(|name| device.function(SOURCE, name).map(drop))
}

/// Launches the kernel of this name with `arguments.count` edges or words.
///
/// # Safety
/// There are `count` words or edges, and for each line of the words a number. Members of the words
/// are vertices or places in a list, and the taken arrays have room for all of them. Sets have all
/// ids or vertices, and there are a label for each vertex and a representative for each component.
pub(super) unsafe fn launch(
    device: &Device,
    name: &str,
    arguments: &Arguments,
    doing: &'static str,
) -> Result<(), DeviceError> {
    let kernel = Kernel::load(device, SOURCE, name)?;
    // SAFETY: the caller guarantees the arrays.
    unsafe { kernel.launch(device, grid_stride(arguments.count), arguments, doing) }
}
