//! Columns of a graph from NumPy arrays: lent where the layout is the engine's, converted where
//! not, the ends on several threads.
//!
//! Python hands over one-dimensional, contiguous arrays in the machine's byte order; what is left
//! to decide here is the type.

#![allow(unsafe_code)] // arrays are lent to the engine, which knows nothing of Python

use std::sync::Arc;

use kostra::{AnyGraph, Column, EdgeList, GraphError, Vertex, Weight};
use kostra_parallel::for_each_mut;
use numpy::{Element, PyArray1, PyArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// An array that Python owns. Whoever holds this holds a reference to it, so the memory stays.
struct Lent<T> {
    first: *const T,
    len: usize,
    _owner: Py<PyAny>,
}

// SAFETY: the memory is read only, and lives as long as the reference; dropping a reference is safe
// on any thread.
unsafe impl<T: Sync> Send for Lent<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Lent<T> {}

impl<T> AsRef<[T]> for Lent<T> {
    fn as_ref(&self) -> &[T] {
        if self.len == 0 {
            return &[];
        }
        // SAFETY: the array is contiguous and has `len` elements, and NumPy does not move it while
        // there is a reference. Nobody writes to it meanwhile, as the documentation asks; the
        // engine checks every index, so that somebody who does gets a wrong answer or an error.
        unsafe { std::slice::from_raw_parts(self.first, self.len) }
    }
}

/// The memory of an array as elements of a type of the same size.
fn lend<T, As>(array: &Bound<'_, PyArray1<T>>) -> Lent<As>
where
    T: Element,
{
    const { assert!(size_of::<T>() == size_of::<As>() && align_of::<T>() == align_of::<As>()) };
    Lent {
        first: array.data().cast(),
        len: array.len().unwrap_or(0),
        _owner: array.clone().into_any().unbind(),
    }
}

fn shared<T: Send + Sync + 'static>(lent: Lent<T>) -> Column<T> {
    Column::shared(Arc::new(lent))
}

/// One of the two arrays of endpoints, with the name of the argument that it came in.
pub(crate) struct Ends<'py> {
    argument: Argument<'py>,
    column: Column<Vertex>,
    /// Whether the column is the caller's memory.
    lent: bool,
}

impl<'py> Ends<'py> {
    /// Takes an array of integers of any type, and what the caller calls it.
    ///
    /// # Errors
    /// When it holds no integers, or a number that cannot be a vertex.
    pub(crate) fn of(name: String, array: Bound<'py, PyAny>, threads: usize) -> PyResult<Self> {
        let py = array.py();
        let (column, lent) = if let Ok(array) = array.cast::<PyArray1<u32>>() {
            (Ok(shared::<u32>(lend(array))), true)
        } else if let Ok(array) = array.cast::<PyArray1<i32>>() {
            // The bits of a number that is not negative are the same; those of one that is, are out
            // of any range.
            (Ok(shared::<u32>(lend(array))), true)
        } else {
            macro_rules! converted {
                ($($integer:ty),*) => {
                    $(if let Ok(array) = array.cast::<PyArray1<$integer>>() {
                        let lent: Lent<$integer> = lend(array);
                        (py.detach(|| vertices(lent.as_ref(), threads)).map(Column::from), false)
                    } else)* {
                        let dtype = array.getattr("dtype")?;
                        let message = format!("{name} must be an array of integers, not of {dtype}");
                        return Err(PyTypeError::new_err(message));
                    }
                };
            }
            converted!(i64, u64, i16, u16, i8, u8)
        };
        let argument = Argument { name, array };
        match column {
            Ok(column) => Ok(Self { argument, column, lent }),
            Err(position) => Err(PyValueError::new_err(argument.no_vertex(position)?)),
        }
    }

    /// One more than the highest vertex.
    fn bound(&self) -> PyResult<usize> {
        let array = &self.argument.array;
        let column: &[Vertex] = &self.column;
        let highest = array.py().detach(|| column.iter().copied().max());
        let signed = array.cast::<PyArray1<i32>>().is_ok();
        match highest.filter(|_| signed).and_then(|highest| i32::try_from(highest).err()) {
            None => Ok(highest.map_or(0, |vertex| vertex as usize + 1)),
            Some(_) => {
                let negative = column.iter().position(|&vertex| vertex > i32::MAX as u32);
                Err(PyValueError::new_err(self.argument.no_vertex(negative.unwrap_or_default())?))
            }
        }
    }

    /// The column, of the graph's own if asked for, and what is needed to name a culprit in it.
    fn take(self, copy: bool) -> (Argument<'py>, Column<Vertex>) {
        let column = if copy && self.lent { self.column.to_vec().into() } else { self.column };
        (self.argument, column)
    }
}

