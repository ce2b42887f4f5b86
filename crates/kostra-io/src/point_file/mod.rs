//! Files of points: a table as text or Parquet, or an array of NumPy.
//!
//! A text has one point per line. Columns are separated as in an edge list: by blanks, tabs,
//! commas, semicolons or bars. `#`, `%` and `//` start comments. The first line may contain the
//! names of the columns. A `.npy` file contains an n x d array, or n values of one coordinate. A
//! `.npz` file contains one n x d array. A Parquet file has one point per row. GeoJSON contains
//! features that are points. A spreadsheet has one point per row of a sheet.
//!
//! The reader holds the file in memory.

mod archive;
mod column;
mod geojson;
#[cfg(feature = "parquet")]
mod parquet;
mod text;

#[cfg(test)]
mod tests;

use kostra_core::{OutOfMemory, memory};

use crate::compression::Stream;
use crate::fault::Fault;
use crate::formats::{Array, sheet};
use crate::head::{BYTE_ORDER_MARK, Head, is_utf_16};
use crate::source::{self, Input, Progress};
use crate::{
    Format, Header, KeptColumns, ReadError, ReadErrorKind, foreign, number, recognition, whole,
};

pub use column::{PointColumn, may_be_coordinate};

/// How a file of points is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PointOptions {
    /// The columns of the coordinates in order; if there are none, all columns are coordinates, and
    /// in GeoJSON the latitude and the longitude.
    pub columns: Vec<PointColumn>,
    /// Columns of a text, or properties in GeoJSON, that are kept with the points; `all` stands for
    /// all.
    pub keep: Vec<PointColumn>,
    /// The column of the weights of points, which is no coordinate.
    pub weights: Option<PointColumn>,
    /// Whether the first line of a text that is not a comment contains the names of the columns. It
    /// is recognized as such if none of its fields is a number.
    pub header: Header,
    /// The sheet of a spreadsheet. By default, the only one that is not empty.
    pub sheet: Option<String>,
}

/// The points of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointFile {
    /// The coordinates, row by row.
    pub coordinates: Vec<f64>,
    /// The number of coordinates of a point.
    pub dimensions: usize,
    /// The names of the columns in the order of the coordinates; empty if they have none.
    pub names: Vec<String>,
    /// The columns that [`PointOptions::keep`] chose: one row per point.
    pub kept: KeptColumns,
    /// The values of the column [`PointOptions::weights`]; empty without such a column.
    pub weights: Vec<f64>,
    /// Whether the coordinates are latitudes and longitudes in degrees, because the file is GeoJSON
    /// and no columns are chosen.
    pub is_in_degrees: bool,
    lines: Lines,
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

    /// Moves the last column of the coordinates to the weights.
    fn split_weights(&mut self) -> Result<(), OutOfMemory> {
        let width = self.dimensions;
        self.weights = memory::with_capacity(self.len())?;
        let mut place = 0;
        self.coordinates.retain(|&value| {
            place += 1;
            let is_weight = place % width == 0;
            self.weights.extend(is_weight.then_some(value));
            !is_weight
        });
        self.dimensions -= 1;
        self.names.pop();
        Ok(())
    }

    /// The line of a point in a text, counted from 1.
    pub fn line(&self, point: usize) -> Option<u64> {
        self.lines.of(point)
    }
}

/// The lines of points: those points that do not follow the line of the point before, and their
/// lines.
#[derive(Clone, Debug, Default, PartialEq)]
struct Lines(Vec<(usize, u64)>);

impl Lines {
    fn of(&self, point: usize) -> Option<u64> {
        let after = self.0.partition_point(|&(first, _)| first <= point);
        let &(first, line) = self.0.get(after.checked_sub(1)?)?;
        Some(line + (point - first) as u64)
    }

    /// Adds the next point.
    fn push(&mut self, point: usize, line: u64) -> Result<(), Fault> {
        if self.of(point) != Some(line) {
            memory::push(&mut self.0, (point, line))?;
        }
        Ok(())
    }
}

