//! Reading JSON of the dialects.

use std::io::Read;

use serde::Deserialize;
use serde::de::{DeserializeSeed, IgnoredAny};
use serde_json::value::RawValue;

use super::members::{ENDS, Members, Object, ends_of, id, typed_value};
use super::positions::Positions;
use super::rows;
use super::values::{Values, fault_at};
use crate::attributed_graph::{AttributedGraph, WeightAttribute};
use crate::columns::TextNumber;
use crate::compression::Stream;
use crate::directions::NOTE_ON_DIRECTED;
use crate::fault::Fault;
use crate::head::BYTE_ORDER_MARK;
use crate::interface::Parsed;
use crate::message::{Remedy, message};
use crate::source::from_io;
use crate::{Nan, Place, ReadErrorKind, ReadOptions};

/// Reads a graph.
pub(super) fn read(mut stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    if stream.head().starts_with(BYTE_ORDER_MARK) {
        stream.read_exact(&mut [0; BYTE_ORDER_MARK.len()]).map_err(from_io)?;
    }
    if rows::has_rows(stream.head()) {
        return rows::read(&mut stream, options);
    }
    if let Some(option) = options.first_of_rows() {
        let sentence = message![
            Remedy::option(option),
            " applies to an array of arrays, which this JSON is not; omit it"
        ];
        return Err(ReadErrorKind::question(sentence).into());
    }
    let mut document = Document {
        options,
        values: Values::new(stream),
        graph: AttributedGraph::new(options)?,
        weight: WeightAttribute::new(options)?,
        ends: None,
        positions: Positions::default(),
        is_array: false,
        has_nodes: false,
        has_edges: false,
        directed: false,
    };
    document.read()?;
    document.finish()
}

/// The objects in each other that are read: the document, and its graph or its elements.
const DEEPEST: usize = 2;

/// The ends of an entry in adjacency data, whose row is the other one.
const OF_ADJACENCY: [&str; 2] = ["", "id"];

/// What has been read.
struct Document<'a> {
    options: &'a ReadOptions,
    values: Values<Stream<'a>>,
    graph: AttributedGraph,
    weight: WeightAttribute<'a>,
    /// The names of the ends of edges, once there is an edge.
    ends: Option<[&'static str; 2]>,
    positions: Positions,
    /// Whether the document is an array of nodes and edges, or of edges only.
    is_array: bool,
    has_nodes: bool,
    has_edges: bool,
    directed: bool,
}

/// What a list contains.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Node,
    Edge,
    /// Nodes, and edges, which have ends.
    Element,
}

