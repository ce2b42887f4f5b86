//! Times single insertions: `incremental [N M]`, by default the largest case of Library Checker's
//! problem "incremental minimum spanning forest", 500,000 vertices and 1,000,000 edges. Prints JSON:
//! for each kind of stream the seconds, and the sum of the answers. The answer to an edge is the id
//! of the edge that is not in the forest because of it, or -1.

mod streams;

use std::time::Instant;

use kostra_core::Order;
use kostra_dynamic::DynamicForest;

use crate::streams::{STREAMS, stream};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default| arguments.next().map_or(default, |text| text.parse().expect("N M"));
    let (n, m) = (number(500_000), number(1_000_000));
    for (place, kind) in STREAMS.into_iter().enumerate() {
        let edges = stream(kind, n, m);
        let start = Instant::now();
        let mut forest = DynamicForest::new(n as usize, Order::Minimum).expect("there is memory");
        let mut answers = 0;
        for (u, v, weight) in edges {
            let id = forest.insert(&[u], &[v], &[weight]).expect("a valid edge").start;
            let out = match (forest.left(), forest.entered()) {
                ([left], _) => i64::from(*left),
                ([], []) => i64::from(id),
                _ => -1,
            };
            answers += out;
        }
        let seconds = start.elapsed().as_secs_f64();
        let comma = if place == 0 { "{" } else { ", " };
        println!("{comma}\"{kind}\": {{\"seconds\": {seconds:.6}, \"answers\": {answers}}}");
    }
    println!("}}");
}
