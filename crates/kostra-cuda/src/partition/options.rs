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
    /// Once for each level, each vertex matches itself with the neighbor at its heaviest edge, in a
    /// transaction that reads the candidate (Manoochehri, without Kostra's additions).
    HeavyEdge,
}

impl Matching {
    /// All ways to match, the default first.
    pub const ALL: [Self; 3] = [Self::Handshake, Self::Transactions, Self::HeavyEdge];

    /// The name that users type.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Transactions => "transactions",
            Self::Handshake => "handshake",
            Self::HeavyEdge => "heavy-edge",
        }
    }
}

impl Refinement {
    /// All ways to refine, the default first.
    pub const ALL: [Self; 3] = [Self::Jet, Self::Transactions, Self::Invalidation];

    /// The name that users type.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Jet => "jet",
            Self::Transactions => "transactions",
            Self::Invalidation => "invalidation",
        }
    }
}

/// How the entries of a row are sorted, to merge parallel edges and to find gains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowSort {
    /// By merging runs.
    #[default]
    Merge,
    /// By the segmented quicksort of scans. Coarse rows are packed by segmented scans, too
    /// (Manoochehri).
    Quick,
}

impl RowSort {
    /// All ways to sort, the default first.
    pub const ALL: [Self; 2] = [Self::Merge, Self::Quick];

    /// The name that users type.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Merge => "merge",
            Self::Quick => "quick",
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
    /// How rows are sorted.
    pub row_sort: RowSort,
}

impl DevicePartitionOptions {
    /// The whole way of Manoochehri 2017, section 4.4.
    pub const fn manoochehri(partition: Options) -> Self {
        Self {
            partition,
            matching: Matching::HeavyEdge,
            refinement: Refinement::Invalidation,
            row_sort: RowSort::Quick,
        }
    }
}
