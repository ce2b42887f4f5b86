//! Adjacency dictionaries, as Python and JSON write them: `{"a": {"b": 3}, "b": {"a": 3}}`,
//! `{0: [1, 2], 1: [0]}`, or `{"a": {"b": {"weight": 3}}}` as `networkx.to_dict_of_dicts` makes them.
//!
//! A dictionary in which each entry has a number for every key is a matrix, as
//! `pandas.DataFrame.to_json` writes it, with the rules of [`Matrix`](crate::matrix).
//!
//! An edge is in the entries of both its ends, or of one of them, and counts once. A name such as
//! `graph =` may precede the dictionary. The text is held in memory.

use std::collections::HashMap;

use crate::attributed_graph::{AttributedGraph, WeightAttribute};
use crate::columns::TextNumber;
use crate::compression::Stream;
use crate::fault::Fault;
use crate::formats::adjacency::{PairWeights, add};
use crate::head::{Evidence, Head};
use crate::interface::{Format, FormatInfo, Parsed};
use crate::literal::{self, Literal};
use crate::matrix::graph_of_rows;
use crate::message::{Message, Remedy, message};
use crate::number::{self, show};
use crate::whole::{self, WholeText};
use crate::{KeptKind, Nan, Place, ReadErrorKind, ReadOptions};

impl Format {
    /// Adjacency dictionaries of Python and JSON.
    pub const DICTIONARY: Self = Self::new(&FormatInfo {
        id: "dict",
        title: "adjacency dictionary",
        summary: "Python or JSON: the neighbors of each vertex, as `{\"a\": {\"b\": 3}}`",
        has_attributes: true,
        recognize,
        read,
        ..FormatInfo::READ_ONLY
    });
}

/// The text from the dictionary on, after a name to which it is assigned.
fn dictionary(text: &str) -> Option<&str> {
    let text = text.trim_ascii();
    let is_name = |name: &str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let value = match text.split_once('=') {
        Some((name, value)) if is_name(name.trim_ascii()) => value.trim_ascii_start(),
        _ => text,
    };
    Some(value.strip_suffix(';').unwrap_or(value)).filter(|value| value.starts_with('{'))
}

/// Recognizes a dictionary whose first value is one, too, or a list. Its keys may also be members
/// with another meaning, so [`read`] looks at all of them.
fn recognize(head: &Head<'_>) -> Evidence {
    let text = head.lines().and_then(|_| dictionary(head.text()));
    let has_first = text.is_some_and(|text| {
        let inside = text.get(1..).unwrap_or_default().trim_ascii_start();
        let length = match inside.chars().next() {
            Some(quote @ ('"' | '\'')) => {
                inside.get(1..).and_then(|rest| rest.find(quote)).map_or(0, |end| end + 2)
            }
            _ => inside.find(':').unwrap_or(0),
        };
        let rest = inside.get(length..).unwrap_or_default().trim_ascii_start();
        let value = rest.strip_prefix(':').map(str::trim_ascii_start);
        length > 0 && value.is_some_and(|value| value.starts_with(['{', '[', '(']))
    });
    Evidence::Structure.when(has_first)
}

/// A graph that is being read.
struct Reading<'a> {
    graph: AttributedGraph,
    weight: WeightAttribute<'a>,
    /// The edges of each pair of vertices that have been read.
    pairs: HashMap<[u32; 2], PairWeights>,
}

/// The memory for a sign between the values of a dictionary. An entry has four signs.
const BYTES_PER_SIGN: usize = 100;

fn read(mut stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    let text = WholeText::read(&mut stream)?;
    whole::ask_for_values(text.text().as_bytes(), BYTES_PER_SIGN)?;
    let start = Place::Line { line: 1, column: 1 };
    let content = dictionary(text.text()).ok_or_else(|| Fault {
        place: Some(start),
        kind: ReadErrorKind::malformed("this is no dictionary; write `{\"a\": {\"b\": 3}}`"),
    })?;
    let before = text.text().find(content).unwrap_or_default();
    let value =
        literal::parse(content).map_err(|(at, sentence)| text.malformed(before + at, sentence))?;
    let entries = value.entries().unwrap_or_default();
    if options.format.is_none() {
        refuse_other_members(entries)?;
    }
    if let Some(values) = square(entries) {
        return matrix(entries, &values, options);
    }
    if let Some(option) = options.first_of_rows() {
        let sentence = message![Remedy::option(option), " applies to matrices; omit it"];
        return Err(ReadErrorKind::question(sentence).into());
    }
    let mut reading = Reading {
        graph: AttributedGraph::new(options)?,
        weight: WeightAttribute::new(options)?,
        pairs: HashMap::new(),
    };
    for (vertex, _) in entries {
        reading.graph.declare(vertex)?;
    }
    for (vertex, neighbors) in entries {
        let read = reading.take(vertex, neighbors);
        read.map_err(|kind| {
            let before = format!("the entry '{}': ", show(vertex.as_bytes()));
            Fault::whole(message![before, kind.message()])
        })?;
    }
    reading.graph.finish(reading.weight, Vec::new())
}

