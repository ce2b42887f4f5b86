//! Vertices at which no edge ends.

use std::ops::Range;

use kostra_core::{Vertex, memory};

use crate::ReadErrorKind;
use crate::columns::Columns;
use crate::message::{Message, Remedy, message};

/// Counts the vertices below `vertices` at which no edge ends.
pub(crate) fn count(vertices: u64, columns: &Columns) -> Result<u64, ReadErrorKind> {
    const BITS: usize = u64::BITS as usize;
    let ends = || columns.u.iter().chain(&columns.v).copied();
    // With a bit per vertex, few ids of ten digits would take more memory than a copy of the ends.
    if vertices / (2 * BITS as u64) > columns.len() as u64 {
        let mut ids: Vec<Vertex> = memory::with_capacity(2 * columns.len())?;
        ids.extend(ends());
        ids.sort_unstable();
        ids.dedup();
        return Ok(vertices.saturating_sub(ids.len() as u64));
    }
    let words = usize::try_from(vertices.div_ceil(BITS as u64)).unwrap_or(usize::MAX);
    let mut occurring: Vec<u64> = Vec::new();
    let bytes = (words as u64).saturating_mul(size_of::<u64>() as u64);
    occurring.try_reserve_exact(words).map_err(|_| ReadErrorKind::OutOfMemory { bytes })?;
    occurring.resize(words, 0);
    for vertex in ends() {
        if let Some(word) = occurring.get_mut(vertex as usize / BITS) {
            *word |= 1 << (vertex as usize % BITS);
        }
    }
    let present: u64 = occurring.iter().map(|word| u64::from(word.count_ones())).sum();
    Ok(vertices.saturating_sub(present))
}

/// The warning for an edge list whose vertices are the ids from 0 to the highest that occurs, if
/// `isolated` of these ids do not occur. `ids` is the range from the lowest to the highest id that
/// occurs.
pub fn isolated_vertices(isolated: u64, ids: Range<u64>) -> Option<Message> {
    let Range { start: lowest, end: vertices } = ids;
    let highest = vertices.checked_sub(1)?;
    let subject = match isolated {
        0 => return None,
        1 => format!("one of the {vertices} vertices is isolated"),
        _ => format!("{isolated} of the {vertices} vertices are isolated"),
    };
    let reason = match lowest {
        1 if isolated == 1 => "no edge ends at vertex 0, so ids probably count from 1".to_owned(),
        _ if isolated == lowest => format!("no edge ends at the vertices 0 to {}", lowest - 1),
        _ => format!("no edge ends at some ids from 0 to {highest}"),
    };
    Some(message![
        format!("{subject}: {reason}; with "),
        Remedy::on("names"),
        " only ids that occur are vertices",
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warning(isolated: u64, ids: Range<u64>) -> Option<String> {
        isolated_vertices(isolated, ids).map(|warning| warning.to_string())
    }

    #[test]
    fn isolated_vertices_are_counted_and_said() {
        let mut columns = Columns::default();
        columns.push_ends(101, 102);
        columns.push_ends(103, 103);
        for vertices in [104, 4_000_000_000] {
            assert_eq!(count(vertices, &columns).unwrap(), vertices - 3);
        }
        assert_eq!(warning(0, 0..3), None);
        let rest = "; with `names(true)` only ids that occur are vertices";
        for (isolated, ids, start) in [
            (
                101,
                101..104,
                "101 of the 104 vertices are isolated: no edge ends at the vertices 0 to 100",
            ),
            (
                1,
                1..4,
                "one of the 4 vertices is isolated: no edge ends at vertex 0, so ids probably count from 1",
            ),
            (1, 0..4, "one of the 4 vertices is isolated: no edge ends at some ids from 0 to 3"),
            (7, 1..10, "7 of the 10 vertices are isolated: no edge ends at some ids from 0 to 9"),
        ] {
            assert_eq!(warning(isolated, ids), Some(format!("{start}{rest}")));
        }
    }
}
