//! The kernels of refinement.

use cudarc::driver::LaunchConfig;

use crate::launch::{BlockSize, kernels};
use crate::partition::RowSort;
use crate::partition::row_sort::RowSortKernels;
use crate::shared::{arguments, constant, ptr};
use crate::source::Source;

/// Connections of vertices to parts.
pub(super) const CONNECTIONS: Source = Source::file("partition_refine.cu");
/// Unconstrained moves, and balancing.
pub(super) const JET: Source = Source::file("partition_refine_jet.cu");
/// Moves in transactions.
pub(super) const STM: Source = Source::file("partition_refine_stm.cu");

/// The size of the blocks of all kernels.
pub(super) const BLOCKS: BlockSize = {
    let threads = constant(CONNECTIONS.text(), "THREADS");
    assert!(
        threads == constant(JET.text(), "THREADS") && threads == constant(STM.text(), "THREADS")
    );
    BlockSize { threads: threads as u32 }
};

/// The grid of the moves in transactions. The number of a thread is its priority, which has 31
/// bits, so a thread may have several vertices.
pub(super) fn moving_grid(vertices: u32) -> LaunchConfig {
    /// More threads than any device holds at once.
    const MOST_BLOCKS: u32 = 1 << 16;
    let mut grid = BLOCKS.for_items(vertices);
    grid.grid_dim.0 = grid.grid_dim.0.min(MOST_BLOCKS);
    grid
}

arguments! {
    pub(crate) struct Arguments in Source::file("partition_refine.cuh").text();
    ptr: offsets neighbors edge_weights vertex_weights row_of parts part_weights;
    ptr: slot_parts slot_sums sorted_weights sorted_ids;
    ptr: best inside targets gains later_gains moved conflicts states;
    ptr: classes places class_weights excesses staying counters;
    u64: ceiling limit;
    u32: vertices entries count direction pass temperature least strict seed;
}

kernels! {
    pub(crate) struct Kernels(device, row_sort: RowSort) of Arguments in CONNECTIONS;
    find_rows weigh_parts connect gather_parts sum_segments choose_parts;
    {
        jet: JetKernels = JetKernels::load(device)?;
        transactions: TransactionKernels = TransactionKernels::load(device)?;
        sort: RowSortKernels = RowSortKernels::load(device, row_sort)?;
    }
}

kernels! {
    /// The kernels of unconstrained moves, and of balancing.
    pub(crate) struct JetKernels(device) of Arguments in JET;
    find_candidates afterburner move_candidates rate scan_classes rebalance;
}

kernels! {
    /// The kernels of moves in transactions.
    pub(crate) struct TransactionKernels(device) of Arguments in STM;
    make_states find_gains count_conflicts move_in_transactions count_adjacent_candidates
        move_and_invalidate take_moves;
}
