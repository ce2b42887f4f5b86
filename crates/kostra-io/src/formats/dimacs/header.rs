//! The header of a DIMACS file, and the edges that it announces.

use kostra_core::{GraphError, MAX_EDGES, MAX_VERTICES};

use super::lines::{Kind, Lines};
use crate::ReadOptions;
use crate::blocks::Text;
use crate::columns::Columns;
use crate::fault::{BlockFault, Fault};
use crate::number::{natural, show, words};

/// The line `p`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    kind: Kind,
    pub(super) n: u32,
    pub(super) m: u64,
    /// The number of the line.
    line: u64,
}

impl Header {
    /// Reads the text up to and including the line `p`.
    pub(super) fn read(text: &mut Text<'_>) -> Result<Self, Fault> {
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
                    text.skip()?;
                    return Ok(Self { line: number, ..header });
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

    /// Refuses more edges than a graph in memory may have.
    pub(super) fn check_limit(&self) -> Result<(), Fault> {
        if self.m > MAX_EDGES as u64 {
            return Err(Fault::too_many_edges(self.line, self.m));
        }
        Ok(())
    }

    /// The parser of the lines after it.
    pub(super) fn lines(&self, options: &ReadOptions) -> Lines {
        Lines { kind: self.kind, n: self.n, nan: options.nan }
    }

    /// Parses the lines after it, or a part of them, into empty columns, whose base is the number
    /// of edges before them. `weighted_before` says whether those have weights, if there are any.
    /// Returns the number of lines up to the end of the text.
    pub(super) fn parse_lines(
        &self,
        text: Text<'_>,
        weighted_before: Option<bool>,
        columns: &mut Columns,
        options: &ReadOptions,
    ) -> Result<u64, Fault> {
        let Self { kind, m, .. } = *self;
        columns
            .reserve_exact(text.reasonable(m, kind.least_bytes()), kind == Kind::ShortestPaths)?;
        text.parse(options.thread_count(), &self.lines(options), |chunk, block| {
            let weighted =
                if columns.len() > 0 { Some(columns.is_weighted()) } else { weighted_before };
            self.join((chunk, block), weighted, columns)
        })
    }

    /// Adds the edges of a block to `columns`. `weighted` says whether the edges before have
    /// weights, if there are any.
    pub(super) fn join(
        &self,
        (chunk, block): (&mut Columns, &[u8]),
        weighted: Option<bool>,
        columns: &mut Columns,
    ) -> Result<(), BlockFault> {
        let Self { kind, m, .. } = *self;
        let before = columns.base + columns.len() as u64;
        if let Some(weighted) = weighted
            && chunk.len() > 0
            && chunk.is_weighted() != weighted
        {
            return Err(BlockFault::new(kind.edge_in(block, 0), kind.mixed(weighted)));
        }
        let surplus = before + chunk.len() as u64 > m;
        let accepted = m.saturating_sub(before) as usize;
        columns.join(chunk, accepted, |edge| kind.edge_in(block, edge))?;
        let sentence = || {
            format!(
                "the header announces {}, and this is one more; correct the header",
                kind.counted(m)
            )
        };
        if surplus {
            Err(BlockFault::new(kind.edge_in(block, accepted), sentence()))
        } else {
            Ok(())
        }
    }

    /// Checks the number of edges of a text that ends after `lines` lines.
    pub(super) fn check_edges(&self, edges: u64, lines: u64) -> Result<(), Fault> {
        if edges >= self.m {
            return Ok(());
        }
        let announced = self.kind.counted(self.m);
        let sentence = format!(
            "the header announces {announced}, but the input ends after {edges}; copy the file again, or correct the header"
        );
        Err(Fault::at_line(lines + 1, 1, sentence))
    }

    /// The number of vertices.
    pub(super) fn vertices(&self) -> usize {
        self.n as usize
    }

    /// Whether every edge must have a weight.
    pub(super) fn is_weighted(&self) -> bool {
        self.kind == Kind::ShortestPaths
    }

    fn parse(line: &[u8]) -> Result<Self, (usize, String)> {
        let mut words = words(line).skip(1);
        let mut next = || words.next().unwrap_or((line.len(), b""));
        let ((kind_at, kind), (n_at, n), (m_at, m), (end, surplus)) =
            (next(), next(), next(), next());
        let kind = Kind::from_word(kind).ok_or_else(|| {
            (
                kind_at,
                format!(
                    "the header's kind is '{}', but Kostra knows sp, edge, col, tw, td, vc, ds and \
                     cep; write `p edge` if each line is an edge",
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
            Ok(n) if n as usize <= MAX_VERTICES => Ok(Self { kind, n, m, line: 0 }),
            _ => Err((n_at, GraphError::TooManyVertices { vertices: n }.to_string())),
        }
    }
}
