//! Reading in blocks gives the edges, the notes and the errors of reading as a whole.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use kostra_core::{AnyGraph, with_graph};
use kostra_io::{
    EdgeBlock, Format, Input, MissingWeights, Nan, Outgoing, ReadOptions, StreamFacts,
    StreamSummary, TakeBlocks, Vertices, read, stream_edges, write_bytes,
};

/// All edges as text, and what was stated before them.
#[derive(Debug, Default)]
struct Collected {
    facts: StreamFacts,
    edges: Vec<(u32, u32, f64)>,
    largest_block: usize,
    stops_after: Option<usize>,
}

fn listed(graph: &AnyGraph) -> Vec<(u32, u32, f64)> {
    let weights: Vec<f64> = with_graph!(graph, graph => {
        let weights = graph.edge_list().weights().iter();
        weights.map(|weight| weight.to_string().parse().unwrap()).collect()
    });
    let ends = graph.u().iter().zip(graph.v());
    ends.zip(weights).map(|((&u, &v), weight)| (u, v, weight)).collect()
}

impl TakeBlocks for Collected {
    fn begin(&mut self, facts: StreamFacts) -> io::Result<()> {
        self.facts = facts;
        Ok(())
    }

    fn take(&mut self, block: EdgeBlock) -> io::Result<()> {
        assert_eq!(block.first, self.edges.len() as u64);
        self.largest_block = self.largest_block.max(block.edges.edges());
        self.edges.extend(listed(&block.edges));
        match self.stops_after {
            Some(edges) if self.edges.len() >= edges => Err(io::Error::other("enough")),
            _ => Ok(()),
        }
    }
}

fn stream(
    path: &Path,
    options: &ReadOptions,
    block: usize,
) -> Result<(Collected, StreamSummary), String> {
    let mut collected = Collected::default();
    let input = Input::Path(path.to_path_buf());
    let summary = stream_edges(&input, options, block, &|_| {}, &mut collected);
    summary.map(|summary| (collected, summary)).map_err(|error| error.to_string())
}

/// Compares blocks of several sizes, on one thread and on two, with the whole file.
fn compare(path: &Path, options: &ReadOptions) {
    let input = Input::Path(path.to_path_buf());
    let whole = read(&input, options, &|_| {}).map_err(|error| error.to_string());
    for (block, threads) in [(1, 1), (3, 2), (1000, 1), (1 << 20, 2)] {
        let options = ReadOptions { threads, ..options.clone() };
        match (&whole, stream(path, &options, block)) {
            (Ok(whole), Ok((collected, summary))) => {
                assert_eq!(collected.edges, listed(&whole.parsed.graph));
                assert_eq!(summary.edges, whole.parsed.graph.edges() as u64);
                assert_eq!(summary.vertices, whole.parsed.graph.vertices());
                assert_eq!(
                    (summary.format, summary.compression),
                    (whole.format, whole.compression)
                );
                let (notes, own) = (&whole.parsed.notes, &summary.notes);
                let others = notes.iter().filter(|note| !whole.parsed.warnings.contains(note));
                assert_eq!(own, &others.cloned().collect::<Vec<_>>());
            }
            (Err(whole), Err(error)) => assert_eq!(*whole, error),
            (whole, blocks) => {
                panic!("{}: {whole:?}, {:?}", path.display(), blocks.map(|(_, summary)| summary))
            }
        }
    }
}

fn file(folder: &Path, name: &str, content: &[u8]) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, content).unwrap();
    path
}

fn graph() -> AnyGraph {
    let ends = |step: u32| (0..5000_u32).map(|edge| edge * step % 701).collect::<Vec<_>>();
    let weights = (0..5000).map(|edge| edge * 31 % 997 - 400).collect::<Vec<i32>>();
    AnyGraph::from_edges(800, ends(7), ends(13), weights).unwrap()
}

#[test]
fn blocks_have_the_edges_of_the_whole_file() {
    let folder = tempfile::tempdir().unwrap();
    for format in [Format::DIMACS, Format::EDGE_LIST, Format::MATRIX_MARKET, Format::KST] {
        let bytes = write_bytes(format, (&graph()).into()).unwrap();
        let path = file(folder.path(), format.id(), &bytes);
        compare(&path, &ReadOptions::default());
        if format == Format::KST {
            let (collected, _) = stream(&path, &ReadOptions::default(), 100).unwrap();
            assert_eq!((collected.largest_block, collected.facts.edges), (100, Some(5000)));
        }
    }
}

/// A file that is not in the system's cache is read past it, in whole pages.
#[cfg(target_os = "linux")]
#[test]
fn blocks_of_a_file_outside_of_the_cache_have_the_same_edges() {
    use rustix::fs::{Advice, fadvise};
    let folder = tempfile::tempdir().unwrap();
    let bytes = write_bytes(Format::KST, (&graph()).into()).unwrap();
    let path = file(folder.path(), "kst", &bytes);
    for block in [700, 3000, 1 << 20] {
        let written = fs::File::open(&path).unwrap();
        written.sync_all().unwrap(); // unwritten pages stay in the cache
        fadvise(&written, 0, None, Advice::DontNeed).unwrap();
        let (collected, summary) = stream(&path, &ReadOptions::default(), block).unwrap();
        assert_eq!(collected.edges, listed(&graph()));
        assert_eq!(summary.edges, 5000);
    }
}

