//! Columns of a graph from NumPy arrays. An array with the engine's layout is borrowed. Any other
//! array is converted; ends are converted on several threads.
//!
//! Python passes one-dimensional, contiguous arrays in native byte order. This module checks the
//! element type.

#![allow(unsafe_code)] // the engine reads NumPy's memory through raw pointers

use std::sync::Arc;

use kostra_core::{AnyGraph, Column, EdgeList, GraphError, Vertex, Weight, counted};
use kostra_parallel::for_each_mut;
use numpy::{Element, PyArray1, PyArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// The memory of a NumPy array. It holds a reference to the array, which keeps the memory valid.
struct NumpyColumn<T> {
    first: *const T,
    len: usize,
    _owner: Py<PyAny>,
}

// SAFETY: the memory is only read and lives as long as the reference. A reference can be dropped on
// any thread.
unsafe impl<T: Sync> Send for NumpyColumn<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for NumpyColumn<T> {}

impl<T> AsRef<[T]> for NumpyColumn<T> {
    fn as_ref(&self) -> &[T] {
        if self.len == 0 {
            return &[];
        }
        // SAFETY: the array is contiguous and has `len` elements. NumPy does not move it while a
        // reference exists. The documentation forbids writes to the array during this time. The
        // engine checks every index, so a violation gives a wrong answer or an error.
        unsafe { std::slice::from_raw_parts(self.first, self.len) }
    }
}

/// Borrows the memory of `array` as elements of a type with the same size.
fn borrow<T, As>(array: &Bound<'_, PyArray1<T>>) -> NumpyColumn<As>
where
    T: Element,
{
    const { assert!(size_of::<T>() == size_of::<As>() && align_of::<T>() == align_of::<As>()) };
    NumpyColumn {
        first: array.data().cast(),
        len: array.len().unwrap_or(0),
        _owner: array.clone().into_any().unbind(),
    }
}

fn shared<T: Send + Sync + 'static>(array: NumpyColumn<T>) -> Column<T> {
    Column::shared(Arc::new(array))
}

/// One of the two arrays of ends, with the name of its argument.
pub(crate) struct EndArray<'py> {
    argument: Argument<'py>,
    column: Column<Vertex>,
    /// Whether the column uses the caller's memory.
    borrowed: bool,
}

impl<'py> EndArray<'py> {
    /// Takes an array of integers of any type. Errors call the array `name`.
    ///
    /// # Errors
    /// A `TypeError` if the array does not contain integers. A `ValueError` if a converted number
    /// is not a 32-bit vertex id.
    pub(crate) fn from_argument(
        name: String,
        array: Bound<'py, PyAny>,
        threads: usize,
    ) -> PyResult<Self> {
        let py = array.py();
        let (column, borrowed) = if let Ok(array) = array.cast::<PyArray1<u32>>() {
            (Ok(shared::<u32>(borrow(array))), true)
        } else if let Ok(array) = array.cast::<PyArray1<i32>>() {
            // Non-negative numbers have the same bits in both types. Negative numbers become
            // vertices of 2^31 or more, which later checks reject.
            (Ok(shared::<u32>(borrow(array))), true)
        } else {
            macro_rules! converted {
                ($($integer:ty),*) => {
                    $(if let Ok(array) = array.cast::<PyArray1<$integer>>() {
                        let array: NumpyColumn<$integer> = borrow(array);
                        (py.detach(|| vertices(array.as_ref(), threads)).map(Column::from), false)
                    } else)* {
                        let dtype = array.getattr("dtype")?;
                        let message =
                            format!("{name} must be an array of integers, not of {dtype}");
                        return Err(PyTypeError::new_err(message));
                    }
                };
            }
            converted!(i64, u64, i16, u16, i8, u8)
        };
        let argument = Argument { name, array };
        match column {
            Ok(column) => Ok(Self { argument, column, borrowed }),
            Err(position) => Err(PyValueError::new_err(argument.not_a_vertex(position)?)),
        }
    }

