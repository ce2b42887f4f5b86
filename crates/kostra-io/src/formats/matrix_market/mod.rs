//! Matrix Market: a banner `%%MatrixMarket matrix coordinate FIELD SYMMETRY`, comments `%`, a line
//! `rows columns entries`, and one line per entry: `row column value`, counted from 1.
//!
//! A square matrix is the adjacency matrix of a graph. Each entry in the file is one edge, and edge
//! ids follow the order of the entries. A symmetric file contains the entries on and below the
//! diagonal. Explicit zeros are edges of weight zero. A skew-symmetric file is refused, because its
//! edges have a weight in one direction and the negative of it in the other.
//!
//! With `array` instead of `coordinate`, the size is `rows columns`, and the file has all values of
//! a dense matrix, column by column. It is held in memory.

mod dense;
mod entries;
#[cfg(test)]
mod tests;
mod write;

use kostra_core::{GraphError, MAX_EDGES, MAX_VERTICES, counted};

use crate::blocks::{BLOCK_BYTES, Text};
use crate::columns::Columns;
use crate::compression::Stream;
use crate::edge_blocks::{EdgeSink, StreamFacts};
use crate::fault::{BlockFault, Fault};
use crate::head::{BYTE_ORDER_MARK, Evidence, Head};
use crate::interface::{Format, FormatInfo, Parsed};
use crate::message::{Remedy, message};
use crate::number::{natural, show, words};
use crate::{ReadErrorKind, ReadOptions, weights};
use entries::{Entries, entry_in};
use write::writer;

impl Format {
    /// Matrix Market files.
    pub const MATRIX_MARKET: Self = Self::new(&FormatInfo {
        id: "mtx",
        title: "Matrix Market",
        extensions: &["mtx"],
        summary: "Matrix Market: square matrices, as a list of entries or an array",
        recognize,
        read,
        write: Some(writer),
        read_blocks: Some(read_blocks),
        ..FormatInfo::READ_ONLY
    });
}

/// The first words of files, in any case. networkrepository.com writes one sign.
const BANNER_STARTS: [&[u8]; 2] = [b"%%MatrixMarket", b"%MatrixMarket"];

fn recognize(head: &Head<'_>) -> Evidence {
    let bytes = head.bytes().strip_prefix(BYTE_ORDER_MARK).unwrap_or(head.bytes());
    let starts = |word: &&[u8]| {
        bytes.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
    };
    Evidence::Signature.when(BANNER_STARTS.iter().any(starts))
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
    let header = Header::read(&mut text, options)?;
    if header.banner.layout == Layout::Array {
        return dense::read(&mut text, &header, options);
    }
    if header.m > MAX_EDGES as u64 {
        return Err(Fault::too_many_edges(header.line, header.m));
    }
    let mut columns = Columns::default();
    let weighted = header.is_weighted();
    let least_bytes = if weighted { "1 1 1\n".len() } else { "1 1\n".len() };
    let reserved = text.reasonable(header.m, least_bytes as u64);
    if header.banner.field == Field::Real {
        columns.make_float();
    }
    columns.reserve_exact(reserved, weighted)?;
    let lines = text.parse(options.thread_count(), &header.entries(options), |chunk, block| {
        header.join((chunk, block), &mut columns)
    })?;
    header.check_entries(columns.len() as u64, lines)?;
    let mut notes = Vec::new();
    let graph =
        weights::RawGraph::new(header.n as usize, columns, weighted).build(options, &mut notes)?;
    Ok(Parsed::new(graph, notes))
}

fn read_blocks(
    stream: Stream<'_>,
    options: &ReadOptions,
    blocks: &mut EdgeSink<'_>,
) -> Result<(), Fault> {
    let mut text = Text::new(stream)?;
    let header = Header::read(&mut text, options)?;
    if header.banner.layout == Layout::Array {
        let sentence = "this is a dense matrix, which is read only as a whole; convert it to .kst";
        return Err(Fault::at_line(1, 1, sentence));
    }
    let facts =
        StreamFacts { vertices: Some(header.n), edges: Some(header.m), ..StreamFacts::default() };
    blocks.begin(facts)?;
    let lines = text.parse(options.thread_count(), &header.entries(options), |chunk, block| {
        header.join((chunk, block), &mut blocks.columns)?;
        blocks.pass_on_if_full()
    })?;
    blocks.finish()?;
    header.check_entries(blocks.columns.base, lines)
}

/// The lines before the entries.
struct Header {
    banner: Banner,
    /// The number of vertices.
    n: u32,
    /// The number of entries.
    m: u64,
    /// The line with these numbers.
    line: u64,
}

impl Header {
    fn read(text: &mut Text<'_>, options: &ReadOptions) -> Result<Self, Fault> {
        let banner = Banner::read(text)?;
        let (line, n, m) = read_size(text, banner)?;
        let header = Self { banner, n, m, line };
        weights::refuse_others(header.is_weighted(), options)?;
        if let Some(option) = options.first_of_matrix()
            && banner.layout == Layout::Coordinate
        {
            let sentence = " applies to arrays, and this file lists its entries; omit it";
            return Err(ReadErrorKind::question(message![Remedy::option(option), sentence]).into());
        }
        Ok(header)
    }

    fn is_weighted(&self) -> bool {
        self.banner.field != Field::Pattern
    }

    fn entries(&self, options: &ReadOptions) -> Entries {
        Entries { banner: self.banner, n: self.n, nan: options.nan }
    }

