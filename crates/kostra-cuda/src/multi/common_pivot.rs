//! One pivot for all devices, for graphs with many edges per vertex.
//!
//! * Idea: a pivot is sampled from the edges of all devices. Each device selects its light edges,
//!   those up to the pivot, and all devices get the light edges of all. Each finds the forest of
//!   the light edges, and reduces those of its own edges that leave the components. The first
//!   device finds the forest of these few edges on the contracted components.
//! * Correctness: Kruskal's algorithm takes the light edges before all others. So the forest of the
//!   light edges is part of the graph's forest, and edges inside its components are not. An edge
//!   that is not in the forest of a device's edges between components is the greatest of a cycle of
//!   contracted edges (cycle property).
//! * Each device does the work on light edges for itself, but only its share of the passes over the
//!   other edges.

#![allow(unsafe_code, reason = "kernels are launched, and device memory is known by its address")]

use cudarc::driver::CudaSlice;
use cudarc::driver::sys::CUdeviceptr;
use kostra_core::{Key, Run, SolveError};
use kostra_parallel::{Team, with_team};

use super::forest::{DeviceForest, Ids, SOURCE, forest_edge_bytes, of_keys, take_members};
use super::parts::{Part, have_room, joined, on_all};
use super::seat::{list_bytes, name_device};
use crate::buffers::{DeviceEdgeSet, Keys};
use crate::launch::{grid_stride, launch};
use crate::{Device, DeviceError, fast, staging};

/// With fewer edges per vertex, forests of shares are merged.
const LEAST_DEGREE: usize = 8;
/// Light edges per vertex. More of them leave fewer edges to the second pass.
const LIGHT_DEGREE: f64 = 1.0;
/// Light edges per vertex on graphs of [`fast::DENSE_DEGREE`] edges per vertex, as in `cuda-fast`.
const LIGHT_DEGREE_DENSE: f64 = 2.5;
/// Samples for the pivot.
const SAMPLES: usize = 1 << 12;
/// The most draws for a sample.
const MOST_DRAWS: f64 = 256.0;
/// With this number divided by the share of light edges as the number of draws, about half of the
/// samples are light. The middle quantiles are the most exact.
const DRAWS_PER_SHARE: f64 = 0.7;

/// The key and the id of an edge.
type Pivot = (u64, u32);

/// Whether a graph has enough edges per vertex.
pub(super) fn suits(vertices: u32, edges: usize) -> bool {
    vertices > 0 && edges / LEAST_DEGREE >= vertices as usize
}

