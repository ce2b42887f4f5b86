//! The layout of the lines of an edge list, recognized by its first lines and the options.

mod naming;

use kostra_core::counted;

use super::comment_header::{options_with_names, says_edges};
use super::header::{Counts, FirstLine, refuse_names_with_values, refuse_open_columns};
use crate::column_choice::{Chooser, Chosen, NOTE_ON_COSTS, reverse_of, similarity};
use crate::fields::{
    DividedLines, DividedRows, Fields, MOST_COLUMNS, Separator, cut, is_empty, left_out,
    open_quote, weight_in,
};
use crate::interface::{Format, Vertices};
use crate::message::{Message, Remedy, message};
use crate::quotes::is_open;
use crate::{ColumnOptions, Header, ReadErrorKind, ReadOptions};
use naming::{commas_are_in_doubt, has_commas, looks_named, numbers_change_into_names};

/// The position of the weight in a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum WeightAt {
    Nowhere,
    Column(usize),
    /// In the Python dictionary at the end of the line, as NetworkX writes it.
    Dictionary,
}

/// The Python dictionary at the end of each line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Dictionary {
    Absent,
    /// Every dictionary is empty, so edges have no weights.
    Empty,
    Other,
}

/// The first line, and the rows below it.
struct Start<'a> {
    separator: Separator,
    all: DividedRows<'a>,
    /// The number of lines before the edges.
    before: usize,
    /// The names of columns in the first line.
    head: Option<Fields<'a>>,
    first_line: FirstLine,
}

impl<'a> Start<'a> {
    fn of(lines: &DividedLines<'a>, options: &ReadOptions) -> Result<Self, ReadErrorKind> {
        let top =
            Counts::on_top(&lines.lines).filter(|_| options.columns.header == Header::Recognize);
        if let Some(counts) = top {
            let separator = lines.separator(counts.lines, options);
            let first_line = FirstLine::Counts { counts, sure: true };
            let (all, before) = (lines.rows(separator), counts.lines);
            return Ok(Self { separator, all, before, head: None, first_line });
        }
        let first = lines.lines.first().copied().unwrap_or_default();
        let mut separator = lines.separator(0, options);
        let rows = lines.rows(separator);
        if rows.iter().any(|row| row.len() > MOST_COLUMNS) {
            return Err(ReadErrorKind::question(message![
                format!("a line has more than {MOST_COLUMNS} columns, as no table of edges has; "),
                "if each line is a vertex with its neighbors, pass ",
                Remedy::text("format", Format::ADJACENCY.id()),
            ]));
        }
        let first_line = match (cut(first).1, options.columns.header) {
            // Neither a header nor counts end with a dictionary.
            (Some(_), Header::Recognize) => FirstLine::Edge,
            _ => FirstLine::recognize(&rows, options)?,
        };
        refuse_repeated_tabs(&rows, separator, options)?;
        let mut head = None;
        let before = match first_line {
            FirstLine::ColumnNames => {
                head = rows.first().cloned();
                // Names between blanks can stand above fields between tabs.
                let tab = Separator::Byte(b'\t');
                if separator == Separator::Blanks && lines.separator(1, options) == tab {
                    separator = tab;
                }
                1
            }
            FirstLine::Counts { sure: true, .. } => {
                separator = lines.separator(1, options);
                1
            }
            FirstLine::Edge | FirstLine::Counts { .. } => 0,
        };
        if let Some(field) = head.iter().flatten().find(|field| is_open(field)) {
            return Err(ReadErrorKind::malformed(open_quote(field)));
        }
        Ok(Self { separator, all: lines.rows(separator), before, head, first_line })
    }

    /// The rows of edges.
    fn rows(&self) -> &[Fields<'a>] {
        self.all.get(self.before..).unwrap_or_default()
    }
}

/// The layout of the lines of an edge list.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Layout {
    pub(super) separator: Separator,
    /// The number of columns of each line.
    pub(super) columns: usize,
    pub(super) u: usize,
    pub(super) v: usize,
    pub(super) weight: WeightAt,
    /// The column with the cost in the other direction, as pgRouting has it.
    pub(super) reverse: Option<usize>,
    /// The unit of the weights, such as `km`, if the options say that it is one.
    pub(super) unit: Option<String>,
    pub(super) dictionary: Dictionary,
    /// The columns that are kept with the edges, and their names.
    pub(super) kept: Vec<(usize, String)>,
    /// Whether the vertices are names.
    pub(super) named: bool,
    /// Whether the first line contains names of columns, counts, or an edge.
    pub(super) first_line: FirstLine,
    /// See [`Loaded::similarity`](crate::Loaded).
    pub(super) similarity: Option<String>,
    /// What the user should know about these choices.
    pub(super) notes: Vec<Message>,
}

impl Layout {
    /// Whether each line has only both ends, in order.
    pub(super) fn is_pair(&self) -> bool {
        self.is_in_order() && (self.weight, self.columns) == (WeightAt::Nowhere, 2)
    }

