//! C answers the requests of `testdata/requests/` that name no device, parts or options.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
#![allow(unsafe_code, reason = "the functions take pointers")]

use std::ffi::{CStr, CString, c_char};

use kostra_capi::{
    KOSTRA_MAXIMUM, KOSTRA_MINIMUM, KostraGraph, kostra_forest_algorithm, kostra_forest_fallback,
    kostra_forest_free, kostra_forest_ids, kostra_forest_length, kostra_graph_free,
    kostra_graph_i32, kostra_last_error, kostra_solve,
};
use kostra_testkit::requests::{FaceAnswer, FaceRequest, Requests};
use kostra_testkit::small_device::{REASON, with_small_device};

fn answer(graph: *const KostraGraph, request: &FaceRequest) -> Option<Result<FaceAnswer, String>> {
    if request.device.is_some() || request.parts.is_some() || !request.options.is_empty() {
        return None;
    }
    let id = request.algorithm.clone().map(|id| CString::new(id).unwrap());
    let id = id.as_ref().map_or(std::ptr::null(), |id| id.as_ptr());
    let order = if request.maximum { KOSTRA_MAXIMUM } else { KOSTRA_MINIMUM };
    // SAFETY: the pointers are to a graph, a forest and texts of the library.
    unsafe {
        let text = |text: *const c_char| CStr::from_ptr(text).to_str().unwrap().to_owned();
        let forest = kostra_solve(graph, id, order, request.threads);
        if forest.is_null() {
            return Some(Err(text(kostra_last_error())));
        }
        let ids = kostra_forest_ids(forest);
        let ids = std::slice::from_raw_parts(ids, kostra_forest_length(forest)).to_vec();
        let fell_back = !kostra_forest_fallback(forest).is_null();
        let solver = text(kostra_forest_algorithm(forest));
        kostra_forest_free(forest);
        Some(Ok(FaceAnswer { ids, solver, fell_back }))
    }
}

fn graph(requests: &Requests) -> *mut KostraGraph {
    let (mut u, mut v, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    for &(first, second, weight) in &requests.edges {
        u.push(first);
        v.push(second);
        weights.push(weight);
    }
    let [first, second] = [&u, &v].map(Vec::as_ptr);
    // SAFETY: the arrays are equally long.
    unsafe { kostra_graph_i32(requests.vertices, u.len(), first, second, weights.as_ptr()) }
}

#[test]
fn c_answers_as_all_faces_do() {
    let requests = Requests::load();
    let graph = graph(&requests);
    requests.check(|request| answer(graph, request));
    // SAFETY: the graph is not used again.
    unsafe { kostra_graph_free(graph) };
}

#[test]
fn c_says_why_the_processor_solved_a_graph_that_no_device_takes() {
    let graph = graph(&Requests::load());
    // SAFETY: the pointers are to a graph, a forest and texts of the library.
    unsafe {
        let forest = with_small_device(|| kostra_solve(graph, std::ptr::null(), KOSTRA_MINIMUM, 0));
        let text = |text: *const c_char| CStr::from_ptr(text).to_str().unwrap();
        assert_eq!(text(kostra_forest_algorithm(forest)), "kruskal");
        assert_eq!(text(kostra_forest_fallback(forest)), REASON);
        kostra_forest_free(forest);
        kostra_graph_free(graph);
    }
}
