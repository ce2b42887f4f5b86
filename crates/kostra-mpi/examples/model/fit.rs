//! What sixteen cores took, and the rates that follow from it.

use serde_json::Value;

use crate::simulation::{Play, Setting, play};
use crate::steps::{Phase, Sent, Size};

/// A phase of a record: one rank's seconds and what it sent, the mean of all ranks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Measured {
    pub(crate) seconds: f64,
    pub(crate) communication: f64,
    pub(crate) sent: Sent,
}

/// A run on a uniform graph in bands and rounds, and the same played.
pub(crate) struct Run {
    pub(crate) setting: Setting,
    pub(crate) seconds: f64,
    phases: Vec<(String, Measured)>,
    pub(crate) play: Play,
}

impl Run {
    pub(crate) fn size(&self) -> Size {
        Size { ranks: self.setting.ranks, owned: self.setting.owned, bytes_of_a_name: 4.0 }
    }

    /// Seconds in [`Work::seconds`]' phases without communication; in *share* with it, for there
    /// ranks send next to nothing, and only wait for each other.
    pub(crate) fn worked(&self) -> [f64; 4] {
        WORKING.map(|names| {
            let phase = self.measured(names);
            if names == ["share"] { phase.seconds } else { phase.seconds - phase.communication }
        })
    }

    /// Some phases together.
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

/// The runs of a record of the program `bench` that went in bands and rounds on uniform graphs, and
/// thinned nothing out before.
pub(crate) fn runs(record: &str) -> Result<Vec<Run>, String> {
    let record: Value = serde_json::from_str(record).map_err(|error| error.to_string())?;
    let all = record["measured"].as_array().ok_or("the record has no list 'measured'")?;
    Ok(all.iter().filter_map(run).collect())
}

fn run(record: &Value) -> Option<Run> {
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
    let is_thinned =
        phases.iter().any(|(name, phase)| name == "local" && phase.seconds > seconds / 10.0);
    if !has_rounds || is_thinned {
        return None;
    }
    let setting =
        Setting { ranks, owned: vertices / ranks as f64, density: (edges / vertices) as usize };
    Some(Run { setting, seconds, phases, play: play(setting) })
}

/// A number of a specification, such as 50M.
fn number(text: &str) -> Option<f64> {
    let millions = text.strip_suffix('M');
    let number: f64 = millions.unwrap_or(text).parse().ok()?;
    Some(if millions.is_some() { number * 1e6 } else { number })
}

/// Seconds for each of what a phase does: rates of a rank.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rates {
    /// A byte between ranks of one machine, with the waiting for each other. To add a rate for
    /// messages brings it no closer.
    pub(crate) byte: f64,
    /// An edge of the slice, in *share*, with the waiting for each other.
    pub(crate) share: f64,
    /// An edge in play, in *select*, once a band.
    pub(crate) select: f64,
    /// A byte, names taken for four, that a rank makes and reads in rounds.
    pub(crate) round: f64,
    /// An edge in play, in *filter*, once a band.
    pub(crate) filter: f64,
    /// An edge of all ranks that goes into a merge.
    pub(crate) merge: f64,
}

/// What each rank has to do in a solve, beside sending.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work {
    pub(crate) edges: f64,
    pub(crate) looked_at: f64,
    pub(crate) round: f64,
    pub(crate) merged: f64,
}

impl Work {
    pub(crate) fn of(setting: Setting, play: &Play) -> Self {
        let in_rounds = play.steps.iter().filter(|step| step.phase == Phase::Round);
        let words = in_rounds.map(|step| step.words + step.names).sum::<f64>();
        Self {
            edges: setting.density as f64 * setting.owned,
            looked_at: play.looked_at * setting.owned,
            round: 4.0 * words * setting.owned,
            merged: play.merged * setting.owned * setting.ranks as f64,
        }
    }

    /// What takes time in *share*, *select*, *round* and *filter*.
    fn amounts(&self) -> [f64; 4] {
        [self.edges, self.looked_at, self.round, self.looked_at]
    }

    /// Seconds in these phases.
    pub(crate) fn seconds(&self, rates: &Rates) -> [f64; 4] {
        let rates = [rates.share, rates.select, rates.round, rates.filter];
        let mut seconds = self.amounts();
        seconds.iter_mut().zip(rates).for_each(|(seconds, rate)| *seconds *= rate);
        seconds
    }
}

/// The names in records of the phases in [`Work::seconds`].
const WORKING: [&[&str]; 4] = [&["share"], &["select"], &["round", "contract"], &["filter"]];
/// Those in which ranks exchange much.
const SPEAKING: [&str; 2] = ["round", "filter"];

/// The rates that come closest to some runs.
pub(crate) fn fit(runs: &[&Run]) -> Rates {
    let spoken = runs.iter().flat_map(|run| SPEAKING.map(|name| run.measured(&[name])));
    let byte = rate(spoken.map(|phase| (phase.sent.bytes, phase.communication)));
    let work = |run: &Run| Work::of(run.setting, &run.play);
    let [share, select, round, filter] = std::array::from_fn(|phase| {
        rate(runs.iter().map(|run| (work(run).amounts()[phase], run.worked()[phase])))
    });
    let merge = rate(runs.iter().map(|run| (work(run).merged, run.measured(&["merge"]).seconds)));
    Rates { byte, share, select, round, filter, merge }
}

/// The factor by which amounts come closest to what was measured: with the least sum of squares of
/// errors, each divided by what was measured.
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
    fn a_rate_is_found_again_and_lies_between_those_of_the_points() {
        let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found}");
        close(rate([(1.0, 5.0), (3.0, 15.0)].into_iter()), 5.0);
        close(rate([(1.0, 1.0), (1.0, 3.0)].into_iter()), 1.5);
    }
}
