//! Times the approximate spanning tree of random points, and compares it with the exact one:
//! `approximate N D MIN_SAMPLES THREADS KIND [SEEDS [exact]]`, with the kinds of `timing`. With the
//! kind `single`, the coordinates of `embeddings` have 32 bits.

mod kinds;

use std::error::Error;
use std::time::{Duration, Instant};

use kostra_core::{LargePages, Observer, Run};
use kostra_points::{Distance, Metric, Points, approximate_tree, spanning_tree};

/// As in the command and the Python package.
#[global_allocator]
static MEMORY: LargePages = LargePages;

/// The times of phases.
#[derive(Default)]
struct Times(Vec<(&'static str, Duration)>);

impl Observer for Times {
    fn phase_finished(&mut self, name: &'static str, elapsed: Duration) {
        self.0.push((name, elapsed));
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [n, d, min_samples, threads, kind, ..] = &arguments[..] else {
        return Err("usage: approximate N D MIN_SAMPLES THREADS KIND [SEEDS [exact]]".into());
    };
    let (d, threads) = (d.parse()?, threads.parse()?);
    let is_single = kind == "single";
    let mut rows =
        kinds::coordinates(n.parse()?, d, if is_single { "embeddings" } else { kind }, 1);
    let single: Vec<f32> =
        if is_single { rows.drain(..).map(|x| x as f32).collect() } else { Vec::new() };
    let points = if is_single { Points::new(&single, d) } else { Points::new(&rows, d) }?;
    let distance = Distance::mutual_reachability(Metric::Euclidean, min_samples.parse()?);
    let start = Instant::now();
    let exact = match arguments.get(6) {
        Some(_) => Some(spanning_tree(&points, distance, &mut Run::new().on_threads(threads))?),
        None => None,
    };
    let exact = exact.map(|tree| tree.distances.iter().sum::<f64>());
    if let Some(exact) = exact {
        println!("exact: {:.3?}, length {exact:.3}", start.elapsed());
    }
    for seed in 0..arguments.get(5).map_or(Ok(1), |seeds| seeds.parse())? {
        let mut times = Times::default();
        let start = Instant::now();
        let mut run = Run::new().on_threads(threads).observed_by(&mut times);
        let error = approximate_tree(&points, distance, seed, &mut run)?.error;
        println!(
            "{:.3?}, length {:.3}, error <= {:.3} % ({:.0} %), recall {:.4}",
            start.elapsed(),
            error.length,
            100.0 * error.relative(),
            100.0 * error.confidence,
            error.recall
        );
        if let Some(exact) = exact {
            println!("  true error {:.4} %", 100.0 * (error.length / exact - 1.0));
        }
        println!("  {:.1?}", times.0);
    }
    Ok(())
}
