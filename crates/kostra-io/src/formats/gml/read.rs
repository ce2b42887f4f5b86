//! Reading GML.

use std::borrow::Cow;
use std::collections::HashMap;

use super::tokens::{Token, Tokens};
use crate::attributed_graph::{AttributedGraph, WEIGHT, WeightAttribute};
use crate::compression::Stream;
use crate::directions::NOTE_ON_DIRECTED;
use crate::fault::Fault;
use crate::interface::Parsed;
use crate::labels::call_by_labels;
use crate::number::show;
use crate::quantity::Quantity;
use crate::whole::{AscendingPlaces, WholeText};
use crate::{KeptKind, ReadOptions};

/// Reads a graph.
pub(super) fn read(mut stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    let text = WholeText::read(&mut stream)?;
    let mut document = Document {
        text: &text,
        tokens: Tokens::new(text.text()),
        graph: AttributedGraph::new(options)?,
        weight: WeightAttribute::new(options)?,
        labels: HashMap::new(),
        has_graph: false,
        directed: false,
        places: AscendingPlaces::default(),
    };
    document.lists()?;
    document.finish()
}

/// A list that is open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    Graph,
    Node,
    Edge,
    Other,
}

/// A key with a plain value, and the byte where the value starts.
#[derive(Clone, Copy)]
struct Entry<'a> {
    key: &'a str,
    value: &'a str,
    /// Whether the value is in quotes.
    is_text: bool,
    at: usize,
}

impl<'a> Entry<'a> {
    /// The value with its entities resolved.
    fn text(&self) -> Cow<'a, str> {
        quick_xml::escape::unescape(self.value).unwrap_or(Cow::Borrowed(self.value))
    }
}

/// What has been read.
struct Document<'a> {
    text: &'a WholeText,
    tokens: Tokens<'a>,
    graph: AttributedGraph,
    weight: WeightAttribute<'a>,
    /// The labels of nodes, by id.
    labels: HashMap<&'a str, String>,
    has_graph: bool,
    directed: bool,
    places: AscendingPlaces,
}

