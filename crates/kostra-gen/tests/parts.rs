//! Parts of a graph, made each on its own, are the graph.

use std::sync::{Barrier, Mutex};

use kostra_core::{AnyGraph, with_graph};
use kostra_gen::{Generated, generate, generate_part, generators};

/// All parts, made at the same time.
fn parts(spec: &str, count: usize) -> Vec<Generated> {
    let (barrier, board) = (&Barrier::new(count), &Mutex::new(vec![0; count]));
    let make = |part: usize| {
        let gather = |number: u64| {
            board.lock().expect("no part panics")[part] = number;
            barrier.wait();
            let all = board.lock().expect("no part panics").clone();
            barrier.wait();
            all
        };
        generate_part(spec, part, count, &gather).unwrap_or_else(|error| panic!("{spec}: {error}"))
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..count).map(|part| scope.spawn(move || make(part))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no part panics")).collect()
    })
}

fn edges(graph: &AnyGraph) -> Vec<(u32, u32, String)> {
    with_graph!(graph, graph => {
        let edges = graph.edge_list();
        let ends = edges.u().iter().zip(edges.v());
        ends.zip(edges.weights()).map(|((&u, &v), weight)| (u, v, weight.to_string())).collect()
    })
}

#[test]
fn the_parts_of_a_graph_are_the_graph() {
    let more =
        ["gnm:n=60,m=400", "gnm:n=40,m=500,weights=f64", "gnm:n=2,m=1", "gnm:n=0", "rmat:scale=0"];
    let more = more.into_iter().chain(["ssca2:n=300,inter=1", "watts-strogatz:n=40,reach=9"]);
    let more = more.chain(["path:n=3", "star:n=1", "multigraph:n=3,m=2000", "grid:side=0"]);
    for spec in generators().iter().map(|generator| generator.example).chain(more) {
        let whole = generate(spec).unwrap();
        let expected = edges(&whole.graph);
        for count in [1, 2, 3, 5, 16] {
            let mut all = Vec::new();
            for part in parts(spec, count) {
                assert_eq!(part.first, all.len() as u64, "{spec} in {count} parts");
                assert_eq!(part.graph.vertices(), whole.graph.vertices(), "{spec}");
                assert_eq!(part.graph.weight_type(), whole.graph.weight_type(), "{spec}");
                all.extend(edges(&part.graph));
            }
            assert!(all == expected, "{spec} in {count} parts");
        }
    }
}

#[test]
fn a_part_is_a_share_of_the_whole() {
    for spec in [
        "gnm:n=20k,m=80k",
        "rmat:scale=14,edgefactor=8",
        "grid:side=150",
        "road:n=20k",
        "dense:n=400",
        "ssca2:n=20k",
        "watts-strogatz:n=20k",
    ] {
        let whole = generate(spec).unwrap().graph.edges();
        for part in parts(spec, 8) {
            let edges = part.graph.edges();
            assert!((whole / 12..whole / 5).contains(&edges), "{spec}: {edges} of {whole}");
        }
    }
}

#[test]
fn every_part_refuses_what_the_whole_refuses() {
    let gather = |_| panic!("nothing to tell");
    for part in 0..3 {
        let error = generate_part("gnm:n=4,m=99", part, 3, &gather).unwrap_err();
        assert_eq!(error, generate("gnm:n=4,m=99").unwrap_err());
    }
}