    /// The highest vertex plus one.
    fn bound(&self) -> PyResult<usize> {
        let array = &self.argument.array;
        let column: &[Vertex] = &self.column;
        let highest = array.py().detach(|| column.iter().copied().max());
        let signed = array.cast::<PyArray1<i32>>().is_ok();
        match highest.filter(|_| signed).and_then(|highest| i32::try_from(highest).err()) {
            None => Ok(highest.map_or(0, |vertex| vertex as usize + 1)),
            Some(_) => {
                let negative = column.iter().position(|&vertex| vertex > i32::MAX as u32);
                Err(PyValueError::new_err(
                    self.argument.not_a_vertex(negative.unwrap_or_default())?,
                ))
            }
        }
    }

    /// The argument and its column. With `copy`, the column does not use the caller's memory.
    fn take(self, copy: bool) -> (Argument<'py>, Column<Vertex>) {
        let column = if copy && self.borrowed { self.column.to_vec().into() } else { self.column };
        (self.argument, column)
    }
}

/// An array of ends and the name that errors use for it.
struct Argument<'py> {
    name: String,
    array: Bound<'py, PyAny>,
}

impl Argument<'_> {
    /// Whether the entry at `position` is not a vertex of a graph with `vertices` vertices.
    fn is_outside(&self, position: usize, vertices: u32) -> PyResult<bool> {
        let value = self.array.get_item(position)?;
        Ok(value.lt(0)? || value.ge(vertices)?)
    }

    /// The message for an entry at `position` that is not a vertex of any graph.
    fn not_a_vertex(&self, position: usize) -> PyResult<String> {
        let (name, value) = (&self.name, self.array.get_item(position)?);
        let reason =
            if value.lt(0)? { "vertices are numbered from 0" } else { "vertex ids have 32 bits" };
        let remedy = "pass relabel=True to number only the vertices that occur";
        Ok(format!("{name}[{position}] is {value}, but {reason}; {remedy}"))
    }
}

/// Converts `values` to vertices. The error is the position of the first value outside of 32 bits.
fn vertices<T: Copy + Sync + TryInto<Vertex>>(
    values: &[T],
    threads: usize,
) -> Result<Vec<Vertex>, usize> {
    let mut vertices = vec![0; values.len()];
    let size = values.len().div_ceil(threads.max(1)).max(1 << 16);
    let convert = |values: &[T], vertices: &mut [Vertex]| {
        let mut bad = false;
        for (vertex, &value) in vertices.iter_mut().zip(values) {
            *vertex = value.try_into().unwrap_or_else(|_| {
                bad = true;
                0
            });
        }
        bad
    };
    let pieces = values.chunks(size).zip(vertices.chunks_mut(size));
    let mut pieces: Vec<_> = pieces.map(|(values, vertices)| (values, vertices, false)).collect();
    for_each_mut(&mut pieces, |(values, vertices, bad)| *bad = convert(values, vertices));
    let bad = pieces.iter().any(|(.., bad)| *bad);
    match values.iter().position(|&value| value.try_into().is_err()).filter(|_| bad) {
        Some(position) => Err(position),
        None => Ok(vertices),
    }
}

/// How a graph is made from its arrays.
#[derive(Clone, Copy)]
pub(crate) struct GraphOptions {
    /// Whether edges of weight NaN are skipped; otherwise they are errors.
    pub(crate) skip_nan: bool,
    /// Whether arrays with the engine's layout are copied; otherwise they are borrowed.
    pub(crate) copy: bool,
}

