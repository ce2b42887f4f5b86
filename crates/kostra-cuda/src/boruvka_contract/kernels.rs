//! The kernels of the contracting solvers, and the steps under which their times are reported.

use cudarc::driver::CudaFunction;

use crate::buffers::Keys;
use crate::contraction;
use crate::device::Device;
use crate::error::DeviceError;
use crate::scan::{self, TileSums};
use crate::source::Source;
use crate::step_clock::Step;

/// The kernels that both solvers use, and those of [`ByVertex`](super::ByVertex).
pub(super) const SOURCE: Source = Source::file("boruvka_contract.cu");

/// The kernels that build the rows of the contracted graph: the difference between the solvers.
pub(crate) trait ContractionKernels {
    /// The file of both kernels.
    const SOURCE: Source;
    /// The kernel of Algorithm 12. It adds to the degree of each new vertex, which is 0 before.
    const COUNT_NEW_EDGES: &str;
    /// The kernel of Algorithm 13, without the suffix for the width of keys. It fills the rows.
    const INSERT_NEW_EDGES: &str;
    /// What a thread of both kernels handles.
    const THREAD_PER: ThreadPer;
    /// Where the prefix sums add up tiles.
    const TILE_SUMS: TileSums;
}

/// What one thread of a kernel handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ThreadPer {
    Vertex,
    Entry,
}

/// The kernels of a solve.
pub(super) struct Kernels {
    pub(super) find_minimum_edges: CudaFunction,
    pub(super) remove_mirrored_edges: CudaFunction,
    pub(super) initialize_colors: CudaFunction,
    pub(super) flag_roots: CudaFunction,
    pub(super) count_new_edges: CudaFunction,
    pub(super) insert_new_edges: CudaFunction,
    pub(super) contraction: contraction::Kernels,
    pub(super) scan: scan::Kernels,
}

impl Kernels {
    pub(super) fn load<C: ContractionKernels>(
        device: &Device,
        keys: Keys,
    ) -> Result<Self, DeviceError> {
        let kernel = |name: &str| device.function(SOURCE, name);
        let bits = keys.bits();
        let insert_new_edges = format!("{}_{bits}", C::INSERT_NEW_EDGES);
        Ok(Self {
            find_minimum_edges: kernel(&format!("find_minimum_edges_{bits}"))?,
            remove_mirrored_edges: kernel("remove_mirrored_edges")?,
            initialize_colors: kernel("initialize_colors")?,
            flag_roots: kernel("flag_roots")?,
            count_new_edges: device.function(C::SOURCE, C::COUNT_NEW_EDGES)?,
            insert_new_edges: device.function(C::SOURCE, &insert_new_edges)?,
            contraction: contraction::Kernels::load(device, keys)?,
            scan: scan::Kernels::load(device)?,
        })
    }
}

macro_rules! step {
    ($name:literal) => {
        Step { phase: $name, occupancy: concat!("occupancy % of ", $name) }
    };
}

pub(super) const FIND_MINIMUM_EDGES: Step = step!("find minimum edge per vertex");
pub(super) const REMOVE_MIRRORED_EDGES: Step = step!("remove mirrored edges");
pub(super) const INITIALIZE_COLORS: Step = step!("initialize colors");
pub(super) const PROPAGATE_COLORS: Step = step!("propagate colors");
pub(super) const CREATE_NEW_VERTEX_IDS: Step = step!("create new vertex ids");
pub(super) const COUNT_NEW_EDGES: Step = step!("count new edges");
pub(super) const ASSIGN_EDGE_SEGMENTS: Step = step!("assign edge segments");
pub(super) const INSERT_NEW_EDGES: Step = step!("insert new edges");
