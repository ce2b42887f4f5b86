//! Weights of any type, compared by value.

use std::fmt::Display;

use kostra_core::{AnyGraph, Graph, Weight, WeightType};

/// A weight of any type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Integer(i128),
    Single(f32),
    Double(f64),
}

impl Number {
    /// The weight of `edge`, which is below the number of edges.
    pub(super) fn edge_weight(graph: &AnyGraph, edge: usize) -> Self {
        fn weight<W: Weight>(graph: &Graph<W>, edge: usize) -> W {
            graph.edge_list().weights()[edge]
        }
        match graph {
            AnyGraph::I32(graph) => Self::Integer(weight(graph, edge).into()),
            AnyGraph::U32(graph) => Self::Integer(weight(graph, edge).into()),
            AnyGraph::I64(graph) => Self::Integer(weight(graph, edge).into()),
            AnyGraph::U64(graph) => Self::Integer(weight(graph, edge).into()),
            AnyGraph::F32(graph) => Self::Single(weight(graph, edge)),
            AnyGraph::F64(graph) => Self::Double(weight(graph, edge)),
        }
    }

    /// Parses a weight of this type; none if the text is not a number.
    pub(super) fn parse(text: &str, weight_type: WeightType) -> Option<Self> {
        match weight_type {
            WeightType::F32 => text.parse().ok().map(Self::Single),
            WeightType::F64 => text.parse().ok().map(Self::Double),
            _ => {
                let integer = text.parse().ok().map(Self::Integer);
                integer.or_else(|| text.parse().ok().map(Self::Double))
            }
        }
    }

    /// The value as a weight of this type, mapped to an integer that only equal weights share; none
    /// if the type cannot hold the value. Floats are rounded as a reader rounds them.
    pub(super) fn key(self, weight_type: WeightType) -> Option<i128> {
        match weight_type {
            WeightType::F32 => Some((self.single() + 0.0).to_bits().into()), // -0.0 becomes 0.0
            WeightType::F64 => Some((self.double() + 0.0).to_bits().into()),
            _ => match self {
                Self::Integer(integer) => Some(integer),
                Self::Single(_) | Self::Double(_) => {
                    let integer = self.double() as i128;
                    (integer as f64 == self.double()).then_some(integer)
                }
            },
        }
    }

    fn single(self) -> f32 {
        match self {
            Self::Integer(integer) => integer as f32,
            Self::Single(float) => float,
            Self::Double(float) => float as f32,
        }
    }

    fn double(self) -> f64 {
        match self {
            Self::Integer(integer) => integer as f64,
            Self::Single(float) => float.into(),
            Self::Double(float) => float,
        }
    }
}

impl Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Integer(integer) => integer.fmt(f),
            Self::Single(float) => float.fmt(f),
            Self::Double(float) => float.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_are_equal_whatever_they_are_written_as() {
        let equal = |a: &str, b: &str, of| {
            let key = |text| Number::parse(text, of).and_then(|number| number.key(of));
            key(a).is_some() && key(a) == key(b)
        };
        for (a, b) in [("2", "2.0"), ("-3", "-3e0"), ("0", "-0.0")] {
            for of in [WeightType::I32, WeightType::U64, WeightType::F32, WeightType::F64] {
                assert!(equal(a, b, of), "{a} {b} {of}");
            }
        }
        assert!(!equal("2", "2.5", WeightType::I32));
        assert!(equal("9223372036854775807", "9223372036854775807", WeightType::I64));
        assert!(!equal("9223372036854775807", "9223372036854775806", WeightType::I64));
        assert!(
            !equal("9223372036854775807", "9.223372036854775807e18", WeightType::I64),
            "a rounded number"
        );
        assert!(equal("0.1", "0.10000000001", WeightType::F32));
        assert!(!equal("0.1", "0.10000000001", WeightType::F64));
        assert!(equal("inf", "inf", WeightType::F64));
        for of in [WeightType::I32, WeightType::F32, WeightType::F64] {
            for text in ["banana", "", "1 2", "0x10", "1_000", "1,5"] {
                assert_eq!(Number::parse(text, of), None, "{text} {of}");
            }
        }
    }
}
