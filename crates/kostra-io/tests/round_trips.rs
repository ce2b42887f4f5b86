//! What is written in any format, plain or through gzip or zstd, is recognized by its content and
//! read back.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test, in helpers too")]

use kostra_core::{AnyGraph, EdgeList, Weight, with_graph};
use kostra_io::{
    Compression, FORMATS, Format, Input, Loaded, Outgoing, Output, ReadOptions, WriteError,
    open_kst, read, read_bytes, write_bytes, write_graph,
};

/// Six vertices, the last one isolated. The edges are in the order in which rows list their edges.
fn graph<W: Weight>(weights: [W; 5]) -> AnyGraph
where
    AnyGraph: From<EdgeList<W>>,
{
    AnyGraph::from_edges(6, vec![0, 0, 1, 2, 3], vec![1, 4, 3, 3, 4], weights.to_vec()).unwrap()
}

fn outgoing(graph: &AnyGraph) -> Outgoing<'_> {
    Outgoing::from(graph)
}

/// Writes and reads back under a name that says nothing of the format.
fn round_trip(graph: &AnyGraph, format: Format, extension: &str) -> Result<Loaded, WriteError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("graph{extension}"));
    write_graph(&Output::Path(path.clone()), format, outgoing(graph))?;
    let loaded = read(&Input::Path(path), &ReadOptions::default(), &|_| ()).unwrap();
    assert_eq!(loaded.format, format, "recognized by content");
    Ok(loaded)
}

fn edges(graph: &AnyGraph) -> Vec<(u32, u32, f64)> {
    with_graph!(graph, graph => {
        let edges = graph.edge_list();
        let ends = edges.u().iter().zip(edges.v());
        let weight = |w: &_| ToString::to_string(w).parse().unwrap();
        ends.zip(edges.weights()).map(|((&u, &v), w)| (u.min(v), u.max(v), weight(w))).collect()
    })
}

/// The formats that Kostra writes.
fn writable() -> impl Iterator<Item = Format> {
    FORMATS.iter().copied().filter(|format| format.is_writable())
}

#[test]
fn every_format_gives_back_what_it_can_hold_under_every_compression_that_is_written() {
    for graph in [
        graph([5_i32, 1, 7, 7, 3]),
        graph([5_u32, 1, 7, 7, 3]),
        graph([5_i64, 1, 7, 7, 3]),
        graph([5_u64, 1, 7, 7, 3]),
        graph([5_f32, 1.0, 7.0, 7.0, 3.0]),
        graph([5_f64, 1.0, 7.0, 7.0, 3.0]),
    ] {
        for format in writable() {
            for (extension, compression) in
                [("", Compression::None), (".gz", Compression::Gzip), (".zst", Compression::Zstd)]
            {
                let loaded = round_trip(&graph, format, extension).unwrap();
                assert_eq!(loaded.compression, compression);
                assert_eq!(loaded.parsed.graph.vertices(), 6, "{format}");
                assert_eq!(
                    edges(&loaded.parsed.graph),
                    edges(&graph),
                    "{format} {}",
                    graph.weight_type()
                );
                assert!(loaded.parsed.notes.is_empty(), "{format}: {:?}", loaded.parsed.notes);
            }
        }
    }
}

#[test]
fn the_order_of_edges_is_kept_by_the_formats_that_promise_it() {
    let (u, v) = (vec![4, 2, 0, 3], vec![0, 1, 1, 2]);
    let graph = AnyGraph::from_edges(5, u, v, vec![1, 2, 3, 4]).unwrap();
    for format in writable() {
        let loaded = round_trip(&graph, format, "").unwrap();
        let keeps_order = edges(&loaded.parsed.graph) == edges(&graph);
        assert_eq!(keeps_order, format.info().keeps_edge_order, "{format}");
    }
}

/// Formats that hold any weight. Each other format may refuse some.
const HOLD_ANY_WEIGHT: [Format; 8] = [
    Format::DIMACS,
    Format::EDGE_LIST,
    Format::MATRIX_MARKET,
    Format::GRAPHML,
    Format::NODE_LINK,
    Format::DOT,
    Format::PARQUET,
    Format::KST,
];

#[test]
fn integers_of_63_bits_and_more_survive_or_are_refused() {
    let graph = graph([u64::MAX, 1 << 63, 0, 7, (1 << 63) - 1]);
    for format in writable() {
        let Ok(loaded) = round_trip(&graph, format, "") else {
            assert!(!HOLD_ANY_WEIGHT.contains(&format), "{format}");
            continue;
        };
        assert_eq!(loaded.parsed.graph.weight_type(), graph.weight_type(), "{format}");
        let weights = |graph: &AnyGraph| match graph {
            AnyGraph::U64(graph) => graph.edge_list().weights().to_vec(),
            _ => vec![],
        };
        assert_eq!(weights(&loaded.parsed.graph), weights(&graph), "{format}");
    }
}

