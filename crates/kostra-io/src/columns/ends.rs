//! The range of the vertices in an edge list, from which the number of vertices follows.

use kostra_core::Vertex;

/// The number of edges, and the lowest and highest vertex at which an edge ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ends {
    pub(crate) edges: u64,
    /// The vertices of all edges.
    pub(crate) all: Span,
    /// The vertices of all edges except the first.
    pub(crate) rest: Span,
}

/// The lowest and the highest vertex of a set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Span {
    pub(crate) least: u64,
    pub(crate) largest: u64,
}

impl Span {
    const NONE: Self = Self { least: u64::MAX, largest: 0 };

    fn of_ends(u: &[Vertex], v: &[Vertex]) -> Self {
        let wider = |Self { least, largest }, &end: &Vertex| Self {
            least: u64::min(least, end.into()),
            largest: u64::max(largest, end.into()),
        };
        u.iter().chain(v).fold(Self::NONE, wider)
    }

    fn and(self, other: Self) -> Self {
        Self { least: self.least.min(other.least), largest: self.largest.max(other.largest) }
    }
}

impl Ends {
    pub(crate) const NONE: Self = Self { edges: 0, all: Span::NONE, rest: Span::NONE };

    /// The ends of the edges between `u` and `v`.
    pub(crate) fn of_edges(u: &[Vertex], v: &[Vertex]) -> Self {
        let (Some((first_u, rest_u)), Some((first_v, rest_v))) = (u.split_first(), v.split_first())
        else {
            return Self::NONE;
        };
        let rest = Span::of_ends(rest_u, rest_v);
        let all = Span::of_ends(&[*first_u], &[*first_v]).and(rest);
        Self { edges: u.len() as u64, all, rest }
    }

    /// The result for these edges followed by others.
    pub(crate) fn then(self, next: Self) -> Self {
        let rest = if self.edges == 0 { next.rest } else { self.rest.and(next.all) };
        Self { edges: self.edges + next.edges, all: self.all.and(next.all), rest }
    }

    pub(crate) fn to_words(self) -> [u64; 5] {
        [self.edges, self.all.least, self.all.largest, self.rest.least, self.rest.largest]
    }

    pub(crate) fn from_words([edges, least, largest, rest_least, rest_largest]: [u64; 5]) -> Self {
        let rest = Span { least: rest_least, largest: rest_largest };
        Self { edges, all: Span { least, largest }, rest }
    }
}
