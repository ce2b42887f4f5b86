//! Reading whole ECL files.

use crate::columns::Weights;
use crate::compression::Stream;
use crate::fault::Fault;
use crate::interface::Parsed;
use crate::mirror::Rows;
use crate::words::{Words, vertex};
use crate::{ReadOptions, weights};

/// Reads a graph. With weights this takes at most 36 bytes per edge and 16 per vertex; the graph
/// itself has 12 bytes per edge.
pub(super) fn read(stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    let mut file = Words::new(stream, "its first two numbers");
    let counts = file.array(2, |at, word| {
        let (what, count) =
            (if at == 0 { "vertices" } else { "entries" }, i32::from_le_bytes(word));
        usize::try_from(count).map_err(|_| format!("there cannot be {count} {what}"))
    })?;
    let [n, entries] = counts[..] else { return Err(Fault::at_byte(0, "the file has no header")) };
    let offsets = file.starts(n, entries, |word| i32::from_le_bytes(word).into())?;

    file.what = "its neighbors";
    let first_neighbor = file.offset;
    let neighbors = file.array(entries, |_, word| vertex(i32::from_le_bytes(word), n))?;

    file.what = "its weights";
    let weighted = entries == 0 || !file.ended()?;
    let weights = if weighted {
        file.array(entries, |_, word| Ok(i32::from_le_bytes(word)))?
    } else {
        Vec::new()
    };
    if !file.ended()? {
        return Err(Fault::at_byte(file.offset, "the file goes on after its weights"));
    }

    let rows = Rows { offsets: &offsets, neighbors: &neighbors, weights: &weights, first: 0 };
    let edges = rows.edges()?.map_err(|asymmetry| {
        Fault::at_byte(first_neighbor + 4 * asymmetry.entry as u64, asymmetry.sentence)
    })?;
    drop((offsets, neighbors, weights));
    let mut notes = Vec::new();
    let graph = weights::RawGraph::new(n, edges.into_columns(Weights::I32), weighted)
        .build(options, &mut notes)?;
    Ok(Parsed::new(graph, notes))
}
