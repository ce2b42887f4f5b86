//! Whether ranks have regions of their own.

use kostra_core::{EdgeId, Weight};

use crate::comm::{Communicator, Reduction};
use crate::graph::Slice;

/// The maximum number of edges of a rank with locality, in shares of one rank.
const MAX_SHARES: u64 = 2;
/// The number of sampled edges of each rank.
const LOCALITY_SAMPLE: usize = 1 << 10;
/// The number of blocks of vertices for each rank, fine enough to separate regions.
const BLOCKS_PER_RANK: usize = 16;
/// The maximum number of blocks, so that a rank sends at most 4 KiB to each other rank.
const MAX_BLOCKS: usize = 1 << 10;
/// One in this many sampled edge ends may be outside of the regions.
const OUTSIDE_SHARE: u32 = 8;

/// Whether the slices have locality: each rank has its own region of the graph, as on grids and
/// road networks, and so contracts most of its edges alone. That is the case if most sampled edges
/// of each rank end in blocks of vertices where other ranks have few edges, and if no rank has far
/// more than its share of all edges. Collective.
pub(super) fn has_locality<W: Weight>(slice: &Slice<W>, edges: u64, world: &Communicator) -> bool {
    let longest = world.reduce_one(Reduction::Max, slice.len() as u64);
    if longest > MAX_SHARES * edges.div_ceil(world.size() as u64) {
        return false;
    }
    let blocks = (BLOCKS_PER_RANK * world.size()).min(MAX_BLOCKS);
    let mut ends = vec![0_u32; blocks];
    for id in (0..slice.len()).step_by(slice.len().div_ceil(LOCALITY_SAMPLE).max(1)) {
        let (u, v) = slice.ends(id as EdgeId);
        for end in [u, v] {
            ends[(u128::from(end) * blocks as u128 / u128::from(slice.vertices())) as usize] += 1;
        }
    }
    let gathered = world.all_gather(&ends).into_items();
    let (mut all, mut in_regions) = (0, 0);
    for block in 0..blocks {
        let of_ranks = gathered.iter().skip(block).step_by(blocks);
        all += of_ranks.clone().sum::<u32>();
        in_regions += of_ranks.max().copied().unwrap_or(0);
    }
    in_regions >= all - all / OUTSIDE_SHARE
}
