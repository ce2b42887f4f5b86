//! Transactions of two and three threads in every interleaving up to the bound, with every value
//! that a read can return in loom's memory model.

use super::*;

/// Runs one body per thread, and checks the values and counts at the
/// end.
fn check<const N: usize>(
    preemptions: usize,
    values: &'static [u32],
    bodies: [fn(&mut Transaction<'_>) -> Result<(), Abort>; N],
    judge: fn(&[u32], Tally),
) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(preemptions);
    model.check(move || {
        let words = Vec::leak(vec![0; TransactionalMemory::words(values.len())]);
        let memory = Box::leak(Box::new(TransactionalMemory::in_words(words, 3).unwrap()));
        let (cells, participants) = memory.participants(N);
        (0..).zip(values).for_each(|(cell, &value)| cells.set(cell, value));
        let mut turns = participants.into_iter().zip(bodies).map(|(mut participant, body)| {
            move || {
                let _ = participant.run(body);
                participant.take_tally()
            }
        });
        let mut own = turns.next().unwrap();
        let threads: Vec<_> = turns.map(loom::thread::spawn).collect();
        let mut tally = own();
        threads.into_iter().for_each(|thread| tally += thread.join().unwrap());
        let values: Vec<_> = (0..values.len() as u32).map(|cell| cells.get(cell)).collect();
        assert_eq!(tally.started, tally.committed + tally.withdrawn + tally.aborted());
        assert!(tally.most_attempts <= u64::from(PATIENCE) + 1);
        judge(&values, tally);
    });
}

fn add(transaction: &mut Transaction<'_>, cell: Vertex, amount: u32) -> Result<(), Abort> {
    let value = transaction.read(cell)?;
    transaction.write(cell, value + amount)
}

/// Both cells have the same value in every state.
fn assert_equal(transaction: &mut Transaction<'_>) -> Result<(), Abort> {
    let (first, second) = (transaction.read(0)?, transaction.read(1)?);
    assert_eq!(first, second, "a mixture of two states");
    Ok(())
}

fn add_to_both(transaction: &mut Transaction<'_>) -> Result<(), Abort> {
    add(transaction, 0, 1)?;
    add(transaction, 1, 1)
}

fn add_to_both_in_the_other_order(transaction: &mut Transaction<'_>) -> Result<(), Abort> {
    add(transaction, 1, 1)?;
    add(transaction, 0, 1)
}

#[test]
fn two_threads_that_change_the_same_cells_lose_no_change() {
    check(3, &[0, 0], [add_to_both, add_to_both_in_the_other_order], |values, tally| {
        assert_eq!((values, tally.committed), (&[2, 2][..], 2));
    });
}

#[test]
fn a_reader_of_two_cells_sees_one_state_at_either_priority() {
    let judge = |values: &[u32], _: Tally| assert_eq!(values, [1, 1]);
    check(3, &[0, 0], [assert_equal, add_to_both], judge);
    check(3, &[0, 0], [add_to_both, assert_equal], judge);
    check(3, &[0, 0], [assert_equal, add_to_both_in_the_other_order], judge);
    check(3, &[0, 0], [add_to_both_in_the_other_order, assert_equal], judge);
}

#[test]
fn two_roots_that_link_to_each_other_make_one_link() {
    fn link(transaction: &mut Transaction<'_>, own: Vertex, other: Vertex) -> Result<(), Abort> {
        let root = transaction.read(other)?;
        if root == own {
            return Err(Abort::withdraw());
        }
        assert_eq!(transaction.read(own)?, own);
        transaction.write(own, root)
    }
    check(3, &[0, 1], [|own| link(own, 0, 1), |own| link(own, 1, 0)], |values, tally| {
        assert!(values == [1, 1] || values == [0, 0], "{values:?}");
        assert_eq!((tally.committed, tally.withdrawn), (1, 1));
    });
}

#[test]
fn three_threads_around_a_triangle_lose_no_change() {
    let bodies: [fn(&mut Transaction<'_>) -> Result<(), Abort>; 3] = [
        |transaction| add(transaction, 0, 1).and_then(|()| add(transaction, 1, 10)),
        |transaction| add(transaction, 1, 1).and_then(|()| add(transaction, 2, 10)),
        |transaction| add(transaction, 2, 1).and_then(|()| add(transaction, 0, 10)),
    ];
    check(2, &[0, 0, 0], bodies, |values, tally| {
        assert_eq!((values, tally.committed), (&[11, 11, 11][..], 3));
    });
}

#[test]
fn three_threads_see_one_state_of_two_cells() {
    check(2, &[0, 0], [add_to_both, assert_equal, add_to_both_in_the_other_order], |values, _| {
        assert_eq!(values, [2, 2]);
    });
}

#[test]
fn a_commit_publishes_what_its_thread_did_before() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let words = Vec::leak(vec![0; TransactionalMemory::words(1)]);
        let memory = Box::leak(Box::new(TransactionalMemory::in_words(words, 2).unwrap()));
        let data: &AtomicU32 = Box::leak(Box::new(AtomicU32::new(0)));
        let (cells, mut participants) = memory.participants(2);
        cells.set(0, 0);
        let mut reader = participants.pop().unwrap();
        let mut writer = participants.pop().unwrap();
        let thread = loom::thread::spawn(move || {
            data.store(1, Relaxed);
            assert_eq!(writer.run(|transaction| transaction.write(0, 1)), Ok(()));
        });
        let seen = reader.run(|transaction| transaction.read(0)).unwrap();
        assert!(seen == 0 || data.load(Relaxed) == 1);
        assert!(cells.get(0) == 0 || data.load(Relaxed) == 1);
        thread.join().unwrap();
    });
}
