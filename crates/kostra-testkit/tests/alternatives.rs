//! Compares alternatives and constrained forests with all forests of small random graphs.

use std::cmp::Ordering;

use kostra::variants::{
    Alternatives, BestForests, BestForestsError, BigUint, ConstraintError, ForestConstraints,
    ReducedGraph, TreeCount,
};
use kostra_core::{AnyGraph, EdgeId, Order, Run, Vertex, Weight, with_graph};
use kostra_testkit::matrix::ORDERS;
use kostra_testkit::oracle;
use kostra_testkit::strategies::graphs;
use proptest::prelude::*;

/// Whether edge `a` precedes edge `b` in the order of edges.
fn precedes(graph: &AnyGraph, order: Order, a: EdgeId, b: EdgeId) -> bool {
    with_graph!(graph, graph => oracle::comes_before(graph.edge_list(), order, a, b))
}

/// Whether two edges have equal weights.
fn ties(graph: &AnyGraph, a: EdgeId, b: EdgeId) -> bool {
    with_graph!(graph, graph => {
        let weights = graph.edge_list().weights();
        weights[a as usize] == weights[b as usize]
    })
}

/// Edges in their order.
fn in_order(graph: &AnyGraph, order: Order, ids: &[EdgeId]) -> Vec<EdgeId> {
    let mut ids = ids.to_vec();
    ids.sort_by(|&a, &b| match () {
        () if a == b => Ordering::Equal,
        () if precedes(graph, order, a, b) => Ordering::Less,
        () => Ordering::Greater,
    });
    ids
}

/// The sums of the positive and of the negative weights, in units of 2^-1074.
fn exact_sums(graph: &AnyGraph, ids: &[EdgeId]) -> [BigUint; 2] {
    let mut sums = [BigUint::ZERO, BigUint::ZERO];
    for &id in ids {
        // The text of an integer is exact, and so is the conversion of a float to f64.
        let (text, float) = with_graph!(graph, graph => {
            let weight = graph.edge_list().weights()[id as usize];
            (weight.to_string(), weight.to_f64())
        });
        let (is_negative, amount) = match graph {
            AnyGraph::F32(_) | AnyGraph::F64(_) => (float < 0.0, in_least_units(float.abs())),
            _ => {
                let digits = text.trim_start_matches('-');
                (text.starts_with('-'), digits.parse::<BigUint>().expect("digits") << 1074)
            }
        };
        sums[usize::from(is_negative)] += amount;
    }
    sums
}

/// A positive float in units of 2^-1074, by halving it until it is a small integer.
fn in_least_units(mut float: f64) -> BigUint {
    let mut twos = 1074;
    while float >= 9e15 {
        float /= 2.0;
        twos += 1;
    }
    while float.fract() != 0.0 {
        float *= 2.0;
        twos -= 1;
    }
    BigUint::from(float as u64) << twos
}

/// The order of two sets of edges by their exact totals.
fn by_total(graph: &AnyGraph, order: Order, a: &[EdgeId], b: &[EdgeId]) -> Ordering {
    let ([a, minus_a], [b, minus_b]) = (exact_sums(graph, a), exact_sums(graph, b));
    let ascending = (a + minus_b).cmp(&(b + minus_a));
    if order == Order::Maximum { ascending.reverse() } else { ascending }
}

/// The order by the highest edge that only one of two ascending sets has.
fn by_highest(a: &[EdgeId], b: &[EdgeId]) -> Ordering {
    a.iter().rev().cmp(b.iter().rev())
}

fn first_infinite(graph: &AnyGraph) -> Option<EdgeId> {
    (0..graph.edges() as EdgeId).find(|&id| {
        with_graph!(graph, graph => graph.edge_list().weights()[id as usize].to_f64().is_infinite())
    })
}

