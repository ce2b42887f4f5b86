//! Compares the samples of two records, or of the two builds of one record, cell by cell.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::Value;

use crate::paired::{Change, significant};
use crate::samples::{Samples, samples};
use crate::statistics::{Timing, milliseconds};

/// The probability that any cell of a comparison without changes is called changed.
const LEVEL: f64 = 0.05;

/// The arguments of a comparison.
#[derive(Args)]
pub(crate) struct CompareArguments {
    /// The record before the change, or one record of lab/two_builds.py
    before: PathBuf,
    /// The record after the change
    after: Option<PathBuf>,
    /// The least change that counts, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 3.0)]
    least: f64,
    /// Exit with code 1 if one of Kostra's solvers is slower
    #[arg(long)]
    fail: bool,
}

/// A cell with the samples of both sides.
struct Pair {
    name: String,
    peer: bool,
    before: Vec<f64>,
    after: Vec<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Slower,
    Faster,
    Same,
    TooFew,
}

impl Verdict {
    fn word(self) -> &'static str {
        match self {
            Self::Slower => "**slower**",
            Self::Faster => "**faster**",
            Self::Same => "same",
            Self::TooFew => "too few samples",
        }
    }
}

/// Compares and prints. Returns false if `--fail` is given and one of Kostra's cells is slower.
///
/// # Errors
/// If a record cannot be read, the machines differ, or the records have no cell in common.
pub(crate) fn compare(arguments: &CompareArguments) -> Result<bool> {
    let mut text = String::new();
    let pairs = match &arguments.after {
        Some(after) => {
            let (before, after) = (samples(&arguments.before)?, samples(after)?);
            text.push_str(
                "The records were measured one after the other. A machine that changed its speed \
                 between them looks like a change.\n",
            );
            matched(&before, &after, &mut text)?
        }
        None => two_builds(&arguments.before)?,
    };
    let verdicts = judge(&pairs, arguments.least / 100.0);
    // Writing to a string cannot fail.
    let _ = table(&mut text, &pairs, &verdicts, arguments.least);
    println!("{text}");
    let slower = pairs
        .iter()
        .zip(&verdicts)
        .any(|(pair, (_, verdict))| !pair.peer && *verdict == Verdict::Slower);
    Ok(!(arguments.fail && slower))
}

/// The cells that both records have. Says which cells only one of them has.
fn matched(before: &Samples, after: &Samples, text: &mut String) -> Result<Vec<Pair>> {
    ensure!(
        before.machine == after.machine,
        "the records are of different machines: {} and {}",
        before.machine,
        after.machine
    );
    let find = |all: &Samples, name: &str| all.cells.iter().position(|cell| cell.name == name);
    let mut pairs = Vec::new();
    for cell in &before.cells {
        let Some(other) = find(after, &cell.name) else { continue };
        pairs.push(Pair {
            name: cell.name.clone(),
            peer: cell.peer,
            before: cell.seconds.clone(),
            after: after.cells[other].seconds.clone(),
        });
    }
    ensure!(!pairs.is_empty(), "the records have no cell with samples in common");
    let alone = [("first", before, after), ("second", after, before)];
    for (which, one, other) in alone {
        let missing = one.cells.iter().filter(|cell| find(other, &cell.name).is_none());
        let missing: Vec<_> = missing.map(|cell| &*cell.name).collect();
        if !missing.is_empty() {
            let _ = writeln!(text, "\nonly in the {which} record: {}", missing.join("; "));
        }
    }
    Ok(pairs)
}

/// The cells of a record of two builds that took turns.
fn two_builds(path: &Path) -> Result<Vec<Pair>> {
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let record: Value = serde_json::from_str(&text)
        .with_context(|| format!("{} is not a record", path.display()))?;
    let results = record["results"]
        .as_array()
        .with_context(|| format!("{} has one build only; name a second record", path.display()))?;
    let seconds = |result: &Value, build: &str| -> Vec<f64> {
        result[build].as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
    };
    let pair = |result: &Value| Pair {
        name: format!(
            "{}, {}, threads: {}",
            result["graph"].as_str().unwrap_or("?"),
            result["solver"].as_str().unwrap_or("?"),
            result["threads"]
        ),
        peer: false,
        before: seconds(result, "old"),
        after: seconds(result, "new"),
    };
    Ok(results.iter().map(pair).collect())
}

