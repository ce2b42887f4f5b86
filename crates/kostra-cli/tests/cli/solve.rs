//! `kostra solve`: what it reports, and the forests it writes.

use crate::harness::{Outcome, SMALL, Workplace, assert_snapshot};

fn small() -> Workplace {
    let workplace = Workplace::new();
    workplace.write("small.gr", SMALL);
    workplace
}

#[test]
fn the_report_says_what_was_found_and_how_long_it_took() {
    let outcome = small().run("solve small.gr --verify").expect_success();
    assert_snapshot("solve_report", &outcome.stdout);
    assert_eq!(outcome.stderr, "");
}

#[test]
fn the_record_has_every_promised_field() {
    let outcome = small().run("solve small.gr --json --verify --trace").expect_success();
    assert_snapshot("solve_json", &outcome.stdout);
    let record = small().run("solve small.gr --json").expect_success().json();
    for field in ["vertices", "edges", "components", "forest_edges", "total_weight", "threads"] {
        assert!(record[field].is_u64(), "{field}: {record}");
    }
    for step in ["load", "build", "solve", "verify", "write"] {
        assert!(record["seconds"][step].is_f64(), "{step}: {record}");
    }
    assert!(
        record["verified"].is_null()
            && record["notes"].is_array()
            && record["algorithm"].is_string()
    );
}

#[test]
fn totals_are_exact_beyond_64_bits_and_infinite_where_they_are() {
    let workplace = Workplace::new();
    let largest = i64::MAX;
    workplace.write("large.edges", format!("0 1 {largest}\n1 2 {largest}\n2 3 {largest}\n"));
    let outcome = workplace.run("solve large.edges --json").expect_success();
    let total = 3 * i128::from(largest);
    assert!(
        outcome.stdout.contains(&format!("\"total_weight\": {total},\n")),
        "{}",
        outcome.stdout
    );
    workplace.write("infinite.edges", "0 1 inf\n1 2 1.5\n");
    let record = workplace.run("solve infinite.edges --json").expect_success().json();
    assert_eq!(record["total_weight"], "inf");
    let report = workplace.run("solve infinite.edges").expect_success().stdout;
    assert!(report.contains("total weight inf"), "{report}");
}

#[test]
fn the_maximum_forest_is_another() {
    let workplace = small();
    let minimum = workplace.run("solve small.gr --json").expect_success().json();
    let maximum = workplace.run("solve small.gr --maximum --verify --json").expect_success().json();
    assert_eq!((&minimum["total_weight"], &minimum["maximum"]), (&5.into(), &false.into()));
    assert_eq!((&maximum["total_weight"], &maximum["maximum"]), (&14.into(), &true.into()));
    assert_eq!(maximum["verified"], true);
    let report = workplace.run("solve small.gr --maximum").expect_success().stdout;
    assert!(report.starts_with("Maximum spanning forest of small.gr\n"), "{report}");
}

#[test]
fn every_algorithm_writes_the_same_forest() {
    let workplace = small();
    for id in workplace.algorithms_here() {
        let outcome =
            workplace.run(&format!("solve small.gr --algorithm {id} -o {id}.txt")).expect_success();
        assert!(
            outcome.stdout.contains(&format!("algorithm       {id} on ")),
            "{}",
            outcome.stdout
        );
        assert_eq!(workplace.read(&format!("{id}.txt")), "1\n3\n4\n", "{id}");
    }
}

#[test]
fn forests_are_written_as_asked() {
    let workplace = small();
    for format in ["ids", "edges", "gr"] {
        let outcome = workplace
            .run(&format!("solve small.gr -o - --output-format {format}"))
            .expect_success();
        assert_snapshot(&format!("forest_as_{format}"), &outcome.stdout);
        assert!(outcome.stderr.starts_with("Minimum spanning forest"), "{}", outcome.stderr);
    }
    workplace.run("solve small.gr -o forest.kst").expect_success();
    let record = workplace.run("solve forest.kst --json").expect_success().json();
    assert_eq!((&record["edges"], &record["total_weight"]), (&3.into(), &5.into()));
    assert_eq!(record["format"], "kst");
}

#[test]
fn the_extension_chooses_the_form_of_the_forest() {
    let workplace = small();
    for (file, start) in [("a.txt", "1\n3\n"), ("a.edges", "edge\tu\tv\tweight\n"), ("a", "1\n3\n")]
    {
        let report = workplace.run(&format!("solve small.gr -o {file}")).expect_success().stdout;
        assert!(workplace.read(file).starts_with(start), "{file}");
        assert!(report.contains(&format!("written         {file} (")), "{report}");
    }
    assert_eq!(workplace.files(), ["a", "a.edges", "a.txt", "small.gr"]);
}

#[test]
fn names_come_back_in_the_forest() {
    let workplace = Workplace::new();
    workplace.write(
        "links.csv",
        "from,to,weight\nPrague,Brno,205\nBrno,Ostrava,170\nOstrava,Prague,370\n",
    );
    let outcome =
        workplace.run("solve links.csv --names -o - --output-format edges").expect_success();
    assert_eq!(outcome.stdout, "edge\tu\tv\tweight\n0\tPrague\tBrno\t205\n1\tBrno\tOstrava\t170\n");
}