#[test]
fn texts_of_all_kinds_are_read_in_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let unweighted: String =
        (0..900).map(|edge| format!("{} {}\n", edge % 31, edge % 17)).collect();
    let widening: String =
        (0..900).map(|edge| format!("{} 5 {}\n", edge % 31, 1_i64 << (edge % 53))).collect();
    let floats = widening.replace(" 8\n", " 8.5\n");
    let cut = "p sp 5 3\na 1 2 3\na 4 5 6\n";
    let mixed = "p edge 5 3\ne 1 2 3\ne 4 5 6\ne 3 4\n";
    let texts = [
        &unweighted,
        &widening,
        &floats,
        cut,
        mixed,
        "p edge 5 3\ne 1 2\ne 4 5\ne 3 4\n",
        "3 2\n0 1 5\n1 2 6\n",
        "0 1 0.5\n1 2 9007199254740993\n",
        "# nothing\n",
        "source,target,weight\n0,1,5\n2,1,6\n",
        "0 1 2\n1 2 x\n",
        "0 1 -2\n1 2 9223372036854775808\n",
        "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 1\n",
        "%%MatrixMarket matrix coordinate real symmetric\n%\n3 3 2\n2 1 5\n3 1 0.5\n",
        "%%MatrixMarket matrix coordinate integer general\n3 3 2\n2 1 5\n3 1 6\n1 1 2\n",
        "%%MatrixMarket matrix coordinate integer general\n3 3 3\n2 1 5\n3 1 6\n",
    ];
    for text in texts {
        let path = file(folder.path(), "text", text.as_bytes());
        compare(&path, &ReadOptions::default());
        let hashed =
            ReadOptions { missing_weights: Some(MissingWeights::Hash), ..ReadOptions::default() };
        if text != mixed {
            compare(&path, &hashed); // a mixed text has two faults, and either may be reported
        }
    }
}

/// A file in several groups of rows that states its vertices, one that does not, and one cut short.
#[test]
fn parquet_files_are_read_in_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = write_bytes(Format::PARQUET, (&graph()).into()).unwrap();
    let path = file(folder.path(), "parquet", &bytes);
    compare(&path, &ReadOptions::default());
    let (collected, _) = stream(&path, &ReadOptions::default(), 100).unwrap();
    assert!(collected.largest_block < 400, "{}", collected.largest_block);
    assert_eq!((collected.facts.vertices, collected.facts.edges), (Some(800), Some(5000)));
    let fewer = ReadOptions { vertices: Vertices::Count(700), ..ReadOptions::default() };
    compare(&path, &fewer);
    let cut = file(folder.path(), "cut.parquet", &bytes[..bytes.len() - 1]);
    compare(&cut, &ReadOptions::default());
    let packed = file(folder.path(), "zst", &zstd::encode_all(&bytes[..], 1).unwrap());
    let error = stream(&packed, &ReadOptions::default(), 10).unwrap_err();
    assert!(error.contains("only from a plain file"), "{error}");
}

/// Files that other programs wrote; in blocks, vertices are not renumbered and names are refused.
#[test]
fn foreign_parquet_files_are_read_in_blocks_or_refused() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds");
    let mut compared = 0;
    for entry in fs::read_dir(seeds).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "parquet") {
            continue;
        }
        let whole = read(&Input::Path(path.clone()), &ReadOptions::default(), &|_| {});
        match stream(&path, &ReadOptions::default(), 2) {
            Err(error) if error.contains("the table of their names") => {
                assert!(whole.unwrap().parsed.names.is_some(), "{}", path.display());
            }
            _ => compare(&path, &ReadOptions::default()),
        }
        compared += 1;
    }
    assert!(compared > 0);
}

/// Pages and their headers come from a file here, and from memory when all is read.
#[test]
fn damaged_parquet_files_have_the_same_errors_in_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds");
    let bytes = fs::read(seeds.join("integers.parquet")).unwrap();
    for at in (0..bytes.len()).step_by(7) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x15;
        let path = file(folder.path(), "damaged.parquet", &damaged);
        let whole = read(&Input::Path(path.clone()), &ReadOptions::default(), &|_| {});
        let blocks = stream(&path, &ReadOptions::default(), 1);
        match (whole, blocks) {
            (Ok(whole), Ok((found, _))) => assert_eq!(listed(&whole.parsed.graph), found.edges),
            (Err(whole), Err(error)) => assert_eq!(whole.to_string(), error),
            (whole, blocks) => panic!("byte {at}: {whole:?}, {:?}", blocks.map(|found| found.1)),
        }
    }
}