fn judge(pairs: &[Pair], least: f64) -> Vec<(Option<Change>, Verdict)> {
    let changes: Vec<_> = pairs.iter().map(|pair| Change::new(&pair.before, &pair.after)).collect();
    let probabilities: Vec<f64> =
        changes.iter().flatten().map(|change| change.probability).collect();
    let mut significant = significant(&probabilities, LEVEL).into_iter();
    let verdict = |change: Option<Change>| {
        let Some(ratio) = change.map(|change| change.ratio) else {
            return (None, Verdict::TooFew);
        };
        let verdict = match significant.next() {
            Some(true) if ratio >= 1.0 + least => Verdict::Slower,
            Some(true) if ratio <= 1.0 / (1.0 + least) => Verdict::Faster,
            _ => Verdict::Same,
        };
        (change, verdict)
    };
    changes.into_iter().map(verdict).collect()
}

fn geometric_mean(ratios: &[f64]) -> f64 {
    (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp()
}

fn table(
    text: &mut String,
    pairs: &[Pair],
    verdicts: &[(Option<Change>, Verdict)],
    least: f64,
) -> std::fmt::Result {
    writeln!(
        text,
        "\nTest: Student's paired t-test on the logarithms of after / before, two-sided. Level {:.0} % \
         for all {} cells together (Holm). A change counts from {least} % on.\n",
        100.0 * LEVEL,
        pairs.len()
    )?;
    writeln!(
        text,
        "| cell | before ms | after ms | after / before | pairs | probability | verdict |"
    )?;
    writeln!(text, "|---|--:|--:|--:|--:|--:|---|")?;
    let mut order: Vec<_> = pairs.iter().zip(verdicts).collect();
    let ratio = |change: &Option<Change>| change.map_or(1.0, |change| change.ratio);
    order.sort_by(|(_, (left, _)), (_, (right, _))| ratio(right).total_cmp(&ratio(left)));
    for (pair, (change, verdict)) in &order {
        let median = |seconds: &[f64]| {
            Timing::new(0.0, seconds.to_vec())
                .map_or(String::new(), |timing| milliseconds(timing.median))
        };
        let (before, after) = (median(&pair.before), median(&pair.after));
        let peer = if pair.peer { " (peer)" } else { "" };
        write!(text, "| {}{peer} | {before} | {after} |", pair.name)?;
        match change {
            Some(Change { ratio, probability, pairs }) => {
                write!(text, " {ratio:.3} | {pairs} | {probability:.1e} |")?;
            }
            None => write!(text, " | | |")?,
        }
        writeln!(text, " {} |", verdict.word())?;
    }
    let count = |wanted| verdicts.iter().filter(|(_, verdict)| *verdict == wanted).count();
    writeln!(
        text,
        "\n{} slower, {} faster, {} the same, {} with too few samples",
        count(Verdict::Slower),
        count(Verdict::Faster),
        count(Verdict::Same),
        count(Verdict::TooFew)
    )?;
    for (peer, whom) in [(false, "Kostra"), (true, "peers, which should not change")] {
        let chosen = order.iter().filter(|(pair, _)| pair.peer == peer);
        let ratios: Vec<f64> =
            chosen.filter_map(|(_, (change, _))| change.map(|one| one.ratio)).collect();
        if !ratios.is_empty() {
            writeln!(
                text,
                "\ngeometric mean of after / before, {whom}: {:.3}",
                geometric_mean(&ratios)
            )?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(before: &[f64], after: &[f64]) -> Pair {
        Pair {
            name: "cell".to_owned(),
            peer: false,
            before: before.to_vec(),
            after: after.to_vec(),
        }
    }

    #[test]
    fn a_change_must_be_significant_and_large_enough() {
        let before = [1.0, 1.1, 0.9, 1.05, 1.0, 0.95];
        let times = |factors: [f64; 6]| {
            before.iter().zip(factors).map(|(time, factor)| time * factor).collect::<Vec<_>>()
        };
        let pairs = [
            pair(&before, &times([1.2, 1.21, 1.19, 1.2, 1.22, 1.2])),
            pair(&before, &times([0.8, 0.81, 0.8, 0.79, 0.8, 0.8])),
            pair(&before, &times([1.01, 1.011, 1.01, 1.009, 1.01, 1.01])),
            pair(&before, &times([1.5, 0.7, 1.2, 0.9, 1.4, 0.8])),
            pair(&before[..1], &before),
        ];
        let verdicts: Vec<_> =
            judge(&pairs, 0.03).into_iter().map(|(_, verdict)| verdict).collect();
        use Verdict::{Faster, Same, Slower, TooFew};
        assert_eq!(verdicts, [Slower, Faster, Same, Same, TooFew]);
    }
}
