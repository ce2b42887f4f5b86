//! The forest of light edges that connect the graph, for graphs with many edges per vertex.
//!
//! * Idea: a pivot is sampled from the edges of all devices, so that the edges up to it, the light
//!   ones, probably connect the graph. Each device selects its light edges and writes them to the
//!   memory of the first device, which finds their forest. The devices share the pass over all
//!   weights, which takes most of the time on dense graphs.
//! * Correctness: Kruskal's algorithm takes the light edges before all others. If they connect the
//!   graph, no other edge is in its forest.

#![allow(unsafe_code, reason = "devices write to arrays that are known by their addresses")]

use kostra_core::{EdgeSet, Key, Run, SolveError};

use super::forest::List;
use super::parts::{Part, WholeGraph, find_pivot, have_room, launch_and_wake_links, launch_on_all};
use super::seat::name_device;
use crate::buffers::{Keys, download_set};
use crate::fast;
use crate::light;
use crate::light_edges::{self, Pivot, Sampling};
use crate::transfer::{self, Region, Way};

/// There is room for this number times the wanted light edges: their number is not exact.
const ROOM: f64 = 1.5;
/// Room for further light edges, which matters on small graphs only.
const LEAST_ROOM: f64 = 4096.0;

/// The forest of all parts, which are in the order of ids and have `all` edges together. `None` if
/// light edges do not connect the graph, a device has too little memory, or devices have no access
/// to each other's memory.
pub(super) fn solve<K: Key>(
    parts: &[Part<'_, K>],
    WholeGraph { graph, edges: all }: WholeGraph,
    run: &mut Run<'_>,
) -> Result<Option<EdgeSet>, SolveError> {
    let Some(first) = parts.first() else { return Ok(None) };
    let wanted = light::wanted(graph.0, all as u64);
    let room = ((ROOM * f64::from(wanted) + LEAST_ROOM) as u32).next_multiple_of(2);
    let is_direct = |part: &Part<'_, K>| Way::between(first.device, part.device) == Way::Direct;
    if !light::few_connect(graph.0, all)
        || !parts.iter().all(is_direct)
        || !fits::<K>(parts, graph, room, all as u32)?
    {
        return Ok(None);
    }
    let named = |error: SolveError| name_device(first.device, error);
    let sampling = Sampling::new(graph.0, all as u32);
    let pivot = run.phase("find pivot", |_| find_pivot(parts, sampling))?;
    let listed = run.phase("select light edges", |_| select(parts, graph, pivot, room))?;
    let Some(listed) = listed else { return Ok(None) };
    run.report.counter("light edges", f64::from(listed.edges.edges));
    let found = run.phase("forest", |_| {
        first.device.bind()?;
        listed.find(first.device, all as u32)
    });
    let found = found.map_err(named)?;
    if found.components() != 1 {
        return Ok(None);
    }
    let words = found.light_words();
    let set = run.download(|run| download_set(first.device, &words, run.request.threads()));
    set.map(Some).map_err(|error| named(error.into()))
}

/// Whether all devices have the memory for `room` light edges.
fn fits<K: Key>(
    parts: &[Part<'_, K>],
    graph: (u32, Keys),
    room: u32,
    all: u32,
) -> Result<bool, SolveError> {
    let own = light_edges::list_bytes(room, size_of::<K>());
    have_room(parts, |index, part| {
        if index > 0 {
            return Ok((own, 0));
        }
        Ok((fast::scratch_bytes_of_list(part.device, graph, room, all)?.max(own), own))
    })
}

/// The light edges of all parts in one list on the first device. `None` if there are more than
/// `room`, or none.
fn select<K: Key>(
    parts: &[Part<'_, K>],
    graph: (u32, Keys),
    pivot: Pivot,
    room: u32,
) -> Result<Option<List<K>>, SolveError> {
    let (places, _waking) = launch_and_wake_links(parts, |part| {
        light_edges::list(part.device, part.edges, part.first, pivot, room)
    })?;
    // The list is allocated while the devices select.
    let device = parts[0].device;
    let known = room as usize;
    let listed = device.bind().and_then(|()| List::uninit(device, graph, known, 0..0));
    let mut listed = listed.map_err(|error| name_device(device, error.into()))?;
    let counts = parts.iter().zip(&places).map(|(part, places)| {
        let count = part.device.bind().and_then(|()| places.count(part.device));
        count.map_err(|error| name_device(part.device, error.into()))
    });
    let counts = counts.collect::<Result<Vec<_>, _>>()?;
    let count = counts.iter().map(|&count| u64::from(count)).sum::<u64>();
    if !(1..=room.into()).contains(&count) {
        return Ok(None);
    }
    listed.edges.edges = 0;
    for ((part, places), count) in parts.iter().zip(&places).zip(counts) {
        let (edges, at) = (part.edges, listed.edges.edges as usize);
        let ([u, v, weights], ids) = (listed.addresses(at), listed.id_address(at));
        let (to, own) = ([u, v, weights, ids], places.arrays());
        let is_first = part.device.ordinal() == device.ordinal();
        // SAFETY: the list has room for the light edges of all parts, and the places were listed.
        // The list is allocated, because its device has listed its own places since.
        let sent = part.device.bind().and_then(|()| unsafe {
            if is_first {
                return light_edges::take(part.device, edges, places, count, to);
            }
            light_edges::take(part.device, edges, places, count, own)?;
            let bytes = [4, 4, size_of::<K>(), 4].map(|size| size * count as usize);
            let region = |array| Region { from: own[array], to: to[array], bytes: bytes[array] };
            transfer::push(
                (part.device, part.device.stream()),
                &std::array::from_fn::<_, 4, _>(region),
            )
        });
        sent.map_err(|error| name_device(part.device, error.into()))?;
        listed.edges.edges += count;
    }
    launch_on_all(parts, |part| part.device.finish())?;
    Ok(Some(listed))
}

#[cfg(test)]
mod tests {
    use kostra_core::{EdgeList, Weight};

    use super::super::fixture::for_shares;
    use super::*;

    /// Checks the forest of a graph with this number of vertices, each edge between two of the
    /// first 40, in shares of several sizes; and whether light edges connect it.
    fn check<W: Weight>(vertices: usize, m: u32, mut weight: impl FnMut(u32) -> W) {
        let mut random = crate::testing::random(1);
        let mut draw = |below| (0..m).map(|_| random(below)).collect::<Vec<u32>>();
        let (u, v, keys) = (draw(40), draw(40), draw(u32::MAX));
        let weights: Vec<W> = keys.into_iter().map(&mut weight).collect();
        let graph = EdgeList::new(vertices, u, v, weights).unwrap();
        let m = m as usize;
        let cuts = [[0, 0], [1, m - 1], [m / 3, m / 2], [m, m]];
        for_shares(&graph, &cuts, |shares, order, cuts| {
            match solve(&shares.parts(), shares.whole, &mut Run::new()).unwrap() {
                Some(found) => assert!(vertices == 40 && found.words() == shares.right.words()),
                None => assert_eq!(vertices, 41, "{order:?}, {cuts:?}"),
            }
            let found = shares.forest();
            assert!(found.words() == shares.right.words(), "{vertices}, {order:?}, {cuts:?}");
        });
    }

    #[test]
    fn light_edges_of_all_shares_that_connect_are_the_answer_and_others_are_refused() {
        for vertices in [40, 41] {
            check(vertices, 100_001, |key| key);
            check(vertices, 100_001, |key| key % 3);
            check(vertices, 100_001, |key| f64::from(key) - 1e9);
        }
    }
}
