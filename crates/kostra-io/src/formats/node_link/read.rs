//! Reading node-link JSON.

use std::borrow::Cow;
use std::fmt;
use std::io::Read;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::EDGE_ID;
use super::values::{Values, fault_at};
use crate::attributed_graph::{AttributedGraph, WeightAttribute};
use crate::columns::Number;
use crate::compression::Stream;
use crate::fault::Fault;
use crate::head::BYTE_ORDER_MARK;
use crate::interface::Parsed;
use crate::kept::KeptAttributes;
use crate::message::{Remedy, message};
use crate::number::show;
use crate::source::from_io;
use crate::{KeptKind, Nan, Place, ReadErrorKind, ReadOptions};

/// Reads a graph.
pub(super) fn read(mut stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    if stream.head().starts_with(BYTE_ORDER_MARK) {
        stream.read_exact(&mut [0; BYTE_ORDER_MARK.len()]).map_err(from_io)?;
    }
    let mut document = Document {
        options,
        values: Values::new(stream),
        graph: AttributedGraph::new(options)?,
        weight: WeightAttribute::new(options)?,
        has_nodes: false,
        has_edges: false,
        directed: false,
    };
    document.read()?;
    document.finish()
}

/// What has been read.
struct Document<'a> {
    options: &'a ReadOptions,
    values: Values<Stream<'a>>,
    graph: AttributedGraph,
    weight: WeightAttribute<'a>,
    has_nodes: bool,
    has_edges: bool,
    directed: bool,
}

impl Document<'_> {
    fn read(&mut self) -> Result<(), Fault> {
        self.values.punctuation(b"{")?;
        if self.values.peek()? == Some(b'}') {
            self.values.punctuation(b"}")?;
            return self.end();
        }
        loop {
            let name: String = self.values.parse()?;
            self.values.punctuation(b":")?;
            self.member(&name)?;
            if self.values.punctuation(b",}")? == b'}' {
                return self.end();
            }
        }
    }

    fn end(&mut self) -> Result<(), Fault> {
        if self.values.peek()?.is_none() {
            return Ok(());
        }
        let (line, column) = self.values.place();
        Err(fault_at(line, column, "trailing characters"))
    }

    /// Reads the value of a member of the document.
    fn member(&mut self, name: &str) -> Result<(), Fault> {
        let (kind, has_list) = match name {
            "nodes" => (Kind::Node, &mut self.has_nodes),
            "edges" | "links" => (Kind::Edge, &mut self.has_edges),
            "directed" => {
                self.directed = self.values.parse()?;
                return Ok(());
            }
            _ => return self.values.parse::<IgnoredAny>().map(drop),
        };
        if std::mem::replace(has_list, true) {
            let (line, column) = self.values.place();
            let cause = format!("'{name}' is the second list of its kind; remove one");
            return Err(fault_at(line, column, &cause));
        }
        self.values.punctuation(b"[")?;
        if self.values.peek()? == Some(b']') {
            return self.values.punctuation(b"]").map(drop);
        }
        loop {
            self.values.peek()?;
            let (line, column) = self.values.place();
            let place = Place::Line { line, column };
            let options = self.options;
            let Self { values, weight, graph, .. } = self;
            let added = values.next(|json| match kind {
                Kind::Node => {
                    let object = Object { edge: None }.deserialize(json)?;
                    Ok(node(&object, graph))
                }
                Kind::Edge => {
                    let edge_of = Object { edge: Some((weight, &mut graph.kept)) };
                    let object = edge_of.deserialize(json)?;
                    Ok(edge(&object, (graph, weight), (options, place)))
                }
            })?;
            added.map_err(|kind| Fault { place: Some(place), kind })?;
            if values.punctuation(b",]")? == b']' {
                return Ok(());
            }
        }
    }

    fn finish(self) -> Result<Parsed, Fault> {
        if !self.has_nodes || !self.has_edges {
            let missing = if self.has_nodes { "'edges' or 'links'" } else { "'nodes'" };
            let sentence = format!("the object has no list {missing}; add it");
            return Err(Fault::at_line(1, 1, sentence));
        }
        let note = "the graph is directed; directions are ignored";
        let notes = if self.directed { vec![note.into()] } else { Vec::new() };
        self.graph.finish(self.weight, notes)
    }
}

/// What a list contains.
#[derive(Clone, Copy)]
enum Kind {
    Node,
    Edge,
}

fn node(object: &Members<'_>, graph: &mut AttributedGraph) -> Result<(), ReadErrorKind> {
    let id = id(object.id, "id", "node")?;
    graph.text_ids |= object.id.is_some_and(|json| json.starts_with('"'));
    graph.declare(&id)
}

