//! The keys of GraphML, which declare the attributes of edges.

use crate::columns::TextNumber;
use crate::{KeptKind, Place};

/// The attribute that is the weight. It has a key for each of its types: NetworkX writes one for
/// integers and one for floats.
pub(super) struct WeightKeys {
    pub(super) name: String,
    /// Whether all keys are for numbers.
    pub(super) numeric: bool,
    pub(super) default: Option<TextNumber>,
}

/// An attribute of edges.
pub(super) struct Key {
    pub(super) name: String,
    pub(super) kind: KeptKind,
    pub(super) is_weight: bool,
}

impl Key {
    /// The value in an element with this text; none if it is empty and no text.
    pub(super) fn value(&self, text: &str) -> Option<String> {
        let trimmed = text.trim_ascii();
        match self.kind {
            KeptKind::Unknown | KeptKind::Text => Some(text.to_owned()),
            _ if trimmed.is_empty() => None,
            // NetworkX writes `True`, and the schema also allows `1`.
            KeptKind::Boolean => Some(match trimmed {
                "1" => "true".to_owned(),
                "0" => "false".to_owned(),
                word => word.to_ascii_lowercase(),
            }),
            KeptKind::Integer | KeptKind::Float => Some(trimmed.to_owned()),
        }
    }
}

/// The kind of values of a type.
pub(super) fn kind_of(name: &str) -> KeptKind {
    match name {
        "int" | "long" => KeptKind::Integer,
        "float" | "double" => KeptKind::Float,
        "boolean" => KeptKind::Boolean,
        "string" => KeptKind::Text,
        _ => KeptKind::Unknown,
    }
}

/// The edge that is open.
pub(super) struct Edge {
    pub(super) ends: [String; 2],
    pub(super) weight: Option<TextNumber>,
    pub(super) place: Place,
}
