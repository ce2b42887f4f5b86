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

/// What values that may be weights or say "no edge" are: zeros off the diagonal of a matrix, or
/// negative values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// They are weights of edges.
    Edge,
    /// There is no edge.
    None,
}

impl FromStr for Meaning {
    type Err = String;

    /// Parses one of the words `edge` and `none`.
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "edge" => Ok(Self::Edge),
            "none" => Ok(Self::None),
            _ => Err("there is no such value; pass edge or none".into()),
        }
    }
}

/// How the edges of a JSON graph name their nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// By the ids of nodes.
    Id,
    /// By positions in the list of nodes, counted from 0.
    Position,
}

impl FromStr for Links {
    type Err = String;

    /// Parses one of the words `id` and `position`.
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "id" => Ok(Self::Id),
            "position" => Ok(Self::Position),
            _ => Err("there is no such value; pass id or position".into()),
        }
    }
}

/// What an array of NumPy or of rows in JSON contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrayContent {
    /// The weight between each two vertices.
    Matrix,
    /// Two vertices and perhaps a weight in each row.
    Edges,
}

/// What to do about weights that are missing or NaN.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WeightRules {
    /// The weights of a graph that has none; a graph with weights is refused.
    pub(crate) missing: Option<MissingWeights>,
    pub(crate) nan: Nan,
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

impl ColumnChoice {
    /// Whether the choice in [`ColumnOptions::keep`] stands for all columns.
    pub(crate) fn is_all(&self) -> bool {
        matches!(self, Self::NameOrPosition(text) if text == ALL)
    }
}

/// The text for all columns.
pub(crate) const ALL: &str = "all";

/// The attribute of edges with the weights, unless the user names another one.
pub(crate) const WEIGHT: &str = "weight";

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
    /// Columns that are kept with the edges. The text `all` as
    /// [`NameOrPosition`](ColumnChoice::NameOrPosition) stands for all columns but the ends and the
    /// weight.
    pub keep: Vec<ColumnChoice>,
    /// The names of all columns in order. They replace the names in a header.
    pub names: Option<Vec<String>>,
    /// Whether the first line is a header.
    pub header: Header,
    /// What separates two columns; by default it is recognized.
    pub delimiter: Option<Delimiter>,
    /// Whether weights have a decimal comma.
    pub decimal_comma: bool,
    /// Whether signs separate the thousands of weights: points if the decimal point is a comma, or
    /// else commas, or blanks, apostrophes or underscores.
    pub thousands: bool,
}

/// Which roads of an OpenStreetMap file are read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RoadOptions {
    /// The values of the tag `highway`, such as `motorway`; without any, all roads are read.
    pub highway: Vec<String>,
    /// Only nodes in this box are vertices.
    pub bbox: Option<BoundingBox>,
}

impl RoadOptions {
    /// The name of the first option that is used.
    pub(crate) fn first_used(&self) -> Option<&'static str> {
        let bbox = self.bbox.map(|_| "bbox");
        if self.highway.is_empty() { bbox } else { Some("highway") }
    }
}

/// A part of the earth between two meridians and two circles of latitude.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundingBox {
    west: f64,
    south: f64,
    east: f64,
    north: f64,
}

impl BoundingBox {
    /// Whether a point `[longitude, latitude]` in degrees is in the box or on its border.
    pub fn contains(self, [x, y]: [f64; 2]) -> bool {
        let Self { west, south, east, north } = self;
        // A box from 170 to -170 degrees crosses the meridian of the date line.
        let between = if west <= east { west <= x && x <= east } else { west <= x || x <= east };
        between && south <= y && y <= north
    }
}

impl FromStr for BoundingBox {
    type Err = String;

    /// Parses four numbers in degrees: west, south, east, north.
    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Result<Vec<f64>, _> =
            text.split(',').map(|word| word.trim().parse()).collect();
        let Ok(&[west, south, east, north]) = numbers.as_deref() else {
            return Err("pass four numbers in degrees: west,south,east,north".into());
        };
        let are_longitudes = [west, east].iter().all(|x| (-180.0..=180.0).contains(x));
        let are_latitudes = [south, north].iter().all(|y| (-90.0..=90.0).contains(y));
        if !are_longitudes || !are_latitudes {
            return Err("longitudes are from -180 to 180 and latitudes from -90 to 90; pass \
                        west,south,east,north"
                .into());
        }
        if south > north {
            return Err("the south is above the north; pass west,south,east,north".into());
        }
        Ok(Self { west, south, east, north })
    }
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

    /// Whether all columns are kept.
    pub(crate) fn keeps_all(&self) -> bool {
        self.keep.iter().any(ColumnChoice::is_all)
    }

    /// All columns that are chosen, with the names of their options.
    pub(crate) fn all_chosen(&self) -> impl Iterator<Item = (&'static str, &ColumnChoice)> {
        self.chosen().chain(self.keep.iter().map(|choice| ("keep", choice)))
    }

    /// The name of the first option that is used besides those of kept columns.
    pub(crate) fn first_besides_kept(&self) -> Option<&'static str> {
        Self { id: None, keep: Vec::new(), ..self.clone() }.first_used()
    }

    /// The name of the first option that is used besides those of attributes: the weight, and kept
    /// columns.
    pub(crate) fn first_besides_attributes(&self) -> Option<&'static str> {
        Self { weight: None, ..self.clone() }.first_besides_kept()
    }

    /// The name of the first option that is used besides those of the ends and the weight.
    pub(crate) fn first_besides_ends(&self) -> Option<&'static str> {
        Self { source: None, target: None, weight: None, ..self.clone() }.first_used()
    }

    /// The name of the first option that is used besides those that say how fields are written.
    pub(crate) fn first_besides_fields(&self) -> Option<&'static str> {
        let (header, delimiter, decimal_comma) = (Header::Recognize, None, false);
        Self { header, delimiter, decimal_comma, ..self.clone() }.first_used()
    }

    /// The name of the first option that is used.
    pub(crate) fn first_used(&self) -> Option<&'static str> {
        let mut chosen = self.all_chosen().map(|(option, _)| option);
        chosen.next().or_else(|| self.first_of_text())
    }

    /// The name of the first option that is used and applies to columns of a text only.
    pub(crate) fn first_of_text(&self) -> Option<&'static str> {
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
            self.thousands.then_some("thousands"),
        ];
        others.into_iter().flatten().next()
    }
}
