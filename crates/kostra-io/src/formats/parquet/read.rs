//! Reading a table of edges.

use std::collections::HashMap;

use kostra_core::Vertex;

use super::cells::Cells;
use super::column::Kind;
use super::ends::{are_names, conclude, named, vertex};
use super::file::{File, Group};
use super::headers::Stored;
use crate::column_choice::{Chooser, Chosen, NOTE_ON_COSTS, cheaper, reverse_of, similarity};
use crate::columns::{Columns, TextNumber};
use crate::compression::Stream;
use crate::fault::Fault;
use crate::fields::left_out;
use crate::formats::edge_list::missing_value;
use crate::held_memory::HeldMemory;
use crate::interface::Parsed;
use crate::message::{Message, Remedy, message};
use crate::numbering::Numbering;
use crate::weights::RawGraph;
use crate::{KeptColumns, KeptKind, Nan, ReadErrorKind, ReadOptions, damage, whole};

/// Reads a graph.
pub(super) fn read(mut stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    let bytes = whole::bytes(&mut stream)?;
    damage::catch(|| read_table(Stored::in_memory(bytes), options))
        .unwrap_or_else(|damage| Err(Fault::whole(damage)))
}

fn read_table(stored: Stored, options: &ReadOptions) -> Result<Parsed, Fault> {
    let file = File::open(stored, &HeldMemory::default())?;
    let (mut notes, mut warnings) = (Vec::new(), Vec::new());
    let Choice { chosen, reverse, kept: keep } = choose(&file, options, &mut notes)?;
    let ends = [chosen.u, chosen.v];
    let (wanted, names): (Vec<_>, Vec<_>) = keep.into_iter().unzip();
    let kinds = wanted.iter().map(|&column| kind_of(&file, column)).collect();
    let kept = KeptColumns::with_kinds(names, kinds);
    let text_names = ends.iter().any(|&end| kind_of(&file, end) == KeptKind::Text);
    let wanted: Vec<_> =
        ends.into_iter().chain(chosen.weight).chain(reverse).chain(wanted).collect();
    let table = Table { file: &file, weight: chosen.weight, reverse, wanted, options };
    let mut rows = Rows { columns: Columns::default(), kept };
    let (vertices, names) = if are_names(&file, ends, options)? {
        let mut numbering = Numbering::default();
        for group in file.groups() {
            let mut shared = HashMap::new();
            let number = |end: &Cells<'_>, row| named(end, row, &mut numbering, &mut shared);
            table.read_group(group, &mut rows, number)?;
        }
        if !options.names {
            notes.push("the vertices are names".into());
        }
        let names = numbering.into_names()?;
        warnings.extend(missing_value(&names));
        (names.len() as u64, Some(names))
    } else {
        table.read_on_threads(&mut rows)?;
        conclude(&mut rows.columns, file.vertices(), options, [&mut notes, &mut warnings])?
    };
    let vertices = usize::try_from(vertices).unwrap_or(usize::MAX);
    let graph = RawGraph::new(vertices, rows.columns, chosen.weight.is_some());
    let graph = graph.build(options, &mut notes)?;
    notes.extend_from_slice(&warnings);
    let kept = Some(rows.kept).filter(|kept| !kept.names().is_empty());
    let names_are_ids = !options.names && names.is_some() && !text_names;
    let similarity = similarity_of(&file, chosen);
    let rest = Parsed::new(graph, notes);
    Ok(Parsed { names, text_names, names_are_ids, warnings, kept, similarity, ..rest })
}

/// The kind of the values of a column.
pub(super) fn kind_of(file: &File, column: usize) -> KeptKind {
    match file.columns.get(column).map(|column| column.content) {
        Some(Ok((_, Kind::Integers { .. } | Kind::Decimals { digits: 0 }))) => KeptKind::Integer,
        Some(Ok((_, Kind::Floats))) => KeptKind::Float,
        Some(Ok((_, Kind::Booleans))) => KeptKind::Boolean,
        // A float would round decimals.
        Some(Ok(_) | Err(_)) | None => KeptKind::Text,
    }
}

/// See [`Loaded::similarity`](crate::Loaded).
pub(super) fn similarity_of(file: &File, chosen: Chosen) -> Option<String> {
    similarity(
        chosen
            .weight
            .and_then(|column| file.columns.get(column))
            .map(|column| column.name.as_bytes()),
    )
}

/// The columns that are used.
pub(super) struct Choice {
    pub(super) chosen: Chosen,
    /// The weights in the other direction.
    pub(super) reverse: Option<usize>,
    /// The columns that are kept, and their names.
    kept: Vec<(usize, String)>,
}

/// The columns of the vertices and the weight, and the columns that are kept.
pub(super) fn choose(
    file: &File,
    options: &ReadOptions,
    notes: &mut Vec<Message>,
) -> Result<Choice, Fault> {
    let columns = &file.columns;
    if columns.len() < 2 {
        let count = kostra_core::counted(columns.len() as u64, "column", "columns");
        let sentence = format!("an edge needs two vertices, but the file has {count}");
        return Err(Fault::whole(sentence));
    }
    let names: Vec<&[u8]> = columns.iter().map(|column| column.name.as_bytes()).collect();
    let first: Vec<String> = match file.rows {
        0 => Vec::new(),
        _ => (0..columns.len()).map(|column| file.first(column)).collect::<Result<_, _>>()?,
    };
    let row: Vec<&[u8]> = first.iter().map(String::as_bytes).collect();
    let chooser = Chooser {
        names: Some(&names),
        row: &row,
        columns: columns.len(),
        third_is_weight: false,
        options,
    };
    let chosen = chooser.choose()?;
    let taken = [Some(chosen.u), Some(chosen.v), chosen.weight];
    let kept = chooser.kept(|column| taken.contains(&Some(column)))?;
    let reverse = reverse_of(Some(&names), chosen.weight, options)?;
    let used = taken.into_iter().chain([reverse]).flatten();
    let used = used.chain(kept.iter().map(|&(column, _)| column));
    notes.extend(left_out(names.len(), Some(&names), used));
    notes.extend(reverse.map(|_| NOTE_ON_COSTS.into()));
    Ok(Choice { chosen, reverse, kept })
}

