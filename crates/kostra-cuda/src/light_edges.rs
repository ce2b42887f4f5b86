//! The light edges of an edge list: a pivot from samples, and the set of the edges up to it. The
//! edges can be divided among several devices.

#![allow(unsafe_code, reason = "kernels are launched, and device memory is known by its address")]

use cudarc::driver::sys::CUdeviceptr;
use cudarc::driver::{CudaSlice, CudaView, DevicePtr};
use kostra_core::Key;

use crate::buffers::{DeviceEdgeSet, DeviceEdges, Keys};
use crate::device::Scratch;
use crate::launch::{STRIDE_BLOCK, grid_stride, launch, of_keys};
use crate::source::Source;
use crate::{Device, DeviceError, fast, staging};

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

/// Loads the kernels for a width of keys.
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
        let share = f64::from(fast::light::wanted(vertices, all.into())) / f64::from(all);
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
        let own = (edges.edges, first);
        // SAFETY: there is a weight for each edge.
        unsafe { sample(device, edges.keys, edges.weights.address(), own, (self.all, self.draws)) }
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
    scratch: Scratch<'a>,
    listed: CudaSlice<u32>,
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
    // SAFETY: there is a weight for each edge.
    unsafe {
        list_light(device, edges.keys, edges.weights.address(), (edges.edges, first), pivot, room)
    }
}

/// Copies the first `count` listed edges of a list to arrays of ends, weights and ids at these
/// addresses. Does not wait for the kernel.
///
/// # Safety
/// At least `count` edges were listed, and the arrays have room for them.
pub(crate) unsafe fn take<K: Key>(
    device: &Device,
    (edges, first): (&DeviceEdges<K>, u32),
    places: &LightPlaces<'_>,
    count: u32,
    to: [CUdeviceptr; 4],
) -> Result<(), DeviceError> {
    let from = [edges.u.address(), edges.v.address(), edges.weights.address()];
    // SAFETY: the places are of edges of the list, and the caller guarantees the arrays.
    unsafe { take_edges(device, edges.keys, places, (count, first), (from, to)) }
}

/// A set of light edges, in the scratch memory of its device.
pub(crate) struct LightSet<'a> {
    scratch: Scratch<'a>,
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
    // SAFETY: there is a weight for each edge.
    unsafe {
        select_light(device, edges.keys, edges.weights.address(), (edges.edges, first), pivot)
    }
}

/// Samples of the graph's `all` edges, three words for each: the least of `draws` draws of those
/// with the `count` ids from `first` on. Compiled once for all widths of keys, as the next
/// function.
///
/// # Safety
/// `weights` is the address of a weight for each of these edges.
unsafe fn sample(
    device: &Device,
    keys: Keys,
    weights: CUdeviceptr,
    (count, first): (u32, u32),
    (all, draws): (u32, u32),
) -> Result<CudaSlice<u32>, DeviceError> {
    let mut sampled: CudaSlice<u32> = device.uninit(3 * SAMPLES)?;
    let kernel = device.function(SOURCE, of_keys!("sample_edges", keys))?;
    // SAFETY: a sample has three words, and the caller guarantees the weights.
    unsafe {
        launch!(
            device,
            &kernel,
            grid_stride(32 * SAMPLES as u64),
            (SOURCE, "sample_edges"),
            [
                ptr weights = &weights,
                u32 count = &count,
                u32 first = &first,
                u32 total = &all,
                u32 kind = &keys.kind,
                u32 flip = &keys.flip,
                u32 draws = &draws,
                u32 samples = &(SAMPLES as u32),
                ptr sampled = &mut sampled,
            ],
            "sampling edges"
        )
    }?;
    Ok(sampled)
}