#[test]
fn standard_input_is_an_input() {
    let workplace = Workplace::new();
    let record = workplace.run_with_input("solve - --json", SMALL).expect_success().json();
    assert_eq!((&record["total_weight"], &record["input"]), (&5.into(), &"standard input".into()));
}

#[test]
fn generated_graphs_are_inputs() {
    let workplace = Workplace::new();
    let record =
        workplace.run("solve gen:grid:rows=20,cols=30 --verify --json").expect_success().json();
    assert_eq!((&record["vertices"], &record["forest_edges"]), (&600.into(), &599.into()));
    assert_eq!((&record["format"], &record["verified"]), (&"gen".into(), &true.into()));
}

#[test]
fn invented_weights_and_skipped_edges_are_reported() {
    let workplace = Workplace::new();
    workplace.write("bare.txt", "0 1\n1 2\n2 0\n").write("nan.txt", "0 1 1.5\n1 2 nan\n2 0 2.5\n");
    let unit = workplace.run("solve bare.txt").expect_success().stdout;
    let hash = workplace.run("solve bare.txt --weights hash").expect_success().stdout;
    let skip = workplace.run("solve nan.txt --nan skip --verify").expect_success().stdout;
    assert_snapshot("solve_notes", &format!("{unit}\n{hash}\n{skip}"));
    let record = workplace.run("solve nan.txt --nan skip --json").expect_success().json();
    assert_eq!(record["notes"].as_array().unwrap().len(), 1, "{record}");
}

/// The number of threads of commands that name none.
fn threads_present() -> u64 {
    kostra_core::default_threads() as u64
}

#[test]
fn the_environment_gives_the_number_of_threads() {
    let workplace = small();
    let run = |variables: &[(&str, &str)], arguments: &str| {
        let mut command =
            workplace.command(&format!("solve small.gr --algorithm fast {arguments}"));
        command.env_remove("KOSTRA_NUM_THREADS").env_remove("OMP_NUM_THREADS");
        Outcome::from_output(command.envs(variables.iter().copied()).output().unwrap())
    };
    let threads = |variables: &[(&str, &str)], arguments: &str| {
        run(variables, &format!("{arguments} --json")).expect_success().json()["threads"].clone()
    };
    assert_eq!(threads(&[("KOSTRA_NUM_THREADS", "3"), ("OMP_NUM_THREADS", "1")], ""), 3);
    assert_eq!(threads(&[("OMP_NUM_THREADS", "1")], ""), 1);
    assert_eq!(threads(&[("OMP_NUM_THREADS", "1")], "--threads 2"), 2);
    let outcome = run(&[("KOSTRA_NUM_THREADS", "many")], "");
    assert_eq!(outcome.code, Some(2));
    let expected = "kostra: KOSTRA_NUM_THREADS is \"many\"; set it to a number of threads from 1 to \
                    4096, or unset it\n";
    assert_eq!(outcome.stderr, expected);
}

#[test]
fn zero_threads_mean_all_threads() {
    let workplace = small();
    for algorithm in workplace.algorithms("threads") {
        for threads in ["", " --threads 0"] {
            let command = format!("solve small.gr --json --algorithm {algorithm}{threads}");
            let record = workplace.run(&command).expect_success().json();
            assert_eq!(record["threads"], threads_present(), "{command}");
            assert_eq!(
                (&record["notes"], &record["total_weight"]),
                (&serde_json::json!([]), &5.into()),
                "{command}"
            );
        }
        let command = format!("solve small.gr --json --algorithm {algorithm} --threads 1");
        assert_eq!(workplace.run(&command).expect_success().json()["threads"], 1, "{command}");
    }
    for algorithm in workplace.algorithms("one thread") {
        let command = format!("solve small.gr --json --algorithm {algorithm} --threads 0");
        assert_eq!(workplace.run(&command).expect_success().json()["threads"], 1, "{command}");
    }
}

#[test]
fn more_threads_than_there_are_is_a_note() {
    let workplace = small();
    let present = threads_present();
    for wanted in [present + 1, 500] {
        let threads = if present == 1 { "one thread".into() } else { format!("{present} threads") };
        let note = format!("`--threads {wanted}`: this machine runs {threads} at a time");
        for algorithm in workplace.algorithms("threads") {
            let command =
                format!("solve small.gr --algorithm {algorithm} --threads {wanted} --verify");
            let record = workplace.run(&format!("{command} --json")).expect_success().json();
            assert_eq!(record["notes"], serde_json::json!([note]), "{command}");
            assert_eq!(
                (&record["threads"], &record["verified"]),
                (&wanted.into(), &true.into()),
                "{command}"
            );
        }
        // The note is in the report, on either stream.
        let report =
            workplace.run(&format!("solve small.gr --threads {wanted}")).expect_success().stdout;
        assert!(report.contains(&format!("  note            {note}\n")), "{report}");
        let apart =
            workplace.run(&format!("solve small.gr --threads {wanted} -o -")).expect_success();
        assert_eq!(apart.stdout, "1\n3\n4\n");
        assert!(apart.stderr.contains(&note), "{apart:?}");
    }
    let record = workplace
        .run(&format!("solve small.gr --threads {present} --json"))
        .expect_success()
        .json();
    assert_eq!(record["notes"], serde_json::json!([]));
}

