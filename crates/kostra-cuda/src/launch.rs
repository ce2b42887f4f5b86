//! How kernels of one thread an item are launched, and what is told of each launch.

use std::time::Duration;

use cudarc::driver::sys::{CUdevice_attribute_enum as Attribute, CUevent_flags_enum as EventFlags};
use cudarc::driver::{CudaEvent, CudaFunction, LaunchConfig};
use kostra_core::{Run, SolverOption};

use crate::{Device, DeviceError};

/// The option of how many threads a block has.
pub(crate) const fn block_size(default: u64) -> SolverOption {
    SolverOption {
        name: "block-size",
        about: "how many threads a block of a kernel has",
        default,
        lowest: 32,
        highest: 1024,
    }
}

/// Blocks of one size, as many as it takes for a thread an item.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocks {
    pub(crate) threads: u32,
}

impl Blocks {
    /// The grid for some items, at least one: devices refuse a grid without blocks.
    pub(crate) fn for_items(self, items: u32) -> LaunchConfig {
        LaunchConfig {
            grid_dim: (items.div_ceil(self.threads).max(1), 1, 1),
            block_dim: (self.threads, 1, 1),
            shared_mem_bytes: 0,
        }
    }
}

/// Blocks for so many steps of kernels that go on where the grid ends.
pub(crate) fn grid(steps: u64) -> LaunchConfig {
    const BLOCK: u32 = 256;
    let blocks = steps.div_ceil(BLOCK.into()).clamp(1, 1 << 16) as u32;
    LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (BLOCK, 1, 1), shared_mem_bytes: 0 }
}

/// Under which names a step is reported.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// The phase.
    pub(crate) phase: &'static str,
    /// The counter of its kernel's occupancy.
    pub(crate) occupancy: &'static str,
}

/// Times steps by the device's own clock where a run is observed; elsewhere it does nothing.
///
/// Between the launch of a step's last kernel and the record of the event that ends the step, the
/// host calls the driver for nothing else: a short kernel is over by then, and what the host does
/// would count as the kernel's time. So events are created before they are needed, and the
/// occupancy is computed when the steps are reported.
pub(crate) struct StepClock<'a> {
    device: &'a Device,
    observed: bool,
    marks: Vec<Mark>,
    /// Events that no mark holds.
    spare: Vec<CudaEvent>,
}

/// As many events as a round of any solver needs.
const EVENTS: usize = 12;

/// A point in time, and the step that ended there, if one did.
struct Mark {
    event: CudaEvent,
    ended: Option<Ended>,
}

/// A step that has ended.
struct Ended {
    phase: &'static str,
    /// The counter of the occupancy, and the launch that it is of.
    occupancy: Option<(&'static str, CudaFunction, LaunchConfig)>,
}

impl<'a> StepClock<'a> {
    pub(crate) fn new(device: &'a Device, run: &Run<'_>) -> Result<Self, DeviceError> {
        let observed = run.is_observed();
        let spare = (0..if observed { EVENTS } else { 0 }).map(|_| new_event(device));
        Ok(Self { device, observed, marks: Vec::new(), spare: spare.collect::<Result<_, _>>()? })
    }

    /// Begins a step here, and not where the last one ended, because the host has worked in
    /// between.
    pub(crate) fn start(&mut self) -> Result<(), DeviceError> {
        self.mark(None)
    }

    /// Ends a step. The next one begins here.
    pub(crate) fn lap(&mut self, phase: &'static str) -> Result<(), DeviceError> {
        self.mark(Some(Ended { phase, occupancy: None }))
    }

    /// Ends a step, and notes the launch whose occupancy is to be reported.
    pub(crate) fn lap_of(
        &mut self,
        step: Step,
        kernel: &CudaFunction,
        grid: LaunchConfig,
    ) -> Result<(), DeviceError> {
        self.mark(Some(Ended {
            phase: step.phase,
            occupancy: Some((step.occupancy, kernel.clone(), grid)),
        }))
    }

    fn mark(&mut self, ended: Option<Ended>) -> Result<(), DeviceError> {
        if !self.observed {
            return Ok(());
        }
        let event = self.spare.pop().map_or_else(|| new_event(self.device), Ok)?;
        self.device.check(event.record(self.device.stream()), "timing kernels")?;
        self.marks.push(Mark { event, ended });
        Ok(())
    }

    /// Waits for the steps that have ended, reports them, and forgets them.
    pub(crate) fn report(&mut self, run: &mut Run<'_>) -> Result<(), DeviceError> {
        let marks = std::mem::take(&mut self.marks);
        for pair in marks.windows(2) {
            let Some(Ended { phase, occupancy: launch }) = &pair[1].ended else { continue };
            let milliseconds =
                self.device.check(pair[0].event.elapsed_ms(&pair[1].event), "timing kernels")?;
            run.phase_took(phase, Duration::from_secs_f32(milliseconds.max(0.0) / 1e3));
            if let Some((name, kernel, grid)) = launch {
                run.counter(name, occupancy(self.device, kernel, *grid)?);
            }
        }
        self.spare.extend(marks.into_iter().map(|mark| mark.event));
        Ok(())
    }
}

/// An event that notes the time.
fn new_event(device: &Device) -> Result<CudaEvent, DeviceError> {
    device.check(device.context().new_event(Some(EventFlags::CU_EVENT_DEFAULT)), "timing kernels")
}

/// What share of the warps that the device has room for a launch can keep active at most, in
/// percent: with as many blocks on a multiprocessor as registers, shared memory and threads admit,
/// which is the kernel's theoretical occupancy, or with all blocks of the grid, where those are
/// fewer.
fn occupancy(
    device: &Device,
    kernel: &CudaFunction,
    grid: LaunchConfig,
) -> Result<f64, DeviceError> {
    let threads = grid.block_dim.0;
    let blocks = kernel.occupancy_max_active_blocks_per_multiprocessor(threads, 0, None);
    let blocks = device.check(blocks, "asking for an occupancy")?;
    let room = Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR;
    let room = device.check(device.context().attribute(room), "asking for an occupancy")?;
    let multiprocessors = f64::from(device.multiprocessors());
    let active = f64::from(grid.grid_dim.0).min(f64::from(blocks) * multiprocessors);
    Ok(100.0 * active * f64::from(threads.div_ceil(32))
        / (multiprocessors * f64::from(room) / 32.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_has_a_thread_for_every_item_and_no_block_too_many() {
        let blocks = Blocks { threads: 96 };
        for (items, grid) in [(0, 1), (1, 1), (96, 1), (97, 2), (u32::MAX, u32::MAX.div_ceil(96))] {
            assert_eq!(blocks.for_items(items).grid_dim, (grid, 1, 1), "{items} items");
        }
    }
}
