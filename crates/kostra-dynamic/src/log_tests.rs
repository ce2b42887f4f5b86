//! The log against the forest that it records, whole, cut at every byte and changed at every byte.

use std::fs;
use std::path::{Path, PathBuf};

use kostra_core::random::RandomStream;
use kostra_core::{EdgeId, Order, Weight, WeightType};

use crate::log::checksum;
use crate::{AnyDynamicForest, DynamicForest, LogError, UpdateLog, with_dynamic_forest};

/// What must be equal: the ids of the forest, the present ids and the next id.
type Facts = (Vec<EdgeId>, Vec<EdgeId>, usize);

fn facts(forest: &AnyDynamicForest) -> Facts {
    with_dynamic_forest!(forest, forest => {
        (forest.ids(), forest.present_ids(), forest.table.edges.len())
    })
}

fn names_of(vertices: u32) -> Vec<String> {
    (0..vertices)
        .map(|vertex| if vertex == 3 { String::new() } else { format!("ř{vertex}") })
        .collect()
}

/// A log of random updates in several frames. Returns its path, and the length and the facts after
/// each frame.
fn logged<W: Weight>(
    folder: &Path,
    forest: DynamicForest<W>,
    pool: &[W],
    wrap: fn(DynamicForest<W>) -> AnyDynamicForest,
    unwrap: fn(&mut AnyDynamicForest) -> &mut DynamicForest<W>,
) -> (PathBuf, Vec<(u64, Facts)>) {
    let path = folder.join("updates.log");
    let names = (forest.order() == Order::Maximum).then(|| names_of(forest.vertices()));
    let mut any = wrap(forest);
    let mut log = UpdateLog::create(&path, &any, names.as_deref()).unwrap();
    let stream = RandomStream::new(7);
    let mut after = vec![(fs::metadata(&path).unwrap().len(), facts(&any))];
    for round in 0..6 {
        let random =
            |place: u64, bound: usize| stream.below(round * 100 + place, bound as u64) as usize;
        let forest = unwrap(&mut any);
        let n = forest.vertices() as usize;
        let ends =
            |place| (0..4_u64).map(|edge| random(place + edge, n) as u32).collect::<Vec<_>>();
        let (u, v) = (ends(0), ends(10));
        let weights: Vec<W> = (0..4_u64).map(|edge| pool[random(20 + edge, pool.len())]).collect();
        forest.insert(&u, &v, &weights).unwrap();
        log.insert(&u, &v, &weights);
        let present = forest.present_ids();
        let id = present[random(30, present.len())];
        forest.reweight(&[id], &weights[..1]).unwrap();
        log.reweight(&[id], &weights[..1]);
        forest.delete(&[id]).unwrap();
        log.delete(&[id]);
        if round == 4 {
            forest.expire(present[2]).unwrap();
            log.expire(present[2]);
        }
        log.commit().unwrap();
        after.push((fs::metadata(&path).unwrap().len(), facts(&any)));
    }
    (path, after)
}

fn f64_log(folder: &Path) -> (PathBuf, Vec<(u64, Facts)>) {
    let mut forest = DynamicForest::new(9, Order::Maximum).unwrap();
    forest.insert(&[0, 1, 2, 3], &[1, 2, 0, 3], &[0.5, -0.0, f64::INFINITY, 2.0]).unwrap();
    forest.delete(&[1]).unwrap();
    logged(folder, forest, &[0.0, -0.0, 1.5, 2.5], AnyDynamicForest::F64, |forest| match forest {
        AnyDynamicForest::F64(forest) => forest,
        _ => unreachable!("the type does not change"),
    })
}

