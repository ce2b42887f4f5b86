//! What the lines before the edges mean, now that the edges are known.

use kostra_core::counted;

use super::head::{Head, StatedCounts};
use super::header::FirstLine;
use crate::columns::Ends;
use crate::fault::Fault;
use crate::interface::Vertices;
use crate::message::{Message, Remedy, message};
use crate::occurring::most_plausible_vertices;
use crate::text_part::Conclusion;
use crate::{Header, ReadErrorKind, ReadOptions};

/// What the first line of numbers means.
struct FirstNumbers {
    /// The number of vertices that it states.
    stated: Option<u64>,
    first_is_an_edge: bool,
    /// Whether vertices count from 1, up to the stated number.
    from_1: bool,
}

impl Head {
    /// Refuses a header without rows, unless the options say that the first line is one.
    fn refuse_no_rows(&self, edges: u64, options: &ReadOptions) -> Result<(), Fault> {
        if edges > 0
            || self.first_line != FirstLine::ColumnNames
            || options.columns.header == Header::Present
        {
            return Ok(());
        }
        let sentence = message![
            "this line names columns, but no row follows; add the rows, or pass ",
            Remedy::on("header"),
            " for a graph without edges",
        ];
        Err(Fault::at_line(self.line, 1, sentence))
    }

    /// Checks that there are as many edges as stated.
    pub(super) fn check_edges(&self, edges: u64) -> Result<(), Fault> {
        match self.counts {
            Some(StatedCounts { m, line, .. }) if m != edges => {
                let announced = counted(m, "edge", "edges");
                let sentence = format!(
                    "the first comment announces {announced}, but the number of edges is {edges}"
                );
                Err(Fault::at_line(line, 1, sentence))
            }
            _ => Ok(()),
        }
    }

    /// What follows from all edges between numbered vertices.
    pub(super) fn conclude(
        &self,
        ends: Ends,
        options: &ReadOptions,
        notes: &mut Vec<Message>,
    ) -> Result<Conclusion, Fault> {
        notes.extend_from_slice(&self.layout.notes);
        self.refuse_no_rows(ends.edges, options)?;
        if let Some(StatedCounts { n, line, .. }) = self.counts {
            self.check_edges(ends.edges)?;
            check_vertices(n, line, options)?;
            return Ok(Conclusion {
                vertices: n,
                weighted: self.is_weighted(),
                lowest_id: None,
                first_is_an_edge: true,
                from_1: false,
            });
        }
        let FirstNumbers { mut stated, first_is_an_edge, from_1 } =
            self.first_numbers(&ends, options, notes)?;
        let edges = ends.edges.saturating_sub(u64::from(!first_is_an_edge));
        let span = if first_is_an_edge { ends.all } else { ends.rest };
        let from_ids = if edges == 0 { 0 } else { span.largest + 1 };
        if let Vertices::Count(count) = options.vertices {
            if from_ids > u64::from(count) {
                return Err(Fault::whole(message![
                    format!("an edge ends at vertex {}, but ", span.largest),
                    Remedy::option("vertices"),
                    format!(" is {count} and vertices count from 0; pass at least {from_ids}"),
                ]));
            }
            stated = Some(count.into());
        }
        if stated.is_none()
            && options.vertices != Vertices::Occurring
            && from_ids > most_plausible_vertices(edges)
        {
            let (largest, with_names) = (span.largest, self.with_names(options));
            return Err(ReadErrorKind::malformed(format!(
                "the largest vertex is {largest}, too large for a graph of {}; {with_names}, only \
                 vertices that occur are numbered",
                counted(edges, "edge", "edges")
            ))
            .into());
        }
        let vertices = stated.unwrap_or(0).max(from_ids);
        // The number of vertices that is stated may be one less than the number of ids from 0.
        let is_stated = stated.is_some() && !from_1;
        let lowest_id = if is_stated || edges == 0 { None } else { Some(span.least) };
        let weighted = self.is_weighted();
        Ok(Conclusion { vertices, weighted, lowest_id, first_is_an_edge, from_1 })
    }

