//! Sinks with small buffers and blocks, against Kruskal's algorithm.

use std::sync::Arc;

use kostra_core::{
    EdgeList, Encoding, ForestEdges, ForestSink, ForestSoFar, Key, Order, SolveError, Vertex,
    Weight, WeightType, bits_of, items_at,
};

use super::kernels::PORTION;
use super::{Limits, LimitsError, Sink};
use crate::Device;
use crate::testing::{device, kruskal};

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        ((self.0 >> 33) % u64::from(bound)) as u32
    }
}

/// Random edges, with self-loops and parallel edges; fewer weights give more ties.
fn random_edges(random: &mut Random, vertices: u32, edges: usize, weights: u32) -> EdgeList<i32> {
    let mut draw = |below| (0..edges).map(|_| random.below(below)).collect::<Vec<_>>();
    let (u, v) = (draw(vertices), draw(vertices));
    let weights = draw(weights).into_iter().map(|weight| weight as i32 - weights as i32 / 2);
    EdgeList::new(vertices as usize, u, v, weights.collect::<Vec<_>>()).unwrap()
}

/// Kruskal's algorithm on edges whose ids follow each other from `first` on.
fn expected<W: Weight>(edges: &EdgeList<W>, order: Order, first: u64) -> ForestEdges<W::Key> {
    let ids = kruskal(edges.edges(order));
    ForestEdges {
        ids: ids.iter().map(|&id| first + u64::from(id)).collect(),
        u: items_at(edges.u(), &ids),
        v: items_at(edges.v(), &ids),
        weights: items_at(bits_of(edges.weights()), &ids),
    }
}

/// How a sink works in a test.
#[derive(Clone, Copy, Debug)]
struct Shape {
    buffer: usize,
    block: usize,
    threads: usize,
    /// The id of the first edge.
    first: u64,
}

const fn shape(buffer: usize, block: usize, threads: usize) -> Shape {
    Shape { buffer, block, threads, first: 0 }
}

fn sink<K: Key>(
    device: &Arc<Device>,
    vertices: u32,
    encoding: Encoding<K>,
    Shape { buffer, threads, .. }: Shape,
) -> Box<Sink<K>> {
    let limits = Limits::with_buffer(vertices, buffer);
    Box::new(Sink::new(device, vertices, encoding, (limits, threads)).unwrap())
}

fn check<W: Weight>(device: &Arc<Device>, edges: &EdgeList<W>, order: Order, shape: Shape) {
    let ordered = edges.edges(order);
    let mut sink = sink(device, edges.vertices(), ordered.encoding(), shape);
    for start in (0..edges.len()).step_by(shape.block) {
        let range = start..edges.len().min(start + shape.block);
        sink.add(shape.first + start as u64, ordered.range(range)).unwrap();
    }
    let ForestSoFar { forest, taken, statistics } = sink.finish().unwrap();
    assert!(edges.is_empty() || taken == shape.first + edges.len() as u64);
    let right = expected(edges, order, shape.first);
    assert!(forest == right, "{order:?}, {shape:?}: {} edges", forest.ids.len());
    let counted = statistics.dropped + statistics.buffered;
    assert_eq!(counted, edges.len() as u64, "{shape:?}: {statistics:?}");
}

#[test]
fn any_buffer_and_block_gives_the_canonical_forest() {
    let Some(device) = device() else { return };
    let mut random = Random(25);
    for case in 0..40 {
        let (vertices, edges) = (1 + random.below(60), random.below(400) as usize);
        let edges = random_edges(&mut random, vertices, edges, [1, 3, 1000][case % 3]);
        for order in [Order::Minimum, Order::Maximum] {
            for shape in [shape(1, 1, 1), shape(3, 7, 1), shape(16, 50, 2), shape(1000, 1000, 4)] {
                check(&device, &edges, order, shape);
            }
            check(&device, &edges, order, Shape { first: 1 << 33, ..shape(5, 90, 1) });
        }
    }
}

#[test]
fn all_weight_types_and_the_extremes_of_keys_are_ordered() {
    fn check_type<W: Weight>(device: &Arc<Device>, weights: [W; 4]) {
        let u: Vec<Vertex> = vec![0, 1, 2, 0, 1, 2, 3, 3, 0, 3, 2, 1];
        let v: Vec<Vertex> = vec![1, 2, 3, 2, 3, 0, 3, 0, 1, 1, 1, 0];
        let weights: Vec<W> = (0..u.len()).map(|at| weights[(at * 7 + at / 5) % 4]).collect();
        let edges = EdgeList::new(6, u, v, weights).unwrap();
        for order in [Order::Minimum, Order::Maximum] {
            check(device, &edges, order, shape(1, 1, 1));
            check(device, &edges, order, shape(2, 3, 2));
        }
    }
    let Some(device) = device() else { return };
    check_type(&device, [i32::MIN, i32::MAX, 0, -1]);
    check_type(&device, [u32::MIN, u32::MAX, 7, u32::MAX - 1]);
    check_type(&device, [i64::MIN, i64::MAX, 0, -1]);
    check_type(&device, [u64::MIN, u64::MAX, 7, u64::MAX - 1]);
    check_type(&device, [f32::NEG_INFINITY, f32::INFINITY, -0.0, 0.0]);
    check_type(&device, [f64::NEG_INFINITY, f64::INFINITY, -0.0, 0.0]);
}

