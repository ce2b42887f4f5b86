//! Tests of the whole solver.

use kostra_core::{AnyGraph, EdgeList, Graph, Order, UnionFind, Weight, Workspace, with_graph};

use super::*;
use crate::testing::{CongruentialGenerator, canonical_ids, forest_ids};

#[test]
fn small_multigraphs_on_many_threads_in_one_workspace_give_the_canonical_forest() {
    let (mut random, mut workspace) = (CongruentialGenerator(5), Workspace::new());
    for round in 0..if cfg!(miri) { 5 } else { 3000 } {
        let graph = random.any_graph();
        let order = if round % 2 == 0 { Order::Minimum } else { Order::Maximum };
        let expected = canonical_ids(&graph, order);
        for threads in [1, 2, 5] {
            let run = Run::new().on_threads(threads).in_workspace(&mut workspace);
            let run = run.with_option(&Fast::INFO, "grain", 1).unwrap();
            assert_eq!(
                forest_ids(&Fast, &graph, order, run),
                expected,
                "{threads} threads, graph {round}: {graph:?}"
            );
        }
    }
}

/// The forest includes some of its edges, and is within it and some other edges.
fn check_bounds(
    graph: &AnyGraph,
    order: Order,
    threads: usize,
    random: &mut CongruentialGenerator,
) {
    let expected = canonical_ids(graph, order);
    with_graph!(graph, graph => {
        let edges = graph.edge_list().edges(order);
        let share = 1 + random.below(4);
        let (mut part, mut more) = (EdgeSet::new(edges.len()), EdgeSet::new(edges.len()));
        for id in edges.ids() {
            let (is_in, is_drawn) = (expected.binary_search(&id).is_ok(), random.below(share) > 0);
            if is_in && is_drawn {
                part.insert(id);
            }
            if is_in || is_drawn {
                more.insert(id);
            }
        }
        for (name, bound) in
            [("part", ForestBound::Includes(&part)), ("more", ForestBound::Within(&more))]
        {
            let mut run =
                Run::new().on_threads(threads).with_option(&Fast::INFO, "grain", 1).unwrap();
            let found = fast_within_bound(edges, bound, &mut run).unwrap();
            assert!(found.into_ids() == expected, "{name} on {threads} threads: {share}");
        }
    });
}

#[test]
fn a_part_of_the_answer_does_not_change_it() {
    let mut random = CongruentialGenerator(13);
    for round in 0..if cfg!(miri) { 5 } else { 2000 } {
        let graph = random.any_graph();
        let order = if round % 2 == 0 { Order::Minimum } else { Order::Maximum };
        for threads in [1, 2, 5] {
            check_bounds(&graph, order, threads, &mut random);
        }
    }
}

/// Sparse and dense graphs, with few and many equal weights. On eight threads, the edges that are
/// known are too many for sorting.
#[test]
#[cfg_attr(miri, ignore = "many edges")]
fn a_part_of_the_answer_of_a_large_graph_does_not_change_it() {
    let mut random = CongruentialGenerator(14);
    for (n, m, weights) in [(150_000, 200_000, 3), (150_000, 600_000, u32::MAX), (900, 60_000, 50)]
    {
        let mut list = |bound| (0..m).map(|_| random.below(bound)).collect::<Vec<u32>>();
        let (u, v, w) = (list(n), list(n), list(weights));
        let graph = AnyGraph::from_edges(n as usize, u, v, w).unwrap();
        for threads in [1, 2, 8] {
            check_bounds(&graph, Order::Minimum, threads, &mut random);
        }
    }
}

