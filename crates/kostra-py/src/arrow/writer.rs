//! Exports columns as a table: a stream of one batch of rows. The columns are copies, so that
//! consumers release them on any thread and without the interpreter.

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr;
use std::sync::Arc;

use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::ffi;
use pyo3::prelude::*;

use super::{ArrowArray, Exported, Owned, Schema, Stream};

/// A column: a dictionary in Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct NewColumn<'py> {
    name: String,
    /// The type, as Arrow writes it.
    format: String,
    /// The number of rows without a value.
    nulls: i64,
    /// The bytes of the buffers that the type has. The first one may be missing.
    buffers: Vec<Option<PyReadonlyArray1<'py, u8>>>,
}

struct Column {
    name: CString,
    format: CString,
    nulls: i64,
    /// Whole words, because Arrow recommends that buffers are aligned to 8 bytes.
    buffers: Vec<Option<Vec<u64>>>,
}

fn words(bytes: &[u8]) -> Vec<u64> {
    let word = |chunk: &[u8]| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_ne_bytes(word)
    };
    bytes.chunks(8).map(word).collect()
}

struct Table {
    rows: i64,
    columns: Vec<Column>,
}

impl Table {
    fn new(rows: i64, columns: Vec<NewColumn<'_>>) -> PyResult<Self> {
        let columns = columns.into_iter().map(|column| {
            let buffers = column.buffers.iter().map(|buffer| {
                buffer.as_ref().map(|buffer| Ok(words(buffer.as_slice()?))).transpose()
            });
            let text = |text: String| {
                CString::new(text).map_err(|error| {
                    PyValueError::new_err(format!("the name of a column contains a zero: {error}"))
                })
            };
            Ok(Column {
                name: text(column.name)?,
                format: text(column.format)?,
                nulls: column.nulls,
                buffers: buffers.collect::<PyResult<_>>()?,
            })
        });
        Ok(Self { rows, columns: columns.collect::<PyResult<_>>()? })
    }
}

/// The state of a stream.
struct Rows {
    table: Arc<Table>,
    is_read: bool,
}

/// What the pointers of a struct point to.
struct Held<T> {
    table: Arc<Table>,
    children: Vec<*mut T>,
    buffers: Vec<*const c_void>,
}

/// The capsule for `__arrow_c_stream__`: `rows` rows of these columns.
#[pyfunction]
pub(crate) fn stream_of_columns(
    py: Python<'_>,
    rows: i64,
    columns: Vec<NewColumn<'_>>,
) -> PyResult<Py<PyAny>> {
    let state = Box::new(Rows { table: Arc::new(Table::new(rows, columns)?), is_read: false });
    let stream = Box::into_raw(Box::new(Stream {
        get_schema: Some(get_schema),
        get_next: Some(get_next),
        get_last_error: Some(no_error),
        release: Some(release_stream),
        private_data: Box::into_raw(state).cast(),
    }));
    // SAFETY: the capsule owns `stream`, and `drop_capsule` frees it.
    unsafe {
        let name = Stream::CAPSULE.as_ptr();
        let capsule = ffi::PyCapsule_New(stream.cast(), name, Some(drop_capsule));
        Bound::from_owned_ptr_or_err(py, capsule).map(Bound::unbind).inspect_err(|_| {
            drop(Owned(*Box::from_raw(stream)));
        })
    }
}

/// Releases the stream, unless a consumer has moved it out, and frees its memory.
unsafe extern "C" fn drop_capsule(capsule: *mut ffi::PyObject) {
    // SAFETY: the capsule has this name, and a pointer of `Box::into_raw`.
    unsafe {
        let stream = ffi::PyCapsule_GetPointer(capsule, Stream::CAPSULE.as_ptr());
        drop(Owned(*Box::from_raw(stream.cast::<Stream>())));
    }
}

