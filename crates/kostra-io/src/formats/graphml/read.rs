//! Reading GraphML.

use std::collections::{HashMap, HashSet};

use kostra_core::{counted, memory};
use quick_xml::events::{BytesStart, Event};

use super::EDGE_ID;
use super::keys::{Edge, Key, WeightKeys, kind_of};
use crate::attributed_graph::{AttributedGraph, WeightAttribute};
use crate::columns::TextNumber;
use crate::compression::Stream;
use crate::directions::NOTE_ON_DIRECTED;
use crate::fault::Fault;
use crate::interface::Parsed;
use crate::message::Message;
use crate::number::show;
use crate::xml::{self, Events, malformed};
use crate::{KeptKind, Place, ReadErrorKind, ReadOptions};

/// Reads a graph.
pub(super) fn read(stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    let mut events = Events::new(stream);
    let mut document = Document::new(options)?;
    loop {
        let (event, place) = events.next()?;
        match event {
            Event::Start(element) => document.start(&element, place)?,
            Event::Empty(element) => {
                document.start(&element, place)?;
                document.end()?;
            }
            Event::End(_) => document.end()?,
            Event::Text(text) => document.add_text(&text.xml10_content()),
            Event::CData(text) => document.add_text(&text.xml10_content()),
            Event::GeneralRef(name) => document.add_text(&xml::entity(&name, place)?),
            Event::Decl(declaration) => xml::check_encoding(declaration.encoding(), place)?,
            Event::Eof => return document.finish(place),
            Event::Comment(_) | Event::PI(_) | Event::DocType(_) => {}
        }
    }
}

/// The attributes of edges that GraphML defines.
const OF_EDGES: [&str; 6] = ["id", "source", "target", "directed", "sourceport", "targetport"];

const TWO_WEIGHTS: &str = "this edge has two weights; remove one of them";

/// The elements whose text counts.
const WITH_TEXT: [Element; 4] = [Element::Name, Element::Weight, Element::Kept, Element::Default];

/// An element that is open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Element {
    Root,
    Key,
    /// The default of a key.
    Default,
    Graph,
    Node,
    /// The name of a node.
    Name,
    Edge,
    /// The weight of an edge.
    Weight,
    /// Another attribute of an edge, which is kept.
    Kept,
    /// The label that yEd draws at an edge.
    Label,
    Other,
}

/// What has been read.
struct Document<'a> {
    open: Vec<Element>,
    graph: AttributedGraph,
    weight: WeightAttribute<'a>,
    has_graph: bool,
    directed: bool,
    /// The number of nodes that contain a graph.
    groups: u64,
    /// The keys of edges so far.
    keys: HashMap<String, Key>,
    /// The key that is open, or that of the attribute that is open.
    key: String,
    weight_keys: Option<WeightKeys>,
    /// The key of the attribute `name` of nodes.
    name_key: Option<String>,
    /// The names of the first nodes, as long as each has one.
    names: Vec<String>,
    /// The number of nodes so far.
    nodes: usize,
    edge: Edge,
    /// The text of a name, a weight or a default.
    text: String,
    /// Where the element of the text starts.
    text_place: Place,
    /// The text of the label that is open, without those of the elements inside.
    label: String,
}

impl<'a> Document<'a> {
    fn new(options: &'a ReadOptions) -> Result<Self, ReadErrorKind> {
        let place = Place::Line { line: 1, column: 1 };
        Ok(Self {
            open: Vec::new(),
            graph: AttributedGraph::new(options)?,
            weight: WeightAttribute::new(options)?,
            has_graph: false,
            directed: false,
            groups: 0,
            keys: HashMap::new(),
            key: String::new(),
            weight_keys: None,
            name_key: None,
            names: Vec::new(),
            nodes: 0,
            edge: Edge { ends: Default::default(), weight: None, place },
            text: String::new(),
            text_place: place,
            label: String::new(),
        })
    }

