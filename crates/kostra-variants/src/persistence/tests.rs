use kostra_core::random::RandomStream;
use kostra_core::{EdgeList, Order, Run, UnionFind, Vertex};
use kostra_points::grid::{Connectivity, Grid};

use super::*;

/// A component: its first vertex, and the values of its start and its end.
type Component = (Vertex, f64, f64);

/// The definition: at each value in order, the components of what has entered, each known by its
/// first vertex in the order of (value, number).
fn by_definition(births: &[f64], edges: &[(Vertex, Vertex, f64)], order: Order) -> Vec<Component> {
    let sign = if order == Order::Minimum { 1.0 } else { -1.0 };
    let mut steps: Vec<f64> =
        births.iter().chain(edges.iter().map(|edge| &edge.2)).copied().collect();
    steps.sort_by(|a, b| (sign * a).total_cmp(&(sign * b)));
    steps.dedup();
    let first = |vertices: &[Vertex]| {
        let key = |&&vertex: &&Vertex| (sign * births[vertex as usize], vertex);
        *vertices.iter().min_by(|a, b| key(a).partial_cmp(&key(b)).unwrap()).unwrap()
    };
    let mut alive: Vec<Vertex> = Vec::new();
    let mut found = Vec::new();
    for &step in &steps {
        let has_entered = |value: f64| sign * value <= sign * step;
        let mut sets = UnionFind::new(births.len() as u32);
        for &(u, v, _) in edges.iter().filter(|edge| has_entered(edge.2)) {
            sets.union(u, v);
        }
        let mut groups = vec![Vec::new(); births.len()];
        for vertex in (0..births.len() as Vertex).filter(|&v| has_entered(births[v as usize])) {
            groups[sets.find(vertex) as usize].push(vertex);
        }
        let now: Vec<_> =
            groups.iter().filter(|group| !group.is_empty()).map(|group| first(group)).collect();
        for &ended in alive.iter().filter(|vertex| !now.contains(vertex)) {
            found.push((ended, births[ended as usize], step));
        }
        alive = now;
    }
    found.extend(
        alive.iter().map(|&vertex| (vertex, births[vertex as usize], sign * f64::INFINITY)),
    );
    found.sort_by(|a, b| a.partial_cmp(b).unwrap());
    found
}

fn components(pairs: &[PersistencePair]) -> Vec<Component> {
    let mut found: Vec<_> =
        pairs.iter().map(|pair| (pair.vertex, pair.birth, pair.death)).collect();
    found.sort_by(|a, b| a.partial_cmp(b).unwrap());
    found
}

const ORDERS: [Order; 2] = [Order::Minimum, Order::Maximum];

fn random_values(seed: u64, count: usize, distinct: u64) -> Vec<f64> {
    let random = RandomStream::new(seed);
    (0..count as u64).map(|at| random.below(at, distinct) as f64 - 2.0).collect()
}

#[test]
fn components_of_a_graph_are_those_of_the_definition() {
    for seed in 0..60 {
        let random = RandomStream::new(seed);
        let vertices = 1 + random.below(0, 12) as usize;
        let edges = random.split(1).below(0, 25) as usize;
        let ends = |part: u64| -> Vec<Vertex> {
            (0..edges as u64)
                .map(|edge| random.split(part).below(edge, vertices as u64) as Vertex)
                .collect()
        };
        let (u, v) = (ends(2), ends(3));
        let births = random_values(seed + 100, vertices, 6);
        for order in ORDERS {
            let star = lower_star(&u, &v, &births, order).unwrap();
            // Edges that enter with their ends, or up to two steps later.
            let sign = if order == Order::Minimum { 1.0 } else { -1.0 };
            let later = |(edge, &weight): (u64, &f64)| {
                weight + sign * random.split(4).below(edge, 3) as f64
            };
            let delayed: Vec<f64> = (0..).zip(star.weights()).map(later).collect();
            let delayed = EdgeList::new(vertices, u.clone(), v.clone(), delayed).unwrap();
            for graph in [&star, &delayed] {
                let pairs =
                    persistence_of_graph(graph, Births::Values(&births), order, &mut Run::new());
                let pairs = pairs.unwrap();
                let list: Vec<_> =
                    (0..edges).map(|edge| (u[edge], v[edge], graph.weights()[edge])).collect();
                assert_eq!(components(&pairs), by_definition(&births, &list, order), "{seed}");
                check_tree(&pairs, order);
            }
        }
    }
}

/// A tree has two children or more below each node, later parents, and the same components.
fn check_tree(pairs: &[PersistencePair], order: Order) {
    let tree = JoinTree::new(pairs).unwrap();
    let mut children = vec![0; tree.places.len()];
    for (node, parent) in tree.parents.iter().enumerate() {
        let Some(parent) = parent else { continue };
        let (value, above) = (tree.values[node], tree.values[*parent as usize]);
        assert!(*parent as usize > node || node >= pairs.len());
        assert!(if order == Order::Minimum { value <= above } else { value >= above });
        children[*parent as usize] += 1;
    }
    assert!(children[..pairs.len()].iter().all(|&count| count == 0));
    assert!(children[pairs.len()..].iter().all(|&count| count >= 2), "{children:?}");
    let roots = tree.parents.iter().filter(|parent| parent.is_none()).count();
    assert_eq!(roots, pairs.iter().filter(|pair| pair.end.is_none()).count());
}

