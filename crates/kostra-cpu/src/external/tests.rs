//! Sinks with small buffers and blocks, against an in-memory solver.

use kostra_core::{
    EdgeList, Edges, Encoding, ForestEdges, ForestState, Graph, Order, Run, Vertex, Weight,
    WeightType, bits_of, with_graph,
};

use super::{ForestSink, Limits};
use crate::testing::Random;

/// The forest of an in-memory solver, as ids.
fn expected<W: Weight>(graph: &Graph<W>, order: Order) -> Vec<u64> {
    let edges = graph.edge_list().edges(order);
    let forest = crate::kruskal_of_edges(edges, &mut Run::new()).unwrap();
    forest.into_ids().into_iter().map(u64::from).collect()
}

fn starts<W: Weight>(edges: &EdgeList<W>, size: usize) -> impl Iterator<Item = usize> {
    (0..edges.len()).step_by(size)
}

fn forest<W: Weight>(
    graph: &Graph<W>,
    order: Order,
    (buffer, size, threads): (usize, usize, usize),
) -> ForestEdges<W::Key> {
    let list = graph.edge_list();
    let edges = list.edges(order);
    let limits = Limits::with_buffer(buffer);
    let mut sink = ForestSink::new(edges.vertices(), edges.encoding(), limits, threads).unwrap();
    for start in starts(list, size) {
        sink.add(start as u64, edges.range(start..edges.len().min(start + size))).unwrap();
    }
    assert_eq!(sink.taken(), edges.len() as u64);
    let (forest, statistics) = sink.finish().unwrap();
    let counted = statistics.dropped + statistics.buffered;
    assert_eq!(counted, edges.len() as u64);
    forest
}

/// Random edges, with self-loops and parallel edges; fewer weights give more ties.
fn random_graph(random: &mut Random, vertices: u32, edges: u32, weights: u32) -> Graph<i32> {
    let ends = |random: &mut Random| (0..edges).map(|_| random.below(vertices)).collect::<Vec<_>>();
    let (u, v) = (ends(random), ends(random));
    let weights: Vec<_> =
        (0..edges).map(|_| random.below(weights) as i32 - weights as i32 / 2).collect();
    EdgeList::new(vertices as usize, u, v, weights).unwrap().into()
}

#[test]
fn any_buffer_and_block_gives_the_canonical_forest() {
    let mut random = Random(25);
    for case in 0..60 {
        let (vertices, edges) = (1 + random.below(60), random.below(400));
        let graph = random_graph(&mut random, vertices, edges, [1, 3, 1000][case % 3]);
        for order in [Order::Minimum, Order::Maximum] {
            let right = expected(&graph, order);
            for shape in [(1, 1, 1), (3, 7, 1), (16, 50, 2), (1000, 1000, 1)] {
                let found = forest(&graph, order, shape);
                assert_eq!(found.ids, right, "case {case}, {order:?}, {shape:?}");
                for (at, &id) in right.iter().enumerate() {
                    let (edges, id) = (graph.edge_list(), id as usize);
                    let own = (found.u[at], found.v[at], found.weights[at]);
                    let weight = bits_of(edges.weights())[id];
                    assert_eq!(own, (edges.u()[id], edges.v()[id], weight));
                }
            }
        }
    }
}

