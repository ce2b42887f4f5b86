//! Helpers for the tests of the formats.

use std::io::Write;

use kostra_core::AnyGraph;

use crate::compression::Stream;
use crate::fault::Fault;
use crate::interface::{Outgoing, Parsed, Writer};
use crate::source::from_bytes;
use crate::{Format, ReadOptions, read_bytes};

/// A format's reader with the size of its blocks as a parameter.
pub(crate) type ReadInBlocks = fn(Stream<'_>, &ReadOptions, usize) -> Result<Parsed, Fault>;

/// Reads a text in blocks of several sizes, on several numbers of threads, with both kinds of line
/// ends, with a byte-order mark, and without the last newline. All must agree, on the graph or on
/// the error.
pub(crate) fn read_all_ways(
    read: ReadInBlocks,
    text: &str,
    options: &ReadOptions,
) -> Result<Parsed, String> {
    let read = |text: &str, block_size: usize, threads: usize| {
        let options = ReadOptions { threads, ..options.clone() };
        let stream = Stream::new(from_bytes(text.as_bytes())).unwrap();
        read(stream, &options, block_size).map_err(|fault| fault.in_input("x").to_string())
    };
    let expected = read(text, 1 << 18, 1);
    let windows = text.replace('\n', "\r\n");
    let variants = [
        text.to_string(),
        windows,
        format!("\u{feff}{text}"),
        text.trim_end_matches('\n').to_string(),
    ];
    for variant in variants {
        for block_size in [1, 5, 16, 64, 1 << 18] {
            for threads in [1, 2, 3] {
                let found = read(&variant, block_size, threads);
                assert_eq!(
                    format!("{found:?}"),
                    format!("{expected:?}"),
                    "{variant:?} in blocks of {block_size} on {threads} threads"
                );
            }
        }
    }
    expected
}

/// The edges of a graph, each with its weight as text, for tests that sort or compare edges one by
/// one.
pub(crate) fn listed_edges(graph: &AnyGraph) -> Vec<(u32, u32, String)> {
    kostra_core::with_graph!(graph, graph => {
        let edges = graph.edge_list();
        let ends = edges.u().iter().zip(edges.v());
        ends.zip(edges.weights()).map(|((&u, &v), weight)| (u, v, weight.to_string())).collect()
    })
}

/// The bytes that a writer writes, or why it refuses the graph.
pub(crate) fn written<'a>(
    writer: fn(Outgoing<'a>) -> Result<Writer<'a>, String>,
    outgoing: impl Into<Outgoing<'a>>,
) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    writer(outgoing.into())?(&mut bytes).unwrap();
    Ok(bytes)
}

/// Reads a graph in a format. Errors are the message to the user.
pub(crate) fn graph_of(bytes: &[u8], name: &str, format: Format) -> Result<AnyGraph, String> {
    let options = ReadOptions { format: Some(format), ..ReadOptions::default() };
    read_bytes(name, bytes, &options)
        .map(|loaded| loaded.parsed.graph)
        .map_err(|error| error.to_string())
}

/// The edges of a graph as text, one word per edge.
pub(crate) fn edges(graph: &AnyGraph) -> String {
    let words = kostra_core::with_graph!(graph, graph => {
        let edges = graph.edge_list();
        let ends = edges.u().iter().zip(edges.v());
        ends.zip(edges.weights()).map(|((u, v), weight)| format!("{u}-{v}:{weight:?}")).collect::<Vec<_>>()
    });
    words.join(" ")
}

/// An archive of deflated files. One called `mimetype` is stored, as OpenDocument wants.
pub(crate) fn zip(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    let word = |value: usize| (value as u32).to_le_bytes();
    for (name, content) in files {
        let start = bytes.len();
        let is_stored = name == "mimetype";
        let level = flate2::Compression::default();
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), level);
        encoder.write_all(content).unwrap();
        let packed = if is_stored { content.clone() } else { encoder.finish().unwrap() };
        let method = if is_stored { 0 } else { 8 };
        let mut checksum = flate2::Crc::new();
        checksum.update(content);
        let sizes =
            [checksum.sum().to_le_bytes(), word(packed.len()), word(content.len())].concat();
        let about =
            [&[20, 0, 0, 0, method, 0, 0, 0, 0, 0][..], &sizes, &[name.len() as u8, 0]].concat();
        bytes.extend([b"PK\x03\x04", &about[..], &[0, 0], name.as_bytes(), &packed].concat());
        directory.extend([b"PK\x01\x02\x14\0", &about[..], &[0; 12]].concat());
        directory.extend(word(start));
        directory.extend(name.as_bytes());
    }
    let (at, count) = (bytes.len(), files.len() as u8);
    bytes.extend(&directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend([count, 0, count, 0]);
    bytes.extend([word(directory.len()), word(at)].concat());
    bytes.extend([0, 0]);
    bytes
}

