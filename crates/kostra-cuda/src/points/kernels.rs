//! The kernels for points.

#![allow(unsafe_code, reason = "a kernel is launched")]

use cudarc::driver::{CudaFunction, CudaSlice};
use kostra_core::ElementType;

use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::{Kernel, grid_stride, kernels, launch};
use crate::shared::{arguments, assert_takes, constant, ptr};
use crate::source::Source;

/// The kernels that do not depend on the dimensions.
pub(super) const FOREST: Source = Source::file("points_forest.cu");
/// Of these: the text that declares those for the order of the edges.
pub(super) const ORDER: Source = Source::file("points/order.cuh");

/// Comparing all pairs: rounded rows, and their products.
pub(super) const ROUNDED: Source = Source::file("points_rounded.cu");
pub(super) const PAIRS: Source = Source::file("points_pairs.cu");
/// An order in which near points follow each other.
pub(super) const TILES: Source = Source::file("points_tiles.cu");

/// The files of the kernels for each number of coordinates of a row.
const OF_WIDTH: [(usize, Source); 5] = [
    (2, Source::file("points_2.cu")),
    (3, Source::file("points_3.cu")),
    (4, Source::file("points_4.cu")),
    (8, Source::file("points_8.cu")),
    (16, Source::file("points_16.cu")),
];

pub(super) const MOST_TREE_DIMENSIONS: usize = OF_WIDTH[OF_WIDTH.len() - 1].0;
/// The number of neighbors up to which each lane of a warp keeps one.
const FEW_NEIGHBORS: u32 = super::tree::WIDTH;

/// The indices of the counters.
pub(super) mod counter {
    use super::constant;

    const COUNTERS: &str = include_str!("../../kernels/points/counters.cuh");
    pub(in super::super) const QUERIES: usize = constant(COUNTERS, "QUERIES") as usize;
    pub(in super::super) const EDGES: usize = constant(COUNTERS, "EDGES") as usize;
    pub(in super::super) const COMPONENTS: usize = constant(COUNTERS, "COMPONENTS") as usize;
    pub(in super::super) const UNORDERED: usize = constant(COUNTERS, "UNORDERED") as usize;
    pub(in super::super) const ALL: usize = constant(COUNTERS, "COUNTERS") as usize;
}

arguments! {
    /// The argument of the kernels of rounds.
    pub(super) struct Arguments in FOREST.text();
    ptr: order inverse points_of given cores lists keys least_keys labels queries hooks parents;
    ptr: bounds pairs components roots skipped counters edge_keys edge_pairs node_labels;
    u32: count slots below children begin nodes;
}

kernels! {
    /// The kernels that do not depend on the dimensions.
    pub(super) struct ForestKernels(device) of Arguments in FOREST;
    begin begin_with_cores find_large list_searches choose hook add_edges shortcut
    label_leaves label_nodes;
    {
        order: OrderKernels = OrderKernels::load(device)?;
        number: CudaFunction = device.function(FOREST, "number")?;
        /// For each type of coordinates.
        extents: [CudaFunction; 2] =
            [device.function(FOREST, "extent_f32")?, device.function(FOREST, "extent_f64")?];
    }
}

arguments! {
    /// The argument of the kernels for the order of the edges.
    pub(super) struct OrderArguments in ORDER.text();
    ptr: keys places edge_pairs list counters pair_keys pair_values gathered indices;
    ptr: lower_ends higher_ends distances;
    u32: count is_half;
}

kernels! {
    /// The kernels for the order of the edges.
    pub(super) struct OrderKernels(device) of OrderArguments in FOREST, declared in ORDER;
    order_runs order_long_runs list_unordered take_unordered put_ordered gather report;
}

