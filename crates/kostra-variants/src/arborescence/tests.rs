use kostra_core::random::RandomStream;
use kostra_core::{EdgeList, Weight};
use num_bigint::BigInt;

use super::*;

/// Directed edges with weights that are exact as floats.
type Edges = Vec<(Vertex, Vertex, i64)>;

fn graph_of<W: Weight>(n: u32, edges: &Edges, weight: impl Fn(i64) -> W) -> AnyGraph
where
    AnyGraph: From<EdgeList<W>>,
{
    let u = edges.iter().map(|edge| edge.0).collect();
    let v = edges.iter().map(|edge| edge.1).collect();
    let weights = edges.iter().map(|edge| weight(edge.2)).collect();
    AnyGraph::from_edges(n as usize, u, v, weights).unwrap()
}

/// Whether these edges are a forest whose trees lead from roots.
fn is_forest(n: u32, edges: &Edges, ids: &[EdgeId]) -> bool {
    let mut before: Vec<Option<Vertex>> = vec![None; n as usize];
    for &id in ids {
        let (tail, head, _) = edges[id as usize];
        if before[head as usize].replace(tail).is_some() {
            return false;
        }
    }
    (0..n).all(|start| {
        let mut vertex = start;
        (0..=n).any(|_| match before[vertex as usize] {
            Some(tail) => {
                vertex = tail;
                false
            }
            None => true,
        })
    })
}

fn roots_of(n: u32, edges: &Edges, ids: &[EdgeId]) -> Vec<Vertex> {
    (0..n).filter(|&vertex| ids.iter().all(|&id| edges[id as usize].1 != vertex)).collect()
}

/// All best forests, by trying all sets of edges.
fn best_forests(n: u32, edges: &Edges, roots: &[Vertex], order: Order) -> Vec<Vec<EdgeId>> {
    let mut best = Vec::new();
    let mut best_value = None;
    for set in 0_u32..1 << edges.len() {
        let ids: Vec<EdgeId> = (0..edges.len() as u32).filter(|id| set >> id & 1 == 1).collect();
        if !is_forest(n, edges, &ids) || !roots.is_empty() && roots_of(n, edges, &ids) != roots {
            continue;
        }
        let weight: i64 = ids.iter().map(|&id| edges[id as usize].2).sum();
        let weight = if order == Order::Maximum { -weight } else { weight };
        let value = Some((n as usize - ids.len(), weight));
        if best_value.is_none() || value < best_value {
            (best_value, best) = (value, Vec::new());
        }
        if value == best_value {
            best.push(ids);
        }
    }
    best
}

/// The canonical one of all best forests, as its definition says.
fn canonical(n: u32, edges: &Edges, mut best: Vec<Vec<EdgeId>>) -> Vec<EdgeId> {
    let mut reached = vec![false; n as usize];
    while reached.contains(&false) {
        let step = (0..edges.len() as u32).find(|&id| {
            let (tail, head, _) = edges[id as usize];
            reached[tail as usize]
                && !reached[head as usize]
                && best.iter().any(|ids| ids.contains(&id))
        });
        if let Some(id) = step {
            best.retain(|ids| ids.contains(&id));
            reached[edges[id as usize].1 as usize] = true;
            continue;
        }
        let is_root =
            |ids: &Vec<EdgeId>, vertex| ids.iter().all(|&id| edges[id as usize].1 != vertex);
        let root = (0..n).find(|&vertex| {
            !reached[vertex as usize] && best.iter().any(|ids| is_root(ids, vertex))
        });
        best.retain(|ids| is_root(ids, root.unwrap()));
        reached[root.unwrap() as usize] = true;
    }
    assert_eq!(best.len(), 1);
    best.remove(0)
}

fn find(
    graph: &AnyGraph,
    roots: &[Vertex],
    order: Order,
) -> Result<Arborescence, ArborescenceError> {
    arborescence(graph, roots, order, &mut Run::new())
}

/// A random directed multigraph with few distinct weights.
fn random_edges(seed: u64, n: u32, most: u64) -> Edges {
    let stream = RandomStream::new(seed);
    let m = stream.below(0, most + 1);
    let spread = 1 + stream.below(1, 6);
    let end = |place| stream.below(place, n.into()) as Vertex;
    (1..=m)
        .map(|i| (end(3 * i), end(3 * i + 1), stream.below(3 * i + 2, spread) as i64 - 2))
        .collect()
}

