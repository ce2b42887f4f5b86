use std::sync::Mutex;

use super::*;
use kostra_parallel::{Schedule, with_team};

/// Runs `step` on some threads, each with its participant, and returns the values and the counts.
fn on_threads(
    threads: usize,
    values: &[u32],
    longest: usize,
    step: impl Fn(usize, &mut Participant<'_>) + Sync,
) -> (Vec<u32>, Tally) {
    let mut words = vec![u64::MAX; TransactionalMemory::words(values.len())];
    let mut memory = TransactionalMemory::in_words(&mut words, longest).unwrap();
    let (cells, participants) = memory.participants(threads);
    (0..).zip(values).for_each(|(cell, &value)| cells.set(cell, value));
    let participants: Vec<_> = participants.into_iter().map(Mutex::new).collect();
    with_team(threads, |team| {
        team.on_all(|thread| step(thread, &mut participants[thread].lock().unwrap()));
    });
    let mut tally = Tally::default();
    participants.into_iter().for_each(|participant| {
        tally += participant.into_inner().unwrap().take_tally();
    });
    ((0..values.len() as u32).map(|cell| cells.get(cell)).collect(), tally)
}

const TURNS: u32 = if cfg!(miri) { 30 } else { 20_000 };

fn move_one(transaction: &mut Transaction<'_>, from: u32, to: u32) -> Result<(), Abort> {
    let left = transaction.read(from)?.wrapping_sub(1);
    transaction.write(from, left)?;
    let more = transaction.read(to)?.wrapping_add(1);
    transaction.write(to, more)
}

fn assert_that_counts_agree(tally: Tally, transactions: u64) {
    assert_eq!(tally.committed, transactions, "{tally:?}");
    assert_eq!(
        tally.started,
        tally.committed + tally.withdrawn + tally.aborted(),
        "an attempt ends in one way: {tally:?}"
    );
    assert!(tally.most_attempts <= u64::from(PATIENCE) + 1, "{tally:?}");
}

#[test]
fn two_cells_that_every_thread_changes_lose_no_change() {
    for threads in [1, 2, 3, 8] {
        let (values, tally) = on_threads(threads, &[1 << 30, 7], 2, |thread, participant| {
            for turn in 0..TURNS {
                // Half of the transactions mark the cells in the other order.
                let result = participant.run(|transaction| match (thread as u32 + turn) % 2 {
                    0 => move_one(transaction, 0, 1),
                    _ => {
                        let more = transaction.read(1)? + 1;
                        transaction.write(1, more)?;
                        let left = transaction.read(0)? - 1;
                        transaction.write(0, left)
                    }
                });
                assert_eq!(result, Ok(()));
            }
        });
        let moved = threads as u32 * TURNS;
        assert_eq!(values, [(1 << 30) - moved, 7 + moved]);
        assert_that_counts_agree(tally, u64::from(moved));
    }
}

#[test]
fn every_transaction_sees_one_state_even_if_it_aborts() {
    const CELLS: u32 = 5;
    let (values, tally) =
        on_threads(4, &[100; CELLS as usize], CELLS as usize, |thread, participant| {
            for turn in 0..TURNS {
                let (from, to) = ((thread as u32 + turn) % CELLS, (thread as u32 + 1) % CELLS);
                let result = participant.run(|transaction| {
                    if turn % 2 == 0 && from != to {
                        return move_one(transaction, from, to);
                    }
                    let mut sum = 0_u32;
                    for cell in 0..CELLS {
                        sum = sum.wrapping_add(transaction.read((cell + from) % CELLS)?);
                    }
                    assert_eq!(sum, 100 * CELLS);
                    Ok(())
                });
                assert_eq!(result, Ok(()));
            }
        });
    assert_eq!(values.into_iter().fold(0, u32::wrapping_add), 100 * CELLS);
    assert_that_counts_agree(tally, 4 * u64::from(TURNS));
}

#[test]
fn a_transaction_sees_its_own_writes_and_others_see_them_after_the_commit() {
    let mut words = vec![0; TransactionalMemory::words(3)];
    let mut memory = TransactionalMemory::in_words(&mut words, 2).unwrap();
    let (cells, mut participants) = memory.participants(1);
    (0..3).for_each(|cell| cells.set(cell, cell));
    let result = participants[0].run(|transaction| {
        transaction.write(2, 9)?;
        assert_eq!((transaction.read(2)?, cells.get(2)), (9, 2));
        transaction.read(1)
    });
    assert_eq!((result, cells.get(2)), (Ok(1), 9));
}

#[test]
fn a_transaction_above_the_limit_or_withdrawn_changes_nothing() {
    let (values, tally) = on_threads(1, &[0, 1, 2], 2, |_, participant| {
        let too_long = participant.run(|transaction| {
            (0..3).try_for_each(|cell| transaction.write(cell, 9))?;
            Ok(())
        });
        assert_eq!(too_long, Err(Unfinished::TooLong));
        let withdrawn: Result<(), _> = participant.run(|transaction| {
            transaction.write(0, 9)?;
            Err(Abort::withdraw())
        });
        assert_eq!(withdrawn, Err(Unfinished::Withdrawn));
        // An error that the body hides still ends the attempt.
        let hidden = participant.run(|transaction| {
            for cell in 0..3 {
                let _ = transaction.write(cell, 9);
            }
            Ok(())
        });
        assert_eq!(hidden, Err(Unfinished::TooLong));
        assert_eq!(participant.run(|transaction| transaction.write(1, 5)), Ok(()));
    });
    assert_eq!(values, [0, 5, 2]);
    let expected = Tally {
        started: 4,
        committed: 1,
        withdrawn: 1,
        too_long: 2,
        most_attempts: 1,
        ..Tally::default()
    };
    assert_eq!(tally, expected);
}

#[test]
fn a_limit_below_two_is_refused_with_the_range() {
    for longest in [0, 1, TransactionalMemory::MAX_LIMIT + 1] {
        let error = TransactionalMemory::in_words(&mut [], longest).err().unwrap();
        let expected =
            format!("a transaction's limit must be from 2 to 65536 cells, not {longest}");
        assert_eq!(error.to_string(), expected);
    }
    assert!(TransactionalMemory::in_words(&mut [], 2).is_ok());
}

#[test]
fn a_mark_of_higher_priority_replaces_one_of_lower_priority() {
    let mut words = vec![0; TransactionalMemory::words(2)];
    let mut memory = TransactionalMemory::in_words(&mut words, 2).unwrap();
    let (cells, mut participants) = memory.participants(2);
    (0..2).for_each(|cell| cells.set(cell, 10 + cell));
    let [high, low] = &mut participants[..] else { unreachable!() };
    let (high_mark, low_mark) = (high.own_mark(), low.own_mark());
    let (mut first, mut second) = (low.start(low_mark), high.start(high_mark));
    assert_eq!(first.read(0).ok(), Some(10));
    assert_eq!(second.read(0).ok(), Some(10));
    assert!(!first.lock_next(), "the mark of the lower priority is gone");
    assert!(first.read(1).is_err(), "each access checks all marks");
    second.write(0, 5).unwrap();
    assert!(second.end(Ok(())).is_ok());
    drop(first);
    let (mut first, mut second) = (low.start(low_mark), high.start(high_mark));
    assert_eq!(second.read(0).ok(), Some(5));
    assert!(first.read(0).is_err(), "a lower priority does not replace a higher one");
    assert!(second.lock_next());
    drop(first);
    assert!(second.end(Ok(())).is_ok());
    let (mut first, mut second) = (low.start(low_mark), high.start(high_mark));
    assert_eq!(first.read(1).ok(), Some(11));
    assert!(first.lock_next());
    assert!(second.read(1).is_err(), "a locked cell keeps its owner");
    first.write(1, 6).unwrap();
    assert!(first.end(Ok(())).is_ok());
    drop(second);
    assert_eq!((cells.get(0), cells.get(1)), (5, 6));
}

/// Three transactions with the cells (0, 1), (1, 2) and (2, 0), in the order of ascending priority.
/// The first locks cell 0 before the third marks it, and all of them fail.
#[test]
fn the_priority_rule_alone_can_abort_everyone_forever() {
    let mut words = vec![0; TransactionalMemory::words(3)];
    let mut memory = TransactionalMemory::in_words(&mut words, 2).unwrap();
    let (cells, mut participants) = memory.participants(3);
    (0..3).for_each(|cell| cells.set(cell, 0));
    let [high, middle, low] = &mut participants[..] else { unreachable!() };
    for highest in [FIRST_MARK, FIRST_MARK, FIRST_MARK, RIGHT_OF_WAY] {
        let mut first = low.start(FIRST_MARK + 2);
        let mut second = middle.start(FIRST_MARK + 1);
        let mut third = high.start(highest);
        assert!(first.read(0).is_ok() && first.read(1).is_ok());
        assert!(second.read(1).is_ok() && second.read(2).is_ok());
        assert!(third.read(2).is_ok());
        assert!(first.lock_next());
        if highest == FIRST_MARK {
            assert!(third.read(0).is_err(), "the first has locked cell 0");
        }
        assert!(!first.lock_next(), "the second has marked cell 1");
        drop(first);
        assert!(second.lock_next());
        assert!(!second.lock_next(), "the third has marked cell 2");
        drop(second);
        // With the right of way, the third has waited for the lock of cell 0.
        let result = third.read(0).and_then(|value| third.write(0, value + 1));
        assert_eq!(third.end(result).is_ok(), highest == RIGHT_OF_WAY);
    }
    assert_eq!(cells.get(0), 1);
}

#[test]
fn a_body_that_panics_leaves_no_marks() {
    let (values, _) = on_threads(1, &[0, 1], 2, |_, participant| {
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            participant.run(|transaction| -> Result<(), Abort> {
                transaction.write(0, 9)?;
                panic!("a fault of the body")
            })
        }));
        assert!(panic.is_err());
        assert_eq!(participant.run(|transaction| transaction.write(0, 4)), Ok(()));
    });
    assert_eq!(values, [4, 1]);
}

