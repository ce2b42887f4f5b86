//! Checks and times the segmented primitives beside Kostra's own: the scan by a tree beside
//! `scan.rs`, and the segmented quicksort beside the merge sort of rows.
//!
//! ```text
//! cargo build --release --package kostra-cuda --example segmented_on_device
//! segmented_on_device [ENTRIES] [LONGEST_ROW]
//! ```
//!
//! The rows have up to `LONGEST_ROW` entries with random keys. All answers are compared with the
//! host's. Times are medians of five runs in ms, by the host's clock, after one run that is not
//! counted.

use std::error::Error;
use std::time::Instant;

use kostra_core::{Encoding, Order};
use kostra_cuda::Device;
use kostra_cuda::buffers::{Keys, download, upload};
use kostra_cuda::rows::RoundGraph;
use kostra_cuda::scan::{Scan, ScanKernels, TileSums};
use kostra_cuda::segmented::sort::{EntriesOfRows, SegmentedSort, SegmentedSortKernels};
use kostra_cuda::segmented::{Lookup, ScannedValues, SegmentedScan, SegmentedScanKernels};
use kostra_cuda::sort_rows::{RowOrder, SortRowsKernels};

type Fault = Box<dyn Error>;

/// A generator of random numbers.
fn random(state: &mut u64) -> u32 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    (*state >> 33) as u32
}

fn main() -> Result<(), Fault> {
    let number = |index, default| {
        std::env::args().nth(index).map_or(Ok(default), |argument| argument.parse::<u32>())
    };
    let (entries, longest) = (number(1, 50_000_000)?, number(2, 64)?.max(1));
    let device = &*Device::open(0)?;
    println!("{}, {entries} entries in rows of up to {longest}", device.name());
    let (mut state, mut first_edge, mut from) = (7, vec![0], Vec::new());
    while from.len() < entries as usize {
        let length = (random(&mut state) % longest + 1).min(entries - from.len() as u32);
        from.extend(std::iter::repeat_n(first_edge.len() as u32 - 1, length as usize));
        first_edge.push(from.len() as u32);
    }
    let keys: Vec<u32> = (0..entries).map(|_| random(&mut state) % (entries / 4 + 1)).collect();
    scans(device, &keys, &from)?;
    sorts(device, &first_edge, &from, &keys)
}

/// The median time of five calls in ms.
fn timed(mut work: impl FnMut() -> Result<f64, Fault>) -> Result<f64, Fault> {
    work()?;
    let mut times = (0..5).map(|_| work()).collect::<Result<Vec<_>, _>>()?;
    times.sort_by(f64::total_cmp);
    Ok(times[2])
}

fn milliseconds(start: Instant) -> f64 {
    1e3 * start.elapsed().as_secs_f64()
}

fn scans(device: &Device, keys: &[u32], from: &[u32]) -> Result<(), Fault> {
    let length = keys.len();
    let heads: Vec<u32> =
        (0..length).map(|i| u32::from(i == 0 || from[i] != from[i - 1])).collect();
    let on_device = upload(device, &heads)?;
    let tree = SegmentedScan::new(device, SegmentedScanKernels::sum(device)?, length)?;
    let kernels = ScanKernels::load(device)?;
    let mut own = Scan::new(device, kernels, length, TileSums::OnDevice)?;
    let mut sum = 0_u32;
    let plain: Vec<u32> = keys.iter().map(|&key| add(&mut sum, key)).collect();
    let mut of_row = 0_u32;
    let segmented: Vec<u32> = keys
        .iter()
        .zip(&heads)
        .map(|(&key, &head)| {
            of_row = if head == 1 { 0 } else { of_row };
            add(&mut of_row, key).wrapping_add(key)
        })
        .collect();
    let mut check = |name: &str, expected: &[u32], way: u32| -> Result<(), Fault> {
        let time = timed(|| {
            let mut values = upload(device, keys)?;
            device.finish()?;
            let start = Instant::now();
            let heads = (way == 2).then_some(&on_device);
            match way {
                0 => drop(own.exclusive_prefix_sum(device, &mut values, length)?),
                1 => {
                    tree.exclusive(device, ScannedValues { values: &mut values, heads, length })?;
                }
                _ => {
                    let scanned = ScannedValues { values: &mut values, heads, length };
                    tree.inclusive(device, scanned, Lookup::default())?;
                }
            }
            device.finish()?;
            let time = milliseconds(start);
            if download(device, &values)? != expected {
                return Err(format!("{name}: a wrong sum").into());
            }
            Ok(time)
        })?;
        println!("{name}: {time:.3} ms");
        Ok(())
    };
    check("prefix sum, Kostra's", &plain, 0)?;
    check("prefix sum, by a tree", &plain, 1)?;
    check("segmented sum, by a tree", &segmented, 2)
}

/// Returns the sum before the number.
fn add(sum: &mut u32, number: u32) -> u32 {
    std::mem::replace(sum, sum.wrapping_add(number))
}

fn sorts(device: &Device, first_edge: &[u32], from: &[u32], keys: &[u32]) -> Result<(), Fault> {
    let length = keys.len();
    let places: Vec<u32> = (0..length as u32).collect();
    let mut expected: Vec<_> = from.iter().zip(keys).zip(&places).collect();
    expected.sort_unstable();
    let expected: Vec<_> = expected.into_iter().map(|((_, &key), &place)| (key, place)).collect();
    let (first, rows_of) = (upload(device, first_edge)?, upload(device, from)?);
    let mut sort = SegmentedSort::new(device, SegmentedSortKernels::load(device)?, length)?;
    let mut passes = 0;
    let quick = timed(|| {
        let (mut keys, mut values) = (upload(device, keys)?, upload(device, &places)?);
        device.finish()?;
        let start = Instant::now();
        let rows = EntriesOfRows {
            first_edge: &first,
            from: &rows_of,
            keys: &mut keys,
            values: &mut values,
        };
        passes = sort.sort(device, rows)?;
        device.finish()?;
        let time = milliseconds(start);
        let found = download(device, &keys)?.into_iter().zip(download(device, &values)?);
        if !found.eq(expected.iter().copied()) {
            return Err("the quicksort is wrong".into());
        }
        Ok(time)
    })?;
    println!("segmented quicksort: {quick:.3} ms, {passes} passes");
    let kernels = SortRowsKernels::load(device, Keys::of(Encoding::new::<u32>(Order::Minimum)))?;
    let graph = |neighbors, keys| {
        Ok::<_, Fault>(RoundGraph {
            vertices: first_edge.len() as u32 - 1,
            entries: length as u32,
            first_edge: upload(device, first_edge)?,
            neighbors: upload(device, neighbors)?,
            keys: upload::<u32>(device, keys)?,
            ids: upload(device, &places)?,
        })
    };
    let merge = timed(|| {
        let (mut rows, mut spare) = (graph(keys, &places)?, graph(keys, &places)?);
        device.finish()?;
        let start = Instant::now();
        kernels.sort(device, RowOrder::Neighbor, (&mut rows, &rows_of), &mut spare)?;
        device.finish()?;
        let time = milliseconds(start);
        let found =
            download(device, &rows.neighbors)?.into_iter().zip(download(device, &rows.ids)?);
        if !found.eq(expected.iter().copied()) {
            return Err("the merge sort is wrong".into());
        }
        Ok(time)
    })?;
    println!("merge sort of rows, Kostra's: {merge:.3} ms");
    Ok(())
}
