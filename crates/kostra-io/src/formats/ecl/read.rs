//! Reading whole ECL files.

use kostra_core::OutOfMemory;

use crate::columns::Weights;
use crate::compression::Stream;
use crate::fault::Fault;
use crate::interface::Parsed;
use crate::mirror::{Division, EdgeColumns, FileRows, Keep};
use crate::row_file::{Arrays, Layout, RowFile};
use crate::words::{Words, vertex};
use crate::{ReadOptions, weights};

/// Reads a graph, which has 12 bytes per edge. All threads read a regular file, which takes 8 bytes
/// per vertex besides the graph. Another input with weights takes at most 28 bytes per edge and 8
/// per vertex.
pub(super) fn read(stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    let (n, weighted, edges) = match read_file(&stream, options)? {
        Some(whole) => whole,
        None => read_stream(stream, options)?,
    };
    let mut notes = Vec::new();
    let graph = weights::RawGraph::new(n, edges.into_columns(Weights::I32), weighted)
        .build(options, &mut notes)?;
    Ok(Parsed::new(graph, notes))
}

/// The number of vertices, whether there are weights, and the edges.
type Content = (usize, bool, EdgeColumns<i32>);

/// Reads a regular file on all threads. `None` if the input is no regular file or has a fault.
fn read_file(stream: &Stream<'_>, options: &ReadOptions) -> Result<Option<Content>, OutOfMemory> {
    let Some(file) = RowFile::new(stream) else { return Ok(None) };
    let header = file.numbers::<i32, 2>(0).map(|counts| counts.map(usize::try_from));
    let Some([Ok(n), Ok(entries)]) = header else { return Ok(None) };
    let bare = 4 * (3 + n as u64 + entries as u64);
    let weighted = entries == 0 || file.length() != bare;
    if weighted && file.length() != bare + 4 * entries as u64 {
        return Ok(None);
    }
    let arrays = Arrays::Apart { weighted };
    let layout = Layout { n, entries, starts: 8, wide_starts: false, arrays };
    let edges = file.edges(&layout, Keep::Symmetric, options.thread_count())?;
    Ok(edges.map(|edges| (n, weighted, edges)))
}

/// Reads any input in order, and finds the first fault.
fn read_stream(stream: Stream<'_>, options: &ReadOptions) -> Result<Content, Fault> {
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

    let rows = FileRows { offsets: &offsets, neighbors: &neighbors, weights: &weights, first: 0 };
    let division = Division::among(options.thread_count());
    let edges = rows.edges(division)?.map_err(|asymmetry| {
        Fault::at_byte(first_neighbor + 4 * asymmetry.entry as u64, asymmetry.sentence)
    })?;
    Ok((n, weighted, edges))
}
