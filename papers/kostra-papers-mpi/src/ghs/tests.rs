//! Several ranks simulated by one thread, with arbitrary delays between ranks.

use std::collections::VecDeque;

use kostra_core::{EdgeList, Order, verify};
use kostra_mpi::{Parts, Slice, VertexDistribution};
use kostra_testkit::multigraphs::Random;

use super::interleaved;
use super::message::{KINDS, Note, Wire};
use super::queue::Queue;
use super::vertices::{Outbox, Vertices};
use crate::rows::RankRows;

const CONNECT: usize = 0;

/// The result of a simulation.
struct Outcome {
    forest: Vec<u32>,
    sent: [u64; KINDS],
    halts: u64,
    level: u8,
}

fn rows_of(graph: &EdgeList<u32>, distribution: VertexDistribution, rank: usize) -> RankRows<u32> {
    let edges = graph.edges(Order::Minimum);
    let mut rows = RankRows { offsets: vec![0], neighbors: vec![], keys: vec![], ids: vec![] };
    for vertex in distribution.first(rank)..distribution.first(rank + 1) {
        for id in edges.ids() {
            let (u, v) = edges.ends(id);
            for (from, to) in [(u, v), (v, u)] {
                if u64::from(from) == vertex && u != v {
                    rows.neighbors.push(to.into());
                    rows.keys.push(edges.key(id));
                    rows.ids.push(id.into());
                }
            }
        }
        rows.offsets.push(rows.ids.len() as u32);
    }
    rows
}

/// The options of a simulation.
#[derive(Clone, Copy, Debug)]
struct Options {
    shortcuts: bool,
    queue_per_vertex: bool,
}

const PLAIN: Options = Options { shortcuts: false, queue_per_vertex: false };

/// Lets ranks handle messages in a random order that keeps the order between each two ranks, until
/// no messages are left. At first the vertices wake up for which `awake` returns true.
fn simulate(
    graph: &EdgeList<u32>,
    (ranks, options): (usize, Options),
    awake: impl Fn(u32) -> bool,
    random: &mut Random,
) -> Outcome {
    let distribution = VertexDistribution::new(graph.vertices().into(), ranks);
    let mut simulated: Vec<_> = (0..ranks)
        .map(|rank| Vertices::new(&rows_of(graph, distribution, rank), distribution))
        .collect();
    let own: Vec<Parts<u32>> =
        simulated.iter().map(|vertices| vertices.arcs_by_rank(ranks)).collect();
    for (rank, vertices) in simulated.iter_mut().enumerate() {
        let theirs = own.iter().map(|parts| parts.part(rank)).collect();
        vertices.link(rank, &own[rank], &theirs);
        if options.shortcuts {
            *vertices = vertices.clone().with_shortcuts(rank);
        }
    }
    let queue = |rank: usize| {
        if options.queue_per_vertex {
            Queue::per_vertex(simulated[rank].count())
        } else {
            Queue::OfRank(VecDeque::new())
        }
    };
    let mut out: Vec<_> = (0..ranks).map(|rank| Outbox::new(rank, ranks, queue(rank))).collect();
    let mut mail: Vec<VecDeque<Wire>> = vec![VecDeque::new(); ranks * ranks];
    for (rank, vertices) in simulated.iter_mut().enumerate() {
        let first = distribution.first(rank) as u32;
        (0..vertices.count())
            .filter(|v| awake(first + v))
            .for_each(|v| vertices.wake(v, &mut out[rank]));
    }
    let mut quiet = 0;
    while quiet < 2 * ranks * ranks {
        for (rank, out) in out.iter_mut().enumerate() {
            for (to, batch) in out.batches.iter_mut().enumerate() {
                mail[rank * ranks + to].extend(batch.drain(..));
            }
        }
        let busy =
            mail.iter().any(|mail| !mail.is_empty()) || out.iter().any(|out| !out.queue.is_empty());
        quiet = if busy { 0 } else { quiet + 1 };
        let (from, to) = (random.below(ranks as u32) as usize, random.below(ranks as u32) as usize);
        if from == to {
            for _ in 0..random.below(6) {
                if let Some((arc, message)) = out[to].queue.pop() {
                    simulated[to].receive(arc, message, &mut out[to]);
                }
            }
        } else if let Some(wire) = mail[from * ranks + to].pop_front() {
            let Note::To(arc, message) = wire.into() else { unreachable!("there are no tokens") };
            out[to].queue.push(simulated[to].vertex_of(arc), (arc, message));
        }
    }
    let mut forest: Vec<_> =
        simulated.iter().zip(0..).flat_map(|(vertices, rank)| vertices.forest(rank)).collect();
    forest.sort_unstable();
    Outcome {
        forest: forest.into_iter().map(|id| id as u32).collect(),
        sent: std::array::from_fn(|kind| out.iter().map(|out| out.sent[kind]).sum()),
        halts: simulated.iter().map(|vertices| vertices.halts).sum(),
        level: simulated.iter().map(|vertices| vertices.level).max().unwrap_or_default(),
    }
}

