//! Checks and times the spanning trees of points on a device, on a machine that may have no Rust.
//!
//! ```text
//! cargo build --release --package kostra-cuda --example points_on_device
//! points_on_device check [MOST_POINTS]      compare with the processor, edge by edge
//! points_on_device pairs [MOST_POINTS [DEVICES]]
//!                                           the same, by comparing all pairs
//! points_on_device large POINTS             the same with one large set of each kind
//! points_on_device time POINTS DIMENSIONS f32|f64 uniform|clustered [MIN_SAMPLES [PLAN [DEVICES]]]
//! points_on_device dendrogram POINTS DIMENSIONS uniform|clustered
//! points_on_device linkage POINTS DIMENSIONS uniform|clustered FILE
//! ```
//!
//! A shape may also be `file:PATH`, a file of 32-bit coordinates. PLAN is `auto`, `pairs` (compare
//! all pairs) or `cosine` (with this metric). DEVICES is a number of devices. `time` takes points
//! in device memory and leaves the tree there. It prints the median of seven trees after one that
//! is not timed, and the steps of one more; of many points of many dimensions one instead of seven.
//! `dendrogram` does the same for the tree and for its merges, with the median of five. It compares
//! the merges of up to ten million points with the processor. `linkage` does the same from points
//! in host memory to the rows of the linkage in host memory, and writes the 32-bit coordinates to a
//! file, for other programs. The exit code is 1 if a result is wrong or there is no device.

#![allow(unsafe_code, clippy::unwrap_used, reason = "an example that stops at the first error")]

use std::process::exit;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kostra_core::random::RandomStream;
use kostra_core::{ElementType, Observer, Round, Run};
use kostra_cuda::points::{
    DevicePointTree, PointAddresses, PointDistance, brute_force, brute_force_at, spanning_tree,
    spanning_tree_at,
};
use kostra_cuda::{Device, DeviceMemory};
use kostra_points::cluster::Hierarchy;
use kostra_points::{Coordinate, Distance, Metric, Points};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let number = |word: &str| word.parse::<usize>().unwrap();
    let device = Device::open(0).unwrap_or_else(|error| {
        println!("{error}");
        exit(1);
    });
    let kernels = kostra_cuda::kernels().unwrap_or_else(|error| error.to_string());
    println!("{}; kernels {kernels}", device.name());
    match words[..] {
        ["check"] => check(3000),
        ["check", most] => check(number(most)),
        ["pairs", ref others @ ..] if others.len() <= 2 => {
            let other = |at: usize, default| others.get(at).map_or(default, |word| number(word));
            check_pairs(other(0, 3000), other(1, 1));
        }
        ["dendrogram", n, d, shape] => time_dendrogram(number(n), number(d), shape),
        ["linkage", n, d, shape, path] => time_linkage(number(n), number(d), shape, path),
        ["large", points] => check_large(number(points)),
        ["time", n, d, kind, shape, ref others @ ..] if others.len() <= 3 => {
            let other = |at, default| others.get(at).copied().unwrap_or(default);
            let (min_samples, devices) = (number(other(0, "1")), number(other(2, "1")));
            let points = Copied::new(number(n), number(d), (kind, shape));
            time(&points, min_samples, other(1, "auto"), devices);
        }
        _ => {
            println!(
                "usage: points_on_device check|pairs [N [DEVICES]] | large N | time N D f32|f64 SHAPE [K [PLAN [DEVICES]]] | dendrogram N D SHAPE | linkage N D SHAPE FILE"
            );
            exit(2);
        }
    }
}

