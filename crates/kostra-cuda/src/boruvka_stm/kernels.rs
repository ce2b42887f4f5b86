//! The kernels of Borůvka's algorithm with transactions, and the steps under which their times are
//! reported.

use cudarc::driver::{CudaFunction, LaunchConfig};

use crate::buffers::Keys;
use crate::contraction::MakeKeys;
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::Blocks;
use crate::shared::constant;
use crate::source::Source;
use crate::step_clock::Step;

/// The file of the kernels.
pub(super) const SOURCE: Source = Source::file("boruvka_stm.cu");

/// The size of the blocks: warps share memory, so the kernels fix it.
pub(super) const BLOCKS: Blocks = Blocks { threads: constant(SOURCE.text(), "THREADS") as u32 };

/// The most vertices in a transaction that the log of a thread has room for.
pub(super) const CAPACITY: u64 = constant(SOURCE.text(), "CAPACITY");

/// The grid of the merge phase. The number of a thread is its priority, which has 31 bits, so a
/// thread may have several vertices.
pub(super) fn merge_grid(vertices: u32) -> LaunchConfig {
    /// More threads than any device holds at once.
    const MOST_BLOCKS: u32 = 1 << 16;
    let mut grid = BLOCKS.for_items(vertices);
    grid.grid_dim.0 = grid.grid_dim.0.min(MOST_BLOCKS);
    grid
}

/// The kernels of a solve, for keys of one width.
pub(super) struct Kernels {
    pub(super) make_keys: MakeKeys,
    pub(super) make_components: CudaFunction,
    pub(super) discover_edges: CudaFunction,
    /// Only for keys of 64 bits.
    pub(super) suggest_ids: Option<CudaFunction>,
    pub(super) choose_edges: CudaFunction,
    pub(super) merge_in_transactions: CudaFunction,
    pub(super) hook: CudaFunction,
    pub(super) flatten: CudaFunction,
    pub(super) prune: CudaFunction,
}

impl Kernels {
    pub(super) fn load(device: &Device, keys: Keys) -> Result<Self, DeviceError> {
        let bits = keys.bits();
        let kernel = |name: &str| device.function(SOURCE, name);
        Ok(Self {
            make_keys: MakeKeys::load(device, keys)?,
            make_components: kernel("make_components")?,
            discover_edges: kernel(&format!("discover_edges_{bits}"))?,
            suggest_ids: if keys.wide { Some(kernel("suggest_ids_64")?) } else { None },
            choose_edges: kernel(&format!("choose_edges_{bits}"))?,
            merge_in_transactions: kernel("merge_in_transactions")?,
            hook: kernel("hook")?,
            flatten: kernel("flatten")?,
            prune: kernel("prune")?,
        })
    }
}

macro_rules! step {
    ($name:literal) => {
        Step { phase: $name, occupancy: concat!("occupancy % of ", $name) }
    };
}

pub(super) const DISCOVER_EDGES: Step = step!("discover edges");
pub(super) const SUGGEST_IDS: Step = step!("suggest ids");
pub(super) const CHOOSE_EDGES: Step = step!("choose edges");
pub(super) const MERGE: Step = step!("merge");
pub(super) const FLATTEN: Step = step!("flatten");
pub(super) const PRUNE: Step = step!("prune");
