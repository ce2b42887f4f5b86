//! Finds single-linkage clusters from a list of distances: once with a limit on the distance, and
//! once with a number of clusters.
//!
//! Run it with `cargo run --release --example clusters`.

use kostra::{Graph, minimum_spanning_forest};

const NAMES: [&str; 6] = ["Prague", "Brno", "Ostrava", "Pilsen", "Liberec", "Olomouc"];

/// Two places and the distance between them in kilometers. Pairs that are not listed count as
/// infinitely far apart.
const DISTANCES: [(u32, u32, f64); 6] =
    [(0, 1, 205.0), (1, 2, 170.0), (0, 3, 95.0), (4, 0, 110.0), (2, 5, 100.0), (5, 1, 80.0)];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let graph = Graph::with_vertices(NAMES.len(), DISTANCES)?;

    // Single linkage merges clusters along the edges of the minimum spanning forest, from the
    // shortest edge to the longest.
    let tree = minimum_spanning_forest(&graph).merge_tree()?;

    // The merges over at most 100 km are the first ones.
    let is_near = |&edge: &u32| DISTANCES[edge as usize].2 <= 100.0;
    print("at most 100 km", &tree.clusters(tree.edges().partition_point(is_near))?);

    // Each merge reduces the number of clusters by one.
    print("two clusters", &tree.clusters(NAMES.len() - 2)?);
    Ok(())
}

/// Prints the members of each cluster. `clusters` holds a cluster number for each vertex.
fn print(title: &str, clusters: &[u32]) {
    println!("{title}:");
    let count = clusters.iter().max().map_or(0, |highest| highest + 1);
    for cluster in 0..count {
        let members = NAMES.iter().zip(clusters).filter(|(_, number)| **number == cluster);
        let members: Vec<_> = members.map(|(name, _)| *name).collect();
        println!("  {}", members.join(", "));
    }
}