/// Whether a value is a number that yEd draws at an edge without an attribute `label`.
fn is_drawn_number(list: &str, entries: &[Entry<'_>], value: &str) -> bool {
    list == "LabelGraphics"
        && Quantity::parse(value).is_some()
        && !entries.iter().any(|entry| entry.key == "label")
}

impl<'a> Document<'a> {
    fn next(&mut self) -> Result<Option<(usize, Token<'a>)>, Fault> {
        self.tokens.next().map_err(|(at, sentence)| self.text.malformed(at, sentence))
    }

    /// Reads all lists.
    fn lists(&mut self) -> Result<(), Fault> {
        let mut open: Vec<(List, usize)> = Vec::new();
        // The entries of the node or the edge that is open.
        let mut entries: Vec<Entry<'a>> = Vec::new();
        let mut opener = "";
        while let Some((at, token)) = self.next()? {
            let key = match token {
                Token::Word(key) => key,
                Token::Close => {
                    let Some((list, start)) = open.pop() else {
                        let sentence = "this bracket closes no list; remove it";
                        return Err(self.text.malformed(at, sentence));
                    };
                    self.close(list, &entries, start)?;
                    continue;
                }
                Token::Open | Token::Text(_) => {
                    return Err(self.text.malformed(at, "a key is to start here; add it"));
                }
            };
            let inside = open.last().map(|&(list, _)| list);
            match self.next()? {
                Some((_, Token::Open)) => {
                    let list = self.list(inside, key, at)?;
                    if matches!(list, List::Node | List::Edge) {
                        entries.clear();
                    }
                    open.push((list, at));
                    opener = key;
                }
                Some((at, token @ (Token::Word(value) | Token::Text(value)))) => match inside {
                    Some(List::Node | List::Edge) => {
                        let is_text = matches!(token, Token::Text(_));
                        entries.push(Entry { key, value, is_text, at });
                    }
                    Some(List::Graph) if key == "directed" => self.directed = value == "1",
                    Some(List::Other)
                        if open.iter().any(|&(list, _)| list == List::Edge)
                            && (key == WEIGHT || is_drawn_number(opener, &entries, value)) =>
                    {
                        self.weight.see_nested(opener);
                    }
                    _ => {}
                },
                Some((at, Token::Close)) => {
                    let key = show(key.as_bytes());
                    let sentence = format!("the key '{key}' has no value; add it");
                    return Err(self.text.malformed(at, sentence));
                }
                None => return Err(self.cut_short()),
            }
        }
        if open.is_empty() { Ok(()) } else { Err(self.cut_short()) }
    }

    fn cut_short(&self) -> Fault {
        let sentence = "the file ends before its last `]`; it is cut short";
        self.text.malformed(self.tokens.at(), sentence)
    }

    /// The list that opens after a key.
    fn list(&mut self, inside: Option<List>, key: &str, at: usize) -> Result<List, Fault> {
        match (inside, key) {
            (None, "graph") => {
                if std::mem::replace(&mut self.has_graph, true) {
                    let sentence = "a second graph begins here; save one per file";
                    return Err(self.text.malformed(at, sentence));
                }
                Ok(List::Graph)
            }
            (Some(List::Graph), "node") => Ok(List::Node),
            (Some(List::Graph), "edge") => Ok(List::Edge),
            _ => Ok(List::Other),
        }
    }

    fn close(&mut self, list: List, entries: &[Entry<'a>], start: usize) -> Result<(), Fault> {
        let at_start = |kind| self.text.fault(start, kind);
        match list {
            List::Node => {
                let id = self.required(entries, "id", start)?;
                self.graph.declare(id).map_err(at_start)?;
                let [label, name] = [self.entry(entries, "label")?, self.entry(entries, "name")?];
                // igraph writes its names so.
                if let Some(label) = label.or(name) {
                    self.labels.insert(id, label.text().into_owned());
                }
                Ok(())
            }
            List::Edge => self.edge(entries, start),
            List::Graph | List::Other => Ok(()),
        }
    }

    fn edge(&mut self, entries: &[Entry<'a>], start: usize) -> Result<(), Fault> {
        let ends =
            [self.required(entries, "source", start)?, self.required(entries, "target", start)?];
        let mut weight = None;
        self.graph.kept.begin();
        for entry @ Entry { key, value, is_text, at } in entries {
            if matches!(*key, "source" | "target") {
                continue;
            }
            let kind = if *is_text { KeptKind::Text } else { KeptKind::of_word(value) };
            let kept = self.graph.kept.set_once(key, Some((&entry.text(), kind)));
            kept.map_err(|kind| self.text.fault(*at, kind))?;
            if *key == "id" {
                continue;
            }
            if self.weight.is(key) {
                let number = self.weight.number(&entry.text());
                let number = number.map_err(|sentence| self.text.malformed(*at, sentence))?;
                if weight.replace(number).is_some() {
                    let sentence = "this edge has two weights; remove one of them";
                    return Err(self.text.malformed(*at, sentence));
                }
            } else {
                self.weight.see(key, &entry.text());
            }
        }
        let place = self.places.place(self.text, start);
        self.graph.add_edge(ends, weight, place).map_err(|kind| self.text.fault(start, kind))
    }

    /// The entry of a key that a list has once at most.
    fn entry<'e>(
        &self,
        entries: &'e [Entry<'a>],
        key: &str,
    ) -> Result<Option<&'e Entry<'a>>, Fault> {
        let mut found = entries.iter().filter(|entry| entry.key == key);
        let first = found.next();
        found.next().map_or(Ok(first), |second| {
            Err(self.text.malformed(second.at, format!("'{key}' occurs twice; remove one")))
        })
    }

    /// The value of a key that the list at byte `start` must have.
    fn required(&self, entries: &[Entry<'a>], key: &str, start: usize) -> Result<&'a str, Fault> {
        self.entry(entries, key)?.map(|entry| entry.value).ok_or_else(|| {
            self.text.malformed(start, format!("this list has no key '{key}'; add it"))
        })
    }

    fn finish(self) -> Result<Parsed, Fault> {
        let Self { graph, weight, labels, has_graph, directed, .. } = self;
        if !has_graph {
            return Err(Fault::at_line(1, 1, "the file has no list `graph`; name a file in GML"));
        }
        let notes = if directed { vec![NOTE_ON_DIRECTED.into()] } else { Vec::new() };
        let mut parsed = graph.finish(weight, notes)?;
        call_by_labels(&mut parsed, labels)?;
        Ok(parsed)
    }
}