#[test]
fn an_opened_log_gives_the_forest_of_all_committed_updates() {
    let folder = tempfile::tempdir().unwrap();
    let (path, after) = f64_log(folder.path());
    let opened = UpdateLog::open(&path).unwrap();
    assert_eq!((opened.dropped, opened.forest.weight_type()), (0, WeightType::F64));
    assert_eq!(opened.names, Some(names_of(9)));
    assert_eq!(facts(&opened.forest), after.last().unwrap().1);
    with_dynamic_forest!(&opened.forest, forest => assert_eq!(forest.order(), Order::Maximum));
    drop(opened);
    // Other weights have another size.
    fs::remove_file(&path).unwrap();
    let forest = DynamicForest::<u32>::new(30, Order::Minimum).unwrap();
    let (path, after) =
        logged(folder.path(), forest, &[3, 4, 5], AnyDynamicForest::U32, |forest| match forest {
            AnyDynamicForest::U32(forest) => forest,
            _ => unreachable!("the type does not change"),
        });
    let opened = UpdateLog::open(&path).unwrap();
    assert_eq!((facts(&opened.forest), opened.names), (after.last().unwrap().1.clone(), None));
}

#[test]
fn a_log_that_is_cut_anywhere_gives_the_last_committed_state_and_can_be_continued() {
    let folder = tempfile::tempdir().unwrap();
    let (path, after) = f64_log(folder.path());
    let whole = fs::read(&path).unwrap();
    for cut in (0..whole.len() as u64).step_by(3) {
        fs::write(&path, &whole[..cut as usize]).unwrap();
        let Some((end, expected)) = after.iter().rev().find(|(end, _)| *end <= cut) else {
            // Without the first state, the log is none, or has no edges.
            match UpdateLog::open(&path) {
                Ok(opened) => assert_eq!(facts(&opened.forest), (vec![], vec![], 0)),
                Err(error) => assert!(matches!(error, LogError::Other { .. }), "{error}"),
            }
            continue;
        };
        let mut opened = UpdateLog::open(&path).unwrap();
        assert_eq!((opened.dropped, &facts(&opened.forest)), (cut - end, expected), "{cut}");
        let AnyDynamicForest::F64(forest) = &mut opened.forest else { unreachable!("f64") };
        forest.insert(&[8], &[7], &[9.0]).unwrap();
        opened.log.insert(&[8], &[7], &[9.0]);
        opened.log.commit().unwrap();
        let expected = facts(&opened.forest);
        drop(opened);
        let again = UpdateLog::open(&path).unwrap();
        assert_eq!((again.dropped, facts(&again.forest)), (0, expected), "{cut}");
    }
}

#[test]
fn a_changed_byte_is_found_and_loses_at_most_the_last_frame() {
    let folder = tempfile::tempdir().unwrap();
    let (path, after) = f64_log(folder.path());
    let whole = fs::read(&path).unwrap();
    let (last, before_last) = (&after[after.len() - 1], &after[after.len() - 2]);
    for place in 0..whole.len() {
        let mut changed = whole.clone();
        changed[place] ^= 0x40;
        fs::write(&path, &changed).unwrap();
        match UpdateLog::open(&path) {
            Ok(opened) => {
                assert!(place as u64 >= before_last.0, "{place} is before the last frame");
                assert_eq!((facts(&opened.forest), opened.dropped), {
                    (before_last.1.clone(), last.0 - before_last.0)
                });
            }
            Err(error) => {
                assert!((place as u64) < before_last.0, "{place}: {error}");
                let right = if place < 32 {
                    matches!(error, LogError::Other { .. })
                } else {
                    matches!(error, LogError::Damaged { .. })
                };
                assert!(right, "{place}: {error}");
            }
        }
    }
}

#[test]
fn bytes_that_are_missing_or_too_many_before_the_last_frame_are_damage() {
    let folder = tempfile::tempdir().unwrap();
    let (path, after) = f64_log(folder.path());
    let whole = fs::read(&path).unwrap();
    let last_frame = after[after.len() - 2].0 as usize;
    for place in (32..last_frame - 100).step_by(7) {
        for (removed, added) in [(1, 0), (8, 0), (90, 0), (0, 1), (0, 8), (0, 90)] {
            let mut changed = whole.clone();
            changed.splice(place..place + removed, std::iter::repeat_n(7, added));
            fs::write(&path, &changed).unwrap();
            let error = UpdateLog::open(&path).err().expect("damage in front of frames");
            assert!(matches!(error, LogError::Damaged { .. }), "{place}, {removed}: {error}");
            assert_eq!(fs::read(&path).unwrap(), changed);
        }
    }
}

