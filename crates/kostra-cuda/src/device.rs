//! One CUDA device: opened once in a process, shared by whoever solves on it.

#![allow(unsafe_code, reason = "the driver is called where cudarc has no safe way")]

use std::collections::HashMap;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use cudarc::driver::sys::{self, CUdevice_attribute_enum as Attribute};
use cudarc::driver::{
    CudaContext, CudaFunction, CudaModule, CudaSlice, CudaStream, DevicePtrMut, DriverError,
    PinnedHostSlice, result,
};
use kostra_core::SolveError;

use crate::error::{Doing, words};
use crate::module;
use crate::source::Source;
use crate::staging::Staging;
use crate::{DeviceError, NoDevice, driver};

/// The oldest compute capability that the kernels are written for.
const OLDEST: (u32, u32) = (8, 0);

/// What the driver takes beside the arrays that it is asked for: its pool grows by pieces of 32
/// MiB, and kernels whose registers spill have memory for every thread that the device holds.
const DRIVERS_OWN: usize = 64 << 20;
/// So many bytes are there nearly always. To ask takes as long as a small solve does.
const FEW: usize = 64 << 20;

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
    staging: Staging,
    /// What the last solve worked in, kept for the next one.
    scratch: Mutex<Option<Kept>>,
    modules: Mutex<HashMap<&'static str, Arc<CudaModule>>>,
    /// Kernels whose blocks stay, and how many of them a multiprocessor holds.
    residents: Mutex<HashMap<&'static str, (CudaFunction, u32)>>,
    lost: OnceLock<String>,
}

/// The devices that this process has opened.
static OPEN: Mutex<Vec<Arc<Device>>> = Mutex::new(Vec::new());

impl Device {
    /// How many devices there are, at least one, whether they can be used or not.
    ///
    /// # Errors
    /// When there is none, or no driver, or one that does not work.
    pub fn count() -> Result<usize, NoDevice> {
        driver::devices()
    }

