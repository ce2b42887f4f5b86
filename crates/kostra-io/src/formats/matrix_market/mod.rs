//! Matrix Market: a banner `%%MatrixMarket matrix coordinate FIELD SYMMETRY`, comments `%`, a line
//! `rows columns entries`, and one line per entry: `row column value`, counted from 1.
//!
//! A square matrix is the adjacency matrix of a graph. Each entry in the file is one edge, and edge
//! ids follow the order of the entries. A symmetric file contains the entries on and below the
//! diagonal. Explicit zeros are edges of weight zero.

#[cfg(test)]
mod tests;
mod write;

use kostra_core::{GraphError, MAX_EDGES, MAX_VERTICES, Vertex, counted};

use crate::blocks::{BLOCK_BYTES, Parser, Text};
use crate::columns::{Columns, Number};
use crate::compression::Stream;
use crate::fault::{BlockFault, Fault};
use crate::head::{BYTE_ORDER_MARK, Evidence, Head};
use crate::interface::{Format, FormatInfo, Parsed};
use crate::number::{NanRule, natural, plain_entry, show, weight, words};
use crate::{ReadOptions, weights};
use write::writer;

impl Format {
    /// Matrix Market coordinate files.
    pub const MATRIX_MARKET: Self = Self::new(&FormatInfo {
        id: "mtx",
        title: "Matrix Market",
        extensions: &["mtx"],
        summary: "Matrix Market: square matrices in coordinate form",
        keeps_edge_order: true,
        has_attributes: false,
        recognize,
        read,
        write: Some(writer),
        write_stream: None,
        read_part: None,
        read_blocks: None,
    });
}

/// The first word of every file, in any case.
const BANNER_START: &[u8] = b"%%MatrixMarket";

fn recognize(head: &Head<'_>) -> Evidence {
    let bytes = head.bytes().strip_prefix(BYTE_ORDER_MARK).unwrap_or(head.bytes());
    let start = bytes.get(..BANNER_START.len()).unwrap_or_default();
    Evidence::Signature.when(start.eq_ignore_ascii_case(BANNER_START))
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
    let banner = Banner::read(&mut text)?;
    let (n, m) = read_size(&mut text)?;
    let weighted = banner.field != Field::Pattern;
    weights::refuse_others(weighted, options)?;
    let mut columns = Columns::default();
    let least_bytes = if weighted { "1 1 1\n".len() } else { "1 1\n".len() };
    let reserved = text.reasonable(m, least_bytes as u64);
    if banner.field == Field::Real {
        columns.make_float();
    }
    columns.reserve_exact(reserved, weighted)?;
    let line_count = text.parse(
        options.thread_count(),
        &Entries { banner, n, nan: options.nan_rule() },
        |chunk, block| {
            let surplus = (columns.len() + chunk.len()) as u64 > m;
            let accepted = (m - columns.len() as u64) as usize;
            columns.join(chunk, accepted, |entry| entry_in(block, entry))?;
            if surplus {
                let entries = counted(m, "entry", "entries");
                let sentence = format!("the header announces {entries}, and this is one more");
                return Err(BlockFault::new(entry_in(block, accepted), sentence));
            }
            Ok(())
        },
    )?;
    if (columns.len() as u64) < m {
        let (entries, count) = (counted(m, "entry", "entries"), columns.len());
        let sentence = format!("the header announces {entries}, but the input ends after {count}");
        return Err(Fault::at_line(line_count + 1, 1, sentence));
    }
    let mut notes = Vec::new();
    if banner.symmetry == Symmetry::Skew {
        notes.push(
            "the matrix is skew-symmetric; each edge weighs its entry below the diagonal".into(),
        );
    }
    let graph = weights::RawGraph::new(n as usize, columns, weighted).build(options, &mut notes)?;
    Ok(Parsed::new(graph, notes))
}

/// The type of the values.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Field {
    Real,
    Integer,
    Pattern,
}

/// The symmetry of the matrix, by which the file omits entries.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Symmetry {
    General,
    Symmetric,
    Skew,
}

/// The first line.
#[derive(Clone, Copy, Debug)]
struct Banner {
    field: Field,
    symmetry: Symmetry,
}

