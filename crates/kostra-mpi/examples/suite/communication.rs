//! Checks of the communicator, on all ranks of the job.

use std::collections::BTreeSet;
use std::thread;
use std::time::Duration;

use kostra_mpi::{Communicator, Mailbox, Parts, Reduction, Route};

/// Checks everything except the mailbox.
pub(crate) fn check(world: &Communicator) {
    check_machines(world);
    check_ring(world);
    check_gathers(world);
    check_reductions(world);
    check_exchanges(world);
    check_agreement(world);
    check_traffic(world);
    check_waiting(world);
}

/// The message of a rank: lengths differ, some are zero, and some are a multiple of the longest
/// message.
fn message(rank: usize) -> Vec<u64> {
    (0..(rank * 5) as u64 % 12).map(|i| i + 100 * rank as u64).collect()
}

/// The ranks of a machine are consecutive, however they were placed.
fn check_machines(world: &Communicator) {
    let firsts = world.all_gather(&[world.first_on_machine()]).into_items();
    require(world, "the order of machines", &firsts.is_sorted(), &true);
    let machines = firsts.chunk_by(|a, b| a == b).count();
    require(world, "the number of machines", &world.machines(), &machines);
    if let Ok(declared) = std::env::var("KOSTRA_TEST_MACHINES") {
        let declared: BTreeSet<_> = declared.split(',').collect();
        require(world, "the declared number of machines", &machines, &declared.len());
    }
}

fn check_ring(world: &Communicator) {
    let (rank, size) = (world.rank(), world.size());
    if size > 1 {
        let (next, before) = ((rank + 1) % size, (rank + size - 1) % size);
        if rank == 0 {
            world.send(next, &message(rank));
        }
        require(world, "a message", &world.receive::<u64>(before), &message(before));
        if rank != 0 {
            world.send(next, &message(rank));
        }
    }
}

fn check_gathers(world: &Communicator) {
    let (rank, size) = (world.rank(), world.size());
    for root in 0..size {
        require(world, "a broadcast", &world.broadcast_vec(root, message(rank)), &message(root));
        let gathered = world.gather(root, &message(rank));
        let expected = (rank == root).then(|| (0..size).map(message).collect::<Parts<_>>());
        require(world, "a gather", &gathered, &expected);
        let scattered = world.scatter(root, expected.as_ref());
        require(world, "a scatter", &scattered, &message(rank));
    }
    let gathered = world.all_gather(&message(rank));
    require(world, "an all-gather", &gathered, &(0..size).map(message).collect());
    for most in 0..3 {
        let bytes = |rank: usize| vec![7_u8; rank.min(most)];
        let gathered = world.all_gather(&bytes(rank));
        require(world, "an all-gather of bytes", &gathered, &(0..size).map(bytes).collect());
    }
}

/// Rank 0 comes late to each operation, so the others wait for it. On a busy machine they may be
/// late, too.
fn check_waiting(world: &Communicator) {
    const LATE: Duration = Duration::from_millis(100);
    let operations: [fn(&Communicator); 4] = [
        Communicator::barrier,
        |world| drop(world.all_gather(&[1_u8])),
        |world| world.broadcast(0, &mut [1_u8]),
        |world| drop(world.exchange(&Parts::distribute(world.size(), &[0_u32], |_| 0))),
    ];
    world.count_waiting(true);
    for operation in operations {
        world.barrier();
        let before = world.traffic();
        if world.rank() == 0 {
            thread::sleep(LATE);
        }
        operation(world);
        let waited = (world.traffic() - before).waiting;
        let waited = if world.rank() > 0 { waited } else { Duration::ZERO };
        let most = world.reduce_one(Reduction::Max, waited.as_millis() as u64);
        if world.size() > 1 && most < 10 {
            world.fail(format!("{most} ms of waiting for rank 0, which was {LATE:?} late"));
        }
    }
    world.count_waiting(false);
}

fn check_reductions(world: &Communicator) {
    let (rank, size) = (world.rank() as u64, world.size() as u64);
    let mut numbers: Vec<u64> = (0..300_000).map(|i| (i + rank) % 7).collect();
    world.reduce(Reduction::Min, &mut numbers);
    let lowest = |i: u64| (0..size).map(|rank| (i + rank) % 7).min().unwrap_or_default();
    require(world, "a reduction", &numbers, &(0..300_000).map(lowest).collect());
    let sum = world.reduce_one(Reduction::Sum, rank);
    require(world, "a sum", &sum, &(size * (size - 1) / 2));
    require(world, "a maximum", &world.reduce_one(Reduction::Max, rank), &(size - 1));
    // Numbers with the highest bit set are not negative.
    let high = if rank == 0 { u64::MAX } else { rank };
    let (lowest, highest) = (if size > 1 { 1 } else { u64::MAX }, u64::MAX);
    require(world, "the minimum", &world.reduce_one(Reduction::Min, high), &lowest);
    require(world, "the maximum", &world.reduce_one(Reduction::Max, high), &highest);
    let (mut least, mut most) = ([high as u32], [high as u32]);
    world.reduce(Reduction::Min, &mut least);
    world.reduce(Reduction::Max, &mut most);
    let expected = ([lowest as u32], [highest as u32]);
    require(world, "the 32-bit minimum and maximum", &(least, most), &expected);
    let (mut keys, mut ids) = ([rank / 2, 9, u64::MAX], [99 - rank, 7 + rank, u64::MAX]);
    world.reduce_min_pairs(&mut keys, &mut ids);
    let expected = ([0, 9, u64::MAX], [99 - u64::from(size > 1), 7, u64::MAX]);
    require(world, "a reduction of pairs", &(keys, ids), &expected);
}