    /// The device of this number, counted from 0. The first call for it takes some tenths of a
    /// second.
    ///
    /// # Errors
    /// When there is none, when it is older than compute capability 8.0, or when it was lost
    /// earlier on.
    pub fn open(ordinal: usize) -> Result<Arc<Self>, NoDevice> {
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
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
                "there is no device {ordinal}; they are numbered from 0 to {last}"
            )));
        }
        let opened = catch_unwind(AssertUnwindSafe(|| Self::begin(ordinal)));
        let device = opened.unwrap_or_else(|_| {
            Err(NoDevice::because("the driver's library lacks functions that a driver has"))
        })?;
        let device = Arc::new(device);
        open.push(device.clone());
        Ok(device)
    }

    /// Whether this process has opened the device of this number.
    pub fn is_open(ordinal: usize) -> bool {
        let open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        open.iter().any(|device| device.ordinal == ordinal)
    }

    fn begin(ordinal: usize) -> Result<Self, NoDevice> {
        let refused = |error: DriverError| {
            NoDevice::because(format!("device {ordinal} cannot be used: {}", words(error)))
        };
        let handle = result::device::get(ordinal as i32).map_err(refused)?;
        let attribute = |attribute| {
            // SAFETY: the handle is of a device that the driver has just named.
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
                "device {ordinal}, {name}, has compute capability {major}.{minor}; {least}.{least_minor} is the least"
            )));
        }
        let context = CudaContext::new(ordinal).map_err(refused)?;
        // SAFETY: all work and all memory of this crate is on one stream, or is waited for by
        // events of its own.
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
            staging: Staging::default(),
            scratch: Mutex::default(),
            modules: Mutex::default(),
            residents: Mutex::default(),
            lost: OnceLock::new(),
        };
        device.keep_freed_memory().map_err(refused)?;
        Ok(device)
    }

    /// Its number, counted from 0.
    pub fn ordinal(&self) -> usize {
        self.ordinal
    }

    /// Its name, such as `"NVIDIA H100 80GB HBM3"`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its compute capability, major and minor.
    pub fn capability(&self) -> (u32, u32) {
        self.capability
    }

    /// How many multiprocessors it has.
    pub fn multiprocessors(&self) -> u32 {
        self.multiprocessors
    }

    /// How many bytes of memory it has.
    pub fn memory(&self) -> usize {
        self.memory
    }

    /// The version of CUDA that its driver is for, major and minor.
    pub fn driver(&self) -> (u32, u32) {
        self.driver
    }

    pub(crate) fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }

    /// The stream on which everything happens, in order.
    pub(crate) fn stream(&self) -> &Arc<CudaStream> {
        &self.stream
    }

    pub(crate) fn staging(&self) -> &Staging {
        &self.staging
    }

    /// A kernel, compiled and loaded when its file is first asked for.
    pub(crate) fn function(
        &self,
        source: Source,
        kernel: &str,
    ) -> Result<CudaFunction, DeviceError> {
        let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        let module = match modules.get(source.name) {
            Some(module) => module.clone(),
            None => {
                let module = module::load(&self.context, self.capability, source)?;
                modules.insert(source.name, module.clone());
                module
            }
        };
        self.check(module.load_function(kernel), "looking for a kernel")
    }

    /// A kernel, and how many of its blocks of so many threads, always the same, a multiprocessor
    /// holds at once. Both are looked up once, for the driver takes some microseconds to answer.
    pub(crate) fn resident(
        &self,
        source: Source,
        kernel: &'static str,
        block: u32,
    ) -> Result<(CudaFunction, u32), DeviceError> {
        let mut residents = self.residents.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(resident) = residents.get(kernel) {
            return Ok(resident.clone());
        }
        let function = self.function(source, kernel)?;
        let fit = function.occupancy_max_active_blocks_per_multiprocessor(block, 0, None);
        let resident = (function, self.check(fit, "asking for an occupancy")?.max(1));
        residents.insert(kernel, resident.clone());
        Ok(resident)
    }

    /// Memory for so many values, whatever is in it.
    pub(crate) fn uninit<T: Copy>(&self, len: usize) -> Result<CudaSlice<T>, DeviceError> {
        let bytes = (len * size_of::<T>()).max(1); // the driver refuses to allocate none
        // SAFETY: bytes of any content are bytes.
        let mut memory = unsafe { self.stream.alloc::<u8>(bytes) };
        if is_out_of_memory(&memory) {
            self.give_back()?;
            // SAFETY: as above.
            memory = unsafe { self.stream.alloc::<u8>(bytes) };
        }
        if is_out_of_memory(&memory) {
            return Err(DeviceError::OutOfMemory { bytes, free: self.available()? });
        }
        let memory = self.check(memory, "allocating memory")?;
        // SAFETY: the memory was allocated on this stream, is long enough, and aligned to 256
        // bytes.
        Ok(unsafe { self.stream.upgrade_device_ptr(memory.leak(), len) })
    }

    /// At least so many bytes to work in, whatever is in them: those that the last solve worked in,
    /// where they are enough, since to allocate takes as long as a small solve does.
    pub(crate) fn scratch(&self, bytes: usize) -> Result<Scratch<'_>, DeviceError> {
        let kept = self.kept_scratch().take();
        let kept = match kept {
            Some(kept) if kept.memory.len() >= bytes => kept,
            too_little => {
                let told =
                    too_little.map(|kept| kept.told).map_or_else(|| Told::new(&self.context), Ok);
                let told = self.check(told, "allocating page-locked memory")?;
                Kept { memory: self.uninit(bytes)?, told, turns: 0 }
            }
        };
        Ok(Scratch { device: self, kept: ManuallyDrop::new(kept) })
    }

    /// Allocates the [scratch memory](Self::scratch) of the solve that comes, so that the solve
    /// finds it.
    pub(crate) fn reserve_scratch(&self, bytes: usize) -> Result<(), DeviceError> {
        self.scratch(bytes).map(drop)
    }

    fn kept_scratch(&self) -> MutexGuard<'_, Option<Kept>> {
        self.scratch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Memory for so many values, all of whose bytes are the same.
    pub(crate) fn filled<T: Copy>(
        &self,
        len: usize,
        byte: u8,
    ) -> Result<CudaSlice<T>, DeviceError> {
        let mut memory = self.uninit(len)?;
        self.fill(&mut memory, byte)?;
        Ok(memory)
    }

    /// Sets every byte.
    pub(crate) fn fill<T>(
        &self,
        memory: &mut impl DevicePtrMut<T>,
        byte: u8,
    ) -> Result<(), DeviceError> {
        let bytes = memory.num_bytes();
        if bytes == 0 {
            return Ok(());
        }
        let (pointer, _guard) = memory.device_ptr_mut(&self.stream);
        // SAFETY: the memory is as long, and freed on the same stream, later.
        let done =
            unsafe { result::memset_d8_async(pointer, byte, bytes, self.stream.cu_stream()) };
        self.check(done, "filling memory")
    }

    /// Waits until everything is done that was asked for.
    ///
    /// # Errors
    /// When the device fails, in this or in earlier work.
    pub fn finish(&self) -> Result<(), DeviceError> {
        self.check(self.stream.synchronize(), "running a kernel")
    }

    /// Has the device do a little work for this process, and waits for it: what follows does not
    /// wait for the turn of another process that shares the device.
    ///
    /// # Errors
    /// When the device fails.
    pub fn wake(&self) -> Result<(), DeviceError> {
        self.filled::<u8>(WAKING, 0)?;
        self.finish()
    }

    /// Refuses work that needs more memory than the device can give, before any of it is done: so
    /// many bytes of [scratch memory](Self::scratch), and so many in other arrays.
    pub(crate) fn admit(&self, scratch: usize, others: usize) -> Result<(), SolveError> {
        let kept = self.kept_scratch().as_ref().map_or(0, |kept| kept.memory.len());
        let new = others.saturating_add(if kept < scratch { scratch } else { 0 });
        // Where a little is not there, the allocation says so.
        if new <= FEW { Ok(()) } else { admit(scratch.saturating_add(others), self.available()?) }
    }

    /// Gives all memory back that nobody uses.
    fn give_back(&self) -> Result<(), DeviceError> {
        drop(self.kept_scratch().take());
        self.finish()?;
        if self.context.has_async_alloc() {
            let pool = self.pool().doing("giving memory back")?;
            // SAFETY: the pool is the device's own.
            self.check(unsafe { result::mem_pool::trim_to(pool, 0) }, "giving memory back")?;
        }
        Ok(())
    }

    /// How many bytes of its memory are free, those that the process keeps for its next solve
    /// included.
    ///
    /// # Errors
    /// When the device fails.
    pub fn available(&self) -> Result<usize, DeviceError> {
        let (free, _) = self.check(self.context.mem_get_info(), "asking for its free memory")?;
        let scratch = self.kept_scratch().as_ref().map_or(0, |kept| kept.memory.len());
        Ok(free + scratch + self.kept().doing("asking for its free memory")?)
    }

    /// Turns the driver's answer into ours, and remembers an error after which nothing works any
    /// more.
    pub(crate) fn check<T>(
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

    /// Has memory that is freed stay with the process: to get it from the system again takes as
    /// long as a solve.
    fn keep_freed_memory(&self) -> Result<(), DriverError> {
        if !self.context.has_async_alloc() {
            return Ok(());
        }
        let mut keep = u64::MAX;
        let attribute = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        // SAFETY: the attribute is an integer of 64 bits.
        unsafe { result::mem_pool::set_attribute(self.pool()?, attribute, (&raw mut keep).cast()) }
    }

    /// How many bytes the process keeps that nobody uses.
    fn kept(&self) -> Result<usize, DriverError> {
        if !self.context.has_async_alloc() {
            return Ok(0);
        }
        let pool = self.pool()?;
        let get = |attribute| {
            let mut bytes = 0_u64;
            // SAFETY: both attributes are integers of 64 bits.
            unsafe { result::mem_pool::get_attribute(pool, attribute, (&raw mut bytes).cast()) }?;
            Ok(bytes)
        };
        let reserved = get(sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)?;
        let used = get(sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT)?;
        Ok(usize::try_from(reserved.saturating_sub(used)).unwrap_or(usize::MAX))
    }

    fn pool(&self) -> Result<sys::CUmemoryPool, DriverError> {
        let mut pool = std::ptr::null_mut();
        // SAFETY: the pointer is to a pointer of ours, and the device is open.
        unsafe { sys::cuDeviceGetDefaultMemPool(&raw mut pool, self.context.cu_device()) }
            .result()?;
        Ok(pool)
    }
}

