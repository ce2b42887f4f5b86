//! Reading GeoJSON.

use std::borrow::Cow;
use std::collections::HashMap;

use kostra_core::{Coordinates, GraphError, MAX_VERTICES, Vertex, memory};
use serde_json::Value;

use super::parse::{kind, parse};
use super::topology;
use crate::attributed_graph::WeightAttribute;
use crate::columns::{Columns, TextNumber};
use crate::compression::Stream;
use crate::fault::Fault;
use crate::interface::Parsed;
use crate::kept::KeptAttributes;
use crate::message::{Message, Remedy, message};
use crate::number::{self, did_you_mean};
use crate::weights::{self, RawGraph};
use crate::{KeptKind, MissingWeights, ReadErrorKind, ReadOptions};

/// Reads a graph.
pub(super) fn read(mut stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    let value = parse(&mut stream)?;
    let mut lines = ReadLines::new(options)?;
    match kind(&value) {
        "FeatureCollection" => {
            let features = value.get("features").and_then(Value::as_array);
            let features = features
                .ok_or_else(|| Fault::whole("the collection has no list 'features'; add it"))?;
            for (index, feature) in features.iter().enumerate() {
                lines.feature(feature, index).map_err(|kind| in_feature(index, kind))?;
            }
        }
        "Topology" => topology::features(&value, &mut |feature, index| {
            lines.feature(&feature, index).map_err(|kind| in_feature(index, kind))
        })?,
        _ => lines.feature(&value, 0).map_err(|kind| in_feature(0, kind))?,
    }
    lines.finish()
}

/// A fault in a feature. JSON that has been parsed has no lines, so the sentence counts features.
fn in_feature(index: usize, kind: ReadErrorKind) -> ReadErrorKind {
    match kind {
        ReadErrorKind::Malformed(sentence) => {
            ReadErrorKind::malformed(format!("feature {index} (counted from 0): {sentence}"))
        }
        kind => kind,
    }
}

fn malformed<T>(sentence: impl Into<Message>) -> Result<T, ReadErrorKind> {
    Err(ReadErrorKind::malformed(sentence))
}

/// The names under which the position of a feature, counted from 0, and its id are kept.
const FEATURE: &str = "feature";
const ID: &str = "id";

/// The text and the kind of a value; none for null.
pub(crate) fn typed(value: &Value) -> Option<(Cow<'_, str>, KeptKind)> {
    let kind = match value {
        Value::Null => return None,
        Value::String(text) => return Some((text.into(), KeptKind::Text)),
        Value::Bool(_) => KeptKind::Boolean,
        Value::Number(number) if number.is_f64() => KeptKind::Float,
        Value::Number(_) => KeptKind::Integer,
        Value::Array(_) | Value::Object(_) => KeptKind::Text,
    };
    Some((value.to_string().into(), kind))
}

/// What has been read.
pub(crate) struct ReadLines<'a> {
    options: &'a ReadOptions,
    weight: WeightAttribute<'a>,
    /// The vertex at each position.
    numbers: HashMap<[u64; 2], Vertex>,
    points: Vec<[f64; 2]>,
    columns: Columns,
    /// The edges of one line, before they are joined to the others.
    edge: Columns,
    kept: KeptAttributes,
    /// The positions of each line that is one edge.
    lines: Vec<Box<str>>,
    /// The number of geometries that are not lines.
    others: u64,
}

impl<'a> ReadLines<'a> {
    /// No lines.
    ///
    /// # Errors
    /// When the options give attributes by position.
    pub(crate) fn new(options: &'a ReadOptions) -> Result<Self, ReadErrorKind> {
        Ok(Self {
            options,
            weight: WeightAttribute::new(options)?,
            numbers: HashMap::new(),
            points: Vec::new(),
            columns: Columns::default(),
            edge: Columns::default(),
            kept: KeptAttributes::new(options)?,
            lines: Vec::new(),
            others: 0,
        })
    }