impl Document<'_> {
    fn read(&mut self) -> Result<(), Fault> {
        if self.values.peek()? == Some(b'[') {
            (self.is_array, self.has_nodes, self.has_edges) = (true, true, true);
            self.list(|document| document.item(Kind::Element))?;
        } else {
            self.object(1)?;
        }
        if self.values.peek()?.is_none() {
            return Ok(());
        }
        let (line, column) = self.values.place();
        Err(fault_at(line, column, "trailing characters"))
    }

    /// Reads the members of an object.
    fn object(&mut self, depth: usize) -> Result<(), Fault> {
        self.values.punctuation(b"{")?;
        if self.values.peek()? == Some(b'}') {
            return self.values.punctuation(b"}").map(drop);
        }
        loop {
            let name: String = self.values.parse()?;
            self.values.punctuation(b":")?;
            self.member(&name, depth)?;
            if self.values.punctuation(b",}")? == b'}' {
                return Ok(());
            }
        }
    }

    /// Reads the value of a member of the document.
    fn member(&mut self, name: &str, depth: usize) -> Result<(), Fault> {
        let next = self.values.peek()?;
        match (name, next) {
            ("nodes", _) => {
                self.begin_list(name, |document| &mut document.has_nodes)?;
                if next == Some(b'{') {
                    return self.nodes_by_id();
                }
                self.list(|document| document.item(Kind::Node))
            }
            ("edges" | "links", _) => {
                self.begin_list(name, |document| &mut document.has_edges)?;
                self.list(|document| document.item(Kind::Edge))
            }
            ("adjacency", Some(b'[')) => {
                self.begin_list(name, |document| &mut document.has_edges)?;
                self.adjacency()
            }
            ("elements", Some(b'[')) => {
                (self.has_nodes, self.has_edges) = (true, true);
                self.list(|document| document.item(Kind::Element))
            }
            ("elements" | "graph", Some(b'{')) if depth < DEEPEST => self.object(depth + 1),
            ("graphs", Some(b'[')) if depth < DEEPEST => {
                let mut count = 0;
                self.list(|document| {
                    count += 1;
                    let (line, column) = document.values.place();
                    if count > 1 {
                        let cause = "a second graph begins here; save one per file";
                        return Err(Fault::at_line(line, column, cause));
                    }
                    document.object(depth + 1)
                })
            }
            ("directed", Some(b't' | b'f')) => {
                self.directed = self.values.parse()?;
                Ok(())
            }
            _ => self.values.parse::<IgnoredAny>().map(drop),
        }
    }

    /// Refuses a second list of a kind.
    fn begin_list(
        &mut self,
        name: &str,
        has_list: impl FnOnce(&mut Self) -> &mut bool,
    ) -> Result<(), Fault> {
        if std::mem::replace(has_list(self), true) {
            let (line, column) = self.values.place();
            let cause = format!("'{name}' is the second list of its kind; remove one");
            return Err(fault_at(line, column, &cause));
        }
        Ok(())
    }

    /// Reads a list whose items `item` reads.
    fn list(&mut self, mut item: impl FnMut(&mut Self) -> Result<(), Fault>) -> Result<(), Fault> {
        self.values.punctuation(b"[")?;
        if self.values.peek()? == Some(b']') {
            return self.values.punctuation(b"]").map(drop);
        }
        loop {
            self.values.peek()?;
            item(self)?;
            if self.values.punctuation(b",]")? == b']' {
                return Ok(());
            }
        }
    }

    fn place(&self) -> Place {
        let (line, column) = self.values.place();
        Place::Line { line, column }
    }

    /// Reads a node or an edge.
    fn item(&mut self, kind: Kind) -> Result<(), Fault> {
        let place = self.place();
        let options = self.options;
        let Self { values, weight, graph, ends, positions, .. } = self;
        let added = values.next(|json| {
            if kind == Kind::Node {
                let object = Object { ends: ENDS[0], edge: None }.deserialize(json)?;
                return Ok(node(&object, graph, positions));
            }
            // The first edge shows the names of its ends.
            if let (Kind::Edge, Some(ends)) = (kind, *ends) {
                let edge_of = Object { ends, edge: Some((weight, &mut graph.kept)) };
                let object = edge_of.deserialize(json)?;
                positions.see_edge(ends, object.ends);
                return Ok(edge(&object, (graph, weight), EdgeContext { options, place, ends }));
            }
            let text = <&RawValue>::deserialize(json)?;
            let found = ends_of(text.get());
            let mut json = serde_json::Deserializer::from_str(text.get());
            if found.is_none() && kind == Kind::Element {
                let object = Object { ends: ENDS[0], edge: None }.deserialize(&mut json)?;
                return Ok(node(&object, graph, positions));
            }
            let ends = *ends.insert(ends.or(found).unwrap_or(ENDS[0]));
            let edge_of = Object { ends, edge: Some((weight, &mut graph.kept)) };
            let object = edge_of.deserialize(&mut json)?;
            positions.see_edge(ends, object.ends);
            Ok(edge(&object, (graph, weight), EdgeContext { options, place, ends }))
        })?;
        added.map_err(|kind| Fault { place: Some(place), kind })
    }

    /// Reads an object whose members are nodes, by id.
    fn nodes_by_id(&mut self) -> Result<(), Fault> {
        self.values.punctuation(b"{")?;
        if self.values.peek()? == Some(b'}') {
            return self.values.punctuation(b"}").map(drop);
        }
        self.graph.text_ids = true;
        loop {
            self.values.peek()?;
            let place = self.place();
            let id: String = self.values.parse()?;
            self.values.punctuation(b":")?;
            self.values.parse::<IgnoredAny>()?;
            let declared = self.positions.declare(Some(&id), None, &mut self.graph);
            declared.map_err(|kind| Fault { place: Some(place), kind })?;
            if self.values.punctuation(b",}")? == b'}' {
                return Ok(());
            }
        }
    }

    /// Reads adjacency data of NetworkX: for each node, in order, a list of its edges. Unless the
    /// graph is directed, an edge is in the lists of both ends.
    fn adjacency(&mut self) -> Result<(), Fault> {
        let mut row = 0_u32;
        let [mut kept, mut other] = [0_u64, 0];
        let start = self.place();
        self.list(|document| {
            document.list(|document| {
                let place = document.place();
                let Self { values, weight, graph, positions, options, directed, .. } = document;
                let added = values.next(|json| {
                    let edge_of =
                        Object { ends: OF_ADJACENCY, edge: Some((weight, &mut graph.kept)) };
                    let object = edge_of.deserialize(json)?;
                    Ok((|| {
                        let [_, target] = object.ends;
                        let target = id(target, "id", "edge")?;
                        let [Some(u), Some(v)] =
                            [positions.node(row), graph.declared_vertex(&target)]
                        else {
                            return Err(ReadErrorKind::malformed(format!(
                                "there is no node for row {row}, or for the edge to '{target}'; \
                                 add it to the list nodes, before this list"
                            )));
                        };
                        // Nodes come first, so vertices are numbered as rows are.
                        if v < u && !*directed {
                            other += 1;
                            return Ok(());
                        }
                        kept += u64::from(v != u);
                        let weight = weight_of(&object, weight, options)?;
                        graph.add_edge_between([u, v], weight)
                    })())
                })?;
                added.map_err(|kind| Fault { place: Some(place), kind })
            })?;
            row += 1;
            Ok(())
        })?;
        if kept == other || self.directed {
            return Ok(());
        }
        let sentence = format!(
            "{kept} edges lead to later nodes and {other} to earlier ones, but each edge of a graph \
             that is not directed is in the lists of both ends; add the others, or \"directed\": true \
             before this list"
        );
        Err(Fault { place: Some(start), kind: ReadErrorKind::malformed(sentence) })
    }

    fn finish(self) -> Result<Parsed, Fault> {
        let Self { mut graph, weight, positions, options, .. } = self;
        if !self.has_nodes || !self.has_edges {
            let missing = if self.has_nodes { "'edges' or 'links'" } else { "'nodes'" };
            let sentence = format!("the object has no list {missing}; add it");
            return Err(Fault::at_line(1, 1, sentence));
        }
        let mut notes = if self.directed { vec![NOTE_ON_DIRECTED.into()] } else { Vec::new() };
        if self.is_array && positions.nodes() == 0 {
            graph.accept_undeclared();
            graph.text_ids = positions.has_text_ends;
        }
        notes.extend(positions.resolve(&mut graph, options)?);
        graph.finish(weight, notes)
    }
}

