//! Tables of lines as well-known text, as QGIS, PostGIS and ogr2ogr write them to CSV.
//!
//! A row with `LINESTRING (x y, x y)` or `MULTILINESTRING` is a feature of GeoJSON: its positions
//! are longitudes and latitudes, and the other columns are its properties.

use serde_json::{Map, Value, json};

use crate::compression::Stream;
use crate::fault::Fault;
use crate::fields::{Separator, fields};
use crate::formats::geojson::ReadLines;
use crate::head::{Evidence, Head};
use crate::interface::{Format, FormatInfo, Parsed};
use crate::message::{Remedy, message};
use crate::number::show;
use crate::quotes::unquote;
use crate::whole::WholeText;
use crate::{ReadErrorKind, ReadOptions};

impl Format {
    /// Tables of lines as well-known text.
    pub const WKT: Self = Self::new(&FormatInfo {
        id: "wkt",
        title: "CSV with WKT",
        extensions: &["wkt"],
        summary: "CSV with a column of LINESTRING, as QGIS and ogr2ogr write it",
        has_attributes: true,
        recognize,
        read,
        ..FormatInfo::READ_ONLY
    });
}

/// Names of columns that are asked about, because they may be the weight instead of the length of
/// the line.
const WEIGHTS: [&str; 8] =
    ["weight", "length", "len", "length_m", "distance", "dist", "cost", "shape_length"];

/// The fields of a line without their quotes.
fn cells(line: &str, separator: Separator) -> Vec<String> {
    let text =
        |field: &[u8]| unquote(field).map(|text| String::from_utf8_lossy(&text).into_owned());
    fields(line.as_bytes(), separator).map(|(_, field)| text(field).unwrap_or_default()).collect()
}

/// The geometry and the lists of numbers of a well-known text; none for other text.
fn geometry(cell: &str) -> Option<(&str, &str)> {
    let text = cell.trim_ascii();
    let text = text.strip_prefix("SRID=4326;").unwrap_or(text);
    let end = text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let is_line = |known: &str| name.eq_ignore_ascii_case(known);
    let name = ["LINESTRING", "MULTILINESTRING"].into_iter().find(|known| is_line(known))?;
    // A letter says that heights or measures follow.
    Some((name, rest.trim_start_matches([' ', 'Z', 'M', 'z', 'm'])))
}

/// The separator, the names of the columns, and the column with the lines.
fn header(first: &str, second: &str) -> Option<(Separator, Vec<String>, usize)> {
    let separator = Separator::recognize(first.as_bytes(), true);
    let cells_of_second = cells(second, separator);
    let column = cells_of_second.iter().position(|cell| geometry(cell).is_some())?;
    let names = cells(first, separator);
    let is_header = names.iter().all(|name| geometry(name).is_none());
    (is_header && names.len() == cells_of_second.len()).then_some((separator, names, column))
}

/// Recognizes a header and a row with a line.
fn recognize(head: &Head<'_>) -> Evidence {
    let mut lines = head.text().lines().filter(|line| !line.trim_ascii().is_empty());
    let (Some(first), Some(second)) = (lines.next(), lines.next()) else { return Evidence::Absent };
    Evidence::Signature.when(header(first, second).is_some())
}

fn read(mut stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    let text = WholeText::read(&mut stream)?;
    let mut rows = text.text().lines().enumerate().filter(|(_, row)| !row.trim_ascii().is_empty());
    let first = rows.next().map_or("", |(_, row)| row);
    let second = rows.clone().next().map_or("", |(_, row)| row);
    let (separator, names, column) = header(first, second).ok_or_else(|| {
        Fault::at_line(
            1,
            1,
            "a header and a row with a LINESTRING should be here; name a table with them",
        )
    })?;
    let is_weight = |name: &&String| WEIGHTS.iter().any(|known| name.eq_ignore_ascii_case(known));
    if options.columns.weight.is_none()
        && options.missing_weights.is_none()
        && let Some(name) = names.iter().find(is_weight)
    {
        let sentence = message![
            "is the weight the column or the length of the line on the earth? pass ",
            Remedy::text("weight", show(name.as_bytes())),
            " or ",
            Remedy::text("weights", "distance"),
        ];
        return Err(ReadErrorKind::Columns { sentence, columns: vec![name.clone()] }.into());
    }
    let mut lines = ReadLines::new(options)?;
    for (index, (at, row)) in rows.enumerate() {
        let place = |kind| Fault {
            place: Some(crate::Place::Line { line: at as u64 + 1, column: 1 }),
            kind,
        };
        let feature = feature(&cells(row, separator), &names, column);
        let feature = feature.map_err(|sentence| place(ReadErrorKind::malformed(sentence)))?;
        lines.feature(&feature, index).map_err(place)?;
    }
    let mut parsed = lines.finish()?;
    parsed.notes.push("the positions are taken for longitudes and latitudes (WGS 84)".into());
    Ok(parsed)
}

