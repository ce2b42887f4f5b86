//! Parses the cases of `testdata/*.toml` strictly: anything that is not part of a case is an error.
//!
//! `testdata/README.md` describes the format, and why tests are data.

use std::collections::HashSet;
use std::fmt::{self, Display};
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use kostra_core::{AnyGraph, EdgeId, EdgeList, Order, Total, Vertex, Weight};
use serde::Deserialize;
use toml::Value;

use crate::matrix::ExactAnswer;

/// A graph with its answers.
#[derive(Clone, Debug)]
pub struct SuiteCase {
    /// The file's name without `.toml`, a slash, and the case's name.
    pub name: String,
    /// The graph.
    pub graph: AnyGraph,
    /// The component of each vertex, if the case contains it.
    pub labels: Option<Vec<u32>>,
    minimum: ExactAnswer,
    maximum: ExactAnswer,
}

impl SuiteCase {
    /// The answer that every exact solver must return.
    pub fn answer(&self, order: Order) -> &ExactAnswer {
        match order {
            Order::Minimum => &self.minimum,
            Order::Maximum => &self.maximum,
        }
    }
}

/// An invalid case file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiteError {
    /// The file.
    pub file: PathBuf,
    /// The fault, with the name of the case if there is one.
    pub fault: String,
}

impl Display for SuiteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file.display(), self.fault)
    }
}

impl std::error::Error for SuiteError {}

/// The folder of the project's cases.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata")
}

/// Loads all cases of the project, ordered by file name.
///
/// # Errors
/// If a file cannot be read or does not contain valid cases.
pub fn load() -> Result<Vec<SuiteCase>, SuiteError> {
    load_from(&folder())
}

/// Loads all cases of a folder, ordered by file name, for programs that do not run where they were
/// built.
///
/// # Errors
/// As [`load`].
pub fn load_from(folder: &Path) -> Result<Vec<SuiteCase>, SuiteError> {
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let entries = entries
        .map_err(|error| SuiteError { file: folder.to_owned(), fault: error.to_string() })?;
    let mut files = entries.into_iter().map(|entry| entry.path()).collect::<Vec<_>>();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    files.sort();

    let mut cases = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).map_err(|error| error.to_string());
        let theme = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        match text.and_then(|text| parse(&theme, &text)) {
            Ok(more) => cases.extend(more),
            Err(fault) => return Err(SuiteError { file, fault }),
        }
    }
    Ok(cases)
}

/// Parses the cases of the file `theme`.toml with the content `text`.
///
/// # Errors
/// The fault, with the name of the case.
pub fn parse(theme: &str, text: &str) -> Result<Vec<SuiteCase>, String> {
    let file = toml::from_str::<File>(text).map_err(|error| error.to_string())?;
    let mut names = HashSet::new();
    let mut cases = Vec::new();
    for raw in file.case {
        let name = raw.name.clone();
        if !names.insert(name.clone()) {
            return Err(format!("two cases are named '{name}'"));
        }
        let case = raw.into_case(theme).map_err(|fault| format!("case '{name}': {fault}"))?;
        cases.push(case);
    }
    if cases.is_empty() {
        return Err("the file has no cases".to_owned());
    }
    Ok(cases)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    case: Vec<RawCase>,
}

/// A case as written in the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawCase {
    name: String,
    why: String,
    source: Option<String>,
    weights: String,
    vertices: usize,
    edges: Vec<Vec<Value>>,
    forest: Vec<EdgeId>,
    total: Value,
    maximum: Vec<EdgeId>,
    maximum_total: Value,
    components: u32,
    labels: Option<Vec<u32>>,
}

