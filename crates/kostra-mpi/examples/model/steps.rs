//! The traffic of one collective step of `mpi-fast`, for any number of ranks.

use kostra_mpi::Route;

/// The phases of `mpi-fast` on many ranks, under their names in records. `Other` are the reductions
/// between the phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    Share,
    Pivot,
    Round,
    Filter,
    Other,
}

/// The kind of a collective step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Each rank has a part for each rank.
    Exchange,
    /// An exchange with one more bit per item; the bits of each part begin with a new word.
    ExchangeWithBits,
    /// Every rank gets the items of all ranks.
    AllGather,
    /// An all-reduce of one number.
    Reduce,
}

/// What a rank sends in a step, per vertex that it owns; the mean of all ranks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) phase: Phase,
    pub(crate) kind: Kind,
    /// The number of 32-bit words.
    pub(crate) words: f64,
    /// The number of global ids.
    pub(crate) ids: f64,
    /// The number of items; each goes to the rank that owns its vertex.
    pub(crate) items: f64,
    /// The number of bytes of all ranks that does not depend on the number of vertices.
    pub(crate) fixed: f64,
}

/// The messages and bytes that a rank sends.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sent {
    pub(crate) messages: f64,
    pub(crate) bytes: f64,
}

/// The size of a job.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub(crate) ranks: usize,
    pub(crate) owned: f64,
    pub(crate) bytes_per_id: f64,
}

impl Size {
    /// The depth of a binary tree of all ranks.
    pub(crate) fn tree_depth(&self) -> f64 {
        f64::from(self.ranks.next_power_of_two().trailing_zeros())
    }

    fn others(&self) -> f64 {
        self.ranks as f64 - 1.0
    }
}

impl Step {
    /// The sample of edges from which a pivot is chosen.
    pub(crate) fn of_sample() -> Self {
        Self::all_gather(Phase::Pivot, 16.0 * f64::from(1 << 14))
    }

    /// The sample of labels that finds the giant component.
    pub(crate) fn of_labels(ranks: usize) -> Self {
        Self::all_gather(Phase::Filter, 4.0 * f64::from(1 << 10).max(ranks as f64))
    }

    fn all_gather(phase: Phase, fixed: f64) -> Self {
        Self { phase, kind: Kind::AllGather, words: 0.0, ids: 0.0, items: 0.0, fixed }
    }

    /// The number of bytes that a rank has for other ranks, and the number of non-empty parts.
    fn parts(&self, size: Size) -> (f64, f64) {
        let (others, ranks) = (size.others(), size.ranks as f64);
        let items = self.items * size.owned;
        // The ranks of items are random.
        let parts = others * (1.0 - (-items / ranks).exp());
        let ids = self.ids * size.bytes_per_id;
        let bits =
            if self.kind == Kind::ExchangeWithBits { 4.0 * parts + items / 8.0 } else { 0.0 };
        let bytes = (self.words * 4.0 + ids) * size.owned * others / ranks + bits;
        (bytes, parts)
    }

    pub(crate) fn is_exchange(&self) -> bool {
        matches!(self.kind, Kind::Exchange | Kind::ExchangeWithBits)
    }

    /// Whether an exchange takes two hops.
    fn hops(&self, bytes: f64, size: Size) -> bool {
        Route::for_bytes(bytes as u64, size.ranks) == Route::TwoHop
    }

    /// What a rank sends, counted as in [`kostra_mpi::Traffic`].
    pub(crate) fn sent(&self, size: Size) -> Sent {
        const HEADER: f64 = 16.0;
        let (others, turns) = (size.others(), size.tree_depth());
        match self.kind {
            Kind::Reduce => Sent { messages: turns, bytes: 8.0 * turns },
            Kind::AllGather => {
                let own = self.words * 4.0 * size.owned + self.fixed / size.ranks as f64;
                Sent { messages: 2.0 * others, bytes: others * (8.0 + own) }
            }
            Kind::Exchange | Kind::ExchangeWithBits => {
                let (bytes, parts) = self.parts(size);
                let undecided = Route::for_bytes(0, size.ranks) == Route::TwoHop;
                let decision = if undecided { turns } else { 0.0 };
                if self.hops(bytes, size) {
                    let messages = Route::TwoHop.messages(size.ranks) as f64 + decision;
                    return Sent {
                        messages,
                        bytes: 2.0 * (bytes + HEADER * parts) + 8.0 * decision,
                    };
                }
                let talk = turns + decision;
                Sent { messages: others + parts + talk, bytes: bytes + 8.0 * (others + talk) }
            }
        }
    }

    /// The number of messages in sequence, and the maximum of sent and received bytes, with the
    /// best algorithms of an MPI library: it gathers and reduces along a tree.
    pub(crate) fn critical_path(&self, size: Size) -> Sent {
        let sent = self.sent(size);
        let messages = match self.kind {
            Kind::Reduce => size.tree_depth(),
            Kind::AllGather => 2.0 * size.tree_depth(),
            Kind::Exchange | Kind::ExchangeWithBits => sent.messages,
        };
        Sent { messages, ..sent }
    }
}
