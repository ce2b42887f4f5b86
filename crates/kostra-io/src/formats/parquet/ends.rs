//! The vertices of the edges: numbers, or names that are numbered.

use std::collections::HashMap;

use kostra_core::{MAX_VERTICES, Vertex};

use super::cells::Cells;
use super::column::{Column, Kind};
use super::file::{File, Group};
use crate::columns::{Columns, TextNumber};
use crate::fault::Fault;
use crate::interface::Vertices;
use crate::isolated::{self, isolated_vertices};
use crate::message::{Message, Remedy, message};
use crate::number::show;
use crate::numbering::Numbering;
use crate::occurring::most_plausible_vertices;
use crate::{ReadErrorKind, ReadOptions, occurring};

/// Whether the vertices in these columns are names: by the options, or if they are text or beyond
/// the ids of vertices.
///
/// # Errors
/// When they are neither numbers nor names, or names that the options exclude.
pub(super) fn are_names(
    file: &File,
    ends: [usize; 2],
    options: &ReadOptions,
) -> Result<bool, Fault> {
    let named = ends.map(|end| file.columns.get(end));
    let kinds = || named.into_iter().flatten().filter_map(|end| Some((end, end.content.ok()?.1)));
    let name = |end: &Column| show(end.name.as_bytes());
    for (end, kind) in kinds() {
        let what = match kind {
            Kind::Integers { .. } | Kind::Decimals { digits: 0 } | Kind::Texts => continue,
            Kind::Floats | Kind::Decimals { .. } => "decimals",
            Kind::Booleans => "booleans",
            Kind::Dates | Kind::Times { .. } | Kind::TimesOf96Bits => "dates or times",
        };
        return Err(Fault::whole(format!(
            "column '{}' contains {what}, but vertices are whole numbers or text; store it as \
             integers, or choose another column",
            name(end)
        )));
    }
    if options.names {
        return Ok(true);
    }
    let text = kinds().find(|(_, kind)| *kind == Kind::Texts);
    match (text, options.vertices) {
        (Some((end, _)), Vertices::Count(_)) => Err(Fault::whole(message![
            format!("column '{}' contains text, so its vertices are names; omit ", name(end)),
            Remedy::option("vertices"),
        ])),
        (Some(_), _) => Ok(true),
        (None, Vertices::Occurring) => has_large_ids(file, ends, options.thread_count()),
        (None, _) => Ok(false),
    }
}

/// Whether an integer is too large for the id of a vertex.
fn has_large_ids(file: &File, ends: [usize; 2], threads: usize) -> Result<bool, Fault> {
    let scan = |group: Group<'_>| {
        let mut found = false;
        file.scan_group(group, &ends, |ends| {
            found |= ends.iter().any(|end| (0..end.rows()).any(|row| is_large(end.number(row))));
            Ok(())
        })?;
        Ok(found)
    };
    let mut results = File::on_threads(&file.groups(), threads, scan).into_iter();
    results.try_fold(false, |found, result| Ok(found | result?))
}

fn is_large(id: Option<TextNumber>) -> bool {
    match id {
        Some(TextNumber::Integer(id)) => id >= MAX_VERTICES as i64,
        Some(TextNumber::Huge(_)) => true,
        _ => false,
    }
}

/// The number of the name in a row. `shared` contains those of [shared](Cells::shared) texts of the
/// group, which may be too long to be looked up for each row.
pub(super) fn named(
    end: &Cells<'_>,
    row: usize,
    numbering: &mut Numbering,
    shared: &mut HashMap<usize, Vertex>,
) -> Result<Vertex, ReadErrorKind> {
    let address = end.shared(row);
    if let Some(&number) = address.and_then(|address| shared.get(&address)) {
        return Ok(number);
    }
    let name = end.text(row)?;
    if name.is_empty() {
        return Err(end.fault(row, "the vertex is missing; fill it in"));
    }
    let number = numbering.number(&name)?;
    shared.extend(address.map(|address| (address, number)));
    Ok(number)
}

/// The vertex in a row of numbers.
pub(super) fn vertex(end: &Cells<'_>, row: usize) -> Result<Vertex, ReadErrorKind> {
    match end.number(row) {
        Some(TextNumber::Integer(value)) if (0..MAX_VERTICES as i64).contains(&value) => {
            Ok(value as Vertex)
        }
        Some(TextNumber::Integer(value @ ..0)) => Err(end.fault(
            row,
            message![
                format!("the vertex {value} is negative; with "),
                Remedy::on("names"),
                " any integer is a vertex",
            ],
        )),
        Some(TextNumber::Integer(_) | TextNumber::Huge(_)) => Err(end.fault(
            row,
            message![
                "the vertex is too large; with ",
                Remedy::on("names"),
                " only vertices that occur are numbered",
            ],
        )),
        _ => Err(end.fault(row, "the vertex is missing; fill it in")),
    }
}

/// The number of vertices, and their ids if some do not occur. `stated` is the number that the file
/// states.
pub(super) fn conclude(
    columns: &mut Columns,
    stated: Option<u32>,
    options: &ReadOptions,
    [notes, warnings]: [&mut Vec<Message>; 2],
) -> Result<(u64, Option<Vec<String>>), ReadErrorKind> {
    let ends = || columns.u.iter().chain(&columns.v).copied();
    let (lowest, highest) = (ends().min().unwrap_or_default(), ends().max());
    let from_ids = highest.map_or(0, |highest| u64::from(highest) + 1);
    let dense = most_plausible_vertices(columns.len() as u64);
    let stated = match options.vertices {
        Vertices::Count(count) => Some(count),
        _ => stated.filter(|&stated| from_ids <= u64::from(stated)),
    };
    match (stated.map(u64::from), options.vertices) {
        (Some(count), _) if from_ids <= count => Ok((count, None)),
        (Some(count), _) => Err(beyond(from_ids - 1, count as u32, options)),
        (None, Vertices::Occurring) => {
            let names = occurring::renumber(columns, from_ids, dense)?;
            let count = names.len() as u64;
            if count == from_ids {
                return Ok((count, None));
            }
            notes.push(occurring::NOTE_ON_IDS.into());
            Ok((count, Some(names)))
        }
        (None, _) => {
            refuse_implausible(from_ids, columns.len() as u64)?;
            let isolated = isolated::count(from_ids, columns)?;
            let ids = u64::from(lowest)..from_ids;
            warnings.extend(isolated_vertices(isolated, ids));
            Ok((from_ids, None))
        }
    }
}

/// The error for an edge at a vertex beyond the stated number.
pub(super) fn beyond(vertex: u64, stated: u32, options: &ReadOptions) -> ReadErrorKind {
    let option = Remedy::option("vertices");
    let but = format!("an edge ends at vertex {vertex}, but ");
    let from_0 = format!(" is {stated} and vertices count from 0; pass ");
    let least = format!("at least {}", vertex + 1);
    ReadErrorKind::malformed(match options.vertices {
        Vertices::Count(_) => message![but, option, from_0, least],
        _ => message![but, "the number of vertices in the file", from_0, option, " with ", least],
    })
}

/// Refuses ids that are far above the number of edges, unless only those that occur are vertices.
pub(super) fn refuse_implausible(from_ids: u64, edges: u64) -> Result<(), ReadErrorKind> {
    if from_ids <= most_plausible_vertices(edges) {
        return Ok(());
    }
    let edges = kostra_core::counted(edges, "edge", "edges");
    Err(ReadErrorKind::malformed(message![
        format!("the largest vertex is {}, too large for a graph of {edges}; with ", from_ids - 1),
        Remedy::on("names"),
        ", only vertices that occur are numbered",
    ]))
}
