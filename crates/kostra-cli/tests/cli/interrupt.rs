//! Ctrl-C: the process ends at once and leaves nothing half-written.
#![cfg(unix)]

use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::harness::{SMALL, Workplace};

/// The exit code of an interrupted command, as shells have it.
const INTERRUPTED: Option<i32> = Some(130);

fn interrupt(child: &Child) {
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
}

/// Waits until something holds, for a minute at most.
fn wait_until(mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_command_that_waits_for_input_ends_at_once() {
    let workplace = Workplace::new();
    let mut child =
        workplace.command("solve - -o forest.txt").stdin(Stdio::piped()).spawn().unwrap();
    let stdin = child.stdin.take();
    std::thread::sleep(Duration::from_millis(300));
    let start = Instant::now();
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    assert_eq!(output.status.code(), INTERRUPTED);
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "kostra: interrupted\n");
    assert!(start.elapsed() < Duration::from_secs(10));
    assert!(workplace.files().is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn a_command_that_is_to_outlive_its_terminal_does() {
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' HUP; exec \"$0\" solve - --json", env!("CARGO_BIN_EXE_kostra")]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(300));
    assert!(
        Command::new("kill").args(["-HUP", &child.id().to_string()]).status().unwrap().success()
    );
    std::thread::sleep(Duration::from_millis(100));
    child.stdin.take().unwrap().write_all(SMALL.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_command_that_outlives_its_terminal_is_interrupted_all_the_same() {
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' HUP; exec \"$0\" solve -", env!("CARGO_BIN_EXE_kostra")]);
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let stdin = child.stdin.take();
    std::thread::sleep(Duration::from_millis(300));
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    assert_eq!(output.status.code(), INTERRUPTED);
}

#[test]
fn a_long_solve_leaves_no_file_whenever_it_is_interrupted() {
    for milliseconds in [50, 200, 800] {
        let workplace = Workplace::new();
        let child =
            workplace.command("solve gen:gnm:n=2M,m=20M --verify -o forest.txt").spawn().unwrap();
        std::thread::sleep(Duration::from_millis(milliseconds));
        interrupt(&child);
        match child.wait_with_output().unwrap().status.code() {
            // The command finished before the signal.
            Some(0) => assert_eq!(workplace.files(), ["forest.txt"]),
            code => {
                assert_eq!(code, INTERRUPTED);
                assert!(workplace.files().is_empty(), "{:?}", workplace.files());
            }
        }
    }
}

#[test]
fn a_file_is_whole_or_absent_when_its_writing_is_interrupted() {
    const EDGES: usize = 2_999_999;
    for (file, format) in [("forest.txt", "ids"), ("forest.edges", "edges"), ("forest.gr", "gr")] {
        let workplace = Workplace::new();
        let command = format!("solve gen:path:n=3M -o {file} --output-format {format}");
        let mut child = workplace.command(&command).spawn().unwrap();
        wait_until(|| !workplace.files().is_empty() || child.try_wait().unwrap().is_some());
        interrupt(&child);
        let output = child.wait_with_output().unwrap();
        let (code, files) = (output.status.code(), workplace.files());
        if files.is_empty() {
            assert_eq!(code, INTERRUPTED);
        } else {
            // The command finished before the signal.
            assert_eq!(files, [file], "{code:?}");
            assert!(workplace.read(file).lines().count() >= EDGES);
            assert!(code == INTERRUPTED || code == Some(0), "{code:?}");
        }
    }
}

#[test]
fn a_search_for_a_steiner_tree_ends_with_the_best_tree_so_far() {
    let workplace = Workplace::new();
    let arguments = "steiner gen:road:n=20000,seed=3 --rounds 100000 --terminals @ends -o t.ids";
    let terminals: String = (0..20_000).step_by(9).map(|vertex| format!("{vertex}\n")).collect();
    std::fs::write(workplace.path("ends"), terminals).unwrap();
    let child = workplace.command(arguments).stdout(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let report = String::from_utf8(output.stdout).unwrap();
    assert!(report.contains("the best tree so far"), "{report}");
    assert!(std::fs::read_to_string(workplace.path("t.ids")).unwrap().lines().count() > 2000);
}
