//! Instances of TSPLIB and of the PACE challenge 2018, against their sizes and known optima.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use kostra_core::{AnyGraph, with_graph};
use kostra_io::{Input, ReadOptions, open_text, read};
use kostra_testkit::real;

/// The files of a folder with an extension; none, with a reason, if the folder is missing.
fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let Some(folder) = real::file(folder) else { return Vec::new() };
    let entries = fs::read_dir(folder).expect("the folder can be listed");
    let paths = entries.map(|entry| entry.expect("an entry can be read").path());
    paths.filter(|path| path.to_string_lossy().ends_with(extension)).collect()
}

fn graph(path: &Path) -> AnyGraph {
    let loaded = read(&Input::Path(path.into()), &ReadOptions::default(), &|_| {});
    loaded.unwrap_or_else(|error| panic!("{error}")).parsed.graph
}

/// The total of a minimum spanning tree by Kruskal's algorithm with path halving, which shares no
/// code with Kostra.
fn tree(graph: &AnyGraph) -> f64 {
    let mut edges: Vec<(f64, u32, u32)> = with_graph!(graph, graph => {
        let list = graph.edge_list();
        let ends = list.u().iter().zip(list.v());
        let weight = |w: &_| ToString::to_string(w).parse().expect("a weight is a number");
        ends.zip(list.weights()).map(|((&u, &v), w)| (weight(w), u, v)).collect()
    });
    edges.sort_by(|a, b| a.partial_cmp(b).expect("no weight is NaN"));
    let mut parent: Vec<u32> = (0..graph.vertices()).collect();
    let mut total = 0.0;
    for (weight, u, v) in edges {
        let [u, v] = [u, v].map(|mut vertex| {
            while parent[vertex as usize] != vertex {
                parent[vertex as usize] = parent[parent[vertex as usize] as usize];
                vertex = parent[vertex as usize];
            }
            vertex
        });
        if u != v {
            parent[u as usize] = v;
            total += weight;
        }
    }
    total
}

#[test]
fn trees_of_tsplib_are_between_half_the_best_tour_and_all_of_it() {
    let paths = files("tsp", ".tsp");
    let Some(solutions) = real::file("tsp/solutions") else { return };
    let solutions = fs::read_to_string(solutions).expect("the lengths can be read");
    let best: BTreeMap<_, f64> = solutions
        .lines()
        .filter_map(|line| line.split_once(':'))
        .filter_map(|(name, length)| {
            Some((name.trim(), length.split_whitespace().next()?.parse().ok()?))
        })
        .collect();
    for path in &paths {
        let name = path.file_stem().expect("a file has a name").to_string_lossy();
        let n: usize = name.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().unwrap();
        let graph = graph(path);
        assert_eq!((graph.vertices() as usize, graph.edges()), (n, n * (n - 1) / 2), "{name}");
        let (tree, tour) = (tree(&graph), best[&*name]);
        // A tour without its longest edge is a tree, and each edge twice is a walk through all.
        assert!(tree <= tour * (n - 1) as f64 / n as f64, "{name}: {tree}, {tour}");
        assert!(2.0 * tree >= tour, "{name}: {tree}, {tour}");
    }
    println!("{} instances of TSPLIB", paths.len());
}

#[test]
fn graphs_of_steiner_tree_problems_have_the_edges_of_their_lines() {
    let paths = files("steiner", ".stp.xz");
    for path in &paths {
        let mut text = String::new();
        let content = open_text(&Input::Path(path.clone())).expect("the file can be opened");
        BufReader::new(content).read_to_string(&mut text).expect("the file can be read");
        let words = |letter: &str| {
            let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
            lines.filter(|words| words.first() == Some(&letter)).collect::<Vec<_>>()
        };
        let graph = graph(path);
        let lines = words("E");
        assert_eq!(words("Nodes")[0][1], graph.vertices().to_string(), "{}", path.display());
        assert_eq!(lines.len(), graph.edges(), "{}", path.display());
        let expected = lines.iter().map(|words| words[3].parse::<i64>().unwrap()).sum::<i64>();
        let total = with_graph!(&graph, graph => {
            let weight = |w: &_| ToString::to_string(w).parse::<i64>().unwrap();
            graph.edge_list().weights().iter().map(weight).sum::<i64>()
        });
        assert_eq!(total, expected, "{}", path.display());
    }
    println!("{} Steiner tree problems", paths.len());
}
