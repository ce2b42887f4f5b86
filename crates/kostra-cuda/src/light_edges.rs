//! The light edges of an edge list: a pivot from samples, and the set of the edges up to it. The
//! edges can be divided among several devices.

#![allow(unsafe_code, reason = "kernels are launched, and device memory is known by its address")]

use cudarc::driver::sys::CUdeviceptr;
use cudarc::driver::{CudaSlice, CudaView, DevicePtr};
use kostra_core::Key;

use crate::buffers::{DeviceEdgeSet, DeviceEdges, Keys};
use crate::device::Scratch;
use crate::launch::{grid_stride, launch, of_keys};
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

/// The key and the id of an edge.
pub(crate) type Pivot = (u64, u32);

/// Above every edge.
const ABOVE_ALL: Pivot = (u64::MAX, u32::MAX);

/// Loads the kernels for a width of keys.
pub(crate) fn load_kernels(device: &Device, keys: Keys) -> Result<(), DeviceError> {
    [of_keys!("sample_edges", keys), of_keys!("select_light", keys)]
        .into_iter()
        .try_for_each(|name| device.function(SOURCE, name).map(drop))
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
