//! Dense graphs from host memory: the weights are copied first. If the light edges connect the
//! graph, the ends of the others are not copied.
//!
//! * Idea: the device selects light edges by their weights, the host looks up their ends, and the
//!   device finds their forest.
//! * Correctness: Kruskal's algorithm takes the light edges first. If their forest has n - 1 edges,
//!   it spans the graph, and no other edge is in the forest.

#![allow(unsafe_code, reason = "arrays of the device are known by their addresses")]

use std::sync::Arc;

use bytemuck::Zeroable;
use kostra_core::{
    EdgeSet, Edges, Key, OutOfMemory, Run, SolveError, memory, with_capacity_in_large_pages,
};
use kostra_parallel::for_each_mut;

use super::find_on_edges;
use crate::buffers::{DeviceEdges, Keys, download, upload};
use crate::light;
use crate::light_edges::{self, Least, Sampling};
use crate::members::{list_set, load_places};
use crate::staging;
use crate::{Device, DeviceError};

/// With fewer edges, all of them are copied in a few milliseconds.
const LEAST_EDGES: usize = 1 << 24;
/// Whether light edges probably connect the graph, and are few.
pub(super) fn suits(vertices: u32, edges: usize) -> bool {
    edges >= LEAST_EDGES && light::few_connect(vertices, edges)
}

pub(super) fn load_kernels(device: &Device, keys: Keys) -> Result<(), DeviceError> {
    load_places(device)?;
    light_edges::load_kernels(device, keys)
}

/// The forest of a graph with edges, or `None` if the light edges do not connect it. `graph` is
/// allocated for the edges, and gets the weights.
pub(super) fn solve<K: Key>(
    device: &Arc<Device>,
    graph: &DeviceEdges<K>,
    edges: Edges<'_, K>,
    run: &mut Run<'_>,
) -> Result<Option<EdgeSet>, SolveError> {
    let [weights, ..] = graph.transfers(edges);
    // SAFETY: the array was allocated with the length of its source.
    run.upload(|run| unsafe { staging::send(device, &[weights], run.request.threads()) })?;
    let ids = run.phase("light edges", |run| light_ids(device, graph, run.request.threads()))?;
    if ids.is_empty() {
        return Ok(None);
    }
    let light = run.upload(|run| {
        let u = upload(device, &taken(edges.u(), &ids, run.request.threads())?)?;
        let v = upload(device, &taken(edges.v(), &ids, run.request.threads())?)?;
        let weights = upload(device, &taken(edges.weights(), &ids, run.request.threads())?)?;
        let (vertices, keys) = (graph.vertices, graph.keys);
        let (edges, u, v, weights) = (ids.len() as u32, u.into(), v.into(), weights.into());
        Ok::<_, DeviceError>(DeviceEdges { vertices, edges, u, v, weights, keys })
    })?;
    let found = find_on_edges(device, &light, run)?;
    run.download(|_| {
        let words = download(device, &found.words())?;
        let size: u32 = words.iter().map(|word| word.count_ones()).sum();
        if size + 1 != graph.vertices {
            return Ok(None);
        }
        let mut forest = with_capacity_in_large_pages(edges.len().div_ceil(64))?;
        forest.resize(edges.len().div_ceil(64), 0);
        for (at, &id) in ids.iter().enumerate() {
            forest[id as usize / 64] |= u64::from(words[at / 32] >> (at % 32) & 1) << (id % 64);
        }
        Ok(Some(EdgeSet::from_counted_words(forest, size as usize)))
    })
}

/// Copies the ends to the device.
pub(super) fn send_ends<K: Key>(
    device: &Device,
    graph: &DeviceEdges<K>,
    edges: Edges<'_, K>,
    threads: usize,
) -> Result<(), DeviceError> {
    let [_, u, v] = graph.transfers(edges);
    // SAFETY: the arrays were allocated with the lengths of their sources.
    unsafe { staging::send(device, &[u, v], threads) }
}

/// The ids of the light edges, ascending.
fn light_ids<K: Key>(
    device: &Arc<Device>,
    graph: &DeviceEdges<K>,
    threads: usize,
) -> Result<Vec<u64>, DeviceError> {
    let sampling = Sampling::new(graph.vertices, graph.edges);
    let mut least = Least::default();
    least.lower(device, &sampling.launch(device, graph, 0)?)?;
    let set = light_edges::select(device, graph, 0, least.pivot(sampling))?;
    list_set(device, &set.view())?.values(threads)
}

/// The values at these places. Each read waits for memory, so all threads take part.
fn taken<T: Zeroable + Copy + Send + Sync>(
    values: &[T],
    places: &[u64],
    threads: usize,
) -> Result<Vec<T>, OutOfMemory> {
    let mut taken = memory::zeros(places.len())?;
    let each = places.len().div_ceil(threads).max(1);
    let mut parts: Vec<_> = taken.chunks_mut(each).zip(places.chunks(each)).collect();
    for_each_mut(&mut parts, |(taken, places)| {
        for (taken, &place) in taken.iter_mut().zip(*places) {
            *taken = values[place as usize];
        }
    });
    Ok(taken)
}

#[cfg(test)]
mod tests {
    use kostra_core::{EdgeList, Order};

    use super::*;
    use crate::fast::on_edges;

    #[test]
    fn few_light_edges_of_large_graphs_suit() {
        assert!(suits(33_000, 490_000_000) && suits(8_000, 28_000_000));
        assert!(!suits(4_000_000, 2_000_000_000) && !suits(1000, 499_500));
    }

    #[test]
    fn light_edges_that_connect_are_the_answer_and_others_are_refused() {
        let Some(device) = crate::testing::device() else { return };
        let (n, m) = (300_u32, 1 << 17);
        let mut random = crate::testing::random(1);
        for (vertices, weights) in [(n, 1 << 30), (n, 5), (n + 1, 1 << 30)] {
            // The last vertex of the last graph has no edge.
            let mut draw = |below| (0..m).map(|_| random(below)).collect::<Vec<u32>>();
            let (u, v, weights) = (draw(n), draw(n), draw(weights));
            let graph = EdgeList::new(vertices as usize, u, v, weights).unwrap();
            for order in [Order::Minimum, Order::Maximum] {
                let edges = graph.edges(order);
                let copy = DeviceEdges::uninit(&device, edges).unwrap();
                let found = solve(&device, &copy, edges, &mut Run::new()).unwrap();
                send_ends(&device, &copy, edges, 1).unwrap();
                let right = on_edges(&device, &copy, &mut Run::new()).unwrap();
                match found {
                    Some(found) => assert!(found.words() == right.words()),
                    None => assert_eq!(vertices, n + 1),
                }
            }
        }
    }
}
