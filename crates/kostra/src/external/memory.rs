//! The memory that holds the vertices and the buffer of edges: of this machine, or of a device.

#[cfg(feature = "cuda")]
use std::sync::Arc;
use std::time::Duration;
#[cfg(feature = "cuda")]
use std::time::Instant;

#[cfg(feature = "cuda")]
use kostra_core::SolveError;
use kostra_core::{Encoding, ForestSink, Key, Platform, Representation, SolverInfo, WeightType};
use kostra_cpu::external::Sink;
#[cfg(feature = "cuda")]
use kostra_cuda::{self as cuda, external as on_device, external::LimitsError};

#[cfg(feature = "cuda")]
use super::budget::BLOCK_EDGES;
use super::budget::{Budget, Held};
use super::error::ExternalError;
#[cfg(feature = "cuda")]
use super::error::MIB;

/// The memory that a solve may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryLimit {
    /// Bytes of the whole process.
    Host(u64),
    /// Bytes of the memory of a CUDA device. The edges are solved on the device, and the memory of
    /// the process is not limited.
    #[cfg(feature = "cuda")]
    Device {
        /// The number of the device.
        ordinal: usize,
        /// The bytes.
        bytes: u64,
    },
}

/// The time of each step of a solve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExternalTimes {
    /// Opening the device.
    pub open: Option<Duration>,
    /// Compiling the kernels of the device.
    pub compile: Option<Duration>,
    /// Waiting for edges.
    pub load: Duration,
    /// Working on edges.
    pub solve: Duration,
}

/// A limit whose device is open.
#[derive(Clone)]
pub(super) enum Memory {
    Host(Budget),
    #[cfg(feature = "cuda")]
    Device {
        device: Arc<cuda::Device>,
        bytes: u64,
    },
}

#[cfg(feature = "cuda")]
static INFO_ON_DEVICE: SolverInfo =
    SolverInfo { id: "cuda-external", platform: Platform::Cuda, ..INFO };

const INFO: SolverInfo = SolverInfo {
    id: "external",
    title: "Forest so far and a buffer, in one pass",
    source: "this project; after Feigenbaum, Kannan, McGregor, Suri & Zhang 2005",
    platform: Platform::Threads,
    representation: Representation::EdgeList,
    exact: true,
    time: "O(m log n)",
    scratch: "as the limit allows",
    options: &[],
};

impl Memory {
    /// Opens the device and compiles its kernels, if there is one, and returns these times.
    pub(super) fn open(
        limit: MemoryLimit,
        threads: usize,
    ) -> Result<(Self, ExternalTimes), ExternalError> {
        match limit {
            MemoryLimit::Host(bytes) => {
                Ok((Self::Host(Budget::new(bytes, threads)), ExternalTimes::default()))
            }
            #[cfg(feature = "cuda")]
            MemoryLimit::Device { ordinal, bytes } => {
                let start = Instant::now();
                let device = cuda::Device::open(ordinal).map_err(SolveError::from)?;
                let open = Some(start.elapsed());
                let start = Instant::now();
                on_device::compile(&device)?;
                let compile = Some(start.elapsed());
                let times = ExternalTimes { open, compile, ..ExternalTimes::default() };
                Ok((Self::Device { device, bytes }, times))
            }
        }
    }

    /// The solver, and the name of its device.
    pub(super) fn solver(&self) -> (&'static SolverInfo, Option<String>) {
        match self {
            Self::Host(_) => (&INFO, None),
            #[cfg(feature = "cuda")]
            Self::Device { device, .. } => (&INFO_ON_DEVICE, Some(device.name().to_owned())),
        }
    }

    /// The number of edges of a block.
    pub(super) fn block_edges(&self) -> usize {
        match self {
            Self::Host(budget) => budget.block_edges(),
            #[cfg(feature = "cuda")]
            Self::Device { .. } => *BLOCK_EDGES.end() as usize,
        }
    }

    /// Reserves the memory that reading the input holds in addition to blocks. Returns whether this
    /// changes what is left for a sink.
    pub(super) fn hold(&mut self, held: Held) -> bool {
        match self {
            Self::Host(budget) if held != budget.held() => {
                *budget = budget.holding(held);
                true
            }
            _ => false,
        }
    }

    /// Refuses any input for which there is too little memory.
    ///
    /// # Errors
    /// The error states how much memory suffices for reading.
    pub(super) fn check_reading(&self) -> Result<(), ExternalError> {
        match self {
            Self::Host(budget) => budget.check_reading(),
            #[cfg(feature = "cuda")]
            Self::Device { .. } => Ok(()),
        }
    }

    /// Refuses a graph that takes more memory.
    ///
    /// # Errors
    /// The error states how much memory suffices.
    pub(super) fn check(
        &self,
        vertices: u32,
        weight_type: WeightType,
    ) -> Result<(), ExternalError> {
        match self {
            Self::Host(budget) => budget.limits(vertices, weight_type).map(drop),
            #[cfg(feature = "cuda")]
            Self::Device { device, bytes } => {
                limits_on_device((device, *bytes), vertices, weight_type).map(drop)
            }
        }
    }

    /// A sink in this memory.
    ///
    /// # Errors
    /// When the memory does not suffice; the error states how much does.
    pub(super) fn sink<K: Key>(
        &self,
        encoding: Encoding<K>,
        vertices: u32,
        threads: usize,
    ) -> Result<Box<dyn ForestSink<K>>, ExternalError> {
        match self {
            Self::Host(budget) => {
                let limits = budget.limits(vertices, encoding.weight_type())?;
                Ok(Box::new(Sink::new(vertices, encoding, limits, threads)?))
            }
            #[cfg(feature = "cuda")]
            Self::Device { device, bytes } => {
                let weight_type = encoding.weight_type();
                let limits = limits_on_device((device, *bytes), vertices, weight_type)?;
                let sink = on_device::Sink::new(device, vertices, encoding, (limits, threads))?;
                Ok(Box::new(sink))
            }
        }
    }
}

#[cfg(feature = "cuda")]
fn limits_on_device(
    (device, bytes): (&cuda::Device, u64),
    vertices: u32,
    weight_type: WeightType,
) -> Result<on_device::Limits, ExternalError> {
    on_device::Limits::within(device, bytes, vertices, weight_type).map_err(|error| match error {
        LimitsError::BudgetTooSmall { least, vertices } => ExternalError::Limit {
            graph: Some((vertices, weight_type)),
            least: least.next_multiple_of(MIB),
            held: 0,
            asked: 0,
            on_device: true,
        },
        LimitsError::Device(error) => error.into(),
        error => SolveError::Device { what: error.to_string() }.into(),
    })
}
