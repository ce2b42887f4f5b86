//! DIMACS graphs: comments `c`, one line `p KIND n m`, then an edge a line. Vertices count from 1.
//!
//! `p sp` (shortest paths, 9th challenge) has `a u v weight`, `p edge` and `p col` (colouring, 2nd
//! challenge) have `e u v` with an optional weight, `p tw` (treewidth, PACE) has a bare `u v`.
//! Every such line is one edge, whose id is the line's place among them, even where a file lists
//! both directions of a road.

mod part;
#[cfg(test)]
mod tests;

use std::io::{self, Write};

use kostra_core::{AnyGraph, GraphError, MAX_EDGES, MAX_VERTICES, Vertex, with_graph};

use crate::blocks::{BLOCK_BYTES, Parser, Text};
use crate::columns::Columns;
use crate::compression::Stream;
use crate::fault::{BlockFault, Fault};
use crate::head::{Evidence, Head};
use crate::interface::{Format, FormatInfo, Outgoing, Parsed, Writer};
use crate::number::{digits, natural, plain_entry, show, weight, words};
use crate::text_writer::TextWriter;
use crate::{Nan, ReadOptions, weights};

impl Format {
    /// DIMACS: lines `p sp n m` and `a u v w`; also `p tw`, `p edge` and `p col`, without weights.
    pub const DIMACS: Self = Self::new(&FormatInfo {
        id: "gr",
        title: "DIMACS",
        extensions: &["gr"],
        summary: "DIMACS: `p sp` with weights; `p edge`, `p col` and `p tw` without",
        keeps_edge_order: true,
        recognize,
        read,
        write: Some(writer),
        read_part: Some(part::open),
    });
}

/// Recognizes comments `c` and a line `p`, or lines `a` or `e` with two numbers if the line `p` is
/// missing.
fn recognize(head: &Head<'_>) -> Evidence {
    let is_number = |word: &[u8]| !word.is_empty() && digits(word, 0).1 == word.len();
    let mut evidence = Evidence::Absent;
    for line in head.lines().unwrap_or_default() {
        let words: Vec<_> = words(line).map(|(_, word)| word).take(4).collect();
        match words[..] {
            [] => {}
            [b"c", ..] => evidence = Evidence::Signature,
            [b"p", ..] => return Evidence::Signature,
            [b"a" | b"e", u, v, ..] => {
                return Evidence::Signature.when(is_number(u) && is_number(v));
            }
            _ => return Evidence::Absent,
        }
    }
    evidence
}

fn read(stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    read_in_blocks(stream, options, BLOCK_BYTES)
}

fn read_in_blocks(
    stream: Stream<'_>,
    options: &ReadOptions,
    block_size: usize,
) -> Result<Parsed, Fault> {
    let mut text = Text::with_block_size(stream, block_size)?;
    let header = Header::read(&mut text)?;
    weights::refuse_others(header.is_weighted(), options)?;
    let mut columns = Columns::default();
    let lines = header.parse_lines(text, None, &mut columns, options)?;
    header.check_edges(columns.len() as u64, lines)?;
    let weighted = header.is_weighted() || columns.is_weighted();
    let mut notes = Vec::new();
    let graph = weights::graph(header.vertices(), columns, weighted, None, options, &mut notes)?;
    Ok(Parsed::new(graph, notes))
}

/// What the `p` line says.
#[derive(Clone, Copy, Debug)]
struct Header {
    kind: Kind,
    n: u32,
    m: u64,
}

impl Header {
    /// Reads up to and including the `p` line.
    fn read(text: &mut Text<'_>) -> Result<Self, Fault> {
        loop {
            let number = text.line_number();
            let Some(line) = text.line()? else {
                return Err(Fault::whole(
                    "there is no header; a line such as 'p sp VERTICES ARCS' should be the first",
                ));
            };
            let first = words(line).next();
            match first {
                None | Some((_, b"c")) => {}
                Some((_, b"p")) => {
                    let header = Self::parse(line).map_err(|(column, sentence)| {
                        Fault::at_line(number, column as u64 + 1, sentence)
                    })?;
                    if header.m > MAX_EDGES as u64 {
                        return Err(Fault::too_many_edges(number, header.m));
                    }
                    text.skip()?;
                    return Ok(header);
                }
                Some((at, word)) => {
                    let sentence = format!(
                        "'{}' comes before the header, a line such as 'p sp VERTICES ARCS'",
                        show(word)
                    );
                    return Err(Fault::at_line(number, at as u64 + 1, sentence));
                }
            }
            text.skip()?;
        }
    }