/// Bytes to clear that set all multiprocessors to work and leave the cache as it is: after a rest,
/// clearing one byte leaves a solve of 0.12 ms five microseconds slower.
const WAKING: usize = 1 << 20;

/// How many words a solve can tell the host.
pub(crate) const TOLD: usize = 2;

/// What solves work in.
#[derive(Debug)]
struct Kept {
    memory: CudaSlice<u8>,
    told: Told,
    /// How many solves in a row have left in order what the next one relies on.
    turns: usize,
}

/// Words of the machine's memory that the device writes to: to copy a word takes as long as several
/// steps of a solve.
#[derive(Debug)]
struct Told {
    /// To ask the memory for it asks the driver, each time.
    address: sys::CUdeviceptr,
    _memory: PinnedHostSlice<u32>,
}

impl Told {
    fn new(context: &Arc<CudaContext>) -> Result<Self, DriverError> {
        // SAFETY: it is set before it is read.
        let mut memory: PinnedHostSlice<u32> =
            unsafe { context.alloc_pinned_with_flags(TOLD, sys::CU_MEMHOSTALLOC_DEVICEMAP) }?;
        Ok(Self {
            address: memory.as_mut_ptr()?.expose_provenance() as sys::CUdeviceptr,
            _memory: memory,
        })
    }

