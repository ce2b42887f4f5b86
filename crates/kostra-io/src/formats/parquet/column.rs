//! The columns of a table, and the kinds of their values.

use std::error::Error;
use std::io;

use parquet::basic::{ConvertedType, LogicalType, Repetition, TimeUnit, Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;
use parquet::schema::types::Type as Element;

use crate::ReadErrorKind;
use crate::message::{Message, message};
use crate::number::show;

/// The values that Kostra reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Integers {
        unsigned: bool,
    },
    Floats,
    Booleans,
    Texts,
    /// Days since 1970-01-01.
    Dates,
    /// Ticks since 1970-01-01T00:00; a second has `10^digits`.
    Times {
        digits: u32,
        is_utc: bool,
    },
    /// A day and nanoseconds, in 96 bits, as Spark, Hive and Impala write times.
    TimesOf96Bits,
    /// Integers of up to 128 bits; `digits` of their decimal digits are after the point.
    Decimals {
        digits: u32,
    },
}

/// A column of the table.
#[derive(Debug)]
pub(super) struct Column {
    pub(super) name: String,
    /// The position among the stored columns and the kind of the values, or what else the column
    /// contains.
    pub(super) content: Result<(usize, Kind), &'static str>,
}

impl Column {
    /// The error for a column that the crate cannot decode.
    pub(super) fn explain(&self, error: ParquetError) -> ReadErrorKind {
        match error {
            ParquetError::External(error) => match unwrapped(error) {
                Some(ReadErrorKind::Malformed(sentence)) => {
                    let name = show(self.name.as_bytes());
                    ReadErrorKind::malformed(format!("column '{name}': {sentence}"))
                }
                Some(kind) => kind,
                None => self.damaged(),
            },
            _ => self.damaged(),
        }
    }

    /// A refusal of the value in a row of the table.
    pub(super) fn fault(&self, row: usize, sentence: impl Into<Message>) -> ReadErrorKind {
        let name = show(self.name.as_bytes());
        let place = format!("column '{name}', row {row} (counted from 0): ");
        ReadErrorKind::malformed(message![place, sentence])
    }

    pub(super) fn damaged(&self) -> ReadErrorKind {
        let name = show(self.name.as_bytes());
        ReadErrorKind::malformed(format!("column '{name}' is damaged; write the file again"))
    }
}

/// The refusal that passed through the crate, perhaps as the error of a reader.
fn unwrapped(error: Box<dyn Error + Send + Sync>) -> Option<ReadErrorKind> {
    let error = match error.downcast::<io::Error>() {
        Ok(error) => error.into_inner()?,
        Err(error) => error,
    };
    error.downcast().ok().map(|kind| *kind)
}

/// The columns of the table. Nested columns are one each.
pub(super) fn columns(metadata: &ParquetMetaData) -> Vec<Column> {
    let schema = metadata.file_metadata().schema_descr();
    let mut leaves = (0..schema.num_columns()).peekable();
    let mut columns = Vec::new();
    for (root, element) in schema.root_schema().get_fields().iter().enumerate() {
        let mut first = None;
        while let Some(leaf) = leaves.next_if(|&leaf| schema.get_column_root_idx(leaf) == root) {
            first = first.or(Some(leaf));
        }
        let kind = first.ok_or("no values").and_then(|leaf| Ok((leaf, kind(element)?)));
        columns.push(Column { name: element.name().to_owned(), content: kind });
    }
    columns
}

/// The kind of the values of an element of the schema, or what else it contains.
fn kind(element: &Element) -> Result<Kind, &'static str> {
    let info = element.get_basic_info();
    if element.is_group() || !info.has_repetition() || info.repetition() == Repetition::REPEATED {
        return Err("lists or groups");
    }
    let decimals = |scale: i32| match u32::try_from(scale) {
        Ok(digits) if digits <= MOST_DIGITS && fits_128_bits(element) => {
            Ok(Kind::Decimals { digits })
        }
        _ => Err("decimals of more than 38 digits"),
    };
    match (element.get_physical_type(), info.logical_type_ref(), info.converted_type()) {
        (Type::INT32, Some(LogicalType::Date), _) | (Type::INT32, None, ConvertedType::DATE) => {
            Ok(Kind::Dates)
        }
        (Type::INT64, Some(LogicalType::Timestamp(time)), _) => {
            let digits = match time.unit {
                TimeUnit::MILLIS => 3,
                TimeUnit::MICROS => 6,
                TimeUnit::NANOS => 9,
            };
            Ok(Kind::Times { digits, is_utc: time.is_adjusted_to_u_t_c })
        }
        (Type::INT64, None, ConvertedType::TIMESTAMP_MILLIS) => {
            Ok(Kind::Times { digits: 3, is_utc: true })
        }
        (Type::INT64, None, ConvertedType::TIMESTAMP_MICROS) => {
            Ok(Kind::Times { digits: 6, is_utc: true })
        }
        (_, Some(LogicalType::Date | LogicalType::Time(_) | LogicalType::Timestamp(_)), _) => {
            Err("times of an unusual kind")
        }
        (_, Some(LogicalType::Decimal(decimal)), _) => decimals(decimal.scale),
        (_, None, ConvertedType::DECIMAL) => decimals(scale_of(element)),
        (Type::INT96, None, _) => Ok(Kind::TimesOf96Bits),
        (Type::INT32 | Type::INT64, Some(LogicalType::Integer(integer)), _) => {
            Ok(Kind::Integers { unsigned: !integer.is_signed })
        }
        (Type::INT32 | Type::INT64, None, converted) => integers(converted),
        (Type::FLOAT | Type::DOUBLE, None, _) => Ok(Kind::Floats),
        (Type::BOOLEAN, None, _) => Ok(Kind::Booleans),
        (
            Type::BYTE_ARRAY,
            None | Some(LogicalType::String | LogicalType::Enum | LogicalType::Json),
            _,
        ) => Ok(Kind::Texts),
        _ => Err("values of another kind"),
    }
}

/// The most digits of a decimal: those of 128 bits.
const MOST_DIGITS: u32 = 38;

/// Whether each value of a column takes at most 128 bits, or may.
fn fits_128_bits(element: &Element) -> bool {
    match *element {
        Element::PrimitiveType {
            physical_type: Type::FIXED_LEN_BYTE_ARRAY, type_length, ..
        } => (1..=16).contains(&type_length),
        _ => matches!(element.get_physical_type(), Type::INT32 | Type::INT64 | Type::BYTE_ARRAY),
    }
}

fn scale_of(element: &Element) -> i32 {
    match *element {
        Element::PrimitiveType { scale, .. } => scale,
        Element::GroupType { .. } => 0,
    }
}

fn integers(converted: ConvertedType) -> Result<Kind, &'static str> {
    match converted {
        ConvertedType::NONE
        | ConvertedType::INT_8
        | ConvertedType::INT_16
        | ConvertedType::INT_32
        | ConvertedType::INT_64 => Ok(Kind::Integers { unsigned: false }),
        ConvertedType::UINT_8
        | ConvertedType::UINT_16
        | ConvertedType::UINT_32
        | ConvertedType::UINT_64 => Ok(Kind::Integers { unsigned: true }),
        _ => Err("times of an unusual kind"),
    }
}