/// Coordinates of `n` points of a named shape.
fn points(shape: &str, n: usize, d: usize, seed: u64) -> Vec<f64> {
    if let Some(path) = shape.strip_prefix("file:") {
        let bytes = std::fs::read(path).unwrap();
        let numbers = bytes.as_chunks::<4>().0.iter();
        return numbers.take(n * d).map(|bytes| f32::from_ne_bytes(*bytes).into()).collect();
    }
    let stream = RandomStream::new(seed);
    let unit = |index: usize| stream.unit(index as u64);
    let coordinate = |i: usize, k: usize| match shape {
        "uniform" => unit(i * d + k),
        // Dense cores and thin surroundings, around n / 1000 + 1 centers.
        "clustered" => {
            let cluster = (unit(i) * (n / 1000 + 1) as f64) as usize;
            let spread = unit(n + i).powi(4) * 0.05;
            unit(2 * n + cluster * d + k) + spread * (unit(3 * n + d * (n + i) + k) - 0.5)
        }
        "lattice" => {
            let side = (n as f64).powf(1.0 / d as f64).ceil() as usize;
            side.checked_pow(k as u32).map_or(0, |step| i / step % side) as f64
        }
        "duplicates" => (unit((i % (n / 7 + 1)) * d + k) * 5.0).floor(),
        "equal" => 0.25,
        "line" => (i as f64) * (k + 1) as f64,
        "parabola" => (i as f64).powi(2) * (k + 1) as f64,
        "far" => 1e9 + 1e-2 * unit(i * d + k),
        "outlier" => {
            if i == 0 {
                1e12
            } else {
                unit(i * d + k)
            }
        }
        _ => panic!("no shape {shape}"),
    };
    (0..n).flat_map(|i| (0..d).map(move |k| (i, k))).map(|(i, k)| coordinate(i, k)).collect()
}

const SHAPES: [&str; 9] = [
    "uniform",
    "clustered",
    "lattice",
    "duplicates",
    "equal",
    "line",
    "parabola",
    "far",
    "outlier",
];

/// Compares the device with the processor.
fn compare<T: Coordinate>(values: &[T], d: usize, min_samples: usize, about: &str) {
    let distance = Distance::mutual_reachability(Metric::Euclidean, min_samples);
    compare_by(values, d, Method { distance, plan: "auto", devices: 1 }, about);
}

/// Which tree, and how it is found.
#[derive(Clone, Copy)]
struct Method<'a> {
    distance: Distance,
    plan: &'a str,
    devices: usize,
}

fn compare_by<T: Coordinate>(
    values: &[T],
    d: usize,
    Method { distance, plan, devices }: Method<'_>,
    about: &str,
) {
    let points = Points::new(values, d).unwrap();
    let min_samples = distance.min_samples;
    let start = Instant::now();
    let expected = kostra_points::spanning_tree(&points, distance, &mut Run::new().on_threads(16));
    let by_processor = start.elapsed();
    let (start, run) = (Instant::now(), &mut on(devices).on_threads(4));
    let found = match plan {
        "pairs" => brute_force(&points, distance, run),
        _ => spanning_tree(&points, distance, run),
    };
    let by_device = start.elapsed();
    let (expected, found) = match (expected, found) {
        (Ok(expected), Ok(found)) => (expected, found),
        (expected, found) => {
            let (expected, found) = (expected.map(|_| ()), found.map(|_| ()));
            println!("WRONG: {about}, min_samples {min_samples}: {expected:?}, {found:?}");
            exit(1);
        }
    };
    if points.len() >= 100_000 {
        println!("  {about}, {min_samples}: processor {by_processor:.2?}, device {by_device:.2?}");
    }
    if found != expected {
        let at = (0..expected.ends.len()).find(|&i| {
            found.ends.get(i) != Some(&expected.ends[i])
                || found.distances.get(i) != Some(&expected.distances[i])
        });
        let edges = found.ends.len();
        println!("WRONG: {about}, min_samples {min_samples}, {edges} edges, first at {at:?}");
        if let Some(i) = at {
            println!("  {:?} {:?}", expected.ends[i], expected.distances[i]);
            println!("  {:?} {:?}", found.ends.get(i), found.distances.get(i));
        }
        exit(1);
    }
}

fn check(most: usize) {
    for d in [1, 2, 3, 4, 5, 7, 8, 9, 12, 16] {
        let mut sets = 0;
        for shape in SHAPES {
            for n in [0, 1, 2, 5, 32, 33, 100, 1025, most] {
                let values = points(shape, n, d, (d * n) as u64);
                let narrow: Vec<f32> = values.iter().map(|&x| x as f32).collect();
                for min_samples in [1, 2, 6, 33, 129] {
                    if min_samples == 1 || min_samples <= n {
                        compare(&values, d, min_samples, &format!("{shape} {n} x {d} f64"));
                        compare(&narrow, d, min_samples, &format!("{shape} {n} x {d} f32"));
                        sets += 2;
                    }
                }
            }
        }
        println!("{d} dimensions: {sets} trees are those of the processor");
    }
}

