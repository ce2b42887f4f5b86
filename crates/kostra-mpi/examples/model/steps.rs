//! What a step of `mpi-fast` in which all ranks speak sends, at any size, and how long that takes
//! on a network.

use kostra_mpi::Route;

/// The phases of `mpi-fast` on many ranks, as records name them; what it sums up between them is
/// other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    Share,
    Pivot,
    Round,
    Filter,
    Other,
}

/// How all ranks speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A part for each rank.
    Exchange,
    /// The same with a bit for each item, which begin with a word for each part.
    ExchangeWithBits,
    /// All get what each has.
    AllGather,
    /// One number.
    Reduce,
}

/// What a rank sends in a step, the mean of all ranks, for each vertex that it owns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) phase: Phase,
    pub(crate) kind: Kind,
    /// Words of 32 bits.
    pub(crate) words: f64,
    /// Names of vertices.
    pub(crate) names: f64,
    /// What they are about: each goes to the rank that it concerns.
    pub(crate) items: f64,
    /// Bytes that all ranks together send, however many vertices there are.
    pub(crate) fixed: f64,
}

/// Messages and bytes that a rank sends.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sent {
    pub(crate) messages: f64,
    pub(crate) bytes: f64,
}

/// The ranks and what they hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub(crate) ranks: usize,
    pub(crate) owned: f64,
    pub(crate) bytes_of_a_name: f64,
}

impl Size {
    /// Steps in which everybody hears of everybody.
    pub(crate) fn turns(&self) -> f64 {
        f64::from(self.ranks.next_power_of_two().trailing_zeros())
    }

    fn others(&self) -> f64 {
        self.ranks as f64 - 1.0
    }
}

impl Step {
    /// The sample of edges that a pivot comes from.
    pub(crate) fn of_sample() -> Self {
        Self::all_gather(Phase::Pivot, 16.0 * f64::from(1 << 14))
    }

    /// The sample of labels by which a giant component is found.
    pub(crate) fn of_labels(ranks: usize) -> Self {
        Self::all_gather(Phase::Filter, 4.0 * f64::from(1 << 10).max(ranks as f64))
    }

    fn all_gather(phase: Phase, fixed: f64) -> Self {
        Self { phase, kind: Kind::AllGather, words: 0.0, names: 0.0, items: 0.0, fixed }
    }

    /// What a rank has for others, in bytes, and for how many of them it has something.
    fn parts(&self, size: Size) -> (f64, f64) {
        let (others, ranks) = (size.others(), size.ranks as f64);
        let items = self.items * size.owned;
        // Items fall on ranks at random.
        let parts = others * (1.0 - (-items / ranks).exp());
        let names = self.names * size.bytes_of_a_name;
        let bits =
            if self.kind == Kind::ExchangeWithBits { 4.0 * parts + items / 8.0 } else { 0.0 };
        let bytes = (self.words * 4.0 + names) * size.owned * others / ranks + bits;
        (bytes, parts)
    }

    pub(crate) fn is_exchange(&self) -> bool {
        matches!(self.kind, Kind::Exchange | Kind::ExchangeWithBits)
    }

    /// Whether an exchange goes in two hops.
    fn hops(&self, bytes: f64, size: Size) -> bool {
        Route::for_bytes(bytes as u64, size.ranks) == Route::TwoHop
    }

    /// What a rank sends, counted as [`kostra_mpi::Traffic`] does.
    pub(crate) fn sent(&self, size: Size) -> Sent {
        const HEADER: f64 = 16.0;
        let (others, turns) = (size.others(), size.turns());
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

    /// Messages one after another, and bytes that come in or go out, whichever are more, when a
    /// library does its best: it gathers and sums up along a tree.
    pub(crate) fn waits(&self, size: Size) -> Sent {
        let sent = self.sent(size);
        let messages = match self.kind {
            Kind::Reduce => size.turns(),
            Kind::AllGather => 2.0 * size.turns(),
            Kind::Exchange | Kind::ExchangeWithBits => sent.messages,
        };
        Sent { messages, ..sent }
    }
}
