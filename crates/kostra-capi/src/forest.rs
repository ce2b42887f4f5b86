//! Forests: solving, verification, and what a forest contains.

use std::ffi::{CStr, CString, c_char};

use kostra::forest_file::{self, ForestFormat};
use kostra::{AUTO, Solve, Solved};
use kostra_core::{AnyGraph, Forest, Order, Total, VerifyError, verify, with_graph};
use kostra_io::Output;

use crate::KostraGraph;
use crate::boundary::{array, array_to_write, call, place, string, text, value};
use crate::graph::to_path;

/// The order of a minimum spanning forest.
pub const KOSTRA_MINIMUM: i32 = 0;
/// The order of a maximum spanning forest.
pub const KOSTRA_MAXIMUM: i32 = 1;

/// A spanning forest: the ids of its edges, ascending.
#[derive(Debug)]
pub struct KostraForest {
    forest: Forest,
    algorithm: CString,
    fallback: Option<CString>,
}

impl KostraForest {
    fn new(solved: Solved<Forest>) -> Self {
        // Ids and reasons contain no zero byte.
        let c_text = |text: String| CString::new(text).unwrap_or_default();
        Self {
            forest: solved.forest,
            algorithm: c_text(solved.solver.id.to_owned()),
            fallback: solved.fallback.map(|fallback| c_text(fallback.to_string())),
        }
    }
}

pub(crate) fn to_order(order: i32) -> Result<Order, String> {
    match order {
        KOSTRA_MINIMUM => Ok(Order::Minimum),
        KOSTRA_MAXIMUM => Ok(Order::Maximum),
        _ => Err(format!("the order is {order}; pass KOSTRA_MINIMUM or KOSTRA_MAXIMUM")),
    }
}

/// Finds the minimum or maximum spanning forest of a graph. `algorithm` is the id of a solver, such
/// as "boruvka"; the command `kostra solvers` lists them. NULL or "auto" chooses the fastest solver.
/// `threads` is the number of threads, at most 4096; 0 means all that the machine has. Returns NULL
/// if it fails. Free the forest with kostra_forest_free().
///
/// # Safety
/// `graph` is null or a graph, and `algorithm` is null or a text that ends in a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_solve(
    graph: *const KostraGraph,
    algorithm: *const c_char,
    order: i32,
    threads: usize,
) -> *mut KostraForest {
    call(std::ptr::null_mut(), || {
        // SAFETY: the caller's.
        let (graph, algorithm) = unsafe { (&value("graph", graph)?.0.graph, string(algorithm)) };
        let id = algorithm.map_or(AUTO.into(), CStr::to_string_lossy);
        let solve = Solve::new().algorithm(&id).map_err(text)?;
        let solve = solve.order(to_order(order)?).threads(threads);
        Ok(Box::into_raw(Box::new(KostraForest::new(solve.run_any(graph).map_err(text)?))))
    })
}

/// Decides whether the edges `ids` are the minimum or maximum spanning forest of a graph, without
/// any solver. Returns 1 if they are, 0 if they are not, and -1 if this cannot be decided.
/// Unless it returns 1, kostra_last_error() returns the first violation or the reason.
///
/// # Safety
/// `graph` is null or a graph, and `ids` is null or an array of `length` items.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_verify(
    graph: *const KostraGraph,
    order: i32,
    ids: *const u32,
    length: usize,
) -> i32 {
    let violation = &mut false;
    let verdict = call(-1, || {
        // SAFETY: the caller's.
        let (graph, ids) = unsafe { (&value("graph", graph)?.0.graph, array("ids", ids, length)?) };
        let order = to_order(order)?;
        match with_graph!(graph, graph => verify(graph.edge_list().edges(order), ids)) {
            Ok(_) => Ok(1),
            Err(error) => {
                *violation = matches!(error, VerifyError::Violation(_));
                Err(text(error))
            }
        }
    });
    if *violation { 0 } else { verdict }
}

/// Frees a forest. NULL is allowed.
///
/// # Safety
/// `forest` is null or was returned by a function of this library, and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_forest_free(forest: *mut KostraForest) {
    call((), || {
        if !forest.is_null() {
            // SAFETY: the caller promises that the forest came from `Box::into_raw`.
            drop(unsafe { Box::from_raw(forest) });
        }
        Ok(())
    });
}

/// The id of the solver that found a forest, such as "fast", valid until the forest is freed; NULL
/// if `forest` is NULL.
///
/// # Safety
/// `forest` is null or a forest.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_forest_algorithm(forest: *const KostraForest) -> *const c_char {
    // SAFETY: the caller's.
    call(std::ptr::null(), || Ok(unsafe { value("forest", forest) }?.algorithm.as_ptr()))
}

/// One sentence that says why a solver on the processor found a forest instead of the solver for a
/// device that was chosen first, valid until the forest is freed. NULL if the first solver found
/// the forest, or `forest` is NULL.
///
/// # Safety
/// `forest` is null or a forest.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_forest_fallback(forest: *const KostraForest) -> *const c_char {
    call(std::ptr::null(), || {
        // SAFETY: the caller's.
        let fallback = &unsafe { value("forest", forest) }?.fallback;
        Ok(fallback.as_ref().map_or(std::ptr::null(), |text| text.as_ptr()))
    })
}

