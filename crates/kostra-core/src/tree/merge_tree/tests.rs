use crate::{EdgeList, Graph, Order, UnionFind};

use super::*;

fn solved(graph: &Graph<i32>, order: Order) -> Forest {
    let edges = graph.edge_list().edges(order);
    let mut ids: Vec<EdgeId> = edges.ids().collect();
    ids.sort_unstable_by_key(|&id| edges.rank(id));
    let mut components = UnionFind::new(edges.vertices());
    ids.retain(|&id| {
        let (u, v) = edges.ends(id);
        components.union(u, v)
    });
    ids.sort_unstable();
    Forest::new(edges, ids)
}

/// A graph with several components and many equal weights.
fn scattered(seed: u32, n: u32, m: usize) -> Graph<i32> {
    let mut state = seed;
    let mut random = |below: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) % below
    };
    let (mut u, mut v, mut w) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..m {
        u.push(random(n));
        v.push(random(n));
        w.push(random(12) as i32 - 4);
    }
    EdgeList::new(n as usize, u, v, w).unwrap().into()
}

#[test]
fn bottlenecks_are_the_last_edges_on_the_paths() {
    let (seeds, vertices) = if cfg!(miri) { (2, 8) } else { (60, 30) };
    for seed in 0..seeds {
        let graph = scattered(seed, vertices, 5 + seed as usize);
        for order in [Order::Minimum, Order::Maximum] {
            let edges = graph.edge_list().edges(order);
            let forest = solved(&graph, order);
            let tree = MergeTree::new(edges, &forest).unwrap();
            for s in 0..vertices {
                let expected = last_on_paths(edges, &forest, s);
                for t in 0..vertices {
                    assert_eq!(
                        tree.bottleneck(s, t),
                        expected[t as usize],
                        "{s} to {t}, seed {seed}"
                    );
                }
            }
        }
    }
}

/// Finds the bottlenecks from `s` by a walk over the forest's edges, `n` times.
fn last_on_paths(edges: Edges<'_, u32>, forest: &Forest, s: Vertex) -> Vec<Bottleneck> {
    let mut found = vec![Bottleneck::Apart; edges.vertices() as usize];
    found[s as usize] = Bottleneck::Same;
    for _ in 0..edges.vertices() {
        for &id in forest.ids() {
            let (u, v) = edges.ends(id);
            for (from, to) in [(u, v), (v, u)] {
                if found[to as usize] != Bottleneck::Apart {
                    continue;
                }
                found[to as usize] = match found[from as usize] {
                    Bottleneck::Apart => continue,
                    Bottleneck::Edge(other) if edges.rank(other) > edges.rank(id) => {
                        Bottleneck::Edge(other)
                    }
                    _ => Bottleneck::Edge(id),
                };
            }
        }
    }
    found
}

#[test]
fn merges_end_with_the_components() {
    let graph = scattered(7, 40, 60);
    let edges = graph.edge_list().edges(Order::Minimum);
    let forest = solved(&graph, Order::Minimum);
    let tree = MergeTree::new(edges, &forest).unwrap();
    assert!(tree.edges().is_sorted_by_key(|&edge| edges.rank(edge)));
    let mut members: Vec<Vec<Vertex>> = (0..40).map(|vertex| vec![vertex]).collect();
    for (index, merge) in tree.merges().unwrap().enumerate() {
        let [a, b] = merge.clusters.map(|cluster| members[cluster as usize].clone());
        assert!(merge.clusters[0] < merge.clusters[1]);
        let (u, v) = edges.ends(merge.edge);
        assert!((a.contains(&u) && b.contains(&v)) || (a.contains(&v) && b.contains(&u)));
        let union = [a, b].concat();
        assert_eq!(union.len(), merge.size as usize);
        let clusters = tree.clusters(index + 1).unwrap();
        assert!(
            union.iter().all(|&vertex| clusters[vertex as usize] == clusters[union[0] as usize])
        );
        members.push(union);
    }
    assert_eq!(tree.clusters(0).unwrap(), (0..40).collect::<Vec<_>>());
    assert_eq!(tree.clusters(usize::MAX).unwrap(), forest.labels(edges).unwrap().as_slice());
}

#[test]
fn links_are_at_most_log_n_deep() {
    let n = 1_u32 << if cfg!(miri) { 6 } else { 12 };
    let (u, v): (Vec<_>, Vec<_>) = (1..n).map(|vertex| (vertex, vertex - 1)).unzip();
    let graph = Graph::from(EdgeList::new(n as usize, u, v, vec![0; n as usize - 1]).unwrap());
    let forest = solved(&graph, Order::Minimum);
    let tree = MergeTree::new(graph.edge_list().edges(Order::Minimum), &forest).unwrap();
    for mut vertex in 0..n {
        let mut depth = 0;
        while tree.nodes.get(vertex).link != NEVER {
            vertex = tree.nodes.get(vertex).parent;
            depth += 1;
        }
        assert!(depth <= 12);
    }
}
