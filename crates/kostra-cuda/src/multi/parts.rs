//! Parts of a graph's edges that devices have, and steps that all devices take at the same time.

#![allow(unsafe_code, reason = "device memory is known by its address only")]

use std::sync::{Arc, OnceLock};

use kostra_core::{Key, SolveError};
use kostra_parallel::{Schedule, Team};

use super::forest::{DeviceForest, List};
use super::seat::{name_device, name_devices};
use crate::buffers::{DeviceEdges, Keys};
use crate::light_edges::{Least, Pivot, Sampling};
use crate::transfer::{self, Waking, Way};
use crate::{Device, DeviceError};

/// The edges of one device. Their ids follow each other from `first` on.
pub(super) struct Part<'a, K: Key> {
    pub(super) device: &'a Arc<Device>,
    pub(super) edges: &'a DeviceEdges<K>,
    pub(super) first: u32,
}

/// What is known of the whole graph.
#[derive(Clone, Copy, Debug)]
pub(super) struct WholeGraph {
    /// The number of vertices, and the keys.
    pub(super) graph: (u32, Keys),
    pub(super) edges: usize,
}

/// Whether all devices have the memory that their part, which is passed with its index, needs: a
/// number of bytes of scratch memory, and of other bytes.
pub(super) fn have_room<K: Key>(
    parts: &[Part<'_, K>],
    needs: impl Fn(usize, &Part<'_, K>) -> Result<(usize, usize), SolveError>,
) -> Result<bool, SolveError> {
    for (index, part) in parts.iter().enumerate() {
        let admitted = part
            .device
            .bind()
            .map_err(SolveError::from)
            .and_then(|()| needs(index, part))
            .and_then(|(scratch, others)| part.device.admit(scratch, others));
        match admitted {
            Ok(()) => {}
            Err(SolveError::DeviceMemory { .. }) => return Ok(false),
            Err(error) => return Err(name_device(part.device, error)),
        }
    }
    Ok(true)
}

/// A list of the edges of all these lists, in their order. Without `with_ids`, the ids are not
/// copied.
pub(super) fn joined<K: Key>(
    device: &Device,
    graph: (u32, Keys),
    lists: &[(&Device, &DeviceForest<K>)],
    with_ids: bool,
) -> Result<List<K>, SolveError> {
    let count = lists.iter().map(|(_, list)| list.len()).sum();
    let joined = List::uninit(device, graph, count, 0..0)?;
    let (mut known, mut direct) = (0, Vec::new());
    for &(from, list) in lists {
        let regions = joined.regions(known, list);
        let regions = if with_ids { &regions[..] } else { &regions[..3] };
        known += list.len();
        match Way::between(from, device) {
            // All direct copies are waited for at once.
            Way::Direct => direct.extend_from_slice(regions),
            // SAFETY: the joined list has room for all lists, and they are complete.
            way => unsafe { transfer::copy((from, device), regions, way) }
                .map_err(|error| name_devices(from, device, error))?,
        }
    }
    // SAFETY: as above.
    unsafe { transfer::copy((device, device), &direct, Way::Direct) }?;
    Ok(joined)
}

/// A pivot between light and heavy edges, from samples of all parts.
pub(super) fn find_pivot<K: Key>(
    parts: &[Part<'_, K>],
    sampling: Sampling,
) -> Result<Pivot, SolveError> {
    let samples =
        launch_on_all(parts, |part| sampling.launch(part.device, part.edges, part.first))?;
    let mut least = Least::default();
    for (part, samples) in parts.iter().zip(samples) {
        let lowered = part.device.bind().and_then(|()| least.lower(part.device, &samples));
        lowered.map_err(|error| name_device(part.device, error.into()))?;
    }
    Ok(least.pivot(sampling))
}

/// Launches a kernel on all devices, and does not wait for it. Meanwhile, the links between the
/// first device and all others wake up. The copies that wake them are complete when the second
/// value is dropped.
pub(super) fn launch_and_wake_links<'a, K: Key, R>(
    parts: &'a [Part<'_, K>],
    launch: impl Fn(&'a Part<'_, K>) -> Result<R, DeviceError>,
) -> Result<(Vec<R>, Vec<Waking<'a>>), SolveError> {
    let Some((first, others)) = parts.split_first() else { return Ok((Vec::new(), Vec::new())) };
    let named = |from: &Device, error| name_devices(from, first.device, error);
    let mut waking = Vec::with_capacity(others.len());
    for Part { device, .. } in others {
        let prepared = Waking::prepare(device, first.device);
        waking.extend(prepared.map_err(|error| named(device, error))?);
    }
    let launched = launch_on_all(parts, launch)?;
    for waking in &waking {
        waking.start().map_err(|error| named(waking.from, error))?;
    }
    Ok((launched, waking))
}

/// Launches a kernel on all devices, and does not wait for it.
pub(super) fn launch_on_all<'a, K: Key, R>(
    parts: &'a [Part<'_, K>],
    launch: impl Fn(&'a Part<'_, K>) -> Result<R, DeviceError>,
) -> Result<Vec<R>, SolveError> {
    let launch = |part: &'a Part<'_, K>| {
        let launched = part.device.bind().and_then(|()| launch(part));
        launched.map_err(|error| name_device(part.device, error.into()))
    };
    parts.iter().map(launch).collect()
}

/// Takes a step on all parts at the same time. The error names the device.
pub(super) fn on_all<K: Key, R: Send + Sync>(
    team: &Team<'_>,
    parts: &[Part<'_, K>],
    step: impl Fn(usize, &Part<'_, K>) -> Result<R, SolveError> + Sync,
) -> Result<Vec<R>, SolveError> {
    let devices: Vec<_> = parts.iter().map(|part| &**part.device).collect();
    let results: Vec<_> = parts.iter().map(|_| OnceLock::new()).collect();
    on_devices(team, &devices, &|index| {
        let _ = results[index].set(step(index, &parts[index])?);
        Ok(())
    })?;
    Ok(results.into_iter().filter_map(OnceLock::into_inner).collect())
}

/// [`on_all`] without generic arguments, so that it is compiled once.
fn on_devices(
    team: &Team<'_>,
    devices: &[&Device],
    step: &(dyn Fn(usize) -> Result<(), SolveError> + Sync),
) -> Result<(), SolveError> {
    let results: Vec<_> = devices.iter().map(|_| OnceLock::new()).collect();
    team.distribute(devices.len(), Schedule::Dynamic(1), |_, range| {
        for index in range {
            let device = devices[index];
            let done = device.bind().map_err(SolveError::from).and_then(|()| step(index));
            let _ = results[index].set(done.map_err(|error| name_device(device, error)));
        }
    });
    results.into_iter().filter_map(OnceLock::into_inner).collect()
}
