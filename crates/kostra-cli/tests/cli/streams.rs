//! Pipes that close, disks that are full, and files that are replaced whole or not at all.
#![cfg(unix)]

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::harness::{Outcome, SMALL, Workplace};

#[test]
fn a_closed_pipe_is_silent() {
    let workplace = Workplace::new();
    for format in ["ids", "edges", "gr", "kst"] {
        let command = format!("solve gen:path:n=300000 -o - --output-format {format}");
        let mut child = workplace.command(&command).spawn().unwrap();
        let mut start = [0; 10];
        child.stdout.take().unwrap().read_exact(&mut start).unwrap();
        // The pipe closes here, before most of the forest is written.
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert!(said.starts_with("Minimum spanning forest") && !said.contains("kostra:"), "{said}");
    }
    for command in [
        "",
        "solve gen:path:n=10",
        "solvers",
        "generate --list",
        "solve --help",
        "man",
        "completions bash",
    ] {
        let mut child = workplace.command(command).spawn().unwrap();
        drop(child.stdout.take());
        drop(child.stderr.take());
        assert_eq!(child.wait().unwrap().code(), Some(0), "{command}");
    }
}

#[test]
fn the_answer_no_survives_a_closed_pipe() {
    let workplace = Workplace::new();
    workplace.write("small.gr", SMALL).write("forest.txt", "1\n");
    let mut child = workplace.command("verify small.gr forest.txt").spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn a_full_disk_is_an_error() {
    if !Path::new("/dev/full").exists() {
        println!("skipped: this system has no /dev/full");
        return;
    }
    let workplace = Workplace::new();
    for command in ["solve gen:path:n=10 -o /dev/full", "generate path:n=10 -o /dev/full --to gr"] {
        let outcome = workplace.run(command);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{outcome:?}");
        assert_eq!(outcome.stderr, "kostra: /dev/full: No space left on device\n", "{command}");
    }
    let commands = [
        "solve gen:path:n=10",
        "solve gen:path:n=10 -o -",
        "solvers",
        "info gen:path:n=10",
        "man",
        "--help",
        "solve --help",
        "",
    ];
    for command in commands {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = workplace.command(command).stdout(full).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{command}: {said}");
        assert_eq!(said, "kostra: standard output: No space left on device\n", "{command}");
    }
}

#[test]
fn an_output_that_cannot_be_is_an_error_and_leaves_nothing() {
    let workplace = Workplace::new();
    std::fs::create_dir(workplace.path("folder")).unwrap();
    for (output, words) in [("folder", "folder: "), ("missing/forest.txt", "missing/forest.txt: ")]
    {
        let outcome = workplace.run(&format!("solve gen:path:n=10 -o {output}"));
        assert_eq!(outcome.code, Some(2), "{outcome:?}");
        assert!(outcome.stderr.starts_with(&format!("kostra: {words}")), "{outcome:?}");
        assert_eq!(outcome.stderr.lines().count(), 1, "{outcome:?}");
    }
    assert_eq!(workplace.files(), ["folder"]);
}

#[test]
fn an_old_file_stays_when_the_new_one_fails() {
    let workplace = Workplace::new();
    workplace.write("forest.txt", "old").write("bad.gr", "p sp 2 1\na 1 3 5\n");
    assert_eq!(workplace.run("solve bad.gr -o forest.txt").code, Some(2));
    assert_eq!(workplace.read("forest.txt"), "old");
}

#[test]
fn no_progress_is_shown_where_nobody_watches() {
    let workplace = Workplace::new();
    let outcome = workplace.run("solve gen:gnm:n=100000,m=3000000 --verify").expect_success();
    assert_eq!(outcome.stderr, "");
}

/// Runs a command while another thread overwrites its input in place, over and over.
#[test]
fn a_file_that_is_overwritten_while_it_is_read_is_an_error() {
    use std::io::{Seek, Write};
    use std::sync::atomic::{AtomicBool, Ordering};
    let workplace = Workplace::new();
    workplace.run("generate gnm:n=100k,m=1M -o g.edges").expect_success();
    let path = workplace.path("g.edges");
    let bytes = std::fs::read(&path).unwrap();
    for command in ["solve g.edges -o f.ids", "solve g.edges -o f.ids --memory 64MiB", "info -"] {
        let stop = AtomicBool::new(false);
        let outcome = std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut file = File::options().write(true).open(&path).unwrap();
                while !stop.load(Ordering::Relaxed) {
                    file.rewind().unwrap();
                    file.write_all(&bytes).unwrap();
                }
            });
            let input = File::open(&path).unwrap();
            let output = workplace.command(command).stdin(input).output();
            stop.store(true, Ordering::Relaxed);
            Outcome::from_output(output.unwrap())
        });
        assert_eq!(outcome.code, Some(2), "{command}: {outcome:?}");
        assert!(outcome.stderr.contains("the file changed while it was in use"), "{outcome:?}");
        assert_eq!(workplace.files(), ["g.edges"], "{command}");
    }
}
