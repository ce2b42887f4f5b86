//! Reads the real graphs of [`real::folder`] in every way, and compares with their known sizes.

use std::collections::BTreeSet;

use kostra_core::{Total, WeightType, with_graph};
use kostra_io::{
    Compression, Format, Input, Loaded, MissingWeights, ReadOptions, Vertices, read, read_bytes,
    write_bytes,
};
use kostra_testkit::real;

fn load(name: &str) -> Option<Loaded> {
    let path = real::file(name)?;
    let loaded = [1, 2, 3].map(|threads| {
        let options = ReadOptions { threads, ..ReadOptions::default() };
        read(&Input::Path(path.clone()), &options, &|_| {}).expect(name)
    });
    let [first, others @ ..] = loaded;
    for other in others {
        assert!(
            first.parsed.graph.u() == other.parsed.graph.u()
                && first.parsed.graph.v() == other.parsed.graph.v(),
            "{name}"
        );
        assert!(
            total(&first) == total(&other) && first.parsed.notes == other.parsed.notes,
            "{name}"
        );
    }
    Some(first)
}

fn total(loaded: &Loaded) -> Total {
    use kostra_core::Weight;
    fn sum<W: Weight>(weights: &[W]) -> Total {
        W::total(weights.iter().copied())
    }
    with_graph!(&loaded.parsed.graph, graph => sum(graph.edge_list().weights()))
}

/// Distinct undirected edges without self-loops.
fn distinct(loaded: &Loaded) -> usize {
    let ends = loaded.parsed.graph.u().iter().zip(loaded.parsed.graph.v());
    ends.filter(|(u, v)| u != v).map(|(u, v)| (u.min(v), u.max(v))).collect::<BTreeSet<_>>().len()
}

/// Reads a file and checks its format, size and weight type. `size` is the number of vertices, of
/// edges, and of distinct edges without self-loops.
fn check(
    name: &str,
    format: Format,
    [n, edges, m]: [usize; 3],
    weights: WeightType,
) -> Option<Loaded> {
    let loaded = load(name)?;
    assert_eq!(loaded.format, format, "{name}");
    assert_eq!(
        [loaded.parsed.graph.vertices() as usize, loaded.parsed.graph.edges()],
        [n, edges],
        "{name}"
    );
    assert_eq!(distinct(&loaded), m, "{name}");
    assert_eq!(loaded.parsed.graph.weight_type(), weights, "{name}");
    Some(loaded)
}

const UNIT: &str = "the input has no weights; each edge weighs 1";

#[test]
fn road_networks_are_read_with_every_arc() {
    let new_york = check(
        "road/USA-road-d.NY.gr.gz",
        Format::DIMACS,
        [264_346, 733_846, 365_050],
        WeightType::I32,
    );
    if let Some(new_york) = new_york {
        assert_eq!(new_york.compression, Compression::Gzip);
        assert!(new_york.parsed.notes.is_empty());
    }
    check("road/rome99.gr", Format::DIMACS, [3_353, 8_870, 4_831], WeightType::I32);
    check("road/osm-rome.gr.xz", Format::DIMACS, [234_496, 258_193, 258_193], WeightType::I32);
    check(
        "road/usroads-greatcircle-m.gr.xz",
        Format::DIMACS,
        [129_164, 165_435, 165_435],
        WeightType::I32,
    );
}

#[test]
fn treewidth_graphs_have_made_up_weights() {
    for (name, n, m) in [("BAY", 321_270, 397_415), ("COL", 435_666, 521_200)] {
        let name = format!("road/USA-road.{name}.unweighted.gr.xz");
        if let Some(loaded) = check(&name, Format::DIMACS, [n, m, m], WeightType::I32) {
            assert_eq!(loaded.compression, Compression::Xz);
            assert_eq!(loaded.parsed.notes, [UNIT]);
        }
    }
}

#[test]
fn matrices_are_read() {
    check(
        "matrix/ak2010.mtx.gz",
        Format::MATRIX_MARKET,
        [45_292, 108_549, 108_549],
        WeightType::I32,
    );
    for (name, n, m) in [("luxembourg_osm", 114_599, 119_666), ("delaunay_n16", 65_536, 196_575)] {
        let name = format!("matrix/{name}.mtx.gz");
        let loaded = check(&name, Format::MATRIX_MARKET, [n, m, m], WeightType::I32);
        loaded.inspect(|loaded| assert_eq!(loaded.parsed.notes, [UNIT]));
    }
}

#[test]
fn social_networks_are_edge_lists_in_all_their_spellings() {
    let enron = check(
        "social/Email-Enron.txt.gz",
        Format::EDGE_LIST,
        [36_692, 367_662, 183_831],
        WeightType::I32,
    );
    if let Some(enron) = enron {
        assert_eq!(
            enron.parsed.notes,
            ["line 1 is taken as the numbers of vertices and edges", UNIT]
        );
    }
    if let Some(astro) = load("social/ca-AstroPh.edgelist.gz") {
        assert_eq!(astro.format, Format::EDGE_LIST);
    }
}