    /// Reads the lines after it, or a part of them, into empty columns, whose base says how many
    /// edges come before; and whether those have weights is known, if there are some. Returns how
    /// many lines the text has up to the end.
    fn parse_lines(
        &self,
        text: Text<'_>,
        weighted_before: Option<bool>,
        columns: &mut Columns,
        options: &ReadOptions,
    ) -> Result<u64, Fault> {
        let Self { kind, n, m } = *self;
        columns
            .reserve_exact(text.reasonable(m, kind.least_bytes()), kind == Kind::ShortestPaths)?;
        let lines = Lines { kind, n, nan: options.nan };
        text.parse(options.thread_count(), &lines, |chunk, block| {
            let before = columns.base + columns.len() as u64;
            let weighted =
                if columns.len() > 0 { Some(columns.is_weighted()) } else { weighted_before };
            if let Some(weighted) = weighted
                && chunk.len() > 0
                && chunk.is_weighted() != weighted
            {
                return Err(BlockFault::new(kind.edge_in(block, 0), kind.mixed(weighted)));
            }
            let surplus = before + chunk.len() as u64 > m;
            let room = m.saturating_sub(before) as usize;
            columns.join(chunk, room, |edge| kind.edge_in(block, edge))?;
            let sentence =
                || format!("the header promises {m} {}, and this is one more", kind.edges());
            if surplus {
                Err(BlockFault::new(kind.edge_in(block, room), sentence()))
            } else {
                Ok(())
            }
        })
    }

    /// Checks that there are as many edges as promised, when the text has ended after so many
    /// lines.
    fn check_edges(&self, edges: u64, lines: u64) -> Result<(), Fault> {
        if edges >= self.m {
            return Ok(());
        }
        let (m, name) = (self.m, self.kind.edges());
        let sentence = format!("the header promises {m} {name}, but the input ends after {edges}");
        Err(Fault::at_line(lines + 1, 1, sentence))
    }

    /// How many vertices it promises.
    fn vertices(&self) -> usize {
        self.n as usize
    }

    /// Whether there are weights in any case.
    fn is_weighted(&self) -> bool {
        self.kind == Kind::ShortestPaths
    }

    fn parse(line: &[u8]) -> Result<Self, (usize, String)> {
        let mut words = words(line).skip(1);
        let mut next = || words.next().unwrap_or((line.len(), b""));
        let ((kind_at, kind), (n_at, n), (m_at, m), (end, surplus)) =
            (next(), next(), next(), next());
        let kind = Kind::of(kind).ok_or_else(|| {
            (
                kind_at,
                format!(
                    "the header's kind is '{}', but Kostra knows sp, edge, col and tw",
                    show(kind)
                ),
            )
        })?;
        let n = natural(n, "number of vertices").map_err(|sentence| (n_at, sentence))?;
        let m = natural(m, &format!("number of {}", kind.edges()))
            .map_err(|sentence| (m_at, sentence))?;
        if !surplus.is_empty() {
            return Err((
                end,
                format!(
                    "the header ends with '{}', but should end after two counts",
                    show(surplus)
                ),
            ));
        }
        match u32::try_from(n) {
            Ok(n) if n as usize <= MAX_VERTICES => Ok(Self { kind, n, m }),
            _ => Err((n_at, GraphError::TooManyVertices { vertices: n }.to_string())),
        }
    }
}

/// What stands at the start of a line, and whether a weight at its end.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    ShortestPaths,
    Colouring,
    Treewidth,
}

impl Kind {
    fn of(word: &[u8]) -> Option<Self> {
        match word {
            b"sp" => Some(Self::ShortestPaths),
            b"edge" | b"edges" | b"col" => Some(Self::Colouring),
            b"tw" => Some(Self::Treewidth),
            _ => None,
        }
    }

    /// What the kind calls its edges.
    const fn edges(self) -> &'static str {
        match self {
            Self::ShortestPaths => "arcs",
            Self::Colouring | Self::Treewidth => "edges",
        }
    }

    /// How many bytes a line has at least.
    const fn least_bytes(self) -> u64 {
        match self {
            Self::ShortestPaths => "a 1 1 1\n".len() as u64,
            Self::Colouring => "e 1 1\n".len() as u64,
            Self::Treewidth => "1 1\n".len() as u64,
        }
    }

    /// Whether a line that starts with this word is an edge.
    fn is_edge(self, word: &[u8]) -> bool {
        match self {
            Self::ShortestPaths => word == b"a",
            Self::Colouring => word == b"e",
            Self::Treewidth => !matches!(word, b"c" | b"p"),
        }
    }

    /// Where in a block an edge starts, counted from 0.
    fn edge_in(self, block: &[u8], index: usize) -> usize {
        let mut start = 0;
        let mut starts = block.split_inclusive(|&byte| byte == b'\n').filter_map(|line| {
            let (at, word) = words(line.trim_ascii_end()).next().unwrap_or_default();
            let place = start + at;
            start += line.len();
            self.is_edge(word).then_some(place)
        });
        starts.nth(index).unwrap_or_default()
    }

    fn mixed(self, weighted: bool) -> String {
        let (this, others) = if weighted { ("no", "one") } else { ("a", "none") };
        format!("this edge has {this} weight, but the first has {others}")
    }
}

/// The lines after the header.
struct Lines {
    kind: Kind,
    n: u32,
    nan: Nan,
}

impl Parser for Lines {
    type Chunk = Columns;

