//! The kernels of Borůvka's algorithm by edges.

use cudarc::driver::CudaFunction;

use crate::buffers::Keys;
use crate::device::Device;
use crate::error::DeviceError;
use crate::source::Source;

/// The file of the kernels.
pub(super) const SOURCE: Source = Source::file("boruvka_edge.cu");

/// The kernels of a solve, for keys of one width.
pub(super) struct Kernels {
    pub(super) initialize_edges: CudaFunction,
    pub(super) initialize_vertices: CudaFunction,
    pub(super) lightest: CudaFunction,
    /// Only for keys of 64 bits.
    pub(super) lightest_ids: Option<CudaFunction>,
    pub(super) join: CudaFunction,
    pub(super) map: CudaFunction,
    pub(super) filter: CudaFunction,
    pub(super) map_filter_lightest: CudaFunction,
    pub(super) reset: CudaFunction,
}

impl Kernels {
    pub(super) fn load(device: &Device, keys: Keys) -> Result<Self, DeviceError> {
        let bits = keys.bits();
        let kernel = |name: &str| device.function(SOURCE, &format!("{name}_{bits}"));
        Ok(Self {
            initialize_edges: kernel("initialize_edges")?,
            initialize_vertices: kernel("initialize_vertices")?,
            lightest: kernel("lightest")?,
            lightest_ids: if keys.wide { Some(kernel("lightest_ids")?) } else { None },
            join: kernel("join")?,
            map: kernel("map")?,
            filter: kernel("filter")?,
            map_filter_lightest: kernel("map_filter_lightest")?,
            reset: kernel("reset")?,
        })
    }
}
