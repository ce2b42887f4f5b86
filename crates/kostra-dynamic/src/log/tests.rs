//! The log against the forest that it records: whole, compacted, cut at every byte and changed at
//! every byte.

use std::fs;
use std::path::{Path, PathBuf};

use kostra_core::random::RandomStream;
use kostra_core::{EdgeId, Order, Weight, WeightType};

use super::checksum;
use crate::edge_table::EdgeEntry;
use crate::{AnyDynamicForest, DynamicForest, LogError, UpdateLog, with_dynamic_forest};

/// What must be equal: the ids of the forest, the present edges as text, the next id and the number
/// of vertices.
type Facts = (Vec<EdgeId>, Vec<String>, usize, u32);

fn facts(forest: &AnyDynamicForest) -> Facts {
    with_dynamic_forest!(forest, forest => {
        let edge = |id| format!("{id} {:?}", forest.edge(id));
        let present = forest.present_ids().into_iter().map(edge).collect();
        (forest.ids(), present, forest.table.next_id(), forest.vertices())
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
    let mut names = (forest.order() == Order::Maximum).then(|| names_of(forest.vertices()));
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
        if round % 2 == 1 {
            let new = forest.add_vertices(3).unwrap();
            let new = names.is_some().then(|| names_of(new.end)[new.start as usize..].to_vec());
            log.add_vertices(3, new.as_deref());
            names.iter_mut().for_each(|names| names.extend(new.clone().unwrap_or_default()));
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
    assert_eq!(opened.names, Some(names_of(18)));
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
                Ok(opened) => assert_eq!(facts(&opened.forest), (vec![], vec![], 0, 9)),
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
                let vertices = forest.vertices() as usize;
                assert!(log.names.is_none_or(|names| names.len() == vertices), "{place}: {word}");
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

#[test]
fn a_compacted_log_has_the_same_forest_ids_and_names_and_can_be_continued() {
    let folder = tempfile::tempdir().unwrap();
    let (path, after) = f64_log(folder.path());
    let mut opened = UpdateLog::open(&path).unwrap();
    let AnyDynamicForest::F64(forest) = &mut opened.forest else { unreachable!("f64") };
    // Appended, and not yet committed.
    let last = *forest.present_ids().last().unwrap();
    forest.delete(&[last]).unwrap();
    opened.log.delete(&[last]);
    let expected = facts(&opened.forest);
    assert_ne!(expected, after.last().unwrap().1);
    opened.log.compact(&opened.forest, opened.names.as_deref()).unwrap();
    let length = fs::metadata(&path).unwrap().len();
    assert!(length < after.last().unwrap().0 * 2 / 3, "{length}");
    for round in 0..2 {
        drop(opened);
        opened = UpdateLog::open(&path).unwrap();
        assert_eq!((facts(&opened.forest), opened.dropped), (expected.clone(), 0), "{round}");
        assert_eq!(opened.names, Some(names_of(18)));
        opened.log.compact(&opened.forest, opened.names.as_deref()).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().len(), length);
    }
    let AnyDynamicForest::F64(forest) = &mut opened.forest else { unreachable!("f64") };
    assert_eq!(forest.insert(&[8], &[17], &[9.0]).unwrap().start as usize, expected.2);
    opened.log.insert(&[8], &[17], &[9.0]);
    opened.log.commit().unwrap();
    let expected = facts(&opened.forest);
    drop(opened);
    assert_eq!(facts(&UpdateLog::open(&path).unwrap().forest), expected);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_compacted_log_that_is_cut_or_changed_anywhere_is_refused_or_has_no_edges() {
    let folder = tempfile::tempdir().unwrap();
    let (path, _) = f64_log(folder.path());
    let mut opened = UpdateLog::open(&path).unwrap();
    opened.log.compact(&opened.forest, opened.names.as_deref()).unwrap();
    let expected = facts(&opened.forest);
    drop(opened);
    let whole = fs::read(&path).unwrap();
    let check = |bytes: &[u8], place: usize| {
        fs::write(&path, bytes).unwrap();
        match UpdateLog::open(&path) {
            Ok(opened) => assert!(opened.dropped > 0 || place == 32, "{place}"),
            Err(error) => assert!(matches!(error, LogError::Other { .. }), "{place}: {error}"),
        }
    };
    for place in 0..whole.len() {
        check(&whole[..place], place);
        let mut changed = whole.clone();
        changed[place] ^= 0x10;
        check(&changed, place);
    }
    fs::write(&path, &whole).unwrap();
    assert_eq!(facts(&UpdateLog::open(&path).unwrap().forest), expected);
}

/// A killed process leaves the former file, and at most an unfinished one beside it.
#[test]
fn a_compaction_that_was_interrupted_leaves_the_log_and_does_not_hinder_the_next_one() {
    let folder = tempfile::tempdir().unwrap();
    let (path, after) = f64_log(folder.path());
    let unfinished = folder.path().join(".kostra-updates.log.tmp");
    fs::write(&unfinished, "half a log").unwrap();
    let mut opened = UpdateLog::open(&path).unwrap();
    assert_eq!(facts(&opened.forest), after.last().unwrap().1);
    opened.log.compact(&opened.forest, opened.names.as_deref()).unwrap();
    assert!(!unfinished.exists());
    // What cannot be removed is in the way of the successor.
    fs::create_dir(&unfinished).unwrap();
    let before = fs::read(&path).unwrap();
    let refused = opened.log.compact(&opened.forest, opened.names.as_deref());
    assert!(matches!(refused, Err(LogError::File { .. })));
    assert_eq!(fs::read(&path).unwrap(), before);
    let AnyDynamicForest::F64(forest) = &mut opened.forest else { unreachable!("f64") };
    forest.insert(&[0], &[1], &[2.0]).unwrap();
    opened.log.insert(&[0], &[1], &[2.0]);
    opened.log.commit().unwrap();
    let expected = facts(&opened.forest);
    drop(opened);
    assert_eq!(facts(&UpdateLog::open(&path).unwrap().forest), expected);
}

#[cfg(unix)]
#[test]
fn a_process_that_opened_the_file_before_it_was_replaced_gets_the_new_one() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let (path, _) = f64_log(folder.path());
    let link = folder.path().join("link");
    symlink(&path, &link).unwrap();
    fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
    let mut opened = UpdateLog::open(&link).unwrap();
    let old = fs::File::open(&path).unwrap();
    opened.log.compact(&opened.forest, opened.names.as_deref()).unwrap();
    assert!(
        link.is_symlink() && fs::metadata(&path).unwrap().permissions().mode() & 0o777 == 0o640
    );
    // The lock is on the new file, also while the old one is locked by someone who has it open.
    assert!(matches!(UpdateLog::open(&path), Err(LogError::InUse { .. })));
    drop(opened);
    rustix::fs::flock(&old, rustix::fs::FlockOperation::LockExclusive).unwrap();
    UpdateLog::open(&path).unwrap();
    // Processes that open and compact in turn never hold the log at once, and lose nothing.
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let mut turns = 0;
                while turns < 15 {
                    let Ok(mut opened) = UpdateLog::open(&path) else { continue };
                    let AnyDynamicForest::F64(forest) = &mut opened.forest else {
                        unreachable!("f64")
                    };
                    forest.insert(&[0], &[1], &[0.5]).unwrap();
                    opened.log.insert(&[0], &[1], &[0.5]);
                    opened.log.commit().unwrap();
                    opened.log.compact(&opened.forest, opened.names.as_deref()).unwrap();
                    turns += 1;
                }
            });
        }
    });
    let with_dynamic = UpdateLog::open(&path).unwrap();
    assert_eq!(facts(&with_dynamic.forest).2, 28 + 45);
    // A log that was moved away is not replaced under its former name.
    let mut opened = with_dynamic;
    fs::rename(&path, folder.path().join("moved")).unwrap();
    fs::write(&path, "").unwrap();
    let refused = opened.log.compact(&opened.forest, opened.names.as_deref());
    assert!(matches!(refused, Err(LogError::File { .. })));
    assert_eq!(fs::read(&path).unwrap(), b"");
}

