//! Edges that come one by one, as in the problem "incremental minimum spanning forest" of Library
//! Checker: which edge does not stay in the forest when each one comes?

#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../examples/streams/mod.rs"]
mod streams;

use kostra_core::{EdgeList, Order, Run};
use kostra_dynamic::DynamicForest;
use streams::{STREAMS, StreamEdge, stream};

/// Inserts an edge, and returns the edge that is not in the forest because of it.
fn insert(forest: &mut DynamicForest<u32>, (u, v, weight): StreamEdge) -> Option<u32> {
    let id = forest.insert(&[u], &[v], &[weight]).unwrap().start;
    match (forest.entered(), forest.left()) {
        ([entered], []) if *entered == id => None,
        ([entered], [left]) if *entered == id => Some(*left),
        ([], []) => Some(id),
        changes => panic!("edge {id}: {changes:?}"),
    }
}

/// Inserts edges at once, and returns the edges that are not in the forest because of each one.
fn in_turn(forest: &mut DynamicForest<u32>, edges: &[StreamEdge]) -> Vec<Option<u32>> {
    let column = |part: fn(&StreamEdge) -> u32| edges.iter().map(part).collect::<Vec<_>>();
    forest.insert_in_turn(&column(|e| e.0), &column(|e| e.1), &column(|e| e.2)).unwrap()
}

/// A forest that searches each path.
#[derive(Default)]
struct Searched(Vec<(u32, StreamEdge)>);

impl Searched {
    /// The last edge in the order of (weight, id) on the path, if there is one.
    fn worst(&self, s: u32, t: u32) -> Option<(u32, u32)> {
        let mut reached = vec![(s, (0, 0))];
        let mut next = 0;
        while let Some(&(vertex, worst)) = reached.get(next) {
            if vertex == t {
                return Some(worst);
            }
            next += 1;
            for &(id, (u, v, weight)) in &self.0 {
                let other = u ^ v ^ vertex;
                if (u == vertex || v == vertex) && reached.iter().all(|&(seen, _)| seen != other) {
                    reached.push((other, worst.max((weight, id))));
                }
            }
        }
        None
    }

    fn insert(&mut self, id: u32, edge: StreamEdge) -> Option<u32> {
        let (u, v, weight) = edge;
        let out = match self.worst(u, v) {
            _ if u == v => return Some(id),
            Some(worst) if worst < (weight, id) => return Some(id),
            worst => worst.map(|(_, out)| out),
        };
        self.0.retain(|&(other, _)| Some(other) != out);
        self.0.push((id, edge));
        out
    }
}

#[test]
fn each_edge_takes_out_the_worst_edge_of_its_cycle() {
    for kind in STREAMS {
        for (n, m) in [(2, 9), (40, 80), (60, 300)] {
            let mut forest = DynamicForest::new(n as usize, Order::Minimum).unwrap();
            let mut searched = Searched::default();
            let edges = stream(kind, n, m);
            let mut all = Vec::new();
            for (id, &edge) in (0..).zip(&edges) {
                let expected = searched.insert(id, edge);
                assert_eq!(insert(&mut forest, edge), expected, "{kind}, edge {id} of {n}, {m}");
                all.push(expected);
            }
            for size in [1, 7, edges.len()] {
                let mut forest = DynamicForest::new(n as usize, Order::Minimum).unwrap();
                let found = edges.chunks(size).flat_map(|some| in_turn(&mut forest, some));
                let found: Vec<_> = found.collect();
                assert_eq!(found, all, "{kind}, {size} of {n}, {m} edges at a time");
            }
        }
    }
}

/// A fiftieth of the problem's largest case: the edges that never left are the forest of a solve.
#[test]
fn the_edges_that_stay_are_the_forest_of_a_solve() {
    for kind in STREAMS {
        let (n, m) = (10_000, 20_000);
        let edges = stream(kind, n, m);
        let mut forest = DynamicForest::new(n as usize, Order::Minimum).unwrap();
        let mut stays = vec![true; m as usize];
        for &edge in &edges {
            if let Some(out) = insert(&mut forest, edge) {
                assert!(std::mem::replace(&mut stays[out as usize], false), "{kind}: {out} twice");
            }
        }
        let column = |part: fn(&StreamEdge) -> u32| edges.iter().map(part).collect::<Vec<_>>();
        let list = EdgeList::new(n as usize, column(|e| e.0), column(|e| e.1), column(|e| e.2));
        let list = list.unwrap();
        let solved = kostra_cpu::kruskal_of_edges(list.edges(Order::Minimum), &mut Run::new());
        let ids = solved.unwrap().try_into_ids().unwrap();
        let staying: Vec<u32> = (0..m).filter(|&id| stays[id as usize]).collect();
        assert!(staying == ids && forest.ids() == ids, "{kind}");
    }
}
