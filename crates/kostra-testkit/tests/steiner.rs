//! Compares Steiner trees with optimal ones: of small random graphs, and of published instances.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use kostra::variants::{SteinerError, SteinerOptions, SteinerTree, steiner_tree};
use kostra_core::random::RandomStream;
use kostra_core::{AnyGraph, Observer, Run, Total, UnionFind, Vertex, with_graph};
use kostra_io::{Input, ReadOptions, read};
use kostra_testkit::real;

const LOCAL_SEARCH: SteinerOptions = SteinerOptions { rounds: 0, improve: true, time_limit: None };

/// The weight of an optimal tree, by the dynamic program of Dreyfus & Wagner (1971) over subsets of
/// the terminals. `None` if no tree joins them.
fn optimum(graph: &AnyGraph, terminals: &[Vertex]) -> Option<u64> {
    const NONE: u64 = u64::MAX / 4;
    let n = graph.vertices() as usize;
    let mut distance = vec![vec![NONE; n]; n];
    for edge in 0..graph.edges() {
        let (u, v) = (graph.u()[edge] as usize, graph.v()[edge] as usize);
        let cost = distance[u][v].min(weight(graph, edge));
        (distance[u][v], distance[v][u]) = (cost, cost);
    }
    (0..n).for_each(|v| distance[v][v] = 0);
    for middle in 0..n {
        for a in 0..n {
            for b in 0..n {
                let over = distance[a][middle] + distance[middle][b];
                distance[a][b] = distance[a][b].min(over);
            }
        }
    }
    let mut best = vec![vec![NONE; n]; 1 << terminals.len()];
    for (position, &terminal) in terminals.iter().enumerate() {
        best[1 << position].clone_from(&distance[terminal as usize]);
    }
    for set in 1..1_usize << terminals.len() {
        let mut part = (set - 1) & set;
        while part > 0 {
            let other = best[set & !part].clone();
            let sums: Vec<_> = best[part].iter().zip(other).map(|(a, b)| a + b).collect();
            best[set].iter_mut().zip(sums).for_each(|(least, sum)| *least = sum.min(*least));
            part = (part - 1) & set;
        }
        let joined = best[set].clone();
        for v in 0..n {
            best[set][v] = (0..n).map(|w| joined[w] + distance[w][v]).min().unwrap_or(NONE);
        }
    }
    let all = best[(1 << terminals.len()) - 1][terminals[0] as usize];
    (all < NONE).then_some(all)
}

fn weight(graph: &AnyGraph, edge: usize) -> u64 {
    with_graph!(graph, graph => graph.edge_list().weights()[edge].to_string().parse())
        .expect("a whole number from 0")
}

fn whole(total: Total) -> u64 {
    total.to_string().parse().expect("a whole number from 0")
}

/// Checks that the ids are a tree that joins the terminals, that its leaves are terminals, and that
/// its total is the sum of its weights.
fn check_tree(graph: &AnyGraph, terminals: &[Vertex], tree: &SteinerTree) {
    assert!(tree.ids().is_sorted_by(|a, b| a < b), "ids ascend");
    let mut sets = UnionFind::new(graph.vertices());
    let mut degrees = vec![0; graph.vertices() as usize];
    for &edge in tree.ids() {
        let (u, v) = (graph.u()[edge as usize], graph.v()[edge as usize]);
        assert!(sets.union(u, v), "edge {edge} closes a cycle");
        degrees[u as usize] += 1;
        degrees[v as usize] += 1;
    }
    assert!(terminals.iter().all(|&terminal| sets.same(terminal, terminals[0])), "one tree");
    let inside = degrees.iter().filter(|&&degree| degree > 0).count();
    assert_eq!(tree.ids().len(), inside.saturating_sub(1), "no part without terminals");
    let is_right =
        |(vertex, degree): (usize, &i32)| *degree != 1 || terminals.contains(&(vertex as Vertex));
    assert!(degrees.iter().enumerate().all(is_right), "a leaf is no terminal");
    let total: u64 = tree.ids().iter().map(|&edge| weight(graph, edge as usize)).sum();
    assert_eq!(whole(tree.total()), total);
}

