//! Tests every solver on real graphs with known answers.

use std::time::Instant;

use kostra_core::{Order, Total};
use kostra_testkit::matrix::{ExactAnswer, ORDERS, check_in_turn};
use kostra_testkit::real::{self, GRAPHS, RealGraph};

#[test]
#[ignore = "slow"]
fn slow_every_solver_finds_the_known_forests_of_real_graphs() {
    let failures: Vec<_> = GRAPHS
        .iter()
        .enumerate()
        .filter_map(|(turn, graph)| {
            check(graph, turn).err().map(|fault| format!("{}: {fault}", graph.path))
        })
        .collect();
    assert!(
        failures.is_empty(),
        "{} of {} graphs failed:\n{}",
        failures.len(),
        GRAPHS.len(),
        failures.join("\n")
    );
}

/// Solves with each solver on one number of threads, which changes with the solver, the order and
/// the turn.
fn check(known: &RealGraph, turn: usize) -> Result<(), String> {
    let start = Instant::now();
    let Some(graph) = real::load(known)? else { return Ok(()) };
    let loaded = start.elapsed().as_secs_f64();
    expect("vertices", graph.vertices(), known.vertices)?;
    if let Some(edges) = known.edges {
        expect("edges", graph.edges(), edges)?;
    }
    for (turn, order) in (turn..).zip(ORDERS) {
        let answer = ExactAnswer::verified(&graph, order).map_err(|fault| fault.to_string())?;
        if let Some(components) = known.components {
            expect("components", answer.components, components)?;
            expect("forest edges", answer.forest.len(), (known.vertices - components) as usize)?;
        }
        if let (Some(total), Order::Minimum) = (known.total, order) {
            expect("total", answer.total, Some(Total::Integer(total)))?;
        }
        check_in_turn(&graph, order, &answer, turn).map_err(|fault| fault.to_string())?;
    }
    let all = start.elapsed().as_secs_f64();
    println!("{}: {} edges, read in {loaded:.2} s, {all:.2} s in all", known.path, graph.edges());
    Ok(())
}

fn expect<T: PartialEq + std::fmt::Debug>(what: &str, found: T, right: T) -> Result<(), String> {
    if found == right { Ok(()) } else { Err(format!("{what}: {found:?} instead of {right:?}")) }
}