fn node(
    object: &Members<'_>,
    graph: &mut AttributedGraph,
    positions: &mut Positions,
) -> Result<(), ReadErrorKind> {
    let name = object.name().filter(|_| object.id().is_none());
    let id = object.id().map(|_| id(object.id(), "id", "node")).transpose()?;
    graph.text_ids |= name.is_some() || object.id().is_some_and(|json| json.starts_with('"'));
    positions.declare(id.as_deref(), name, graph)
}

/// Where an edge is, and how it is read.
struct EdgeContext<'a> {
    options: &'a ReadOptions,
    place: Place,
    /// The names of both ends' members.
    ends: [&'a str; 2],
}

fn edge(
    object: &Members<'_>,
    (graph, weights): (&mut AttributedGraph, &mut WeightAttribute<'_>),
    EdgeContext { options, place, ends: [source, target] }: EdgeContext<'_>,
) -> Result<(), ReadErrorKind> {
    let [u, v] = object.ends;
    let ends = [id(u, source, "edge")?, id(v, target, "edge")?];
    let weight = weight_of(object, weights, options)?;
    graph.add_edge([&ends[0], &ends[1]], weight, place)
}

/// The weight of an edge.
fn weight_of(
    object: &Members<'_>,
    weights: &mut WeightAttribute<'_>,
    options: &ReadOptions,
) -> Result<Option<TextNumber>, ReadErrorKind> {
    match object.weight {
        // pandas writes NaN as null.
        Some("null") if options.missing_weights.is_some() => Ok(None),
        Some("null") if options.nan == Nan::Skip => Ok(Some(TextNumber::Float(f64::NAN))),
        Some("null") => {
            let sentence = message!["the weight is missing; add it, or pass ", Remedy::skip_nan()];
            Err(ReadErrorKind::malformed(sentence))
        }
        Some(weight) => {
            let text = typed_value(weight).map_or(weight.into(), |(text, _)| text);
            weights.number(&text).map(Some).map_err(ReadErrorKind::malformed)
        }
        None => Ok(None),
    }
}
