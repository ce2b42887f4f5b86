//! What the standard library does not ask the system: pinning to processors, and the memory that a
//! child has held.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Child;

use anyhow::{Context, Result, bail};
#[cfg(target_os = "linux")]
use rustix::thread::{CpuSet, sched_setaffinity};

/// The processors in a list such as `0,2-3`.
pub(crate) fn parse_processors(list: &str) -> Result<Vec<usize>> {
    let mut processors = Vec::new();
    for part in list.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| {
            text.trim().parse::<usize>().ok().filter(|&processor| processor < 1024).with_context(
                || {
                    format!(
                        "'{list}' is no list of processors below 1024; write it like 0 or 0,2-3"
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

/// Keeps this thread, and all threads and processes that it starts from now on, on some processors.
#[cfg(target_os = "linux")]
pub(crate) fn pin(processors: &[usize]) -> Result<()> {
    let mut set = CpuSet::new();
    processors.iter().for_each(|&processor| set.set(processor));
    sched_setaffinity(None, &set)
        .with_context(|| format!("cannot pin to the processors {processors:?}"))
}

/// Waits for a child and returns the most memory that it has held, in bytes, if it ended well.
///
/// On Linux the figure is at least what *this* process held when it started the child, so stay
/// small until then.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "the standard library does not return what a child has used")]
pub(crate) fn wait_for_peak_memory(child: &Child) -> Result<u64> {
    let process = libc::pid_t::try_from(child.id()).context("the child has no process id")?;
    let mut status = 0;
    // SAFETY: a usage record consists of integers, for which zero is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both records are exclusively borrowed, and the child, which nobody has waited
        // for, is ours.
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
        bail!("it ended with wait status {status}");
    }
    Ok(u64::try_from(usage.ru_maxrss).unwrap_or(0).saturating_mul(1024))
}

/// Pinning is known for Linux only.
#[cfg(not(target_os = "linux"))]
pub(crate) fn pin(_processors: &[usize]) -> Result<()> {
    bail!("pinning to processors is possible on Linux only; leave --pin out")
}

/// Measuring a child's memory is known for Linux only.
#[cfg(not(target_os = "linux"))]
pub(crate) fn wait_for_peak_memory(_child: &Child) -> Result<u64> {
    bail!("the memory of a process can be measured on Linux only")
}

/// Lets others read a file that was made as a temporary one.
#[cfg(unix)]
pub(crate) fn make_readable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o644))
}

/// Files are readable to others as their folder says.
#[cfg(not(unix))]
pub(crate) fn make_readable(_path: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_processors_are_read_or_refused() {
        assert_eq!(parse_processors("0").unwrap(), [0]);
        assert_eq!(parse_processors("0,2-4").unwrap(), [0, 2, 3, 4]);
        for list in ["", "x", "1,", "0-9999999", "4-2", "-1"] {
            assert!(parse_processors(list).is_err(), "{list}");
        }
    }
}
