//! Peers that are Rust crates. They run in this process and are built with the same compiler and
//! flags.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Instant;

use anyhow::{Result, bail};
use petgraph::data::Element;
use petgraph::graph::UnGraph;

use super::Arrays;
use crate::contestant::{AnswerProperties, Contestant, Identity, TimedAnswer};

/// A crate's solver with its graph. `solve` returns the number of edges and the total weight.
struct Native<S> {
    identity: Identity,
    solve: S,
}

/// The crate `name` with the graph in its own format.
pub(super) fn enter(name: &str, graph: &Arrays<'_>) -> Result<Box<dyn Contestant>> {
    let start = Instant::now();
    match name {
        "pathfinding" => {
            let vertices = graph.vertices as usize;
            let list: Vec<(usize, usize, u32)> =
                triples(graph).map(|(u, v, weight)| (u as usize, v as usize, weight)).collect();
            Ok(Native::boxed(name, env!("KOSTRA_PEER_PATHFINDING"), start, move || {
                let forest = pathfinding::undirected::kruskal::kruskal_indices(vertices, &list);
                forest.fold((0, 0), |(edges, total), (_, _, weight)| {
                    (edges + 1, total + u64::from(weight))
                })
            }))
        }
        "petgraph" => {
            let mut list = UnGraph::<(), u32>::from_edges(triples(graph));
            // Add the isolated vertices after the last vertex that has an edge.
            while list.node_count() < graph.vertices as usize {
                list.add_node(());
            }
            Ok(Native::boxed(name, env!("KOSTRA_PEER_PETGRAPH"), start, move || {
                petgraph::algo::min_spanning_tree(&list).fold((0, 0), |(edges, total), element| {
                    match element {
                        Element::Edge { weight, .. } => (edges + 1, total + u64::from(weight)),
                        Element::Node { .. } => (edges, total),
                    }
                })
            }))
        }
        _ => bail!("this program contains no crate of this name"),
    }
}

fn triples(graph: &Arrays<'_>) -> impl Iterator<Item = (u32, u32, u32)> {
    graph.u.iter().zip(graph.v).zip(graph.weights.iter()).map(|((&u, &v), &weight)| (u, v, weight))
}

impl<S: FnMut() -> (usize, u64) + 'static> Native<S> {
    fn boxed(name: &str, version: &str, start: Instant, solve: S) -> Box<dyn Contestant> {
        let build_seconds = start.elapsed().as_secs_f64();
        let identity = Identity {
            name: name.to_owned(),
            settings: BTreeMap::new(),
            peer: true,
            version: version.to_owned(),
            build_seconds,
        };
        Box::new(Self { identity, solve })
    }
}

impl<S: FnMut() -> (usize, u64)> Contestant for Native<S> {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn solve(&mut self) -> Result<TimedAnswer> {
        let start = Instant::now();
        let (edges, total) = black_box((self.solve)());
        let seconds = start.elapsed().as_secs_f64();
        Ok(TimedAnswer {
            seconds,
            answer: AnswerProperties { edges, total: total.to_string(), ids: None },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_crates_find_the_forest() {
        let (u, v) = ([0, 1, 2, 0], [1, 2, 0, 0]);
        let graph = Arrays { vertices: 5, u: &u, v: &v, weights: vec![5, 6, 7, 1].into() };
        for name in ["pathfinding", "petgraph"] {
            let answer = enter(name, &graph).unwrap().solve().unwrap().answer;
            assert_eq!(
                answer,
                AnswerProperties { edges: 2, total: "11".to_owned(), ids: None },
                "{name}"
            );
        }
    }
}