fn check(graph: &EdgeList<u32>, outcome: &Outcome, name: &str) {
    verify(graph.edges(Order::Minimum), &outcome.forest)
        .unwrap_or_else(|fault| panic!("{name}: {fault}"));
    let n = f64::from(graph.vertices());
    let most = 5.0 * n * n.max(1.0).log2() + 2.0 * graph.len() as f64;
    let sent = outcome.sent.iter().sum::<u64>() as f64;
    assert!(sent <= most, "{name}: {sent} messages are more than {most}");
    assert!(f64::from(outcome.level) <= n.max(1.0).log2(), "{name}: level {}", outcome.level);
}

fn graph(n: u32, edges: impl IntoIterator<Item = (u32, u32, u32)>) -> EdgeList<u32> {
    let (mut u, mut v, mut weights) = (vec![], vec![], vec![]);
    for (from, to, weight) in edges {
        u.push(from);
        v.push(to);
        weights.push(weight);
    }
    EdgeList::new(n as usize, u, v, weights).unwrap()
}

/// Multigraphs with ties, self-loops, parallel edges and isolated vertices.
fn multigraph(random: &mut Random) -> EdgeList<u32> {
    let n = 1 + random.below(24);
    let m = random.below(3 * n);
    let weights = 1 + random.below(5);
    let edges: Vec<_> =
        (0..m).map(|_| (random.below(n), random.below(n), random.below(weights))).collect();
    graph(n, edges)
}

#[test]
fn the_forest_does_not_depend_on_ranks_or_on_how_long_mail_takes() {
    for seed in 0..if cfg!(miri) { 3 } else { 600 } {
        let mut random = Random(seed);
        let graph = multigraph(&mut random);
        let ranks = 1 + random.below(5) as usize;
        let options = Options { shortcuts: seed % 3 > 0, queue_per_vertex: seed % 2 > 0 };
        let outcome = simulate(&graph, (ranks, options), |_| true, &mut random);
        check(&graph, &outcome, &format!("seed {seed}, {options:?}"));
        // Each component with an edge has one core, whose two ends find that no edge leaves.
        let mut with_edges = vec![false; graph.vertices() as usize];
        for (u, v) in graph.u().iter().zip(graph.v()).filter(|(u, v)| u != v) {
            (with_edges[*u as usize], with_edges[*v as usize]) = (true, true);
        }
        let components = with_edges.iter().filter(|&&has| has).count() - outcome.forest.len();
        assert_eq!(outcome.halts, 2 * components as u64, "seed {seed}");
    }
}

#[test]
fn interleaved_vertices_are_on_rank_j_mod_p() {
    let ends = |slice: &Slice<u32>| -> Vec<(u64, u64)> {
        (0..slice.len() as u32).map(|edge| slice.ends(edge)).collect()
    };
    for (vertices, ranks) in [(7, 3), (6, 3), (2, 5), (9, 1)] {
        let path: Vec<u64> = (1..vertices).collect();
        let before: Vec<u64> = (0..vertices - 1).collect();
        let weights: Vec<u32> = path.iter().map(|&v| v as u32).collect();
        let slice = Slice::new(vertices, 4, &before, &path, weights).unwrap();
        let dealt = interleaved(&slice, ranks).unwrap();
        let blocks = VertexDistribution::new(dealt.vertices(), ranks);
        for ((u, v), (new_u, new_v)) in ends(&slice).into_iter().zip(ends(&dealt)) {
            let owners = (blocks.owner(new_u) as u64, blocks.owner(new_v) as u64);
            assert_eq!(owners, (u % ranks as u64, v % ranks as u64), "{vertices} on {ranks}");
        }
        assert_eq!((dealt.first(), dealt.edges().weights()), (4, slice.edges().weights()));
    }
}

