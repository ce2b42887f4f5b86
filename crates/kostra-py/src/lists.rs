//! Python's lists, where what Python itself does with them waits for memory.

#![allow(unsafe_code, reason = "objects are taken out of a list before they are touched")]

use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyIndexError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyList;

/// How many objects ahead memory is asked for: enough for it to be there in time.
const AHEAD: usize = 16;

/// The items of a list at some places, in their order, as a new list.
///
/// An object that gets one more reference is written to. Where a million of them lie about, Python
/// waits for each; here the next ones are asked for meanwhile.
#[pyfunction]
pub(crate) fn pick<'py>(
    list: &Bound<'py, PyList>,
    places: PyReadonlyArray1<'py, i64>,
) -> PyResult<Bound<'py, PyList>> {
    let (py, places, len) = (list.py(), places.as_slice()?, list.len() as i64);
    if let Some(place) = places.iter().find(|place| !(0..len).contains(place)) {
        return Err(PyIndexError::new_err(format!("there is no item {place} in a list of {len}")));
    }
    let item = |place: &i64| {
        // SAFETY: the place is in the list. The reference is borrowed from the list, which nobody
        // changes before this function returns, since no code of Python's runs until then.
        unsafe { ffi::PyList_GetItem(list.as_ptr(), *place as ffi::Py_ssize_t) }
    };
    let items: Vec<_> = places.iter().map(item).collect();
    // SAFETY: every slot of the new list is filled with a reference of its own before anybody sees
    // it.
    unsafe {
        let picked = ffi::PyList_New(items.len() as ffi::Py_ssize_t);
        let picked = Bound::from_owned_ptr_or_err(py, picked)?;
        for (index, &item) in items.iter().enumerate() {
            if let Some(&next) = items.get(index + AHEAD) {
                kostra::prefetch(std::slice::from_raw_parts(next.cast::<u64>(), 1), 0);
            }
            ffi::Py_INCREF(item);
            ffi::PyList_SetItem(picked.as_ptr(), index as ffi::Py_ssize_t, item);
        }
        Ok(picked.cast_into_unchecked())
    }
}
