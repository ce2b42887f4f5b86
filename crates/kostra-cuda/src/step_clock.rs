//! The time and the occupancy of a solver's steps, measured where a run is observed.

use std::time::Duration;

use cudarc::driver::sys::{CUdevice_attribute_enum as Attribute, CUevent_flags_enum as EventFlags};
use cudarc::driver::{CudaEvent, CudaFunction, LaunchConfig};
use kostra_core::Run;

use crate::device::Device;
use crate::error::DeviceError;

/// The names under which a step is reported.
#[derive(Clone, Copy, Debug)]
pub struct StepName {
    /// The phase.
    pub phase: &'static str,
    /// The counter of its kernel's occupancy.
    pub occupancy: &'static str,
}

/// Measures the steps of an observed run by the device's clock. If the run is not observed, it does
/// nothing.
///
/// Between the launch of a step's last kernel and the record of the event that ends the step, the
/// host makes no other call to the driver. A short kernel has ended by then, and the call would
/// count as the kernel's time. So events are created before they are needed, and the occupancy is
/// computed when the steps are reported.
pub struct StepClock<'a> {
    device: &'a Device,
    observed: bool,
    marks: Vec<Mark>,
    /// Events that no mark uses.
    spare: Vec<CudaEvent>,
}

/// The most events that a round of any solver needs.
const EVENTS: usize = 12;

/// A point in time, and the step that ended there, if one did.
struct Mark {
    event: CudaEvent,
    ended: Option<Ended>,
}

struct Ended {
    phase: &'static str,
    /// The counter of the occupancy, and the launch for which it is computed.
    occupancy: Option<(&'static str, CudaFunction, LaunchConfig)>,
}

impl<'a> StepClock<'a> {
    /// A clock for a run.
    ///
    /// # Errors
    /// When the device fails.
    pub fn new(device: &'a Device, run: &Run<'_>) -> Result<Self, DeviceError> {
        let observed = run.report.is_observed();
        let spare = (0..if observed { EVENTS } else { 0 }).map(|_| new_event(device));
        Ok(Self { device, observed, marks: Vec::new(), spare: spare.collect::<Result<_, _>>()? })
    }

    /// Begins a step. The time since the end of the last step belongs to no step.
    pub fn start(&mut self) -> Result<(), DeviceError> {
        self.mark(None)
    }

    /// Ends a step and begins the next one.
    pub fn lap(&mut self, phase: &'static str) -> Result<(), DeviceError> {
        self.mark(Some(Ended { phase, occupancy: None }))
    }

    /// Ends a step and begins the next one. The occupancy of the launch is reported with the step.
    pub fn lap_of(
        &mut self,
        step: StepName,
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

    /// Waits for the steps that have ended, and reports each of them once.
    pub fn report(&mut self, run: &mut Run<'_>) -> Result<(), DeviceError> {
        let marks = std::mem::take(&mut self.marks);
        for pair in marks.windows(2) {
            let Some(Ended { phase, occupancy: launch }) = &pair[1].ended else { continue };
            let milliseconds =
                self.device.check(pair[0].event.elapsed_ms(&pair[1].event), "timing kernels")?;
            run.report.phase_took(phase, Duration::from_secs_f32(milliseconds.max(0.0) / 1e3));
            if let Some((name, kernel, grid)) = launch {
                run.report.counter(name, occupancy(self.device, kernel, *grid)?);
            }
        }
        self.spare.extend(marks.into_iter().map(|mark| mark.event));
        Ok(())
    }
}

/// An event that records the time.
pub fn new_event(device: &Device) -> Result<CudaEvent, DeviceError> {
    device.check(device.context().new_event(Some(EventFlags::CU_EVENT_DEFAULT)), "timing kernels")
}

/// The most warps that a launch can keep active at once, in percent of the warps that the device
/// can hold.
///
/// The number of blocks on a multiprocessor is limited by registers, shared memory and threads: the
/// kernel's theoretical occupancy. A grid that has fewer blocks gives a lower result.
fn occupancy(
    device: &Device,
    kernel: &CudaFunction,
    grid: LaunchConfig,
) -> Result<f64, DeviceError> {
    let threads = grid.block_dim.0;
    let blocks = kernel.occupancy_max_active_blocks_per_multiprocessor(threads, 0, None);
    let blocks = device.check(blocks, "asking for an occupancy")?;
    let most = Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR;
    let most = device.check(device.context().attribute(most), "asking for an occupancy")?;
    let multiprocessors = f64::from(device.multiprocessors());
    let active = f64::from(grid.grid_dim.0).min(f64::from(blocks) * multiprocessors);
    Ok(100.0 * active * f64::from(threads.div_ceil(32))
        / (multiprocessors * f64::from(most) / 32.0))
}