#[test]
fn one_vertex_that_is_awake_wakes_its_component() {
    for seed in 0..if cfg!(miri) { 1 } else { 50 } {
        let mut random = Random(seed);
        let n = 2 + random.below(20);
        let path = (1..n).map(|v| (v - 1, v, v * 7 % 5));
        let chords = (0..n).map(|v| (v, v * 3 % n, 2));
        let graph = graph(n, path.chain(chords));
        let only = random.below(n);
        let options = Options { shortcuts: seed % 2 > 0, ..PLAIN };
        let outcome = simulate(&graph, (3, options), |v| v == only, &mut random);
        check(&graph, &outcome, &format!("seed {seed}"));
    }
}

#[test]
fn hard_shapes_come_out_right() {
    let mut random = Random(1);
    let n = if cfg!(miri) { 8 } else { 64 };
    let ruler = |v: u32| v.trailing_zeros();
    for (name, graph) in [
        ("ascending path", graph(n, (1..n).map(|v| (v - 1, v, v)))),
        ("descending path", graph(n, (1..n).map(|v| (v - 1, v, n - v)))),
        ("path that merges in pairs", graph(n, (1..n).map(|v| (v - 1, v, ruler(v))))),
        ("equal path", graph(n, (1..n).map(|v| (v - 1, v, 1)))),
        ("star", graph(n, (1..n).map(|v| (0, v, n - v)))),
        (
            "equal complete graph",
            graph(16, (0..256).filter(|i| i % 16 < i / 16).map(|i| (i % 16, i / 16, 1))),
        ),
        ("parallel edges", graph(2, (0..9).map(|i| (i % 2, 1 - i % 2, 9 - i)))),
        ("no edges", graph(5, [])),
        ("nothing", graph(0, [])),
    ] {
        for (ranks, shortcuts) in [(1, false), (1, true), (2, false), (2, true), (5, true)] {
            let options = Options { shortcuts, ..PLAIN };
            let outcome = simulate(&graph, (ranks, options), |_| true, &mut random);
            check(&graph, &outcome, name);
            let merges = outcome.level;
            if name == "path that merges in pairs" {
                assert_eq!(1 << merges, n, "as high as it gets");
            }
            assert!(outcome.sent[CONNECT] <= u64::from(graph.vertices()) * 2, "{name}");
        }
    }
}

/// On one rank every branch is inside a piece, so nothing runs along branches, and no edge inside a
/// piece is tested.
#[test]
fn shortcuts_leave_no_messages_along_branches_of_a_rank() {
    let mut random = Random(7);
    let n = if cfg!(miri) { 16 } else { 300 };
    let path = (1..n).map(|v| (v - 1, v, v * 7 % 31));
    let graph = graph(n, path.chain((0..n).map(|v| (v, v * 5 % n, 40 + v % 3))));
    let plain = simulate(&graph, (1, PLAIN), |_| true, &mut random);
    let options = Options { shortcuts: true, ..PLAIN };
    let short = simulate(&graph, (1, options), |_| true, &mut random);
    check(&graph, &short, "shortcuts");
    assert_eq!(short.forest, plain.forest);
    let [connect, initiate, test, accept, reject, report, change_root] = short.sent;
    assert_eq!([initiate, report, change_root], [0; 3]);
    assert!(plain.sent[1] > 0 && plain.sent[5] > 0, "{:?}", plain.sent);
    assert!(connect < 2 * u64::from(n) && reject <= test && accept <= test);
    assert!(test < plain.sent[2], "{test} tests instead of {}", plain.sent[2]);
}