#[test]
fn components_of_a_grid_are_those_of_the_definition_on_any_number_of_threads() {
    let shapes = [[1, 1, 1], [1, 1, 7], [1, 6, 1], [1, 5, 6], [3, 4, 5], [2, 1, 4], [4, 3, 1]];
    for seed in 0..12 {
        for shape in shapes {
            for connectivity in [Connectivity::Faces, Connectivity::Corners] {
                let grid = Grid::new(shape, connectivity).unwrap();
                // Few values give plateaus; -0.0 equals 0.0.
                let mut values = random_values(seed, grid.cells(), 3 + seed);
                values.iter_mut().step_by(2).filter(|value| **value == 0.0).for_each(|v| *v = -0.0);
                let [u, v] = grid.ends().unwrap();
                for order in ORDERS {
                    let star = lower_star(&u, &v, &values, order).unwrap();
                    let list: Vec<_> =
                        (0..u.len()).map(|e| (u[e], v[e], star.weights()[e])).collect();
                    let expected = by_definition(&values, &list, order);
                    let pairs =
                        persistence_of_grid(&grid, &values, order, &mut Run::new()).unwrap();
                    assert_eq!(components(&pairs), expected, "{shape:?}, seed {seed}");
                    check_tree(&pairs, order);
                    let single: Vec<f32> = values.iter().map(|&value| value as f32).collect();
                    let mut run = Run::new().on_threads(3);
                    assert_eq!(
                        persistence_of_grid(&grid, &single, order, &mut run).unwrap(),
                        pairs
                    );
                }
            }
        }
    }
}

#[test]
fn a_large_grid_has_the_same_answer_on_any_number_of_threads() {
    let grid = Grid::new([1, 300, 401], Connectivity::Faces).unwrap();
    let values = random_values(5, grid.cells(), 1 << 20);
    let [u, v] = grid.ends().unwrap();
    let star = lower_star(&u, &v, &values, Order::Minimum).unwrap();
    let births = Births::Values(&values);
    let graph = persistence_of_graph(&star, births, Order::Minimum, &mut Run::new()).unwrap();
    for threads in [1, 2, 5] {
        let mut run = Run::new().on_threads(threads);
        let pairs = persistence_of_grid(&grid, &values, Order::Minimum, &mut run).unwrap();
        assert_eq!(components(&pairs), components(&graph));
        assert_eq!(persistence_of_grid(&grid, &values, Order::Minimum, &mut run).unwrap(), pairs);
    }
}

#[test]
fn points_end_at_the_lengths_of_their_tree() {
    let tree =
        PointTree { len: 4, ends: vec![[1, 2], [0, 1], [0, 3]], distances: vec![0.0, 1.5, 4.0] };
    let pairs = persistence_of_points(&tree).unwrap();
    let ends: Vec<_> = pairs.iter().map(|pair| (pair.vertex, pair.death)).collect();
    assert_eq!(ends, [(1, 1.5), (3, 4.0), (0, f64::INFINITY)]);
}

#[test]
fn values_that_are_no_filtration_are_refused() {
    let graph = EdgeList::new(2, vec![0], vec![1], vec![1.0]).unwrap();
    let of = |births| persistence_of_graph(&graph, births, Order::Minimum, &mut Run::new());
    let error = |births| of(births).unwrap_err().to_string();
    assert!(error(Births::Values(&[0.0])).contains("1 values are not one for each of 2"));
    assert!(error(Births::Values(&[0.0, f64::NAN])).contains("vertex 1 is NaN"));
    assert!(error(Births::Values(&[0.0, 2.0])).contains("edge 0 has the value 1, and its end 1"));
    assert!(error(Births::At(1.5)).contains("enters later, at 1.5"));
    assert!(lower_star(&[0], &[2], &[0.0, 1.0], Order::Minimum).is_err());
    let grid = Grid::new([1, 1, 2], Connectivity::Faces).unwrap();
    let of = |values: &[f64]| persistence_of_grid(&grid, values, Order::Minimum, &mut Run::new());
    assert!(of(&[1.0]).is_err());
    assert!(of(&[1.0, f64::NAN]).unwrap_err().to_string().contains("is NaN"));
}

#[test]
fn a_component_that_ends_outside_the_list_has_no_tree() {
    let grid = Grid::new([1, 1, 3], Connectivity::Faces).unwrap();
    let pairs = persistence_of_grid(&grid, &[1.0, 3.0, 0.0], Order::Minimum, &mut Run::new());
    let mut pairs = pairs.unwrap();
    assert_eq!(JoinTree::new(&pairs[..1]), None);
    longer_than(&mut pairs, 2.0);
    assert_eq!(JoinTree::new(&pairs).map(|tree| tree.places), Some(vec![2]));
}