    fn words(&self) -> *mut u32 {
        std::ptr::with_exposed_provenance_mut(self.address as usize)
    }
}

/// Memory to work in, which the device keeps for the next solve when this is dropped.
pub(crate) struct Scratch<'a> {
    device: &'a Device,
    kept: ManuallyDrop<Kept>,
}

impl Scratch<'_> {
    /// How many solves in a row have [left](Self::leave) what this one may rely on: none where the
    /// memory is new, or one failed. What this one leaves it has to say.
    pub(crate) fn take_turn(&mut self) -> usize {
        std::mem::take(&mut self.kept.turns)
    }

    /// After so many turns, the next solve finds what it relies on.
    pub(crate) fn leave(&mut self, turns: usize) {
        self.kept.turns = turns;
    }

    /// Where the device writes what it tells the host; zero until then.
    pub(crate) fn told_at(&mut self) -> sys::CUdeviceptr {
        // SAFETY: there are as many words, and no solve is under way that works in this.
        (0..TOLD).for_each(|word| unsafe { self.kept.told.words().add(word).write_volatile(0) });
        // The driver gives page-locked memory the same address on every device.
        self.kept.told.address
    }

    /// What the device has told, once it is done.
    pub(crate) fn told(&self) -> [u32; TOLD] {
        // SAFETY: there are as many words, and the device, which changes them behind the compiler's
        // back, is done.
        std::array::from_fn(|word| unsafe { self.kept.told.words().add(word).read_volatile() })
    }
}

impl Deref for Scratch<'_> {
    type Target = CudaSlice<u8>;

    fn deref(&self) -> &CudaSlice<u8> {
        &self.kept.memory
    }
}