impl ForestKernels {
    /// Numbers points or edges: `places` becomes 0, 1, 2, ...
    pub(super) fn number(
        &self,
        device: &Device,
        places: &CudaSlice<u32>,
    ) -> Result<(), DeviceError> {
        let count = places.len() as u32;
        // SAFETY: the array has `count` places.
        unsafe {
            launch!(
                device, &self.number, grid_stride(count.into()), (FOREST, "number"),
                [u32 count = &count, ptr places = places], "numbering points"
            )
        }
    }

    /// The kernel for the extent of coordinates.
    pub(super) fn extent(&self, coordinates: ElementType) -> &CudaFunction {
        &self.extents[usize::from(coordinates == ElementType::F64)]
    }
}

arguments! {
    /// The argument of the kernels of trees.
    pub(super) struct TreeArguments in Source::file("points/geometry.cuh").text();
    ptr: points rows exact order inverse places extent frame boxes lowest core_distances cores;
    ptr: labels node_labels queries counters lists keys least_keys bounds;
    u64: stride;
    u32: dimensions count neighbors below children begin nodes;
}

/// The kernels of the tree for points of one number of dimensions and one type of coordinates.
pub(super) struct TreeKernels {
    pub(super) frame: Kernel<TreeArguments>,
    pub(super) places: Kernel<TreeArguments>,
    pub(super) rows: Kernel<TreeArguments>,
    pub(super) leaf_boxes: Kernel<TreeArguments>,
    pub(super) node_boxes: Kernel<TreeArguments>,
    pub(super) neighbors: Kernel<TreeArguments>,
    pub(super) cores_few: Kernel<TreeArguments>,
    pub(super) cores_many: Kernel<TreeArguments>,
    /// Without core distances, and with them.
    pub(super) take: [Kernel<TreeArguments>; 2],
    pub(super) search: [Kernel<TreeArguments>; 2],
}

const _: () = {
    // The texts that declare the kernels for each number of dimensions.
    const TREE: Source = Source::file("points/tree.cuh");
    const NEIGHBORS: Source = Source::file("points/neighbors.cuh");
    const SEARCH: Source = Source::file("points/search.cuh");
    const CORES: Source = Source::file("points/cores.cuh");
    const KERNELS: [(Source, &str); 8] = [
        (TREE, "frame"),
        (TREE, "places"),
        (TREE, "rows"),
        (TREE, "leaf_boxes"),
        (TREE, "node_boxes"),
        (NEIGHBORS, "neighbors"),
        (CORES, "cores"),
        (SEARCH, "take"),
    ];
    let mut kernel = 0;
    while kernel < KERNELS.len() {
        assert_takes(KERNELS[kernel].0.text(), KERNELS[kernel].1, "TreeArguments");
        kernel += 1;
    }
    assert_takes(SEARCH.text(), "search", "TreeArguments");
};

impl TreeKernels {
    /// Loads the kernels for `dimensions` dimensions, which are at most [`MOST_TREE_DIMENSIONS`].
    pub(super) fn load(
        device: &Device,
        dimensions: usize,
        coordinates: ElementType,
    ) -> Result<Self, DeviceError> {
        let (_, source) = of_width(dimensions);
        let suffix = coordinates.name();
        let own = |name: &str| Kernel::load(device, source, name);
        let typed = |name: &str| Kernel::load(device, source, &format!("{name}_{suffix}"));
        Ok(Self {
            frame: typed("frame")?,
            places: typed("places")?,
            rows: typed("rows")?,
            leaf_boxes: own("leaf_boxes")?,
            node_boxes: own("node_boxes")?,
            neighbors: typed("neighbors")?,
            cores_few: typed("cores_few")?,
            cores_many: typed("cores_many")?,
            take: [typed("take_plain")?, typed("take_reach")?],
            search: [typed("search_plain")?, typed("search_reach")?],
        })
    }

    /// The kernel for core distances of `neighbors` neighbors.
    pub(super) fn cores(&self, neighbors: u32) -> &Kernel<TreeArguments> {
        if neighbors <= FEW_NEIGHBORS { &self.cores_few } else { &self.cores_many }
    }
}