#[test]
fn the_trace_ends_the_report_on_the_same_stream() {
    let workplace = small();
    let outcome = workplace.run("solve small.gr --algorithm boruvka --trace").expect_success();
    let report = outcome.stdout.find("algorithm").unwrap();
    for heading in ["phase", "round", "components"] {
        assert!(outcome.stdout[report..].contains(heading), "{}", outcome.stdout);
    }
    assert_eq!(outcome.stderr, "");
}

#[test]
fn a_quiet_solve_prints_nothing_unless_the_forest_is_wrong() {
    let workplace = small();
    let outcome = workplace.run("solve small.gr --quiet -o forest.ids --verify").expect_success();
    assert_eq!((&*outcome.stdout, &*outcome.stderr), ("", ""));
    let outcome = workplace.run("solve small.gr --quiet --verify").expect_success();
    assert_eq!((&*outcome.stdout, &*outcome.stderr), ("", ""), "the exit code is the answer");
    assert!(!workplace.run("solve small.gr --quiet").stderr.is_empty(), "the forest goes nowhere");
}

#[test]
fn an_empty_graph_has_an_empty_forest() {
    let workplace = Workplace::new();
    workplace.write("nothing.gr", "p sp 0 0\n").write("lonely.gr", "p sp 3 0\n");
    let nothing = workplace.run("solve nothing.gr --verify").expect_success().stdout;
    let lonely = workplace.run("solve lonely.gr --verify").expect_success().stdout;
    assert_snapshot("solve_nothing", &format!("{nothing}\n{lonely}"));
}

#[test]
fn compare_finds_exact_forests_equal_and_states_the_excess_of_others() {
    let workplace = small();
    let command = "compare small.gr --algorithm kruskal,boruvka,prim-boundary --runs 2 --json";
    let record = workplace.run(command).expect_success().json();
    assert_eq!(record["agree"], true, "{record}");
    let rows = record["algorithms"].as_array().unwrap();
    for row in &rows[..2] {
        assert_eq!((&row["equal"], &row["total_weight"]), (&true.into(), &5.into()), "{row}");
        assert_eq!(row["seconds_of_runs"].as_array().unwrap().len(), 2, "{row}");
    }
    assert!(rows[1]["rounds"].as_u64() > Some(0), "{record}");
    assert!(rows[2]["equal"].is_null() && rows[2]["excess_weight"].is_u64(), "{record}");
    let all = workplace.run("compare small.gr --algorithm all --json").expect_success().json();
    assert!(all["algorithms"].as_array().unwrap().len() > 10 && all["agree"] == true);
    let named = workplace.run("compare small.gr --algorithm Prim,KRUSKAL --json").json();
    assert_eq!(named["algorithms"][0]["algorithm"], "prim-binary");
    let unknown = workplace.run("compare small.gr --algorithm kruskal,boruvca");
    assert_eq!(unknown.code, Some(2), "{unknown:?}");
    assert!(unknown.stderr.contains("did you mean boruvka"), "{unknown:?}");
}

#[test]
#[cfg(unix)]
fn control_characters_in_file_names_reach_no_terminal_and_no_picture() {
    let workplace = Workplace::new();
    let name = "a\u{1b}[31m\u{7}.csv";
    workplace.write(name, "0,1,5\n1,2,6\n");
    for line in ["solve", "solve --weight none", "draw -o x.svg", "info", "tree", "verify x.ids"] {
        let outcome = workplace.shell(&format!("kostra {line} 'a'*.csv; true"));
        for text in [&outcome.stdout, &outcome.stderr] {
            let control = |c: char| c.is_control() && c != '\n';
            assert!(!text.contains(control), "{line}: {text:?}");
        }
    }
    assert!(!workplace.read("x.svg").contains(|c: char| c.is_control() && c != '\n'));
}

/// Without MPI, the processes of a launcher would do the same work.
#[test]
#[cfg(not(feature = "mpi"))]
fn several_processes_of_a_launcher_are_refused() {
    let workplace = Workplace::new();
    workplace.write("small.gr", SMALL);
    for (variable, code) in [("OMPI_COMM_WORLD_SIZE=2", 2), ("SLURM_STEP_NUM_TASKS=3", 2)]
        .into_iter()
        .chain([("OMPI_COMM_WORLD_SIZE=1", 0), ("SLURM_NTASKS=8", 0)])
    {
        let outcome = workplace.shell(&format!("{variable} kostra solve small.gr -o own.ids"));
        assert_eq!(outcome.code, Some(code), "{variable}: {outcome:?}");
        assert_eq!(workplace.path("own.ids").exists(), code == 0);
        if code == 2 {
            assert!(outcome.stderr.contains("this build of kostra has no MPI"), "{outcome:?}");
        }
    }
}
