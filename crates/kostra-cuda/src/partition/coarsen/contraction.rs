//! Contraction: matched vertices become one vertex of the next graph.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::{CudaFunction, CudaSlice};
use kostra_core::{Encoding, Order, Vertex};

use super::BLOCKS;
use crate::buffers::Keys;
use crate::contraction::Rows;
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::launch;
use crate::partition::DeviceGraph;
use crate::scan::Scan;
use crate::shared::constant;
use crate::sort_rows::{self, RowOrder};
use crate::source::Source;
use crate::step_clock::StepClock;

const SOURCE: Source = Source::file("partition_contract.cu");

const _: () = assert!(constant(SOURCE.text(), "THREADS") as u32 == BLOCKS.threads);

/// The kernels.
pub(super) struct Kernels {
    mark_leaders: CudaFunction,
    map_mates: CudaFunction,
    measure_rows: CudaFunction,
    gather_rows: CudaFunction,
    mark_kept: CudaFunction,
    pack_entries: CudaFunction,
    pack_offsets: CudaFunction,
    project: CudaFunction,
    sort: sort_rows::Kernels,
}

impl Kernels {
    pub(super) fn load(device: &Device) -> Result<Self, DeviceError> {
        let kernel = |name: &str| device.function(SOURCE, name);
        Ok(Self {
            mark_leaders: kernel("mark_leaders")?,
            map_mates: kernel("map_mates")?,
            measure_rows: kernel("measure_rows")?,
            gather_rows: kernel("gather_rows")?,
            mark_kept: kernel("mark_kept")?,
            pack_entries: kernel("pack_entries")?,
            pack_offsets: kernel("pack_offsets")?,
            project: kernel("project")?,
            sort: sort_rows::Kernels::load(device, Keys::of(Encoding::new::<u32>(Order::Minimum)))?,
        })
    }

    /// Gives each of the vertices the part of its coarse vertex.
    pub(super) fn project(
        &self,
        device: &Device,
        map: &CudaSlice<Vertex>,
        coarse_parts: &CudaSlice<u32>,
    ) -> Result<CudaSlice<u32>, DeviceError> {
        let vertices = map.len() as u32;
        let mut parts = device.uninit(map.len())?;
        // SAFETY: the map has coarse vertices, and each of them has a part.
        unsafe {
            launch!(
                device,
                &self.project,
                BLOCKS.for_items(vertices),
                (SOURCE, "project"),
                [
                    ptr coarse_parts = coarse_parts,
                    ptr map = map,
                    u32 vertices = &vertices,
                    ptr parts = &mut parts,
                ],
                "projecting a partition"
            )
        }?;
        Ok(parts)
    }
}

/// The contraction of a level.
pub(super) struct Contractor<'a> {
    pub(super) device: &'a Device,
    pub(super) kernels: &'a Kernels,
    pub(super) graph: &'a DeviceGraph,
    /// The part of each vertex. The vertices of a pair are in one part.
    pub(super) parts: &'a CudaSlice<u32>,
    /// The tracking entry and the mate of each vertex.
    pub(super) matches: CudaSlice<u64>,
}

/// The result of a contraction.
pub(super) struct Contracted {
    /// The coarse graph. Its vertices are in the order of the leaders.
    pub(super) graph: DeviceGraph,
    /// The coarse vertex of each vertex.
    pub(super) map: CudaSlice<Vertex>,
    /// The part of each coarse vertex.
    pub(super) parts: CudaSlice<u32>,
}

/// The rows of the coarse graph, before parallel edges are merged.
struct Gathered {
    /// Weights are the keys. Ids are places in the finer graph.
    rows: Rows<u32>,
    /// The coarse vertex of each entry.
    from: CudaSlice<Vertex>,
    /// The weight and the part of each coarse vertex.
    weights: CudaSlice<u32>,
    parts: CudaSlice<u32>,
}

