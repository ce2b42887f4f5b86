//! What is made of records: pages, comparisons, and suites that continue them.

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

/// All committed records.
fn records() -> Vec<PathBuf> {
    let mut all: Vec<_> =
        std::fs::read_dir(record("")).unwrap().map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

/// Writes the page of records and returns it.
fn page(records: &[PathBuf], page: &Path, more: &[&str]) -> String {
    let records = records.iter().map(|path| path.to_str().unwrap());
    let arguments: Vec<_> =
        ["report", "-o", page.to_str().unwrap()].into_iter().chain(records).collect();
    let output = bench(&[&arguments[..], more].concat());
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    std::fs::read_to_string(page).unwrap()
}

/// The figures of a page: id, number of marks, and content.
fn figures(page: &str) -> Vec<(&str, usize, &str)> {
    page.split("<figure id=\"")
        .skip(1)
        .map(|part| {
            let end = part.find("</figure>").unwrap();
            let (id, rest) = part[..end].split_once("\" data-marks=\"").unwrap();
            let (marks, content) = rest.split_once("\">").unwrap();
            (id, marks.parse().unwrap(), content)
        })
        .collect()
}

#[test]
fn every_committed_record_becomes_a_page_whose_plots_have_marks() {
    let folder = tempfile::tempdir().unwrap();
    let assets = folder.path().join("assets");
    let more = ["--assets", assets.to_str().unwrap()];
    let page = page(&records(), &folder.path().join("page.html"), &more);
    for path in records() {
        let title = path.file_stem().unwrap().to_str().unwrap();
        assert!(page.contains(&format!("<h2>{title}</h2>")), "{title}");
    }
    let figures = figures(&page);
    for kind in [
        "-speed-up-",
        "-phases",
        "-scaling-threads",
        "-scaling-ranks",
        "-sizes",
        "-option-gamma",
        "-bandwidth",
        "-rounds",
        "-measure-1",
        "-readers",
        "-memory",
        "-commits",
    ] {
        assert!(figures.iter().any(|(id, ..)| id.contains(kind)), "no plot {kind}");
    }
    for (id, marks, content) in figures {
        let shapes = ["<rect ", "<circle ", "<polygon "];
        let shapes: usize = shapes.iter().map(|shape| content.matches(shape).count()).sum();
        assert!(marks > 0 && shapes > marks, "{id}: {marks} marks, {shapes} shapes");
        let svg = std::fs::read_to_string(assets.join(format!("{id}.svg"))).unwrap();
        assert!(svg.starts_with("<svg ") && svg.contains("</svg>"), "{id}");
        let csv = std::fs::read_to_string(assets.join(format!("{id}.csv"))).unwrap();
        assert!(csv.lines().count() > marks, "{id}");
    }
    for outside in ["src=", "href=\"http", "url(", "@import", "fetch("] {
        assert!(!page.contains(outside), "{outside}");
    }
}

#[test]
fn the_papers_figures_and_stand_ins_are_beside_ours() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("manoochehri.json");
    let written = path.to_str().unwrap();
    let arguments = ["manoochehri", "--scale", "10000", "--only", "table-3.2", "--runs", "1"];
    let output = bench(&[&arguments[..], &["--threads", "2", "-o", written]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let page = page(&[path], &folder.path().join("page.html"), &[]);
    for expected in [
        "paper: K40",
        "Tesla K40 (2880 cores",
        ">FLA*<",
        "generated graph in place",
        "<td data-v=\"13407\">",
        "sizes</dt><dd>divided by 10000",
    ] {
        assert!(page.contains(expected), "{expected}");
    }
}

#[test]
fn published_phases_and_sweeps_are_beside_ours() {
    let folder = tempfile::tempdir().unwrap();
    let suite = |paper: &str, experiment: &str| {
        let path = folder.path().join(format!("{paper}.json"));
        let written = path.to_str().unwrap();
        let arguments = [paper, "--smoke", "--only", experiment, "--threads", "2", "-o", written];
        let output = bench(&arguments);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        path
    };
    let records = [suite("shou-he", "figures-1-4"), suite("sousa", "table-5.3")];
    let assets = folder.path().join("assets");
    let more = ["--assets", assets.to_str().unwrap()];
    let page = page(&records, &folder.path().join("page.html"), &more);
    let csv = |id: &str| std::fs::read_to_string(assets.join(format!("{id}.csv"))).unwrap();

    // Figure 1 of Shou & He: 719.2 of 7012.7 ms, in a plot of shares and in a table.
    let phases = csv("shou-he-figures-1-4-published-phases");
    let share = |line: &str| line.rsplit(',').next().unwrap().parse::<f64>().unwrap();
    let first = phases.lines().find(|line| {
        line.contains("\"lightest\",published") && line.contains("Figure 1, first version")
    });
    assert!((share(first.unwrap()) - 10.2557).abs() < 1e-3, "{first:?}");
    assert!(phases.contains("\"lightest\",measured,\"boruvka-edge forest-list=1"), "{phases}");
    assert!(page.contains("<td data-v=\"719.2\">719</td>"));

    // Table 5.3 of Sousa: 40 threads are beyond those that were measured.
    let sweep = csv("sousa-table-5.3-measure-3");
    assert!(sweep.contains("\"USA*\",\"paper: OMP\",published,40,10.26"), "{sweep}");
    assert!(sweep.contains("\"USA*\",\"boruvka-contract\",measured,1,1\n"), "{sweep}");
}

#[test]
fn records_of_one_machine_are_shown_together_and_others_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    let two = [record("2026-11-22-two-cores-grid.json"), record("2026-11-22-two-cores-dense.json")];
    let text = page(&two, &path, &["--together"]);
    let all = figures(&text);
    let (_, marks, _) = all.iter().find(|(id, ..)| *id == "together-speed-up-1-thread").unwrap();
    assert!(*marks > 8 && text.contains("<h2>together</h2>"), "{marks}");
    let other = record("2026-11-23-sixteen-threads-grid.json");
    let arguments = ["report", two[0].to_str().unwrap(), other.to_str().unwrap(), "--together"];
    let output = bench(&[&arguments[..], &["-o", path.to_str().unwrap()]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("measured on different machines"), "{}", said(&output));
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
