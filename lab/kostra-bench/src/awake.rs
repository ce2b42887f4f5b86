//! Keeps idle processors out of sleep states during a measurement.

use std::fs::{File, OpenOptions};
use std::io::Write;

/// Keeps idle processors out of sleep states until it is dropped, if the system permits it: on
/// Linux, as root.
///
/// An idle processor sleeps and wakes late. In a virtual machine the delay is longest, because the
/// host schedules other work meanwhile, and the measurement then includes the host. While a process
/// requests a latency of zero from Linux, idle processors poll for work instead.
pub(crate) struct Awake(Option<File>);

impl Awake {
    pub(crate) fn keep() -> Self {
        let demand = || {
            let mut latency = OpenOptions::new().write(true).open("/dev/cpu_dma_latency")?;
            // A latency in microseconds. The request is valid while the file is open.
            latency.write_all(&0_i32.to_ne_bytes())?;
            Ok::<_, std::io::Error>(latency)
        };
        Self(demand().ok())
    }

    /// Whether the system permitted the request.
    pub(crate) fn is_granted(&self) -> bool {
        self.0.is_some()
    }
}
