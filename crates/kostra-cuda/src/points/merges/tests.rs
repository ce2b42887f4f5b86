//! Merges of a device beside those of the processor.

use kostra_core::random::RandomStream;
use kostra_points::cluster::Hierarchy;
use kostra_points::{Metric, PointTree, Points};

use super::*;
use crate::points::spanning_tree;
use crate::testing::device;

/// Copies edges to the device.
fn upload(device: &Arc<Device>, len: u32, ends: &[[u32; 2]]) -> DevicePointTree {
    let column = |end: usize| {
        let bytes: Vec<u8> = ends.iter().flat_map(|pair| pair[end].to_ne_bytes()).collect();
        Arc::new(DeviceMemory::copy_of(device, &bytes, 1).unwrap())
    };
    // The distances are not looked at.
    let distances = Arc::new(DeviceMemory::uninit(device, 0).unwrap());
    DevicePointTree { len, lower_ends: column(0), higher_ends: column(1), distances }
}

/// Compares the device with the processor. Edges that share a distance merge in the given order.
fn compare(device: &Arc<Device>, len: u32, ends: Vec<[u32; 2]>, about: &str) {
    let found = upload(device, len, &ends).merges(&mut Run::new()).unwrap().download().unwrap();
    let distances = (0..ends.len()).map(|edge| (edge / 3) as f64).collect();
    let hierarchy = Hierarchy::new(PointTree { len, ends, distances }).unwrap();
    let expected: Vec<Merge> = hierarchy.merges().merges().unwrap().collect();
    assert!(found == expected, "{about}, {len} points");
}

/// The edges of a tree of a named shape. Vertex `v` is joined to a lower one by edge `v - 1`.
fn shape(name: &str, len: u32, random: RandomStream) -> Vec<[u32; 2]> {
    let below = |v: u32, bound: u32| random.below(v.into(), bound.into()) as u32;
    let joined_to = |v: u32| match name {
        "path" => v - 1,
        "star" => 0,
        "recursive" => below(v, v),
        "caterpillar" => v - 1 - below(v, v.min(3)),
        _ => (v - 1) / 2,
    };
    (1..len).map(|v| [joined_to(v), v]).collect()
}

#[test]
fn the_merges_of_trees_of_all_shapes_are_those_of_the_processor() {
    let Some(device) = device() else { return };
    for name in ["path", "star", "recursive", "caterpillar", "binary"] {
        for len in [0, 1, 2, 3, 31, 32, 33, 1000, 100_000] {
            let random = RandomStream::new(len.into());
            let ascending = shape(name, len, random);
            let mut shuffled = ascending.clone();
            shuffled.sort_by_cached_key(|pair| random.split(1).at(pair[1].into()));
            let descending: Vec<_> = ascending.iter().rev().copied().collect();
            // The outermost edges first: two ascending paths that meet in the middle.
            let edges = ascending.len();
            let place = |i: usize| if i.is_multiple_of(2) { i / 2 } else { edges - 1 - i / 2 };
            let inwards: Vec<_> = (0..edges).map(|i| ascending[place(i)]).collect();
            // Every other edge remains on each level, so that there are as many levels as possible.
            let mut halving = ascending.clone();
            halving.sort_by_key(|pair| pair[1].trailing_zeros());
            compare(&device, len, ascending, &format!("{name}, ascending"));
            compare(&device, len, descending, &format!("{name}, descending"));
            compare(&device, len, shuffled, &format!("{name}, shuffled"));
            compare(&device, len, inwards, &format!("{name}, inwards"));
            compare(&device, len, halving, &format!("{name}, halving"));
        }
    }
}

#[test]
fn the_merges_of_points_are_those_of_the_processor() {
    let Some(device) = device() else { return };
    for len in [2_u32, 33, 1000, 100_000] {
        let random = RandomStream::new(7);
        let unit = |i: u32| random.unit(i.into()) as f32;
        let uniform: Vec<f32> = (0..3 * len).map(unit).collect();
        let lattice: Vec<f32> = uniform.iter().map(|x| (20.0 * x).floor()).collect();
        for values in [uniform, lattice] {
            let points = Points::new(&values, 3).unwrap();
            let tree = spanning_tree(&points, Metric::Euclidean, &mut Run::new()).unwrap();
            compare(&device, len, tree.ends, "points");
        }
    }
}

#[test]
fn edges_that_are_no_spanning_tree_are_refused() {
    let Some(device) = device() else { return };
    for (len, ends) in [
        (0, vec![[0, 0]]),
        (3, vec![[0, 1]]),
        (2, vec![[0, 2]]),
        (2, vec![[1, 1]]),
        (4, vec![[0, 1], [1, 2], [0, 2]]),
        (4, vec![[0, 1], [2, 3], [0, 1]]),
        (6, vec![[0, 1], [0, 1], [2, 3], [4, 5], [3, 4]]),
    ] {
        let error = upload(&device, len, &ends).merges(&mut Run::new()).unwrap_err().to_string();
        assert!(error.contains(&format!("not a spanning tree of {len} points")), "{error}");
    }
}