    /// Whether each line has only both ends and a weight, in order, without decimal commas.
    pub(super) fn is_weighted_triple(&self, options: &ReadOptions) -> bool {
        self.is_in_order()
            && (self.weight, self.columns) == (WeightAt::Column(2), 3)
            && !options.columns.decimal_comma
            && !options.columns.thousands
            && self.unit.is_none()
    }

    fn is_in_order(&self) -> bool {
        (self.u, self.v) == (0, 1) && self.dictionary == Dictionary::Absent
    }

    /// The layout of an edge list without lines.
    pub(super) const NONE: Self = Self {
        separator: Separator::Blanks,
        columns: 0,
        u: 0,
        v: 1,
        weight: WeightAt::Nowhere,
        reverse: None,
        unit: None,
        dictionary: Dictionary::Absent,
        kept: Vec::new(),
        named: false,
        first_line: FirstLine::Edge,
        similarity: None,
        notes: Vec::new(),
    };

    /// Recognizes the layout by the options and the first lines. Returns `None` if all lines are
    /// comments.
    ///
    /// The comments before the lines may be of KONECT or Kostra: then the third column is the
    /// weight, and more columns may follow. A comment may name the columns, those of the ends among
    /// them.
    ///
    /// If the vertices are those that occur, words in the place of vertices are names. So are all
    /// ids if one of them is beyond 32 bits or has a leading zero.
    ///
    /// # Errors
    /// When there are fewer than two columns, or the options and the lines leave a column open.
    pub(super) fn recognize<'a>(
        lines: &DividedLines<'a>,
        comments: &[&[u8]],
        options: &ReadOptions,
    ) -> Result<Option<Self>, ReadErrorKind> {
        if lines.lines.is_empty() {
            return Ok(None);
        }
        let are_edges = says_edges(comments).is_some();
        if let Some(named) = options_with_names(comments, lines, options) {
            let layout = Self::recognize(lines, &[], &named)?;
            return Ok(layout.map(|mut layout| {
                layout.notes.push("a comment names the columns".into());
                layout
            }));
        }
        let numbered = Self::of_lines(lines, are_edges, options);
        let with_names = ReadOptions { names: true, ..options.clone() };
        let may_be_named = !options.names && options.vertices == Vertices::Occurring;
        let changes = numbers_change_into_names(lines, options, &with_names);
        if may_be_named && !changes && commas_are_in_doubt(lines, options, &with_names) {
            return Err(ReadErrorKind::question(message![
                "do commas or blanks separate the columns? pass ",
                Remedy::text("delimiter", ","),
                " or ",
                Remedy::text("delimiter", "blanks"),
            ]));
        }
        if !may_be_named || numbered.as_ref().is_ok_and(|(_, looks_named)| !looks_named) {
            return Ok(Some(numbered?.0));
        }
        match (numbered, Self::of_lines(lines, are_edges, &with_names)) {
            (Err(fault), _) if changes => Err(fault),
            (_, Ok((mut layout, true))) => {
                layout.notes.push("the vertices are names".into());
                Ok(Some(layout))
            }
            (Err(fault), _) | (Ok(_), Err(fault)) => Err(fault),
            (Ok((layout, _)), Ok(_)) => Ok(Some(layout)),
        }
    }

    /// The layout of lines that are not comments, and whether the ends of edges are probably names.
    /// A comment may say that they `are_edges`.
    fn of_lines(
        lines: &DividedLines<'_>,
        are_edges: bool,
        options: &ReadOptions,
    ) -> Result<(Self, bool), ReadErrorKind> {
        let start = Start::of(lines, options)?;
        let (separator, first_line, rows) = (start.separator, start.first_line, start.rows());
        let mut head = start.head.clone();
        let given = given_names(options);
        if given.is_some() && head.is_some() && options.columns.header == Header::Recognize {
            return Err(super::header::is_it_a_header(head.as_deref()));
        }
        let first_edge = lines.lines.get(start.before).copied().unwrap_or_default();
        let row = rows.first().map_or(&[][..], Vec::as_slice);
        let columns = match &head {
            Some(head) if given.is_none() || row.is_empty() => head.len(),
            _ => row.len(),
        };
        if columns < 2 {
            return Err(ReadErrorKind::malformed(
                "an edge needs two vertices, but this line has one column; write both, or remove \
                 the line if it is a title",
            ));
        }
        if given.is_none() && row.len() == columns + 1 && !row.ends_with(&[b""]) {
            return Err(ReadErrorKind::malformed(unnamed_column(columns)));
        }
        if given.is_some() {
            check_given(given.as_deref(), columns)?;
            head = given;
        }
        let names = head.as_deref();
        let chooser = Chooser { names, row, columns, third_is_weight: are_edges, options };
        let ColumnOptions { source, target, weight, .. } = &options.columns;
        let is_chosen = source.is_some() || target.is_some() || weight.is_some();
        if head.is_none() && !options.names && !is_chosen && !are_edges {
            refuse_open_columns(rows, separator, options)?;
        }
        let Chosen { u, v, weight } = chooser.choose()?;
        let similarity = similarity(weight.and_then(|column| names?.get(column).copied()));
        let (reverse, unit) = (reverse_of(names, weight, options)?, chooser.unit_of(weight)?);
        let weight = weight.map_or(WeightAt::Nowhere, WeightAt::Column);
        let looks_named = looks_named(rows, [u, v], first_line)
            || options.columns.delimiter.is_some()
                && rows.first().is_some_and(|row| has_commas(row, [u, v]));
        if head.is_none() && source.as_ref().or(target.as_ref()).is_none() {
            refuse_names_with_values(rows, [u, v])?;
        }
        let mut layout = Self {
            separator,
            columns,
            u,
            v,
            weight,
            reverse,
            unit,
            kept: chooser.kept(|at| at == u || at == v || weight == WeightAt::Column(at))?,
            named: options.names,
            first_line,
            similarity,
            ..Self::NONE
        };
        layout.take_dictionary(cut(first_edge).1, options)?;
        layout.note_what_is_left_out(head.as_deref());
        Ok((layout, looks_named))
    }

    fn take_dictionary(
        &mut self,
        first: Option<&[u8]>,
        options: &ReadOptions,
    ) -> Result<(), ReadErrorKind> {
        let Some(dictionary) = first else { return Ok(()) };
        self.dictionary = Dictionary::Other;
        if options.columns.weight.is_some() {
            return Ok(());
        }
        if weight_in(dictionary).is_some() {
            crate::weights::refuse_others(true, options)?;
            self.weight = WeightAt::Dictionary;
        } else if self.weight == WeightAt::Nowhere && options.missing_weights.is_none() {
            if !is_empty(dictionary) {
                return Err(ReadErrorKind::question(message![
                    "which entry is the weight? the dictionary of the first edge has no 'weight'; \
                     call one so, or pass ",
                    Remedy::text("weights", "unit"),
                ]));
            }
            self.dictionary = Dictionary::Empty;
        }
        Ok(())
    }

    fn note_what_is_left_out(&mut self, names: Option<&[&[u8]]>) {
        let weight = if let WeightAt::Column(column) = self.weight { Some(column) } else { None };
        let kept = self.kept.iter().map(|&(column, _)| column);
        let used = [self.u, self.v].into_iter().chain(weight).chain(self.reverse).chain(kept);
        let note = left_out(self.columns, names, used);
        self.notes.extend(note);
        self.notes.extend(self.reverse.map(|_| NOTE_ON_COSTS.into()));
        let note = |unit| format!("the unit of the weights is '{unit}'").into();
        self.notes.extend(self.unit.as_ref().map(note));
    }
}

