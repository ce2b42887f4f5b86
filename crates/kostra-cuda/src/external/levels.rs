//! The levels of the vertices: how heavy the edges are that join a vertex to the center.
//!
//! The forest's edges up to the first pivot are united, and a vertex of the largest component
//! becomes the center. Then the edges between each pivot and the next are united. After each step,
//! the vertices that have come to the component of the center get the level.

use cudarc::driver::CudaSlice;
use kostra_core::{Key, SolveError};

use super::kernels::{Arguments, LEVELS, ONE_BLOCK};
use super::sink::Sink;
use crate::DeviceError;
use crate::buffers::{address, download, upload};
use crate::launch::grid_stride;

/// The most edges that are sampled for the pivots. The last pivot but one has one sample above it.
pub(super) const SAMPLES: usize = 1 << (2 * (LEVELS - 1) + 2);

/// What an error of the driver says that the device was doing.
const DOING: &str = "finding levels";

pub(super) struct Levels {
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
        let mut arguments = Arguments { parents: address(&*scratch), ..self.arguments() };
        let all = grid_stride(self.vertices.into());
        self.launch(&self.kernels.begin_levels, all, &arguments, DOING)?;
        if self.forest == 0 {
            return Ok(());
        }
        let pivots = self.find_pivots()?;
        self.levels.pivots = upload(&device, &pivots)?;
        let center: CudaSlice<u32> = device.uninit(1)?;
        arguments.center = address(&center);
        for (level, &high) in (0..).zip(&pivots) {
            // The keys above the pivot before.
            arguments.low = match level {
                0 => 0,
                _ if pivots[level - 1] == high => continue,
                _ => pivots[level - 1] + 1,
            };
            (arguments.high, arguments.level) = (high, level as u32);
            let edges = grid_stride(arguments.count.into());
            self.launch(&self.kernels.unite, edges, &arguments, DOING)?;
            if level == 0 {
                self.launch(&self.kernels.find_center, ONE_BLOCK, &arguments, DOING)?;
            }
            self.launch(&self.kernels.label_component, all, &arguments, DOING)?;
        }
        Ok(device.finish()?)
    }

    /// Quantiles of the forest's keys, one for each level.
    fn find_pivots(&self) -> Result<[u64; LEVELS], DeviceError> {
        let device = &*self.device;
        let samples = self.forest.min(SAMPLES) as u32;
        let keys: CudaSlice<u64> = device.uninit(samples as usize)?;
        let arguments = Arguments { samples, keys: address(&keys), ..self.arguments() };
        let grid = grid_stride(samples.into());
        self.launch(&self.kernels.sample_keys, grid, &arguments, "sampling edges")?;
        let mut keys = download(device, &keys)?;
        keys.sort_unstable();
        Ok(pivots(&keys))
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
