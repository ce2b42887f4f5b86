//! Graphs that are already in device memory, given by their addresses.
//!
//! Kernels use offsets and neighbors as indices without a check, so a graph of unknown origin is
//! checked once, by `check.rs`.

#![allow(
    unsafe_code,
    reason = "device memory is known by its address only, and kernels do not check indices"
)]

mod check;
mod error;
#[cfg(test)]
mod tests;

use kostra_core::{Encoding, Key, Order, Weight};

use crate::buffers::{DeviceArray, DeviceCsr, DeviceEdges, Keys};
use crate::device::Device;

pub use self::error::DeviceGraphError;

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
    pub neighbors: u64,
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

impl<K: Key> DeviceCsr<K> {
    /// Uses rows that are already on the device, after checking them. Nothing is copied.
    ///
    /// # Errors
    /// When the arrays have a fault, with the place of the first one; or when the device fails or
    /// has too little memory.
    ///
    /// # Safety
    /// The addresses are of arrays with the lengths that [`CsrAddresses`] states, aligned for their
    /// values, in the memory of this device. All writes to them are complete. Nothing changes or
    /// frees them while this value exists.
    pub unsafe fn from_addresses<W: Weight<Key = K>>(
        device: &Device,
        rows: CsrAddresses,
        order: Order,
    ) -> Result<Self, DeviceGraphError> {
        // SAFETY: `check` below validates the content before any solver reads it.
        let csr = unsafe { Self::from_addresses_unchecked::<W>(rows, order) };
        csr.check(device)?;
        Ok(csr)
    }

    /// Uses rows that are already on the device, without a check. Nothing is copied.
    ///
    /// # Safety
    /// As for [`from_addresses`](Self::from_addresses). In addition, the arrays have none of the
    /// faults in [`DeviceGraphError`]: kernels use their values as indices without a check.
    pub unsafe fn from_addresses_unchecked<W: Weight<Key = K>>(
        rows: CsrAddresses,
        order: Order,
    ) -> Self {
        let entries = rows.entries as usize;
        // SAFETY: the caller guarantees the addresses.
        unsafe {
            Self {
                vertices: rows.vertices,
                edges: rows.edges,
                entries: rows.entries,
                offsets: DeviceArray::foreign(rows.offsets, rows.vertices as usize + 1),
                neighbors: DeviceArray::foreign(rows.neighbors, entries),
                ids: DeviceArray::foreign(rows.ids, entries),
                weights: DeviceArray::foreign(rows.weights, entries),
                keys: Keys::of(Encoding::new::<W>(order)),
            }
        }
    }
}

impl<K: Key> DeviceEdges<K> {
    /// Uses an edge list that is already on the device, after checking it. Nothing is copied.
    ///
    /// # Errors
    /// When the arrays have a fault, with the place of the first one; or when the device fails or
    /// has too little memory.
    ///
    /// # Safety
    /// As for [`DeviceCsr::from_addresses`].
    pub unsafe fn from_addresses<W: Weight<Key = K>>(
        device: &Device,
        list: EdgeAddresses,
        order: Order,
    ) -> Result<Self, DeviceGraphError> {
        // SAFETY: `check` below validates the content before any solver reads it.
        let edges = unsafe { Self::from_addresses_unchecked::<W>(list, order) };
        edges.check(device)?;
        Ok(edges)
    }

    /// Uses an edge list that is already on the device, without a check. Nothing is copied.
    ///
    /// # Safety
    /// As for [`DeviceCsr::from_addresses_unchecked`].
    pub unsafe fn from_addresses_unchecked<W: Weight<Key = K>>(
        list: EdgeAddresses,
        order: Order,
    ) -> Self {
        let len = list.edges as usize;
        // SAFETY: the caller guarantees the addresses.
        unsafe {
            Self {
                vertices: list.vertices,
                edges: list.edges,
                u: DeviceArray::foreign(list.u, len),
                v: DeviceArray::foreign(list.v, len),
                weights: DeviceArray::foreign(list.weights, len),
                keys: Keys::of(Encoding::new::<W>(order)),
            }
        }
    }
}
