//! TSPLIB (Reinelt 1991): problems of traveling salesmen and vehicles, as points with a distance
//! function, or as a matrix of distances.
//!
//! The graph is complete: each two nodes are joined by an edge with their distance, zeros included.
//! A file with a section `EDGE_DATA_SECTION` has these edges instead. The matrix of an asymmetric
//! problem (`TYPE : ATSP`) has an edge for each direction.
//!
//! A complete graph takes memory quadratic in its nodes, so its size is checked before.

mod coordinates;
mod explicit;
mod size;
#[cfg(test)]
mod tests;

use crate::ReadOptions;
use crate::compression::Stream;
use crate::directions::NOTE_ON_DIRECTED;
use crate::fault::Fault;
use crate::head::{Evidence, Head};
use crate::interface::{Format, FormatInfo, Parsed};
use crate::number::show;
use crate::numbered_graph::NumberedGraph;
use crate::rows::{Row, TextRows};
use crate::whole::WholeText;
use coordinates::{Distance, Points};

impl Format {
    /// TSPLIB: points or a matrix of distances.
    pub const TSPLIB: Self = Self::new(&FormatInfo {
        id: "tsp",
        title: "TSPLIB",
        extensions: &["tsp"],
        summary: "TSPLIB: points or a matrix of distances, as a complete graph",
        recognize,
        read,
        ..FormatInfo::READ_ONLY
    });
}

/// The keywords that start a line of the specification.
const KEYWORDS: [&str; 11] = [
    "NAME",
    "TYPE",
    "COMMENT",
    "DIMENSION",
    "CAPACITY",
    "DISTANCE",
    "EDGE_WEIGHT_TYPE",
    "EDGE_WEIGHT_FORMAT",
    "EDGE_DATA_FORMAT",
    "NODE_COORD_TYPE",
    "DISPLAY_DATA_TYPE",
];

/// The end of the keywords that start a part with data.
const SECTION: &str = "_SECTION";

/// Divides a line into its keyword and its value.
fn keyword(line: &str) -> (String, &str) {
    let (keyword, value) = line.split_once([':', ' ', '\t']).unwrap_or((line, ""));
    let value = value.trim_ascii();
    (keyword.to_ascii_uppercase(), value.strip_prefix(':').unwrap_or(value).trim_ascii())
}

/// Recognizes lines that start with keywords up to the dimension or the first section.
fn recognize(head: &Head<'_>) -> Evidence {
    let lines = head.text().lines().map(str::trim_ascii).filter(|line| !line.is_empty());
    for (index, line) in lines.enumerate() {
        let (keyword, _) = keyword(line);
        match &*keyword {
            "DIMENSION" => return Evidence::Signature.when(index > 0 || line.contains(':')),
            word if word.ends_with(SECTION) => return Evidence::Signature,
            word if KEYWORDS.contains(&word) && line.contains(':') => {}
            _ => break,
        }
    }
    Evidence::Absent
}

/// What the lines before the first section say.
#[derive(Default)]
struct Specification {
    kind: String,
    dimension: Option<u64>,
    weight_type: String,
    weight_format: String,
    data_format: String,
}

impl Specification {
    /// Takes a line. Returns whether it has a keyword.
    fn take(&mut self, row: &mut Row<'_>) -> Result<bool, Fault> {
        let (keyword, value) = keyword(row.rest());
        let place = match &*keyword {
            "DIMENSION" => {
                let value = value.as_bytes();
                let dimension = crate::number::natural(value, "dimension");
                self.dimension = Some(dimension.map_err(|sentence| row.malformed(sentence))?);
                return Ok(true);
            }
            "TYPE" => &mut self.kind,
            "EDGE_WEIGHT_TYPE" => &mut self.weight_type,
            "EDGE_WEIGHT_FORMAT" => &mut self.weight_format,
            "EDGE_DATA_FORMAT" => &mut self.data_format,
            word => return Ok(KEYWORDS.contains(&word)),
        };
        *place = value.to_ascii_uppercase();
        Ok(true)
    }

