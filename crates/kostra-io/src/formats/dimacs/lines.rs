//! The lines of a DIMACS file after its header.

use kostra_core::{Vertex, counted};

use crate::Nan;
use crate::blocks::Parser;
use crate::columns::Columns;
use crate::fault::{BlockFault, LineFault};
use crate::number::{natural, plain_entry, show, weight, words};

/// The kind of the file: the first word of its lines, and whether they end with a weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    ShortestPaths,
    Coloring,
    Treewidth,
}

impl Kind {
    pub(super) fn from_word(word: &[u8]) -> Option<Self> {
        match word {
            b"sp" => Some(Self::ShortestPaths),
            b"edge" | b"edges" | b"col" => Some(Self::Coloring),
            b"tw" | b"td" | b"vc" | b"ds" | b"cep" => Some(Self::Treewidth),
            _ => None,
        }
    }

    /// What the format calls the edges.
    pub(super) const fn edges(self) -> &'static str {
        match self {
            Self::ShortestPaths => "arcs",
            Self::Coloring | Self::Treewidth => "edges",
        }
    }

    /// A number of edges with the format's word for them.
    pub(super) fn counted(self, edges: u64) -> String {
        match self {
            Self::ShortestPaths => counted(edges, "arc", "arcs"),
            Self::Coloring | Self::Treewidth => counted(edges, "edge", "edges"),
        }
    }

    /// The least number of bytes of a line.
    pub(super) const fn least_bytes(self) -> u64 {
        match self {
            Self::ShortestPaths => "a 1 1 1\n".len() as u64,
            Self::Coloring => "e 1 1\n".len() as u64,
            Self::Treewidth => "1 1\n".len() as u64,
        }
    }

    /// Whether a line that starts with this word is an edge.
    fn is_edge(self, word: &[u8]) -> bool {
        match self {
            Self::ShortestPaths => word == b"a",
            Self::Coloring => word == b"e",
            Self::Treewidth => !matches!(word, b"c" | b"p"),
        }
    }

    /// The offset of an edge in a block; edges count from 0.
    pub(super) fn edge_in(self, block: &[u8], index: usize) -> usize {
        let mut start = 0;
        let mut starts = block.split_inclusive(|&byte| byte == b'\n').filter_map(|line| {
            let (at, word) = words(line.trim_ascii_end()).next().unwrap_or_default();
            let place = start + at;
            start += line.len();
            self.is_edge(word).then_some(place)
        });
        starts.nth(index).unwrap_or_default()
    }

    pub(super) fn mixed(self, weighted: bool) -> String {
        let (this, others) = if weighted { ("no", "one") } else { ("a", "none") };
        format!("this edge has {this} weight, but the first has {others}")
    }
}

/// The lines after the header.
pub(super) struct Lines {
    pub(super) kind: Kind,
    /// The number of vertices.
    pub(super) n: u32,
    pub(super) nan: Nan,
}

impl Parser for Lines {
    type Chunk = Columns;

    fn parse(&self, block: &[u8], chunk: &mut Columns) -> Result<(), BlockFault> {
        match self.kind {
            Kind::ShortestPaths => self.parse_lines::<true>(b"a ", block, chunk),
            Kind::Coloring => self.parse_lines::<false>(b"e ", block, chunk),
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
                .map_err(|fault| fault.in_block(at))?;
            at += length + 1;
        }
        Ok(())
    }

    /// Parses a line in the usual form, and returns the start of the next one.
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

    /// Parses any other line. A fault has its offset in the line.
    #[cold]
    fn any_line(&self, line: &[u8], chunk: &mut Columns) -> Result<(), LineFault> {
        let mut all = words(line);
        let Some((at, first)) = all.clone().next() else { return Ok(()) };
        match first {
            b"c" => return Ok(()),
            b"p" => return Err((at, "this is a second header").into()),
            // Colors and coordinates of vertices.
            b"n" | b"d" | b"v" | b"x" if self.kind == Kind::Coloring => return Ok(()),
            _ if !self.kind.is_edge(first) => {
                let letter = if self.kind == Kind::ShortestPaths { 'a' } else { 'e' };
                let shown = show(first);
                let sentence =
                    format!("the line starts with '{shown}', but should start with {letter} or c");
                return Err((at, sentence).into());
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
            let word = show(word);
            let sentence =
                format!("the line ends with '{word}', but should end after two vertices");
            return Err((weight_at, sentence).into());
        }
        if !surplus.is_empty() {
            let word = show(surplus);
            let sentence = format!("the line ends with '{word}', but should end after the weight");
            return Err((end, sentence).into());
        }
        if chunk.len() > 0 && weighted != chunk.is_weighted() {
            return Err((at, self.kind.mixed(chunk.is_weighted())).into());
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
            0 => Err("there is no vertex 0: DIMACS vertices count from 1".into()),
            _ if vertex <= u64::from(self.n) => Ok((vertex - 1) as Vertex),
            _ => Err(format!(
                "vertex {vertex} is beyond the {} that the header announces; correct one of them",
                counted(self.n, "vertex", "vertices")
            )),
        }
    }
}
