//! Reads a road network from a file and writes its minimum spanning forest as lines of text.
//!
//! Run it with `cargo run --release --example road_file -- roads.gr.gz forest.txt`. The format and
//! the compression of the input are recognized by its content.

use std::path::PathBuf;

use kostra::io::{self, Input, Output, ReadOptions};
use kostra::minimum_spanning_forest;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(input), Some(output)) = (arguments.next(), arguments.next()) else {
        return Err("usage: road_file INPUT OUTPUT".into());
    };

    // The last argument receives progress reports, which this program ignores.
    let loaded = io::read(&Input::Path(input), &ReadOptions::default(), &|_| ())?;
    // Notes tell what the reader did besides reading, such as choosing weights.
    loaded.notes.iter().for_each(|note| println!("note: {note}"));

    let graph = &loaded.graph;
    let forest = minimum_spanning_forest(graph);

    // The file appears whole or not at all. It is compressed if its name ends in .gz or .zst.
    io::write_atomically(&Output::Path(output), |file| {
        for &edge in forest.ids() {
            // Vertices count from 0, even if the format of the input counts from 1.
            let (u, v) = (graph.u()[edge as usize], graph.v()[edge as usize]);
            writeln!(file, "{edge}\t{u}\t{v}")?;
        }
        Ok(())
    })?;
    println!("{} edges, total weight {}", forest.ids().len(), forest.total());
    Ok(())
}