/// A row as a feature of GeoJSON.
fn feature(cells: &[String], names: &[String], column: usize) -> Result<Value, String> {
    if cells.len() != names.len() {
        let (found, expected) = (cells.len(), names.len());
        return Err(format!(
            "this line has {found} columns, but the header has {expected}; correct it"
        ));
    }
    let cell = cells.get(column).map(String::as_str).unwrap_or_default();
    let geometry = match geometry(cell) {
        _ if cell.is_empty() => Value::Null,
        Some((name, lists)) => {
            let lists = parse_lists(lists).ok_or_else(|| {
                format!("the geometry '{}' is damaged; correct it", show(cell.as_bytes()))
            })?;
            match name {
                "LINESTRING" => json!({ "type": "LineString", "coordinates": lists.first() }),
                _ => json!({ "type": "MultiLineString", "coordinates": lists }),
            }
        }
        None => json!({ "type": "Other" }),
    };
    let mut properties = Map::new();
    let others = names.iter().zip(cells).enumerate().filter(|(at, _)| *at != column);
    for (_, (name, text)) in others {
        let number = serde_json::from_str(text).ok().filter(Value::is_number);
        properties.insert(name.clone(), number.unwrap_or_else(|| text.clone().into()));
    }
    Ok(json!({ "type": "Feature", "geometry": geometry, "properties": properties }))
}

/// The positions in parentheses: one list, or a list of lists.
fn parse_lists(text: &str) -> Option<Vec<Value>> {
    let inside = text.trim_ascii().strip_prefix('(')?.strip_suffix(')')?.trim_ascii();
    let lists: Vec<&str> = match inside.strip_prefix('(') {
        Some(inside) => inside.strip_suffix(')')?.split("),").collect(),
        None => vec![inside],
    };
    let position = |text: &str| {
        let numbers: Result<Vec<f64>, _> = text.split_ascii_whitespace().map(str::parse).collect();
        numbers.ok().filter(|numbers| numbers.len() >= 2).map(|numbers| json!(numbers))
    };
    let list = |text: &str| {
        let text = text.trim_ascii();
        let text = text.strip_prefix('(').unwrap_or(text);
        text.trim_end_matches(')')
            .split(',')
            .map(position)
            .collect::<Option<Vec<_>>>()
            .map(Value::from)
    };
    lists.into_iter().map(list).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Case, check_cases};

    #[test]
    fn lines_of_tables_are_edges_between_their_positions() {
        let table = "WKT,fid,km\n\"LINESTRING (0 0,0 1)\",1,5\n\"linestring z(0 1 7,0 2 9)\",2,6\n";
        let several = "id;geom\n1;MULTILINESTRING ((0 0, 0 1), (0 1, 0 2))\n2;POINT (1 2)\n";
        let length = "the input has no weights; each edge weighs the distance of its ends";
        let earth = "the positions are taken for longitudes and latitudes (WGS 84)";
        let other = "1 feature is left out, because only lines are edges";
        let degrees = "0-1:111195.07973436874 1-2:111195.07973436874";
        check_cases(
            Format::WKT,
            &[
                Case::read(table, 3, "0-1:5 1-2:6", &[earth]).weight("km"),
                Case::read(table, 3, degrees, &[length, earth]),
                Case::read(several, 3, degrees, &[other, length, earth]),
                Case::refused(
                    &table.replace("km", "length"),
                    "is the weight the column or the length of the line on the earth? pass",
                ),
                Case::refused(
                    &table.replace("0 2 9", "0 x"),
                    "line 3, column 1: the geometry 'lines",
                ),
                Case::refused(
                    &table.replace(",2,6", ",2"),
                    "line 3, column 1: this line has 2 col",
                ),
                Case::refused(
                    &table.replace("0 1)", "500 1000)"),
                    "is not a longitude and a latit",
                ),
            ],
        );
    }
}
