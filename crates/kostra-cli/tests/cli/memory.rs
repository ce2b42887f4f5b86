//! What happens if the system does not grant the memory that an algorithm needs.
#![cfg(target_os = "linux")]

use std::process::Command;

use crate::harness::{Outcome, Workplace};

/// Runs the command with `kibibytes` KiB of address space. Returns none if no shell can set the
/// limit.
fn run_within(kibibytes: u32, arguments: &str) -> Option<Outcome> {
    let limits = |script: &str| {
        let mut shell = Command::new("sh");
        shell.args([
            "-c",
            &format!("ulimit -v {kibibytes} && {script}"),
            env!("CARGO_BIN_EXE_kostra"),
        ]);
        shell
    };
    if !limits("true").output().is_ok_and(|output| output.status.success()) {
        println!("skipped: there is no shell, or it does not limit memory");
        return None;
    }
    let output = limits("exec \"$0\" \"$@\"").args(arguments.split_whitespace()).output();
    Some(Outcome::from_output(output.unwrap()))
}

#[test]
fn scratch_memory_that_is_not_granted_is_an_error_that_names_the_bytes() {
    // Next to no edges, so that the graph itself takes little; 12 bytes for each of them, 24 for
    // each vertex.
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
        // At least an array with a byte for each vertex; smaller arrays are granted.
        assert!(
            bytes.is_some_and(|bytes| bytes.parse::<u64>().unwrap() >= 100_000_000),
            "{outcome:?}"
        );
    }
}

#[test]
fn rows_for_which_memory_is_not_granted_are_an_error_that_names_who_wants_them() {
    for algorithm in ["prim-binary", "prim-pairing", "boruvka-contract"] {
        let command = format!("solve gen:gnm:n=100M,m=1000 --algorithm {algorithm}");
        let Some(outcome) = run_within(700_000, &command) else { return };
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{outcome:?}");
        // 8 bytes for each vertex and one more, and 12 for each edge at either end, with 16 while
        // they are inserted.
        let bytes = 8 * (100_000_000_u64 + 1) + (12 + 16) * 2 * 1000;
        let error = format!(
            "kostra: {algorithm} needs {bytes} bytes of memory for this graph, which the system does not grant\n"
        );
        assert_eq!(outcome.stderr, error);
    }
}

#[test]
fn a_limit_that_leaves_room_is_none() {
    let Some(outcome) =
        run_within(1_500_000, "solve gen:gnm:n=1M,m=1000 --algorithm fast --threads 2")
    else {
        return;
    };
    outcome.expect_success();
}

/// The commands that hold their whole input refuse what is beyond `--memory`, before they start if
/// the input states its size first.
#[test]
#[cfg(target_os = "linux")]
fn a_memory_limit_of_any_command_is_kept() {
    let workplace = Workplace::new();
    for (name, edges, points, rows) in [("small", 1000, 100, 3), ("big", 4_000_000, 400_000, 1000)]
    {
        let graph = format!("generate gnm:n={},m={edges} -o {name}.kst", edges / 5);
        workplace.run(&graph).expect_success();
        let points = (0..points).map(|i| format!("{},{}\n", i % 997, i % 1009));
        workplace.write(&format!("{name}.csv"), points.collect::<String>());
        let header =
            format!("{{'descr': '|u1', 'fortran_order': False, 'shape': ({rows}, 2000), }}\n");
        let mut image = b"\x93NUMPY\x01\x00".to_vec();
        image.extend((header.len() as u16).to_le_bytes());
        image.extend(header.as_bytes());
        image.resize(image.len() + rows * 2000, 7);
        workplace.write(&format!("{name}.npy"), image);
    }
    for (command, rest) in [
        ("segment", ".npy"),
        ("tree", ".csv -o tree.npy --threads 1"),
        ("cluster", ".csv --threads 1"),
        ("draw", ".kst -o g.svg --threads 1"),
        ("partition", ".kst -k 4 -o parts --threads 1"),
    ] {
        let run = |size: &str, limit: &str| {
            workplace.run(&format!("{command} {size}{rest} --memory {limit}"))
        };
        let outcome = run("big", "36MiB");
        assert_eq!(
            (outcome.code, outcome.stdout.as_str()),
            (Some(2), ""),
            "{command}: {outcome:?}"
        );
        let says = |words: &str| outcome.stderr.contains(words);
        assert!(says("`--memory`") || says("does not grant"), "{command}: {outcome:?}");
        assert_eq!(outcome.stderr.lines().count(), 1, "{command}: {outcome:?}");
        run("small", "200MiB").expect_success();
    }
    let outcome = workplace.run("segment big.npy --memory 100MiB");
    let sentence = "kostra: big.npy: dividing 2,000,000 pixels into segments takes about 115 MiB \
                    of memory, but `--memory` is 100 MiB; divide the image into tiles, or pass a \
                    larger `--memory`\n";
    assert_eq!(outcome.stderr, sentence);
}

