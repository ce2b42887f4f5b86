//! Times of updates: `updates SPEC [BATCH]`, where SPEC is a generated graph such as
//! `road:n=1000000` and BATCH the number of edges per batch. Compares with solving again.

use std::time::Instant;

use kostra_core::random::RandomStream;
use kostra_core::{Order, with_graph};
use kostra_dynamic::DynamicForest;

/// The number of batches of each kind.
const BATCHES: usize = 200;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let spec = arguments.next().unwrap_or_else(|| "road:n=1000000".to_owned());
    let batch = arguments.next().map_or(1, |batch| batch.parse().expect("a number of edges"));
    let graph = kostra_gen::generate(&spec).expect("a generator and its parameters").graph;
    with_graph!(&graph, graph => {
        let list = graph.edge_list();
        let start = Instant::now();
        let mut forest = DynamicForest::new(list.vertices() as usize, Order::Minimum)
            .expect("the graph has fewer vertices");
        let all = forest.insert(list.u(), list.v(), list.weights()).expect("a valid graph");
        println!("solve: {:.1} ms", start.elapsed().as_secs_f64() * 1e3);

        // Deletions of random edges of the forest, each batch inserted again afterwards.
        let (mut ids, stream) = (forest.ids(), RandomStream::new(1));
        stream.shuffle(&mut ids);
        let (mut deleting, mut inserting, mut deleted) = (0.0, 0.0, 0);
        let first = ids.pop().expect("the forest has an edge");
        let start = Instant::now();
        forest.delete(&[first]).expect("the edge is present");
        println!("first deletion: {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
        for ids in ids.chunks(batch).take(BATCHES) {
            let edges: Vec<_> =
                ids.iter().map(|&id| forest.edge(id).expect("it is present")).collect();
            let start = Instant::now();
            forest.delete(ids).expect("the edges are present");
            deleting += start.elapsed().as_secs_f64();
            let u: Vec<_> = edges.iter().map(|edge| edge.0).collect();
            let v: Vec<_> = edges.iter().map(|edge| edge.1).collect();
            let weights: Vec<_> = edges.iter().map(|edge| edge.2).collect();
            let start = Instant::now();
            forest.insert(&u, &v, &weights).expect("the edges are valid");
            inserting += start.elapsed().as_secs_f64();
            deleted += ids.len();
        }
        let each = |seconds: f64| seconds * 1e6 / deleted.max(1) as f64;
        println!("delete: {:.2} us an edge; insert: {:.2} us an edge", each(deleting), each(inserting));

        // From no edges, in batches.
        let mut forest = DynamicForest::new(list.vertices() as usize, Order::Minimum)
            .expect("the graph has fewer vertices");
        let start = Instant::now();
        let mut inserted = 0;
        for first in all.step_by(batch).take(BATCHES * 1000) {
            let range = first as usize..(first as usize + batch).min(list.len());
            let (u, v) = (&list.u()[range.clone()], &list.v()[range.clone()]);
            forest.insert(u, v, &list.weights()[range.clone()]).expect("a valid graph");
            inserted += range.len();
        }
        let each = start.elapsed().as_secs_f64() * 1e6 / inserted.max(1) as f64;
        println!("insert {inserted} edges in order: {each:.2} us an edge");
    });
}
