//! Times updates of points that come and go: `dynamic N D THREADS KIND MIN_SAMPLES [BATCH...]`,
//! where the kind is uniform, clustered, tight or embeddings. Prints JSON. Each batch is added
//! three times, in turn with a fresh fit of all points, and the trees are compared. Then as many
//! are removed.

mod kinds;

use std::error::Error;
use std::time::{Duration, Instant};

use kostra_core::{LargePages, Observer, Run};
use kostra_points::{Distance, DynamicPoints, Metric, Points, spanning_tree};

use crate::kinds::coordinates;

/// As in the command and the Python package.
#[global_allocator]
static MEMORY: LargePages = LargePages;

/// The times of phases.
#[derive(Default)]
struct Times(Vec<(&'static str, Duration)>);

impl Observer for Times {
    fn phase_finished(&mut self, name: &'static str, elapsed: Duration) {
        match self.0.iter_mut().find(|(other, _)| *other == name) {
            Some((_, total)) => *total += elapsed,
            None => self.0.push((name, elapsed)),
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [n, d, threads, kind, min_samples, batches @ ..] = &arguments[..] else {
        return Err("usage: dynamic N D THREADS KIND MIN_SAMPLES [BATCH...]".into());
    };
    let distance = Distance::mutual_reachability(Metric::Euclidean, min_samples.parse()?);
    let (n, d, threads): (usize, usize, usize) = (n.parse()?, d.parse()?, threads.parse()?);
    let mut rows = coordinates(n, d, kind, 1);
    let start = Instant::now();
    let run = &mut Run::new().on_threads(threads);
    let mut points = DynamicPoints::new(&Points::new(&rows, d)?, distance, run)?;
    println!("{{\"first\": {:.6}", start.elapsed().as_secs_f64());
    for (part, batch) in (2..).zip(batches) {
        let batch: usize = batch.parse()?;
        let all = coordinates(3 * batch, d, kind, part);
        for (turn, new) in all.chunks(batch * d).enumerate() {
            let mut times = Times::default();
            let mut run = Run::new().on_threads(threads).observed_by(&mut times);
            let start = Instant::now();
            points.add(&Points::new(new, d)?, &mut run)?;
            let added = start.elapsed();
            let tree = points.tree()?;
            let with_tree = start.elapsed();
            rows.extend(new);
            let start = Instant::now();
            let run = &mut Run::new().on_threads(threads);
            let fresh = spanning_tree(&Points::new(&rows, d)?, distance, run)?;
            let fit = start.elapsed();
            assert!(tree == fresh, "the tree is not that of a fresh fit");
            let [added, with_tree, fit] = [added, with_tree, fit].map(|time| time.as_secs_f64());
            println!(
                ", \"add_{batch}_{turn}\": {{\"add\": {added:.6}, \"with_tree\": {with_tree:.6}, \
                 \"fit\": {fit:.6}, \"recomputed\": {}}}",
                points.was_recomputed()
            );
            eprintln!("{:.1?}", times.0);
        }
        remove(&mut points, &mut rows, Setting { batch, d, threads, distance })?;
    }
    println!("}}");
    Ok(())
}

/// How points are removed.
#[derive(Clone, Copy)]
struct Setting {
    batch: usize,
    d: usize,
    threads: usize,
    distance: Distance,
}

/// Removes points that are spread over all, three times.
fn remove(
    points: &mut DynamicPoints,
    rows: &mut Vec<f64>,
    Setting { batch, d, threads, distance }: Setting,
) -> Result<(), Box<dyn Error>> {
    for turn in 0..3 {
        let step = points.ids().len() / batch;
        let ids: Vec<u32> = points.ids().iter().copied().step_by(step).take(batch).collect();
        let mut times = Times::default();
        let mut run = Run::new().on_threads(threads).observed_by(&mut times);
        let start = Instant::now();
        points.remove(&ids, &mut run)?;
        let removed = start.elapsed().as_secs_f64();
        let tree = points.tree()?;
        rows.clear();
        rows.extend(points.rows());
        let start = Instant::now();
        let run = &mut Run::new().on_threads(threads);
        let fresh = spanning_tree(&Points::new(rows, d)?, distance, run)?;
        let fit = start.elapsed().as_secs_f64();
        assert!(tree == fresh, "the tree is not that of a fresh fit");
        println!(
            ", \"remove_{batch}_{turn}\": {{\"remove\": {removed:.6}, \"fit\": {fit:.6}, \
             \"recomputed\": {}}}",
            points.was_recomputed()
        );
        eprintln!("{:.1?}", times.0);
    }
    Ok(())
}