    /// What the first line means, if it is two numbers, now that the edges are known.
    fn first_numbers(
        &self,
        ends: &Ends,
        options: &ReadOptions,
        notes: &mut Vec<Message>,
    ) -> Result<FirstNumbers, Fault> {
        let line = self.line;
        let edge = FirstNumbers { stated: None, first_is_an_edge: true, from_1: false };
        let FirstLine::Counts { counts, sure } = self.first_line else { return Ok(edge) };
        let edges = ends.edges.saturating_sub(u64::from(!sure));
        let span = if sure { &ends.all } else { &ends.rest };
        let (n, m) = counts.stated(edges, span.largest);
        // One line of two numbers after one number can be the lower triangle of a matrix.
        let least = if counts.len() == 1 { 2 } else { 1 };
        let fits = edges >= least
            && m.is_none_or(|m| m == edges)
            && n.is_none_or(|n| span.largest < n || span.largest == n && span.least > 0)
            // A third number that is no number of entries has a meaning of its own.
            && (sure || counts.len() == 2 || counts.is_of_matrix());
        if fits {
            // A number of edges that is that of vertices, too, says both.
            let is_of_both = span.largest + 1 == edges || span.largest == edges && span.least > 0;
            let n = n.or(m.filter(|_| is_of_both));
            if n.is_none() {
                return Err(self.ask_for_count());
            }
            if let (Some(n), Some(m)) = (n, m) {
                self.check_counts((n, m), span.largest, options)?;
            }
            self.ask_for_vertices((n, m), edges, options)?;
            let what = match (n, m) {
                (_, None) => "number of vertices",
                _ => "numbers of vertices and edges",
            };
            notes.push(match counts.lines {
                1 => format!("line {line} is taken as the {what}").into(),
                _ => format!("the first {} lines are taken as the {what}", counts.lines).into(),
            });
            let from_1 = n.is_some_and(|n| span.largest == n) && span.least > 0;
            return Ok(FirstNumbers { stated: n, first_is_an_edge: sure, from_1 });
        }
        if sure {
            let sentence =
                mismatch(counts.lines, edges, m.is_none_or(|m| m == edges).then_some(span.largest));
            return Err(Fault::at_line(line, 1, sentence));
        }
        let may_be_counts = n.zip(m).is_some_and(|(n, m)| {
            let is_near = m <= 2 * edges && edges <= 2 * m;
            let is_other = span.largest < n && (span.largest < m || is_near);
            let is_highest = span.largest == n && span.least > 0;
            let is_count = 2 * m == edges || m.abs_diff(edges) <= 1;
            // Vertices may have other names than the numbers up to their number.
            let most = n.saturating_mul(n.saturating_sub(1)) / 2;
            let is_exact = m == edges && ((2..=2 * m).contains(&n) && m <= most || m >= MANY);
            // Some courses write the number of edges first.
            let is_swapped = n == edges && span.largest <= m && edges >= 3;
            match counts.len() {
                2 => is_other || is_exact || is_swapped || is_highest && is_count,
                _ => span.largest <= n && (m == edges || counts.has_second(edges)) || is_swapped,
            }
        });
        if edges > 0 && may_be_counts && !matches!(options.vertices, Vertices::Count(_)) {
            return Err(self.ask_for_edge());
        }
        Ok(edge)
    }

    /// The question what rows after their number are.
    fn ask_for_count(&self) -> Fault {
        let sentence = message![
            "this line is the number of the lines after it: are they edges, or points or something \
             else? remove this line if each line is an edge; ",
            Remedy::PointTree,
            " finds the tree of points",
        ];
        Fault::at_line(self.line, 1, sentence)
    }

