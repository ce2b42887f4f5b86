//! The values of a column in a batch of rows.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{AsBytes, ByteArray, DataType, Int96};
use parquet::errors::Result;

use super::column::{Column, Kind};
use super::time;
use crate::ReadErrorKind;
use crate::columns::TextNumber;
use crate::kept::LONG;
use crate::message::Message;

/// What to say about a decimal of more than 128 bits.
const TOO_WIDE: &str = "the decimal has more than 38 digits; store the column as text";

/// The integer in these bytes, the highest one first; none if it has more than 128 bits.
fn signed(bytes: &[u8]) -> Option<i128> {
    let fill = if bytes.first().is_some_and(|byte| byte & 0x80 != 0) { 0xff } else { 0 };
    let (more, last) = bytes.split_at(bytes.len().saturating_sub(size_of::<i128>()));
    let mut word = [fill; size_of::<i128>()];
    word.get_mut(size_of::<i128>() - last.len()..)?.copy_from_slice(last);
    let value = i128::from_be_bytes(word);
    let is_negative = fill != 0;
    (more.iter().all(|&byte| byte == fill) && (value < 0) == is_negative).then_some(value)
}

/// An integer with `digits` decimal digits after the point.
fn decimal(integer: i128, digits: u32) -> String {
    let sign = if integer < 0 { "-" } else { "" };
    let (digits, plain) = (digits as usize, integer.unsigned_abs().to_string());
    let padded = format!("{plain:0>width$}", width = digits + 1);
    match padded.split_at(padded.len() - digits) {
        (whole, "") => format!("{sign}{whole}"),
        (whole, fraction) => format!("{sign}{whole}.{fraction}"),
    }
}

/// Reads a column in batches of rows.
pub(super) struct Cursor<'a> {
    column: &'a Column,
    kind: Kind,
    /// Whether values can be missing.
    optional: bool,
    reader: ColumnReader,
    dictionary: Arc<OnceLock<Bytes>>,
}

/// The values of a column in a batch of rows.
pub(super) struct Cells<'a> {
    column: &'a Column,
    kind: Kind,
    /// The row of the table in which the batch starts.
    first: usize,
    /// The values that are present.
    values: Values,
    /// The position of each row's value, or none if it is missing.
    places: Vec<Option<usize>>,
    /// The addresses of the texts of the dictionary.
    dictionary: Range<usize>,
}

#[derive(Debug)]
enum Values {
    Narrow(Vec<i32>),
    Wide(Vec<i64>),
    Single(Vec<f32>),
    Double(Vec<f64>),
    Booleans(Vec<bool>),
    Times(Vec<Int96>),
    /// Texts, or integers whose first byte is the highest.
    Bytes(Vec<ByteArray>),
}

impl<'a> Cursor<'a> {
    pub(super) fn new(
        column: &'a Column,
        kind: Kind,
        optional: bool,
        (reader, dictionary): (ColumnReader, Arc<OnceLock<Bytes>>),
    ) -> Self {
        Self { column, kind, optional, reader, dictionary }
    }

    /// The next `count` rows. The first of them has this number.
    pub(super) fn read(&mut self, first: usize, count: usize) -> Result<Cells<'a>, ReadErrorKind> {
        let mut levels = Vec::new();
        let read = match &mut self.reader {
            ColumnReader::Int32ColumnReader(reader) => {
                values(reader, count, &mut levels).map(Values::Narrow)
            }
            ColumnReader::Int64ColumnReader(reader) => {
                values(reader, count, &mut levels).map(Values::Wide)
            }
            ColumnReader::FloatColumnReader(reader) => {
                values(reader, count, &mut levels).map(Values::Single)
            }
            ColumnReader::DoubleColumnReader(reader) => {
                values(reader, count, &mut levels).map(Values::Double)
            }
            ColumnReader::BoolColumnReader(reader) => {
                values(reader, count, &mut levels).map(Values::Booleans)
            }
            ColumnReader::ByteArrayColumnReader(reader) => {
                values(reader, count, &mut levels).map(Values::Bytes)
            }
            ColumnReader::FixedLenByteArrayColumnReader(reader) => {
                let values = values(reader, count, &mut levels);
                values.map(|values| Values::Bytes(values.into_iter().map(Into::into).collect()))
            }
            ColumnReader::Int96ColumnReader(reader) => {
                values(reader, count, &mut levels).map(Values::Times)
            }
        };
        let values = read.map_err(|error| self.column.explain(error))?;
        if !self.optional {
            levels = vec![1; values.len()];
        }
        let mut present = 0..values.len();
        let places: Vec<_> =
            levels.iter().map(|&level| if level == 0 { None } else { present.next() }).collect();
        if places.len() != count || !present.is_empty() {
            return Err(self.column.damaged());
        }
        let dictionary = self.dictionary.get().map_or(0..0, |dictionary| {
            let start = dictionary.as_ptr() as usize;
            start..start + dictionary.len()
        });
        Ok(Cells { column: self.column, kind: self.kind, first, values, places, dictionary })
    }
}

/// The values of up to `count` rows that are present, and a level per row, 0 if its value is
/// missing.
fn values<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    count: usize,
    levels: &mut Vec<i16>,
) -> Result<Vec<T::T>> {
    let mut values = Vec::new();
    reader.read_records(count, Some(levels), None, &mut values)?;
    Ok(values)
}