/// Roads that are listed from both ends. Some of them lead anywhere, so that segments share
/// components in all possible ways.
#[test]
fn edges_near_and_far_on_many_threads_give_the_canonical_forest() {
    let mut random = CongruentialGenerator(8);
    let n = if cfg!(miri) { 60 } else { 4000 };
    for (far, weights) in [(0, 1000), (50, 1000), (50, 2), (5, 1000), (5, 1), (1, 1000)] {
        let (mut u, mut v, mut w) = (Vec::new(), Vec::new(), Vec::<i64>::new());
        for a in 0..n {
            for b in [a + 1, a + 2 + random.below(30)] {
                let leads_far = far > 0 && random.below(far) == 0;
                let b = if leads_far { random.below(n) } else { b.min(n - 1) };
                let weight = i64::from(random.below(weights)) << 33 | i64::from(random.below(3));
                if random.below(3) > 0 {
                    u.extend([a, b]);
                    v.extend([b, a]);
                    w.extend([weight, weight]);
                }
            }
        }
        let mut by_end: Vec<_> = (0..u.len()).collect();
        by_end.sort_by_key(|&id| u[id]);
        let sorted = |ends: &[u32]| by_end.iter().map(|&id| ends[id]).collect::<Vec<_>>();
        let (u, v) = (sorted(&u), sorted(&v));
        let wide: Vec<i64> = by_end.iter().map(|&id| w[id]).collect();
        let narrow: Vec<i32> = wide.iter().map(|weight| (weight >> 33) as i32).collect();
        for graph in [
            AnyGraph::from_edges(n as usize, u.clone(), v.clone(), wide).unwrap(),
            AnyGraph::from_edges(n as usize, u, v, narrow).unwrap(),
        ] {
            let expected = canonical_ids(&graph, Order::Minimum);
            for threads in [1, 2, 3, 8] {
                let run =
                    Run::new().on_threads(threads).with_option(&Fast::INFO, "grain", 1).unwrap();
                let found = forest_ids(&Fast, &graph, Order::Minimum, run);
                assert!(
                    found == expected,
                    "{threads} threads, one in {far} far, weights below {weights}"
                );
            }
        }
    }
}

/// Both batches have too many edges and threads for sorting, and the second one has edges to the
/// giant component. The weights are few, many, or so wide that different ones have equal prefixes.
#[test]
#[cfg_attr(miri, ignore = "millions of edges")]
fn batches_in_rounds_on_many_threads_give_the_canonical_forest() {
    let (n, m) = (600_000, 2_000_000);
    let mut random = CongruentialGenerator(9);
    let mut ends = || -> Vec<u32> { (0..m).map(|_| random.below(n)).collect() };
    let (u, v, high, low) = (ends(), ends(), ends(), ends());
    let few = high.iter().map(|high| high % 5).collect::<Vec<_>>();
    let wide =
        high.iter().zip(&low).map(|(high, low)| i64::from(high % 50) << 50 | i64::from(*low));
    for graph in [
        AnyGraph::from_edges(n as usize, u.clone(), v.clone(), few),
        AnyGraph::from_edges(n as usize, u.clone(), v.clone(), wide.collect::<Vec<_>>()),
        AnyGraph::from_edges(n as usize, u, v, high),
    ] {
        let graph = graph.unwrap();
        let expected = canonical_ids(&graph, Order::Minimum);
        for threads in [5, 8] {
            let found = forest_ids(&Fast, &graph, Order::Minimum, Run::new().on_threads(threads));
            assert!(found == expected, "{threads} threads");
        }
    }
}

/// Light edges between only two vertices leave too many edges for one batch.
#[test]
#[cfg_attr(miri, ignore = "millions of edges")]
fn light_edges_that_join_nothing_lead_to_more_batches() {
    let (n, m) = (1000_u32, 300_000_u32);
    let mut random = CongruentialGenerator(6);
    let light = |id: u32| id.is_multiple_of(8);
    let u: Vec<u32> = (0..m).map(|id| if light(id) { 0 } else { random.below(n) }).collect();
    let v: Vec<u32> = (0..m).map(|id| if light(id) { 1 } else { random.below(n) }).collect();
    let w: Vec<u64> =
        (0..m).map(|id| if light(id) { 1 } else { 2 + u64::from(random.below(9)) }).collect();
    let graph = AnyGraph::from_edges(n as usize, u, v, w).unwrap();
    let expected = canonical_ids(&graph, Order::Minimum);
    for threads in [1, 3] {
        assert_eq!(
            forest_ids(&Fast, &graph, Order::Minimum, Run::new().on_threads(threads)),
            expected
        );
    }
}