impl RawCase {
    fn into_case(self, theme: &str) -> Result<SuiteCase, String> {
        if !self
            .name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        {
            return Err("the name must be in lower case, with hyphens between words".to_owned());
        }
        if self.why.is_empty() || self.source.as_ref().is_some_and(String::is_empty) {
            return Err("the reason for the case, or its source, is empty".to_owned());
        }
        let graph = match self.weights.as_str() {
            "i32" => self.graph::<i32>(),
            "u32" => self.graph::<u32>(),
            "i64" => self.graph::<i64>(),
            "u64" => self.graph::<u64>(),
            "f32" => self.graph::<f32>(),
            "f64" => self.graph::<f64>(),
            other => Err(format!(
                "'{other}' is not a weight type; the types are i32, u32, i64, u64, f32, f64"
            )),
        }?;
        self.check_labels(&graph)?;
        let minimum = self.answer(&self.forest, &self.total, &graph)?;
        let maximum = self.answer(&self.maximum, &self.maximum_total, &graph)?;
        Ok(SuiteCase {
            name: format!("{theme}/{}", self.name),
            graph,
            labels: self.labels,
            minimum,
            maximum,
        })
    }

    fn graph<W: Weight + Written>(&self) -> Result<AnyGraph, String>
    where
        AnyGraph: From<EdgeList<W>>,
    {
        let (mut u, mut v, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        for (edge, parts) in self.edges.iter().enumerate() {
            let [from, to, weight] = &parts[..] else {
                return Err(format!("edge {edge} is not [u, v, weight]"));
            };
            u.push(
                vertex(from).ok_or_else(|| {
                    format!("edge {edge} starts at {from}, which is not a vertex")
                })?,
            );
            v.push(
                vertex(to)
                    .ok_or_else(|| format!("edge {edge} ends at {to}, which is not a vertex"))?,
            );
            let weight = W::from_value(weight).ok_or_else(|| {
                format!("edge {edge} has weight {weight}, which is not written as {}", W::TYPE)
            })?;
            weights.push(weight);
        }
        AnyGraph::from_edges(self.vertices, u, v, weights).map_err(|error| error.to_string())
    }

    fn answer(
        &self,
        forest: &[EdgeId],
        total: &Value,
        graph: &AnyGraph,
    ) -> Result<ExactAnswer, String> {
        if !forest.is_sorted_by(|a, b| a < b)
            || forest.iter().any(|&id| id as usize >= self.edges.len())
        {
            return Err(format!("the forest {forest:?} is not a list of ascending edge ids"));
        }
        if self.vertices - forest.len().min(self.vertices) != self.components as usize {
            let (vertices, components) = (self.vertices, self.components);
            return Err(format!(
                "{vertices} vertices, the forest {forest:?} and {components} components do not match"
            ));
        }
        let value = match graph {
            AnyGraph::F32(_) | AnyGraph::F64(_) => f64::from_value(total).map(Total::Float),
            _ => i128::from_value(total).map(Total::Integer),
        };
        let value = value
            .ok_or_else(|| format!("{total} is not a total of {} weights", graph.weight_type()))?;
        Ok(ExactAnswer { forest: forest.to_vec(), total: Some(value), components: self.components })
    }

    fn check_labels(&self, graph: &AnyGraph) -> Result<(), String> {
        match &self.labels {
            Some(labels) if labels.len() != graph.vertices() as usize => {
                Err(format!("{} labels for {} vertices", labels.len(), graph.vertices()))
            }
            _ => Ok(()),
        }
    }
}

fn vertex(value: &Value) -> Option<Vertex> {
    value.as_integer()?.try_into().ok()
}

/// A number as written in a case. TOML has 64-bit signed integers and `f64`. Larger integers, and
/// an `f32` without an exact short decimal form, are written as strings.
trait Written: Sized {
    fn from_value(value: &Value) -> Option<Self>;
}

macro_rules! impl_written_integer {
    ($($type:ty),*) => {
        $(impl Written for $type {
            fn from_value(value: &Value) -> Option<Self> {
                match value {
                    Value::Integer(integer) => (*integer).try_into().ok(),
                    Value::String(text) => Self::from_str(text).ok(),
                    _ => None,
                }
            }
        })*
    };
}
impl_written_integer!(i32, u32, i64, u64, i128);

impl Written for f64 {
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Float(float) => Some(*float),
            Value::String(text) => Self::from_str(text).ok(),
            _ => None,
        }
    }
}

