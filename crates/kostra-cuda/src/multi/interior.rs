//! Each device contracts the interior of its part first, for graphs with few edges per vertex.
//!
//! * Idea: vertices with edges on several devices are *boundary vertices*. Each device contracts
//!   what no other device has a part in. What is left are the boundary vertices, and few edges
//!   between components. The first device finds the forest of these.
//! * Correctness: contract all boundary vertices of a part to one vertex. Each edge of the forest
//!   of this graph is the least of a cut that has only vertices of the interior on one side. All
//!   edges of the cut are in the part. So the edge is in the graph's forest (cut property). The
//!   components of these *certain* edges are contracted. An edge that is not in the forest of the
//!   part's other edges is the greatest of a cycle of contracted edges (cycle property).
//! * Source: this project, as in `mpi-fast`.
//! * Where more than half of a part's vertices are boundary vertices, as in random graphs, forests
//!   of shares are merged.

#![allow(unsafe_code, reason = "kernels are launched, and device memory is known by its address")]

use cudarc::driver::CudaSlice;
use kostra_core::{Key, Run, SolveError};
use kostra_parallel::with_team;

use super::forest::{DeviceForest, Ids, forest_edge_bytes, mark_members, reduce, take_members};
use super::kernels::{Arguments, launch};
use super::parts::{Part, WholeGraph, have_room, joined, on_all};
use super::seat::name_devices;
use crate::buffers::{DeviceArray, DeviceEdgeSet, DeviceEdges, address};
use crate::members::places_of_members;
use crate::shared::fill;
use crate::transfer::{self, Region, Way};
use crate::{Device, DeviceError, fast};

