//! A check that the machine has a working CUDA driver. The check does not panic.
//!
//! cudarc panics if the driver's library or one of its functions is missing. So this module opens
//! the library first, by the same names in the same order as cudarc, and looks up each function
//! that this crate calls.

#![allow(unsafe_code, reason = "a foreign library is opened, and four of its functions are called")]

use std::ffi::{CStr, c_char, c_int, c_uint};
use std::mem::ManuallyDrop;

use libloading::Library;

use crate::error::NoDevice;

/// All functions of the driver that this crate calls, directly or through cudarc.
const FUNCTIONS: [&str; 52] = [
    "cuCtxGetCurrent",
    "cuCtxSetCurrent",
    "cuCtxSynchronize",
    "cuDeviceCanAccessPeer",
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
    "cuMemPoolSetAccess",
    "cuMemPoolSetAttribute",
    "cuMemPoolTrimTo",
    "cuMemcpyDtoDAsync_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuMemcpyHtoDAsync_v2",
    "cuMemsetD32Async",
    "cuMemsetD8Async",
    "cuModuleGetFunction",
    "cuModuleLoadData",
    "cuModuleUnload",
    "cuOccupancyMaxActiveBlocksPerMultiprocessor",
    "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
    "cuPointerGetAttribute",
    "cuStreamCreate",
    "cuStreamDestroy_v2",
    "cuStreamSynchronize",
    "cuStreamWaitEvent",
];

const NO_LIBRARY: &str = if cfg!(target_feature = "crt-static") {
    "this program is linked statically and cannot open the driver's library; `cargo build --release` and the Python \
     package make a `kostra` that can"
} else {
    "this machine has no NVIDIA driver, or the system does not find the driver's library (libcuda.so.1)"
};

/// The number of devices that the machine's driver finds, at least 1.
pub(crate) fn devices() -> Result<usize, NoDevice> {
    let names = ["cuda", "nvcuda"].into_iter().flat_map(cudarc::get_lib_name_candidates);
    devices_by(names)
}

/// The number of devices that a driver finds, at least 1. The driver's library is the first of
/// `names` that can be opened.
fn devices_by(names: impl IntoIterator<Item = String>) -> Result<usize, NoDevice> {
    // SAFETY: the driver's library may be opened and initialized at any time. As every program that
    // uses CUDA does, this one trusts that a library of this name is the driver.
    let library = names.into_iter().find_map(|name| unsafe { Library::new(name) }.ok());
    let Some(library) = library else {
        return Err(NoDevice::because(NO_LIBRARY));
    };
    // The library stays open, because drivers do not expect to be unloaded.
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
        // SAFETY: the caller gives the function's type from the driver's manual.
        let function = unsafe { self.library.get::<F>(name) };
        function.map(|function| *function).map_err(|_| {
            NoDevice::because(format!(
                "the driver's library lacks {name}: it is a stub or a driver older than CUDA 12; install a newer driver"
            ))
        })
    }

    fn initialize(&self) -> Result<(), NoDevice> {
        let initialize: unsafe extern "C" fn(c_uint) -> c_int = self.function("cuInit")?;
        // SAFETY: the driver's manual allows the call at any time, with the flags 0.
        self.check(unsafe { initialize(0) })
    }

    fn count(&self) -> Result<usize, NoDevice> {
        let count: unsafe extern "C" fn(*mut c_int) -> c_int = self.function("cuDeviceGetCount")?;
        let mut devices = 0;
        // SAFETY: the driver is initialized, and the pointer is to a local integer.
        self.check(unsafe { count(&raw mut devices) })?;
        match usize::try_from(devices) {
            Ok(devices @ 1..) => Ok(devices),
            _ => Err(NoDevice::because(NONE_FOUND)),
        }
    }

    fn check(&self, code: c_int) -> Result<(), NoDevice> {
        let reason = match code {
            0 => return Ok(()),
            34 => "the driver's library is the CUDA toolkit's stub, which is only for linking; remove its folder \
                   from LD_LIBRARY_PATH"
                .to_owned(),
            100 => NONE_FOUND.to_owned(),
            802 => "the devices are not yet initialized (NVSwitch's fabric manager may not be running)".to_owned(),
            803 => "the driver and its library have different versions; restart the machine".to_owned(),
            _ => self.words(code)?,
        };
        Err(NoDevice::because(reason))
    }

    /// The reason for an error code, in the driver's words.
    fn words(&self, code: c_int) -> Result<String, NoDevice> {
        let explain: unsafe extern "C" fn(c_int, *mut *const c_char) -> c_int =
            self.function("cuGetErrorString")?;
        let mut text = std::ptr::null();
        // SAFETY: the pointer is to a local pointer.
        let known = unsafe { explain(code, &raw mut text) } == 0 && !text.is_null();
        // SAFETY: the driver returns strings that end with a zero byte and are never freed.
        let text = known.then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy());
        let text = text.unwrap_or("the driver gives no reason".into());
        Ok(format!("the driver cannot be used: {text} (error {code})"))
    }
}