fn check_exchanges(world: &Communicator) {
    let (rank, size) = (world.rank(), world.size());
    let part = |from: usize, to: usize| -> Vec<[u32; 3]> {
        (0..(from * 3 + to * 4) % 9).map(|i| [from as u32, to as u32, i as u32]).collect()
    };
    let parts: Parts<_> = (0..size).map(|to| part(rank, to)).collect();
    let expected: Parts<_> = (0..size).map(|from| part(from, rank)).collect();
    for route in [Route::Direct, Route::TwoHop] {
        require(world, "an exchange", &world.exchange_by(route, &parts), &expected);
    }
    require(world, "an exchange", &world.exchange(&parts), &expected);
    let full: Parts<_> = (0..size).map(|to| [to as u64]).collect();
    for route in [Route::Direct, Route::TwoHop] {
        let before = world.traffic();
        world.exchange_by(route, &full);
        // A direct exchange first sends the lengths and agrees on the longest message.
        let agreement = if route == Route::Direct {
            size - 1 + size.next_power_of_two().ilog2() as usize
        } else {
            0
        };
        let sent = (world.traffic() - before).messages - agreement as u64;
        let most = world.reduce_one(Reduction::Max, sent);
        require(world, "the messages of an exchange", &most, &(route.messages(size) as u64));
    }
    let empty: Parts<u8> = (0..size).map(|_| []).collect();
    require(world, "an empty exchange", &world.exchange_by(Route::TwoHop, &empty), &empty);
}

fn check_agreement(world: &Communicator) {
    let (rank, size) = (world.rank(), world.size());
    require(world, "an agreement", &world.agree(Ok::<_, String>(rank)), &Ok(rank));
    let refusal = world.agree(if rank > 0 { Err(format!("reason {rank}")) } else { Ok(()) });
    let refusal = refusal.err().map(|refusal| (refusal.to_string(), refusal.here));
    let expected = (size > 1).then(|| ("rank 1: reason 1".to_owned(), rank == 1));
    require(world, "the refusal of the lowest rank", &refusal, &expected);
    let differs = world.agree_on("the number", if rank + 1 == size { "two" } else { "one" });
    let text =
        format!("rank {}: the number is not the same as on rank 0: two here, one there", size - 1);
    let expected = (size > 1).then_some(text);
    let differs = differs.err().map(|refusal| refusal.to_string());
    require(world, "a difference", &differs, &expected);
}

fn check_traffic(world: &Communicator) {
    let (rank, size) = (world.rank(), world.size());
    let before = world.traffic();
    if rank > 0 {
        world.send(rank - 1, &[1_u32, 2]);
    }
    if rank + 1 < size {
        world.receive::<u32>(rank + 1);
    }
    let sent = world.traffic() - before;
    let expected = if rank > 0 { (1, 8) } else { (0, 0) };
    require(world, "the traffic of a message", &(sent.messages, sent.bytes), &expected);
    let between = (sent.messages_between_machines, sent.bytes_between_machines);
    let expected = if rank > 0 && world.first_on_machine() == rank { (1, 8) } else { (0, 0) };
    require(world, "the traffic between machines", &between, &expected);
}

/// Every rank posts to every rank, in rounds. All messages arrive, in the order of each sender.
pub(crate) fn check_mailbox(world: &Communicator) {
    const ROUNDS: u32 = 100;
    let mut mail = Mailbox::new(world);
    let mut arrived = vec![0; world.size()];
    let mut missing = world.size() * ROUNDS as usize;
    let mut round = 0;
    while missing > 0 {
        if round < ROUNDS {
            for to in 0..world.size() {
                mail.post(to, &vec![round; 1 + (round as usize * 97) % 5000]);
            }
            round += 1;
        }
        while let Some((from, items)) = mail.poll() {
            let expected = vec![arrived[from]; 1 + (arrived[from] as usize * 97) % 5000];
            require(world, "the next message of a mailbox", &items, &expected);
            arrived[from] += 1;
            missing -= 1;
        }
    }
    drop(mail);
    world.barrier();
}

fn require<T: PartialEq + std::fmt::Debug>(
    world: &Communicator,
    what: &str,
    found: &T,
    expected: &T,
) {
    if found != expected {
        let mut text = format!("{found:?} instead of {expected:?}");
        text.truncate(500);
        world.fail(format!("{what} returned {text}"));
    }
}
