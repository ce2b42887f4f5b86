//! The shape of blocks and of their shared memory, as `Parts` of `kernels/points/queries.cuh`
//! divides it.

use crate::shared::constant;

const PANELS: &str = include_str!("../../../kernels/points/panels.cuh");
const PRODUCTS: &str = include_str!("../../../kernels/points/products.cuh");
const QUERIES: &str = include_str!("../../../kernels/points/queries.cuh");
const SHORT: &str = include_str!("../../../kernels/points/short_rows.cuh");
const LONG: &str = include_str!("../../../kernels/points/long_rows.cuh");

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
const MOST_COLUMNS: u32 = constant(SHORT, "MOST_COLUMNS") as u32;
const STAGE: u32 = constant(SHORT, "STAGE") as u32;
const COLUMNS: u32 = constant(LONG, "COLUMNS") as u32;
/// The bytes of a slab of the queries and the columns of a block with long rows, and of a number
/// for each column.
const SLAB_BYTES: u32 = (MOST_QUERIES + COLUMNS) * 2 * constant(LONG, "SLAB") as u32 + 4 * COLUMNS;
/// The most slabs: the kernels wait for as many copies but two.
const MOST_SLABS: u32 = 5;
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

/// A block, and its shared memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BlockShape {
    pub(super) warps: u32,
    /// The slabs of long rows that are in shared memory at once; 0 for short rows.
    pub(super) slabs: u32,
    pub(super) bytes: u32,
}

impl BlockShape {
    /// Of rows that are `depth` long, with queries for `wanted` points each: the most warps up to
    /// `useful` or the most slabs for which `available` bytes suffice. None if not even the fewest
    /// do.
    pub(super) fn fitting(depth: u32, wanted: u32, useful: u32, available: u32) -> Option<Self> {
        let shapes = if is_long(depth as usize) {
            (2..=MOST_SLABS).map(|slabs| Self::of_long(depth, slabs)).collect::<Vec<_>>()
        } else {
            let warps = useful.clamp(1, MOST_WARPS).next_power_of_two().ilog2();
            (0..=warps).map(|log| Self::of_short(depth, 1 << log, wanted)).collect()
        };
        shapes.into_iter().rfind(|shape| shape.bytes <= available)
    }

    fn of_short(depth: u32, warps: u32, wanted: u32) -> Self {
        let queries = warps * QUERIES_WARP;
        let columns = 1 << (STAGE / depth).min(MOST_COLUMNS).ilog2();
        let row = 2 * depth + PIECE;
        let nearest = [8 * queries * wanted, 4 * queries * wanted];
        let parts = [
            queries * row,
            2 * columns * row,
            2 * 4 * columns,
            nearest[0],
            nearest[1],
            4 * queries,
        ];
        Self { warps, slabs: 0, bytes: total(&parts) + of_all(depth, warps) }
    }

    fn of_long(depth: u32, slabs: u32) -> Self {
        let parts = [slabs * SLAB_BYTES, 4 * MOST_QUERIES, 4 * MOST_QUERIES];
        Self { warps: MOST_WARPS, slabs, bytes: total(&parts) + of_all(depth, MOST_WARPS) }
    }
}

/// The bytes of parts that begin at multiples of 16.
fn total(parts: &[u32]) -> u32 {
    parts.iter().map(|bytes| bytes.next_multiple_of(16)).sum()
}

/// The bytes that short and long rows need.
fn of_all(depth: u32, warps: u32) -> u32 {
    let of_query = 4 * warps * QUERIES_WARP;
    let queries = [of_query; 4];
    total(&[SPAN_BYTES, 2 * ROOM * warps, 4 * warps, 2 * depth * warps]) + total(&queries)
}

/// The most dimensions for which `available` bytes of shared memory suffice.
pub(in super::super) fn most_dimensions(wanted: u32, available: u32) -> usize {
    let fits = |dimensions: &usize| {
        BlockShape::fitting(depth(*dimensions) as u32, wanted, 1, available).is_some()
    };
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
                    let depth = depth(dimensions) as u32;
                    let shape = BlockShape::fitting(depth, wanted, 99, available).unwrap();
                    assert!(shape.bytes <= available, "{dimensions} {wanted}: {shape:?}");
                }
            }
        }
        assert!(most_dimensions(4, LEAST_AVAILABLE) >= 768);
        assert_eq!(most_dimensions(4, 227 << 10), MOST_DIMENSIONS);
    }

    #[test]
    fn few_short_queries_take_few_warps_and_long_ones_all_with_many_slabs() {
        let shape = |depth, useful, available| {
            let shape = BlockShape::fitting(depth, 4, useful, available).unwrap();
            (shape.warps, shape.slabs)
        };
        assert_eq!(shape(32, 1, LEAST_AVAILABLE), (1, 0));
        assert_eq!(shape(32, 3, LEAST_AVAILABLE), (4, 0));
        assert_eq!(shape(32, 1000, 227 << 10), (MOST_WARPS, 0));
        assert_eq!(shape(768, 1, 227 << 10), (MOST_WARPS, MOST_SLABS));
        assert_eq!(shape(768, 1, LEAST_AVAILABLE).0, MOST_WARPS);
    }
}
