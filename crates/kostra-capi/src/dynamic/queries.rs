//! What the forest of a changing graph answers.

use kostra::dynamic::{DynamicForest, UpdateError, with_dynamic_forest};
use kostra_core::{AnyGraph, EdgeId, EdgeList, Order, Vertex, Weight};
use kostra_io::Parsed;

use super::{Dynamic, KostraDynamicForest, change, read};
use crate::KostraGraph;
use crate::boundary::{array, call, place, text};
use crate::forest::{KOSTRA_MAXIMUM, KOSTRA_MINIMUM, to_integer};
use crate::graph::weight_type;

/// The number of vertices; 0 if it fails.
///
/// # Safety
/// `forest` is null or a dynamic forest.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_vertices(forest: *const KostraDynamicForest) -> u32 {
    call(0, || {
        // SAFETY: the caller's.
        let forest = &unsafe { read(forest) }?.forest;
        Ok(with_dynamic_forest!(forest, forest => forest.vertices()))
    })
}

/// The number of present edges; 0 if it fails.
///
/// # Safety
/// `forest` is null or a dynamic forest.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_edges(forest: *const KostraDynamicForest) -> usize {
    call(0, || {
        // SAFETY: the caller's.
        let forest = &unsafe { read(forest) }?.forest;
        Ok(with_dynamic_forest!(forest, forest => forest.edges()))
    })
}

/// The type of the weights, as kostra_graph_weight_type() returns it; -1 if it fails.
///
/// # Safety
/// `forest` is null or a dynamic forest.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_weight_type(forest: *const KostraDynamicForest) -> i32 {
    // SAFETY: the caller's.
    call(-1, || Ok(weight_type(unsafe { read(forest) }?.forest.weight_type())))
}

/// KOSTRA_MINIMUM or KOSTRA_MAXIMUM; -1 if it fails.
///
/// # Safety
/// `forest` is null or a dynamic forest.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_order(forest: *const KostraDynamicForest) -> i32 {
    call(-1, || {
        // SAFETY: the caller's.
        let forest = &unsafe { read(forest) }?.forest;
        Ok(match with_dynamic_forest!(forest, forest => forest.order()) {
            Order::Minimum => KOSTRA_MINIMUM,
            Order::Maximum => KOSTRA_MAXIMUM,
        })
    })
}

/// The number of components, isolated vertices included; 0 if it fails.
///
/// # Safety
/// `forest` is null or a dynamic forest.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_components(forest: *const KostraDynamicForest) -> u32 {
    call(0, || {
        // SAFETY: the caller's.
        let forest = &unsafe { read(forest) }?.forest;
        Ok(with_dynamic_forest!(forest, forest => forest.components()))
    })
}

/// The sum of the weights of the forest; NaN if it fails. A sum of integers above 2^53 is rounded;
/// kostra_dynamic_integer_total() returns the exact sum. Takes time for each edge.
///
/// # Safety
/// `forest` is null or a dynamic forest.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_total(forest: *const KostraDynamicForest) -> f64 {
    call(f64::NAN, || {
        // SAFETY: the caller's.
        let forest = &unsafe { read(forest) }?.forest;
        Ok(with_dynamic_forest!(forest, forest => forest.total()).to_f64())
    })
}

/// Writes the exact sum of the weights of the forest to `total`. Returns false if the weights are
/// no integers, or the sum does not fit into int64_t.
///
/// # Safety
/// `forest` is null or a dynamic forest, and `total` is null or points to an integer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_integer_total(
    forest: *const KostraDynamicForest,
    total: *mut i64,
) -> bool {
    call(false, || {
        // SAFETY: the caller's.
        let (forest, place) = unsafe { (&read(forest)?.forest, place("total", total)?) };
        let total = with_dynamic_forest!(forest, forest => forest.total());
        *place = to_integer(total, "kostra_dynamic_total()")?;
        Ok(true)
    })
}

/// Stores ids in the forest, and writes their number.
///
/// # Safety
/// `forest` is null or a dynamic forest, and `length` is null or points to an integer.
unsafe fn list(
    forest: *mut KostraDynamicForest,
    length: *mut usize,
    ids: impl FnOnce(&Dynamic) -> Vec<EdgeId>,
) -> *const u32 {
    call(std::ptr::null(), || {
        // SAFETY: the caller's.
        let place = unsafe { place("length", length) }?;
        let step = |dynamic: &mut Dynamic| {
            dynamic.ids = ids(dynamic);
            *place = dynamic.ids.len();
            Ok(dynamic.ids.as_ptr())
        };
        // SAFETY: the caller's.
        unsafe { change(forest, step) }
    })
}

/// The ids of the forest's edges, ascending, and their number in `length`. Takes time for each edge
/// that was ever inserted. The ids are valid until the next call of a function that returns ids of
/// this forest, or the forest is freed. Returns NULL if it fails.
///
/// # Safety
/// `forest` is null or a dynamic forest, and `length` is null or points to an integer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_ids(
    forest: *mut KostraDynamicForest,
    length: *mut usize,
) -> *const u32 {
    let ids = |dynamic: &Dynamic| with_dynamic_forest!(&dynamic.forest, forest => forest.ids());
    // SAFETY: the caller's.
    unsafe { list(forest, length, ids) }
}