impl Banner {
    fn read(text: &mut Text<'_>) -> Result<Self, Fault> {
        let line = text.line()?.unwrap_or_default();
        let banner = Self::parse(line)
            .map_err(|(column, sentence)| Fault::at_line(1, column as u64 + 1, sentence))?;
        text.skip()?;
        Ok(banner)
    }

    fn parse(line: &[u8]) -> Result<Self, (usize, String)> {
        let mut words = words(line);
        let mut next = || {
            let (at, word) = words.next().unwrap_or((line.len(), b""));
            (at, word.to_ascii_lowercase())
        };
        let refuse = |(at, word): (usize, Vec<u8>), sentence: &str| {
            Err((at, sentence.replace("{}", &format!("'{}'", show(&word)))))
        };
        let (magic, object, format, field, symmetry) = (next(), next(), next(), next(), next());
        if magic.1 != b"%%matrixmarket" {
            return refuse(magic, "the first line should start with %%MatrixMarket, not {}");
        }
        if object.1 != b"matrix" {
            return refuse(object, "the banner says {}, but only a matrix can be a graph");
        }
        match &format.1[..] {
            b"coordinate" => {}
            b"array" => {
                return refuse(
                    format,
                    "this is a dense matrix ({}), which does not say which zeros are edges; write it as coordinate",
                );
            }
            _ => return refuse(format, "the banner's format is {}, but should be coordinate"),
        }
        let field = match &field.1[..] {
            b"real" | b"double" => Field::Real,
            b"integer" | b"unsigned-integer" => Field::Integer,
            b"pattern" => Field::Pattern,
            b"complex" => {
                return refuse(field, "the values are {}, and complex numbers have no order");
            }
            _ => {
                return refuse(
                    field,
                    "the banner's field is {}, but should be real, integer or pattern",
                );
            }
        };
        let symmetry = match &symmetry.1[..] {
            b"general" => Symmetry::General,
            b"symmetric" => Symmetry::Symmetric,
            b"skew-symmetric" => Symmetry::Skew,
            b"hermitian" => {
                return refuse(symmetry, "the matrix is {}, and complex numbers have no order");
            }
            _ => {
                return refuse(
                    symmetry,
                    "the banner's symmetry is {}, but should be general, symmetric or skew-symmetric",
                );
            }
        };
        Ok(Self { field, symmetry })
    }
}

/// Reads up to and including the line with the numbers of rows, columns and entries.
fn read_size(text: &mut Text<'_>) -> Result<(u32, u64), Fault> {
    loop {
        let number = text.line_number();
        let Some(line) = text.line()? else {
            return Err(Fault::whole(
                "the input ends before the line with the numbers of rows, columns and entries",
            ));
        };
        if !matches!(words(line).next(), None | Some((_, [b'%', ..]))) {
            let size = parse_size(line)
                .map_err(|(at, sentence)| Fault::at_line(number, at as u64 + 1, sentence))?;
            if size.1 > MAX_EDGES as u64 {
                return Err(Fault::too_many_edges(number, size.1));
            }
            text.skip()?;
            return Ok(size);
        }
        text.skip()?;
    }
}

fn parse_size(line: &[u8]) -> Result<(u32, u64), (usize, String)> {
    let mut words = words(line);
    let mut next = |what: &str| {
        let (at, word) = words.next().unwrap_or((line.len(), b""));
        natural(word, what).map(|count| (at, count)).map_err(|sentence| (at, sentence))
    };
    let (at, rows) = next("number of rows")?;
    let (_, columns) = next("number of columns")?;
    let (_, entries) = next("number of entries")?;
    if rows != columns {
        let sentence = format!(
            "the matrix has {} and {}, but an adjacency matrix is square",
            counted(rows, "row", "rows"),
            counted(columns, "column", "columns")
        );
        return Err((at, sentence));
    }
    match u32::try_from(rows) {
        Ok(n) if n as usize <= MAX_VERTICES => Ok((n, entries)),
        _ => Err((at, GraphError::TooManyVertices { vertices: rows }.to_string())),
    }
}

/// The offset of an entry in a block; entries count from 0.
fn entry_in(block: &[u8], index: usize) -> usize {
    let mut start = 0;
    let mut starts = block.split_inclusive(|&byte| byte == b'\n').filter_map(|line| {
        let word = words(line.trim_ascii_end()).next();
        let place = start + word.unwrap_or_default().0;
        start += line.len();
        word.filter(|(_, word)| !word.starts_with(b"%")).map(|_| place)
    });
    starts.nth(index).unwrap_or_default()
}