/// The fault of lines with one more column than the header, as R writes names of rows.
fn unnamed_column(columns: usize) -> Message {
    let columns = counted(columns as u64, "column", "columns");
    message![
        format!("the first line names {columns}, but the next line has one more"),
        "; name all columns with ",
        Remedy::option("columns"),
        ", and pass ",
        Remedy::on("header"),
    ]
}

/// Refuses lines with two tabs after each first field: the field between them is empty, unless
/// several tabs separate two columns.
fn refuse_repeated_tabs(
    rows: &[Fields<'_>],
    separator: Separator,
    options: &ReadOptions,
) -> Result<(), ReadErrorKind> {
    let ColumnOptions { source, target, delimiter, .. } = &options.columns;
    let repeats = |row: &Fields<'_>| matches!(row[..], [_, b"", _, ..]);
    if separator != Separator::Byte(b'\t')
        || delimiter.is_some()
        || source.as_ref().or(target.as_ref()).is_some()
        || !rows.iter().all(repeats)
    {
        return Ok(());
    }
    Err(ReadErrorKind::question(message![
        "do several tabs separate two columns, or is the second column empty? pass ",
        Remedy::text("delimiter", "blanks"),
        ", or ",
        Remedy::option("source"),
        " and ",
        Remedy::option("target"),
    ]))
}

/// The names that the options give to the columns.
fn given_names(options: &ReadOptions) -> Option<Fields<'_>> {
    let names = options.columns.names.as_ref()?;
    Some(names.iter().map(String::as_bytes).collect())
}

/// Checks that the options name every column.
fn check_given(given: Option<&[&[u8]]>, columns: usize) -> Result<(), ReadErrorKind> {
    let count = given.map_or(0, <[_]>::len);
    if count == columns {
        return Ok(());
    }
    let names = counted(count as u64, "column", "columns");
    Err(ReadErrorKind::question(message![
        Remedy::option("columns"),
        format!(" names {names}, but the lines have {columns}; name them all"),
    ]))
}

#[cfg(test)]
mod tests;
