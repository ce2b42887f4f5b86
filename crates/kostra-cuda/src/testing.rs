//! The device for tests, and answers to compare with.

use std::sync::Arc;

use kostra_core::{EdgeId, Edges, Key, UnionFind};

use crate::device::Device;

/// The first device. If there is none, prints that the test is skipped.
pub(crate) fn device() -> Option<Arc<Device>> {
    match Device::open(0) {
        Ok(device) => Some(device),
        Err(error) => {
            let required =
                std::env::var_os("KOSTRA_REQUIRE_DEVICE").is_some_and(|value| !value.is_empty());
            assert!(!required, "KOSTRA_REQUIRE_DEVICE is set, but: {error}");
            println!("skipped: {error}");
            None
        }
    }
}

/// A generator of random numbers below a bound. Equal seeds give equal numbers.
pub(crate) fn random(seed: u64) -> impl FnMut(u32) -> u32 {
    let mut state = seed;
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        ((state >> 33) % u64::from(below)) as u32
    }
}

/// The forest by Kruskal's algorithm, ascending.
pub(crate) fn kruskal<K: Key>(edges: Edges<'_, K>) -> Vec<EdgeId> {
    let mut ids: Vec<EdgeId> = edges.ids().collect();
    ids.sort_unstable_by_key(|&id| edges.rank(id));
    let mut components = UnionFind::new(edges.vertices());
    ids.retain(|&id| {
        let (u, v) = edges.ends(id);
        components.union(u, v)
    });
    ids.sort_unstable();
    ids
}
