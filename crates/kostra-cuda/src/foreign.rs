//! Graphs that are already in device memory, given by their addresses, and the check that they are
//! valid.
//!
//! Kernels use offsets and neighbours as indices without a check, so a graph of unknown origin is
//! checked once. For rows this takes one pass over the arrays, a binary search for the row of each
//! entry, and one bit of memory per edge. Symmetry is checked by a sum of hashes in which each
//! edge's two entries cancel out. Rows that are not symmetric pass with a probability of about
//! 2^-64, unless they were constructed to pass.

#![allow(
    unsafe_code,
    reason = "device memory is known by its address only, and kernels trust what they are given"
)]

use cudarc::driver::{CudaSlice, PushKernelArg};
use kostra_core::{Order, Weight};
use thiserror::Error;

use crate::buffers::{DeviceArray, Keys, download};
use crate::launch::grid_stride;
use crate::source::Source;
use crate::{Device, DeviceCsr, DeviceEdges, DeviceError};

const CHECK: Source = Source { name: "check", text: include_str!("../kernels/check.cu") };

/// The addresses and sizes of a graph's rows in a device's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CsrAddresses {
    /// The number of vertices.
    pub vertices: u32,
    /// The number of edges; every id is below it.
    pub edges: u32,
    /// The number of entries in the rows: two for each edge that is not a self-loop.
    pub entries: u32,
    /// The address of `vertices + 1` 32-bit offsets: where each row starts, and then the number of
    /// entries.
    pub offsets: u64,
    /// The address of the other end of each entry, 32 bits each.
    pub neighbours: u64,
    /// The address of the edge id of each entry, 32 bits each; both entries of an edge have the
    /// same id.
    pub ids: u64,
    /// The address of the weight of each entry.
    pub weights: u64,
}

/// The addresses and sizes of an edge list in a device's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeAddresses {
    /// The number of vertices.
    pub vertices: u32,
    /// The number of edges.
    pub edges: u32,
    /// The address of the first end of each edge, 32 bits each.
    pub u: u64,
    /// The address of the second end of each edge, 32 bits each.
    pub v: u64,
    /// The address of the weight of each edge.
    pub weights: u64,
}

/// Why arrays in device memory are not accepted as a graph.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeviceGraphError {
    /// The offsets do not describe rows.
    #[error(
        "offset {index} is wrong: offsets start at 0, ascend, and end at the number of entries, {entries}"
    )]
    Offsets {
        /// The first offset that is wrong.
        index: u64,
        /// The number of entries.
        entries: u32,
    },
    /// An entry or an edge names a vertex that the graph does not have.
    #[error("{what} {index} names a vertex that is not below {vertices}, the number of vertices")]
    Vertex {
        /// `"entry"` or `"edge"`.
        what: &'static str,
        /// The first such entry or edge.
        index: u64,
        /// The number of vertices.
        vertices: u32,
    },
    /// An integer is negative or does not fit in 32 bits.
    #[error("value {index} is no vertex: vertices are numbered from 0, with 32 bits")]
    NotAVertex {
        /// The place of the first such integer.
        index: u64,
    },
    /// An entry has an id that is not below the number of edges.
    #[error("the id in entry {index} is not below {edges}, the number of edges")]
    EdgeId {
        /// The first such entry.
        index: u64,
        /// The number of edges.
        edges: u32,
    },
    /// A weight is NaN, so the edges cannot be ordered.
    #[error("the weight of {what} {index} is not a number (NaN)")]
    NanWeight {
        /// `"entry"` or `"edge"`.
        what: &'static str,
        /// The first such entry or edge.
        index: u64,
    },
    /// A row holds an edge from its vertex to itself.
    #[error("entry {index} is an edge from a vertex to itself; leave such edges out of the rows")]
    SelfLoop {
        /// The first such entry.
        index: u64,
    },
    /// Two edges have the same id.
    #[error("entry {index} has the id of another edge; an id belongs to one edge")]
    RepeatedId {
        /// The lowest entry that was reported. Which of the edges with the id is reported may vary.
        index: u64,
    },
    /// An edge's two entries differ, or one of them is missing.
    #[error(
        "the rows are not symmetric: each edge stands in the rows of both its ends, with one weight and one id"
    )]
    Asymmetric,
    /// There are entries or edges, but no vertices.
    #[error("there are entries, or edges, but no vertices")]
    NoVertices,
    /// The device failed during the check.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