/// A small graph with few different weights, and terminals in random order.
fn random_problem(random: RandomStream) -> (AnyGraph, Vec<Vertex>) {
    let n = 2 + random.below(0, 9) as usize;
    let m = random.below(1, 4 * n as u64);
    let end = |index| random.below(index, n as u64) as Vertex;
    let (u, v): (Vec<_>, Vec<_>) = (0..m).map(|edge| (end(10 + edge), end(110 + edge))).unzip();
    let most = [2, 4, 30][random.below(2, 3) as usize];
    let weights: Vec<u64> = (0..m).map(|edge| random.below(210 + edge, most)).collect();
    let graph = match random.below(3, 6) {
        0 => of_type(n, u, v, &weights, |weight| weight as i32),
        1 => of_type(n, u, v, &weights, |weight| weight as u32),
        2 => of_type(n, u, v, &weights, |weight| weight as i64),
        3 => of_type(n, u, v, &weights, |weight| weight),
        4 => of_type(n, u, v, &weights, |weight| weight as f32),
        _ => of_type(n, u, v, &weights, |weight| weight as f64),
    };
    let mut terminals: Vec<_> = (0..n as Vertex).collect();
    random.split(1).shuffle(&mut terminals);
    terminals.truncate(1 + random.below(4, n.min(6) as u64) as usize);
    (graph, terminals)
}

fn of_type<W: kostra_core::Weight>(
    vertices: usize,
    u: Vec<Vertex>,
    v: Vec<Vertex>,
    weights: &[u64],
    convert: impl Fn(u64) -> W,
) -> AnyGraph
where
    AnyGraph: From<kostra_core::EdgeList<W>>,
{
    let weights = weights.iter().map(|&weight| convert(weight)).collect();
    AnyGraph::from_edges(vertices, u, v, weights).expect("a graph")
}

#[test]
fn trees_of_small_graphs_keep_their_promises_beside_the_optimum() {
    let (mut solved, mut optimal, mut proved) = (0, 0, 0);
    for problem in 0..3000 {
        let (graph, terminals) = random_problem(RandomStream::new(7).split(problem));
        let options = SteinerOptions { rounds: 8, ..SteinerOptions::default() };
        let found = steiner_tree(&graph, &terminals, &options, &mut Run::new());
        let Some(optimum) = optimum(&graph, &terminals) else {
            let error = found.expect_err("the terminals are not connected");
            assert!(matches!(error, SteinerError::Disconnected { .. }), "{error}");
            continue;
        };
        let tree = found.expect("a tree");
        check_tree(&graph, &terminals, &tree);
        let (first, start) = (whole(tree.first_total()), whole(tree.start_total()));
        let count = terminals.len() as u64;
        assert!(first * count <= 2 * (count - 1) * optimum, "{problem}: {first}, not {optimum}");
        assert!(optimum <= whole(tree.total()), "{problem}: better than the optimum");
        assert!(
            whole(tree.total()) <= start && start <= first,
            "{problem}: a search made it worse"
        );
        assert!(tree.lower_bound().to_f64() <= optimum as f64, "{problem}: the bound is too high");
        solved += 1;
        optimal += u32::from(whole(tree.total()) == optimum);
        proved += u32::from(tree.gap() == 0.0);
    }
    assert!(solved > 1000 && optimal * 100 >= solved * 99, "{optimal} of {solved} are optimal");
    assert!(proved * 10 >= solved * 9, "{proved} of {solved} are proved");
}

#[test]
fn the_answer_depends_on_no_thread_and_no_order_of_terminals() {
    for (seed, vertices) in [(0, 60_u64), (1, 300)] {
        let random = RandomStream::new(seed);
        let edges = 3 * vertices;
        let end = |index| random.below(index, vertices) as Vertex;
        let (u, v) = (0..edges).map(|edge| (end(edge), end(edge + edges))).unzip();
        let weights = (0..edges).map(|edge| random.below(2 * edges + edge, 5) as u32).collect();
        let graph = AnyGraph::from_edges(vertices as usize, u, v, weights).expect("a graph");
        let mut sets = UnionFind::new(graph.vertices());
        let ends = graph.u().iter().zip(graph.v());
        ends.for_each(|(&u, &v)| _ = sets.union(u, v));
        let mut terminals: Vec<_> = (0..vertices as Vertex)
            .filter(|&vertex| sets.same(vertex, graph.u()[0]))
            .step_by(5)
            .collect();
        let options = SteinerOptions { rounds: 20, ..SteinerOptions::default() };
        let solve = |terminals: &[Vertex], threads| {
            steiner_tree(&graph, terminals, &options, &mut Run::new().on_threads(threads))
        };
        let tree = solve(&terminals, 1).expect("a tree");
        assert!(tree.is_complete());
        for threads in [2, 5] {
            random.split(threads).shuffle(&mut terminals);
            terminals.push(terminals[0]);
            assert_eq!(solve(&terminals, threads as usize).as_ref(), Ok(&tree));
        }
    }
}

