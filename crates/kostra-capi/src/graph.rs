//! Graphs from arrays and from files.

use std::ffi::{CStr, c_char, c_void};
use std::path::PathBuf;

use kostra_core::{AnyGraph, EdgeList, Weight, WeightType, memory, with_graph};
use kostra_io::{self as io, Input, Parsed};

use crate::boundary::{array, call, string, strings, text, value};
use crate::options::{self, spell};

/// The weights are int32_t.
pub const KOSTRA_I32: i32 = 0;
/// The weights are uint32_t.
pub const KOSTRA_U32: i32 = 1;
/// The weights are int64_t.
pub const KOSTRA_I64: i32 = 2;
/// The weights are uint64_t.
pub const KOSTRA_U64: i32 = 3;
/// The weights are float.
pub const KOSTRA_F32: i32 = 4;
/// The weights are double.
pub const KOSTRA_F64: i32 = 5;

/// A weighted graph. Vertices are numbered from 0.
#[derive(Debug)]
pub struct KostraGraph(pub(crate) Parsed);

/// # Safety
/// As for [`kostra_graph_f64`].
unsafe fn new<W: Weight>(
    vertices: u32,
    edges: usize,
    u: *const u32,
    v: *const u32,
    weights: *const W,
) -> *mut KostraGraph
where
    AnyGraph: From<EdgeList<W>>,
{
    call(std::ptr::null_mut(), || {
        // SAFETY: the caller's.
        let (u, v, weights) = unsafe {
            (array("u", u, edges)?, array("v", v, edges)?, array("weights", weights, edges)?)
        };
        let [u, v] = [u, v].map(memory::copied);
        let (u, v) = (u.map_err(text)?, v.map_err(text)?);
        let weights = memory::copied(weights).map_err(text)?;
        let graph = AnyGraph::from_edges(vertices as usize, u, v, weights).map_err(text)?;
        Ok(Box::into_raw(Box::new(KostraGraph(Parsed::new(graph, Vec::new())))))
    })
}

/// A graph whose edge i joins the items i of `u` and `v` and has the weight in item i of `weights`.
/// The three arrays have `edges` items each; they are copied. Parallel edges and self-loops are
/// allowed. A vertex that is not below `vertices` and a weight that is NaN are refused. Then the
/// function returns NULL. Free the graph with kostra_graph_free().
///
/// # Safety
/// The pointers are null or point to arrays of `edges` items.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_graph_f64(
    vertices: u32,
    edges: usize,
    u: *const u32,
    v: *const u32,
    weights: *const f64,
) -> *mut KostraGraph {
    // SAFETY: the caller's.
    unsafe { new(vertices, edges, u, v, weights) }
}

/// As kostra_graph_f64(), with weights of the type float.
///
/// # Safety
/// As for [`kostra_graph_f64`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_graph_f32(
    vertices: u32,
    edges: usize,
    u: *const u32,
    v: *const u32,
    weights: *const f32,
) -> *mut KostraGraph {
    // SAFETY: the caller's.
    unsafe { new(vertices, edges, u, v, weights) }
}

/// As kostra_graph_f64(), with weights of the type int32_t.
///
/// # Safety
/// As for [`kostra_graph_f64`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_graph_i32(
    vertices: u32,
    edges: usize,
    u: *const u32,
    v: *const u32,
    weights: *const i32,
) -> *mut KostraGraph {
    // SAFETY: the caller's.
    unsafe { new(vertices, edges, u, v, weights) }
}

/// As kostra_graph_f64(), with weights of the type uint32_t.
///
/// # Safety
/// As for [`kostra_graph_f64`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_graph_u32(
    vertices: u32,
    edges: usize,
    u: *const u32,
    v: *const u32,
    weights: *const u32,
) -> *mut KostraGraph {
    // SAFETY: the caller's.
    unsafe { new(vertices, edges, u, v, weights) }
}

/// As kostra_graph_f64(), with weights of the type int64_t.
///
/// # Safety
/// As for [`kostra_graph_f64`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_graph_i64(
    vertices: u32,
    edges: usize,
    u: *const u32,
    v: *const u32,
    weights: *const i64,
) -> *mut KostraGraph {
    // SAFETY: the caller's.
    unsafe { new(vertices, edges, u, v, weights) }
}

/// As kostra_graph_f64(), with weights of the type uint64_t.
///
/// # Safety
/// As for [`kostra_graph_f64`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_graph_u64(
    vertices: u32,
    edges: usize,
    u: *const u32,
    v: *const u32,
    weights: *const u64,
) -> *mut KostraGraph {
    // SAFETY: the caller's.
    unsafe { new(vertices, edges, u, v, weights) }
}

/// Reads a graph from a file. Its format and its compression are recognized by content. Vertices
/// are numbered from 0, also if the file numbers them from 1. Returns NULL if it fails. If the file
/// leaves something open, such as the column of the weights, kostra_last_error() names an option of
/// kostra_graph_read_with(). Free the graph with kostra_graph_free().
///
/// # Safety
/// `path` is null or a text that ends in a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_graph_read(path: *const c_char) -> *mut KostraGraph {
    // SAFETY: the caller's.
    unsafe { kostra_graph_read_with(path, std::ptr::null()) }
}

