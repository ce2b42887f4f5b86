//! `kostra doctor`: what Kostra can use on this machine, and why not the rest.

use std::hint::black_box;
use std::sync::{Mutex, PoisonError, RwLock, mpsc};
use std::time::{Duration, Instant};

use kostra::{Platform, cuda};
use kostra_parallel::memory_info;
use serde::Serialize;

use crate::args::DoctorArgs;
use crate::progress::Stage;
use crate::report::{self, Sheet, bytes, count};
use crate::{Answer, output};

/// Looks at the machine, measures its memory, and reports.
///
/// # Errors
/// When standard output cannot be written.
pub(crate) fn run(args: DoctorArgs) -> anyhow::Result<Answer> {
    let machine = Machine::examine();
    output::print(&if args.json { report::json(&machine)? } else { sheet(&machine).to_string() })?;
    Ok(Answer::Yes)
}

/// The machine, as programs read it. What cannot be found out is null.
#[derive(Serialize)]
struct Machine {
    version: &'static str,
    system: &'static str,
    architecture: &'static str,
    processor: Option<String>,
    threads: usize,
    instruction_sets: Vec<&'static str>,
    memory: Option<Memory>,
    /// Null when there is too little memory to measure.
    bandwidth: Option<Vec<Bandwidth>>,
    devices: Vec<Device>,
    backends: [Backend; 3],
}

/// A device of the machine.
#[derive(Serialize)]
struct Device {
    ordinal: usize,
    /// Null when the device cannot be used.
    description: Option<DeviceDescription>,
    /// Null when it can.
    reason: Option<String>,
}

#[derive(Serialize)]
struct DeviceDescription {
    name: String,
    compute_capability: String,
    multiprocessors: u32,
    total_bytes: u64,
    available_bytes: Option<u64>,
    /// The version of CUDA that the driver is for.
    driver: String,
}

#[derive(Serialize)]
struct Memory {
    total_bytes: u64,
    available_bytes: u64,
}

/// The memory bandwidth with this number of threads, in bytes a second.
#[derive(Serialize)]
struct Bandwidth {
    threads: usize,
    read: f64,
    /// Bytes read and bytes written, together.
    copy: f64,
}

#[derive(Serialize)]
struct Backend {
    name: &'static str,
    available: bool,
    reason: String,
}

impl Machine {
    fn examine() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let memory = memory();
        let devices = devices();
        Self {
            version: env!("CARGO_PKG_VERSION"),
            system: std::env::consts::OS,
            architecture: std::env::consts::ARCH,
            processor: processor(),
            threads,
            instruction_sets: instruction_sets(),
            bandwidth: bandwidth(threads, memory.as_ref()),
            memory,
            backends: backends(threads, &devices),
            devices: devices.unwrap_or_default(),
        }
    }
}

/// Every CUDA device, or why there is none.
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
    let of_cuda =
        kostra::solvers().filter(|solver| solver.info().platform == Platform::Cuda).count();
    let of_processor = count(kostra::solvers().count() - of_cuda, "algorithm", "algorithms");
    let threads = count(threads, "thread", "threads");
    let (available, reason) = match devices {
        Err(error) => (false, error.reason().to_owned()),
        Ok(devices) if devices.iter().all(|device| device.description.is_none()) => {
            (false, "none of the devices can be used".to_owned())
        }
        Ok(_) => match cuda::kernels() {
            Err(error) => (false, error.to_string()),
            Ok(origin) => {
                (true, format!("{}; kernels {origin}", count(of_cuda, "algorithm", "algorithms")))
            }
        },
    };
    [
        Backend {
            name: "processor",
            available: true,
            reason: format!("{of_processor}; {threads} at a time"),
        },
        Backend { name: "CUDA", available, reason },
        mpi(),
    ]
}

#[cfg(feature = "mpi")]
fn mpi() -> Backend {
    let algorithms = count(kostra_mpi::solvers().count(), "algorithm", "algorithms");
    let library = kostra_mpi::library();
    let reason = format!("{algorithms}; {library}; jobs need the thread level MPI_THREAD_FUNNELED");
    Backend { name: "MPI", available: true, reason }
}

