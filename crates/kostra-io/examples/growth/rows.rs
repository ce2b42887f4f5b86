//! Inputs that grow in one dimension, for each reader.

use kostra_core::AnyGraph;
use kostra_io::{
    FORMATS, Format, KeptColumns, KeptKind, Outgoing, RawRow, parse_format, write_bytes,
};

/// What reads the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reader {
    /// The reader of a format.
    Graph(Format),
    /// The reader of any graph, which recognizes the format.
    Recognized,
    Points,
    Image,
}

/// The columns that a reader is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    Nothing,
    /// All columns are kept.
    All,
    /// As many columns as the size says, by the names `k0`, `k1` and so on: kept with edges, or the
    /// coordinates of points.
    Names,
}

/// An input: a head, as many bodies as the size says, and a tail. In a body, `{i}` is its number
/// from 0 and `{j}` the next one.
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) reader: Reader,
    pub(crate) asked: Asked,
    parts: [String; 3],
}

impl Row {
    /// The input of a size.
    pub(crate) fn input(&self, size: usize) -> Vec<u8> {
        let [head, body, tail] = &self.parts;
        if let (Reader::Graph(format), true) = (&self.reader, body.is_empty()) {
            let columns = if self.asked == Asked::All { size } else { 0 };
            return written(*format, if columns > 0 { 2 } else { size }, columns);
        }
        let body =
            |i: usize| body.replace("{i}", &i.to_string()).replace("{j}", &(i + 1).to_string());
        let text: String = (0..size).map(body).collect();
        let mut bytes = format!("{head}{text}{tail}").into_bytes();
        match self.name.as_str() {
            "bzip2, streams" => bytes = streams(b"BZh9\x17\x72\x45\x38\x50\x90\0\0\0\0", size),
            "gzip, streams" => bytes = streams(&gzip(b""), size),
            "gzip, lines" => bytes = gzip(&bytes),
            name if self.asked == Asked::Names || name.starts_with("edges, columns that are") => {
                bytes.extend(format!("1,1,1{}\n", ",1".repeat(size)).into_bytes());
            }
            name if name.starts_with("sheet, ") => bytes = excel(&bytes),
            name if name.starts_with("sheet ods, ") => bytes = open_document(&bytes),
            "npz, edges" => {
                let (ends, mut shape) = (array(1, size), array(2, 1));
                let length = shape.len();
                shape[length - 8..].copy_from_slice(&[0, 0, 1, 0, 0, 0, 1, 0]);
                let format = b"\x93NUMPY\x01\x00\x3a\x00{'descr': '|S3', 'fortran_order': False, \
                               'shape': (), }  \ncoo";
                let files = ["row", "col", "data"].map(|name| (name, &*ends));
                let others = [("shape", &*shape), ("format", &format[..])];
                let named = files.into_iter().chain(others);
                let named: Vec<_> =
                    named.map(|(name, content)| (format!("{name}.npy"), content)).collect();
                bytes = archive(named.iter().map(|(name, content)| (&**name, *content)));
            }
            "npz, files" => {
                let names: Vec<_> = (0..size).map(|file| format!("{file}.npy")).collect();
                let table = array(2, 2);
                bytes = archive(names.iter().map(|name| (&**name, &*table)));
            }
            "points npz, rows" => bytes = archive([("x.npy", &*array(size, 3))]),
            "npy, rows" | "points npy, rows" => bytes = array(size, 3),
            "points npy, columns" => bytes = array(2, size),
            "image npy, pixels" => bytes = array(size, 16),
            _ => {}
        }
        bytes
    }
}

/// The types of a row, for raw binary.
#[allow(dead_code, reason = "the test of the rows reads nothing")]
pub(crate) fn raw_row(format: Format) -> Option<RawRow> {
    let row = || parse_format("raw:u32,u32").ok()?.1;
    if format == Format::RAW { row() } else { None }
}

/// A workbook of Excel with one sheet, and the texts that its cells share.
fn excel(rows: &[u8]) -> Vec<u8> {
    let [sheet, texts] = [
        [b"<worksheet><sheetData>", rows, b"</sheetData></worksheet>"].concat(),
        [b"<sst>", rows, b"</sst>"].concat(),
    ];
    archive([
        ("xl/workbook.xml", &b"<workbook><sheet name=\"a\" r:id=\"a\"/></workbook>"[..]),
        (
            "xl/_rels/workbook.xml.rels",
            b"<Relationships><Relationship Id=\"a\" Type=\"x/worksheet\" Target=\"a.xml\"/>\
              <Relationship Id=\"s\" Type=\"x/sharedStrings\" Target=\"s.xml\"/></Relationships>",
        ),
        ("xl/s.xml", &texts),
        ("xl/a.xml", &sheet),
    ])
}

