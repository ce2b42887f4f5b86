//! Reading DOT.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use kostra_core::{memory, with_graph};

use super::EDGE_ID;
use super::tokens::{Kind, Token, Tokens};
use crate::attributed_graph::{AttributedGraph, WeightAttribute};
use crate::columns::TextNumber;
use crate::compression::Stream;
use crate::directions::NOTE_ON_DIRECTED;
use crate::fault::Fault;
use crate::interface::Parsed;
use crate::message::{Message, Remedy, message};
use crate::number::show;
use crate::whole::{AscendingPlaces, WholeText};
use crate::{KeptKind, ReadErrorKind, ReadOptions};

/// Attributes of edges that concern the drawing only.
const OF_DRAWING: [&str; 16] = [
    EDGE_ID,
    "arrowhead",
    "arrowsize",
    "arrowtail",
    "color",
    "constraint",
    "dir",
    "fontcolor",
    "fontname",
    "fontsize",
    "labelangle",
    "labeldistance",
    "labelfontsize",
    "minlen",
    "penwidth",
    "style",
];

/// The attribute that often shows the weight.
const LABEL: &str = "label";

/// Reads a graph.
pub(super) fn read(mut stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    let text = WholeText::read(&mut stream)?;
    let mut document = Document {
        text: &text,
        tokens: Tokens::new(text.text()),
        ahead: None,
        options,
        graph: AttributedGraph::new(options)?,
        weight: WeightAttribute::new(options)?,
        is_strict: false,
        is_directed: false,
        notes: Vec::new(),
        names: HashMap::new(),
        places: AscendingPlaces::default(),
    };
    document.start()?;
    document.statements()?;
    if let Some(token) = document.next()? {
        return Err(text.malformed(token.at, "a second graph begins here; save one per file"));
    }
    document.finish()
}

/// An attribute of an edge, and the byte where its value starts.
struct Attribute<'a> {
    name: Cow<'a, str>,
    value: Cow<'a, str>,
    at: usize,
}

/// What has been read.
struct Document<'a> {
    text: &'a WholeText,
    tokens: Tokens<'a>,
    ahead: Option<Token<'a>>,
    options: &'a ReadOptions,
    graph: AttributedGraph,
    weight: WeightAttribute<'a>,
    is_strict: bool,
    is_directed: bool,
    notes: Vec<Message>,
    /// The attributes `name` of nodes, by their ids.
    names: HashMap<String, String>,
    places: AscendingPlaces,
}

