//! Formats a record as Markdown.

use std::fmt::Write;

use crate::bank;
use crate::command_time;
use crate::memory_speed::MemorySpeed;
use crate::partition;
use crate::read::FileResult;
use crate::record::{ContestantResult, GraphResult, Measured, Record, Skipped};
use crate::statistics::milliseconds;

/// Formats the record as one section.
pub(crate) fn markdown(record: &Record) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = head(&mut text, record);
    let _ = match &record.measured {
        Measured::Solve { memory_speed, graphs, skipped } => {
            let threads = record.threads;
            solves(&mut text, threads, memory_speed, graphs)
                .and_then(|()| skips(&mut text, skipped))
        }
        Measured::Paper { paper, scale, experiments } => {
            crate::evaluation::report(&mut text, record, paper, *scale, experiments)
        }
        Measured::Read(files) => reads(&mut text, files),
        Measured::Process(results) => command_time::table(&mut text, results),
        Measured::Bank(results) => bank::table(&mut text, results),
        Measured::Partition(results) => partition::table(&mut text, results),
    };
    text
}

fn head(text: &mut String, record: &Record) -> std::fmt::Result {
    let machine = &record.machine;
    writeln!(text, "## {}", record.date)?;
    writeln!(text)?;
    writeln!(text, "`{}`", record.command)?;
    writeln!(text)?;
    let kind = if machine.virtual_machine { " (virtual machine)" } else { "" };
    writeln!(
        text,
        "- {}, {} processors{kind}, {}, {:.1} GiB memory, huge pages {}; {}, kernel {}",
        machine.processor,
        machine.cores,
        machine.caches.join(", "),
        machine.memory_bytes as f64 / f64::from(1 << 30),
        machine.huge_pages,
        machine.system,
        machine.kernel
    )?;
    let commit = record.commit.as_ref().map_or_else(
        || "no commit known".to_owned(),
        |commit| {
            format!(
                "commit {}{}",
                commit.hash,
                if commit.dirty { ", with uncommitted changes" } else { "" }
            )
        },
    );
    let versions = record.versions.iter().filter(|(_, version)| !version.is_empty());
    let versions: Vec<_> = versions.map(|(name, version)| format!("{name}: {version}")).collect();
    writeln!(text, "- {commit}; {}", versions.join("; "))?;
    let pinned = match record.pinned_to.as_slice() {
        [] => "not pinned".to_owned(),
        processors => format!("pinned to {processors:?}"),
    };
    writeln!(
        text,
        "- threads: at most {}, {pinned}; load average {:.2} before, {:.2} after",
        record.threads, record.load_average[0], record.load_average[1]
    )?;
    if record.versions.get("profile").is_some_and(|profile| profile == "debug") {
        writeln!(text, "- **A debug build: these times are not meaningful.**")?;
    }
    writeln!(text)
}

fn solves(
    text: &mut String,
    threads: usize,
    memory: &[MemorySpeed],
    graphs: &[GraphResult],
) -> std::fmt::Result {
    writeln!(
        text,
        "| memory, threads | read GB/s | copy GB/s | over MiB | random access, ns by table | multiplications per ns |"
    )?;
    writeln!(text, "|--:|--:|--:|--:|---|--:|")?;
    for speed in memory {
        let gather: Vec<_> = speed
            .gather
            .iter()
            .map(|gather| format!("{:.2} ({} MiB)", gather.nanoseconds, gather.table_mib))
            .collect();
        writeln!(
            text,
            "| {} | {:.1} | {:.1} | {} | {} | {} |",
            speed.threads,
            speed.read_gb_per_second,
            speed.copy_gb_per_second,
            speed.stream_mib,
            gather.join(", "),
            speed
                .multiplications_per_nanosecond
                .map_or("-".to_owned(), |speed| format!("{speed:.1}")),
        )?;
    }
    for graph in graphs {
        let threads = graph.threads.unwrap_or(threads);
        let speed = memory.iter().find(|speed| speed.threads == threads);
        writeln!(text)?;
        solve(text, threads, speed.map(|speed| speed.read_gb_per_second * 1e9), graph)?;
    }
    Ok(())
}

fn solve(
    text: &mut String,
    threads: usize,
    bytes_per_second: Option<f64>,
    graph: &GraphResult,
) -> std::fmt::Result {
    let limits = bytes_per_second.map(|speed| Limits::new(graph, speed));
    writeln!(
        text,
        "### {} on {threads} {}: {} vertices, {} edges ({}), forest of {} edges, weight {}",
        graph.name,
        if threads == 1 { "thread" } else { "threads" },
        graph.vertices,
        graph.edges,
        graph.weight_type,
        graph.forest_edges,
        graph.total_weight
    )?;
    writeln!(text)?;
    let answers =
        if graph.disagreements.is_empty() { "all answers agree" } else { "**ANSWERS DIFFER**" };
    let verified = if graph.verified { "verified" } else { "**NOT VERIFIED**" };
    let limit = limits.as_ref().map_or_else(
        || "no memory speed for this number of threads".to_owned(),
        |limits| {
            let (once, both) = (milliseconds(limits.weights), milliseconds(limits.both));
            format!("limits: weights once {once} ms, both passes {both} ms")
        },
    );
    writeln!(text, "`{}`; {answers}, {verified}; {limit}", graph.source)?;
    writeln!(text)?;
    let peers: Vec<_> = graph.contestants.iter().filter(|contestant| contestant.peer).collect();
    let mut heading = "| solver | median ms | min | max | spread | build ms |".to_owned();
    for peer in &peers {
        write!(heading, " x {} |", peer.name)?;
    }
    heading.push_str(" / weights once | / both passes |");
    let columns = heading.matches('|').count() - 1;
    writeln!(text, "{heading}")?;
    writeln!(text, "|---|{}", "--:|".repeat(columns - 1))?;
    for contestant in &graph.contestants {
        row(text, contestant, &peers, limits.as_ref())?;
    }
    observations(text, &graph.contestants)?;
    graph.write_wrong(text)?;
    skips(text, &graph.skipped)?;
    for disagreement in &graph.disagreements {
        writeln!(text, "\n**DISAGREEMENT**: {disagreement}")?;
    }
    Ok(())
}