/// Makes a graph from two arrays of ends and an array of weights with its name in errors. Without
/// weights, every edge has weight 1.
///
/// # Errors
/// A `ValueError` or `TypeError` if the arrays are not a graph. The message gives the argument and
/// the position.
pub(crate) fn graph(
    n: Option<usize>,
    u: EndArray<'_>,
    v: EndArray<'_>,
    weights: Option<(&str, &Bound<'_, PyAny>)>,
    options: GraphOptions,
) -> PyResult<AnyGraph> {
    let n = match n {
        // Negative `int32` numbers are above this `n`, so `EdgeList::new` rejects them.
        Some(n) if n <= 1 << 31 => n,
        n => {
            let bound = u.bound()?.max(v.bound()?);
            n.unwrap_or(bound)
        }
    };
    // Integers are never NaN.
    let without_nan = GraphOptions { skip_nan: false, ..options };
    let Some((name, weights)) = weights else {
        let weights = vec![1_i32; u.column.len()];
        return edge_list(n, [u, v], ("w", weights.into()), without_nan);
    };
    macro_rules! typed {
        (borrowed: $($borrowed:ty),*; widened: $($narrow:ty => $wide:ty),*) => {
            $(if let Ok(array) = weights.cast::<PyArray1<$borrowed>>() {
                let array: NumpyColumn<$borrowed> = borrow(array);
                let column =
                    if options.copy { array.as_ref().to_vec().into() } else { shared(array) };
                return edge_list(n, [u, v], (name, column), options);
            })*
            $(if let Ok(array) = weights.cast::<PyArray1<$narrow>>() {
                let array: NumpyColumn<$narrow> = borrow(array);
                let wide: Vec<$wide> = array.as_ref().iter().map(|&weight| weight.into()).collect();
                return edge_list(n, [u, v], (name, wide.into()), without_nan);
            })*
        };
    }
    typed!(
        borrowed: f64, f32, i64, i32, u32, u64;
        widened: i8 => i32, u8 => u32, i16 => i32, u16 => u32, bool => u32
    );
    Err(PyTypeError::new_err(format!(
        "{name} must be an array of integers or floats of up to 64 bits, not of {}",
        weights.getattr("dtype")?
    )))
}

fn edge_list<W: Weight>(
    n: usize,
    [u, v]: [EndArray<'_>; 2],
    (name, weights): (&str, Column<W>),
    options: GraphOptions,
) -> PyResult<AnyGraph>
where
    AnyGraph: From<EdgeList<W>>,
{
    let py = u.argument.array.py();
    let ((u, first), (v, second)) = (u.take(options.copy), v.take(options.copy));
    let made = py.detach(|| {
        if options.skip_nan {
            EdgeList::new_skipping_nan(n, first, second.to_vec(), weights.to_vec())
                .map(|(graph, _)| graph)
        } else {
            EdgeList::new(n, first, second, weights)
        }
    });
    match made {
        Ok(graph) => Ok(graph.into()),
        Err(error) => Err(PyValueError::new_err(explain(&error, &u, &v, name)?)),
    }
}

/// The message for `error`, with the argument and the position.
fn explain(
    error: &GraphError,
    u: &Argument<'_>,
    v: &Argument<'_>,
    weights: &str,
) -> PyResult<String> {
    Ok(match *error {
        GraphError::LengthMismatch { u: first, v: second, weights: third } => {
            let (u, v) = (&u.name, &v.name);
            format!(
                "{u}, {v} and {weights} must have the same length, \
                 but have {first}, {second} and {third} entries"
            )
        }
        GraphError::EndpointOutOfRange { edge, vertices, .. } => {
            let position = edge as usize;
            let argument = if u.is_outside(position, vertices)? { u } else { v };
            let (name, value) = (&argument.name, argument.array.get_item(position)?);
            if value.lt(0)? {
                return argument.not_a_vertex(position);
            }
            let vertices = counted(vertices, "vertex", "vertices");
            format!("{name}[{edge}] is {value}, but the graph has n = {vertices}, numbered from 0")
        }
        GraphError::NanWeight { edge } => {
            format!("{weights}[{edge}] is NaN; fix it, or pass nan='skip' to skip such edges")
        }
        GraphError::TooManyVertices { .. } => format!("n is too large: {error}"),
        GraphError::TooManyEdges { .. } => {
            format!("{}, {} and {weights} are too long: {error}", u.name, v.name)
        }
        _ => error.to_string(),
    })
}