/// The forest of all parts as a set on the first device. The parts are in the order of ids, and
/// have `all` edges together. `None` if a device has too little memory for this way.
pub(super) fn solve<K: Key>(
    parts: &[Part<'_, K>],
    (graph, all): ((u32, Keys), usize),
    run: &mut Run<'_>,
) -> Result<Option<DeviceEdgeSet>, SolveError> {
    // A thread for each device waits for it. The threads stay for all steps, because starting one
    // takes a tenth of a millisecond.
    with_team(parts.len(), |team| {
        let lights = run.phase("select light edges", |_| {
            let pivot = find_pivot(team, parts, graph, all)?;
            on_all(team, parts, |_, part| Ok(part.light_edges(pivot)?))
        })?;
        let count: usize = lights.iter().map(DeviceForest::len).sum();
        run.counter("light edges", count as f64);
        if count == 0 || !fits(parts, count)? {
            return Ok(None);
        }
        let reduced = run.phase("reduce shares", |_| {
            on_all(team, parts, |index, part| part.reduce(index == 0, (parts, &lights), all))
        })?;
        drop(lights);
        run.phase("last forest", |_| finish(parts, graph, reduced))
    })
}

/// What the first device notes about the light edges.
struct LightForest {
    /// The edges of their forest.
    set: DeviceEdgeSet,
    /// The label of each vertex.
    labels: CudaSlice<u32>,
    components: u32,
}

/// The forest of a part's edges between components of the light edges, with the ends in the graph.
struct Reduced<K: Key> {
    heavy: DeviceForest<K>,
    /// Of the first device only.
    light: Option<LightForest>,
}

/// An edge that about the wanted number of edges do not exceed.
fn find_pivot<K: Key>(
    team: &Team<'_>,
    parts: &[Part<'_, K>],
    (vertices, _): (u32, Keys),
    all: usize,
) -> Result<Pivot, SolveError> {
    let is_dense = all as u64 / fast::DENSE_DEGREE >= u64::from(vertices);
    let degree = if is_dense { LIGHT_DEGREE_DENSE } else { LIGHT_DEGREE };
    let share = (degree * f64::from(vertices) / all as f64).min(1.0);
    let draws = (DRAWS_PER_SHARE / share).clamp(1.0, MOST_DRAWS) as u32;
    let samples = on_all(team, parts, |_, part| Ok(part.sample(all as u32, draws)?))?;
    let mut least: Vec<Pivot> = samples
        .into_iter()
        .reduce(|mut least, others| {
            least.iter_mut().zip(others).for_each(|(least, other)| *least = other.min(*least));
            least
        })
        .unwrap_or_default();
    // A sample does not exceed the pivot with this probability.
    let probability = 1.0 - (1.0 - share).powf(draws.into());
    let at = ((least.len() as f64 * probability) as usize).min(least.len().saturating_sub(1));
    if least.is_empty() {
        return Ok(Pivot::default());
    }
    Ok(*least.select_nth_unstable(at).1)
}

/// Whether all devices have the memory for `lights` light edges beside their own.
fn fits<K: Key>(parts: &[Part<'_, K>], lights: usize) -> Result<bool, SolveError> {
    have_room(parts, |part| {
        let vertices = part.edges.vertices as usize;
        let others = list_bytes::<K>(lights, 0)
            + vertices * (forest_edge_bytes::<K>() + size_of::<u32>())
            + 2 * DeviceEdgeSet::bytes(part.edges.edges as usize);
        (lights, others)
    })
}

/// Samples of the graph's `all` edges: for each, the least of `draws` draws of those with the
/// `count` ids from `first` on. Compiled once for all widths of keys, as the next function.
///
/// # Safety
/// `weights` is the address of a weight for each of these edges.
unsafe fn sample(
    device: &Device,
    keys: Keys,
    weights: CUdeviceptr,
    (count, first): (u32, u32),
    (all, draws): (u32, u32),
) -> Result<Vec<Pivot>, DeviceError> {
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
    let words = staging::fetch_words(device, &sampled)?;
    let (samples, _) = words.as_chunks();
    Ok(samples
        .iter()
        .map(|&[low, high, id]| (u64::from(high) << 32 | u64::from(low), id))
        .collect())
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
) -> Result<CudaSlice<u32>, DeviceError> {
    let words = DeviceEdgeSet::bytes(count as usize) / size_of::<u32>();
    let mut set: CudaSlice<u32> = device.uninit(words)?;
    let kernel = device.function(SOURCE, of_keys!("select_light", keys))?;
    let words = words as u64;
    // SAFETY: the set has this number of words, and there are `count` weights.
    unsafe {
        launch!(
            device,
            &kernel,
            grid_stride(4 * words),
            (SOURCE, "select_light"),
            [
                ptr weights = &weights,
                u64 count = &u64::from(count),
                u32 first = &first,
                u32 kind = &keys.kind,
                u32 flip = &keys.flip,
                u64 pivot_key = &pivot_key,
                u32 pivot_id = &pivot_id,
                ptr set = &mut set,
                u64 words = &words,
            ],
            "selecting light edges"
        )
    }?;
    Ok(set)
}

impl<K: Key> Part<'_, K> {
    /// Samples of the graph's `all` edges: for each, the least of `draws` draws of this part.
    fn sample(&self, all: u32, draws: u32) -> Result<Vec<Pivot>, DeviceError> {
        let Self { device, edges, first } = *self;
        let own = (edges.edges, first);
        // SAFETY: the part has a weight for each of its edges.
        unsafe { sample(device, edges.keys, edges.weights.address(), own, (all, draws)) }
    }

    /// The edges that do not exceed the pivot.
    fn light_edges(&self, pivot: Pivot) -> Result<DeviceForest<K>, DeviceError> {
        let Self { device, edges, first } = *self;
        if edges.edges == 0 {
            return DeviceForest::empty(device);
        }
        let own = (edges.edges, first);
        // SAFETY: the part has a weight for each of its edges.
        let set = unsafe { select_light(device, edges.keys, edges.weights.address(), own, pivot) }?;
        take_members(device, edges, &Ids::from(device, first)?, &set.as_view())
    }

    /// The forest of the part's edges between the components of the light edges.
    fn reduce(
        &self,
        is_first: bool,
        (parts, lights): (&[Self], &[DeviceForest<K>]),
        all: usize,
    ) -> Result<Reduced<K>, SolveError> {
        let device = &**self.device;
        let lights: Vec<_> = parts.iter().map(|part| &**part.device).zip(lights).collect();
        let graph = (self.edges.vertices, self.edges.keys);
        let list = joined(device, graph, &lights, is_first)?;
        let found = fast::find_with_light(device, self.edges, &list.edges)?;
        let light = if is_first {
            let mut set = DeviceEdgeSet::new(device, all)?;
            list.mark_members(device, &found.light_words(), &mut set)?;
            let mut labels = device.uninit(found.labels().len())?;
            let copied = device.stream().memcpy_dtod(&found.labels(), &mut labels);
            device.check(copied, "copying labels")?;
            Some(LightForest { set, labels, components: found.components() })
        } else {
            None
        };
        let ids = Ids::from(device, self.first)?;
        let heavy = take_members(device, self.edges, &ids, &found.words())?;
        Ok(Reduced { heavy, light })
    }
}

/// The set of the forest of the graph, found on the first device.
fn finish<K: Key>(
    parts: &[Part<'_, K>],
    graph: (u32, Keys),
    mut reduced: Vec<Reduced<K>>,
) -> Result<Option<DeviceEdgeSet>, SolveError> {
    let light = reduced.first_mut().and_then(|first| first.light.take());
    let (Some(first), Some(light)) = (parts.first(), light) else { return Ok(None) };
    let LightForest { mut set, labels, components } = light;
    let device = &**first.device;
    let heavy: Vec<_> = parts
        .iter()
        .zip(&reduced)
        .map(|(part, reduced)| (&**part.device, &reduced.heavy))
        .collect();
    let mut step = || {
        device.bind()?;
        let mut list = joined(device, graph, &heavy, true)?;
        list.contract_ends(device, &labels, components)?;
        list.mark_in(device, &mut set)
    };
    step().map_err(|error| name_device(device, error))?;
    Ok(Some(set))
}

#[cfg(test)]
mod tests {
    use kostra_core::{EdgeList, Order};

    use super::super::{DeviceShare, on_edges};
    use super::*;
    use crate::buffers::DeviceEdges;

    #[test]
    fn graphs_with_many_edges_per_vertex_have_a_common_pivot() {
        assert!(suits(1, 8) && suits(1000, 8000));
        assert!(!suits(0, 0) && !suits(1000, 7999));
    }

    #[test]
    fn shares_of_any_size_have_the_forest_of_the_whole_graph() {
        let Some(first) = crate::testing::device() else { return };
        // With one device, all shares are on it.
        let second = Device::open(1).unwrap_or_else(|_| first.clone());
        for (n, m, keys) in [(1, 8, 1), (50, 2000, 1), (50, 2000, 7), (3000, 100_000, 1 << 30)] {
            let mut state = 1_u64;
            let mut random = |below: u32| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                ((state >> 33) % u64::from(below)) as u32
            };
            let mut draw = |below| (0..m).map(|_| random(below)).collect::<Vec<u32>>();
            let graph = EdgeList::new(n as usize, draw(n), draw(n), draw(keys)).unwrap();
            for order in [Order::Minimum, Order::Maximum] {
                let edges = graph.edges(order);
                let whole = DeviceEdges::upload(&first, edges, 1).unwrap();
                let right = fast::on_edges(&first, &whole, &mut Run::new()).unwrap();
                for cuts in [[0, 0], [0, 1], [1, m - 1], [m / 3, m / 2], [m, m]] {
                    let ranges = [0..cuts[0], cuts[0]..cuts[1], cuts[1]..m];
                    let devices = [&first, &second, &first];
                    let parts: Vec<_> = std::iter::zip(devices, ranges)
                        .map(|(device, range)| {
                            device.bind().unwrap();
                            DeviceEdges::upload(device, edges.range(range), 1).unwrap()
                        })
                        .collect();
                    let shares: Vec<_> = std::iter::zip(devices, &parts)
                        .map(|(device, edges)| DeviceShare { device, edges })
                        .collect();
                    let found = on_edges(&shares, &mut Run::new()).unwrap();
                    assert!(
                        found.words() == right.words(),
                        "{n}, {m}, {keys}, {order:?}, {cuts:?}"
                    );
                }
            }
        }
    }
}