#[test]
fn answers_are_the_canonical_ones_of_all_best_forests() {
    let mut ties = 0;
    for seed in 0..300 {
        let n = 1 + (seed % 6) as u32;
        let edges = random_edges(seed, n, 9);
        let some_roots =
            [vec![], vec![0], vec![n / 2], if n > 2 { vec![1, n - 1] } else { vec![0] }];
        for (roots, order) in some_roots
            .iter()
            .flat_map(|roots| [Order::Minimum, Order::Maximum].map(|order| (roots, order)))
        {
            let graph = graph_of(n, &edges, |weight| weight);
            let best = best_forests(n, &edges, roots, order);
            let found = find(&graph, roots, order);
            if best.is_empty() {
                let Err(ArborescenceError::Unreached { unreached }) = found else {
                    panic!("seed {seed}: {edges:?} have no forest from {roots:?}");
                };
                assert!(unreached.iter().all(|vertex| !roots.contains(vertex)));
                continue;
            }
            ties += usize::from(best.len() > 1);
            let found = found.unwrap();
            let expected = canonical(n, &edges, best);
            assert_eq!(found.ids(), expected, "seed {seed}: {edges:?} from {roots:?}, {order:?}");
            assert_eq!(found.roots(), roots_of(n, &edges, &expected));
            assert_eq!(found.verify(&graph), Ok(()), "seed {seed}: {edges:?} from {roots:?}");
        }
    }
    assert!(ties > 150, "only {ties} requests have several answers");
}

#[test]
fn weights_of_all_types_and_magnitudes_give_the_same_forest() {
    for seed in 0..60 {
        let n = 2 + (seed % 9) as u32;
        let edges = random_edges(seed + 1000, n, 40);
        let expected = find(&graph_of(n, &edges, |weight| weight), &[], Order::Minimum).unwrap();
        let high = 1_i64 << 61;
        let graphs = [
            graph_of(n, &edges, |weight| weight as i32),
            graph_of(n, &edges, |weight| (weight + 2) as u32),
            graph_of(n, &edges, |weight| weight * high - high),
            graph_of(n, &edges, |weight| (u64::MAX - 4).wrapping_add_signed(weight)),
            graph_of(n, &edges, |weight| weight as f32),
            graph_of(n, &edges, |weight| 1e300 * weight as f64),
            graph_of(n, &edges, |weight| f64::from_bits(1) * (weight + 2) as f64),
        ];
        for graph in graphs {
            let found = find(&graph, &[], Order::Minimum).unwrap();
            assert_eq!((found.ids(), found.roots()), (expected.ids(), expected.roots()));
            assert_eq!(found.verify(&graph), Ok(()));
        }
    }
}

#[test]
fn sums_of_floats_are_compared_without_rounding() {
    // As floats, both ways to 1 and 2 cost 1e16.
    let (u, v) = (vec![0, 0, 1, 2], vec![1, 2, 2, 1]);
    let weights = vec![1e16, 1e16, 1.0, 0.5];
    let graph = AnyGraph::from_edges(3, u.clone(), v.clone(), weights).unwrap();
    assert_eq!(find(&graph, &[0], Order::Minimum).unwrap().ids(), [1, 3]);
    // Weights of all magnitudes need integers of any size.
    let weights = vec![f64::MAX, f64::MAX, f64::from_bits(2), f64::from_bits(1)];
    let graph = AnyGraph::from_edges(3, u, v, weights).unwrap();
    let found = find(&graph, &[0], Order::Minimum).unwrap();
    assert!(matches!(found.duals, Duals::Wide(_)));
    assert_eq!((found.ids(), found.verify(&graph)), (&[1, 3][..], Ok(())));
}