    /// Asks whether a single number above the edges is the number of vertices, if most of these
    /// vertices would have no edge.
    fn ask_for_vertices(
        &self,
        (n, m): (Option<u64>, Option<u64>),
        edges: u64,
        options: &ReadOptions,
    ) -> Result<(), Fault> {
        let has_many = m.is_none() && n.is_some_and(|n| n > 2 * edges);
        if !has_many || matches!(options.vertices, Vertices::Count(_)) {
            return Ok(());
        }
        let sentence = message![
            "is this line the number of vertices? most of them would have no edge; remove the \
             line, and pass ",
            Remedy::option("vertices"),
            " if it is",
        ];
        Err(Fault::at_line(self.line, 1, sentence))
    }

    /// The question whether the first line of numbers is an edge.
    fn ask_for_edge(&self) -> Fault {
        let sentence = message![
            "is this line an edge, or does it state the numbers of vertices and edges? pass ",
            Remedy::on("no-header"),
            " if it is an edge, or ",
            Remedy::on("header"),
            " if not",
        ];
        Fault::at_line(self.line, 1, sentence)
    }

    /// Refuses a first line that states `n` vertices and `m` edges, as the other lines confirm, if
    /// an option contradicts it, or if it could also be an edge between the ids from 0 to `n`.
    fn check_counts(
        &self,
        (n, m): (u64, u64),
        largest: u64,
        options: &ReadOptions,
    ) -> Result<(), Fault> {
        let is_sure = matches!(self.first_line, FirstLine::Counts { sure: true, .. });
        check_vertices(n, self.line, options)?;
        if !is_sure && n.max(m) <= largest + 1 && !matches!(options.vertices, Vertices::Count(_)) {
            return Err(self.ask_for_edge());
        }
        Ok(())
    }

    /// Checks the numbers that the first line states, if the vertices have names.
    pub(super) fn check_names(
        &self,
        names: u64,
        edges: u64,
        options: &ReadOptions,
    ) -> Result<(), Fault> {
        self.refuse_no_rows(edges, options)?;
        let FirstLine::Counts { counts, sure: true } = self.first_line else { return Ok(()) };
        let (n, m) = counts.stated(edges, names);
        self.ask_for_vertices((n, m), edges, options)?;
        if m.is_some_and(|m| m != edges) || n.is_some_and(|n| n < names) {
            return Err(Fault::at_line(self.line, 1, mismatch(counts.lines, edges, None)));
        }
        Ok(())
    }
}

/// From this number of edges on, a number in the first line that is equal to it is no accident.
const MANY: u64 = 8;

/// What to say about numbers before the edges that are not those of vertices and edges, or not of
/// vertices up to `largest`.
fn mismatch(lines: usize, edges: u64, largest: Option<u64>) -> Message {
    let (subject, remedy) = match lines {
        1 => (
            "this line has another number of columns than the next, so it should contain",
            message!["correct it, or pass ", Remedy::on("header"), " to ignore it"],
        ),
        _ => (
            "these lines have another number of columns than the next, so they should contain",
            "correct or remove them".into(),
        ),
    };
    let but = match largest {
        None => format!("the number of edges is {edges}"),
        Some(largest) => format!("an edge ends at vertex {largest}"),
    };
    message![format!("{subject} the numbers of vertices and edges, but {but}; "), remedy]
}

/// Refuses a line that states another number of vertices than the options do.
fn check_vertices(n: u64, line: u64, options: &ReadOptions) -> Result<(), Fault> {
    match options.vertices {
        Vertices::Count(count) if n != u64::from(count) => {
            let stated = counted(n, "vertex", "vertices");
            let sentence = message![
                format!("this line states {stated}, but "),
                Remedy::option("vertices"),
                format!(" is {count}; correct one of them, or pass "),
                Remedy::on("no-header"),
                " if the line is an edge, or ",
                Remedy::on("header"),
                " to ignore it",
            ];
            Err(Fault::at_line(line, 1, sentence))
        }
        _ => Ok(()),
    }
}
