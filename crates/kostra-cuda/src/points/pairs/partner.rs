//! Another device that compares a part of the queries.
//!
//! It has copies of the points and of what a round knows. Both devices use each other's memory: the
//! partner stores what it finds in the arrays of the first device, and that one reads the partner's
//! answers.

use std::sync::Arc;

use cudarc::driver::CudaSlice;
use kostra_core::{ElementType, Run};

use super::comparer::{Answers, Comparer};
use super::tiles::Tiles;
use super::{RoundedPoints, Rows, launch_pairs};
use crate::buffers::address;
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::grid_stride;
use crate::points::input::{DevicePointsError, PointAddresses};
use crate::points::kernels::{PairArguments, PairKernels};
use crate::points::rounds::Rounds;
use crate::shared::fill;
use crate::transfer::{self, Region, Way};

/// A device that may use the memory of the first one, with its kernels.
pub(in super::super) struct Helper {
    device: Arc<Device>,
    kernels: PairKernels,
    available: u32,
}

impl Helper {
    /// The devices of a run beside `first`, if they can help to compare long rows: both can use the
    /// memory of the other.
    pub(in super::super) fn all(
        first: &Device,
        points: &PointAddresses,
        kinds: (usize, ElementType),
        run: &mut Run<'_>,
    ) -> Result<Vec<Self>, DevicePointsError> {
        let named = run.request.devices();
        if named.len() < 2 || !super::is_long(points.dimensions) {
            return Ok(Vec::new());
        }
        let mut others = named.to_vec();
        if let Some(at) = named.iter().position(|&ordinal| ordinal == first.ordinal()) {
            others.remove(at);
        }
        let mut helpers = Vec::new();
        for ordinal in others {
            let device = Device::open(ordinal)?;
            let direct = |from: &Device, to: &Device| Way::between(from, to) == Way::Direct;
            if !direct(first, &device) || !direct(&device, first) {
                continue;
            }
            let available = device.shared_memory()?;
            let kernels = run.compile(|_| PairKernels::load(&device, kinds, available))?;
            helpers.push(Self { device, kernels, available });
        }
        Ok(helpers)
    }
}

/// A helper with its copies.
pub(super) struct Partner<'a> {
    helper: &'a Helper,
    _coordinates: CudaSlice<u8>,
    points: RoundedPoints,
    labels: CudaSlice<u32>,
    cores: Option<CudaSlice<u64>>,
    bounds: CudaSlice<u64>,
    queries: CudaSlice<u32>,
}

impl<'a> Partner<'a> {
    /// Copies the points. All of them are complete on the device `from`.
    pub(super) fn new(
        helper: &'a Helper,
        from: &Device,
        points: &RoundedPoints,
        has_cores: bool,
    ) -> Result<Self, DeviceError> {
        let device = &*helper.device;
        let copier = Copier { from, to: device };
        let exact = points.exact;
        let bytes = exact.len as usize * exact.stride * exact.coordinates.size();
        // The last row may end before its stride does.
        let used = bytes - (exact.stride - exact.dimensions) * exact.coordinates.size();
        let coordinates = device.uninit(bytes)?;
        copier.copy(exact.address, address(&coordinates), used)?;
        let count = exact.len as usize;
        Ok(Self {
            helper,
            points: points.copied(&copier, address(&coordinates))?,
            _coordinates: coordinates,
            labels: device.uninit(count)?,
            cores: if has_cores { Some(device.uninit(count)?) } else { None },
            bounds: device.uninit(count)?,
            queries: device.uninit(points.slots() as usize)?,
        })
    }

