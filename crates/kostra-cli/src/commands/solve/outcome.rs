//! The result of `kostra solve`, with and without ranks.

use std::time::Duration;

use kostra::variants::ForestConstraints;
use kostra_core::{SolverInfo, Total, WeightType};
use kostra_io::{Compression, Format};
use serde::{Serialize, Serializer};

use crate::trace::Trace;
use crate::verdict::{Proof, Verdict};

/// What the report shows.
pub(super) struct Outcome {
    pub(super) graph: GraphFacts,
    pub(super) forest: ForestFacts,
    /// What the constraints cost; none without constraints.
    pub(super) constrained: Option<Constrained>,
    pub(super) algorithm: &'static SolverInfo,
    pub(super) place: RanOn,
    /// The number of threads; in an MPI job, of each rank.
    pub(super) threads: usize,
    /// None unless the user asked for verification. A fault names the vertices as the input does.
    pub(super) verified: Option<Result<Proof, String>>,
    pub(super) times: Times,
    pub(super) notes: Vec<String>,
    pub(super) trace: Option<Trace>,
}

/// What is known of the graph.
pub(super) struct GraphFacts {
    pub(super) vertices: u64,
    pub(super) edges: u64,
    pub(super) weight_type: WeightType,
    /// None for a generated graph.
    pub(super) format: Option<Format>,
    pub(super) compression: Compression,
}

/// What is known of the forest.
pub(super) struct ForestFacts {
    pub(super) edges: u64,
    pub(super) components: u64,
    pub(super) total: Total,
}

/// What constraints cost.
pub(super) struct Constrained {
    pub(super) constraints: ForestConstraints,
    /// The number of trees, where linked vertices count as one.
    pub(super) trees: u32,
    /// The total of the forest without constraints.
    pub(super) unconstrained: Total,
    /// The difference of the totals.
    pub(super) extra: Total,
    /// Whether the solver's forest is that of the reduced graph, and the time to decide; none
    /// unless planned.
    pub(super) verdict: Option<(Verdict, Duration)>,
}

/// Where the algorithm ran.
pub(super) enum RanOn {
    /// The processor of this machine.
    Processor,
    /// CUDA devices: their names, each once, and their numbers.
    Device { name: String, ordinals: Vec<usize> },
    /// The ranks of an MPI job.
    #[cfg_attr(not(feature = "mpi"), expect(dead_code, reason = "needs the feature `mpi`"))]
    Ranks { count: usize, has_devices: bool, phases: Vec<RankPhase> },
}

/// A phase of the algorithm on ranks: the longest times of a rank, and the traffic of all ranks.
#[derive(Serialize)]
pub(super) struct RankPhase {
    pub(super) name: &'static str,
    pub(super) seconds: f64,
    pub(super) messages: u64,
    pub(super) bytes: u64,
    pub(super) seconds_of_communication: f64,
}

/// The time of each step. None stands for a step that was not taken. In an MPI job, `load` and
/// `solve` are the times of the slowest rank, and the others are those of rank 0.
#[derive(Default)]
pub(super) struct Times {
    /// Opening the device.
    pub(super) open: Option<Duration>,
    pub(super) load: Duration,
    pub(super) build: Option<Duration>,
    pub(super) compile: Option<Duration>,
    pub(super) upload: Option<Duration>,
    pub(super) solve: Duration,
    pub(super) download: Option<Duration>,
    pub(super) verify: Option<Duration>,
    /// Writing the forest. A forest that verification refuted is not written.
    pub(super) write: Option<Duration>,
}

impl Times {
    /// All steps in order.
    fn steps(&self) -> [(&'static str, Option<Duration>); 9] {
        [
            ("open", self.open),
            ("load", Some(self.load)),
            ("build", self.build),
            ("compile", self.compile),
            ("upload", self.upload),
            ("solve", Some(self.solve)),
            ("download", self.download),
            ("verify", self.verify),
            ("write", self.write),
        ]
    }

    /// The steps that were taken, in order.
    pub(super) fn taken(&self) -> Vec<(&'static str, Duration)> {
        self.steps().into_iter().filter_map(|(name, time)| Some((name, time?))).collect()
    }
}

/// An object of seconds. `verify` and `write` are always present, 0 if they were not taken.
impl Serialize for Times {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let steps = self.steps().into_iter().filter_map(|(name, time)| match name {
            "verify" | "write" => Some((name, time.unwrap_or_default().as_secs_f64())),
            _ => Some((name, time?.as_secs_f64())),
        });
        serializer.collect_map(steps)
    }
}