const NONE_FOUND: &str = "the driver finds no device, or CUDA_VISIBLE_DEVICES hides all devices";

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fmt::Write;
    use std::path::Path;
    use std::process::Command;

    use super::*;

    /// The reason why a library is not a driver, or the number of its devices.
    fn answer(library: &Path) -> String {
        match devices_by([library.to_string_lossy().into_owned()]) {
            Ok(devices) => format!("{devices} devices"),
            Err(error) => error.to_string(),
        }
    }

    /// Makes a library that has functions of these names. `cuInit` returns `init`, and
    /// `cuDeviceGetCount` returns `devices`. Returns `None` if there is no C compiler.
    #[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    fn library(path: &Path, names: &[&str], init: c_int, devices: c_int) -> Option<()> {
        let mut code = format!(
            "int cuInit(unsigned flags) {{ return {init}; }}\n\
             int cuDeviceGetCount(int *count) {{ *count = {devices}; return 0; }}\n\
             int cuGetErrorString(int code, const char **text) {{ *text = \"made up\"; return code == 998; }}\n"
        );
        for name in
            names.iter().filter(|name| !code.contains(&format!("{name}("))).collect::<Vec<_>>()
        {
            writeln!(code, "int {name}(void) {{ return 0; }}").unwrap();
        }
        let source = path.with_extension("c");
        std::fs::write(&source, code).unwrap();
        let mut compiler = Command::new("cc");
        let status = compiler.args(["-shared", "-fPIC", "-o"]).arg(path).arg(source).status();
        if status.is_err() {
            println!("skipped: no C compiler to make a library");
        }
        status.is_ok_and(|status| status.success()).then_some(())
    }

    #[test]
    fn a_machine_without_a_driver_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let missing = answer(&folder.path().join("libcuda.so"));
        assert!(
            missing.starts_with("no CUDA device: this machine has no NVIDIA driver"),
            "{missing}"
        );
        let text = folder.path().join("libtext.so");
        std::fs::write(&text, "no library").unwrap();
        assert_eq!(answer(&text), missing);
    }

    #[test]
    fn a_driver_that_does_not_work_is_an_error_with_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let cases = [
            (34, 1, "no CUDA device: the driver's library is the CUDA toolkit's stub"),
            (100, 1, "no CUDA device: the driver finds no device"),
            (0, 0, "no CUDA device: the driver finds no device"),
            (803, 1, "no CUDA device: the driver and its library have different versions"),
            (999, 1, "no CUDA device: the driver cannot be used: made up (error 999)"),
            (
                998,
                1,
                "no CUDA device: the driver cannot be used: the driver gives no reason (error 998)",
            ),
            (0, 2, "2 devices"),
        ];
        for (index, (init, devices, expected)) in cases.into_iter().enumerate() {
            let path = folder.path().join(format!("libcuda{index}.so"));
            let Some(()) = library(&path, &FUNCTIONS, init, devices) else { return };
            let answer = answer(&path);
            assert!(answer.starts_with(expected), "{answer}");
        }
    }

    #[test]
    fn a_library_that_lacks_a_function_is_not_a_driver() {
        let folder = tempfile::tempdir().unwrap();
        for (index, missing) in FUNCTIONS.into_iter().enumerate().step_by(7) {
            let path = folder.path().join(format!("libcuda{index}.so"));
            let others: Vec<_> = FUNCTIONS.into_iter().filter(|name| *name != missing).collect();
            let Some(()) = library(&path, &others, 0, 1) else { return };
            if !["cuInit", "cuDeviceGetCount", "cuGetErrorString"].contains(&missing) {
                let answer = answer(&path);
                assert!(answer.contains(&format!("lacks {missing}: it is a stub")), "{answer}");
            }
        }
    }
}
