//! What a caller can choose when a graph is read.

/// Which weights the edges of a graph without weights get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingWeights {
    /// 1 each (`i32`).
    Unit,
    /// A hash of the two ends, in either order, from 1 to `2^24 - 1` (`u32`): the same on every run
    /// and machine.
    Hash,
    /// The distance between the ends (`f64`, metres where coordinates are geographic). Needs
    /// coordinates, so it is an error for now: the formats that have coordinates have weights too.
    Distance,
}

/// What to do with an edge whose weight is not a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Nan {
    /// Refuse the input, naming the place.
    #[default]
    Error,
    /// Make the edge a self-loop of weight 0, which is in no forest; the other edges keep their
    /// ids.
    Skip,
}

/// A column of an edge list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ColumnChoice {
    /// The column that the header calls so.
    Name(String),
    /// The column at this position, counted from 1.
    Position(usize),
    /// As a person types it: a name, or a position counted from 1. What may be either is refused.
    NameOrPosition(String),
}

/// Whether the first line of an edge list, comments apart, names the columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Header {
    /// The lines tell. Where they do not, the input is refused.
    #[default]
    Recognize,
    /// It does.
    Present,
    /// It is an edge.
    Absent,
}

/// Which columns of an edge list hold what. What is not chosen is recognized by names and contents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnOptions {
    /// The first vertex of an edge.
    pub source: Option<ColumnChoice>,
    /// The second vertex.
    pub target: Option<ColumnChoice>,
    /// The weight.
    pub weight: Option<ColumnChoice>,
    /// Whether there is a header.
    pub header: Header,
}

impl ColumnOptions {
    /// The columns that are chosen, by the names of their options.
    pub(crate) fn chosen(&self) -> impl Iterator<Item = (&'static str, &ColumnChoice)> {
        let all = [("source", &self.source), ("target", &self.target), ("weight", &self.weight)];
        all.into_iter().filter_map(|(option, choice)| Some((option, choice.as_ref()?)))
    }

    /// The name of an option that is used, if one is.
    pub(crate) fn first_used(&self) -> Option<&'static str> {
        let header = match self.header {
            Header::Recognize => None,
            Header::Present => Some("header"),
            Header::Absent => Some("no-header"),
        };
        self.chosen().map(|(option, _)| option).next().or(header)
    }
}
