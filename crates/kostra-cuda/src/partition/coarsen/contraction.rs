//! Contraction: matched vertices become one vertex of the next graph.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::CudaSlice;
use kostra_core::Vertex;

use super::BLOCKS;
use crate::buffers::address;
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::{Kernel, kernels};
use crate::partition::DeviceGraph;
use crate::partition::row_sort::{RowSortKernels, RowSorter, entries_of};
use crate::rows::RoundGraph;
use crate::scan::Scan;
use crate::shared::{arguments, constant, fill, ptr};
use crate::source::Source;
use crate::step_clock::StepClock;

const SOURCE: Source = Source::file("partition_contract.cu");

const _: () = assert!(constant(SOURCE.text(), "THREADS") as u32 == BLOCKS.threads);

arguments! {
    pub(super) struct Arguments in SOURCE.text();
    ptr: offsets neighbors edge_weights vertex_weights parts matches map;
    ptr: starts from gathered_neighbors gathered_weights ids places;
    ptr: coarse_offsets coarse_neighbors coarse_edge_weights coarse_weights coarse_parts;
    u32: vertices entries coarse_vertices;
}

kernels! {
    pub(super) struct Kernels(device) of Arguments in SOURCE;
    mark_leaders map_mates measure_rows gather_rows mark_kept pack_entries pack_offsets
        measure_packed pack_segments project;
}

impl Kernels {
    /// Gives each of the vertices the part of its coarse vertex.
    pub(super) fn project(
        &self,
        device: &Device,
        map: &CudaSlice<Vertex>,
        coarse_parts: &CudaSlice<u32>,
    ) -> Result<CudaSlice<u32>, DeviceError> {
        let vertices = map.len() as u32;
        let parts = device.uninit(map.len())?;
        let arguments = fill!(
            Arguments {
                vertices,
                map: address(map),
                parts: address(&parts),
                coarse_parts: address(coarse_parts),
            },
            ..Arguments::default()
        );
        let grid = BLOCKS.for_items(vertices);
        // SAFETY: the map has coarse vertices, and each of them has a part.
        unsafe { self.project.launch(device, grid, &arguments, "projecting a partition") }?;
        Ok(parts)
    }
}

