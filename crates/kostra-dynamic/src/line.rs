//! The language of `kostra watch`: one update per line.

use std::str::FromStr;

use kostra_core::{EdgeId, Weight, WeightType};
use thiserror::Error;

/// The forms of updates.
const FORMS: [&str; 6] = ["+ U V WEIGHT", "- ID", "= ID WEIGHT", "< ID", "? U V", "v NAME"];

/// A line of the language of `kostra watch`. Vertices and weights are as they were typed, because
/// names of vertices and the type of weights depend on the graph.
///
/// Fields are separated by tabs or, in lines without tabs, by blanks.
///
/// ```
/// use kostra_dynamic::UpdateLine;
///
/// let line = UpdateLine::parse("+ Brno Plzen 100")?;
/// assert_eq!(line, UpdateLine::Insert { ends: ["Brno", "Plzen"], weight: "100" });
/// assert_eq!(UpdateLine::parse("# closed since May")?, UpdateLine::Remark);
/// # Ok::<(), kostra_dynamic::LineError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpdateLine<'a> {
    /// `+ U V WEIGHT` inserts an edge.
    Insert {
        /// The vertices.
        ends: [&'a str; 2],
        /// The weight.
        weight: &'a str,
    },
    /// `- ID` deletes an edge.
    Delete(EdgeId),
    /// `= ID WEIGHT` changes the weight of an edge.
    Reweight(EdgeId, &'a str),
    /// `< ID` deletes all edges with lower ids.
    Expire(EdgeId),
    /// `? U V` asks for the worst edge on the path between two vertices.
    Bottleneck([&'a str; 2]),
    /// `v NAME` adds a vertex.
    AddVertex(&'a str),
    /// An empty line, or one that starts with `#`.
    Remark,
}

/// The reason why a line is no update.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LineError {
    /// The first field is the sign of no update.
    #[error("{sign:?} is no update: a line starts with + - = < ? v or #")]
    Sign {
        /// The first field.
        sign: String,
    },
    /// The number of fields is wrong for this update.
    #[error("{line:?} does not have the form `{form}`")]
    Form {
        /// The line.
        line: String,
        /// What the update looks like.
        form: &'static str,
    },
    /// An id is not a number below 2^32.
    #[error("{text:?} is not the id of an edge")]
    Id {
        /// The field.
        text: String,
    },
    /// A weight is not a number of the type of weights.
    #[error("{text:?} is not a weight: the weights of this graph have the type {weights}")]
    Weight {
        /// The field.
        text: String,
        /// The type of weights.
        weights: WeightType,
    },
    /// A whole number is between two numbers of the type of weights.
    #[error("the type {weights} does not hold {text} exactly")]
    Rounded {
        /// The field.
        text: String,
        /// The type of weights.
        weights: WeightType,
    },
}

impl<'a> UpdateLine<'a> {
    /// What a line without its end says. O(bytes).
    ///
    /// # Errors
    /// When the line has no form of the language, or an id is not a number.
    pub fn parse(line: &'a str) -> Result<Self, LineError> {
        let fields: Vec<&str> = if line.contains('\t') {
            line.split('\t').collect()
        } else {
            line.split_whitespace().collect()
        };
        Ok(match *fields.as_slice() {
            [] => Self::Remark,
            [first, ..] if first.starts_with('#') => Self::Remark,
            ["+", u, v, weight] => Self::Insert { ends: [u, v], weight },
            ["-", id] => Self::Delete(edge(id)?),
            ["=", id, weight] => Self::Reweight(edge(id)?, weight),
            ["<", id] => Self::Expire(edge(id)?),
            ["?", u, v] => Self::Bottleneck([u, v]),
            ["v", name] => Self::AddVertex(name),
            [sign, ..] => {
                return Err(
                    match FORMS.into_iter().find(|form| form.split(' ').next() == Some(sign)) {
                        Some(form) => LineError::Form { line: line.to_owned(), form },
                        None => LineError::Sign { sign: sign.to_owned() },
                    },
                );
            }
        })
    }

    /// A weight of a line, which the type `W` must hold exactly if it is a whole number.
    ///
    /// # Errors
    /// When the text is not a number of this type.
    pub fn weight<W: Weight + FromStr>(text: &str) -> Result<W, LineError> {
        let (weights, owned) = (W::TYPE, || text.to_owned());
        let weight: W = text.parse().map_err(|_| LineError::Weight { text: owned(), weights })?;
        let is_float = matches!(weights, WeightType::F32 | WeightType::F64);
        if is_float && text.parse::<i128>().is_ok_and(|exact| exact != weight.to_f64() as i128) {
            return Err(LineError::Rounded { text: owned(), weights });
        }
        Ok(weight)
    }
}

fn edge(text: &str) -> Result<EdgeId, LineError> {
    text.parse().map_err(|_| LineError::Id { text: text.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_an_update_or_an_error_that_names_what_is_wrong() {
        let parse = UpdateLine::parse;
        let ends = ["a b", ""];
        assert_eq!(parse("+\ta b\t\t7"), Ok(UpdateLine::Insert { ends, weight: "7" }));
        assert_eq!(parse(" -  4294967295 "), Ok(UpdateLine::Delete(u32::MAX)));
        assert_eq!(parse("= 3 x"), Ok(UpdateLine::Reweight(3, "x")));
        assert_eq!(parse("< 3"), Ok(UpdateLine::Expire(3)));
        assert_eq!(parse("? s t"), Ok(UpdateLine::Bottleneck(["s", "t"])));
        assert_eq!(parse("v\tNovy Jicin"), Ok(UpdateLine::AddVertex("Novy Jicin")));
        for remark in ["", "  ", "#", "# + 1 2 3"] {
            assert_eq!(parse(remark), Ok(UpdateLine::Remark));
        }
        for (line, words) in [
            ("+ 1 2", "\"+ 1 2\" does not have the form `+ U V WEIGHT`"),
            ("- 1 2", "the form `- ID`"),
            ("- -1", "\"-1\" is not the id of an edge"),
            ("= 4294967296 1", "is not the id of an edge"),
            ("+1 2 3", "\"+1\" is no update"),
            ("\t+ 1 2 3", "\"\" is no update"),
        ] {
            let message = parse(line).unwrap_err().to_string();
            assert!(message.contains(words), "{line}: {message}");
        }
    }

    #[test]
    fn a_weight_is_a_number_that_its_type_holds() {
        assert_eq!(UpdateLine::weight("-0"), Ok(-0.0));
        assert_eq!(UpdateLine::weight("16777216"), Ok(16_777_216_f32));
        assert_eq!(UpdateLine::weight("255"), Ok(255_u64));
        let refused = |text: &str| UpdateLine::weight::<f32>(text).unwrap_err().to_string();
        assert_eq!(refused("16777217"), "the type f32 does not hold 16777217 exactly");
        assert!(refused("1,5").ends_with("the weights of this graph have the type f32"));
        assert!(UpdateLine::weight::<u32>("-1").is_err());
    }
}
