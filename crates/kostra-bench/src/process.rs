//! System calls that the standard library does not offer: pinning to processors, and the peak
//! memory of a child process.

#[cfg(target_os = "linux")]
use std::io;
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

/// Waits for a child process and returns its peak memory in bytes. An unsuccessful exit is an
/// error.
///
/// On Linux the result is at least the memory that *this* process used when it started the child.
/// So use little memory before that.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "the standard library does not return what a child has used")]
pub(crate) fn wait_for_peak_memory(child: &Child) -> Result<u64> {
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
    Ok(u64::try_from(usage.ru_maxrss).unwrap_or(0).saturating_mul(1024))
}

/// Pinning is implemented for Linux only.
#[cfg(not(target_os = "linux"))]
pub(crate) fn pin(_processors: &[usize]) -> Result<()> {
    bail!("pinning to processors is available on Linux only; omit --pin")
}

/// Measuring the memory of a child is implemented for Linux only.
#[cfg(not(target_os = "linux"))]
pub(crate) fn wait_for_peak_memory(_child: &Child) -> Result<u64> {
    bail!("the memory of a process can be measured on Linux only")
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
