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

use std::sync::{Mutex, PoisonError};

use cudarc::driver::{CudaSlice, CudaView};
use kostra_core::{Key, Run, SolveError};
use kostra_parallel::{lock, with_team};

use super::forest::{DeviceForest, Ids, forest_edge_bytes, take_members};
use super::parts::{
    Part, WholeGraph, find_pivot, have_room, joined, launch_and_wake_links, on_all,
};
use super::seat::{list_bytes, name_device};
use crate::buffers::{DeviceEdgeSet, Keys};
use crate::light_edges::{self, LightSet, Sampling};
use crate::{DeviceError, fast};

/// With fewer edges per vertex, forests of shares are merged.
const LEAST_DEGREE: usize = 8;
/// Whether a graph has enough edges per vertex.
pub(super) fn suits(vertices: u32, edges: usize) -> bool {
    vertices > 0 && edges / LEAST_DEGREE >= vertices as usize
}

/// The forest of all parts as a set on the first device. The parts are in the order of ids, and
/// have `all` edges together. `None` if a device has too little memory for this way.
pub(super) fn solve<K: Key>(
    parts: &[Part<'_, K>],
    WholeGraph { graph, edges: all }: WholeGraph,
    run: &mut Run<'_>,
) -> Result<Option<DeviceEdgeSet>, SolveError> {
    let Some(first) = parts.first() else { return Ok(None) };
    let pivot = find_pivot(parts, Sampling::new(graph.0, all as u32))?;
    let (sets, _waking) = launch_and_wake_links(parts, |part| {
        light_edges::select(part.device, part.edges, part.first, pivot)
    })?;
    // A thread for each device waits for it. The threads start while the devices select, and stay
    // for all steps, because starting one takes a tenth of a millisecond.
    with_team(parts.len(), |team| {
        let (lights, answer) = run.phase("select light edges", |_| {
            // An allocation of this size takes some tenths of a millisecond, which the devices need
            // for their selections, too.
            let answer = first.device.bind().and_then(|()| DeviceEdgeSet::new(first.device, all));
            let sets: Vec<_> = sets.iter().map(LightSet::view).collect();
            let lights = on_all(team, parts, |index, part| Ok(part.list(&sets[index])?))?;
            Ok::<_, SolveError>((lights, answer))
        })?;
        let count: usize = lights.iter().map(DeviceForest::len).sum();
        run.report.counter("light edges", count as f64);
        let answer = match answer {
            Ok(answer) if count > 0 && fits(parts, count)? => Mutex::new(answer),
            Ok(_) | Err(DeviceError::OutOfMemory { .. }) => return Ok(None),
            Err(error) => return Err(name_device(first.device, error.into())),
        };
        let reduced = run.phase("reduce shares", |_| {
            on_all(team, parts, |index, part| {
                let mut answer = (index == 0).then(|| lock(&answer));
                part.reduce(answer.as_deref_mut(), parts, &lights)
            })
        })?;
        drop(lights);
        let mut answer = answer.into_inner().unwrap_or_else(PoisonError::into_inner);
        run.phase("last forest", |_| finish(parts, graph, &reduced, &mut answer))?;
        Ok(Some(answer))
    })
}

/// What a device finds out about the light edges, and its own edges between their components.
struct Reduced<K: Key> {
    /// The forest of the edges between components, with the ends in the graph.
    heavy: DeviceForest<K>,
    /// On the first device, if there are several components: the component of each vertex.
    labels: Option<CudaSlice<u32>>,
    components: u32,
}

/// Whether all devices have the memory for `lights` light edges beside their own.
fn fits<K: Key>(parts: &[Part<'_, K>], lights: usize) -> Result<bool, SolveError> {
    have_room(parts, |_, part| {
        let scratch = fast::scratch_bytes_with_light(part.device, part.edges, lights as u32)?;
        let vertices = part.edges.vertices as usize;
        let others =
            list_bytes::<K>(lights, 0) + vertices * (forest_edge_bytes::<K>() + size_of::<u32>());
        Ok((scratch, others))
    })
}

impl<K: Key> Part<'_, K> {
    /// The edges of a set.
    fn list(&self, set: &CudaView<'_, u32>) -> Result<DeviceForest<K>, DeviceError> {
        take_members(self.device, self.edges, &Ids::from(self.device, self.first)?, set)
    }

    /// The forest of the part's edges between the components of the light edges. The first device
    /// adds the forest of the light edges to the answer.
    fn reduce(
        &self,
        answer: Option<&mut DeviceEdgeSet>,
        parts: &[Self],
        lights: &[DeviceForest<K>],
    ) -> Result<Reduced<K>, SolveError> {
        let device = &**self.device;
        let lights: Vec<_> = parts.iter().map(|part| &**part.device).zip(lights).collect();
        let graph = (self.edges.vertices, self.edges.keys);
        let list = joined(device, graph, &lights, answer.is_some())?;
        let found = fast::find_with_light(device, self.edges, &list.edges)?;
        let components = found.components();
        let is_connected = components == 1;
        let mut labels = None;
        if let Some(answer) = answer {
            list.mark_members(device, &found.light_words(), answer)?;
            if !is_connected {
                let copy = labels.insert(device.uninit(found.labels().len())?);
                let copied = device.stream().memcpy_dtod(&found.labels(), copy);
                device.check(copied, "copying labels")?;
            }
        }
        let heavy = if is_connected {
            DeviceForest::empty(device)?
        } else {
            take_members(device, self.edges, &Ids::from(device, self.first)?, &found.words())?
        };
        Ok(Reduced { heavy, labels, components })
    }
}

/// Adds the forest of all edges between components of the light edges to the answer, which is on
/// the first device.
fn finish<K: Key>(
    parts: &[Part<'_, K>],
    graph: (u32, Keys),
    reduced: &[Reduced<K>],
    answer: &mut DeviceEdgeSet,
) -> Result<(), SolveError> {
    let (Some(first), Some(Reduced { labels: Some(labels), components, .. })) =
        (parts.first(), reduced.first())
    else {
        return Ok(()); // the light edges connect all vertices
    };
    let device = &**first.device;
    let heavy: Vec<_> =
        parts.iter().zip(reduced).map(|(part, reduced)| (&**part.device, &reduced.heavy)).collect();
    let mut step = || {
        device.bind()?;
        let mut list = joined(device, graph, &heavy, true)?;
        list.contract_ends(device, labels, *components)?;
        list.mark_in(device, answer)
    };
    step().map_err(|error| name_device(device, error))
}

#[cfg(test)]
mod tests {
    use kostra_core::EdgeList;

    use super::super::fixture::for_shares;
    use super::*;

    #[test]
    fn graphs_with_many_edges_per_vertex_have_a_common_pivot() {
        assert!(suits(1, 8) && suits(1000, 8000));
        assert!(!suits(0, 0) && !suits(1000, 7999));
    }

    #[test]
    fn shares_of_any_size_have_the_forest_of_the_whole_graph() {
        if crate::testing::device().is_none() {
            return;
        }
        for (n, m, keys) in [(1, 8, 1), (50, 2000, 1), (50, 2000, 7), (3000, 100_000, 1 << 30)] {
            let mut random = crate::testing::random(1);
            let mut draw = |below| (0..m).map(|_| random(below)).collect::<Vec<u32>>();
            let graph = EdgeList::new(n as usize, draw(n), draw(n), draw(keys)).unwrap();
            let cuts = [[0, 0], [0, 1], [1, m - 1], [m / 3, m / 2], [m, m]];
            for_shares(&graph, &cuts, |shares, order, cuts| {
                let is_right = shares.forest().words() == shares.right.words();
                assert!(is_right, "{n}, {m}, {keys}, {order:?}, {cuts:?}");
            });
        }
    }
}
