//! Arrow's C data interface: how libraries hand each other tables. Capsules hold structs that say
//! where the columns lie and how to give them back.
//!
//! The layouts are those of Arrow's C data and C stream interfaces, which never change
//! (<https://arrow.apache.org/docs/format/CDataInterface.html>). Who consumes a struct moves it
//! out, which leaves one without a release callback behind, and calls that callback once when done.
//! Arrow's own crates would add many dependencies to the build.

#![allow(unsafe_code, reason = "structs of C's layout come in capsules")]

mod reader;

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::NonNull;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;

pub(crate) use reader::Reader;

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
pub(crate) struct Array {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut Array,
    dictionary: *mut Array,
    release: Option<unsafe extern "C" fn(*mut Array)>,
    private_data: *mut c_void,
}

/// `ArrowArrayStream`: the rows of a table, some at a time.
#[repr(C)]
struct Stream {
    get_schema: Option<unsafe extern "C" fn(*mut Stream, *mut Schema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut Stream, *mut Array) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut Stream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut Stream)>,
    private_data: *mut c_void,
}

/// What the three have in common.
///
/// # Safety
/// A struct of zeros is one that has been released, and one that is not may be moved, and given
/// back on any thread.
pub(crate) unsafe trait Exported: Sized {
    const CAPSULE: &'static CStr;

    fn release(&self) -> Option<unsafe extern "C" fn(*mut Self)>;
}

macro_rules! exported {
    ($($type:ty: $name:literal),*) => {
        // SAFETY: the interface says so of its structs.
        $(unsafe impl Exported for $type {
            const CAPSULE: &'static CStr = $name;

            fn release(&self) -> Option<unsafe extern "C" fn(*mut Self)> {
                self.release
            }
        })*
    };
}

exported!(Schema: c"arrow_schema", Array: c"arrow_array", Stream: c"arrow_array_stream");

/// A struct that is ours to give back, which dropping it does.
pub(crate) struct Owned<T: Exported>(T);

// SAFETY: the structs may be moved and released on any thread, and nothing changes them in between.
unsafe impl<T: Exported> Send for Owned<T> {}
// SAFETY: as above.
unsafe impl<T: Exported> Sync for Owned<T> {}

impl<T: Exported> Drop for Owned<T> {
    fn drop(&mut self) {
        if let Some(release) = self.0.release() {
            // SAFETY: it has not been called, or it would have taken itself out of the struct.
            unsafe { release(&raw mut self.0) };
        }
    }
}

impl<T: Exported> Owned<T> {
    /// A released struct, for others to fill.
    fn empty() -> Self {
        // SAFETY: zeros are such a struct.
        Self(unsafe { std::mem::zeroed() })
    }

    fn place(&mut self) -> *mut T {
        &raw mut self.0
    }

    /// Moves a struct out of where it lies; `None` where it has been moved or released before.
    ///
    /// # Safety
    /// There is such a struct, and nobody uses it meanwhile.
    unsafe fn take(place: NonNull<T>) -> Option<Self> {
        // SAFETY: the caller vouches for it; zeros are a released struct, whose capsule has nothing
        // left to do.
        let owned = Self(unsafe { place.replace(std::mem::zeroed()) });
        owned.0.release().is_some().then_some(owned)
    }

    fn from_capsule(capsule: &Bound<'_, PyAny>) -> PyResult<Self> {
        let name = T::CAPSULE.as_ptr();
        // SAFETY: the object may be any; a capsule's name tells what is in it.
        let owned = unsafe {
            if ffi::PyCapsule_IsValid(capsule.as_ptr(), name) == 0 {
                return Err(PyTypeError::new_err(format!(
                    "table must export Arrow capsules, but one of them is no {:?}",
                    T::CAPSULE
                )));
            }
            NonNull::new(ffi::PyCapsule_GetPointer(capsule.as_ptr(), name).cast())
                .and_then(|it| Self::take(it))
        };
        owned.ok_or_else(|| PyValueError::new_err("table has been read before; export it again"))
    }
}

/// Why a table is none, in one sentence.
pub(crate) fn malformed(what: &str) -> PyErr {
    PyValueError::new_err(format!(
        "table is malformed: {what}; its library has exported it wrongly"
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

    /// What a table's columns are, in their order.
    pub(crate) fn children(&self) -> PyResult<Vec<&Self>> {
        let children = listed(self, self.children, self.n_children).iter();
        // SAFETY: whoever exports a struct vouches for what it points to, until it is released.
        let children = children.map(|&child| unsafe { child.as_ref() });
        children.map(|child| child.ok_or_else(|| malformed("a column has no type"))).collect()
    }

    /// The type of the values, where this is the type of numbers that stand for them.
    pub(crate) fn dictionary(&self) -> Option<&Self> {
        // SAFETY: as above.
        unsafe { self.dictionary.as_ref() }
    }
}

impl Owned<Array> {
    pub(crate) fn get(&self) -> &Array {
        &self.0
    }

    /// Moves some columns out of a table, and gives the others back.
    pub(crate) fn columns(self, count: usize, wanted: &[usize]) -> PyResult<Vec<Self>> {
        let children = listed(&self.0, self.0.children, self.0.n_children);
        if children.len() != count {
            return Err(malformed("its rows have not as many columns as it says"));
        }
        let take = |&column: &usize| {
            let child = children.get(column).and_then(|&child| NonNull::new(child));
            // SAFETY: a child may be moved out of a struct that is released right after, as this
            // one is.
            child
                .and_then(|child| unsafe { Self::take(child) })
                .ok_or_else(|| malformed("a column is not there"))
        };
        wanted.iter().map(take).collect()
    }
}

impl Array {
    pub(crate) fn rows(&self) -> PyResult<usize> {
        usize::try_from(self.length).map_err(|_| malformed("it has a negative length"))
    }

    /// Where the first row lies in the buffers.
    pub(crate) fn offset(&self) -> PyResult<usize> {
        usize::try_from(self.offset).map_err(|_| malformed("it has a negative offset"))
    }

    /// Whether there may be rows without a value.
    pub(crate) fn may_have_nulls(&self) -> bool {
        self.null_count != 0
    }

    /// Where the buffers begin.
    pub(crate) fn buffers(&self) -> &[*const c_void] {
        listed(self, self.buffers, self.n_buffers)
    }

    /// The values, where this holds numbers that stand for them.
    pub(crate) fn dictionary(&self) -> Option<&Self> {
        // SAFETY: whoever exports a struct vouches for what it points to, until it is released.
        unsafe { self.dictionary.as_ref() }
    }
}

/// A text of a struct.
fn text<T>(_owner: &T, text: *const c_char) -> &[u8] {
    if text.is_null() {
        return &[];
    }
    // SAFETY: whoever exports a struct vouches for its texts, until it is released.
    unsafe { CStr::from_ptr(text) }.to_bytes()
}

/// What a struct lists.
fn listed<T, Item>(_owner: &T, first: *mut Item, count: i64) -> &[Item] {
    let count = usize::try_from(count).unwrap_or(0);
    if first.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: whoever exports a struct vouches for what it lists, until it is released.
    unsafe { std::slice::from_raw_parts(first, count) }
}
