//! Arrays of NumPy: `.npy` files of one array, and `.npz` files of one array or of
//! `scipy.sparse.save_npz`.
//!
//! A `.npy` file contains either an n x n matrix of weights or an m x 3 list of two vertices and a
//! weight (m x 2 without weights), also as a structured array. An array of 3 x 3 or 2 x 2 may be
//! both, and is refused with a question. [`Matrix`](crate::matrix::Matrix) has the rules for
//! matrices. In a sparse matrix, each stored entry is an edge, as in Matrix Market files.
//!
//! The readers hold the file in memory. Source: the `.npy` format specification, NEP 1 of NumPy;
//! APPNOTE.TXT of PKWARE for ZIP archives.

mod array;
mod dense;
mod sparse;
mod tables;
mod write;
mod zip;

pub(crate) use array::Array;
#[cfg(feature = "image")]
pub(crate) use array::MAGIC as NPY_MAGIC;
#[cfg(feature = "image")]
pub(crate) use array::half;
pub(crate) use tables::which as which_table;
pub use write::write_npy_header;
pub(crate) use zip::{Archive, FILE as ZIP_MAGIC};

use crate::head::{Evidence, Head};
use crate::interface::{Format, FormatInfo};

impl Format {
    /// An array of NumPy: a matrix of weights, or a list of edges.
    pub const NPY: Self = Self::new(&FormatInfo {
        id: "npy",
        title: "NumPy array",
        extensions: &["npy"],
        summary: "NumPy: an n x n matrix of weights, or an m x 3 list of edges",
        recognize: |head| Evidence::Signature.when(head.bytes().starts_with(array::MAGIC)),
        read: dense::read,
        ..FormatInfo::READ_ONLY
    });

    /// An archive of NumPy: one array, or a sparse matrix of SciPy.
    pub const NPZ: Self = Self::new(&FormatInfo {
        id: "npz",
        title: "NumPy archive",
        extensions: &["npz"],
        summary: "NumPy: an archive of one array, or a sparse matrix of `scipy.sparse.save_npz`",
        recognize: recognize_npz,
        read: sparse::read,
        ..FormatInfo::READ_ONLY
    });
}

/// Recognizes an archive whose first file is an array.
fn recognize_npz(head: &Head<'_>) -> Evidence {
    let name = zip::first_name(head.bytes()).unwrap_or_default();
    Evidence::Signature.when(name.ends_with(b".npy"))
}

#[cfg(test)]
mod tests;
