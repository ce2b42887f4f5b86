//! Reading node-link JSON.

use std::cell::Cell;
use std::fmt;
use std::io::{self, BufReader, Read};

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::EDGE_ID;
use crate::attributed_graph::{AttributedGraph, WeightAttribute};
use crate::compression::Stream;
use crate::fault::Fault;
use crate::head::BYTE_ORDER_MARK;
use crate::interface::Parsed;
use crate::number::{self, show};
use crate::source::from_io;
use crate::{Place, ReadErrorKind, ReadOptions};

/// The number of bytes that are read at a time.
const BUFFER_BYTES: usize = 1 << 16;

/// Reads a graph.
pub(super) fn read(mut stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    if stream.head().starts_with(BYTE_ORDER_MARK) {
        stream.read_exact(&mut [0; BYTE_ORDER_MARK.len()]).map_err(from_io)?;
    }
    let position = Cell::new((1, 0));
    let inner = BufReader::with_capacity(BUFFER_BYTES, stream);
    let mut json = serde_json::Deserializer::from_reader(Counted { inner, position: &position });
    let mut document = Document {
        options,
        position: &position,
        graph: AttributedGraph::default(),
        weight: WeightAttribute::new(options)?,
        has_nodes: false,
        has_edges: false,
        directed: false,
        fault: None,
    };
    let result = (&mut json).deserialize_map(&mut document).and_then(|()| json.end());
    match (document.fault.take(), result) {
        (Some(fault), _) => Err(fault),
        (None, Err(error)) => Err(fault_of(error)),
        (None, Ok(())) => document.finish(),
    }
}

/// A fault of the text, or of the system that reads it.
fn fault_of(error: serde_json::Error) -> Fault {
    if error.is_io() {
        return from_io(error.into()).into();
    }
    let (line, column) = (error.line() as u64, error.column() as u64);
    let sentence: String = error.to_string().chars().filter(|c| !c.is_control()).collect();
    let cause = sentence.rsplit_once(" at line ").map_or(&*sentence, |(cause, _)| cause);
    Fault::at_line(line, column, format!("this is not node-link JSON: {cause}; correct the file"))
}

/// What has been read.
struct Document<'a> {
    options: &'a ReadOptions,
    /// The line and the column of the last byte that was read.
    position: &'a Cell<(u64, u64)>,
    graph: AttributedGraph,
    weight: WeightAttribute<'a>,
    has_nodes: bool,
    has_edges: bool,
    directed: bool,
    /// Why reading ended, if the text is JSON.
    fault: Option<Fault>,
}

impl Document<'_> {
    fn node(&mut self, members: &[Member]) -> Result<(), ReadErrorKind> {
        self.graph.declare(&id(members, "id", "node")?)
    }

    fn edge(&mut self, members: &[Member], place: Place) -> Result<(), ReadErrorKind> {
        let [source, target] = ["source", "target"].map(|end| id(members, end, "edge"));
        let ends = [&*source?, &*target?];
        let mut weight = None;
        for Member { name, value } in members {
            let value = value.get();
            if matches!(&**name, "source" | "target" | "id" | "key" | EDGE_ID) || value == "null" {
            } else if self.weight.is(name) {
                let number = number::weight(value.as_bytes(), self.options.nan_rule());
                weight = Some(number.map_err(ReadErrorKind::Malformed)?);
            } else if value.starts_with(|first: char| first == '-' || first.is_ascii_digit()) {
                self.weight.see_other(name);
            }
        }
        self.graph.add_edge(ends, weight, place)
    }

    fn finish(self) -> Result<Parsed, Fault> {
        if !self.has_nodes || !self.has_edges {
            let missing = if self.has_nodes { "'edges' or 'links'" } else { "'nodes'" };
            let sentence = format!("the object has no list {missing}; add it");
            return Err(Fault::at_line(1, 1, sentence));
        }
        let note = "the graph is directed; directions are ignored";
        let notes = if self.directed { vec![note.to_owned()] } else { Vec::new() };
        self.graph.finish(self.weight, notes)
    }
}

/// A member of the object of a node or an edge.
struct Member {
    name: String,
    value: Box<RawValue>,
}

/// The id in a member of an object, as text.
fn id(members: &[Member], name: &str, object: &str) -> Result<String, ReadErrorKind> {
    let malformed = |sentence| Err(ReadErrorKind::Malformed(sentence));
    let Some(member) = members.iter().rfind(|member| member.name == name) else {
        return malformed(format!("this {object} has no member '{name}'; add it"));
    };
    let text = member.value.get();
    let is_integer = text.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit());
    if is_integer {
        return Ok(text.to_owned());
    }
    serde_json::from_str::<String>(text).or_else(|_| {
        let text = show(text.as_bytes());
        malformed(format!("'{name}' is {text}; write a text or an integer"))
    })
}

impl<'de> Visitor<'de> for &mut Document<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with the lists 'nodes' and 'edges'")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            let (kind, has_list) = match &*name {
                "nodes" => (Kind::Node, &mut self.has_nodes),
                "edges" | "links" => (Kind::Edge, &mut self.has_edges),
                "directed" => {
                    self.directed = map.next_value()?;
                    continue;
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            if std::mem::replace(has_list, true) {
                let sentence = format!("'{name}' is the second list of its kind; remove one");
                return Err(A::Error::custom(sentence));
            }
            map.next_value_seed(List { document: self, kind })?;
        }
        Ok(())
    }
}

/// What a list contains.
#[derive(Clone, Copy)]
enum Kind {
    Node,
    Edge,
}

/// A list of nodes or edges.
struct List<'d, 'a> {
    document: &'d mut Document<'a>,
    kind: Kind,
}

impl<'de> DeserializeSeed<'de> for List<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for List<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of objects")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let Self { document, kind } = self;
        let mut members = Vec::new();
        loop {
            let seed = Object { members: &mut members, position: document.position };
            let Some(place) = list.next_element_seed(seed)? else { return Ok(()) };
            let result = match kind {
                Kind::Node => document.node(&members),
                Kind::Edge => document.edge(&members, place),
            };
            if let Err(kind) = result {
                document.fault = Some(Fault { place: Some(place), kind });
                return Err(A::Error::custom("the fault is kept"));
            }
        }
    }
}

/// The object of a node or an edge. The result is the place where it starts.
struct Object<'d> {
    members: &'d mut Vec<Member>,
    position: &'d Cell<(u64, u64)>,
}

impl<'de> DeserializeSeed<'de> for Object<'_> {
    type Value = Place;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Place, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Object<'_> {
    type Value = Place;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Place, A::Error> {
        let (line, column) = self.position.get();
        self.members.clear();
        while let Some((name, value)) = map.next_entry()? {
            self.members.push(Member { name, value });
        }
        Ok(Place::Line { line, column })
    }
}

/// A reader that counts lines and columns. The parser takes one byte at a time.
struct Counted<'a, R> {
    inner: BufReader<R>,
    position: &'a Cell<(u64, u64)>,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(to)?;
        let (mut line, mut column) = self.position.get();
        for byte in to.iter().take(count) {
            (line, column) = if *byte == b'\n' { (line + 1, 0) } else { (line, column + 1) };
        }
        self.position.set((line, column));
        Ok(count)
    }
}
