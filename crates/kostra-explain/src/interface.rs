//! The functions that the page calls.
//!
//! Texts cross the border in two buffers of this module's memory. The page writes a request into
//! the buffer that [`kostra_request`] returns, and reads the answer at [`kostra_answer`]. The other
//! functions return the number of bytes of the answer, which is a JSON object with one of these
//! members:
//!
//! | member | meaning |
//! |---|---|
//! | `scene` | a graph that was read or generated, with the steps of all solvers |
//! | `question` | why the table has two meanings; `key` and `answers` say how to ask again |
//! | `clusters`, `edge`, `steps` | the answer to a question about the scene |
//! | `error` | a sentence |

#![allow(unsafe_code)] // functions without mangled names, for the page

use std::cell::RefCell;

use crate::city;
use crate::json::{key, list, string};
use crate::scene::Scene;
use crate::table::{self, Choices, Reading};

#[derive(Default)]
struct State {
    request: Vec<u8>,
    answer: String,
    scene: Option<Scene>,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

fn respond(work: impl FnOnce(&mut State) -> Result<String, String>) -> usize {
    STATE.with_borrow_mut(|state| {
        state.answer = work(state).unwrap_or_else(|sentence| {
            let mut out = String::from("{");
            key(&mut out, "error");
            string(&mut out, &sentence);
            out + "}"
        });
        state.answer.len()
    })
}

fn show(state: &mut State, scene: Scene) -> Result<String, String> {
    let answer = format!("{{\"scene\":{}}}", scene.describe()?);
    state.scene = Some(scene);
    Ok(answer)
}

fn with_scene(
    state: &State,
    member: &str,
    work: impl FnOnce(&Scene) -> Result<String, String>,
) -> Result<String, String> {
    let scene = state.scene.as_ref().ok_or("there is no graph yet")?;
    Ok(format!("{{\"{member}\":{}}}", work(scene)?))
}

/// A buffer for a request of `len` bytes.
// SAFETY: no other function of the program has this name. The prefix sees to that: `read` would
// replace the system's function. The same holds for the other functions of this module.
#[unsafe(no_mangle)]
pub extern "C" fn kostra_request(len: usize) -> *mut u8 {
    STATE.with_borrow_mut(|state| {
        state.request = vec![0; len];
        state.request.as_mut_ptr()
    })
}

/// The answer of the last call.
// SAFETY: as for `kostra_request`.
#[unsafe(no_mangle)]
pub extern "C" fn kostra_answer() -> *const u8 {
    STATE.with_borrow(|state| state.answer.as_ptr())
}

/// Generates a city. Answers with a `scene`.
// SAFETY: as for `kostra_request`.
#[unsafe(no_mangle)]
pub extern "C" fn kostra_city(vertices: u32, seed: u32) -> usize {
    respond(|state| show(state, city::city(vertices, seed)?))
}

/// Reads a table: the request is `choices` bytes of lines `key=value`, then the table. Answers with
/// a `scene` or a `question`.
// SAFETY: as for `kostra_request`.
#[unsafe(no_mangle)]
pub extern "C" fn kostra_read(choices: usize) -> usize {
    respond(|state| {
        let request = std::mem::take(&mut state.request);
        let (choices, text) =
            request.split_at_checked(choices).ok_or("the request is too short")?;
        let not_text = "the file is not text in UTF-8; save it as CSV";
        let choices = Choices::parse(str::from_utf8(choices).map_err(|_| not_text)?);
        match table::read(str::from_utf8(text).map_err(|_| not_text)?, &choices)? {
            Reading::Scene(scene) => show(state, *scene),
            Reading::Question(question) => {
                let mut out = String::from("{");
                key(&mut out, "question");
                string(&mut out, &question.sentence);
                key(&mut out, "key");
                string(&mut out, question.key);
                key(&mut out, "answers");
                list(&mut out, &question.answers, |out, (value, label)| {
                    list(out, [value, label], |out, text| string(out, text));
                });
                Ok(out + "}")
            }
        }
    })
}

/// Cuts the hierarchy at a weight. Answers with `clusters`.
// SAFETY: as for `kostra_request`.
#[unsafe(no_mangle)]
pub extern "C" fn kostra_clusters(threshold: f64) -> usize {
    respond(|state| with_scene(state, "clusters", |scene| scene.clusters(threshold)))
}

/// The steps of Prim's algorithm from a vertex. Answers with `steps`.
// SAFETY: as for `kostra_request`.
#[unsafe(no_mangle)]
pub extern "C" fn kostra_prim(start: u32) -> usize {
    respond(|state| with_scene(state, "steps", |scene| scene.prim_from(start)))
}

/// Explains why an edge is in the forest or outside. Answers with `edge`.
// SAFETY: as for `kostra_request`.
#[unsafe(no_mangle)]
pub extern "C" fn kostra_explain(edge: u32) -> usize {
    respond(|state| with_scene(state, "edge", |scene| scene.explain(edge)))
}
