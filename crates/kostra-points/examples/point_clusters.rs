//! From points to clusters: HDBSCAN of points in the plane, with the time of each step.
//!
//! `cargo run --release -p kostra-points --example point_clusters -- 1000000`

use std::error::Error;
use std::time::Instant;

use kostra_points::cluster::{Hierarchy, Selection, Ties};
use kostra_points::low_level::random::RandomStream;
use kostra_points::{Distance, Metric, Points, Run, spanning_tree};

fn main() -> Result<(), Box<dyn Error>> {
    let n = std::env::args().nth(1).map_or(Ok(10_000), |argument| argument.parse::<u64>())?;
    let coordinates = blobs(n);
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let (min_cluster_size, min_samples) = (50, 10);

    let start = Instant::now();
    let points = Points::new(&coordinates, 2)?;
    let distance = Distance::mutual_reachability(Metric::Euclidean, min_samples);
    let tree = spanning_tree(&points, distance, &mut Run::new().on_threads(threads))?;
    println!("tree        {:?}", start.elapsed());

    let start = Instant::now();
    let hierarchy = Hierarchy::new(tree)?;
    println!("hierarchy   {:?}", start.elapsed());

    let start = Instant::now();
    let condensed = hierarchy.condensed(min_cluster_size, Ties::Together)?;
    println!("condensed   {:?}", start.elapsed());

    let start = Instant::now();
    let clusters = condensed.select(Selection::default())?;
    println!("clusters    {:?}", start.elapsed());

    let noise = clusters.labels.iter().filter(|&&label| label < 0).count();
    println!("{} clusters, {noise} of {n} points are noise", clusters.clusters.len());
    Ok(())
}

/// Points around 100 centers, and a tenth of them anywhere in the unit square.
fn blobs(n: u64) -> Vec<f64> {
    let random = RandomStream::new(1);
    let centers = random.split(1);
    let coordinate = |point: u64, axis: u64| {
        let anywhere = random.unit(4 * point + axis);
        if point.is_multiple_of(10) {
            return anywhere;
        }
        // The sum of uniform numbers is nearly normal.
        let offsets: f64 = (0..4).map(|draw| random.split(2 + draw).unit(2 * point + axis)).sum();
        centers.unit(2 * (point % 100) + axis) + 0.02 * (offsets - 2.0)
    };
    (0..n).flat_map(|point| [coordinate(point, 0), coordinate(point, 1)]).collect()
}
