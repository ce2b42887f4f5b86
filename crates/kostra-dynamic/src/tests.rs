//! Every batch against a fresh solve by the solver for small graphs, id by id, and against a search
//! of the forest for the queries.

use std::collections::BTreeSet;

use kostra_core::random::RandomStream;
use kostra_core::{EdgeId, EdgeList, Order, Run, Total, Weight};

use crate::trees::Trees;
use crate::{DynamicForest, UpdateBatch, UpdateError};

/// The present edges, with ids.
pub(crate) type Present<W> = Vec<(EdgeId, u32, u32, W)>;

/// The canonical forest of the present edges, and its total.
pub(crate) fn fresh<W: Weight>(
    vertices: u32,
    present: &Present<W>,
    order: Order,
) -> (Vec<EdgeId>, Total) {
    let list = EdgeList::new(
        vertices as usize,
        present.iter().map(|edge| edge.1).collect::<Vec<_>>(),
        present.iter().map(|edge| edge.2).collect::<Vec<_>>(),
        present.iter().map(|edge| edge.3).collect::<Vec<_>>(),
    )
    .unwrap();
    let edges = list.edges(order);
    let ids = kostra_cpu::kruskal_of_edges(edges, &mut Run::new()).unwrap().try_into_ids().unwrap();
    let total = kostra_core::Forest::new(edges, ids.clone()).total();
    (ids.into_iter().map(|position| present[position as usize].0).collect(), total)
}

/// The number of vertices that the forest joins to `s`, and the last edge in canonical order on its
/// path to `t`: `None` if there is no path.
fn searched<W: Weight>(forest: &DynamicForest<W>, s: u32, t: u32) -> (u32, Option<Option<EdgeId>>) {
    let edges: Vec<_> = forest.ids().into_iter().map(|id| (id, forest.edge(id).unwrap())).collect();
    let mut reached = vec![(s, None)];
    let mut next = 0;
    while next < reached.len() {
        let (vertex, worst) = reached[next];
        next += 1;
        for &(id, (u, v, weight)) in &edges {
            if u != vertex && v != vertex {
                continue;
            }
            let other = u ^ v ^ vertex;
            if reached.iter().all(|&(seen, _)| seen != other) {
                let rank = (kostra_core::key_of(weight, forest.order()), id);
                reached.push((other, worst.max(Some(rank))));
            }
        }
    }
    let path = reached.iter().find(|&&(vertex, _)| vertex == t);
    (reached.len() as u32, path.map(|&(_, worst)| worst.map(|(_, id)| id)))
}

fn check_queries<W: Weight>(forest: &mut DynamicForest<W>, s: u32, t: u32) {
    let (size, path) = searched(forest, s, t);
    assert_eq!(forest.component_size(s).unwrap(), size);
    assert_eq!(forest.connected(s, t).unwrap(), path.is_some());
    assert_eq!(forest.bottleneck(s, t).unwrap(), path.flatten());
}

/// Checks a forest of these edges after a batch, and returns its ids. `before` are those before it.
fn check_batch<W: Weight>(
    forest: &DynamicForest<W>,
    present: &Present<W>,
    before: &[EdgeId],
) -> Vec<EdgeId> {
    let (ids, total) = fresh(forest.vertices(), present, forest.order());
    assert_eq!(forest.ids(), ids);
    assert_eq!(forest.present_ids(), present.iter().map(|e| e.0).collect::<Vec<_>>());
    // As text, in which NaN equals itself: it is the sum of opposite infinities.
    assert_eq!(forest.total().to_string(), total.to_string());
    assert_eq!(forest.edges(), present.len());
    assert_eq!(forest.components() as usize, forest.vertices() as usize - ids.len());
    let without = |a: &[EdgeId], b: &[EdgeId]| -> Vec<EdgeId> {
        a.iter().copied().filter(|id| !b.contains(id)).collect()
    };
    assert_eq!(forest.entered(), without(&ids, before));
    assert_eq!(forest.left(), without(before, &ids));
    ids
}

