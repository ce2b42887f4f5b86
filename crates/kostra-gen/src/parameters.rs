//! The parameters of a spec, checked against the generator's table.
//!
//! A default is the text in the generator's table, parsed like a user's text, so documentation and
//! behavior agree.

use std::ops::RangeInclusive;

use kostra_core::{MAX_EDGES, MAX_VERTICES};

pub(crate) use crate::allocation::check_vertices;
use crate::share::Share;
use crate::weights::WeightKind;
use crate::{GeneratorInfo, ParameterInfo, SpecError, error, number};

/// The parameter with the seed.
pub(crate) const SEED: ParameterInfo = ParameterInfo {
    name: "seed",
    default: "1",
    meaning: "another seed makes another graph of the same kind",
};

/// The parameter that chooses the weights.
pub(crate) const fn weights(default: &'static str) -> ParameterInfo {
    ParameterInfo {
        name: "weights",
        default,
        meaning: "u24, small, equal, index, i32, i64, u64, f32 or f64",
    }
}

/// The parameters of a spec, with the generator's defaults.
pub(crate) struct Parameters<'a> {
    known: &'static [ParameterInfo],
    given: Vec<(&'static str, &'a str)>,
    share: Share<'a>,
}

impl<'a> Parameters<'a> {
    /// Reads `key=value,key=value`; refuses keys that the generator does not have, and keys given
    /// twice.
    pub(crate) fn parse(
        generator: &GeneratorInfo,
        list: &'a str,
        share: Share<'a>,
    ) -> Result<Self, SpecError> {
        let known = generator.parameters;
        let mut given = Vec::new();
        for text in list.split(',').map(str::trim) {
            if text.is_empty() && list.trim().is_empty() {
                continue;
            }
            let (name, value) = text
                .split_once('=')
                .ok_or_else(|| SpecError::MalformedParameter { text: text.to_owned() })?;
            let (name, value) = (name.trim(), value.trim());
            let Some(parameter) = known.iter().find(|parameter| parameter.name == name) else {
                let advice = error::advice(name, known.iter().map(|parameter| parameter.name));
                return Err(SpecError::UnknownParameter {
                    generator: generator.id,
                    name: name.to_owned(),
                    advice,
                });
            };
            if given.iter().any(|&(earlier, _)| earlier == name) {
                return Err(SpecError::DuplicateParameter { name: parameter.name });
            }
            given.push((parameter.name, value));
        }
        Ok(Self { known, given, share })
    }