fn find(graph: &AnyGraph, order: Order, forest: &[EdgeId], threads: usize) -> Alternatives {
    Alternatives::find(graph, order, forest, &mut Run::new().on_threads(threads)).expect("memory")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn ties_and_numbers_are_those_of_all_best_forests(graph in graphs(7, 12)) {
        for order in ORDERS {
            let forest = oracle::canonical_forest(&graph, order);
            let canonical = in_order(&graph, order, &forest);
            let best: Vec<_> = oracle::spanning_subsets(&graph)
                .into_iter()
                .filter(|subset| {
                    let subset = in_order(&graph, order, subset);
                    subset.iter().zip(&canonical).all(|(&a, &b)| ties(&graph, a, b))
                })
                .collect();
            let found = find(&graph, order, &forest, 2);
            prop_assert_eq!(found.is_unique(), best.len() == 1);
            prop_assert_eq!(found.count(&graph, order, 10_000).unwrap(), best.len().into());
            let mut network = Vec::new();
            for edge in 0..graph.edges() as EdgeId {
                let holders = best.iter().filter(|ids| ids.contains(&edge)).count();
                prop_assert_eq!(found.in_some(edge), holders > 0);
                prop_assert_eq!(found.in_every(edge), holders == best.len());
                prop_assert_eq!(found.in_forest(edge), forest.contains(&edge));
                network.extend((holders > 0).then_some(edge));
            }
            prop_assert_eq!(found.network(), network);
        }
    }

    #[test]
    fn rivals_are_the_best_of_all_exchanges(graph in graphs(12, 30)) {
        for order in ORDERS {
            let forest = oracle::canonical_forest(&graph, order);
            let found = find(&graph, order, &forest, 1);
            for edge in 0..graph.edges() as EdgeId {
                let is_inside = forest.contains(&edge);
                let exchange = |&other: &EdgeId| {
                    let (leaves, enters) = if is_inside { (edge, other) } else { (other, edge) };
                    let mut ids = forest.clone();
                    ids.retain(|&id| id != leaves);
                    ids.push(enters);
                    forest.contains(&other) != is_inside
                        && oracle::is_spanning_forest(&graph, &ids)
                };
                let others: Vec<_> = (0..graph.edges() as EdgeId).filter(exchange).collect();
                let others = in_order(&graph, order, &others);
                let rival = if is_inside { others.first() } else { others.last() };
                prop_assert_eq!(found.rival(edge), rival.copied(), "edge {}", edge);
            }
        }
    }

    #[test]
    fn best_forests_are_all_forests_in_order(graph in graphs(7, 12), most in 0_usize..40) {
        for order in ORDERS {
            let forest = oracle::canonical_forest(&graph, order);
            let found = find(&graph, order, &forest, 1);
            let infinite = first_infinite(&graph);
            for most in [most, usize::MAX] {
                let best = BestForests::new(&graph, order, &found, most);
                if let Some(edge) = infinite {
                    prop_assert_eq!(best.err(), Some(BestForestsError::InfiniteWeight { edge }));
                    continue;
                }
                let best: Vec<_> = best.unwrap().map(|one| one.unwrap().ids(&forest)).collect();
                let mut all = oracle::spanning_subsets(&graph);
                all.sort_by(|a, b| by_total(&graph, order, a, b).then_with(|| by_highest(a, b)));
                all.truncate(most);
                prop_assert_eq!(best, all);
            }
        }
    }
}

/// A graph, and numbers for constraints.
fn constrained() -> impl Strategy<Value = (AnyGraph, ForestConstraints)> {
    (graphs(7, 11), any::<[u16; 3]>(), 0_u32..9, 0_usize..3).prop_map(
        |(graph, [include, exclude, link], number, kind)| {
            // Few edges and vertices, so that most constraints can be met.
            let chosen = |bits: u16, all: usize| -> Vec<u32> {
                (0..all as u32)
                    .filter(|&id| bits >> id & 1 == 1 && bits >> (id + 3) & 1 == 1)
                    .collect()
            };
            let include = chosen(include, graph.edges());
            let mut exclude = chosen(exclude, graph.edges());
            exclude.retain(|id| !include.contains(id));
            let links: Vec<Vertex> = chosen(link, graph.vertices() as usize);
            let trees =
                [TreeCount::Fewest, TreeCount::Exactly(number), TreeCount::AtMost(number)][kind];
            (graph, ForestConstraints { include, exclude, links: vec![links], trees })
        },
    )
}

