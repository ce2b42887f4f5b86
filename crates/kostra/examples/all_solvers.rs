//! Runs all solvers on one generated graph, compares their forests and prints their times. An
//! observer counts the rounds.
//!
//! Run it with `cargo run --release --example all_solvers`, or with the description of another
//! graph as an argument, such as `road:n=100000`.

use kostra::{Observer, Order, Round, Run, SolveError, generate, solvers};

/// Receives reports of a solver while it works. Every method has a default that does nothing.
#[derive(Default)]
struct Progress {
    rounds: u32,
}

impl Observer for Progress {
    fn round(&mut self, round: Round) {
        self.rounds = round.index + 1;
        eprintln!("  round {}: {} edges left", round.index, round.edges);
    }
    // A program with a stop button returns true from `cancelled` when the button is pressed. The
    // solver then returns `SolveError::Cancelled`.
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let spec = std::env::args().nth(1).unwrap_or_else(|| "gnm:n=2000,m=8000".to_owned());
    let graph = generate::generate(&spec)?.graph;
    let threads = std::thread::available_parallelism()?.get();

    let mut first = None;
    for solver in solvers() {
        let id = solver.info().id;
        let mut progress = Progress::default();
        let mut run = Run::new().on_threads(threads).observed_by(&mut progress);
        let solution = match solver.solve(&graph, Order::Minimum, &mut run) {
            Ok(solution) => solution,
            // This machine may have no device, or a solver may be too slow for the graph.
            Err(error @ (SolveError::NoDevice { .. } | SolveError::Unsuitable { .. })) => {
                println!("{id}: {error}");
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        println!("{id}: {:.1?} in {} rounds", solution.solve, progress.rounds);
        // All exact solvers find the same edges.
        if solver.info().exact && first.get_or_insert(solution.forest.clone()) != &solution.forest {
            return Err(format!("{id} found another forest").into());
        }
    }
    Ok(())
}
