//! Runs every case of `testdata/commands`: files, shell commands, and the expected exit codes and
//! texts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::harness::{Outcome, Workplace};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Theme {
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    /// Why the behavior matters, for the reader of the case.
    #[serde(rename = "why")]
    _why: String,
    /// Files that exist before the first step, by name.
    #[serde(default)]
    files: BTreeMap<String, String>,
    step: Vec<Step>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    /// A line of bash. `kostra` in the line is the command under test.
    run: String,
    #[serde(default)]
    exit: i32,
    /// Texts that standard output must contain.
    #[serde(default)]
    stdout: Vec<String>,
    /// Texts that standard error must contain.
    #[serde(default)]
    stderr: Vec<String>,
    /// Texts that neither may contain.
    #[serde(default)]
    absent: Vec<String>,
    /// The whole content of files after the step.
    #[serde(default)]
    files: BTreeMap<String, String>,
    /// Names of files that must not exist after the step.
    #[serde(default)]
    missing: Vec<String>,
}

#[test]
fn every_case_ends_as_its_file_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/commands");
    let mut themes: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    themes.sort();
    let faults: Vec<String> = themes.iter().flat_map(|theme| faults_of(theme)).collect();
    assert!(faults.is_empty(), "{} faults:\n\n{}", faults.len(), faults.join("\n"));
}

fn faults_of(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let theme: Theme =
        toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert!(!theme.case.is_empty(), "{}: there is no case", path.display());
    let theme_name = path.file_name().unwrap_or_default().to_string_lossy();
    let faults = theme.case.iter().filter_map(|case| Some((case, fault_of(case)?)));
    faults.map(|(case, fault)| format!("{theme_name}, {}: {fault}\n", case.name)).collect()
}

/// The first fault of a case, if there is one.
fn fault_of(case: &Case) -> Option<String> {
    let workplace = Workplace::new();
    for (name, content) in &case.files {
        workplace.write(name, content);
    }
    case.step.iter().find_map(|step| {
        let outcome = workplace.shell(&step.run);
        let fault = step.fault(&workplace, &outcome)?;
        Some(format!(
            "{fault}\n$ {}\nexit code {:?}\n{}{}",
            step.run, outcome.code, outcome.stdout, outcome.stderr
        ))
    })
}

impl Step {
    fn fault(&self, workplace: &Workplace, outcome: &Outcome) -> Option<String> {
        if outcome.code != Some(self.exit) {
            return Some(format!("the exit code is not {}", self.exit));
        }
        let lacks =
            |text: &str, words: &[String]| words.iter().find(|word| !text.contains(*word)).cloned();
        if let Some(word) = lacks(&outcome.stdout, &self.stdout) {
            return Some(format!("standard output lacks {word:?}"));
        }
        if let Some(word) = lacks(&outcome.stderr, &self.stderr) {
            return Some(format!("standard error lacks {word:?}"));
        }
        let printed =
            |word: &&String| outcome.stdout.contains(*word) || outcome.stderr.contains(*word);
        if let Some(word) = self.absent.iter().find(printed) {
            return Some(format!("the output contains {word:?}"));
        }
        for (name, expected) in &self.files {
            match std::fs::read_to_string(workplace.path(name)) {
                Ok(content) if content == *expected => {}
                Ok(content) => {
                    return Some(format!("{name} contains {content:?}, not {expected:?}"));
                }
                Err(error) => return Some(format!("{name}: {error}")),
            }
        }
        let present = workplace.files();
        if let Some(name) = self.missing.iter().find(|name| present.contains(*name)) {
            return Some(format!("{name} exists"));
        }
        let temporary = present.iter().find(|name| name.starts_with(".kostra-"));
        temporary.map(|name| format!("the temporary file {name} was left behind"))
    }
}
