//! Sentences about an input, which contain options as data: each interface spells them in its own
//! way.

use std::fmt::{self, Display};

/// What a message recommends: an option of the reader or of a solve, or another function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// An option to pass, to change or to omit.
    Option {
        /// Its name, as the command's flag has it without dashes: `weight`.
        option: &'static str,
        /// The value to pass.
        value: RemedyValue,
    },
    /// The function that finds the spanning tree of points.
    PointTree,
}

/// The value of an option in a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemedyValue {
    /// None: the message names the option.
    Unsaid,
    /// A switch is turned on.
    On,
    /// A text, such as the name of a column.
    Text(String),
    /// The position of a column, counted from 1.
    Position(usize),
    /// A size of memory.
    Bytes(u64),
}

impl Remedy {
    /// The options for the columns of the ends, which say that each line is an edge.
    pub(crate) fn ends() -> Message {
        Self::if_edges([Self::option("source"), Self::option("target")])
    }

    /// The same with columns to pass, which count from 0.
    pub(crate) fn ends_at([u, v]: [usize; 2]) -> Message {
        Self::if_edges([Self::position("source", u + 1), Self::position("target", v + 1)])
    }

    fn if_edges([source, target]: [Self; 2]) -> Message {
        message![source, " and ", target, " if each line is an edge"]
    }

    /// An option by its name, such as one to omit.
    pub fn option(option: &'static str) -> Self {
        Self::Option { option, value: RemedyValue::Unsaid }
    }

    /// An option that is turned on.
    pub(crate) fn on(option: &'static str) -> Self {
        Self::Option { option, value: RemedyValue::On }
    }

    /// An option with a text.
    pub(crate) fn text(option: &'static str, value: impl Into<String>) -> Self {
        Self::Option { option, value: RemedyValue::Text(value.into()) }
    }

    /// An option with the position of a column.
    pub(crate) fn position(option: &'static str, position: usize) -> Self {
        Self::Option { option, value: RemedyValue::Position(position) }
    }

    /// The option that skips edges whose weight is NaN.
    pub(crate) fn skip_nan() -> Self {
        Self::text("nan", "skip")
    }
}

impl Display for Remedy {
    /// Writes the remedy as Rust code: a method of the `Reader` or of the `ExternalSolve` of the
    /// crate `kostra`, or a field of [`ReadOptions`](crate::ReadOptions) or
    /// [`ColumnOptions`](crate::ColumnOptions).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Option { option, value } = self else {
            return f.write_str("the command `kostra tree`");
        };
        match (*option, value) {
            ("header", RemedyValue::On) => f.write_str("`header: Header::Present`"),
            ("no-header", RemedyValue::On) => f.write_str("`header: Header::Absent`"),
            ("names", RemedyValue::On) => f.write_str("`names(true)`"),
            ("weights", RemedyValue::Unsaid) => f.write_str("`missing_weights`"),
            ("weights", RemedyValue::Text(kind)) => {
                let (first, rest) = kind.split_at_checked(1).unwrap_or_default();
                let first = first.to_ascii_uppercase();
                write!(f, "`missing_weights(MissingWeights::{first}{rest})`")
            }
            ("nan", RemedyValue::Text(_)) => f.write_str("`nan(Nan::Skip)`"),
            ("format", RemedyValue::Text(id)) => write!(f, "`format({id:?}.parse()?)`"),
            ("delimiter", RemedyValue::Text(text)) => {
                write!(f, "`delimiter: Some({text:?}.parse()?)`")
            }
            ("array", RemedyValue::Text(content)) => {
                let content = if content == "matrix" { "Matrix" } else { "Edges" };
                write!(f, "`array: Some(ArrayContent::{content})`")
            }
            ("zeros" | "negatives", RemedyValue::Text(meaning)) => {
                let meaning = if meaning == "edge" { "Edge" } else { "None" };
                write!(f, "`{option}: Some(Meaning::{meaning})`")
            }
            ("links", RemedyValue::Text(links)) => {
                let links = if links == "id" { "Id" } else { "Position" };
                write!(f, "`links: Some(Links::{links})`")
            }
            ("resume", _) => f.write_str("`resume(true)`"),
            ("output", RemedyValue::Unsaid) => f.write_str("`Checkpoints::at`"),
            ("weight", RemedyValue::Text(name)) => write!(f, "`weight({name:?})`"),
            (option, value) => {
                let option = option.strip_prefix("no-").unwrap_or(option).replace('-', "_");
                match value {
                    RemedyValue::Unsaid => write!(f, "`{option}`"),
                    RemedyValue::On => write!(f, "`{option}: true`"),
                    RemedyValue::Text(text) => write!(f, "`{option}: {text:?}`"),
                    RemedyValue::Position(at) => {
                        write!(f, "`{option}: ColumnChoice::Position({at})`")
                    }
                    RemedyValue::Bytes(bytes) => write!(f, "a limit of {} MiB", bytes >> 20),
                }
            }
        }
    }
}