    /// The number of nodes, which must come before the sections.
    fn nodes(&self, row: &Row<'_>) -> Result<NumberedGraph, Fault> {
        let dimension = self.dimension.ok_or_else(|| {
            row.malformed("there is no line 'DIMENSION : NUMBER' before this section; add it")
        })?;
        NumberedGraph::new(dimension).map_err(|kind| row.fault(kind))
    }
}

fn read(mut stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    let text = WholeText::read(&mut stream)?;
    let mut rows = TextRows::new(&text, None);
    let mut specification = Specification::default();
    let (mut graph, mut points) = (None, None);
    let mut row = rows.next();
    while let Some(mut line) = row.take() {
        let (word, _) = keyword(line.rest());
        match &*word {
            "EOF" => break,
            "NODE_COORD_SECTION" => {
                let nodes = specification.nodes(&line)?;
                points = Some(Points::read(nodes.vertices(), &mut rows)?);
            }
            "EDGE_WEIGHT_SECTION" | "EDGE_DATA_SECTION" => {
                let mut nodes = specification.nodes(&line)?;
                if word == "EDGE_DATA_SECTION" {
                    let format = &specification.data_format;
                    explicit::edges(&mut nodes, format, &line, &mut rows, options)?;
                } else {
                    let format = &specification.weight_format;
                    let layout =
                        explicit::Layout::new(format, specification.kind == "ATSP", &line)?;
                    explicit::matrix(&mut nodes, layout, &mut rows, options)?;
                }
                graph = Some(nodes);
            }
            _ if specification.kind == "SOP" => {
                let sentence =
                    "a problem of TYPE SOP has an order of its nodes, which no graph has";
                return Err(line.malformed(sentence));
            }
            "TOUR_SECTION" => {
                let sentence = "this is a tour, which is no graph; name the file of its problem";
                return Err(line.malformed(sentence));
            }
            // Depots, demands, and coordinates to draw.
            word if word.ends_with(SECTION) => {
                row = rows.find(|row| starts_with_keyword(row));
                continue;
            }
            _ if specification.take(&mut line)? => {}
            _ => {
                let word = show(word.as_bytes());
                let sentence = format!(
                    "'{word}' is no keyword of TSPLIB; correct it, or the number of lines before it"
                );
                return Err(line.malformed(sentence));
            }
        }
        row = rows.next();
    }
    finish(&specification, graph, points, options)
}

/// Whether a row is not data of a section.
fn starts_with_keyword(row: &Row<'_>) -> bool {
    row.rest().starts_with(|first: char| first.is_ascii_alphabetic())
}

/// The graph of what has been read.
fn finish(
    specification: &Specification,
    graph: Option<NumberedGraph>,
    points: Option<Points<'_>>,
    options: &ReadOptions,
) -> Result<Parsed, Fault> {
    let is_directed = specification.kind == "ATSP" && graph.is_some();
    let notes = if is_directed { vec![NOTE_ON_DIRECTED.into()] } else { Vec::new() };
    let weight_type = &specification.weight_type;
    let graph = match (graph, &points) {
        (Some(graph), _) => graph,
        (None, Some(points)) => {
            let mut graph = NumberedGraph::new(points.len() as u64)?;
            Distance::new(weight_type).map_err(Fault::whole)?.add_edges(points, &mut graph)?;
            graph
        }
        (None, None) => {
            let sentence = "the file has neither coordinates nor distances; add a section";
            return Err(Fault::whole(sentence));
        }
    };
    let (names, coordinates) = match &points {
        Some(points) if points.len() == graph.vertices() => {
            (points.names(), coordinates::places(points, weight_type)?)
        }
        _ => (None, None),
    };
    Ok(Parsed { coordinates, names, ..graph.finish(options, notes)? })
}
