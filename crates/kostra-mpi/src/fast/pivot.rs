//! Where the light edges end: from a sample of all ranks' edges.

use crate::Communicator;

/// A place in the order of edges: a key and, among equal keys, an id. Edges up to it include it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pivot {
    pub(super) key: u64,
    pub(super) id: u64,
}

/// How many edges are drawn, all ranks together, if none has to draw its one.
const SAMPLE: u64 = 1 << 14;

/// A place in the order with about `wanted` of the `edges` of all ranks up to it; an edge of one of
/// them. This rank has so many, of which `at` tells the places. Collective.
pub(super) fn pivot(
    len: usize,
    at: impl Fn(u32) -> Pivot,
    (wanted, edges): (u64, u64),
    world: &Communicator,
) -> Option<Pivot> {
    // Every rank draws one edge in so many, so that an edge is as likely drawn on a rank with few
    // as on one with many.
    let stretch = (edges / SAMPLE).max(1);
    let mut state = world.rank() as u64 + 1;
    let mut sample: Vec<[u64; 2]> = Vec::new();
    let mut start = 0;
    while start < len as u64 {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let place = start + (state >> 33) % stretch;
        if place < len as u64 {
            let Pivot { key, id } = at(place as u32);
            sample.push([key, id]);
        }
        start += stretch;
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
