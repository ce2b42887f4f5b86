//! The division of an edge list into shares, and the order in which their forests are merged.

use std::ops::Range;

/// The shares of one device: ranges of edge ids that follow each other. `device` is its index among
/// `devices` devices. All shares together are `edges` edges, and their sizes differ by at most one.
/// If there are fewer shares than devices, some devices have none.
pub(super) fn shares_of(
    device: usize,
    devices: usize,
    shares: usize,
    edges: usize,
) -> Vec<Range<usize>> {
    let own = bound(device, shares, devices)..bound(device + 1, shares, devices);
    own.map(|share| bound(share, edges, shares)..bound(share + 1, edges, shares)).collect()
}

/// Where part `index` begins if `items` items are divided evenly into `parts` parts.
fn bound(index: usize, items: usize, parts: usize) -> usize {
    (index as u128 * items as u128 / parts as u128) as usize
}

/// The least number of shares per device with which every device can hold a share, if there is one
/// up to [`MOST_PER_DEVICE`]. `fits` says whether every device can hold a share of a number of
/// edges.
pub(super) fn shares_per_device(
    devices: usize,
    edges: usize,
    mut fits: impl FnMut(usize) -> bool,
) -> Option<usize> {
    let share = |per_device: usize| edges.div_ceil(devices * per_device);
    let enough = std::iter::successors(Some(1), |&per_device| Some(2 * per_device))
        .take_while(|&per_device| per_device <= MOST_PER_DEVICE)
        .find(|&per_device| fits(share(per_device)))?;
    // More than half of a sufficient power of two may be sufficient, too.
    Some(
        (enough / 2 + 1..enough)
            .step_by(enough.div_ceil(8))
            .find(|&k| fits(share(k)))
            .unwrap_or(enough),
    )
}

/// The most shares per device that the solver chooses by itself. With more, each share would be
/// smaller than the forest so far.
pub(super) const MOST_PER_DEVICE: usize = 1 << 10;

/// The merges of `count` forests along a tree, level by level. In each pair, the first forest takes
/// in the second one, which is the next one that is left. So forests stay in the order of ids, and
/// the last one is at index 0.
pub(super) fn merge_levels(count: usize) -> Vec<Vec<(usize, usize)>> {
    let strides = std::iter::successors(Some(1_usize), |stride| stride.checked_mul(2));
    strides
        .take_while(|&stride| stride < count)
        .map(|stride| {
            let firsts = (0..count.saturating_sub(stride)).step_by(2 * stride);
            firsts.map(|first| (first, first + stride)).collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_follow_each_other_and_contain_every_edge_once() {
        for devices in [1, 2, 3, 8] {
            for shares in [1, 2, 3, 8, 64] {
                for edges in [0, 1, 2, 7, 1000, u32::MAX as usize] {
                    let all: Vec<_> = (0..devices)
                        .flat_map(|device| shares_of(device, devices, shares, edges))
                        .collect();
                    assert_eq!(all.len(), shares);
                    assert_eq!((all[0].start, all[shares - 1].end), (0, edges));
                    assert!(all.windows(2).all(|pair| pair[0].end == pair[1].start));
                    let sizes = || all.iter().map(ExactSizeIterator::len);
                    assert!(sizes().max().unwrap() - sizes().min().unwrap() <= 1);
                }
            }
        }
    }

    #[test]
    fn one_share_on_two_devices_is_on_one_of_them() {
        let sizes = [0, 1].map(|device| shares_of(device, 2, 1, 10).len());
        assert_eq!(sizes.iter().sum::<usize>(), 1);
    }

    #[test]
    fn a_device_gets_as_few_shares_as_its_memory_permits() {
        let with_room = |room: usize| move |edges: usize| edges <= room;
        assert_eq!(shares_per_device(1, 100, with_room(100)), Some(1));
        assert_eq!(shares_per_device(2, 100, with_room(50)), Some(1));
        assert_eq!(shares_per_device(2, 100, with_room(49)), Some(2));
        assert_eq!(shares_per_device(1, 90, with_room(30)), Some(3));
        assert_eq!(shares_per_device(1, 1 << 20, with_room(0)), None);
        for room in 1..200 {
            let per_device = shares_per_device(3, 10_000, with_room(room));
            assert!(per_device.is_none_or(|k| 10_000_usize.div_ceil(3 * k) <= room), "{room}");
        }
    }

    #[test]
    fn a_tree_of_merges_joins_neighbors_and_ends_at_the_first() {
        assert_eq!(merge_levels(0), Vec::<Vec<_>>::new());
        assert_eq!(merge_levels(1), Vec::<Vec<_>>::new());
        assert_eq!(merge_levels(2), [[(0, 1)]]);
        assert_eq!(merge_levels(3), [[(0, 1)], [(0, 2)]]);
        for count in 1..20 {
            // Each forest is the range of the shares that it contains.
            let mut forests: Vec<_> = (0..count).map(|share| Some(share..share + 1)).collect();
            for level in merge_levels(count) {
                for (into, from) in level {
                    let from = forests[from].take().unwrap();
                    let into = forests[into].as_mut().unwrap();
                    assert_eq!(into.end, from.start, "the order of ids");
                    into.end = from.end;
                }
            }
            assert_eq!(forests[0], Some(0..count));
            assert!(forests[1..].iter().all(Option::is_none));
        }
    }
}