impl<W: Weight> DeviceCsr<W> {
    /// Uses rows that are already on the device, after checking them. Nothing is copied.
    ///
    /// # Errors
    /// The kind of fault that was found, and its first place; or when the device fails or has too
    /// little memory.
    ///
    /// # Safety
    /// The addresses are of arrays with the lengths that [`CsrAddresses`] states, aligned for their
    /// values, in the memory of this device. All writes to them are complete. Nothing changes or
    /// frees them while this value exists.
    pub unsafe fn from_addresses(
        device: &Device,
        rows: CsrAddresses,
        order: Order,
    ) -> Result<Self, DeviceGraphError> {
        // SAFETY: `check` below validates the content before any solver reads it.
        let csr = unsafe { Self::from_addresses_unchecked(rows, order) };
        csr.check(device)?;
        Ok(csr)
    }

    /// The same without the check.
    ///
    /// # Safety
    /// As for [`from_addresses`](Self::from_addresses). In addition, the arrays have none of the
    /// faults in
    /// [`DeviceGraphError`]: kernels use their values as indices without a check.
    pub unsafe fn from_addresses_unchecked(rows: CsrAddresses, order: Order) -> Self {
        let entries = rows.entries as usize;
        // SAFETY: the caller guarantees the addresses.
        unsafe {
            Self {
                vertices: rows.vertices,
                edges: rows.edges,
                entries: rows.entries,
                offsets: DeviceArray::foreign(rows.offsets, rows.vertices as usize + 1),
                neighbours: DeviceArray::foreign(rows.neighbours, entries),
                ids: DeviceArray::foreign(rows.ids, entries),
                weights: DeviceArray::foreign(rows.weights, entries),
                keys: Keys::of_weights::<W>(order),
            }
        }
    }

    /// Checks the arrays on the device.
    pub(crate) fn check(&self, device: &Device) -> Result<(), DeviceGraphError> {
        let Self { vertices, edges, entries, .. } = *self;
        if vertices == 0 && entries > 0 {
            return Err(DeviceGraphError::NoVertices);
        }
        let mut faults = Faults::new(device)?;
        let check_offsets = device.function(CHECK, "check_offsets")?;
        let mut launch = device.stream().launch_builder(&check_offsets);
        launch.arg(&self.offsets).arg(&vertices).arg(&entries).arg(&mut faults.places);
        // SAFETY: the kernel takes these arguments, and reads vertices + 1 offsets.
        let launched = unsafe { launch.launch(grid_stride(u64::from(vertices) + 1)) };
        device.check(launched, "checking a graph")?;
        if entries > 0 {
            let mut seen = device.filled::<u32>((edges as usize).div_ceil(32), 0)?;
            let kernel = if self.keys.wide { "check_entries_64" } else { "check_entries_32" };
            let check_entries = device.function(CHECK, kernel)?;
            let mut launch = device.stream().launch_builder(&check_entries);
            launch.arg(&self.offsets).arg(&self.neighbours).arg(&self.ids).arg(&self.weights);
            launch.arg(&vertices).arg(&edges).arg(&entries).arg(&self.keys.kind);
            launch.arg(&mut seen).arg(&mut faults.places).arg(&mut faults.sum);
            // SAFETY: the kernel takes these arguments, reads `entries` entries if the offsets are
            // right, and marks only ids that are below the number of edges.
            let launched = unsafe { launch.launch(grid_stride(u64::from(entries))) };
            device.check(launched, "checking a graph")?;
        }
        match faults.found(device)? {
            None => Ok(()),
            Some(Found::Unbalanced) => Err(DeviceGraphError::Asymmetric),
            Some(Found::Fault(kind, index)) => Err(match kind {
                Kind::Offset => DeviceGraphError::Offsets { index, entries },
                Kind::Neighbour => DeviceGraphError::Vertex { what: "entry", index, vertices },
                Kind::EdgeId => DeviceGraphError::EdgeId { index, edges },
                Kind::NotANumber => DeviceGraphError::NanWeight { what: "entry", index },
                Kind::SelfLoop => DeviceGraphError::SelfLoop { index },
                Kind::Repeated => DeviceGraphError::RepeatedId { index },
            }),
        }
    }
}

