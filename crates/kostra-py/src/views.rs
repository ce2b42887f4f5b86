//! The engine's columns as NumPy arrays, without a copy. The arrays keep the owner of the memory
//! alive.

#![allow(unsafe_code)] // NumPy arrays borrow memory of Rust values

use kostra_core::{AnyGraph, Vertex, with_graph};
use numpy::ndarray::ArrayView1;
use numpy::{Element, PyArray1, PyArrayMethods};
use pyo3::prelude::*;

/// A read-only array of `column`, which belongs to the immutable object `owner`.
fn view<'py, T: Element>(column: &[T], owner: &Bound<'py, PyAny>) -> Bound<'py, PyArray1<T>> {
    // SAFETY: `owner` is frozen, so the column is never reallocated. The array keeps `owner` alive.
    let array = unsafe { PyArray1::borrow_from_array(&ArrayView1::from(column), owner.clone()) };
    array.readwrite().make_nonwriteable();
    array
}

/// Vertices as `int32`, the type of SciPy's indices, or as `uint32` if some do not fit.
pub(crate) fn vertices<'py>(column: &[Vertex], owner: &Bound<'py, PyAny>) -> Bound<'py, PyAny> {
    if column.iter().any(|&vertex| vertex > i32::MAX as u32) {
        return view(column, owner).into_any();
    }
    // SAFETY: the types have the same size and alignment, and all values are below 2^31.
    let signed = unsafe { std::slice::from_raw_parts(column.as_ptr().cast::<i32>(), column.len()) };
    view(signed, owner).into_any()
}

/// The weights of a graph, in the engine's type.
pub(crate) fn weights<'py>(graph: &AnyGraph, owner: &Bound<'py, PyAny>) -> Bound<'py, PyAny> {
    with_graph!(graph, graph => view(graph.edge_list().weights(), owner).into_any())
}

/// 32-bit numbers as `uint32`.
pub(crate) fn numbers<'py>(column: &[u32], owner: &Bound<'py, PyAny>) -> Bound<'py, PyAny> {
    view(column, owner).into_any()
}
