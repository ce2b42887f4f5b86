//! Sinks with small buffers and blocks, against an in-memory solver.

use kostra_core::{
    EdgeList, Edges, Encoding, ForestEdges, ForestSink, ForestSoFar, Graph, Key, Order, Run,
    Vertex, Weight, WeightType, bits_of, with_graph,
};

use super::{Limits, Sink};
use crate::testing::CongruentialGenerator;

/// The forest of an in-memory solver, as ids.
fn expected<W: Weight>(graph: &Graph<W>, order: Order) -> Vec<u64> {
    let edges = graph.edge_list().edges(order);
    let forest = crate::kruskal_of_edges(edges, &mut Run::new()).unwrap();
    forest.into_ids().into_iter().map(u64::from).collect()
}

fn starts<W: Weight>(edges: &EdgeList<W>, size: usize) -> impl Iterator<Item = usize> {
    (0..edges.len()).step_by(size)
}

fn sink<K: Key>(vertices: u32, encoding: Encoding<K>, limits: Limits) -> Box<Sink<K>> {
    Box::new(Sink::new(vertices, encoding, limits, 1).unwrap())
}

/// The state of a sink, as a checkpoint holds it.
fn state<K: Key>(sink: &mut Sink<K>) -> ForestSoFar<K> {
    let mut seen = None;
    sink.see_forest(&mut |state| {
        let (ids, weights) = (state.ids.to_vec(), state.weights.to_vec());
        let forest = ForestEdges { ids, u: state.u.to_vec(), v: state.v.to_vec(), weights };
        seen = Some(ForestSoFar { forest, taken: state.taken, ..ForestSoFar::default() });
    })
    .unwrap();
    seen.unwrap()
}

fn forest<W: Weight>(
    graph: &Graph<W>,
    order: Order,
    (buffer, size, threads): (usize, usize, usize),
) -> ForestEdges<W::Key> {
    let list = graph.edge_list();
    let edges = list.edges(order);
    let limits = Limits::with_buffer(buffer);
    let sink = Sink::new(edges.vertices(), edges.encoding(), limits, threads).unwrap();
    let mut sink = Box::new(sink);
    for start in starts(list, size) {
        sink.add(start as u64, edges.range(start..edges.len().min(start + size))).unwrap();
    }
    let ForestSoFar { forest, taken, statistics } = sink.finish().unwrap();
    assert_eq!(taken, edges.len() as u64);
    assert_eq!(statistics.dropped + statistics.buffered, taken);
    forest
}

/// Random edges, with self-loops and parallel edges; fewer weights give more ties.
fn random_graph(
    random: &mut CongruentialGenerator,
    vertices: u32,
    edges: u32,
    weights: u32,
) -> Graph<i32> {
    let ends = |random: &mut CongruentialGenerator| {
        (0..edges).map(|_| random.below(vertices)).collect::<Vec<_>>()
    };
    let (u, v) = (ends(random), ends(random));
    let weights: Vec<_> =
        (0..edges).map(|_| random.below(weights) as i32 - weights as i32 / 2).collect();
    EdgeList::new(vertices as usize, u, v, weights).unwrap().into()
}

#[test]
fn any_buffer_and_block_gives_the_canonical_forest() {
    let mut random = CongruentialGenerator(25);
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
    let graph = random_graph(&mut CongruentialGenerator(7), 2000, 100_000, 1 << 30);
    let list = graph.edge_list();
    let edges = list.edges(Order::Minimum);
    let limits = Limits::with_buffer(1000);
    let mut sink = Box::new(Sink::new(2000, edges.encoding(), limits, 2).unwrap());
    for start in starts(list, 1000) {
        sink.add(start as u64, edges.range(start..start + 1000)).unwrap();
    }
    let ForestSoFar { forest, statistics, .. } = sink.finish().unwrap();
    assert_eq!(forest.ids, expected(&graph, Order::Minimum));
    assert!(statistics.dropped > 60_000, "{statistics:?}");
    // The expected number of edges that are in the forest of the edges up to them is at most
    // n ln(m / n) + n, here about 10,000.
    assert!(statistics.buffered < 20_000, "{statistics:?}");
}

