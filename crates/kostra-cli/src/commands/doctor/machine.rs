//! What the machine has.

use kostra_core::Platform;
use kostra_cuda as cuda;
use kostra_parallel::memory_info;
use serde::Serialize;

use super::bandwidth::{self, Bandwidth};
use crate::algorithm;
use crate::progress::Stage;
use crate::report::count;

/// The machine, for programs. Unknown facts are null.
#[derive(Serialize)]
pub(super) struct Machine {
    pub(super) version: &'static str,
    pub(super) system: &'static str,
    pub(super) architecture: &'static str,
    pub(super) processor: Option<String>,
    pub(super) threads: usize,
    pub(super) instruction_sets: Vec<&'static str>,
    pub(super) memory: Option<Memory>,
    /// Null if too little memory is available for the measurement.
    pub(super) bandwidth: Option<Vec<Bandwidth>>,
    pub(super) devices: Vec<Device>,
    pub(super) backends: [Backend; 3],
}

/// A CUDA device.
#[derive(Serialize)]
pub(super) struct Device {
    pub(super) ordinal: usize,
    /// Null if the device cannot be used.
    pub(super) description: Option<DeviceDescription>,
    /// Why the device cannot be used; null if it can.
    pub(super) reason: Option<String>,
}

#[derive(Serialize)]
pub(super) struct DeviceDescription {
    pub(super) name: String,
    pub(super) compute_capability: String,
    pub(super) multiprocessors: u32,
    pub(super) total_bytes: u64,
    pub(super) available_bytes: Option<u64>,
    /// The CUDA version of the driver.
    pub(super) driver: String,
}

#[derive(Serialize)]
pub(super) struct Memory {
    pub(super) total_bytes: u64,
    pub(super) available_bytes: u64,
}

#[derive(Serialize)]
pub(super) struct Backend {
    pub(super) name: &'static str,
    pub(super) available: bool,
    pub(super) reason: String,
}

impl Machine {
    /// Examines the machine, and measures its memory.
    pub(super) fn examine() -> Self {
        let threads = kostra_core::default_threads();
        let memory = memory();
        let available = memory.as_ref().map(|memory| memory.available_bytes);
        let devices = devices();
        Self {
            version: env!("CARGO_PKG_VERSION"),
            system: std::env::consts::OS,
            architecture: std::env::consts::ARCH,
            processor: processor(),
            threads,
            instruction_sets: instruction_sets(),
            bandwidth: bandwidth::measure(threads, available),
            memory,
            backends: backends(threads, &devices),
            devices: devices.unwrap_or_default(),
        }
    }
}

/// All CUDA devices, or why there is none.
fn devices() -> Result<Vec<Device>, cuda::NoDevice> {
    let _stage = Stage::start("looking for devices");
    let describe = |ordinal| match cuda::Device::open(ordinal) {
        Ok(device) => {
            let ((major, minor), (cuda, release)) = (device.capability(), device.driver());
            let description = DeviceDescription {
                name: device.name().to_owned(),
                compute_capability: format!("{major}.{minor}"),
                multiprocessors: device.multiprocessors(),
                total_bytes: device.memory() as u64,
                available_bytes: device.available().ok().map(|bytes| bytes as u64),
                driver: format!("{cuda}.{release}"),
            };
            Device { ordinal, description: Some(description), reason: None }
        }
        Err(error) => {
            Device { ordinal, description: None, reason: Some(error.reason().to_owned()) }
        }
    };
    Ok((0..cuda::Device::count()?).map(describe).collect())
}

fn backends(threads: usize, devices: &Result<Vec<Device>, cuda::NoDevice>) -> [Backend; 3] {
    let threads = count(threads as u64, "thread", "threads");
    let processor =
        algorithms(|platform| matches!(platform, Platform::Sequential | Platform::Threads));
    let (available, reason) = match devices {
        Err(error) => (false, error.reason().to_owned()),
        Ok(devices) if devices.iter().all(|device| device.description.is_none()) => {
            (false, "no device can be used".to_owned())
        }
        Ok(_) => match cuda::kernels() {
            Err(error) => (false, error.to_string()),
            Ok(origin) => {
                let algorithms = algorithms(|platform| platform == Platform::Cuda);
                (true, format!("{algorithms}; kernels {origin}"))
            }
        },
    };
    [
        Backend {
            name: "processor",
            available: true,
            reason: format!("{processor}; {threads} at a time"),
        },
        Backend { name: "CUDA", available, reason },
        mpi(),
    ]
}

/// The number of algorithms for a platform, for people.
fn algorithms(is_wanted: impl Fn(Platform) -> bool) -> String {
    let wanted = algorithm::all().filter(|info| is_wanted(info.platform));
    count(wanted.count() as u64, "algorithm", "algorithms")
}

#[cfg(feature = "mpi")]
fn mpi() -> Backend {
    let algorithms = algorithms(|platform| platform == Platform::Mpi);
    let library = kostra_mpi::library();
    let reason = format!("{algorithms}; {library}; jobs need the thread level MPI_THREAD_FUNNELED");
    Backend { name: "MPI", available: true, reason }
}

#[cfg(not(feature = "mpi"))]
fn mpi() -> Backend {
    let reason = "this build has no MPI; build with `--features mpi`".to_owned();
    Backend { name: "MPI", available: false, reason }
}

fn processor() -> Option<String> {
    let info = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    field(&info, "model name").map(str::to_owned)
}

fn memory() -> Option<Memory> {
    Some(Memory {
        total_bytes: memory_info("MemTotal")?,
        available_bytes: memory_info("MemAvailable")?,
    })
}

/// The value of the first line `name : value`.
fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let mut fields = text.lines().filter_map(|line| line.split_once(':'));
    fields.find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim())
}

#[cfg(target_arch = "x86_64")]
fn instruction_sets() -> Vec<&'static str> {
    let sets = [
        ("SSE4.2", std::arch::is_x86_feature_detected!("sse4.2")),
        ("POPCNT", std::arch::is_x86_feature_detected!("popcnt")),
        ("BMI2", std::arch::is_x86_feature_detected!("bmi2")),
        ("AVX2", std::arch::is_x86_feature_detected!("avx2")),
        ("AVX-512F", std::arch::is_x86_feature_detected!("avx512f")),
    ];
    sets.into_iter().filter(|(_, there)| *there).map(|(name, _)| name).collect()
}

#[cfg(target_arch = "aarch64")]
fn instruction_sets() -> Vec<&'static str> {
    let sets = [
        ("NEON", std::arch::is_aarch64_feature_detected!("neon")),
        ("LSE", std::arch::is_aarch64_feature_detected!("lse")),
        ("SVE", std::arch::is_aarch64_feature_detected!("sve")),
    ];
    sets.into_iter().filter(|(_, there)| *there).map(|(name, _)| name).collect()
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn instruction_sets() -> Vec<&'static str> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_by_their_whole_name() {
        let text = "MemTotalX: 1 kB\nMemTotal:  24 kB\n";
        assert_eq!(field(text, "MemTotal"), Some("24 kB"));
        assert_eq!(field(text, "Mem"), None);
    }
}
