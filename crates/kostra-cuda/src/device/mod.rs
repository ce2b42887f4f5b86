//! A CUDA device. A process opens it once, and all its solves share it.

#![allow(unsafe_code, reason = "the driver is called where cudarc has no safe function")]

mod driver;
mod lanes;
mod memory;
mod peer;
mod scratch;

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, OnceLock};

use cudarc::driver::sys::{self, CUdevice_attribute_enum as Attribute};
use cudarc::driver::{CudaContext, CudaFunction, CudaModule, CudaStream, DriverError, result};
use kostra_parallel::lock;

use self::lanes::Lanes;
use self::scratch::Kept;
use crate::error::{DeviceError, NoDevice};
use crate::error::{Doing, words};
use crate::module;
use crate::source::{KernelFiles, KernelSource};
use crate::wire::{Wire, WireMemory};

pub(crate) use self::lanes::{Lane, PIECE};
pub(crate) use self::memory::DRIVER_BYTES;
pub(crate) use self::scratch::DeviceScratch;

/// The lowest compute capability that the kernels support.
const OLDEST: (u32, u32) = (8, 0);

/// A CUDA device.
#[derive(Debug)]
pub struct Device {
    ordinal: usize,
    name: String,
    capability: (u32, u32),
    multiprocessors: u32,
    memory: usize,
    driver: (u32, u32),
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    lanes: Lanes,
    /// The wires that no message uses.
    wires: Mutex<Vec<Wire>>,
    /// The scratch memory of the last solve, kept for the next one.
    scratch: Mutex<Option<Kept>>,
    /// The loaded modules, by the crate and the name of their files.
    modules: Mutex<HashMap<(&'static str, &'static str), Arc<CudaModule>>>,
    /// The kernels whose blocks run for a whole solve, and the number of blocks that a
    /// multiprocessor holds.
    residents: Mutex<HashMap<&'static str, (CudaFunction, u32)>>,
    /// The devices that asked to read this device's memory, and whether they can.
    readers: Mutex<Vec<(usize, bool)>>,
    /// The error after which the process cannot use the device any more.
    lost: OnceLock<String>,
}

/// The devices that this process has opened.
static OPEN: Mutex<Vec<Arc<Device>>> = Mutex::new(Vec::new());

impl Device {
    /// The number of devices, at least 1. Some of them may be unusable.
    ///
    /// # Errors
    /// When there is no device, or no driver, or a driver that does not work.
    pub fn count() -> Result<usize, NoDevice> {
        driver::devices()
    }

    /// Opens the device with the number `ordinal`, counted from 0. The first call for a device
    /// takes some tenths of a second.
    ///
    /// # Errors
    /// When there is no such device, when its compute capability is below 8.0, or when it has
    /// failed in this process.
    pub fn open(ordinal: usize) -> Result<Arc<Self>, NoDevice> {
        let mut open = lock(&OPEN);
        if let Some(device) = open.iter().find(|device| device.ordinal == ordinal) {
            return match device.lost.get() {
                None => Ok(device.clone()),
                Some(cause) => Err(NoDevice::because(format!(
                    "device {ordinal} failed earlier in this process and cannot be used any more ({cause})"
                ))),
            };
        }
        let devices = driver::devices()?;
        if ordinal >= devices {
            let last = devices - 1;
            return Err(NoDevice::because(format!(
                "there is no device {ordinal}; the devices are numbered from 0 to {last}"
            )));
        }
        let opened = catch_unwind(AssertUnwindSafe(|| Self::begin(ordinal)));
        let device = opened.unwrap_or_else(|_| {
            Err(NoDevice::because("the driver's library lacks functions of a driver"))
        })?;
        let device = Arc::new(device);
        open.push(device.clone());
        Ok(device)
    }

    /// Whether this process has opened the device with the number `ordinal`.
    pub fn is_open(ordinal: usize) -> bool {
        let open = lock(&OPEN);
        open.iter().any(|device| device.ordinal == ordinal)
    }

    fn begin(ordinal: usize) -> Result<Self, NoDevice> {
        let refused = |error: DriverError| {
            NoDevice::because(format!("device {ordinal} cannot be used: {}", words(error)))
        };
        let handle = result::device::get(ordinal as i32).map_err(refused)?;
        let attribute = |attribute| {
            // SAFETY: the driver has just returned the handle.
            let value =
                unsafe { result::device::get_attribute(handle, attribute) }.map_err(refused)?;
            Ok(u32::try_from(value).unwrap_or_default())
        };
        let name = result::device::get_name(handle).map_err(refused)?;
        let capability = (
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        );
        if capability < OLDEST {
            let ((major, minor), (least, least_minor)) = (capability, OLDEST);
            return Err(NoDevice::because(format!(
                "device {ordinal}, {name}, has compute capability {major}.{minor}; Kostra needs {least}.{least_minor} or higher"
            )));
        }
        let context = CudaContext::new(ordinal).map_err(refused)?;
        // SAFETY: this crate uses one stream, and waits for work on other streams by its own
        // events.
        unsafe { context.disable_event_tracking() };
        let stream = context.new_stream().map_err(refused)?;
        let device = Self {
            ordinal,
            name,
            capability,
            multiprocessors: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            memory: context.total_mem().map_err(refused)?,
            driver: version().map_err(refused)?,
            context,
            stream,
            lanes: Lanes::default(),
            wires: Mutex::default(),
            scratch: Mutex::default(),
            modules: Mutex::default(),
            residents: Mutex::default(),
            readers: Mutex::default(),
            lost: OnceLock::new(),
        };
        device.keep_freed_memory().map_err(refused)?;
        Ok(device)
    }