#[test]
fn nan_is_refused_or_skipped_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "text", b"0 1 1.5\n1 2 nan\n2 0 3.5\n0 2 nan\n");
    compare(&path, &ReadOptions::default());
    let options = ReadOptions { nan: Nan::Skip, ..ReadOptions::default() };
    let (collected, summary) = stream(&path, &options, 1).unwrap();
    assert_eq!(collected.edges[1], (1, 1, 0.0));
    let note = "2 of the edges weigh NaN, the first is edge 1; they are in no forest";
    assert_eq!(summary.notes, [note]);
}

#[test]
fn what_cannot_be_read_in_blocks_is_refused_with_a_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let error = |name: &str, bytes: &[u8], options: &ReadOptions| {
        stream(&file(folder.path(), name, bytes), options, 10).unwrap_err()
    };
    let options = ReadOptions::default();
    let metis = error("metis.graph", b"3 3\n2 3\n1 3\n1 2\n", &options);
    assert!(metis.contains("the format graph (METIS) cannot be read in blocks"), "{metis}");
    let named = ReadOptions { names: true, ..ReadOptions::default() };
    let names = error("names", b"a b 1\nb c 2\n", &named);
    assert!(names.contains("the table of names"), "{names}");
    let counts = error("counts", b"9 2\n0 1\n1 2\n", &options);
    assert!(counts.contains("start the line with #"), "{counts}");
    assert!(error("empty", b"", &options).ends_with("the input is empty"));
}

#[test]
fn a_compressed_kst_file_is_read_in_one_pass_that_holds_all_ends() {
    let folder = tempfile::tempdir().unwrap();
    let graph = graph();
    let doubles = (0..5000).map(|edge| f64::from(edge % 37) / 8.0).collect::<Vec<_>>();
    let wide = AnyGraph::from_edges(800, graph.u().to_vec(), graph.v().to_vec(), doubles).unwrap();
    let names: Vec<String> = (0..800).map(|vertex| format!("place {vertex}")).collect();
    let packed = |name, kst: &[u8]| file(folder.path(), name, &zstd::encode_all(kst, 1).unwrap());
    for graph in [&graph, &wide] {
        // The names are a section after the weights.
        let outgoing = Outgoing { names: Some(&names), ..graph.into() };
        let path = packed("kst.zst", &write_bytes(Format::KST, outgoing).unwrap());
        for block in [1, 3, 1000, 1 << 20] {
            let (collected, summary) = stream(&path, &ReadOptions::default(), block).unwrap();
            assert_eq!(collected.edges, listed(graph));
            assert!(collected.largest_block == block.min(5000));
            assert_eq!(collected.facts.held_bytes, 8 * 5000);
            assert_eq!((summary.edges, summary.vertices), (5000, 800));
            let ends = "the ends of all edges took 1 MiB";
            let notes = summary.notes;
            assert!(notes.iter().any(|note| note.to_string().contains(ends)), "{notes:?}");
        }
    }
    let right = write_bytes(Format::KST, (&graph).into()).unwrap();
    let error = |kst: &[u8]| {
        let path = packed("damaged.zst", kst);
        stream(&path, &ReadOptions::default(), 64).map(|_| "no error").unwrap_err()
    };
    let length = right.len();
    for cut in [length - 1, length - 20_001, length - 40_001, 300] {
        let expected = format!("the file has {cut} bytes, but its header announces {length}");
        assert!(error(&right[..cut]).contains(&expected), "{}", error(&right[..cut]));
    }
    assert!(error(&[&right[..], b"x"].concat()).contains("bytes, but its header announces"));
    for (at, array) in [(4, "weights"), (20_040, "second ends"), (40_080, "first ends")] {
        let mut damaged = right.clone();
        damaged[length - at] ^= 1; // the low byte of a value
        let error = error(&damaged);
        assert!(error.contains(&format!("the {array} are damaged")), "{error}");
    }
}

#[test]
fn a_damaged_kst_file_is_an_error_after_its_last_block() {
    let folder = tempfile::tempdir().unwrap();
    let mut kst = write_bytes(Format::KST, (&graph()).into()).unwrap();
    let length = kst.len();
    kst[length - 3] ^= 1; // in the weights
    let path = file(folder.path(), "kst", &kst);
    let error = stream(&path, &ReadOptions::default(), 64).unwrap_err();
    assert!(error.contains("the weights are damaged"), "{error}");
    kst.truncate(length - 1);
    let path = file(folder.path(), "kst", &kst);
    compare(&path, &ReadOptions::default());
}

#[test]
fn a_receiver_can_stop() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = write_bytes(Format::DIMACS, (&graph()).into()).unwrap();
    let path = file(folder.path(), "gr", &bytes);
    let mut collected = Collected { stops_after: Some(200), ..Collected::default() };
    let options = ReadOptions { threads: 2, ..ReadOptions::default() };
    let result = stream_edges(&Input::Path(path), &options, 100, &|_| {}, &mut collected);
    assert!(result.unwrap_err().to_string().ends_with("enough"));
}
