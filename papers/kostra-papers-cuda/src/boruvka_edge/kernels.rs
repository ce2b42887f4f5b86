//! The kernels of Borůvka's algorithm by edges.

use kostra_cuda::buffers::Keys;
use kostra_cuda::launch::{Kernel, kernels};
use kostra_cuda::shared::{arguments, ptr};

use crate::source::Source;

const SOURCE: Source = Source::file("boruvka_edge.cu");

arguments! {
    pub(super) struct Arguments in SOURCE.text();
    ptr: from to keys ids new_from new_to new_keys new_ids counter;
    ptr: records slots slot_ids forest joined;
    u32: length vertices kind flip path_compression;
}

kernels! {
    pub(super) struct Kernels(device, keys: Keys) of Arguments in SOURCE;
    [keys.bits()] initialize_edges initialize_vertices lightest join map filter
        map_filter_lightest reset;
    {
        /// Only for keys of 64 bits.
        lightest_ids: Option<Kernel<Arguments>> =
            keys.wide.then(|| Kernel::load(device, SOURCE, "lightest_ids_64")).transpose()?;
    }
}
