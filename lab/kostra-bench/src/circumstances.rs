//! What all measurements have in common: the processors, and the record.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::machine::Machine;
use crate::process;
use crate::record::{Measured, Record};
use crate::report;

/// Where a measurement runs, and where its record goes.
#[derive(Args)]
pub(crate) struct Circumstances {
    /// Pin all threads, including those of peers, to these processors, for example 0 or 0,2-3
    #[arg(long, value_name = "LIST")]
    pin: Option<String>,
    /// Write the record to FILE
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Pins the process and begins the record.
pub(crate) fn begin(
    machine: Machine,
    threads: usize,
    circumstances: &Circumstances,
) -> Result<Record> {
    let processors = circumstances
        .pin
        .as_deref()
        .map(process::parse_processors)
        .transpose()?
        .unwrap_or_default();
    if !processors.is_empty() {
        process::pin(&processors)?;
    }
    if let Some(output) = &circumstances.output {
        // Report the error now, not after an hour of measuring.
        ensure!(!output.is_dir(), "{} is a folder; name a file in it", output.display());
    }
    Ok(Record::begin(machine, threads, processors))
}

/// Completes the record, writes it if `-o` is given, and prints it.
pub(crate) fn conclude(
    record: Record,
    measured: Measured,
    circumstances: &Circumstances,
) -> Result<bool> {
    let record = record.finish(measured);
    println!("{}", report::markdown(&record));
    if let Some(output) = &circumstances.output {
        record.write(output).context("the results above are not saved")?;
        eprintln!("record written to {}", output.display());
    }
    Ok(record.agrees())
}
