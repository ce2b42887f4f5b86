//! Predicts the cost of `mpi-fast` on large numbers of ranks, for uniform graphs. The rates are
//! fitted to a benchmark record of sixteen cores, the counts come from a simulation of the solver
//! without MPI, and the network is assumed. Prints the tables of `docs/algorithms/mpi-model.md`.
//!
//! ```text
//! cargo run --package kostra-mpi --example model
//! ```
//!
//! No MPI job is started.

mod fit;
mod simulation;
mod steps;

use std::process::ExitCode;

use self::fit::{Rates, Run, Work, fit, runs};
use self::simulation::{Setting, simulate};
use self::steps::{Phase, Sent, Size};

const RECORD: &str = include_str!("../../../../lab/record/2026-11-22-mpi-sixteen-cores.json");

/// The number of vertices that a rank owns in KaMSTa's experiments.
const OWNED: f64 = (1 << 17) as f64;

/// A network. The values are those of the kind of machine on which KaMSTa was run.
struct Network {
    /// The latency of a message, in seconds.
    message: f64,
    /// The bandwidth of a node, in bytes per second.
    node: f64,
    ranks_per_node: f64,
}

const NETWORK: Network = Network { message: 1.5e-6, node: 12.5e9, ranks_per_node: 48.0 };

fn main() -> ExitCode {
    match runs(RECORD).and_then(|runs| tables(&runs)) {
        Ok(tables) => {
            println!("{tables}");
            ExitCode::SUCCESS
        }
        Err(reason) => {
            eprintln!("error: {reason}");
            ExitCode::FAILURE
        }
    }
}

/// All tables, as Markdown.
fn tables(runs: &[Run]) -> Result<String, String> {
    let (near, far): (Vec<_>, Vec<_>) = runs.iter().partition(|run| run.setting.owned == OWNED);
    let rates = fit(&near);
    let far = far.first().ok_or("the record has no run with more vertices on a rank")?;
    let slower = slower(far, &rates);
    Ok([
        simulated_traffic(runs),
        fitted(&rates, slower),
        compared(runs, &rates),
        predicted(&rates, slower),
    ]
    .join("\n\n"))
}

/// The factors by which work takes longer when the vertices do not fit the cache, by phase.
fn slower(far: &Run, rates: &Rates) -> [f64; 4] {
    let seconds = Work::new(far.setting, &far.simulation).seconds(rates);
    let measured = far.worked();
    std::array::from_fn(|phase| measured[phase] / seconds[phase])
}

/// The table of simulated and counted traffic.
fn simulated_traffic(runs: &[Run]) -> String {
    let mut lines = vec![
        "| ranks | vertices per rank | edges per vertex | messages of a rank, simulated | counted | MB, simulated | counted |"
            .to_owned(),
        "|--:|--:|--:|--:|--:|--:|--:|".to_owned(),
    ];
    for run in runs {
        let (sent, counted) =
            (in_phases(run, &COMPARED), run.measured(&["share", "round", "filter"]).sent);
        lines.push(format!(
            "| {} | {} | {} | {:.0} | {:.0} | {:.1} | {:.1} |",
            run.setting.ranks,
            run.setting.owned,
            run.setting.density,
            sent.messages,
            counted.messages,
            sent.bytes / 1e6,
            counted.bytes / 1e6
        ));
    }
    lines.dedup();
    lines.join("\n")
}

/// The phases whose traffic is compared.
const COMPARED: [Phase; 3] = [Phase::Share, Phase::Round, Phase::Filter];

/// The traffic of a rank in some phases, by the simulation.
fn in_phases(run: &Run, phases: &[Phase]) -> Sent {
    let steps = run.simulation.steps.iter().filter(|step| phases.contains(&step.phase));
    sum(steps.map(|step| step.sent(run.size())))
}

fn sum(all: impl Iterator<Item = Sent>) -> Sent {
    all.fold(Sent::default(), |sum, sent| Sent {
        messages: sum.messages + sent.messages,
        bytes: sum.bytes + sent.bytes,
    })
}

/// The table of the fitted rates.
fn fitted(rates: &Rates, slower: [f64; 4]) -> String {
    let lines = [
        ("a byte between ranks of one machine, with waiting", rates.byte, None),
        ("*share*: an edge of the slice, with waiting", rates.share, Some(slower[0])),
        ("*select*: an active edge, each batch", rates.select, Some(slower[1])),
        (
            "*round* and *contract*: a byte of the messages, made or read",
            rates.round,
            Some(slower[2]),
        ),
        ("*filter*: an active edge, each batch", rates.filter, Some(slower[3])),
        ("*merge*: an edge of all ranks", rates.merge, None),
    ];
    let head = "| what | ns | where it fits no cache |\n|---|--:|--:|".to_owned();
    let lines = lines.map(|(what, rate, slower)| {
        let slower = slower.map_or("-".to_owned(), |slower| format!("{:.1}", rate * slower * 1e9));
        format!("| {what} | {:.1} | {slower} |", rate * 1e9)
    });
    [head].into_iter().chain(lines).collect::<Vec<_>>().join("\n")
}

