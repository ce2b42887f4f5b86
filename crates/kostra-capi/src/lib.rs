//! The C interface of Kostra: `include/kostra.h` declares the functions of this crate.
//!
//! A graph or a forest is a pointer that the caller frees. A function that fails returns null,
//! `false` or a negative number, and keeps one sentence about the reason, which
//! [`kostra_last_error`] returns. Null pointers, impossible arguments and refused memory are such
//! failures, and no panic leaves a function.
//!
//! cbindgen generates the header from these sources; a test checks that the header is up to date.

#![allow(unsafe_code, reason = "the functions take pointers from C and return pointers to C")]

mod boundary;
mod dynamic;
mod forest;
mod graph;
mod options;

pub use boundary::kostra_last_error;
pub use dynamic::{
    KostraDynamicForest, kostra_dynamic_add_vertices, kostra_dynamic_bottleneck,
    kostra_dynamic_compact, kostra_dynamic_component_size, kostra_dynamic_components,
    kostra_dynamic_connected, kostra_dynamic_delete, kostra_dynamic_edges, kostra_dynamic_entered,
    kostra_dynamic_expire, kostra_dynamic_free, kostra_dynamic_graph, kostra_dynamic_ids,
    kostra_dynamic_insert_f32, kostra_dynamic_insert_f64, kostra_dynamic_insert_i32,
    kostra_dynamic_insert_i64, kostra_dynamic_insert_u32, kostra_dynamic_insert_u64,
    kostra_dynamic_integer_total, kostra_dynamic_left, kostra_dynamic_log, kostra_dynamic_new,
    kostra_dynamic_of_graph, kostra_dynamic_open, kostra_dynamic_order, kostra_dynamic_present_ids,
    kostra_dynamic_reweight_f32, kostra_dynamic_reweight_f64, kostra_dynamic_reweight_i32,
    kostra_dynamic_reweight_i64, kostra_dynamic_reweight_u32, kostra_dynamic_reweight_u64,
    kostra_dynamic_total, kostra_dynamic_vertices, kostra_dynamic_weight_type,
};
pub use forest::{
    KOSTRA_MAXIMUM, KOSTRA_MINIMUM, KostraForest, kostra_forest_algorithm,
    kostra_forest_components, kostra_forest_fallback, kostra_forest_free, kostra_forest_ids,
    kostra_forest_integer_total, kostra_forest_labels, kostra_forest_length, kostra_forest_total,
    kostra_forest_write, kostra_solve, kostra_verify,
};
pub use graph::{
    KOSTRA_F32, KOSTRA_F64, KOSTRA_I32, KOSTRA_I64, KOSTRA_U32, KOSTRA_U64, KostraGraph,
    kostra_graph_edges, kostra_graph_f32, kostra_graph_f64, kostra_graph_free, kostra_graph_i32,
    kostra_graph_i64, kostra_graph_read, kostra_graph_read_with, kostra_graph_u, kostra_graph_u32,
    kostra_graph_u64, kostra_graph_v, kostra_graph_vertices, kostra_graph_weight_type,
    kostra_graph_weights,
};

use std::ffi::c_char;

/// The version of the library, such as "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn kostra_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}
