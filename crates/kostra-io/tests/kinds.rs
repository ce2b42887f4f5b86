//! A known graph is written in every kind of text that people have, with random quirks, and read
//! back: the graph is right, or there is a question or a refusal, but never another graph.

use std::collections::BTreeMap;

use kostra_core::random::RandomStream;
use kostra_core::with_graph;
use kostra_io::{Loaded, ReadOptions, Vertices, read_bytes};

/// The edges of a graph: the names of the ends in order, and the weight.
type Edges = Vec<(String, String, String)>;

/// Random choices, in sequence.
struct Choices {
    stream: RandomStream,
    next: u64,
}

impl Choices {
    fn below(&mut self, bound: usize) -> usize {
        self.next += 1;
        self.stream.below(self.next, bound as u64) as usize
    }

    fn one<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }

    fn rarely(&mut self) -> bool {
        self.below(5) == 0
    }
}

/// A graph to be written, with weights as text.
struct Known {
    names: Vec<String>,
    /// Edges by the positions of their ends, each pair once.
    edges: Vec<(usize, usize, String)>,
    is_weighted: bool,
}

const WORDS: [&str; 9] =
    ["Oslo", "Bergen", "Moss", "Ås", "Bodø", "Tromsø", "Hamar", "Voss", "Narvik"];

fn known(choices: &mut Choices, is_complete: bool, is_weighted: bool) -> Known {
    let n = 3 + choices.below(6);
    let start = choices.below(3);
    let step = if choices.rarely() { 7 } else { 1 };
    let is_of_words = choices.below(3) == 0;
    let name = |at: usize| match is_of_words {
        true => WORDS[at].to_owned(),
        false => (start + at * step).to_string(),
    };
    let has_decimals = choices.below(3) == 0;
    let mut edges = Vec::new();
    for u in 0..n {
        for v in u + 1..n {
            if is_complete || choices.below(2) == 0 || v == u + 1 {
                let weight = match (is_weighted, has_decimals) {
                    (false, _) => "1".to_owned(),
                    (true, false) => (1 + choices.below(30)).to_string(),
                    (true, true) => format!("{}.{}", choices.below(30), 1 + 2 * choices.below(5)),
                };
                edges.push((u, v, weight));
            }
        }
    }
    for at in (1..edges.len()).rev() {
        edges.swap(at, choices.below(at + 1));
    }
    if choices.below(2) == 0 {
        for (u, v, _) in &mut edges {
            if choices.below(2) == 0 {
                std::mem::swap(u, v);
            }
        }
    }
    Known { names: (0..n).map(name).collect(), edges, is_weighted }
}

impl Known {
    fn expected(&self) -> Edges {
        let name = |at: usize| self.names[at].clone();
        normal(self.edges.iter().map(|(u, v, weight)| (name(*u), name(*v), weight.clone())))
    }

    fn weight(&self, u: usize, v: usize) -> Option<&str> {
        let is = |edge: &&(usize, usize, String)| {
            (edge.0, edge.1) == (u, v) || (edge.0, edge.1) == (v, u)
        };
        self.edges.iter().find(is).map(|(_, _, weight)| weight.as_str())
    }
}

/// Edges with the ends and the edges in order, and with weights as floats.
fn normal(edges: impl Iterator<Item = (String, String, String)>) -> Edges {
    let mut edges: Edges = edges
        .map(|(u, v, weight)| {
            let weight: f64 = weight.parse().expect("a number");
            (u.clone().min(v.clone()), u.max(v), weight.to_string())
        })
        .collect();
    edges.sort();
    edges
}

fn found(loaded: &Loaded) -> Edges {
    let parsed = &loaded.parsed;
    let name = |vertex: u32| match &parsed.names {
        Some(names) => names[vertex as usize].clone(),
        None => vertex.to_string(),
    };
    with_graph!(&parsed.graph, graph => {
        let edges = graph.edge_list();
        let ends = edges.u().iter().zip(edges.v());
        let edges = ends.zip(edges.weights());
        normal(edges.map(|((&u, &v), weight)| (name(u), name(v), weight.to_string())))
    })
}

fn row(fields: &[String], separator: &str) -> String {
    fields.join(separator)
}

const SEPARATORS: [&str; 7] = [" ", "\t", ",", ";", ", ", "|", "   "];