/// The forest of the interior, and the edges that are left: their ends and ids.
struct Interior {
    forest: Vec<EdgeId>,
    left: Vec<[u32; 3]>,
}

/// By Kruskal's algorithm: an edge is in the forest if one of the trees that it joins has no
/// boundary vertex. Returns the forest, and the other edges between trees with their boundary
/// vertices.
fn expected_interior<W: Weight>(list: &EdgeList<W>, boundary: &BitSet, order: Order) -> Interior {
    let edges = list.edges(order);
    let n = list.vertices();
    let mut ids: Vec<EdgeId> = (0..list.len() as EdgeId).collect();
    ids.sort_by_key(|&id| (edges.key(id), id));
    let mut trees: Vec<u32> = (0..n).collect();
    let mut forest = Vec::new();
    let boundary_of = |trees: &[u32], tree: u32| {
        (0..n).find(|&v| trees[v as usize] == tree && boundary.contains(v))
    };
    for id in ids {
        let (u, v) = edges.ends(id);
        let (u, v) = (trees[u as usize], trees[v as usize]);
        if u != v && (boundary_of(&trees, u).is_none() || boundary_of(&trees, v).is_none()) {
            forest.push(id);
            trees.iter_mut().filter(|tree| **tree == u).for_each(|tree| *tree = v);
        }
    }
    forest.sort_unstable();
    let left = (0..list.len() as EdgeId).filter_map(|id| {
        let (u, v) = edges.ends(id);
        let (u, v) = (trees[u as usize], trees[v as usize]);
        (u != v).then(|| [boundary_of(&trees, u).unwrap(), boundary_of(&trees, v).unwrap(), id])
    });
    Interior { forest, left: left.collect() }
}

fn check_interior<W: Weight>(
    graph: &Graph<W>,
    boundary: &BitSet,
    order: Order,
    threads: usize,
    Interior { forest, left }: &Interior,
) {
    let edges = graph.edge_list().edges(order);
    let mut run = Run::new().on_threads(threads).with_option(&Fast::INFO, "grain", 1).unwrap();
    let found = contract_interior(edges, boundary, &mut run).unwrap();
    assert_eq!(&found.forest.into_ids(), forest, "{threads} threads: {graph:?}");
    let UndecidedEdges { ids, ends: [u, v] } = found.undecided;
    assert!(ids.is_sorted());
    // Of the edges between two trees, all but the lightest may be missing.
    let pair = |[u, v, _]: &[u32; 3]| (*u.min(v), *u.max(v));
    let rank = |edge: &[u32; 3]| edges.rank(edge[2]);
    let found: Vec<_> = u.into_iter().zip(v).zip(ids).map(|((u, v), id)| [u, v, id]).collect();
    for edge in &found {
        assert!(left.iter().any(|other| other[2] == edge[2] && pair(other) == pair(edge)));
    }
    for edge in left {
        let is_lightest =
            left.iter().all(|other| pair(other) != pair(edge) || rank(edge) <= rank(other));
        let is_found = found.iter().any(|other| other[2] == edge[2]);
        assert!(!is_lightest || is_found, "{edge:?} of {graph:?}");
    }
}

#[test]
fn interiors_of_small_multigraphs_are_contracted_as_far_as_kruskal_would() {
    let mut random = CongruentialGenerator(11);
    for round in 0..if cfg!(miri) { 10 } else { 2000 } {
        let graph: AnyGraph = random.any_graph();
        let share = 1 + random.below(6);
        with_graph!(&graph, graph => {
            let list = graph.edge_list();
            if list.len() > 3 * list.vertices() as usize {
                continue;
            }
            let mut boundary = BitSet::new(list.vertices() as usize);
            (0..list.vertices()).filter(|_| random.below(share) == 0).for_each(|vertex| {
                boundary.insert(vertex);
            });
            let order = if round % 2 == 0 { Order::Minimum } else { Order::Maximum };
            let expected = expected_interior(list, &boundary, order);
            for threads in [1, 2, 5] {
                check_interior(graph, &boundary, order, threads, &expected);
            }
        });
    }
}

