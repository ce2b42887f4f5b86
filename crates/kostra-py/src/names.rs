//! Named vertices: columns of strings from a table, numbered in sorted order.

#![allow(unsafe_code, reason = "strings of other libraries are given by address")]

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::c_void;

use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::arrow::{ArrowArray, Schema, malformed};
use crate::chunk::{Chunk, missing, no_value};

/// The memory layouts of strings.
#[derive(Clone, Copy)]
enum Layout {
    /// Contiguous, with 32-bit offsets.
    Short,
    /// Contiguous, with 64-bit offsets.
    Long,
    /// Views of 16 bytes. A view contains a short string itself, or the position of a long one.
    Views,
}

/// The layout of a column of strings. With `codes`, the column is dictionary-encoded, and `codes`
/// is the Arrow format of the codes.
#[derive(Clone, Copy)]
pub(crate) struct TextLayout {
    texts: Layout,
    codes: Option<u8>,
}

/// The layout of a column of strings; `None` for any other column.
pub(crate) fn layout(schema: &Schema) -> Option<TextLayout> {
    let (texts, codes) = match schema.dictionary() {
        Some(texts) => (texts, Some(*schema.format().first()?)),
        None => (schema, None),
    };
    let texts = match texts.format() {
        b"u" => Layout::Short,
        b"U" => Layout::Long,
        b"vu" => Layout::Views,
        _ => return None,
    };
    Some(TextLayout { texts, codes })
}

/// A column of strings.
#[pyclass(frozen, module = "kostra._kostra")]
pub(crate) struct StringColumn {
    pub(crate) name: String,
    pub(crate) layout: TextLayout,
    pub(crate) chunks: Vec<Chunk>,
}

impl StringColumn {
    /// The strings of all rows.
    fn rows(&self) -> PyResult<Vec<&[u8]>> {
        let mut rows =
            Vec::with_capacity(self.chunks.iter().map(|chunk| chunk.places().len()).sum());
        for chunk in &self.chunks {
            let array = chunk.array();
            let Some(codes) = self.layout.codes else {
                for place in chunk.places() {
                    rows.push(text(array, self.layout.texts, place)?);
                }
                continue;
            };
            let texts = array
                .dictionary()
                .ok_or_else(|| malformed("a column of categories has no dictionary"))?;
            let (first, len) = (texts.offset()?, texts.rows()?);
            for place in chunk.places() {
                let code = code(array, codes, place)?;
                let code = code
                    .filter(|&code| code < len)
                    .ok_or_else(|| malformed("a row has a category outside of the dictionary"))?;
                if missing(texts, first + code..first + code + 1).is_some() {
                    return Err(no_value(&self.name, rows.len()));
                }
                rows.push(text(texts, self.layout.texts, first + code)?);
            }
        }
        Ok(rows)
    }
}

/// Two columns as vertices, and the sorted names.
type Numbered<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>, Bound<'py, PyList>);

/// Numbers the names in `u` and `v` in sorted order.
#[pyfunction]
pub(crate) fn number_names<'py>(
    py: Python<'py>,
    u: &Bound<'py, StringColumn>,
    v: &Bound<'py, StringColumn>,
) -> PyResult<Numbered<'py>> {
    let (u, v) = (u.get(), v.get());
    let (u, v, names) = py.detach(|| {
        let (u, v) = (u.rows()?, v.rows()?);
        number(&u, &v)
    })?;
    Ok((u.into_pyarray(py), v.into_pyarray(py), PyList::new(py, names)?))
}

fn number(u: &[&[u8]], v: &[&[u8]]) -> PyResult<(Vec<u32>, Vec<u32>, Vec<String>)> {
    // First by occurrence, then by rank.
    let (mut numbers, mut names) = (HashMap::new(), Vec::new());
    let mut vertices = Vec::with_capacity(u.len() + v.len());
    for &name in u.iter().chain(v) {
        let next = u32::try_from(names.len());
        vertices.push(match numbers.entry(name) {
            Entry::Occupied(number) => *number.get(),
            Entry::Vacant(place) => {
                names.push(name);
                *place.insert(next.map_err(|_| {
                    PyValueError::new_err("table contains more than 2**32 names of vertices")
                })?)
            }
        });
    }
    let mut sorted: Vec<u32> = numbers.into_values().collect();
    sorted.sort_unstable_by_key(|&number| names[number as usize]);
    let mut ranks = vec![0; names.len()];
    for (rank, &number) in (0..).zip(&sorted) {
        ranks[number as usize] = rank;
    }
    let ranked = |vertices: &[u32]| vertices.iter().map(|&number| ranks[number as usize]).collect();
    let (first, second) = vertices.split_at(u.len());
    let names = sorted.iter().map(|&number| {
        let name = std::str::from_utf8(names[number as usize]);
        name.map(str::to_owned).map_err(|_| malformed("a string is not UTF-8"))
    });
    Ok((ranked(first), ranked(second), names.collect::<PyResult<_>>()?))
}

