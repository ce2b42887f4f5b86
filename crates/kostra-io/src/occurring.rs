//! Numbers for the vertices that occur, if ids have gaps.

use kostra_core::{Vertex, memory};

use crate::ReadErrorKind;
use crate::columns::Columns;
use crate::fault::Fault;
use crate::interface::{ReadOptions, Vertices};
use crate::message::{Remedy, message};

/// The note if some ids are no vertices, because no edge ends at them.
pub const NOTE_ON_IDS: &str = "the vertices are the ids that occur; others are skipped";

/// The largest plausible number of vertices of a graph with `edges` edges. Beyond it, the ids are
/// probably names, and an array per vertex would waste memory.
pub(crate) fn most_plausible_vertices(edges: u64) -> u64 {
    64 * edges + 1_000_000
}

/// Whether all names are integers, as they are written without zeros in front.
pub(crate) fn are_ids(names: &[String]) -> bool {
    !names.is_empty()
        && names.iter().all(|name| {
            let digits = name.strip_prefix('-').unwrap_or(name);
            let has_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            has_digits && (!digits.starts_with('0') || name == "0")
        })
}

/// Numbers the vertices that occur in the order of their ids, and returns the ids as names.
/// `vertices` is more than the highest id.
///
/// Takes a number per id if the ids are at most `dense`, and otherwise a search per end of an edge
/// among the ids in the same range.
pub(crate) fn renumber(
    columns: &mut Columns,
    vertices: u64,
    dense: u64,
) -> Result<Vec<String>, ReadErrorKind> {
    let ids = if vertices <= dense {
        number_by_table(columns, usize::try_from(vertices).unwrap_or(usize::MAX))?
    } else {
        number_by_search(columns, vertices)?
    };
    Ok(memory::collected(ids.iter().map(ToString::to_string))?)
}

/// The number of vertices of an edge list, and their ids if some do not occur.
pub(crate) fn vertices_of(
    columns: &mut Columns,
    options: &ReadOptions,
) -> Result<(u64, Option<Vec<String>>), Fault> {
    /// The most ids per edge for which a number per id is reasonable.
    const DENSE: u64 = 64;
    let highest = columns.u.iter().chain(&columns.v).max();
    let from_ids = highest.map_or(0, |&highest| u64::from(highest) + 1);
    let dense = DENSE * columns.len() as u64;
    match options.vertices {
        Vertices::Occurring => {
            let names = renumber(columns, from_ids, dense)?;
            let count = names.len() as u64;
            Ok((count, (count < from_ids).then_some(names)))
        }
        Vertices::Count(count) if from_ids <= count.into() => Ok((count.into(), None)),
        Vertices::Count(count) => {
            let highest = from_ids - 1;
            Err(Fault::whole(message![
                Remedy::option("vertices"),
                format!(" is {count}, but vertices count from 0 to the highest, {highest}"),
                format!("; pass at least {from_ids}"),
            ]))
        }
        Vertices::UpToHighest if from_ids <= dense + 1_000_000 => Ok((from_ids, None)),
        Vertices::UpToHighest => Err(Fault::whole(format!(
            "the largest vertex is {}, too large for {} edges; number the vertices from 0",
            from_ids - 1,
            columns.len()
        ))),
    }
}

fn number_by_table(columns: &mut Columns, vertices: usize) -> Result<Vec<Vertex>, ReadErrorKind> {
    let mut numbers: Vec<Vertex> = memory::filled(vertices, 0)?;
    for &id in columns.u.iter().chain(&columns.v) {
        if let Some(number) = numbers.get_mut(id as usize) {
            *number = 1;
        }
    }
    let mut ids = Vec::new();
    for (id, number) in numbers.iter_mut().enumerate().filter(|(_, number)| **number == 1) {
        *number = ids.len() as Vertex;
        memory::push(&mut ids, id as Vertex)?;
    }
    for end in columns.u.iter_mut().chain(&mut columns.v) {
        *end = numbers.get(*end as usize).copied().unwrap_or_default();
    }
    Ok(ids)
}

fn number_by_search(columns: &mut Columns, vertices: u64) -> Result<Vec<Vertex>, ReadErrorKind> {
    let mut ids: Vec<Vertex> = memory::with_capacity(columns.u.len() + columns.v.len())?;
    ids.extend(columns.u.iter().chain(&columns.v).copied());
    ids.sort_unstable();
    ids.dedup();
    // As many ranges of ids as there are ids, so that most ranges contain few.
    let width = vertices.div_ceil(ids.len().max(1) as u64).max(1);
    let mut starts: Vec<Vertex> = memory::filled(ids.len() + 1, 0)?;
    for &id in &ids {
        starts[(u64::from(id) / width) as usize + 1] += 1;
    }
    let mut before = 0;
    for start in &mut starts {
        before += *start;
        *start = before;
    }
    for end in columns.u.iter_mut().chain(&mut columns.v) {
        let range = (u64::from(*end) / width) as usize;
        let start = starts[range];
        let same = &ids[start as usize..starts[range + 1] as usize];
        *end = start + same.binary_search(end).unwrap_or_default() as Vertex;
    }
    Ok(ids)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_names_are_no_ids() {
        assert!(!are_ids(&[]));
    }

    #[test]
    fn only_integers_in_their_usual_form_are_ids() {
        for id in ["0", "7", "-7", "18446744073709551616"] {
            assert!(are_ids(&[id.to_owned()]), "{id}");
        }
        for name in ["", "-", "-0", "07", "+7", "7a", "7.0"] {
            assert!(!are_ids(&["1".to_owned(), name.to_owned()]), "{name}");
        }
    }

    #[test]
    fn both_ways_number_the_ids_that_occur_in_their_order() {
        for dense in [0, 100] {
            let mut columns = Columns::default();
            columns.push_ends(70, 9);
            columns.push_ends(9, 12);
            assert_eq!(renumber(&mut columns, 71, dense).unwrap(), ["9", "12", "70"]);
            assert_eq!((&columns.u[..], &columns.v[..]), (&[2, 0][..], &[0, 1][..]));
        }
    }
}
