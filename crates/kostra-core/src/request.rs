//! What a caller requests of a solve, and what can be wrong with it, whatever the graph.

use thiserror::Error;

use crate::{OptionError, SolverOption, VertexParts, Workspace};

/// What a solver may use, and how it is set: threads, devices, options, parts and scratch memory.
#[derive(Default)]
pub struct RunRequest<'a> {
    pub(crate) threads: Option<usize>,
    /// Empty if the caller names none.
    pub(crate) devices: Vec<usize>,
    pub(crate) settings: Vec<(&'static str, u64)>,
    pub(crate) parts: Option<VertexParts<'a>>,
    pub(crate) workspace: Option<&'a mut Workspace>,
}

impl<'a> RunRequest<'a> {
    /// The number of threads that a solver may use.
    pub fn threads(&self) -> usize {
        self.threads.unwrap_or(1)
    }

    /// The device for solvers that run on one device; 0 by default.
    pub fn device(&self) -> usize {
        self.devices.first().copied().unwrap_or_default()
    }

    /// The device that the caller has named. For solvers that run on a device only if they are told
    /// to.
    pub fn chosen_device(&self) -> Option<usize> {
        self.devices.first().copied()
    }

    /// The devices for solvers that run on several, in the caller's order; device 0 by default.
    pub fn devices(&self) -> &[usize] {
        if self.devices.is_empty() { &[0] } else { &self.devices }
    }

    /// The value of an option, or its default.
    pub fn option(&self, option: &SolverOption) -> u64 {
        self.chosen_option(option).unwrap_or(option.default)
    }

    /// The value that the caller has set for an option. For options whose default depends on the
    /// graph.
    pub fn chosen_option(&self, option: &SolverOption) -> Option<u64> {
        self.settings.iter().find(|(name, _)| *name == option.name).map(|(_, value)| *value)
    }

    /// The part of each vertex, if the caller has set a partition.
    pub fn parts(&self) -> Option<VertexParts<'a>> {
        self.parts
    }

    /// Takes the workspace out of the run; a new one if none was set.
    pub fn take_workspace(&mut self) -> Scratch<'a> {
        match self.workspace.take() {
            Some(workspace) => Scratch::Borrowed(workspace),
            None => Scratch::Own(Workspace::default()),
        }
    }
}

/// The workspace of one solve: the caller's or its own.
pub enum Scratch<'a> {
    /// The caller's workspace, which is kept for the next solve.
    Borrowed(&'a mut Workspace),
    /// A workspace for this solve only.
    Own(Workspace),
}

impl std::ops::Deref for Scratch<'_> {
    type Target = Workspace;

    fn deref(&self) -> &Workspace {
        match self {
            Self::Borrowed(workspace) => workspace,
            Self::Own(workspace) => workspace,
        }
    }
}

impl std::ops::DerefMut for Scratch<'_> {
    fn deref_mut(&mut self) -> &mut Workspace {
        match self {
            Self::Borrowed(workspace) => workspace,
            Self::Own(workspace) => workspace,
        }
    }
}

/// The reason why a request for a forest contradicts itself.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RequestError {
    /// The solver needs a CUDA device, and the request names the processor.
    #[error("{solver} runs on CUDA devices only, not on the processor")]
    DeviceOnly {
        /// The solver's id.
        solver: &'static str,
    },
    /// The solver runs on the processor, and the request names a CUDA device.
    #[error("{solver} runs on the processor only, not on a CUDA device")]
    ProcessorOnly {
        /// The solver's id.
        solver: &'static str,
    },
    /// The solver runs on one device, and the request names several.
    #[error("{solver} runs on one device, and {devices} are named; name one, or take cuda-multi")]
    OneDevice {
        /// The solver's id.
        solver: &'static str,
        /// The number of devices that the request names.
        devices: usize,
    },
    /// The request names a CUDA device, and this build has no solver for one.
    #[error("this build has no algorithm for CUDA devices")]
    NoDeviceSolver,
    /// There are more threads than on any machine.
    #[error("{threads} threads are too many; use at most {most}")]
    TooManyThreads {
        /// The requested threads.
        threads: usize,
        /// The most threads.
        most: usize,
    },
    /// The solver does not have the option, or the value is out of range.
    #[error(transparent)]
    Option(#[from] OptionError),
}