/// Reads points.
///
/// `progress` is called after every read.
///
/// # Errors
/// When the input cannot be opened or read, has no points, a row has more or fewer columns than the
/// first one, or a coordinate is not a number or an integer that a float would round. When the
/// first line leaves open whether it contains names. When no columns are chosen and the name of a
/// column says that it is no coordinate. When the input is in another format, such as one of
/// graphs. NaN and infinite coordinates are not refused.
pub fn read_points(
    input: &Input,
    options: &PointOptions,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<PointFile, ReadError> {
    source::read(input, progress, |source| load(Stream::new(source)?, options))
}

/// Reads points from memory, as [`read_points`] does; errors call the input `name`.
///
/// # Errors
/// As [`read_points`].
pub fn read_points_bytes(
    name: &str,
    bytes: &[u8],
    options: &PointOptions,
) -> Result<PointFile, ReadError> {
    Stream::new(source::from_bytes(bytes))
        .map_err(Fault::from)
        .and_then(|stream| load(stream, options))
        .map_err(|fault| fault.in_input(name))
}

fn load(mut stream: Stream<'_>, options: &PointOptions) -> Result<PointFile, Fault> {
    if stream.head().is_empty() {
        return Err(ReadErrorKind::Empty.into());
    }
    let head = Head::new(stream.head(), stream.head_is_whole());
    if sheet::is_sheet(&head) {
        let sheet = sheet::read_sheet(&mut stream, options.sheet.as_deref())?;
        let text = Stream::new(source::from_bytes(sheet.csv.as_bytes()))?;
        let options = PointOptions { sheet: None, ..options.clone() };
        return load(text, &options).map_err(|fault| sheet.fault(fault));
    }
    if options.sheet.is_some() {
        return Err(Fault::whole("`--sheet` applies to spreadsheets; leave it out"));
    }
    let mut points = match Kind::recognize(&head, options)? {
        Kind::Array => array(&whole::bytes(&mut stream)?, options)?,
        Kind::Archive => archive::read(&whole::bytes(&mut stream)?, options)?,
        Kind::GeoJson => geojson::read(&mut stream, options)?,
        #[cfg(feature = "parquet")]
        Kind::Parquet => parquet::read(whole::bytes(&mut stream)?, options)?,
        Kind::Text => text::read(&mut stream, options)?,
    };
    if points.is_empty() {
        return Err(Fault::whole("the input contains no points"));
    }
    if options.weights.is_some() {
        points.split_weights()?;
    }
    Ok(points)
}

/// The kinds of files.
enum Kind {
    Array,
    Archive,
    GeoJson,
    #[cfg(feature = "parquet")]
    Parquet,
    Text,
}

impl Kind {
    /// # Errors
    /// When the input is in a format that contains no points, or an option applies to other kinds.
    fn recognize(head: &Head<'_>, options: &PointOptions) -> Result<Self, Fault> {
        let text = head.bytes().strip_prefix(BYTE_ORDER_MARK).unwrap_or(head.bytes());
        let signed = recognition::signed(head);
        // A table may start like a graph; the option decides.
        let is_said_to_be_text = options.header != Header::Recognize;
        let is = |format| signed == Some(format);
        #[cfg(feature = "parquet")]
        if is(Format::PARQUET) && options.header == Header::Recognize {
            return Ok(Self::Parquet);
        }
        let kind = if is(Format::NPY) {
            Self::Array
        } else if is(Format::NPZ) {
            Self::Archive
        } else if is(Format::GEOJSON)
            || signed.is_none() && text.trim_ascii_start().starts_with(b"{")
        {
            Self::GeoJson
        } else {
            if !(is_said_to_be_text && head.lines().is_some()) {
                refuse_others(head, signed)?;
            }
            Self::Text
        };
        let of_text = match options.header {
            Header::Present => Some("--header"),
            Header::Absent => Some("--no-header"),
            Header::Recognize if options.keep.is_empty() => None,
            Header::Recognize => Some("--keep"),
        };
        match (of_text, &kind) {
            (None, _) | (_, Self::Text) | (Some("--keep"), Self::GeoJson) => Ok(kind),
            (Some(option), Self::GeoJson) => Err(Fault::whole(format!(
                "`{option}` applies to tables as text, and this is JSON; leave it out"
            ))),
            (Some(option), _) => Err(Fault::whole(format!(
                "`{option}` applies to tables as text, and this is an array of NumPy; leave it out"
            ))),
        }
    }
}

/// Refuses an input that is no table. `signed` is the format of graphs whose signature it has.
fn refuse_others(head: &Head<'_>, signed: Option<Format>) -> Result<(), Fault> {
    let bytes = head.bytes();
    let start = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes).trim_ascii_start();
    let sentence = if signed == Some(Format::PARQUET) {
        "the columns of a Parquet file have names; omit the option for its first line"
    } else if let Some(format) = signed.filter(|_| !start.starts_with(b"[")) {
        return Err(Fault::whole(format!(
            "this is a graph ({format:?}) and no table of points; `kostra solve` reads graphs"
        )));
    } else if let Some(sentence) = foreign::binary(bytes) {
        sentence
    } else if is_utf_16(bytes) {
        return Err(ReadErrorKind::utf_16().into());
    } else if head.lines().is_none() {
        "this is neither text nor an array of NumPy; save the points as CSV, or with numpy.save"
    } else if start.starts_with(b"[[") || start.starts_with(b"[{") {
        "this is a JSON array; save the points as CSV or GeoJSON"
    } else if start.starts_with(b"<") {
        "this is XML, such as GPX or KML; save the points as CSV or GeoJSON"
    } else if start.get(..4).is_some_and(|word| word.eq_ignore_ascii_case(b"sep=")) {
        "the first line is a hint for Excel; remove it"
    } else {
        return Ok(());
    };
    Err(Fault::whole(sentence))
}

/// The points of an array of NumPy.
fn array(bytes: &[u8], options: &PointOptions) -> Result<PointFile, Fault> {
    let at_byte = |(byte, sentence): (usize, String)| Fault::at_byte(byte as u64, sentence);
    let array = Array::parse(bytes).map_err(at_byte)?;
    if array.rows == 0 || array.columns == 0 {
        return Ok(PointFile::default());
    }
    let chosen = column::coordinates(options, &[], array.columns).map_err(Fault::whole)?;
    let mut coordinates = memory::with_capacity(array.rows.saturating_mul(chosen.len()))?;
    for row in 0..array.rows {
        for &column in &chosen {
            let number = array.number(row, column);
            coordinates.push(number.exact_float().map_err(|integer| {
                let sentence = would_round(integer);
                Fault::whole(format!("row {row}, column {column} (counted from 0): {sentence}"))
            })?);
        }
    }
    Ok(PointFile { coordinates, dimensions: chosen.len(), ..PointFile::default() })
}

/// What to say about an integer that is no float.
fn would_round(integer: i128) -> String {
    let sentence = number::would_round(integer);
    format!("{sentence}; if it is a coordinate, subtract a constant from its column")
}
