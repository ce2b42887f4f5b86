//! Figures in tables of README.md, `docs/performance` and `papers` are in the records that the
//! page names.
//!
//! A table is checked against the records that the text above it names, or, if it names none, those
//! of its section. A comment above the table overrides this. Its parts are separated by `; `, and
//! names of rows and columns by ` | `:
//!
//! ```text
//! <!-- figures: 2026-11-22-two-cores-*, 2026-11-23-mpi-placement -->   these records
//! <!-- figures: paper -->                      figures of the source document
//! <!-- figures: not in a record -->            UNRECORDED says why
//! <!-- figures: paper: K40 | in brackets -->   only these rows, columns, or parts of cells
//! <!-- figures: ratios -->                     all figures are ratios
//! ```
//!
//! A figure is a cell, or a cell's part, that consists of numbers with units. Numbers in sentences,
//! in the first column, and in columns that describe the input are not checked. A figure is in a
//! record if one of its quantities rounds to it: a number of the record, or the median, least,
//! greatest or mean of samples, in the unit of the table. If a row or column has a label that the
//! records know, such as the id of a solver, the quantity must belong to it. A ratio may also be
//! that of two cells, or of two quantities of one graph.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test, in helpers too")]

mod quantities;
mod tables;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use quantities::Records;
use tables::{Figure, Omission, Source, Table};

/// Sections with tables, or rows and columns of tables, whose figures are in no record: the page,
/// the section, and the reason.
const UNRECORDED: &[(&str, &str, &str)] = &[
    ("papers/manoochehri.md", "Beside METIS, mt-metis and Jet", "differences of two times"),
    ("papers/manoochehri.md", "The bank benchmark", "PR-STM is a program of others"),
    ("docs/performance/README.md", "A GPU", "from the bandwidth of the memory; copies by PyTorch"),
    (
        "docs/performance/README.md",
        "Partitions",
        "geometric means of ratios over classes of graphs",
    ),
    ("docs/performance/log.md", "Ranks on several machines", "sums of two phases"),
    ("docs/performance/log.md", "A model of many ranks", "computed, not measured"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The checked pages with their texts.
fn pages() -> Vec<(String, String)> {
    let mut pages = vec!["README.md".to_owned()];
    for folder in ["docs/performance", "papers"] {
        for entry in std::fs::read_dir(root().join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if name.ends_with(".md") {
                pages.push(format!("{folder}/{name}"));
            }
        }
    }
    pages.sort();
    let text = |page: String| {
        let text = std::fs::read_to_string(root().join(&page)).unwrap();
        (page, text)
    };
    pages.into_iter().map(text).collect()
}

/// The names of all committed records, without `.json`.
fn records() -> BTreeSet<String> {
    let folder = std::fs::read_dir(root().join("lab/record")).unwrap();
    let names = folder.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.map(|name| name.trim_end_matches(".json").to_owned()).collect()
}

#[test]
fn each_figure_in_a_table_is_in_a_record_that_the_page_names() {
    let (known, folder) = (records(), root().join("lab/record"));
    let (mut checked, mut logged, mut paper, mut unrecorded) = (0, 0, 0, BTreeSet::new());
    let mut faults = Vec::new();
    let mut read = BTreeMap::new();
    for (page, text) in pages() {
        for table in tables::of(&text, &known) {
            let place = format!("{page}, {} (line {})", table.section, table.line);
            let (figures, whys) = (table.figures(), table.omitted.iter().map(|(_, why)| *why));
            paper += usize::from(whys.clone().any(|why| why == Omission::Paper));
            let mut is_unrecorded = whys.into_iter().any(|why| why == Omission::Unrecorded);
            match &table.source {
                Source::Paper => paper += 1,
                Source::Unrecorded => is_unrecorded = true,
                Source::Log => logged += figures.len(),
                Source::Records(names) if names.is_empty() && !figures.is_empty() => {
                    faults.push(format!("{place}: {} figures and no record", figures.len()));
                }
                Source::Records(names) => {
                    checked += figures.len();
                    let records =
                        read.entry(names.clone()).or_insert_with(|| Records::read(&folder, names));
                    faults.extend(missing(&table, records).map(|what| format!("{place}: {what}")));
                }
            }
            if is_unrecorded {
                unrecorded.insert((page.clone(), table.section.clone()));
            }
        }
    }
    let listed =
        UNRECORDED.iter().map(|(page, section, _)| (page.to_string(), section.to_string()));
    let listed: BTreeSet<_> = listed.collect();
    for (page, section) in unrecorded.symmetric_difference(&listed) {
        faults.push(format!("{page}, {section}: UNRECORDED and the comments of the page differ"));
    }
    println!(
        "{checked} figures are in records; {logged} are in a log without a record; \
         {paper} tables have figures of their source; these sections have figures in no record:"
    );
    for (page, section, reason) in UNRECORDED {
        println!("  {page}, {section}: {reason}");
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// The figures of a table that are in none of its records.
fn missing<'a>(table: &'a Table, records: &'a Records) -> impl Iterator<Item = String> + 'a {
    let is_missing = |figure: &Figure| {
        let labels = records.known_labels(&[&table.rows[figure.row][0], figure.head(table)]);
        !records.contain(figure, &labels) && !table.follows(figure)
    };
    table.figures().into_iter().filter(is_missing).map(|figure| {
        let row = &table.rows[figure.row][0];
        format!("{} in row '{row}', column '{}'", figure.text, figure.head(table))
    })
}

#[test]
fn each_record_is_named_by_a_page_and_each_name_is_that_of_a_record() {
    let known = records();
    let files = git(&["ls-files", "*.md", "*.rs", "*.py", "scripts"]);
    let mut named = BTreeSet::new();
    let mut faults = Vec::new();
    for file in files.lines().filter(|file| !file.contains("/tests/figures/")) {
        let Ok(text) = std::fs::read_to_string(root().join(file)) else { continue };
        for pattern in tables::patterns(&text) {
            let found = tables::names(pattern, &known);
            // A pattern of the shell or the id of a plot.
            let part = |name: &String| name.starts_with(pattern) || pattern.starts_with(&**name);
            if found.is_empty() && !known.iter().any(part) {
                faults.push(format!("{file}: there is no record {pattern}"));
            }
            named.extend(found);
        }
    }
    faults.extend(known.difference(&named).map(|name| format!("nothing names {name}")));
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn records_take_less_than_five_megabytes() {
    let folder = std::fs::read_dir(root().join("lab/record")).unwrap();
    let bytes: u64 = folder.map(|entry| entry.unwrap().metadata().unwrap().len()).sum();
    assert!(bytes < 5_000_000, "{bytes}; scripts/records describes where older records go");
}

#[test]
fn a_changed_figure_and_a_wrong_name_are_found() {
    let known = records();
    let text = std::fs::read_to_string(root().join("docs/performance/README.md")).unwrap();
    let faults = |text: &str| -> usize {
        let check = |table: &Table| match &table.source {
            Source::Records(names) if !names.is_empty() => {
                missing(table, &Records::read(&root().join("lab/record"), names)).count()
            }
            _ => 0,
        };
        tables::of(text, &known).iter().map(check).sum()
    };
    assert_eq!(faults(&text), 0);
    assert_eq!(faults(&text.replace("| 1059 (", "| 1111 (")), 1);
    assert!(faults(&text.replace("2026-11-22-two-cores-uniform", "2026-11-22-none")) > 0);
    assert!(tables::names("2026-11-22-none", &known).is_empty());
}

/// What git says, in the root of the repository.
fn git(arguments: &[&str]) -> String {
    let output = Command::new("git").args(arguments).current_dir(root()).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}