#[test]
fn blocks_of_many_portions_are_filtered_in_their_order() {
    let Some(device) = device() else { return };
    let mut random = Random(3);
    let length = 9 * PORTION + 12_345;
    for weights in [4, 1 << 30] {
        let edges = random_edges(&mut random, 50_000, length, weights);
        let wide: Vec<i64> =
            edges.weights().iter().map(|&weight| i64::from(weight) << 20).collect();
        let (u, v) = (edges.u().to_vec(), edges.v().to_vec());
        let wide = EdgeList::new(50_000, u, v, wide).unwrap();
        for shape in [
            shape(60_000, length, 8),
            shape(PORTION - 1, 3 * PORTION + 7, 3),
            shape(48 * PORTION, length, 8),
            shape(33 * PORTION, 2 * PORTION, 1),
        ] {
            check(&device, &edges, Order::Minimum, shape);
            check(&device, &wide, Order::Maximum, shape);
        }
    }
}

#[test]
fn the_filter_drops_most_edges_of_a_random_graph() {
    let Some(device) = device() else { return };
    let edges = random_edges(&mut Random(7), 20_000, 1_000_000, 1 << 30);
    let ordered = edges.edges(Order::Minimum);
    let mut sink = sink(&device, 20_000, ordered.encoding(), shape(10_000, 0, 2));
    for start in (0..edges.len()).step_by(10_000) {
        sink.add(start as u64, ordered.range(start..start + 10_000)).unwrap();
    }
    let ForestSoFar { forest, statistics, .. } = sink.finish().unwrap();
    assert!(forest == expected(&edges, Order::Minimum, 0));
    // The expected number of edges that are in the forest of the edges up to them is at most
    // n ln(m / n) + n, here about 100,000.
    assert!(statistics.buffered < 200_000, "{statistics:?}");
}

#[test]
fn a_sink_continues_from_its_forest_and_after_a_look_at_it() {
    let Some(device) = device() else { return };
    let mut random = Random(9);
    for _ in 0..10 {
        let edges = random_edges(&mut random, 40, 300, 20);
        let order = Order::Maximum;
        let ordered = edges.edges(order);
        let mut first = sink(&device, 40, ordered.encoding(), shape(8, 0, 1));
        first.add(0, ordered.range(0..120)).unwrap();
        let first = first.finish().unwrap();
        assert!(first.forest == expected(&edges.range(0..120), order, 0));
        let mut second = sink(&device, 40, ordered.encoding(), shape(8, 0, 1));
        assert!(second.restore(first).unwrap());
        second.add(120, ordered.range(120..200)).unwrap();
        second.see_forest(&mut |_| ()).unwrap();
        second.add(200, ordered.range(200..300)).unwrap();
        assert!(second.finish().unwrap().forest == expected(&edges, order, 0));
    }
}

#[test]
fn edges_that_no_sink_returned_are_refused() {
    let Some(device) = device() else { return };
    let right =
        ForestEdges::<u32> { ids: vec![2, 4], u: vec![1, 0], v: vec![2, 1], weights: vec![5, 1] };
    let restored = |vertices, forest: ForestEdges<u32>| {
        let mut sink =
            sink(&device, vertices, Encoding::new::<u32>(Order::Minimum), shape(8, 0, 1));
        sink.restore(ForestSoFar { forest, taken: 9, ..ForestSoFar::default() }).unwrap()
    };
    assert!(restored(3, right.clone()));
    assert!(!restored(3, ForestEdges { ids: vec![2, 9], ..right.clone() }), "beyond the input");
    assert!(!restored(3, ForestEdges { v: vec![1, 3], ..right.clone() }), "beyond the graph");
    assert!(!restored(3, ForestEdges { v: vec![0, 1], ..right.clone() }), "a cycle");
    assert!(!restored(3, ForestEdges { ids: vec![4, 2], ..right.clone() }), "not ascending");
    assert!(!restored(3, ForestEdges { u: vec![0], ..right.clone() }), "different lengths");
    assert!(!restored(2, right));
}

#[test]
fn empty_graphs_have_empty_forests() {
    let Some(device) = device() else { return };
    for vertices in [0, 1, 1000] {
        let edges = EdgeList::<u32>::new(vertices, vec![], vec![], vec![]).unwrap();
        check(&device, &edges, Order::Minimum, shape(1, 1, 2));
    }
    let loops = EdgeList::new(1, vec![0; 9], vec![0; 9], vec![1.5; 9]).unwrap();
    check(&device, &loops, Order::Minimum, shape(2, 4, 2));
}

#[test]
fn a_budget_below_the_vertices_is_refused_with_the_least_that_suffices() {
    let Some(device) = device() else { return };
    let within = |bytes| Limits::within(&device, bytes, 1 << 20, WeightType::I32);
    let error = within(1 << 20).unwrap_err();
    let LimitsError::BudgetTooSmall { least, vertices } = error else { panic!("{error}") };
    assert_eq!(vertices, 1 << 20);
    assert_eq!(within(least - 1), Err(error));
    assert_eq!(within(least).unwrap().capacity(), (1 << 20) + (1 << 18));
    assert_eq!(within(u64::MAX).unwrap().capacity(), 4 << 20);
    let error = Limits::within(&device, u64::MAX, u32::MAX, WeightType::I32).unwrap_err();
    assert!(matches!(error, LimitsError::Device(SolveError::Unsuitable { .. })), "{error}");
}

#[test]
fn a_budget_that_the_device_lacks_is_an_error() {
    let Some(device) = device() else { return };
    let limits = Limits::with_buffer(100, (device.memory() / 30).min(4_200_000_000));
    let sink = Sink::new(&device, 100, Encoding::new::<u32>(Order::Minimum), (limits, 1));
    let Err(error) = sink else { panic!("the device has no memory for this sink") };
    assert!(matches!(error, SolveError::DeviceMemory { .. }), "{error}");
}
