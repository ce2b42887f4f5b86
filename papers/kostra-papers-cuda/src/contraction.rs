//! What solvers that change the rows of the graph share: the rows of a round's graph, keys, and the
//! roots of components.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::{CudaFunction, CudaSlice, LaunchConfig};
use kostra_core::{Key, SolveError, Vertex};
use kostra_cuda::buffers::{Keys, download};
use kostra_cuda::launch::{BlockSize, launch};
use kostra_cuda::rows::RoundGraph;
use kostra_cuda::{Device, DeviceError};

use crate::source::Source;

const SOURCE: Source = Source::file("contraction.cu");

#[derive(Clone)]
pub(crate) struct RoundKernels {
    make_keys: MakeKeys,
    list_owners: CudaFunction,
    propagate_colors: CudaFunction,
}

impl RoundKernels {
    pub(crate) fn load(device: &Device, keys: Keys) -> Result<Self, DeviceError> {
        Ok(Self {
            make_keys: MakeKeys::load(device, keys)?,
            list_owners: device.function(SOURCE, "list_owners")?,
            propagate_colors: device.function(SOURCE, "propagate_colors")?,
        })
    }
}

/// The kernel that replaces weights by keys, for keys of one width.
#[derive(Clone)]
pub(crate) struct MakeKeys(CudaFunction);

impl MakeKeys {
    pub(crate) fn load(device: &Device, keys: Keys) -> Result<Self, DeviceError> {
        Ok(Self(device.function(SOURCE, &format!("make_keys_{}", keys.bits()))?))
    }

    /// Replaces the weights of the given graph by their keys.
    pub(crate) fn launch<K: Key>(
        &self,
        device: &Device,
        blocks: BlockSize,
        graph: &mut RoundGraph<K>,
        keys: Keys,
    ) -> Result<(), DeviceError> {
        // SAFETY: the graph has a key for each entry.
        unsafe {
            launch!(
                device, &self.0, blocks.for_items(graph.entries), (SOURCE, "make_keys"),
                [ptr keys = &mut graph.keys, u32 entries = &graph.entries, u32 kind = &keys.kind,
                u32 flip = &keys.flip], "making keys"
            )
        }
    }
}

/// The shared steps of a solve.
pub(crate) struct Contraction<'a> {
    device: &'a Device,
    blocks: BlockSize,
    kernels: RoundKernels,
    /// One word: not 0 if a sweep has changed a color.
    changed: CudaSlice<u32>,
}

impl<'a> Contraction<'a> {
    pub(crate) fn new(
        device: &'a Device,
        blocks: BlockSize,
        kernels: RoundKernels,
    ) -> Result<Self, DeviceError> {
        Ok(Self { device, blocks, kernels, changed: device.uninit(1)? })
    }

    /// Replaces the weights of the given graph by their keys.
    pub(crate) fn make_keys<K: Key>(
        &self,
        graph: &mut RoundGraph<K>,
        keys: Keys,
    ) -> Result<(), DeviceError> {
        self.kernels.make_keys.launch(self.device, self.blocks, graph, keys)
    }

    /// Stores the vertex of each entry in `from`.
    pub(crate) fn list_owners<K: Key>(
        &self,
        graph: &RoundGraph<K>,
        from: &mut CudaSlice<Vertex>,
    ) -> Result<(), DeviceError> {
        // SAFETY: the rows are valid, and `from` has a word for each entry.
        unsafe {
            launch!(
                self.device, &self.kernels.list_owners, self.blocks.for_items(graph.entries),
                (SOURCE, "list_owners"),
                [ptr first_edge = &graph.first_edge, u32 vertices = &graph.vertices,
                u32 entries = &graph.entries, ptr from = from], "listing vertices"
            )
        }
    }

    /// Replaces each color, which leads to a root without cycles, by the root: sweeps of distance
    /// doubling until nothing changes. Calls `swept` after each sweep. Returns the number of
    /// sweeps, including the last one, which changes nothing.
    pub(crate) fn propagate_colors(
        &mut self,
        color: &mut CudaSlice<Vertex>,
        vertices: u32,
        mut swept: impl FnMut() -> Result<(), SolveError>,
    ) -> Result<u32, SolveError> {
        let (kernel, grid) = self.propagation(vertices);
        let kernel = kernel.clone();
        let mut sweeps = 0;
        loop {
            self.device.fill(&mut self.changed, 0)?;
            // SAFETY: every color is a vertex.
            unsafe {
                launch!(
                    self.device, &kernel, grid, (SOURCE, "propagate_colors"),
                    [ptr color = &mut *color, u32 vertices = &vertices,
                    ptr changed = &mut self.changed], "propagating colors"
                )
            }?;
            sweeps += 1;
            let converged = download(self.device, &self.changed)? == [0];
            swept()?;
            if converged {
                return Ok(sweeps);
            }
        }
    }

    /// The kernel of [`propagate_colors`](Self::propagate_colors), and its grid.
    pub(crate) fn propagation(&self, vertices: u32) -> (&CudaFunction, LaunchConfig) {
        (&self.kernels.propagate_colors, self.blocks.for_items(vertices))
    }
}

/// Refuses a graph whose rows have more entries than 32 bits can index.
pub(crate) fn admit(solver: &'static str, edges: usize) -> Result<(), SolveError> {
    if edges < u32::MAX as usize / 2 {
        return Ok(());
    }
    Err(SolveError::Unsuitable {
        solver,
        cost: "row indices of more than 32 bits".to_owned(),
        advice: "choose a solver that works on the edge list",
    })
}
