//! The kernels, and the steps under which their times are reported.

use kostra_cuda::buffers::Keys;
use kostra_cuda::launch::{BlockSize, kernels};
use kostra_cuda::segmented::SegmentedScanKernels;
use kostra_cuda::shared::{arguments, assert_takes, ptr};

use crate::contraction::RoundKernels;
use crate::source::Source;

pub(super) const SOURCE: Source = Source::file("boruvka_primitives.cu");

const _: () = {
    assert_takes(SOURCE.text(), "scan_reduce_lightest", "ScanArguments");
    assert_takes(SOURCE.text(), "scan_down_sweep_lightest", "ScanArguments");
};

/// The size of the blocks that do not scan.
pub(super) const BLOCKS: BlockSize = BlockSize { threads: 256 };

arguments! {
    pub(super) struct Arguments in SOURCE.text();
    ptr: first_edge from neighbors keys ids;
    ptr: new_first_edge new_from new_neighbors new_keys new_ids;
    ptr: minimum_edge successor new_vertex lightest heads places pairs values forest;
    u32: vertices entries sorted new_vertices new_entries keeps_parallel;
}

kernels! {
    pub(super) struct Kernels(device, keys: Keys) of Arguments in SOURCE;
    list_entries choose_successors remove_cycles list_vertices flag_representatives
        number_vertices flag_outgoing list_outgoing find_parallel flag_lightest make_rows;
    [keys.bits()] make_edges;
    {
        contraction: RoundKernels = RoundKernels::load(device, keys)?;
        sum: SegmentedScanKernels = SegmentedScanKernels::sum(device)?;
        lightest: SegmentedScanKernels =
            SegmentedScanKernels::load(device, SOURCE, &format!("lightest_{}", keys.bits()))?;
    }
}
