//! What is made of records: reports, comparisons, and suites that continue them.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test, in helpers too")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn bench(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kostra-bench")).args(arguments).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A committed record.
fn record(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../record").join(name)
}

#[test]
fn every_committed_record_is_read_and_its_answers_agree() {
    let own = |path: &PathBuf| {
        let value: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        !value["format"].is_null()
    };
    let all = std::fs::read_dir(record("")).unwrap().map(|entry| entry.unwrap().path());
    let own: Vec<_> = all.filter(own).map(|path| path.to_str().unwrap().to_owned()).collect();
    let arguments: Vec<_> = ["report"].into_iter().chain(own.iter().map(|path| &**path)).collect();
    let output = bench(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text.lines().filter(|line| line.starts_with("## 20")).count(), own.len());
}

#[test]
fn a_comparison_finds_a_change_and_only_a_change() {
    let folder = tempfile::tempdir().unwrap();
    let before = record("2026-11-22-two-cores-grid.json");
    let mut text: Value = serde_json::from_slice(&std::fs::read(&before).unwrap()).unwrap();
    let compare = |text: &Value, more: &[&str]| {
        let after = folder.path().join("after.json");
        std::fs::write(&after, text.to_string()).unwrap();
        let records = ["compare", before.to_str().unwrap(), after.to_str().unwrap()];
        let output = bench(&[&records[..], more].concat());
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stdout).into_owned() + &said(&output),
        )
    };
    let (code, said) = compare(&text, &["--fail"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("0 slower, 0 faster") && said.contains("paired t-test"), "{said}");

    let timing = &mut text["measured"]["solve"]["graphs"][0]["contestants"][0]["timing"];
    for seconds in timing["seconds"].as_array_mut().unwrap() {
        *seconds = (seconds.as_f64().unwrap() * 1.5).into();
    }
    let (code, said) = compare(&text, &[]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("| 1.500 | 3 |") && said.contains("1 slower, 0 faster"), "{said}");
    assert_eq!(compare(&text, &["--fail"]).0, Some(1));
    text["machine"]["processor"] = "Another".into();
    let (code, said) = compare(&text, &[]);
    assert_eq!(code, Some(2));
    assert!(said.contains("different machines"), "{said}");
}

#[test]
fn two_builds_of_one_record_are_compared() {
    let output =
        bench(&["compare", record("2026-11-23-two-builds-two-cores.json").to_str().unwrap()]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(text.contains("for all 67 cells together"), "{text}");
}

/// Runs a suite and returns the exit code, the messages and the record.
fn run(path: &Path, arguments: &[&str]) -> (Option<i32>, String, Value) {
    let output = bench(&[arguments, &["-o", path.to_str().unwrap()]].concat());
    let record = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    (output.status.code(), said(&output), record)
}

#[test]
fn an_interrupted_suite_keeps_its_samples_and_continues() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("suite.json");
    let arguments = [
        "run",
        "--suite",
        "smoke",
        "--largest-table",
        "4",
        "--graphs",
        "grid,road",
        "--solvers",
        "kruskal",
        "--peers",
        "",
        "--runs",
        "1",
        "--threads",
        "1,2",
    ];
    let (code, messages, whole) = run(&path, &arguments);
    assert_eq!(code, Some(0), "{messages}");
    // The suite was interrupted in its third of four contests.
    let mut partial = whole.clone();
    let graphs = partial["measured"]["solve"]["graphs"].as_array_mut().unwrap();
    graphs.truncate(3);
    std::fs::write(&path, partial.to_string()).unwrap();

    let resumed = [&arguments[..], &["--resume"]].concat();
    let (code, messages, record) = run(&path, &resumed);
    assert_eq!(code, Some(0), "{messages}");
    let (old, new) = (&whole["measured"]["solve"], &record["measured"]["solve"]);
    assert_eq!(new["graphs"].as_array().unwrap().len(), 4);
    assert_eq!(new["graphs"].as_array().unwrap()[..3], old["graphs"].as_array().unwrap()[..3]);
    assert_eq!((&new["memory_speed"], &record["date"]), (&old["memory_speed"], &whole["date"]));
    assert_eq!(record["resumed"].as_array().unwrap().len(), 1);
    assert!(!messages.contains("grid on") && messages.contains("road on 2"), "{messages}");

    let other = resumed.iter().map(|&word| if word == "1,2" { "1" } else { word });
    let (code, messages, kept) = run(&path, &other.collect::<Vec<_>>());
    assert_eq!(code, Some(2));
    assert!(messages.contains("its command is"), "{messages}");
    assert_eq!(kept, record);
}

#[test]
fn an_interrupted_evaluation_continues() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("paper.json");
    let arguments = ["nobari", "--scale", "10000", "--only", "figure-8", "--runs", "1"];
    let (code, messages, whole) = run(&path, &arguments);
    assert_eq!(code, Some(0), "{messages}");
    let mut partial = whole.clone();
    let experiment = &mut partial["measured"]["paper"]["experiments"][0];
    experiment["graphs"].as_array_mut().unwrap().truncate(2);
    std::fs::write(&path, partial.to_string()).unwrap();
    let (code, messages, record) = run(&path, &[&arguments[..], &["--resume"]].concat());
    assert_eq!(code, Some(0), "{messages}");
    let graphs = |record: &Value| {
        let experiment = &record["measured"]["paper"]["experiments"][0];
        experiment["graphs"].as_array().unwrap().clone()
    };
    let (old, new) = (graphs(&whole), graphs(&record));
    assert_eq!(new.len(), old.len());
    assert_eq!(new[..2], old[..2]);
}