impl Values {
    fn len(&self) -> usize {
        match self {
            Self::Narrow(values) => values.len(),
            Self::Wide(values) => values.len(),
            Self::Single(values) => values.len(),
            Self::Double(values) => values.len(),
            Self::Booleans(values) => values.len(),
            Self::Times(values) => values.len(),
            Self::Bytes(values) => values.len(),
        }
    }
}

impl Cells<'_> {
    /// The row of the table in which the batch starts.
    pub(super) fn first(&self) -> usize {
        self.first
    }

    /// The number of rows.
    pub(super) fn rows(&self) -> usize {
        self.places.len()
    }

    fn place(&self, row: usize) -> Option<usize> {
        self.places.get(row).copied().flatten()
    }

    /// Whether a row has no value.
    pub(super) fn is_missing(&self, row: usize) -> bool {
        self.place(row).is_none()
    }

    /// The address of a long text in the dictionary of the column. It is the same text in all rows
    /// of the group, whose dictionaries exist as long as the group is read.
    pub(super) fn shared(&self, row: usize) -> Option<usize> {
        let Values::Bytes(texts) = &self.values else { return None };
        let bytes = texts.get(self.place(row)?)?.as_bytes();
        let address = bytes.as_ptr() as usize;
        let is_long = self.kind == Kind::Texts && bytes.len() >= LONG;
        (is_long && self.dictionary.contains(&address)).then_some(address)
    }

    /// A value as text; empty if it is missing.
    ///
    /// # Errors
    /// When the value is not UTF-8 text.
    pub(super) fn text(&self, row: usize) -> Result<Cow<'_, str>, ReadErrorKind> {
        let Some(place) = self.place(row) else { return Ok(Cow::Borrowed("")) };
        Ok(match (&self.values, self.kind) {
            (Values::Narrow(values), Kind::Dates) => {
                let days = values.get(place).copied().unwrap_or_default();
                Cow::Owned(time::date(days.into()))
            }
            (Values::Wide(values), Kind::Times { digits, is_utc }) => {
                let ticks = values.get(place).copied().unwrap_or_default();
                Cow::Owned(time::timestamp(ticks, digits, is_utc))
            }
            (Values::Times(values), _) => {
                let time = values.get(place).copied().unwrap_or_default();
                let text = time::of_96_bits(time.data());
                Cow::Owned(text.ok_or_else(|| self.fault(row, "this is no time"))?)
            }
            (_, Kind::Decimals { digits }) => {
                let integer = self.integer(place);
                let integer = integer.ok_or_else(|| self.fault(row, TOO_WIDE))?;
                Cow::Owned(decimal(integer, digits))
            }
            (Values::Bytes(texts), _) => {
                let bytes = texts.get(place).map(AsBytes::as_bytes).unwrap_or_default();
                let text = str::from_utf8(bytes);
                Cow::Borrowed(
                    text.map_err(|_| self.fault(row, "this is not UTF-8 text; store it as text"))?,
                )
            }
            (Values::Booleans(values), _) => {
                let is_true = values.get(place).copied().unwrap_or_default();
                Cow::Borrowed(if is_true { "true" } else { "false" })
            }
            (Values::Single(values), _) => {
                Cow::Owned(values.get(place).map(ToString::to_string).unwrap_or_default())
            }
            _ => Cow::Owned(match self.number(row) {
                Some(TextNumber::Integer(value)) => value.to_string(),
                Some(TextNumber::Huge(value)) => value.to_string(),
                Some(TextNumber::Float(value)) => value.to_string(),
                None => String::new(),
            }),
        })
    }

    /// A value as a number, NaN if it is missing; none if it is not a number.
    pub(super) fn number(&self, row: usize) -> Option<TextNumber> {
        let Some(place) = self.place(row) else { return Some(TextNumber::Float(f64::NAN)) };
        match self.kind {
            Kind::Dates | Kind::Times { .. } => return None,
            Kind::Decimals { digits: 0 } => {
                let integer = self.integer(place)?;
                let huge = || u64::try_from(integer).ok().map(TextNumber::Huge);
                return i64::try_from(integer).ok().map(TextNumber::Integer).or_else(huge);
            }
            Kind::Decimals { digits } => {
                return decimal(self.integer(place)?, digits).parse().ok().map(TextNumber::Float);
            }
            _ => {}
        }
        let unsigned = self.kind == Kind::Integers { unsigned: true };
        Some(match &self.values {
            Values::Narrow(values) => match *values.get(place)? {
                value if unsigned => TextNumber::Integer((value as u32).into()),
                value => TextNumber::Integer(value.into()),
            },
            Values::Wide(values) => match *values.get(place)? {
                value @ ..0 if unsigned => TextNumber::Huge(value as u64),
                value => TextNumber::Integer(value),
            },
            Values::Single(values) => TextNumber::Float((*values.get(place)?).into()),
            Values::Double(values) => TextNumber::Float(*values.get(place)?),
            Values::Booleans(_) | Values::Times(_) | Values::Bytes(_) => return None,
        })
    }

    /// The integer of a decimal; none if it has more than 128 bits.
    fn integer(&self, place: usize) -> Option<i128> {
        match &self.values {
            Values::Narrow(values) => values.get(place).copied().map(Into::into),
            Values::Wide(values) => values.get(place).copied().map(Into::into),
            Values::Bytes(values) => signed(values.get(place)?.as_bytes()),
            _ => None,
        }
    }

    /// A refusal of the value in a row.
    pub(super) fn fault(&self, row: usize, sentence: impl Into<Message>) -> ReadErrorKind {
        self.column.fault(self.first + row, sentence)
    }
}