fn edge_list(known: &Known, choices: &mut Choices) -> Vec<String> {
    let separator = choices.one(&SEPARATORS);
    let has_quotes = choices.rarely();
    let quoted = |text: &str| if has_quotes { format!("\"{text}\"") } else { text.to_owned() };
    // One or two rows show no count, programs do not count rows between blanks, and a number after
    // two ends is their weight.
    let may_count = known.edges.len() > 2 && !separator.starts_with(' ');
    let index = (choices.rarely() && may_count).then(|| choices.below(2));
    let extra = choices.rarely() && known.is_weighted;
    let header = choices.one(&[
        &["source", "target", "weight"][..],
        &["From", "To", "km"],
        &["node1", "node2", "length"],
        &["A", "B", "weight"],
        // Most lists of two columns start with the edge 0-1.
        if known.is_weighted { &["0", "1", "2"] } else { &["p", "q"] },
        &["x", "y", "z"],
        &[],
        &[],
        &[],
    ]);
    let columns = if known.is_weighted { 3 } else { 2 };
    let mut lines = Vec::new();
    if let Some(names) = header.get(..columns) {
        let index = index.map(|_| String::new());
        let extra = extra.then(|| "lanes".to_owned());
        let names = names.iter().map(|name| quoted(name));
        lines
            .push(row(&index.into_iter().chain(names).chain(extra).collect::<Vec<_>>(), separator));
    } else {
        let (n, m) = (known.names.len(), known.edges.len());
        match choices.below(6) {
            0 => lines.push(row(&[n.to_string(), m.to_string()], separator)),
            1 => lines.extend([n.to_string(), m.to_string()]),
            2 if choices.rarely() => lines.push(m.to_string()),
            _ => {}
        }
    }
    for (at, (u, v, weight)) in known.edges.iter().enumerate() {
        let mut fields = vec![quoted(&known.names[*u]), quoted(&known.names[*v])];
        fields.extend(known.is_weighted.then(|| weight.clone()));
        fields.extend(extra.then(|| (at % 3).to_string()));
        if let Some(start) = index {
            fields.insert(0, (at + start).to_string());
        }
        lines.push(row(&fields, separator));
    }
    lines
}

fn matrix(known: &Known, choices: &mut Choices) -> Vec<String> {
    let separator = choices.one(&SEPARATORS);
    let n = known.names.len();
    let has_names = [choices.below(2) == 0, choices.below(2) == 0];
    let [in_rows, in_header] = has_names;
    let form = choices.below(4);
    let is_comma = separator == ";" && choices.below(2) == 0;
    let mut lines = Vec::new();
    if choices.rarely() {
        lines.push(n.to_string());
    }
    let blank = if separator.trim().is_empty() { "x".to_owned() } else { String::new() };
    if in_header {
        let corner = in_rows.then_some(blank);
        let names = corner.into_iter().chain(known.names.iter().cloned());
        lines.push(row(&names.collect::<Vec<_>>(), separator));
    }
    for u in 0..n {
        let mut fields: Vec<String> = in_rows.then(|| known.names[u].clone()).into_iter().collect();
        for v in 0..n {
            let is_there = match form {
                1 => v <= u,
                2 => v >= u,
                3 => v < u,
                _ => true,
            };
            if is_there {
                let weight = if u == v { "0" } else { known.weight(u, v).unwrap_or("0") };
                fields.push(if is_comma { weight.replace('.', ",") } else { weight.to_owned() });
            }
        }
        lines.push(row(&fields, separator));
    }
    lines
}

fn adjacency(known: &Known, choices: &mut Choices) -> Vec<String> {
    let mark = choices.one(&[": ", " -> ", " ", ":\t"]);
    // Without a mark, commas would stand between two columns.
    let between = if mark == " " { " " } else { choices.one(&[" ", ", "]) };
    let is_once = choices.below(2) == 0;
    let mut neighbors: BTreeMap<usize, Vec<(usize, &str)>> = BTreeMap::new();
    for (u, v, weight) in &known.edges {
        neighbors.entry(*u).or_default().push((*v, weight));
        let other = neighbors.entry(*v).or_default();
        if !is_once {
            other.push((*u, weight));
        }
    }
    let line = |(vertex, others): (usize, Vec<(usize, &str)>)| {
        let others = others.iter().map(|(other, weight)| match known.is_weighted {
            true => format!("{}({weight})", known.names[*other]),
            false => known.names[*other].clone(),
        });
        format!("{}{mark}{}", known.names[vertex], others.collect::<Vec<_>>().join(between))
    };
    neighbors.into_iter().map(line).collect()
}

fn printed(known: &Known, choices: &mut Choices) -> Vec<String> {
    let mut lines = vec!["| source | target | weight |".to_owned(), "|---|---|---|".to_owned()];
    if choices.below(2) == 0 {
        lines = vec![" source | target | weight ".to_owned(), "----+----+----".to_owned()];
    }
    for (u, v, weight) in &known.edges {
        let (u, v) = (&known.names[*u], &known.names[*v]);
        lines.push(match lines[0].starts_with('|') {
            true => format!("| {u} | {v} | {weight} |"),
            false => format!(" {u} | {v} | {weight} "),
        });
    }
    lines.push("(9 rows)".to_owned());
    lines.truncate(if choices.below(2) == 0 { lines.len() } else { lines.len() - 1 });
    lines
}

/// As NetworkX writes multiline adjacency lists.
fn multiline(known: &Known, _: &mut Choices) -> Vec<String> {
    let mut lines = Vec::new();
    for vertex in 0..known.names.len() {
        let neighbors = || known.edges.iter().filter(move |(u, v, _)| *u.min(v) == vertex);
        lines.push(format!("{} {}", known.names[vertex], neighbors().count()));
        lines.extend(neighbors().map(|(u, v, weight)| {
            let name = &known.names[*u.max(v)];
            let weight = if known.is_weighted { format!("'weight': {weight}") } else { "".into() };
            format!("{name} {{{weight}}}")
        }));
    }
    lines
}