#[cfg(not(feature = "mpi"))]
fn mpi() -> Backend {
    let reason = "this build has no MPI; `--features mpi` builds it in".to_owned();
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

/// Two arrays of this size are larger than the caches of most machines.
const ARRAY_BYTES: usize = 256 << 20;
/// Each measurement is the fastest of this number of passes, because other processes only make a
/// pass slower.
const PASSES: usize = 3;

fn bandwidth(threads: usize, memory: Option<&Memory>) -> Option<Vec<Bandwidth>> {
    // A machine with little to spare is better left alone.
    if memory.is_some_and(|memory| memory.available_bytes < 4 * ARRAY_BYTES as u64) {
        return None;
    }
    let _stage = Stage::start("measuring the memory");
    let mut from = vec![1_u64; ARRAY_BYTES / 8];
    let mut to = vec![0_u64; ARRAY_BYTES / 8];
    let mut counts = vec![1, threads];
    counts.dedup();
    let mut rows: Vec<_> =
        counts.into_iter().map(|threads| measure(threads, &mut from, &mut to)).collect();
    rows.dedup_by_key(|row| row.threads); // where the system grants one thread only
    Some(rows)
}

fn measure(threads: usize, from: &mut [u64], to: &mut [u64]) -> Bandwidth {
    let part = from.len().div_ceil(threads);
    let rate = |bytes: usize, time: Duration| bytes as f64 / time.as_secs_f64();
    let read = (0..PASSES)
        .map(|_| {
            timed(from.chunks(part).map(|part| {
                move || {
                    black_box(part.iter().fold(0_u64, |sum, &word| sum.wrapping_add(word)));
                }
            }))
        })
        .min();
    let copy = (0..PASSES)
        .map(|_| {
            timed(to.chunks_mut(part).zip(from.chunks(part)).map(|(to, from)| {
                move || {
                    to.copy_from_slice(from);
                    black_box(&to);
                }
            }))
        })
        .min();
    let ((read, readers), (copy, writers)) = (read.unwrap_or_default(), copy.unwrap_or_default());
    Bandwidth {
        threads: readers.min(writers),
        read: rate(ARRAY_BYTES, read),
        copy: rate(2 * ARRAY_BYTES, copy),
    }
}

/// How long some jobs take side by side, the starting of their threads not counted, and how many
/// threads do them: one for each job, the caller's included, or fewer where the system refuses
/// threads. The caller does the jobs that are left.
fn timed(jobs: impl Iterator<Item = impl FnOnce() + Send>) -> (Duration, usize) {
    let jobs: Vec<_> = jobs.map(|job| Mutex::new(Some(job))).collect();
    let run = |index: usize| {
        let job = jobs[index].lock().unwrap_or_else(PoisonError::into_inner).take();
        job.into_iter().for_each(|job| job());
    };
    let (ready, started) = mpsc::channel();
    let gate = RwLock::new(());
    std::thread::scope(|scope| {
        let (run, ready, gate) = (&run, &ready, &gate);
        let closed = gate.write();
        let start = |index| {
            let work = move || {
                let _ = ready.send(());
                drop(gate.read());
                run(index);
            };
            std::thread::Builder::new().spawn_scoped(scope, work).ok()
        };
        let threads: Vec<_> = (1..jobs.len()).map_while(start).collect();
        let _ = started.iter().take(threads.len()).count();
        let (start, count) = (Instant::now(), threads.len() + 1);
        drop(closed);
        (0..1).chain(count..jobs.len()).for_each(run);
        for thread in threads {
            // A thread that adds numbers up does not panic.
            let _ = thread.join();
        }
        (start.elapsed(), count)
    })
}

fn sheet(machine: &Machine) -> Sheet {
    let mut sheet = Sheet::default();
    sheet.line(
        "kostra",
        format!("{} on {}, {}", machine.version, machine.system, machine.architecture),
    );
    let threads = count(machine.threads, "thread", "threads");
    sheet.line(
        "processor",
        format!("{}, {threads}", machine.processor.as_deref().unwrap_or("unknown")),
    );
    let sets = machine.instruction_sets.join(", ");
    sheet.line("instructions", if sets.is_empty() { "the base set" } else { &sets });
    match &machine.memory {
        Some(memory) => {
            let (total, available) = (bytes(memory.total_bytes), bytes(memory.available_bytes));
            sheet.line("memory", format!("{total}, {available} of it available"));
        }
        None => sheet.line("memory", "this system does not say how much there is"),
    }
    match &machine.bandwidth {
        Some(rows) => {
            for row in rows {
                let label = count(row.threads, "thread", "threads");
                let (read, copy) = (bytes(row.read as u64), bytes(row.copy as u64));
                sheet.line(
                    format!("  {label}"),
                    format!("reads {read}/s, copies {copy}/s (read and written)"),
                );
            }
        }
        None => sheet.line("", "too little is available to measure its bandwidth"),
    }
    for device in &machine.devices {
        let label = format!("cuda:{}", device.ordinal);
        match &device.description {
            Some(description) => {
                let DeviceDescription { name, compute_capability, multiprocessors, driver, .. } =
                    description;
                sheet.line(label, format!("{name}, compute capability {compute_capability}"));
                let total = bytes(description.total_bytes);
                let free = description.available_bytes.map_or("unknown".to_owned(), bytes);
                sheet.line(
                    "",
                    format!("{multiprocessors} multiprocessors, {total}, {free} of it available"),
                );
                sheet.line("", format!("driver for CUDA {driver}"));
            }
            None => sheet.line(label, device.reason.as_deref().unwrap_or("cannot be used")),
        }
    }
    sheet.gap();
    for backend in &machine.backends {
        let state = if backend.available { "yes" } else { "no" };
        sheet.line(backend.name, format!("{state}: {}", backend.reason));
    }
    sheet
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

    #[test]
    fn every_job_is_timed() {
        let mut done = [false; 3];
        let (time, threads) = timed(done.iter_mut().map(|done| move || *done = true));
        assert!(time > Duration::ZERO);
        assert!((1..=3).contains(&threads));
        assert_eq!(done, [true; 3]);
    }
}