/// The string at `place` in the buffers.
fn text(array: &ArrowArray, layout: Layout, place: usize) -> PyResult<&[u8]> {
    match (layout, array.buffers()) {
        (Layout::Short, &[_, ends, texts]) => {
            // SAFETY: the exporter guarantees one more offset than strings.
            let (begin, end) = unsafe { (at::<i32>(ends, place)?, at::<i32>(ends, place + 1)?) };
            slice(array, texts, i64::from(begin), i64::from(end))
        }
        (Layout::Long, &[_, ends, texts]) => {
            // SAFETY: as above.
            let (begin, end) = unsafe { (at::<i64>(ends, place)?, at::<i64>(ends, place + 1)?) };
            slice(array, texts, begin, end)
        }
        (Layout::Views, &[_, views, ref buffers @ .., sizes]) => {
            view(array, place, views, buffers, sizes)
        }
        _ => Err(malformed("a column of text lacks a buffer")),
    }
}

/// The string of the view at `place`. A long string's view has its length, its first four bytes,
/// the index of its buffer and the offset in the buffer.
fn view<'a>(
    array: &'a ArrowArray,
    place: usize,
    views: *const c_void,
    buffers: &[*const c_void],
    sizes: *const c_void,
) -> PyResult<&'a [u8]> {
    // SAFETY: the exporter guarantees one view per row.
    let [len, _, buffer, begin] = unsafe { at::<[i32; 4]>(views, place)? };
    if (0..=12).contains(&len) {
        return slice(array, views, 16 * place as i64 + 4, 16 * place as i64 + 4 + i64::from(len));
    }
    let buffer = usize::try_from(buffer).unwrap_or(usize::MAX);
    let texts = *buffers.get(buffer).ok_or_else(|| malformed("a string is in no buffer"))?;
    let (begin, end) = (i64::from(begin), i64::from(begin) + i64::from(len));
    // SAFETY: the exporter guarantees one size per buffer.
    if len < 0 || end > unsafe { at::<i64>(sizes, buffer)? } {
        return Err(malformed("a string ends after its buffer"));
    }
    slice(array, texts, begin, end)
}

/// The dictionary code at `place`; `None` if it is negative.
fn code(array: &ArrowArray, kind: u8, place: usize) -> PyResult<Option<usize>> {
    let &[_, codes] = array.buffers() else {
        return Err(malformed("a column of categories lacks a buffer"));
    };
    macro_rules! typed {
        ($($letter:literal => $type:ty),*) => {
            match kind {
                // SAFETY: the exporter guarantees one code per row.
                $($letter => Ok(unsafe { at::<$type>(codes, place) }?.try_into().ok()),)*
                _ => Err(malformed("the codes of a column of categories are not integers")),
            }
        };
    }
    typed!(
        b'c' => i8, b'C' => u8, b's' => i16, b'S' => u16,
        b'i' => i32, b'I' => u32, b'l' => i64, b'L' => u64
    )
}

/// Reads the value at `place` in a buffer.
///
/// # Safety
/// The buffer is null or contains a value at `place`.
unsafe fn at<T: Copy>(buffer: *const c_void, place: usize) -> PyResult<T> {
    if buffer.is_null() {
        return Err(malformed("a column lacks a buffer"));
    }
    // SAFETY: the caller guarantees the value. The buffer may be unaligned.
    Ok(unsafe { buffer.cast::<T>().add(place).read_unaligned() })
}

/// The bytes `begin..end` of a column's buffer.
fn slice(_owner: &ArrowArray, buffer: *const c_void, begin: i64, end: i64) -> PyResult<&[u8]> {
    let (Ok(begin), Ok(len)) = (usize::try_from(begin), usize::try_from(end.saturating_sub(begin)))
    else {
        return Err(malformed("a string ends before it begins"));
    };
    if len == 0 {
        return Ok(&[]);
    }
    if buffer.is_null() {
        return Err(malformed("a column lacks a buffer"));
    }
    // SAFETY: the exporter guarantees that the buffers contain the strings until the column is
    // released.
    Ok(unsafe { std::slice::from_raw_parts(buffer.cast::<u8>().add(begin), len) })
}
