//! Times the spanning tree of random points:
//! `timing N D MIN_SAMPLES THREADS KIND [RUNS [SIZE [NEW]]]`, where the kind is
//! uniform, clustered, tight or embeddings.
//!
//! With a least SIZE of clusters, times the labels of HDBSCAN too, and with a number of NEW points,
//! those of new points of the same kind.

mod kinds;

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kostra_core::{LargePages, Observer, Run};
use kostra_points::cluster::{Fitted, Hierarchy, Selection, Ties};
use kostra_points::{Distance, Metric, Points, spanning_tree};

use crate::kinds::coordinates;

/// As in the command and the Python package.
#[global_allocator]
static MEMORY: LargePages = LargePages;

/// The times of phases, and the number of rounds.
#[derive(Default)]
struct Times {
    phases: Vec<(&'static str, Duration)>,
    rounds: u32,
}

impl Observer for Times {
    fn phase_finished(&mut self, name: &'static str, elapsed: Duration) {
        match self.phases.iter_mut().find(|(other, _)| *other == name) {
            Some((_, total)) => *total += elapsed,
            None => self.phases.push((name, elapsed)),
        }
    }
    fn round(&mut self, _: kostra_core::Round) {
        self.rounds += 1;
    }
}

/// The processor time of this process in seconds, on Linux; 0 elsewhere.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [n, d, min_samples, threads, kind, ..] = &arguments[..] else {
        return Err("usage: timing N D MIN_SAMPLES THREADS KIND [RUNS [SIZE]]".into());
    };
    let (n, d): (usize, usize) = (n.parse()?, d.parse()?);
    let rows = coordinates(n, d, kind, 1);
    let points = Points::new(&rows, d)?;
    let distance = Distance::mutual_reachability(Metric::Euclidean, min_samples.parse()?);
    let runs: usize = arguments.get(5).map_or(Ok(3), |runs| runs.parse())?;
    for _ in 0..runs {
        let mut times = Times::default();
        let (start, processor) = (Instant::now(), processor_seconds());
        let mut run = Run::new().on_threads(threads.parse()?).observed_by(&mut times);
        let tree = spanning_tree(&points, distance, &mut run)?;
        let (wall, processor) = (start.elapsed(), processor_seconds() - processor);
        let total: f64 = tree.distances.iter().sum();
        println!("{wall:.3?} wall, {processor:.2} s processor, total {total}");
        println!("  {} rounds, {:.1?}", times.rounds, times.phases);
        if let Some(size) = arguments.get(6) {
            let (before, threads) = (Instant::now(), threads.parse()?);
            let hierarchy = Hierarchy::on_threads(tree, threads)?;
            let merged = before.elapsed();
            let condensed = hierarchy.condensed(size.parse()?, Ties::Together)?;
            let condensing = before.elapsed() - merged;
            let found = condensed.select(Selection::default())?;
            let (labels, whole) = (before.elapsed(), wall + before.elapsed());
            let noise = found.labels.iter().filter(|&&label| label < 0).count();
            let clusters = found.clusters.len();
            println!("  labels in {whole:.3?}, {clusters} clusters, {noise} noise");
            let selection = labels - merged - condensing;
            println!("  hierarchy {merged:.1?}, condense {condensing:.1?}, select {selection:.1?}");
            if let Some(new) = arguments.get(7) {
                let new = coordinates(new.parse()?, d, kind, 2);
                let run = &mut Run::new().on_threads(threads);
                let (start, tree) = (Instant::now(), Arc::new(condensed));
                let fitted = Fitted::with_cores(&points, distance, tree, &found, run)?;
                println!("  prepare {:.2?}", start.elapsed());
                time_predictions(&fitted, &Points::new(&new, d)?, run)?;
            }
        }
    }
    Ok(())
}

fn time_predictions(
    fitted: &Fitted,
    new: &Points<'_>,
    run: &mut Run<'_>,
) -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let found = fitted.predict(new, run)?;
    let exact = start.elapsed();
    fitted.approximate_predict(new, run)?;
    let approximate = start.elapsed() - exact;
    let noise = found.labels.iter().filter(|&&label| label < 0).count();
    println!("  predict {exact:.2?}, approximately {approximate:.2?}, {noise} noise");
    Ok(())
}