    /// Reads a feature, or a geometry without one.
    pub(crate) fn feature(&mut self, feature: &Value, index: usize) -> Result<(), ReadErrorKind> {
        let (geometry, properties) = match kind(feature) {
            "Feature" => (feature.get("geometry"), feature.get("properties")),
            _ => (Some(feature), None),
        };
        let Some(geometry) = geometry.filter(|geometry| !geometry.is_null()) else {
            self.others += 1;
            return Ok(());
        };
        let empty = Vec::new();
        let coordinates = geometry.get("coordinates").and_then(Value::as_array);
        let lines: Vec<&Value> = match kind(geometry) {
            "LineString" => geometry.get("coordinates").into_iter().collect(),
            "MultiLineString" => coordinates.unwrap_or(&empty).iter().collect(),
            "" => return malformed("the geometry has no 'type'; add it"),
            "GeometryCollection" => {
                return malformed(
                    "the feature contains several geometries; save each line as a feature",
                );
            }
            _ => {
                self.others += 1;
                return Ok(());
            }
        };
        let weight = self.weight_of(properties, index)?;
        if weight.is_some() && lines.len() > 1 {
            return malformed(format!(
                "the feature has {} lines, but one weight; save each line as a feature",
                lines.len()
            ));
        }
        self.keep(feature, properties, index)?;
        for line in lines {
            self.line(line, weight)?;
        }
        Ok(())
    }

