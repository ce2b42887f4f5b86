//! `cuda-multi`: shares of the edge list on several devices, whose forests are merged.
//!
//! `docs/algorithms/cuda-multi.md` explains the algorithm.
//!
//! * Idea: each device reduces its share of the edges to the forest of the share with `cuda-fast`.
//!   The forests of neighboring devices are joined and reduced again, along a tree, until one
//!   device has the forest of the graph. A share that is larger than a device is divided: the
//!   device reduces the forest so far together with each next part. If each device has one share,
//!   there are better ways: `connecting` and `common_pivot` for graphs with many edges per vertex,
//!   and `interior` for graphs with locality.
//! * Correctness: an edge that is not in the forest of a share is the greatest of a cycle in the
//!   share, and so of a cycle in the graph (cycle property). Lists are joined in the order of ids,
//!   so the place in a list orders edges of equal weight as the id does.
//! * Source: this project. Sousa 2014 names several GPUs as future work (5.4). Merging forests of
//!   shares of the edges is Dehne & Götz 1998 (there between processors).
//! * Time O((m / p + n log p) log n) work on each of p devices in the worst case.
//! * Memory of a device: its share and the scratch memory of `cuda-fast` for it, or two forests and
//!   the scratch memory for them. The first device also has a bit for each edge.
//! * Input: an edge list with many edges per vertex. On sparse graphs one device is faster. Exact.

mod common_pivot;
mod connecting;
mod division;
#[cfg(test)]
mod fixture;
mod forest;
mod interior;
mod kernels;
mod parts;
mod rank_forest;
mod seat;

use std::sync::Arc;

use kostra_core::{
    Algorithm, EdgeId, EdgeSet, Edges, Key, OptionValues, OutOfMemory, Platform, Problem,
    Representation, Run, SolveError, SolverInfo, SolverOption,
};
use kostra_parallel::edge_ids;

use self::division::{MOST_PER_DEVICE, merge_levels, shares_of, shares_per_device};
use self::forest::forest_edge_bytes;
use self::kernels::load_kernels;
use self::parts::{Part, WholeGraph};
use self::seat::{Seat, graph_of, list_bytes, merge, name_device, on_all};
use crate::buffers::{DeviceEdgeSet, DeviceEdges, Keys};
use crate::error::NoDevice;
use crate::fast::{self, Fast};
use crate::transfer::Way;
use crate::{Device, DeviceError};

pub use self::rank_forest::RankForest;

/// The solver for several devices.
pub(crate) struct Multi;

const ID: &str = "cuda-multi";

const SHARES: SolverOption = SolverOption {
    name: "shares",
    about: "shares of the edges, which devices reduce one after the other; 0: as few as fit",
    default: 0,
    values: OptionValues::Number { lowest: 0, highest: 64 },
};

impl Algorithm for Multi {
    const INFO: SolverInfo = SolverInfo {
        id: ID,
        title: "Forests of shares of the edges, merged, on several GPUs",
        source: "this project; Sousa 2014, 5.4; Dehne & Götz 1998",
        platform: Platform::Cuda,
        representation: Representation::EdgeList,
        exact: true,
        time: "O((m / p + n log p) log n) work on each of p devices",
        scratch: "of cuda-fast for a share or two forests; m / 8 bytes on the first device",
        options: &[SHARES],
    };

    const USES_DEVICES: bool = true;

    fn admit(&self, vertices: u32, edges: usize) -> Result<(), SolveError> {
        // The limit on edges is for each list, and every list is shorter than the graph's.
        Fast.admit(vertices, edges.min(vertices as usize))
    }

    fn solve<K: Key>(
        &self,
        problem: Problem<'_, K>,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        let devices = open(run.request.devices())?;
        let edges = problem.edges();
        if edges.is_empty() {
            return Ok(EdgeSet::new(0));
        }
        let graph = graph_of(edges);
        let shares = match run.request.option(&SHARES) {
            0 => run.compile(|_| fewest_shares::<K>(&devices, graph, edges.len()))?,
            shares => shares as usize,
        };
        if devices.len() == 1 && shares == 1 {
            return fast::from_host(edges, run);
        }
        run.compile(|_| load_all(&devices, graph.1))?;
        solve(&devices, edges, shares, run)
    }

    fn list(&self, forest: EdgeSet, run: &Run<'_>) -> Result<Vec<EdgeId>, OutOfMemory> {
        edge_ids(forest, run.request.threads())
    }
}

/// A share of a graph's edges that is stored on a device.
#[derive(Clone, Copy, Debug)]
pub struct DeviceShare<'a, K: Key> {
    /// The device.
    pub device: &'a Arc<Device>,
    /// The edges, on the vertices of the whole graph.
    pub edges: &'a DeviceEdges<K>,
}

