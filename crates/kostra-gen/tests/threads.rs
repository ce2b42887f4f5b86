//! The number of threads changes no graph, and a stream has the edges of the graph in memory.

use std::sync::atomic::{AtomicU64, Ordering};

use kostra_core::{AnyGraph, with_graph};
use kostra_gen::{Options, Recipe, generators};

/// Graphs of several blocks, and with edges that are drawn twice.
const LARGE: [&str; 17] = [
    "gnm:n=100k,m=300k",
    "gnm:n=1000,m=120k",
    "gnm:n=700,m=130k",
    "dense:n=800,weights=f64",
    "road:n=150k",
    "gnp:n=100k",
    "rmat:scale=14",
    "rmat:scale=15,edgefactor=8,a=0.45,b=0.15,c=0.15",
    "ssca2:n=30k",
    "watts-strogatz:n=30k,weights=f64",
    "geometric2d:n=30k",
    "geometric3d:n=30k",
    "power-law:n=50k",
    "mesh:rows=200,cols=300",
    "torus:rows=50,cols=60,layers=20,keep=0.4",
    "grid:rows=300,cols=400,keep=0.6",
    "islands:n=50k,tiny=9k",
];

/// Both ends and the weight of each edge, as bytes of the weight's text.
fn edges(graph: &AnyGraph) -> Vec<(u32, u32, String)> {
    with_graph!(graph, graph => {
        let edges = graph.edge_list();
        let ends = edges.u().iter().zip(edges.v());
        ends.zip(edges.weights()).map(|((&u, &v), weight)| (u, v, weight.to_string())).collect()
    })
}

fn specs() -> impl Iterator<Item = &'static str> {
    let empty = ["gnm:n=0", "gnm:n=1", "rmat:scale=0", "power-law:n=0", "geometric2d:n=0"];
    generators().iter().map(|generator| generator.example).chain(LARGE).chain(empty)
}

fn on_threads(spec: &str, threads: usize) -> AnyGraph {
    let options = Options { threads, ..Options::default() };
    let made = Recipe::new(spec).and_then(|recipe| recipe.generate(&options));
    made.unwrap_or_else(|error| panic!("{spec}: {error}")).graph
}

#[test]
fn one_two_and_eight_threads_make_the_same_graph() {
    for spec in specs() {
        let one = edges(&on_threads(spec, 1));
        for threads in [2, 8] {
            assert!(edges(&on_threads(spec, threads)) == one, "{spec} on {threads} threads");
        }
    }
}

#[test]
fn a_stream_has_the_edges_of_the_graph() {
    for spec in specs() {
        let recipe = Recipe::new(spec).unwrap();
        for threads in [1, 3] {
            let options = Options { threads, ..Options::default() };
            let mut streamed = Vec::new();
            let take = &mut |blocks: &[AnyGraph]| {
                streamed.extend(blocks.iter().flat_map(edges));
                Ok(())
            };
            recipe.stream(&options, take).unwrap();
            let graph = on_threads(spec, 2);
            assert!(streamed == edges(&graph), "{spec} on {threads} threads");
            assert_eq!(recipe.count_edges(&options).unwrap(), graph.edges() as u64, "{spec}");
            assert_eq!(recipe.header(), (graph.vertices(), graph.weight_type()), "{spec}");
        }
    }
}

#[test]
fn a_receiver_that_fails_ends_the_stream() {
    for spec in ["gnm:n=1000,m=3000", "rmat", "torus", "road:n=100"] {
        let mut calls = 0;
        let result = Recipe::new(spec).unwrap().stream(&Options::default(), &mut |_| {
            calls += 1;
            Err(std::io::Error::other("no more"))
        });
        assert_eq!(result.unwrap_err().to_string(), "no more", "{spec}");
        assert_eq!(calls, 1, "{spec}");
    }
}

#[test]
fn progress_ends_with_all_steps() {
    for spec in LARGE {
        let (last, most) = (AtomicU64::new(0), AtomicU64::new(0));
        let progress = |done, total| {
            assert!(done <= total, "{spec}: {done} of {total}");
            last.fetch_max(done, Ordering::Relaxed);
            most.fetch_max(total, Ordering::Relaxed);
        };
        let options = Options { threads: 2, progress: &progress };
        Recipe::new(spec).unwrap().generate(&options).unwrap();
        let (last, most) = (last.into_inner(), most.into_inner());
        // A division of the steps among buckets rounds down.
        assert!(most > 0 && last * 100 >= most * 99, "{spec}: {last} of {most}");
    }
}
