//! Whether the edges of an input have directions.

use kostra_io::Format;

use crate::input::InputGraph;

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

/// The start of the note of a reader that a graph is directed.
const IS_DIRECTED: &str = "the graph is directed";
/// In the note that a row has a cost for each of its directions.
const BOTH_COSTS: &str = "'reverse_cost'";
/// In the note that rows and columns are vertices.
const IS_MATRIX: &str = "read as a matrix";

/// Replaces the notes on directions by one that says what the directions are.
///
/// # Errors
/// When the input is not directed, or its reader does not keep the directions.
pub(super) fn check(input: &mut InputGraph) -> anyhow::Result<()> {
    let has_note = |text: &str| input.notes.iter().any(|note| note.contains(text));
    if has_note(BOTH_COSTS) {
        anyhow::bail!(
            "the input has the costs of both directions in one row; write a row for each direction"
        );
    }
    let (says, is_matrix) = (has_note(IS_DIRECTED), has_note(IS_MATRIX));
    let has_directions = input.format.is_none_or(|format| {
        OF_ROWS.contains(&format) && !is_matrix || THAT_SAY.contains(&format) && says
    });
    if !has_directions {
        let title = input.format.map_or("input", Format::title);
        anyhow::bail!(
            "the edges of this {title} have no directions; write them as an edge list, each from \
             its first end to its second, or use `kostra solve --root` for edges in both directions"
        );
    }
    input.notes.retain(|note| !note.contains(IS_DIRECTED));
    input.notes.push("each edge leads from its first end to its second".to_owned());
    Ok(())
}
