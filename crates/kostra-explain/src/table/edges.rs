//! Edges of a table: the names of their ends become vertices, and a column their weights.

use std::collections::BTreeMap;

use kostra_core::Vertex;

use super::cells::Cells;
use super::{Choices, Question, Stop};

/// The value of the choice by which each edge has weight 1.
const UNIT: &str = "unit";

/// Edges between named vertices.
pub(super) struct NamedEdges {
    /// The names of the vertices, in the order of their first occurrence.
    pub(super) names: Vec<String>,
    pub(super) ends: Vec<(Vertex, Vertex)>,
    pub(super) weights: Vec<f64>,
}

/// Reads the edges between the names in two columns.
pub(super) fn read(cells: &Cells, ends: [usize; 2], choices: &Choices) -> Result<NamedEdges, Stop> {
    let weight = weight_column(cells, ends, choices)?;
    let mut numbers: BTreeMap<&str, Vertex> = BTreeMap::new();
    let mut edges = NamedEdges { names: Vec::new(), ends: Vec::new(), weights: Vec::new() };
    for row in &cells.rows {
        let mut vertices = [0; 2];
        for (vertex, column) in vertices.iter_mut().zip(ends) {
            let name = row.cells[column].as_str();
            if name.is_empty() {
                return Err(format!("line {}: an end of the edge has no name", row.line).into());
            }
            *vertex = *numbers.entry(name).or_insert_with(|| {
                edges.names.push(name.to_owned());
                edges.names.len() as Vertex - 1
            });
        }
        edges.ends.push((vertices[0], vertices[1]));
        edges.weights.push(match weight {
            Some(column) => row.number(column, "weight")?,
            None => 1.0,
        });
    }
    Ok(edges)
}

/// The column of weights; none if each edge has weight 1.
fn weight_column(
    cells: &Cells,
    ends: [usize; 2],
    choices: &Choices,
) -> Result<Option<usize>, Question> {
    let others: Vec<usize> = (0..cells.columns()).filter(|column| !ends.contains(column)).collect();
    match choices.get("weight") {
        Some(UNIT) => return Ok(None),
        Some(chosen) => {
            if let Some(&column) = others.iter().find(|column| column.to_string() == chosen) {
                return Ok(Some(column));
            }
        }
        None => {}
    }
    let name = |column: usize| match &cells.header {
        Some(header) => header[column].clone(),
        None => format!("column {}", column + 1),
    };
    let called_weight: Vec<usize> =
        others.iter().copied().filter(|&column| name(column) == "weight").collect();
    match (&others[..], &called_weight[..]) {
        ([], _) => Err(Question::new(
            "weight",
            "The edges have no weights. Shall each edge have weight 1? All forests are minimal then.",
            [(UNIT, "yes, weight 1")],
        )),
        ([column], _) | (_, [column]) => Ok(Some(*column)),
        _ => Err(Question {
            key: "weight",
            sentence: "Which column is the weight?".to_owned(),
            answers: others.iter().map(|&column| (column.to_string(), name(column))).collect(),
        }),
    }
}