impl<W: Weight> DeviceEdges<W> {
    /// Uses an edge list that is already on the device, after checking it. Nothing is copied.
    ///
    /// # Errors
    /// The kind of fault that was found, and its first place; or when the device fails or has too
    /// little memory.
    ///
    /// # Safety
    /// As for [`DeviceCsr::from_addresses`].
    pub unsafe fn from_addresses(
        device: &Device,
        list: EdgeAddresses,
        order: Order,
    ) -> Result<Self, DeviceGraphError> {
        // SAFETY: `check` below validates the content before any solver reads it.
        let edges = unsafe { Self::from_addresses_unchecked(list, order) };
        edges.check(device)?;
        Ok(edges)
    }

    /// The same without the check.
    ///
    /// # Safety
    /// As for [`DeviceCsr::from_addresses_unchecked`].
    pub unsafe fn from_addresses_unchecked(list: EdgeAddresses, order: Order) -> Self {
        let len = list.edges as usize;
        // SAFETY: the caller guarantees the addresses.
        unsafe {
            Self {
                vertices: list.vertices,
                edges: list.edges,
                u: DeviceArray::foreign(list.u, len),
                v: DeviceArray::foreign(list.v, len),
                weights: DeviceArray::foreign(list.weights, len),
                keys: Keys::of_weights::<W>(order),
            }
        }
    }

    /// Checks the arrays on the device.
    pub(crate) fn check(&self, device: &Device) -> Result<(), DeviceGraphError> {
        let Self { vertices, edges, .. } = *self;
        if vertices == 0 && edges > 0 {
            return Err(DeviceGraphError::NoVertices);
        }
        let mut faults = Faults::new(device)?;
        let kernel = if self.keys.wide { "check_edges_64" } else { "check_edges_32" };
        let check_edges = device.function(CHECK, kernel)?;
        let mut launch = device.stream().launch_builder(&check_edges);
        launch
            .arg(&self.u)
            .arg(&self.v)
            .arg(&self.weights)
            .arg(&vertices)
            .arg(&edges)
            .arg(&self.keys.kind);
        launch.arg(&mut faults.places);
        // SAFETY: the kernel takes these arguments, and reads `edges` edges.
        let launched = unsafe { launch.launch(grid_stride(u64::from(edges))) };
        device.check(launched, "checking a graph")?;
        match faults.found(device)? {
            Some(Found::Fault(Kind::Neighbour, index)) => {
                Err(DeviceGraphError::Vertex { what: "edge", index, vertices })
            }
            Some(Found::Fault(Kind::NotANumber, index)) => {
                Err(DeviceGraphError::NanWeight { what: "edge", index })
            }
            _ => Ok(()),
        }
    }
}

/// The kinds of fault, in the order of `Fault` in check.cu.
#[derive(Clone, Copy)]
enum Kind {
    Offset,
    Neighbour,
    EdgeId,
    NotANumber,
    SelfLoop,
    Repeated,
}

const KINDS: [Kind; 6] =
    [Kind::Offset, Kind::Neighbour, Kind::EdgeId, Kind::NotANumber, Kind::SelfLoop, Kind::Repeated];

enum Found {
    Fault(Kind, u64),
    Unbalanced,
}

/// The words to which the kernels report faults.
struct Faults {
    /// The lowest place of each kind of fault, or all ones.
    places: CudaSlice<u64>,
    /// Zero if the rows are symmetric, and almost certainly not zero otherwise.
    sum: CudaSlice<u64>,
}

