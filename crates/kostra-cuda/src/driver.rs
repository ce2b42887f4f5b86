//! Whether the machine has a CUDA driver that works, asked so that no answer is a panic.
//!
//! cudarc panics where the driver's library or one of its functions is missing. So the library is opened here first,
//! by the same names in the same order, and every function that this crate calls is looked up, before cudarc is let
//! near it.

#![allow(unsafe_code, reason = "a foreign library is opened, and four of its functions are called")]

use std::ffi::{CStr, c_char, c_int, c_uint};
use std::mem::ManuallyDrop;

use libloading::Library;

use crate::NoDevice;

/// Every function of the driver that this crate calls, by itself or through cudarc.
const FUNCTIONS: [&str; 43] = [
    "cuCtxGetCurrent",
    "cuCtxSetCurrent",
    "cuCtxSynchronize",
    "cuDeviceGet",
    "cuDeviceGetAttribute",
    "cuDeviceGetCount",
    "cuDeviceGetDefaultMemPool",
    "cuDeviceGetName",
    "cuDevicePrimaryCtxRelease_v2",
    "cuDevicePrimaryCtxRetain",
    "cuDeviceTotalMem_v2",
    "cuDriverGetVersion",
    "cuEventCreate",
    "cuEventDestroy_v2",
    "cuEventElapsedTime",
    "cuEventQuery",
    "cuEventRecord",
    "cuEventSynchronize",
    "cuFuncGetAttribute",
    "cuFuncSetAttribute",
    "cuGetErrorName",
    "cuGetErrorString",
    "cuInit",
    "cuLaunchCooperativeKernel",
    "cuLaunchKernel",
    "cuMemAllocAsync",
    "cuMemAlloc_v2",
    "cuMemFreeAsync",
    "cuMemFreeHost",
    "cuMemFree_v2",
    "cuMemGetInfo_v2",
    "cuMemHostAlloc",
    "cuMemPoolGetAttribute",
    "cuMemPoolSetAttribute",
    "cuMemcpyDtoHAsync_v2",
    "cuMemcpyHtoDAsync_v2",
    "cuMemsetD8Async",
    "cuModuleGetFunction",
    "cuModuleLoadData",
    "cuOccupancyMaxActiveBlocksPerMultiprocessor",
    "cuStreamCreate",
    "cuStreamDestroy_v2",
    "cuStreamSynchronize",
];

/// How many devices the machine's driver knows; at least one.
pub(crate) fn devices() -> Result<usize, NoDevice> {
    let names = ["cuda", "nvcuda"].into_iter().flat_map(cudarc::get_lib_name_candidates);
    devices_by(names)
}

/// How many devices the driver knows whose library is the first of these that can be opened.
fn devices_by(names: impl IntoIterator<Item = String>) -> Result<usize, NoDevice> {
    // SAFETY: the driver's library may be opened and initialized at any time; whatever else bears its name is beyond
    // our control, as it is for every program that uses CUDA.
    let library = names.into_iter().find_map(|name| unsafe { Library::new(name) }.ok());
    let Some(library) = library else {
        return Err(NoDevice::because(
            "this machine has no NVIDIA driver, or its library (libcuda.so.1) is not where libraries are looked for",
        ));
    };
    // Never closed: a driver that has begun to work does not expect it.
    let driver = Driver { library: ManuallyDrop::new(library) };
    for name in FUNCTIONS {
        driver.function::<unsafe extern "C" fn()>(name)?;
    }
    driver.initialize()?;
    driver.count()
}

struct Driver {
    library: ManuallyDrop<Library>,
}

impl Driver {
    /// A function of the library, which has the type `F`.
    fn function<F: Copy>(&self, name: &str) -> Result<F, NoDevice> {
        // SAFETY: the caller names the type that the driver's manual gives to the function.
        let function = unsafe { self.library.get::<F>(name) };
        function.map(|function| *function).map_err(|_| {
            NoDevice::because(format!(
                "the driver's library lacks {name}: it is a stub, or a driver from before CUDA 12; install a newer one"
            ))
        })
    }

    fn initialize(&self) -> Result<(), NoDevice> {
        let initialize: unsafe extern "C" fn(c_uint) -> c_int = self.function("cuInit")?;
        // SAFETY: the driver's manual allows it at any time, and asks for the flags to be 0.
        self.check(unsafe { initialize(0) })
    }

    fn count(&self) -> Result<usize, NoDevice> {
        let count: unsafe extern "C" fn(*mut c_int) -> c_int = self.function("cuDeviceGetCount")?;
        let mut devices = 0;
        // SAFETY: the driver is initialized, and the pointer is to an integer of ours.
        self.check(unsafe { count(&raw mut devices) })?;
        match usize::try_from(devices) {
            Ok(devices @ 1..) => Ok(devices),
            _ => Err(NoDevice::because(NONE_FOUND)),
        }
    }

    fn check(&self, code: c_int) -> Result<(), NoDevice> {
        let reason = match code {
            0 => return Ok(()),
            34 => "the driver's library is the CUDA toolkit's stub, which is there to link with, not to run; is its \
                   folder in LD_LIBRARY_PATH?"
                .to_owned(),
            100 => NONE_FOUND.to_owned(),
            802 => "the devices are not yet initialized (NVSwitch's fabric manager may not be running)".to_owned(),
            803 => "the driver and its library are of different versions; a restart may be due".to_owned(),
            _ => self.words(code)?,
        };
        Err(NoDevice::because(reason))
    }

    /// What the driver says of an error code.
    fn words(&self, code: c_int) -> Result<String, NoDevice> {
        let explain: unsafe extern "C" fn(c_int, *mut *const c_char) -> c_int =
            self.function("cuGetErrorString")?;
        let mut text = std::ptr::null();
        // SAFETY: the pointer is to a pointer of ours.
        let known = unsafe { explain(code, &raw mut text) } == 0 && !text.is_null();
        // SAFETY: the driver hands out strings that end with a zero and are never freed.
        let text = known.then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy());
        let text = text.unwrap_or("it does not say why".into());
        Ok(format!("the driver cannot be used: {text} (error {code})"))
    }
}

const NONE_FOUND: &str = "the driver finds no device (or CUDA_VISIBLE_DEVICES hides them all)";
