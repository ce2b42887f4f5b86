//! DIMACS problems of flows and assignments (1st challenge): comments `c`, one line `p KIND n m`,
//! lines `n` for sources and supplies, and a line `a` for each arc. Vertices count from 1.
//!
//! An arc of `p max` has a capacity, of `p min` a lower bound, a capacity and a cost, of `p asn`
//! a cost. The weight is the attribute that the user names; the cost of `p asn` needs no name.

use crate::attributed_graph::WeightAttribute;
use crate::compression::Stream;
use crate::directions::NOTE_ON_DIRECTED;
use crate::fault::Fault;
use crate::head::{Evidence, Head};
use crate::interface::{Format, FormatInfo, Parsed};
use crate::kept::KeptAttributes;
use crate::number::show;
use crate::numbered_graph::{NumberedGraph, check_count};
use crate::rows::{Row, TextRows};
use crate::whole::WholeText;
use crate::{KeptKind, ReadOptions};

impl Format {
    /// DIMACS problems of flows and assignments.
    pub const DIMACS_FLOW: Self = Self::new(&FormatInfo {
        id: "flow",
        title: "DIMACS flow",
        extensions: &["max", "min", "asn"],
        summary: "DIMACS `p max`, `p min` and `p asn`: arcs with capacities and costs",
        has_attributes: true,
        recognize,
        read,
        ..FormatInfo::READ_ONLY
    });
}

const COST: &str = "cost";

/// The kinds of problems, and the attributes of their arcs.
pub(super) const ATTRIBUTES: [(&str, &[&str]); 3] =
    [("max", &["capacity"]), ("min", &["lower", "capacity", COST]), ("asn", &[COST])];

fn attributes(kind: &str) -> Option<&'static [&'static str]> {
    ATTRIBUTES.iter().find(|(name, _)| *name == kind).map(|(_, attributes)| *attributes)
}

/// Recognizes comments and a line `p` of a kind.
fn recognize(head: &Head<'_>) -> Evidence {
    let mut lines = head.text().lines().map(|line| line.split_ascii_whitespace());
    let header = lines.find_map(|mut words| match words.next() {
        None | Some("c") => None,
        Some(first) => {
            Some(first == "p" && words.next().is_some_and(|kind| attributes(kind).is_some()))
        }
    });
    Evidence::Signature.when(header == Some(true))
}

/// The line `p`, and the arcs so far.
struct Problem {
    graph: NumberedGraph,
    arcs: u64,
    attributes: &'static [&'static str],
}

impl Problem {
    /// Reads the words after `p`.
    fn read(row: &mut Row<'_>) -> Result<Self, Fault> {
        let kind = row.word().unwrap_or_default();
        let attributes = attributes(kind).ok_or_else(|| {
            let kind = show(kind.as_bytes());
            row.at_word(format!("the kind is '{kind}', but should be max, min or asn"))
        })?;
        let vertices = row.natural("number of vertices")?;
        let graph = NumberedGraph::new(vertices).map_err(|kind| row.fault(kind))?;
        let arcs = row.natural("number of arcs")?;
        row.end("two counts")?;
        Ok(Self { graph, arcs, attributes })
    }

    /// Reads the words after `a`.
    fn add_arc(
        &mut self,
        row: &mut Row<'_>,
        weight: &mut WeightAttribute<'_>,
        kept: &mut KeptAttributes,
        options: &ReadOptions,
    ) -> Result<(), Fault> {
        let ends = self.graph.ends(row)?;
        let mut found = None;
        kept.begin();
        for name in self.attributes {
            let word = row.rest().split_ascii_whitespace().next().unwrap_or_default();
            let number = row.weight(options.nan)?;
            kept.set(name, Some((word, KeptKind::of_word(word))));
            let is_only = self.attributes == [COST] && options.columns.weight.is_none();
            if is_only || weight.is(name) {
                found = Some(number);
            } else {
                weight.see_other(name);
            }
        }
        row.end("the attributes of the arc")?;
        self.graph.edges.add(ends, found).map_err(|kind| row.fault(kind))?;
        Ok(kept.push_edge()?)
    }
}

fn read(mut stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    let text = WholeText::read(&mut stream)?;
    let mut weight = WeightAttribute::new(options)?;
    let mut kept = KeptAttributes::new(options)?;
    let mut problem: Option<Problem> = None;
    for mut row in TextRows::new(&text, None) {
        match (row.word().unwrap_or_default(), &mut problem) {
            ("c", _) | ("n", Some(_)) => {}
            ("p", None) => problem = Some(Problem::read(&mut row)?),
            ("a", Some(problem)) => {
                problem.add_arc(&mut row, &mut weight, &mut kept, options)?;
            }
            (word, problem) => {
                let word = show(word.as_bytes());
                return Err(row.malformed(match problem {
                    Some(_) => {
                        format!("the line starts with '{word}', but should start with a, n or c")
                    }
                    None => format!(
                        "'{word}' comes before the line 'p KIND VERTICES ARCS'; move that up"
                    ),
                }));
            }
        }
    }
    let Some(Problem { graph, arcs, .. }) = problem else {
        return Err(Fault::whole("there is no line 'p KIND VERTICES ARCS'; add it"));
    };
    check_count(graph.edges.len(), arcs, "arcs")?;
    let similarity = weight.similarity();
    if graph.edges.lack_weights() {
        weight.check_absence()?;
    }
    Ok(Parsed {
        kept: kept.finish()?,
        similarity,
        ..graph.finish(options, vec![NOTE_ON_DIRECTED.into()])?
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Case, check_cases};

    #[test]
    fn arcs_of_flows_ask_which_attribute_is_the_weight() {
        let max = "c x\np max 4 2\nn 1 s\nn 4 t\na 1 2 5\na 2 4 7\n";
        let min = "p min 3 2\nn 1 4\nn 3 -4\na 1 2 0 4 2\na 2 3 1 2 -1.5\n";
        let asn = "p asn 4 2\nn 1\nn 2\na 1 3 5\na 2 4 7\n";
        let directed = "the graph is directed; directions are ignored";
        let unit = "the input has no weights; each edge weighs 1";
        let notes = &[directed];
        check_cases(
            Format::DIMACS_FLOW,
            &[
                Case::refused(
                    max,
                    "which attribute is the weight? numbers are in 'capacity'; pass",
                ),
                Case::refused(min, "numbers are in 'lower', 'capacity', 'cost'; pass `weight`"),
                Case::read(max, 4, "0-1:5 1-3:7", notes).weight("capacity"),
                Case::read(max, 4, "0-1:1 1-3:1", &[directed, unit]).unit_weights(),
                Case::read(min, 3, "0-1:4 1-2:2", notes).weight("capacity"),
                Case::read(min, 3, "0-1:2.0 1-2:-1.5", notes).weight("cost"),
                Case::read(asn, 4, "0-2:5 1-3:7", notes),
                Case::read(asn, 4, "0-2:5 1-3:7", notes).weight("cost"),
                Case::refused(max, "no edge has this attribute; numbers are in 'capacity'")
                    .weight("length"),
                Case::refused("p max 4 2\na 1 2 5\n", "the file announces 2 arcs, but has 1"),
                Case::refused("p max 4 1\na 1 2\n", "line 2, column 6: the weight is missing"),
                Case::refused("p max 4 1\na 1 5 2\n", "line 2, column 5: vertex 5 is beyond the 4"),
                Case::refused("p max 4 1\nb 1 2 2\n", "line 2, column 1: the line starts with 'b'"),
            ],
        );
    }
}