/// The forest of all parts as a set on the first device. The parts are in the order of ids, and
/// have `all` edges together. `None` if a part has too large a boundary or a device too little
/// memory for this way.
pub(super) fn solve<K: Key>(
    parts: &[Part<'_, K>],
    WholeGraph { graph, edges: all }: WholeGraph,
    run: &mut Run<'_>,
) -> Result<Option<DeviceEdgeSet>, SolveError> {
    let (Some(first), true) = (parts.first(), has_room(parts, graph.0)?) else { return Ok(None) };
    with_team(parts.len(), |team| {
        let boundaries = run.phase("find boundary", |_| {
            let devices: Vec<_> = parts.iter().map(|part| &**part.device).collect();
            let ends = on_all(team, parts, |_, Part { device, edges, .. }| {
                Ok(ends_of(device, edges.vertices, (&edges.u, &edges.v))?)
            })?;
            on_all(team, parts, |index, _| boundary_of(index, &devices, &ends))
        })?;
        run.report.counter("boundary vertices", boundaries.iter().map(|b| f64::from(b.len)).sum());
        if boundaries.iter().any(|boundary| boundary.len > boundary.vertices / 2) {
            return Ok(None);
        }
        let contracted = run.phase("contract interiors", |_| {
            on_all(team, parts, |index, part| part.contract(&boundaries[index]))
        })?;
        run.phase("last forest", |_| {
            first.device.bind()?;
            finish(first.device, parts, WholeGraph { graph, edges: all }, &contracted).map(Some)
        })
    })
}

/// The vertices of a part that other parts have, too.
struct Boundary {
    /// A bit for each vertex of the graph.
    set: CudaSlice<u32>,
    /// For each line of the set, the number of members in the lines before it.
    before: CudaSlice<u32>,
    len: u32,
    /// The number of the part's vertices that have edges.
    vertices: u32,
}

/// A part whose interior is contracted.
struct Contracted<K: Key> {
    /// The certain edges of the part, with a bit for each of its edges.
    certain: CudaSlice<u32>,
    /// The forest of the other edges, between representatives of components.
    rest: DeviceForest<K>,
    /// From each boundary vertex to the representative of its component.
    links: DeviceForest<K>,
}

/// Whether all devices have the memory for this way.
fn has_room<K: Key>(parts: &[Part<'_, K>], vertices: u32) -> Result<bool, SolveError> {
    if fast::admit(vertices + 1, 0).is_err() {
        return Ok(false);
    }
    let room = have_room(parts, |_, part| {
        let (n, m) = (vertices as usize, part.edges.edges as usize);
        let forest = n.min(m);
        let others = 8 * m
            + 2 * DeviceEdgeSet::bytes(m)
            + forest * (2 * forest_edge_bytes::<K>() + size_of::<u32>())
            + (parts.len() + 2) * DeviceEdgeSet::bytes(n)
            + n * size_of::<u32>();
        let scratch = fast::scratch_bytes_with_light(part.device, part.edges, forest as u32)?;
        Ok((scratch, others))
    });
    match room {
        Err(SolveError::Unsuitable { .. }) => Ok(false),
        room => room,
    }
}

/// The set of the vertices that have edges in this list.
fn ends_of(
    device: &Device,
    vertices: u32,
    (u, v): (&DeviceArray<u32>, &DeviceArray<u32>),
) -> Result<CudaSlice<u32>, DeviceError> {
    let set = DeviceEdgeSet::new(device, vertices as usize)?;
    let arguments = Arguments {
        u: address(u),
        v: address(v),
        count: u.len() as u64,
        set: address(&set.words),
        ..Arguments::default()
    };
    // SAFETY: there are `count` edges, and the set has a bit for each vertex.
    unsafe { launch(device, "add_ends", &arguments, "finding the boundary") }?;
    device.finish()?; // other devices read the set
    Ok(set.words)
}

/// The boundary of part `index` among all parts, whose devices and ends are given.
fn boundary_of(
    index: usize,
    devices: &[&Device],
    ends: &[CudaSlice<u32>],
) -> Result<Boundary, SolveError> {
    let (device, own) = (devices[index], &ends[index]);
    let set: CudaSlice<u32> = device.filled(own.len(), 0)?;
    for (from, others) in devices.iter().zip(ends) {
        if std::ptr::eq(others, own) {
            continue;
        }
        let other = copy_here(device, from, others)?;
        let arguments = Arguments {
            words: address(own),
            other: address(&other),
            common: address(&set),
            count: own.len() as u64,
            ..Arguments::default()
        };
        // SAFETY: all three sets have `count` words.
        unsafe { launch(device, "add_common", &arguments, "finding the boundary") }?;
    }
    let (_, vertices) = places_of_members(device, &own.as_view())?;
    let (before, len) = places_of_members(device, &set.as_view())?;
    Ok(Boundary { set, before, len, vertices })
}

impl<K: Key> Part<'_, K> {
    fn contract(&self, boundary: &Boundary) -> Result<Contracted<K>, SolveError> {
        let device = &**self.device;
        let ids = Ids::from(device, self.first)?;
        let graph = (self.edges.vertices, self.edges.keys);
        let none = || DeviceForest::empty(device);
        if self.edges.edges == 0 {
            let certain = device.uninit(0)?;
            return Ok(Contracted { certain, rest: none()?, links: none()? });
        }
        let (certain, light) = {
            let left = self.without_boundary(boundary)?;
            let found = fast::find_on_edges(device, &left, &mut Run::new())?;
            let words = found.words();
            let mut certain = device.uninit(words.len())?;
            device.check(device.stream().memcpy_dtod(&words, &mut certain), "copying a forest")?;
            if boundary.len == 0 {
                device.finish()?;
                return Ok(Contracted { certain, rest: none()?, links: none()? });
            }
            (certain, take_members(device, self.edges, &ids, &words)?)
        };
        if light.len() == 0 {
            // All edges are between boundary vertices.
            let rest = reduce(device, self.edges, &ids)?;
            return Ok(Contracted { certain, rest, links: none()? });
        }
        let found = fast::find_with_light(device, self.edges, &light.into_edges(graph))?;
        let rest = take_members(device, self.edges, &ids, &found.words())?;
        let mut links = DeviceForest::uninit(device, boundary.len as usize)?;
        device.fill(&mut links.weights, 0)?;
        contract_rest(device, (&rest, &links), boundary, &found)?;
        Ok(Contracted { certain, rest, links })
    }

    /// The edges, with one more vertex in place of all boundary vertices.
    fn without_boundary(&self, boundary: &Boundary) -> Result<DeviceEdges<K>, DeviceError> {
        let (device, edges) = (&**self.device, self.edges.edges);
        let (u, v) = (device.uninit(edges as usize)?, device.uninit(edges as usize)?);
        let arguments = fill!(Arguments {
            count: edges.into(),
            set: address(&boundary.set),
            hidden: self.edges.vertices,
            taken_u: address(&u),
            taken_v: address(&v),
        }, ..Arguments::default(); self.edges => u v);
        // SAFETY: all arrays have a place for each edge, and the set has a bit for each vertex.
        unsafe { launch(device, "hide_ends", &arguments, "contracting the boundary") }?;
        let weights = &self.edges.weights;
        Ok(DeviceEdges {
            vertices: self.edges.vertices + 1,
            edges,
            u: u.into(),
            v: v.into(),
            // SAFETY: the part's edges outlive this copy.
            weights: unsafe { DeviceArray::foreign(weights.address(), weights.len()) },
            keys: self.edges.keys,
        })
    }
}

/// Replaces the ends of edges by representatives of their components, which `found` has labels of.
/// Lists the links of the boundary vertices.
fn contract_rest<K: Key>(
    device: &Device,
    (rest, links): (&DeviceForest<K>, &DeviceForest<K>),
    boundary: &Boundary,
    found: &fast::FoundForest<'_>,
) -> Result<(), DeviceError> {
    const DOING: &str = "contracting components";
    let representatives: CudaSlice<u32> = device.filled(found.components() as usize, u8::MAX)?;
    let of_vertices = Arguments {
        words: address(&boundary.set),
        count: boundary.set.len() as u64,
        before: address(&boundary.before),
        labels: address(&found.labels()),
        representatives: address(&representatives),
        taken_u: address(&links.u),
        taken_v: address(&links.v),
        ..Arguments::default()
    };
    let of_edges = fill!(Arguments { count: rest.len() as u64 }, ..of_vertices; rest => u v);
    // SAFETY: there is a label for each vertex and a representative for each component. The set has
    // `count` words, and there are `count` other edges. There is a link for each member of the set.
    unsafe {
        launch(device, "represent_by_members", &of_vertices, DOING)?;
        launch(device, "represent_by_ends", &of_edges, DOING)?;
        launch(device, "replace_ends", &of_edges, DOING)?;
        launch(device, "list_links", &of_vertices, DOING)?;
    }
    device.finish()
}

/// The set of the forest of the graph, found on the first device.
fn finish<K: Key>(
    device: &Device,
    parts: &[Part<'_, K>],
    WholeGraph { graph, edges: all }: WholeGraph,
    contracted: &[Contracted<K>],
) -> Result<DeviceEdgeSet, SolveError> {
    let mut set = DeviceEdgeSet::new(device, all)?;
    for (part, Contracted { certain, .. }) in parts.iter().zip(contracted) {
        let certain = copy_here(device, part.device, certain)?;
        mark_members(device, &Ids::from(device, part.first)?, &certain.as_view(), &mut set)?;
    }
    let lists = |of: fn(&Contracted<K>) -> &DeviceForest<K>| -> Vec<_> {
        parts.iter().zip(contracted).map(|(part, c)| (&**part.device, of(c))).collect()
    };
    let rest = joined(device, graph, &lists(|contracted| &contracted.rest), true)?;
    let links = joined(device, graph, &lists(|contracted| &contracted.links), false)?.edges;
    if links.edges == 0 {
        rest.mark_in(device, &mut set)?;
    } else if rest.edges.edges > 0 {
        let found = fast::find_with_light(device, &rest.edges, &links)?;
        rest.mark_members(device, &found.words(), &mut set)?;
    }
    Ok(set)
}

/// A copy of words of another device on this one.
fn copy_here(
    device: &Device,
    from: &Device,
    words: &CudaSlice<u32>,
) -> Result<CudaSlice<u32>, SolveError> {
    let copy = device.uninit(words.len())?;
    let bytes = words.len() * size_of::<u32>();
    let region = Region { from: address(words), to: address(&copy), bytes };
    // SAFETY: both arrays have the bytes, and the other device has finished its work.
    unsafe { transfer::copy((from, device), &[region], Way::between(from, device)) }
        .map_err(|error| name_devices(from, device, error))?;
    Ok(copy)
}

#[cfg(test)]
mod tests {
    use kostra_core::EdgeList;

    use super::super::fixture::for_shares;
    use super::*;

    /// A grid whose edges are in the order of rows, with parallel edges, self-loops, and an edge
    /// to a vertex far away for each `far` edges.
    fn grid(rows: u32, columns: u32, keys: u32, far: usize) -> EdgeList<u32> {
        let n = rows * columns;
        let mut random = crate::testing::random(7);
        let (mut u, mut v) = (Vec::new(), Vec::new());
        for x in 0..n {
            let below = if x + columns < n { x + columns } else { x };
            let right = if (x + 1) % columns == 0 { x } else { x + 1 };
            for end in [right, below, below] {
                u.push(x);
                v.push(if u.len() % far == 0 { random(n) } else { end });
            }
        }
        let weights: Vec<_> = u.iter().map(|_| random(keys)).collect();
        // Two vertices have no edges.
        EdgeList::new(n as usize + 2, u, v, weights).unwrap()
    }

    #[test]
    fn parts_of_graphs_with_locality_have_the_forest_of_the_whole_graph() {
        if crate::testing::device().is_none() {
            return;
        }
        let far_apart = usize::MAX;
        for (rows, columns, keys, far, is_local) in [
            (40, 25, 1, far_apart, true),
            (40, 25, 50, far_apart, true),
            (300, 100, 1 << 30, far_apart, true),
            (300, 100, 1 << 30, 100, true),
            (40, 25, 1 << 30, 2, false),
        ] {
            let graph = grid(rows, columns, keys, far);
            let m = graph.len();
            let cuts = [[0, 0], [0, 1], [1, m - 1], [m / 3, m / 2], [m / 2, m / 2], [m, m]];
            for_shares(&graph, &cuts, |shares, order, cuts| {
                let found = solve(&shares.parts(), shares.whole, &mut Run::new()).unwrap();
                // A part of one edge has boundary vertices only.
                let tiny = cuts == [0, 1] || cuts == [1, m - 1];
                let suits = is_local && !tiny || cuts == [0, 0] || cuts == [m, m];
                assert_eq!(found.is_some(), suits);
                let Some(found) = found else { return };
                let found = found.download(shares.first(), 1).unwrap();
                assert!(
                    found.words() == shares.right.words(),
                    "{rows}, {columns}, {keys}, {far}, {order:?}, {cuts:?}"
                );
            });
        }
    }
}
