//! Finds the minimum spanning forest of a graph that is given as three arrays.
//!
//! Run it with `cargo run --release --example arrays`.

use kostra::{Graph, minimum_spanning_forest};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Edge i joins the vertices u[i] and v[i] and has the weight weights[i]. The weights can have
    // the types i32, u32, i64, u64, f32 and f64.
    let u = vec![0, 1, 2, 0, 3];
    let v = vec![1, 2, 0, 2, 4];
    let weights = vec![0.5, -1.0, 0.5, 0.0, 7.25];

    // The graph has 6 vertices, 0 to 5. No edge joins vertex 5. `from_arrays` checks the arrays: an
    // endpoint that is out of range or a weight that is NaN is an error.
    let graph = Graph::from_arrays(6, u, v, weights)?;

    // The forest is a list of edge ids, which are positions in the arrays.
    let forest = minimum_spanning_forest(&graph);
    for (edge, u, v, _) in forest.edges() {
        println!("edge {edge} joins {u} and {v}");
    }
    println!("total weight {}, {} components", forest.total(), forest.component_count());
    Ok(())
}
