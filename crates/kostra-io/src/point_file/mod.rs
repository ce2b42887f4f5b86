//! Files of points: a table as text, or an array of NumPy.
//!
//! A text has one point per line. Columns are separated as in an edge list: by blanks, tabs,
//! commas, semicolons or bars. `#`, `%` and `//` start comments. The first line may contain the
//! names of the columns. A `.npy` file contains an n x d array, or n values of one coordinate.
//!
//! The reader holds the file in memory.

mod text;

#[cfg(test)]
mod tests;

use std::str::FromStr;

use kostra_core::memory;

use crate::columns::Number;
use crate::compression::Stream;
use crate::fault::Fault;
use crate::formats::{Array, NPY_MAGIC};
use crate::source::{self, Input, Progress};
use crate::{ReadError, ReadErrorKind, whole};

/// The points of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointFile {
    /// The coordinates, row by row.
    pub coordinates: Vec<f64>,
    /// The number of coordinates of a point.
    pub dimensions: usize,
    /// The names of the columns in the order of the coordinates; empty if they have none.
    pub names: Vec<String>,
}

impl PointFile {
    /// The number of points.
    pub fn len(&self) -> usize {
        self.coordinates.len().checked_div(self.dimensions).unwrap_or_default()
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.coordinates.is_empty()
    }
}

/// A column of a file of points, as a user types it: its name, or its position counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointColumn(String);

impl FromStr for PointColumn {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self(text.trim().to_owned()))
    }
}

impl PointColumn {
    /// The place among `count` columns with these names, counted from 0.
    fn place(&self, names: &[String], count: usize) -> Result<usize, String> {
        let Self(text) = self;
        let named = names.iter().position(|name| name == text);
        let position = text.parse::<usize>().ok().filter(|&position| position > 0);
        match (named, position) {
            (Some(place), Some(position)) if position != place + 1 => Err(format!(
                "`--columns {text}` may be the name of column {} or the position of another one; \
                 rename the column",
                place + 1
            )),
            (Some(place), _) => Ok(place),
            (None, Some(position)) if position <= count => Ok(position - 1),
            (None, Some(position)) => {
                Err(format!("`--columns {position}`: there are only {count} columns"))
            }
            (None, None) if names.is_empty() => Err(format!(
                "`--columns {text}`: the columns have no names; pass their positions from 1 to \
                 {count}"
            )),
            (None, None) => Err(format!(
                "`--columns {text}`: there is no such column; the columns are {}",
                names.join(", ")
            )),
        }
    }
}

/// Reads points. `columns` are the columns of the coordinates in order; if there are none, all
/// columns are coordinates.
///
/// `progress` is called after every read.
///
/// # Errors
/// When the input cannot be opened or read, has no points, a row has more or fewer columns than the
/// first one, or a coordinate is not a number. When `columns` is empty and the name of a column
/// says that it is no coordinate. NaN and infinite coordinates are not refused.
pub fn read_points(
    input: &Input,
    columns: &[PointColumn],
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<PointFile, ReadError> {
    source::open(input, progress)
        .and_then(|source| load(Stream::new(source)?, columns))
        .map_err(|fault| fault.in_input(input.to_string()))
}

/// Reads points from memory, as [`read_points`] does; errors call the input `name`.
///
/// # Errors
/// As [`read_points`].
pub fn read_points_bytes(
    name: &str,
    bytes: &[u8],
    columns: &[PointColumn],
) -> Result<PointFile, ReadError> {
    Stream::new(source::from_bytes(bytes))
        .map_err(Fault::from)
        .and_then(|stream| load(stream, columns))
        .map_err(|fault| fault.in_input(name))
}

fn load(mut stream: Stream<'_>, columns: &[PointColumn]) -> Result<PointFile, Fault> {
    if stream.head().is_empty() {
        return Err(ReadErrorKind::Empty.into());
    }
    let points = if stream.head().starts_with(NPY_MAGIC) {
        array(&whole::bytes(&mut stream)?, columns)?
    } else {
        text::read(&mut stream, columns)?
    };
    if points.is_empty() {
        return Err(Fault::whole("the input contains no points"));
    }
    Ok(points)
}

/// The points of an array of NumPy.
fn array(bytes: &[u8], columns: &[PointColumn]) -> Result<PointFile, Fault> {
    let at_byte = |(byte, sentence): (usize, String)| Fault::at_byte(byte as u64, sentence);
    let array = Array::parse(bytes).map_err(at_byte)?;
    let chosen = chosen(columns, &[], array.columns).map_err(Fault::whole)?;
    let mut coordinates = memory::with_capacity(array.rows.saturating_mul(chosen.len()))?;
    for row in 0..array.rows {
        for &column in &chosen {
            coordinates.push(match array.number(row, column) {
                Number::Integer(value) => value as f64,
                Number::Huge(value) => value as f64,
                Number::Float(value) => value,
            });
        }
    }
    Ok(PointFile { coordinates, dimensions: chosen.len(), names: Vec::new() })
}

/// Names of columns that are no coordinates. An unnamed column is the index of a table of pandas.
const NO_COORDINATES: [&str; 8] = ["", "id", "index", "name", "label", "labels", "cluster", "fid"];

/// The places of the chosen columns; all if none is chosen.
fn chosen(columns: &[PointColumn], names: &[String], count: usize) -> Result<Vec<usize>, String> {
    if columns.is_empty() {
        let is_other = |name: &&String| NO_COORDINATES.contains(&&*name.to_ascii_lowercase());
        if let Some(name) = names.iter().find(is_other) {
            return Err(format!(
                "is column {name:?} a coordinate? pass the columns of the coordinates with \
                 `--columns`, such as `--columns {}`",
                names.iter().filter(|name| !is_other(name)).cloned().collect::<Vec<_>>().join(",")
            ));
        }
        return Ok((0..count).collect());
    }
    let mut places = Vec::new();
    for column in columns {
        let place = column.place(names, count)?;
        if places.contains(&place) {
            return Err(format!("`--columns` contains column {} twice", place + 1));
        }
        places.push(place);
    }
    Ok(places)
}
