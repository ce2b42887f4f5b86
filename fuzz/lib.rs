//! What every fuzz target asserts of its reader.

mod logs;
mod updates;

use std::panic;
use std::path::PathBuf;
use std::sync::{LazyLock, Once};
use std::{fs, io};

use kostra_core::{AnyGraph, with_graph};
use kostra_io::{
    ColumnChoice, ColumnOptions, EdgeBlock, Format, Input, KeptColumns, Loaded, Outgoing,
    PixelValues, PointOptions, ReadError, ReadOptions, StreamFacts, TakeBlocks, Vertices, read,
    read_bytes, read_image_bytes, read_points_bytes, stream_edges, write_bytes,
};
pub use logs::check_log;
pub use updates::check_updates;

/// Checks that any bytes give a graph or an error with a message. If `format` is given and can hold
/// the graph, the graph is written in this format and read back; it must have the same number of
/// vertices and the same ends. Weights are not compared.
pub fn check(format: Option<Format>, bytes: &[u8]) {
    spare_caught_panics();
    let types = format.filter(|&format| format == Format::RAW).map(|_| "u16,u8,f32".parse());
    let raw = types.and_then(Result::ok);
    let options = ReadOptions { format, raw, threads: 1, ..ReadOptions::default() };
    let whole = read_bytes("input", bytes, &options);
    if format.is_none() {
        check_points(bytes);
        check_image(bytes);
    }
    if [Some(Format::EDGE_LIST), Some(Format::PARQUET)].contains(&format) {
        check_columns(bytes, &options);
    }
    if let Some(format) = format.filter(|format| format.info().has_attributes) {
        check_attributes(format, bytes, &options);
    }
    if format.is_some_and(Format::is_streamed) {
        check_blocks(bytes, &options, &whole);
    }
    if [Some(Format::ECL), Some(Format::GAP)].contains(&format) {
        let sentence = whole.as_ref().err().map(ToString::to_string);
        check_file(
            bytes,
            &options,
            whole.as_ref().ok().map(|loaded| &loaded.parsed.graph),
            sentence,
        );
    }
    let loaded = match whole {
        Ok(loaded) => loaded,
        Err(error) => {
            assert!(error.to_string().len() > "input: ".len(), "an error without words");
            return;
        }
    };
    let outgoing = Outgoing {
        coordinates: loaded.parsed.coordinates.as_ref(),
        names: loaded.parsed.names.as_deref(),
        mapped: loaded.parsed.mapped.as_ref(),
        ..Outgoing::from(&loaded.parsed.graph)
    };
    // Some formats cannot hold some graphs; the writer then returns an error.
    let Some(Ok(written)) = format.map(|format| write_bytes(format, outgoing)) else { return };
    let again = read_bytes("written", &written, &options).expect("what Kostra writes, it reads");
    assert_eq!(again.parsed.graph.vertices(), loaded.parsed.graph.vertices());
    assert_eq!(again.parsed.graph.u().len(), loaded.parsed.graph.u().len());
    // Matrix Market stores the higher end first.
    let keeps_order = format.is_some_and(|format| format.info().keeps_edge_order);
    let ends = |graph: &AnyGraph| {
        let ends = graph.u().iter().zip(graph.v());
        let mut ends: Vec<_> = ends.map(|(&u, &v)| (u.min(v), u.max(v))).collect();
        if !keeps_order {
            ends.sort_unstable();
        }
        ends
    };
    assert_eq!(ends(&again.parsed.graph), ends(&loaded.parsed.graph));
}

/// Checks that any bytes give points, in whole rows, or an error with a message.
pub fn check_points(bytes: &[u8]) {
    spare_caught_panics();
    match read_points_bytes("input", bytes, &PointOptions::default()) {
        Ok(points) => assert_eq!(points.coordinates.len(), points.len() * points.dimensions),
        Err(error) => assert!(error.to_string().len() > "input: ".len(), "an error without words"),
    }
}

/// Checks that any bytes give an image with all values, or an error with a message.
fn check_image(bytes: &[u8]) {
    match read_image_bytes("input", bytes) {
        Ok(image) => {
            let values = match &image.values {
                PixelValues::Single(values) => values.len(),
                PixelValues::Double(values) => values.len(),
            };
            assert_eq!(values, image.shape.iter().product::<usize>());
        }
        Err(error) => assert!(error.to_string().len() > "input: ".len(), "an error without words"),
    }
}

/// Checks that an edge list gives a graph or an error with a message if its vertices are those that
/// occur, and a column is kept. Each edge then has a row of the kept column.
fn check_columns(bytes: &[u8], options: &ReadOptions) {
    let keep = vec![ColumnChoice::Position(1)];
    let is_text = options.format == Some(Format::EDGE_LIST);
    for decimal_comma in [false, true].into_iter().take(1 + usize::from(is_text)) {
        let columns = ColumnOptions { keep: keep.clone(), decimal_comma, ..Default::default() };
        let options = ReadOptions { vertices: Vertices::Occurring, columns, ..options.clone() };
        match read_bytes("input", bytes, &options) {
            Ok(loaded) => {
                let edges = loaded.parsed.graph.edges();
                assert!(edges == 0 || loaded.parsed.kept.is_some_and(|kept| kept.rows() == edges));
            }
            Err(error) => assert!(error.to_string().len() > "input: ".len()),
        }
    }
}