#[test]
fn all_weight_types_and_the_extremes_of_keys_are_ordered() {
    fn check<W: Weight>(weights: [W; 4]) {
        let u: Vec<Vertex> = vec![0, 1, 2, 0, 1, 2, 3, 3, 0, 3, 2, 1];
        let v: Vec<Vertex> = vec![1, 2, 3, 2, 3, 0, 3, 0, 1, 1, 1, 0];
        let weights: Vec<W> = (0..u.len()).map(|at| weights[(at * 7 + at / 5) % 4]).collect();
        let graph: Graph<W> = EdgeList::new(6, u, v, weights).unwrap().into();
        for order in [Order::Minimum, Order::Maximum] {
            for shape in [(1, 1, 1), (2, 3, 2)] {
                assert_eq!(forest(&graph, order, shape).ids, expected(&graph, order));
            }
        }
    }
    check([i32::MIN, i32::MAX, 0, -1]);
    check([u32::MIN, u32::MAX, 7, u32::MAX - 1]);
    check([i64::MIN, i64::MAX, 0, -1]);
    check([u64::MIN, u64::MAX, 7, u64::MAX - 1]);
    check([f32::NEG_INFINITY, f32::INFINITY, -0.0, 0.0]);
    check([f64::NEG_INFINITY, f64::INFINITY, -0.0, 0.0]);
}

#[test]
fn the_pivot_drops_most_edges_of_a_random_graph() {
    let graph = random_graph(&mut Random(7), 2000, 100_000, 1 << 30);
    let list = graph.edge_list();
    let edges = list.edges(Order::Minimum);
    let limits = Limits::with_buffer(1000);
    let mut sink = ForestSink::new(2000, edges.encoding(), limits, 2).unwrap();
    for start in starts(list, 1000) {
        sink.add(start as u64, edges.range(start..start + 1000)).unwrap();
    }
    let (forest, statistics) = sink.finish().unwrap();
    assert_eq!(forest.ids, expected(&graph, Order::Minimum));
    assert!(statistics.dropped > 60_000, "{statistics:?}");
    // The expected number of edges that are in the forest of the edges up to them is at most
    // n ln(m / n) + n, here about 10,000.
    assert!(statistics.buffered < 20_000, "{statistics:?}");
}

#[test]
fn a_large_buffer_is_filtered_by_ranks_with_and_without_ties() {
    let mut random = Random(11);
    for (vertices, weights) in [(2000, 1 << 30), (2000, 40), (2000, 1), (40_000, 1 << 30)] {
        let graph = random_graph(&mut random, vertices, 100_000, weights);
        for order in [Order::Minimum, Order::Maximum] {
            let right = expected(&graph, order);
            for shape in [(30_000, 7000, 2), (100_000, 100_000, 1)] {
                let found = forest(&graph, order, shape);
                assert_eq!(found.ids, right, "{vertices} vertices, {order:?}, {shape:?}");
            }
        }
    }
}

#[test]
fn a_sink_continues_from_its_state_with_more_vertices_and_another_type() {
    let mut random = Random(3);
    for _ in 0..20 {
        let graph = random_graph(&mut random, 40, 300, 20);
        let edges = graph.edge_list().edges(Order::Maximum);
        let limits = Limits::with_buffer(8);
        let mut sink = ForestSink::new(40, edges.encoding(), limits, 1).unwrap();
        sink.add(0, edges.range(0..120)).unwrap();
        let state = sink.state().unwrap();
        let restored = ForestSink::restore(state, edges.encoding(), limits, 1).unwrap();
        let mut sink = restored.unwrap();
        assert_eq!(sink.taken(), 120);
        sink.grow(50, limits).unwrap();
        sink.add(120, edges.range(120..200)).unwrap();
        let wider = |bits: u32| f64::from(bits as i32).to_bits();
        let all_wider = |bits: &[u32]| bits.iter().map(|&bits| wider(bits)).collect::<Vec<_>>();
        let encoding = Encoding::new::<f64>(Order::Maximum);
        let mut sink = sink.convert(encoding, limits, |bits| Ok(all_wider(&bits))).unwrap();
        let rest = edges.range(200..300);
        let weights = all_wider(rest.weights());
        let rest = Edges::of_checked(50, (rest.u(), rest.v()), &weights, encoding);
        sink.add(200, rest).unwrap();
        let (forest, _) = sink.finish().unwrap();
        assert_eq!(forest.ids, expected(&graph, Order::Maximum));
    }
}