    fn start(&mut self, element: &BytesStart<'_>, place: Place) -> Result<(), Fault> {
        let local = element.local_name();
        let opened = match (self.open.last(), local.as_ref()) {
            (None, "graphml") if !self.has_graph => Element::Root,
            (None, name) => {
                let name = show(name.as_bytes());
                let sentence = format!("a GraphML file is one element <graphml>, not <{name}>");
                return Err(malformed(place, format!("{sentence}; name a file in GraphML")));
            }
            (Some(Element::Root), "key") => self.start_key(element, place)?,
            (Some(Element::Key), "default") => Element::Default,
            (Some(Element::Root), "graph") => self.start_graph(element, place)?,
            (Some(Element::Graph), "node") => {
                let id = xml::required(element, "id", place)?;
                self.graph.declare(&id).map_err(|kind| Fault { place: Some(place), kind })?;
                self.nodes += 1;
                Element::Node
            }
            (Some(Element::Node), "data")
                if self.name_key.is_some()
                    && self.name_key == xml::attribute(element, "key", place)? =>
            {
                Element::Name
            }
            (Some(Element::Graph), "edge") => {
                self.start_edge(element, place)?;
                Element::Edge
            }
            (Some(_), "EdgeLabel") if self.open.contains(&Element::Edge) => {
                self.label.clear();
                Element::Label
            }
            (Some(Element::Edge), "data") => self.start_data(element, place)?,
            // The nodes of a group of yEd are nodes like others.
            (Some(Element::Node), "graph") => {
                self.groups += 1;
                Element::Graph
            }
            (Some(Element::Graph | Element::Edge), "graph") => {
                let sentence = "this graph is nested in another one; save it without groups";
                return Err(malformed(place, sentence));
            }
            (Some(Element::Graph), "hyperedge") => {
                let sentence = "a hyperedge may join more than two nodes; replace it by edges";
                return Err(malformed(place, sentence));
            }
            _ => Element::Other,
        };
        self.text.clear();
        self.text_place = place;
        self.open.push(opened);
        Ok(())
    }

    fn start_key(&mut self, element: &BytesStart<'_>, place: Place) -> Result<Element, Fault> {
        if self.has_graph {
            let sentence = "this <key> comes after the graph that uses it; move it before <graph>";
            return Err(malformed(place, sentence));
        }
        let id = xml::required(element, "id", place)?;
        let domain = xml::attribute(element, "for", place)?;
        if domain.as_deref() == Some("node")
            && xml::attribute(element, "attr.name", place)?.as_deref() == Some("name")
        {
            self.name_key = Some(id);
            return Ok(Element::Other);
        }
        if !matches!(domain.as_deref(), None | Some("edge" | "all")) {
            return Ok(Element::Other);
        }
        let name = xml::attribute(element, "attr.name", place)?.unwrap_or_else(|| id.clone());
        let kind = xml::attribute(element, "attr.type", place)?.unwrap_or_default();
        let is_number = matches!(&*kind, "int" | "long" | "float" | "double");
        let is_weight = self.weight.is(&name);
        if !is_weight && is_number && name != EDGE_ID {
            self.weight.see_other(&name);
        }
        if is_weight {
            let first = self.weight_keys.as_ref();
            if first.is_some_and(|first| !is_number || !first.numeric || first.name != name) {
                let sentence = "this is the second <key> for the weight; remove one of them, \
                                unless both have the same attr.name and types of numbers";
                return Err(malformed(place, sentence));
            }
            let default = first.and_then(|first| first.default);
            let name = name.clone();
            self.weight_keys = Some(WeightKeys { name, numeric: is_number, default });
        }
        let key = Key { name, kind: kind_of(&kind), is_weight };
        self.key.clone_from(&id);
        self.keys.insert(id, key);
        Ok(Element::Key)
    }

    fn start_graph(&mut self, element: &BytesStart<'_>, place: Place) -> Result<Element, Fault> {
        if std::mem::replace(&mut self.has_graph, true) {
            let sentence = "the file has a second graph; save one graph per file";
            return Err(malformed(place, sentence));
        }
        let default = xml::attribute(element, "edgedefault", place)?;
        self.directed = default.as_deref() == Some("directed");
        Ok(Element::Graph)
    }

    fn start_data(&mut self, element: &BytesStart<'_>, place: Place) -> Result<Element, Fault> {
        self.key = xml::required(element, "key", place)?;
        let Some(key) = self.keys.get(&self.key) else {
            let key = show(self.key.as_bytes());
            let sentence = format!("no <key> for edges has the id '{key}'; add it");
            return Err(malformed(place, sentence));
        };
        if !key.is_weight {
            return Ok(Element::Kept);
        }
        if self.edge.weight.is_some() {
            return Err(malformed(place, TWO_WEIGHTS));
        }
        Ok(Element::Weight)
    }

    /// Starts an edge. Its attributes besides those of GraphML are attributes like others.
    fn start_edge(&mut self, element: &BytesStart<'_>, place: Place) -> Result<(), Fault> {
        let ends = ["source", "target"].map(|end| xml::required(element, end, place));
        let [source, target] = ends;
        self.edge = Edge { ends: [source?, target?], weight: None, place };
        self.graph.kept.begin();
        for (name, text) in xml::attributes(element, place)? {
            if OF_EDGES.contains(&&*name) || name.contains(':') {
                continue;
            }
            self.take(&name, (text.trim(), place))?;
        }
        Ok(())
    }

