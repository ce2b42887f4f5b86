//! Why a solve within limited memory fails, and what would help.

use std::fmt::{self, Display};
use std::path::PathBuf;

use kostra_core::{OutOfMemory, SolveError, WeightType, counted, shown};
#[cfg(feature = "gen")]
use kostra_gen::StreamError;
use kostra_io::{ReadError, ReadErrorKind, Remedy, RemedyValue};

pub(super) const MIB: u64 = 1 << 20;

/// Why a solve within limited memory found no forest.
#[derive(Debug)]
#[non_exhaustive]
pub enum ExternalError {
    /// The input or the checkpoint cannot be read.
    Read(ReadError),
    /// The graph cannot be generated, or not in blocks.
    #[cfg(feature = "gen")]
    Generate {
        /// The graph, such as `gen:path:n=5`.
        input: String,
        /// The reason; none for a generator that holds its whole graph in memory.
        cause: Option<StreamError>,
    },
    /// The limit is too small.
    Limit {
        /// The vertices and the weights of the graph; none if the limit is too small to read any
        /// input.
        graph: Option<(u32, WeightType)>,
        /// The least limit that suffices, a multiple of 1 MiB.
        least: u64,
        /// The bytes that reading the input as it is takes besides blocks. A plain file takes none.
        held: u64,
        /// The bytes that reading takes for a long line, large pages of a Parquet file, or its
        /// description.
        asked: u64,
        /// Whether the limit is of device memory.
        on_device: bool,
    },
    /// The checkpoint cannot be written or continued.
    Checkpoint {
        /// The checkpoint or its lock.
        path: PathBuf,
        /// The reason.
        fault: CheckpointFault,
    },
    /// The weights of the input have these types, and no type holds both.
    TwoTypes(WeightType, WeightType),
    /// Verification reads the input again, and standard input is read once.
    ReadOnce,
    /// The file changed between the solve and its verification.
    Changed,
    /// The system refuses memory within the limit.
    Memory(OutOfMemory),
    /// The device is absent, or fails.
    Solve(SolveError),
}

/// Why a checkpoint cannot be written or continued.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CheckpointFault {
    /// Another solve has locked it.
    InUse,
    /// A checkpoint would replace a file that is none.
    OtherFile,
    /// An interrupted solve left it, and the caller does not resume.
    Interrupted,
    /// It is of another input or task.
    OtherSolve {
        /// The first fact that differs, in the checkpoint.
        there: String,
        /// The same fact of this solve.
        here: String,
    },
    /// The first edges of the input are not those that the checkpoint covers.
    OtherEdges {
        /// The number of edges that it covers.
        edges: u64,
    },
    /// Its edges are no forest.
    NoForest,
}

impl ExternalError {
    pub(super) fn checkpoint(path: impl Into<PathBuf>, fault: CheckpointFault) -> Self {
        Self::Checkpoint { path: path.into(), fault }
    }

    /// The option that avoids the error, if there is one.
    pub fn remedy(&self) -> Option<Remedy> {
        let (option, value) = match self {
            Self::Limit { least, .. } => ("memory", RemedyValue::Bytes(*least)),
            Self::Checkpoint { fault, .. } => match fault {
                CheckpointFault::InUse | CheckpointFault::OtherFile => {
                    ("output", RemedyValue::Unsaid)
                }
                CheckpointFault::Interrupted => ("resume", RemedyValue::On),
                CheckpointFault::OtherSolve { .. } | CheckpointFault::OtherEdges { .. } => {
                    ("resume", RemedyValue::Unsaid)
                }
                CheckpointFault::NoForest => return None,
            },
            _ => return None,
        };
        Some(Remedy::Option { option, value })
    }

    /// The error as one sentence, with remedies as `spell` writes them.
    pub fn spelled(&self, spell: impl Fn(&Remedy) -> String) -> String {
        let named = self.remedy().as_ref().map(&spell).unwrap_or_default();
        match self {
            Self::Read(error) => error.spelled(spell),
            #[cfg(feature = "gen")]
            Self::Generate { input, cause: Some(cause) } => format!("{input}: {cause}"),
            #[cfg(feature = "gen")]
            Self::Generate { input, cause: None } => format!(
                "{input}: this generator holds its whole graph in memory; write the graph to a \
                 file first"
            ),
            Self::Limit { graph, held, asked, on_device, .. } => {
                let what = match graph {
                    Some((vertices, weight_type)) => format!(
                        "a graph with {} and {weight_type} weights",
                        counted(*vertices, "vertex", "vertices")
                    ),
                    None => "reading an input in blocks".to_owned(),
                };
                let of = if *on_device { " of the device" } else { "" };
                let pass = format!("{what} takes more memory{of}; pass at least {named}");
                match (held, asked) {
                    (0, 0) => pass,
                    (0, asked) => format!(
                        "{pass}, because the longest line, the largest pages or the description of \
                         the columns take {} MiB",
                        asked.div_ceil(MIB)
                    ),
                    (held, _) => format!(
                        "{pass}, or save the input decompressed to a file, because reading it as \
                         it is holds {} MiB",
                        held.div_ceil(MIB)
                    ),
                }
            }
            Self::Checkpoint { path, fault } => {
                format!("{}: {}", shown(path), fault.sentence(&named))
            }
            Self::TwoTypes(..) => "the weights of one input have two types".to_owned(),
            Self::ReadOnce => {
                "verifying within limited memory reads the input again, but standard \
                               input can be read once; save the input to a file"
                    .to_owned()
            }
            Self::Changed => ReadErrorKind::Changed.message().spelled(spell),
            Self::Memory(refusal) => refusal.to_string(),
            Self::Solve(error) => error.to_string(),
        }
    }
}

impl CheckpointFault {
    fn sentence(&self, option: &str) -> String {
        match self {
            Self::InUse => format!(
                "another solve is writing this output; wait for its end, or name another file with \
                 {option}"
            ),
            Self::OtherFile => format!(
                "this is no checkpoint of kostra, and a checkpoint would replace it; remove it, or \
                 name another file with {option}"
            ),
            Self::Interrupted => format!(
                "an interrupted solve left this checkpoint; pass {option} to continue the solve, or \
                 remove the file to solve from the start"
            ),
            Self::OtherSolve { there, here } => format!(
                "the checkpoint belongs to another solve ({there}; now {here}); to solve from the \
                 start, omit {option} and remove the checkpoint"
            ),
            Self::OtherEdges { edges } => format!(
                "the first {edges} edges of the input are not those that the checkpoint covers; to \
                 solve from the start, omit {option} and remove the checkpoint"
            ),
            Self::NoForest => "the checkpoint contains no forest; remove it".to_owned(),
        }
    }
}

impl Display for ExternalError {
    /// Writes the error with remedies as Rust code.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.spelled(Remedy::to_string))
    }
}

impl std::error::Error for ExternalError {}

impl From<ReadError> for ExternalError {
    fn from(error: ReadError) -> Self {
        Self::Read(error)
    }
}

impl From<OutOfMemory> for ExternalError {
    fn from(refusal: OutOfMemory) -> Self {
        Self::Memory(refusal)
    }
}

impl From<SolveError> for ExternalError {
    fn from(error: SolveError) -> Self {
        match error {
            SolveError::OutOfMemory { bytes, .. } => Self::Memory(OutOfMemory { bytes }),
            error => Self::Solve(error),
        }
    }
}