/// Solves by all solvers, and other commands.
fn commands() -> Vec<String> {
    let solvers =
        ["auto", "kruskal", "filter-kruskal", "boruvka", "prim-binary", "prim-pairing", "fast"];
    let solvers = solvers.into_iter().chain([
        "boruvka-edge",
        "boruvka-contract",
        "boruvka-stm",
        "prim-collide",
        "pma",
        "prim-union",
        "prim-boundary",
    ]);
    let others = [
        "info g.kst",
        "convert g.gr out.kst",
        "generate road:n=20k -o out.gr",
        "verify g.gr f.ids",
        "solve huge.gr",
        "info gen:empty:n=4294967295",
        "solve g.kst -a fast --threads 4096",
    ];
    solvers
        .map(|solver| format!("solve g.gr -a {solver} --threads 2 --verify -o out.ids"))
        .chain(others.map(str::to_owned))
        .collect()
}

/// Commands and limits: steps of half as much again, from what the program needs to start to what
/// it needs to finish.
#[test]
fn every_command_ends_in_order_under_every_limit() {
    let workplace = Workplace::new();
    workplace.run("generate road:n=20k -o g.gr").expect_success();
    workplace.run("convert g.gr g.kst").expect_success();
    workplace.run("solve g.gr -o f.ids").expect_success();
    std::fs::write(workplace.path("huge.gr"), "p sp 4294967295 0\n").unwrap();
    let commands = commands();
    let folder = workplace.path("");
    let within = |kibibytes: u32, arguments: &str| {
        let script = format!("cd \"$1\" && ulimit -v {kibibytes} && exec \"$0\" {arguments}");
        let folder = folder.to_str().unwrap();
        let output =
            Command::new("sh").args(["-c", &script, env!("CARGO_BIN_EXE_kostra"), folder]).output();
        Outcome::from_output(output.unwrap())
    };
    let limits = |from: u32| std::iter::successors(Some(from), |limit| Some(limit + limit / 2));
    // Below this the system cannot start the program, whatever it does.
    let Some(least) =
        limits(8_000).take(12).find(|&limit| within(limit, "--version").code == Some(0))
    else {
        return println!("skipped: there is no shell, or it does not limit memory");
    };
    for command in &commands {
        for limit in limits(least).take(8) {
            let outcome = within(limit, command);
            let lines = outcome.stderr.lines().filter(|line| line.starts_with("kostra: ")).count();
            let is_in_order = match outcome.code {
                Some(0) => true,
                Some(2) => lines == 1 && outcome.stderr.lines().count() == 1,
                _ => false,
            };
            assert!(is_in_order, "{command} within {limit} KiB: {outcome:?}");
            let left: Vec<_> = std::fs::read_dir(&folder)
                .unwrap()
                .map(|entry| entry.unwrap().file_name())
                .collect();
            assert!(
                left.iter().all(|name| !name.to_string_lossy().starts_with('.')),
                "{command} within {limit} KiB: {left:?}"
            );
        }
    }
}

#[test]
fn a_mapped_file_that_is_cut_short_ends_the_command_in_order() {
    use std::io::Read as _;
    let workplace = Workplace::new();
    workplace.run("generate gnm:n=300k,m=3M -o g.kst").expect_success();
    // Reverse order of pages: the file is cut while the command reads it, over and over, until one
    // run is hit.
    for _ in 0..20 {
        let bytes = std::fs::read(workplace.path("g.kst")).unwrap();
        let mut child = workplace
            .command("solve g.kst -a boruvka --threads 1")
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut polls = 0;
        let maps = format!("/proc/{}/maps", child.id());
        while polls < 100_000
            && !std::fs::read_to_string(&maps).is_ok_and(|maps| maps.contains("g.kst"))
        {
            polls += 1;
        }
        std::fs::OpenOptions::new()
            .write(true)
            .open(workplace.path("g.kst"))
            .unwrap()
            .set_len(100)
            .unwrap();
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        let code = child.wait().unwrap().code();
        std::fs::write(workplace.path("g.kst"), bytes).unwrap();
        assert!(matches!(code, Some(0 | 2)), "{code:?}: {stderr}");
        if stderr.contains("became shorter while it was in use") {
            assert_eq!((code, stderr.lines().count()), (Some(2), 1));
            return;
        }
    }
    panic!("no run was hit");
}
