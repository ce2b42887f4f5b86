//! The members of a node or an edge, under the names that the dialects of JSON give them.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::EDGE_ID;
use crate::attributed_graph::WeightAttribute;
use crate::kept::KeptAttributes;
use crate::number::show;
use crate::{KeptKind, ReadErrorKind};

/// The names of the two ends of an edge: of NetworkX, D3, Cytoscape.js, graphology and JGF, then of
/// vis.js, and those of tables.
pub(super) const ENDS: [[&str; 2]; 5] =
    [["source", "target"], ["from", "to"], ["src", "dst"], ["start", "end"], ["u", "v"]];

/// The members whose members are those of the node or the edge: of Cytoscape.js, graphology and
/// JGF.
const CONTAINERS: [&str; 3] = ["data", "attributes", "metadata"];

/// A string, which is borrowed if it contains no escapes.
#[derive(Deserialize)]
pub(super) struct Text<'t>(#[serde(borrow)] pub(super) Cow<'t, str>);

/// The text and the kind of a value in JSON; none for null.
pub(super) fn typed_value(json: &str) -> Option<(Cow<'_, str>, KeptKind)> {
    match json.as_bytes().first() {
        Some(b'n') => None,
        Some(b't' | b'f') => Some((json.into(), KeptKind::Boolean)),
        Some(b'-' | b'0'..=b'9') => {
            let is_float = json.contains(['.', 'e', 'E']);
            Some((json.into(), if is_float { KeptKind::Float } else { KeptKind::Integer }))
        }
        _ => {
            let text = serde_json::from_str::<Text<'_>>(json).map_or(json.into(), |text| text.0);
            Some((text, KeptKind::Text))
        }
    }
}

/// Whether a value in JSON is an integer.
pub(super) fn is_integer(json: &str) -> bool {
    json.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit())
}

/// The id in a member of an object, as text.
pub(super) fn id<'t>(
    member: Option<&'t str>,
    name: &str,
    object: &str,
) -> Result<Cow<'t, str>, ReadErrorKind> {
    let malformed = |sentence| Err(ReadErrorKind::malformed(sentence));
    let Some(text) = member else {
        return malformed(format!("this {object} has no member '{name}'; add it"));
    };
    if is_integer(text) {
        return Ok(text.into());
    }
    serde_json::from_str::<Text<'_>>(text).map(|text| text.0).or_else(|_| {
        let text = show(text.as_bytes());
        malformed(format!("'{name}' is {text}; write a text or an integer"))
    })
}

/// The members of a node or an edge that matter, as JSON.
#[derive(Default)]
pub(super) struct Members<'t> {
    id: Option<&'t str>,
    key: Option<&'t str>,
    name: Option<&'t str>,
    label: Option<&'t str>,
    pub(super) ends: [Option<&'t str>; 2],
    pub(super) weight: Option<&'t str>,
    /// The name of the weight.
    spelling: Option<Cow<'t, str>>,
}

impl<'t> Members<'t> {
    /// The id of a node. In graphology, it is the key.
    pub(super) fn id(&self) -> Option<&'t str> {
        self.id.or(self.key)
    }

    /// The name of a node without an id.
    pub(super) fn name(&self) -> Option<String> {
        let (text, kind) = typed_value(self.name.or(self.label)?)?;
        (kind == KeptKind::Text).then(|| text.into_owned())
    }
}

/// All members of an object.
struct Entries<'t>(Vec<(Cow<'t, str>, &'t RawValue)>);

impl<'de: 't, 't> Deserialize<'de> for Entries<'t> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;
        impl<'t> Visitor<'t> for All {
            type Value = Entries<'t>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some((Text(name), value)) = map.next_entry()? {
                    entries.push((name, value));
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(All)
    }
}

/// The names of the ends in an object, if it is an edge.
pub(super) fn ends_of(json: &str) -> Option<[&'static str; 2]> {
    let Entries(mut entries) = serde_json::from_str(json).ok()?;
    let inside = entries.iter().filter(|(name, _)| CONTAINERS.contains(&&**name));
    let inside = inside.filter_map(|(_, value)| serde_json::from_str(value.get()).ok());
    let inside: Vec<Entries<'_>> = inside.collect();
    entries.extend(inside.into_iter().flat_map(|Entries(entries)| entries));
    let has = |name: &str| entries.iter().any(|(other, _)| other == name);
    ENDS.into_iter().find(|[source, target]| has(source) && has(target))
}

/// Reads the object of a node, or that of an edge, which has a weight.
pub(super) struct Object<'o, 'a> {
    /// The names of the ends.
    pub(super) ends: [&'static str; 2],
    /// The weight and the attributes of an edge.
    pub(super) edge: Option<(&'o mut WeightAttribute<'a>, &'o mut KeptAttributes)>,
}

impl<'t> DeserializeSeed<'t> for Object<'_, '_> {
    type Value = Members<'t>;

    fn deserialize<D: Deserializer<'t>>(self, deserializer: D) -> Result<Members<'t>, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'t> Visitor<'t> for Object<'_, '_> {
    type Value = Members<'t>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'t>>(mut self, mut map: A) -> Result<Members<'t>, A::Error> {
        let mut members = Members::default();
        if let Some((_, kept)) = &mut self.edge {
            kept.begin();
        }
        while let Some((Text(name), value)) = map.next_entry::<_, &RawValue>()? {
            let value = value.get();
            if !(CONTAINERS.contains(&&*name) && value.starts_with('{')) {
                self.take(&mut members, name, value).map_err(A::Error::custom)?;
                continue;
            }
            let Entries(entries) = serde_json::from_str(value).map_err(A::Error::custom)?;
            for (name, value) in entries {
                self.take(&mut members, name, value.get()).map_err(A::Error::custom)?;
            }
        }
        Ok(members)
    }
}

impl Object<'_, '_> {
    /// Takes a member. The error is the fault that a name occurs twice.
    fn take<'t>(
        &mut self,
        members: &mut Members<'t>,
        name: Cow<'t, str>,
        value: &'t str,
    ) -> Result<(), String> {
        let end = self.ends.iter().position(|end| *end == name);
        if let (Some((_, kept)), None) = (&mut self.edge, end) {
            let typed = typed_value(value);
            let typed = typed.as_ref().map(|(text, kind)| (&**text, *kind));
            kept.set_once(&name, typed).map_err(|fault| fault.to_string())?;
        }
        let place = match (end, &*name) {
            (Some(end), _) => members.ends.get_mut(end),
            (None, "id") => Some(&mut members.id),
            (None, "key") => Some(&mut members.key),
            (None, "name") if self.edge.is_none() => Some(&mut members.name),
            (None, "label") if self.edge.is_none() => Some(&mut members.label),
            _ => None,
        };
        let before = match (place, &mut self.edge) {
            (Some(place), _) => place.replace(value).is_some(),
            (None, Some((weight, _))) if name != EDGE_ID => {
                if weight.is(&name) {
                    members.weight = Some(value);
                    // Another spelling of it is a question, which comes at the end.
                    members.spelling.replace(name.clone()).is_some_and(|before| before == name)
                } else {
                    if value.starts_with('{') && value.contains("\"weight\"") {
                        weight.see_nested(&name);
                    } else if let Some((text, _)) = typed_value(value) {
                        weight.see(&name, &text);
                    }
                    false
                }
            }
            _ => false,
        };
        if before {
            return Err(format!("'{}' occurs twice; remove one", show(name.as_bytes())));
        }
        Ok(())
    }
}
