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