/// The columns that are read.
pub(super) struct Table<'a> {
    pub(super) file: &'a File,
    pub(super) weight: Option<usize>,
    /// The column of weights in the other direction.
    pub(super) reverse: Option<usize>,
    /// Two columns of vertices, perhaps one or two of weights, and those that are kept.
    pub(super) wanted: Vec<usize>,
    pub(super) options: &'a ReadOptions,
}

/// Rows that have been read.
#[derive(Default)]
pub(super) struct Rows {
    pub(super) columns: Columns,
    kept: KeptColumns,
}

impl Table<'_> {
    /// Reads a table whose vertices are numbers: as many groups of rows at a time as there are
    /// threads.
    fn read_on_threads(&self, rows: &mut Rows) -> Result<(), Fault> {
        let threads = self.options.thread_count();
        for groups in self.file.groups().chunks(threads) {
            let read = |group: Group<'_>| {
                let mut rows = Rows::default();
                let vertex = |end: &Cells<'_>, row| vertex(end, row);
                self.read_group(group, &mut rows, vertex).map(|()| rows)
            };
            for (group, part) in groups.iter().zip(File::on_threads(groups, threads, read)) {
                self.join(group.rows.start, part?, rows)?;
            }
        }
        Ok(())
    }

    /// Appends the rows of a group. `vertex` returns the vertex in a row of a column.
    fn read_group(
        &self,
        group: Group<'_>,
        rows: &mut Rows,
        vertex: impl FnMut(&Cells<'_>, usize) -> Result<Vertex, ReadErrorKind>,
    ) -> Result<(), Fault> {
        self.scan_group(group, vertex, |first, batch| self.join(first, batch, rows))
    }

    /// Calls `each` with batches of the rows of a group, and the number of their first row.
    pub(super) fn scan_group(
        &self,
        group: Group<'_>,
        mut vertex: impl FnMut(&Cells<'_>, usize) -> Result<Vertex, ReadErrorKind>,
        mut each: impl FnMut(usize, Rows) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        self.file.scan_group(group, &self.wanted, |cells| {
            let Some(([u, v], rest)) = cells.split_first_chunk() else { return Ok(()) };
            let (weight, kept) = rest.split_at(usize::from(self.weight.is_some()).min(rest.len()));
            let weight = weight.first();
            let (reverse, kept) =
                kept.split_at(usize::from(self.reverse.is_some()).min(kept.len()));
            let reverse = reverse.first();
            let mut batch = Rows::default();
            let mut shared = HashMap::new();
            for row in 0..u.rows() {
                batch.columns.push_ends(vertex(u, row)?, vertex(v, row)?);
                if let Some(weight) = weight {
                    let mut cost = self.weight_in(weight, row)?;
                    if let Some(reverse) = reverse {
                        let costs = [cost, self.weight_in(reverse, row)?];
                        cost = cheaper(costs, self.options)
                            .map_err(|sentence| weight.fault(row, sentence))?;
                    }
                    batch.columns.push_weight(cost);
                }
                for column in kept {
                    let address = column.shared(row);
                    if let Some(&place) = address.and_then(|address| shared.get(&address)) {
                        batch.kept.push_place(Some(place));
                        continue;
                    }
                    let text = column.text(row)?;
                    let place = (!column.is_missing(row)).then(|| batch.kept.store(&text));
                    shared.extend(address.zip(place));
                    batch.kept.push_place(place);
                }
            }
            each(u.first(), batch)
        })
    }

    /// Appends `more` rows. The first of them is row `first` of the table.
    fn join(&self, first: usize, mut more: Rows, rows: &mut Rows) -> Result<(), Fault> {
        self.join_columns(first, &mut more.columns, &mut rows.columns)?;
        rows.kept.append(&mut more.kept)?;
        Ok(())
    }

    /// Appends `more` edges. The first of them is row `first` of the table.
    pub(super) fn join_columns(
        &self,
        first: usize,
        more: &mut Columns,
        columns: &mut Columns,
    ) -> Result<(), ReadErrorKind> {
        let weight = self.weight.and_then(|weight| self.file.columns.get(weight));
        columns.join(more, usize::MAX, |edge| edge).map_err(|fault| match (fault.kind, weight) {
            (ReadErrorKind::Malformed(sentence), Some(weight)) => {
                weight.fault(first + fault.offset.unwrap_or_default(), sentence)
            }
            (kind, _) => kind,
        })
    }

    /// The weight in a row.
    fn weight_in(&self, weight: &Cells<'_>, row: usize) -> Result<TextNumber, ReadErrorKind> {
        let Some(number) = weight.number(row) else {
            let sentence = "the weight is not a number; store the column as numbers";
            return Err(weight.fault(row, sentence));
        };
        if self.options.nan == Nan::Error && matches!(number, TextNumber::Float(w) if w.is_nan()) {
            let what = if weight.is_missing(row) { "missing" } else { "NaN" };
            let fault = format!("the weight is {what}; fix it, or pass ");
            return Err(weight.fault(row, message![fault, Remedy::skip_nan()]));
        }
        Ok(number)
    }
}
