//! Runs the commands that the pages of `docs/guide` show, and compares what they print.
//!
//! Each page runs in a folder of its own, from top to bottom:
//!
//! * A block whose info string is `LANGUAGE NAME`, such as `csv roads.csv`, is written to the file
//!   `NAME`.
//! * A block `console` holds commands after `$ `, each followed by its output. Times are not
//!   compared.
//! * Other blocks are ignored.
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
        let mut page = Page::default();
        page.run(&std::fs::read_to_string(&path).unwrap());
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
    fn run(&mut self, text: &str) {
        let workplace = Workplace::new();
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
                None if info == "console" => self.run_console(&block, &workplace),
                None => self.text += &(block.join("\n") + "\n"),
            }
            self.text += "```\n";
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
    const STEPS: [&str; 8] =
        ["load", "build", "solve", "verify", "partition", "cluster", "write", "analysis"];
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
