//! The columns that tell the alternatives to an edge.

use kostra::variants::Alternatives;
use kostra_core::{EdgeId, OutOfMemory, with_graph};
use kostra_io::{KeptColumns, KeptKind, Parsed};

/// Whether an edge is in every best forest, in some, or in none.
pub(super) fn membership(alternatives: &Alternatives, edge: EdgeId) -> &'static str {
    match (alternatives.in_every(edge), alternatives.in_some(edge)) {
        (true, _) => "every",
        (false, true) => "some",
        (false, false) => "none",
    }
}

/// The kept columns after three columns of the alternatives, with a row for each edge.
///
/// # Errors
/// When the system refuses memory.
pub(super) fn columns(
    parsed: &Parsed,
    alternatives: &Alternatives,
) -> Result<KeptColumns, OutOfMemory> {
    let empty = KeptColumns::default();
    let kept = parsed.kept.as_ref().unwrap_or(&empty);
    let mut names = ["forests", "rival", "rival_weight"].map(str::to_owned).to_vec();
    let mut kinds = vec![KeptKind::Text, KeptKind::Integer, KeptKind::Unknown];
    names.extend_from_slice(kept.names());
    kinds.extend_from_slice(kept.kinds());
    let mut columns = KeptColumns::with_kinds(names, kinds);
    with_graph!(&parsed.graph, graph => {
        let weights = graph.edge_list().weights();
        for edge in 0..weights.len() as EdgeId {
            let rival = alternatives.rival(edge);
            let id = rival.map(|rival| rival.to_string());
            let weight = rival.map(|rival| weights[rival as usize].to_string());
            columns.push_value(Some(membership(alternatives, edge)));
            columns.push_value(id.as_deref());
            columns.push_value(weight.as_deref());
            kept.values(edge as usize).for_each(|value| columns.push_value(value));
        }
    });
    Ok(columns)
}
