//! The commands that describe graphs, algorithms, generators, the machine and the command itself.

use crate::harness::{Outcome, SMALL, Workplace, assert_snapshot};

#[test]
fn info_describes_a_graph() {
    let workplace = Workplace::new();
    workplace.write("small.gr", SMALL);
    let report = workplace.run("info small.gr").expect_success().stdout;
    let record = workplace.run("info small.gr --json").expect_success().stdout;
    assert_snapshot("info", &format!("{report}\n{record}"));
}

#[test]
fn info_describes_a_graph_equally_in_every_format() {
    let workplace = Workplace::new();
    let describe = |file: &str| {
        let mut record = workplace.run(&format!("info {file} --json")).expect_success().json();
        for field in [
            "input",
            "format",
            "evidence",
            "memory",
            "seconds",
            "coordinates",
            "notes",
            "weight_type",
        ] {
            record.as_object_mut().unwrap().remove(field);
        }
        record
    };
    workplace.run("generate road:n=500,seed=3 -o road.kst").expect_success();
    let expected = describe("road.kst");
    for file in
        ["road.gr", "road.edges", "road.mtx", "road.graph", "road.egr", "road.wsg", "road.gr.gz"]
    {
        workplace.run(&format!("convert road.kst {file}")).expect_success();
        assert_eq!(describe(file), expected, "{file}");
    }
    let report = workplace.run("info road.kst").expect_success().stdout;
    assert!(report.contains("read as         Kostra; with coordinates"), "{report}");
}

#[test]
fn partition_reports_cut_balance_boundary_and_volume() {
    let workplace = Workplace::new();
    workplace.write("small.gr", SMALL);
    let report = workplace.run("partition small.gr -k 2 -o parts.txt").expect_success().stdout;
    let record = workplace.run("partition small.gr -k 2 --json").expect_success().stdout;
    assert_snapshot("partition", &format!("{report}\n{record}"));
}

#[test]
fn partition_takes_the_steps_of_manoochehri_on_the_processor_and_refuses_those_of_a_device() {
    let workplace = Workplace::new();
    let line = "partition gen:grid:rows=60,cols=60 -k 4 --manoochehri";
    let record = workplace.run(&format!("{line} --json")).expect_success().json();
    assert_eq!(
        (&record["matching"], &record["refinement"]),
        (&"heavy-edge".into(), &"queues".into())
    );
    assert!(record["preset"].is_null() && record["device"].is_null(), "{record}");
    assert!((100..240).contains(&record["edge_cut"].as_i64().unwrap()), "{record}");
    let report = workplace.run(&format!("{line} --threads 2")).expect_success().stdout;
    assert!(report.contains("Manoochehri's (seed 0)"), "{report}");
    assert!(report.contains(&format!("{} edges between", record["edge_cut"])), "{report}");
    for (options, reason) in [
        ("--manoochehri --preset eco", "`--preset` has no effect"),
        ("--matching transactions", "`--matching` has no effect on the processor"),
    ] {
        let refused = workplace.run(&format!("partition gen:path:n=9 -k 2 {options}"));
        assert!(refused.code != Some(0) && refused.stderr.contains(reason), "{refused:?}");
    }
}

#[test]
fn partition_balances_the_weights_of_a_metis_file() {
    let workplace = Workplace::new();
    workplace.write("path.graph", "4 3 10\n3 2\n1 1 3\n1 2 4\n1 3\n");
    let total = |options: &str| -> i64 {
        let run = workplace.run(&format!("partition path.graph -k 2 --json{options}"));
        let record = run.expect_success().json();
        let weights = record["part_weights"].as_array().unwrap();
        weights.iter().map(|weight| weight.as_i64().unwrap()).sum()
    };
    assert_eq!((total(" --vertex-weights"), total("")), (6, 4));
    let report = workplace.run("partition path.graph -k 2 --vertex-weights").stdout;
    assert!(report.contains("the heaviest part has weight"), "{report}");

    workplace.write("several.graph", "2 1 10 2\n1 5 2\n1 5 1\n");
    workplace.write("none.graph", "2 1\n2\n1\n");
    let error =
        |file: &str| workplace.run(&format!("partition {file} -k 2 --vertex-weights")).stderr;
    assert!(error("several.graph").contains("each vertex has 2 weights"));
    assert!(error("none.graph").contains("the graph has no weights of vertices"));
}

#[test]
fn converting_through_pipes_works_too() {
    let workplace = Workplace::new();
    workplace.write("small.gr", SMALL);
    let text = workplace.run("convert small.gr - --to edges").expect_success().stdout;
    let back = workplace.run_with_input("convert - - --to gr", text).expect_success().stdout;
    let record = workplace.run_with_input("solve - --json", back).expect_success().json();
    assert_eq!((&record["edges"], &record["total_weight"]), (&7.into(), &5.into()));
}

