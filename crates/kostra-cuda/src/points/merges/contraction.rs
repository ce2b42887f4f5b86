//! The levels of contraction.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::CudaSlice;
use cudarc::driver::sys::CUdeviceptr;

use super::kernels::{MERGES, MergeKernels, OUTSIDE, UNFINISHED};
use super::{DeviceMerges, DevicePointTree};
use crate::buffers::{address, download};
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::{grid_stride, launch};
use crate::points::input::DevicePointsError;
use crate::scan::{self, Scan, TileSums};

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

/// The arrays of contraction.
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
            scan: Scan::new(device, scan::Kernels::load(device)?, n, TileSums::OnDevice)?,
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
        while level.edges > 0 {
            self.begin(&level)?;
            self.find_lightest(&level)?;
            if level.first == 0 {
                if download(self.device, &self.flags)?[OUTSIDE] != 0 {
                    return Err(DevicePointsError::NotATree { points: self.points });
                }
                self.hook_points(&level, merges)?;
            } else {
                self.hook(&level)?;
            }
            level = self.contract(&level, &mut next)?;
            std::mem::swap(&mut next, &mut spare);
        }
        self.begin(&level)?;
        Ok(self.contracted)
    }

    /// Contracts the hooked vertices. The next level's edges are written to `next`.
    fn contract(&mut self, level: &Level, next: &mut EdgeList) -> Result<Level, DevicePointsError> {
        while {
            self.device.fill(&mut self.flags, 0)?;
            self.shortcut(level)?;
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
        self.enter_next_level(level)?;
        self.list_remaining(level, remaining, next)?;
        let first = level.first + level.count;
        self.contracted.levels.push(first);
        let (u, v, ids) = (address(&next.u), address(&next.v), address(&next.ids));
        Ok(Level { u, v, ids, edges: remaining, first, count: roots })
    }

    fn begin(&mut self, level: &Level) -> Result<(), DeviceError> {
        // SAFETY: there are fewer than twice as many vertices as points, as `contract` checks.
        unsafe {
            launch!(
                self.device,
                &self.kernels.begin_level,
                grid_stride(level.count.into()),
                (MERGES, "begin_level"),
                [
                    u32 first = &level.first,
                    u32 count = &level.count,
                    ptr lightest = &mut self.contracted.lightest,
                    ptr above = &mut self.contracted.above,
                ],
                "contracting the tree"
            )
        }
    }

    fn find_lightest(&mut self, level: &Level) -> Result<(), DeviceError> {
        // SAFETY: the ends of all edges are there, and the kernel skips ends outside the level.
        unsafe {
            launch!(
                self.device,
                &self.kernels.find_lightest,
                grid_stride(level.edges.into()),
                (MERGES, "find_lightest"),
                [
                    ptr u = &level.u,
                    ptr v = &level.v,
                    ptr ids = &level.ids,
                    u32 edges = &level.edges,
                    u32 first = &level.first,
                    u32 count = &level.count,
                    ptr lightest = &mut self.contracted.lightest,
                    ptr flags = &mut self.flags,
                ],
                "contracting the tree"
            )
        }
    }

    fn hook_points(&mut self, level: &Level, merges: &DeviceMerges) -> Result<(), DeviceError> {
        // SAFETY: all ends are points, and the other arrays have a value for each edge.
        unsafe {
            launch!(
                self.device,
                &self.kernels.hook_points,
                grid_stride(level.edges.into()),
                (MERGES, "hook_points"),
                [
                    ptr u = &level.u,
                    ptr v = &level.v,
                    u32 edges = &level.edges,
                    ptr lightest = &self.contracted.lightest,
                    ptr above = &mut self.contracted.above,
                    ptr remains = &mut self.remaining,
                    ptr lower_clusters = &merges.lower_clusters.address(),
                    ptr higher_clusters = &merges.higher_clusters.address(),
                    ptr sizes = &merges.sizes.address(),
                ],
                "contracting the tree"
            )
        }
    }

    fn hook(&mut self, level: &Level) -> Result<(), DeviceError> {
        // SAFETY: all ends are vertices of the level, and all lists have a value for each edge.
        unsafe {
            launch!(
                self.device,
                &self.kernels.hook,
                grid_stride(level.edges.into()),
                (MERGES, "hook"),
                [
                    ptr u = &level.u,
                    ptr v = &level.v,
                    ptr ids = &level.ids,
                    u32 edges = &level.edges,
                    ptr lightest = &self.contracted.lightest,
                    ptr above = &mut self.contracted.above,
                    ptr remains = &mut self.remaining,
                ],
                "contracting the tree"
            )
        }
    }

    fn shortcut(&mut self, level: &Level) -> Result<(), DeviceError> {
        // SAFETY: vertices are hooked to vertices of the level. Edges have different numbers, so
        // hooks to lightest edges have no cycle.
        unsafe {
            launch!(
                self.device,
                &self.kernels.shortcut,
                grid_stride(level.count.into()),
                (MERGES, "shortcut"),
                [
                    u32 first = &level.first,
                    u32 count = &level.count,
                    ptr above = &mut self.contracted.above,
                    ptr is_root = &mut self.roots,
                    ptr flags = &mut self.flags,
                ],
                "contracting the tree"
            )
        }
    }

    fn enter_next_level(&mut self, level: &Level) -> Result<(), DeviceError> {
        // SAFETY: all vertices of the level are hooked to roots of the level, which have numbers.
        unsafe {
            launch!(
                self.device,
                &self.kernels.enter_next_level,
                grid_stride(level.count.into()),
                (MERGES, "enter_next_level"),
                [
                    u32 first = &level.first,
                    u32 count = &level.count,
                    ptr numbers = &self.roots,
                    ptr above = &mut self.contracted.above,
                ],
                "contracting the tree"
            )
        }
    }

    fn list_remaining(
        &mut self,
        level: &Level,
        remaining: u32,
        next: &mut EdgeList,
    ) -> Result<(), DeviceError> {
        // SAFETY: fewer than half as many edges as points remain, and all places are below that.
        unsafe {
            launch!(
                self.device,
                &self.kernels.contract,
                grid_stride(level.edges.into()),
                (MERGES, "contract"),
                [
                    ptr u = &level.u,
                    ptr v = &level.v,
                    ptr ids = &level.ids,
                    u32 edges = &level.edges,
                    ptr places = &self.remaining,
                    u32 remaining = &remaining,
                    ptr above = &self.contracted.above,
                    ptr next_u = &mut next.u,
                    ptr next_v = &mut next.v,
                    ptr next_ids = &mut next.ids,
                    ptr absorbed_by = &mut self.contracted.absorbed_by,
                ],
                "contracting the tree"
            )
        }
    }
}
