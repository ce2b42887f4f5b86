//! What the arguments of `kostra solve` mean.

use kostra::{Order, Platform, Run, SolverInfo};

use super::arguments::Arguments;
use super::device::Device;
use crate::algorithm::Algorithm;
use crate::arguments::Nan;
use crate::forest_file::Destination;
use crate::input::Request;

pub(super) struct Plan {
    pub(super) input: Request,
    pub(super) algorithm: Algorithm,
    /// Where to solve; none leaves the choice to the command.
    pub(super) device: Option<Device>,
    /// Options of the algorithm and their values.
    pub(super) settings: Vec<(String, u64)>,
    pub(super) order: Order,
    pub(super) verify: bool,
    pub(super) trace: bool,
    pub(super) output: Option<Destination>,
    pub(super) json: bool,
}

impl Plan {
    /// # Errors
    /// When the algorithm is unknown, does not run on the device, or does not have the options, or
    /// when the output cannot be written.
    pub(super) fn resolve(arguments: Arguments) -> anyhow::Result<Self> {
        let algorithm = Algorithm::find(&arguments.algorithm)?;
        if let Some(info) = algorithm.info() {
            check_device(info, arguments.device)?;
            for (name, value) in &arguments.set {
                Run::new().with_option(info, name, *value)?;
            }
        }
        let output = arguments
            .output
            .map(|path| Destination::resolve(&path, arguments.output_format))
            .transpose()?;
        Ok(Self {
            input: Request::resolve(arguments.input, Nan::Error),
            algorithm,
            device: arguments.device,
            settings: arguments.set,
            order: if arguments.maximum { Order::Maximum } else { Order::Minimum },
            verify: arguments.verify,
            trace: arguments.trace,
            output,
            json: arguments.json,
        })
    }

    /// The number of the device that every graph needs under this plan, if there is one.
    pub(super) fn device_ordinal(&self) -> Option<usize> {
        match self.device {
            Some(Device::Cuda(ordinal)) => Some(ordinal),
            Some(Device::Processor) => None,
            None => {
                let info = self.algorithm.info()?;
                (info.platform == Platform::Cuda).then_some(0)
            }
        }
    }
}

/// Refuses a device on which the algorithm does not run.
fn check_device(info: &SolverInfo, device: Option<Device>) -> anyhow::Result<()> {
    let id = info.id;
    match (info.platform, device) {
        (Platform::Cuda, Some(Device::Processor)) => {
            anyhow::bail!("{id} runs on CUDA devices only; omit `--device cpu`")
        }
        (Platform::Sequential | Platform::Threads | Platform::Mpi, Some(Device::Cuda(_))) => {
            anyhow::bail!("{id} runs on the processor only; omit `--device cuda`")
        }
        _ => Ok(()),
    }
}
