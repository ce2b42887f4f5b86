//! Columns of the input that are kept with the edges or points: as text, with what the input says
//! about their values.
//!
//! `attributes` collects them from formats whose edges have attributes, and `written` decides how
//! they are written where the output has types.

mod attributes;
mod written;

use std::collections::HashMap;
use std::hash::BuildHasher;

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
///
/// A long text is stored once, however many fields contain it. So the memory is proportional to the
/// input and the number of fields, even if a format states a text once for many edges.
#[derive(Clone, Debug, Default)]
pub struct KeptColumns {
    names: Vec<String>,
    /// What the input says about the values of each column.
    kinds: Vec<KeptKind>,
    /// The texts, each after its [length](push_length).
    texts: String,
    /// The place of each field's text row by row, or [`MISSING`].
    places: Vec<usize>,
    /// The places of long texts by their hashes.
    long: HashMap<u64, usize>,
}

/// The place of a field for which the input has no value.
const MISSING: usize = usize::MAX;

/// The bytes from which on a text is long: a copy takes more memory than its entry in a map.
pub(crate) const LONG: usize = 32;

/// A length below this number is stored as one character. A longer one is stored as two, and the
/// first of them is not below it.
const LENGTHS: usize = 1 << 15;
const FIRST_OF_TWO: usize = 1 << 16;

/// Appends a length: one byte for most texts.
fn push_length(texts: &mut String, length: usize) {
    let character = |code: usize| u32::try_from(code).ok().and_then(char::from_u32);
    if length >= LENGTHS {
        texts.extend(character(FIRST_OF_TWO + length / LENGTHS));
    }
    texts.extend(character(length % LENGTHS));
}

impl PartialEq for KeptColumns {
    fn eq(&self, other: &Self) -> bool {
        self.names == other.names
            && self.kinds == other.kinds
            && self.places.len() == other.places.len()
            && self.places.iter().zip(&other.places).all(|(&a, &b)| self.text(a) == other.text(b))
    }
}

impl Eq for KeptColumns {}

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
        memory::reserve(&mut picked.places, edges.len() * self.names.len())?;
        for &edge in edges {
            self.values(edge as usize).for_each(|value| picked.push_value(value));
        }
        Ok(picked)
    }

    /// Makes all rows as wide as there are columns, with missing values at their ends. `widths` are
    /// the numbers of values of the rows before; none if all have one per column.
    fn widen(&mut self, widths: &[u32]) -> Result<(), OutOfMemory> {
        let columns = self.names.len();
        if widths.iter().all(|&width| width as usize == columns) {
            return Ok(());
        }
        let mut places = memory::with_capacity(widths.len() * columns)?;
        let mut rest = &*self.places;
        for &width in widths {
            let (row, after) = rest.split_at(width as usize);
            places.extend_from_slice(row);
            places.resize(places.len() + columns - row.len(), MISSING);
            rest = after;
        }
        self.places = places;
        Ok(())
    }

    /// The number of rows, one per edge or point.
    pub fn rows(&self) -> usize {
        self.places.len().checked_div(self.names.len()).unwrap_or_default()
    }

    /// The fields of an edge or a point. A value that is missing is empty.
    pub fn row(&self, edge: usize) -> impl Iterator<Item = &str> {
        self.values(edge).map(Option::unwrap_or_default)
    }

    /// The values of an edge or a point; none where the input has no value.
    pub fn values(&self, edge: usize) -> impl Iterator<Item = Option<&str>> {
        let first = edge.saturating_mul(self.names.len());
        (first..first.saturating_add(self.names.len()))
            .map(|field| self.text(self.places.get(field).copied()?))
    }

    /// The text at a place; none if it is [`MISSING`].
    fn text(&self, place: usize) -> Option<&str> {
        let mut characters = self.texts.get(place..)?.chars();
        let mut length = characters.next()? as usize;
        if length >= LENGTHS {
            length = (length - FIRST_OF_TWO) * LENGTHS + characters.next()? as usize;
        }
        characters.as_str().get(..length)
    }

    /// Stores a text, unless it is long and stored already, and returns its place.
    pub(crate) fn store(&mut self, text: &str) -> usize {
        let hash = (text.len() >= LONG).then(|| self.long.hasher().hash_one(text));
        let known = hash.and_then(|hash| self.long.get(&hash).copied());
        if let Some(place) = known.filter(|&place| self.text(place) == Some(text)) {
            return place;
        }
        let place = self.texts.len();
        push_length(&mut self.texts, text.len());
        self.texts.push_str(text);
        if let Some(hash) = hash {
            self.long.insert(hash, place);
        }
        place
    }

    /// Adds a field.
    pub(crate) fn push(&mut self, field: &str) {
        self.push_value(Some(field));
    }

    /// Adds a field whose text is at a place, or is missing if there is none.
    pub(crate) fn push_place(&mut self, place: Option<usize>) {
        self.places.push(place.unwrap_or(MISSING));
    }

    /// Adds a field, or that the input has none.
    pub fn push_value(&mut self, value: Option<&str>) {
        let place = value.map(|text| self.store(text));
        self.push_place(place);
    }

    /// Reserves memory for this number of fields, and of bytes of texts.
    fn reserve(&mut self, fields: usize, bytes: usize) -> Result<(), ReadErrorKind> {
        memory::reserve(&mut self.places, fields)?;
        let all = (self.texts.len() + bytes) as u64;
        self.texts.try_reserve(bytes).map_err(|_| ReadErrorKind::OutOfMemory { bytes: all })
    }

    /// Moves the fields of `other` to the end of these.
    pub(crate) fn append(&mut self, other: &mut Self) -> Result<(), ReadErrorKind> {
        self.reserve(other.places.len(), other.texts.len())?;
        // The new places of long texts. Many fields may share one text.
        let mut moved = HashMap::new();
        for &place in &other.places {
            let text = other.text(place);
            let place = match text {
                Some(text) if text.len() >= LONG => {
                    Some(*moved.entry(place).or_insert_with(|| self.store(text)))
                }
                text => text.map(|text| self.store(text)),
            };
            self.push_place(place);
        }
        other.places.clear();
        other.texts.clear();
        other.long.clear();
        Ok(())
    }

    /// Removes the fields of the first edge.
    pub(crate) fn remove_first(&mut self) {
        self.places.drain(..self.names.len().min(self.places.len()));
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

    #[test]
    fn a_long_text_is_stored_once() {
        let lengths = [0, LONG - 1, LONG, LENGTHS - 1, LENGTHS, 3 * LENGTHS + 7];
        let texts = lengths.map(|length| "ä".repeat(length / 2) + &"x".repeat(length % 2));
        let mut kept = KeptColumns::new(vec!["a".to_owned()]);
        for _ in 0..2 {
            let mut block = KeptColumns::default();
            for text in texts.iter().chain(&texts) {
                block.push(text);
            }
            kept.append(&mut block).unwrap();
        }
        let rows: Vec<_> = (0..kept.rows()).flat_map(|row| kept.row(row)).collect();
        assert!(rows.iter().eq(texts.iter().cycle().take(4 * texts.len())));
        let total: usize = lengths.iter().sum();
        assert!((total..total + 4 * LONG).contains(&kept.texts.len()), "{}", kept.texts.len());
    }
}
