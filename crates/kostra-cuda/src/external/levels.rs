//! The levels of the vertices: how heavy the edges are that join a vertex to the center.
//!
//! The forest's edges up to the first pivot are united, and a vertex of the largest component
//! becomes the center. Then the edges between each pivot and the next are united. After each step,
//! the vertices that have come to the component of the center get the level.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::CudaSlice;
use kostra_core::{Key, SolveError};

use super::kernels::{LEVELS, ONE_BLOCK, SOURCE};
use super::sink::{Columns, Sink};
use crate::DeviceError;
use crate::buffers::{download, upload};
use crate::device::Scratch;
use crate::launch::{grid_stride, launch};

/// The most edges that are sampled for the pivots. The last pivot but one has one sample above it.
pub(super) const SAMPLES: usize = 1 << (2 * (LEVELS - 1) + 2);

/// The levels of all vertices.
pub(super) struct Levels {
    /// The level of each vertex.
    pub(super) levels: CudaSlice<u8>,
    /// The pivot of each level: a key.
    pub(super) pivots: CudaSlice<u64>,
}

impl<K: Key> Sink<K> {
    /// Finds the levels in the forest.
    pub(super) fn find_levels(&mut self) -> Result<(), SolveError> {
        let parents_bytes = size_of::<u32>() * self.vertices as usize;
        let device = self.device.clone();
        let mut scratch = device.scratch(parents_bytes)?;
        // The next solve must clear its counters.
        scratch.take_turn();
        self.begin_levels(&mut scratch)?;
        if self.forest == 0 {
            return Ok(());
        }
        let pivots = self.find_pivots()?;
        self.levels.pivots = upload(&device, &pivots)?;
        let center: CudaSlice<u32> = device.uninit(1)?;
        for (level, &high) in (0..).zip(&pivots) {
            // The keys above the pivot before.
            let low = match level {
                0 => 0,
                _ if pivots[level - 1] == high => continue,
                _ => pivots[level - 1] + 1,
            };
            self.unite_up_to((low, high), &mut scratch)?;
            if level == 0 {
                self.find_center(high, &mut scratch, &center)?;
            }
            self.label_component(level as u32, &mut scratch, &center)?;
        }
        Ok(device.finish()?)
    }

    /// Quantiles of the forest's keys, one for each level.
    fn find_pivots(&self) -> Result<[u64; LEVELS], DeviceError> {
        let (device, count) = (&*self.device, self.forest as u32);
        let samples = self.forest.min(SAMPLES) as u32;
        let mut keys: CudaSlice<u64> = device.uninit(samples as usize)?;
        // SAFETY: there are `count` weights, and room for `samples` keys.
        unsafe {
            launch!(
                device,
                &self.kernels.sample_keys,
                grid_stride(samples.into()),
                (SOURCE, "sample_keys"),
                [
                    ptr weights = &self.columns.weights,
                    u32 count = &count,
                    u32 kind = &self.keys.kind,
                    u32 flip = &self.keys.flip,
                    u32 samples = &samples,
                    ptr keys = &mut keys,
                ],
                "sampling edges"
            )
        }?;
        let mut keys = download(device, &keys)?;
        keys.sort_unstable();
        Ok(pivots(&keys))
    }

    fn begin_levels(&mut self, parents: &mut Scratch<'_>) -> Result<(), DeviceError> {
        // SAFETY: there are a parent and a level for each vertex.
        unsafe {
            launch!(
                &self.device,
                &self.kernels.begin_levels,
                grid_stride(self.vertices.into()),
                (SOURCE, "begin_levels"),
                [
                    ptr parents = &mut **parents,
                    ptr levels = &mut self.levels.levels,
                    u32 vertices = &self.vertices,
                ],
                "finding levels"
            )
        }
    }

    fn unite_up_to(
        &self,
        (low, high): (u64, u64),
        parents: &mut Scratch<'_>,
    ) -> Result<(), DeviceError> {
        let (count, Columns { u, v, weights, .. }) = (self.forest as u32, &self.columns);
        // SAFETY: the columns have `count` edges, and there is a parent for each vertex.
        unsafe {
            launch!(
                &self.device,
                &self.kernels.unite,
                grid_stride(count.into()),
                (SOURCE, "unite"),
                [
                    ptr u = u,
                    ptr v = v,
                    ptr weights = weights,
                    u32 count = &count,
                    u32 kind = &self.keys.kind,
                    u32 flip = &self.keys.flip,
                    u64 low = &low,
                    u64 high = &high,
                    ptr parents = &mut **parents,
                ],
                "finding levels"
            )
        }
    }

    fn find_center(
        &self,
        high: u64,
        parents: &mut Scratch<'_>,
        center: &CudaSlice<u32>,
    ) -> Result<(), DeviceError> {
        let (count, Columns { u, weights, .. }) = (self.forest as u32, &self.columns);
        // SAFETY: the columns have `count` edges, and there is a parent for each vertex.
        unsafe {
            launch!(
                &self.device,
                &self.kernels.find_center,
                ONE_BLOCK,
                (SOURCE, "find_center"),
                [
                    ptr u = u,
                    ptr weights = weights,
                    u32 count = &count,
                    u32 kind = &self.keys.kind,
                    u32 flip = &self.keys.flip,
                    u64 high = &high,
                    ptr parents = &mut **parents,
                    ptr center = center,
                ],
                "finding levels"
            )
        }
    }

    fn label_component(
        &mut self,
        level: u32,
        parents: &mut Scratch<'_>,
        center: &CudaSlice<u32>,
    ) -> Result<(), DeviceError> {
        // SAFETY: there are a parent and a level for each vertex.
        unsafe {
            launch!(
                &self.device,
                &self.kernels.label_component,
                grid_stride(self.vertices.into()),
                (SOURCE, "label_component"),
                [
                    ptr parents = &mut **parents,
                    ptr center = center,
                    u32 level = &level,
                    ptr levels = &mut self.levels.levels,
                    u32 vertices = &self.vertices,
                ],
                "finding levels"
            )
        }
    }
}

/// The pivots of one or more ascending keys. The last pivot is the last key.
fn pivots(keys: &[u64]) -> [u64; LEVELS] {
    std::array::from_fn(|level| {
        let above = if level + 1 == LEVELS { 0 } else { keys.len() >> (2 * level + 2) };
        keys[keys.len() - 1 - above]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_of_the_keys_above_a_pivot_are_above_the_next_one() {
        let keys: Vec<u64> = (1..=SAMPLES as u64).collect();
        let above = pivots(&keys).map(|pivot| SAMPLES as u64 - pivot);
        assert_eq!(above, [4096, 1024, 256, 64, 16, 4, 0]);
        assert_eq!(pivots(&[7]), [7; LEVELS]);
        assert_eq!(pivots(&[1, 2, 3, 4]), [3, 4, 4, 4, 4, 4, 4]);
    }
}
