//! A device as a member.

#![allow(unsafe_code, reason = "kernels are launched")]

use std::ops::Range;

use cudarc::driver::CudaSlice;
use kostra_core::{EdgeId, EdgeSet, Key, SolveError, Vertex};
use kostra_cuda::buffers::{DeviceEdgeSet, address, download, upload};
use kostra_cuda::launch::Kernel;
use kostra_cuda::scan::{Scan, TileSums};
use kostra_cuda::shared::fill;
use kostra_cuda::{Device, DeviceError};

use super::kernels::{Arguments, BLOCKS, Kernels};
use super::member::{Destinations, Listed, Member, NewRows, OwnRows};

/// Rows on a device.
struct DeviceRows<K: Key> {
    begin: Vertex,
    first_edge: CudaSlice<u32>,
    neighbors: CudaSlice<Vertex>,
    keys: CudaSlice<K>,
    ids: CudaSlice<EdgeId>,
}

/// Edges of the contracted graph on a device.
struct DeviceList<K: Key> {
    from: CudaSlice<Vertex>,
    to: CudaSlice<Vertex>,
    keys: CudaSlice<K>,
    ids: CudaSlice<EdgeId>,
}

impl<K: Key> DeviceList<K> {
    fn uninit(device: &Device, edges: usize) -> Result<Self, DeviceError> {
        Ok(Self {
            from: device.uninit(edges)?,
            to: device.uninit(edges)?,
            keys: device.uninit(edges)?,
            ids: device.uninit(edges)?,
        })
    }

    /// Copies edges to the host.
    fn download(&self, device: &Device, places: Range<usize>) -> Result<Listed<K>, DeviceError> {
        if places.is_empty() {
            return Ok(Listed::default());
        }
        Ok(Listed {
            from: download(device, &self.from.slice(places.clone()))?,
            to: download(device, &self.to.slice(places.clone()))?,
            keys: download(device, &self.keys.slice(places.clone()))?,
            ids: download(device, &self.ids.slice(places))?,
        })
    }
}

/// A device with the rows of its vertices.
pub(super) struct DeviceMember<'a, K: Key> {
    device: &'a Device,
    kernels: Kernels,
    rows: DeviceRows<K>,
    minimum_id: CudaSlice<EdgeId>,
    /// Of all vertices.
    successor: CudaSlice<Vertex>,
    color: CudaSlice<Vertex>,
    new_vertex: CudaSlice<u32>,
    /// The edges of the contracted graph, and the places of those for the device itself.
    listed: DeviceList<K>,
    own: Range<usize>,
    changed: CudaSlice<u32>,
    forest: DeviceEdgeSet,
}

impl<'a, K: Key> DeviceMember<'a, K> {
    /// A member without rows, for a graph with numbers of vertices and edges.
    pub(super) fn new(
        device: &'a Device,
        kernels: Kernels,
        (vertices, edges): (u32, usize),
    ) -> Result<Self, DeviceError> {
        bind(device)?;
        let n = vertices as usize;
        let rows = OwnRows { first_edge: vec![0], ..OwnRows::default() };
        Ok(Self {
            device,
            kernels,
            rows: uploaded(device, &rows)?,
            minimum_id: device.uninit(0)?,
            successor: device.uninit(n)?,
            color: device.uninit(n)?,
            new_vertex: device.uninit(n)?,
            listed: DeviceList::uninit(device, 0)?,
            own: 0..0,
            changed: device.uninit(1)?,
            forest: DeviceEdgeSet::new(device, edges)?,
        })
    }

    fn count(&self) -> u32 {
        self.rows.first_edge.len() as u32 - 1
    }

    /// The own vertices.
    fn block(&self) -> Range<Vertex> {
        self.rows.begin..self.rows.begin + self.count()
    }

    /// The own part of an array of all vertices.
    fn own_part(&self, array: &CudaSlice<u32>) -> Result<Vec<u32>, DeviceError> {
        let block = self.block();
        if block.is_empty() {
            return Ok(Vec::new());
        }
        download(self.device, &array.slice(block.start as usize..block.end as usize))
    }

