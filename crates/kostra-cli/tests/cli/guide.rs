//! Runs the commands that the pages of `docs/guide` show, and compares what they print.
//!
//! Each page runs in a folder of its own, from top to bottom. The folder contains the graph files
//! of `docs/guide`.
//!
//! * A block whose info string is `LANGUAGE NAME`, such as `csv roads.csv`, is written to the file
//!   `NAME`.
//! * A block `console` holds commands after `$ `, each followed by its output. Times are not
//!   compared.
//! * A block `sh` holds commands that succeed. Those of the page `cluster` need ranks, and run in
//!   `scripts/mpi`. Those of the page `gpu-arrays` need a device.
//! * Other blocks are ignored. Rust blocks are tests of `kostra`, Python blocks of `kostra-py`, and
//!   C blocks of `kostra-capi`.
//!
//! With the environment variable `KOSTRA_UPDATE_GUIDE`, the test writes differing outputs into the
//! pages.

use std::fmt::Write;
use std::path::Path;

use crate::harness::Workplace;

#[test]
fn every_page_shows_what_its_commands_print() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide");
    let update = std::env::var_os("KOSTRA_UPDATE_GUIDE").is_some();
    let (mut commands, mut faults) = (0, String::new());
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let mut page = Page::default();
        let workplace = workplace_with_graphs(&folder);
        page.run(&std::fs::read_to_string(&path).unwrap(), &workplace, can_run_sh(&path));
        if update && !page.faults.is_empty() {
            std::fs::write(&path, &page.text).unwrap();
        }
        commands += page.commands;
        if !page.faults.is_empty() {
            let _ = write!(faults, "{}:\n{}", path.display(), page.faults);
        }
    }
    assert!(commands > 0, "{}: no page shows a command", folder.display());
    assert!(
        faults.is_empty(),
        "run this test with KOSTRA_UPDATE_GUIDE=1 to write these outputs into the pages:\n\n{faults}"
    );
}

/// A folder for a page, with the graph files that pages use.
fn workplace_with_graphs(folder: &Path) -> Workplace {
    let workplace = Workplace::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if name.ends_with(".osm.pbf") {
            workplace.write(&name, std::fs::read(entry.path()).unwrap());
        }
    }
    workplace
}

/// Whether this machine and this build can run the `sh` blocks of a page.
fn can_run_sh(page: &Path) -> bool {
    match page.file_stem().and_then(|stem| stem.to_str()) {
        Some("cluster") => false,
        Some("gpu-arrays") => {
            let probe = Workplace::new().run("solve gen:path:n=2 --device cuda");
            if probe.code != Some(0) {
                println!("skipped: no CUDA device: {}", page.display());
            }
            probe.code == Some(0)
        }
        _ => true,
    }
}

/// A page that has been run.
#[derive(Default)]
struct Page {
    /// The page, with the outputs that the commands printed where these differ.
    text: String,
    commands: usize,
    /// The commands that printed something else, with their outputs.
    faults: String,
}

impl Page {
    fn run(&mut self, text: &str, workplace: &Workplace, can_run_sh: bool) {
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let _ = writeln!(self.text, "{line}");
            let Some(info) = line.strip_prefix("```") else { continue };
            let block: Vec<_> = lines.by_ref().take_while(|line| *line != "```").collect();
            match info.split_once(' ') {
                Some((_, name)) => {
                    workplace.write(name, block.join("\n") + "\n");
                    self.text += &(block.join("\n") + "\n");
                }
                None if info == "console" => self.run_console(&block, workplace),
                None => {
                    if info == "sh" && can_run_sh {
                        self.run_sh(&block.join("\n"), workplace);
                    }
                    self.text += &(block.join("\n") + "\n");
                }
            }
            self.text += "```\n";
        }
    }

    fn run_sh(&mut self, commands: &str, workplace: &Workplace) {
        self.commands += 1;
        let outcome = workplace.shell(&format!("set -e\n{commands}"));
        if outcome.code != Some(0) {
            let _ = writeln!(self.faults, "{commands}\n{}\n", outcome.stderr);
        }
    }

    fn run_console(&mut self, block: &[&str], workplace: &Workplace) {
        assert!(
            block[0].starts_with("$ "),
            "a block `console` starts with `$ `, not with {}",
            block[0]
        );
        for group in block.chunk_by(|_, next| !next.starts_with("$ ")) {
            let (command, shown) = (&group[0][2..], &group[1..]);
            self.commands += 1;
            // A user sees both streams in one terminal.
            let printed = workplace.shell(&format!("exec 2>&1\n{command}")).stdout;
            let printed: Vec<_> = printed.trim_end().lines().collect();
            let _ = writeln!(self.text, "$ {command}");
            let differs = without_times(&printed) != without_times(shown);
            if differs {
                let _ = writeln!(self.faults, "$ {command}\n{}\n", printed.join("\n"));
            }
            for line in if differs { &printed } else { shown } {
                let _ = writeln!(self.text, "{line}");
            }
        }
    }
}

/// The lines of an output, without the time and the bar of each step.
fn without_times(output: &[&str]) -> Vec<String> {
    const STEPS: [&str; 12] = [
        "load",
        "build",
        "solve",
        "verify",
        "compare",
        "count",
        "list",
        "partition",
        "cluster",
        "segment",
        "write",
        "analysis",
    ];
    let without_time = |line: &&str| {
        let words: Vec<_> = line.split_whitespace().collect();
        match words[..] {
            [step, _] | [step, _, "ms" | "s" | "min", ..] if STEPS.contains(&step) => step.into(),
            [name, _] if STEPS.contains(&name.trim_matches(['"', ':'])) => name.into(),
            _ => match line.split_once(" (load ") {
                Some((before, _)) => before.into(),
                None => (*line).to_owned(),
            },
        }
    };
    output.iter().map(without_time).collect()
}
