//! Graphs in XML whose elements are `node` and `edge`: GEXF and XGMML.
//!
//! An edge has attributes of XML, and elements with a name and a value. The weight is the attribute
//! `weight`, or the one that the user names. The labels of nodes are their names if all differ.
//! Nodes and edges of nested graphs are nodes and edges like others.

use std::collections::HashMap;

use quick_xml::events::{BytesStart, Event};

use crate::attributed_graph::{AttributedGraph, WeightAttribute};
use crate::columns::TextNumber;
use crate::compression::Stream;
use crate::directions::NOTE_ON_DIRECTED;
use crate::fault::Fault;
use crate::interface::Parsed;
use crate::labels::call_by_labels;
use crate::number::show;
use crate::xml::{self, Events, malformed};
use crate::{KeptKind, Place, ReadErrorKind, ReadOptions};

/// How formats differ.
pub(crate) struct Dialect {
    pub(crate) title: &'static str,
    pub(crate) root: &'static str,
    /// The element with the value of an attribute, how deep it is inside that of the edge, and
    /// what its name or its key is called.
    pub(crate) value: &'static str,
    pub(crate) depth: usize,
    pub(crate) called: &'static [&'static str],
    /// What an edge without a weight weighs, if others have one.
    pub(crate) default: Option<TextNumber>,
    /// Attributes of edges that are no weights.
    pub(crate) ignored: &'static [&'static str],
}

/// The attribute of edges of groups in Cytoscape.
const META_EDGE: &str = "__isMetaEdge";

/// Reads a graph.
pub(crate) fn read(
    stream: Stream<'_>,
    options: &ReadOptions,
    dialect: &Dialect,
) -> Result<Parsed, Fault> {
    let mut events = Events::new(stream);
    let mut document = Document::new(options, dialect)?;
    loop {
        let (event, place) = events.next()?;
        match event {
            Event::Start(element) => document.start(&element, place)?,
            Event::Empty(element) => {
                document.start(&element, place)?;
                document.end()?;
            }
            Event::End(_) => document.end()?,
            Event::Text(text) => document.default.push_str(&text.xml10_content()),
            Event::Decl(declaration) => xml::check_encoding(declaration.encoding(), place)?,
            Event::Eof => return document.finish(place),
            _ => {}
        }
    }
}

/// An element that is open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Element {
    Graph,
    Edge,
    /// Declarations of attributes of edges, one of them, and its default.
    Declarations,
    Declaration,
    Default,
    Other,
}

/// What has been read.
struct Document<'a> {
    dialect: &'a Dialect,
    open: Vec<Element>,
    graph: AttributedGraph,
    weight: WeightAttribute<'a>,
    has_graph: bool,
    directed: bool,
    labels: HashMap<String, String>,
    /// The names of attributes of edges by key.
    names: HashMap<String, String>,
    /// The key that is being declared, its default, and the weight of edges without one.
    key: String,
    default: String,
    default_weight: Option<TextNumber>,
    /// The edge that is open.
    ends: [String; 2],
    found: Option<TextNumber>,
    place: Place,
}

impl<'a> Document<'a> {
    fn new(options: &'a ReadOptions, dialect: &'a Dialect) -> Result<Self, ReadErrorKind> {
        let mut graph = AttributedGraph::new(options)?;
        let weight = WeightAttribute::new(options)?;
        if weight.is("weight") {
            graph.edges.default = dialect.default;
        }
        Ok(Self {
            dialect,
            open: Vec::new(),
            graph,
            weight: WeightAttribute::new(options)?,
            has_graph: false,
            directed: false,
            labels: HashMap::new(),
            names: HashMap::new(),
            key: String::new(),
            default: String::new(),
            default_weight: None,
            ends: Default::default(),
            found: None,
            place: Place::Line { line: 1, column: 1 },
        })
    }

    fn start(&mut self, element: &BytesStart<'_>, place: Place) -> Result<(), Fault> {
        let Dialect { title, root, value, depth, .. } = *self.dialect;
        let local = element.local_name();
        let local = local.as_ref();
        let is_inside = |kind| self.open.contains(&kind);
        let is_value = self.open.iter().rev().nth(depth - 1) == Some(&Element::Edge);
        let opened = match (self.open.last(), local) {
            (None, name) if name != root || self.has_graph => {
                let name = show(name.as_bytes());
                let sentence = format!("a {title} file is one element <{root}>, not <{name}>");
                return Err(malformed(place, format!("{sentence}; name a file in {title}")));
            }
            (_, "graph") => {
                if std::mem::replace(&mut self.has_graph, true) && !is_inside(Element::Graph) {
                    let sentence = "the file has a second graph; save one graph per file";
                    return Err(malformed(place, sentence));
                }
                for (name, value) in xml::attributes(element, place)? {
                    self.directed |= matches!(&*name, "defaultedgetype" | "directed")
                        && matches!(&*value, "directed" | "1" | "true");
                }
                Element::Graph
            }
            (_, "attributes") => {
                let class = xml::attribute(element, "class", place)?;
                if class.as_deref() == Some("edge") {
                    Element::Declarations
                } else {
                    Element::Other
                }
            }
            (Some(Element::Declarations), "attribute") => {
                self.key = xml::required(element, "id", place)?;
                let name = xml::required(element, "title", place)?;
                self.names.insert(self.key.clone(), name);
                Element::Declaration
            }
            (Some(Element::Declaration), "default") => {
                self.default.clear();
                Element::Default
            }
            (_, "node") if is_inside(Element::Graph) => {
                self.node(element, place)?;
                Element::Other
            }
            (_, "edge") if is_inside(Element::Graph) && !is_inside(Element::Edge) => {
                self.edge(element, place)?;
                Element::Edge
            }
            (_, name) if name == value && is_value => {
                self.value(element, place)?;
                Element::Other
            }
            _ => Element::Other,
        };
        self.open.push(opened);
        Ok(())
    }

