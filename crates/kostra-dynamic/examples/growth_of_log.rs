//! Work on logs that grows with their updates, so that `scripts/growth` can count the instructions:
//! `growth_of_log [ROW SIZE]`. Without a row, the program prints the names of all rows. Valgrind
//! counts only inside [`counted_job`].

use std::error::Error;
use std::fs::OpenOptions;
use std::hint::black_box;
use std::path::Path;

use kostra_core::{Order, WeightType};
use kostra_dynamic::{AnyDynamicForest, UpdateLog};

const ROWS: [&str; 5] = ["commits", "one commit", "opening", "opening, torn", "compaction"];

/// Calls a job. The symbol of this function starts and ends the counting.
#[inline(never)]
fn counted_job<T>(job: impl FnOnce() -> T) -> T {
    black_box(job())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(row), Some(size)) = (arguments.next(), arguments.next()) else {
        ROWS.iter().for_each(|row| println!("log, {row}"));
        return Ok(());
    };
    let size = size.parse()?;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("log");
    match row.strip_prefix("log, ").ok_or("no such row")? {
        "commits" => counted_job(|| written(&path, size, 1))?,
        "one commit" => counted_job(|| written(&path, size, size))?,
        "opening" => {
            written(&path, size, 1)?;
            counted_job(|| UpdateLog::open(&path).map(drop))?;
        }
        "opening, torn" => {
            // The last frame has most of the updates, and its end is missing.
            written(&path, size, size)?;
            let file = OpenOptions::new().write(true).open(&path)?;
            file.set_len(file.metadata()?.len() - 1)?;
            counted_job(|| UpdateLog::open(&path).map(drop))?;
        }
        "compaction" => {
            written(&path, size, 1)?;
            let mut opened = UpdateLog::open(&path)?;
            counted_job(|| opened.log.compact(&opened.forest, None))?;
        }
        _ => return Err("no such row".into()),
    }
    println!("done");
    Ok(())
}

/// Writes a log of `size` insertions, `batch` of them in each frame.
fn written(path: &Path, size: usize, batch: usize) -> Result<(), Box<dyn Error>> {
    let mut forest = AnyDynamicForest::new(100, WeightType::U32, Order::Minimum)?;
    let mut log = UpdateLog::create(path, &forest, None)?;
    let AnyDynamicForest::U32(typed) = &mut forest else { return Err("other weights".into()) };
    for edge in 1..=size as u32 {
        let (u, v, weights) = ([edge * 7 % 100], [edge * edge % 99], [edge * 31 % 1009]);
        typed.insert(&u, &v, &weights)?;
        log.insert(&u, &v, &weights);
        if (edge as usize).is_multiple_of(batch) {
            log.commit()?;
        }
    }
    Ok(())
}