    /// Sets what is kept of a feature: its properties, its position, and its member `id`.
    fn keep(
        &mut self,
        feature: &Value,
        properties: Option<&Value>,
        index: usize,
    ) -> Result<(), ReadErrorKind> {
        self.kept.begin();
        for (name, value) in properties.and_then(Value::as_object).into_iter().flatten() {
            let typed = typed(value);
            self.kept.set(name, typed.as_ref().map(|(text, kind)| (&**text, *kind)));
        }
        let property = |name: &str| properties.and_then(|properties| properties.get(name));
        if self.kept.names(FEATURE) {
            if property(FEATURE).is_some() {
                return malformed(
                    "is 'feature' the property, or the position of the feature? rename the property",
                );
            }
            self.kept.set(FEATURE, Some((&index.to_string(), KeptKind::Integer)));
        }
        match (feature.get(ID).and_then(typed), property(ID).and_then(typed)) {
            (Some(member), Some(property)) if self.kept.wants(ID) && member != property => {
                malformed("is 'id' the property, or the member of the feature? rename the property")
            }
            (Some((text, kind)), _) => {
                self.kept.set(ID, Some((&text, kind)));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The number in the property that is the weight, if the user names one.
    fn weight_of(
        &self,
        properties: Option<&Value>,
        index: usize,
    ) -> Result<Option<TextNumber>, ReadErrorKind> {
        let members = properties.and_then(Value::as_object);
        let found = members.into_iter().flatten().find(|(name, _)| self.weight.is(name));
        match (found, self.options.columns.weight.is_some()) {
            (None, false) => Ok(None),
            (None, true) => {
                let columns: Vec<_> =
                    members.into_iter().flatten().map(|(name, _)| name.clone()).collect();
                let wanted = self.weight.name().unwrap_or_default();
                let shown: Vec<_> = columns
                    .iter()
                    .map(|name| format!("'{}'", number::show(name.as_bytes())))
                    .collect();
                let remedy = match shown.is_empty() {
                    true => "it has none; omit the option".to_owned(),
                    false => format!(
                        "its properties are {}{}",
                        shown.join(", "),
                        did_you_mean(wanted, columns.iter().map(String::as_str))
                    ),
                };
                let sentence = message![
                    Remedy::text("weight", number::show(wanted.as_bytes())),
                    format!(": feature {index} (counted from 0) has no such property; {remedy}"),
                ];
                Err(ReadErrorKind::Columns { sentence, columns })
            }
            (Some((_, value)), true) => {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                number::weight(text.as_bytes(), self.options.nan)
                    .map(Some)
                    .map_err(ReadErrorKind::malformed)
            }
            (Some(_), false) if self.options.missing_weights.is_some() => Ok(None),
            (Some((name, _)), false) => {
                let sentence = message![
                    format!("feature {index} (counted from 0): "),
                    "is the weight the property or the length of the line? pass ",
                    Remedy::text("weight", number::show(name.as_bytes())),
                    " or ",
                    Remedy::text("weights", "distance"),
                ];
                Err(ReadErrorKind::Columns { sentence, columns: vec![name.clone()] })
            }
        }
    }

    /// Adds the edges of a line: one with a weight, or one per segment.
    fn line(&mut self, line: &Value, weight: Option<TextNumber>) -> Result<(), ReadErrorKind> {
        let positions = line.as_array().map(Vec::as_slice).unwrap_or_default();
        let (Some(first), Some(last), true) =
            (positions.first(), positions.last(), positions.len() > 1)
        else {
            return malformed("a line needs two positions or more; add them or remove the line");
        };
        if let Some(weight) = weight {
            let (u, v) = (self.vertex(first)?, self.vertex(last)?);
            self.edge.push_ends(u, v);
            self.edge.push_weight(weight);
            memory::push(&mut self.lines, line.to_string().into())?;
        } else {
            let mut before = self.vertex(first)?;
            for position in positions.iter().skip(1) {
                let vertex = self.vertex(position)?;
                self.edge.push_ends(before, vertex);
                before = vertex;
            }
        }
        for _ in 0..self.edge.len() {
            self.kept.push_edge()?;
        }
        self.columns.join(&mut self.edge, usize::MAX, |edge| edge).map_err(|fault| fault.kind)
    }

    /// The vertex at a position.
    fn vertex(&mut self, position: &Value) -> Result<Vertex, ReadErrorKind> {
        let number = |axis: usize| position.get(axis).and_then(Value::as_f64);
        let (Some(x), Some(y)) = (number(0), number(1)) else {
            return malformed("a position needs two numbers; correct it");
        };
        if x.abs() > 180.0 || y.abs() > 90.0 {
            return malformed(format!(
                "the position [{x}, {y}] is not a longitude and a latitude in degrees; save the \
                 file in WGS 84 (EPSG:4326)"
            ));
        }
        let [x, y] = [x, y].map(|degrees| degrees + 0.0); // -0.0 is 0.0
        let number = self.points.len();
        let key = [x.to_bits(), y.to_bits()];
        if let Some(&vertex) = self.numbers.get(&key) {
            return Ok(vertex);
        }
        if number >= MAX_VERTICES {
            return Err(GraphError::TooManyVertices { vertices: number as u64 + 1 }.into());
        }
        memory::push(&mut self.points, [x, y])?;
        self.numbers.insert(key, number as Vertex);
        Ok(number as Vertex)
    }

    /// The graph of the lines.
    pub(crate) fn finish(self) -> Result<Parsed, Fault> {
        let Self { options, points, numbers, columns, kept, lines, others, weight, .. } = self;
        if others > 0 && points.is_empty() {
            return Err(Fault::whole(
                "the file contains no lines, which are the edges; save a layer of lines",
            ));
        }
        let mut notes = Vec::new();
        if others > 0 {
            let count = kostra_core::counted(others, "feature is", "features are");
            notes.push(format!("{count} left out, because only lines are edges").into());
        }
        let meridian = 180.0_f64;
        let is_twice = |[x, y]: &&[f64; 2]| {
            *x == meridian && numbers.contains_key(&[(-meridian).to_bits(), y.to_bits()])
        };
        let twice = points.iter().filter(is_twice).count() as u64;
        if twice > 0 {
            let count = kostra_core::counted(twice, "place is", "places are");
            notes.push(
                format!(
                    "{count} two vertices each, at the longitudes 180 and -180; write one of the \
                 longitudes in all lines to join them"
                )
                .into(),
            );
        }
        let kept = kept.finish()?;
        let vertices = points.len();
        let coordinates = Coordinates::Geographic(points);
        let weighted = columns.is_weighted();
        weights::refuse_others(weighted, options)?;
        let missing = options.missing_weights.or(Some(MissingWeights::Distance));
        let missing_weights = if weighted { None } else { missing };
        let options = ReadOptions { missing_weights, ..options.clone() };
        let graph = RawGraph::new(vertices, columns, weighted)
            .with_coordinates(coordinates.clone())
            .build(&options, &mut notes)?;
        let (coordinates, similarity) = (Some(coordinates), weight.similarity());
        let lines = (!lines.is_empty()).then_some(lines);
        Ok(Parsed { coordinates, kept, lines, similarity, ..Parsed::new(graph, notes) })
    }
}
