//! Times the hierarchy of trees of several shapes on one thread and on two:
//! `dendrogram N [RUNS]`. The tree of random points comes last.

use std::error::Error;
use std::time::{Duration, Instant};

use kostra_core::random::RandomStream;
use kostra_core::{LargePages, Run};
use kostra_points::cluster::Hierarchy;
use kostra_points::{Metric, PointTree, Points, spanning_tree};

/// As in the command and the Python package.
#[global_allocator]
static MEMORY: LargePages = LargePages;

/// The numbers from 0 in random order.
fn shuffled(n: u32, seed: u64) -> Vec<u32> {
    let random = RandomStream::new(seed);
    let mut numbers: Vec<u32> = (0..n).collect();
    numbers.sort_by_cached_key(|&number| random.at(number.into()));
    numbers
}

/// The ends of the edges of a tree in order.
fn shapes(n: u32) -> Vec<(&'static str, Vec<[u32; 2]>)> {
    let path: Vec<_> = (1..n).map(|v| [v - 1, v]).collect();
    let names = shuffled(n, 1);
    let order = shuffled(n - 1, 2);
    let random = RandomStream::new(3);
    let recursive: Vec<_> = (1..n).map(|v| [random.below(v.into(), v.into()) as u32, v]).collect();
    let renamed = |ends: &[[u32; 2]]| -> Vec<_> {
        ends.iter().map(|pair| pair.map(|v| names[v as usize])).collect()
    };
    let in_random_order =
        |ends: &[[u32; 2]]| -> Vec<_> { order.iter().map(|&i| ends[i as usize]).collect() };
    vec![
        ("ascending path", path.clone()),
        ("ascending path, random names", renamed(&path)),
        ("path in random order", in_random_order(&path)),
        ("star", (1..n).map(|v| [0, v]).collect()),
        ("star, random names", renamed(&(1..n).map(|v| [0, v]).collect::<Vec<_>>())),
        ("recursive tree, ascending", recursive.clone()),
        ("recursive tree in random order", in_random_order(&recursive)),
    ]
}

fn main() -> Result<(), Box<dyn Error>> {
    let argument = |at| std::env::args().nth(at).map(|argument| argument.parse::<u32>());
    let n = argument(1).ok_or("usage: dendrogram N [RUNS]")??;
    let runs = argument(2).unwrap_or(Ok(5))?;
    let mut trees: Vec<_> = shapes(n)
        .into_iter()
        .map(|(name, ends)| (name, PointTree { len: n, distances: vec![1.0; ends.len()], ends }))
        .collect();
    let random = RandomStream::new(4);
    let rows: Vec<f64> = (0..2 * u64::from(n)).map(|i| random.unit(i)).collect();
    let run = &mut Run::new().on_threads(2);
    trees.push(("points", spanning_tree(&Points::new(&rows, 2)?, Metric::Euclidean, run)?));
    for (name, tree) in trees {
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..runs {
            for (threads, times) in (1..).zip(&mut times) {
                let tree = tree.clone();
                let start = Instant::now();
                Hierarchy::on_threads(tree, threads)?;
                times.push(start.elapsed());
            }
        }
        let median = |times: &mut Vec<Duration>| {
            times.sort_unstable();
            times[times.len() / 2]
        };
        let [one, two] = &mut times;
        println!("{name:32} {:10.1?} {:10.1?}", median(one), median(two));
    }
    Ok(())
}
