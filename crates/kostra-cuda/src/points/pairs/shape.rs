//! The shape of blocks and of their shared memory, as `kernels/points/queries.cuh` divides it.

use crate::shared::constant;

const PANELS: &str = include_str!("../../../kernels/points/panels.cuh");
const PRODUCTS: &str = include_str!("../../../kernels/points/products.cuh");
const QUERIES: &str = include_str!("../../../kernels/points/queries.cuh");

/// The rows for which a limit holds.
pub(super) const PANEL: u32 = constant(PANELS, "PANEL") as u32;
/// The number of slots of a tile.
pub(super) const TILE: u32 = constant(PANELS, "TILE") as u32;
/// The number of queries of a warp.
const QUERIES_WARP: u32 = constant(PRODUCTS, "QUERIES_WARP") as u32;
/// The number of warps of the largest block.
const MOST_WARPS: u32 = MOST_QUERIES / QUERIES_WARP;
/// The number of queries of the largest block.
pub(super) const MOST_QUERIES: u32 = constant(QUERIES, "THREADS") as u32;
const STEP: usize = constant(PANELS, "STEP") as usize;
const CHUNK: usize = constant(PRODUCTS, "CHUNK") as usize;
const PIECE: u32 = constant(PRODUCTS, "PIECE") as u32;
const SLAB: u32 = constant(QUERIES, "SLAB") as u32;
const MOST_COLUMNS: u32 = constant(QUERIES, "MOST_COLUMNS") as u32;
const STAGE: u32 = constant(QUERIES, "STAGE") as u32;
const ROOM: u32 = constant(QUERIES, "ROOM") as u32;
const SPAN: u32 = constant(QUERIES, "SPAN") as u32;
const SPAN_STAGES: u32 = constant(QUERIES, "SPAN_STAGES") as u32;
/// The bytes of a `Span`: two numbers and the tiles of all panels for each warp, eight words, and
/// two words for each stage.
const SPAN_BYTES: u32 = MOST_WARPS * (2 + SPAN) * 4 + 32 + SPAN_STAGES * 8;

/// The most dimensions. Devices with little shared memory take fewer, see [`most_dimensions`].
pub(in super::super) const MOST_DIMENSIONS: usize = 2048;

/// The number of coordinates of a rounded row, with zeros at the end.
pub(super) fn depth(dimensions: usize) -> usize {
    dimensions.next_multiple_of(if dimensions <= CHUNK { STEP } else { CHUNK })
}

/// Whether the fragments of a row do not fit in registers.
pub(in super::super) fn is_long(dimensions: usize) -> bool {
    dimensions > CHUNK
}

/// The number of rows for `slots` slots, up to a whole panel.
pub(super) fn padded(slots: usize) -> usize {
    slots.next_multiple_of(PANEL as usize)
}

/// The bytes of shared memory of a block with queries for `wanted` points each.
fn shared_bytes(depth: u32, warps: u32, wanted: u32) -> u32 {
    let queries = warps * QUERIES_WARP;
    let slab = depth.min(SLAB);
    let columns = 1 << (STAGE / slab).min(MOST_COLUMNS).ilog2();
    let parts = [
        SPAN_BYTES,
        queries * (2 * depth + PIECE),
        2 * columns * (2 * slab + PIECE),
        2 * 4 * columns,
        8 * queries * wanted,
        4 * queries * wanted,
        2 * ROOM * warps,
        4 * warps,
        4 * queries,
        4 * queries,
        4 * queries,
        4 * queries,
        4 * queries,
        2 * depth * warps,
    ];
    parts.iter().map(|bytes| bytes.next_multiple_of(16)).sum()
}

/// The number of warps of a block, and its shared memory: the most warps up to `useful` for which
/// `available` bytes suffice, or else one warp.
pub(super) fn block(depth: u32, wanted: u32, useful: u32, available: u32) -> (u32, u32) {
    let mut warps = useful.clamp(1, MOST_WARPS).next_power_of_two();
    while warps > 1 && shared_bytes(depth, warps, wanted) > available {
        warps /= 2;
    }
    (warps, shared_bytes(depth, warps, wanted))
}

/// The most dimensions for which `available` bytes of shared memory suffice.
pub(in super::super) fn most_dimensions(wanted: u32, available: u32) -> usize {
    let fits = |dimensions: &usize| shared_bytes(depth(*dimensions) as u32, 1, wanted) <= available;
    (1..=MOST_DIMENSIONS / STEP).map(|steps| steps * STEP).rfind(fits).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What every device of the supported kind can give to a block.
    const LEAST_AVAILABLE: u32 = 99 << 10;

    #[test]
    fn a_row_is_whole_steps_and_a_long_row_is_whole_chunks() {
        let depths = [1, 16, 17, 33, 64, 65, 300].map(depth);
        assert_eq!(depths, [16, 16, 32, 48, 64, 128, 320]);
    }

    #[test]
    fn a_block_fits_where_the_most_dimensions_say_so() {
        for available in [LEAST_AVAILABLE, 163 << 10, 227 << 10] {
            for wanted in [1, 4, 128] {
                let most = most_dimensions(wanted, available);
                for dimensions in 1..=most {
                    let (_, bytes) = block(depth(dimensions) as u32, wanted, 99, available);
                    assert!(bytes <= available, "{dimensions} {wanted}: {bytes}");
                }
            }
        }
        assert!(most_dimensions(4, LEAST_AVAILABLE) >= 768);
        assert_eq!(most_dimensions(4, 227 << 10), MOST_DIMENSIONS);
    }

    #[test]
    fn few_queries_take_few_warps() {
        assert_eq!(block(32, 4, 1, LEAST_AVAILABLE).0, 1);
        assert_eq!(block(32, 4, 3, LEAST_AVAILABLE).0, 4);
        assert_eq!(block(32, 4, 1000, 227 << 10).0, MOST_WARPS);
        assert!(block(512, 4, 8, LEAST_AVAILABLE).0 < MOST_WARPS);
    }
}
