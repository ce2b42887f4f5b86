//! Jobs that fail on purpose. `scripts/mpi` checks what they report.

use kostra_core::{EdgeList, Order, Run};
use kostra_mpi::{Communicator, Slice};

/// Ends the job on the last rank, in the way that `how` names, while the other ranks wait.
pub(crate) fn fail_on_purpose(how: &str, world: &Communicator) -> ! {
    let is_last = world.rank() + 1 == world.size();
    match how {
        "fail" if is_last => world.fail("this was asked\nfor"),
        "panic" if is_last => panic!("this was asked for"),
        "panic-in-thread" if is_last => {
            let thread = std::thread::spawn(|| panic!("this was asked for"));
            std::thread::sleep(std::time::Duration::from_secs(60));
            drop(thread);
        }
        "memory" if is_last => {
            world
                .phase(&mut Run::new(), "ask", |_| drop(std::hint::black_box(vec![1_u8; 1 << 46])));
        }
        "kill" if is_last => std::process::abort(),
        "refuse" => {
            let result = if is_last { Err("this was asked for") } else { Ok(()) };
            if let Err(refusal) = world.agree(result) {
                refusal.end();
            }
        }
        "another-graph" => solve_empty(if is_last { 3 } else { 2 }, 0, world),
        "gap" => solve_empty(2, if is_last { 7 } else { 0 }, world),
        _ => {}
    }
    world.barrier();
    world.fail("the job did not end");
}

/// Runs every solver on a slice without edges.
fn solve_empty(vertices: usize, first: u64, world: &Communicator) {
    let edges = EdgeList::new(vertices, Vec::new(), Vec::new(), Vec::<u32>::new());
    let edges = edges.unwrap_or_else(|error| world.fail(error));
    let slice = Slice::with_global_ids(first, edges).into();
    for solver in crate::solvers() {
        if let Err(refusal) = solver.solve(&slice, Order::Minimum, world, &mut Run::new()) {
            refusal.end();
        }
    }
}
