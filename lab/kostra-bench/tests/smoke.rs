//! Runs the program on tiny graphs: it writes a complete record, and can read the record.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test, in helpers too")]

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

/// A contest on tiny graphs, with a small table, so that measuring memory does not take seconds.
const RUN: [&str; 5] = ["run", "--suite", "smoke", "--largest-table", "4"];

fn bench(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kostra-bench")).args(arguments).output().unwrap()
}

/// Runs the program, expects success, and returns the record.
fn recorded(arguments: &[&str], record: &Path) -> Value {
    let path = record.to_str().unwrap();
    let output = bench(&[&RUN, arguments, &["-o", path]].concat());
    let messages = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{messages}");
    serde_json::from_slice(&std::fs::read(record).unwrap()).unwrap()
}

#[test]
fn a_record_contains_every_sample_and_the_report_shows_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/smoke.json");
    let arguments = ["--solvers", "kruskal", "--peers", "", "--runs", "3"];
    let record = recorded(&arguments, &path);
    assert_eq!(record["format"], 1);
    assert!(record["command"].as_str().unwrap().starts_with("kostra-bench run --suite smoke"));
    assert!(record["versions"]["rustc"].as_str().unwrap().starts_with("rustc 1."));
    let graphs = record["measured"]["solve"]["graphs"].as_array().unwrap();
    let names: Vec<_> = graphs.iter().map(|graph| graph["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["grid", "road", "uniform", "rmat", "dense"]);
    for graph in graphs {
        assert_eq!(graph["verified"], true);
        let timing = &graph["contestants"][0]["timing"];
        assert_eq!(timing["seconds"].as_array().unwrap().len(), 3);
    }
    assert_eq!(graphs[0]["forest_edges"], 40 * 40 - 1);

    let report = bench(&["report", path.to_str().unwrap()]);
    let text = String::from_utf8(report.stdout).unwrap();
    assert_eq!(report.status.code(), Some(0), "{text}");
    assert!(
        text.contains(
            "### grid on 1 thread: 1600 vertices, 3120 edges (u32), forest of 1599 edges"
        ),
        "{text}"
    );
    assert!(text.contains("all answers agree, verified"), "{text}");
}

#[test]
fn peers_agree_or_are_skipped_with_a_reason() {
    let python = Command::new("python3").args(["-c", "import scipy"]).output();
    if !python.is_ok_and(|output| output.status.success()) {
        println!("skipped: no python3 with SciPy is installed");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let peers = "scipy,rustworkx,networkit,igraph,pathfinding,petgraph";
    let arguments = ["--solvers", "kruskal", "--peers", peers, "--runs", "1"];
    let record = recorded(&arguments, &folder.path().join("peers.json"));
    for graph in record["measured"]["solve"]["graphs"].as_array().unwrap() {
        let ran = graph["contestants"].as_array().unwrap();
        let skipped = graph["skipped"].as_array().unwrap();
        assert_eq!(ran.len() + skipped.len(), 7);
        assert!(ran.iter().any(|contestant| contestant["name"] == "scipy"), "{skipped:?}");
        assert!(skipped.iter().all(|skipped| !skipped["reason"].as_str().unwrap().is_empty()));
    }
}

/// Peer programs: one ends in its second round, and one gives a wrong total in its third round.
#[cfg(unix)]
#[test]
fn a_peer_that_crashes_or_answers_wrongly_is_wrong_and_has_no_time() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["--graphs", "gen:path:n=3,weights=u24", "--solvers", "kruskal", "--peers", ""];
    let honest = recorded(&arguments, &folder.path().join("honest.json"));
    let total = honest["measured"]["solve"]["graphs"][0]["total_weight"].as_str().unwrap();
    let program = |name: &str, rounds: &[&str]| {
        let mut script =
            "#!/bin/sh\necho '{\"version\": \"1\", \"build_seconds\": 0}'\n".to_owned();
        for round in rounds {
            script += &format!("read line; {round}\n");
        }
        let path = folder.path().join(name);
        std::fs::write(&path, script).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    };
    let answer = |total| format!("echo '{{\"seconds\": 0.5, \"edges\": 2, \"total\": {total}}}'");
    program("rfk", &[&answer(total), "echo out of luck >&2; kill -SEGV $$"]);
    program("pbbs-serial", &[&answer(total), &answer(total), &answer("1"), &answer(total)]);
    let path = folder.path().join("record.json");
    let output = bench(
        &[
            &RUN[..],
            &arguments[..5],
            &["rfk,pbbs-serial", "--peer-programs", folder.path().to_str().unwrap()],
            &["--runs", "3", "-o", path.to_str().unwrap()],
        ]
        .concat(),
    );
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{text}");
    let record: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let graph = &record["measured"]["solve"]["graphs"][0];
    let names = |list: &str| -> Vec<_> {
        graph[list].as_array().unwrap().iter().map(|one| one["name"].clone()).collect()
    };
    assert_eq!(names("contestants"), ["kruskal"]);
    assert_eq!(names("wrong"), ["rfk", "pbbs-serial"]);
    assert!(text.contains("no time counts: rfk: in round 1: it ended with signal: 11"), "{text}");
    assert!(
        text.contains(
            "no time counts: pbbs-serial: in round 2: pbbs-serial found 2 edges of total weight 1"
        ),
        "{text}"
    );
}

#[test]
fn every_number_of_threads_has_its_own_contest() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("threads.json");
    let arguments =
        ["--graphs", "grid", "--solvers", "kruskal", "--peers", "rfk", "--threads", "1,2"];
    let record = recorded(&arguments, &path);
    assert_eq!(record["threads"], 2);
    let graphs = record["measured"]["solve"]["graphs"].as_array().unwrap();
    let threads: Vec<_> = graphs.iter().map(|graph| graph["threads"].as_u64().unwrap()).collect();
    assert_eq!(threads, [1, 2]);
    for graph in graphs {
        assert_eq!(graph["verified"], true);
        assert_eq!(graph["skipped"][0]["reason"], "pass its folder with --peer-programs");
    }
    let report = bench(&["report", path.to_str().unwrap()]);
    assert!(
        String::from_utf8_lossy(&report.stdout).contains("### grid on 2 threads: 1600 vertices")
    );
}

