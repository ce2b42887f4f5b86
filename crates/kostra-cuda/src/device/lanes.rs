//! Page-locked host memory for copies to and from a device, kept as long as the device.

#![allow(unsafe_code, reason = "page-locked memory is allocated without content")]

use std::sync::{Arc, Mutex};

use cudarc::driver::{CudaContext, CudaEvent, CudaStream, DriverError, PinnedHostSlice};
use kostra_parallel::lock;

/// The number of bytes of a piece. It is large enough that starting a transfer costs little in
/// comparison, and small enough for a core's cache.
pub(crate) const PIECE: usize = 2 << 20;

/// Two pieces of page-locked memory, and a stream for their transfers. The event of a piece is
/// complete when the piece may be used again.
#[derive(Debug)]
pub(crate) struct Lane {
    pub(crate) stream: Arc<CudaStream>,
    pub(crate) pieces: [(PinnedHostSlice<u8>, CudaEvent); 2],
}

impl Lane {
    fn new(context: &Arc<CudaContext>) -> Result<Self, DriverError> {
        let piece = || {
            // SAFETY: the memory is written before it is read.
            let memory = unsafe { context.alloc_pinned(PIECE) }?;
            Ok((memory, context.new_event(None)?))
        };
        Ok(Self { stream: context.new_stream()?, pieces: [piece()?, piece()?] })
    }
}

/// The lanes that no copy uses.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    idle: Mutex<Vec<Lane>>,
}

impl Lanes {
    /// Takes `count` lanes, and allocates those that are missing.
    pub(super) fn take(
        &self,
        context: &Arc<CudaContext>,
        count: usize,
    ) -> Result<Vec<Lane>, DriverError> {
        let mut idle = lock(&self.idle);
        let from = idle.len().saturating_sub(count);
        let mut taken = idle.split_off(from);
        drop(idle);
        while taken.len() < count {
            taken.push(Lane::new(context)?);
        }
        Ok(taken)
    }

    pub(super) fn put_back(&self, lanes: Vec<Lane>) {
        lock(&self.idle).extend(lanes);
    }
}