/// Graphs of every weight type, with parallel edges, self-loops, isolated vertices and awkward
/// weights.
pub(crate) fn awkward_graphs() -> Vec<AnyGraph> {
    let (u, v) = (vec![0, 1, 1, 3], vec![1, 0, 1, 2]);
    let graph = |graph: Result<AnyGraph, _>| graph.unwrap();
    vec![
        graph(AnyGraph::from_edges::<i32>(0, vec![], vec![], vec![])),
        graph(AnyGraph::from_edges::<i32>(5, vec![], vec![], vec![])),
        graph(AnyGraph::from_edges(6, u.clone(), v.clone(), vec![i32::MIN, i32::MAX, 0, -7])),
        graph(AnyGraph::from_edges(6, u.clone(), v.clone(), vec![i64::MIN, i64::MAX, 0, -7])),
        graph(AnyGraph::from_edges(
            6,
            u.clone(),
            v.clone(),
            vec![0.1, -0.0, f64::INFINITY, 5e-324],
        )),
        graph(AnyGraph::from_edges(
            6,
            u.clone(),
            v.clone(),
            vec![1.0, 1e300, f64::NEG_INFINITY, f64::MAX],
        )),
        graph(AnyGraph::from_edges(6, u, v, vec![1.0, 123_456_789_012_345_680.0, 1e-7, -2.5e-300])),
    ]
}

/// Checks that graphs are written and read back unchanged, weight types included.
pub(crate) fn assert_round_trips(
    write: fn(&AnyGraph, &mut dyn Write) -> std::io::Result<()>,
    read: ReadInBlocks,
) {
    for graph in awkward_graphs() {
        let mut bytes = Vec::new();
        write(&graph, &mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let parsed = read_all_ways(read, &text, &ReadOptions::default()).unwrap();
        assert_eq!(parsed.notes, [""; 0], "{text}");
        assert_eq!(parsed.graph.vertices(), graph.vertices(), "{text}");
        assert_eq!(parsed.graph.weight_type(), graph.weight_type(), "{text}");
        assert_eq!(edges(&parsed.graph), edges(&graph), "{text}");
    }
}

/// A text in a format, and what Kostra makes of it.
pub(crate) struct Case<'a> {
    text: &'a str,
    options: ReadOptions,
    expected: Result<Graph<'a>, &'a str>,
}

/// What a text contains.
struct Graph<'a> {
    vertices: u32,
    edges: &'a str,
    names: &'a str,
    notes: &'a [&'a str],
}

impl<'a> Case<'a> {
    /// A graph with these edges, as [`edges`] shows them, and with these notes.
    pub(crate) fn read(text: &'a str, vertices: u32, edges: &'a str, notes: &'a [&'a str]) -> Self {
        let graph = Graph { vertices, edges, names: "", notes };
        Self { text, options: ReadOptions::default(), expected: Ok(graph) }
    }

    /// A text that is refused with a message that contains a sentence.
    pub(crate) fn refused(text: &'a str, sentence: &'a str) -> Self {
        Self { text, options: ReadOptions::default(), expected: Err(sentence) }
    }

    /// The case with names of vertices, separated by blanks.
    pub(crate) fn names(mut self, names: &'a str) -> Self {
        if let Ok(graph) = &mut self.expected {
            graph.names = names;
        }
        self
    }

    /// The case with an attribute as the weight.
    pub(crate) fn weight(mut self, attribute: &str) -> Self {
        self.options.columns.weight = Some(crate::ColumnChoice::NameOrPosition(attribute.into()));
        self
    }

    /// The case with a weight of 1 for each edge.
    pub(crate) fn unit_weights(mut self) -> Self {
        self.options.missing_weights = Some(crate::MissingWeights::Unit);
        self
    }
}

/// Checks cases of a format. Each text is recognized, also with the line ends of Windows, after a
/// byte-order mark, and compressed; all must agree.
pub(crate) fn check_cases(format: Format, cases: &[Case<'_>]) {
    use std::io::Write;
    for Case { text, options, expected } in cases {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(text.as_bytes()).unwrap();
        let variants = [
            text.as_bytes().to_vec(),
            text.replace('\n', "\r\n").into_bytes(),
            format!("\u{feff}{text}").into_bytes(),
            packed.finish().unwrap(),
        ];
        for bytes in variants {
            match (read_bytes("x", &bytes, options), expected) {
                (Ok(loaded), Ok(expected)) => {
                    let parsed = loaded.parsed;
                    assert_eq!(loaded.format, format, "{text}");
                    assert_eq!(parsed.graph.vertices(), expected.vertices, "{text}");
                    assert_eq!(edges(&parsed.graph), expected.edges, "{text}");
                    assert_eq!(
                        parsed.names.unwrap_or_default().join(" "),
                        expected.names,
                        "{text}"
                    );
                    assert_eq!(parsed.notes, expected.notes, "{text}");
                }
                (Err(error), Err(sentence)) => {
                    let error = error.to_string();
                    assert!(error.contains(sentence), "{text}\n{error}\n{sentence}");
                }
                (found, _) => panic!("{text}\n{:?}", found.map(|loaded| loaded.parsed)),
            }
        }
    }
}
