//! Reading `.npz` files: those of `scipy.sparse.save_npz`, and those of one array.

use kostra_core::MAX_VERTICES;

use super::array::{self, Array, At};
use super::dense;
use super::tables::{ArchiveTable, which};
use super::zip::Archive;
use crate::columns::{Columns, TextNumber};
use crate::compression::Stream;
use crate::fault::Fault;
use crate::interface::{Parsed, Vertices};
use crate::message::{Remedy, message};
use crate::number::show;
use crate::weights::RawGraph;
use crate::{Nan, ReadErrorKind, ReadOptions, whole};

/// Reads a graph.
pub(super) fn read(mut stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    let bytes = whole::bytes(&mut stream)?;
    let archive = Archive::parse(&bytes).map_err(at_byte)?;
    if !archive.names().any(|name| SPARSE.contains(&name)) {
        return read_dense(&archive, options);
    }
    let counts = matches!(options.vertices, Vertices::Count(_)).then_some("vertices");
    let columns = options.columns.first_used();
    if let Some(option) = options.first_of_rows().or(counts).or(columns) {
        let sentence = " does not apply to a sparse matrix; omit it";
        return Err(ReadErrorKind::question(message![Remedy::option(option), sentence]).into());
    }
    let matrix = Matrix::open(&bytes).map_err(at_byte)?;
    let mut columns = Columns::default();
    matrix.add_edges(options, &mut columns)?;
    let mut notes = Vec::new();
    let graph = RawGraph::new(matrix.size, columns, true).build(options, &mut notes)?;
    Ok(Parsed::new(graph, notes))
}

/// Parts of sparse matrices.
const SPARSE: [&str; 2] = ["format.npy", "indptr.npy"];

/// Reads the only array of an archive that can be a graph.
fn read_dense(archive: &Archive<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    let files: Vec<&str> = archive.names().filter(|name| name.ends_with(".npy")).collect();
    if let [file] = files[..] {
        // A structured array has one dimension.
        let found = archive.file(file).map_err(at_byte)?;
        return dense::read_bytes(&found.map(|(content, _)| content).unwrap_or_default(), options);
    }
    let (arrays, others) = archive.arrays(1..=2).map_err(at_byte)?;
    let (tables, vectors): (Vec<_>, Vec<_>) =
        arrays.into_iter().partition(|array| array.dimensions == 2);
    if let Some(parsed) = read_vectors(&tables, &vectors, options)? {
        return Ok(parsed);
    }
    match &tables[..] {
        [table] => {
            let mut parsed = dense::read_bytes(&table.content, options)?;
            let note = format!("the array {} is read, not {}", table.name, others.join(", "));
            parsed.notes.insert(0, note.into());
            Ok(parsed)
        }
        [] => Err(Fault::whole(format!(
            "no array of this archive is a table of numbers with two dimensions ({}); save a \
             matrix, or a sparse one with scipy.sparse.save_npz",
            others.join(", ")
        ))),
        tables => Err(ReadErrorKind::question(format!(
            "which array contains the graph, {}? save it as a file of its own with numpy.save",
            which(tables)
        ))
        .into()),
    }
}

