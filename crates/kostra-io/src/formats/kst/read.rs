//! Opening and loading `.kst` files. The arrays of the graph borrow the bytes of the file, which
//! are mapped or read into memory. Opening a mapped file reads only its header, so the time does
//! not depend on the number of edges.
#![allow(unsafe_code, reason = "bytes that are checked to be aligned are used as numbers")]

use std::fs::File;
use std::marker::PhantomData;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use kostra_core::{
    AnyGraph, Column, Coordinates, EdgeList, GraphError, OutOfMemory, Vertex, Weight, WeightType,
    memory, shown,
};

use super::chunks::{Plain, checksums, chunks, combine_all, decode};
use super::header::{
    Header, Kind, LONGEST, Places, Section, check_edges_in_memory, check_length, check_padding,
};
use super::mapped::Bytes;
use crate::compression::{Compression, Stream};
use crate::fault::Fault;
use crate::interface::{Format, Loaded, Parsed, ReadOptions};
use crate::{Place, ReadError, ReadErrorKind, weights};

/// An open `.kst` file. Its header has been checked; its arrays have not been read.
#[derive(Debug)]
pub struct KstFile {
    input: String,
    bytes: Arc<Bytes>,
    header: Header,
    pub(super) sections: Vec<Section>,
}

/// Reads a graph. An uncompressed file is mapped, unless the options ask for a copy; any other
/// input is read into memory.
pub(super) fn read(mut stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    weights::refuse_others(true, options)?;
    let bytes = match stream.file.take().filter(|_| !options.copy) {
        Some(file) => Bytes::map(file).map_err(ReadErrorKind::Io)?,
        None => Bytes::read(&mut stream)?,
    };
    let file = KstFile::open(bytes, String::new())?;
    file.parse(options.thread_count())
}

/// Opens a `.kst` file by mapping it into memory. The time does not depend on the size of the file.
///
/// The header and the length of the file are checked; [`KstFile::load`] checks the rest.
///
/// The file must not change while it is open or its graph is in use. The file is not copied, so the
/// graph would change too (see [`MappedFile::check`](crate::MappedFile::check)). On Unix, a file
/// that becomes shorter raises SIGBUS, which ends the process unless it is handled (see
/// [`is_in_mapped_file`](crate::is_in_mapped_file)). Kostra itself replaces files by renaming new
/// ones, which is safe. With [`ReadOptions::copy`], [`read`](crate::read()) copies the file
/// instead.
///
/// # Errors
/// When the file cannot be opened or mapped, or its header is damaged or disagrees with the file's
/// length.
pub fn open_kst(path: &Path) -> Result<KstFile, ReadError> {
    let input = shown(path);
    let error =
        |cause| ReadError { input: input.clone(), place: None, kind: ReadErrorKind::Io(cause) };
    let bytes = File::open(path).and_then(Bytes::map).map_err(error)?;
    KstFile::open(bytes, input.clone()).map_err(|fault| fault.in_input(input))
}

impl KstFile {
    pub(super) fn open(bytes: Bytes, input: String) -> Result<Self, Fault> {
        if bytes.is_empty() {
            return Err(ReadErrorKind::Empty.into());
        }
        let (header, sections, length) = Header::decode(bytes.get(..LONGEST).unwrap_or(&bytes))?;
        check_edges_in_memory(&header)?;
        check_length(bytes.len() as u64, length)?;
        check_padding(&bytes, &sections)?;
        Ok(Self { input, bytes: Arc::new(bytes), header, sections })
    }

    /// The number of vertices.
    pub fn vertices(&self) -> u32 {
        self.header.vertices
    }

    /// The number of edges.
    pub fn edges(&self) -> usize {
        self.header.edges as usize
    }

    /// The type of the weights.
    pub fn weight_type(&self) -> WeightType {
        self.header.weight_type
    }

    /// Whether the file contains coordinates of the vertices.
    pub fn has_coordinates(&self) -> bool {
        self.header.places != Places::None
    }

    /// Whether the file contains names of the vertices.
    pub fn has_names(&self) -> bool {
        self.header.names.is_some()
    }

