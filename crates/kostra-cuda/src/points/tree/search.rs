//! The nearest points of points and components, by searches in the tree.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::CudaSlice;
use kostra_core::Run;

use super::{Tree, WARPS_BLOCK, WIDTH, nodes, warps};
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::{grid_stride, launch};
use crate::points::input::DevicePointsError;
use crate::points::kernels::{FOREST, NEIGHBORS, SEARCH, TreeKernels};
use crate::points::rounds::{Rounds, Search};

/// The blocks of a search for each multiprocessor: enough to hide waiting for memory.
const SEARCH_BLOCKS: u32 = 16;

/// Searches in a tree.
pub(in super::super) struct TreeSearch<'a> {
    device: &'a Device,
    kernels: &'a TreeKernels,
    tree: &'a Tree,
    node_labels: CudaSlice<u32>,
}

impl Search for TreeSearch<'_> {
    fn neighbors(
        &mut self,
        rounds: &mut Rounds<'_>,
        _: &mut Run<'_>,
    ) -> Result<(), DevicePointsError> {
        Ok(self.neighbors_of_leaves(rounds)?)
    }

    fn take(&mut self, rounds: &mut Rounds<'_>) -> Result<(), DeviceError> {
        self.label(rounds)?;
        self.take_lists(rounds)
    }

    fn search(
        &mut self,
        rounds: &mut Rounds<'_>,
        _: &mut Run<'_>,
    ) -> Result<(), DevicePointsError> {
        Ok(self.search_tree(rounds)?)
    }
}

impl<'a> TreeSearch<'a> {
    /// The number of bytes for a tree of `tree_nodes` nodes.
    pub(in super::super) fn bytes(tree_nodes: usize) -> usize {
        4 * tree_nodes
    }

    pub(in super::super) fn new(
        device: &'a Device,
        kernels: &'a TreeKernels,
        tree: &'a Tree,
    ) -> Result<Self, DeviceError> {
        let node_labels = device.uninit(nodes(&tree.levels))?;
        Ok(Self { device, kernels, tree, node_labels })
    }

    fn neighbors_of_leaves(&mut self, rounds: &mut Rounds<'_>) -> Result<(), DeviceError> {
        let (device, kernels, tree) = (self.device, self.kernels, self.tree);
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
                    ptr lists = &mut rounds.lists,
                    ptr keys = &mut rounds.keys,
                    ptr least_keys = &mut rounds.least_keys,
                ],
                "finding neighbors"
            )
        }
    }

    /// Labels the points and the nodes by their components.
    fn label(&mut self, rounds: &mut Rounds<'_>) -> Result<(), DeviceError> {
        let (device, tree) = (self.device, self.tree);
        rounds.label_leaves(&mut self.node_labels)?;
        let mut children = tree.count.div_ceil(WIDTH);
        for pair in tree.levels.windows(2) {
            let nodes = children.div_ceil(WIDTH);
            // SAFETY: both levels have their nodes in the array.
            unsafe {
                launch!(
                    device,
                    &rounds.kernels.label_nodes,
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
    fn take_lists(&mut self, rounds: &mut Rounds<'_>) -> Result<(), DeviceError> {
        let (device, tree) = (self.device, self.tree);
        // SAFETY: lists and labels are points, and all arrays have a value for each point. Without
        // core distances, the kernel does not read them.
        unsafe {
            launch!(
                device,
                &self.kernels.take[usize::from(rounds.cores.is_some())],
                grid_stride(tree.count.into()),
                (SEARCH, "take"),
                [
                    ptr exact = &tree.exact(device),
                    ptr cores = rounds.cores.as_ref().unwrap_or(&rounds.keys),
                    u32 count = &tree.count,
                    ptr labels = &rounds.labels,
                    ptr lists = &mut rounds.lists,
                    ptr keys = &rounds.keys,
                    ptr least_keys = &mut rounds.least_keys,
                    ptr bounds = &mut rounds.bounds,
                ],
                "comparing neighbors"
            )
        }
    }

    fn search_tree(&mut self, rounds: &mut Rounds<'_>) -> Result<(), DeviceError> {
        let (device, tree) = (self.device, self.tree);
        let most = device.multiprocessors() * SEARCH_BLOCKS * (WARPS_BLOCK / WIDTH);
        // SAFETY: the queries are points, the tree's arrays fit together, and the others have a
        // value for each point. Without core distances, the kernel does not read them.
        unsafe {
            launch!(
                device,
                &self.kernels.search[usize::from(rounds.cores.is_some())],
                warps(tree.count.div_ceil(WIDTH).min(most)),
                (SEARCH, "search"),
                [
                    ptr rows = &tree.rows,
                    ptr exact = &tree.exact(device),
                    ptr cores = rounds.cores.as_ref().unwrap_or(&rounds.keys),
                    ptr order = &tree.order,
                    ptr boxes = &tree.boxes,
                    ptr lowest = &tree.lowest,
                    u32 count = &tree.count,
                    ptr frame = &tree.frame,
                    ptr labels = &rounds.labels,
                    ptr node_labels = &self.node_labels,
                    ptr queries = &rounds.queries,
                    ptr counters = &mut rounds.counters,
                    ptr lists = &mut rounds.lists,
                    ptr keys = &rounds.keys,
                    ptr least_keys = &mut rounds.least_keys,
                    ptr bounds = &mut rounds.bounds,
                ],
                "searching"
            )
        }
    }
}
