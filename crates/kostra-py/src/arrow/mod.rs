//! Arrow's C data interface, with which libraries exchange tables. Capsules contain structs with
//! the addresses of the columns and a callback that releases them.
//!
//! The layouts are those of Arrow's C data and C stream interfaces, which are stable
//! (<https://arrow.apache.org/docs/format/CDataInterface.html>). The consumer moves a struct out of
//! the capsule, leaves a struct without a release callback, and calls the callback once when done.
//! The code does not use Arrow's crates because they would add many dependencies.

#![allow(unsafe_code, reason = "capsules contain C structs")]

mod reader;
pub(crate) mod writer;

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::NonNull;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;

pub(crate) use reader::TableReader;

/// `ArrowSchema`: the type of a column, or of a table.
#[repr(C)]
pub(crate) struct Schema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut Schema,
    dictionary: *mut Schema,
    release: Option<unsafe extern "C" fn(*mut Schema)>,
    private_data: *mut c_void,
}

/// `ArrowArray`: the values of a column, or of a table.
#[repr(C)]
pub(crate) struct ArrowArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut ArrowArray,
    dictionary: *mut ArrowArray,
    release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    private_data: *mut c_void,
}

/// `ArrowArrayStream`: the rows of a table in batches.
#[repr(C)]
struct Stream {
    get_schema: Option<unsafe extern "C" fn(*mut Stream, *mut Schema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut Stream, *mut ArrowArray) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut Stream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut Stream)>,
    private_data: *mut c_void,
}

/// The common interface of the three structs.
///
/// # Safety
/// A struct of zeros is a released struct. A struct that is not released may be moved and released
/// on any thread.
pub(crate) unsafe trait Exported: Sized {
    const CAPSULE: &'static CStr;

    fn release(&self) -> Option<unsafe extern "C" fn(*mut Self)>;
}

macro_rules! exported {
    ($($type:ty: $name:literal),*) => {
        // SAFETY: Arrow's specification guarantees this for the three structs.
        $(unsafe impl Exported for $type {
            const CAPSULE: &'static CStr = $name;

            fn release(&self) -> Option<unsafe extern "C" fn(*mut Self)> {
                self.release
            }
        })*
    };
}

exported!(Schema: c"arrow_schema", ArrowArray: c"arrow_array", Stream: c"arrow_array_stream");

/// A struct that this module owns. Dropping it calls the release callback.
pub(crate) struct Owned<T: Exported>(T);

// SAFETY: the structs may be moved and released on any thread, and are not changed in between.
unsafe impl<T: Exported> Send for Owned<T> {}
// SAFETY: as above.
unsafe impl<T: Exported> Sync for Owned<T> {}

impl<T: Exported> Drop for Owned<T> {
    fn drop(&mut self) {
        if let Some(release) = self.0.release() {
            // SAFETY: the callback removes itself from the struct when it is called, so this is the
            // first call.
            unsafe { release(&raw mut self.0) };
        }
    }
}

impl<T: Exported> Owned<T> {
    /// A released struct, which a callback fills.
    fn empty() -> Self {
        // SAFETY: a struct of zeros is a released struct.
        Self(unsafe { std::mem::zeroed() })
    }

    fn place(&mut self) -> *mut T {
        &raw mut self.0
    }

    /// Moves the struct out of `place`. Returns `None` if it was moved or released before.
    ///
    /// # Safety
    /// `place` points to a struct that no other code uses during the call.
    unsafe fn take(place: NonNull<T>) -> Option<Self> {
        // SAFETY: the caller guarantees a valid `place`. It is left with a released struct, which
        // its capsule does not release again.
        let owned = Self(unsafe { place.replace(std::mem::zeroed()) });
        owned.0.release().is_some().then_some(owned)
    }