    /// The part of the graph to generate.
    pub(crate) fn share(&self) -> Share<'a> {
        self.share
    }

    /// The text of a parameter, if the spec has it.
    fn given(&self, name: &str) -> Option<&str> {
        self.given.iter().find(|&&(given, _)| given == name).map(|&(_, value)| value)
    }

    /// The text of a parameter, or its default.
    pub(crate) fn text(&self, name: &str) -> &str {
        let default =
            || self.known.iter().find(|known| known.name == name).map_or("", |known| known.default);
        self.given(name).unwrap_or_else(default)
    }

    /// A whole number in a range.
    pub(crate) fn integer(
        &self,
        name: &'static str,
        range: RangeInclusive<u64>,
    ) -> Result<u64, SpecError> {
        let value = whole(name, self.text(name))?;
        in_range(name, value, range)
    }

    /// As [`integer`](Self::integer), but none if the spec lacks the parameter, for defaults that
    /// depend on other parameters.
    pub(crate) fn integer_if_given(
        &self,
        name: &'static str,
        range: RangeInclusive<u64>,
    ) -> Result<Option<u64>, SpecError> {
        self.given(name).map(|value| in_range(name, whole(name, value)?, range)).transpose()
    }

    /// A number of vertices, at least `least`.
    pub(crate) fn vertices(&self, name: &'static str, least: u64) -> Result<u64, SpecError> {
        let vertices = whole(name, self.text(name))?;
        if vertices > MAX_VERTICES as u64 {
            return Err(SpecError::TooManyVertices { vertices: vertices.into() });
        }
        in_range(name, vertices, least..=MAX_VERTICES as u64)
    }

    /// A number from 0 to 1.
    pub(crate) fn probability(&self, name: &'static str) -> Result<f64, SpecError> {
        probability(name, self.text(name))
    }

    /// As [`probability`](Self::probability), but none if the spec lacks the parameter.
    pub(crate) fn probability_if_given(
        &self,
        name: &'static str,
    ) -> Result<Option<f64>, SpecError> {
        self.given(name).map(|value| probability(name, value)).transpose()
    }

    /// A real number in a range.
    pub(crate) fn real(
        &self,
        name: &'static str,
        range: RangeInclusive<f64>,
    ) -> Result<f64, SpecError> {
        real(name, self.text(name), range)
    }

    /// As [`real`](Self::real), but none if the spec lacks the parameter.
    pub(crate) fn real_if_given(
        &self,
        name: &'static str,
        range: RangeInclusive<f64>,
    ) -> Result<Option<f64>, SpecError> {
        self.given(name).map(|value| real(name, value, range)).transpose()
    }

    /// The seed.
    pub(crate) fn seed(&self) -> Result<u64, SpecError> {
        self.integer("seed", 0..=u64::MAX)
    }

    /// The kind of weights.
    pub(crate) fn weights(&self) -> Result<WeightKind, SpecError> {
        let value = self.text("weights");
        WeightKind::parse(value).ok_or_else(|| unknown_weights(value, WeightKind::names()))
    }

    /// The kind of weights, and the seed.
    pub(crate) fn weights_and_seed(&self) -> Result<(WeightKind, u64), SpecError> {
        Ok((self.weights()?, self.seed()?))
    }

    /// The kind of weights; none for `own`, the kind that only this generator has.
    pub(crate) fn weights_or(&self, own: &'static str) -> Result<Option<WeightKind>, SpecError> {
        let value = self.text("weights");
        match WeightKind::parse(value) {
            None if value != own => {
                Err(unknown_weights(value, [own].into_iter().chain(WeightKind::names())))
            }
            weights => Ok(weights),
        }
    }
}

fn unknown_weights(value: &str, known: impl Iterator<Item = &'static str>) -> SpecError {
    SpecError::UnknownChoice {
        name: "weights",
        value: value.to_owned(),
        choices: error::listed(known),
    }
}

/// Refuses a graph whose expected number of edges is above the number of ids.
pub(crate) fn check_expected_edges(expected: f64) -> Result<(), SpecError> {
    if expected > MAX_EDGES as f64 {
        return Err(SpecError::TooManyEdges { edges: expected as u128 });
    }
    Ok(())
}

fn probability(name: &'static str, value: &str) -> Result<f64, SpecError> {
    match value.parse() {
        Ok(probability) if (0.0..=1.0).contains(&probability) => Ok(probability),
        _ => Err(SpecError::NotAProbability { name, value: value.to_owned() }),
    }
}

fn real(name: &'static str, value: &str, range: RangeInclusive<f64>) -> Result<f64, SpecError> {
    match value.parse() {
        Ok(number) if range.contains(&number) => Ok(number),
        _ => Err(SpecError::RealOutOfRange {
            name,
            value: value.to_owned(),
            least: *range.start(),
            most: *range.end(),
        }),
    }
}

fn whole(name: &'static str, value: &str) -> Result<u64, SpecError> {
    number::parse(value).ok_or_else(|| SpecError::NotAWholeNumber { name, value: value.to_owned() })
}

fn in_range(name: &'static str, value: u64, range: RangeInclusive<u64>) -> Result<u64, SpecError> {
    if range.contains(&value) {
        Ok(value)
    } else {
        Err(SpecError::OutOfRange { name, value, least: *range.start(), most: *range.end() })
    }
}