/// Checks that a graph whose edges keep an attribute has a row for each edge, and that the rows are
/// the same after the graph has been written and read back.
fn check_attributes(format: Format, bytes: &[u8], options: &ReadOptions) {
    let keep = vec![ColumnChoice::Name("label".into())];
    let columns = ColumnOptions { keep, ..ColumnOptions::default() };
    let options = ReadOptions { columns, ..options.clone() };
    let loaded = match read_bytes("input", bytes, &options) {
        Ok(loaded) => loaded,
        Err(error) => return assert!(error.to_string().len() > "input: ".len()),
    };
    let edges = loaded.parsed.graph.edges();
    if edges == 0 {
        return;
    }
    let kept = loaded.parsed.kept.as_ref().expect("an attribute that is kept or refused");
    assert_eq!(kept.rows(), edges);
    let outgoing = Outgoing {
        coordinates: loaded.parsed.coordinates.as_ref(),
        names: loaded.parsed.names.as_deref(),
        text_names: loaded.parsed.text_names,
        kept: Some(kept),
        ..Outgoing::from(&loaded.parsed.graph)
    };
    let Ok(written) = write_bytes(format, outgoing) else { return };
    let again = read_bytes("written", &written, &options).expect("what Kostra writes, it reads");
    let rows = |kept: &KeptColumns| {
        let values =
            (0..edges).flat_map(|edge| kept.values(edge).map(|value| value.map(str::to_owned)));
        values.collect::<Vec<_>>()
    };
    let again = again.parsed.kept.as_ref().expect("an attribute that is kept or refused");
    assert_eq!(rows(again), rows(kept));
}

/// Collects the edges of blocks.
#[derive(Default)]
struct Collected(Vec<(u32, u32, f64)>);

impl TakeBlocks for Collected {
    fn begin(&mut self, _: StreamFacts) -> io::Result<()> {
        Ok(())
    }

    fn take(&mut self, block: EdgeBlock) -> io::Result<()> {
        assert_eq!(block.first, self.0.len() as u64);
        self.0.extend(listed(&block.edges));
        Ok(())
    }
}

/// The edges with their weights, which a block may store in a narrower type.
fn listed(graph: &AnyGraph) -> Vec<(u32, u32, f64)> {
    let weights: Vec<f64> = with_graph!(graph, graph => {
        let weights = graph.edge_list().weights().iter();
        weights.map(|weight| weight.to_string().parse().expect("a number")).collect()
    });
    graph.u().iter().zip(graph.v()).zip(weights).map(|((&u, &v), weight)| (u, v, weight)).collect()
}

/// Checks that reading in blocks gives the edges of the whole graph, or refuses what is refused as
/// a whole. Only a graph with names, a line of counts or a dense matrix may be refused in blocks
/// alone.
fn check_blocks(bytes: &[u8], options: &ReadOptions, whole: &Result<Loaded, ReadError>) {
    fs::write(&*PATH, bytes).expect("the folder of temporary files is writable");
    let mut found = Collected::default();
    let blocks = stream_edges(&Input::Path(PATH.clone()), options, 3, &|_| {}, &mut found);
    match (whole, blocks) {
        (Ok(whole), Ok(summary)) => {
            assert_eq!(summary.vertices, whole.parsed.graph.vertices());
            assert_eq!(found.0, listed(&whole.parsed.graph));
        }
        (Ok(whole), Err(error)) => {
            let refused = error.to_string();
            assert!(
                whole.parsed.names.is_some()
                    || ["start the line with #", "read only as a whole"]
                        .iter()
                        .any(|reason| refused.contains(reason)),
                "{error}"
            );
        }
        (Err(error), blocks) => assert!(blocks.is_err(), "blocks do not say: {error}"),
    }
}

/// The file of an input that is read from a file.
static PATH: LazyLock<PathBuf> =
    LazyLock::new(|| std::env::temp_dir().join(format!("kostra-fuzz-{}", std::process::id())));

/// Checks that a file of these bytes gives the same graph or the same error: threads read such
/// files by themselves, and other inputs in order.
fn check_file(
    bytes: &[u8],
    options: &ReadOptions,
    expected: Option<&AnyGraph>,
    sentence: Option<String>,
) {
    fs::write(&*PATH, bytes).expect("the folder of temporary files is writable");
    match read(&Input::Path(PATH.clone()), options, &|_| {}) {
        Ok(loaded) => {
            let expected = expected.expect("bytes in memory are a graph, too");
            assert!(
                loaded.parsed.graph.u() == expected.u() && loaded.parsed.graph.v() == expected.v()
            );
        }
        Err(error) => {
            let error = error.to_string().replace(&PATH.display().to_string(), "input");
            assert_eq!(Some(error), sentence);
        }
    }
}

/// Lets panics of the crate `parquet` pass, which the reader catches. By default the fuzzer's hook
/// ends the process before a panic can be caught.
fn spare_caught_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let end = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let file = info.location().map_or("", |location| location.file());
            if !["/parquet-", "/bytes-"].iter().any(|name| file.contains(name)) {
                end(info);
            }
        }));
    });
}
