//! The algorithms of this build, by id.

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use kostra::UnknownSolver;
use kostra_core::{Platform, Solver, SolverInfo};
#[cfg(feature = "mpi")]
use kostra_mpi::DistributedSolver;

use crate::input::Threads;

/// The id that leaves the choice to the command.
pub(crate) const AUTO: &str = "auto";

/// What the user chose as the algorithm.
#[derive(Clone, Copy)]
pub(crate) enum ChosenAlgorithm {
    /// The command chooses one by the size of the graph and the machine.
    Auto,
    /// A solver that runs in this process.
    Local(&'static dyn Solver),
    /// A solver that runs on the ranks of an MPI job.
    #[cfg(feature = "mpi")]
    Distributed(&'static dyn DistributedSolver),
}

impl ChosenAlgorithm {
    /// The algorithm of this id.
    ///
    /// # Errors
    /// When there is none; the error names similar ids.
    pub(crate) fn find(id: &str) -> Result<Self, UnknownSolver> {
        let meant = kostra::id_of(id);
        if meant == AUTO {
            return Ok(Self::Auto);
        }
        #[cfg(feature = "mpi")]
        if let Some(solver) = distributed().find(|solver| solver.info().id == meant) {
            return Ok(Self::Distributed(solver));
        }
        let found = kostra::solvers().find(|solver| solver.info().id == meant);
        found.map(Self::Local).ok_or_else(|| UnknownSolver::new(id, all().map(|info| info.id)))
    }

    /// The solver in this process; none if the choice is left to the command.
    ///
    /// # Errors
    /// When the algorithm runs on the ranks of an MPI job.
    pub(crate) fn in_process(self) -> anyhow::Result<Option<&'static dyn Solver>> {
        match self {
            Self::Auto => Ok(None),
            Self::Local(solver) => Ok(Some(solver)),
            #[cfg(feature = "mpi")]
            Self::Distributed(solver) => {
                anyhow::bail!("{} runs on the ranks of an MPI job only", solver.info().id)
            }
        }
    }

    /// Whether the algorithm works on the parts of a partition.
    pub(crate) fn uses_partition(self) -> bool {
        match self {
            Self::Auto => false,
            Self::Local(solver) => solver.uses_partition(),
            #[cfg(feature = "mpi")]
            Self::Distributed(_) => true, // ranks own the vertices of parts
        }
    }

    /// The description of the algorithm, if the user chose one.
    pub(crate) fn info(self) -> Option<&'static SolverInfo> {
        match self {
            Self::Auto => None,
            Self::Local(solver) => Some(solver.info()),
            #[cfg(feature = "mpi")]
            Self::Distributed(solver) => Some(solver.info()),
        }
    }
}

/// The ids of the algorithms that work on the parts of a graph, or place them on ranks.
pub(crate) fn partition_users() -> impl Iterator<Item = &'static str> {
    let ids =
        kostra::solvers().filter(|solver| solver.uses_partition()).map(|solver| solver.info().id);
    #[cfg(feature = "mpi")]
    let ids = ids.chain(distributed().map(|solver| solver.info().id));
    ids
}

/// The number of threads that an algorithm in this process uses. An algorithm for a device uses
/// them to copy data.
pub(crate) fn threads(solver: &SolverInfo, threads: Threads) -> usize {
    match solver.platform {
        Platform::Sequential => 1,
        Platform::Threads | Platform::Cuda | Platform::Mpi => threads.wanted(),
    }
}

/// Parses the id of an algorithm. Completions list the ids. Any text is accepted, because
/// [`ChosenAlgorithm::find`] explains an unknown id better than clap.
pub(crate) fn id_parser() -> impl TypedValueParser<Value = String> {
    IdParser
}

#[derive(Clone)]
struct IdParser;

impl TypedValueParser for IdParser {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let ids = std::iter::once(AUTO).chain(all().map(|info| info.id));
        Some(Box::new(ids.map(PossibleValue::new)))
    }
}

/// The descriptions of all algorithms.
pub(crate) fn all() -> impl Iterator<Item = &'static SolverInfo> {
    let infos = kostra::solvers().map(Solver::info);
    #[cfg(feature = "mpi")]
    let infos = infos.chain(distributed().map(DistributedSolver::info));
    infos
}

/// The solvers that run on the ranks of an MPI job.
#[cfg(feature = "mpi")]
fn distributed() -> impl Iterator<Item = &'static dyn DistributedSolver> {
    let solvers = kostra_mpi::solvers();
    #[cfg(feature = "papers")]
    let solvers = solvers.chain(kostra_papers_mpi::solvers());
    solvers
}