pub(super) struct Contractor<'a> {
    pub(super) device: &'a Device,
    pub(super) kernels: &'a Kernels,
    pub(super) sort: &'a RowSortKernels,
    pub(super) graph: &'a DeviceGraph,
    /// The part of each vertex. The vertices of a pair are in one part.
    pub(super) parts: &'a CudaSlice<u32>,
    /// The tracking entry and the mate of each vertex.
    pub(super) matches: CudaSlice<u64>,
}

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
    rows: RoundGraph<u32>,
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
        let mut arguments = fill!(Arguments {
            vertices: self.graph.vertices,
            entries: self.graph.entries,
        }, ..Arguments::default();
        self.graph => offsets neighbors edge_weights vertex_weights; self => parts matches);
        clock.start()?;
        let map = self.map(&mut arguments, scan)?;
        clock.lap("map vertices")?;
        let Gathered { mut rows, from, weights, parts } = self.gather(&mut arguments, scan)?;
        clock.lap("gather rows")?;
        let mut sorter = RowSorter::new(self.device, self.sort, rows.entries)?;
        sorter.sort(self.device, &mut rows, &from)?;
        arguments.gathered_neighbors = address(&rows.neighbors);
        arguments.gathered_weights = address(&rows.keys);
        clock.lap("sort rows")?;
        let mut places = self.device.uninit(rows.entries as usize + 1)?;
        arguments.places = address(&places);
        // Step 9: marks the entries that stay, with a mark 0 at the end, and adds up the weights
        // of parallel edges.
        let kernel = &self.kernels.mark_kept;
        self.launch(kernel, rows.entries + 1, &arguments, "marking parallel edges")?;
        clock.lap("mark parallel edges")?;
        let graph = match &mut sorter {
            RowSorter::Merge(..) => {
                let length = places.len();
                let entries = scan.exclusive_prefix_sum(self.device, &mut places, length)?;
                self.pack(entries, weights, &mut arguments)?
            }
            RowSorter::Quick(sort) => {
                sort.enumerate(self.device, &entries_of(&mut rows, &from), &mut places)?;
                self.pack_segments(scan, weights, &mut arguments)?
            }
        };
        clock.lap("pack rows")?;
        Ok(Contracted { graph, map, parts })
    }

    /// Steps 3 and 4: the coarse vertex of each vertex. Stores the number of coarse vertices.
    fn map(
        &self,
        arguments: &mut Arguments,
        scan: &mut Scan,
    ) -> Result<CudaSlice<Vertex>, DeviceError> {
        const DOING: &str = "numbering coarse vertices";
        let n = self.graph.vertices;
        let mut map = self.device.uninit(n as usize)?;
        arguments.map = address(&map);
        self.launch(&self.kernels.mark_leaders, n, arguments, DOING)?;
        arguments.coarse_vertices = scan.exclusive_prefix_sum(self.device, &mut map, n as usize)?;
        self.launch(&self.kernels.map_mates, n, arguments, DOING)?;
        Ok(map)
    }

    /// Steps 5 to 7: the gathered rows, and the weight and the part of each coarse vertex.
    fn gather(&self, arguments: &mut Arguments, scan: &mut Scan) -> Result<Gathered, DeviceError> {
        let (device, graph, vertices) = (self.device, self.graph, arguments.coarse_vertices);
        let mut gathered = Gathered {
            rows: RoundGraph::with_rows(device, vertices, graph.entries)?,
            from: device.uninit(graph.entries as usize)?,
            weights: device.uninit(vertices as usize)?,
            parts: device.uninit(vertices as usize)?,
        };
        let Gathered { rows, from, weights, parts } = &mut gathered;
        *arguments = Arguments {
            starts: address(&rows.first_edge),
            from: address(from),
            gathered_neighbors: address(&rows.neighbors),
            gathered_weights: address(&rows.keys),
            ids: address(&rows.ids),
            coarse_weights: address(weights),
            coarse_parts: address(parts),
            ..*arguments
        };
        let Kernels { measure_rows, gather_rows, .. } = self.kernels;
        self.launch(measure_rows, graph.vertices, arguments, "gathering rows")?;
        let length = rows.first_edge.len();
        scan.exclusive_prefix_sum(device, &mut rows.first_edge, length)?;
        self.launch(gather_rows, graph.vertices, arguments, "gathering rows")?;
        Ok(gathered)
    }

    /// Steps 10 to 14: the coarse graph of `entries` entries.
    fn pack(
        &self,
        entries: u32,
        vertex_weights: CudaSlice<u32>,
        arguments: &mut Arguments,
    ) -> Result<DeviceGraph, DeviceError> {
        let vertices = arguments.coarse_vertices;
        let graph = DeviceGraph {
            vertices,
            entries,
            offsets: self.device.uninit(vertices as usize + 1)?,
            neighbors: self.device.uninit(entries as usize)?,
            edge_weights: self.device.uninit(entries as usize)?,
            vertex_weights,
        };
        arguments.coarse_offsets = address(&graph.offsets);
        arguments.coarse_neighbors = address(&graph.neighbors);
        arguments.coarse_edge_weights = address(&graph.edge_weights);
        let Kernels { pack_entries, pack_offsets, .. } = self.kernels;
        self.launch(pack_entries, arguments.entries, arguments, "packing rows")?;
        self.launch(pack_offsets, vertices + 1, arguments, "packing rows")?;
        Ok(graph)
    }

    /// Steps 11 to 14 as in the source, after the marks of each row were numbered: the sizes of the
    /// coarse rows, their prefix sum, and the copy.
    fn pack_segments(
        &self,
        scan: &mut Scan,
        vertex_weights: CudaSlice<u32>,
        arguments: &mut Arguments,
    ) -> Result<DeviceGraph, DeviceError> {
        const DOING: &str = "packing rows";
        let (device, vertices) = (self.device, arguments.coarse_vertices);
        let length = vertices as usize + 1;
        let mut offsets = device.uninit(length)?;
        arguments.coarse_offsets = address(&offsets);
        self.launch(&self.kernels.measure_packed, vertices + 1, arguments, DOING)?;
        let entries = scan.exclusive_prefix_sum(device, &mut offsets, length)?;
        let graph = DeviceGraph {
            vertices,
            entries,
            offsets,
            neighbors: device.uninit(entries as usize)?,
            edge_weights: device.uninit(entries as usize)?,
            vertex_weights,
        };
        arguments.coarse_neighbors = address(&graph.neighbors);
        arguments.coarse_edge_weights = address(&graph.edge_weights);
        self.launch(&self.kernels.pack_segments, arguments.entries, arguments, DOING)?;
        Ok(graph)
    }

    fn launch(
        &self,
        kernel: &Kernel<Arguments>,
        items: u32,
        arguments: &Arguments,
        doing: &'static str,
    ) -> Result<(), DeviceError> {
        // SAFETY: mates are vertices, and the map has coarse vertices. The gathered rows have a
        // place for each entry, and one more start than coarse vertices. Places of entries that
        // are kept are below the number of entries of the coarse graph.
        unsafe { kernel.launch(self.device, BLOCKS.for_items(items), arguments, doing) }
    }
}
