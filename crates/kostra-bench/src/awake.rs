//! Processors that do not sleep while something is timed.

use std::fs::{File, OpenOptions};
use std::io::Write;

/// Keeps processors from sleeping, until it is dropped, where the system lets this process ask for
/// that: on Linux, as root.
///
/// A processor that has nothing to do sleeps and wakes late, above all a virtual machine's, which
/// its host gives to others meanwhile: then it is the host that is timed. While a process has told
/// Linux that it bears no latency, idle processors look for work instead.
pub(crate) struct Awake(Option<File>);

impl Awake {
    pub(crate) fn keep() -> Self {
        let demand = || {
            let mut latency = OpenOptions::new().write(true).open("/dev/cpu_dma_latency")?;
            // Microseconds. The request holds while the file is open.
            latency.write_all(&0_i32.to_ne_bytes())?;
            Ok::<_, std::io::Error>(latency)
        };
        Self(demand().ok())
    }

    /// Whether that was granted.
    pub(crate) fn is_granted(&self) -> bool {
        self.0.is_some()
    }
}