impl DerefMut for Scratch<'_> {
    fn deref_mut(&mut self) -> &mut CudaSlice<u8> {
        &mut self.kept.memory
    }
}

impl Drop for Scratch<'_> {
    fn drop(&mut self) {
        // SAFETY: nobody asks for it any more.
        let kept = unsafe { ManuallyDrop::take(&mut self.kept) };
        // Of two solves at the same time, the later one's stays.
        *self.device.kept_scratch() = Some(kept);
    }
}

/// Whether so many bytes are to be had where so many are free.
fn admit(bytes: usize, free: usize) -> Result<(), SolveError> {
    if bytes.saturating_add(DRIVERS_OWN) > free {
        return Err(SolveError::DeviceMemory { bytes: bytes.saturating_add(DRIVERS_OWN), free });
    }
    Ok(())
}

fn is_out_of_memory<T>(answer: &Result<T, DriverError>) -> bool {
    matches!(answer, Err(DriverError(sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY)))
}

/// The version of CUDA that the driver is for.
fn version() -> Result<(u32, u32), DriverError> {
    let mut version = 0;
    // SAFETY: the pointer is to an integer of ours.
    unsafe { sys::cuDriverGetVersion(&raw mut version) }.result()?;
    let version = u32::try_from(version).unwrap_or_default();
    Ok((version / 1000, version % 1000 / 10))
}

/// Whether an error leaves the process without the device for good.
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

    use cudarc::driver::{DevicePtr, LaunchConfig};

    use super::*;
    use crate::nvrtc;

    #[test]
    fn a_device_is_opened_once_and_one_that_is_not_there_never() {
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
    fn what_does_not_fit_is_refused_with_the_bytes_that_are_needed_and_those_that_are_free() {
        assert_eq!(admit(1 << 30, (1 << 30) + DRIVERS_OWN), Ok(()));
        let refused =
            |bytes, free| Err(SolveError::DeviceMemory { bytes: bytes + DRIVERS_OWN, free });
        assert_eq!(
            admit(1 << 30, 1 << 30),
            refused(1 << 30, 1 << 30),
            "the driver needs some, too"
        );
        assert_eq!(admit(3 << 30, 1 << 30), refused(3 << 30, 1 << 30));
        assert!(admit(usize::MAX, 1 << 40).is_err());
        let words =
            SolveError::from(DeviceError::OutOfMemory { bytes: 2000, free: 1000 }).to_string();
        assert_eq!(
            words,
            "this graph needs 2000 bytes of the device's memory, of which 1000 are free"
        );
    }

    #[test]
    fn what_a_solve_worked_in_is_kept_until_somebody_needs_it() {
        let Some(device) = crate::testing::device() else { return };
        let begin = |scratch: &Scratch<'_>| scratch.device_ptr(device.stream()).0;
        let first = begin(&device.scratch(1 << 20).unwrap());
        assert_eq!(begin(&device.scratch(1000).unwrap()), first);
        let (one, other) = (device.scratch(1000).unwrap(), device.scratch(1000).unwrap());
        assert_ne!(begin(&one), begin(&other), "two solves at the same time");
        drop((one, other));
        let most = device.available().unwrap() / 8 * 7;
        drop(device.scratch(most).unwrap());
        assert!(device.available().unwrap() > most, "what is kept is free");
        device.uninit::<u8>(most).unwrap();
        assert!(device.kept_scratch().is_none(), "and goes where it is in the way");
    }

    #[test]
    #[ignore = "leaves its process without a device; the other test starts it in one of its own"]
    fn the_process_in_which_a_device_fails() {
        let device = Device::open(0).unwrap();
        let memory = device.filled::<u32>(1000, 0).unwrap();
        let text = "#include \"common.cuh\"\nKERNEL trap() { asm volatile(\"trap;\"); }";
        let source = Source { name: "trap", text };
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