/// Unions of random pairs, with pointers that transactions follow and change.
#[test]
fn links_of_trees_lose_no_union() {
    let n: u32 = if cfg!(miri) { 20 } else { 1000 };
    let pairs: Vec<_> = (0..2 * n).map(|i| (i * 7919 % n, i * i % n)).collect();
    let mut expected = kostra_core::UnionFind::new(n);
    let unions = pairs.iter().filter(|(u, v)| expected.union(*u, *v)).count();
    for threads in [1, 2, 3, 8] {
        let mut words = vec![0; TransactionalMemory::words(n as usize)];
        let mut memory =
            TransactionalMemory::in_words(&mut words, TransactionalMemory::MAX_LIMIT).unwrap();
        let (cells, participants) = memory.participants(threads);
        let participants: Vec<_> = participants.into_iter().map(Mutex::new).collect();
        (0..n).for_each(|cell| cells.set(cell, cell));
        with_team(threads, |team| {
            team.distribute(pairs.len(), Schedule::Dynamic(5), |thread, range| {
                let mut participant = participants[thread].lock().unwrap();
                for &(u, v) in &pairs[range] {
                    let _ = participant.run(|transaction| {
                        let root = |transaction: &mut Transaction<'_>, mut cell| loop {
                            let parent = transaction.read(cell)?;
                            if parent == cell {
                                return Ok(cell);
                            }
                            cell = parent;
                        };
                        let (u, v) = (root(transaction, u)?, root(transaction, v)?);
                        if u == v { Err(Abort::withdraw()) } else { transaction.write(u, v) }
                    });
                }
            });
        });
        let find = |mut cell| {
            while cells.get(cell) != cell {
                cell = cells.get(cell);
            }
            cell
        };
        let committed = participants
            .iter()
            .map(|participant| participant.lock().unwrap().take_tally().committed)
            .sum::<u64>();
        assert_eq!(committed, unions as u64);
        for &(u, v) in &pairs {
            assert_eq!(find(u), find(v));
        }
    }
}