#[test]
fn an_empty_file_becomes_a_log_and_vertices_may_get_names_from_the_first_one_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("updates.log");
    fs::write(&path, "").unwrap();
    assert!(matches!(UpdateLog::open(&path), Err(LogError::Other { .. })));
    let mut forest = AnyDynamicForest::new(0, WeightType::F64, Order::Minimum).unwrap();
    let mut log = UpdateLog::create(&path, &forest, None).unwrap();
    with_dynamic_forest!(&mut forest, forest => forest.add_vertices(4)).unwrap();
    log.add_vertices(4, Some(&names_of(4)));
    log.commit().unwrap();
    drop(log);
    let opened = UpdateLog::open(&path).unwrap();
    assert_eq!((facts(&opened.forest).3, &opened.names), (4, &Some(names_of(4))));
    let mut log = opened.log;
    log.add_vertices(2, None);
    log.commit().unwrap();
    drop(log);
    assert!(matches!(UpdateLog::open(&path), Err(LogError::Damaged { .. })));
}

/// The ids of a state are spread over all ids, so a table of all ids would have 60 GB.
#[test]
fn a_state_takes_memory_for_its_edges_and_not_for_the_ids_between_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("updates.log");
    let ids: Vec<EdgeId> = (0..1000).map(|place| place * 4_000_000 + 3).collect();
    let mut forest = DynamicForest::<f64>::new(50, Order::Minimum).unwrap();
    let edge = |id: EdgeId| EdgeEntry::new([id % 50, id % 49], f64::from(id % 101));
    let edges: Vec<_> = ids.iter().map(|&id| (id, edge(id))).collect();
    forest.restore(&edges, u32::MAX - 1).unwrap();
    let forest = AnyDynamicForest::F64(forest);
    drop(UpdateLog::create(&path, &forest, None).unwrap());
    let mut opened = UpdateLog::open(&path).unwrap();
    assert_eq!(facts(&opened.forest), facts(&forest));
    let AnyDynamicForest::F64(forest) = &mut opened.forest else { unreachable!("f64") };
    assert_eq!((forest.present_ids(), forest.table.entries()), (ids.clone(), 1000));
    forest.delete(&ids[1..999]).unwrap();
    assert_eq!(forest.insert(&[1], &[2], &[0.0]).unwrap(), u32::MAX - 1..u32::MAX);
    assert!(forest.insert(&[1], &[2], &[0.0]).is_err());
    assert_eq!(forest.present_ids(), [ids[0], ids[999], u32::MAX - 1]);
}
