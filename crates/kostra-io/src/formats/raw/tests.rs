use std::io;

use crate::testing::edges;
use crate::{
    EdgeBlock, Format, Input, Loaded, PartReader, ReadOptions, StreamFacts, TakeBlocks, Vertices,
    parse_format, read, read_bytes, stream_edges,
};

fn options(format: &str) -> ReadOptions {
    let (format, raw) = parse_format(format).unwrap();
    ReadOptions { format: Some(format), raw, threads: 1, ..ReadOptions::default() }
}

fn read_as(bytes: &[u8], format: &str) -> Result<Loaded, String> {
    read_bytes("x", bytes, &options(format)).map_err(|error| error.to_string())
}

/// Rows of `u32`, `u32` and `f32`.
fn rows(edges: &[(u32, u32, f32)]) -> Vec<u8> {
    let row = |(u, v, w): &(u32, u32, f32)| [u.to_le_bytes(), v.to_le_bytes(), w.to_le_bytes()];
    edges.iter().flat_map(row).flatten().collect()
}

#[test]
fn rows_have_the_types_that_the_user_states() {
    let bytes = rows(&[(0, 1, 2.5), (1, 2, -0.25)]);
    let loaded = read_as(&bytes, "raw:u32,u32,f32").unwrap();
    assert_eq!(edges(&loaded.parsed.graph), "0-1:2.5 1-2:-0.25");
    assert_eq!(loaded.parsed.notes[0].to_string(), "2 rows of 12 bytes; the first is 0-1 2.5");
    let bytes = [&1_u64.to_le_bytes()[..], &[2], &(-3_i16).to_le_bytes()].concat();
    assert_eq!(edges(&read_as(&bytes, "raw:u64,u8,i16").unwrap().parsed.graph), "1-2:-3");
    let bytes = [&1_i32.to_le_bytes()[..], &[0, 0], &u64::MAX.to_le_bytes()].concat();
    let graph = read_as(&bytes, "raw:i32,u16,u64").unwrap().parsed.graph;
    assert_eq!(edges(&graph), "1-0:18446744073709551615");
    assert_eq!(edges(&read_as(&[0, 1, 1, 2], "raw:u8,u8").unwrap().parsed.graph), "0-1:1 1-2:1");
    assert_eq!(read_as(&[0, 1, 1, 2], "raw:i8,i8").unwrap().format, Format::RAW);
}

#[test]
fn rows_that_do_not_fit_are_named() {
    let bytes = rows(&[(0, 1, 2.5), (1, u32::MAX, 1.0)]);
    for (bytes, format, sentence) in [
        (&bytes[..], "raw:u32,u32,f32", "x: byte 12: the vertex is 4294967295, but vertices are"),
        (
            &bytes[..23],
            "raw:u32,u32,f32",
            "the content has 23 bytes: 1 row of 12 bytes (u32,u32,f32) and 11 bytes more",
        ),
        (&bytes[..], "raw:i32,i32,f32", "x: byte 12: the vertex is -1, but"),
        (&bytes[..16], "raw:u64,u64", "the vertex is 4294967296, but vertices"),
        (
            &bytes[..],
            "raw",
            "which types have the values of a row? pass `format(\"raw:u32,u32,f32\"",
        ),
    ] {
        let error = read_as(bytes, format).unwrap_err();
        assert!(error.contains(sentence), "{error}\n{sentence}");
    }
    for (format, sentence) in [
        ("raw:u32", "pass the types of two vertices"),
        ("raw:u32,u33", "there is no type 'u33'; there are: u32, f32"),
        ("raw:u32,f32,f32", "f32 is no type of a vertex; pass an integer type"),
    ] {
        assert!(parse_format(format).unwrap_err().starts_with(sentence), "{format}");
    }
    let error = read_bytes("x", &bytes, &ReadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("this input is binary"), "{error}");
}

/// Collects the edges of blocks as text.
struct Collected(Vec<String>);

impl TakeBlocks for Collected {
    fn begin(&mut self, facts: StreamFacts) -> io::Result<()> {
        self.0.push(format!("{:?}", facts.edges));
        Ok(())
    }

    fn take(&mut self, block: EdgeBlock) -> io::Result<()> {
        self.0.push(format!("{} {}", block.first, edges(&block.edges)));
        Ok(())
    }
}

#[test]
fn blocks_and_parts_have_the_edges_of_the_whole_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.bin");
    let bytes = rows(&[(0, 1, 2.5), (1, 2, 1.0), (2, 3, 4.0), (3, 0, 0.5), (1, 3, 7.0)]);
    std::fs::write(&path, &bytes).unwrap();
    let mut options = options("raw:u32,u32,f32");
    options.vertices = Vertices::Occurring;
    let input = Input::Path(path.clone());
    let whole = read(&input, &options, &|_| {}).unwrap().parsed.graph;
    let mut blocks = Collected(Vec::new());
    let summary = stream_edges(&input, &options, 2, &|_| {}, &mut blocks).unwrap();
    assert_eq!((summary.vertices, summary.edges), (4, 5));
    let expected = ["Some(5)", "0 0-1:2.5 1-2:1.0", "2 2-3:4.0 3-0:0.5", "4 1-3:7.0"];
    assert_eq!(blocks.0, expected);
    for parts in [1, 2, 3, 7] {
        let open = |part| PartReader::open(&path, &options, part, parts).unwrap().unwrap();
        let mut readers: Vec<_> = (0..parts).map(open).collect();
        let surveys: Vec<_> = readers.iter_mut().map(|reader| reader.survey().unwrap()).collect();
        let surveys: Vec<&[u64]> = surveys.iter().map(Vec::as_slice).collect();
        let mut all = Vec::new();
        for reader in readers {
            let part = reader.finish(&surveys).unwrap();
            assert_eq!((part.first, part.graph.vertices()), (all.len() as u64, 4));
            all.extend(edges(&part.graph).split_whitespace().map(str::to_owned));
        }
        assert_eq!(all.join(" "), edges(&whole), "{parts} parts");
    }
    std::fs::write(&path, rows(&[(0, 1, 1.0), (1, 2, 1.0), (u32::MAX, 2, 1.0)])).unwrap();
    let open = |part| PartReader::open(&path, &options, part, 3).unwrap().unwrap();
    let mut readers: Vec<_> = (0..3).map(open).collect();
    let surveys: Vec<_> = readers.iter_mut().map(|reader| reader.survey().unwrap()).collect();
    let surveys: Vec<&[u64]> = surveys.iter().map(Vec::as_slice).collect();
    let last = readers.pop().unwrap().finish(&surveys).unwrap_err().to_string();
    assert!(last.contains("byte 24: the vertex is 4294967295"), "{last}");
}