/// The trees of a forest, as a word.
fn trees<W: Weight>(forest: &DynamicForest<W>) -> &'static str {
    match forest.trees {
        Trees::None => "none",
        Trees::Growing(_) => "growing",
        Trees::Changing(_) => "changing",
    }
}

/// A batch of updates of all kinds, as owned columns.
#[derive(Default)]
struct OwnedBatch<W> {
    expire: EdgeId,
    delete: Vec<EdgeId>,
    reweight: (Vec<EdgeId>, Vec<W>),
    insert: (Vec<u32>, Vec<u32>, Vec<W>),
}

/// A random batch of at most `size` updates of each kind.
fn drawn_batch<W: Weight>(
    pool: &[W],
    vertices: usize,
    present: &Present<W>,
    size: usize,
    below: &mut impl FnMut(usize) -> usize,
) -> OwnedBatch<W> {
    let expired = below(2) * below(1 + present.len().min(size));
    let expire = present.get(expired).map_or(0, |edge| edge.0);
    let mut ids: Vec<EdgeId> = present[expired..].iter().map(|edge| edge.0).collect();
    while ids.len() > size {
        ids.swap_remove(below(ids.len()));
    }
    let changed = ids.split_off(below(1 + ids.len()));
    let mut weights = |count| (0..count).map(|_| pool[below(pool.len())]).collect::<Vec<_>>();
    let (new, w) = (weights(changed.len()), weights(size));
    let mut ends = || (0..size).map(|_| below(vertices) as u32).collect::<Vec<_>>();
    OwnedBatch { expire, delete: ids, reweight: (changed, new), insert: (ends(), ends(), w) }
}

/// Applies a batch to a forest and to its present edges.
fn apply<W: Weight>(
    forest: &mut DynamicForest<W>,
    present: &mut Present<W>,
    OwnedBatch { expire, delete, reweight: (changed, weights), insert: (u, v, w) }: &OwnedBatch<W>,
) {
    let batch =
        UpdateBatch { expire: *expire, delete, reweight: (changed, weights), insert: (u, v, w) };
    let new = forest.apply(&batch).unwrap();
    let deleted: BTreeSet<_> = delete.iter().collect();
    present.retain(|edge| edge.0 >= *expire && !deleted.contains(&edge.0));
    for (id, &weight) in changed.iter().zip(weights) {
        let position = present.binary_search_by_key(id, |edge| edge.0).unwrap();
        present[position].3 = weight;
    }
    present.extend(new.zip(u).zip(v).zip(w).map(|(((id, &u), &v), &w)| (id, u, v, w)));
}

/// Inserts random edges into a forest, and adds them to its present edges.
fn insert_drawn<W: Weight>(
    forest: &mut DynamicForest<W>,
    present: &mut Present<W>,
    pool: &[W],
    size: usize,
    below: &mut impl FnMut(usize) -> usize,
) {
    let vertices = forest.vertices() as usize;
    let mut ends = || (0..size).map(|_| below(vertices) as u32).collect::<Vec<_>>();
    let (u, v) = (ends(), ends());
    let w: Vec<W> = (0..size).map(|_| pool[below(pool.len())]).collect();
    let ids = forest.insert(&u, &v, &w).unwrap();
    present.extend(ids.zip(u).zip(v).zip(w).map(|(((id, u), v), w)| (id, u, v, w)));
}

