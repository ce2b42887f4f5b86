//! `kostra solvers`: lists the registry of algorithms with their descriptions.

use kostra::{SolverInfo, SolverOption};
use serde::Serialize;

use crate::args::SolversArgs;
use crate::{Answer, output, report};

/// An algorithm, as programs read it.
#[derive(Serialize)]
struct Record {
    id: &'static str,
    title: &'static str,
    source: &'static str,
    platform: &'static str,
    representation: &'static str,
    exact: bool,
    time: &'static str,
    scratch: &'static str,
    options: Vec<OptionRecord>,
}

/// One of its options.
#[derive(Serialize)]
struct OptionRecord {
    name: &'static str,
    about: &'static str,
    default: u64,
    lowest: u64,
    highest: u64,
}

/// Lists all algorithms.
///
/// # Errors
/// When standard output cannot be written.
pub(crate) fn run(args: SolversArgs) -> anyhow::Result<Answer> {
    let records: Vec<_> = infos()
        .map(|info| Record {
            id: info.id,
            title: info.title,
            source: info.source,
            platform: info.platform.name(),
            representation: info.representation.name(),
            exact: info.exact,
            time: info.time,
            scratch: info.scratch,
            options: info.options.iter().map(option_record).collect(),
        })
        .collect();
    output::print(&if args.json { report::json(&records)? } else { table(&records) })?;
    Ok(Answer::Yes)
}

/// The description of every algorithm of this build.
fn infos() -> impl Iterator<Item = &'static SolverInfo> {
    let infos = kostra::solvers().map(kostra::Solver::info);
    #[cfg(feature = "mpi")]
    let infos = infos.chain(kostra_mpi::solvers().map(kostra_mpi::DistributedSolver::info));
    infos
}

fn option_record(option: &SolverOption) -> OptionRecord {
    let SolverOption { name, about, default, lowest, highest } = *option;
    OptionRecord { name, about, default, lowest, highest }
}

/// A table, with the title, source, memory and options of each algorithm below its line, so that
/// lines stay short.
fn table(records: &[Record]) -> String {
    let head = ["algorithm", "runs on", "works on", "exact", "time"];
    let rows = records.iter().map(|record| {
        let exact = if record.exact { "yes" } else { "no" };
        [record.id, record.platform, record.representation, exact, record.time]
    });
    let table = report::table(head, rows);
    let mut lines = table.lines();
    let mut text = format!("{}\n", lines.next().unwrap_or_default());
    for (line, record) in lines.zip(records) {
        let Record { title, source, scratch, options, .. } = record;
        text += &format!("\n{line}\n    {title}\n    {source}\n    memory: {scratch}\n");
        for OptionRecord { name, about, default, .. } in options {
            text += &format!("    --set {name}={default}: {about}\n");
        }
    }
    text
}