    /// Checks the arrays and returns the graph, which borrows them from the file. This takes one
    /// pass of checksums on `threads` threads (0 means all), and one pass over the ends and weights
    /// on this thread. Only coordinates and names are copied.
    ///
    /// # Errors
    /// When a checksum is wrong, an end of an edge is not a vertex, a weight is NaN (Kostra writes
    /// no such file), or a name is not UTF-8.
    pub fn load(self, threads: usize) -> Result<Loaded, ReadError> {
        let threads = ReadOptions { threads, ..ReadOptions::default() }.thread_count();
        let parsed = self.parse(threads).map_err(|fault| fault.in_input(self.input.as_str()))?;
        let (format, evidence) = (Format::KST, String::new());
        Ok(Loaded { parsed, format, evidence, compression: Compression::None })
    }

    fn parse(&self, threads: usize) -> Result<Parsed, Fault> {
        self.check(&checksums(&chunks(&self.contents()), threads))?;
        let graph = self.graph(0..self.edges())?;
        let points = |wrap: fn(Vec<[f64; 2]>) -> Coordinates| {
            let section = self.section(Kind::Coordinates);
            section.map(|section| decode(self.content(section)).map(wrap)).transpose()
        };
        Ok(Parsed {
            coordinates: match self.header.places {
                Places::None => None,
                Places::Planar => points(Coordinates::Planar)?,
                Places::Geographic => points(Coordinates::Geographic)?,
            },
            names: self.section(Kind::Names).map(|section| self.names(section)).transpose()?,
            mapped: self.bytes.mapped_file().cloned(),
            ..Parsed::new(graph, Vec::new())
        })
    }

    pub(super) fn contents(&self) -> Vec<&[u8]> {
        self.sections.iter().map(|section| self.content(section)).collect()
    }

    /// Checks all sections with the checksums of all chunks.
    pub(super) fn check(&self, of_chunks: &[u64]) -> Result<(), Fault> {
        for (section, checksum) in
            self.sections.iter().zip(combine_all(&self.contents(), of_chunks))
        {
            if section.checksum != checksum {
                return Err(section.damaged());
            }
        }
        Ok(())
    }

    /// The number of bytes before the first array: the header and the table with the checksums of
    /// all arrays.
    pub(super) fn start_of_arrays(&self) -> u64 {
        self.sections.iter().map(|section| section.offset).min().unwrap_or(self.bytes.len() as u64)
    }

    pub(super) fn graph(&self, edges: Range<usize>) -> Result<AnyGraph, Fault> {
        match self.header.weight_type {
            WeightType::I32 => self.typed_graph::<i32>(edges),
            WeightType::U32 => self.typed_graph::<u32>(edges),
            WeightType::I64 => self.typed_graph::<i64>(edges),
            WeightType::U64 => self.typed_graph::<u64>(edges),
            WeightType::F32 => self.typed_graph::<f32>(edges),
            WeightType::F64 => self.typed_graph::<f64>(edges),
        }
    }

    fn typed_graph<W: Weight + Plain>(&self, edges: Range<usize>) -> Result<AnyGraph, Fault>
    where
        AnyGraph: From<EdgeList<W>>,
    {
        let n = self.header.vertices as usize;
        let (u, v) =
            (self.column(Kind::FirstEnds, &edges)?, self.column(Kind::SecondEnds, &edges)?);
        let place = |kind, edge: u32, size: usize| {
            self.section(kind).map(|section| {
                Place::Byte(section.offset + (edges.start as u64 + u64::from(edge)) * size as u64)
            })
        };
        let weights = self.column::<W>(Kind::Weights, &edges)?;
        EdgeList::new(n, u, v, weights).map(AnyGraph::from).map_err(|mut error| {
            let place = match &error {
                GraphError::EndpointOutOfRange { edge, vertex, .. } => {
                    let u = self.column::<Vertex>(Kind::FirstEnds, &edges).ok();
                    let is_first = u.is_some_and(|u| u.get(*edge as usize) == Some(vertex));
                    let kind = if is_first { Kind::FirstEnds } else { Kind::SecondEnds };
                    place(kind, *edge, Vertex::SIZE)
                }
                GraphError::NanWeight { edge } => place(Kind::Weights, *edge, W::SIZE),
                _ => None,
            };
            if let GraphError::EndpointOutOfRange { edge, .. } | GraphError::NanWeight { edge } =
                &mut error
            {
                *edge += edges.start as u32; // in the file there are no more than ids can name
            }
            Fault { place, kind: error.into() }
        })
    }