#[test]
fn a_large_buffer_is_filtered_by_ranks_with_and_without_ties() {
    let mut random = CongruentialGenerator(11);
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
    let mut random = CongruentialGenerator(3);
    for _ in 0..20 {
        let graph = random_graph(&mut random, 40, 300, 20);
        let edges = graph.edge_list().edges(Order::Maximum);
        let limits = Limits::with_buffer(8);
        let mut first = sink(40, edges.encoding(), limits);
        first.add(0, edges.range(0..120)).unwrap();
        let mut second = sink(50, edges.encoding(), limits);
        assert!(second.restore(state(&mut first)).unwrap());
        second.add(120, edges.range(120..200)).unwrap();
        let ForestSoFar { forest, taken, statistics } = second.finish().unwrap();
        assert_eq!(taken, 200);
        let all_wider = |bits: &[u32]| {
            bits.iter().map(|&bits| f64::from(bits as i32).to_bits()).collect::<Vec<_>>()
        };
        let ForestEdges { ids, u, v, weights } = forest;
        let forest = ForestEdges { ids, u, v, weights: all_wider(&weights) };
        let encoding = Encoding::new::<f64>(Order::Maximum);
        let mut third = sink(50, encoding, limits);
        assert!(third.restore(ForestSoFar { forest, taken, statistics }).unwrap());
        let rest = edges.range(200..300);
        let weights = all_wider(rest.weights());
        third.add(200, Edges::of_checked(50, (rest.u(), rest.v()), &weights, encoding)).unwrap();
        let found = third.finish().unwrap();
        assert_eq!(found.forest.ids, expected(&graph, Order::Maximum));
        assert_eq!(found.statistics.dropped + found.statistics.buffered, 180);
    }
}

#[test]
fn ids_beyond_32_bits_are_kept_and_order_equal_weights() {
    let graph = random_graph(&mut CongruentialGenerator(32), 30, 200, 4);
    let edges = graph.edge_list().edges(Order::Minimum);
    let right = expected(&graph, Order::Minimum);
    // The second half of the edges follows billions of others, which are in no forest.
    let (half, later) = (100, 5 << 32);
    let limits = Limits::with_buffer(16);
    let mut first = sink(30, edges.encoding(), limits);
    first.add(0, edges.range(0..half)).unwrap();
    first.add(later, edges.range(half..200)).unwrap();
    let state = state(&mut first);
    assert_eq!(state.taken, later + 100);
    let mut restored = sink(30, edges.encoding(), limits);
    assert!(restored.restore(state).unwrap());
    let own = |&id: &u64| if id < half as u64 { id } else { later + id - half as u64 };
    let shifted: Vec<_> = right.iter().map(own).collect();
    assert!(shifted.iter().any(|&id| id > later), "{shifted:?}");
    assert_eq!(restored.finish().unwrap().forest.ids, shifted);
    assert_eq!(first.finish().unwrap().forest.ids, shifted);
}

#[test]
fn a_state_that_no_sink_returned_is_refused() {
    fn is_restored<K: Key>(vertices: u32, encoding: Encoding<K>, forest: ForestEdges<K>) -> bool {
        let state = ForestSoFar { forest, taken: 9, ..ForestSoFar::default() };
        sink(vertices, encoding, Limits::with_buffer(8)).restore(state).unwrap()
    }
    let right =
        || ForestEdges { ids: vec![2, 4], u: vec![0, 1], v: vec![1, 2], weights: vec![5_u32, 1] };
    let encoding = Encoding::new::<u32>(Order::Minimum);
    let restored = |forest| is_restored(3, encoding, forest);
    assert!(restored(right()));
    assert!(!restored(ForestEdges { ids: vec![2, 9], ..right() }), "an id beyond the input");
    assert!(!restored(ForestEdges { v: vec![1, 3], ..right() }), "a vertex beyond the graph");
    assert!(!restored(ForestEdges { v: vec![1, 0], ..right() }), "a cycle");
    assert!(!restored(ForestEdges { ids: vec![4, 2], ..right() }), "not ascending");
    assert!(!restored(ForestEdges { u: vec![0], ..right() }), "arrays of different length");
    assert!(!is_restored(2, encoding, right()));
    let nan = || ForestEdges { weights: vec![5, f32::NAN.to_bits()], ..right() };
    assert!(restored(nan()), "these bits are an integer");
    assert!(!is_restored(3, Encoding::new::<f32>(Order::Minimum), nan()));
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
