//! The rounds of Borůvka's algorithm, with the launches of their kernels.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::{CudaSlice, LaunchConfig};
use kostra_core::Run;

use super::input::DevicePointsError;
use super::kernels::{Arguments, FOREST, ForestKernels, counter};
use crate::buffers::{DeviceArray, address, download};
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::{Kernel, grid_stride};
use crate::shared::{constant, fill};
use crate::step_clock::StepClock;

/// The number of entries of a point's list.
pub(super) const LIST: usize =
    constant(include_str!("../../kernels/points/lists.cuh"), "LIST") as usize;
/// The number of points whose labels are looked at to find a large component.
const SAMPLES: u32 = constant(FOREST.text(), "SAMPLES") as u32;

/// The edges of the tree, in the order in which they were found.
pub(super) struct FoundEdges {
    /// The bits of the compared distances.
    pub(super) keys: CudaSlice<u64>,
    /// The lower index above the higher one.
    pub(super) pairs: CudaSlice<u64>,
}

/// The order in which points are stored.
#[derive(Clone, Copy)]
pub(super) struct PointOrder<'a> {
    pub(super) count: u32,
    /// The given index of each point.
    pub(super) order: &'a CudaSlice<u32>,
    /// The place of each given index in the order.
    pub(super) inverse: &'a CudaSlice<u32>,
    /// If there is one: an order in which near points follow each other, with `u32::MAX` between
    /// some of them. Points search in this order.
    pub(super) near: Option<&'a CudaSlice<u32>>,
}

/// How points and components find their nearest points.
pub(super) trait Search {
    /// Finds the lists of all points.
    fn neighbors(
        &mut self,
        rounds: &mut Rounds<'_>,
        run: &mut Run<'_>,
    ) -> Result<(), DevicePointsError>;

    /// Labels the points by their components, and takes the nearest outgoing pairs from the lists
    /// that have one.
    fn take(&mut self, rounds: &mut Rounds<'_>) -> Result<(), DeviceError>;

    /// Finds the nearest outgoing pair of each query, as far as it is not above its component's
    /// bound.
    fn search(
        &mut self,
        rounds: &mut Rounds<'_>,
        run: &mut Run<'_>,
    ) -> Result<(), DevicePointsError>;
}

/// What is kept from round to round. All arrays but the lists of components have a value for each
/// point.
pub(super) struct Rounds<'a> {
    pub(super) device: &'a Device,
    pub(super) kernels: &'a ForestKernels,
    pub(super) points: PointOrder<'a>,
    /// The bits of the core distances, if there are any.
    pub(super) cores: Option<CudaSlice<u64>>,
    pub(super) lists: CudaSlice<u32>,
    pub(super) keys: CudaSlice<u64>,
    pub(super) least_keys: CudaSlice<u64>,
    pub(super) labels: CudaSlice<u32>,
    /// The points that search, and `u32::MAX` between some of them; later the components' hooks.
    pub(super) queries: CudaSlice<u32>,
    pub(super) parents: CudaSlice<u32>,
    pub(super) components: CudaSlice<u32>,
    pub(super) roots: CudaSlice<u32>,
    pub(super) bounds: CudaSlice<u64>,
    pub(super) pairs: CudaSlice<u64>,
    pub(super) counters: CudaSlice<u32>,
    /// One word: the component that takes no pair in this round, or `u32::MAX`. Others may still
    /// take a pair to it.
    pub(super) skipped: CudaSlice<u32>,
    pub(super) edges: FoundEdges,
}

impl<'a> Rounds<'a> {
    pub(super) fn bytes(points: usize, has_cores: bool) -> usize {
        (4 * LIST + 6 * 8 + 5 * 4 + if has_cores { 8 } else { 0 }) * points
    }

    pub(super) fn allocate(
        (device, kernels): (&'a Device, &'a ForestKernels),
        points: PointOrder<'a>,
        has_cores: bool,
    ) -> Result<Self, DeviceError> {
        let n = points.count as usize;
        Ok(Self {
            device,
            kernels,
            points,
            cores: if has_cores { Some(device.uninit(n)?) } else { None },
            lists: device.uninit(LIST * n)?,
            keys: device.uninit(n)?,
            least_keys: device.uninit(n)?,
            labels: device.uninit(n)?,
            queries: device.uninit(points.near.map_or(n, CudaSlice::len))?,
            parents: device.uninit(n)?,
            components: device.uninit(n)?,
            roots: device.uninit(n)?,
            bounds: device.uninit(n)?,
            pairs: device.uninit(n)?,
            counters: device.filled(counter::ALL, 0)?,
            skipped: device.uninit(1)?,
            edges: FoundEdges { keys: device.uninit(n)?, pairs: device.uninit(n)? },
        })
    }

