//! Reads a road network from a file and writes its minimum spanning forest.
//!
//! Run it with `cargo run --release --features io --example road_file -- roads.gr.gz forest.csv`.
//! The format and the compression of the input are recognized by its content. Those of the output
//! follow from its name.

use std::path::PathBuf;

use kostra::{Reader, minimum_spanning_forest};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(input), Some(output)) = (arguments.next(), arguments.next()) else {
        return Err("usage: road_file INPUT OUTPUT".into());
    };

    // `kostra::read(input)?` is the graph alone.
    let file = Reader::new().read(input)?;
    // Notes tell what the reader did besides reading, such as choosing weights.
    file.notes.iter().for_each(|note| println!("note: {note}"));

    let forest = minimum_spanning_forest(&file.graph);

    // The file appears whole or not at all. Vertices count from 0, even if the format of the input
    // counts from 1.
    forest.write_with(output, &file)?;
    println!("{} edges, total weight {}", forest.edge_count(), forest.total());
    Ok(())
}