    fn parse(&self, block: &[u8], chunk: &mut Columns) -> Result<(), BlockFault> {
        match self.kind {
            Kind::ShortestPaths => self.parse_lines::<true>(b"a ", block, chunk),
            Kind::Colouring => self.parse_lines::<false>(b"e ", block, chunk),
            Kind::Treewidth => self.parse_lines::<false>(b"", block, chunk),
        }
    }
}

impl Lines {
    #[inline(always)]
    fn parse_lines<const WEIGHTED: bool>(
        &self,
        prefix: &[u8],
        block: &[u8],
        chunk: &mut Columns,
    ) -> Result<(), BlockFault> {
        let mut at = 0;
        while at < block.len() {
            if let Some(next) = self.plain_line::<WEIGHTED>(prefix, block, at, chunk) {
                at = next;
                continue;
            }
            let rest = block.get(at..).unwrap_or_default();
            let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            self.any_line(rest.get(..length).unwrap_or_default().trim_ascii_end(), chunk)
                .map_err(|(column, sentence)| BlockFault::new(at + column, sentence))?;
            at += length + 1;
        }
        Ok(())
    }

    /// A line as most are. Returns where the next one starts.
    #[inline(always)]
    fn plain_line<const WEIGHTED: bool>(
        &self,
        prefix: &[u8],
        block: &[u8],
        start: usize,
        chunk: &mut Columns,
    ) -> Option<usize> {
        let at = start + prefix.len();
        if block.get(start..at)? != prefix {
            return None;
        }
        let plain = plain_entry::<WEIGHTED>(block, at, self.n)?;
        if !WEIGHTED && chunk.is_weighted() {
            return None;
        }
        chunk.push_ends(plain.u, plain.v);
        if WEIGHTED {
            chunk.push_integer(plain.weight);
        }
        Some(plain.next)
    }

    /// Any other line. A fault comes with its place in the line.
    #[cold]
    fn any_line(&self, line: &[u8], chunk: &mut Columns) -> Result<(), (usize, String)> {
        let mut all = words(line);
        let Some((at, first)) = all.clone().next() else { return Ok(()) };
        match first {
            b"c" => return Ok(()),
            b"p" => return Err((at, "this is a second header".into())),
            // Colours and places of vertices.
            b"n" | b"d" | b"v" | b"x" if self.kind == Kind::Colouring => return Ok(()),
            _ if !self.kind.is_edge(first) => {
                let letter = if self.kind == Kind::ShortestPaths { 'a' } else { 'e' };
                let shown = show(first);
                return Err((
                    at,
                    format!("the line starts with '{shown}', but should start with {letter} or c"),
                ));
            }
            _ => {}
        }
        if self.kind != Kind::Treewidth {
            all.next();
        }
        let mut next = || all.next().unwrap_or((line.len(), b""));
        let ((u_at, u), (v_at, v), (weight_at, word), (end, surplus)) =
            (next(), next(), next(), next());
        let u = self.vertex(u).map_err(|sentence| (u_at, sentence))?;
        let v = self.vertex(v).map_err(|sentence| (v_at, sentence))?;
        let weighted = self.kind == Kind::ShortestPaths || !word.is_empty();
        if self.kind == Kind::Treewidth && weighted {
            return Err((
                weight_at,
                format!("the line ends with '{}', but should end after two vertices", show(word)),
            ));
        }
        if !surplus.is_empty() {
            return Err((
                end,
                format!("the line ends with '{}', but should end after the weight", show(surplus)),
            ));
        }
        if chunk.len() > 0 && weighted != chunk.is_weighted() {
            return Err((at, self.kind.mixed(chunk.is_weighted())));
        }
        if weighted {
            let weight = weight(word, self.nan).map_err(|sentence| (weight_at, sentence))?;
            chunk.push_ends(u, v);
            chunk.push_weight(weight);
        } else {
            chunk.push_ends(u, v);
        }
        Ok(())
    }

    fn vertex(&self, word: &[u8]) -> Result<Vertex, String> {
        let vertex = natural(word, "vertex")?;
        match vertex {
            0 => Err("vertex 0 is none: DIMACS vertices count from 1".into()),
            _ if vertex <= u64::from(self.n) => Ok((vertex - 1) as Vertex),
            _ => Err(format!(
                "vertex {vertex} is beyond the {} vertices that the header promises",
                self.n
            )),
        }
    }
}

/// Writes a graph as `p sp`, one arc per edge.
fn writer(outgoing: Outgoing<'_>) -> Result<Writer<'_>, String> {
    Ok(Box::new(move |to| write(outgoing.graph, to)))
}

fn write(graph: &AnyGraph, to: &mut dyn Write) -> io::Result<()> {
    let mut text = TextWriter::new(to);
    text.word("p sp ")
        .number(graph.vertices().into())
        .word(" ")
        .number(graph.edges() as u64)
        .end_line()?;
    with_graph!(graph, graph => {
        let edges = graph.edge_list();
        for ((&u, &v), &weight) in edges.u().iter().zip(edges.v()).zip(edges.weights()) {
            let (u, v) = (u64::from(u) + 1, u64::from(v) + 1);
            text.word("a ").number(u).word(" ").number(v).word(" ").weight(weight).end_line()?;
        }
    });
    text.finish()
}
