//! CUDA devices that commands use.

use kostra::DeviceChoice;
use kostra_cuda as cuda;

use crate::progress::Stage;

/// The number of the CUDA device, if there is exactly one.
pub(crate) fn single(device: &DeviceChoice) -> Option<usize> {
    match device.ordinals() {
        [ordinal] => Some(*ordinal),
        _ => None,
    }
}

/// Opens a CUDA device, before long work for it. Returns its name and number for reports.
///
/// # Errors
/// When the device cannot be used.
pub(crate) fn open(ordinal: usize) -> Result<String, cuda::NoDevice> {
    let _stage = Stage::start("opening the device");
    let device = cuda::Device::open(ordinal)?;
    Ok(format!("{} (cuda:{ordinal})", device.name()))
}

/// Opens devices, as [`open`]. Returns their names and numbers, if there are any.
///
/// # Errors
/// When a device cannot be used.
pub(crate) fn open_all(ordinals: &[usize]) -> Result<Option<String>, cuda::NoDevice> {
    let opened = ordinals.iter().map(|&ordinal| open(ordinal)).collect::<Result<Vec<_>, _>>()?;
    Ok((!opened.is_empty()).then(|| opened.join(", ")))
}

/// Why points of so few dimensions have no tree on several devices.
pub(crate) fn few_dimensions(dimensions: usize) -> String {
    format!(
        "several devices find a tree of points of more than 64 dimensions, not of {dimensions}; \
         name one in `--device`"
    )
}