/// As kostra_dynamic_ids(), the ids of all present edges.
///
/// # Safety
/// As for [`kostra_dynamic_ids`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_present_ids(
    forest: *mut KostraDynamicForest,
    length: *mut usize,
) -> *const u32 {
    let ids =
        |dynamic: &Dynamic| with_dynamic_forest!(&dynamic.forest, forest => forest.present_ids());
    // SAFETY: the caller's.
    unsafe { list(forest, length, ids) }
}

/// As kostra_dynamic_ids(), the ids of the edges that the last update brought into the forest.
/// Takes time for these edges only.
///
/// # Safety
/// As for [`kostra_dynamic_ids`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_entered(
    forest: *mut KostraDynamicForest,
    length: *mut usize,
) -> *const u32 {
    let ids = |dynamic: &Dynamic| -> Vec<EdgeId> {
        with_dynamic_forest!(&dynamic.forest, forest => forest.entered().to_vec())
    };
    // SAFETY: the caller's.
    unsafe { list(forest, length, ids) }
}

/// As kostra_dynamic_entered(), the ids of the edges that the last update took out of the forest.
/// Some may be deleted.
///
/// # Safety
/// As for [`kostra_dynamic_ids`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_left(
    forest: *mut KostraDynamicForest,
    length: *mut usize,
) -> *const u32 {
    let ids =
        |dynamic: &Dynamic| with_dynamic_forest!(&dynamic.forest, forest => forest.left().to_vec());
    // SAFETY: the caller's.
    unsafe { list(forest, length, ids) }
}

/// The graph of some present edges, in the order of `ids`, with the names of the vertices if there
/// are some: kostra_graph_u(), kostra_graph_v() and kostra_graph_weights() have the ends and the
/// weights of the edges. Returns NULL if it fails. Free the graph with kostra_graph_free().
///
/// # Safety
/// `forest` is null or a dynamic forest, and `ids` is null or an array of `length` items.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_graph(
    forest: *const KostraDynamicForest,
    ids: *const u32,
    length: usize,
) -> *mut KostraGraph {
    call(std::ptr::null_mut(), || {
        // SAFETY: the caller's.
        let (dynamic, ids) = unsafe { (read(forest)?, array("ids", ids, length)?) };
        let graph = with_dynamic_forest!(&dynamic.forest, forest => edges_of(forest, ids));
        let mut parsed = Parsed::new(graph.map_err(text)?, Vec::new());
        parsed.names.clone_from(&dynamic.names);
        Ok(Box::into_raw(Box::new(KostraGraph(parsed))))
    })
}

fn edges_of<W: Weight>(forest: &DynamicForest<W>, ids: &[EdgeId]) -> Result<AnyGraph, UpdateError>
where
    AnyGraph: From<EdgeList<W>>,
{
    let edges: Vec<_> = ids.iter().map(|&id| forest.edge(id)).collect::<Result<_, _>>()?;
    let [u, v]: [Vec<Vertex>; 2] =
        [edges.iter().map(|edge| edge.0).collect(), edges.iter().map(|edge| edge.1).collect()];
    let weights: Vec<W> = edges.iter().map(|edge| edge.2).collect();
    Ok(EdgeList::new(forest.vertices() as usize, u, v, weights)?.into())
}

/// Whether a path joins two vertices: 1 or 0, or -1 if it fails.
///
/// # Safety
/// `forest` is null or a dynamic forest.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_connected(
    forest: *mut KostraDynamicForest,
    s: u32,
    t: u32,
) -> i32 {
    let step = |dynamic: &mut Dynamic| {
        let found = with_dynamic_forest!(&mut dynamic.forest, forest => forest.connected(s, t));
        found.map(i32::from).map_err(text)
    };
    // SAFETY: the caller's.
    call(-1, || unsafe { change(forest, step) })
}

/// The id of the worst edge on the path between two vertices in the forest. Its weight is the best
/// bottleneck of all paths. Returns -1 if there is no such edge: kostra_last_error() says whether
/// no path joins the vertices, or they are equal.
///
/// # Safety
/// `forest` is null or a dynamic forest.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_bottleneck(
    forest: *mut KostraDynamicForest,
    s: u32,
    t: u32,
) -> i64 {
    let step = |dynamic: &mut Dynamic| {
        let found = with_dynamic_forest!(&mut dynamic.forest, forest => forest.bottleneck(s, t));
        found.map_err(text)?.map(i64::from).ok_or_else(|| match s == t {
            true => format!("the path from vertex {s} to itself has no edge"),
            false => format!("no path joins the vertices {s} and {t}"),
        })
    };
    // SAFETY: the caller's.
    call(-1, || unsafe { change(forest, step) })
}

/// The number of vertices of a vertex's component; 0 if it fails.
///
/// # Safety
/// `forest` is null or a dynamic forest.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_component_size(
    forest: *mut KostraDynamicForest,
    vertex: u32,
) -> u32 {
    let step = |dynamic: &mut Dynamic| {
        with_dynamic_forest!(&mut dynamic.forest, forest => forest.component_size(vertex))
            .map_err(text)
    };
    // SAFETY: the caller's.
    call(0, || unsafe { change(forest, step) })
}