/// As kostra_graph_read(), with options: an array of texts that ends in NULL, such as
/// {"weight=km", "header", NULL}. They are named as those of the command `kostra solve`, without
/// `--`: format, source, target, weight, columns, delimiter, decimal-comma, thousands, header,
/// no-header, names, vertices, weights, nan, array, zeros, negatives, links, highway and bbox. NULL
/// is an array without options.
///
/// # Safety
/// `path` is null or a text that ends in a zero byte, and `options` is null or an array of such
/// texts that ends in a null pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_graph_read_with(
    path: *const c_char,
    options: *const *const c_char,
) -> *mut KostraGraph {
    call(std::ptr::null_mut(), || {
        // SAFETY: the caller's.
        let path = unsafe { string(path) }.ok_or("path is NULL; pass the path of a file")?;
        // SAFETY: the caller's.
        let texts = unsafe { strings(options) };
        let options = options::parse(texts.iter().map(|text| {
            text.to_str().map_err(|_| format!("the option {text:?} is not UTF-8; correct it"))
        }))?;
        let loaded = io::read(&Input::Path(to_path(path)?), &options, &|_| ());
        let loaded = loaded.map_err(|error| error.spelled(spell))?;
        Ok(Box::into_raw(Box::new(KostraGraph(loaded.parsed))))
    })
}

#[cfg(unix)]
pub(crate) fn to_path(path: &CStr) -> Result<PathBuf, String> {
    use std::os::unix::ffi::OsStrExt;
    Ok(std::ffi::OsStr::from_bytes(path.to_bytes()).into())
}

#[cfg(not(unix))]
pub(crate) fn to_path(path: &CStr) -> Result<PathBuf, String> {
    path.to_str().map(PathBuf::from).map_err(|_| "the path is not UTF-8".into())
}

/// Frees a graph. NULL is allowed. Forests of the graph stay valid.
///
/// # Safety
/// `graph` is null or was returned by a function of this library, and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_graph_free(graph: *mut KostraGraph) {
    call((), || {
        if !graph.is_null() {
            // SAFETY: the caller promises that the graph came from `Box::into_raw`.
            drop(unsafe { Box::from_raw(graph) });
        }
        Ok(())
    });
}

/// The number of vertices; 0 if `graph` is NULL.
///
/// # Safety
/// `graph` is null or a graph.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_graph_vertices(graph: *const KostraGraph) -> u32 {
    // SAFETY: the caller's.
    call(0, || Ok(unsafe { value("graph", graph) }?.0.graph.vertices()))
}

/// The number of edges; 0 if `graph` is NULL.
///
/// # Safety
/// `graph` is null or a graph.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_graph_edges(graph: *const KostraGraph) -> usize {
    // SAFETY: the caller's.
    call(0, || Ok(unsafe { value("graph", graph) }?.0.graph.edges()))
}

/// The first end of each edge, valid until the graph is freed; NULL if `graph` is NULL.
///
/// # Safety
/// `graph` is null or a graph.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_graph_u(graph: *const KostraGraph) -> *const u32 {
    // SAFETY: the caller's.
    call(std::ptr::null(), || Ok(unsafe { value("graph", graph) }?.0.graph.u().as_ptr()))
}

/// The second end of each edge, valid until the graph is freed; NULL if `graph` is NULL.
///
/// # Safety
/// `graph` is null or a graph.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_graph_v(graph: *const KostraGraph) -> *const u32 {
    // SAFETY: the caller's.
    call(std::ptr::null(), || Ok(unsafe { value("graph", graph) }?.0.graph.v().as_ptr()))
}

/// The type of the weights: KOSTRA_I32, KOSTRA_U32, KOSTRA_I64, KOSTRA_U64, KOSTRA_F32 or
/// KOSTRA_F64; -1 if `graph` is NULL. A file determines the type of the weights of its graph.
///
/// # Safety
/// `graph` is null or a graph.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_graph_weight_type(graph: *const KostraGraph) -> i32 {
    // SAFETY: the caller's.
    call(-1, || Ok(weight_type(unsafe { value("graph", graph) }?.0.graph.weight_type())))
}

pub(crate) fn weight_type(weights: WeightType) -> i32 {
    match weights {
        WeightType::I32 => KOSTRA_I32,
        WeightType::U32 => KOSTRA_U32,
        WeightType::I64 => KOSTRA_I64,
        WeightType::U64 => KOSTRA_U64,
        WeightType::F32 => KOSTRA_F32,
        WeightType::F64 => KOSTRA_F64,
    }
}

/// The weight of each edge, as an array of the type that kostra_graph_weight_type() returns. Valid
/// until the graph is freed; NULL if `graph` is NULL.
///
/// # Safety
/// `graph` is null or a graph.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_graph_weights(graph: *const KostraGraph) -> *const c_void {
    call(std::ptr::null(), || {
        // SAFETY: the caller's.
        let graph = &unsafe { value("graph", graph) }?.0.graph;
        Ok(with_graph!(graph, graph => graph.edge_list().weights().as_ptr().cast()))
    })
}
