//! Columns of the input that are kept with the edges or points.

use kostra_core::{EdgeId, OutOfMemory, memory};

use crate::ReadErrorKind;

/// What the fields of a kept column are in the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldType {
    /// The input does not say, like a line of text.
    #[default]
    Unknown,
    /// Texts, also if they consist of digits.
    Texts,
    /// Integers.
    Integers,
    /// Floats.
    Floats,
    /// `true` or `false`.
    Booleans,
}

/// Columns of an edge list or of points that are carried along, as text: one row per edge or
/// point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptColumns {
    names: Vec<String>,
    types: Vec<FieldType>,
    /// The fields, row by row.
    text: String,
    /// The end of each field in the text.
    ends: Vec<usize>,
}

impl KeptColumns {
    /// No rows of the columns with these names.
    pub(crate) fn new(names: Vec<String>) -> Self {
        let types = vec![FieldType::Unknown; names.len()];
        Self { names, types, ..Self::default() }
    }

    /// No rows of the columns with these names and types.
    pub fn typed(columns: impl IntoIterator<Item = (String, FieldType)>) -> Self {
        let (names, types) = columns.into_iter().unzip();
        Self { names, types, ..Self::default() }
    }

    /// The types of the columns.
    pub fn types(&self) -> &[FieldType] {
        &self.types
    }

    /// The rows of these edges.
    ///
    /// # Errors
    /// When the system refuses memory.
    pub fn pick(&self, edges: &[EdgeId]) -> Result<Self, OutOfMemory> {
        let rows = || edges.iter().flat_map(|&edge| self.row(edge as usize));
        let (mut text, length) = (String::new(), rows().map(str::len).sum());
        text.try_reserve_exact(length).map_err(|_| OutOfMemory { bytes: length })?;
        let mut ends = memory::with_capacity(edges.len().saturating_mul(self.names.len()))?;
        for field in rows() {
            text.push_str(field);
            ends.push(text.len());
        }
        Ok(Self { names: self.names.clone(), types: self.types.clone(), text, ends })
    }

    /// The names of the columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of rows, one per edge or point.
    pub fn rows(&self) -> usize {
        self.ends.len().checked_div(self.names.len()).unwrap_or_default()
    }

    /// The fields of an edge or a point.
    pub fn row(&self, edge: usize) -> impl Iterator<Item = &str> {
        let first = edge.saturating_mul(self.names.len());
        (first..first.saturating_add(self.names.len())).map(|field| {
            let start = field.checked_sub(1).and_then(|before| self.ends.get(before));
            let start = start.copied().unwrap_or_default();
            let end = self.ends.get(field).copied().unwrap_or(start);
            self.text.get(start..end).unwrap_or_default()
        })
    }

    /// Adds a field.
    pub fn push(&mut self, field: &str) {
        self.text.push_str(field);
        self.ends.push(self.text.len());
    }

    /// Moves the fields of `other` to the end of these.
    pub(crate) fn append(&mut self, other: &mut Self) -> Result<(), ReadErrorKind> {
        memory::reserve(&mut self.ends, other.ends.len())?;
        let bytes = (self.text.len() + other.text.len()) as u64;
        self.text
            .try_reserve(other.text.len())
            .map_err(|_| ReadErrorKind::OutOfMemory { bytes })?;
        let before = self.text.len();
        self.ends.extend(other.ends.iter().map(|end| before + end));
        self.text.push_str(&other.text);
        other.ends.clear();
        other.text.clear();
        Ok(())
    }

    /// Removes the fields of the first edge.
    pub(crate) fn remove_first(&mut self) {
        let count = self.names.len().min(self.ends.len());
        let length = self.ends.get(count.wrapping_sub(1)).copied().unwrap_or_default();
        self.ends.drain(..count);
        self.text.drain(..length);
        self.ends.iter_mut().for_each(|end| *end -= length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stay_whole_when_blocks_are_joined() {
        let names = vec!["a".to_owned(), "b".to_owned()];
        let mut kept = KeptColumns::new(names);
        let mut block = KeptColumns::default();
        for field in ["x", "", "y", "zz"] {
            block.push(field);
        }
        kept.append(&mut block).unwrap();
        assert_eq!(block, KeptColumns::default());
        assert_eq!(kept.row(1).collect::<Vec<_>>(), ["y", "zz"]);
        kept.remove_first();
        assert_eq!(kept.row(0).collect::<Vec<_>>(), ["y", "zz"]);
    }

    #[test]
    fn picked_rows_keep_names_and_types() {
        let columns = [("a".to_owned(), FieldType::Texts), ("b".to_owned(), FieldType::Integers)];
        let mut kept = KeptColumns::typed(columns);
        for field in ["x", "1", "", "2", "zz", "3"] {
            kept.push(field);
        }
        let picked = kept.pick(&[2, 1]).unwrap();
        assert_eq!((picked.names(), picked.types()), (kept.names(), kept.types()));
        assert_eq!(picked.rows(), 2);
        assert_eq!(picked.row(0).chain(picked.row(1)).collect::<Vec<_>>(), ["zz", "3", "", "2"]);
    }
}