    /// The device's number, counted from 0.
    pub fn ordinal(&self) -> usize {
        self.ordinal
    }

    /// The device's name, such as `"NVIDIA H100 80GB HBM3"`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The device's compute capability, major and minor.
    pub fn capability(&self) -> (u32, u32) {
        self.capability
    }

    /// The number of multiprocessors.
    pub fn multiprocessors(&self) -> u32 {
        self.multiprocessors
    }

    /// The bytes of shared memory that a block of a kernel can have.
    pub(crate) fn shared_memory(&self) -> Result<u32, DeviceError> {
        let most = Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
        let bytes = self.check(self.context.attribute(most), "asking for its memory")?;
        Ok(u32::try_from(bytes).unwrap_or_default())
    }

    /// The size of the device's memory in bytes.
    pub fn memory(&self) -> usize {
        self.memory
    }

    /// The CUDA version that the driver supports, major and minor.
    pub fn driver(&self) -> (u32, u32) {
        self.driver
    }

    /// The context of the driver.
    pub fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }

    /// The stream on which all work is done, in order.
    pub fn stream(&self) -> &Arc<CudaStream> {
        &self.stream
    }

    /// Takes `count` lanes for copies between host and device.
    pub(crate) fn take_lanes(&self, count: usize) -> Result<Vec<Lane>, DeviceError> {
        self.check(self.lanes.take(&self.context, count), "allocating page-locked memory")
    }

    /// Keeps lanes for the next copies.
    pub(crate) fn return_lanes(&self, lanes: Vec<Lane>) {
        self.lanes.put_back(lanes);
    }

    /// Takes memory for messages to other processes.
    pub(crate) fn take_wire(&self, memory: WireMemory) -> Result<Wire, DeviceError> {
        let mut wires = lock(&self.wires);
        match wires.iter().position(|wire| wire.memory() == memory) {
            Some(index) => Ok(wires.swap_remove(index)),
            None => {
                self.bind()?;
                self.check(Wire::new(memory), "allocating memory for messages")
            }
        }
    }

    /// Keeps a wire for the next messages.
    pub(crate) fn return_wire(&self, wire: Wire) {
        lock(&self.wires).push(wire);
    }

    /// The kernel `kernel` of a file. The first call for a file compiles the file if necessary, and
    /// loads it.
    ///
    /// # Errors
    /// When the file does not compile, or the device fails.
    pub fn function(
        &self,
        source: KernelSource<impl KernelFiles>,
        kernel: &str,
    ) -> Result<CudaFunction, DeviceError> {
        let source = source.in_program();
        let name = (source.archive.of, source.name);
        let mut modules = lock(&self.modules);
        let module = match modules.get(&name) {
            Some(module) => module.clone(),
            None => {
                let module = module::load(&self.context, self.capability, source)?;
                modules.insert(name, module.clone());
                module
            }
        };
        self.check(module.load_function(kernel), "looking up a kernel")
    }

    /// A kernel, and the number of its blocks of `block` threads that a multiprocessor holds at
    /// once. Both are looked up once, because the driver needs some microseconds. `block` must be
    /// the same in all calls for a kernel.
    pub(crate) fn resident(
        &self,
        source: KernelSource<impl KernelFiles>,
        kernel: &'static str,
        block: u32,
    ) -> Result<(CudaFunction, u32), DeviceError> {
        let mut residents = lock(&self.residents);
        if let Some(resident) = residents.get(kernel) {
            return Ok(resident.clone());
        }
        let function = self.function(source, kernel)?;
        let fit = function.occupancy_max_active_blocks_per_multiprocessor(block, 0, None);
        let resident = (function, self.check(fit, "asking for an occupancy")?.max(1));
        residents.insert(kernel, resident.clone());
        Ok(resident)
    }

    /// Makes the device the calling thread's current one. Needed before a step if the thread used
    /// another device.
    pub(crate) fn bind(&self) -> Result<(), DeviceError> {
        self.check(self.context.bind_to_thread(), "selecting it")
    }

    /// Waits until all work on the device is done.
    ///
    /// # Errors
    /// When the device fails, in this or in earlier work.
    pub fn finish(&self) -> Result<(), DeviceError> {
        self.check(self.stream.synchronize(), "running a kernel")
    }

    /// Makes the device do a little work for this process, and waits for it. If another process
    /// shares the device, the next work does not wait for this process's turn.
    ///
    /// # Errors
    /// When the device fails.
    pub fn wake(&self) -> Result<(), DeviceError> {
        /// The number of bytes to clear: enough to use all multiprocessors, too few to displace the
        /// cache. After an idle time, clearing one byte leaves a solve of 0.12 ms five microseconds
        /// slower.
        const WAKING: usize = 1 << 20;
        self.filled::<u8>(WAKING, 0)?;
        self.finish()
    }

    /// Adds the operation `doing` to an error of the driver. Records an error after which the
    /// process cannot use the device any more.
    pub fn check<T>(
        &self,
        answer: Result<T, DriverError>,
        doing: &'static str,
    ) -> Result<T, DeviceError> {
        if let Err(error) = &answer
            && is_final(*error)
        {
            self.lost.get_or_init(|| words(*error));
        }
        answer.doing(doing)
    }
}