unsafe extern "C" fn get_schema(stream: *mut Stream, out: *mut Schema) -> c_int {
    // SAFETY: the consumer passes a stream that is not released, and a place for the struct.
    unsafe {
        let table = &(*(*stream).private_data.cast::<Rows>()).table;
        let child = |column: &Column| {
            let (format, name) = (column.format.as_ptr(), column.name.as_ptr());
            Box::into_raw(Box::new(schema((format, name), table, Vec::new())))
        };
        let children = table.columns.iter().map(child).collect();
        out.write(schema((c"+s".as_ptr(), c"".as_ptr()), table, children));
    }
    0
}

unsafe extern "C" fn get_next(stream: *mut Stream, out: *mut ArrowArray) -> c_int {
    // SAFETY: as above.
    unsafe {
        let state = &mut *(*stream).private_data.cast::<Rows>();
        if std::mem::replace(&mut state.is_read, true) {
            out.write(std::mem::zeroed());
            return 0;
        }
        let table = &state.table;
        let child = |column: &Column| {
            let buffers = column.buffers.iter();
            let buffers = buffers.map(|buffer| match buffer {
                Some(words) => words.as_ptr().cast(),
                None => ptr::null(),
            });
            Box::into_raw(Box::new(array(column.nulls, table, Vec::new(), buffers.collect())))
        };
        let children = table.columns.iter().map(child).collect();
        out.write(array(0, table, children, vec![ptr::null()]));
    }
    0
}

unsafe extern "C" fn no_error(_: *mut Stream) -> *const c_char {
    ptr::null()
}

unsafe extern "C" fn release_stream(stream: *mut Stream) {
    // SAFETY: the consumer passes a stream that is not released.
    unsafe {
        drop(Box::from_raw((*stream).private_data.cast::<Rows>()));
        (*stream).release = None;
    }
}

fn schema(
    (format, name): (*const c_char, *const c_char),
    table: &Arc<Table>,
    children: Vec<*mut Schema>,
) -> Schema {
    let held = Box::leak(Box::new(Held { table: table.clone(), children, buffers: Vec::new() }));
    Schema {
        format,
        name,
        metadata: ptr::null(),
        flags: 2, // rows may have no value
        n_children: held.children.len() as i64,
        children: held.children.as_mut_ptr(),
        dictionary: ptr::null_mut(),
        release: Some(release_schema),
        private_data: ptr::from_mut(held).cast(),
    }
}

unsafe extern "C" fn release_schema(schema: *mut Schema) {
    // SAFETY: the consumer passes a struct that is not released.
    unsafe {
        free::<Schema>((*schema).private_data);
        (*schema).release = None;
    }
}

fn array(
    null_count: i64,
    table: &Arc<Table>,
    children: Vec<*mut ArrowArray>,
    buffers: Vec<*const c_void>,
) -> ArrowArray {
    let held = Box::leak(Box::new(Held { table: table.clone(), children, buffers }));
    ArrowArray {
        length: held.table.rows,
        null_count,
        offset: 0,
        n_buffers: held.buffers.len() as i64,
        n_children: held.children.len() as i64,
        buffers: held.buffers.as_mut_ptr(),
        children: held.children.as_mut_ptr(),
        dictionary: ptr::null_mut(),
        release: Some(release_array),
        private_data: ptr::from_mut(held).cast(),
    }
}

unsafe extern "C" fn release_array(array: *mut ArrowArray) {
    // SAFETY: the consumer passes a struct that is not released.
    unsafe {
        free::<ArrowArray>((*array).private_data);
        (*array).release = None;
    }
}

/// Frees what a struct points to. A child that the consumer has moved out is a released struct.
///
/// # Safety
/// `private_data` is a `Held<T>` of `Box::leak`, and its children are of `Box::into_raw`.
unsafe fn free<T: Exported>(private_data: *mut c_void) {
    // SAFETY: the caller guarantees it.
    unsafe {
        for child in Box::from_raw(private_data.cast::<Held<T>>()).children {
            drop(Owned(*Box::from_raw(child)));
        }
    }
}
