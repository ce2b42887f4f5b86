//! System calls that the standard library does not offer: pinning to processors, CPU times, what a
//! child process has used, and the page cache.

#[cfg(target_os = "linux")]
use std::fs::File;
#[cfg(target_os = "linux")]
use std::io;
use std::path::{Path, PathBuf};
use std::process::Child;

use anyhow::{Context, Result, bail};
#[cfg(target_os = "linux")]
use rustix::thread::{CpuSet, sched_setaffinity};

/// Parses a list of processors such as `0,2-3`.
pub(crate) fn parse_processors(list: &str) -> Result<Vec<usize>> {
    let mut processors = Vec::new();
    for part in list.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| {
            text.trim().parse::<usize>().ok().filter(|&processor| processor < 1024).with_context(
                || {
                    format!(
                        "'{list}' is not a list of processors below 1024; write for example 0 or 0,2-3"
                    )
                },
            )
        };
        processors.extend(number(first)?..=number(last)?);
    }
    if processors.is_empty() {
        bail!("'{list}' names no processor");
    }
    Ok(processors)
}

/// Pins this thread, and all threads and processes that it starts later, to `processors`.
#[cfg(target_os = "linux")]
pub(crate) fn pin(processors: &[usize]) -> Result<()> {
    let mut set = CpuSet::new();
    processors.iter().for_each(|&processor| set.set(processor));
    sched_setaffinity(None, &set)
        .with_context(|| format!("cannot pin to the processors {processors:?}"))
}

/// What a process has used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    /// Seconds of user and of system time.
    pub(crate) user: f64,
    pub(crate) system: f64,
    /// The number of page faults that read no file.
    pub(crate) page_faults: u64,
}

/// Waits for a child process. An unsuccessful exit is an error.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "the standard library does not return what a child has used")]
pub(crate) fn wait_for_usage(child: &Child) -> Result<Usage> {
    let process = libc::pid_t::try_from(child.id()).context("the child has no process id")?;
    let mut status = 0;
    // SAFETY: `rusage` consists of integers, for which zero is a valid value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: `status` and `usage` are exclusively borrowed, and `process` is a child of this
        // process that nothing has waited for.
        let ended = unsafe { libc::wait4(process, &raw mut status, 0, &raw mut usage) };
        if ended == process {
            break;
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error).context("cannot wait for the child");
        }
    }
    if !libc::WIFEXITED(status) || libc::WEXITSTATUS(status) != 0 {
        bail!("it exited with wait status {status}");
    }
    Ok(Usage {
        user: seconds(usage.ru_utime),
        system: seconds(usage.ru_stime),
        page_faults: u64::try_from(usage.ru_minflt).unwrap_or(0),
    })
}

#[cfg(target_os = "linux")]
fn seconds(time: libc::timeval) -> f64 {
    time.tv_sec as f64 + time.tv_usec as f64 / 1e6
}

/// Drops the pages of a file from the page cache, unless a process has mapped them.
#[cfg(target_os = "linux")]
pub(crate) fn drop_from_cache(path: &Path) -> Result<()> {
    let drop = || {
        let file = File::open(path)?;
        file.sync_all()?; // unwritten pages stay in the cache
        rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed)?;
        io::Result::Ok(())
    };
    drop().with_context(|| format!("cannot drop {} from the page cache", path.display()))
}

/// CPU seconds, of user and system together.
pub(crate) struct CpuSeconds {
    /// Of this process.
    pub(crate) own: f64,
    /// Of its children that have ended and were waited for.
    pub(crate) children: f64,
}

/// The CPU time that this process and its children have used.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "the standard library does not return CPU times")]
pub(crate) fn cpu_seconds() -> Result<CpuSeconds> {
    let used = |who| {
        // SAFETY: `rusage` consists of integers, for which zero is a valid value.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: `usage` is exclusively borrowed.
        if unsafe { libc::getrusage(who, &raw mut usage) } != 0 {
            return Err(io::Error::last_os_error()).context("cannot read the CPU time");
        }
        Ok(seconds(usage.ru_utime) + seconds(usage.ru_stime))
    };
    Ok(CpuSeconds { own: used(libc::RUSAGE_SELF)?, children: used(libc::RUSAGE_CHILDREN)? })
}

/// CPU times are implemented for Linux only.
#[cfg(not(target_os = "linux"))]
pub(crate) fn cpu_seconds() -> Result<CpuSeconds> {
    bail!("CPU times can be measured on Linux only")
}

/// Pinning is implemented for Linux only.
#[cfg(not(target_os = "linux"))]
pub(crate) fn pin(_processors: &[usize]) -> Result<()> {
    bail!("pinning to processors is available on Linux only; omit --pin")
}

/// Measuring a child is implemented for Linux only.
#[cfg(not(target_os = "linux"))]
pub(crate) fn wait_for_usage(_child: &Child) -> Result<Usage> {
    bail!("what a process uses can be measured on Linux only")
}

/// Emptying the page cache is implemented for Linux only.
#[cfg(not(target_os = "linux"))]
pub(crate) fn drop_from_cache(_path: &Path) -> Result<()> {
    bail!("a cold page cache can be measured on Linux only")
}

/// The `kostra` executable in the folder of this program.
pub(crate) fn kostra_beside_this() -> PathBuf {
    let name = format!("kostra{}", std::env::consts::EXE_SUFFIX);
    std::env::current_exe()
        .ok()
        .map_or_else(|| PathBuf::from(&name), |path| path.with_file_name(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_lists_are_parsed_or_refused() {
        assert_eq!(parse_processors("0").unwrap(), [0]);
        assert_eq!(parse_processors("0,2-4").unwrap(), [0, 2, 3, 4]);
        for list in ["", "x", "1,", "0-9999999", "4-2", "-1"] {
            assert!(parse_processors(list).is_err(), "{list}");
        }
    }
}
