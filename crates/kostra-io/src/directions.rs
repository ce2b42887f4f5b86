//! Whether the edges of an input have directions.

use std::fmt;

use crate::interface::Format;

/// The formats in which each edge has a first end and a second one.
const OF_ROWS: &[Format] = &[
    Format::DIMACS,
    Format::EDGE_LIST,
    Format::TABLE,
    Format::WRITTEN,
    Format::SHEET,
    Format::PARQUET,
    Format::TGF,
    Format::RAW,
    Format::KST,
];

/// The formats that say whether the graph is directed, which their readers note.
const THAT_SAY: &[Format] = &[
    Format::GRAPHML,
    Format::GEXF,
    Format::XGMML,
    Format::DOT,
    Format::GML,
    Format::NODE_LINK,
    Format::TSPLIB,
    Format::GAP,
    Format::DIMACS_FLOW,
];

/// The note of a reader on a graph that its file calls directed.
pub(crate) const NOTE_ON_DIRECTED: &str = "the graph is directed; directions are ignored";
/// The start of this note and of that for the GAP binary format.
const IS_DIRECTED: &str = "the graph is directed";
/// In the note that a row has a cost for each of its directions.
const BOTH_COSTS: &str = "'reverse_cost'";
/// In the note that rows and columns are vertices.
const IS_MATRIX: &str = "read as a matrix";

/// Why an input is not read as a directed graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Undirected {
    /// A row has a cost for each of its directions.
    BothCosts,
    /// The input, which has this title, is not directed, or its reader does not keep directions.
    Input(&'static str),
}

impl fmt::Display for Undirected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BothCosts => f.write_str(
                "the input has the costs of both directions in one row; write a row for each \
                 direction",
            ),
            Self::Input(title) => write!(
                f,
                "the edges of this {title} have no directions; write them as an edge list, each \
                 from its first end to its second"
            ),
        }
    }
}

/// Removes the notes that directions are ignored, for a program that follows each edge from its
/// first end to its second. An input without a format was generated, and has directions.
///
/// # Errors
/// If the edges have no directions.
pub fn take_directions(format: Option<Format>, notes: &mut Vec<String>) -> Result<(), Undirected> {
    let has_note = |text: &str| notes.iter().any(|note| note.contains(text));
    if has_note(BOTH_COSTS) {
        return Err(Undirected::BothCosts);
    }
    let (says, is_matrix) = (has_note(IS_DIRECTED), has_note(IS_MATRIX));
    let of_format =
        |format| OF_ROWS.contains(&format) && !is_matrix || THAT_SAY.contains(&format) && says;
    match format {
        Some(format) if !of_format(format) => Err(Undirected::Input(format.title())),
        _ => {
            notes.retain(|note| !note.contains(IS_DIRECTED));
            Ok(())
        }
    }
}
