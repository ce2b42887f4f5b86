//! How a command measures distances.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use kostra_points::Metric;

/// How distances are measured.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Measure {
    By(Metric),
    /// The input contains them.
    Precomputed,
}

impl Measure {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::By(metric) => metric.name(),
            Self::Precomputed => "precomputed",
        }
    }
}

/// Reads the name of a measure.
pub(crate) fn names() -> impl TypedValueParser<Value = Measure> {
    let names = Metric::ALL.map(Metric::name).into_iter().chain([Measure::Precomputed.name()]);
    PossibleValuesParser::new(names)
        .map(|name| Metric::from_name(&name).map_or(Measure::Precomputed, Measure::By))
}