/// Refuses a dictionary in which a neighbor has no entry: it can be data of any kind.
fn refuse_other_members(entries: &[(String, Literal)]) -> Result<(), ReadErrorKind> {
    let keys: HashMap<&str, ()> = entries.iter().map(|(key, _)| (&**key, ())).collect();
    let is_vertex = |name: &str| keys.contains_key(name);
    let is_closed = entries.iter().all(|(_, neighbors)| match neighbors {
        Literal::Dictionary(neighbors) => neighbors.iter().all(|(name, _)| is_vertex(name)),
        Literal::List(neighbors) => neighbors.iter().all(|name| match name {
            Literal::List(pair) => pair.first().and_then(Literal::scalar).is_some_and(is_vertex),
            name => name.scalar().is_some_and(is_vertex),
        }),
        _ => false,
    });
    if is_closed {
        return Ok(());
    }
    Err(ReadErrorKind::question(message![
        "this is neither node-link JSON nor a dictionary in which each neighbor has an entry; pass ",
        Remedy::text("format", Format::DICTIONARY.id()),
        " if its entries are neighbors, or write an object with the members nodes and edges",
    ]))
}

/// The numbers of a matrix, row by row: each entry has a number, or a word for none, for every key.
fn square(entries: &[(String, Literal)]) -> Option<Vec<Option<TextNumber>>> {
    let places: HashMap<&str, usize> =
        entries.iter().enumerate().map(|(place, (key, _))| (&**key, place)).collect();
    let size = entries.len();
    let is_square =
        || entries.iter().all(|(_, cells)| cells.entries().is_some_and(|c| c.len() == size));
    // Before memory for all cells is taken: most dictionaries are no matrix.
    if size < 2 || places.len() < size || !is_square() {
        return None;
    }
    let mut values = vec![None; size.checked_mul(size)?];
    for (row, (_, cells)) in entries.iter().enumerate() {
        for (key, value) in cells.entries()? {
            let cell = values.get_mut(row * size + places.get(&**key)?)?;
            let Literal::Word(word) = value else { return None };
            let is_missing = ["null", "None", "nan", "NaN", "inf", "Infinity"].contains(&&**word);
            if !is_missing {
                *cell = Some(number::weight(word.as_bytes(), Nan::Skip).ok()?);
            }
        }
    }
    Some(values)
}

/// The graph of a matrix.
fn matrix(
    entries: &[(String, Literal)],
    values: &[Option<TextNumber>],
    options: &ReadOptions,
) -> Result<Parsed, Fault> {
    let place = |_, _| Place::Line { line: 1, column: 1 };
    let parsed = graph_of_rows(entries.len(), values, &place, options)?;
    let names = Some(entries.iter().map(|(key, _)| key.clone()).collect());
    Ok(Parsed { names, ..parsed })
}

impl Reading<'_> {
    /// Takes the neighbors of a vertex.
    fn take(&mut self, vertex: &str, neighbors: &Literal) -> Result<(), ReadErrorKind> {
        match neighbors {
            Literal::Dictionary(neighbors) => {
                for (neighbor, about) in neighbors {
                    self.edge([vertex, neighbor], Some(about))?;
                }
            }
            Literal::List(neighbors) => {
                for neighbor in neighbors {
                    match neighbor {
                        // A neighbor with its weight.
                        Literal::List(pair) => match &pair[..] {
                            [name, weight] if name.scalar().is_some() => {
                                let name = name.scalar().unwrap_or_default();
                                self.edge([vertex, name], Some(weight))?;
                            }
                            _ => return Err(no_neighbor()),
                        },
                        name => {
                            let name = name.scalar().ok_or_else(no_neighbor)?;
                            self.edge([vertex, name], None)?;
                        }
                    }
                }
            }
            _ => return Err(no_neighbor()),
        }
        Ok(())
    }

    /// Takes an edge, and its weight or its attributes.
    fn edge(&mut self, ends: [&str; 2], about: Option<&Literal>) -> Result<(), ReadErrorKind> {
        let [u, v] = ends;
        self.graph.mention(v)?;
        self.graph.kept.begin();
        let mut found = None;
        match about {
            None => {}
            Some(Literal::Dictionary(attributes)) => {
                for (name, value) in attributes {
                    let Some(text) = value.scalar() else {
                        return Err(ReadErrorKind::malformed(format!(
                            "the attributes of the edge to '{}' contain brackets; parallel edges \
                             are not read: write a list of edges",
                            show(v.as_bytes())
                        )));
                    };
                    self.graph.kept.set(name, Some((text, KeptKind::of_word(text))));
                    if self.weight.is(name) {
                        found = Some(self.weight.number(text).map_err(ReadErrorKind::malformed)?);
                    } else {
                        self.weight.see(name, text);
                    }
                }
            }
            Some(weight) => {
                let text = weight.scalar().unwrap_or_default();
                let number = self.weight.number(text).map_err(ReadErrorKind::malformed)?;
                found = Some(number);
            }
        }
        let numbers = [u, v].map(|name| self.graph.declared_vertex(name));
        let [Some(first), Some(second)] = numbers else { return Ok(()) };
        let is_new = add(&mut self.pairs, [first, second], found)
            .map_err(|other| ReadErrorKind::malformed(differ(ends, found, other)))?;
        if !is_new {
            return Ok(());
        }
        self.graph.add_edge(ends, found, Place::Line { line: 1, column: 1 })
    }
}

