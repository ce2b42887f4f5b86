//! Scans, splits and sorts of segments, against the host. The tests are skipped if there is no
//! device.

use super::sort::{EntriesOfRows, SegmentedSort, SegmentedSortKernels};
use super::*;
use crate::buffers::{download, upload};
use crate::testing::{device, random};

/// Lengths around those of one tile, of the tiles of one level, and of a third level.
const LENGTHS: [usize; 9] =
    [1, 2, 1023, 1024, 1025, 5000, TILE * TILE - 1, TILE * TILE + 1, 2 * TILE * TILE + 77];

/// Head flags of segments of up to `longest` elements.
fn heads(length: usize, longest: u32, seed: u64) -> Vec<u32> {
    let (mut random, mut heads, mut next) = (random(seed), vec![0; length], 0);
    while next < length {
        heads[next] = 1;
        next += 1 + random(longest) as usize;
    }
    heads
}

fn scanned_by_host(values: &[u32], heads: Option<&[u32]>, inclusive: bool) -> Vec<u32> {
    let mut sum = 0_u32;
    let step = |(i, &value): (usize, &u32)| {
        if heads.is_some_and(|heads| heads[i] == 1) {
            sum = 0;
        }
        let before = sum;
        sum = sum.wrapping_add(value);
        if inclusive { sum } else { before }
    };
    values.iter().enumerate().map(step).collect()
}

#[test]
fn scans_equal_those_of_the_host_for_every_length_of_segments() {
    let Some(device) = device() else { return };
    let kernels = SegmentedScanKernels::sum(&device).unwrap();
    for length in LENGTHS {
        let scan = SegmentedScan::new(&device, kernels.clone(), length).unwrap();
        let mut random = random(length as u64);
        let values: Vec<u32> = (0..length).map(|_| random(u32::MAX)).collect();
        for longest in [1, 2, 40, 3000, u32::MAX] {
            let heads = heads(length, longest, 5);
            let on_device = upload(&device, &heads).unwrap();
            for (flags, expected_flags) in [(Some(&on_device), Some(&*heads)), (None, None)] {
                let mut copy = upload(&device, &values).unwrap();
                let scanned = ScannedValues { values: &mut copy, heads: flags, length };
                scan.exclusive(&device, scanned).unwrap();
                let expected = scanned_by_host(&values, expected_flags, false);
                assert!(download(&device, &copy).unwrap() == expected, "{length}, {longest}");
                let mut copy = upload(&device, &values).unwrap();
                let scanned = ScannedValues { values: &mut copy, heads: flags, length };
                scan.inclusive(&device, scanned, Lookup::default()).unwrap();
                let expected = scanned_by_host(&values, expected_flags, true);
                assert!(download(&device, &copy).unwrap() == expected, "{length}, {longest}");
            }
        }
    }
}

#[test]
fn the_examples_of_the_source_have_its_results() {
    let Some(device) = device() else { return };
    let kernels = SegmentedScanKernels::sum(&device).unwrap();
    let scan = SegmentedScan::new(&device, kernels, 11).unwrap();
    // enumerate([t f f t f t t] [t f t f]); the source prints seven results for six marks.
    let heads = upload(&device, &[1_u32, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]).unwrap();
    let mut marks = upload(&device, &[1_u32, 0, 0, 1, 0, 1, 1, 1, 0, 1, 0]).unwrap();
    let scanned = ScannedValues { values: &mut marks, heads: Some(&heads), length: 11 };
    scan.exclusive(&device, scanned).unwrap();
    assert_eq!(download(&device, &marks).unwrap(), [0, 1, 1, 1, 2, 2, 3, 0, 1, 1, 2]);
    // copy([c b a] [d e])
    let heads = upload(&device, &[1_u32, 0, 0, 1, 0]).unwrap();
    let mut values = upload(&device, &[30_u32, 0, 0, 40, 0]).unwrap();
    let scanned = ScannedValues { values: &mut values, heads: Some(&heads), length: 5 };
    scan.copy_heads(&device, scanned).unwrap();
    assert_eq!(download(&device, &values).unwrap(), [30, 30, 30, 40, 40]);
}

/// Rows of the given lengths.
struct HostRows {
    first_edge: Vec<u32>,
    from: Vec<u32>,
    keys: Vec<u32>,
    values: Vec<u32>,
}

impl HostRows {
    fn new(lengths: &[u32], mut key: impl FnMut(u32) -> u32) -> Self {
        let (mut first_edge, mut from) = (vec![0], Vec::new());
        for (row, &length) in lengths.iter().enumerate() {
            from.extend(std::iter::repeat_n(row as u32, length as usize));
            first_edge.push(from.len() as u32);
        }
        let entries = from.len() as u32;
        Self {
            first_edge,
            from,
            keys: (0..entries).map(&mut key).collect(),
            values: (0..entries).collect(),
        }
    }

