//! Adjacency lists: one line per vertex, with its neighbors: `1: 2 3`, `1 2 3`, `a -> b, c`.
//!
//! A neighbor can have a weight: `2,5`, `2:5`, `2(5)` or `(2, 5)`. An edge is in the lines of both
//! its ends, or of one of them, and counts once. The text is held in memory.

mod syntax;

use std::collections::HashMap;

use crate::columns::{Columns, TextNumber};
use crate::compression::Stream;
use crate::fault::Fault;
use crate::fields::is_comment;
use crate::head::BYTE_ORDER_MARK;
use crate::interface::{Format, FormatInfo, Parsed};
use crate::message::{Remedy, message};
use crate::number::{show, weight};
use crate::numbering::Numbering;
use crate::weights::RawGraph;
use crate::{ReadOptions, occurring, whole};

pub(crate) use syntax::{Facts, Line, Mark, Neighbor, Syntax};

impl Format {
    /// Adjacency lists: one line per vertex with its neighbors.
    pub const ADJACENCY: Self = Self::new(&FormatInfo {
        id: "adjacency",
        title: "adjacency list",
        summary: "text: one line per vertex with its neighbors, as `1: 2 3`",
        read,
        ..FormatInfo::READ_ONLY
    });
}

/// The weights of the edges between two vertices, in the line of the lower and of the higher one.
pub(crate) type PairWeights = [Vec<Option<TextNumber>>; 2];

/// Adds an edge of the line of `u`. Returns whether it is a new one, or the other line's weight if
/// it is another one.
pub(crate) fn add(
    pairs: &mut HashMap<[u32; 2], PairWeights>,
    [u, v]: [u32; 2],
    weight: Option<TextNumber>,
) -> Result<bool, Option<TextNumber>> {
    let pair = pairs.entry([u.min(v), u.max(v)]).or_default();
    let [own, others] = if u <= v { [0, 1] } else { [1, 0] };
    pair[own].push(weight);
    if u == v || pair[own].len() > pair[others].len() {
        return Ok(true);
    }
    // Parallel edges may have another order in the other line.
    let same = pair[others].iter().position(|&other| other == weight);
    let Some(at) = same else { return Err(pair[others].first().copied().flatten()) };
    pair[others].remove(at);
    pair[own].pop();
    Ok(false)
}

/// The memory for a neighbor: its name, its pair in a hash table, and its edge.
const BYTES_PER_NEIGHBOR: usize = 256;

/// Reads a graph.
fn read(mut stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    let bytes = whole::bytes(&mut stream)?;
    let text = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes);
    whole::ask_for_values(text, BYTES_PER_NEIGHBOR)?;
    let lines = text.split(|&byte| byte == b'\n');
    let lines = (1_u64..).zip(lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line)));
    let (numbers, lines): (Vec<u64>, Vec<&[u8]>) =
        lines.filter(|(_, line)| !is_comment(line)).unzip();
    let (syntax, _) = Syntax::find(&lines).ok_or_else(|| Fault::whole(no_list(&lines)))?;
    let mut numbering = Numbering::default();
    let mut pairs: HashMap<[u32; 2], PairWeights> = HashMap::new();
    let (mut columns, mut fresh) = (Columns::default(), Columns::default());
    let mut weighted = None;
    for (&number, line) in numbers.iter().zip(&lines) {
        let fault = |sentence: crate::Message| Fault::at_line(number, 1, sentence);
        let Some(Line { vertex, neighbors }) = syntax.parse(line) else {
            return Err(fault("this line has another form than those before it".into()));
        };
        let mut name = |name: &[u8]| {
            let name = str::from_utf8(name)
                .map_err(|_| fault("the name is not UTF-8 text; save the file as UTF-8".into()))?;
            Ok::<_, Fault>(numbering.number(name)?)
        };
        let u = name(&vertex)?;
        for (neighbor, text) in neighbors {
            let v = name(&neighbor)?;
            let weight = text.map(|text| weight(text, options.nan)).transpose().map_err(fault)?;
            if *weighted.get_or_insert(weight.is_some()) != weight.is_some() {
                return Err(fault("some neighbors have weights and others have none".into()));
            }
            if add(&mut pairs, [u, v], weight).map_err(|other| {
                let (u, v) = (show(&vertex), show(&neighbor));
                fault(message![format!(
                    "the edge from {u} to {v} weighs {}, but {} in the line of {v}; an edge has one \
                     weight: correct it, or write one line `u v weight` per edge",
                    show(text.unwrap_or_default()),
                    other.map_or("nothing".into(), shown),
                )])
            })? {
                fresh.push_ends(u, v);
                if let Some(weight) = weight {
                    fresh.push_weight(weight);
                }
            }
        }
        columns.join(&mut fresh, usize::MAX, |edge| edge).map_err(|fault| Fault {
            place: Some(crate::Place::Line { line: number, column: 1 }),
            kind: fault.kind,
        })?;
    }
    graph_of(numbering, columns, weighted == Some(true), options)
}

fn shown(number: TextNumber) -> String {
    match number {
        TextNumber::Integer(value) => value.to_string(),
        TextNumber::Huge(value) => value.to_string(),
        TextNumber::Float(value) => value.to_string(),
    }
}

fn graph_of(
    numbering: Numbering,
    mut columns: Columns,
    weighted: bool,
    options: &ReadOptions,
) -> Result<Parsed, Fault> {
    let mut notes = Vec::new();
    let mut names = numbering.into_names()?;
    let names_are_ids = occurring::are_ids(&names);
    if names_are_ids {
        // Numbers are in the order of their values.
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_by_key(|&at| (names[at].len(), names[at].clone()));
        let mut places = vec![0_u32; names.len()];
        order.iter().zip(0..).for_each(|(&at, place)| places[at] = place);
        columns.u.iter_mut().chain(&mut columns.v).for_each(|end| *end = places[*end as usize]);
        names = order.into_iter().map(|at| std::mem::take(&mut names[at])).collect();
    }
    let vertices = names.len();
    let counts = names.iter().enumerate().all(|(at, name)| at.to_string() == *name);
    let names = Some(names).filter(|_| !counts);
    let names_are_ids = names_are_ids && names.is_some();
    let graph = RawGraph::new(vertices, columns, weighted).build(options, &mut notes)?;
    Ok(Parsed { names, names_are_ids, ..Parsed::new(graph, notes) })
}

/// Why some lines are no adjacency list.
fn no_list(lines: &[&[u8]]) -> crate::Message {
    let rows = kostra_core::counted(lines.len() as u64, "line", "lines");
    message![
        format!(
            "the {rows} are no adjacency list: each line must have another vertex first, and then \
             its neighbors, as `1: 2 3`; pass "
        ),
        Remedy::text("format", Format::EDGE_LIST.id()),
        " if each line is an edge"
    ]
}
