//! The kernels for points.

use cudarc::driver::CudaFunction;

use super::input::CoordinateType;
use crate::device::Device;
use crate::error::DeviceError;
use crate::shared::constant;
use crate::source::Source;

/// The kernels that do not depend on the dimensions.
pub(super) const FOREST: Source = Source::file("points_forest.cu");
/// Of these: the text that declares those for the order of the edges.
pub(super) const ORDER: Source = Source::file("points/order.cuh");
/// Of the kernels for each number of dimensions: the texts that declare them.
pub(super) const TREE: Source = Source::file("points/tree.cuh");
pub(super) const NEIGHBORS: Source = Source::file("points/neighbors.cuh");
pub(super) const SEARCH: Source = Source::file("points/search.cuh");
pub(super) const CORES: Source = Source::file("points/cores.cuh");

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

/// The most dimensions of a tree.
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

/// The kernels that do not depend on the dimensions.
pub(super) struct ForestKernels {
    /// For each type of coordinates.
    extent: [CudaFunction; 2],
    pub(super) begin: CudaFunction,
    pub(super) begin_with_cores: CudaFunction,
    pub(super) find_large: CudaFunction,
    pub(super) list_searches: CudaFunction,
    pub(super) choose: CudaFunction,
    pub(super) hook: CudaFunction,
    pub(super) add_edges: CudaFunction,
    pub(super) shortcut: CudaFunction,
    pub(super) label_leaves: CudaFunction,
    pub(super) label_nodes: CudaFunction,
    pub(super) number: CudaFunction,
    pub(super) order_runs: CudaFunction,
    pub(super) order_long_runs: CudaFunction,
    pub(super) list_unordered: CudaFunction,
    pub(super) take_unordered: CudaFunction,
    pub(super) put_ordered: CudaFunction,
    pub(super) gather: CudaFunction,
    pub(super) report: CudaFunction,
}

impl ForestKernels {
    /// Loads the kernels.
    pub(super) fn load(device: &Device) -> Result<Self, DeviceError> {
        let forest = |name: &str| device.function(FOREST, name);
        Ok(Self {
            extent: [forest("extent_f32")?, forest("extent_f64")?],
            begin: forest("begin")?,
            begin_with_cores: forest("begin_with_cores")?,
            find_large: forest("find_large")?,
            list_searches: forest("list_searches")?,
            choose: forest("choose")?,
            hook: forest("hook")?,
            add_edges: forest("add_edges")?,
            shortcut: forest("shortcut")?,
            label_leaves: forest("label_leaves")?,
            label_nodes: forest("label_nodes")?,
            number: forest("number")?,
            order_runs: forest("order_runs")?,
            order_long_runs: forest("order_long_runs")?,
            list_unordered: forest("list_unordered")?,
            take_unordered: forest("take_unordered")?,
            put_ordered: forest("put_ordered")?,
            gather: forest("gather")?,
            report: forest("report")?,
        })
    }

    /// The kernel for the extent of coordinates.
    pub(super) fn extent(&self, coordinates: CoordinateType) -> &CudaFunction {
        &self.extent[usize::from(coordinates == CoordinateType::F64)]
    }
}

/// The kernels of the tree for points of one number of dimensions and one type of coordinates.
pub(super) struct TreeKernels {
    pub(super) frame: CudaFunction,
    pub(super) places: CudaFunction,
    pub(super) rows: CudaFunction,
    pub(super) leaf_boxes: CudaFunction,
    pub(super) node_boxes: CudaFunction,
    pub(super) neighbors: CudaFunction,
    pub(super) cores_few: CudaFunction,
    pub(super) cores_many: CudaFunction,
    /// Without core distances, and with them.
    pub(super) take: [CudaFunction; 2],
    pub(super) search: [CudaFunction; 2],
}

impl TreeKernels {
    /// Loads the kernels for `dimensions` dimensions, which are at most [`MOST_TREE_DIMENSIONS`].
    pub(super) fn load(
        device: &Device,
        dimensions: usize,
        coordinates: CoordinateType,
    ) -> Result<Self, DeviceError> {
        let (_, source) = of_width(dimensions);
        let suffix = coordinates.suffix();
        let own = |name: &str| device.function(source, name);
        let typed = |name: &str| device.function(source, &format!("{name}_{suffix}"));
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
    pub(super) fn cores(&self, neighbors: u32) -> &CudaFunction {
        if neighbors <= FEW_NEIGHBORS { &self.cores_few } else { &self.cores_many }
    }
}

/// The kernels that compare all pairs, for one type of coordinates.
pub(super) struct PairKernels {
    pub(super) round: CudaFunction,
    pub(super) advance: CudaFunction,
    pub(super) finish: CudaFunction,
    pub(super) nearest: CudaFunction,
    pub(super) pairs: CudaFunction,
    pub(super) take_pivots: CudaFunction,
    pub(super) count_far: CudaFunction,
    pub(super) assign: CudaFunction,
    pub(super) begin_cells: CudaFunction,
    pub(super) fill_slots: CudaFunction,
    pub(super) make_tiles: CudaFunction,
    pub(super) label_tiles: CudaFunction,
    pub(super) first_bounds: CudaFunction,
}

impl PairKernels {
    /// Loads the kernels for `dimensions` dimensions, whose blocks may use up to `shared` bytes of
    /// shared memory.
    pub(super) fn load(
        device: &Device,
        (dimensions, coordinates): (usize, CoordinateType),
        shared: u32,
    ) -> Result<Self, DeviceError> {
        use cudarc::driver::sys::CUfunction_attribute_enum as Attribute;
        let suffix = coordinates.suffix();
        let rounded = |name: &str| device.function(ROUNDED, name);
        let tiles = |name: &str| device.function(TILES, name);
        let large = |name: &str| {
            let long = if super::pairs::is_long(dimensions) { "long_" } else { "" };
            let function = device.function(PAIRS, &format!("{name}_{long}{suffix}"))?;
            let most = Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            device.check(function.set_attribute(most, shared as i32), "loading kernels")?;
            Ok::<_, DeviceError>(function)
        };
        Ok(Self {
            round: rounded(&format!("round_{suffix}"))?,
            advance: rounded(&format!("advance_{suffix}"))?,
            finish: rounded("finish")?,
            nearest: large("nearest")?,
            pairs: large("pairs")?,
            take_pivots: tiles("take_pivots")?,
            count_far: tiles("count_far")?,
            assign: tiles("assign")?,
            begin_cells: tiles("begin_cells")?,
            fill_slots: tiles("fill_slots")?,
            make_tiles: tiles("make_tiles")?,
            label_tiles: tiles("label_tiles")?,
            first_bounds: tiles(&format!("first_bounds_{suffix}"))?,
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