    fn sorted(&self) -> Vec<(u32, u32)> {
        let mut entries: Vec<_> =
            (0..self.keys.len()).map(|i| (self.from[i], self.keys[i], self.values[i])).collect();
        // The values are the places, so this order is stable.
        entries.sort_unstable();
        entries.into_iter().map(|(_, key, value)| (key, value)).collect()
    }
}

/// Calls `work` with the rows on the device. Returns the keys and values afterwards.
fn on_device(
    device: &Device,
    rows: &HostRows,
    work: impl FnOnce(&mut SegmentedSort, EntriesOfRows<'_>),
) -> Vec<(u32, u32)> {
    let kernels = SegmentedSortKernels::load(device).unwrap();
    let mut sort = SegmentedSort::new(device, kernels, rows.keys.len()).unwrap();
    let (first_edge, from) = (upload(device, &rows.first_edge), upload(device, &rows.from));
    let mut keys = upload(device, &rows.keys).unwrap();
    let mut values = upload(device, &rows.values).unwrap();
    let entries = EntriesOfRows {
        first_edge: &first_edge.unwrap(),
        from: &from.unwrap(),
        keys: &mut keys,
        values: &mut values,
    };
    work(&mut sort, entries);
    let keys = download(device, &keys).unwrap();
    keys.into_iter().zip(download(device, &values).unwrap()).collect()
}

#[test]
fn every_kind_of_rows_is_sorted_and_equal_keys_keep_their_order() {
    let Some(device) = device() else { return };
    let mut lengths = random(9);
    let short: Vec<u32> = (0..20_000).map(|_| lengths(12)).collect();
    let mixed: Vec<u32> =
        (0..300).map(|_| if lengths(20) == 0 { lengths(9000) } else { 2 }).collect();
    for lengths in [vec![1], vec![0, 0, 2, 0], short, mixed, vec![100_000], vec![0, 3000, 0]] {
        let mut random = random(3);
        let keys: [&mut dyn FnMut(u32) -> u32; 6] = [
            &mut |_| random(u32::MAX),
            &mut |i| i % 7,
            &mut |_| 5,
            &mut |i| i,
            &mut |i| u32::MAX - i,
            &mut |i| if i % 2 == 0 { i } else { u32::MAX - i },
        ];
        for (kind, key) in keys.into_iter().enumerate() {
            let rows = HostRows::new(&lengths, key);
            let sorted = on_device(&device, &rows, |sort, entries| {
                let passes = sort.sort(&device, entries).unwrap();
                assert!(passes < 200, "{passes} passes, keys {kind}");
            });
            assert!(sorted == rows.sorted(), "keys {kind}, {} rows", lengths.len());
        }
    }
}

#[test]
fn one_pass_splits_each_row_at_an_element_and_keeps_the_order_of_both_parts() {
    let Some(device) = device() else { return };
    let mut random = random(4);
    let lengths: Vec<u32> = (0..500).map(|_| random(3000)).collect();
    let rows = HostRows::new(&lengths, |_| random(50));
    for pass in [0, 1] {
        let split = on_device(&device, &rows, |sort, mut entries| {
            sort.find_segments(&device, &entries).unwrap();
            assert!(!sort.is_sorted(&device, &entries).unwrap());
            sort.split(&device, &mut entries, pass).unwrap();
        });
        for row in rows.first_edge.windows(2) {
            let (row, old) = (&split[row[0] as usize..row[1] as usize], row[0]..row[1]);
            let old: Vec<_> = old.map(|i| (rows.keys[i as usize], i)).collect();
            let is_split_at = |pivot| {
                let stays =
                    |&(key, _): &(u32, u32)| if pass == 0 { key <= pivot } else { key < pivot };
                let (mut front, back): (Vec<_>, Vec<_>) = old.iter().copied().partition(stays);
                front.extend(back);
                front == row
            };
            assert!(
                old.is_empty() || old.iter().any(|&(key, _)| is_split_at(key)),
                "{pass}: {row:?}"
            );
        }
    }
}

#[test]
fn levels_have_a_place_for_each_tile_of_the_level_below() {
    let sizes = |values| level_sizes(values).collect::<Vec<_>>();
    assert_eq!(sizes(0), []);
    assert_eq!(sizes(TILE), []);
    assert_eq!(sizes(TILE + 1), [2]);
    assert_eq!(sizes(TILE * TILE + 1), [TILE + 1, 2]);
    assert_eq!(SegmentedScan::bytes(TILE + 1), 24);
}
