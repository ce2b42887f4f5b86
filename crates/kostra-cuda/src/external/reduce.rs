//! The reduction: replaces the forest by the forest of itself and the buffer.

#![allow(unsafe_code, reason = "kernels are launched, and device memory is known by its address")]

use cudarc::driver::result;
use cudarc::driver::sys::CUdeviceptr;
use kostra_core::{Key, Run, SolveError};

use super::kernels::Arguments;
use super::sink::{Columns, Sink};
use crate::buffers::{DeviceArray, DeviceEdges, address};
use crate::fast;
use crate::launch::grid_stride;
use crate::members::places_of_members;

impl<K: Key> Sink<K> {
    /// Replaces the forest by the forest of itself and the buffer.
    pub(super) fn unite(&mut self) -> Result<(), SolveError> {
        self.learn_filled()?;
        let filled = self.most_filled;
        self.count_edges(filled);
        self.statistics.reductions += 1;
        if filled > 0 {
            self.forest = self.take_forest(filled)?;
        }
        Ok(self.set_filled(self.forest)?)
    }

    /// Moves the edges of the forest of the first `filled` edges to the front, and returns their
    /// number.
    fn take_forest(&mut self, filled: usize) -> Result<usize, SolveError> {
        let device = &*self.device;
        let list = self.list(filled);
        let found = fast::find_on_edges(device, &list, &mut Run::new())?;
        let words = found.words();
        let (before, members) = places_of_members(device, &words)?;
        let forest = members as usize;
        let Columns { u, v, weights, ids } = &self.columns;
        // The columns are taken to the scratch memory first: a place to which one thread copies may
        // be one from which another thread has not copied yet.
        let (spare, bytes) = found.spare();
        let sizes = [size_of::<u64>(), size_of::<K>(), 4, 4].map(|size| forest * size);
        assert!(sizes.iter().sum::<usize>() <= bytes, "a forest fits into the scratch memory");
        let spare_ids = spare;
        let spare_weights = spare_ids + sizes[0] as CUdeviceptr;
        let spare_u = spare_weights + sizes[1] as CUdeviceptr;
        let spare_v = spare_u + sizes[2] as CUdeviceptr;
        let arguments = Arguments {
            words: address(&words),
            word_count: words.len() as u64,
            before: address(&before),
            taken_u: spare_u,
            taken_v: spare_v,
            taken_weights: spare_weights,
            taken_ids: spare_ids,
            ..self.arguments()
        };
        let grid = grid_stride(arguments.word_count);
        self.launch(&self.kernels.take_forest, grid, &arguments, "listing a forest")?;
        let copies = [
            (spare_ids, address(ids), sizes[0]),
            (spare_weights, address(weights), sizes[1]),
            (spare_u, address(u), sizes[2]),
            (spare_v, address(v), sizes[3]),
        ];
        for (from, to, bytes) in copies.into_iter().filter(|(_, _, bytes)| *bytes > 0) {
            let stream = device.stream().cu_stream();
            // SAFETY: both addresses have the bytes, and all work is on one stream.
            let copied = unsafe { result::memcpy_dtod_async(to, from, bytes, stream) };
            device.check(copied, "copying a forest")?;
        }
        device.finish()?;
        Ok(forest)
    }

    /// The first `len` edges of the forest and the buffer.
    pub(super) fn list(&self, len: usize) -> DeviceEdges<K> {
        let Columns { u, v, weights, .. } = &self.columns;
        // SAFETY: the columns have `len` values, and the callers drop the list before the columns.
        unsafe {
            DeviceEdges {
                vertices: self.vertices,
                edges: len as u32,
                u: DeviceArray::foreign(address(u), len),
                v: DeviceArray::foreign(address(v), len),
                weights: DeviceArray::foreign(address(weights), len),
                keys: self.keys,
            }
        }
    }
}
