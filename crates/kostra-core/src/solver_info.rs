//! The description of a solver: what tables, help texts and options are made from.

use std::fmt;

use thiserror::Error;

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
    /// The values that it has.
    pub values: OptionValues,
    /// The default value as a number: the source's value if the source gives one.
    pub default: u64,
}

/// The values of an option. A solver sees each as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionValues {
    /// `off` and `on`: 0 and 1.
    Switch,
    /// One of these names. Its number is its place.
    Choice(&'static [&'static str]),
    /// A whole number.
    Number {
        /// The lowest allowed value.
        lowest: u64,
        /// The highest allowed value.
        highest: u64,
    },
}

impl OptionValues {
    const SWITCH: &'static [&'static str] = &["off", "on"];

    /// The lowest and the highest number of a value.
    pub const fn range(self) -> (u64, u64) {
        match self {
            Self::Number { lowest, highest } => (lowest, highest),
            Self::Switch => (0, 1),
            Self::Choice(names) => (0, names.len() as u64 - 1),
        }
    }

    /// The names of the values, if they have names.
    pub const fn names(self) -> Option<&'static [&'static str]> {
        match self {
            Self::Number { .. } => None,
            Self::Switch => Some(Self::SWITCH),
            Self::Choice(names) => Some(names),
        }
    }

    /// The value as users type it.
    pub fn shown(self, value: u64) -> String {
        let name = self.names().and_then(|names| names.get(value as usize));
        name.map_or_else(|| value.to_string(), |&name| name.to_owned())
    }

    /// The number of a value.
    fn number(self, value: &OptionValue) -> Option<u64> {
        let (lowest, highest) = self.range();
        let number = match value {
            OptionValue::Number(number) => *number,
            OptionValue::Text(text) => match self.names() {
                Some(names) => names.iter().position(|name| name == text)? as u64,
                None => text.parse().ok()?,
            },
        };
        (lowest..=highest).contains(&number).then_some(number)
    }
}

impl fmt::Display for OptionValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, self.names()) {
            (_, Some(names)) => write!(f, "one of {}", names.join(", ")),
            (&Self::Number { lowest, highest }, _) => write!(f, "from {lowest} to {highest}"),
            _ => Ok(()),
        }
    }
}

/// The value that a caller gives to an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionValue {
    /// A number, or the number of a name.
    Number(u64),
    /// A name, or the digits of a number.
    Text(String),
}

impl From<u64> for OptionValue {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl From<bool> for OptionValue {
    fn from(on: bool) -> Self {
        Self::Number(on.into())
    }
}

impl From<&str> for OptionValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl fmt::Display for OptionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => text.fmt(f),
        }
    }
}

impl SolverOption {
    /// The number of a value.
    ///
    /// # Errors
    /// When the option does not have this value.
    pub fn number(&self, value: OptionValue) -> Result<u64, OptionError> {
        self.values.number(&value).ok_or(OptionError::Value { option: *self, value })
    }
}

/// The reason why an option cannot be set.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum OptionError {
    /// The solver has no option of that name.
    #[error("{solver} has no option '{name}'; {known}")]
    Unknown {
        /// The solver's id.
        solver: &'static str,
        /// The name.
        name: String,
        /// The solver's options, as a sentence.
        known: String,
    },
    /// The option does not have the value.
    #[error("{} must be {}, not {value}", option.name, option.values)]
    Value {
        /// The option.
        option: SolverOption,
        /// The value.
        value: OptionValue,
    },
}
