//! How many points each row of a file counts as.

use kostra_core::memory;
use kostra_io::PointFile;

use crate::measure::Measure;

/// Refuses what has no weights.
pub(crate) fn check(metric: Measure, on_device: bool, approximate: bool) -> anyhow::Result<()> {
    let option = match metric {
        Measure::Precomputed => "`--metric precomputed`, whose rows are distances",
        Measure::By(_) if on_device => "`--device`",
        Measure::By(_) if approximate => "`--approximate`",
        Measure::By(_) => return Ok(()),
    };
    anyhow::bail!("`--weights` cannot be used with {option}; leave out one of them")
}

/// The weights of the points; empty for one each.
///
/// # Errors
/// When a weight is no whole number from 1.
pub(crate) fn of(file: &PointFile) -> anyhow::Result<Vec<u32>> {
    let mut weights = memory::with_capacity(file.weights.len())?;
    for (row, &weight) in file.weights.iter().enumerate() {
        let is_count = (1.0..=f64::from(u32::MAX)).contains(&weight) && weight.fract() == 0.0;
        if !is_count {
            let place = match file.line(row) {
                Some(line) => format!("line {line}"),
                None => format!("row {row} (counted from 0)"),
            };
            anyhow::bail!(
                "{place}: the weight is {weight}, but it must be a whole number from 1: as many \
                 points the line counts as; remove lines that count as none"
            );
        }
        weights.push(weight as u32);
    }
    Ok(weights)
}
