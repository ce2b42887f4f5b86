//! The engine's columns as NumPy arrays that copy nothing and keep their owner alive.

#![allow(unsafe_code)] // memory of Rust's, shown to Python

use kostra::{AnyGraph, Vertex, with_graph};
use numpy::ndarray::ArrayView1;
use numpy::{Element, PyArray1, PyArrayMethods};
use pyo3::prelude::*;

/// A read-only array over a column that `owner`, which never changes, owns.
fn view<'py, T: Element>(column: &[T], owner: &Bound<'py, PyAny>) -> Bound<'py, PyArray1<T>> {
    // SAFETY: the column belongs to a frozen object, which the array keeps alive, and is never
    // reallocated.
    let array = unsafe { PyArray1::borrow_from_array(&ArrayView1::from(column), owner.clone()) };
    array.readwrite().make_nonwriteable();
    array
}

/// Vertices as `int32`, the type of SciPy's indices, or as `uint32` where some do not fit.
pub(crate) fn vertices<'py>(column: &[Vertex], owner: &Bound<'py, PyAny>) -> Bound<'py, PyAny> {
    if column.iter().any(|&vertex| vertex > i32::MAX as u32) {
        return view(column, owner).into_any();
    }
    // SAFETY: the two types have one size and alignment, and every number is in both.
    let signed = unsafe { std::slice::from_raw_parts(column.as_ptr().cast::<i32>(), column.len()) };
    view(signed, owner).into_any()
}

/// The weights of a graph, in the engine's type.
pub(crate) fn weights<'py>(graph: &AnyGraph, owner: &Bound<'py, PyAny>) -> Bound<'py, PyAny> {
    with_graph!(graph, graph => view(graph.edge_list().weights(), owner).into_any())
}

/// Numbers as they are.
pub(crate) fn numbers<'py>(column: &[u32], owner: &Bound<'py, PyAny>) -> Bound<'py, PyAny> {
    view(column, owner).into_any()
}