    /// Runs all rounds. `cores` has the squared core distances in the given order.
    pub(super) fn run(
        mut self,
        search: &mut dyn Search,
        cores: Option<&DeviceArray<f64>>,
        clock: &mut StepClock<'_>,
        run: &mut Run<'_>,
    ) -> Result<FoundEdges, DevicePointsError> {
        let count = self.points.count;
        self.run_on_points(&self.kernels.begin, "making components")?;
        match cores {
            Some(cores) => {
                let arguments = Arguments { given: cores.address(), ..self.arguments() };
                self.launch(
                    &self.kernels.begin_with_cores,
                    count,
                    &arguments,
                    "making components",
                )?;
            }
            None => search.neighbors(&mut self, run)?,
        }
        clock.lap("neighbors")?;
        let mut components = count;
        while components > 1 {
            let searching = self.find_pairs(search, clock, run)?;
            if run.report.is_observed() {
                let searching = download(self.device, &searching)?[counter::QUERIES];
                run.report.round(components as usize, searching as usize)?;
            }
            run.report.progress((count - components) as usize, count as usize)?;
            clock.start()?;
            self.join(components)?;
            clock.lap("join")?;
            let counted = download(self.device, &self.counters)?;
            clock.report(run)?;
            std::mem::swap(&mut self.components, &mut self.roots);
            let left = counted[counter::COMPONENTS];
            if left >= components || counted[counter::EDGES] != count - left {
                return Err(DeviceError::Driver {
                    doing: "joining components",
                    cause: "a round did not join any (a fault of the kernels or the device)".into(),
                }
                .into());
            }
            components = left;
        }
        run.report.finish_rounds();
        Ok(self.edges)
    }

    /// The argument of kernels: the arrays of the rounds. The count is that of the points.
    pub(super) fn arguments(&self) -> Arguments {
        fill!(Arguments {
            count: self.points.count,
            points_of: address(&self.points.near),
            hooks: address(&self.queries),
            edge_keys: address(&self.edges.keys),
            edge_pairs: address(&self.edges.pairs),
        }, ..Arguments::default(); self.points => order inverse;
        self => cores lists keys least_keys labels queries parents bounds pairs components roots
            skipped counters)
    }

    /// Launches a kernel with `items` points, slots, components or nodes.
    pub(super) fn launch(
        &self,
        kernel: &Kernel<Arguments>,
        items: u32,
        arguments: &Arguments,
        doing: &'static str,
    ) -> Result<(), DeviceError> {
        // SAFETY: `order` has indices of points, and lists, labels, parents and hooks are points. A
        // component has chosen a pair of points or none. All arrays have a value for each point,
        // the queries one for each slot, and the labels of nodes one for each node. There are fewer
        // edges than points.
        unsafe { kernel.launch(self.device, grid_stride(items.into()), arguments, doing) }
    }

    /// Launches a kernel with all points.
    pub(super) fn run_on_points(
        &self,
        kernel: &Kernel<Arguments>,
        doing: &'static str,
    ) -> Result<(), DeviceError> {
        self.launch(kernel, self.points.count, &self.arguments(), doing)
    }

    /// Finds the bound of each component, and each point whose nearest outgoing pair attains it.
    /// Returns a copy of the counters, which the device has yet to write.
    fn find_pairs(
        &mut self,
        search: &mut dyn Search,
        clock: &mut StepClock<'_>,
        run: &mut Run<'_>,
    ) -> Result<CudaSlice<u32>, DevicePointsError> {
        clock.start()?;
        search.take(self)?;
        self.find_large()?;
        clock.lap("take")?;
        self.list_searches()?;
        let mut searching = self.device.uninit(counter::ALL)?;
        let copied = self.device.stream().memcpy_dtod(&self.counters, &mut searching);
        self.device.check(copied, "copying counters")?;
        search.search(self, run)?;
        clock.lap("search")?;
        Ok(searching)
    }

    /// Labels the points and the leaves by their components. Each 32 points are a leaf.
    pub(super) fn label_leaves(&self, node_labels: &CudaSlice<u32>) -> Result<(), DeviceError> {
        let node_labels = address(node_labels);
        let arguments = Arguments { node_labels, ..self.arguments() };
        self.launch(&self.kernels.label_leaves, arguments.count, &arguments, "labeling points")
    }

    /// Looks for a component of many points, which is to take no pair.
    fn find_large(&mut self) -> Result<(), DeviceError> {
        const DOING: &str = "looking for a large component";
        let block =
            LaunchConfig { grid_dim: (1, 1, 1), block_dim: (SAMPLES, 1, 1), shared_mem_bytes: 0 };
        // SAFETY: there is a label for each point.
        unsafe { self.kernels.find_large.launch(self.device, block, &self.arguments(), DOING) }
    }

    /// Lists the points that have to search.
    fn list_searches(&mut self) -> Result<(), DeviceError> {
        let slots = self.points.near.map_or(self.points.count, |near| near.len() as u32);
        let arguments = Arguments { slots, ..self.arguments() };
        self.launch(&self.kernels.list_searches, slots, &arguments, "listing searches")
    }
}
