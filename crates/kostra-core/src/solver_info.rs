//! The description of a solver: what tables, help texts and options are made from.

/// The kind of machine that a solver runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// One thread.
    Sequential,
    /// The threads of one machine.
    Threads,
    /// A CUDA device.
    Cuda,
    /// The ranks of an MPI job.
    Mpi,
}

impl Platform {
    /// The name for tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sequential => "one thread",
            Self::Threads => "threads",
            Self::Cuda => "CUDA device",
            Self::Mpi => "MPI ranks",
        }
    }
}

/// The form of the graph that a solver works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Representation {
    /// The edge list as it is.
    EdgeList,
    /// Compressed sparse rows, which are built from the edge list if the graph has none yet.
    Csr,
}

impl Representation {
    /// The name for tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::EdgeList => "edge list",
            Self::Csr => "CSR",
        }
    }
}

/// The description of a solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolverInfo {
    /// The id that users type, such as `"prim-binary"`.
    pub id: &'static str,
    /// The title, such as `"Prim with a binary heap"`.
    pub title: &'static str,
    /// The document and section that the solver follows.
    pub source: &'static str,
    /// The platform that it runs on.
    pub platform: Platform,
    /// The representation of the graph that it needs.
    pub representation: Representation,
    /// Whether it always returns the canonical forest.
    pub exact: bool,
    /// The time, such as `"O(m log m)"`.
    pub time: &'static str,
    /// The memory beyond the graph and the answer, such as `"8 bytes per edge, 4 per vertex"`.
    pub scratch: &'static str,
    /// The options, apart from the number of threads.
    pub options: &'static [SolverOption],
}

/// An option of a solver, which a [`Run`](crate::Run) can set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolverOption {
    /// The name that users type.
    pub name: &'static str,
    /// The meaning in a few words.
    pub about: &'static str,
    /// The default value: the source's value if the source gives one.
    pub default: u64,
    /// The lowest allowed value.
    pub lowest: u64,
    /// The highest allowed value. An option from 0 to 1 means off and on.
    pub highest: u64,
}
