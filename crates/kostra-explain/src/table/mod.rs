//! The reader's own table: points with coordinates, or edges.
//!
//! A table that could be meant in two ways is not guessed: [`read`] returns a [`Question`], and the
//! page asks again with the reader's choice. Faults are sentences with the line.

mod cells;
mod edges;
mod meaning;

use crate::layout::layout;
use crate::points::gabriel;
use crate::scene::{self, Scene};
use cells::Cells;
use meaning::Meaning;

/// The answers that the reader has given, as pairs of a key and a value.
#[derive(Debug, Default)]
pub struct Choices(Vec<(String, String)>);

impl Choices {
    /// The choices in lines `key=value`.
    pub fn parse(text: &str) -> Self {
        let pairs = text.lines().filter_map(|line| line.split_once('='));
        Self(pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).collect())
    }

    fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }
}

/// What the reader must decide.
#[derive(Debug, PartialEq)]
pub struct Question {
    /// The name of the choice.
    pub key: &'static str,
    /// The question.
    pub sentence: String,
    /// The values that answer it, each with a label.
    pub answers: Vec<(String, String)>,
}

impl Question {
    fn new<const N: usize>(
        key: &'static str,
        sentence: impl Into<String>,
        answers: [(&str, &str); N],
    ) -> Self {
        let answers = answers.map(|(value, label)| (value.to_owned(), label.to_owned()));
        Self { key, sentence: sentence.into(), answers: answers.into() }
    }
}

/// The result of reading a table.
pub enum Reading {
    /// The table has one meaning.
    Scene(Box<Scene>),
    /// The table could be meant in two ways.
    Question(Question),
}

/// Why a table is not read.
enum Stop {
    Ask(Question),
    Fault(String),
}

impl From<String> for Stop {
    fn from(sentence: String) -> Self {
        Self::Fault(sentence)
    }
}

impl From<Question> for Stop {
    fn from(question: Question) -> Self {
        Self::Ask(question)
    }
}

/// Reads a table with the choices that the reader has made so far.
///
/// # Errors
/// A sentence that names the fault and its line.
pub fn read(text: &str, choices: &Choices) -> Result<Reading, String> {
    match scene(text, choices) {
        Ok(scene) => Ok(Reading::Scene(Box::new(scene))),
        Err(Stop::Ask(question)) => Ok(Reading::Question(question)),
        Err(Stop::Fault(sentence)) => Err(sentence),
    }
}

fn scene(text: &str, choices: &Choices) -> Result<Scene, Stop> {
    let cells = Cells::split(text, choices)?;
    match meaning::find(&cells, choices)? {
        Meaning::Points { x, y, name } => Ok(points(&cells, [x, y], name)?),
        Meaning::Edges { source, target } => {
            let list = edges::read(&cells, [source, target], choices)?;
            scene::check_size(list.names.len(), list.ends.len())?;
            let places = layout(list.names.len(), &list.ends);
            Ok(Scene::new(places, list.names, list.ends, list.weights)?)
        }
    }
}

fn points(cells: &Cells, axes: [usize; 2], name: Option<usize>) -> Result<Scene, String> {
    scene::check_size(cells.rows.len(), 0)?;
    let mut places = Vec::new();
    for row in &cells.rows {
        let [x, y] = axes.map(|axis| row.number(axis, "coordinate"));
        // Screens count downward, and coordinates upward.
        places.push([x?, -y?]);
    }
    let names = cells.rows.iter().enumerate().map(|(index, row)| match name {
        Some(column) => row.cells[column].clone(),
        None => index.to_string(),
    });
    let ends = gabriel(&places);
    let weights = ends.iter().map(|&(a, b)| {
        let [a, b] = [places[a as usize], places[b as usize]];
        (a[0] - b[0]).hypot(a[1] - b[1])
    });
    let weights = weights.collect();
    Scene::new(places, names.collect(), ends, weights)
}

#[cfg(test)]
mod tests;
