//! Makes one HTML page from records, with plots and sortable tables, and the plots as SVG and CSV
//! files beside the page.
//!
//! A record becomes a [`Section`] of groups of cells. The data choose the plots: a plot exists if
//! the cells have what it shows. The page refers to no other file and to no network.

mod cells;
mod compared;
mod draw;
mod foreign;
mod html;
mod paper;
mod paper_parts;
mod partitions;
mod plot;
mod processes;
mod scale;
mod sweeps;
mod table;
mod typed;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::record::Record;
use cells::{Group, Section};
use plot::Plot;

/// A plot and its drawing.
struct Figure {
    plot: Plot,
    svg: String,
}

/// The name of several records that are shown as one.
const TOGETHER: &str = "together";

/// Where the page and the files of its plots go.
pub(crate) struct Destination<'a> {
    /// The file of the page.
    pub(crate) page: &'a Path,
    /// The folder of the SVG and CSV files of the plots.
    pub(crate) assets: Option<&'a Path>,
}

/// Makes the page of records. With `together`, the records of one machine become one section.
/// Returns whether the answers of all records agree.
///
/// # Errors
/// If a record cannot be read, or a file cannot be written.
pub(crate) fn write(
    records: &[PathBuf],
    together: bool,
    destination: &Destination<'_>,
) -> Result<bool> {
    let mut sections = records.iter().map(|path| section(path)).collect::<Result<Vec<_>>>()?;
    if together {
        sections = vec![united(sections)?];
    }
    let mut all = Vec::new();
    for section in &sections {
        let figures = section.groups.iter().map(figures).collect::<Result<Vec<_>>>()?;
        all.push((section, figures));
    }
    if let Some(folder) = destination.assets {
        for figure in all.iter().flat_map(|(_, figures)| figures).flatten() {
            write_assets(folder, figure)?;
        }
    }
    crate::output::write(destination.page, html::page(&all).as_bytes())?;
    let faults =
        sections.iter().flat_map(|section| &section.groups).any(|group| !group.faults.is_empty());
    Ok(!faults)
}

fn write_assets(folder: &Path, figure: &Figure) -> Result<()> {
    let file = |ending: &str| folder.join(format!("{}.{ending}", figure.plot.id));
    crate::output::write(&file("svg"), draw::alone(&figure.svg).as_bytes())?;
    crate::output::write(&file("csv"), figure.plot.csv().as_bytes())
}

/// All samples of a record.
pub(crate) struct Samples {
    /// The machine; empty if the record does not name it.
    pub(crate) machine: String,
    /// The cells that have samples.
    pub(crate) cells: Vec<CellSamples>,
}

/// The samples of one contestant on one graph, with one number of threads and ranks.
pub(crate) struct CellSamples {
    /// The group, graph, contestant and place, which are distinct together.
    pub(crate) name: String,
    /// Whether it is a solver of another project.
    pub(crate) peer: bool,
    /// The samples in order.
    pub(crate) seconds: Vec<f64>,
}

/// Reads the samples of a record of any kind.
///
/// # Errors
/// If the file is not a record.
pub(crate) fn samples(path: &Path) -> Result<Samples> {
    let section = section(path)?;
    let mut cells = Vec::new();
    for group in &section.groups {
        let own = group.cells.iter().filter(|cell| !cell.samples.is_empty());
        cells.extend(own.map(|cell| {
            let parts = [group.title.clone(), cell.graph.clone(), cell.label(), cell.place()];
            let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            let seconds = cell.samples.clone();
            CellSamples { name: parts.join(", "), peer: cell.peer, seconds }
        }));
    }
    Ok(Samples { machine: section.machine().unwrap_or_default().to_owned(), cells })
}

fn section(path: &Path) -> Result<Section> {
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let value: Value = serde_json::from_str(&text)
        .with_context(|| format!("{} is not a record", path.display()))?;
    ensure!(value.is_object(), "{} is not a record", path.display());
    let title =
        path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    if value["format"].is_null() {
        return Ok(foreign::section(&title, &value));
    }
    Ok(typed::section(&title, &Record::read(path)?))
}

/// One section of several with the same machine.
fn united(sections: Vec<Section>) -> Result<Section> {
    let mut all = sections.into_iter();
    let mut first = all.next().context("there is no record")?;
    let mut whole = std::mem::take(&mut first.groups).into_iter().next().unwrap_or_default();
    TOGETHER.clone_into(&mut whole.id);
    let mut titles = vec![first.title.clone()];
    for other in all {
        ensure!(
            other.machine() == first.machine(),
            "{} and {} were measured on different machines; report them without --together",
            first.title,
            other.title
        );
        titles.push(other.title);
        for group in other.groups {
            join(&mut whole, group);
        }
    }
    // The other facts differ from record to record.
    first.facts.retain(|(name, _)| name == "machine" || name == "device");
    first.facts.push(("records".to_owned(), titles.join(", ")));
    Ok(Section { title: TOGETHER.to_owned(), facts: first.facts, groups: vec![whole.merged()] })
}

fn join(whole: &mut Group, other: Group) {
    whole.facts.extend(other.facts);
    whole.cells.extend(other.cells);
    for speed in other.memory {
        if whole.memory.iter().all(|known| known.threads != speed.threads) {
            whole.memory.push(speed);
        }
    }
    whole.plots.extend(other.plots);
    whole.tables.extend(other.tables);
    whole.faults.extend(other.faults);
    whole.skipped.extend(other.skipped);
}

/// All plots of a group, drawn. Their ids become distinct and fit for file names.
fn figures(group: &Group) -> Result<Vec<Figure>> {
    let chosen = compared::plots(group).into_iter().chain(sweeps::plots(group));
    let plots = group.plots.iter().cloned().chain(chosen);
    let mut used: BTreeMap<String, usize> = BTreeMap::new();
    let figure = |mut plot: Plot| {
        let fit = |character: char| {
            if character.is_ascii_alphanumeric() || character == '.' { character } else { '-' }
        };
        plot.id = plot.id.chars().map(fit).collect();
        let count = used.entry(plot.id.clone()).or_default();
        *count += 1;
        if *count > 1 {
            plot.id = format!("{}-{count}", plot.id);
        }
        let svg = draw::svg(&plot).with_context(|| format!("cannot draw {}", plot.id))?;
        Ok(Figure { plot, svg })
    };
    plots.map(figure).collect()
}