/// A run on the first devices.
fn on<'a>(count: usize) -> Run<'a> {
    Run::new().on_devices(&[0, 1, 2, 3, 4, 5, 6, 7][..count])
}

fn check_pairs(most: usize, devices: usize) {
    for d in [1, 3, 16, 17, 31, 48, 64, 65, 130, 257, 600] {
        let mut sets = 0;
        for shape in SHAPES {
            for n in [2, 5, 33, 1025, most] {
                let values = points(shape, n, d, (d * n) as u64);
                let narrow: Vec<f32> = values.iter().map(|&x| x as f32).collect();
                // Without vectors of zeros.
                let moved: Vec<f32> = narrow.iter().map(|&x| x + 0.5).collect();
                for min_samples in [1, 6, 129].into_iter().filter(|&least| least <= n) {
                    let by = |metric| {
                        let distance = Distance::mutual_reachability(metric, min_samples);
                        Method { distance, plan: "pairs", devices }
                    };
                    let euclidean = by(Metric::Euclidean);
                    compare_by(&values, d, euclidean, &format!("{shape} {n} x {d} f64"));
                    compare_by(&narrow, d, euclidean, &format!("{shape} {n} x {d} f32"));
                    compare_by(&moved, d, by(Metric::Cosine), &format!("{shape} {n} x {d} cosine"));
                    sets += 3;
                }
            }
        }
        println!("{d} dimensions: {sets} trees by all pairs are those of the processor");
    }
}

fn check_large(n: usize) {
    for d in [2, 3, 5] {
        for shape in SHAPES {
            let values = points(shape, n, d, 7);
            let narrow: Vec<f32> = values.iter().map(|&x| x as f32).collect();
            compare(&narrow, d, 1, &format!("{shape} {n} x {d} f32"));
            if d < 5 {
                compare(&values, d, 5, &format!("{shape} {n} x {d} f64"));
            }
        }
        println!("{d} dimensions: large sets are right");
    }
}

/// Adds up the time of each step.
#[derive(Default)]
struct Steps {
    took: Vec<(&'static str, Duration)>,
    rounds: Vec<(u64, u64)>,
}

impl Steps {
    fn print(&self) {
        for (step, took) in &self.took {
            print!("  {step} {:.2} ms", took.as_secs_f64() * 1e3);
        }
        println!();
    }
}

impl Observer for Steps {
    fn phase_finished(&mut self, name: &'static str, elapsed: Duration) {
        match self.took.iter_mut().find(|(step, _)| *step == name) {
            Some((_, sum)) => *sum += elapsed,
            None => self.took.push((name, elapsed)),
        }
    }

    fn round(&mut self, round: Round) {
        self.rounds.push((round.components, round.edges));
    }
}

/// Points in device memory.
struct Copied {
    /// Their number, dimensions, type and shape.
    about: String,
    device: Arc<Device>,
    addresses: PointAddresses,
    /// Has the coordinates.
    _memory: DeviceMemory,
}

impl Copied {
    fn new(n: usize, d: usize, (kind, shape): (&str, &str)) -> Self {
        let device = Device::open(0).unwrap();
        let values = points(shape, n, d, 1);
        let (coordinates, bytes): (_, Vec<u8>) = if kind == "f32" {
            let narrow = values.iter().flat_map(|&x| (x as f32).to_ne_bytes());
            (ElementType::F32, narrow.collect())
        } else {
            (ElementType::F64, values.iter().flat_map(|x| x.to_ne_bytes()).collect())
        };
        drop(values);
        let memory = DeviceMemory::copy_of(&device, &bytes, 8).unwrap();
        let address = memory.share().unwrap();
        let addresses =
            PointAddresses { address, len: n as u32, dimensions: d, stride: d, coordinates };
        let about = format!("{n} x {d} {kind} {shape}");
        Self { about, device, addresses, _memory: memory }
    }

