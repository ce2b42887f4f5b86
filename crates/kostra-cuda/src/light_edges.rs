//! The light edges of an edge list: a pivot from samples, and the set of the edges up to it. The
//! edges can be divided among several devices.

#![allow(unsafe_code, reason = "kernels are launched, and device memory is known by its address")]

use cudarc::driver::sys::CUdeviceptr;
use cudarc::driver::{CudaSlice, CudaView, DevicePtr};
use kostra_core::Key;

use crate::buffers::{DeviceEdgeSet, DeviceEdges, Keys, address};
use crate::device::DeviceScratch;
use crate::launch::{Kernel, STRIDE_BLOCK, grid_stride, of_keys};
use crate::shared::{arguments, assert_takes, fill, ptr};
use crate::source::Source;
use crate::{Device, DeviceError, light, staging};

const SOURCE: Source = Source::file("light_edges.cu");

/// Samples for the pivot.
const SAMPLES: usize = 1 << 12;
/// The most draws for a sample.
const MOST_DRAWS: f64 = 256.0;
/// With this number divided by the share of light edges as the number of draws, about half of the
/// samples are light. The middle quantiles are the most exact.
const DRAWS_PER_SHARE: f64 = 0.7;

/// The bytes of keys that a lane loads at once in `list_light`.
const LANE_BYTES: u64 = 64;

/// The key and the id of an edge.
pub(crate) type Pivot = (u64, u32);

/// Above every edge.
const ABOVE_ALL: Pivot = (u64::MAX, u32::MAX);

arguments! {
    pub(crate) struct Arguments in SOURCE.text();
    ptr: u v weights taken_u taken_v taken_weights taken_ids sampled set listed places;
    u64: count words pivot_key;
    u32: pivot_id first total kind flip draws samples room;
}

const _: () = {
    assert_takes(SOURCE.text(), "sample_edges", "Arguments");
    assert_takes(SOURCE.text(), "select_light", "Arguments");
    assert_takes(SOURCE.text(), "list_light", "Arguments");
    assert_takes(SOURCE.text(), "take_edges", "Arguments");
};

impl Arguments {
    /// Edges whose ids follow each other from `first` on.
    fn of<K: Key>(edges: &DeviceEdges<K>, first: u32) -> Self {
        let Keys { kind, flip, .. } = edges.keys;
        fill!(Arguments { count: edges.edges.into(), first, kind, flip }, ..Arguments::default();
            edges => u v weights)
    }
}

pub(crate) fn load_kernels(device: &Device, keys: Keys) -> Result<(), DeviceError> {
    let kernels = [
        of_keys!("sample_edges", keys),
        of_keys!("select_light", keys),
        of_keys!("list_light", keys),
        of_keys!("take_edges", keys),
    ];
    kernels.into_iter().try_for_each(|name| device.function(SOURCE, name).map(drop))
}

/// How a pivot is drawn.
#[derive(Clone, Copy)]
pub(crate) struct Sampling {
    /// The number of edges of the graph.
    all: u32,
    /// The share of light edges.
    share: f64,
    /// The draws of a sample.
    draws: u32,
}

impl Sampling {
    /// The sampling for a graph that has edges. The share of light edges is that of `cuda-fast`.
    pub(crate) fn new(vertices: u32, all: u32) -> Self {
        let share = f64::from(light::wanted(vertices, all.into())) / f64::from(all);
        let draws = (DRAWS_PER_SHARE / share).clamp(1.0, MOST_DRAWS) as u32;
        Self { all, share, draws }
    }

    /// Draws samples from edges whose ids follow each other from `first` on. Does not wait for the
    /// kernel.
    pub(crate) fn launch<K: Key>(
        self,
        device: &Device,
        edges: &DeviceEdges<K>,
        first: u32,
    ) -> Result<CudaSlice<u32>, DeviceError> {
        let sampled: CudaSlice<u32> = device.uninit(3 * SAMPLES)?;
        let arguments = Arguments {
            total: self.all,
            draws: self.draws,
            samples: SAMPLES as u32,
            sampled: address(&sampled),
            ..Arguments::of(edges, first)
        };
        let kernel = Kernel::load(device, SOURCE, of_keys!("sample_edges", edges.keys))?;
        let grid = grid_stride(32 * SAMPLES as u64);
        // SAFETY: there is a weight for each edge, and a sample has three words.
        unsafe { kernel.launch(device, grid, &arguments, "sampling edges") }?;
        Ok(sampled)
    }
}

/// For each sample, the least edge that a device drew.
pub(crate) struct Least(Vec<Pivot>);

impl Default for Least {
    fn default() -> Self {
        Self(vec![ABOVE_ALL; SAMPLES])
    }
}

impl Least {
    /// Adds the samples of a device.
    pub(crate) fn lower(
        &mut self,
        device: &Device,
        samples: &CudaSlice<u32>,
    ) -> Result<(), DeviceError> {
        let words = staging::fetch_words(device, samples)?;
        for (least, &[low, high, id]) in self.0.iter_mut().zip(words.as_chunks().0) {
            *least = (u64::from(high) << 32 | u64::from(low), id).min(*least);
        }
        Ok(())
    }

    /// An edge that about the wanted share of all edges do not exceed.
    pub(crate) fn pivot(mut self, sampling: Sampling) -> Pivot {
        // A sample does not exceed the pivot with this probability.
        let probability = 1.0 - (1.0 - sampling.share).powf(sampling.draws.into());
        let at = ((SAMPLES as f64 * probability) as usize).min(SAMPLES - 1);
        *self.0.select_nth_unstable(at).1
    }
}