    fn section(&self, kind: Kind) -> Option<&Section> {
        self.sections.iter().find(|section| section.kind == kind)
    }

    /// The bytes of a section. The check of the header ensures that they are in the file.
    pub(super) fn content(&self, section: &Section) -> &[u8] {
        let start = section.offset as usize;
        self.bytes.get(start..start + section.length as usize).unwrap_or_default()
    }

    /// A range of values of a section as an array: borrowed from the file if its bytes are the
    /// array, else a copy.
    fn column<T: Plain>(
        &self,
        kind: Kind,
        values: &Range<usize>,
    ) -> Result<Column<T>, OutOfMemory> {
        let Some(section) = self.section(kind) else { return Ok(Vec::new().into()) };
        let bytes = values.start * T::SIZE..values.end * T::SIZE;
        if cfg!(target_endian = "little")
            && let Some(window) =
                Window::new(&self.bytes, section.offset as usize + bytes.start, bytes.len())
        {
            return Ok(Column::shared(Arc::new(window)));
        }
        decode(self.content(section).get(bytes).unwrap_or_default()).map(Column::from)
    }

    fn names(&self, section: &Section) -> Result<Vec<String>, Fault> {
        let n = self.header.vertices as usize;
        let short = || {
            Fault::at_byte(section.offset, format!("the names are too short to hold {n} of them"))
        };
        let (ends, text) = self.content(section).split_at_checked(8 * (n + 1)).ok_or_else(short)?;
        let ends: Vec<u64> = decode(ends)?;
        let outside = |at: usize| {
            Fault::at_byte(
                section.offset + 8 * at as u64,
                format!("name {at} has no place among the names"),
            )
        };
        if ends.first() != Some(&0) || ends.last() != Some(&(text.len() as u64)) {
            return Err(outside(0));
        }
        let mut names = memory::with_capacity(n)?;
        for (at, bounds) in ends.windows(2).enumerate() {
            let bytes = usize::try_from(bounds[0])
                .ok()
                .zip(usize::try_from(bounds[1]).ok())
                .and_then(|(start, end)| text.get(start..end))
                .ok_or_else(|| outside(at))?;
            let name = str::from_utf8(bytes).map_err(|_| {
                let start = section.offset + 8 * (n as u64 + 1) + bounds[0];
                Fault::at_byte(start, format!("the name of vertex {at} is not UTF-8"))
            })?;
            names.push(name.to_owned());
        }
        Ok(names)
    }
}

/// A range of a file that is an array of `T`. It keeps the file in memory.
struct Window<T> {
    file: Arc<Bytes>,
    start: usize,
    values: usize,
    of: PhantomData<T>,
}

impl<T: Plain> Window<T> {
    /// `None` if the range is not in the file, or not aligned for `T`.
    fn new(file: &Arc<Bytes>, start: usize, length: usize) -> Option<Self> {
        let bytes = file.get(start..start.checked_add(length)?)?;
        bytes.as_ptr().cast::<T>().is_aligned().then(|| Self {
            file: file.clone(),
            start,
            values: length / size_of::<T>(),
            of: PhantomData,
        })
    }
}

impl<T: Plain> AsRef<[T]> for Window<T> {
    fn as_ref(&self) -> &[T] {
        let first = self.file[self.start..].as_ptr().cast::<T>();
        // SAFETY: `new` has seen that the part lies in the file and is aligned,
        // `values * size_of::<T>()` is at most its length, the bytes stay where they are as long as
        // `self` lives, for nobody has them exclusively, and any bits are a `T` (`Plain`).
        unsafe { std::slice::from_raw_parts(first, self.values) }
    }
}