#[test]
fn named_columns_are_found() {
    let name = "road/california.cedge.gz";
    let loaded = check(name, Format::EDGE_LIST, [21_048, 21_693, 21_693], WeightType::F64);
    if let Some(loaded) = loaded {
        assert_eq!((loaded.parsed.graph.u()[1], loaded.parsed.graph.v()[1]), (0, 6));
        assert_eq!(loaded.parsed.notes, ["column 'EdgeID' is left out"]);
    }
}

#[test]
#[ignore = "slow"]
fn slow_the_partitioning_benchmarks_have_their_known_sizes() {
    for (name, n, m) in [
        ("mesh/4elt.graph", 15_606, 45_878),
        ("mesh/wing.graph.gz", 62_032, 121_544),
        ("mesh/wave.graph.bz2", 156_317, 1_059_331),
        ("mesh/copter2.graph.xz", 55_476, 352_238),
        ("social/PGPgiantcompo.graph", 10_680, 24_316),
    ] {
        let Some(path) = real::file(name) else { continue };
        let options = ReadOptions {
            missing_weights: Some(MissingWeights::Hash),
            threads: 2,
            ..ReadOptions::default()
        };
        // The name `x` tells nothing, so the content tells the format.
        let loaded = read_bytes("x", &std::fs::read(path).unwrap(), &options).unwrap();
        assert_eq!(
            (loaded.parsed.graph.vertices(), loaded.parsed.graph.edges(), loaded.format),
            (n, m, Format::METIS),
            "{name}"
        );
        // Through the writer, and back by one thread.
        let bytes = write_bytes(Format::METIS, (&loaded.parsed.graph).into()).unwrap();
        let again = read_bytes("x.graph", &bytes, &ReadOptions::default()).unwrap();
        assert!(sorted(&loaded) == sorted(&again), "{name}");
    }
}

/// The edges with the texts of their weights, sorted.
fn sorted(loaded: &Loaded) -> Vec<(u32, u32, String)> {
    let mut edges: Vec<_> = with_graph!(&loaded.parsed.graph, graph => {
        let edges = graph.edge_list();
        let ends = edges.u().iter().zip(edges.v());
        ends.zip(edges.weights()).map(|((&u, &v), weight)| (u, v, weight.to_string())).collect()
    });
    edges.sort();
    edges
}

#[test]
fn real_extracts_read_the_same_from_a_file_and_from_a_pipe() {
    for name in ["osm/monaco.osm.pbf", "osm/porto-bench.osm.pbf"] {
        let Some(path) = real::file(name) else { continue };
        let mapped = read(&Input::Path(path.clone()), &ReadOptions::default(), &|_| ()).unwrap();
        let options = ReadOptions { threads: 2, ..ReadOptions::default() };
        let piped = read_bytes("x", &std::fs::read(&path).unwrap(), &options).unwrap();
        assert_eq!((mapped.format, piped.format), (Format::OSM_PBF, Format::OSM_PBF));
        assert_eq!(mapped.parsed.graph.u(), piped.parsed.graph.u());
        assert_eq!(mapped.parsed.graph.v(), piped.parsed.graph.v());
        assert_eq!(mapped.parsed.coordinates, piped.parsed.coordinates);
    }
}

/// Texts of rows that people have: the file, and its edges and format, or none if it is a question.
const TEXTS: &[(&str, Option<(usize, Format)>)] = &[
    ("s01-upper-triangle.txt", None),
    ("s03-labelled-matrix.tsv", Some((3, Format::MATRIX))),
    ("s06-matrix-decimal-comma.csv", Some((3, Format::MATRIX))),
    ("s09-counts-do-not-match.txt", None),
    ("s11-one-percent.mtx", Some((3, Format::MATRIX_MARKET))),
    ("s23-roads-attribute-table.csv", None),
    ("s24-wkt.csv", None),
    ("s30-invisible.csv", Some((4, Format::EDGE_LIST))),
    ("s31-adjacency-list.txt", Some((3, Format::ADJACENCY))),
    ("s37-row-numbers.csv", None),
    ("u01-matrix-with-names.csv", Some((3, Format::MATRIX))),
    ("u02-sedgewick.txt", Some((4, Format::EDGE_LIST))),
    ("u03-n-and-matrix.txt", None),
    ("u13-psql.txt", Some((2, Format::TABLE))),
    ("u15-no-mark.csv", None),
];

#[test]
fn texts_that_people_have_are_read_right_or_asked_about() {
    for &(name, expected) in TEXTS {
        let Some(path) = real::file(&format!("cases/text/{name}")) else { continue };
        let options = ReadOptions { vertices: Vertices::Occurring, ..ReadOptions::default() };
        let loaded = read_bytes(name, &std::fs::read(path).unwrap(), &options);
        let found = loaded.ok().map(|loaded| (loaded.parsed.graph.edges(), loaded.format));
        assert_eq!(found, expected, "{name}");
    }
}
