//! `kostra solvers`: the table of algorithms.

use clap::Parser;
use kostra_core::{OptionValues, SolverInfo, SolverOption};
use serde::Serialize;

use crate::command::{Answer, Command};
use crate::{algorithm, output, report};

/// List the algorithms, with their sources and options.
#[derive(Parser)]
#[command(
    name = "solvers",
    after_help = "\
Examples:
  kostra solvers
  kostra solvers --json"
)]
pub(super) struct Arguments {
    /// Print the list as a JSON array
    #[arg(long)]
    json: bool,
}

impl Command for Arguments {
    fn run(self, _: &clap::Command) -> anyhow::Result<Answer> {
        let records: Vec<_> = algorithm::all().map(record).collect();
        output::print(&if self.json { report::json(&records)? } else { table(&records) })?;
        Ok(Answer::Yes)
    }
}

/// An algorithm, for programs.
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

/// An option of an algorithm.
#[derive(Serialize)]
struct OptionRecord {
    name: &'static str,
    about: &'static str,
    default: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    lowest: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    highest: Option<u64>,
    /// The values, if they have names.
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<&'static [&'static str]>,
}

/// A value of an option.
#[derive(Serialize)]
#[serde(untagged)]
enum Value {
    Number(u64),
    Name(String),
}

fn record(info: &SolverInfo) -> Record {
    Record {
        id: info.id,
        title: info.title,
        source: info.source,
        platform: info.platform.name(),
        representation: info.representation.name(),
        exact: info.exact,
        time: info.time,
        scratch: info.scratch,
        options: info.options.iter().map(option_record).collect(),
    }
}

fn option_record(option: &SolverOption) -> OptionRecord {
    let SolverOption { name, about, values, default } = *option;
    let record = OptionRecord {
        name,
        about,
        default: Value::Number(default),
        lowest: None,
        highest: None,
        values: values.names(),
    };
    match values {
        OptionValues::Number { lowest, highest } => {
            OptionRecord { lowest: Some(lowest), highest: Some(highest), ..record }
        }
        _ => OptionRecord { default: Value::Name(values.shown(default)), ..record },
    }
}

/// A table. The title, the source, the memory and the options of an algorithm follow below its row,
/// so that the rows stay short.
fn table(records: &[Record]) -> String {
    let head = ["algorithm", "runs on", "works on", "exact", "time"].map(report::Heading::Left);
    let rows = records.iter().map(|record| {
        let exact = if record.exact { "yes" } else { "no" };
        [record.id, record.platform, record.representation, exact, record.time].map(str::to_owned)
    });
    let table = report::table(head, rows);
    let mut lines = table.lines();
    let mut text = format!("{}\n", lines.next().unwrap_or_default());
    for (line, record) in lines.zip(records) {
        let Record { title, source, scratch, options, .. } = record;
        text += &format!("\n{line}\n    {title}\n    {source}\n    memory: {scratch}\n");
        for OptionRecord { name, about, default, values, .. } in options {
            let default = match default {
                Value::Number(number) => number.to_string(),
                Value::Name(name) => name.clone(),
            };
            let names = values.map_or_else(String::new, |names| format!(" ({})", names.join(", ")));
            text += &format!("    --set {name}={default}: {about}{names}\n");
        }
    }
    text
}
