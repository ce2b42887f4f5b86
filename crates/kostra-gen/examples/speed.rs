//! Edges per second of generators: `speed SPEC...`, each three times.

use std::time::Instant;

fn main() -> Result<(), kostra_gen::SpecError> {
    const RUNS: usize = 3;
    for spec in std::env::args().skip(1) {
        for _ in 0..RUNS {
            let start = Instant::now();
            let edges = kostra_gen::generate(&spec)?.graph.edges();
            let seconds = start.elapsed().as_secs_f64();
            let rate = edges as f64 / seconds / 1e6;
            println!("{spec}: {edges} edges, {seconds:.3} s, {rate:.1} M edges/s");
        }
    }
    Ok(())
}
