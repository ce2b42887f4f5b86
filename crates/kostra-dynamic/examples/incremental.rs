//! Times single insertions: `incremental [N M]`, by default the largest case of Library Checker's
//! problem "incremental minimum spanning forest", 500,000 vertices and 1,000,000 edges. Prints JSON:
//! for each kind of stream the seconds of single insertions and of all edges in turn, and the sum
//! of the answers. The answer to an edge is the id of the edge that is not in the forest because of
//! it, or -1.

mod streams;

use std::time::Instant;

use kostra_core::Order;
use kostra_dynamic::DynamicForest;

use crate::streams::{STREAMS, StreamEdge, stream};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default| arguments.next().map_or(default, |text| text.parse().expect("N M"));
    let (n, m) = (number(500_000), number(1_000_000));
    for (place, kind) in STREAMS.into_iter().enumerate() {
        let edges = stream(kind, n, m);
        let start = Instant::now();
        let mut forest = DynamicForest::new(n as usize, Order::Minimum).expect("there is memory");
        let mut answers = 0;
        for &(u, v, weight) in &edges {
            let id = forest.insert(&[u], &[v], &[weight]).expect("a valid edge").start;
            let out = match (forest.left(), forest.entered()) {
                ([left], _) => i64::from(*left),
                ([], []) => i64::from(id),
                _ => -1,
            };
            answers += out;
        }
        let seconds = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let column = |part: fn(&StreamEdge) -> u32| edges.iter().map(part).collect::<Vec<_>>();
        let (u, v, weights) = (column(|e| e.0), column(|e| e.1), column(|e| e.2));
        let mut forest = DynamicForest::new(n as usize, Order::Minimum).expect("there is memory");
        let found = forest.insert_in_turn(&u, &v, &weights).expect("valid edges");
        let in_turn = start.elapsed().as_secs_f64();
        assert_eq!(found.into_iter().map(|id| id.map_or(-1, i64::from)).sum::<i64>(), answers);
        let comma = if place == 0 { "{" } else { ", " };
        print!("{comma}\"{kind}\": {{\"seconds\": {seconds:.6}, \"in_turn_seconds\": {in_turn:.6}");
        println!(", \"answers\": {answers}}}");
    }
    println!("}}");
}