fn edge(
    object: &Members<'_>,
    (graph, weights): (&mut AttributedGraph, &mut WeightAttribute<'_>),
    (options, place): (&ReadOptions, Place),
) -> Result<(), ReadErrorKind> {
    let ends = [id(object.source, "source", "edge")?, id(object.target, "target", "edge")?];
    let weight = match object.weight {
        // pandas writes NaN as null.
        Some("null") if options.missing_weights.is_some() => None,
        Some("null") if options.nan == Nan::Skip => Some(Number::Float(f64::NAN)),
        Some("null") => {
            let sentence = message!["the weight is missing; add it, or pass ", Remedy::skip_nan()];
            return Err(ReadErrorKind::malformed(sentence));
        }
        Some(weight) => {
            let text = typed_value(weight).map_or(weight.into(), |(text, _)| text);
            Some(weights.number(&text).map_err(ReadErrorKind::malformed)?)
        }
        None => None,
    };
    graph.add_edge([&ends[0], &ends[1]], weight, place)
}

/// The id in a member of an object, as text.
fn id<'t>(
    member: Option<&'t str>,
    name: &str,
    object: &str,
) -> Result<Cow<'t, str>, ReadErrorKind> {
    let malformed = |sentence| Err(ReadErrorKind::malformed(sentence));
    let Some(text) = member else {
        return malformed(format!("this {object} has no member '{name}'; add it"));
    };
    let is_integer = text.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit());
    if is_integer {
        return Ok(text.into());
    }
    serde_json::from_str::<Text<'_>>(text).map(|text| text.0).or_else(|_| {
        let text = show(text.as_bytes());
        malformed(format!("'{name}' is {text}; write a text or an integer"))
    })
}

/// A string, which is borrowed if it contains no escapes.
#[derive(Deserialize)]
struct Text<'t>(#[serde(borrow)] Cow<'t, str>);

/// The text and the kind of a value in JSON; none for null.
fn typed_value(json: &str) -> Option<(Cow<'_, str>, KeptKind)> {
    match json.as_bytes().first() {
        Some(b'n') => None,
        Some(b't' | b'f') => Some((json.into(), KeptKind::Boolean)),
        Some(b'-' | b'0'..=b'9') => {
            let is_float = json.contains(['.', 'e', 'E']);
            Some((json.into(), if is_float { KeptKind::Float } else { KeptKind::Integer }))
        }
        _ => {
            let text = serde_json::from_str::<Text<'_>>(json).map_or(json.into(), |text| text.0);
            Some((text, KeptKind::Text))
        }
    }
}

/// The members of a node or an edge that matter, as JSON.
#[derive(Default)]
struct Members<'t> {
    id: Option<&'t str>,
    source: Option<&'t str>,
    target: Option<&'t str>,
    weight: Option<&'t str>,
}

/// Reads the object of a node, or that of an edge, which has a weight.
struct Object<'o, 'a> {
    /// The weight and the attributes of an edge.
    edge: Option<(&'o mut WeightAttribute<'a>, &'o mut KeptAttributes)>,
}

impl<'t> DeserializeSeed<'t> for Object<'_, '_> {
    type Value = Members<'t>;

    fn deserialize<D: Deserializer<'t>>(self, deserializer: D) -> Result<Members<'t>, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'t> Visitor<'t> for Object<'_, '_> {
    type Value = Members<'t>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<Members<'t>, A::Error> {
        let Self { mut edge } = self;
        let mut members = Members::default();
        let mut spelling: Option<Cow<'t, str>> = None;
        if let Some((_, kept)) = &mut edge {
            kept.begin();
        }
        while let Some((Text(name), value)) = map.next_entry::<_, &RawValue>()? {
            let value = value.get();
            if let (Some((_, kept)), false) = (&mut edge, matches!(&*name, "source" | "target")) {
                let typed = typed_value(value);
                kept.set_once(&name, typed.as_ref().map(|(text, kind)| (&**text, *kind)))
                    .map_err(A::Error::custom)?;
            }
            let before = match &*name {
                "id" => members.id.replace(value).is_some(),
                "source" => members.source.replace(value).is_some(),
                "target" => members.target.replace(value).is_some(),
                "key" | EDGE_ID => false,
                other => {
                    let Some((weight, _)) = &mut edge else { continue };
                    if weight.is(other) {
                        members.weight = Some(value);
                        // Another spelling of it is a question, which comes at the end.
                        spelling.replace(name.clone()).is_some_and(|before| before == name)
                    } else {
                        if value.starts_with('{') && value.contains("\"weight\"") {
                            weight.see_nested(other);
                        } else if let Some((text, _)) = typed_value(value) {
                            weight.see(other, &text);
                        }
                        false
                    }
                }
            };
            if before {
                let name = show(name.as_bytes());
                return Err(A::Error::custom(format!("'{name}' occurs twice; remove one")));
            }
        }
        Ok(members)
    }
}
