//! What the command reports of a device, with a fake driver. Its kernels do nothing, so forests are
//! empty, and the tests check the report only.

use std::process::Command;

use crate::fake;
use crate::harness::{Outcome, Workplace};

/// Runs the command on the device; none if the fake driver cannot be built.
fn run(workplace: &Workplace, arguments: &str) -> Option<Outcome> {
    Some(outcome(workplace, arguments)?.expect_success())
}

/// Runs the command on a machine with two devices; none if the fake driver cannot be built.
fn outcome(workplace: &Workplace, arguments: &str) -> Option<Outcome> {
    let folder = workplace.path(".");
    if !fake::make_libraries(&folder) {
        return None;
    }
    let mut command: Command = workplace.command(arguments);
    let command = fake::use_libraries(&mut command, &folder).env("KOSTRA_FAKE_DEVICES", "2");
    Some(Outcome::from_output(command.output().unwrap()))
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

#[test]
fn several_devices_are_used_by_cuda_multi_and_named_in_the_report() {
    let workplace = Workplace::new();
    let Some(outcome) = run(&workplace, "solve gen:path:n=9 --device cuda:0,1") else { return };
    assert!(outcome.stdout.contains("cuda-multi on a fake device (cuda:0, cuda:1)"), "{outcome:?}");
    let Some(outcome) = run(&workplace, "solve gen:path:n=9 --device cuda:1") else { return };
    assert!(outcome.stdout.contains("cuda-fast on a fake device (cuda:1)"), "{outcome:?}");
}

#[test]
fn commands_for_points_report_the_device_and_its_steps() {
    let workplace = Workplace::new();
    // A tree of more points needs kernels that work.
    workplace.write("point.csv", "3,4\n");
    for (command, last) in [("tree", None), ("cluster --min-samples 1", Some("cluster"))] {
        let line = format!("{command} point.csv --device cuda:1");
        let Some(outcome) = run(&workplace, &line) else { return };
        assert!(outcome.stdout.contains("on              a fake device (cuda:1)"), "{outcome:?}");
        let expected = ["load", "compile", "upload", "solve", "download"];
        assert_eq!(steps(&outcome.stdout), expected, "{outcome:?}");
        let record = run(&workplace, &format!("{line} --json")).unwrap().json();
        assert_eq!(record["device"], "a fake device (cuda:1)");
        for step in expected.into_iter().chain(last) {
            assert!(record["seconds"][step].is_f64(), "{step}: {record}");
        }
        let record = workplace.run(&format!("{command} point.csv --json")).json();
        assert!(record["device"].is_null() && record["seconds"]["upload"].is_null(), "{record}");
    }
}

#[test]
fn devices_that_are_absent_named_twice_or_too_many_are_refused_with_the_reason() {
    for (arguments, reason) in [
        ("solve gen:path:n=9 --device cuda:0,2", "there is no device 2; the devices are numbered"),
        ("solve gen:path:n=9 --device cuda:0,0", "device 0 is named twice"),
        (
            "solve gen:path:n=9 -a cuda-fast --device cuda:0,1",
            "cuda-fast runs on one device; name one, or pass `--algorithm cuda-multi`",
        ),
        ("partition gen:path:n=9 -k 2 --device cuda:0,1", "a graph is partitioned on one device"),
        ("tree point.csv --device cuda:0,1", "of more than 64 dimensions, not of 2; name one"),
        (
            "solve graph.kst --memory 1GiB --device cuda:0,1",
            "`--memory` solves on one device; name one",
        ),
    ] {
        let workplace = Workplace::new();
        workplace.write("point.csv", "3,4\n");
        let Some(outcome) = outcome(&workplace, arguments) else { return };
        assert_ne!(outcome.code, Some(0), "{arguments}: {outcome:?}");
        assert!(outcome.stderr.contains(reason), "{arguments}: {outcome:?}");
    }
}

#[test]
fn a_graph_larger_than_device_memory_is_read_in_blocks() {
    let workplace = Workplace::new();
    workplace.run("generate gen:gnm:n=1k,m=300k -o graph.kst").expect_success();
    let line = "solve graph.kst --memory 1GiB --device cuda:1";
    let Some(outcome) = run(&workplace, line) else { return };
    assert!(outcome.stdout.contains("cuda-external on a fake device (cuda:1)"), "{outcome:?}");
    assert!(outcome.stdout.contains("1,024 MiB of device memory in one pass"), "{outcome:?}");
    assert_eq!(steps(&outcome.stdout), ["open", "load", "compile", "solve"], "{outcome:?}");
}

#[test]
fn too_little_device_memory_and_truncated_files_are_refused() {
    let workplace = Workplace::new();
    workplace.run("generate gen:gnm:n=1M,m=300k -o graph.kst").expect_success();
    let Some(refused) = outcome(&workplace, "solve graph.kst --memory 64MiB --device cuda") else {
        return;
    };
    assert_eq!(refused.code, Some(2), "{refused:?}");
    let start = "kostra: a graph with 1000000 vertices and u32 weights takes more memory of the \
                 device; pass at least `--memory ";
    let rest = refused.stderr.strip_prefix(start).unwrap_or_else(|| panic!("{refused:?}"));
    let least: u64 = rest.split("MiB").next().unwrap().parse().unwrap();
    let line = |least| format!("solve graph.kst --memory {least}MiB --device cuda");
    run(&workplace, &line(least)).unwrap();
    assert_eq!(outcome(&workplace, &line(least - 1)).unwrap().code, Some(2));

    let graph = std::fs::read(workplace.path("graph.kst")).unwrap();
    std::fs::write(workplace.path("graph.kst"), &graph[..graph.len() / 2]).unwrap();
    let truncated = outcome(&workplace, &line(1024)).unwrap();
    assert_eq!(truncated.code, Some(2), "{truncated:?}");
    assert!(truncated.stderr.contains("graph.kst"), "{truncated:?}");
}