#[test]
fn generating_says_what_was_made() {
    let workplace = Workplace::new();
    let outcome = workplace.run("generate gen:cycle:n=5 -o cycle.gr").expect_success();
    assert_snapshot("generate", &outcome.stderr);
    assert_eq!(outcome.stdout, "");
    let outcome = workplace.run("generate --list").expect_success();
    for name in ["road", "grid", "gnm", "rmat", "dense", "path", "star"] {
        assert!(outcome.stdout.contains(&format!("gen:{name}")), "{name}");
    }
}

#[test]
fn the_registry_is_shown_with_sources() {
    let workplace = Workplace::new();
    let records = workplace.run("solvers --json").expect_success().json();
    let table = workplace.run("solvers").expect_success().stdout;
    for record in records.as_array().unwrap() {
        for field in ["id", "title", "source", "platform", "representation", "time", "scratch"] {
            assert!(table.contains(record[field].as_str().unwrap()), "{field} of {record}");
        }
    }
}

#[test]
fn the_doctor_reports_what_is_available_and_why_the_rest_is_not() {
    let workplace = Workplace::new();
    let record = workplace.run("doctor --json").expect_success().json();
    assert!(record["threads"].as_u64() >= Some(1), "{record}");
    assert_eq!(record["backends"][0]["available"], true);
    assert_eq!(record["backends"][2]["available"], false);
    assert!(record["backends"][2]["reason"].as_str().unwrap().starts_with("this build has no "));
}

#[test]
fn the_doctor_describes_every_device_or_says_why_there_is_none() {
    let workplace = Workplace::new();
    let record = workplace.run("doctor --json").expect_success().json();
    let (cuda, devices) = (&record["backends"][1], record["devices"].as_array().unwrap());
    assert!(cuda["reason"].as_str().is_some_and(|reason| reason.len() > 10), "{record}");
    let usable = devices.iter().filter(|device| device["reason"].is_null()).count();
    assert!(usable > 0 || cuda["available"] == false, "{record}");
    for device in devices.iter().filter(|device| device["reason"].is_null()) {
        assert!(device["description"]["total_bytes"].as_u64() > Some(0), "{record}");
    }
}

#[test]
fn without_a_device_the_reason_is_reported_before_anything_is_read() {
    let workplace = Workplace::new();
    for arguments in [
        "solve no-such-file.gr",
        "solve no-such-file.gr --memory 1GiB",
        "partition no-such-file.gr -k 2",
        "tree no-such-file.csv",
        "cluster no-such-file.csv",
    ] {
        let mut command = workplace.command(&format!("{arguments} --device cuda"));
        // Hides the devices of a machine that has some.
        let hidden = command.env("CUDA_VISIBLE_DEVICES", "");
        let outcome = Outcome::from_output(hidden.output().unwrap());
        assert_eq!(outcome.code, Some(2));
        assert!(outcome.stderr.starts_with("kostra: no CUDA device: "), "{outcome:?}");
        assert_eq!(outcome.stderr.lines().count(), 1, "{outcome:?}");
    }
}

/// The names of all commands, as the help lists them.
fn commands(workplace: &Workplace) -> Vec<String> {
    let help = workplace.run("--help").expect_success().stdout;
    let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let names = list.lines().filter_map(|line| line.split_whitespace().next());
    names.filter(|&name| name != "help").map(str::to_owned).collect()
}

#[test]
fn every_command_has_help_with_examples_and_a_manual_page() {
    let workplace = Workplace::new();
    let help = workplace.run("").expect_success().stdout;
    assert_eq!(workplace.run("--help").expect_success().stdout, help);
    for words in ["Examples:\n  kostra ", "Exit codes: 0 "] {
        assert!(help.contains(words), "{words}: {help}");
    }
    let commands = commands(&workplace);
    assert!(commands.len() >= 9, "{commands:?}");
    for command in &commands {
        let help = workplace.run(&format!("{command} --help")).expect_success().stdout;
        assert!(help.contains("Examples:\n  kostra "), "{help}");
        let page = workplace.run(&format!("man {command}")).expect_success().stdout;
        assert!(page.contains(&format!(".TH kostra-{command} 1")), "{page}");
        let script = workplace.run("completions bash").expect_success().stdout;
        assert!(script.contains(&format!("kostra,{command})")), "{command}");
    }
    assert_snapshot("help_solve", &workplace.run("solve --help").expect_success().stdout);
}

#[test]
fn completions_and_manual_pages_are_made() {
    let workplace = Workplace::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = workplace.run(&format!("completions {shell}")).expect_success().stdout;
        assert!(script.contains("output-format"), "{shell}");
    }
    let page = workplace.run("man").expect_success().stdout;
    assert!(page.contains(".TH kostra 1"), "{page}");
    let page = workplace.run("man solve").expect_success().stdout;
    assert!(page.contains(".TH kostra-solve 1") && page.contains("maximum"), "{page}");
    let outcome = workplace.run("man nothing");
    assert_eq!(outcome.code, Some(2));
    assert_eq!(outcome.stderr, "kostra: there is no command 'nothing'; `kostra help` lists them\n");
}
