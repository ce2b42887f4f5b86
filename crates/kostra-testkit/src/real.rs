//! Real graphs with known answers.
//!
//! The files are not part of the project, because their licenses differ. `testdata/README.md` says
//! where each comes from. Without them the tests pass and say what they skip.

use std::path::{Path, PathBuf};

use kostra_core::AnyGraph;
use kostra_io::{Input, MissingWeights, ReadErrorKind, ReadOptions, read};

/// A file and the known facts about its graph.
#[derive(Clone, Copy, Debug)]
pub struct RealGraph {
    /// The path relative to [`folder`].
    pub path: &'static str,
    /// The number of vertices.
    pub vertices: u32,
    /// The number of edges, if the format determines it. Every repetition of an edge in the file
    /// counts.
    pub edges: Option<usize>,
    /// The number of components, if known.
    pub components: Option<u32>,
    /// The total weight of the minimum spanning forest, if known.
    pub total: Option<i128>,
}

/// A graph with known size only.
const fn of_size(path: &'static str, vertices: u32, edges: usize) -> RealGraph {
    RealGraph { path, vertices, edges: Some(edges), components: None, total: None }
}

/// A road network with a known forest.
const fn road(path: &'static str, vertices: u32, components: u32, total: i128) -> RealGraph {
    RealGraph { path, vertices, edges: None, components: Some(components), total: Some(total) }
}

/// All real graphs of the tests.
pub const GRAPHS: &[RealGraph] = &[
    road("road/rome99.gr", 3_353, 1, 1_186_386),
    road("road/USA-road-d.NY.gr.gz", 264_346, 1, 261_159_288),
    road("road/osm-rome.gr.xz", 234_496, 174, 8_868_502),
    road("road/usroads-greatcircle-m.gr.xz", 129_164, 56, 363_838_633),
    of_size("road/USA-road.BAY.unweighted.gr.xz", 321_270, 397_415),
    RealGraph { components: Some(50), ..of_size("matrix/ak2010.mtx.gz", 45_292, 108_549) },
    of_size("matrix/luxembourg_osm.mtx.gz", 114_599, 119_666),
    of_size("matrix/delaunay_n16.mtx.gz", 65_536, 196_575),
    of_size("mesh/4elt.graph", 15_606, 45_878),
    of_size("mesh/wing.graph.gz", 62_032, 121_544),
    of_size("mesh/wave.graph.bz2", 156_317, 1_059_331),
    of_size("mesh/copter2.graph.xz", 55_476, 352_238),
    of_size("social/PGPgiantcompo.graph", 10_680, 24_316),
    RealGraph { edges: None, ..of_size("social/Email-Enron.txt.gz", 36_692, 0) },
];

/// The folder of the real graphs: the environment variable `KOSTRA_DATA`, or `shared/data` beside
/// the project.
pub fn folder() -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    std::env::var_os("KOSTRA_DATA").map_or_else(beside, PathBuf::from)
}

/// The path of a file in [`folder`]. If it is missing, prints that the test skips it, in the form
/// that `scripts/test` counts, and returns none.
///
/// # Panics
/// If the file is missing and the environment variable `KOSTRA_REQUIRE_DATA` is set and not empty.
pub fn file(name: &str) -> Option<PathBuf> {
    let path = folder().join(name);
    if path.exists() {
        return Some(path);
    }
    let required = std::env::var_os("KOSTRA_REQUIRE_DATA").is_some_and(|value| !value.is_empty());
    assert!(!required, "KOSTRA_REQUIRE_DATA is set, but there is no {}", path.display());
    println!("skipped: no real graph: {name} is not in {}", folder().display());
    None
}

/// Reads a graph. Edges without weights get hashed weights. Returns none if the file is missing.
///
/// # Errors
/// If the file exists but cannot be read as a graph.
pub fn load(graph: &RealGraph) -> Result<Option<AnyGraph>, String> {
    let Some(path) = file(graph.path) else { return Ok(None) };
    let hashed =
        ReadOptions { missing_weights: Some(MissingWeights::Hash), ..ReadOptions::default() };
    let input = Input::Path(path);
    let loaded = match read(&input, &hashed, &|_| {}) {
        Err(error) if matches!(error.kind, ReadErrorKind::HasWeights) => {
            read(&input, &ReadOptions::default(), &|_| {})
        }
        result => result,
    };
    match loaded {
        Ok(loaded) => Ok(Some(loaded.parsed.graph)),
        Err(error) => Err(error.to_string()),
    }
}