/// The number of trees of these edges with linked vertices; none if they close a cycle.
fn trees_of(graph: &AnyGraph, constraints: &ForestConstraints, ids: &[EdgeId]) -> Option<u32> {
    let mut labels: Vec<Vertex> = (0..graph.vertices()).collect();
    let mut join = |u: Vertex, v: Vertex| {
        let (from, to) = (labels[u as usize], labels[v as usize]);
        labels.iter_mut().filter(|label| **label == from).for_each(|label| *label = to);
        from != to
    };
    for group in &constraints.links {
        group.iter().for_each(|&vertex| {
            join(vertex, group[0]);
        });
    }
    let acyclic = ids.iter().all(|&id| join(graph.u()[id as usize], graph.v()[id as usize]));
    labels.sort_unstable();
    labels.dedup();
    acyclic.then_some(labels.len() as u32)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn constrained_forests_are_the_best_of_all((graph, constraints) in constrained()) {
        for order in ORDERS {
            let ForestConstraints { include, exclude, trees, .. } = &constraints;
            let allowed = |ids: &Vec<EdgeId>| {
                include.iter().all(|id| ids.contains(id))
                    && !exclude.iter().any(|id| ids.contains(id))
            };
            let subsets = (0..1_u32 << graph.edges()).map(|set| {
                (0..graph.edges() as EdgeId).filter(|id| set >> id & 1 == 1).collect::<Vec<_>>()
            });
            let forests: Vec<(Vec<EdgeId>, u32)> = subsets
                .filter(allowed)
                .filter_map(|ids| Some((trees_of(&graph, &constraints, &ids)?, ids)))
                .map(|(trees, ids)| (ids, trees))
                .collect();
            let reduced = ReducedGraph::new(&graph, &constraints);
            let Some(fewest) = forests.iter().map(|&(_, trees)| trees).min() else {
                let is_cycle = matches!(reduced.err(), Some(ConstraintError::Cycle { .. }));
                prop_assert!(is_cycle);
                continue;
            };
            let most = forests.iter().map(|&(_, trees)| trees).max().unwrap();
            let reduced = reduced.unwrap();
            let found = reduced.solve(order, &mut Run::new());
            let is_wanted = |&&(_, number): &&(Vec<EdgeId>, u32)| match *trees {
                TreeCount::Fewest => number == fewest,
                TreeCount::Exactly(trees) => number == trees,
                TreeCount::AtMost(trees) => number <= trees,
            };
            let wanted: Vec<_> = forests.iter().filter(is_wanted).collect();
            let Some(first) = wanted.first() else {
                let (TreeCount::Exactly(trees) | TreeCount::AtMost(trees)) = *trees else {
                    panic!("there is a forest of the fewest trees");
                };
                let refused = ConstraintError::Trees { trees, fewest, most };
                prop_assert_eq!(found.err(), Some(refused));
                continue;
            };
            let found = found.unwrap();
            let trees_found = trees_of(&graph, &constraints, found.ids());
            prop_assert_eq!(Some(reduced.trees(&found)), trees_found);
            if let TreeCount::AtMost(_) = trees {
                if first_infinite(&graph).is_none() {
                    let best = wanted.iter().min_by(|(a, _), (b, _)| {
                        by_total(&graph, order, a, b).then(a.len().cmp(&b.len()))
                    });
                    let best = &best.unwrap_or(first).0;
                    prop_assert!(by_total(&graph, order, best, found.ids()).is_eq());
                    prop_assert_eq!(best.len(), found.ids().len());
                }
                prop_assert!(wanted.iter().any(|(ids, _)| ids == found.ids()));
                continue;
            }
            let best = wanted.iter().map(|(ids, _)| in_order(&graph, order, ids)).reduce(|a, b| {
                let differ = a.iter().zip(&b).find(|(a, b)| a != b);
                let is_later = differ.is_some_and(|(&a, &b)| precedes(&graph, order, b, a));
                if is_later { b } else { a }
            });
            prop_assert_eq!(Some(in_order(&graph, order, found.ids())), best);
        }
    }
}

#[test]
fn edges_that_close_a_cycle_are_named() {
    // A square 0-1-2-3 with its diagonal, and a tail.
    let (u, v) = (vec![0, 1, 2, 3, 0, 3], vec![1, 2, 3, 0, 2, 4]);
    let graph = AnyGraph::from_edges(5, u, v, vec![1; 6]).unwrap();
    let refused = |include: &[EdgeId], links: &[&[Vertex]]| {
        let links = links.iter().map(|group| group.to_vec()).collect();
        let constraints =
            ForestConstraints { include: include.to_vec(), links, ..Default::default() };
        ReducedGraph::new(&graph, &constraints).unwrap_err().to_string()
    };
    assert_eq!(
        refused(&[5, 0, 4, 1, 2], &[]),
        "the included edges 0, 1 and 4 close a cycle; leave out one of them"
    );
    assert_eq!(
        refused(&[5, 2], &[&[2, 4, 1]]),
        "the included edges 2 and 5 close a cycle with linked vertices; leave out one of them"
    );
    assert_eq!(
        refused(&[3], &[&[0, 3]]),
        "the included edge 3 closes a cycle with linked vertices; leave out one of them"
    );
}