#[test]
fn fractions_and_negatives_survive_or_are_refused() {
    let graph = graph([-0.5, 1e-300, 0.1, f64::MAX, -7.0]);
    for format in writable() {
        match round_trip(&graph, format, ".zst") {
            Ok(loaded) => assert_eq!(edges(&loaded.parsed.graph), edges(&graph), "{format}"),
            Err(_) => assert!(!HOLD_ANY_WEIGHT.contains(&format), "{format}"),
        }
    }
}

#[test]
fn a_refused_graph_leaves_the_old_file_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph");
    std::fs::write(&path, "old").unwrap();
    let graph = graph([0.5, 1.0, 1.0, 1.0, 1.0]);
    for format in FORMATS.iter().copied().filter(|format| !HOLD_ANY_WEIGHT.contains(format)) {
        let result = write_graph(&Output::Path(path.clone()), format, outgoing(&graph));
        match result {
            Err(WriteError::Unrepresentable { .. }) => {
                assert_eq!(std::fs::read_to_string(&path).unwrap(), "old", "{format}");
            }
            result => {
                result.unwrap();
                std::fs::write(&path, "old").unwrap();
            }
        }
    }
    assert!(FORMATS.iter().any(|format| !format.is_writable()), "one is refused in any case");
}

#[test]
fn a_damaged_kst_file_is_named_whichever_way_it_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.kst");
    write_graph(&Output::Path(path.clone()), Format::KST, outgoing(&graph([1, 2, 3, 4, 5])))
        .unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    if let Some(last) = bytes.last_mut() {
        *last ^= 1;
    }
    std::fs::write(&path, bytes).unwrap();
    let expected = format!(
        "{}: byte 320: the weights are damaged: the checksum of their section is wrong",
        path.display()
    );
    let opened = open_kst(&path).unwrap().load(1).unwrap_err();
    assert_eq!(opened.to_string(), expected);
    let read = read(&Input::Path(path), &ReadOptions::default(), &|_| ()).unwrap_err();
    assert_eq!(read.to_string(), expected);
}

/// Graphs whose lines could be rows of a matrix, counts, numbers of rows, or points.
fn graphs_like_something_else() -> Vec<AnyGraph> {
    let mut graphs = Vec::new();
    for n in 0..7_u32 {
        let path: Vec<(u32, u32)> = (1..n).map(|v| (v - 1, v)).collect();
        let star = (1..n).map(|v| (0, v)).collect();
        let shifted = (1..n).map(|v| (v, (v + 1) % n)).collect();
        let loops = (0..n).map(|v| (v, v)).collect();
        let complete = (0..n).flat_map(|u| (0..u).map(move |v| (v, u))).collect();
        let twice = path.iter().flat_map(|&edge| [edge, edge]).collect();
        for ends in [path, star, shifted, loops, complete, twice] {
            let ends: Vec<(u32, u32)> = ends;
            let (u, v): (Vec<u32>, Vec<u32>) = ends.iter().copied().unzip();
            type WeightOf = fn(usize, u32, u32) -> i32;
            let weights: [WeightOf; 8] = [
                |at, _, _| at as i32,
                |at, _, _| at as i32 + 1,
                |_, u, _| u as i32,
                |_, _, v| v as i32,
                |_, _, _| 0,
                |_, _, _| 1,
                |_, u, v| u.abs_diff(v) as i32,
                |at, _, _| -(at as i32),
            ];
            for weight in weights {
                let weights = (0..).zip(&ends).map(|(at, &(u, v))| weight(at, u, v)).collect();
                let vertices = (n + n % 2) as usize;
                let graph = AnyGraph::from_edges::<i32>(vertices, u.clone(), v.clone(), weights);
                graphs.push(graph.unwrap());
            }
        }
    }
    graphs
}

#[test]
fn graphs_like_something_else_come_back_without_a_question() {
    for format in writable() {
        for graph in graphs_like_something_else() {
            let Ok(bytes) = write_bytes(format, outgoing(&graph)) else { continue };
            let text = || String::from_utf8_lossy(&bytes).into_owned();
            let loaded = match read_bytes("graph", &bytes, &ReadOptions::default()) {
                Ok(loaded) => loaded,
                // Its texts are numbers only.
                Err(error) if format == Format::METIS && error.to_string().contains('?') => {
                    continue;
                }
                Err(error) => panic!("{format}: {error}\n{}", text()),
            };
            assert_eq!(loaded.parsed.graph.vertices(), graph.vertices(), "{format}\n{}", text());
            let [mut read, mut written] = [&loaded.parsed.graph, &graph].map(edges);
            let key = |edge: &(u32, u32, f64)| (edge.0, edge.1, edge.2 as i64);
            read.sort_by_key(key);
            written.sort_by_key(key);
            assert_eq!(read, written, "{format}\n{}", text());
        }
    }
}
