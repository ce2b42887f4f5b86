//! Checks every solver for clusters on every case, on all ranks of the job, against the definition
//! of a minimum spanning forest.
//!
//! ```text
//! mpirun -n 3 target/debug/examples/suite
//! mpirun -n 3 target/debug/examples/suite only mpi-fast
//! ```
//!
//! Each rank holds each graph whole and takes its slice, by distributions that are even, skewed and
//! random. The program ends with a line that contains the number of correct answers. At the first
//! difference it ends with a line that describes the case, and with an exit code other than 0. With
//! `only` and an id, it checks one solver. With another argument, it fails on purpose: see
//! `failures.rs`.

mod communication;
mod failures;
mod solvers;

use kostra_mpi::{Communicator, DistributedSolver};

#[global_allocator]
static MEMORY: kostra_core::ReportingAllocator = kostra_mpi::ALLOCATOR;

fn main() {
    let world = match Communicator::start() {
        Ok(world) => world,
        Err(refusal) => refusal.end(),
    };
    let words: Vec<_> = std::env::args().skip(1).collect();
    let only = match &words[..] {
        [] => None,
        [only, id] if only == "only" => Some(&id[..]),
        [how, ..] => failures::fail_on_purpose(how, &world),
    };
    let world = world.with_longest_message(24);
    communication::check(&world);
    let world = world.with_longest_message(usize::MAX);
    communication::check(&world);
    communication::check_mailbox(&world);
    let right = solvers::check(only, &world);
    if world.rank() == 0 {
        let (ranks, machines) = (world.size(), world.machines());
        println!("{ranks} ranks, machines: {machines}, {right} answers, all correct");
    }
}

/// The solvers of the engine and of papers.
fn solvers() -> impl Iterator<Item = &'static dyn DistributedSolver> {
    kostra_mpi::solvers().chain(kostra_papers_mpi::solvers())
}