/// The table of measured and modeled times, for the runs of the fit and for the other run.
fn compared(runs: &[Run], rates: &Rates) -> String {
    let mut lines = vec![
        "| ranks | vertices per rank | edges per vertex | measured, ms | model, ms | model / measured |"
            .to_owned(),
        "|--:|--:|--:|--:|--:|--:|".to_owned(),
    ];
    for run in runs {
        let work = Work::new(run.setting, &run.simulation);
        let sent = in_phases(run, &[Phase::Round, Phase::Filter]);
        let seconds = rates.byte * sent.bytes
            + work.seconds(rates).iter().sum::<f64>()
            + rates.merge * work.merged;
        lines.push(format!(
            "| {} | {} | {} | {:.0} | {:.0} | {:.2} |",
            run.setting.ranks,
            run.setting.owned,
            run.setting.density,
            run.seconds * 1e3,
            seconds * 1e3,
            seconds / run.seconds
        ));
    }
    lines.join("\n")
}

/// The table of predicted times on many ranks, by cause.
fn predicted(rates: &Rates, slower: [f64; 4]) -> String {
    let mut lines = vec![
        "| ranks | edges per rank | exchanges | messages of a rank | MB of a rank | latency | bytes | merges | work | total | edges per second |"
            .to_owned(),
        "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|".to_owned(),
    ];
    for ranks in [1024, 65_536] {
        for density in [8, 32] {
            let setting = Setting { ranks, owned: OWNED, density };
            let simulation = simulate(setting);
            let bytes_per_id = if OWNED * ranks as f64 <= 4_294_967_296.0 { 4.0 } else { 8.0 };
            let size = Size { ranks, owned: OWNED, bytes_per_id };
            let sent = sum(simulation.steps.iter().map(|step| step.critical_path(size)));
            let bytes = sent.bytes * (rates.byte + NETWORK.ranks_per_node / NETWORK.node);
            let latency = sent.messages * NETWORK.message;
            let work = Work::new(setting, &simulation);
            // Messages go up and down the tree, and the adopted components go to all ranks. At the
            // end, one rank per node communicates.
            let merges = rates.merge * work.merged
                + simulation.batches as f64 * 10.0 * size.tree_depth() * NETWORK.message
                + work.merged * (16.0 + 2.0 * bytes_per_id) / NETWORK.node;
            let (least, most) = (work.seconds(rates), work.seconds(rates).into_iter().zip(slower));
            let (least, most) = (least.iter().sum::<f64>(), most.map(|(a, b)| a * b).sum::<f64>());
            let others = latency + bytes + merges;
            let edges = OWNED * density as f64 * ranks as f64;
            let exchanges = simulation.steps.iter().filter(|step| step.is_exchange()).count();
            let (fastest, slowest) = (others + least, others + most);
            lines.push(format!(
                "| {ranks} | 2^{} | {exchanges} | {:.0} | {:.0} | {latency:.2} | {bytes:.2} | {merges:.3} | {least:.2} to {most:.2} | {fastest:.1} to {slowest:.1} | {:.1e} to {:.1e} |",
                17 + density.ilog2(),
                sent.messages,
                sent.bytes / 1e6,
                edges / slowest,
                edges / fastest,
            ));
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;

    static RUNS: LazyLock<Vec<Run>> = LazyLock::new(|| runs(RECORD).unwrap());

    #[test]
    fn the_simulation_sends_what_ranks_have_sent() {
        for run in &*RUNS {
            let (simulated, counted) =
                (in_phases(run, &COMPARED), run.measured(&["share", "round", "filter"]).sent);
            for (simulated, counted) in
                [(simulated.messages, counted.messages), (simulated.bytes, counted.bytes)]
            {
                assert!(
                    (0.85..1.15).contains(&(simulated / counted)),
                    "{:?}: {simulated} {counted}",
                    run.setting
                );
            }
        }
    }

    #[test]
    fn the_document_contains_these_tables() {
        let document = include_str!("../../../../docs/algorithms/mpi-model.md");
        for line in tables(&RUNS).unwrap().lines() {
            assert!(document.contains(line), "docs/algorithms/mpi-model.md lacks: {line}");
        }
    }
}