/// The canonical forest of an edge list whose shares are stored on devices. Edge ids count the
/// edges of all shares in the order of `shares`. All shares have the same number of vertices and
/// the same order. Several shares may be on one device.
///
/// # Errors
/// If shares do not belong together, there are 2^32 - 1 edges or more, or a device fails or has too
/// little memory.
pub fn on_edges<K: Key>(
    shares: &[DeviceShare<'_, K>],
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    let Some(first) = shares.first() else { return Ok(EdgeSet::new(0)) };
    let graph = (first.edges.vertices, first.edges.keys);
    let disagree = |share: &DeviceShare<'_, K>| (share.edges.vertices, share.edges.keys) != graph;
    if shares.iter().any(disagree) {
        let what = "the shares have different numbers of vertices or different orders".to_owned();
        return Err(SolveError::Device { what });
    }
    let all = shares.iter().map(|share| share.edges.edges as usize).sum::<usize>();
    if all >= u32::MAX as usize {
        return Err(SolveError::Unsuitable {
            solver: ID,
            cost: "edge ids of more than 32 bits".to_owned(),
            advice: "take mpi-fast",
        });
    }
    if let [only] = shares {
        return fast::on_edges(only.device, only.edges, run);
    }
    let devices: Vec<_> = shares.iter().map(|share| share.device.clone()).collect();
    run.compile(|_| load_all(&devices, graph.1))?;
    let starts: Vec<_> = shares
        .iter()
        .scan(0, |end, share| {
            let start = *end;
            *end += share.edges.edges;
            Some(start)
        })
        .collect();
    let parts: Vec<_> = shares
        .iter()
        .zip(&starts)
        .map(|(share, &first)| Part { device: share.device, edges: share.edges, first })
        .collect();
    let whole = WholeGraph { graph, edges: all };
    if let Some(set) = together(&parts, whole, run)? {
        return Ok(set);
    }
    let mut seats = run.upload(|_| seats::<K>(&devices))?;
    run.report.progress(0, merge_levels(devices.len()).len() + 2)?;
    run.phase("reduce shares", |_| {
        on_all(&mut seats, |index, seat| seat.reduce_resident(shares[index].edges, starts[index]))
    })?;
    merge_all(&mut seats, whole, 1, run)
}

/// Solves a graph in a way in which all devices take part at once, and copies the result to the
/// host. `None` if there is none for this graph, or a device has too little memory for it.
fn together<K: Key>(
    parts: &[Part<'_, K>],
    whole: WholeGraph,
    run: &mut Run<'_>,
) -> Result<Option<EdgeSet>, SolveError> {
    let [first, _, ..] = parts else { return Ok(None) };
    run.report.progress(0, 1)?;
    if let Some(set) = connecting::solve(parts, whole, run)? {
        run.report.progress(1, 1)?;
        return Ok(Some(set));
    }
    let set = if common_pivot::suits(whole.graph.0, whole.edges) {
        common_pivot::solve(parts, whole, run)?
    } else {
        interior::solve(parts, whole, run)?
    };
    let Some(set) = set else { return Ok(None) };
    let set = run.download(|run| set.download(first.device, run.request.threads()));
    let set = set.map_err(|error| name_device(first.device, error.into()))?;
    run.report.progress(1, 1)?;
    Ok(Some(set))
}

fn open(ordinals: &[usize]) -> Result<Vec<Arc<Device>>, NoDevice> {
    for (index, ordinal) in ordinals.iter().enumerate() {
        if ordinals[..index].contains(ordinal) {
            return Err(NoDevice::because(format!(
                "device {ordinal} is named twice; name each device once"
            )));
        }
    }
    ordinals.iter().map(|&ordinal| Device::open(ordinal)).collect()
}

/// Loads the kernels on all devices. If they must be compiled, the first device does it, and the
/// others find the result.
fn load_all(devices: &[Arc<Device>], keys: Keys) -> Result<(), SolveError> {
    devices.iter().try_for_each(|device| {
        let loaded = device.bind().and_then(|()| {
            fast::scratch_bytes(device, 1, 1, keys)?;
            load_kernels(device, keys)
        });
        loaded.map_err(|error| name_device(device, error.into()))
    })
}

/// The least number of shares with which every device can hold its lists.
fn fewest_shares<K: Key>(
    devices: &[Arc<Device>],
    graph: (u32, Keys),
    edges: usize,
) -> Result<usize, SolveError> {
    let mut room = Vec::with_capacity(devices.len());
    for device in devices {
        let bytes = device.bind().and_then(|()| device.available());
        room.push(bytes.map_err(|error| name_device(device, error.into()))?);
    }
    let mut lack = None;
    let fewest = shares_per_device(devices.len(), edges, |share| {
        let fault = devices.iter().zip(&room).find_map(|(device, &free)| {
            let bytes = bytes_of::<K>(device, graph, share, share < edges);
            match bytes {
                Ok(bytes) if bytes <= free => None,
                Ok(bytes) => Some((device, SolveError::DeviceMemory { bytes, free })),
                Err(error) => Some((device, error.into())),
            }
        });
        let fits = fault.is_none();
        lack = fault.or(lack.take());
        fits
    });
    match (fewest, lack) {
        (Some(per_device), _) => Ok(per_device * devices.len()),
        (None, Some((device, error))) => Err(name_device(device, error)),
        (None, None) => Ok(MOST_PER_DEVICE * devices.len()),
    }
}

/// The bytes that a device needs for a share, with the forest so far, and to merge two forests.
fn bytes_of<K: Key>(
    device: &Device,
    (vertices, keys): (u32, Keys),
    share: usize,
    merges: bool,
) -> Result<usize, DeviceError> {
    /// The bytes that the driver needs in addition to the arrays.
    const DRIVER: usize = 64 << 20;
    let forest = if merges { share.min(vertices as usize) } else { 0 };
    let one = |known: usize, others: usize| {
        let edges = u32::try_from(known + others).unwrap_or(u32::MAX);
        if edges > fast::MOST_ENTRIES {
            return Ok(usize::MAX); // too long for a list
        }
        let scratch = fast::scratch_bytes(device, vertices, edges, keys)?;
        Ok::<_, DeviceError>(scratch.saturating_add(list_bytes::<K>(known, others)))
    };
    let lists = one(forest, share)?.max(one(2 * forest, 0)?);
    Ok(lists.saturating_add(forest * forest_edge_bytes::<K>() + DRIVER))
}

fn seats<K: Key>(devices: &[Arc<Device>]) -> Result<Vec<Seat<K>>, SolveError> {
    let seat = |device: &Arc<Device>| {
        let seat = device.bind().and_then(|()| Seat::new(device.clone()));
        seat.map_err(|error| name_device(device, error.into()))
    };
    // Where devices can read each other's memory, they get the access now.
    for pair in devices.windows(2) {
        Way::between(&pair[1], &pair[0]);
    }
    devices.iter().map(seat).collect()
}

/// Solves a graph that has edges, in `shares` shares.
fn solve<K: Key>(
    devices: &[Arc<Device>],
    edges: Edges<'_, K>,
    shares: usize,
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    let (count, all) = (devices.len(), edges.len());
    let whole = WholeGraph { graph: graph_of(edges), edges: all };
    let own: Vec<_> = (0..count).map(|device| shares_of(device, count, shares, all)).collect();
    let turns = own.iter().map(Vec::len).max().unwrap_or_default();
    let threads = run.request.threads().div_ceil(count);
    let steps = turns + merge_levels(count).len() + 1;
    let mut seats = run.upload(|_| seats::<K>(devices))?;
    for turn in 0..turns {
        run.report.progress(turn, steps)?;
        run.upload(|_| {
            on_all(&mut seats, |index, seat| match own[index].get(turn) {
                Some(share) => {
                    seat.upload(edges, share.clone(), threads)?;
                    seat.reserve(edges.vertices(), share.len())
                }
                None => Ok(()),
            })
        })?;
        if turns == 1 {
            let starts = own.iter().map(|shares| shares.first().map_or(0, |share| share.start));
            let parts: Vec<_> = seats
                .iter()
                .zip(starts)
                .filter_map(|(seat, start)| {
                    Some(Part {
                        device: &seat.device,
                        edges: &seat.list.as_ref()?.edges,
                        first: start as u32,
                    })
                })
                .collect();
            if let Some(set) = together(&parts, whole, run)? {
                return Ok(set);
            }
        }
        // The last list of a single device is marked as it is.
        if count > 1 || turn + 1 < turns {
            run.phase("reduce shares", |_| on_all(&mut seats, |_, seat| seat.reduce()))?;
        }
    }
    merge_all(&mut seats, whole, turns, run)
}

/// Merges the forests of all seats, and copies the result to the host. The run has taken `turns`
/// steps.
fn merge_all<K: Key>(
    seats: &mut [Seat<K>],
    WholeGraph { graph, edges: all }: WholeGraph,
    turns: usize,
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    let levels = merge_levels(seats.len());
    let steps = turns + levels.len() + 1;
    let forests: usize = seats.iter().map(|seat| seat.forest.len()).sum();
    run.report.counter("edges of the shares' forests", forests as f64);
    for (index, pairs) in levels.iter().enumerate() {
        run.report.progress(turns + index, steps)?;
        let reduces = index + 1 < levels.len();
        run.phase("merge forests", |_| merge(seats, graph, pairs, reduces))?;
    }
    let Some(root) = seats.first_mut() else { return Ok(EdgeSet::new(all)) };
    let device = root.device.clone();
    let named = |error: DeviceError| name_device(&device, error.into());
    device.bind().map_err(named)?;
    let set = run.phase("last forest", |_| match root.list.take() {
        Some(list) => list.mark(&device, all),
        None => Ok(DeviceEdgeSet::new(&device, all)?),
    });
    let set = set.map_err(|error| name_device(&device, error))?;
    let set = run.download(|run| set.download(&device, run.request.threads())).map_err(named)?;
    run.report.progress(steps, steps)?;
    Ok(set)
}