fn dictionary(known: &Known, choices: &mut Choices) -> Vec<String> {
    let quote = choices.one(&["'", "\""]);
    let is_once = choices.below(2) == 0;
    let entry = |vertex: usize| {
        let neighbors = known.edges.iter().filter_map(|(u, v, weight)| {
            let other = match (*u == vertex, *v == vertex) {
                (true, _) => *v,
                (_, true) if !is_once => *u,
                _ => return None,
            };
            let name = format!("{quote}{}{quote}", known.names[other]);
            Some(if known.is_weighted { format!("{name}: {weight}") } else { name })
        });
        let neighbors = neighbors.collect::<Vec<_>>().join(", ");
        let [open, close] = if known.is_weighted { ["{", "}"] } else { ["[", "]"] };
        format!("{quote}{}{quote}: {open}{neighbors}{close},", known.names[vertex])
    };
    let entries = (0..known.names.len()).map(entry);
    let start = choices.one(&["{", "graph = {", "{"]).to_owned();
    std::iter::once(start).chain(entries).chain(std::iter::once("}".to_owned())).collect()
}

fn phylip(known: &Known, choices: &mut Choices) -> Vec<String> {
    let n = known.names.len();
    let is_lower = choices.below(2) == 0;
    // Rows that go on and have numbers as names are also lines of neighbors.
    let has_words = known.names[0].contains(char::is_alphabetic);
    let is_wrapped = choices.rarely() && has_words;
    let mut lines = vec![format!("   {n}")];
    for u in 0..n {
        let mut line = format!("{:10}", known.names[u]);
        for v in 0..if is_lower { u } else { n } {
            if is_wrapped && choices.rarely() {
                lines.push(std::mem::take(&mut line));
            }
            line += &format!(" {}", if u == v { "0" } else { known.weight(u, v).unwrap_or("0") });
        }
        lines.push(line);
    }
    lines
}

fn with_quirks(mut lines: Vec<String>, choices: &mut Choices) -> String {
    if choices.rarely() {
        lines.insert(
            0,
            choices.one(&["# made by hand", "% a comment", "// of 2026", ""]).to_owned(),
        );
    }
    if choices.rarely() {
        lines.iter_mut().for_each(|line| *line += choices_of_blanks(line.len()));
    }
    let end = if choices.rarely() { "\r\n" } else { "\n" };
    let mut text = String::new();
    if choices.rarely() {
        text.push('\u{feff}');
    }
    for line in &lines {
        text += line;
        text += end;
    }
    match choices.below(6) {
        0 => text.truncate(text.len() - end.len()),
        1 => text += end,
        _ => {}
    }
    text
}

fn choices_of_blanks(length: usize) -> &'static str {
    ["", " ", "  "][length % 3]
}

/// A kind: its name, whether it needs all edges, and what writes it.
type Kind = (&'static str, bool, fn(&Known, &mut Choices) -> Vec<String>);

const KINDS: [Kind; 7] = [
    ("edge list", false, edge_list),
    ("matrix", true, matrix),
    ("adjacency list", false, adjacency),
    ("printed table", false, printed),
    ("multiline", false, multiline),
    ("dictionary", false, dictionary),
    ("phylip", true, phylip),
];

#[test]
fn a_known_graph_is_read_right_or_asked_about() {
    let rounds =
        std::env::var("KOSTRA_KINDS").map_or(300, |rounds| rounds.parse().expect("a number"));
    let options =
        ReadOptions { vertices: Vertices::Occurring, threads: 1, ..ReadOptions::default() };
    let mut wrong = Vec::new();
    for (kind, is_complete, write) in KINDS {
        let mut read = 0;
        for seed in 0..rounds {
            let mut choices = Choices { stream: RandomStream::new(seed), next: 0 };
            let is_weighted = is_complete || kind == "printed table" || choices.below(3) > 0;
            let known = known(&mut choices, is_complete, is_weighted);
            let lines = write(&known, &mut choices);
            let text = with_quirks(lines, &mut choices);
            let Ok(loaded) = read_bytes("x", text.as_bytes(), &options) else { continue };
            // A matrix may have no names.
            let mut expected = known.expected();
            if is_complete && loaded.parsed.names.is_none() {
                let names = (0..known.names.len()).map(|at| at.to_string()).collect();
                expected = Known { names, ..known }.expected();
            }
            if found(&loaded) == expected {
                read += 1;
            } else {
                wrong.push(format!("{kind} {seed}, read as {}:\n{text}", loaded.format));
            }
        }
        println!("{kind}: {read} of {rounds} read, others asked about");
        assert!(3 * read > rounds, "{kind}: {read} of {rounds} read");
    }
    let shown = wrong.iter().take(12).cloned().collect::<String>();
    assert!(wrong.is_empty(), "{} wrong\n{shown}", wrong.len());
}
