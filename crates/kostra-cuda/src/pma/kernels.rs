//! The kernels of PMA, and the steps under which their times are reported.

use cudarc::driver::CudaFunction;

use crate::buffers::Keys;
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::Blocks;
use crate::shared::constant;
use crate::source::Source;
use crate::step_clock::Step;
use crate::{contraction, scan, sort_rows};

pub(super) const SOURCE: Source = Source::file("pma.cu");

/// Indices of the counters.
pub(super) const TREES: usize = constant(SOURCE.text(), "TREES") as usize;
pub(super) const TOUCHES: usize = constant(SOURCE.text(), "TOUCHES") as usize;
pub(super) const MUTUAL_TOUCHES: usize = constant(SOURCE.text(), "MUTUAL_TOUCHES") as usize;
/// The number of counters.
pub(super) const COUNTERS: usize = MUTUAL_TOUCHES + 1;

/// The blocks of Partial Prim.
pub(super) const PROCESSOR_BLOCKS: Blocks =
    Blocks { threads: constant(SOURCE.text(), "BLOCK_PROCESSORS") as u32 };
/// The blocks of all other kernels. Several of them fit on a multiprocessor.
pub(super) const BLOCKS: Blocks = Blocks { threads: 256 };

/// The kernels of a solve, for keys of one width.
pub(super) struct Kernels {
    pub(super) partial_prim_min: CudaFunction,
    pub(super) partial_prim_sort: CudaFunction,
    pub(super) link_trees: CudaFunction,
    pub(super) flag_outgoing: CudaFunction,
    pub(super) count_outgoing: CudaFunction,
    pub(super) flag_new_vertices: CudaFunction,
    pub(super) take_degrees: CudaFunction,
    pub(super) reserve_places: CudaFunction,
    pub(super) update_edges: CudaFunction,
    pub(super) flag_lightest: CudaFunction,
    pub(super) compact: CudaFunction,
    pub(super) compact_rows: CudaFunction,
    pub(super) sort: sort_rows::Kernels,
    pub(super) contraction: contraction::Kernels,
    pub(super) scan: scan::Kernels,
}

impl Kernels {
    pub(super) fn load(device: &Device, keys: Keys) -> Result<Self, DeviceError> {
        let kernel = |name: &str| device.function(SOURCE, name);
        let bits = keys.bits();
        Ok(Self {
            partial_prim_min: kernel(&format!("partial_prim_min_{bits}"))?,
            partial_prim_sort: kernel(&format!("partial_prim_sort_{bits}"))?,
            link_trees: kernel("link_trees")?,
            flag_outgoing: kernel("flag_outgoing")?,
            count_outgoing: kernel("count_outgoing")?,
            flag_new_vertices: kernel("flag_new_vertices")?,
            take_degrees: kernel("take_degrees")?,
            reserve_places: kernel("reserve_places")?,
            update_edges: kernel(&format!("update_edges_{bits}"))?,
            flag_lightest: kernel("flag_lightest")?,
            compact: kernel(&format!("compact_{bits}"))?,
            compact_rows: kernel("compact_rows")?,
            sort: sort_rows::Kernels::load(device, keys)?,
            contraction: contraction::Kernels::load(device, keys)?,
            scan: scan::Kernels::load(device)?,
        })
    }
}

pub(super) const SORT_BY_WEIGHT: &str = "sort edges by weight";
pub(super) const PARTIAL_PRIM: Step =
    Step { phase: "partial prim", occupancy: "occupancy % of partial prim" };
pub(super) const FIND_ROOTS: &str = "find roots";
pub(super) const COMPUTE_NEW_INDICES: &str = "compute new indices";
pub(super) const UPDATE_EDGES: &str = "update edges";
pub(super) const REMOVE_PARALLEL_EDGES: &str = "remove parallel edges";