/// The lines after the size.
struct Entries {
    banner: Banner,
    n: u32,
    nan: NanRule,
}

impl Parser for Entries {
    type Chunk = Columns;

    fn parse(&self, block: &[u8], chunk: &mut Columns) -> Result<(), BlockFault> {
        if self.banner.field == Field::Real {
            chunk.make_float();
        }
        let mut at = 0;
        while at < block.len() {
            if let Some(next) = self.plain_line(block, at, chunk) {
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
}

impl Entries {
    /// A line as most are. Returns where the next one starts.
    #[inline(always)]
    fn plain_line(&self, block: &[u8], start: usize, chunk: &mut Columns) -> Option<usize> {
        let plain = match self.banner.field {
            Field::Integer => plain_entry::<true>(block, start, self.n),
            Field::Pattern => plain_entry::<false>(block, start, self.n),
            Field::Real => None,
        }?;
        if self.misplaced(plain.u, plain.v).is_some() {
            return None;
        }
        chunk.push_ends(plain.u, plain.v);
        if self.banner.field == Field::Integer {
            chunk.push_integer(plain.weight);
        }
        Some(plain.next)
    }

    /// Any other line. A fault comes with its place in the line.
    fn any_line(&self, line: &[u8], chunk: &mut Columns) -> Result<(), (usize, String)> {
        let mut words = words(line);
        let mut next = || words.next().unwrap_or((line.len(), b""));
        let (row_at, row) = next();
        if matches!(row, [] | [b'%', ..]) {
            return Ok(());
        }
        let (column_at, column) = next();
        let u = self.vertex(row, "row").map_err(|sentence| (row_at, sentence))?;
        let v = self.vertex(column, "column").map_err(|sentence| (column_at, sentence))?;
        if let Some(sentence) = self.misplaced(u, v) {
            return Err((row_at, sentence));
        }
        let weight = match self.banner.field {
            Field::Pattern => None,
            field => {
                let (at, word) = next();
                match weight(word, self.nan).map_err(|sentence| (at, sentence))? {
                    weight if field == Field::Real => {
                        Some(as_real(weight, word).map_err(|wrong| (at, wrong))?)
                    }
                    Number::Float(_) => {
                        return Err((
                            at,
                            format!(
                                "the weight {} is not a whole number, but the banner says integer",
                                show(word)
                            ),
                        ));
                    }
                    weight => Some(weight),
                }
            }
        };
        let (at, surplus) = next();
        if !surplus.is_empty() {
            return Err((at, format!("the line should end before '{}'", show(surplus))));
        }
        chunk.push_ends(u, v);
        if let Some(weight) = weight {
            chunk.push_weight(weight);
        }
        Ok(())
    }

    /// The fault of an entry at this position, if it has one.
    #[inline(always)]
    fn misplaced(&self, u: Vertex, v: Vertex) -> Option<String> {
        match self.banner.symmetry {
            Symmetry::General => None,
            Symmetry::Symmetric if u >= v => None,
            Symmetry::Skew if u > v => None,
            _ => Some(self.words_for_misplaced(u, v)),
        }
    }

    #[cold]
    fn words_for_misplaced(&self, u: Vertex, v: Vertex) -> String {
        let (row, column) = (u64::from(u) + 1, u64::from(v) + 1);
        let (place, kind) = if u == v { ("on", "skew-symmetric") } else { ("above", "symmetric") };
        format!(
            "the entry in row {row}, column {column} is {place} the diagonal, where a {kind} file has no entries"
        )
    }

    fn vertex(&self, word: &[u8], what: &str) -> Result<Vertex, String> {
        match natural(word, what)? {
            0 => Err(format!("the {what} is 0, but Matrix Market counts from 1")),
            index if index <= u64::from(self.n) => Ok((index - 1) as Vertex),
            index => Err(format!(
                "the {what} {index} is beyond the {} that the header announces",
                self.n
            )),
        }
    }
}

/// A weight where the banner says real.
fn as_real(weight: Number, word: &[u8]) -> Result<Number, String> {
    let shown = show(word);
    weight.as_float().map(Number::Float).ok_or_else(|| {
        format!(
            "the weight {shown} has no exact 64-bit float, which the banner's 'real' asks for; write {shown}.0 if it \
             may be rounded"
        )
    })
}
