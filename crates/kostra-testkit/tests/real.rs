//! Tests every solver on real graphs with known answers. If a file is missing, the test skips the
//! graph and prints the reason.

use std::time::Instant;

use kostra_core::{Order, Total};
use kostra_testkit::matrix::{self, Answer, ORDERS};
use kostra_testkit::real::{self, GRAPHS, RealGraph};

#[test]
fn every_solver_finds_the_known_forests_of_real_graphs() {
    let failures: Vec<_> = GRAPHS
        .iter()
        .filter_map(|graph| check(graph).err().map(|fault| format!("{}: {fault}", graph.path)))
        .collect();
    assert!(
        failures.is_empty(),
        "{} of {} graphs failed:\n{}",
        failures.len(),
        GRAPHS.len(),
        failures.join("\n")
    );
}

fn check(known: &RealGraph) -> Result<(), String> {
    let start = Instant::now();
    let Some(graph) = real::load(known)? else { return Ok(()) };
    let loaded = start.elapsed().as_secs_f64();
    expect("vertices", graph.vertices(), known.vertices)?;
    if let Some(edges) = known.edges {
        expect("edges", graph.edges(), edges)?;
    }
    for order in ORDERS {
        let answer = Answer::verified(&graph, order).map_err(|fault| fault.to_string())?;
        if let Some(components) = known.components {
            expect("components", answer.components, components)?;
            expect("forest edges", answer.forest.len(), (known.vertices - components) as usize)?;
        }
        if let (Some(total), Order::Minimum) = (known.total, order) {
            expect("total", answer.total, Some(Total::Integer(total)))?;
        }
        matrix::check(&graph, order, &answer).map_err(|fault| fault.to_string())?;
    }
    let all = start.elapsed().as_secs_f64();
    println!("{}: {} edges, read in {loaded:.2} s, {all:.2} s in all", known.path, graph.edges());
    Ok(())
}

fn expect<T: PartialEq + std::fmt::Debug>(what: &str, found: T, right: T) -> Result<(), String> {
    if found == right { Ok(()) } else { Err(format!("{what}: {found:?} instead of {right:?}")) }
}
