//! The answers to updates, for people and for programs.

use std::fmt::Write as _;

use kostra_core::EdgeId;
use serde_json::{Value, json};

/// The answer to a line.
pub(super) enum Reply {
    /// What was done, and the edges that entered and left the forest.
    Changed { done: Done, entered: Vec<EdgeId>, left: Vec<EdgeId> },
    /// The bottleneck of two vertices.
    Path { ends: [String; 2], found: Path },
}

pub(super) enum Done {
    Inserted(EdgeId),
    Deleted(EdgeId),
    Reweighted(EdgeId),
    Expired(usize),
    /// The vertex with this name.
    Added(String),
}

pub(super) enum Path {
    Same,
    None,
    /// The worst edge and its weight.
    Through(EdgeId, String),
}

impl Reply {
    /// Writes the answer to the line with this number.
    pub(super) fn write(&self, line: u64, json: bool, answers: &mut String) {
        // Writing to a string does not fail.
        let _ = if json {
            writeln!(answers, "{}", self.json(line))
        } else {
            writeln!(answers, "{self}")
        };
    }

    fn json(&self, line: u64) -> Value {
        match self {
            Self::Changed { done, entered, left } => {
                let (key, value) = match done {
                    Done::Inserted(id) => ("inserted", Value::from(*id)),
                    Done::Deleted(id) => ("deleted", (*id).into()),
                    Done::Reweighted(id) => ("reweighted", (*id).into()),
                    Done::Expired(count) => ("expired", (*count).into()),
                    Done::Added(name) => ("added", name.as_str().into()),
                };
                json!({ "line": line, key: value, "entered": entered, "left": left })
            }
            Self::Path { ends: [s, t], found } => {
                let (connected, edge, weight) = match found {
                    Path::Same => (true, Value::Null, Value::Null),
                    Path::None => (false, Value::Null, Value::Null),
                    Path::Through(id, weight) => (true, (*id).into(), number(weight)),
                };
                json!({
                    "line": line, "s": s, "t": t, "connected": connected, "edge": edge,
                    "bottleneck": weight,
                })
            }
        }
    }
}

impl std::fmt::Display for Reply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Changed { done, entered, left } => {
                match done {
                    Done::Inserted(id) => write!(f, "inserted {id}:")?,
                    Done::Deleted(id) => write!(f, "deleted {id}:")?,
                    Done::Reweighted(id) => write!(f, "reweighted {id}:")?,
                    Done::Expired(count) => write!(f, "expired {count}:")?,
                    Done::Added(name) => return write!(f, "added {name}"),
                }
                entered.iter().try_for_each(|id| write!(f, " +{id}"))?;
                left.iter().try_for_each(|id| write!(f, " -{id}"))?;
                if entered.is_empty() && left.is_empty() {
                    f.write_str(" no change")
                } else {
                    Ok(())
                }
            }
            Self::Path { ends: [s, t], found } => match found {
                Path::Same => write!(f, "{s} to {t}: the same vertex"),
                Path::None => write!(f, "{s} to {t}: no path"),
                Path::Through(id, weight) => write!(f, "{s} to {t}: {weight}, edge {id}"),
            },
        }
    }
}

/// A number of JSON; infinity and NaN, which JSON does not have, as text.
pub(super) fn number(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}