impl Written for f32 {
    /// A TOML float must be exactly an `f32`, so that no weight is silently rounded.
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Float(float) if f64::from(*float as Self) == *float => Some(*float as Self),
            Value::String(text) => Self::from_str(text).ok(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALID: &str = r#"
        [[case]]
        name = "pair"
        why = "the smallest tree"
        weights = "f32"
        vertices = 2
        edges = [[0, 1, 0.5]]
        forest = [0]
        total = 0.5
        maximum = [0]
        maximum-total = 0.5
        components = 1
    "#;

    #[test]
    fn a_valid_case_is_parsed() {
        let cases = parse("theme", VALID).unwrap();
        assert_eq!((cases.len(), cases[0].name.as_str()), (1, "theme/pair"));
        assert_eq!(cases[0].answer(Order::Minimum).total, Some(Total::Float(0.5)));
    }

    #[test]
    fn a_malformed_case_is_refused() {
        for (valid, malformed, message) in [
            ("why =", "reason =", "unknown field `reason`"),
            ("components = 1", "components = 1\ncolor = 3", "unknown field `color`"),
            ("[[case]]", "[[cases]]", "unknown field `cases`"),
            ("components = 1", "", "missing field `components`"),
            ("components = 1", "components = 2", "2 components do not match"),
            ("components = 1", "components = 1\nlabels = [0]", "1 labels for 2 vertices"),
            ("\"pair\"", "\"A pair\"", "lower case"),
            ("\"the smallest tree\"", "\"\"", "is empty"),
            ("\"f32\"", "\"f16\"", "'f16' is not a weight type"),
            ("[[0, 1, 0.5]]", "[[0, 1]]", "edge 0 is not [u, v, weight]"),
            ("[[0, 1, 0.5]]", "[[0, 1, 0.5, 1]]", "edge 0 is not [u, v, weight]"),
            ("[[0, 1, 0.5]]", "[[0, 2, 0.5]]", "edge 0 ends at vertex 2"),
            ("[[0, 1, 0.5]]", "[[-1, 1, 0.5]]", "edge 0 starts at -1"),
            ("[[0, 1, 0.5]]", "[[0, 1, 1]]", "not written as f32"),
            ("[[0, 1, 0.5]]", "[[0, 1, 0.1]]", "not written as f32"),
            ("[[0, 1, 0.5]]", "[[0, 1, nan]]", "not written as f32"),
            ("\nforest = [0]", "\nforest = [1]", "not a list of ascending edge ids"),
            ("\n        forest = [0]", "\nforest = [0, 0]", "not a list of ascending edge ids"),
            ("\n        total = 0.5", "\ntotal = 1", "1 is not a total of f32 weights"),
        ] {
            let text = VALID.replacen(valid.trim_start(), malformed.trim_start(), 1);
            assert_ne!(text, VALID, "{valid} must be replaced");
            let fault = parse("theme", &text).map(|_| ()).unwrap_err();
            assert!(fault.contains(message), "'{malformed}' got: {fault}");
        }
        assert_eq!(parse("theme", &VALID.repeat(2)).unwrap_err(), "two cases are named 'pair'");
    }

    #[test]
    fn numbers_outside_toml_ranges_are_written_as_strings() {
        let text = |text: &str| Value::String(text.to_owned());
        assert_eq!(u64::from_value(&text("18446744073709551615")), Some(u64::MAX));
        assert_eq!(i32::from_value(&Value::Integer(1 << 31)), None);
        assert_eq!(f32::from_value(&text("0.1")), Some(0.1));
        assert_eq!(f64::from_value(&Value::Integer(1)), None);
    }
}
