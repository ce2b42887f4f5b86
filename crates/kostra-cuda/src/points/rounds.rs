//! The rounds of Borůvka's algorithm, with the launches of their kernels.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::sys::CUdeviceptr;
use cudarc::driver::{CudaSlice, DevicePtr, LaunchConfig};
use kostra_core::Run;

use super::input::DevicePointsError;
use super::kernels::{FOREST, ForestKernels, counter};
use crate::buffers::{DeviceArray, address, download};
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::{grid_stride, launch};
use crate::shared::constant;
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
    /// The number of bytes for `points` points.
    pub(super) fn bytes(points: usize, has_cores: bool) -> usize {
        (4 * LIST + 6 * 8 + 5 * 4 + if has_cores { 8 } else { 0 }) * points
    }

    /// Allocates the arrays.
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
        self.begin()?;
        match cores {
            Some(cores) => self.begin_with_cores(cores)?,
            None => search.neighbors(&mut self, run)?,
        }
        clock.lap("neighbors")?;
        let mut components = count;
        while components > 1 {
            let searching = self.find_pairs(search, clock, run)?;
            if run.is_observed() {
                let searching = download(self.device, &searching)?[counter::QUERIES];
                run.round(components as usize, searching as usize)?;
            }
            run.progress((count - components) as usize, count as usize)?;
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
        Ok(self.edges)
    }

    /// The address of the core distances, or null without them.
    pub(super) fn cores_address(&self) -> CUdeviceptr {
        self.cores.as_ref().map_or(0, |cores| cores.device_ptr(self.device.stream()).0)
    }

    /// Makes each point a component.
    fn begin(&mut self) -> Result<(), DeviceError> {
        // SAFETY: all arrays have a value for each point.
        unsafe {
            launch!(
                self.device,
                &self.kernels.begin,
                grid_stride(self.points.count.into()),
                (FOREST, "begin"),
                [
                    u32 count = &self.points.count,
                    ptr labels = &mut self.labels,
                    ptr parents = &mut self.parents,
                    ptr components = &mut self.components,
                    ptr bounds = &mut self.bounds,
                    ptr pairs = &mut self.pairs,
                ],
                "making components"
            )
        }
    }

    fn begin_with_cores(&mut self, given: &DeviceArray<f64>) -> Result<(), DeviceError> {
        // SAFETY: all arrays have a value for each point; `order` has indices of points.
        unsafe {
            launch!(
                self.device,
                &self.kernels.begin_with_cores,
                grid_stride(self.points.count.into()),
                (FOREST, "begin_with_cores"),
                [
                    u32 count = &self.points.count,
                    ptr order = self.points.order,
                    ptr given = given,
                    ptr cores = self.cores.as_mut().unwrap_or(&mut self.keys),
                    ptr lists = &mut self.lists,
                    ptr least_keys = &mut self.least_keys,
                ],
                "making components"
            )
        }
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
    pub(super) fn label_leaves(
        &mut self,
        node_labels: &mut CudaSlice<u32>,
    ) -> Result<(), DeviceError> {
        // SAFETY: labels and parents are points; there is a label for each node.
        unsafe {
            launch!(
                self.device,
                &self.kernels.label_leaves,
                grid_stride(self.points.count.into()),
                (FOREST, "label_leaves"),
                [
                    u32 count = &self.points.count,
                    ptr parents = &self.parents,
                    ptr labels = &mut self.labels,
                    ptr node_labels = node_labels,
                ],
                "labeling points"
            )
        }
    }

    /// Looks for a component of many points, which is to take no pair.
    fn find_large(&mut self) -> Result<(), DeviceError> {
        let block =
            LaunchConfig { grid_dim: (1, 1, 1), block_dim: (SAMPLES, 1, 1), shared_mem_bytes: 0 };
        // SAFETY: there is a label for each point.
        unsafe {
            launch!(
                self.device,
                &self.kernels.find_large,
                block,
                (FOREST, "find_large"),
                [
                    u32 count = &self.points.count,
                    ptr labels = &self.labels,
                    ptr large = &mut self.skipped,
                ],
                "looking for a large component"
            )
        }
    }

    /// Lists the points that have to search.
    fn list_searches(&mut self) -> Result<(), DeviceError> {
        let near = self.points.near;
        let slots = near.map_or(self.points.count, |near| near.len() as u32);
        let points_of = near.map_or(0, address);
        // SAFETY: all arrays have a value for each point, and the queries one for each slot. A slot
        // has a point or none.
        unsafe {
            launch!(
                self.device,
                &self.kernels.list_searches,
                grid_stride(slots.into()),
                (FOREST, "list_searches"),
                [
                    u32 slots = &slots,
                    ptr points_of = &points_of,
                    ptr skipped = &self.skipped,
                    ptr labels = &self.labels,
                    ptr lists = &self.lists,
                    ptr least_keys = &self.least_keys,
                    ptr bounds = &self.bounds,
                    ptr queries = &mut self.queries,
                    ptr counters = &mut self.counters,
                ],
                "listing searches"
            )
        }
    }
}
