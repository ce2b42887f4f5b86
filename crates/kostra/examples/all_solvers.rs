//! Runs all solvers on one generated graph, compares their forests and prints their times. An
//! observer counts the rounds.
//!
//! Run it with `cargo run --release --features gen --example all_solvers`, or with the description
//! of another graph as an argument, such as `road:n=100000`.

use std::time::Instant;

use kostra::{Graph, Observer, Round, Solve, SolveError, generate, solvers};

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
    let graph = Graph::from(generate::generate(&spec)?.graph);

    let mut first = None;
    for solver in solvers() {
        let id = solver.info().id;
        let mut progress = Progress::default();
        let start = Instant::now();
        let forest = match Solve::new().algorithm(id)?.observer(&mut progress).run(&graph) {
            Ok(forest) => forest,
            // This machine may have no device, or a solver may be too slow for the graph.
            Err(error @ (SolveError::NoDevice { .. } | SolveError::Unsuitable { .. })) => {
                println!("{id}: {error}");
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        println!("{id}: {:.1?} in {} rounds", start.elapsed(), progress.rounds);
        // All exact solvers find the same edges.
        if solver.info().exact && first.get_or_insert(forest.clone()) != &forest {
            return Err(format!("{id} found another forest").into());
        }
    }
    Ok(())
}
