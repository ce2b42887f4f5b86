//! `--memory` of the commands that hold their whole input: a limit beyond which they refuse work.
//! Only `solve` can work on graphs that are larger than the limit.
#![allow(unsafe_code, reason = "the limit is set by a system call")]

use anyhow::ensure;
use clap::Args;
use kostra_core::WeightType;
use kostra_parallel::available_memory;

use crate::bytes::parse_bytes;
use crate::output::tell;
use crate::report::thousands;

/// What the program takes before it reads its input, and while it says what is wrong.
const PROGRAM: u64 = 32 << 20;

/// Work that takes more than the memory that is left, divided by this, is announced.
const LARGE_SHARE: u64 = 4;

/// What `solve` takes at most for a graph in memory, by its default solver on threads, in bytes:
/// the edges, and the scratch memory of `fast`. Names and kept columns take more.
pub(crate) fn memory_of_solve(vertices: u32, edges: usize, weight_type: WeightType) -> u64 {
    const ENDS_AND_SCRATCH: u64 = 8 + 12;
    const PER_VERTEX: u64 = 24;
    let per_edge = ENDS_AND_SCRATCH + u64::from(weight_type.bits() / 8);
    PROGRAM + edges as u64 * per_edge + u64::from(vertices) * PER_VERTEX
}

/// How much memory a command may take.
#[derive(Args, Clone, Copy, Default)]
pub(crate) struct MemoryArguments {
    /// Refuse work that takes more memory than this, such as 4GiB [default: more than the machine
    /// has left, as far as the input states its size first]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, allow_hyphen_values = true)]
    memory: Option<u64>,
}

impl MemoryArguments {
    /// Limits the memory of the process. Array sizes that are beyond it are errors.
    ///
    /// # Errors
    /// When the limit is less than the program takes, or the system has no such limit.
    pub(crate) fn apply(self) -> anyhow::Result<()> {
        let Some(bytes) = self.memory else { return Ok(()) };
        let least = PROGRAM >> 20;
        ensure!(
            bytes >= PROGRAM,
            "`--memory`: the program takes {least} MiB; pass at least {least}MiB"
        );
        limit_data(bytes)
    }

    /// Refuses `work` if it takes more than the limit, or than the machine has left. Says what it
    /// takes if that is a large share of what is left.
    ///
    /// # Errors
    /// The sentence states both figures and the `remedy`.
    pub(crate) fn admit(self, work: &str, bytes: u64, remedy: &str) -> Result<(), String> {
        let left = available_memory().unwrap_or(u64::MAX);
        self.admit_within(left, work, bytes, remedy)?;
        if bytes > left / LARGE_SHARE {
            let [takes, left] = [bytes, left].map(mib);
            tell(&format!("note: {work} takes about {takes} MiB of memory; {left} MiB are left\n"));
        }
        Ok(())
    }

    fn admit_within(self, left: u64, work: &str, bytes: u64, remedy: &str) -> Result<(), String> {
        let takes = || format!("{work} takes about {} MiB of memory", mib(bytes));
        match self.memory {
            Some(limit) if bytes > limit => Err(format!(
                "{}, but `--memory` is {} MiB; {remedy}, or pass a larger `--memory`",
                takes(),
                mib(limit)
            )),
            _ if bytes > left => {
                Err(format!("{}, but the machine has {} MiB left; {remedy}", takes(), mib(left)))
            }
            _ => Ok(()),
        }
    }
}

/// Bytes in MiB, for people.
pub(crate) fn mib(bytes: u64) -> String {
    thousands(bytes.div_ceil(1 << 20))
}

/// Limits the private memory of the process: its heap, its maps and its stacks.
#[cfg(target_os = "linux")]
fn limit_data(bytes: u64) -> anyhow::Result<()> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the calls access `limit` alone.
    let result = unsafe {
        libc::getrlimit(libc::RLIMIT_DATA, &raw mut limit);
        limit.rlim_cur = bytes.min(limit.rlim_max);
        libc::setrlimit(libc::RLIMIT_DATA, &raw const limit)
    };
    ensure!(result == 0, "`--memory`: {}", std::io::Error::last_os_error());
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn limit_data(_bytes: u64) -> anyhow::Result<()> {
    anyhow::bail!("`--memory` limits this command on Linux only; omit it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_beyond_the_limit_or_the_machine_is_refused_with_the_figures() {
        let said = |memory, left, bytes| {
            MemoryArguments { memory }.admit_within(left, "it", bytes, "divide it").err()
        };
        assert_eq!((said(None, 9, 9), said(Some(9), 9, 9)), (None, None));
        let (gib, mib) = (1 << 30, 1 << 20);
        assert_eq!(
            said(None, mib, 2 * gib).unwrap(),
            "it takes about 2,048 MiB of memory, but the machine has 1 MiB left; divide it"
        );
        assert_eq!(
            said(Some(mib), gib, gib + 1).unwrap(),
            "it takes about 1,025 MiB of memory, but `--memory` is 1 MiB; divide it, or pass a \
             larger `--memory`"
        );
        assert!(MemoryArguments { memory: Some(mib) }.apply().is_err());
    }
}
