//! The check that arrays in device memory are a graph.
//!
//! For rows it takes one pass over the arrays, a binary search for the row of each entry, and one
//! bit of memory per edge. Symmetry is checked by a sum of hashes in which each edge's two entries
//! cancel out. Rows that are not symmetric pass with a probability of about 2^-64, unless they were
//! constructed to pass.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::CudaSlice;
use kostra_core::Key;

use super::error::DeviceGraphError;
use crate::buffers::{DeviceCsr, DeviceEdges, download};
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::{grid_stride, launch};
use crate::shared::constant;
use crate::source::Source;

const CHECK: Source = Source::file("check.cu");

impl<K: Key> DeviceCsr<K> {
    pub(crate) fn check(&self, device: &Device) -> Result<(), DeviceGraphError> {
        let Self { vertices, edges, entries, .. } = *self;
        if vertices == 0 && entries > 0 {
            return Err(DeviceGraphError::NoVertices);
        }
        let mut faults = Faults::new(device)?;
        // SAFETY: the kernel reads `vertices + 1` offsets.
        unsafe {
            launch!(
                device, &device.function(CHECK, "check_offsets")?,
                grid_stride(u64::from(vertices) + 1), (CHECK, "check_offsets"),
                [ptr offsets = &self.offsets, u32 vertices = &vertices, u32 entries = &entries,
                ptr faults = &mut faults.places], "checking a graph"
            )
        }?;
        if entries > 0 {
            self.check_entries(device, &mut faults)?;
        }
        match faults.found(device)? {
            None => Ok(()),
            Some(CheckResult::Unbalanced) => Err(DeviceGraphError::Asymmetric),
            Some(CheckResult::Fault(fault, index)) => Err(match fault {
                Fault::Offset => DeviceGraphError::Offsets { index, entries },
                Fault::Neighbor => DeviceGraphError::Vertex { what: "entry", index, vertices },
                Fault::EdgeId => DeviceGraphError::EdgeId { index, edges },
                Fault::NotANumber => DeviceGraphError::NanWeight { what: "entry", index },
                Fault::SelfLoop => DeviceGraphError::SelfLoop { index },
                Fault::Repeated => DeviceGraphError::RepeatedId { index },
            }),
        }
    }

    fn check_entries(&self, device: &Device, faults: &mut Faults) -> Result<(), DeviceError> {
        let kernel = if self.keys.wide { "check_entries_64" } else { "check_entries_32" };
        let mut seen = device.filled::<u32>((self.edges as usize).div_ceil(32), 0)?;
        // SAFETY: the kernel reads `entries` entries if the offsets are valid, and marks only ids
        // below `edges`.
        unsafe {
            launch!(
                device, &device.function(CHECK, kernel)?, grid_stride(u64::from(self.entries)),
                (CHECK, "check_entries"),
                [ptr offsets = &self.offsets, ptr neighbors = &self.neighbors, ptr ids = &self.ids,
                ptr weights = &self.weights, u32 vertices = &self.vertices, u32 edges = &self.edges,
                u32 entries = &self.entries, u32 kind = &self.keys.kind, ptr seen = &mut seen,
                ptr faults = &mut faults.places, ptr sum = &mut faults.sum], "checking a graph"
            )
        }
    }
}

impl<K: Key> DeviceEdges<K> {
    pub(crate) fn check(&self, device: &Device) -> Result<(), DeviceGraphError> {
        let Self { vertices, edges, .. } = *self;
        if vertices == 0 && edges > 0 {
            return Err(DeviceGraphError::NoVertices);
        }
        let mut faults = Faults::new(device)?;
        let kernel = if self.keys.wide { "check_edges_64" } else { "check_edges_32" };
        // SAFETY: the kernel reads `edges` edges.
        unsafe {
            launch!(
                device, &device.function(CHECK, kernel)?, grid_stride(u64::from(edges)),
                (CHECK, "check_edges"),
                [ptr u = &self.u, ptr v = &self.v, ptr weights = &self.weights,
                u32 vertices = &vertices, u32 edges = &edges, u32 kind = &self.keys.kind,
                ptr faults = &mut faults.places], "checking a graph"
            )
        }?;
        match faults.found(device)? {
            Some(CheckResult::Fault(Fault::Neighbor, index)) => {
                Err(DeviceGraphError::Vertex { what: "edge", index, vertices })
            }
            Some(CheckResult::Fault(Fault::NotANumber, index)) => {
                Err(DeviceGraphError::NanWeight { what: "edge", index })
            }
            _ => Ok(()),
        }
    }
}

/// A kind of fault. The value is the index of its word in [`Faults::places`].
#[derive(Clone, Copy)]
enum Fault {
    Offset = index("OFFSET"),
    Neighbor = index("NEIGHBOR"),
    EdgeId = index("EDGE_ID"),
    NotANumber = index("NOT_A_NUMBER"),
    SelfLoop = index("SELF_LOOP"),
    Repeated = index("REPEATED"),
}

/// The index of a kind of fault in check.cu.
const fn index(fault: &str) -> isize {
    constant(CHECK.text(), fault) as isize
}

/// The kinds of fault, in the order in which they are reported.
const FAULTS: [Fault; 6] = [
    Fault::Offset,
    Fault::Neighbor,
    Fault::EdgeId,
    Fault::NotANumber,
    Fault::SelfLoop,
    Fault::Repeated,
];

/// The result of a check that has failed.
enum CheckResult {
    /// A fault, and the lowest place of faults of its kind.
    Fault(Fault, u64),
    /// The rows are not symmetric.
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
        Ok(Self { places: device.filled(FAULTS.len(), 0xff)?, sum: device.filled(1, 0)? })
    }

    /// The first kind of fault that was reported, in the order of [`FAULTS`]. Asymmetry comes last.
    fn found(self, device: &Device) -> Result<Option<CheckResult>, DeviceError> {
        let places = download(device, &self.places)?;
        let sum = download(device, &self.sum)?;
        let place = |fault| places.get(fault as usize).copied().unwrap_or(u64::MAX);
        let mut faults = FAULTS.into_iter().map(|fault| (fault, place(fault)));
        let fault = faults.find(|(_, place)| *place != u64::MAX);
        let fault = fault.map(|(fault, place)| CheckResult::Fault(fault, place));
        Ok(fault.or_else(|| sum.iter().any(|&word| word != 0).then_some(CheckResult::Unbalanced)))
    }
}