/// The set of the edges, of those with the `count` ids from `first` on, that do not exceed the
/// pivot.
///
/// # Safety
/// As for [`sample`].
unsafe fn select_light(
    device: &Device,
    keys: Keys,
    weights: CUdeviceptr,
    (count, first): (u32, u32),
    (pivot_key, pivot_id): Pivot,
) -> Result<LightSet<'_>, DeviceError> {
    let bytes = DeviceEdgeSet::bytes(count as usize);
    let mut scratch = device.scratch(bytes)?;
    scratch.take_turn(); // the set takes the place of what the last solve prepared for the next
    let set = LightSet { scratch, words: bytes / size_of::<u32>() };
    let kernel = device.function(SOURCE, of_keys!("select_light", keys))?;
    let words = set.words as u64;
    // SAFETY: the set has this number of words, and there are `count` weights.
    unsafe {
        launch!(
            device,
            &kernel,
            grid_stride(2 * words),
            (SOURCE, "select_light"),
            [
                ptr weights = &weights,
                u64 count = &u64::from(count),
                u32 first = &first,
                u32 kind = &keys.kind,
                u32 flip = &keys.flip,
                u64 pivot_key = &pivot_key,
                u32 pivot_id = &pivot_id,
                ptr set = &set.scratch.device_ptr(device.stream()).0,
                u64 words = &words,
            ],
            "selecting light edges"
        )
    }?;
    Ok(set)
}

/// Lists edges as [`list`] does, of those with the `count` ids from `first` on.
///
/// # Safety
/// As for [`sample`].
unsafe fn list_light(
    device: &Device,
    keys: Keys,
    weights: CUdeviceptr,
    (count, first): (u32, u32),
    (pivot_key, pivot_id): Pivot,
    room: u32,
) -> Result<LightPlaces<'_>, DeviceError> {
    let mut scratch = device.scratch(list_bytes(room, keys.bits() as usize / 8))?;
    scratch.take_turn(); // the list takes the place of what the last solve prepared for the next
    let mut places = LightPlaces { scratch, listed: device.filled(1, 0)?, room };
    let (kernel, fit) = device.resident(SOURCE, of_keys!("list_light", keys), STRIDE_BLOCK)?;
    let mut grid = grid_stride(u64::from(count) * u64::from(keys.bits()) / (8 * LANE_BYTES));
    grid.grid_dim.0 = grid.grid_dim.0.min(fit * device.multiprocessors());
    // SAFETY: the list has room for `room` places, and there are `count` weights.
    unsafe {
        launch!(
            device,
            &kernel,
            grid,
            (SOURCE, "list_light"),
            [
                ptr weights = &weights,
                u64 count = &u64::from(count),
                u32 first = &first,
                u32 kind = &keys.kind,
                u32 flip = &keys.flip,
                u64 pivot_key = &pivot_key,
                u32 pivot_id = &pivot_id,
                ptr listed = &mut places.listed,
                ptr places = &places.scratch.device_ptr(device.stream()).0,
                u32 room = &room,
            ],
            "selecting light edges"
        )
    }?;
    Ok(places)
}

/// Copies edges as [`take`] does, compiled once for all widths of keys.
///
/// # Safety
/// As for [`take`], and the arrays that are copied have all listed places.
unsafe fn take_edges(
    device: &Device,
    keys: Keys,
    places: &LightPlaces<'_>,
    (count, first): (u32, u32),
    ([u, v, weights], [to_u, to_v, to_weights, to_ids]): ([CUdeviceptr; 3], [CUdeviceptr; 4]),
) -> Result<(), DeviceError> {
    let kernel = device.function(SOURCE, of_keys!("take_edges", keys))?;
    // SAFETY: the caller guarantees the places and the arrays.
    unsafe {
        launch!(
            device,
            &kernel,
            grid_stride(count.into()),
            (SOURCE, "take_edges"),
            [
                ptr places = &places.scratch.device_ptr(device.stream()).0,
                u32 count = &count,
                u32 first = &first,
                ptr u = &u,
                ptr v = &v,
                ptr weights = &weights,
                ptr taken_u = &to_u,
                ptr taken_v = &to_v,
                ptr taken_weights = &to_weights,
                ptr taken_ids = &to_ids,
            ],
            "joining light edges"
        )
    }
}
