//! Checks every solver for clusters on every case, on all ranks of the job, against the definition
//! of a minimum spanning forest.
//!
//! ```text
//! mpirun -n 3 target/debug/examples/suite
//! ```
//!
//! Each rank holds each graph whole and takes its slice, by distributions that are even, skewed and
//! random. The program ends with a line that contains the number of correct answers. At the first
//! difference it ends with a line that describes the case, and with an exit code other than 0. With
//! an argument, it fails on purpose: see `failures.rs`.

mod communication;
mod failures;
mod solvers;

use kostra_mpi::Communicator;

#[global_allocator]
static MEMORY: kostra_core::ReportingAllocator = kostra_mpi::ALLOCATOR;

fn main() {
    let world = match Communicator::start() {
        Ok(world) => world,
        Err(refusal) => refusal.end(),
    };
    if let Some(how) = std::env::args().nth(1) {
        failures::fail_on_purpose(&how, &world);
    }
    let world = world.with_longest_message(24);
    communication::check(&world);
    let world = world.with_longest_message(usize::MAX);
    communication::check(&world);
    communication::check_mailbox(&world);
    let right = solvers::check(&world);
    if world.rank() == 0 {
        println!("{} ranks: {right} answers, all correct", world.size());
    }
}