/// Random batches of all kinds. After each one, everything is checked. Returns the trees before and
/// behind each batch.
fn check_random_updates<W: Weight>(pool: &[W], order: Order, seed: u64) -> Vec<[&'static str; 2]> {
    let stream = RandomStream::new(seed);
    let mut drawn = 0;
    let mut below = |bound: usize| {
        drawn += 1;
        stream.below(drawn, bound as u64) as usize
    };
    let mut vertices = 1 + below(if seed.is_multiple_of(8) { 400 } else { 24 });
    let mut forest = DynamicForest::new(vertices, order).unwrap();
    let mut present: Present<W> = Vec::new();
    let mut before: Vec<EdgeId> = Vec::new();
    let mut steps = Vec::new();
    for _ in 0..60 {
        let trees_before = trees(&forest);
        let most = if below(4) == 0 { 3 * vertices } else { 3 };
        let size = below(most + 1);
        match below(10) {
            9 => {
                let batch = drawn_batch(pool, vertices, &present, size, &mut below);
                apply(&mut forest, &mut present, &batch);
            }
            0..3 => insert_drawn(&mut forest, &mut present, pool, size, &mut below),
            kind @ 3..7 => {
                let mut ids: Vec<EdgeId> =
                    if kind == 3 { before.clone() } else { present.iter().map(|e| e.0).collect() };
                while ids.len() > size {
                    ids.swap_remove(below(ids.len()));
                }
                if kind < 6 {
                    forest.delete(&ids).unwrap();
                    present.retain(|edge| !ids.contains(&edge.0));
                } else {
                    let w: Vec<W> = ids.iter().map(|_| pool[below(pool.len())]).collect();
                    forest.reweight(&ids, &w).unwrap();
                    for (id, w) in ids.iter().zip(w) {
                        present.iter_mut().find(|edge| edge.0 == *id).unwrap().3 = w;
                    }
                }
            }
            7 => {
                let more = below(1 + size.min(9));
                let new = forest.add_vertices(more).unwrap();
                assert_eq!(new, vertices as u32..(vertices + more) as u32);
                vertices += more;
            }
            _ => {
                let first = present.get(size).map_or(0, |edge| edge.0);
                let old = present.len();
                present.retain(|edge| edge.0 >= first);
                assert_eq!(forest.expire(first).unwrap(), old - present.len());
            }
        }
        steps.push([trees_before, trees(&forest)]);
        before = check_batch(&forest, &present, &before);
        // A query makes trees, so most batches follow another batch.
        if below(4) == 0 {
            check_queries(&mut forest, below(vertices) as u32, below(vertices) as u32);
        }
    }
    steps
}

#[test]
fn every_batch_gives_the_forest_of_a_fresh_solve() {
    let mut steps = BTreeSet::new();
    for seed in 0..120 {
        let order = if seed % 2 == 0 { Order::Minimum } else { Order::Maximum };
        steps.extend(check_random_updates(&[0, 1, -1, i32::MAX, i32::MIN, 7, 8, 9], order, seed));
        steps.extend(check_random_updates(&[0, 1, u32::MAX, 2, 3, 4], order, seed));
        steps.extend(check_random_updates(&[0, -1, i64::MAX, i64::MIN, 1 << 40, 5], order, seed));
        steps.extend(check_random_updates(&[0, u64::MAX, 1 << 63, 1, 2], order, seed));
        steps.extend(check_random_updates(
            &[0.0, -0.0, f32::INFINITY, -1.5, f32::NEG_INFINITY],
            order,
            seed,
        ));
        steps.extend(check_random_updates(
            &[0.0, -0.0, f64::INFINITY, 1e-300, -7.25, 1e300],
            order,
            seed,
        ));
        steps.extend(check_random_updates(&[5_u32], order, seed));
    }
    let all = ["none", "growing", "changing"];
    let expected = all.into_iter().flat_map(|a| all.map(|b| [a, b]));
    // Trees that can change become those of a growing forest only by way of a solve.
    let expected = expected.filter(|step| *step != ["changing", "growing"]);
    assert_eq!(steps, expected.collect());
}

