//! What happens when the system does not grant the memory that an algorithm needs.
#![cfg(target_os = "linux")]

use std::process::Command;

use crate::harness::{Outcome, Workplace};

/// Runs the command with so many kibibytes of address space; none where there is no shell that can see to that.
fn run_within(kibibytes: u32, arguments: &str) -> Option<Outcome> {
    let limits = |script: &str| {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("ulimit -v {kibibytes} && {script}"), env!("CARGO_BIN_EXE_kostra")]);
        shell
    };
    if !limits("true").output().is_ok_and(|output| output.status.success()) {
        println!("skipped: there is no shell, or it does not limit memory");
        return None;
    }
    let output = limits("exec \"$0\" \"$@\"").args(arguments.split_whitespace()).output();
    Some(Outcome::of(output.unwrap()))
}

#[test]
fn scratch_memory_that_is_not_granted_is_an_error_that_names_the_bytes() {
    // Next to no edges, so that the graph itself takes little; 12 bytes for each of them, 24 for each vertex.
    let command = "solve gen:gnm:n=100M,m=1000 --algorithm fast --threads 2";
    let Some(outcome) = run_within(1_500_000, command) else { return };
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{outcome:?}");
    let bytes = 12 * 1000 + 24 * 100_000_000_u64 + 256;
    let error = format!(
        "kostra: fast needs {bytes} bytes of memory for this graph, which the system does not grant\n"
    );
    assert_eq!(outcome.stderr, error);
}

#[test]
fn no_algorithm_on_threads_dies_of_memory_that_is_not_granted() {
    for algorithm in Workplace::new().algorithms("threads") {
        let command = format!("solve gen:gnm:n=100M,m=1000 --algorithm {algorithm} --threads 2");
        let Some(outcome) = run_within(1_500_000, &command) else { return };
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{outcome:?}");
        let (start, end) = (
            format!("kostra: {algorithm} needs "),
            " bytes of memory for this graph, which the system does not grant\n",
        );
        let bytes = outcome.stderr.strip_prefix(&start).and_then(|said| said.strip_suffix(end));
        // More than was granted to the whole process, or to what the graph's rows have left of it.
        assert!(bytes.is_some_and(|bytes| bytes.parse::<u64>().unwrap() > 700_000_000), "{outcome:?}");
    }
}

#[test]
fn rows_for_which_memory_is_not_granted_are_an_error_that_names_who_wants_them() {
    for algorithm in ["prim-binary", "prim-pairing", "boruvka-contract"] {
        let command = format!("solve gen:gnm:n=100M,m=1000 --algorithm {algorithm}");
        let Some(outcome) = run_within(700_000, &command) else { return };
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{outcome:?}");
        // 8 bytes for each vertex and one more, and 12 for each edge at either end, with 16 while they are inserted.
        let bytes = 8 * (100_000_000_u64 + 1) + (12 + 16) * 2 * 1000;
        let error = format!(
            "kostra: {algorithm} needs {bytes} bytes of memory for this graph, which the system does not grant\n"
        );
        assert_eq!(outcome.stderr, error);
    }
}

#[test]
fn a_limit_that_leaves_room_is_none() {
    let Some(outcome) = run_within(1_500_000, "solve gen:gnm:n=1M,m=1000 --algorithm fast --threads 2")
    else {
        return;
    };
    outcome.expect_success();
}
