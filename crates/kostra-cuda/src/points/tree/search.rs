//! The nearest points of points and components, by searches in the tree.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::{CudaSlice, LaunchConfig};
use kostra_core::Run;

use super::{Tree, WARPS_BLOCK, WIDTH, nodes, warps};
use crate::buffers::address;
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::{Kernel, grid_stride};
use crate::points::input::DevicePointsError;
use crate::points::kernels::{Arguments, TreeArguments, TreeKernels};
use crate::points::rounds::{Rounds, Search};
use crate::shared::fill;

/// The blocks of a search for each multiprocessor: enough to hide waiting for memory.
const SEARCH_BLOCKS: u32 = 16;

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

    fn neighbors_of_leaves(&self, rounds: &Rounds<'_>) -> Result<(), DeviceError> {
        let grid = warps(self.tree.levels[0].nodes);
        self.launch(&self.kernels.neighbors, grid, rounds, "finding neighbors")
    }

    /// Labels the points and the nodes by their components.
    fn label(&self, rounds: &Rounds<'_>) -> Result<(), DeviceError> {
        rounds.label_leaves(&self.node_labels)?;
        let node_labels = address(&self.node_labels);
        let mut children = self.tree.count.div_ceil(WIDTH);
        for pair in self.tree.levels.windows(2) {
            let nodes = children.div_ceil(WIDTH);
            let arguments = Arguments {
                below: pair[0].begin,
                children,
                begin: pair[1].begin,
                nodes,
                node_labels,
                ..rounds.arguments()
            };
            let kernel = &rounds.kernels.label_nodes;
            rounds.launch(kernel, nodes * WIDTH, &arguments, "labeling nodes")?;
            children = nodes;
        }
        Ok(())
    }

    /// Takes the nearest outgoing pairs from the lists that have one.
    fn take_lists(&self, rounds: &Rounds<'_>) -> Result<(), DeviceError> {
        let kernel = &self.kernels.take[usize::from(rounds.cores.is_some())];
        self.launch(kernel, grid_stride(self.tree.count.into()), rounds, "comparing neighbors")
    }

    fn search_tree(&self, rounds: &Rounds<'_>) -> Result<(), DeviceError> {
        let most = self.device.multiprocessors() * SEARCH_BLOCKS * (WARPS_BLOCK / WIDTH);
        let kernel = &self.kernels.search[usize::from(rounds.cores.is_some())];
        self.launch(kernel, warps(self.tree.count.div_ceil(WIDTH).min(most)), rounds, "searching")
    }

    fn launch(
        &self,
        kernel: &Kernel<TreeArguments>,
        grid: LaunchConfig,
        rounds: &Rounds<'_>,
        doing: &'static str,
    ) -> Result<(), DeviceError> {
        let arguments = fill!(TreeArguments {}, ..self.tree.arguments(self.device);
            self => node_labels;
            rounds => cores labels queries counters lists keys least_keys bounds);
        // SAFETY: the tree's arrays fit together. Lists, labels and queries are points, and the
        // other arrays have a value for each point. Without core distances, kernels do not read
        // them.
        unsafe { kernel.launch(self.device, grid, &arguments, doing) }
    }
}
