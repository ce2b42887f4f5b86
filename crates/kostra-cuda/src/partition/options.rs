//! What a caller asks for.

use kostra_partition::Options;

pub use super::refine::MoveMethod as Refinement;

/// How pairs of vertices are matched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Matching {
    /// Pairs of vertices that have chosen each other are matched, without transactions.
    #[default]
    Handshake,
    /// Each vertex matches itself with its candidate in a transaction, unless one of them is
    /// matched (Manoochehri).
    Transactions,
}

impl Matching {
    /// All ways to match, the default first.
    pub const ALL: [Self; 2] = [Self::Handshake, Self::Transactions];

    /// The name that users type.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Transactions => "transactions",
            Self::Handshake => "handshake",
        }
    }
}

impl Refinement {
    /// All ways to refine, the default first.
    pub const ALL: [Self; 2] = [Self::Jet, Self::Transactions];

    /// The name that users type.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Jet => "jet",
            Self::Transactions => "transactions",
        }
    }
}

/// The parameters of a partition on a device.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DevicePartitionOptions {
    /// The parameters of every partition. The preset chooses the number of cycles. The preset, the
    /// seed and the number of threads are also those of the partition of the coarsest graph.
    pub partition: Options,
    /// How vertices are matched.
    pub matching: Matching,
    /// How vertices move between parts.
    pub refinement: Refinement,
}
