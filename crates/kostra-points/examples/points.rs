//! Points in, spanning tree out. `cargo run --release -p kostra-points --example points`
//!
//! Makes two clouds of points, finds their spanning tree, and cuts the longest edge: what is left
//! are the two clouds. This is single-linkage clustering.

use kostra_points::low_level::UnionFind;
use kostra_points::low_level::random::RandomStream;
use kostra_points::{Distance, Metric, Points, PointsError, Run, nearest_neighbors, spanning_tree};

fn main() -> Result<(), PointsError> {
    // Rows of two coordinates: the first half around (0, 0), the second half around (5, 5).
    let random = RandomStream::new(1);
    let n = 1000;
    let rows: Vec<f64> =
        (0..2 * n).map(|i| random.unit(i) + if i < n { 0.0 } else { 5.0 }).collect();

    // Checks the input once. `f32` is accepted as well.
    let points = Points::new(&rows, 2)?;

    // The tree on two threads. The same for every number of threads.
    let mut run = Run::new().on_threads(2);
    let tree = spanning_tree(&points, Metric::Euclidean, &mut run)?;
    let total: f64 = tree.distances.iter().sum();
    println!("{} points, {} edges, total length {total:.3}", tree.len, tree.ends.len());

    // Edges are in ascending order, so the last is the longest. Join all others.
    let mut clusters = UnionFind::new(tree.len);
    for [u, v] in tree.ends.split_last().map_or(&[][..], |(_, shorter)| shorter) {
        clusters.union(*u, *v);
    }
    println!("{} clusters without the longest edge", clusters.sets());

    // The distance that HDBSCAN uses: points in thin regions are farther apart.
    let distance = Distance::mutual_reachability(Metric::Euclidean, 5);
    let tree = spanning_tree(&points, distance, &mut run)?;
    println!("longest edge by mutual reachability: {:.3}", tree.distances[tree.ends.len() - 1]);

    // The neighbors themselves.
    let neighbors = nearest_neighbors(&points, Metric::Euclidean, 3, &mut run)?;
    println!("nearest to point 0: {:?}", &neighbors.indices[..neighbors.per_point]);
    Ok(())
}
