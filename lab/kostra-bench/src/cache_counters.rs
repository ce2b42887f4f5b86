//! The processor's counters of accesses to the last cache, and of misses, for this process and the
//! threads that it starts later.
//!
//! Source: the manual page `perf_event_open(2)`. Virtual machines often have no such counters, and
//! containers may forbid them.

use std::io;

/// Counts since the counters were opened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CacheCounts {
    pub(crate) accesses: f64,
    pub(crate) misses: f64,
}

/// The open counters.
#[derive(Debug)]
pub(crate) struct CacheCounters {
    accesses: counter::Counter,
    misses: counter::Counter,
}

impl CacheCounters {
    /// Starts to count.
    ///
    /// # Errors
    /// If the system, the machine or its permissions have no such counters.
    pub(crate) fn open() -> io::Result<Self> {
        /// `PERF_COUNT_HW_CACHE_REFERENCES` and `PERF_COUNT_HW_CACHE_MISSES`.
        const EVENTS: [u64; 2] = [2, 3];
        let [accesses, misses] = EVENTS.map(counter::Counter::open);
        Ok(Self { accesses: accesses?, misses: misses? })
    }

    /// The counts so far; none if they cannot be read.
    pub(crate) fn read(&self) -> Option<CacheCounts> {
        let (accesses, misses) = (self.accesses.read().ok()?, self.misses.read().ok()?);
        Some(CacheCounts { accesses: accesses as f64, misses: misses as f64 })
    }
}

#[cfg(target_os = "linux")]
mod counter {
    #![allow(unsafe_code, reason = "the standard library has no call for performance counters")]

    use std::fs::File;
    use std::io::{self, Read};
    use std::os::fd::FromRawFd;

    /// An open counter.
    #[derive(Debug)]
    pub(super) struct Counter(File);

    /// The first version of the structure of the system call, of 64 bytes.
    #[repr(C)]
    #[derive(Default)]
    struct Attributes {
        kind: u32,
        size: u32,
        config: u64,
        sample_period: u64,
        sample_type: u64,
        read_format: u64,
        flags: u64,
        wakeup_events: u32,
        breakpoint_type: u32,
        config1: u64,
    }

    /// Counts in the threads that this thread starts later, too.
    const INHERIT: u64 = 1 << 1;
    /// Counts no work of the kernel, which needs fewer permissions.
    const EXCLUDE_KERNEL: u64 = 1 << 5 | 1 << 6;

    /// Child processes do not get the descriptor.
    const FD_CLOEXEC: libc::c_ulong = 1 << 3;

    impl Counter {
        /// Opens a generic hardware event for this thread.
        pub(super) fn open(event: u64) -> io::Result<Self> {
            let attributes = Attributes {
                size: size_of::<Attributes>() as u32,
                config: event,
                flags: INHERIT | EXCLUDE_KERNEL,
                ..Attributes::default()
            };
            let (this_thread, any_processor, no_group) = (0, -1, -1);
            // SAFETY: the call reads `attributes`, whose size is in it, and touches nothing else.
            let descriptor = unsafe {
                libc::syscall(
                    libc::SYS_perf_event_open,
                    &raw const attributes,
                    this_thread,
                    any_processor,
                    no_group,
                    FD_CLOEXEC,
                )
            };
            let descriptor = i32::try_from(descriptor).ok().filter(|&descriptor| descriptor >= 0);
            let descriptor = descriptor.ok_or_else(io::Error::last_os_error)?;
            // SAFETY: the descriptor is new and has no other owner.
            Ok(Self(unsafe { File::from_raw_fd(descriptor) }))
        }

        pub(super) fn read(&self) -> io::Result<u64> {
            let mut count = [0; 8];
            (&self.0).read_exact(&mut count)?;
            Ok(u64::from_ne_bytes(count))
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod counter {
    use std::io;

    /// There are no counters.
    #[derive(Debug)]
    pub(super) struct Counter;

    impl Counter {
        pub(super) fn open(_event: u64) -> io::Result<Self> {
            Err(io::Error::new(io::ErrorKind::Unsupported, "implemented for Linux only"))
        }

        pub(super) fn read(&self) -> io::Result<u64> {
            Err(io::ErrorKind::Unsupported.into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_grow_or_the_machine_has_none() {
        let Ok(counters) = CacheCounters::open() else {
            println!("skipped: this machine has no counters");
            return;
        };
        let before = counters.read().unwrap();
        let sum: u64 = (0..1_u64 << 20).map(std::hint::black_box).sum();
        assert!(sum > 0);
        let after = counters.read().unwrap();
        assert!(after.accesses >= before.accesses && after.misses >= before.misses);
    }
}
