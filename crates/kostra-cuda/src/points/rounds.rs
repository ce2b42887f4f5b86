//! The rounds of Borůvka's algorithm over the tree, with the launches of their kernels.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::CudaSlice;
use kostra_core::Run;

use super::input::DevicePointsError;
use super::kernels::{FOREST, Kernels, NEIGHBORS, SEARCH, counter};
use super::levels::{WIDTH, nodes};
use super::tree::{Tree, WARPS_BLOCK, warps};
use crate::buffers::{DeviceArray, download};
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::{grid_stride, launch};
use crate::shared::constant;
use crate::step_clock::StepClock;

/// The number of entries of a point's list.
const LIST: usize = constant(NEIGHBORS.text, "LIST") as usize;
/// The blocks of a search for each multiprocessor: enough to hide waiting for memory.
const SEARCH_BLOCKS: u32 = 16;

/// The edges of the tree, in the order in which they were found.
pub(super) struct FoundEdges {
    /// The bits of the compared distances.
    pub(super) keys: CudaSlice<u64>,
    /// The lower index above the higher one.
    pub(super) pairs: CudaSlice<u64>,
}

/// What is kept from round to round. All arrays but the lists of components have a value for each
/// point.
pub(super) struct Rounds<'a> {
    pub(super) device: &'a Device,
    pub(super) kernels: &'a Kernels,
    pub(super) tree: &'a Tree,
    /// The bits of the core distances, if there are any.
    cores: Option<CudaSlice<u64>>,
    pub(super) lists: CudaSlice<u32>,
    pub(super) keys: CudaSlice<u64>,
    least_keys: CudaSlice<u64>,
    pub(super) labels: CudaSlice<u32>,
    node_labels: CudaSlice<u32>,
    /// The points that search; later the components' hooks.
    pub(super) queries: CudaSlice<u32>,
    pub(super) parents: CudaSlice<u32>,
    pub(super) components: CudaSlice<u32>,
    pub(super) roots: CudaSlice<u32>,
    pub(super) bounds: CudaSlice<u64>,
    pub(super) pairs: CudaSlice<u64>,
    pub(super) counters: CudaSlice<u32>,
    pub(super) edges: FoundEdges,
}

impl<'a> Rounds<'a> {
    /// The number of bytes for `points` points.
    pub(super) fn bytes(points: usize, tree_nodes: usize, has_cores: bool) -> usize {
        let per_point = 4 * LIST + 6 * 8 + 5 * 4 + if has_cores { 8 } else { 0 };
        per_point * points + 4 * tree_nodes
    }

    /// Allocates the arrays.
    pub(super) fn allocate(
        (device, kernels): (&'a Device, &'a Kernels),
        tree: &'a Tree,
        has_cores: bool,
    ) -> Result<Self, DeviceError> {
        let n = tree.count as usize;
        Ok(Self {
            device,
            kernels,
            tree,
            cores: if has_cores { Some(device.uninit(n)?) } else { None },
            lists: device.uninit(LIST * n)?,
            keys: device.uninit(n)?,
            least_keys: device.uninit(n)?,
            labels: device.uninit(n)?,
            node_labels: device.uninit(nodes(&tree.levels))?,
            queries: device.uninit(n)?,
            parents: device.uninit(n)?,
            components: device.uninit(n)?,
            roots: device.uninit(n)?,
            bounds: device.uninit(n)?,
            pairs: device.uninit(n)?,
            counters: device.filled(counter::ALL, 0)?,
            edges: FoundEdges { keys: device.uninit(n)?, pairs: device.uninit(n)? },
        })
    }