#[test]
fn different_answers_give_exit_code_1() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record.json");
    let arguments = ["--graphs", "grid", "--solvers", "kruskal", "--peers", ""];
    let mut record = recorded(&arguments, &path);
    let report = |record: &Value| {
        std::fs::write(&path, record.to_string()).unwrap();
        let output = bench(&["report", path.to_str().unwrap()]);
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    assert_eq!(report(&record).0, Some(0));
    record["measured"]["solve"]["graphs"][0]["disagreements"] = vec!["two and three"].into();
    let (code, text) = report(&record);
    assert_eq!(code, Some(1));
    assert!(text.contains("**DISAGREEMENT**: two and three"), "{text}");
    record["format"] = 99.into();
    assert_eq!(report(&record).0, Some(2));
}

#[test]
fn errors_for_wrong_names_list_the_known_names() {
    let message = |arguments: &[&str]| {
        let output = bench(&[&RUN, arguments].concat());
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let cases: [(&[&str], &str); 4] = [
        (&["--graphs", "gird"], "has no graph 'gird' (it has: grid,"),
        (&["--solvers", "kruskall"], "there is no algorithm 'kruskall'; did you mean kruskal?"),
        (
            &["--solvers", "kruskal", "--peers", "skippy"],
            "there is no peer 'skippy'; there are: scipy,",
        ),
        (&["--solvers", "kruskal", "--pin", "first"], "'first' is not a list of processors"),
    ];
    for (arguments, expected) in cases {
        let (code, text) = message(arguments);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn sweeps_of_options_and_parameters_are_recorded_with_phases_and_rounds() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sweep.json");
    let arguments = ["--graphs", "gen:gnm:n=500,m=1k/2k", "--peers", "", "--runs", "1"];
    let solvers = ["--solvers", "boruvka,boruvka-edge:chunk=32/64"];
    let record = recorded(&[&arguments[..], &solvers].concat(), &path);
    let graphs = record["measured"]["solve"]["graphs"].as_array().unwrap();
    let names: Vec<_> = graphs.iter().map(|graph| graph["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["gen:gnm:n=500,m=1k", "gen:gnm:n=500,m=2k"]);
    for graph in graphs {
        let contestants = graph["contestants"].as_array().unwrap();
        let chunks: Vec<_> = contestants.iter().map(|one| &one["settings"]["chunk"]).collect();
        assert_eq!(chunks, [&Value::Null, &32.into(), &64.into()]);
        for contestant in contestants {
            let observed = &contestant["observed"];
            assert_eq!(observed["rounds"][0]["components"], 500, "{observed}");
            assert!(!observed["phases"].as_array().unwrap().is_empty(), "{observed}");
            // The observed solve is no sample.
            assert_eq!(contestant["timing"]["seconds"].as_array().unwrap().len(), 1);
        }
    }
    let report = bench(&["report", path.to_str().unwrap()]);
    let text = String::from_utf8_lossy(&report.stdout);
    assert!(text.contains("| boruvka-edge chunk=32 |"), "{text}");
    assert!(text.contains("boruvka-edge chunk=64, observed: "), "{text}");
}

/// Runs the evaluation of a paper on two threads, and returns its record and its report.
fn evaluated(arguments: &[&str], record: &Path) -> (Value, String) {
    let path = record.to_str().unwrap();
    let output = bench(&[arguments, &["--threads", "2", "-o", path]].concat());
    let messages = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{messages}");
    let printed = String::from_utf8(output.stdout).unwrap();
    let report = bench(&["report", path]);
    assert_eq!(String::from_utf8(report.stdout).unwrap(), printed);
    (serde_json::from_slice(&std::fs::read(record).unwrap()).unwrap(), printed)
}

#[test]
fn the_evaluations_of_papers_run_at_a_tiny_scale() {
    let folder = tempfile::tempdir().unwrap();
    let papers = [
        ("nobari", "figure-5", "| New York* | 132 |", " paper: HybridPMA |"),
        ("manoochehri", "table-3.2", "| FLA* | 535 |", " paper: parallel STM |"),
        ("sousa", "figure-5.5", "| USA* | 11973 | ", "| threads=40 | 10.26 |  |  |"),
        ("shou-he", "figures-1-4", "| map | 536.5 | 535.4 |", " paper: Figure 2, first version |"),
        ("biagiotti", "speed-ups", "| Eastern USA* | 1799 |", "\nSpeed-up over prim-binary:"),
    ];
    for (paper, experiment, row, column) in papers {
        let path = folder.path().join(paper);
        let (record, text) = evaluated(&[paper, "--smoke", "--rank-program", "missing"], &path);
        assert!(text.contains(row) && text.contains(column), "{paper} {row} {column} {text}");
        assert!(text.contains("sizes divided by 2000"), "{text}");
        let experiments = record["measured"]["paper"]["experiments"].as_array().unwrap();
        assert!(experiments.iter().any(|one| one["id"] == experiment));
        if paper == "manoochehri" {
            let partitions = experiments.last().unwrap()["partitions"].as_array().unwrap();
            assert_eq!(partitions[0]["stand_in_for"], "USA-road-d.E", "{partitions:?}");
            assert!(text.contains("| E* | 8 | kostra-fast |"), "{text}");
        }
        for graph in experiments.iter().flat_map(|one| one["graphs"].as_array().unwrap()) {
            assert_eq!(graph["verified"], true, "{graph}");
            assert_eq!(graph["disagreements"].as_array().unwrap().len(), 0);
        }
    }
}

#[test]
fn jobs_on_ranks_keep_their_spread_over_ranks() {
    // Another package has this program, so it is there only if it was built before.
    let program = Path::new(env!("CARGO_BIN_EXE_kostra-bench")).with_file_name("examples/bench");
    let mpirun = Command::new("mpirun").arg("--version").output();
    if !program.exists() || mpirun.is_err() {
        println!("skipped: there is no mpirun, or the example `bench` of kostra-mpi is not built");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ranks.json");
    let (record, text) = evaluated(&["sousa", "--smoke", "--only", "figure-5.7"], &path);
    assert!(text.contains("ranks=2 threads=1"), "{text}");
    assert!(text.contains("Each phase over ranks: least, median and most"), "{text}");
    let graph = &record["measured"]["paper"]["experiments"][0]["graphs"][0];
    let contestants = graph["contestants"].as_array().unwrap();
    let on_two = contestants.iter().find(|one| one["settings"]["ranks"] == 2).unwrap();
    let phase = &on_two["observed"]["phases"][0];
    assert!(phase["ranks"]["least"].as_f64() <= phase["ranks"]["most"].as_f64(), "{phase}");
}

#[test]
fn an_evaluation_is_limited_to_figures_and_to_a_budget() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("figure.json");
    let only = ["nobari", "--scale", "10000", "--runs", "1", "--only", "figure-8"];
    let (record, text) = evaluated(&only, &path);
    let experiments = record["measured"]["paper"]["experiments"].as_array().unwrap();
    assert_eq!(experiments.len(), 1);
    assert!(text.contains("Vertices unified in each iteration, in percent"), "{text}");

    let message = |arguments: &[&str]| {
        let output = bench(arguments);
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let empty = tempfile::tempdir().unwrap();
    let empty = empty.path().to_str().unwrap();
    let cases: [(&[&str], &str); 10] = [
        (
            &["sosa", "--quick"],
            "there is no command or suite 'sosa'; there are: run, read, process, sousa,",
        ),
        (
            &["nobari", "--only", "figure-7a,table-1", "--data", empty],
            "has none of the graphs of nobari as .gr, .kst, .osm.pbf or SNAP's .txt, plain or \
             compressed: USA-road-d.BAY, USA-road-d.CAL,",
        ),
        (&["shou-he", "--data", empty], "shou-he uses no real graphs; omit --data"),
        (&["sousa", "--quick", "--data", empty], "graphs of divided sizes are generated; omit"),
        (&["shou-he", "--smoke", "--runs", "2"], "'--smoke' cannot be used with '--runs <RUNS>'"),
        (
            &["sousa", "--quick", "--scale", "2"],
            "'--quick' cannot be used with '--scale <DIVISOR>'",
        ),
        (&["nobari", "--scale", "10000", "--budget", "0"], "the budget of time is spent"),
        (&["nobari", "--only", "figure-9"], "nobari has no 'figure-9'; it has: figure-5,"),
        (&["manoochehri", "--data", "no-such-folder"], "no-such-folder: no such folder"),
        (&["nobari", "--scale", "0"], "0 is not in 1.."),
    ];
    for (arguments, expected) in cases {
        let (code, text) = message(arguments);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn partitions_are_counted_again_and_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("partition.json");
    let kostra = "fast,eco,manoochehri,manoochehri-random,manoochehri-bisecting";
    let wanted = ["-k", "2,8", "--kostra", kostra, "-o", path.to_str().unwrap()];
    let output = bench(&[&["partition", "--smoke"], &wanted[..]].concat());
    let messages = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{messages}");
    let record: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let results = record["measured"]["partition"].as_array().unwrap();
    assert_eq!(results.len(), 3 * 2 * 6); // graphs, numbers of parts, contestants
    let cut = |contestant: &str| {
        let is_grid = |result: &&Value| {
            result["contestant"] == contestant && result["class"] == "mesh" && result["parts"] == 2
        };
        results.iter().find(is_grid).unwrap()["runs"][0]["cut"].as_u64().unwrap()
    };
    assert!((30..60).contains(&cut("kostra-eco")), "{}", cut("kostra-eco"));
    assert!(cut("kostra-eco") < cut("blocks-by-degree"));
    assert!(cut("kostra-manoochehri") < cut("blocks-by-degree"));
}