    pub(super) fn comparer(&self) -> Comparer<'_> {
        let Helper { device, kernels, available } = self.helper;
        Comparer { device, kernels, points: &self.points, available: *available }
    }

    pub(super) fn finish(&self) -> Result<(), DeviceError> {
        self.helper.device.finish()
    }

    /// Takes what a round knows of the points. It is complete on the first device.
    pub(super) fn begin(
        &self,
        rounds: &Rounds<'_>,
        points: &RoundedPoints,
    ) -> Result<(), DeviceError> {
        let copier = Copier { from: rounds.device, to: &self.helper.device };
        copier.fill(&rounds.labels, &self.labels)?;
        copier.fill(&rounds.queries, &self.queries)?;
        if let (Some(cores), Some(copy)) = (&rounds.cores, &self.cores) {
            copier.fill(cores, copy)?;
        }
        if let (Some(tiles), Some(copy)) = (&points.tiles, &self.points.tiles) {
            copier.fill(&tiles.slot_labels, &copy.slot_labels)?;
            copier.fill(&tiles.labels, &copy.labels)?;
        }
        Ok(())
    }

    /// Searches for `count` queries from `first` on, with the bounds of the first device, which are
    /// complete.
    pub(super) fn search(
        &self,
        rounds: &Rounds<'_>,
        first: u32,
        count: u32,
    ) -> Result<Answers, DeviceError> {
        let copier = Copier { from: rounds.device, to: &self.helper.device };
        copier.fill(&rounds.bounds, &self.bounds)?;
        let queries = self.queries.slice(first as usize..(first + count) as usize);
        let arguments = fill!(PairArguments {
            slot_labels: self.points.slot_labels(&self.labels),
            queries: address(&queries),
            query_count: count,
            wanted: 1,
        }, ..self.points.arguments(); self => labels cores bounds);
        self.comparer().search(arguments)
    }

    /// Lowers the bounds of the first device to those of this one, whose searches are complete.
    pub(super) fn lower_bounds(
        &self,
        first: Comparer<'_>,
        rounds: &Rounds<'_>,
    ) -> Result<(), DeviceError> {
        let arguments = PairArguments {
            count: rounds.points.count,
            part_keys: address(&self.bounds),
            bounds: address(&rounds.bounds),
            ..PairArguments::default()
        };
        let (grid, kernel) =
            (grid_stride(rounds.points.count.into()), &first.kernels.rounding.lower_bounds);
        launch_pairs(first.device, kernel, grid, &arguments, "joining bounds")
    }
}

/// Copies arrays from one device to another.
struct Copier<'a> {
    from: &'a Device,
    to: &'a Device,
}

impl Copier<'_> {
    fn copy(&self, from: u64, to: u64, bytes: usize) -> Result<(), DeviceError> {
        let regions = [Region { from, to, bytes }];
        // SAFETY: the callers copy whole arrays to arrays of the same length, and wait for the
        // device `from` before.
        unsafe { transfer::copy((self.from, self.to), &regions, Way::Direct) }
    }

    fn fill<T>(&self, array: &CudaSlice<T>, copy: &CudaSlice<T>) -> Result<(), DeviceError> {
        self.copy(address(array), address(copy), array.num_bytes())
    }

    fn copied<T: Copy>(&self, array: &CudaSlice<T>) -> Result<CudaSlice<T>, DeviceError> {
        let copy = self.to.uninit(array.len())?;
        self.fill(array, &copy)?;
        Ok(copy)
    }
}

impl RoundedPoints {
    /// A copy on another device, where the coordinates are at an address.
    fn copied(&self, copier: &Copier<'_>, coordinates: u64) -> Result<Self, DeviceError> {
        let rows = &self.rows;
        Ok(Self {
            exact: PointAddresses { address: coordinates, ..self.exact },
            _directions: None,
            rows: Rows {
                numbers: copier.copied(&rows.numbers)?,
                halves: copier.copied(&rows.halves)?,
                norms: copier.copied(&rows.norms)?,
                errors: copier.copied(&rows.errors)?,
                panels: copier.copied(&rows.panels)?,
            },
            tiles: match &self.tiles {
                Some(tiles) => Some(Tiles {
                    points: copier.copied(&tiles.points)?,
                    slots: copier.copied(&tiles.slots)?,
                    centers: copier.copied(&tiles.centers)?,
                    tiles: copier.copied(&tiles.tiles)?,
                    slot_labels: copier.to.uninit(tiles.slot_labels.len())?,
                    labels: copier.to.uninit(tiles.labels.len())?,
                }),
                None => None,
            },
            scale: self.scale,
            order: copier.copied(&self.order)?,
        })
    }
}