    fn tree(&self, distance: Distance, plan: &str, run: &mut Run<'_>) -> DevicePointTree {
        let distance = PointDistance::Metric(distance);
        // SAFETY: the memory has the points.
        let tree = unsafe {
            match plan {
                "pairs" => brute_force_at(&self.device, &self.addresses, distance, run),
                _ => spanning_tree_at(&self.device, &self.addresses, distance, run),
            }
        };
        tree.unwrap()
    }
}

fn time(points: &Copied, min_samples: usize, plan: &str, devices: usize) {
    let metric = if plan == "cosine" { Metric::Cosine } else { Metric::Euclidean };
    let distance = Distance::mutual_reachability(metric, min_samples);
    let median = match points.addresses.len < 1 << 19 || points.addresses.dimensions < 64 {
        true => median::<7, _>(|| points.tree(distance, plan, &mut on(devices))),
        false => median::<1, _>(|| points.tree(distance, plan, &mut on(devices))),
    };
    let mut steps = Steps::default();
    let answer = points.tree(distance, plan, &mut on(devices).observed_by(&mut steps));
    let total: f64 = answer
        .distances
        .to_vec()
        .unwrap()
        .as_chunks::<8>()
        .0
        .iter()
        .map(|bytes| f64::from_ne_bytes(*bytes))
        .sum();
    println!("{}, min_samples {min_samples}, {plan}: median {median}, total {total}", points.about);
    steps.print();
    println!("  rounds (components, searches): {:?}", steps.rounds);
}

/// Times a tree of 32-bit points in device memory, and its merges. Up to [`MOST_COMPARED`] points,
/// compares the merges with the processor.
fn time_dendrogram(n: usize, d: usize, shape: &str) {
    let points = Copied::new(n, d, ("f32", shape));
    let tree = || points.tree(Metric::Euclidean.into(), "auto", &mut Run::new());
    let of_tree = median::<5, _>(tree);
    let tree = tree();
    let of_merges = median::<5, _>(|| tree.merges(&mut Run::new()).unwrap());
    println!("{n} x {d} {shape}: tree {of_tree}, merges {of_merges}");
    let mut steps = Steps::default();
    let merges = tree.merges(&mut Run::new().observed_by(&mut steps)).unwrap();
    steps.print();
    if n <= MOST_COMPARED {
        let (found, tree) = (merges.download().unwrap(), tree.download(16).unwrap());
        let start = Instant::now();
        let hierarchy = Hierarchy::on_threads(tree, 16).unwrap();
        let by_processor = start.elapsed();
        if !hierarchy.merges().merges().unwrap().eq(found) {
            println!("WRONG: the merges are not those of the processor");
            exit(1);
        }
        println!("  the processor's hierarchy has the same merges, and took {by_processor:.2?}");
    }
}

/// Times a single linkage of 32-bit points, from host memory to host memory on 16 threads. Writes
/// the points to a file.
fn time_linkage(n: usize, d: usize, shape: &str, path: &str) {
    let values: Vec<f32> = points(shape, n, d, 1).iter().map(|&x| x as f32).collect();
    let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_ne_bytes()).collect();
    std::fs::write(path, bytes).unwrap();
    let points = Points::new(&values, d).unwrap();
    let linkage = |run: &mut Run<'_>| {
        let tree = spanning_tree(&points, Metric::Euclidean, run).unwrap();
        Hierarchy::on_threads(tree, 16).unwrap().linkage().unwrap()
    };
    let median = median::<5, _>(|| linkage(&mut Run::new().on_threads(16)));
    let mut steps = Steps::default();
    let rows = linkage(&mut Run::new().on_threads(16).observed_by(&mut steps));
    let total: f64 = rows.iter().map(|row| row[2]).sum();
    println!("{n} x {d} {shape}: linkage {median}, total {total:.9}");
    steps.print();
}

/// The most points whose merges are compared with the processor.
const MOST_COMPARED: usize = 10_000_000;

/// The median time of `CALLS` calls after one that is not timed, with the shortest and the longest.
fn median<const CALLS: usize, T>(mut step: impl FnMut() -> T) -> String {
    step();
    let mut times = [(); CALLS].map(|()| {
        let start = Instant::now();
        let result = step();
        let took = start.elapsed();
        drop(result);
        took
    });
    times.sort();
    format!("{:.2?} ({:.2?} to {:.2?})", times[CALLS / 2], times[0], times[CALLS - 1])
}