impl<'a> Document<'a> {
    fn next(&mut self) -> Result<Option<Token<'a>>, Fault> {
        match self.ahead.take() {
            Some(token) => Ok(Some(token)),
            None => self.tokens.next().map_err(|(at, sentence)| self.text.malformed(at, sentence)),
        }
    }

    /// The next token, which is not the end of the text.
    fn some(&mut self) -> Result<Token<'a>, Fault> {
        let token = self.next()?;
        token.ok_or_else(|| {
            self.text.malformed(self.tokens.at(), "the file ends before its `}`; it is cut short")
        })
    }

    /// Takes the next token if it is this mark.
    fn takes(&mut self, mark: char) -> Result<bool, Fault> {
        let token = self.next()?;
        let found = token.as_ref().is_some_and(|token| token.is_mark(mark));
        if !found {
            self.ahead = token;
        }
        Ok(found)
    }

    /// Reads up to the first brace.
    fn start(&mut self) -> Result<(), Fault> {
        let mut token = self.some()?;
        if token.is_word("strict") {
            self.is_strict = true;
            token = self.some()?;
        }
        self.is_directed = token.is_word("digraph");
        if self.is_directed {
            self.notes.push(NOTE_ON_DIRECTED.into());
        } else if !token.is_word("graph") {
            let sentence = "a DOT file starts with graph or digraph; name a file in DOT";
            return Err(self.text.malformed(token.at, sentence));
        }
        token = self.some()?;
        if !token.is_mark('{') {
            token = self.some()?;
        }
        if token.is_mark('{') {
            Ok(())
        } else {
            Err(self.text.malformed(token.at, "the statements are to start here; add `{`"))
        }
    }

    /// Reads the statements up to the last brace.
    fn statements(&mut self) -> Result<(), Fault> {
        let mut depth = 1_usize;
        while depth > 0 {
            let token = self.some()?;
            let at = token.at;
            match token.kind {
                Kind::Mark(';' | ',') => {}
                Kind::Mark('{') => depth += 1,
                Kind::Mark('}') => {
                    depth -= 1;
                    self.refuse_edge_of_subgraph()?;
                }
                Kind::Mark(_) | Kind::Edge(_) => {
                    let sentence = "a statement is to start here, with the name of a node; add it";
                    return Err(self.text.malformed(at, sentence));
                }
                Kind::Word(word) if word.eq_ignore_ascii_case("subgraph") => self.subgraph()?,
                Kind::Word(word) if is_default(word) => self.defaults(word, at)?,
                Kind::Word(word) => self.statement(Cow::Borrowed(word), at)?,
                Kind::Text(name) => self.statement(name, at)?,
            }
        }
        Ok(())
    }

    /// Reads from `subgraph` up to its brace.
    fn subgraph(&mut self) -> Result<(), Fault> {
        if !self.takes('{')? {
            self.some()?;
            if !self.takes('{')? {
                return self.refuse_edge_of_subgraph();
            }
        }
        self.ahead = Some(Token { kind: Kind::Mark('{'), at: self.tokens.at() });
        Ok(())
    }

    fn refuse_edge_of_subgraph(&mut self) -> Result<(), Fault> {
        let token = self.next()?;
        if let Some(Token { kind: Kind::Edge(_), at }) = token {
            return Err(self.text.malformed(at, EDGE_OF_SUBGRAPH));
        }
        self.ahead = token;
        Ok(())
    }

    /// Reads `node [...]`, `edge [...]` or `graph [...]`.
    fn defaults(&mut self, word: &str, at: usize) -> Result<(), Fault> {
        let attributes = self.attributes()?;
        let is_weight = |attribute: &Attribute<'_>| self.weight.is(&attribute.name);
        if word.eq_ignore_ascii_case("edge") && attributes.iter().any(is_weight) {
            let sentence = "a default weight of edges is not read; give each edge its weight";
            return Err(self.text.malformed(at, sentence));
        }
        let kept = attributes.iter().find(|attribute| self.graph.kept.wants(&attribute.name));
        if let (true, Some(kept)) = (word.eq_ignore_ascii_case("edge"), kept) {
            let name = show(kept.name.as_bytes());
            let sentence =
                format!("a default '{name}' of edges is not read; give each edge its '{name}'");
            return Err(self.text.malformed(at, sentence));
        }
        Ok(())
    }

    /// Reads a statement that starts with a name: an assignment, a node, or edges.
    fn statement(&mut self, name: Cow<'a, str>, at: usize) -> Result<(), Fault> {
        if self.takes('=')? {
            self.some()?;
            return Ok(());
        }
        self.skip_port()?;
        let mut nodes = vec![name];
        loop {
            let token = self.next()?;
            if !token.as_ref().is_some_and(|token| matches!(token.kind, Kind::Edge(_))) {
                self.ahead = token;
                break;
            }
            let end = self.some()?;
            match end.kind {
                Kind::Text(name) => nodes.push(name),
                Kind::Word(word) if word.eq_ignore_ascii_case("subgraph") => {
                    return Err(self.text.malformed(end.at, EDGE_OF_SUBGRAPH));
                }
                Kind::Word(word) => nodes.push(Cow::Borrowed(word)),
                Kind::Mark('{') => return Err(self.text.malformed(end.at, EDGE_OF_SUBGRAPH)),
                Kind::Mark(_) | Kind::Edge(_) => {
                    return Err(self
                        .text
                        .malformed(end.at, "this edge has no second node; add it"));
                }
            }
            self.skip_port()?;
        }
        let attributes = self.attributes()?;
        for node in &nodes {
            self.graph.mention(node).map_err(|kind| self.text.fault(at, kind))?;
        }
        if let [node] = &nodes[..] {
            if let Some(name) = attributes.into_iter().find(|attribute| attribute.name == "name") {
                self.names.insert(node.clone().into_owned(), name.value.into_owned());
            }
            return Ok(());
        }
        let weight = self.weight_among(&attributes)?;
        self.graph.kept.begin();
        for Attribute { name, value, at } in &attributes {
            let kept = self.graph.kept.set_once(name, Some((value, KeptKind::Unknown)));
            kept.map_err(|kind| self.text.fault(*at, kind))?;
        }
        let place = self.places.place(self.text, at);
        for ends in nodes.windows(2) {
            if let [u, v] = ends {
                let added = self.graph.add_edge([u, v], weight, place);
                added.map_err(|kind| self.text.fault(at, kind))?;
            }
        }
        Ok(())
    }

    /// The graph, when all of it has been read. igraph writes numbers as nodes, and their names as
    /// an attribute.
    fn finish(mut self) -> Result<Parsed, Fault> {
        let mut parsed = self.graph.finish(self.weight, self.notes)?;
        if self.is_strict && self.options.missing_weights.is_none() {
            check_strict(&mut parsed, self.is_directed)?;
        }
        let vertices = parsed.graph.vertices();
        let distinct: HashSet<&String> = self.names.values().collect();
        if parsed.names.is_none() && vertices > 0 && distinct.len() == vertices as usize {
            let name = |vertex: u32| self.names.remove(&vertex.to_string()).unwrap_or_default();
            parsed.names = Some(memory::collected((0..vertices).map(name))?);
            parsed.notes.push("the nodes are called by their attribute 'name'".into());
        }
        Ok(parsed)
    }

    /// Skips the port of a node, as in `a:n:s`.
    fn skip_port(&mut self) -> Result<(), Fault> {
        while self.takes(':')? {
            self.some()?;
        }
        Ok(())
    }

    /// Reads lists of attributes, if there are any.
    fn attributes(&mut self) -> Result<Vec<Attribute<'a>>, Fault> {
        let mut attributes = Vec::new();
        while self.takes('[')? {
            while !self.takes(']')? {
                if self.takes(',')? || self.takes(';')? {
                    continue;
                }
                let (name, at) = self.name("an attribute")?;
                let (value, at) = if self.takes('=')? {
                    self.name("the value of an attribute")?
                } else {
                    (Cow::Borrowed("true"), at)
                };
                attributes.push(Attribute { name, value, at });
            }
        }
        Ok(attributes)
    }

    fn name(&mut self, what: &str) -> Result<(Cow<'a, str>, usize), Fault> {
        let Token { kind, at } = self.some()?;
        match kind {
            Kind::Word(word) => Ok((Cow::Borrowed(word), at)),
            Kind::Text(text) => Ok((text, at)),
            Kind::Mark(_) | Kind::Edge(_) => {
                Err(self.text.malformed(at, format!("{what} is to start here; add it")))
            }
        }
    }

    /// The weight among the attributes of an edge.
    fn weight_among(&mut self, attributes: &[Attribute<'_>]) -> Result<Option<TextNumber>, Fault> {
        let mut weight: Option<(TextNumber, usize)> = None;
        for Attribute { name, value, at } in attributes {
            if self.weight.is(name) {
                let number = self.weight.number(value);
                let number = number.map_err(|sentence| self.text.malformed(*at, sentence))?;
                if weight.replace((number, *at)).is_some() {
                    let sentence = "this edge has two weights; remove one of them";
                    return Err(self.text.malformed(*at, sentence));
                }
            } else if !OF_DRAWING.contains(&&**name) {
                self.weight.see(name, value);
            }
        }
        let is_chosen = self.options.columns.weight.is_some();
        let label = attributes.iter().find(|attribute| attribute.name == LABEL);
        if let (Some((weight, at)), Some(label), false) = (weight, label, is_chosen)
            && let Some(other) = self.weight.number_in(&label.value)
            && other != weight
        {
            return Err(self.text.fault(at, self.ask_for_attribute(&label.value)));
        }
        Ok(weight.map(|(weight, _)| weight))
    }

    fn ask_for_attribute(&self, label: &str) -> ReadErrorKind {
        let label = show(label.as_bytes());
        let sentence = message![
            format!("is the weight the attribute 'weight' or the label, which is {label}? pass "),
            Remedy::text("weight", "weight"),
            " or ",
            Remedy::text("weight", LABEL),
        ];
        ReadErrorKind::Columns { sentence, columns: vec!["weight".into(), LABEL.into()] }
    }
}

