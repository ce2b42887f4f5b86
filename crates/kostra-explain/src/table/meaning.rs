//! What the columns mean: points or edges.

use super::cells::Cells;
use super::{Choices, Question, Stop};

/// The names of the ends of an edge, in pairs.
const ENDS: [[&str; 2]; 5] =
    [["source", "target"], ["from", "to"], ["u", "v"], ["start", "end"], ["a", "b"]];
/// The names of a column that names points.
const NAMES: [&str; 3] = ["name", "id", "label"];

/// The columns of points or of edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Meaning {
    Points { x: usize, y: usize, name: Option<usize> },
    Edges { source: usize, target: usize },
}

/// Finds the meaning in the header, or in the only one that the columns allow.
pub(super) fn find(cells: &Cells, choices: &Choices) -> Result<Meaning, Stop> {
    let (points, edges) = match &cells.header {
        Some(header) => (named_points(header)?, named_edges(header)?),
        None => (None, None),
    };
    let (points, edges) = match (points, edges) {
        (None, None) => by_position(cells),
        named => named,
    };
    match (points, edges, choices.get("meaning")) {
        (Some(points), None, _) | (Some(points), _, Some("points")) => Ok(points),
        (None, Some(edges), _) | (_, Some(edges), Some("edges")) => Ok(edges),
        (Some(points), Some(edges), _) => Err(ask(cells, points, edges).into()),
        (None, None, _) => Err("the columns are neither points nor edges; name them x,y or \
                                source,target,weight in the first line"
            .to_owned()
            .into()),
    }
}

fn ask(cells: &Cells, points: Meaning, edges: Meaning) -> Question {
    let name = |column: usize| match &cells.header {
        Some(header) => format!("\"{}\"", header[column]),
        None => format!("column {}", column + 1),
    };
    let label = |meaning| match meaning {
        Meaning::Points { x, y, .. } => format!("points: {} is x, {} is y", name(x), name(y)),
        Meaning::Edges { source, target } => {
            format!("edges from {} to {}", name(source), name(target))
        }
    };
    let labels = [label(points), label(edges)];
    Question::new(
        "meaning",
        "These columns can be points or edges. Which are they?",
        [("points", &labels[0]), ("edges", &labels[1])],
    )
}

/// The position of a name in the header, which must not occur twice.
fn position(header: &[String], name: &str) -> Result<Option<usize>, String> {
    let mut found = (0..header.len()).filter(|&column| header[column] == name);
    let first = found.next();
    if found.next().is_some() {
        return Err(format!("the header names two columns \"{name}\"; rename one of them"));
    }
    Ok(first)
}

fn named_points(header: &[String]) -> Result<Option<Meaning>, String> {
    let (Some(x), Some(y)) = (position(header, "x")?, position(header, "y")?) else {
        return Ok(None);
    };
    let name = NAMES.iter().find_map(|name| header.iter().position(|column| column == name));
    Ok(Some(Meaning::Points { x, y, name }))
}

fn named_edges(header: &[String]) -> Result<Option<Meaning>, String> {
    for [source, target] in ENDS {
        let ends = (position(header, source)?, position(header, target)?);
        if let (Some(source), Some(target)) = ends {
            return Ok(Some(Meaning::Edges { source, target }));
        }
    }
    Ok(None)
}

/// The meanings that the cells allow if the header names none: coordinates are numbers, and ends
/// can be anything.
fn by_position(cells: &Cells) -> (Option<Meaning>, Option<Meaning>) {
    let points = if cells.is_numeric(0) && cells.is_numeric(1) {
        Some(Meaning::Points { x: 0, y: 1, name: None })
    } else if cells.columns() > 2 && cells.is_numeric(1) && cells.is_numeric(2) {
        Some(Meaning::Points { x: 1, y: 2, name: Some(0) })
    } else {
        None
    };
    (points, Some(Meaning::Edges { source: 0, target: 1 }))
}
