//! The levels of contraction.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::CudaSlice;
use cudarc::driver::sys::CUdeviceptr;

use super::kernels::{Arguments, MergeKernels, OUTSIDE, UNFINISHED};
use super::{DeviceMerges, DevicePointTree};
use crate::buffers::{address, download};
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::{Kernel, grid_stride};
use crate::points::input::DevicePointsError;
use crate::scan::{self, Scan, TileSums};
use crate::shared::fill;

/// What contraction leaves. Vertices have one number over all levels.
pub(super) struct Contracted {
    /// The lightest edge at each vertex. The last vertex has none: `u32::MAX`.
    pub(super) lightest: CudaSlice<u32>,
    /// The vertex of the next level that has absorbed each vertex.
    pub(super) above: CudaSlice<u32>,
    /// The vertex that has absorbed each edge.
    pub(super) absorbed_by: CudaSlice<u32>,
    /// The first vertex of each level above the points.
    pub(super) levels: Vec<u32>,
    pub(super) scan: Scan,
}

pub(super) struct Contraction<'a> {
    device: &'a Device,
    kernels: &'a MergeKernels,
    points: u32,
    contracted: Contracted,
    /// Whether each vertex of a level is a root; then the number of each root.
    roots: CudaSlice<u32>,
    /// Whether each edge of a level remains; then its place.
    remaining: CudaSlice<u32>,
    flags: CudaSlice<u32>,
}

/// The edges that remain on a level above the points.
struct EdgeList {
    u: CudaSlice<u32>,
    v: CudaSlice<u32>,
    ids: CudaSlice<u32>,
}

/// The edges and vertices of a level.
struct Level {
    u: CUdeviceptr,
    v: CUdeviceptr,
    /// Null for the points.
    ids: CUdeviceptr,
    edges: u32,
    first: u32,
    count: u32,
}

impl<'a> Contraction<'a> {
    /// The number of bytes for `points` points, without the scan.
    pub(super) fn bytes(points: usize) -> usize {
        4 * (2 + 2 + 1 + 1 + 1 + 3) * points
    }

    /// Allocates the arrays for `points` points, at least 2.
    pub(super) fn allocate(
        (device, kernels): (&'a Device, &'a MergeKernels),
        points: u32,
    ) -> Result<Self, DeviceError> {
        let n = points as usize;
        let contracted = Contracted {
            lightest: device.uninit(2 * n)?,
            above: device.uninit(2 * n)?,
            absorbed_by: device.uninit(n)?,
            levels: Vec::new(),
            scan: Scan::new(device, scan::ScanKernels::load(device)?, n, TileSums::OnDevice)?,
        };
        let (roots, remaining) = (device.uninit(n)?, device.uninit(n)?);
        let flags = device.filled(2, 0)?;
        Ok(Self { device, kernels, points, contracted, roots, remaining, flags })
    }

    /// Contracts the tree to one vertex, and begins the merges of all edges that merge points.
    pub(super) fn run(
        mut self,
        tree: &DevicePointTree,
        merges: &DeviceMerges,
    ) -> Result<Contracted, DevicePointsError> {
        let half = self.points as usize / 2;
        let list = || {
            let (u, v) = (self.device.uninit(half)?, self.device.uninit(half)?);
            Ok::<_, DeviceError>(EdgeList { u, v, ids: self.device.uninit(half)? })
        };
        let (mut next, mut spare) = (list()?, list()?);
        let (u, v) = (tree.lower_ends.address(), tree.higher_ends.address());
        let mut level =
            Level { u, v, ids: 0, edges: self.points - 1, first: 0, count: self.points };
        let kernels = self.kernels;
        while level.edges > 0 {
            let arguments = &fill!(Arguments {}, ..self.arguments(&level);
                merges => sizes lower_clusters higher_clusters);
            self.launch(&kernels.begin_level, level.count, arguments)?;
            self.launch(&kernels.find_lightest, level.edges, arguments)?;
            if level.first == 0 {
                if download(self.device, &self.flags)?[OUTSIDE] != 0 {
                    return Err(DevicePointsError::NotATree { points: self.points });
                }
                self.launch(&kernels.hook_points, level.edges, arguments)?;
            } else {
                self.launch(&kernels.hook, level.edges, arguments)?;
            }
            level = self.contract(&level, &next)?;
            std::mem::swap(&mut next, &mut spare);
        }
        self.launch(&kernels.begin_level, level.count, &self.arguments(&level))?;
        Ok(self.contracted)
    }

    /// Contracts the hooked vertices. The next level's edges are written to `next`.
    fn contract(&mut self, level: &Level, next: &EdgeList) -> Result<Level, DevicePointsError> {
        let (kernels, arguments) = (self.kernels, &self.arguments(level));
        while {
            self.device.fill(&mut self.flags, 0)?;
            self.launch(&kernels.shortcut, level.count, arguments)?;
            download(self.device, &self.flags)?[UNFINISHED] != 0
        } {}
        let (vertices, edges) = (level.count as usize, level.edges as usize);
        let scan = &mut self.contracted.scan;
        let roots = scan.exclusive_prefix_sum(self.device, &mut self.roots, vertices)?;
        let remaining = scan.exclusive_prefix_sum(self.device, &mut self.remaining, edges)?;
        // Every vertex of a tree has an edge, so that a root has absorbed another vertex. The
        // arrays have room for no more vertices and edges than that leaves.
        if roots > level.count / 2 || remaining + 1 != roots {
            return Err(DevicePointsError::NotATree { points: self.points });
        }
        let (u, v, ids) = (address(&next.u), address(&next.v), address(&next.ids));
        let arguments = &Arguments { remaining, next_u: u, next_v: v, next_ids: ids, ..*arguments };
        self.launch(&kernels.enter_next_level, level.count, arguments)?;
        self.launch(&kernels.contract, level.edges, arguments)?;
        let first = level.first + level.count;
        self.contracted.levels.push(first);
        Ok(Level { u, v, ids, edges: remaining, first, count: roots })
    }

    fn arguments(&self, level: &Level) -> Arguments {
        let &Level { u, v, ids, edges, first, count } = level;
        let places = address(&self.remaining);
        fill!(Arguments { u, v, ids, edges, first, count, places }, ..Arguments::default();
            self.contracted => lightest above absorbed_by; self => roots flags)
    }

    /// Launches a kernel with `items` edges or vertices of the level.
    fn launch(
        &self,
        kernel: &Kernel<Arguments>,
        items: u32,
        arguments: &Arguments,
    ) -> Result<(), DeviceError> {
        let grid = grid_stride(items.into());
        // SAFETY: there are fewer than twice as many vertices as points, as `contract` checks.
        // `find_lightest` skips ends outside the level; on the first level, the host then stops, so
        // all ends are vertices of the level, and vertices are hooked to vertices of the level.
        // Edges have different numbers, so hooks to lightest edges have no cycle, and all vertices
        // are hooked to roots of the level. Fewer than half as many edges as points remain. The
        // merges have a value for each edge.
        unsafe { kernel.launch(self.device, grid, arguments, "contracting the tree") }
    }
}