#[test]
fn larger_graphs_are_proved_by_a_slow_reading_of_their_duals() {
    for (seed, n, most) in [(1, 300, 2000), (2, 400, 1200), (3, 50, 3000), (4, 500, 499)] {
        let mut edges = random_edges(seed, n, most);
        if seed == 4 {
            // A ring, and a way in: sets inside sets as deep as there are vertices.
            edges = (0..n).map(|i| (i, (i + 1) % n, i64::from(i))).collect();
            edges.extend((1..n).map(|i| (i, i - 1, i64::from(2 * i))));
        }
        let graph = graph_of(n, &edges, |weight| weight);
        let found = find(&graph, &[], Order::Minimum).unwrap();
        assert_eq!(found.verify(&graph), Ok(()));
        let Duals::Narrow(family) = &found.duals else { panic!("small weights are narrow") };
        let (single, sets) = family.duals();
        let duals: Vec<_> = single.iter().chain(sets).collect();
        assert!(sets.iter().all(|dual| *dual >= 0));
        // The sets around each vertex, one by one.
        let around = |vertex: u32| {
            std::iter::successors(Some(vertex), |&node| family.around(node)).collect::<Vec<_>>()
        };
        let mut tight = 0;
        for (id, &(tail, head, weight)) in (0..).zip(&edges) {
            let inside = around(tail);
            let entered = around(head).into_iter().filter(|set| !inside.contains(set));
            let left = i128::from(weight) - entered.map(|set| *duals[set as usize]).sum::<i128>();
            assert!(tail == head || left >= 0);
            if found.ids().binary_search(&id).is_ok() {
                assert_eq!(left, 0);
                tight += 1;
            }
        }
        assert_eq!(tight + found.roots().len(), n as usize);
        assert!(is_forest(n, &edges, found.ids()));
    }
}

#[test]
fn false_answers_and_false_duals_are_refuted() {
    let edges = vec![(0, 1, 5), (0, 2, 7), (1, 2, 1), (2, 1, 2), (3, 3, 1), (2, 0, 9)];
    let graph = graph_of(4, &edges, |weight| weight);
    let right = find(&graph, &[0, 3], Order::Minimum).unwrap();
    assert_eq!((right.ids(), right.verify(&graph)), (&[0, 2][..], Ok(())));
    let verdict =
        |ids: &[EdgeId]| Arborescence { ids: ids.to_vec(), ..right.clone() }.verify(&graph);
    use ArborescenceFlaw::{Cycle, Duals as Infeasible, Entering, Gap, OtherGraph};
    assert_eq!(verdict(&[1, 3]), Err(Gap));
    assert_eq!(verdict(&[0]), Err(Entering { vertex: 2, entering: 0 }));
    assert_eq!(verdict(&[0, 2, 3]), Err(Entering { vertex: 1, entering: 2 }));
    assert_eq!(verdict(&[0, 2, 5]), Err(Entering { vertex: 0, entering: 1 }));
    assert_eq!(verdict(&[2, 3]), Err(Cycle { vertex: 1 }));
    let other = graph_of(4, &edges[1..].to_vec(), |weight| weight);
    assert_eq!(right.verify(&other), Err(OtherGraph));
    let Duals::Narrow(mut family) = right.duals.clone() else { panic!("small weights are narrow") };
    family.set_dual(1, 6);
    let higher = Arborescence { duals: Duals::Narrow(family), ..right.clone() };
    assert_eq!(higher.verify(&graph), Err(Infeasible));
    // A forest with one tree more has a proof of its own, but not with free roots.
    let free = find(&graph, &[], Order::Minimum).unwrap();
    assert_eq!((free.roots(), free.verify(&graph)), (&[0, 3][..], Ok(())));
    let more = Arborescence { ids: vec![2], roots: vec![0, 1, 3], ..free };
    assert_eq!(more.verify(&graph), Err(Gap));
}

#[test]
fn requests_without_an_answer_are_refused() {
    let edges = vec![(0, 1, 1), (2, 3, 1)];
    let graph = graph_of(4, &edges, |weight| weight);
    let refusal = |roots: &[Vertex]| find(&graph, roots, Order::Minimum).unwrap_err().to_string();
    assert_eq!(refusal(&[4]), "there is no vertex 4; the graph has 4 vertices, numbered from 0");
    assert_eq!(
        refusal(&[1]),
        "no path leads from the roots to 3 vertices, such as vertex 0; name more roots, or none"
    );
    let infinite = graph_of(4, &edges, |_| f64::NEG_INFINITY);
    let error = find(&infinite, &[], Order::Minimum).unwrap_err();
    assert_eq!(error, ArborescenceError::InfiniteWeight { edge: 0 });
    let none = find(&graph_of(0, &Vec::new(), |weight| weight), &[], Order::Minimum).unwrap();
    assert!(none.ids().is_empty() && none.roots().is_empty());
}

#[test]
fn wide_numbers_are_used_where_sums_need_them() {
    assert!(has_room(&[i128::from(u64::MAX)], 1 << 28) && !has_room(&[1 << 64], 1 << 30));
    assert!(has_room(&[1 << 95], 1 << 10) && !has_room(&[1 << 95], 1 << 14));
    assert_eq!(Amounts::Narrow(vec![3]).widened(), vec![BigInt::from(3)]);
}