/// An array of endpoints as the caller named it.
struct Argument<'py> {
    name: String,
    array: Bound<'py, PyAny>,
}

impl Argument<'_> {
    /// Whether what stands at a position is no vertex of a graph with so many.
    fn is_outside(&self, position: usize, vertices: u32) -> PyResult<bool> {
        let value = self.array.get_item(position)?;
        Ok(value.lt(0)? || value.ge(vertices)?)
    }

    /// Why what stands at a position is no vertex of any graph.
    fn no_vertex(&self, position: usize) -> PyResult<String> {
        let (name, value) = (&self.name, self.array.get_item(position)?);
        let reason = if value.lt(0)? {
            "vertices are numbered from 0"
        } else {
            "32-bit ids end before; pass relabel=True to number only the vertices that occur"
        };
        Ok(format!("{name}[{position}] is {value}, but {reason}"))
    }
}

/// What does not fit into 32 bits is none; its position is the error.
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

/// Makes a graph of two arrays of endpoints and one of weights; without weights, all weigh 1. What
/// has the engine's layout is lent to the graph, or copied if asked for.
///
/// # Errors
/// When the arrays are no graph; the message names the argument and the position.
pub(crate) fn graph(
    n: Option<usize>,
    u: Ends<'_>,
    v: Ends<'_>,
    weights: Option<(&str, &Bound<'_, PyAny>)>,
    skip_nan: bool,
    copy: bool,
) -> PyResult<AnyGraph> {
    let n = match n {
        // Signed numbers that are negative are out of range.
        Some(n) if n <= 1 << 31 => n,
        n => {
            let bound = u.bound()?.max(v.bound()?);
            n.unwrap_or(bound)
        }
    };
    let Some((name, weights)) = weights else {
        let weights = vec![1_i32; u.column.len()];
        return edge_list(n, u, v, ("w", weights.into()), false, copy);
    };
    macro_rules! typed {
        (lent: $($lent:ty),*; widened: $($narrow:ty => $wide:ty),*) => {
            $(if let Ok(array) = weights.cast::<PyArray1<$lent>>() {
                let lent: Lent<$lent> = lend(array);
                let column = if copy { lent.as_ref().to_vec().into() } else { shared(lent) };
                return edge_list(n, u, v, (name, column), skip_nan, copy);
            })*
            $(if let Ok(array) = weights.cast::<PyArray1<$narrow>>() {
                let lent: Lent<$narrow> = lend(array);
                let wide: Vec<$wide> = lent.as_ref().iter().map(|&weight| weight.into()).collect();
                return edge_list(n, u, v, (name, wide.into()), false, copy);
            })*
        };
    }
    typed!(
        lent: f64, f32, i64, i32, u32, u64;
        widened: i8 => i32, u8 => u32, i16 => i32, u16 => u32, bool => u32
    );
    Err(PyTypeError::new_err(format!(
        "{name} must be an array of integers or floats of up to 64 bits, not of {}",
        weights.getattr("dtype")?
    )))
}

fn edge_list<W: Weight>(
    n: usize,
    u: Ends<'_>,
    v: Ends<'_>,
    (name, weights): (&str, Column<W>),
    skip_nan: bool,
    copy: bool,
) -> PyResult<AnyGraph>
where
    AnyGraph: From<EdgeList<W>>,
{
    let py = u.argument.array.py();
    let ((u, first), (v, second)) = (u.take(copy), v.take(copy));
    let made = py.detach(|| {
        if skip_nan {
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

/// What is wrong, in the words of the caller: with the argument and the position.
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
                "{u}, {v} and {weights} must be equally long, but have {first}, {second} and {third} entries"
            )
        }
        GraphError::EndpointOutOfRange { edge, vertices, .. } => {
            let position = edge as usize;
            let culprit = if u.is_outside(position, vertices)? { u } else { v };
            let (name, value) = (&culprit.name, culprit.array.get_item(position)?);
            if value.lt(0)? {
                return culprit.no_vertex(position);
            }
            format!(
                "{name}[{edge}] is {value}, but the graph has n = {vertices} vertices, numbered from 0"
            )
        }
        GraphError::NanWeight { edge } => {
            format!("{weights}[{edge}] is NaN; fix it, or pass nan='skip' to leave such edges out")
        }
        GraphError::TooManyVertices { .. } => format!("n is too large: {error}"),
        GraphError::TooManyEdges { .. } => {
            format!("{}, {} and {weights} are too long: {error}", u.name, v.name)
        }
    })
}
