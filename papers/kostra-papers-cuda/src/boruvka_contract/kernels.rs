//! The kernels of the contracting solvers, and the steps under which their times are reported.

use kostra_cuda::buffers::Keys;
use kostra_cuda::launch::{Kernel, kernels};
use kostra_cuda::scan::{self, TileSums};
use kostra_cuda::shared::{arguments, assert_takes, ptr};
use kostra_cuda::step_clock::StepName;
use kostra_cuda::{Device, DeviceError};

use crate::contraction::RoundKernels;
use crate::source::Source;

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

impl ThreadPer {
    /// The number of threads.
    pub(super) fn of(self, arguments: &Arguments) -> u32 {
        match self {
            Self::Vertex => arguments.vertices,
            Self::Entry => arguments.entries,
        }
    }
}

arguments! {
    pub(super) struct Arguments in Source::file("boruvka_contract.cuh").text();
    ptr: first_edge neighbors keys ids new_first_edge new_neighbors new_keys new_ids;
    ptr: vertex_minedge color new_vertex next_edge forest;
    u32: vertices entries;
}

kernels! {
    /// The kernels of a solve that do not differ between the solvers.
    pub(super) struct Kernels(device, keys: Keys) of Arguments in SOURCE;
    remove_mirrored_edges initialize_colors flag_roots;
    [keys.bits()] find_minimum_edges;
    {
        contraction: RoundKernels = RoundKernels::load(device, keys)?;
        scan: scan::ScanKernels = scan::ScanKernels::load(device)?;
    }
}

/// The kernels that build the rows.
pub(super) struct Building {
    pub(super) count_new_edges: Kernel<Arguments>,
    pub(super) insert_new_edges: Kernel<Arguments>,
}

impl Building {
    pub(super) fn load<C: ContractionKernels>(
        device: &Device,
        keys: Keys,
    ) -> Result<Self, DeviceError> {
        const {
            assert_takes(C::SOURCE.text(), C::COUNT_NEW_EDGES, "Arguments");
            assert_takes(C::SOURCE.text(), C::INSERT_NEW_EDGES, "Arguments");
        }
        let insert_new_edges = format!("{}_{}", C::INSERT_NEW_EDGES, keys.bits());
        Ok(Self {
            count_new_edges: Kernel::load(device, C::SOURCE, C::COUNT_NEW_EDGES)?,
            insert_new_edges: Kernel::load(device, C::SOURCE, &insert_new_edges)?,
        })
    }
}

pub(super) const FIND_MINIMUM_EDGES: StepName = step!("find minimum edge per vertex");
pub(super) const REMOVE_MIRRORED_EDGES: StepName = step!("remove mirrored edges");
pub(super) const INITIALIZE_COLORS: StepName = step!("initialize colors");
pub(super) const PROPAGATE_COLORS: StepName = step!("propagate colors");
pub(super) const CREATE_NEW_VERTEX_IDS: StepName = step!("create new vertex ids");
pub(super) const COUNT_NEW_EDGES: StepName = step!("count new edges");
pub(super) const ASSIGN_EDGE_SEGMENTS: StepName = step!("assign edge segments");
pub(super) const INSERT_NEW_EDGES: StepName = step!("insert new edges");