    /// Appends the entries of a block.
    fn join(
        &self,
        (chunk, block): (&mut Columns, &[u8]),
        columns: &mut Columns,
    ) -> Result<(), BlockFault> {
        let accepted = self.m - columns.base - columns.len() as u64;
        let surplus = chunk.len() as u64 > accepted;
        columns.join(chunk, accepted as usize, |entry| entry_in(block, entry))?;
        if surplus {
            return Err(BlockFault::new(entry_in(block, accepted as usize), self.surplus()));
        }
        Ok(())
    }

    /// Says that an entry is one too many.
    fn surplus(&self) -> String {
        let entries = counted(self.m, "entry", "entries");
        format!("the header announces {entries}, and this is one more; correct the header")
    }

    /// Checks that a file with this number of lines has all entries.
    fn check_entries(&self, count: u64, lines: u64) -> Result<(), Fault> {
        if count >= self.m {
            return Ok(());
        }
        let entries = counted(self.m, "entry", "entries");
        let sentence = format!(
            "the header announces {entries}, but the input ends after {count}; copy the file again, or correct the header"
        );
        Err(Fault::at_line(lines + 1, 1, sentence))
    }
}

/// Which entries the file lists.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Layout {
    /// Some, each with its row and its column.
    Coordinate,
    /// All, column by column.
    Array,
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
}

/// The first line.
#[derive(Clone, Copy, Debug)]
struct Banner {
    layout: Layout,
    field: Field,
    symmetry: Symmetry,
}

impl Field {
    /// The field of this name, or why there is none; `{}` stands for the name.
    fn named(name: &[u8]) -> Result<Self, &'static str> {
        match name {
            b"real" | b"double" => Ok(Self::Real),
            b"integer" | b"unsigned-integer" => Ok(Self::Integer),
            b"pattern" => Ok(Self::Pattern),
            b"complex" => Err(
                "the values are {}, and complex numbers have no order; write their absolute values",
            ),
            _ => Err("the banner's field is {}, but should be real, integer or pattern"),
        }
    }
}

impl Symmetry {
    /// The symmetry of this name, or why there is none; `{}` stands for the name.
    fn named(name: &[u8]) -> Result<Self, &'static str> {
        match name {
            b"general" => Ok(Self::General),
            b"symmetric" => Ok(Self::Symmetric),
            b"skew-symmetric" => Err(
                "the matrix is {}, so the weight of an edge is w in one direction and -w in the \
                 other; write symmetric if the entries of the file are the weights",
            ),
            b"hermitian" => Err(
                "the matrix is {}, and complex numbers have no order; write their absolute values",
            ),
            _ => Err("the banner's symmetry is {}, but should be general or symmetric"),
        }
    }
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
        if !BANNER_STARTS.iter().any(|start| start.eq_ignore_ascii_case(&magic.1)) {
            return refuse(
                magic,
                "the first line should start with %%MatrixMarket, not {}; if the banner is \
                 missing, add the line `%%MatrixMarket matrix coordinate real general`",
            );
        }
        if object.1 != b"matrix" {
            return refuse(object, "the banner says {}, but only a matrix can be a graph");
        }
        let layout = match &format.1[..] {
            b"coordinate" => Layout::Coordinate,
            b"array" => Layout::Array,
            _ => {
                let sentence = "the banner's format is {}, but should be coordinate or array";
                return refuse(format, sentence);
            }
        };
        let field = match Field::named(&field.1) {
            Ok(Field::Pattern) if layout == Layout::Array => {
                return refuse(field, "the banner's field is {}, but an array has values");
            }
            Ok(found) => found,
            Err(sentence) => return refuse(field, sentence),
        };
        let symmetry = match Symmetry::named(&symmetry.1) {
            Ok(found) => found,
            Err(sentence) => return refuse(symmetry, sentence),
        };
        Ok(Self { layout, field, symmetry })
    }
}

/// Reads up to and including the line with the numbers of rows, columns and entries. Returns the
/// line, the number of rows and the number of entries.
fn read_size(text: &mut Text<'_>, banner: Banner) -> Result<(u64, u32, u64), Fault> {
    loop {
        let number = text.line_number();
        let Some(line) = text.line()? else {
            return Err(Fault::whole(
                "the input ends before the line with the numbers of rows, columns and entries",
            ));
        };
        if !matches!(words(line).next(), None | Some((_, [b'%', ..]))) {
            let (n, m) = parse_size(line, banner)
                .map_err(|(at, sentence)| Fault::at_line(number, at as u64 + 1, sentence))?;
            text.skip()?;
            return Ok((number, n, m));
        }
        text.skip()?;
    }
}

fn parse_size(line: &[u8], banner: Banner) -> Result<(u32, u64), (usize, String)> {
    let mut words = words(line);
    let mut next = |what: &str| {
        let (at, word) = words.next().unwrap_or((line.len(), b""));
        natural(word, what).map(|count| (at, count)).map_err(|sentence| (at, sentence))
    };
    let (at, rows) = next("number of rows")?;
    let (_, columns) = next("number of columns")?;
    let listed = match banner.layout {
        Layout::Coordinate => Some(next("number of entries")?.1),
        Layout::Array => None,
    };
    if rows != columns {
        let sentence = format!(
            "the matrix has {} and {}, but an adjacency matrix is square",
            counted(rows, "row", "rows"),
            counted(columns, "column", "columns")
        );
        return Err((at, sentence));
    }
    match u32::try_from(rows) {
        Ok(n) if n as usize <= MAX_VERTICES => {
            let all = match banner.symmetry {
                Symmetry::General => rows * rows,
                Symmetry::Symmetric => rows * (rows + 1) / 2,
            };
            Ok((n, listed.unwrap_or(all)))
        }
        _ => Err((at, GraphError::TooManyVertices { vertices: rows }.to_string())),
    }
}
