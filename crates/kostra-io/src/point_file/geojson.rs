//! The points of a GeoJSON file: a table with the columns `latitude` and `longitude`, and a column
//! for each property.

use std::collections::HashSet;

use kostra_core::memory;
use serde_json::{Map, Value};

use super::column::{and_weights, coordinates, places};
use super::{PointFile, PointOptions};
use crate::KeptColumns;
use crate::compression::Stream;
use crate::fault::Fault;
use crate::formats::geojson::{kind, parse, typed};

/// The columns before those of the properties.
const POSITION: [&str; 2] = ["latitude", "longitude"];

/// A feature that is a point.
struct Feature<'a> {
    /// The latitude and the longitude in degrees.
    position: [f64; 2],
    properties: Option<&'a Map<String, Value>>,
}

impl Feature<'_> {
    /// The feature, unless its position is no latitude and longitude.
    fn on_earth(self) -> Result<Self, String> {
        let [latitude, longitude] = self.position;
        match latitude.abs() <= 90.0 && longitude.abs() <= 180.0 {
            true => Ok(self),
            false => Err(format!(
                "the position [{longitude}, {latitude}] is not a longitude and a latitude in \
                 degrees; save the file in WGS 84 (EPSG:4326), or pass `--columns \
                 longitude,latitude`"
            )),
        }
    }

    fn property(&self, name: &str) -> Option<&Value> {
        self.properties.and_then(|properties| properties.get(name))
    }
}

/// Reads the points. Heights are left out.
///
/// # Errors
/// When the content is no GeoJSON, or contains anything but points.
pub(super) fn read(stream: &mut Stream<'_>, options: &PointOptions) -> Result<PointFile, Fault> {
    let value = parse(stream)?;
    let features = features(&value, options)?;
    let mut names = POSITION.map(str::to_owned).to_vec();
    let mut seen = HashSet::new();
    let properties = features.iter().filter_map(|feature| feature.properties);
    names.extend(properties.flat_map(Map::keys).filter(|name| seen.insert(*name)).cloned());
    let chosen = match &*options.columns {
        [] => and_weights(vec![0, 1], options, &names, names.len()),
        _ => coordinates(options, &names, names.len()),
    };
    let chosen = chosen.map_err(Fault::whole)?;
    let kept = places("--keep", &options.keep, &names, names.len()).map_err(Fault::whole)?;
    let named = |places: &[usize]| places.iter().map(|&place| names[place].clone()).collect();
    let mut points = PointFile {
        dimensions: chosen.len(),
        names: named(&chosen),
        kept: KeptColumns::new(named(&kept)),
        is_in_degrees: options.columns.is_empty(),
        ..PointFile::default()
    };
    for (index, feature) in features.iter().enumerate() {
        for &column in &chosen {
            let value = match feature.position.get(column) {
                Some(&degrees) => degrees,
                None => number(feature.property(&names[column])).ok_or_else(|| {
                    let sentence = format!("the property {:?} is no number", names[column]);
                    in_feature(index, &format!("{sentence}; correct it, or remove the feature"))
                })?,
            };
            memory::push(&mut points.coordinates, value)?;
        }
        for &column in &kept {
            match feature.position.get(column) {
                Some(degrees) => points.kept.push(&degrees.to_string()),
                None => {
                    let value = feature.property(&names[column]).and_then(typed);
                    points.kept.push_value(value.as_ref().map(|(text, _)| &**text));
                }
            }
        }
    }
    Ok(points)
}

/// The points of all features, with their properties.
fn features<'a>(value: &'a Value, options: &PointOptions) -> Result<Vec<Feature<'a>>, Fault> {
    let features = match (kind(value), value.get("features").and_then(Value::as_array)) {
        ("FeatureCollection", Some(features)) => features.iter().collect(),
        ("Feature" | "Point", _) => vec![value],
        _ => {
            return Err(Fault::whole(
                "this JSON is no GeoJSON with points; save the points as CSV, or as a \
                 FeatureCollection",
            ));
        }
    };
    let found = features.into_iter().enumerate().map(|(index, feature)| {
        let found = point(feature).and_then(|found| match &*options.columns {
            [] => found.on_earth(),
            _ => Ok(found),
        });
        found.map_err(|sentence| in_feature(index, &sentence))
    });
    found.collect()
}

fn in_feature(index: usize, sentence: &str) -> Fault {
    Fault::whole(format!("feature {index} (counted from 0): {sentence}"))
}

/// The point of a feature, or of a geometry without one.
fn point(feature: &Value) -> Result<Feature<'_>, String> {
    let is_feature = kind(feature) == "Feature";
    let geometry = if is_feature { feature.get("geometry") } else { Some(feature) };
    let geometry = geometry.filter(|geometry| !geometry.is_null());
    let geometry = geometry.ok_or("there is no geometry; remove the feature")?;
    match kind(geometry) {
        "Point" => {}
        "LineString" | "MultiLineString" => {
            return Err("this is a line and no point; save the points only, or pass the file to \
                        `kostra solve`, which takes lines as edges"
                .into());
        }
        other => return Err(format!("this is a {other} and no point; save the points only")),
    }
    let at = |axis: usize| geometry.get("coordinates")?.get(axis)?.as_f64();
    let (Some(longitude), Some(latitude)) = (at(0), at(1)) else {
        return Err("a position needs two numbers; correct it".into());
    };
    let properties = feature.get("properties").filter(|_| is_feature).and_then(Value::as_object);
    Ok(Feature { position: [latitude, longitude], properties })
}

/// A number, also one in a text.
fn number(value: Option<&Value>) -> Option<f64> {
    match value? {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}
