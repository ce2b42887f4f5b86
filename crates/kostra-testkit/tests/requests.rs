//! Rust answers the requests of `testdata/requests/`.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use kostra::{AUTO, Graph, Order, Solve, VertexParts};
use kostra_testkit::requests::{FaceAnswer, FaceRequest, Requests};
use kostra_testkit::small_device::{REASON, with_small_device};

fn answer(graph: &Graph, request: &FaceRequest) -> Result<FaceAnswer, String> {
    let id = request.algorithm.as_deref().unwrap_or(AUTO);
    let mut solve = Solve::new().algorithm(id).map_err(|error| error.to_string())?;
    solve = solve.threads(request.threads);
    if request.maximum {
        solve = solve.order(Order::Maximum);
    }
    if let Some(name) = &request.device {
        solve = solve.device(name.parse().unwrap());
    }
    for (name, value) in &request.options {
        solve = solve.option(name, *value);
    }
    if let Some(parts) = &request.parts {
        solve = solve.parts(VertexParts::new(parts, 2).unwrap());
    }
    let solved = solve.run_detailed(graph).map_err(|error| error.to_string())?;
    let (solver, fell_back) = (solved.solver.id.to_owned(), solved.fallback.is_some());
    Ok(FaceAnswer { ids: solved.forest.into_ids(), solver, fell_back })
}

#[test]
fn rust_answers_as_all_faces_do() {
    let requests = Requests::load();
    let graph = Graph::with_vertices(requests.vertices as usize, &requests.edges).unwrap();
    requests.check(|request| Some(answer(&graph, request)));
}

#[test]
fn rust_says_why_the_processor_solved_a_graph_that_no_device_takes() {
    let graph = Graph::from_edges([(0, 1, 4), (1, 2, 1), (2, 0, 3)]).unwrap();
    let solved = with_small_device(|| Solve::new().run_detailed(&graph)).unwrap();
    assert_eq!((solved.forest.ids(), solved.solver.id), (&[1, 2][..], "kruskal"));
    assert_eq!(solved.fallback.unwrap().to_string(), REASON);
    let chosen = Solve::new().algorithm("kruskal").unwrap();
    let solved = with_small_device(|| chosen.run_detailed(&graph)).unwrap();
    assert_eq!(solved.fallback, None);
}
