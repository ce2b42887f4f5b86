//! Sequences against fresh solves after every update, and against one batch for each update.

use kostra_core::random::RandomStream;
use kostra_core::{EdgeId, Order, Total, Weight};

use super::{ForestStep, Update};
use crate::tests::{Present, fresh};
use crate::{DynamicForest, UpdateError};

/// Applies an update as a batch.
fn apply<W: Weight>(forest: &mut DynamicForest<W>, update: Update<W>) -> Result<(), UpdateError> {
    match update {
        Update::Insert([u, v], weight) => forest.insert(&[u], &[v], &[weight]).map(drop),
        Update::Delete(id) => forest.delete(&[id]),
        Update::Reweight(id, weight) => forest.reweight(&[id], &[weight]),
    }
}

/// Applies an update to the present edges.
fn apply_to<W: Weight>(present: &mut Present<W>, next: &mut EdgeId, update: Update<W>) {
    match update {
        Update::Insert([u, v], weight) => {
            present.push((*next, u, v, weight));
            *next += 1;
        }
        Update::Delete(id) => present.retain(|edge| edge.0 != id),
        Update::Reweight(id, weight) => {
            present.iter_mut().find(|edge| edge.0 == id).unwrap().3 = weight;
        }
    }
}

fn assert_near(a: Total, b: Total) {
    match (a, b) {
        (Total::Float(a), Total::Float(b)) if a.is_finite() && b.is_finite() => {
            assert!((a - b).abs() <= 1e-12 * a.abs().max(b.abs()), "{a} and {b}");
        }
        // As text, in which NaN equals itself.
        _ => assert_eq!(a.to_string(), b.to_string()),
    }
}

/// Checks a sequence for a forest of these edges, and applies it to them.
fn check_sequence<W: Weight>(
    forest: &mut DynamicForest<W>,
    present: &mut Present<W>,
    updates: &[Update<W>],
) {
    let n = forest.vertices();
    let mut online = DynamicForest::new(n as usize, forest.order()).unwrap();
    let mut next = forest.next_id();
    let rows = present.iter().map(|&(_, u, v, weight)| (u, v, weight));
    let (mut u, mut v, mut w) = (Vec::new(), Vec::new(), Vec::new());
    rows.for_each(|row| {
        u.push(row.0);
        v.push(row.1);
        w.push(row.2);
    });
    online.insert(&u, &v, &w).unwrap();
    // Its ids are positions, and those after the present edges follow.
    let ids: Vec<EdgeId> = present.iter().map(|edge| edge.0).collect();
    let (known, first) = (ids.len() as EdgeId, next);
    let to_online = |id: EdgeId| {
        if id < first { ids.binary_search(&id).unwrap() as EdgeId } else { id - first + known }
    };
    let of_online = |id: EdgeId| if id < known { ids[id as usize] } else { id - known + first };

    let before = forest.ids();
    let steps = forest.apply_sequence(updates).unwrap();
    assert_eq!(steps.len(), updates.len());
    let mut now = before.clone();
    for (&update, step) in updates.iter().zip(&steps) {
        apply_to(present, &mut next, update);
        let &ForestStep { entered, left, total } = step;
        assert!(entered.is_none_or(|id| !now.contains(&id)));
        assert!(left.is_none_or(|id| now.contains(&id)));
        now.retain(|&id| Some(id) != left);
        now.extend(entered);
        now.sort_unstable();
        let (expected, expected_total) = fresh(n, present, forest.order());
        assert_eq!(now, expected, "{update:?}");
        assert_near(total, expected_total);
        let update = match update {
            Update::Insert(..) => update,
            Update::Delete(id) => Update::Delete(to_online(id)),
            Update::Reweight(id, weight) => Update::Reweight(to_online(id), weight),
        };
        apply(&mut online, update).unwrap();
        let ids = |ids: &[EdgeId]| ids.iter().map(|&id| of_online(id)).collect::<Vec<_>>();
        assert_eq!(ids(online.entered()), Vec::from_iter(entered));
        assert_eq!(ids(online.left()), Vec::from_iter(left));
    }
    assert_eq!(forest.ids(), now);
    assert_eq!(forest.present_ids(), present.iter().map(|edge| edge.0).collect::<Vec<_>>());
    assert_eq!((forest.edges(), forest.next_id()), (present.len(), next));
    let without = |a: &[EdgeId], b: &[EdgeId]| -> Vec<EdgeId> {
        a.iter().copied().filter(|id| !b.contains(id)).collect()
    };
    assert_eq!(forest.entered(), without(&now, &before));
    assert_eq!(forest.left(), without(&before, &now));
}