/// One line for each contestant with the reports of its observed solve.
fn observations(text: &mut String, contestants: &[ContestantResult]) -> std::fmt::Result {
    for contestant in contestants {
        let Some(observed) = &contestant.observed else { continue };
        let phases: Vec<_> = observed
            .totals()
            .iter()
            .map(|(name, seconds)| format!("{name} {} ms", milliseconds(*seconds)))
            .collect();
        let rounds = match observed.rounds.len() {
            0 => String::new(),
            rounds => format!("; rounds: {rounds}"),
        };
        writeln!(
            text,
            "\n{}, observed: {} ms; {}{rounds}",
            contestant.label(),
            milliseconds(observed.seconds),
            phases.join(", ")
        )?;
    }
    Ok(())
}

fn skips(text: &mut String, skipped: &[Skipped]) -> std::fmt::Result {
    for Skipped { name, reason } in skipped {
        writeln!(text, "\nskipped: {name}: {reason}")?;
    }
    Ok(())
}

fn row(
    text: &mut String,
    contestant: &ContestantResult,
    peers: &[&ContestantResult],
    limits: Option<&Limits>,
) -> std::fmt::Result {
    let timing = &contestant.timing;
    let kind = if contestant.peer { format!(" ({})", contestant.version) } else { String::new() };
    write!(
        text,
        "| {}{kind} | **{}** | {} | {} | {:.0}% | {} |",
        contestant.label(),
        milliseconds(timing.median),
        milliseconds(timing.minimum),
        milliseconds(timing.maximum),
        timing.spread * 100.0,
        milliseconds(contestant.build_seconds)
    )?;
    for peer in peers {
        write!(text, " {:.2} |", peer.timing.median / timing.median)?;
    }
    match limits {
        Some(limits) => {
            writeln!(
                text,
                " {:.1} | {:.1} |",
                timing.median / limits.weights,
                timing.median / limits.both
            )
        }
        None => writeln!(text, " | |"),
    }
}

/// The lower bounds of a solve's time, in seconds, from the memory speed.
struct Limits {
    /// The time to read every weight once, which every solver must do.
    weights: f64,
    /// The time to read every weight, and then every edge with its ends and weight, as a filter
    /// does.
    both: f64,
}

impl Limits {
    fn new(graph: &GraphResult, bytes_per_second: f64) -> Self {
        let seconds =
            |bytes_per_edge: usize| (bytes_per_edge * graph.edges) as f64 / bytes_per_second;
        Self { weights: seconds(graph.weight_bytes), both: seconds(2 * graph.weight_bytes + 8) }
    }
}

fn reads(text: &mut String, files: &[FileResult]) -> std::fmt::Result {
    writeln!(
        text,
        "| file | format | MB | MB inside | read s (spread) | MB/s of file | MB/s inside | plain read s | decompress s | \
         read / decompress |"
    )?;
    writeln!(text, "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|")?;
    for file in files {
        let seconds = file.graph.median;
        let megabytes = |bytes: u64| bytes as f64 / 1e6;
        let decompress = file.decompress.as_ref().map(|timing| timing.median);
        writeln!(
            text,
            "| {} | {} ({}) | {:.1} | {:.1} | {:.4} ({:.0}%) | {:.0} | {:.0} | {:.4} | {} | {} |",
            file.file,
            file.format,
            file.compression,
            megabytes(file.file_bytes),
            megabytes(file.content_bytes),
            seconds,
            file.graph.spread * 100.0,
            megabytes(file.file_bytes) / seconds,
            megabytes(file.content_bytes) / seconds,
            file.plain.median,
            decompress.map_or_else(|| "-".to_owned(), |decompress| format!("{decompress:.4}")),
            decompress.map_or_else(
                || "-".to_owned(),
                |decompress| format!("{:.2}", seconds / decompress)
            ),
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_include_the_bytes_of_an_edge() {
        let graph =
            |weight_bytes| GraphResult { edges: 1000, weight_bytes, ..GraphResult::default() };
        let limits = Limits::new(&graph(4), 1e3);
        assert_eq!((limits.weights, limits.both), (4.0, 16.0));
        let limits = Limits::new(&graph(8), 1e3);
        assert_eq!((limits.weights, limits.both), (8.0, 24.0));
    }
}