/// A list of light edges in the scratch memory of their device: their places in the edge list, in
/// any order.
pub(crate) struct LightPlaces<'a> {
    scratch: DeviceScratch<'a>,
    listed: CudaSlice<u32>,
    /// The id of the first edge of the edge list.
    first: u32,
    room: u32,
}

impl LightPlaces<'_> {
    /// The addresses of arrays in the scratch memory for the ends, the weights and the ids of
    /// `room` edges. They begin at multiples of 8 bytes, because `room` is even.
    pub(crate) fn arrays(&self) -> [CUdeviceptr; 4] {
        let start = self.scratch.device_ptr(self.scratch.stream()).0;
        let room = CUdeviceptr::from(self.room);
        [4, 8, 16, 12].map(|bytes| start + bytes * room)
    }

    /// The number of light edges, when they are listed. It may exceed the room of the list.
    pub(crate) fn count(&self, device: &Device) -> Result<u32, DeviceError> {
        Ok(staging::fetch_words(device, &self.listed)?.first().copied().unwrap_or_default())
    }
}

/// The bytes of scratch memory for `room` places, and for their edges with keys of this size.
pub(crate) fn list_bytes(room: u32, key: usize) -> usize {
    room as usize * (16 + key)
}

/// Lists the edges, whose ids follow each other from `first` on, that do not exceed the pivot. The
/// list has room for `room` edges. Does not wait for the kernel.
pub(crate) fn list<'a, K: Key>(
    device: &'a Device,
    edges: &DeviceEdges<K>,
    first: u32,
    pivot: Pivot,
    room: u32,
) -> Result<LightPlaces<'a>, DeviceError> {
    let mut scratch = device.scratch(list_bytes(room, size_of::<K>()))?;
    scratch.take_turn(); // the list takes the place of what the last solve prepared for the next
    let places = LightPlaces { scratch, listed: device.filled(1, 0)?, first, room };
    let name = of_keys!("list_light", edges.keys);
    let (kernel, fit) = Kernel::resident(device, SOURCE, name, STRIDE_BLOCK)?;
    let bytes = u64::from(edges.edges) * size_of::<K>() as u64;
    let mut grid = grid_stride(bytes / LANE_BYTES);
    grid.grid_dim.0 = grid.grid_dim.0.min(fit * device.multiprocessors());
    let (pivot_key, pivot_id) = pivot;
    let arguments = fill!(Arguments {
        pivot_key,
        pivot_id,
        room,
        places: address(&*places.scratch),
    }, ..Arguments::of(edges, first); places => listed);
    // SAFETY: the list has room for `room` places, and there is a weight for each edge.
    unsafe { kernel.launch(device, grid, &arguments, "selecting light edges") }?;
    Ok(places)
}

/// Copies the first `count` listed edges of a list to arrays of ends, weights and ids at these
/// addresses. Does not wait for the kernel.
///
/// # Safety
/// At least `count` edges were listed, and the arrays have room for them.
pub(crate) unsafe fn take<K: Key>(
    device: &Device,
    edges: &DeviceEdges<K>,
    places: &LightPlaces<'_>,
    count: u32,
    [taken_u, taken_v, taken_weights, taken_ids]: [CUdeviceptr; 4],
) -> Result<(), DeviceError> {
    let arguments = Arguments {
        places: address(&*places.scratch),
        count: count.into(),
        taken_u,
        taken_v,
        taken_weights,
        taken_ids,
        ..Arguments::of(edges, places.first)
    };
    let kernel = Kernel::load(device, SOURCE, of_keys!("take_edges", edges.keys))?;
    let grid = grid_stride(count.into());
    // SAFETY: the places are of edges of the list, and the caller guarantees the arrays.
    unsafe { kernel.launch(device, grid, &arguments, "joining light edges") }
}

/// A set of light edges, in the scratch memory of its device.
pub(crate) struct LightSet<'a> {
    scratch: DeviceScratch<'a>,
    words: usize,
}

impl LightSet<'_> {
    /// The set, with one bit for each edge.
    pub(crate) fn view(&self) -> CudaView<'_, u32> {
        // SAFETY: any bytes are valid integers.
        unsafe { self.scratch.slice(..4 * self.words).transmute(self.words) }
            .expect("the memory has this number of words")
    }
}

/// The set of the edges, whose ids follow each other from `first` on, that do not exceed the pivot.
/// Does not wait for the kernel.
pub(crate) fn select<'a, K: Key>(
    device: &'a Device,
    edges: &DeviceEdges<K>,
    first: u32,
    pivot: Pivot,
) -> Result<LightSet<'a>, DeviceError> {
    let bytes = DeviceEdgeSet::bytes(edges.edges as usize);
    let mut scratch = device.scratch(bytes)?;
    scratch.take_turn(); // the set takes the place of what the last solve prepared for the next
    let set = LightSet { scratch, words: bytes / size_of::<u32>() };
    let kernel = Kernel::load(device, SOURCE, of_keys!("select_light", edges.keys))?;
    let (pivot_key, pivot_id) = pivot;
    let arguments = Arguments {
        pivot_key,
        pivot_id,
        set: address(&*set.scratch),
        words: set.words as u64,
        ..Arguments::of(edges, first)
    };
    let grid = grid_stride(2 * arguments.words);
    // SAFETY: the set has this number of words, and there is a weight for each edge.
    unsafe { kernel.launch(device, grid, &arguments, "selecting light edges") }?;
    Ok(set)
}