fn check_random_sequences<W: Weight>(pool: &[W], order: Order, seed: u64) {
    let stream = RandomStream::new(seed);
    let mut drawn = 0;
    let mut below = |bound: usize| {
        drawn += 1;
        stream.below(drawn, bound as u64) as usize
    };
    let n = 1 + below(12);
    let mut forest = DynamicForest::new(n, order).unwrap();
    let mut present: Present<W> = Vec::new();
    for _ in 0..4 {
        let mut planned = present.clone();
        let mut next = forest.next_id();
        let updates: Vec<_> = (0..below(60))
            .map(|_| {
                let weight = pool[below(pool.len())];
                let any = below(planned.len().max(1));
                let update = match (planned.get(any), below(3)) {
                    (Some(edge), 0) => Update::Delete(edge.0),
                    (Some(edge), 1) => Update::Reweight(edge.0, weight),
                    _ => Update::Insert([below(n) as u32, below(n) as u32], weight),
                };
                apply_to(&mut planned, &mut next, update);
                update
            })
            .collect();
        check_sequence(&mut forest, &mut present, &updates);
    }
}

#[test]
fn every_step_of_a_sequence_is_that_of_a_batch_and_of_a_fresh_solve() {
    for seed in 0..60 {
        let order = if seed % 2 == 0 { Order::Minimum } else { Order::Maximum };
        check_random_sequences(&[0, 1, -1, i32::MAX, i32::MIN, 7, 8, 9], order, seed);
        check_random_sequences(&[0, 1, u32::MAX, 2, 3, 4], order, seed);
        check_random_sequences(&[0, -1, i64::MAX, i64::MIN, 1 << 40, 5], order, seed);
        check_random_sequences(&[0, u64::MAX, 1 << 63, 1, 2], order, seed);
        check_random_sequences(&[0.0, -0.0, f32::INFINITY, -1.5, f32::NEG_INFINITY], order, seed);
        check_random_sequences(&[0.0, -0.0, f64::INFINITY, 1e-300, -7.25, 1e300], order, seed);
        check_random_sequences(&[5_u32], order, seed);
    }
}

/// Paths, stars and caterpillars with closing edges. All edges come, become lighter or heavier one
/// by one, and leave from the first to the last or from the last to the first.
#[test]
fn sequences_on_extreme_trees_give_the_forest_of_a_fresh_solve() {
    let n = 30_u32;
    let parents: [fn(u32) -> u32; 3] =
        [|v| v - 1, |_| 0, |v| if v % 2 == 0 { v - 2 } else { v - 1 }];
    let weights: [fn(u32) -> i32; 3] = [|v| v as i32, |v| -(v as i32), |_| 0];
    for parent in parents {
        for weight in weights {
            for is_reversed in [false, true] {
                let mut updates = Vec::new();
                for v in 1..n {
                    updates.push(Update::Insert([parent(v), v], weight(v)));
                    updates.push(Update::Insert([v, v * 7 % n], weight(v)));
                }
                let edges = updates.len() as u32;
                updates.extend((0..edges).map(|id| Update::Reweight(id, weight(edges - id))));
                let gone = (0..edges).map(|id| if is_reversed { edges - 1 - id } else { id });
                updates.extend(gone.map(Update::Delete));
                for parts in [1, 3] {
                    let mut forest = DynamicForest::new(n as usize, Order::Minimum).unwrap();
                    let mut present = Vec::new();
                    for part in updates.chunks(updates.len().div_ceil(parts)) {
                        check_sequence(&mut forest, &mut present, part);
                    }
                    assert!(present.is_empty());
                }
            }
        }
    }
}

#[test]
fn a_refused_sequence_changes_nothing() {
    let mut forest = DynamicForest::new(3, Order::Minimum).unwrap();
    forest.insert(&[0, 1], &[1, 2], &[1.0, 2.0]).unwrap();
    forest.delete(&[0]).unwrap();
    let delete = Update::Delete;
    let insert = Update::Insert([0, 2], 3.0);
    for (updates, error) in [
        (vec![delete(0)], UpdateError::NotPresent { edge: 0 }),
        (vec![insert, delete(1), delete(1)], UpdateError::NotPresent { edge: 1 }),
        (vec![delete(2), insert], UpdateError::NotPresent { edge: 2 }),
        (vec![insert, delete(2), Update::Reweight(2, 1.0)], UpdateError::NotPresent { edge: 2 }),
        (vec![delete(7)], UpdateError::NotPresent { edge: 7 }),
        (vec![insert, Update::Reweight(2, f64::NAN)], UpdateError::NanWeight { edge: 2 }),
    ] {
        assert_eq!(forest.apply_sequence(&updates), Err(error), "{updates:?}");
    }
    assert!(forest.apply_sequence(&[insert, Update::Insert([0, 3], 1.0)]).is_err());
    assert!(forest.apply_sequence(&[Update::Insert([0, 1], f64::NAN)]).is_err());
    assert_eq!((forest.ids(), forest.edges(), forest.next_id()), (vec![1], 1, 2));
    assert_eq!(forest.left(), [0]);
    assert_eq!(forest.apply_sequence(&[]), Ok(vec![]));
    assert!(forest.left().is_empty());
}