/// Paths, stars and caterpillars with closing edges, of ascending, descending and equal weights:
/// every forest edge is deleted by itself, from one end or from the middle.
#[test]
fn deletions_from_extreme_trees_give_the_forest_of_a_fresh_solve() {
    let n = 60_u32;
    let parents: [fn(u32) -> u32; 3] =
        [|v| v - 1, |_| 0, |v| if v % 2 == 0 { v - 2 } else { v - 1 }];
    let weights: [fn(u32) -> i32; 3] = [|v| v as i32, |v| -(v as i32), |_| 0];
    for parent in parents {
        for weight in weights {
            let mut forest = DynamicForest::new(n as usize, Order::Minimum).unwrap();
            let mut present = Present::new();
            for v in 1..n {
                for (u, extra) in [(parent(v), 0), (v * 7 % n, 5), (parent(v), 5)] {
                    let w = weight(v) + extra;
                    let id = forest.insert(&[u], &[v], &[w]).unwrap().start;
                    present.push((id, u, v, w));
                }
            }
            while let Some(&id) = forest.ids().get(forest.ids().len() / 2) {
                assert_eq!(forest.ids(), fresh(n, &present, Order::Minimum).0);
                forest.delete(&[id]).unwrap();
                present.retain(|edge| edge.0 != id);
            }
            assert!(present.iter().all(|edge| edge.1 == edge.2), "self-loops remain");
        }
    }
}

#[test]
fn a_refused_update_changes_nothing() {
    let mut forest = DynamicForest::new(3, Order::Minimum).unwrap();
    forest.insert(&[0, 1], &[1, 2], &[1.0, 2.0]).unwrap();
    forest.delete(&[0]).unwrap();
    let errors = [
        forest.insert(&[0, 1], &[1, 3], &[1.0, 1.0]).unwrap_err(),
        forest.insert(&[0], &[1], &[f64::NAN]).unwrap_err(),
        forest.insert(&[0], &[1], &[]).unwrap_err(),
        forest.delete(&[1, 0]).unwrap_err(),
        forest.delete(&[1, 1]).unwrap_err(),
        forest.delete(&[2]).unwrap_err(),
        forest.reweight(&[1], &[]).unwrap_err(),
        forest.reweight(&[1], &[f64::NAN]).unwrap_err(),
        forest.bottleneck(0, 3).unwrap_err(),
        forest.component_size(3).unwrap_err(),
        // Two updates of one edge, and a new edge to a vertex that does not exist.
        forest.apply(&UpdateBatch { expire: 2, delete: &[1], ..Default::default() }).unwrap_err(),
        forest
            .apply(&UpdateBatch { delete: &[1], reweight: (&[1], &[3.0]), ..Default::default() })
            .unwrap_err(),
        forest
            .apply(&UpdateBatch {
                delete: &[1],
                insert: (&[0], &[3], &[1.0]),
                ..Default::default()
            })
            .unwrap_err(),
    ];
    assert!(errors[0].to_string().starts_with("edge 1 ends at vertex 3"));
    assert_eq!(errors[3], UpdateError::NotPresent { edge: 0 });
    assert_eq!(errors[4], UpdateError::Repeated { edge: 1 });
    assert_eq!(errors[7], UpdateError::NanWeight { edge: 1 });
    assert_eq!(errors[8], UpdateError::NoVertex { vertex: 3, vertices: 3 });
    assert_eq!(errors[10], UpdateError::Repeated { edge: 1 });
    assert_eq!(errors[11], UpdateError::Repeated { edge: 1 });
    assert!(errors[12].to_string().starts_with("edge 0 ends at vertex 3"));
    assert_eq!((forest.ids(), forest.edges(), forest.left()), (vec![1], 1, &[0][..]));
    let vertices = usize::MAX;
    assert_eq!(forest.add_vertices(vertices), Err(UpdateError::TooManyVertices { vertices }));
    assert_eq!((forest.vertices(), forest.left()), (3, &[0][..]));
}