    fn from_capsule(capsule: &Bound<'_, PyAny>) -> PyResult<Self> {
        let name = T::CAPSULE.as_ptr();
        // SAFETY: the first call accepts any object. The name of a capsule gives the type of its
        // content.
        let owned = unsafe {
            if ffi::PyCapsule_IsValid(capsule.as_ptr(), name) == 0 {
                return Err(PyTypeError::new_err(format!(
                    "table must export Arrow capsules, but one of them is not an {:?}",
                    T::CAPSULE
                )));
            }
            NonNull::new(ffi::PyCapsule_GetPointer(capsule.as_ptr(), name).cast())
                .and_then(|it| Self::take(it))
        };
        owned.ok_or_else(|| PyValueError::new_err("table was already read; export it again"))
    }
}

/// The error for a table that violates Arrow's specification.
pub(crate) fn malformed(what: &str) -> PyErr {
    PyValueError::new_err(format!(
        "table is malformed: {what}; this is an error of the library that exported it"
    ))
}

impl Schema {
    /// The type, as Arrow writes it: "l" is `int64`.
    pub(crate) fn format(&self) -> &[u8] {
        text(self, self.format)
    }

    pub(crate) fn name(&self) -> &[u8] {
        text(self, self.name)
    }

    /// The schemas of a table's columns, in order.
    pub(crate) fn children(&self) -> PyResult<Vec<&Self>> {
        let children = listed(self, self.children, self.n_children).iter();
        // SAFETY: the exporter guarantees valid pointers until the struct is released.
        let children = children.map(|&child| unsafe { child.as_ref() });
        children.map(|child| child.ok_or_else(|| malformed("a column has no type"))).collect()
    }

    /// The type of the values if the column is dictionary-encoded.
    pub(crate) fn dictionary(&self) -> Option<&Self> {
        // SAFETY: as above.
        unsafe { self.dictionary.as_ref() }
    }
}

impl Owned<ArrowArray> {
    pub(crate) fn get(&self) -> &ArrowArray {
        &self.0
    }

    /// Moves the columns `wanted` out of a batch of `count` columns, and releases the others.
    pub(crate) fn columns(self, count: usize, wanted: &[usize]) -> PyResult<Vec<Self>> {
        let children = listed(&self.0, self.0.children, self.0.n_children);
        if children.len() != count {
            return Err(malformed(
                "a batch of rows does not have the number of columns that the schema gives",
            ));
        }
        let take = |&column: &usize| {
            let child = children.get(column).and_then(|&child| NonNull::new(child));
            // SAFETY: Arrow allows moving a child out of a struct that is then released, as `self`
            // is.
            child
                .and_then(|child| unsafe { Self::take(child) })
                .ok_or_else(|| malformed("a column is missing"))
        };
        wanted.iter().map(take).collect()
    }
}

impl ArrowArray {
    pub(crate) fn rows(&self) -> PyResult<usize> {
        usize::try_from(self.length).map_err(|_| malformed("it has a negative length"))
    }

    /// The position of the first row in the buffers.
    pub(crate) fn offset(&self) -> PyResult<usize> {
        usize::try_from(self.offset).map_err(|_| malformed("it has a negative offset"))
    }

    /// Whether the column may contain rows without a value.
    pub(crate) fn may_have_nulls(&self) -> bool {
        self.null_count != 0
    }

    /// The addresses of the buffers.
    pub(crate) fn buffers(&self) -> &[*const c_void] {
        listed(self, self.buffers, self.n_buffers)
    }

    /// The values if the column is dictionary-encoded.
    pub(crate) fn dictionary(&self) -> Option<&Self> {
        // SAFETY: the exporter guarantees valid pointers until the struct is released.
        unsafe { self.dictionary.as_ref() }
    }
}

/// A string of a struct; empty if the pointer is null.
fn text<T>(_owner: &T, text: *const c_char) -> &[u8] {
    if text.is_null() {
        return &[];
    }
    // SAFETY: the exporter guarantees valid strings until the struct is released.
    unsafe { CStr::from_ptr(text) }.to_bytes()
}

/// An array of a struct; empty if the pointer is null.
fn listed<T, Item>(_owner: &T, first: *mut Item, count: i64) -> &[Item] {
    let count = usize::try_from(count).unwrap_or(0);
    if first.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: the exporter guarantees a valid array until the struct is released.
    unsafe { std::slice::from_raw_parts(first, count) }
}
