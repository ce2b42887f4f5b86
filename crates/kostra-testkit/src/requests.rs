//! The requests of `testdata/requests/`, which all faces of Kostra answer alike.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A graph and requests for its forest.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requests {
    /// The number of vertices.
    pub vertices: u32,
    /// The edges: both ends and the weight.
    pub edges: Vec<(u32, u32, i32)>,
    #[serde(rename = "request")]
    list: Vec<FaceRequest>,
}

/// A request for a forest, and the answer.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FaceRequest {
    /// The name of the request.
    pub name: String,
    /// The id of a solver.
    pub algorithm: Option<String>,
    /// The device, as the command spells it.
    pub device: Option<String>,
    /// The number of threads.
    #[serde(default)]
    pub threads: usize,
    /// Whether the maximum spanning forest is wanted.
    #[serde(default)]
    pub maximum: bool,
    /// The part of each vertex.
    pub parts: Option<Vec<u32>>,
    /// Options of the solver.
    #[serde(default)]
    pub options: BTreeMap<String, u64>,
    ids: Option<Vec<u32>>,
    solver: Option<String>,
    refused: Option<String>,
    without_device: Option<String>,
}

/// What a face answers.
#[derive(Debug)]
pub struct FaceAnswer {
    /// The ids of the edges of the forest.
    pub ids: Vec<u32>,
    /// The solver that ran.
    pub solver: String,
    /// Whether the processor's solver took over.
    pub fell_back: bool,
}

impl Requests {
    /// Reads the requests.
    ///
    /// # Panics
    /// When the file breaks a rule.
    pub fn load() -> Self {
        let text = include_str!("../../../testdata/requests/solve.toml");
        toml::from_str(text).unwrap_or_else(|error| panic!("requests/solve.toml: {error}"))
    }

    /// Compares the answers of a face with the right ones. `answer` returns the text of an error,
    /// or `None` for a request that the face cannot express.
    ///
    /// # Panics
    /// When an answer is wrong, or the face expresses less than a quarter of the requests.
    pub fn check(&self, answer: impl Fn(&FaceRequest) -> Option<Result<FaceAnswer, String>>) {
        let answered = self.list.iter().filter_map(|request| Some((request, answer(request)?)));
        let count = answered.map(|(request, answer)| request.check(answer)).count();
        assert!(4 * count >= self.list.len(), "{count} requests of {}", self.list.len());
    }
}

impl FaceRequest {
    fn check(&self, answer: Result<FaceAnswer, String>) {
        let name = &self.name;
        match (answer, &self.ids, &self.refused) {
            (Ok(answer), Some(ids), None) => {
                assert_eq!((&answer.ids, answer.fell_back), (ids, false), "{name}");
                assert_eq!(Some(&answer.solver), self.solver.as_ref(), "{name}");
            }
            (Err(error), None, Some(part)) => assert!(error.contains(part), "{name}: {error}"),
            (Err(error), Some(_), None) => {
                let part = self.without_device.as_deref();
                assert!(part.is_some_and(|part| error.contains(part)), "{name}: {error}");
            }
            (answer, ..) => panic!("{name}: {answer:?}"),
        }
    }
}