impl Faults {
    fn new(device: &Device) -> Result<Self, DeviceError> {
        Ok(Self { places: device.filled(KINDS.len(), 0xff)?, sum: device.filled(1, 0)? })
    }

    /// The first kind of fault that was reported, in the order of `KINDS`; asymmetry comes last.
    fn found(self, device: &Device) -> Result<Option<Found>, DeviceError> {
        let places = download(device, &self.places)?;
        let sum = download(device, &self.sum)?;
        let mut faults = KINDS.into_iter().zip(places).filter(|(_, place)| *place != u64::MAX);
        let fault = faults.next().map(|(kind, place)| Found::Fault(kind, place));
        Ok(fault.or_else(|| sum.iter().any(|&word| word != 0).then_some(Found::Unbalanced)))
    }
}

#[cfg(test)]
mod tests {
    use cudarc::driver::DevicePtr;
    use kostra_core::{EdgeList, Graph};

    use super::*;
    use crate::buffers::upload;
    use crate::testing::device;

    /// The rows of a graph, to which tests add faults.
    #[derive(Clone)]
    struct Rows<W: Weight> {
        edges: u32,
        offsets: Vec<u32>,
        neighbours: Vec<u32>,
        ids: Vec<u32>,
        weights: Vec<W>,
    }

    fn rows<W: Weight>(weight: impl Fn(u32) -> W) -> Rows<W> {
        let (n, m) = (1000_u32, 5000_u32);
        let end = |edge: u32, factor: u32| (edge.wrapping_mul(factor) >> 7) % n;
        let u: Vec<_> = (0..m).map(|edge| end(edge, 2_654_435_761)).collect();
        let v: Vec<_> = (0..m).map(|edge| end(edge, 3_266_489_917)).collect();
        let list = EdgeList::new(n as usize, u, v, (0..m).map(weight).collect::<Vec<_>>()).unwrap();
        let graph = Graph::from(list);
        let csr = graph.csr("test", &mut kostra_core::Run::new()).unwrap();
        Rows {
            edges: m,
            offsets: csr.offsets().iter().map(|&offset| offset as u32).collect(),
            neighbours: csr.neighbours().to_vec(),
            ids: csr.ids().to_vec(),
            weights: csr.weights().to_vec(),
        }
    }

    fn check<W: Weight>(device: &Device, rows: &Rows<W>) -> Result<(), DeviceGraphError> {
        let (offsets, neighbours) =
            (upload(device, &rows.offsets)?, upload(device, &rows.neighbours)?);
        let (ids, weights) = (upload(device, &rows.ids)?, upload(device, &rows.weights)?);
        DeviceCsr::<W> {
            vertices: rows.offsets.len() as u32 - 1,
            edges: rows.edges,
            entries: rows.neighbours.len() as u32,
            offsets: offsets.into(),
            neighbours: neighbours.into(),
            ids: ids.into(),
            weights: weights.into(),
            keys: Keys::of_weights::<W>(Order::Minimum),
        }
        .check(device)
    }

    #[test]
    fn rows_of_a_graph_pass() {
        let Some(device) = device() else { return };
        assert_eq!(check(&device, &rows(|edge| edge % 7)), Ok(()));
        assert_eq!(check(&device, &rows(|edge| -i64::from(edge))), Ok(()));
        // A zero is the same number with either sign.
        let mut zeros = rows(|_| 0.0_f32);
        zeros.weights.iter_mut().step_by(3).for_each(|weight| *weight = -0.0);
        assert_eq!(check(&device, &zeros), Ok(()));
        assert_eq!(check(&device, &rows(|_| f64::INFINITY)), Ok(()));
        let none = Rows {
            edges: 0,
            offsets: vec![0; 9],
            neighbours: vec![],
            ids: vec![],
            weights: vec![0; 0],
        };
        assert_eq!(check(&device, &none), Ok(()));
        assert_eq!(check(&device, &Rows { offsets: vec![0], ..none }), Ok(()));
    }

