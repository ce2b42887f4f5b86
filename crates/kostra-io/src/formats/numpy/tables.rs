//! The arrays of an archive of NumPy.

use std::ops::RangeInclusive;

use super::array::{Array, At};
use super::zip::Archive;

/// An array of one or two dimensions.
pub(crate) struct ArchiveTable<'a> {
    pub(crate) name: &'a str,
    pub(super) dimensions: usize,
    pub(crate) shape: [usize; 2],
    /// The content of its file.
    pub(crate) content: Vec<u8>,
}

impl<'a> ArchiveTable<'a> {
    /// The name and the array.
    pub(super) fn array(&self) -> At<(&'a str, Array<'_>)> {
        Ok((self.name, Array::parse(&self.content)?))
    }
}

impl<'a> Archive<'a> {
    /// The arrays of numbers with two dimensions, and the names of the other arrays.
    pub(crate) fn tables(&self) -> At<(Vec<ArchiveTable<'a>>, Vec<&'a str>)> {
        self.arrays(2..=2)
    }

    /// The arrays of numbers with as many dimensions, and the names of the arrays that have another
    /// number than two.
    pub(super) fn arrays(
        &self,
        wanted: RangeInclusive<usize>,
    ) -> At<(Vec<ArchiveTable<'a>>, Vec<&'a str>)> {
        let (mut arrays, mut others) = (Vec::new(), Vec::new());
        for file in self.names() {
            let Some(name) = file.strip_suffix(".npy") else { continue };
            let Some((content, _)) = self.file(file)? else { continue };
            let found = Array::parse_of(&content, wanted.clone()).ok();
            let found = found.map(|array| (array.shape.len(), [array.rows, array.columns]));
            if found.is_none_or(|(dimensions, _)| dimensions != 2) {
                others.push(name);
            }
            if let Some((dimensions, shape)) = found {
                arrays.push(ArchiveTable { name, dimensions, shape, content });
            }
        }
        Ok((arrays, others))
    }
}

/// The names of tables with their shapes, as `a (3 x 3) or b (3 x 2)`.
pub(crate) fn which(tables: &[ArchiveTable<'_>]) -> String {
    let shown = |table: &ArchiveTable<'_>| {
        let ([rows, columns], name) = (table.shape, table.name);
        format!("{name} ({rows} x {columns})")
    };
    tables.iter().map(shown).collect::<Vec<_>>().join(" or ")
}
