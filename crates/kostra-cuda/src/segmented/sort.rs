//! The segmented quicksort.
//!
//! Each pass chooses a pivot in each segment, copies it to the segment's elements, and splits the
//! segment: elements below the pivot stay in front, the others move to the end. Passes alternate
//! between moving the elements above the pivot, and also those that equal it. The sort ends when
//! all segments are in order.
//!
//! * Source: Manoochehri 2017, section 4.3.2. A pass has two scans, as there.
//! * Stable: equal keys keep their order. So the answer does not depend on timing.
//! * Time O(n) work in a pass. The number of passes is O(log L) in expectation for rows of up to L
//!   different keys, because pivots are chosen by a hash; at most two for each key of a row.
//! * Memory: 36 bytes per entry, in addition to the entries.
//!
//! Deviations from the source, with the reasons:
//!
//! * The source ends when each segment has one element. Segments of equal keys never do, and the
//!   contraction of a graph has many of them. Here the host reads after each pass whether a segment
//!   is out of order.
//! * The pivot is an element at a place that a hash of the segment's start and the pass chooses.
//!   The source proposes the first one, with which a sorted row of L entries takes L passes.
//! * Each element carries the start of its segment. The source does not say how an element of a
//!   segment finds the number of elements that stay in front, which the last one knows.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::CudaSlice;
use kostra_core::Vertex;

use super::{BLOCKS, Lookup, SOURCE, ScannedValues, SegmentedScan, SegmentedScanKernels};
use crate::buffers::{address, download};
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::{Kernel, kernels};
use crate::shared::{arguments, fill, ptr};

arguments! {
    pub(super) struct Arguments in SOURCE.text();
    ptr: first_edge from keys values starts heads new_keys new_values new_starts new_heads;
    ptr: totals pivots before unsorted;
    u32: length pass;
}

kernels! {
    #[derive(Clone)]
    struct Loaded(device) of Arguments in SOURCE;
    find_segments find_ends take_pivots compare count_front split_and_segment;
    {
        scan: SegmentedScanKernels = SegmentedScanKernels::sum(device)?;
    }
}

/// The kernels of the sort.
#[derive(Clone)]
pub struct SegmentedSortKernels(Loaded);

impl SegmentedSortKernels {
    /// Loads the kernels.
    ///
    /// # Errors
    /// When they do not compile, or the device fails.
    pub fn load(device: &Device) -> Result<Self, DeviceError> {
        Loaded::load(device).map(Self)
    }
}

/// The entries of rows, which the sort moves.
pub struct EntriesOfRows<'a> {
    /// The first entry of each row, and the number of entries.
    pub first_edge: &'a CudaSlice<u32>,
    /// The row of each entry.
    pub from: &'a CudaSlice<Vertex>,
    /// The keys. The sort may replace the array by another one.
    pub keys: &'a mut CudaSlice<u32>,
    /// A value that moves with each key. The sort may replace the array by another one.
    pub values: &'a mut CudaSlice<u32>,
}

/// The segment of each element.
struct Segments {
    starts: CudaSlice<u32>,
    heads: CudaSlice<u32>,
}

impl Segments {
    fn uninit(device: &Device, elements: usize) -> Result<Self, DeviceError> {
        Ok(Self { starts: device.uninit(elements)?, heads: device.uninit(elements)? })
    }
}

/// Memory to sort the entries of rows.
pub struct SegmentedSort {
    kernels: Loaded,
    scan: SegmentedScan,
    segments: Segments,
    new_segments: Segments,
    new_keys: CudaSlice<u32>,
    new_values: CudaSlice<u32>,
    totals: CudaSlice<u32>,
    pivots: CudaSlice<u32>,
    before: CudaSlice<u32>,
    unsorted: CudaSlice<u32>,
}

impl SegmentedSort {
    /// The number of bytes that [`new`](Self::new) allocates.
    pub fn bytes(entries: usize) -> usize {
        9 * 4 * entries + 4 + SegmentedScan::bytes(entries)
    }

    /// Allocates memory to sort `entries` entries.
    ///
    /// # Errors
    /// When the device fails, or has too little memory.
    pub fn new(
        device: &Device,
        SegmentedSortKernels(kernels): SegmentedSortKernels,
        entries: usize,
    ) -> Result<Self, DeviceError> {
        Ok(Self {
            scan: SegmentedScan::new(device, kernels.scan.clone(), entries)?,
            kernels,
            segments: Segments::uninit(device, entries)?,
            new_segments: Segments::uninit(device, entries)?,
            new_keys: device.uninit(entries)?,
            new_values: device.uninit(entries)?,
            totals: device.uninit(entries)?,
            pivots: device.uninit(entries)?,
            before: device.uninit(entries)?,
            unsorted: device.uninit(1)?,
        })
    }

