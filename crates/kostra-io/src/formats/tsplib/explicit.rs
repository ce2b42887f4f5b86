//! Matrices of distances, and lists of edges.

use kostra_core::{Vertex, memory};

use super::starts_with_keyword;
use crate::ReadOptions;
use crate::columns::TextNumber;
use crate::fault::Fault;
use crate::number::show;
use crate::numbered_graph::NumberedGraph;
use crate::rows::{Row, TextRows};

/// The entries of a matrix that a file has, row by row.
#[derive(Clone, Copy)]
enum Part {
    Full,
    /// Those right of the diagonal.
    Upper,
    /// Those left of the diagonal.
    Lower,
}

/// How a file lists a matrix.
pub(super) struct Layout {
    part: Part,
    /// Whether the entries of the diagonal are there.
    with_diagonal: bool,
    /// Whether the two entries of two nodes are two edges.
    directed: bool,
}

impl Layout {
    /// The layout with a name of `EDGE_WEIGHT_FORMAT`.
    pub(super) fn new(name: &str, directed: bool, row: &Row<'_>) -> Result<Self, Fault> {
        let part = match name {
            "FULL_MATRIX" => Part::Full,
            // The columns of a triangle are the rows of the other one.
            "UPPER_ROW" | "UPPER_DIAG_ROW" | "LOWER_COL" | "LOWER_DIAG_COL" => Part::Upper,
            "LOWER_ROW" | "LOWER_DIAG_ROW" | "UPPER_COL" | "UPPER_DIAG_COL" => Part::Lower,
            name => {
                let name = show(name.as_bytes());
                let sentence = format!(
                    "EDGE_WEIGHT_FORMAT is '{name}', but should be FULL_MATRIX, UPPER_ROW, \
                     LOWER_DIAG_ROW or the like; correct it"
                );
                return Err(row.malformed(sentence));
            }
        };
        let with_diagonal = matches!(part, Part::Full) || name.contains("DIAG");
        Ok(Self { part, with_diagonal, directed })
    }

    /// The columns of the entries in a row, of a matrix with `n` rows.
    fn columns(&self, row: usize, n: usize) -> std::ops::Range<usize> {
        let diagonal = usize::from(self.with_diagonal);
        match self.part {
            Part::Full => 0..n,
            Part::Upper => row + 1 - diagonal..n,
            Part::Lower => 0..row + diagonal,
        }
    }
}

/// Reads a matrix. The line ends have no meaning.
pub(super) fn matrix(
    graph: &mut NumberedGraph,
    layout: Layout,
    rows: &mut TextRows<'_>,
    options: &ReadOptions,
) -> Result<(), Fault> {
    let n = graph.vertices();
    graph.edges.expect_weights();
    let mut line: Option<Row<'_>> = None;
    // The entries above the diagonal of a full matrix, row by row.
    let mut upper: Vec<TextNumber> = Vec::new();
    for u in 0..n {
        for v in layout.columns(u, n) {
            while line.is_none_or(|line| line.rest().is_empty()) {
                line = rows.next().filter(|row| !starts_with_keyword(row));
                if line.is_none() {
                    let sentence = format!(
                        "the distances end in row {} of {n}; copy the file again, or correct \
                         DIMENSION or EDGE_WEIGHT_FORMAT",
                        u + 1
                    );
                    return Err(Fault::whole(sentence));
                }
            }
            let Some(line) = &mut line else { continue };
            let weight = line.weight(options.nan)?;
            match layout.part {
                _ if u == v => continue,
                Part::Full if layout.directed => {}
                Part::Full if u < v => memory::push(&mut upper, weight)?,
                Part::Full => {
                    // Row v of the triangle begins after n - 1, n - 2, ... entries.
                    let place = v * (2 * n - v - 1) / 2 + u - v - 1;
                    if upper.get(place) != Some(&weight) {
                        let sentence = format!(
                            "the distances between the nodes {} and {} differ; make the matrix \
                             symmetric, or write 'TYPE : ATSP'",
                            v + 1,
                            u + 1
                        );
                        return Err(line.at_word(sentence));
                    }
                    continue;
                }
                Part::Upper | Part::Lower => {}
            }
            graph.edges.push([u as Vertex, v as Vertex], Some(weight));
        }
        let joined = graph.edges.join();
        joined.map_err(|kind| Fault { place: line.map(|line| line.place()), kind })?;
    }
    line.map_or(Ok(()), |mut line| line.end("the last distance"))
}

/// Reads a list of edges, which ends with -1.
pub(super) fn edges(
    graph: &mut NumberedGraph,
    format: &str,
    section: &Row<'_>,
    rows: &mut TextRows<'_>,
    options: &ReadOptions,
) -> Result<(), Fault> {
    if format != "EDGE_LIST" {
        let format = show(format.as_bytes());
        let sentence = format!("EDGE_DATA_FORMAT is '{format}'; write the edges as EDGE_LIST");
        return Err(section.malformed(sentence));
    }
    loop {
        let Some(mut row) = rows.next() else {
            return Err(rows.cut_short("the list of edges has no -1 at its end; it is cut short"));
        };
        if row.rest() == "-1" {
            return Ok(());
        }
        let ends = graph.ends(&mut row)?;
        let weight = row.weight_if_any(options.nan)?;
        row.end("the weight")?;
        graph.edges.add(ends, weight).map_err(|kind| row.fault(kind))?;
    }
}