impl Contractor<'_> {
    /// Makes each pair of matched vertices one vertex.
    pub(super) fn run(
        self,
        scan: &mut Scan,
        clock: &mut StepClock<'_>,
    ) -> Result<Contracted, DeviceError> {
        clock.start()?;
        let (map, vertices) = self.map(scan)?;
        clock.lap("map vertices")?;
        let mut gathered = self.gather((&map, vertices), scan)?;
        clock.lap("gather rows")?;
        let spare = &mut self.empty_rows(0)?;
        let Gathered { rows, from, .. } = &mut gathered;
        self.kernels.sort.sort(self.device, RowOrder::Neighbor, (rows, from), spare)?;
        clock.lap("sort rows")?;
        let mut places = self.device.uninit(rows.entries as usize + 1)?;
        self.mark_kept(&mut gathered, &mut places)?;
        clock.lap("mark parallel edges")?;
        let length = places.len();
        let entries = scan.exclusive_prefix_sum(self.device, &mut places, length)?;
        let Gathered { rows, weights, parts, .. } = gathered;
        let graph = self.pack((vertices, entries), &rows, (&places, weights))?;
        clock.lap("pack rows")?;
        Ok(Contracted { graph, map, parts })
    }

    /// Steps 3 and 4: the coarse vertex of each vertex, and the number of coarse vertices.
    fn map(&self, scan: &mut Scan) -> Result<(CudaSlice<Vertex>, u32), DeviceError> {
        let n = self.graph.vertices;
        let mut map = self.device.uninit(n as usize)?;
        // SAFETY: both arrays have an element for each vertex.
        unsafe {
            launch!(
                self.device,
                &self.kernels.mark_leaders,
                BLOCKS.for_items(n),
                (SOURCE, "mark_leaders"),
                [ptr matches = &self.matches, u32 vertices = &n, ptr map = &mut map],
                "numbering coarse vertices"
            )
        }?;
        let coarse = scan.exclusive_prefix_sum(self.device, &mut map, n as usize)?;
        // SAFETY: mates are vertices.
        unsafe {
            launch!(
                self.device,
                &self.kernels.map_mates,
                BLOCKS.for_items(n),
                (SOURCE, "map_mates"),
                [ptr matches = &self.matches, u32 vertices = &n, ptr map = &mut map],
                "numbering coarse vertices"
            )
        }?;
        Ok((map, coarse))
    }

    /// Memory for as many entries as the graph has, in `vertices` rows.
    fn empty_rows(&self, vertices: u32) -> Result<Rows<u32>, DeviceError> {
        let (device, entries) = (self.device, self.graph.entries);
        Ok(Rows {
            vertices,
            entries,
            first_edge: device.uninit(vertices as usize + 1)?,
            neighbors: device.uninit(entries as usize)?,
            keys: device.uninit(entries as usize)?,
            ids: device.uninit(entries as usize)?,
        })
    }

    /// Steps 5 to 7: the gathered rows, and the weight and the part of each coarse vertex.
    fn gather(
        &self,
        (map, vertices): (&CudaSlice<Vertex>, u32),
        scan: &mut Scan,
    ) -> Result<Gathered, DeviceError> {
        let (device, graph) = (self.device, self.graph);
        let mut rows = self.empty_rows(vertices)?;
        let mut from = device.uninit(graph.entries as usize)?;
        let (mut weights, mut parts) =
            (device.uninit(vertices as usize)?, device.uninit(vertices as usize)?);
        // SAFETY: the map has coarse vertices; `first_edge` has one more element than there are.
        unsafe {
            launch!(
                device,
                &self.kernels.measure_rows,
                BLOCKS.for_items(graph.vertices),
                (SOURCE, "measure_rows"),
                [
                    ptr matches = &self.matches,
                    ptr offsets = &graph.offsets,
                    ptr vertex_weights = &graph.vertex_weights,
                    ptr parts = self.parts,
                    u32 vertices = &graph.vertices,
                    ptr map = map,
                    u32 coarse_vertices = &vertices,
                    ptr starts = &mut rows.first_edge,
                    ptr coarse_weights = &mut weights,
                    ptr coarse_parts = &mut parts,
                ],
                "gathering rows"
            )
        }?;
        let length = rows.first_edge.len();
        scan.exclusive_prefix_sum(device, &mut rows.first_edge, length)?;
        // SAFETY: the gathered rows have a place for each entry.
        unsafe {
            launch!(
                device,
                &self.kernels.gather_rows,
                BLOCKS.for_items(graph.vertices),
                (SOURCE, "gather_rows"),
                [
                    ptr offsets = &graph.offsets,
                    ptr neighbors = &graph.neighbors,
                    ptr edge_weights = &graph.edge_weights,
                    u32 vertices = &graph.vertices,
                    ptr matches = &self.matches,
                    ptr map = map,
                    ptr starts = &rows.first_edge,
                    ptr from = &mut from,
                    ptr gathered_neighbors = &mut rows.neighbors,
                    ptr gathered_weights = &mut rows.keys,
                    ptr ids = &mut rows.ids,
                ],
                "gathering rows"
            )
        }?;
        Ok(Gathered { rows, from, weights, parts })
    }

    /// Step 9: marks the entries that stay, with a mark 0 at the end, and adds up the weights of
    /// parallel edges.
    fn mark_kept(
        &self,
        gathered: &mut Gathered,
        kept: &mut CudaSlice<u32>,
    ) -> Result<(), DeviceError> {
        let Gathered { rows, from, .. } = gathered;
        // SAFETY: the arrays have an element for each entry, and `kept` one more.
        unsafe {
            launch!(
                self.device,
                &self.kernels.mark_kept,
                BLOCKS.for_items(rows.entries + 1),
                (SOURCE, "mark_kept"),
                [
                    ptr from = from,
                    ptr gathered_neighbors = &rows.neighbors,
                    u32 entries = &rows.entries,
                    ptr gathered_weights = &mut rows.keys,
                    ptr kept = kept,
                ],
                "marking parallel edges"
            )
        }
    }

    /// Steps 10 to 14: the coarse graph of `vertices` vertices and `entries` entries.
    fn pack(
        &self,
        (vertices, entries): (u32, u32),
        rows: &Rows<u32>,
        (places, vertex_weights): (&CudaSlice<u32>, CudaSlice<u32>),
    ) -> Result<DeviceGraph, DeviceError> {
        let mut graph = DeviceGraph {
            vertices,
            entries,
            offsets: self.device.uninit(vertices as usize + 1)?,
            neighbors: self.device.uninit(entries as usize)?,
            edge_weights: self.device.uninit(entries as usize)?,
            vertex_weights,
        };
        // SAFETY: places of kept entries are below `entries`.
        unsafe {
            launch!(
                self.device,
                &self.kernels.pack_entries,
                BLOCKS.for_items(rows.entries),
                (SOURCE, "pack_entries"),
                [
                    ptr gathered_neighbors = &rows.neighbors,
                    ptr gathered_weights = &rows.keys,
                    u32 entries = &rows.entries,
                    ptr places = places,
                    ptr neighbors = &mut graph.neighbors,
                    ptr edge_weights = &mut graph.edge_weights,
                ],
                "packing rows"
            )
        }?;
        // SAFETY: starts are places of entries, or the number of entries.
        unsafe {
            launch!(
                self.device,
                &self.kernels.pack_offsets,
                BLOCKS.for_items(vertices + 1),
                (SOURCE, "pack_offsets"),
                [
                    ptr starts = &rows.first_edge,
                    u32 coarse_vertices = &vertices,
                    ptr places = places,
                    ptr offsets = &mut graph.offsets,
                ],
                "packing rows"
            )
        }?;
        Ok(graph)
    }
}
