//! Tests all solvers on generated graphs, large enough to detect quadratic time, deep recursion and
//! counter overflow. The solvers must agree, and the verifier must accept their answer.

use std::collections::BTreeSet;
use std::time::Instant;

use kostra_gen::generate;
use kostra_testkit::matrix::{self, MatrixTally};

/// The greatest time of all solvers together for one graph: many times their usual time on a busy
/// machine, and far less than quadratic time.
const MOST_SECONDS: f64 = 20.0;

/// Runs every solver on every graph. Prints the time of each graph and the refusals.
fn check(specs: &[&str]) {
    for (turn, spec) in specs.iter().enumerate() {
        let graph = generate(spec).unwrap_or_else(|error| panic!("{spec}: {error}")).graph;
        let start = Instant::now();
        let MatrixTally { right, refused } =
            matrix::check_verified(&graph, turn).unwrap_or_else(|fault| panic!("{spec}: {fault}"));
        let refused: BTreeSet<_> = refused.iter().map(|combination| combination.solver).collect();
        let seconds = start.elapsed().as_secs_f64();
        assert!(
            seconds < MOST_SECONDS,
            "{spec} took {seconds:.2} s: does a solver take quadratic time?"
        );
        println!("{spec}: {right} right answers in {seconds:.2} s; refused by {refused:?}");
    }
}

#[test]
fn long_thin_graphs_give_equal_forests() {
    // The deepest recursion, and the most rounds of a naive Borůvka.
    check(&[
        "path:n=40000,weights=index",
        "path:n=40000,weights=equal",
        "path:n=40000,weights=u24",
        "cycle:n=40000,weights=index",
        "cycle:n=40000,weights=equal",
        "caterpillar:n=40000,legs=1,weights=index",
        "caterpillar:n=40000,legs=20,weights=small",
        // The same shapes, at a size that the solvers for small graphs accept.
        "path:n=4000,weights=index",
        "cycle:n=4000,weights=equal",
    ]);
}

#[test]
fn stars_and_trees_give_equal_forests() {
    // One vertex has all edges.
    check(&[
        "star:n=40000,weights=index",
        "star:n=40000,weights=equal",
        "star:n=40000,weights=i64",
    ]);
}

#[test]
fn dense_graphs_give_equal_forests() {
    check(&[
        "complete:n=300,weights=equal",
        "complete:n=300,weights=index",
        "complete:n=300,weights=f64",
        "dense:n=400,m=40000",
    ]);
}

#[test]
fn many_components_give_equal_forests() {
    // Components that are finished early, and a giant component beside small ones.
    check(&[
        "islands:n=20000,tiny=8000,size=5",
        "islands:n=20000,tiny=8000,size=2,weights=small",
        "islands:n=2,tiny=40000,size=1",
        "empty:n=40000",
    ]);
}

#[test]
fn multigraphs_give_equal_forests() {
    check(&[
        "multigraph:n=1000,m=20000",
        "multigraph:n=2,m=50000,weights=small",
        "multigraph:n=20000,m=20000,weights=equal",
    ]);
}

#[test]
fn road_like_and_scale_free_graphs_give_equal_forests() {
    check(&[
        "road:n=20000",
        "road:n=20000,weights=equal",
        "grid:rows=100,cols=150,weights=small",
        "grid:rows=2,cols=8000,weights=index",
        "gnm:n=5000,m=20000,weights=i32",
        "gnm:n=20000,m=20000,weights=u64",
        "rmat:scale=12,edgefactor=8,weights=f32",
        "ssca2:n=4000,weights=small",
        "watts-strogatz:n=8000,reach=3,rewire=0.3",
    ]);
}