arguments! {
    /// The argument of the kernels that compare all pairs.
    pub(super) struct PairArguments in Source::file("points/panels.cuh").text();
    ptr: points center rounded halves norms errors panels;
    ptr: points_of slots_of centers tiles slot_labels tile_labels;
    ptr: pivot_rows pivot_halves far cell_keys cell_points begins first_slots;
    ptr: labels queries cores bounds keys least_keys lists core_distances;
    ptr: part_keys part_found locks;
    u64: stride scale;
    u32: dimensions count slots padded depth pivots samples tile_count;
    u32: first query_count wanted columns parts slabs;
}

kernels! {
    /// The kernels for tiles, for one type of coordinates.
    pub(super) struct TileKernels(device, coordinates: ElementType) of PairArguments in TILES;
    take_pivots count_far assign begin_cells fill_slots make_tiles label_tiles;
    [coordinates.name()] first_bounds;
}

kernels! {
    /// The kernels for rounded rows, for one type of coordinates.
    pub(super) struct RoundingKernels(device, coordinates: ElementType) of PairArguments
        in ROUNDED;
    finish lower_bounds;
    [coordinates.name()] round advance;
}

/// The kernels that compare all pairs, for one type of coordinates.
pub(super) struct PairKernels {
    pub(super) nearest: Kernel<PairArguments>,
    pub(super) pairs: Kernel<PairArguments>,
    pub(super) store_nearest: Kernel<PairArguments>,
    pub(super) rounding: RoundingKernels,
    pub(super) tiles: TileKernels,
}

const _: () = {
    assert_takes(PAIRS.text(), "nearest", "PairArguments");
    assert_takes(PAIRS.text(), "pairs", "PairArguments");
    assert_takes(PAIRS.text(), "store_nearest", "PairArguments");
};

impl PairKernels {
    /// Loads the kernels for `dimensions` dimensions, whose blocks may use up to `shared` bytes of
    /// shared memory.
    pub(super) fn load(
        device: &Device,
        (dimensions, coordinates): (usize, ElementType),
        shared: u32,
    ) -> Result<Self, DeviceError> {
        use cudarc::driver::sys::CUfunction_attribute_enum as Attribute;
        let large = |name: &str| {
            let long = if super::pairs::is_long(dimensions) { "long_" } else { "" };
            let name = format!("{name}_{long}{}", coordinates.name());
            let kernel = Kernel::load(device, PAIRS, &name)?;
            let most = Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            device.check(kernel.set_attribute(most, shared as i32), "loading kernels")?;
            Ok::<_, DeviceError>(kernel)
        };
        Ok(Self {
            nearest: large("nearest")?,
            pairs: large("pairs")?,
            store_nearest: Kernel::load(device, PAIRS, "store_nearest")?,
            rounding: RoundingKernels::load(device, coordinates)?,
            tiles: TileKernels::load(device, coordinates)?,
        })
    }
}

/// The number of coordinates of a row in memory, for points of `dimensions` dimensions.
pub(super) fn row_width(dimensions: usize) -> usize {
    of_width(dimensions).0.next_power_of_two()
}

/// The narrowest kernels for points of `dimensions` dimensions.
fn of_width(dimensions: usize) -> (usize, Source) {
    let widest = OF_WIDTH[OF_WIDTH.len() - 1];
    OF_WIDTH.into_iter().find(|(width, _)| *width >= dimensions).unwrap_or(widest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_a_power_of_two_and_has_room_for_all_dimensions() {
        for dimensions in 1..=MOST_TREE_DIMENSIONS {
            let width = row_width(dimensions);
            assert!(width >= dimensions && width < 2 * dimensions.max(2));
            let (kernels, source) = of_width(dimensions);
            assert_eq!(constant(source.inflated(), "D"), kernels as u64);
        }
    }
}
