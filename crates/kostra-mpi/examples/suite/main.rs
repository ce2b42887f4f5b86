//! Every solver for clusters through every case, on as many ranks as there are, against the
//! definition.
//!
//! ```text
//! mpirun -n 3 target/debug/examples/suite
//! ```
//!
//! Each rank holds each graph whole and takes its slice of it, by cuts that are even, skewed, and
//! at random. Ends with a line that says how much was right, or, at the first difference, with a
//! line that says where, and a code that is not
//! 0. With an argument it fails on purpose: see [`fail_on_purpose`].

mod communication;
mod failures;
mod solvers;

use kostra_mpi::{Communicator, Memory};

#[global_allocator]
static MEMORY: Memory = Memory;

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
    communication::check_mail(&world);
    let right = solvers::check(&world);
    if world.rank() == 0 {
        println!("{} ranks: {right} answers, all right", world.size());
    }
}