/// Without other edges, the forest found and the forest of the undecided edges are the whole
/// forest.
#[test]
fn the_undecided_edges_of_a_grid_complete_its_forest() {
    let mut random = CongruentialGenerator(12);
    let side = if cfg!(miri) { 12 } else { 300 };
    let at = |row: u32, column: u32| row * side + column;
    let (mut u, mut v) = (Vec::new(), Vec::new());
    for (row, column) in (0..side * side).map(|index| (index / side, index % side)) {
        u.extend([at(row, column); 2]);
        v.extend([at(row, (column + 1).min(side - 1)), at((row + 1).min(side - 1), column)]);
    }
    for weights in [1_000_000, 3] {
        let w: Vec<u32> = u.iter().map(|_| random.below(weights)).collect();
        let list = EdgeList::new((side * side) as usize, u.clone(), v.clone(), w).unwrap();
        let edges = list.edges(Order::Minimum);
        let expected = crate::forest_of_edges(edges, &mut Run::new()).unwrap();
        for (threads, rows) in [(1, 1), (1, 7), (3, 50), (8, 7), (8, side)] {
            let mut boundary = BitSet::new(list.vertices() as usize);
            for row in (0..side).step_by(rows as usize) {
                (0..side).for_each(|column| {
                    boundary.insert(at(row, column));
                });
            }
            let mut run =
                Run::new().on_threads(threads).with_option(&Fast::INFO, "grain", 1).unwrap();
            let InteriorContraction { mut forest, undecided: UndecidedEdges { ids, ends } } =
                contract_interior(edges, &boundary, &mut run).unwrap();
            let mut trees = UnionFind::new(list.vertices());
            for id in forest.clone().into_ids() {
                let (u, v) = edges.ends(id);
                assert!(trees.union(u, v));
            }
            let mut places: Vec<_> = (0..ids.len()).collect();
            places.sort_by_key(|&place| (edges.key(ids[place]), ids[place]));
            for place in places {
                let (u, v) = edges.ends(ids[place]);
                let boundary_ends = ends.each_ref().map(|ends| ends[place]);
                assert!(boundary_ends.into_iter().all(|vertex| boundary.contains(vertex)));
                if trees.find(boundary_ends[0]) != trees.find(boundary_ends[1]) {
                    assert!(trees.union(u, v));
                    forest.insert(ids[place]);
                }
            }
            assert!(forest == expected, "{threads} threads, every {rows}th row is boundary");
        }
    }
}

/// The first segment has edges between the last vertices only, and no edge after two rounds. The
/// other segments need more rounds.
#[test]
fn a_segment_that_has_no_edges_left_is_not_read_in_later_rounds() {
    let mut random = CongruentialGenerator(3);
    let (others, groups, segments) = (12_000, 2000, 8);
    let (mut u, mut v, mut w) = (Vec::new(), Vec::new(), Vec::new());
    for group in 0..groups {
        let first = others + 4 * group;
        for (step, weight) in [1, 9, 1].into_iter().enumerate() {
            u.push(first + step as u32);
            v.push(first + step as u32 + 1);
            w.push(weight);
        }
    }
    for _ in 0..(segments - 1) * 3 * groups {
        u.push(random.below(others));
        v.push(random.below(others));
        w.push(random.below(1 << 20) as i32);
    }
    let graph = AnyGraph::from_edges((others + 4 * groups) as usize, u, v, w).unwrap();
    let expected = canonical_ids(&graph, Order::Minimum);
    let run = Run::new().on_threads(segments as usize);
    let run = run.with_option(&Fast::INFO, "grain", 1).unwrap();
    assert_eq!(forest_ids(&Fast, &graph, Order::Minimum, run), expected);
}