/// Of a stream with a window, of one that loses all edges but old ones, and of one that loses at
/// random.
#[test]
fn the_table_has_few_entries_per_present_edge() {
    let stream = RandomStream::new(5);
    for kind in 0..3 {
        let mut forest = DynamicForest::new(50, Order::Minimum).unwrap();
        let mut present = Present::new();
        for step in 0..2_000_u32 {
            let random = |place| stream.below(u64::from(4 * step) + place, 50) as u32;
            let edge = (step, random(0), random(1), random(2));
            assert_eq!(forest.insert(&[edge.1], &[edge.2], &[edge.3]).unwrap().start, step);
            present.push(edge);
            if present.len() > 60 {
                let gone = match kind {
                    0 => 0,
                    1 => 60,
                    _ => stream.below(u64::from(4 * step) + 3, 61) as usize,
                };
                let gone = present.remove(gone).0;
                if kind == 0 {
                    assert_eq!(forest.expire(gone + 1).unwrap(), 1);
                } else {
                    forest.delete(&[gone]).unwrap();
                }
                assert_eq!(forest.delete(&[gone]), Err(UpdateError::NotPresent { edge: gone }));
            }
            assert!(forest.table.entries() <= 4 * present.len() + 8);
            if step % 50 == 0 {
                assert_eq!(forest.ids(), fresh(50, &present, Order::Minimum).0, "{kind}, {step}");
                assert_eq!(forest.present_ids(), present.iter().map(|e| e.0).collect::<Vec<_>>());
            }
        }
    }
}

/// Enough edges for `fast`, and batches around the size from which a batch is solved again.
#[test]
fn batches_of_any_size_in_a_large_graph_give_the_forest_of_a_fresh_solve() {
    let (n, stream) = (6_000_u32, RandomStream::new(3));
    let mut drawn = 0;
    let mut random = |bound: u32| {
        drawn += 1;
        stream.below(drawn, u64::from(bound)) as u32
    };
    let mut forest = DynamicForest::new(n as usize, Order::Maximum).unwrap();
    let mut present = Present::new();
    for size in [40_000, 1, 30, 900, 1_500, 3_000, 20_000] {
        let mut list = |bound| (0..size).map(|_| random(bound)).collect::<Vec<_>>();
        let (u, v, w) = (list(n), list(n), list(500));
        let ids = forest.insert(&u, &v, &w).unwrap();
        present.extend(ids.zip(u).zip(v).zip(w).map(|(((id, u), v), w)| (id, u, v, w)));
        assert!(forest.ids() == fresh(n, &present, Order::Maximum).0, "{size} insertions");

        let mut ids: Vec<_> = present.iter().map(|edge| edge.0).collect();
        stream.split(size).shuffle(&mut ids);
        ids.truncate(size as usize / 2);
        let weights = list(500);
        forest.reweight(&ids, &weights[..ids.len()]).unwrap();
        for (id, &weight) in ids.iter().zip(&weights) {
            let position = present.binary_search_by_key(id, |edge| edge.0).unwrap();
            present[position].3 = weight;
        }
        assert!(forest.ids() == fresh(n, &present, Order::Maximum).0, "{size} reweighted");

        let mut ids = forest.ids();
        stream.split(size + 1).shuffle(&mut ids);
        ids.truncate(size as usize);
        forest.delete(&ids).unwrap();
        ids.sort_unstable();
        present.retain(|edge| ids.binary_search(&edge.0).is_err());
        assert!(forest.ids() == fresh(n, &present, Order::Maximum).0, "{size} deletions");

        // A window that moves, and updates of all kinds.
        let (u, v, w) = (list(n), list(n), list(500));
        let expire = present[size as usize / 2].0;
        let mut ids: Vec<_> = present[size as usize / 2..].iter().map(|edge| edge.0).collect();
        stream.split(size + 2).shuffle(&mut ids);
        ids.truncate(size as usize / 2);
        let changed = ids.split_off(ids.len() / 2);
        let new = weights[..changed.len()].to_vec();
        for (delete, reweight) in [(vec![], (vec![], vec![])), (ids, (changed, new))] {
            let insert = (u.clone(), v.clone(), w.clone());
            apply(&mut forest, &mut present, &OwnedBatch { expire, delete, reweight, insert });
            assert!(forest.ids() == fresh(n, &present, Order::Maximum).0, "{size} of all kinds");
        }
    }
}