#[test]
fn ids_beyond_32_bits_are_kept_and_order_equal_weights() {
    let graph = random_graph(&mut Random(32), 30, 200, 4);
    let edges = graph.edge_list().edges(Order::Minimum);
    let right = expected(&graph, Order::Minimum);
    // The second half of the edges follows billions of others, which are in no forest.
    let (half, later) = (100, 5 << 32);
    let mut sink = ForestSink::new(30, edges.encoding(), Limits::with_buffer(16), 1).unwrap();
    sink.add(0, edges.range(0..half)).unwrap();
    sink.add(later, edges.range(half..200)).unwrap();
    assert_eq!(sink.taken(), later + 100);
    let state = sink.state().unwrap();
    let limits = Limits::with_buffer(16);
    let restored = ForestSink::restore(state, edges.encoding(), limits, 1).unwrap().unwrap();
    let own = |&id: &u64| if id < half as u64 { id } else { later + id - half as u64 };
    let shifted: Vec<_> = right.iter().map(own).collect();
    assert!(shifted.iter().any(|&id| id > later), "{shifted:?}");
    assert_eq!(restored.finish().unwrap().0.ids, shifted);
    assert_eq!(sink.finish().unwrap().0.ids, shifted);
}

#[test]
fn a_state_that_no_sink_returned_is_refused() {
    let limits = Limits::with_buffer(8);
    let right = ForestState::<u32> {
        taken: 9,
        vertices: 3,
        ids: &[2, 4],
        u: &[0, 1],
        v: &[1, 2],
        weights: &[5, 1],
    };
    let encoding = Encoding::new::<u32>(Order::Minimum);
    let restored = |state| ForestSink::restore(state, encoding, limits, 1).unwrap().is_some();
    assert!(restored(right));
    assert!(!restored(ForestState { ids: &[2, 9], ..right }), "an id beyond the input");
    assert!(!restored(ForestState { v: &[1, 3], ..right }), "a vertex beyond the graph");
    assert!(!restored(ForestState { v: &[1, 0], ..right }), "a cycle");
    assert!(!restored(ForestState { ids: &[4, 2], ..right }), "not ascending");
    assert!(!restored(ForestState { u: &[0], ..right }), "arrays of different length");
    assert!(!restored(ForestState { vertices: 2, ..right }));
    let nan = ForestState { weights: &[5, f32::NAN.to_bits()], ..right };
    assert!(restored(nan), "these bits are an integer");
    let floats = Encoding::new::<f32>(Order::Minimum);
    assert!(ForestSink::restore(nan, floats, limits, 1).unwrap().is_none());
}

#[test]
fn a_budget_below_the_vertices_is_refused_with_the_least_that_suffices() {
    let error = Limits::within(1 << 20, 1 << 20, WeightType::I32).unwrap_err();
    assert_eq!(error.vertices, 1 << 20);
    assert_eq!(Limits::within(error.least - 1, 1 << 20, WeightType::I32), Err(error));
    let least = Limits::within(error.least, 1 << 20, WeightType::I32).unwrap();
    assert_eq!(least.buffer(), (1 << 18) + 1);
    assert!(error.least < 69 << 20, "{error}");
    let ample = Limits::within(u64::MAX, 1 << 20, WeightType::I32).unwrap();
    assert_eq!(ample.buffer(), 8 << 20);
}

#[test]
fn generated_graphs_agree_with_the_fast_solver() {
    for spec in ["rmat:scale=9", "grid:side=40", "star:n=2000", "path:n=1000"] {
        let Ok(made) = kostra_gen::generate(spec) else { panic!("{spec}") };
        with_graph!(&made.graph, graph => {
            let right = crate::forest(graph, Order::Minimum, &mut Run::new()).unwrap().into_ids();
            let right: Vec<_> = right.into_iter().map(u64::from).collect();
            assert_eq!(forest(graph, Order::Minimum, (300, 1000, 2)).ids, right, "{spec}");
        });
    }
}