    /// Runs all rounds. `cores` has the squared core distances in the given order.
    pub(super) fn run(
        mut self,
        cores: Option<&DeviceArray<f64>>,
        clock: &mut StepClock<'_>,
        run: &mut Run<'_>,
    ) -> Result<FoundEdges, DevicePointsError> {
        self.begin(cores)?;
        clock.lap("neighbors")?;
        let mut components = self.tree.count;
        while components > 1 {
            let searching = self.find_pairs(clock)?;
            if run.is_observed() {
                let searching = download(self.device, &searching)?[counter::QUERIES];
                run.round(components as usize, searching as usize)?;
            }
            run.progress((self.tree.count - components) as usize, self.tree.count as usize)?;
            clock.start()?;
            self.join(components)?;
            clock.lap("join")?;
            let counted = download(self.device, &self.counters)?;
            clock.report(run)?;
            std::mem::swap(&mut self.components, &mut self.roots);
            let left = counted[counter::COMPONENTS];
            if left >= components || counted[counter::EDGES] != self.tree.count - left {
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

    /// Makes each point a component, and finds its nearest points if there are no core distances.
    fn begin(&mut self, cores: Option<&DeviceArray<f64>>) -> Result<(), DeviceError> {
        let (device, kernels, tree) = (self.device, self.kernels, self.tree);
        // SAFETY: all arrays have a value for each point.
        unsafe {
            launch!(
                device,
                &kernels.begin,
                grid_stride(tree.count.into()),
                (FOREST, "begin"),
                [
                    u32 count = &tree.count,
                    ptr labels = &mut self.labels,
                    ptr parents = &mut self.parents,
                    ptr components = &mut self.components,
                    ptr bounds = &mut self.bounds,
                    ptr pairs = &mut self.pairs,
                ],
                "making components"
            )
        }?;
        if let (Some(given), Some(own)) = (cores, &mut self.cores) {
            // SAFETY: as above; `order` has indices of points.
            return unsafe {
                launch!(
                    device,
                    &kernels.begin_with_cores,
                    grid_stride(tree.count.into()),
                    (FOREST, "begin_with_cores"),
                    [
                        u32 count = &tree.count,
                        ptr order = &tree.order,
                        ptr given = given,
                        ptr cores = own,
                        ptr lists = &mut self.lists,
                        ptr least_keys = &mut self.least_keys,
                    ],
                    "making components"
                )
            };
        }
        let leaves = tree.levels[0].nodes;
        // SAFETY: the tree's arrays fit together, and the others have a value for each point.
        unsafe {
            launch!(
                device,
                &kernels.neighbors,
                warps(leaves),
                (NEIGHBORS, "neighbors"),
                [
                    ptr rows = &tree.rows,
                    ptr exact = &tree.exact(device),
                    ptr order = &tree.order,
                    ptr boxes = &tree.boxes,
                    u32 count = &tree.count,
                    ptr frame = &tree.frame,
                    ptr lists = &mut self.lists,
                    ptr keys = &mut self.keys,
                    ptr least_keys = &mut self.least_keys,
                ],
                "finding neighbors"
            )
        }
    }

    /// Finds the bound of each component, and each point whose nearest outgoing pair attains it.
    /// Returns a copy of the counters, which the device has yet to write.
    fn find_pairs(&mut self, clock: &mut StepClock<'_>) -> Result<CudaSlice<u32>, DeviceError> {
        clock.start()?;
        self.label()?;
        self.take()?;
        clock.lap("take")?;
        self.list_searches()?;
        let mut searching = self.device.uninit(counter::ALL)?;
        let copied = self.device.stream().memcpy_dtod(&self.counters, &mut searching);
        self.device.check(copied, "copying counters")?;
        self.search()?;
        clock.lap("search")?;
        Ok(searching)
    }

    /// Labels the points and the nodes by their components.
    fn label(&mut self) -> Result<(), DeviceError> {
        let (device, kernels, tree) = (self.device, self.kernels, self.tree);
        // SAFETY: labels and parents are points; there is a label for each node.
        unsafe {
            launch!(
                device,
                &kernels.label_leaves,
                grid_stride(tree.count.into()),
                (FOREST, "label_leaves"),
                [
                    u32 count = &tree.count,
                    ptr parents = &self.parents,
                    ptr labels = &mut self.labels,
                    ptr node_labels = &mut self.node_labels,
                ],
                "labeling points"
            )
        }?;
        let mut children = tree.count.div_ceil(WIDTH);
        for pair in tree.levels.windows(2) {
            let nodes = children.div_ceil(WIDTH);
            // SAFETY: both levels have their nodes in the array.
            unsafe {
                launch!(
                    device,
                    &kernels.label_nodes,
                    grid_stride(u64::from(nodes) * u64::from(WIDTH)),
                    (FOREST, "label_nodes"),
                    [
                        u32 below = &pair[0].begin,
                        u32 children = &children,
                        u32 begin = &pair[1].begin,
                        u32 nodes = &nodes,
                        ptr node_labels = &mut self.node_labels,
                    ],
                    "labeling nodes"
                )
            }?;
            children = nodes;
        }
        Ok(())
    }

    /// Takes the nearest outgoing pairs from the lists that have one.
    fn take(&mut self) -> Result<(), DeviceError> {
        let (device, tree) = (self.device, self.tree);
        // SAFETY: lists and labels are points, and all arrays have a value for each point. Without
        // core distances, the kernel does not read them.
        unsafe {
            launch!(
                device,
                &self.kernels.take[usize::from(self.cores.is_some())],
                grid_stride(tree.count.into()),
                (SEARCH, "take"),
                [
                    ptr exact = &tree.exact(device),
                    ptr cores = self.cores.as_ref().unwrap_or(&self.keys),
                    u32 count = &tree.count,
                    ptr labels = &self.labels,
                    ptr lists = &mut self.lists,
                    ptr keys = &self.keys,
                    ptr least_keys = &mut self.least_keys,
                    ptr bounds = &mut self.bounds,
                ],
                "comparing neighbors"
            )
        }
    }

    /// Lists the points that have to search.
    fn list_searches(&mut self) -> Result<(), DeviceError> {
        let count = self.tree.count;
        // SAFETY: all arrays have a value for each point.
        unsafe {
            launch!(
                self.device,
                &self.kernels.list_searches,
                grid_stride(count.into()),
                (FOREST, "list_searches"),
                [
                    u32 count = &count,
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

    fn search(&mut self) -> Result<(), DeviceError> {
        let (device, tree) = (self.device, self.tree);
        let most = self.device.multiprocessors() * SEARCH_BLOCKS * (WARPS_BLOCK / WIDTH);
        // SAFETY: the queries are points, the tree's arrays fit together, and the others have a
        // value for each point. Without core distances, the kernel does not read them.
        unsafe {
            launch!(
                device,
                &self.kernels.search[usize::from(self.cores.is_some())],
                warps(tree.count.div_ceil(WIDTH).min(most)),
                (SEARCH, "search"),
                [
                    ptr rows = &tree.rows,
                    ptr exact = &tree.exact(device),
                    ptr cores = self.cores.as_ref().unwrap_or(&self.keys),
                    ptr order = &tree.order,
                    ptr boxes = &tree.boxes,
                    ptr lowest = &tree.lowest,
                    u32 count = &tree.count,
                    ptr frame = &tree.frame,
                    ptr labels = &self.labels,
                    ptr node_labels = &self.node_labels,
                    ptr queries = &self.queries,
                    ptr counters = &mut self.counters,
                    ptr lists = &mut self.lists,
                    ptr keys = &self.keys,
                    ptr least_keys = &mut self.least_keys,
                    ptr bounds = &mut self.bounds,
                ],
                "searching"
            )
        }
    }
}