/// A sentence. [`Display`] spells its remedies as Rust code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message(Vec<Piece>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Remedy(Remedy),
}

/// Joins texts, remedies and messages into a [`Message`].
macro_rules! message {
    ($($piece:expr),+ $(,)?) => {{
        let mut message = $crate::Message::default();
        $(message.push($piece);)+
        message
    }};
}
pub(crate) use message;

impl Message {
    /// The sentence, with remedies as `spell` writes them.
    pub fn spelled(&self, spell: impl Fn(&Remedy) -> String) -> String {
        let pieces = self.0.iter().map(|piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Remedy(remedy) => spell(remedy),
        });
        pieces.collect()
    }

    /// Adds a text, a remedy or a message to the end.
    pub(crate) fn push(&mut self, end: impl Into<Self>) {
        self.0.append(&mut end.into().0);
    }
}

impl Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|piece| match piece {
            Piece::Text(text) => text.fmt(f),
            Piece::Remedy(remedy) => remedy.fmt(f),
        })
    }
}

impl From<String> for Message {
    fn from(text: String) -> Self {
        Self(vec![Piece::Text(text)])
    }
}

impl From<&str> for Message {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<Remedy> for Message {
    fn from(remedy: Remedy) -> Self {
        Self(vec![Piece::Remedy(remedy)])
    }
}

impl PartialEq<&str> for Message {
    fn eq(&self, text: &&str) -> bool {
        self.spelled(Remedy::to_string) == *text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remedies_are_code_that_can_be_pasted() {
        for (remedy, code) in [
            (Remedy::text("weight", "Length (km)"), "`weight(\"Length (km)\")`"),
            (Remedy::text("weights", "unit"), "`missing_weights(MissingWeights::Unit)`"),
            (Remedy::text("format", "edges"), "`format(\"edges\".parse()?)`"),
            (Remedy::text("source", "x"), "`source: \"x\"`"),
            (Remedy::position("keep", 3), "`keep: ColumnChoice::Position(3)`"),
            (Remedy::on("decimal-comma"), "`decimal_comma: true`"),
            (Remedy::on("no-header"), "`header: Header::Absent`"),
            (Remedy::option("no-header"), "`header`"),
        ] {
            assert_eq!(remedy.to_string(), code);
        }
    }

    #[test]
    fn a_message_is_spelled_by_its_reader() {
        let message = message!["pass ", Remedy::skip_nan(), format!(" or fix row {}", 3)];
        assert_eq!(message, "pass `nan(Nan::Skip)` or fix row 3");
        let spell = |remedy: &Remedy| match remedy {
            Remedy::Option { option, value } => format!("{option} {value:?}"),
            Remedy::PointTree => String::new(),
        };
        assert_eq!(message.spelled(spell), "pass nan Text(\"skip\") or fix row 3");
    }
}
