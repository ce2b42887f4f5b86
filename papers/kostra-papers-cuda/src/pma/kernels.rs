//! The kernels of PMA, and the steps under which their times are reported.

use kostra_cuda::buffers::Keys;
use kostra_cuda::launch::{BlockSize, kernels};
use kostra_cuda::shared::{arguments, constant, ptr};
use kostra_cuda::step_clock::StepName;
use kostra_cuda::{scan, sort_rows};

use crate::contraction::RoundKernels;
use crate::source::Source;

pub(super) const SOURCE: Source = Source::file("pma.cu");

/// Indices of the counters.
pub(super) const TREES: usize = constant(SOURCE.text(), "TREES") as usize;
pub(super) const TOUCHES: usize = constant(SOURCE.text(), "TOUCHES") as usize;
pub(super) const MUTUAL_TOUCHES: usize = constant(SOURCE.text(), "MUTUAL_TOUCHES") as usize;
pub(super) const COUNTERS: usize = MUTUAL_TOUCHES + 1;

/// The blocks of Partial Prim.
pub(super) const PROCESSOR_BLOCKS: BlockSize =
    BlockSize { threads: constant(SOURCE.text(), "BLOCK_PROCESSORS") as u32 };
/// The number of threads of a block that is a processor.
pub(super) const SEARCH_THREADS: u32 =
    constant(Source::file("pma_block.cuh").text(), "SEARCH_THREADS") as u32;
/// The blocks of all other kernels. Several of them fit on a multiprocessor.
pub(super) const BLOCKS: BlockSize = BlockSize { threads: 256 };

arguments! {
    pub(super) struct Arguments in SOURCE.text();
    ptr: first_edge from neighbors keys ids new_first_edge new_from new_neighbors new_keys new_ids;
    ptr: successor touched lists degree new_vertex number shift next_edge before forest counters;
    u32: vertices entries processors gamma;
}

kernels! {
    pub(super) struct Kernels(device, keys: Keys) of Arguments in SOURCE;
    link_trees flag_outgoing count_outgoing flag_new_vertices take_degrees reserve_places
    flag_lightest compact_rows;
    [keys.bits()] partial_prim_min partial_prim_sort partial_prim_min_by_block
        partial_prim_sort_by_block update_edges compact;
    {
        sort: sort_rows::SortRowsKernels = sort_rows::SortRowsKernels::load(device, keys)?;
        contraction: RoundKernels = RoundKernels::load(device, keys)?;
        scan: scan::ScanKernels = scan::ScanKernels::load(device)?;
    }
}

pub(super) const SORT_BY_WEIGHT: &str = "sort edges by weight";
pub(super) const PARTIAL_PRIM: StepName =
    StepName { phase: "partial prim", occupancy: "occupancy % of partial prim" };
pub(super) const FIND_ROOTS: &str = "find roots";
pub(super) const COMPUTE_NEW_INDICES: &str = "compute new indices";
pub(super) const UPDATE_EDGES: &str = "update edges";
pub(super) const REMOVE_PARALLEL_EDGES: &str = "remove parallel edges";