    #[test]
    fn every_kind_of_fault_is_named_with_its_place() {
        let Some(device) = device() else { return };
        let right = rows(|edge| edge as f32);
        let entries = right.neighbours.len() as u32;
        let spoil = |spoil: fn(&mut Rows<f32>)| {
            let mut rows = right.clone();
            spoil(&mut rows);
            check(&device, &rows).unwrap_err()
        };
        assert_eq!(
            spoil(|rows| rows.offsets[0] = 1),
            DeviceGraphError::Offsets { index: 0, entries }
        );
        assert_eq!(
            spoil(|rows| rows.offsets[500] = 0),
            DeviceGraphError::Offsets { index: 500, entries }
        );
        assert_eq!(
            spoil(|rows| rows.offsets[1000] += 1),
            DeviceGraphError::Offsets { index: 1000, entries }
        );
        assert_eq!(
            spoil(|rows| rows.offsets[7] = u32::MAX),
            DeviceGraphError::Offsets { index: 8, entries }
        );
        assert_eq!(
            spoil(|rows| rows.neighbours[77] = 1000),
            DeviceGraphError::Vertex { what: "entry", index: 77, vertices: 1000 }
        );
        assert_eq!(
            spoil(|rows| rows.ids[4321] = u32::MAX),
            DeviceGraphError::EdgeId { index: 4321, edges: 5000 }
        );
        assert_eq!(
            spoil(|rows| rows.weights[3] = -f32::NAN),
            DeviceGraphError::NanWeight { what: "entry", index: 3 }
        );
        assert_eq!(spoil(|rows| rows.neighbours[0] = 0), DeviceGraphError::SelfLoop { index: 0 });
        let doubled = |rows: &mut Rows<f32>| {
            // Both entries of one edge get the id of another edge.
            let (one, other) = (rows.ids[0], rows.ids[1]);
            rows.ids.iter_mut().filter(|id| **id == one).for_each(|id| *id = other);
        };
        assert!(matches!(spoil(doubled), DeviceGraphError::RepeatedId { .. }));
        assert_eq!(spoil(|rows| rows.weights[3] += 1.0), DeviceGraphError::Asymmetric);
        assert_eq!(
            spoil(|rows| rows.neighbours[5] = 999 - rows.neighbours[5]),
            DeviceGraphError::Asymmetric
        );
        let lost = |rows: &mut Rows<f32>| {
            let _ = (rows.neighbours.pop(), rows.ids.pop(), rows.weights.pop());
            let last = rows.neighbours.len() as u32;
            rows.offsets.iter_mut().for_each(|offset| *offset = last.min(*offset));
        };
        assert_eq!(spoil(lost), DeviceGraphError::Asymmetric);
    }

    #[test]
    fn an_edge_list_is_checked_too() {
        let Some(device) = device() else { return };
        let (u, v) =
            (upload(&device, &[0_u32, 1, 2]).unwrap(), upload(&device, &[1_u32, 2, 0]).unwrap());
        let weights = upload(&device, &[1.0_f64, f64::NAN, 2.0]).unwrap();
        let stream = device.stream();
        let list = |vertices, edges| EdgeAddresses {
            vertices,
            edges,
            u: u.device_ptr(stream).0,
            v: v.device_ptr(stream).0,
            weights: weights.device_ptr(stream).0,
        };
        device.finish().unwrap();
        let check = |vertices, edges| {
            // SAFETY: the arrays are at least that long, and outlive the list.
            let list = unsafe {
                DeviceEdges::<f64>::from_addresses(&device, list(vertices, edges), Order::Minimum)
            };
            list.map(|_| ())
        };
        assert_eq!(check(3, 1), Ok(()));
        assert_eq!(check(3, 3), Err(DeviceGraphError::NanWeight { what: "edge", index: 1 }));
        assert_eq!(
            check(2, 2),
            Err(DeviceGraphError::Vertex { what: "edge", index: 1, vertices: 2 })
        );
        assert_eq!(check(0, 1), Err(DeviceGraphError::NoVertices));
        assert_eq!(check(0, 0), Ok(()));
    }
}