/// A workbook of LibreOffice.
fn open_document(tables: &[u8]) -> Vec<u8> {
    archive([
        ("mimetype", &b"application/vnd.oasis.opendocument.spreadsheet"[..]),
        ("content.xml", tables),
    ])
}

/// A ZIP archive of files that are stored.
fn archive<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Vec<u8> {
    let (mut bytes, mut directory, mut count) = (Vec::new(), Vec::new(), 0_u16);
    for (name, content) in files {
        count += 1;
        let mut checksum = flate2::Crc::new();
        checksum.update(content);
        let size = (content.len() as u32).to_le_bytes();
        let about = [
            &[20, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            &checksum.sum().to_le_bytes()[..],
            &size,
            &size,
            &[name.len() as u8, 0, 0, 0],
        ];
        let about = about.concat();
        let start = (bytes.len() as u32).to_le_bytes();
        bytes.extend([b"PK\x03\x04", &about[..], name.as_bytes(), content].concat());
        directory.extend([b"PK\x01\x02\x14\0", &about[..], &[0; 10], &start].concat());
        directory.extend(name.as_bytes());
    }
    let (at, size) = (bytes.len() as u32, directory.len() as u32);
    bytes.extend(directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend([count.to_le_bytes(), count.to_le_bytes()].concat());
    bytes.extend([size.to_le_bytes(), at.to_le_bytes()].concat());
    bytes.extend([0, 0]);
    bytes
}

fn streams(empty: &[u8], size: usize) -> Vec<u8> {
    empty.repeat(size)
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    // Writing to memory does not fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

/// An array of NumPy whose rows are edges of a path, or any numbers.
fn array(rows: usize, columns: usize) -> Vec<u8> {
    let header =
        format!("{{'descr': '<i4', 'fortran_order': False, 'shape': ({rows}, {columns})}}");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    let value = |at: usize| (at / columns + at % columns) as u32;
    bytes.extend((0..rows * columns).flat_map(|at| value(at).to_le_bytes()));
    bytes
}

/// A path with this number of edges and of kept columns, in a format that Kostra writes.
fn written(format: Format, edges: usize, columns: usize) -> Vec<u8> {
    let ends = edges as u32;
    let weights = (1..=ends as i32).collect();
    let graph = AnyGraph::from_edges(edges + 1, (0..ends).collect(), (1..=ends).collect(), weights);
    let names = (0..columns).map(|column| format!("k{column}")).collect();
    let mut kept = KeptColumns::with_kinds(names, vec![KeptKind::Integer; columns]);
    (0..edges * columns).for_each(|_| kept.push_value(Some("1")));
    let kept = (columns > 0).then_some(&kept);
    let bytes =
        graph.ok().map(|graph| write_bytes(format, Outgoing { kept, ..Outgoing::from(&graph) }));
    bytes.and_then(Result::ok).unwrap_or_default()
}

/// All rows: the edges of every format that Kostra writes, and those of `rows.json`, each with its
/// name, its reader and its three parts.
pub(crate) fn rows() -> Vec<Row> {
    let edges = FORMATS.iter().filter(|format| format.is_writable()).map(|&format| Row {
        name: format!("{format}, edges"),
        reader: Reader::Graph(format),
        asked: Asked::Nothing,
        parts: Default::default(),
    });
    let table: Vec<[String; 5]> =
        serde_json::from_str(include_str!("rows.json")).unwrap_or_default();
    let others = table.into_iter().map(|[name, reader, head, body, tail]| {
        let (reader, asked) = match reader.split_once(", ") {
            Some((reader, "keep all")) => (reader, Asked::All),
            Some((reader, _)) => (reader, Asked::Names),
            None => (&*reader, Asked::Nothing),
        };
        let reader = match reader {
            "recognized" => Reader::Recognized,
            "points" => Reader::Points,
            "image" => Reader::Image,
            id => id.parse().map_or(Reader::Recognized, Reader::Graph),
        };
        Row { name, reader, asked, parts: [head, body, tail] }
    });
    edges.chain(others).collect()
}
