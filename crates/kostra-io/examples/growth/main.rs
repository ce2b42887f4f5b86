//! Reads an input that grows in one dimension, so that `scripts/growth` can count the instructions:
//!
//! ```text
//! cargo run --package kostra-io --example growth -- [ROW SIZE]
//! ```
//!
//! Without a row, the program prints the names of all rows. Valgrind counts only inside
//! [`counted_job`].

mod rows;

use std::error::Error;
use std::hint::black_box;

use kostra_io::{
    ColumnChoice, PointColumn, PointOptions, ReadOptions, read_bytes, read_image_bytes,
    read_points_bytes,
};
use rows::{Asked, Reader};

/// Calls a job. The symbol of this function starts and ends the counting.
#[inline(never)]
fn counted_job<T>(job: impl FnOnce() -> T) -> T {
    black_box(job())
}

fn main() -> Result<(), Box<dyn Error>> {
    let rows = rows::rows();
    let mut arguments = std::env::args().skip(1);
    let (Some(name), Some(size)) = (arguments.next(), arguments.next()) else {
        rows.iter().for_each(|row| println!("{}", row.name));
        return Ok(());
    };
    let row = rows.iter().find(|row| row.name == name).ok_or("no such row")?;
    let size = size.parse()?;
    let input = row.input(size);
    let asked: Vec<String> = match row.asked {
        Asked::Nothing => Vec::new(),
        Asked::All => vec!["all".to_owned()],
        Asked::Names => (0..size).map(|column| format!("k{column}")).collect(),
    };
    let mut options = ReadOptions { threads: 1, ..ReadOptions::default() };
    options.columns.keep = asked.iter().cloned().map(ColumnChoice::NameOrPosition).collect();
    // A refusal takes work, too.
    let result = match row.reader {
        Reader::Graph(format) => {
            options.format = Some(format);
            options.raw = rows::raw_row(format);
            counted_job(|| read_bytes("input", &input, &options).map(drop))
        }
        Reader::Recognized => counted_job(|| read_bytes("input", &input, &options).map(drop)),
        Reader::Points => {
            let columns = asked.iter().map(|name| PointColumn::named(name)).collect();
            let options = PointOptions { columns, ..PointOptions::default() };
            counted_job(|| read_points_bytes("input", &input, &options).map(drop))
        }
        Reader::Image => counted_job(|| read_image_bytes("input", &input).map(drop)),
    };
    let said = result.err().map_or("read".to_owned(), |error| error.to_string());
    println!("{}", said.chars().take(200).collect::<String>());
    Ok(())
}