    fn arguments(&self) -> Arguments {
        fill!(Arguments {
            begin: self.rows.begin,
            count: self.count(),
            forest: address(&self.forest.words),
        }, ..Arguments::default();
        self.rows => first_edge neighbors keys ids;
        self => minimum_id successor color new_vertex changed)
    }

    /// Launches a kernel with one thread for each of `items` vertices or edges.
    fn launch(
        &self,
        kernel: &Kernel<Arguments>,
        items: u32,
        arguments: &Arguments,
    ) -> Result<(), DeviceError> {
        let grid = BLOCKS.for_items(items);
        // SAFETY: the rows are valid, other ends and colors are vertices, and the arrays have a
        // value for each own vertex, or each vertex. Lists and new rows have a place for each edge
        // that was counted. The forest has a bit for each id.
        unsafe { kernel.launch(self.device, grid, arguments, "contracting a graph") }
    }
}

impl<K: Key> Member<K> for DeviceMember<'_, K> {
    fn bind(&self) -> Result<(), SolveError> {
        Ok(bind(self.device)?)
    }

    fn take_rows(&mut self, rows: OwnRows<K>) -> Result<(), SolveError> {
        self.rows = uploaded(self.device, &rows)?;
        self.minimum_id = self.device.uninit(self.count() as usize)?;
        Ok(())
    }

    fn find_minimum_edges(&mut self) -> Result<Vec<Vertex>, SolveError> {
        self.launch(&self.kernels.find_minimum_edges, self.count(), &self.arguments())?;
        Ok(self.own_part(&self.successor)?)
    }

    fn remove_mirrored_edges(&mut self, successor: &[Vertex]) -> Result<Vec<Vertex>, SolveError> {
        self.successor = upload(self.device, successor)?;
        let arguments = &self.arguments();
        self.launch(&self.kernels.remove_mirrored_edges, self.count(), arguments)?;
        self.launch(&self.kernels.initialize_colors, self.count(), arguments)?;
        Ok(self.own_part(&self.color)?)
    }

    fn propagate_colors(&mut self, color: &[Vertex]) -> Result<(Vec<Vertex>, bool), SolveError> {
        self.color = upload(self.device, color)?;
        self.device.fill(&mut self.changed, 0)?;
        self.launch(&self.kernels.propagate_colors, self.count(), &self.arguments())?;
        let changed = download(self.device, &self.changed)? != [0];
        Ok((self.own_part(&self.color)?, changed))
    }

    fn create_new_vertex_ids(&mut self, _color: &[Vertex]) -> Result<(Vec<u32>, u32), SolveError> {
        // The device has had all colors since the last sweep, which changed none of any member.
        let (device, count) = (self.device, self.count());
        let mut flags = device.uninit(count as usize)?;
        let arguments = Arguments { flags: address(&flags), ..self.arguments() };
        self.launch(&self.kernels.flag_roots, count, &arguments)?;
        let kernels = self.kernels.scan.clone();
        let mut scan = Scan::new(device, kernels, count as usize, TileSums::OnDevice)?;
        let roots = scan.exclusive_prefix_sum(device, &mut flags, count as usize)?;
        Ok((download(device, &flags)?, roots))
    }

    fn count_new_edges(
        &mut self,
        _color: &[Vertex],
        (new_vertex, new_vertices): (&[u32], usize),
    ) -> Result<Vec<u32>, SolveError> {
        self.new_vertex = upload(self.device, new_vertex)?;
        let outdegree = self.device.filled(new_vertices, 0)?;
        let arguments = Arguments { outdegree: address(&outdegree), ..self.arguments() };
        self.launch(&self.kernels.count_new_edges, self.count(), &arguments)?;
        Ok(download(self.device, &outdegree)?)
    }

    fn list_new_edges(
        &mut self,
        _color: &[Vertex],
        _new_vertex: &[u32],
        destinations: &Destinations<'_>,
    ) -> Result<Vec<Listed<K>>, SolveError> {
        let (device, places) = (self.device, destinations.places());
        let edges = destinations.sizes.iter().sum::<u32>() as usize;
        self.listed = DeviceList::uninit(device, edges)?;
        let starts = upload(device, destinations.starts)?;
        let next_in_list = upload(device, &places)?;
        let list = &self.listed;
        let arguments = Arguments {
            starts: address(&starts),
            next_in_list: address(&next_in_list),
            list_from: address(&list.from),
            list_to: address(&list.to),
            list_keys: address(&list.keys),
            list_ids: address(&list.ids),
            members: destinations.sizes.len() as u32,
            ..self.arguments()
        };
        self.launch(&self.kernels.list_new_edges, self.count(), &arguments)?;
        let of_member = |(member, (&place, &size)): (usize, (&u32, &u32))| {
            let range = place as usize..(place + size) as usize;
            if member == destinations.own { (range, true) } else { (range, false) }
        };
        let mut lists = Vec::with_capacity(places.len());
        for (range, is_own) in places.iter().zip(destinations.sizes).enumerate().map(of_member) {
            if is_own {
                self.own = range;
                lists.push(Listed::default());
            } else {
                lists.push(self.listed.download(device, range)?);
            }
        }
        Ok(lists)
    }

    fn insert_new_edges(&mut self, rows: NewRows<'_, K>) -> Result<(), SolveError> {
        let (device, NewRows { begin, first_edge, listed }) = (self.device, rows);
        let entries = first_edge.last().copied().unwrap_or_default() as usize;
        let new = DeviceRows {
            begin,
            first_edge: upload(device, first_edge)?,
            neighbors: device.uninit(entries)?,
            keys: device.uninit(entries)?,
            ids: device.uninit(entries)?,
        };
        let next_edge = upload(device, first_edge)?;
        let arguments = Arguments {
            new_begin: begin,
            next_edge: address(&next_edge),
            new_neighbors: address(&new.neighbors),
            new_keys: address(&new.keys),
            new_ids: address(&new.ids),
            ..self.arguments()
        };
        let own = self.own.clone();
        if !own.is_empty() {
            let list = &self.listed;
            let arguments = Arguments {
                listed: own.len() as u32,
                list_from: address(&list.from.slice(own.clone())),
                list_to: address(&list.to.slice(own.clone())),
                list_keys: address(&list.keys.slice(own.clone())),
                list_ids: address(&list.ids.slice(own.clone())),
                ..arguments
            };
            self.launch(&self.kernels.insert_new_edges, arguments.listed, &arguments)?;
        }
        if !listed.from.is_empty() {
            let (from, to) = (upload(device, &listed.from)?, upload(device, &listed.to)?);
            let (keys, ids) = (upload(device, &listed.keys)?, upload(device, &listed.ids)?);
            let arguments = Arguments {
                listed: listed.from.len() as u32,
                list_from: address(&from),
                list_to: address(&to),
                list_keys: address(&keys),
                list_ids: address(&ids),
                ..arguments
            };
            self.launch(&self.kernels.insert_new_edges, arguments.listed, &arguments)?;
        }
        device.finish()?;
        self.rows = new;
        self.minimum_id = device.uninit(self.count() as usize)?;
        self.listed = DeviceList::uninit(device, 0)?;
        self.own = 0..0;
        Ok(())
    }

    fn forest(self: Box<Self>) -> Result<EdgeSet, SolveError> {
        Ok(self.forest.download(self.device, 1)?)
    }
}

/// Makes the device that of the calling thread.
fn bind(device: &Device) -> Result<(), DeviceError> {
    device.check(device.context().bind_to_thread(), "choosing it")
}

fn uploaded<K: Key>(device: &Device, rows: &OwnRows<K>) -> Result<DeviceRows<K>, DeviceError> {
    Ok(DeviceRows {
        begin: rows.begin,
        first_edge: upload(device, &rows.first_edge)?,
        neighbors: upload(device, &rows.neighbors)?,
        keys: upload(device, &rows.keys)?,
        ids: upload(device, &rows.ids)?,
    })
}