#[test]
fn requests_without_an_answer_are_refused_with_the_reason() {
    let graph = |weights: Vec<i32>| {
        AnyGraph::from_edges(5, vec![0, 2, 0], vec![1, 3, 0], weights).expect("a graph")
    };
    let refusal = |weights, terminals: &[Vertex]| {
        let options = SteinerOptions::default();
        let found = steiner_tree(&graph(weights), terminals, &options, &mut Run::new());
        found.expect_err("no tree").to_string()
    };
    assert_eq!(refusal(vec![1, 1, 1], &[]), "a Steiner tree needs at least one terminal");
    assert_eq!(
        refusal(vec![1, 1, 1], &[0, 5]),
        "there is no vertex 5; the graph has 5 vertices, numbered from 0"
    );
    assert!(refusal(vec![1, 1, -4], &[0, 1]).starts_with("edge 2 has weight -4; "));
    assert!(
        refusal(vec![1, 1, 1], &[1, 4, 0, 3]).starts_with(
            "no path joins vertex 0 with 2 of the other terminals, such as vertex 3; "
        )
    );
}

/// Cancels a run after a number of reports.
struct Impatient(u32, AtomicU32);

impl Observer for Impatient {
    fn cancelled(&self) -> bool {
        self.1.fetch_add(1, Ordering::Relaxed) >= self.0
    }
}

#[test]
fn a_search_that_ends_early_returns_the_best_tree_so_far() {
    let n = 40;
    let at = |x: u32, y: u32| x * n + y;
    let (mut u, mut v) = (Vec::new(), Vec::new());
    for (x, y) in (0..n).flat_map(|x| (0..n).map(move |y| (x, y))) {
        let right = (x + 1 < n).then(|| at(x + 1, y));
        let down = (y + 1 < n).then(|| at(x, y + 1));
        for to in right.into_iter().chain(down) {
            u.push(at(x, y));
            v.push(to);
        }
    }
    let random = RandomStream::new(3);
    let weights = (0..u.len() as u64).map(|edge| 50 + random.below(edge, 50) as u32).collect();
    let graph = AnyGraph::from_edges((n * n) as usize, u, v, weights).expect("a graph");
    let terminals: Vec<_> = (0..n * n).step_by(37).collect();
    let options = SteinerOptions { time_limit: Some(Duration::ZERO), ..SteinerOptions::default() };
    let hasty = steiner_tree(&graph, &terminals, &options, &mut Run::new()).expect("a tree");
    check_tree(&graph, &terminals, &hasty);
    assert!(!hasty.is_complete() && hasty.total() == hasty.first_total());
    for patience in [40, 400] {
        let mut observer = Impatient(patience, AtomicU32::new(0));
        let mut run = Run::new().on_threads(2).observed_by(&mut observer);
        let tree = steiner_tree(&graph, &terminals, &SteinerOptions::default(), &mut run);
        let tree = tree.expect("a tree");
        check_tree(&graph, &terminals, &tree);
        assert!(!tree.is_complete(), "{patience} reports are not all");
    }
}

/// Instances of the PACE challenge 2018, with the weights of optimal trees or the best known.
const INSTANCES: &[(&str, u64)] = &[
    ("track1-001", 503),
    ("track1-003", 73),
    ("track1-007", 1239),
    ("track2-001", 1086),
    ("track3-001", 2256),
];

#[test]
fn published_optima_are_bounds_of_the_answers() {
    for &(name, published) in INSTANCES {
        let Some(path) = real::file(&format!("steiner/{name}.stp.xz")) else { continue };
        let options = ReadOptions { terminals: true, ..ReadOptions::default() };
        let parsed = read(&Input::Path(path), &options, &|_| {}).expect("an instance").parsed;
        let terminals = parsed.terminals.expect("terminals");
        let tree = steiner_tree(&parsed.graph, &terminals, &LOCAL_SEARCH, &mut Run::new());
        let tree = tree.expect("a tree");
        check_tree(&parsed.graph, &terminals, &tree);
        assert!(whole(tree.total()) >= published, "{name}: better than the optimum");
        assert!(whole(tree.total()) * 100 <= published * 107, "{name}: {}", tree.total());
        assert!(whole(tree.lower_bound()) <= published, "{name}: the bound is too high");
    }
}
