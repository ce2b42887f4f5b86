//! What a caller can choose when a graph is read.

/// The weights of the edges of a graph without weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingWeights {
    /// 1 for each edge (`i32`).
    Unit,
    /// A hash of the two ends, in either order, from 1 to `2^24 - 1` (`u32`). It is the same on
    /// every machine.
    Hash,
    /// The distance between the ends (`f64`, in meters if the coordinates are geographic). This is
    /// an error without coordinates; at present every format that has coordinates also has weights.
    Distance,
}

/// What to do with an edge whose weight is NaN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Nan {
    /// Refuse the input; the error contains the place.
    #[default]
    Error,
    /// Replace the edge by a self-loop of weight 0, which is in no forest. The other edges keep
    /// their ids.
    Skip,
}

/// A column of an edge list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ColumnChoice {
    /// The column with this name in the header.
    Name(String),
    /// The column at this position, counted from 1.
    Position(usize),
    /// A name, or a position counted from 1, as a user types it. A text that may be either is
    /// refused.
    NameOrPosition(String),
}

/// Whether the first line of an edge list that is not a comment contains the names of the columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Header {
    /// The first lines decide. If they leave it open, the input is refused.
    #[default]
    Recognize,
    /// It contains the names.
    Present,
    /// It contains an edge.
    Absent,
}

/// The columns of an edge list. A column that is not chosen is recognized by names and contents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnOptions {
    /// The first vertex of an edge.
    pub source: Option<ColumnChoice>,
    /// The second vertex.
    pub target: Option<ColumnChoice>,
    /// The weight.
    pub weight: Option<ColumnChoice>,
    /// Whether the first line is a header.
    pub header: Header,
}

impl ColumnOptions {
    /// The chosen columns, with the names of their options.
    pub(crate) fn chosen(&self) -> impl Iterator<Item = (&'static str, &ColumnChoice)> {
        let all = [("source", &self.source), ("target", &self.target), ("weight", &self.weight)];
        all.into_iter().filter_map(|(option, choice)| Some((option, choice.as_ref()?)))
    }

    /// Whether the weight is the only column that is chosen.
    pub(crate) fn is_weight_only(&self) -> bool {
        let rest = (&self.source, &self.target, self.header);
        self.weight.is_some() && rest == (&None, &None, Header::Recognize)
    }

    /// The name of the first option that is used.
    pub(crate) fn first_used(&self) -> Option<&'static str> {
        let header = match self.header {
            Header::Recognize => None,
            Header::Present => Some("header"),
            Header::Absent => Some("no-header"),
        };
        self.chosen().map(|(option, _)| option).next().or(header)
    }
}
