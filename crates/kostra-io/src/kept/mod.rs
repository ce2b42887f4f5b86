//! Columns of the input that are kept with the edges or points: as text, with what the input says
//! about their values.
//!
//! `attributes` collects them from formats whose edges have attributes, and `written` decides how
//! they are written where the output has types.

mod attributes;
mod written;

use kostra_core::{EdgeId, OutOfMemory, memory};

use crate::ReadErrorKind;
pub(crate) use attributes::KeptAttributes;
pub use written::KeptRows;

/// What the values of a kept column are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeptKind {
    /// The input has no types. Output with types contains integers if all values are integers, and
    /// text otherwise.
    #[default]
    Unknown,
    /// Text, also if it looks like a number.
    Text,
    /// Integers.
    Integer,
    /// Floating-point numbers.
    Float,
    /// The words `true` and `false`.
    Boolean,
}

impl KeptKind {
    /// The kind of a word without quotes.
    pub(crate) fn of_word(word: &str) -> Self {
        if word.parse::<i64>().is_ok() || word.parse::<u64>().is_ok() {
            Self::Integer
        } else if word.parse::<f64>().is_ok() {
            Self::Float
        } else {
            Self::Text
        }
    }

    /// The kind of a column with values of both kinds.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            _ if self == other => self,
            (Self::Integer, Self::Float) | (Self::Float, Self::Integer) => Self::Float,
            _ => Self::Text,
        }
    }
}

/// Columns of an edge list or of points, or attributes of edges, that are carried along: one row
/// per edge or point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptColumns {
    names: Vec<String>,
    /// What the input says about the values of each column.
    kinds: Vec<KeptKind>,
    /// The fields, row by row.
    text: String,
    /// The end of each field in the text.
    ends: Vec<usize>,
    /// Whether the input has no value for each field.
    missing: Vec<bool>,
}

impl KeptColumns {
    /// No rows of the columns with these names, of an input without types.
    pub(crate) fn new(names: Vec<String>) -> Self {
        let kinds = vec![KeptKind::Unknown; names.len()];
        Self::with_kinds(names, kinds)
    }

    /// No rows of the columns with these names and kinds.
    pub fn with_kinds(names: Vec<String>, kinds: Vec<KeptKind>) -> Self {
        Self { names, kinds, ..Self::default() }
    }

    /// The names of the columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// What the input says about the values of each column.
    pub fn kinds(&self) -> &[KeptKind] {
        &self.kinds
    }

    /// The columns with only the rows of these edges.
    ///
    /// # Errors
    /// When the system refuses memory.
    pub fn pick(&self, edges: &[EdgeId]) -> Result<Self, OutOfMemory> {
        let mut picked = Self::with_kinds(self.names.clone(), self.kinds.clone());
        let fields = edges.len() * self.names.len();
        memory::reserve(&mut picked.ends, fields)?;
        memory::reserve(&mut picked.missing, fields)?;
        for &edge in edges {
            self.values(edge as usize).for_each(|value| picked.push_value(value));
        }
        Ok(picked)
    }

    /// The number of rows, one per edge or point.
    pub fn rows(&self) -> usize {
        self.ends.len().checked_div(self.names.len()).unwrap_or_default()
    }

    /// The fields of an edge or a point. A value that is missing is empty.
    pub fn row(&self, edge: usize) -> impl Iterator<Item = &str> {
        self.values(edge).map(Option::unwrap_or_default)
    }

    /// The values of an edge or a point; none where the input has no value.
    pub fn values(&self, edge: usize) -> impl Iterator<Item = Option<&str>> {
        let first = edge.saturating_mul(self.names.len());
        (first..first.saturating_add(self.names.len())).map(|field| {
            let start = field.checked_sub(1).and_then(|before| self.ends.get(before));
            let start = start.copied().unwrap_or_default();
            let end = self.ends.get(field).copied().unwrap_or(start);
            let is_missing = self.missing.get(field).copied().unwrap_or(true);
            self.text.get(start..end).filter(|_| !is_missing)
        })
    }

    /// Adds a field.
    pub(crate) fn push(&mut self, field: &str) {
        self.text.push_str(field);
        self.ends.push(self.text.len());
        self.missing.push(false);
    }

    /// Adds a field, or that the input has none.
    pub fn push_value(&mut self, value: Option<&str>) {
        self.push(value.unwrap_or_default());
        if let (None, Some(missing)) = (value, self.missing.last_mut()) {
            *missing = true;
        }
    }

    /// Moves the fields of `other` to the end of these.
    pub(crate) fn append(&mut self, other: &mut Self) -> Result<(), ReadErrorKind> {
        memory::reserve(&mut self.ends, other.ends.len())?;
        memory::reserve(&mut self.missing, other.missing.len())?;
        let bytes = (self.text.len() + other.text.len()) as u64;
        self.text
            .try_reserve(other.text.len())
            .map_err(|_| ReadErrorKind::OutOfMemory { bytes })?;
        let before = self.text.len();
        self.ends.extend(other.ends.iter().map(|end| before + end));
        self.text.push_str(&other.text);
        self.missing.append(&mut other.missing);
        other.ends.clear();
        other.text.clear();
        Ok(())
    }

    /// Removes the fields of the first edge.
    pub(crate) fn remove_first(&mut self) {
        let count = self.names.len().min(self.ends.len());
        let length = self.ends.get(count.wrapping_sub(1)).copied().unwrap_or_default();
        self.ends.drain(..count);
        self.missing.drain(..count);
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
        for field in [Some("x"), None, Some("y"), Some("zz")] {
            block.push_value(field);
        }
        kept.append(&mut block).unwrap();
        assert_eq!(block, KeptColumns::default());
        assert_eq!(kept.values(0).collect::<Vec<_>>(), [Some("x"), None]);
        assert_eq!(kept.row(1).collect::<Vec<_>>(), ["y", "zz"]);
        kept.remove_first();
        assert_eq!(kept.row(0).collect::<Vec<_>>(), ["y", "zz"]);
    }
}