/// Reads edges whose ends are in two arrays of one dimension, or in a table of two columns or rows,
/// and the weight in another array. None if no arrays are of the same length.
fn read_vectors(
    tables: &[ArchiveTable<'_>],
    vectors: &[ArchiveTable<'_>],
    options: &ReadOptions,
) -> Result<Option<Parsed>, Fault> {
    const MOST_ENDS: usize = 3;
    let table = match tables {
        [] => None,
        [table] => match table.shape {
            [rows, 2] if rows > 2 => Some((table, rows)),
            [2, rows] if rows > MOST_ENDS && table.name.contains("edge") => Some((table, rows)),
            _ => return Ok(None),
        },
        _ => return Ok(None),
    };
    let length = table.map(|(_, rows)| rows).or(vectors.first().map(|vector| vector.shape[0]));
    let ends = table.map(|(table, _)| table.array()).transpose().map_err(at_byte)?;
    let ends = ends.map(|(_, array)| if array.columns == 2 { array } else { array.transposed() });
    let vectors: At<Vec<(&str, Array<'_>)>> = vectors
        .iter()
        .filter(|vector| Some(vector.shape[0]) == length)
        .map(ArchiveTable::array)
        .collect();
    let vectors = vectors.map_err(at_byte)?;
    let least = if ends.is_some() { 1 } else { 2 };
    if vectors.len() < least {
        return Ok(None);
    }
    let of_ends = ends.iter().flat_map(|array| [("source", array, 0), ("target", array, 1)]);
    let others = vectors.iter().map(|(name, array)| (*name, array, 0));
    let columns: Vec<_> = of_ends.chain(others).collect();
    dense::read_columns(&columns, options).map(Some)
}

fn at_byte((byte, sentence): (usize, String)) -> Fault {
    Fault::at_byte(byte as u64, sentence)
}

/// The content of an array's file.
struct File {
    name: &'static str,
    content: Vec<u8>,
    /// The offset of the file in the archive.
    at: usize,
    /// The row of the array that is meant; none for an array of one dimension.
    row: Option<usize>,
}

impl File {
    fn open(archive: &Archive<'_>, name: &'static str) -> At<Self> {
        let found = archive.file(&format!("{name}.npy"))?;
        let (content, at) = found.ok_or_else(|| {
            (0, format!("the archive has no array '{name}'; save it with scipy.sparse.save_npz"))
        })?;
        Ok(Self { name, content, at, row: None })
    }

    fn array(&self) -> At<Array<'_>> {
        Array::parse(&self.content).map_err(|(_, sentence)| self.fault(&sentence))
    }

    /// The array of a column, after a check of its shape, and the number of its values, if it is
    /// the expected one.
    fn column(&self, expected: Option<usize>) -> At<(Array<'_>, usize)> {
        let array = self.array()?;
        match (self.row, &*array.shape) {
            (None, &[length]) | (Some(_), &[2, length]) => match expected {
                Some(expected) if length != expected => {
                    Err(self.fault(&format!("{expected} values are expected, not {length}")))
                }
                _ => Ok((array, length)),
            },
            (None, _) => Err(self.fault("the array has two dimensions, where one is expected")),
            (Some(_), _) => Err(self.fault("an array of two rows is expected")),
        }
    }

    fn fault(&self, sentence: &str) -> (usize, String) {
        (self.at, format!("{}.npy: {sentence}", self.name))
    }
}

/// A square sparse matrix.
struct Matrix {
    /// The number of rows.
    size: usize,
    /// In a matrix by rows or columns, the starts of the rows or columns; else the row of each
    /// entry.
    outer: File,
    /// The other coordinate of each entry.
    inner: File,
    data: File,
    /// Whether `outer` are starts.
    compressed: bool,
}

impl Matrix {
    fn open(bytes: &[u8]) -> At<Self> {
        let archive = Archive::parse(bytes)?;
        let format = File::open(&archive, "format")?;
        let (_, text) =
            array::header(&format.content).map_err(|(_, sentence)| format.fault(&sentence))?;
        // A text of one byte per letter, or of four.
        let id: Vec<u8> = text.iter().copied().filter(|&byte| byte != 0).collect();
        let is_stacked = archive.names().any(|name| name == "coords.npy");
        let (compressed, names) = match &*id {
            b"csr" | b"csc" => (true, ["indptr", "indices"]),
            b"coo" if is_stacked => (false, ["coords", "coords"]),
            b"coo" => (false, ["row", "col"]),
            id => {
                let id = show(id);
                let sentence = format!(
                    "the matrix is in the format {id}; save it as csr, csc or coo, with .tocsr()"
                );
                return Err(format.fault(&sentence));
            }
        };
        let shape = File::open(&archive, "shape")?;
        let lengths = shape.array()?;
        let length = |at: usize| if at < lengths.len() { lengths.vertex(at, 0).ok() } else { None };
        let (Some(rows), Some(columns), 2) = (length(0), length(1), lengths.len()) else {
            let sentence =
                format!("the shape is not two numbers below {MAX_VERTICES}; save a matrix");
            return Err(shape.fault(&sentence));
        };
        if rows != columns {
            let sentence =
                format!("the matrix has {rows} rows and {columns} columns; save a square matrix");
            return Err(shape.fault(&sentence));
        }
        let [outer, inner] = names;
        let row = |row| (outer == inner).then_some(row);
        Ok(Self {
            size: rows as usize,
            outer: File { row: row(0), ..File::open(&archive, outer)? },
            inner: File { row: row(1), ..File::open(&archive, inner)? },
            data: File::open(&archive, "data")?,
            compressed,
        })
    }

    /// Adds an edge per entry, in the order of the entries.
    fn add_edges(&self, options: &ReadOptions, columns: &mut Columns) -> Result<(), Fault> {
        let (data, entries) = self.data.column(None).map_err(at_byte)?;
        let starts = if self.compressed { self.size + 1 } else { entries };
        let (outer, _) = self.outer.column(Some(starts)).map_err(at_byte)?;
        let (inner, _) = self.inner.column(Some(entries)).map_err(at_byte)?;
        if self.compressed {
            self.check_starts(&outer, entries)?;
        }
        let mut edge = Columns::default();
        let mut row = 0;
        for entry in 0..entries {
            let u = if self.compressed {
                while row < self.size && self.value(&self.outer, &outer, row + 1)? <= entry {
                    row += 1;
                }
                row
            } else {
                self.value(&self.outer, &outer, entry)?
            };
            let v = self.value(&self.inner, &inner, entry)?;
            let outside =
                [(u, &self.outer), (v, &self.inner)].into_iter().find(|end| end.0 >= self.size);
            if let Some((_, file)) = outside {
                let sentence = format!("entry {entry} is outside of the {} rows", self.size);
                return Err(at_byte(file.fault(&sentence)));
            }
            let weight = data.number(entry, 0);
            if options.nan == Nan::Error && matches!(weight, TextNumber::Float(w) if w.is_nan()) {
                let (at, sentence) =
                    self.data.fault(&format!("entry {entry} has weight NaN; fix it, or pass "));
                return Err(Fault::at_byte(at as u64, message![sentence, Remedy::skip_nan()]));
            }
            edge.push_ends(u as u32, v as u32);
            edge.push_weight(weight);
            let joined = columns.join(&mut edge, usize::MAX, |edge| edge);
            joined.map_err(|fault| in_data(&self.data, fault.kind))?;
        }
        Ok(())
    }

    /// Checks that the rows start at 0, in order, and end at the last entry.
    fn check_starts(&self, starts: &Array<'_>, entries: usize) -> Result<(), Fault> {
        let mut before = 0;
        for row in 0..=self.size {
            let start = self.value(&self.outer, starts, row)?;
            let expected = if row == 0 { 0..=0 } else { before..=entries };
            if !expected.contains(&start) || row == self.size && start != entries {
                let sentence = format!(
                    "row {row} starts at entry {start} of {entries}, after one that starts at \
                     {before}; save the matrix again"
                );
                return Err(at_byte(self.outer.fault(&sentence)));
            }
            before = start;
        }
        Ok(())
    }

    /// A value that is a row, a column or a start.
    fn value(&self, file: &File, array: &Array<'_>, at: usize) -> Result<usize, Fault> {
        let (row, column) = file.row.map_or((at, 0), |row| (row, at));
        let value = array.vertex(row, column).map_err(|(_, sentence)| file.fault(&sentence));
        Ok(value.map_err(at_byte)? as usize)
    }
}

fn in_data(file: &File, kind: ReadErrorKind) -> Fault {
    Fault { place: Some(crate::Place::Byte(file.at as u64)), kind }
}
