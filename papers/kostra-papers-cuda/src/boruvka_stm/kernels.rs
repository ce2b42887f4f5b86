//! The kernels of Borůvka's algorithm with transactions, and the steps under which their times are
//! reported.

use cudarc::driver::LaunchConfig;
use kostra_cuda::buffers::Keys;
use kostra_cuda::launch::{BlockSize, Kernel, kernels};
use kostra_cuda::shared::{arguments, constant, ptr};
use kostra_cuda::step_clock::StepName;

use crate::contraction::MakeKeys;
use crate::source::Source;

pub(super) const SOURCE: Source = Source::file("boruvka_stm.cu");

/// The size of the blocks: warps share memory, so the kernels fix it.
pub(super) const BLOCKS: BlockSize =
    BlockSize { threads: constant(SOURCE.text(), "THREADS") as u32 };

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

arguments! {
    pub(super) struct Arguments in SOURCE.text();
    ptr: first_edge neighbors keys ids components suggestions slots slot_ids chosen;
    ptr: changed forest counters;
    u32: vertices longest;
}

kernels! {
    pub(super) struct Kernels(device, keys: Keys) of Arguments in SOURCE;
    make_components merge_in_transactions hook flatten prune;
    [keys.bits()] discover_edges choose_edges;
    {
        make_keys: MakeKeys = MakeKeys::load(device, keys)?;
        /// Only for keys of 64 bits.
        suggest_ids: Option<Kernel<Arguments>> =
            keys.wide.then(|| Kernel::load(device, SOURCE, "suggest_ids_64")).transpose()?;
    }
}

pub(super) const DISCOVER_EDGES: StepName = step!("discover edges");
pub(super) const SUGGEST_IDS: StepName = step!("suggest ids");
pub(super) const CHOOSE_EDGES: StepName = step!("choose edges");
pub(super) const MERGE: StepName = step!("merge");
pub(super) const FLATTEN: StepName = step!("flatten");
pub(super) const PRUNE: StepName = step!("prune");