const EDGE_OF_SUBGRAPH: &str =
    "this edge ends at a subgraph, which may have many nodes; write an edge per pair of nodes";

/// Whether a word starts default attributes.
fn is_default(word: &str) -> bool {
    ["node", "edge", "graph"].iter().any(|keyword| word.eq_ignore_ascii_case(keyword))
}

/// Refuses edges of a strict graph that join the same nodes with different weights: Graphviz merges
/// them. Edges of equal weights are kept.
fn check_strict(parsed: &mut Parsed, is_directed: bool) -> Result<(), ReadErrorKind> {
    let (u, v) = (parsed.graph.u(), parsed.graph.v());
    let ends = |edge: usize| {
        let (u, v) = (u[edge], v[edge]);
        if is_directed { (u, v) } else { (u.min(v), u.max(v)) }
    };
    let mut edges: Vec<_> = memory::collected(0..u.len())?;
    edges.sort_unstable_by_key(|&edge| (ends(edge), edge));
    let parallel = || edges.windows(2).filter(|pair| ends(pair[0]) == ends(pair[1]));
    let differ = |pair: &&[usize]| {
        with_graph!(&parsed.graph, graph => {
            let weights = graph.edge_list().weights();
            weights[pair[0]] != weights[pair[1]]
        })
    };
    if let Some(pair) = parallel().find(differ) {
        let name = |vertex: u32| match &parsed.names {
            Some(names) => show(names[vertex as usize].as_bytes()),
            None => vertex.to_string(),
        };
        let (u, v) = (name(u[pair[0]]), name(v[pair[0]]));
        return Err(ReadErrorKind::malformed(format!(
            "the graph is strict, but it has edges of different weights between '{u}' and '{v}'; \
             remove `strict` to keep all edges, or keep one of them"
        )));
    }
    if parallel().next().is_some() {
        parsed.notes.push("the graph is strict; parallel edges of equal weights are kept".into());
    }
    Ok(())
}
