//! The kernels of a device.

use kostra_cuda::buffers::Keys;
use kostra_cuda::launch::{BlockSize, kernels};
use kostra_cuda::scan;
use kostra_cuda::shared::{arguments, ptr};

use crate::source::Source;

const SOURCE: Source = Source::file("hetero_contract.cu");

/// The size of all blocks.
pub(super) const BLOCKS: BlockSize = BlockSize { threads: 256 };

arguments! {
    pub(super) struct Arguments in SOURCE.text();
    ptr: first_edge neighbors keys ids minimum_id flags successor color new_vertex outdegree;
    ptr: starts next_in_list list_from list_to list_keys list_ids;
    ptr: next_edge new_neighbors new_keys new_ids forest changed;
    u32: begin count members listed new_begin;
}

kernels! {
    #[derive(Clone)]
    pub(super) struct Kernels(device, keys: Keys) of Arguments in SOURCE;
    remove_mirrored_edges initialize_colors propagate_colors flag_roots count_new_edges;
    [keys.bits()] find_minimum_edges list_new_edges insert_new_edges;
    {
        scan: scan::ScanKernels = scan::ScanKernels::load(device)?;
    }
}