    /// Takes the text at a place as the value of an attribute of the edge that has no key.
    fn take(&mut self, name: &str, (text, place): (&str, Place)) -> Result<(), Fault> {
        if self.weight.is(name) {
            let number = self.weight.number(text);
            let number = number.map_err(|sentence| malformed(place, sentence))?;
            if self.edge.weight.replace(number).is_some() {
                return Err(malformed(place, TWO_WEIGHTS));
            }
        } else {
            self.weight.see(name, text);
        }
        let kept = self.graph.kept.set_once(name, Some((text, KeptKind::of_word(text))));
        kept.map_err(|kind| Fault { place: Some(place), kind })
    }

    /// Records an attribute of edges whose type is text and whose value may be a number. OSMnx
    /// writes lengths so.
    fn see_text(&mut self) {
        let Some(key) = self.keys.get(&self.key) else { return };
        let is_text = matches!(key.kind, KeptKind::Text | KeptKind::Unknown);
        if self.weight_keys.is_none() && is_text && !self.text.trim().is_empty() {
            self.weight.see(&key.name, &self.text);
        }
    }

    /// Keeps the text as the value of the attribute that is open.
    fn keep(&mut self) -> Result<(), Fault> {
        let Some(key) = self.keys.get(&self.key) else { return Ok(()) };
        let value = key.value(&self.text);
        let kept = self.graph.kept.set_once(&key.name, value.as_deref().map(|v| (v, key.kind)));
        kept.map_err(|kind| Fault { place: Some(self.text_place), kind })
    }

    /// Records the text as the default of the key that is open.
    fn take_default(&mut self) -> Result<(), Fault> {
        let Some(key) = self.keys.get(&self.key) else { return Ok(()) };
        if let Some(default) = key.value(&self.text) {
            self.graph.kept.set_default(&key.name, (&default, key.kind));
        }
        if !key.is_weight {
            return Ok(());
        }
        let default = self.number()?;
        let keys = self.weight_keys.as_mut();
        if keys.is_some_and(|keys| keys.default.replace(default).is_some()) {
            let sentence = "this is the second default of the weight; remove one of them";
            return Err(malformed(self.text_place, sentence));
        }
        Ok(())
    }

    /// Adds the edge that has been read.
    fn add_edge(&mut self) -> Result<(), Fault> {
        let default = || self.weight_keys.as_ref().and_then(|keys| keys.default);
        let Edge { ends: [u, v], weight, place } = &self.edge;
        let (weight, place) = (weight.or_else(default), *place);
        let added = self.graph.add_edge([u, v], weight, place);
        added.map_err(|kind| Fault { place: Some(place), kind })
    }

    fn end(&mut self) -> Result<(), Fault> {
        match self.open.pop() {
            Some(Element::Default) => self.take_default(),
            Some(Element::Weight) => {
                self.edge.weight = Some(self.number()?);
                self.keep()
            }
            Some(Element::Kept) => {
                self.see_text();
                self.keep()
            }
            Some(Element::Label) => {
                let label = std::mem::take(&mut self.label);
                self.take("label", (label.trim(), self.edge.place))
            }
            Some(Element::Edge) => self.add_edge(),
            Some(Element::Name) => {
                if self.names.len() + 1 == self.nodes {
                    memory::push(&mut self.names, self.text.clone())?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The number that is the text.
    fn number(&mut self) -> Result<TextNumber, Fault> {
        self.weight.number(&self.text).map_err(|sentence| malformed(self.text_place, sentence))
    }

    fn add_text(&mut self, text: &str) {
        let open = self.open.last();
        if open == Some(&Element::Label) {
            self.label.push_str(text);
        } else if open.is_some_and(|open| WITH_TEXT.contains(open)) {
            self.text.push_str(text);
        }
    }

    fn finish(self, place: Place) -> Result<Parsed, Fault> {
        if !self.open.is_empty() {
            return Err(malformed(place, "the file ends before </graphml>; it is cut short"));
        }
        if !self.has_graph {
            return Err(malformed(place, "the file has no element <graph>; add it"));
        }
        let mut notes: Vec<Message> =
            if self.directed { vec![NOTE_ON_DIRECTED.into()] } else { Vec::new() };
        if self.groups > 0 {
            let groups = counted(self.groups, "group is a vertex", "groups are vertices");
            notes.push(format!("{groups}, like the nodes inside").into());
        }
        let mut parsed = self.graph.finish(self.weight, notes)?;
        let mut ids = parsed.names.iter().flatten().enumerate();
        // igraph writes such ids, and its names as an attribute.
        let are_generated = ids.all(|(at, id)| *id == format!("n{at}"));
        let distinct: HashSet<&String> = self.names.iter().collect();
        if are_generated && parsed.names.is_some() && distinct.len() == self.nodes {
            parsed.names = Some(self.names);
            parsed.notes.push("the nodes are called by their attribute 'name'".into());
        }
        Ok(parsed)
    }
}
