//! The example programs run and print what they promise. Cargo builds them before it runs tests.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs an example and returns its standard output.
fn run(name: &str, arguments: &[&Path]) -> String {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(Path::parent).unwrap().join("examples");
    let program = folder.join(name).with_extension(std::env::consts::EXE_EXTENSION);
    let output = Command::new(&program).args(arguments).output();
    let output = output.unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {stderr}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn arrays_become_a_forest() {
    let text = run("arrays", &[]);
    assert!(text.starts_with("edge 1 joins 1 and 2\nedge 3 joins 0 and 2\n"), "{text}");
    assert!(text.ends_with("total weight 6.25, 3 components\n"), "{text}");
}

#[test]
fn a_road_file_becomes_a_file_of_its_forest() {
    let folder = std::env::temp_dir().join(format!("kostra-examples-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (roads, forest): (PathBuf, PathBuf) = (folder.join("roads.gr"), folder.join("forest.csv"));
    std::fs::write(&roads, "p sp 3 3\na 1 2 7\na 2 3 1\na 3 1 2\n").unwrap();
    let text = run("road_file", &[&roads, &forest]);
    let written = std::fs::read_to_string(&forest).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(text, "2 edges, total weight 3\n");
    assert_eq!(written, "edge,u,v,weight\n1,1,2,1\n2,2,0,2\n");
}

#[test]
fn clusters_are_found_by_distance_and_by_number() {
    let text = run("clusters", &[]);
    let expected = "\
at most 100 km:
  Prague, Pilsen
  Brno, Ostrava, Olomouc
  Liberec
two clusters:
  Prague, Pilsen, Liberec
  Brno, Ostrava, Olomouc
";
    assert_eq!(text, expected);
}

#[test]
fn the_first_violation_of_each_forest_is_printed() {
    let text = run("verify", &[]);
    assert_eq!(text.lines().count(), 4, "{text}");
    assert!(text.starts_with("correct: 1 component\nwith a cycle: "), "{text}");
}

#[test]
fn all_solvers_find_the_same_forest() {
    let text = run("all_solvers", &[]);
    assert_eq!(text.lines().count(), kostra::solvers().count(), "{text}");
}
