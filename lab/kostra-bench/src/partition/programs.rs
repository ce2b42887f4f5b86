//! Peers that are programs: each reads a file in METIS format and writes the part of each vertex.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use kostra_core::DeviceTimes;
use kostra_partition::{Partition, WeightedGraph};

use super::Call;
use crate::process::cpu_seconds;

/// METIS's program. Averages are relative to it.
pub(super) const METIS: &str = "metis";

/// A partition, and what it cost.
pub(super) struct Answer {
    pub(super) partition: Partition,
    pub(super) version: String,
    pub(super) cpu_seconds: f64,
    pub(super) wall_seconds: f64,
    pub(super) process_cpu_seconds: Option<f64>,
    /// The shares of `wall_seconds` in which a device compiled and copied.
    pub(super) device: Option<DeviceTimes>,
}

impl Answer {
    pub(super) fn new(partition: Partition, cpu_seconds: f64, wall_seconds: f64) -> Self {
        let (version, process_cpu_seconds, device) = (String::new(), None, None);
        Self { partition, version, cpu_seconds, wall_seconds, process_cpu_seconds, device }
    }
}

/// How a program is called, and how it tells its time.
pub(super) struct Program {
    pub(super) name: &'static str,
    executable: &'static str,
    arguments: fn(&Files, Call) -> Result<Vec<OsString>>,
    /// What stands before the seconds of the call that partitions.
    label: &'static str,
    clock: Clock,
}

/// Which time a program prints.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Clock {
    /// CPU time.
    Cpu,
    /// Wall time. The CPU time is then that of the process, with reading.
    Wall,
}

/// The files of a call.
struct Files {
    graph: PathBuf,
    parts: PathBuf,
}

/// All programs.
pub(super) const PROGRAMS: &[Program] = &[
    Program {
        name: METIS,
        executable: "gpmetis",
        arguments: |files, call| {
            let tolerance = (call.imbalance * 1000.0).round();
            let options = [format!("-seed={}", call.seed), format!("-ufactor={tolerance}")];
            let parts = call.parts.to_string();
            let positions = [files.graph.clone().into(), parts.into()];
            Ok(positions.into_iter().chain(options.map(OsString::from)).collect())
        },
        label: "Partitioning:",
        clock: Clock::Cpu,
    },
    Program {
        name: "mt-metis",
        executable: "mtmetis",
        arguments: |files, call| {
            let options = [
                "-t".to_owned(),
                "-vlow".to_owned(),
                format!("-T{}", call.threads),
                format!("-s{}", call.seed),
                format!("-b{}", 1.0 + call.imbalance),
            ];
            let parts = call.parts.to_string();
            let positions = [files.graph.clone().into(), parts.into(), files.parts.clone().into()];
            Ok(options.map(OsString::from).into_iter().chain(positions).collect())
        },
        label: "Total Time:",
        clock: Clock::Wall,
    },
    Program {
        name: "jet",
        executable: "jet",
        // It takes no seed. Its settings are in a file: two-hop matching, parts, attempts, limit.
        arguments: |files, call| {
            let settings = files.graph.with_extension("settings");
            let text = format!("0\n{}\n1\n{}\n", call.parts, 1.0 + call.imbalance);
            std::fs::write(&settings, text)?;
            Ok(vec![files.graph.clone().into(), settings.into(), files.parts.clone().into()])
        },
        label: "Total Partitioning Time:",
        clock: Clock::Wall,
    },
];

impl Program {
    /// The path of the executable in a folder.
    ///
    /// # Errors
    /// If there is none.
    pub(super) fn find(&self, folder: Option<&Path>) -> Result<PathBuf> {
        let folder = folder.context("pass the folder of the peers with --peer-programs")?;
        let path = folder.join(self.executable);
        ensure!(path.exists(), "{} does not exist; see lab/README.md", path.display());
        Ok(path)
    }

    /// Partitions the graph `rows`, which is also in `file`.
    ///
    /// # Errors
    /// If the program fails, prints no time, or writes no partition of the graph.
    pub(super) fn partition(
        &self,
        executable: &Path,
        (rows, file): (&WeightedGraph, &Path),
        call: Call,
    ) -> Result<Answer> {
        let mut parts = file.as_os_str().to_owned();
        // METIS's program chooses this name itself.
        parts.push(format!(".part.{}", call.parts));
        let files = Files { graph: file.to_owned(), parts: parts.into() };
        let mut command = Command::new(executable);
        command.args((self.arguments)(&files, call)?);
        let start = Instant::now();
        let (output, process) = run(command)?;
        let elapsed = start.elapsed().as_secs_f64();
        let seconds = printed(&output, self.label)
            .with_context(|| format!("{} printed no time of partitioning", self.executable))?;
        let (cpu_seconds, wall_seconds) = match self.clock {
            Clock::Cpu => (seconds, elapsed),
            Clock::Wall => (process, seconds),
        };
        let version = output.lines().find(|line| line.starts_with("METIS ")).unwrap_or_default();
        Ok(Answer {
            version: version.split(" Copyright").next().unwrap_or_default().to_owned(),
            process_cpu_seconds: Some(process),
            ..Answer::new(read(&files.parts, rows, call)?, cpu_seconds, wall_seconds)
        })
    }
}

/// The seconds after a label, with or without their unit.
fn printed(output: &str, label: &str) -> Option<f64> {
    let line = output.lines().find_map(|line| line.trim().strip_prefix(label))?;
    line.split_whitespace().next()?.trim_end_matches('s').parse().ok()
}

/// Runs a peer. Returns its output, and the CPU seconds of its process.
pub(super) fn run(mut command: Command) -> Result<(String, f64)> {
    let before = cpu_seconds()?.children;
    let Output { status, stdout, stderr } =
        command.output().with_context(|| format!("cannot start {command:?}"))?;
    let errors = String::from_utf8_lossy(&stderr);
    let last = errors.lines().last().unwrap_or_default();
    ensure!(status.success(), "{status}: {last}");
    let process = cpu_seconds()?.children - before;
    Ok((String::from_utf8_lossy(&stdout).into_owned(), process))
}

/// Reads and removes the part of each vertex. A part without a vertex is not an error here.
pub(super) fn read(path: &Path, rows: &WeightedGraph, call: Call) -> Result<Partition> {
    let text = std::fs::read_to_string(path).context("it wrote no file of parts")?;
    std::fs::remove_file(path)?;
    let parts = text.split_whitespace().map(str::parse).collect::<Result<Vec<u32>, _>>()?;
    ensure!(
        parts.len() == rows.vertices() as usize,
        "it wrote {} parts for {} vertices",
        parts.len(),
        rows.vertices()
    );
    Ok(Partition::new(parts, call.parts)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_and_without_a_unit() {
        let output = "Input: 1s\n  Partitioning: \t 0.25 sec\n\tTotal Time: 0.465s\n";
        assert_eq!(printed(output, "Partitioning:"), Some(0.25));
        assert_eq!(printed(output, "Total Time:"), Some(0.465));
        assert_eq!(printed(output, "Total Partitioning Time:"), None);
    }
}