/// The ids of the forest of the present edges, by Kruskal's algorithm.
fn maximum_forest(forest: &DynamicForest<f64>) -> Vec<EdgeId> {
    let mut ids = forest.present_ids();
    let weight = |id: EdgeId| forest.table.get(id).weight;
    ids.sort_by(|&a, &b| weight(b).partial_cmp(&weight(a)).unwrap().then(a.cmp(&b)));
    let mut components: Vec<usize> = (0..forest.vertices() as usize).collect();
    ids.retain(|&id| {
        let [u, v] = forest.table.get(id).ends.map(|end| components[end as usize]);
        components.iter_mut().filter(|component| **component == u).for_each(|of| *of = v);
        u != v
    });
    ids.sort_unstable();
    ids
}

#[test]
fn a_forged_log_with_right_checksums_gives_the_forest_of_its_updates_or_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let (path, after) = f64_log(folder.path());
    let whole = fs::read(&path).unwrap();
    let (mut opened, mut refused) = (0, 0);
    for frame in [32, after[0].0 as usize, after[5].0 as usize] {
        let size = u64::from_ne_bytes(whole[frame + 8..frame + 16].try_into().unwrap()) as usize;
        let updates = frame + 24..frame + 24 + size;
        for place in updates.clone().step_by(4) {
            for word in [0, 1, 2, 3, 4, 5, 8, 9, 0x4000_0000, 0x8000_0000, u32::MAX] {
                let mut forged = whole.clone();
                forged[place..place + 4].copy_from_slice(&u32::to_ne_bytes(word));
                let sum = checksum(frame as u64, &forged[updates.clone()]).to_ne_bytes();
                forged[updates.end..updates.end + 8].copy_from_slice(&sum);
                fs::write(&path, &forged).unwrap();
                let Ok(log) = UpdateLog::open(&path) else {
                    refused += 1;
                    continue;
                };
                opened += 1;
                let AnyDynamicForest::F64(forest) = &log.forest else { unreachable!("f64") };
                assert_eq!(forest.ids(), maximum_forest(forest), "{place}: {word}");
                assert!(log.names.is_none_or(|names| names.len() == 9), "{place}: {word}");
            }
        }
    }
    assert!(opened > 100 && refused > 100, "{opened} {refused}");
    // Names of fewer vertices than there are.
    let forest = AnyDynamicForest::new(3, WeightType::F64, Order::Minimum).unwrap();
    fs::remove_file(&path).unwrap();
    drop(UpdateLog::create(&path, &forest, Some(&names_of(2))).unwrap());
    assert!(matches!(UpdateLog::open(&path), Err(LogError::Damaged { .. })));
}

#[test]
fn a_log_in_use_and_an_existing_file_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("updates.log");
    let forest = AnyDynamicForest::new(3, WeightType::I64, Order::Minimum).unwrap();
    let log = UpdateLog::create(&path, &forest, None).unwrap();
    assert!(matches!(UpdateLog::create(&path, &forest, None), Err(LogError::File { .. })));
    #[cfg(unix)]
    assert!(matches!(UpdateLog::open(&path), Err(LogError::InUse { .. })));
    drop(log);
    UpdateLog::open(&path).unwrap();
    fs::write(&path, "u,v,w\n0,1,2\n").unwrap();
    assert!(matches!(UpdateLog::open(&path), Err(LogError::Other { .. })));
    assert!(matches!(UpdateLog::open(folder.path()), Err(LogError::NoFile { .. })));
    #[cfg(unix)]
    {
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.is_ok_and(|status| status.success()));
        // Without waiting for a writer.
        assert!(matches!(UpdateLog::open(&pipe), Err(LogError::NoFile { .. })));
    }
}
