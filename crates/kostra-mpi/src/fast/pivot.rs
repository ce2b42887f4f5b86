//! The pivot that separates light from heavy edges, chosen from a sample of all ranks' edges.

use crate::comm::Communicator;

/// A rank in the order of edges: a key and, among equal keys, an id. A batch of edges up to a pivot
/// includes the pivot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pivot {
    pub(super) key: u64,
    pub(super) id: u64,
}

/// The expected number of sampled edges of all ranks.
const SAMPLE: u64 = 1 << 14;

/// A pivot with about `wanted` of the `edges` edges of all ranks up to it. The pivot is one of
/// these edges. This rank has `len` edges, and `edge_at` returns their ranks in the order.
/// Collective.
pub(super) fn choose_pivot(
    len: usize,
    edge_at: impl Fn(u32) -> Pivot,
    (wanted, edges): (u64, u64),
    world: &Communicator,
) -> Option<Pivot> {
    // Every rank samples one edge out of each `stride`, so an edge is sampled with the same
    // probability on a rank with few edges as on a rank with many.
    let stride = (edges / SAMPLE).max(1);
    let mut state = world.rank() as u64 + 1;
    let mut sample: Vec<[u64; 2]> = Vec::new();
    let mut start = 0;
    while start < len as u64 {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let position = start + (state >> 33) % stride;
        if position < len as u64 {
            let Pivot { key, id } = edge_at(position as u32);
            sample.push([key, id]);
        }
        start += stride;
    }
    let mut all = world.all_gather(&sample).into_items();
    if all.is_empty() {
        return None;
    }
    let index = (u128::from(wanted) * all.len() as u128 / u128::from(edges.max(1))) as usize;
    let index = index.min(all.len() - 1);
    let (_, &mut [key, id], _) = all.select_nth_unstable(index);
    Some(Pivot { key, id })
}
