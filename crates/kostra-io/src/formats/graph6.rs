//! graph6 and sparse6 (McKay), with the header `>>graph6<<` or `>>sparse6<<`: graphs without
//! weights as printable characters of six bits each.

use crate::ReadOptions;
use crate::compression::Stream;
use crate::fault::Fault;
use crate::head::{Evidence, Head};
use crate::interface::{Format, FormatInfo, Parsed};
use crate::numbered_graph::NumberedGraph;
use crate::whole::WholeText;

impl Format {
    /// graph6 and sparse6: a graph as printable characters.
    pub const GRAPH6: Self = Self::new(&FormatInfo {
        id: "g6",
        title: "graph6",
        extensions: &["g6", "s6"],
        summary: "graph6 and sparse6 with a header: a graph as printable characters",
        recognize,
        read,
        ..FormatInfo::READ_ONLY
    });
}

const GRAPH6: &str = ">>graph6<<";
const SPARSE6: &str = ">>sparse6<<";
/// The start of a graph in sparse6.
const SPARSE: u8 = b':';
/// Each character is a value of six bits and this number.
const OFFSET: u8 = 63;
const BITS: usize = 6;

fn recognize(head: &Head<'_>) -> Evidence {
    let text = head.text().trim_ascii_start();
    Evidence::Signature.when(text.starts_with(GRAPH6) || text.starts_with(SPARSE6))
}

/// The bits of characters, the highest of each first.
struct Bits<'t> {
    characters: &'t [u8],
    at: usize,
}

impl Bits<'_> {
    /// The next bits as a number; none if there are fewer.
    fn number(&mut self, bits: usize) -> Option<u64> {
        (0..bits).try_fold(0, |value, _| {
            let character = self.characters.get(self.at / BITS)? - OFFSET;
            let bit = character >> (BITS - 1 - self.at % BITS) & 1;
            self.at += 1;
            Some(value << 1 | u64::from(bit))
        })
    }

    /// The number of vertices: one character, or three or six after one or two with all bits.
    fn vertices(&mut self) -> Option<u64> {
        const ALL: u64 = (1 << BITS) - 1;
        match self.number(BITS)? {
            ALL if self.characters.get(self.at / BITS) == Some(&(OFFSET + ALL as u8)) => {
                self.number(BITS)?;
                self.number(6 * BITS)
            }
            ALL => self.number(3 * BITS),
            vertices => Some(vertices),
        }
    }
}

fn read(mut stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    let text = WholeText::read(&mut stream)?;
    let start = text.text().trim_ascii_start();
    let start = start.strip_prefix(GRAPH6).or(start.strip_prefix(SPARSE6)).unwrap_or(start);
    let mut lines = start.lines().map(str::trim_ascii).filter(|line| !line.is_empty());
    let graph = lines.next().unwrap_or_default().as_bytes();
    let others = lines.count();
    if others > 0 {
        let sentence = format!("the file has {} graphs; save one per file", others + 1);
        return Err(Fault::whole(sentence));
    }
    let (is_sparse, characters) = match graph.strip_prefix(&[SPARSE]) {
        Some(characters) => (true, characters),
        None => (false, graph),
    };
    if let Some(other) = characters.iter().position(|byte| !(OFFSET..=OFFSET + 63).contains(byte)) {
        let at = text.text().len() - start.len() + usize::from(is_sparse) + other;
        return Err(text.malformed(at, "no character of a graph is below '?' or above '~'"));
    }
    let mut bits = Bits { characters, at: 0 };
    let cut_short = || Fault::whole("the graph ends before its last edge; copy the file again");
    let mut graph = NumberedGraph::new(bits.vertices().ok_or_else(cut_short)?)?;
    if is_sparse {
        sparse(&mut graph, &mut bits)?;
    } else {
        dense(&mut graph, &mut bits, cut_short)?;
    }
    Ok(graph.finish(options, Vec::new())?)
}

/// Reads a bit for each pair of vertices, column by column of the upper triangle.
fn dense(
    graph: &mut NumberedGraph,
    bits: &mut Bits<'_>,
    cut_short: impl Fn() -> Fault,
) -> Result<(), Fault> {
    for v in 1..graph.vertices() as u32 {
        for u in 0..v {
            if bits.number(1).ok_or_else(&cut_short)? == 1 {
                graph.edges.add([u, v], None)?;
            }
        }
    }
    if bits.at.div_ceil(BITS) == bits.characters.len() {
        return Ok(());
    }
    Err(Fault::whole("the graph has more characters than its vertices need; copy the file again"))
}

/// Reads edges as steps: a bit says whether the current vertex is the next one, and the number
/// after it is a neighbor, or a higher vertex that becomes the current one.
fn sparse(graph: &mut NumberedGraph, bits: &mut Bits<'_>) -> Result<(), Fault> {
    let vertices = graph.vertices() as u64;
    let width = (u64::BITS - vertices.saturating_sub(1).leading_zeros()) as usize;
    let mut current = 0;
    while let Some(step) = bits.number(1) {
        let Some(other) = bits.number(width) else { break };
        current += step;
        if current >= vertices || other >= vertices {
            break;
        }
        if other > current {
            current = other;
        } else {
            graph.edges.add([other as u32, current as u32], None)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Case, check_cases};

    #[test]
    fn graphs_of_six_bits_are_read() {
        let unit = "the input has no weights; each edge weighs 1";
        let large = format!(">>sparse6<<:~?@?{}\n", "");
        check_cases(
            Format::GRAPH6,
            &[
                // The example of the description of the format.
                Case::read(">>graph6<<DQc\n", 5, "0-2:1 1-3:1 0-4:1 3-4:1", &[unit]),
                Case::read(">>graph6<<D?{\n", 5, "0-4:1 1-4:1 2-4:1 3-4:1", &[unit]),
                Case::read(">>sparse6<<:Fa@x^\n", 7, "0-1:1 0-2:1 1-2:1 5-6:1", &[unit]),
                Case::read(">>graph6<<?\n", 0, "", &[unit]),
                Case::read(&large, 64, "", &[unit]),
                Case::refused(">>graph6<<D?\n", "the graph ends before its last edge"),
                Case::refused(">>graph6<<D?{?\n", "the graph has more characters"),
                Case::refused(">>graph6<<D? \n\nD?{\n", "the file has 2 graphs; save one per file"),
                Case::refused(">>graph6<<D!{\n", "line 1, column 12: no character of a graph"),
            ],
        );
    }
}
