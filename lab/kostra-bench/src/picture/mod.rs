//! Draws one plot of records as SVG, for the pages of the documentation.

mod draw;
mod plot;
mod plots;
mod scale;

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::cells::{Group, section};
use crate::output;
use plot::Plot;

/// The arguments of `picture`.
#[derive(Args)]
pub(crate) struct PictureArguments {
    /// The plot, such as speed-up-2-threads; an unknown name gets the list of those that the
    /// records have
    plot: String,
    /// Records of one machine that are shown as one, such as those of several graphs
    #[arg(required = true)]
    records: Vec<PathBuf>,
    /// Write the picture to FILE
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// Draws the plot that the arguments name.
///
/// # Errors
/// If a record cannot be read, the machines differ, the records have no such plot, or the file
/// cannot be written.
pub(crate) fn picture(arguments: &PictureArguments) -> Result<bool> {
    let plots: Vec<Plot> = groups(&arguments.records)?.iter().flat_map(plots::plots).collect();
    let names: Vec<_> = plots.iter().map(|plot| &*plot.id).collect();
    let chosen = plots.iter().find(|plot| plot.id == arguments.plot);
    let chosen = chosen.with_context(|| {
        format!("there is no plot '{}'; there are: {}", arguments.plot, names.join(", "))
    })?;
    let svg = draw::svg(chosen).with_context(|| format!("cannot draw {}", chosen.id))?;
    output::write(&arguments.output, svg.as_bytes())?;
    Ok(true)
}

/// The groups of a record, or of several records the cells together.
fn groups(records: &[PathBuf]) -> Result<Vec<Group>> {
    let (first, others) = records.split_first().context("there is no record")?;
    let mut all = section(first)?;
    for path in others {
        let other = section(path)?;
        ensure!(
            other.machine == all.machine,
            "{} and {} were measured on different machines",
            first.display(),
            path.display()
        );
        let whole = all.groups.first_mut().context("the first record has no solves")?;
        for group in other.groups {
            group.cells.into_iter().for_each(|cell| whole.add(cell));
            for speed in group.memory {
                if whole.memory.iter().all(|known| known.threads != speed.threads) {
                    whole.memory.push(speed);
                }
            }
        }
    }
    Ok(all.groups)
}
