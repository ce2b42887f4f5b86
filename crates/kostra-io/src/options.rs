//! What a caller can choose when a graph is read.

use std::str::FromStr;

/// The weights of the edges of a graph without weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingWeights {
    /// 1 for each edge (`i32`).
    Unit,
    /// A hash of the two ends, in either order, from 1 to `2^24 - 1` (`u32`). It is the same on
    /// every machine.
    Hash,
    /// The distance between the ends (`f64`, in meters if the coordinates are geographic). This is
    /// an error without coordinates.
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
    /// The ids of edges. They are kept with the edges, and are no weights.
    pub id: Option<ColumnChoice>,
    /// Columns that are kept with the edges.
    pub keep: Vec<ColumnChoice>,
    /// The names of all columns in order. They replace the names in a header.
    pub names: Option<Vec<String>>,
    /// Whether the first line is a header.
    pub header: Header,
    /// What separates two columns; by default it is recognized.
    pub delimiter: Option<Delimiter>,
    /// Whether weights have a decimal comma.
    pub decimal_comma: bool,
}

/// What separates two columns of an edge list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delimiter {
    /// Any number of spaces and tabs.
    Blanks,
    /// One byte. Two of them in a row enclose an empty field.
    Byte(u8),
}

impl FromStr for Delimiter {
    type Err = String;

    /// Parses a character, or one of the words `tab` and `blanks`.
    fn from_str(text: &str) -> Result<Self, String> {
        match text.as_bytes() {
            b"tab" | b"\t" | b"\\t" => Ok(Self::Byte(b'\t')),
            b"blanks" | b" " => Ok(Self::Blanks),
            &[byte] if byte.is_ascii_punctuation() && !b"\"'.-+#%_".contains(&byte) => {
                Ok(Self::Byte(byte))
            }
            _ => Err("pass a character such as ';' or '|', or one of the words tab and blanks; \
                      letters, digits, quotes and . - + # % _ are parts of fields"
                .into()),
        }
    }
}

impl ColumnOptions {
    /// The names of the options that choose columns with one meaning.
    pub(crate) const OPTIONS: [&str; 4] = ["source", "target", "weight", "id"];

    /// The columns that are chosen for one meaning, with the names of their options.
    pub(crate) fn chosen(&self) -> impl Iterator<Item = (&'static str, &ColumnChoice)> {
        let all = [&self.source, &self.target, &self.weight, &self.id];
        let all = Self::OPTIONS.into_iter().zip(all);
        all.filter_map(|(option, choice)| Some((option, choice.as_ref()?)))
    }

    /// All columns that are chosen, with the names of their options.
    pub(crate) fn all_chosen(&self) -> impl Iterator<Item = (&'static str, &ColumnChoice)> {
        self.chosen().chain(self.keep.iter().map(|choice| ("keep", choice)))
    }

    /// Whether the weight is the only column that is chosen.
    pub(crate) fn is_weight_only(&self) -> bool {
        self.weight.is_some() && Self { weight: None, ..self.clone() } == Self::default()
    }

    /// The name of the first option that is used.
    pub(crate) fn first_used(&self) -> Option<&'static str> {
        let header = match self.header {
            Header::Recognize => None,
            Header::Present => Some("header"),
            Header::Absent => Some("no-header"),
        };
        let others = [
            header,
            self.names.is_some().then_some("columns"),
            self.delimiter.is_some().then_some("delimiter"),
            self.decimal_comma.then_some("decimal-comma"),
        ];
        let mut chosen = self.all_chosen().map(|(option, _)| option);
        chosen.next().or(others.into_iter().flatten().next())
    }
}