/// The CUDA version that the driver supports.
fn version() -> Result<(u32, u32), DriverError> {
    let mut version = 0;
    // SAFETY: the pointer is to a local integer.
    unsafe { sys::cuDriverGetVersion(&raw mut version) }.result()?;
    let version = u32::try_from(version).unwrap_or_default();
    Ok((version / 1000, version % 1000 / 10))
}

/// Whether the process cannot use the device any more after an error.
fn is_final(error: DriverError) -> bool {
    use sys::CUresult as Code;
    matches!(
        error.0,
        Code::CUDA_ERROR_DEVICE_UNAVAILABLE
            | Code::CUDA_ERROR_ECC_UNCORRECTABLE
            | Code::CUDA_ERROR_NVLINK_UNCORRECTABLE
            | Code::CUDA_ERROR_ILLEGAL_ADDRESS
            | Code::CUDA_ERROR_LAUNCH_TIMEOUT
            | Code::CUDA_ERROR_ASSERT
            | Code::CUDA_ERROR_HARDWARE_STACK_ERROR
            | Code::CUDA_ERROR_ILLEGAL_INSTRUCTION
            | Code::CUDA_ERROR_MISALIGNED_ADDRESS
            | Code::CUDA_ERROR_INVALID_ADDRESS_SPACE
            | Code::CUDA_ERROR_INVALID_PC
            | Code::CUDA_ERROR_LAUNCH_FAILED
            | Code::CUDA_ERROR_SYSTEM_NOT_READY
            | Code::CUDA_ERROR_UNKNOWN
            | Code::CUDA_ERROR_DEINITIALIZED
            | Code::CUDA_ERROR_CONTEXT_IS_DESTROYED
    )
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use cudarc::driver::LaunchConfig;

    use super::*;
    use crate::nvrtc;

    #[test]
    fn a_device_is_opened_once_and_a_missing_one_never() {
        match Device::count() {
            Err(error) => {
                assert_eq!(Device::open(0).unwrap_err(), error);
                assert!(!Device::is_open(0));
            }
            Ok(devices) => {
                let error = Device::open(devices).unwrap_err().to_string();
                assert!(error.contains(&format!("there is no device {devices}; ")), "{error}");
                let (Ok(one), Ok(again)) = (Device::open(0), Device::open(0)) else { return };
                assert!(Arc::ptr_eq(&one, &again) && Device::is_open(0));
                assert!(
                    one.capability() >= OLDEST
                        && one.multiprocessors() > 0
                        && !one.name().is_empty()
                );
            }
        }
    }

    #[test]
    #[ignore = "makes the device unusable in its process; the other test starts it in a separate process"]
    fn the_process_in_which_a_device_fails() {
        let device = Device::open(0).unwrap();
        let memory = device.filled::<u32>(1000, 0).unwrap();
        let text = "#include \"common.cuh\"\nKERNEL trap() { asm volatile(\"trap;\"); }";
        let source = crate::source::Source::given("trap", text);
        let trap = device.function(source, "trap").unwrap();
        let one = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };
        // SAFETY: the kernel takes no arguments and touches no memory.
        device
            .check(unsafe { device.stream().launch_builder(&trap).launch(one) }, "starting")
            .unwrap();
        let error = device.finish().unwrap_err().to_string();
        assert!(error.starts_with("the CUDA device failed while running a kernel: "), "{error}");
        assert!(device.filled::<u32>(1000, 0).is_err());
        drop(memory);
        let error = Device::open(0).unwrap_err().to_string();
        assert!(error.contains("device 0 failed earlier in this process"), "{error}");
    }

    #[test]
    fn a_device_that_fails_is_an_error_and_the_process_goes_on() {
        if crate::testing::device().is_none() {
            return;
        }
        if let Err(error) = nvrtc::version() {
            println!("skipped: {error}");
            return;
        }
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "device::tests::the_process_in_which_a_device_fails", "--ignored"]);
        let output = child.output().unwrap();
        let words =
            String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && words.contains("1 passed"), "{words}");
    }
}