fn no_neighbor() -> ReadErrorKind {
    ReadErrorKind::malformed(
        "the neighbors of a vertex are a list of names, or a dictionary with their weights or \
         attributes; correct it",
    )
}

/// What to say about an edge with another weight in the entry of its other end.
fn differ([u, v]: [&str; 2], own: Option<TextNumber>, other: Option<TextNumber>) -> Message {
    let [u, v] = [u, v].map(|name| show(name.as_bytes()));
    let [own, other] = [own, other].map(|weight| match weight {
        Some(TextNumber::Integer(weight)) => weight.to_string(),
        Some(TextNumber::Huge(weight)) => weight.to_string(),
        Some(TextNumber::Float(weight)) => weight.to_string(),
        None => "nothing".into(),
    });
    format!(
        "the edge from {u} to {v} weighs {own}, but {other} in the entry of {v}; an edge has one \
         weight: correct it, or write one line `u v weight` per edge"
    )
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_bytes;
    use crate::testing::{Case, check_cases, graph_of};

    #[test]
    fn an_edge_in_two_entries_counts_once() {
        let unit = ["the input has no weights; each edge weighs 1"];
        let cases = [
            Case::read("{\"a\": {\"b\": 3, \"c\": 1}, \"b\": {\"a\": 3}, \"c\": {}}", 3, "0-1:3 0-2:1", &[])
                .names("a b c"),
            Case::read("graph = {\n    'A': {'B': {'weight': 1.5}},\n    'B': {'A': {'weight': 1.5}},\n}\n", 2, "0-1:1.5", &[])
                .names("A B"),
            Case::read("{0: [1, 2], 1: [0], 2: [0, 2]}", 3, "0-1:1 0-2:1 2-2:1", &unit),
            Case::read("G={1: [(2, 5), (3, 7)], 2: [], 3: []};", 3, "0-1:5 0-2:7", &[]).names("1 2 3"),
            Case::read("{'a': {'b': {'km': 2}}, 'b': {}}", 2, "0-1:2", &[]).weight("km").names("a b"),
        ];
        check_cases(Format::DICTIONARY, &cases);
        let bytes = b"{\"a\": {\"b\": 3}, \"b\": {\"a\": 3}}";
        let loaded = read_bytes("x", bytes, &ReadOptions::default()).unwrap();
        assert_eq!(loaded.format, Format::DICTIONARY);
    }

    #[test]
    fn an_entry_for_every_key_is_a_matrix_with_its_questions() {
        let full = "{\"a\": {\"a\": 0, \"b\": 3, \"c\": null}, \"b\": {\"a\": 3, \"b\": 0, \"c\": 1}, \"c\": \
                    {\"a\": null, \"b\": 1, \"c\": 0}}";
        check_cases(
            Format::DICTIONARY,
            &[
                Case::read(full, 3, "0-1:3 1-2:1", &[]).names("a b c"),
                Case::refused(
                    &full.replace("null", "0"),
                    "is 0 a weight, as of identical things, or",
                ),
            ],
        );
        let options = ReadOptions { zeros: Some(crate::Meaning::None), ..ReadOptions::default() };
        let bytes = full.replace("null", "0").into_bytes();
        let graph = read_bytes("x", &bytes, &options).unwrap().parsed.graph;
        assert_eq!(crate::testing::edges(&graph), "0-1:3 1-2:1");
        let error = read_bytes("x", b"{'a': {'b': 3}, 'b': {}}", &options).unwrap_err();
        assert!(error.to_string().contains("`zeros` applies to matrices; omit it"), "{error}");
    }

    #[test]
    fn data_of_other_kinds_and_damage_are_refused() {
        for (text, sentence) in [
            (
                "{'a': {'b': 3}, 'b': {'a': 4}}",
                "the entry 'b': the edge from b to a weighs 4, but 3 in",
            ),
            ("{'a': {'b': 'far'}, 'b': {}}", "the entry 'a': the weight is 'far'"),
            ("{'a': 5}", "the entry 'a': the neighbors of a vertex are a list"),
            ("{'a': {'b': {0: {'weight': 3}}}, 'b': {}}", "parallel edges are not read"),
            ("{'a': {'b': 3}", "line 1, column 15: a comma or the closing bracket"),
            ("{'a': {'b': {'km': 2}}, 'b': {}}", "which attribute is the weight? numbers are"),
            ("[1, 2]", "line 1, column 1: this is no dictionary"),
        ] {
            let error = graph_of(text.as_bytes(), "x", Format::DICTIONARY).unwrap_err();
            assert!(error.contains(sentence), "{error}\n{sentence}");
        }
        for text in ["{\"config\": {\"width\": 3}}", "{\"a\": [1, 2]}"] {
            let error = read_bytes("x", text.as_bytes(), &ReadOptions::default()).unwrap_err();
            assert!(error.to_string().contains("this is neither node-link JSON nor"), "{error}");
        }
    }
}