/// The number of edges of a forest; 0 if `forest` is NULL.
///
/// # Safety
/// `forest` is null or a forest.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_forest_length(forest: *const KostraForest) -> usize {
    // SAFETY: the caller's.
    call(0, || Ok(unsafe { value("forest", forest) }?.forest.ids().len()))
}

/// The ids of the edges of a forest, ascending, valid until the forest is freed; NULL if `forest`
/// is NULL. kostra_forest_length() is their number.
///
/// # Safety
/// `forest` is null or a forest.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_forest_ids(forest: *const KostraForest) -> *const u32 {
    // SAFETY: the caller's.
    call(std::ptr::null(), || Ok(unsafe { value("forest", forest) }?.forest.ids().as_ptr()))
}

/// The number of components of the graph, isolated vertices included; 0 if `forest` is NULL.
///
/// # Safety
/// `forest` is null or a forest.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_forest_components(forest: *const KostraForest) -> u32 {
    // SAFETY: the caller's.
    call(0, || Ok(unsafe { value("forest", forest) }?.forest.components()))
}

/// The sum of the weights of a forest; NaN if `forest` is NULL. A sum of integers above 2^53 is
/// rounded; kostra_forest_integer_total() returns the exact sum.
///
/// # Safety
/// `forest` is null or a forest.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_forest_total(forest: *const KostraForest) -> f64 {
    call(f64::NAN, || {
        // SAFETY: the caller's.
        Ok(unsafe { value("forest", forest) }?.forest.total().to_f64())
    })
}

/// Writes the exact sum of the weights of a forest to `total`. Returns false if the weights are no
/// integers, or the sum does not fit into int64_t.
///
/// # Safety
/// `forest` is null or a forest, and `total` is null or points to an integer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_forest_integer_total(
    forest: *const KostraForest,
    total: *mut i64,
) -> bool {
    call(false, || {
        // SAFETY: the caller's.
        let (forest, place) = unsafe { (value("forest", forest)?, place("total", total)?) };
        *place = to_integer(forest.forest.total(), "kostra_forest_total()")?;
        Ok(true)
    })
}

/// An exact total; `other` is the function that rounds it.
pub(crate) fn to_integer(total: Total, other: &str) -> Result<i64, String> {
    let Total::Integer(total) = total else {
        return Err(format!("the weights are no integers; call {other}"));
    };
    i64::try_from(total)
        .map_err(|_| format!("the total {total} does not fit into int64_t; call {other}"))
}

/// Writes the component of each vertex to the array `labels` of `length` items, one for each vertex
/// of the graph. Components are numbered from 0 in the order of their lowest vertices. Returns
/// false if it fails.
///
/// # Safety
/// `graph` is null or a graph, `forest` is null or a forest, and `labels` is null or an array of
/// `length` items.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_forest_labels(
    graph: *const KostraGraph,
    forest: *const KostraForest,
    labels: *mut u32,
    length: usize,
) -> bool {
    call(false, || {
        // SAFETY: the caller's.
        let (graph, forest) =
            unsafe { (&value("graph", graph)?.0.graph, &value("forest", forest)?.forest) };
        if length != graph.vertices() as usize {
            let vertices = graph.vertices();
            return Err(format!(
                "there are {length} labels for {vertices} vertices; pass {vertices}"
            ));
        }
        refuse_other_graph(graph, forest)?;
        // SAFETY: the caller's.
        let place = unsafe { array_to_write("labels", labels, length) }?;
        let found = with_graph!(graph, graph => {
            forest.labels(graph.edge_list().edges(Order::Minimum))
        });
        place.copy_from_slice(found.map_err(text)?.as_slice());
        Ok(true)
    })
}

/// Refuses a forest with an edge that the graph lacks.
fn refuse_other_graph(graph: &AnyGraph, forest: &Forest) -> Result<(), String> {
    if forest.ids().last().is_some_and(|&last| last as usize >= graph.edges()) {
        return Err("the forest is of another graph; pass the graph that was solved".into());
    }
    Ok(())
}

/// Writes a forest of a graph to a file in the format of the file's extension: edge ids (.ids, .txt
/// and no extension), or edges with their ends and weights, such as .csv and .graphml, and with the
/// names of the vertices if the graph is from a file that has them. The file appears whole or not
/// at all. Returns false if it fails.
///
/// # Safety
/// `graph` is null or a graph, `forest` is null or a forest, and `path` is null or a text that ends
/// in a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_forest_write(
    graph: *const KostraGraph,
    forest: *const KostraForest,
    path: *const c_char,
) -> bool {
    call(false, || {
        // SAFETY: the caller's.
        let (graph, forest) =
            unsafe { (&value("graph", graph)?.0, &value("forest", forest)?.forest) };
        // SAFETY: the caller's.
        let path =
            to_path(unsafe { string(path) }.ok_or("path is NULL; pass the path of a file")?)?;
        refuse_other_graph(&graph.graph, forest)?;
        let format = ForestFormat::by_path(&path).map_err(text)?;
        let output = Output::Path(path);
        forest_file::write(&output, format, graph.into(), forest.ids()).map_err(text)?;
        Ok(true)
    })
}
