//! The second half of a round: components choose their pairs, and are joined along them.

#![allow(unsafe_code, reason = "kernels are launched")]

use super::kernels::{FOREST, counter};
use super::rounds::Rounds;
use crate::error::DeviceError;
use crate::launch::{grid_stride, launch};

impl Rounds<'_> {
    /// Joins `components` components, adds their pairs to the edges, and lists the roots.
    pub(super) fn join(&mut self, components: u32) -> Result<(), DeviceError> {
        self.choose()?;
        self.hook(components)?;
        self.add_edges(components)?;
        let device = self.device;
        let mut of_round = self.counters.slice_mut(..counter::EDGES);
        device.fill(&mut of_round, 0)?;
        let mut of_components = self.counters.slice_mut(counter::COMPONENTS..);
        device.fill(&mut of_components, 0)?;
        self.shortcut(components)
    }

    fn choose(&mut self) -> Result<(), DeviceError> {
        // SAFETY: lists and labels are points, and all arrays have a value for each point.
        unsafe {
            launch!(
                self.device,
                &self.kernels.choose,
                grid_stride(self.points.count.into()),
                (FOREST, "choose"),
                [
                    u32 count = &self.points.count,
                    ptr skipped = &self.skipped,
                    ptr labels = &self.labels,
                    ptr lists = &self.lists,
                    ptr keys = &self.keys,
                    ptr bounds = &self.bounds,
                    ptr order = self.points.order,
                    ptr pairs = &mut self.pairs,
                ],
                "choosing pairs"
            )
        }
    }

    /// Writes the hooks to `queries`, which no search needs any more.
    fn hook(&mut self, components: u32) -> Result<(), DeviceError> {
        // SAFETY: a component has chosen a pair of points or none, so all indices are points.
        unsafe {
            launch!(
                self.device,
                &self.kernels.hook,
                grid_stride(components.into()),
                (FOREST, "hook"),
                [
                    ptr components = &self.components,
                    u32 count = &components,
                    ptr pairs = &self.pairs,
                    ptr inverse = self.points.inverse,
                    ptr labels = &self.labels,
                    ptr hooks = &mut self.queries,
                ],
                "joining components"
            )
        }
    }

    fn add_edges(&mut self, components: u32) -> Result<(), DeviceError> {
        // SAFETY: hooks are components, and there are fewer edges than points.
        unsafe {
            launch!(
                self.device,
                &self.kernels.add_edges,
                grid_stride(components.into()),
                (FOREST, "add_edges"),
                [
                    ptr components = &self.components,
                    u32 count = &components,
                    ptr pairs = &self.pairs,
                    ptr bounds = &self.bounds,
                    ptr hooks = &self.queries,
                    ptr parents = &mut self.parents,
                    ptr edge_keys = &mut self.edges.keys,
                    ptr edge_pairs = &mut self.edges.pairs,
                    ptr counters = &mut self.counters,
                ],
                "joining components"
            )
        }
    }

    fn shortcut(&mut self, components: u32) -> Result<(), DeviceError> {
        // SAFETY: parents are components, and there are fewer roots than components.
        unsafe {
            launch!(
                self.device,
                &self.kernels.shortcut,
                grid_stride(components.into()),
                (FOREST, "shortcut"),
                [
                    ptr components = &self.components,
                    u32 count = &components,
                    ptr parents = &mut self.parents,
                    ptr bounds = &mut self.bounds,
                    ptr pairs = &mut self.pairs,
                    ptr roots = &mut self.roots,
                    ptr counters = &mut self.counters,
                ],
                "joining components"
            )
        }
    }
}
