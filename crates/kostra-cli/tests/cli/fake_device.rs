//! What the command reports of a device, with a fake driver. Its kernels do nothing, so forests are
//! empty, and the tests check the report only.

use std::process::Command;

use crate::fake;
use crate::harness::{Outcome, Workplace};

/// Runs the command on the device; none if the fake driver cannot be built.
fn run(workplace: &Workplace, arguments: &str) -> Option<Outcome> {
    let folder = workplace.path(".");
    if !fake::make_libraries(&folder) {
        return None;
    }
    let mut command: Command = workplace.command(arguments);
    Some(
        Outcome::from_output(fake::use_libraries(&mut command, &folder).output().unwrap())
            .expect_success(),
    )
}

/// The steps whose times a report shows, in order.
fn steps(report: &str) -> Vec<&str> {
    let known = ["open", "load", "build", "compile", "upload", "solve", "download"];
    report
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .filter(|word| known.contains(word))
        .collect()
}

#[test]
fn compiling_kernels_is_a_line_of_its_own() {
    for algorithm in ["cuda-fast", "cuda-fast-rows", "cuda-boruvka-edge", "cuda-boruvka-contract"] {
        let workplace = Workplace::new();
        let Some(outcome) = run(&workplace, &format!("solve gen:path:n=9 -a {algorithm}")) else {
            return;
        };
        let expected = ["open", "load", "build", "compile", "upload", "solve", "download"];
        assert_eq!(steps(&outcome.stdout), expected, "{outcome:?}");
        let Some(outcome) =
            run(&workplace, &format!("solve gen:path:n=9 -a {algorithm} --json --trace"))
        else {
            return;
        };
        let record = outcome.json();
        for step in expected {
            assert!(record["seconds"][step].is_f64(), "{step}: {record}");
        }
        assert!(record["seconds"]["compile"].as_f64() > Some(0.0), "{record}");
        let phases = record["trace"]["phases"].as_array().unwrap();
        assert!(phases.iter().any(|phase| phase["name"] == "compile"), "{record}");
    }
}

#[test]
fn a_solve_on_the_processor_compiles_nothing() {
    let record =
        Workplace::new().run("solve gen:path:n=9 --device cpu --json").expect_success().json();
    assert!(record["seconds"].get("compile").is_none(), "{record}");
}
