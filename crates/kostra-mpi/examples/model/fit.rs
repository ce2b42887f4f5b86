//! The measurements on sixteen cores, and the rates that are fitted to them.

use serde_json::Value;

use crate::simulation::{Setting, Simulation, simulate};
use crate::steps::{Phase, Sent, Size};

/// A phase of a record: the seconds and the traffic of a rank; the mean of all ranks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Measured {
    pub(crate) seconds: f64,
    pub(crate) communication: f64,
    pub(crate) sent: Sent,
}

/// A run on a uniform graph in batches and rounds, with its simulation.
pub(crate) struct Run {
    pub(crate) setting: Setting,
    pub(crate) seconds: f64,
    phases: Vec<(String, Measured)>,
    pub(crate) simulation: Simulation,
}

impl Run {
    pub(crate) fn size(&self) -> Size {
        Size { ranks: self.setting.ranks, owned: self.setting.owned, bytes_per_id: 4.0 }
    }

    /// The seconds of the phases of [`Work::seconds`] without communication. *share* includes
    /// communication, because ranks send little there and mainly wait for each other.
    pub(crate) fn worked(&self) -> [f64; 4] {
        WORKING.map(|names| {
            let phase = self.measured(names);
            if names == ["share"] { phase.seconds } else { phase.seconds - phase.communication }
        })
    }

    /// The sum of some phases.
    pub(crate) fn measured(&self, names: &[&str]) -> Measured {
        let mut sum = Measured::default();
        for (_, phase) in self.phases.iter().filter(|(name, _)| names.contains(&&**name)) {
            sum.seconds += phase.seconds;
            sum.communication += phase.communication;
            sum.sent.messages += phase.sent.messages;
            sum.sent.bytes += phase.sent.bytes;
        }
        sum
    }
}

/// The runs of a record of the example `bench` on uniform graphs that were solved in batches and
/// rounds, and whose slices were not reduced before.
pub(crate) fn runs(record: &str) -> Result<Vec<Run>, String> {
    let record: Value = serde_json::from_str(record).map_err(|error| error.to_string())?;
    let all = record["measured"].as_array().ok_or("the record has no list 'measured'")?;
    let mut runs = Vec::new();
    for record in all {
        runs.extend(run(record, &runs));
    }
    Ok(runs)
}

/// The run of an entry of the record. The simulation of an earlier run in the same setting is the
/// simulation of this one.
fn run(record: &Value, earlier: &[Run]) -> Option<Run> {
    let (vertices, edges) = record["spec"].as_str()?.strip_prefix("gnm:n=")?.split_once(",m=")?;
    let (vertices, edges) = (number(vertices)?, number(edges)?);
    let ranks = record["ranks"].as_u64()? as usize;
    let phase = |phase: &Value| {
        let each = |what: &str| Some(phase[what].as_f64()? / ranks as f64);
        let sent = Sent { messages: each("messages")?, bytes: each("bytes")? };
        let seconds = phase["seconds"].as_f64()?;
        let communication = phase["communication_seconds"].as_f64()?;
        Some((phase["name"].as_str()?.to_owned(), Measured { seconds, communication, sent }))
    };
    let phases: Vec<_> = record["phases"].as_array()?.iter().filter_map(phase).collect();
    let seconds = record["seconds"]["median"].as_f64()?;
    let has_rounds = phases.iter().any(|(name, _)| name == "round");
    let is_reduced =
        phases.iter().any(|(name, phase)| name == "local" && phase.seconds > seconds / 10.0);
    if !has_rounds || is_reduced {
        return None;
    }
    let setting =
        Setting { ranks, owned: vertices / ranks as f64, density: (edges / vertices) as usize };
    let same = earlier.iter().find(|run| run.setting == setting);
    let simulation = same.map_or_else(|| simulate(setting), |run| run.simulation.clone());
    Some(Run { setting, seconds, phases, simulation })
}

/// A number of a graph specification, such as 50M.
fn number(text: &str) -> Option<f64> {
    let millions = text.strip_suffix('M');
    let number: f64 = millions.unwrap_or(text).parse().ok()?;
    Some(if millions.is_some() { number * 1e6 } else { number })
}

/// The rates of a rank: seconds per unit of work.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rates {
    /// A byte between ranks of one machine, including waiting. A rate for messages does not improve
    /// the fit.
    pub(crate) byte: f64,
    /// An edge of the slice in *share*, including waiting.
    pub(crate) share: f64,
    /// An active edge in *select*, per batch.
    pub(crate) select: f64,
    /// A byte that a rank writes or reads in rounds, with 4 bytes per id.
    pub(crate) round: f64,
    /// An active edge in *filter*, per batch.
    pub(crate) filter: f64,
    /// An edge of all ranks in a merge.
    pub(crate) merge: f64,
}

/// The work of each rank in a solve, without sending.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work {
    pub(crate) edges: f64,
    pub(crate) active: f64,
    pub(crate) round: f64,
    pub(crate) merged: f64,
}

impl Work {
    pub(crate) fn new(setting: Setting, simulation: &Simulation) -> Self {
        let in_rounds = simulation.steps.iter().filter(|step| step.phase == Phase::Round);
        let words = in_rounds.map(|step| step.words + step.ids).sum::<f64>();
        Self {
            edges: setting.density as f64 * setting.owned,
            active: simulation.active * setting.owned,
            round: 4.0 * words * setting.owned,
            merged: simulation.merged * setting.owned * setting.ranks as f64,
        }
    }

    /// The units of work in *share*, *select*, *round* and *filter*.
    fn amounts(&self) -> [f64; 4] {
        [self.edges, self.active, self.round, self.active]
    }

    /// The seconds in these phases.
    pub(crate) fn seconds(&self, rates: &Rates) -> [f64; 4] {
        let rates = [rates.share, rates.select, rates.round, rates.filter];
        let mut seconds = self.amounts();
        seconds.iter_mut().zip(rates).for_each(|(seconds, rate)| *seconds *= rate);
        seconds
    }
}

/// The names of the phases of [`Work::seconds`] in records.
const WORKING: [&[&str]; 4] = [&["share"], &["select"], &["round", "contract"], &["filter"]];
/// The phases in which ranks exchange most bytes.
const EXCHANGING: [&str; 2] = ["round", "filter"];

/// The rates that fit some runs best.
pub(crate) fn fit(runs: &[&Run]) -> Rates {
    let exchanged = runs.iter().flat_map(|run| EXCHANGING.map(|name| run.measured(&[name])));
    let byte = rate(exchanged.map(|phase| (phase.sent.bytes, phase.communication)));
    let work = |run: &Run| Work::new(run.setting, &run.simulation);
    let [share, select, round, filter] = std::array::from_fn(|phase| {
        rate(runs.iter().map(|run| (work(run).amounts()[phase], run.worked()[phase])))
    });
    let merge = rate(runs.iter().map(|run| (work(run).merged, run.measured(&["merge"]).seconds)));
    Rates { byte, share, select, round, filter, merge }
}

/// The factor from amounts to measured values with the least sum of squared errors, each divided by
/// the measured value.
fn rate(points: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (mut sum, mut squares) = (0.0, 0.0);
    for (amount, measured) in points {
        sum += amount;
        squares += amount * amount / measured;
    }
    sum / squares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_between_the_rates_of_the_points() {
        let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found}");
        close(rate([(1.0, 5.0), (3.0, 15.0)].into_iter()), 5.0);
        close(rate([(1.0, 1.0), (1.0, 3.0)].into_iter()), 1.5);
    }
}
