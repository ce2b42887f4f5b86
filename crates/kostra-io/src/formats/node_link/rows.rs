//! JSON arrays of arrays: an edge in each row, or a matrix.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::members::{id, is_integer, typed_value};
use crate::attributed_graph::{AttributedGraph, WeightAttribute};
use crate::columns::TextNumber;
use crate::compression::Stream;
use crate::fault::Fault;
use crate::interface::Parsed;
use crate::matrix::Matrix;
use crate::message::{Remedy, message};
use crate::whole::WholeText;
use crate::{ArrayContent, Nan, ReadErrorKind, ReadOptions, number};

/// Whether a text starts with an array in an array.
pub(super) fn has_rows(text: &[u8]) -> bool {
    let inside = text.trim_ascii_start().strip_prefix(b"[");
    inside.is_some_and(|text| text.trim_ascii_start().starts_with(b"["))
}

/// The rows of a text, and the text.
struct Rows<'t> {
    text: &'t WholeText,
    rows: Vec<Vec<&'t RawValue>>,
}

/// Reads a graph.
pub(super) fn read(stream: &mut Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    let text = WholeText::read(stream)?;
    let rows = serde_json::from_str(text.text()).map_err(|error| {
        let sentence: String = error.to_string().chars().filter(|c| !c.is_control()).collect();
        let cause = sentence.rsplit_once(" at line ").map_or(&*sentence, |(cause, _)| cause);
        let sentence = format!("this is no JSON array of rows: {cause}; correct the file");
        Fault::at_line(error.line() as u64, error.column() as u64, sentence)
    })?;
    let rows = Rows { text: &text, rows };
    match rows.content(options)? {
        ArrayContent::Matrix => rows.matrix(options),
        ArrayContent::Edges => rows.edges(options),
    }
}

impl Rows<'_> {
    /// The byte where a value starts.
    fn offset(&self, value: &RawValue) -> usize {
        value.get().as_ptr().addr().saturating_sub(self.text.text().as_ptr().addr())
    }

    fn content(&self, options: &ReadOptions) -> Result<ArrayContent, Fault> {
        let count = self.rows.len();
        let have = |width: usize| self.rows.iter().all(|row| row.len() == width);
        let is_number =
            |value: &&&RawValue| typed_value(value.get()).is_none_or(|(text, _)| parsed(&text));
        let may_be_matrix = have(count) && self.rows.iter().flatten().all(|v| is_number(&v));
        let may_be_edges = have(2) || have(3);
        match (may_be_matrix, may_be_edges, options.array) {
            (true, _, Some(ArrayContent::Matrix)) | (true, false, None) => Ok(ArrayContent::Matrix),
            (_, true, Some(ArrayContent::Edges)) | (false, true, None) => Ok(ArrayContent::Edges),
            (true, true, None) => Err(ReadErrorKind::question(message![
                format!(
                    "are these {count} rows of {count} values a matrix of weights or a list of "
                ),
                "edges? pass ",
                Remedy::text("array", "matrix"),
                " or ",
                Remedy::text("array", "edges"),
            ])
            .into()),
            _ => Err(Fault::whole(
                "each row should have two ends and perhaps a weight, or n rows should have n \
                 numbers; correct the rows",
            )),
        }
    }

    fn matrix(&self, options: &ReadOptions) -> Result<Parsed, Fault> {
        let matrix = Matrix {
            size: self.rows.len(),
            value: |row: usize, column: usize| {
                let (text, _) = typed_value(self.rows.get(row)?.get(column)?.get())?;
                number::weight(text.as_bytes(), Nan::Skip).ok()
            },
            place: &|row: usize, column: usize| {
                let value = self.rows.get(row).and_then(|row| row.get(column));
                self.text.place(value.map_or(0, |value| self.offset(value)))
            },
            epsilon: f64::EPSILON,
        };
        matrix.graph(options)
    }

    fn edges(&self, options: &ReadOptions) -> Result<Parsed, Fault> {
        if let Some(option) = options.first_of_matrix() {
            let sentence = message![Remedy::option(option), " applies to matrices; omit it"];
            return Err(ReadErrorKind::question(sentence).into());
        }
        let mut graph = AttributedGraph::new(options)?;
        let mut weights = WeightAttribute::new(options)?;
        for row in &self.rows {
            let at = row.first().map_or(0, |value| self.offset(value));
            let added = self.edge(row, &mut graph, &mut weights, at);
            added.map_err(|kind| self.text.fault(at, kind))?;
        }
        graph.accept_undeclared();
        graph.finish(weights, Vec::new())
    }

    fn edge(
        &self,
        row: &[&RawValue],
        graph: &mut AttributedGraph,
        weights: &mut WeightAttribute<'_>,
        at: usize,
    ) -> Result<(), ReadErrorKind> {
        let [u, v, rest @ ..] = row else { return Ok(()) };
        let weight: Option<TextNumber> = match rest {
            [weight] => {
                let text = typed_value(weight.get()).map_or(Cow::Borrowed("nan"), |(text, _)| text);
                Some(weights.number(&text).map_err(ReadErrorKind::malformed)?)
            }
            _ => None,
        };
        graph.text_ids |= [u, v].iter().any(|end| !is_integer(end.get()));
        let ends = [id(Some(u.get()), "0", "row")?, id(Some(v.get()), "1", "row")?];
        let place = self.text.place(at);
        graph.add_edge([&ends[0], &ends[1]], weight, place)
    }
}

fn parsed(text: &str) -> bool {
    text.parse::<f64>().is_ok()
}