    /// Replaces each mark by the number of marks up to it in its row. Marks are 0 or 1, one for
    /// each entry.
    ///
    /// # Errors
    /// When the device fails.
    pub fn enumerate(
        &mut self,
        device: &Device,
        rows: &EntriesOfRows<'_>,
        marks: &mut CudaSlice<u32>,
    ) -> Result<(), DeviceError> {
        self.find_segments(device, rows)?;
        let heads = Some(&self.segments.heads);
        let scanned = ScannedValues { values: marks, heads, length: rows.keys.len() };
        self.scan.inclusive(device, scanned, Lookup::default())
    }

    /// Makes each row a segment.
    pub(super) fn find_segments(
        &mut self,
        device: &Device,
        rows: &EntriesOfRows<'_>,
    ) -> Result<(), DeviceError> {
        self.launch(device, &self.kernels.find_segments, &self.arguments(rows, 0))
    }

    /// Sorts each row by key. Returns the number of passes.
    ///
    /// # Errors
    /// When the device fails.
    ///
    /// # Panics
    /// When there are not as many entries as memory was allocated for.
    pub fn sort(
        &mut self,
        device: &Device,
        mut rows: EntriesOfRows<'_>,
    ) -> Result<u32, DeviceError> {
        self.find_segments(device, &rows)?;
        let mut pass = 0;
        while !self.is_sorted(device, &rows)? {
            self.split(device, &mut rows, pass)?;
            pass += 1;
        }
        Ok(pass)
    }

    /// Finds the end of each segment, and whether all segments are in order.
    pub(super) fn is_sorted(
        &mut self,
        device: &Device,
        rows: &EntriesOfRows<'_>,
    ) -> Result<bool, DeviceError> {
        device.fill(&mut self.unsorted, 0)?;
        self.launch(device, &self.kernels.find_ends, &self.arguments(rows, 0))?;
        Ok(download(device, &self.unsorted)? == [0])
    }

    /// Splits each segment, whose end is known.
    pub(super) fn split(
        &mut self,
        device: &Device,
        rows: &mut EntriesOfRows<'_>,
        pass: u32,
    ) -> Result<(), DeviceError> {
        let (arguments, length) = (&self.arguments(rows, pass), rows.keys.len());
        let heads = Some(&self.segments.heads);
        self.launch(device, &self.kernels.take_pivots, arguments)?;
        let pivots = ScannedValues { values: &mut self.pivots, heads, length };
        self.scan.copy_heads(device, pivots)?;
        self.launch(device, &self.kernels.compare, arguments)?;
        let before = ScannedValues { values: &mut self.before, heads, length };
        self.scan.exclusive(device, before)?;
        self.launch(device, &self.kernels.count_front, arguments)?;
        self.launch(device, &self.kernels.split_and_segment, arguments)?;
        std::mem::swap(rows.keys, &mut self.new_keys);
        std::mem::swap(rows.values, &mut self.new_values);
        std::mem::swap(&mut self.segments, &mut self.new_segments);
        Ok(())
    }

    fn arguments(&self, rows: &EntriesOfRows<'_>, pass: u32) -> Arguments {
        let length = rows.keys.len();
        assert!(
            [rows.values.len(), rows.from.len(), self.new_keys.len()] == [length; 3],
            "memory for {} entries was allocated, and there are {length}",
            self.new_keys.len()
        );
        fill!(Arguments {
            length: length as u32,
            pass,
            new_starts: address(&self.new_segments.starts),
            new_heads: address(&self.new_segments.heads),
        }; rows => first_edge from keys values; self.segments => starts heads;
        self => new_keys new_values totals pivots before unsorted)
    }

    fn launch(
        &self,
        device: &Device,
        kernel: &Kernel<Arguments>,
        arguments: &Arguments,
    ) -> Result<(), DeviceError> {
        // SAFETY: `arguments` has checked the lengths. All starts are places of elements, and an
        // element moves to a place of its segment.
        unsafe {
            kernel.launch(device, BLOCKS.for_items(arguments.length), arguments, "sorting rows")
        }
    }
}
