//! The calls of solvers for CUDA devices to the driver, and their order, with the fake driver of
//! `kostra-cuda`. Its kernels do nothing, so solvers return empty forests.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[path = "../../kostra-cuda/tests/fake/mod.rs"]
mod fake;

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::Write;
use std::process::Command;
use std::time::Duration;

use kostra_core::{AnyGraph, Observer, Order, Platform, Run};

/// Writes the reports of a solver to the file to which the driver writes its calls.
struct Log(std::fs::File);

impl Observer for Log {
    fn phase_started(&mut self, name: &'static str) {
        writeln!(self.0, "+{name}").unwrap();
    }

    fn phase_finished(&mut self, name: &'static str, _: Duration) {
        writeln!(self.0, "-{name}").unwrap();
    }

    fn counter(&mut self, name: &'static str, _: f64) {
        writeln!(self.0, "={name}").unwrap();
    }
}

#[test]
#[ignore = "the other tests start it, in a process with the fake driver"]
fn a_solve_beside_the_fake_driver() {
    let id = std::env::var("KOSTRA_TEST_SOLVER").unwrap();
    let path = std::env::var_os("KOSTRA_FAKE_LOG").unwrap();
    let graph = AnyGraph::from_edges(3, vec![0, 1, 2], vec![1, 2, 0], vec![1.0, 2.0, 3.0]).unwrap();
    let solver = kostra::solver(&id).unwrap();
    let mut log = Log(OpenOptions::new().append(true).create(true).open(path).unwrap());
    let solution =
        solver.solve(&graph, Order::Minimum, &mut Run::new().observed_by(&mut log)).unwrap();
    assert!(solution.compile > Duration::ZERO && solution.upload > Duration::ZERO);
}

/// For each solver, the calls and reports of its first solve in a process, line by line. Empty if
/// the fake driver cannot be compiled.
fn logs() -> Vec<(&'static str, Vec<String>)> {
    let mut logs = Vec::new();
    for solver in kostra::solvers().filter(|solver| solver.info().platform == Platform::Cuda) {
        let folder = tempfile::tempdir().unwrap();
        if !fake::make_libraries(folder.path()) {
            break;
        }
        let id = solver.info().id;
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "a_solve_beside_the_fake_driver", "--ignored"]);
        let output =
            fake::use_libraries(&mut child, folder.path()).env("KOSTRA_TEST_SOLVER", id).output();
        let output = output.unwrap();
        let words =
            String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && words.contains("1 passed"), "{id}: {words}");
        let log = std::fs::read_to_string(folder.path().join("log")).unwrap();
        logs.push((id, log.lines().map(str::to_owned).collect()));
    }
    logs
}

#[test]
fn the_host_makes_no_other_call_between_a_launch_and_the_event_that_times_it() {
    let (mut ran, mut timed) = (0, BTreeSet::new());
    for (id, log) in logs() {
        ran += 1;
        let disturbs = |line: &str| line == "occupancy" || line == "create event";
        let launch = |line: &str| line.starts_with("launch ");
        let calls: Vec<_> = log
            .iter()
            .map(String::as_str)
            .filter(|line| disturbs(line) || launch(line) || *line == "record event")
            .collect();
        if !calls.contains(&"record event") {
            continue; // the solver's kernel reads the device's clock
        }
        timed.insert(id);
        for pair in calls.windows(2) {
            // No such call during a step with a launch, nor at the start of the step.
            let wrong =
                launch(pair[0]) && disturbs(pair[1]) || disturbs(pair[0]) && launch(pair[1]);
            assert!(!wrong, "{id}: {pair:?} in {calls:?}");
        }
        let counters = log.iter().filter(|line| line.starts_with("=occupancy % of ")).count();
        assert_eq!(
            counters,
            calls.iter().filter(|call| **call == "occupancy").count(),
            "{id}: {log:?}"
        );
    }
    assert!(ran == 0 || !timed.is_empty(), "no solver is timed by events");
}

#[test]
fn kernels_are_compiled_and_memory_is_allocated_in_phases_of_their_own() {
    // The members of this solver exchange arrays of other lengths in each round, and measure their
    // speeds during the upload.
    let exchanges = |id: &str| id == "cuda-hetero-contract";
    for (id, log) in logs().into_iter().filter(|(id, _)| !exchanges(id)) {
        let mut open = Vec::new();
        let mut compiled = 0;
        for line in &log {
            if let Some(phase) = line.strip_prefix('+') {
                open.push(phase);
            } else if line.starts_with('-') {
                open.pop();
            }
            let phase = open.last().copied();
            match line.as_str() {
                "compile" | "load module" => {
                    compiled += 1;
                    assert_eq!(phase, Some("compile"), "{id}: {line} in {log:?}");
                }
                "allocate" => assert_eq!(phase, Some("upload"), "{id}: {line} in {log:?}"),
                line if line.starts_with("launch ") => {
                    assert_eq!(phase, None, "{id}: {line} in {log:?}");
                }
                _ => {}
            }
        }
        assert!(compiled >= 2, "{id}: {log:?}");
    }
}
