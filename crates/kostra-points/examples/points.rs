//! Timing.
use std::time::{Duration, Instant};

use kostra_core::random::Stream;
use kostra_core::{Observer, Round, Run};
use kostra_points::{Distance, Metric, Points, kd_tree};

#[derive(Default)]
struct Log(Vec<(&'static str, Duration)>, u32);
impl Observer for Log {
    fn phase_finished(&mut self, name: &'static str, elapsed: Duration) {
        if let Some(found) = self.0.iter_mut().find(|(other, _)| *other == name) {
            found.1 += elapsed;
        } else {
            self.0.push((name, elapsed));
        }
        if std::env::var("VERBOSE").is_ok() {
            eprintln!("  {name} {elapsed:?}");
        }
    }
    fn round(&mut self, round: Round) {
        self.1 += 1;
        if std::env::var("VERBOSE").is_ok() {
            eprintln!("{} {}", round.index, round.components);
        }
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let n: usize = args[1].parse().unwrap();
    let d: usize = args[2].parse().unwrap();
    let min: usize = args[3].parse().unwrap();
    let threads: usize = args[4].parse().unwrap();
    let clustered = args.get(5).is_some();
    let stream = Stream::new(1);
    let rows: Vec<f64> = (0..n * d)
        .map(|i| {
            if !clustered {
                return stream.unit(i as u64);
            }
            let cluster = stream.below((i / d) as u64, 100);
            let center = stream.unit(1 << 40 | cluster * 64 + (i % d) as u64);
            let normal: f64 =
                (0..12).map(|k| stream.unit((1 << 41) + (i * 12 + k) as u64)).sum::<f64>() - 6.0;
            center + 0.01 * normal
        })
        .collect();
    if let Some(path) = args.get(6) {
        std::fs::write(path, rows.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>())
            .unwrap();
    }
    let points = Points::new(&rows, d).unwrap();
    for _ in 0..2 {
        let mut log = Log::default();
        let start = Instant::now();
        let tree = kd_tree(
            &points,
            Distance::mutual_reachability(Metric::Euclidean, min),
            &mut Run::new().on_threads(threads).observed_by(&mut log),
        )
        .unwrap();
        let total: f64 = tree.distances.iter().sum();
        println!(
            "{n} x {d} min {min} threads {threads}: {:?} total {total} rounds {}",
            start.elapsed(),
            log.1
        );
        println!("  {:?}", log.0);
    }
}