    fn node(&mut self, element: &BytesStart<'_>, place: Place) -> Result<(), Fault> {
        // Groups of Cytoscape refer to their nodes by links.
        let Some(id) = xml::attribute(element, "id", place)? else {
            let is_link = xml::attribute(element, "xlink:href", place)?.is_some();
            return if is_link { Ok(()) } else { xml::required(element, "id", place).map(|_| ()) };
        };
        self.graph.declare(&id).map_err(|kind| Fault { place: Some(place), kind })?;
        if let Some(label) = xml::attribute(element, "label", place)? {
            self.labels.insert(id, label);
        }
        Ok(())
    }

    /// Starts an edge.
    fn edge(&mut self, element: &BytesStart<'_>, place: Place) -> Result<(), Fault> {
        let ends = ["source", "target"].map(|end| xml::required(element, end, place));
        let [source, target] = ends;
        (self.ends, self.found, self.place) = ([source?, target?], None, place);
        self.graph.kept.begin();
        for (name, text) in xml::attributes(element, place)? {
            if matches!(&*name, "source" | "target") || name.contains(':') {
                continue;
            }
            self.directed |= name == "type" && text == "directed";
            self.take(&name, text.trim(), place)?;
        }
        Ok(())
    }

    /// Takes an element with the value of an attribute of the edge.
    fn value(&mut self, element: &BytesStart<'_>, place: Place) -> Result<(), Fault> {
        let attributes = xml::attributes(element, place)?;
        let find = |name: &str| attributes.iter().find(|(other, _)| other == name);
        let key = self.dialect.called.iter().find_map(|name| find(name));
        if let (Some((_, key)), Some((_, text))) = (key, find("value")) {
            let name = self.names.get(key).unwrap_or(key).clone();
            self.take(&name, text.trim(), place)?;
        }
        Ok(())
    }

    /// Takes the value of an attribute of the edge.
    fn take(&mut self, name: &str, text: &str, place: Place) -> Result<(), Fault> {
        if name == META_EDGE && matches!(text, "1" | "true") {
            let sentence = "an edge of a group stands for edges of its nodes; expand the groups, \
                            and save the network again";
            return Err(malformed(place, sentence));
        }
        if self.weight.is(name) && !text.is_empty() {
            let number = self.weight.number(text).map_err(|sentence| malformed(place, sentence))?;
            if self.found.replace(number).is_some_and(|before| before != number) {
                return Err(malformed(place, "this edge has two weights; remove one of them"));
            }
        } else if !self.dialect.ignored.contains(&name) {
            self.weight.see(name, text);
        }
        self.graph.kept.set(name, Some((text, KeptKind::of_word(text))));
        Ok(())
    }

    fn end(&mut self) -> Result<(), Fault> {
        match self.open.pop() {
            Some(Element::Edge) => {
                let [u, v] = &self.ends;
                let weight = self.found.or(self.default_weight);
                let added = self.graph.add_edge([u, v], weight, self.place);
                added.map_err(|kind| Fault { place: Some(self.place), kind })
            }
            Some(Element::Default)
                if self.names.get(&self.key).is_some_and(|name| self.weight.is(name)) =>
            {
                let number = self.weight.number(self.default.trim()).map_err(Fault::whole)?;
                self.default_weight = Some(number);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn finish(self, place: Place) -> Result<Parsed, Fault> {
        let Dialect { root, .. } = self.dialect;
        if !self.open.is_empty() {
            let sentence = format!("the file ends before </{root}>; it is cut short");
            return Err(malformed(place, sentence));
        }
        if !self.has_graph {
            return Err(malformed(place, "the file has no element <graph>; add it"));
        }
        let mut notes = Vec::new();
        if self.directed {
            notes.push(NOTE_ON_DIRECTED.into());
        }
        if self.graph.edges.defaulted > 0 {
            let edges = self.graph.edges.defaulted as u64;
            let edges = kostra_core::counted(edges, "edge has", "edges have");
            notes.push(format!("{edges} no weight, which means 1 in this format").into());
        }
        let mut parsed = self.graph.finish(self.weight, notes)?;
        call_by_labels(&mut parsed, self.labels)?;
        Ok(parsed)
    }
}
