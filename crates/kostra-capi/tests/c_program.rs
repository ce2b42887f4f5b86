//! Programs in C that include the header, and link the library as users do.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// What a static library of Rust needs from the system.
const SYSTEM: [&str; 3] = ["-lpthread", "-ldl", "-lm"];

/// The C compiler: `$CC` or `cc`; `None` if there is none.
fn compiler() -> Option<String> {
    let cc = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    match Command::new(&cc).arg("--version").output() {
        Ok(output) if output.status.success() => Some(cc),
        _ => {
            println!("skipped: there is no C compiler; install cc, or set CC");
            None
        }
    }
}

/// The folder in which Cargo leaves the libraries of this crate for its tests.
fn libraries() -> PathBuf {
    std::env::current_exe().unwrap().parent().unwrap().to_owned()
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
    assert_eq!(errors, "", "{command:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Compiles a program with all warnings as errors, links it, and runs it in `folder`.
fn compile_and_run(cc: &str, source: &Path, folder: &Path, link: &[&str]) -> String {
    run(Command::new(compile(cc, source, folder, link)).current_dir(folder))
}

/// Compiles a program with all warnings as errors, and links it. Returns its path.
fn compile(cc: &str, source: &Path, folder: &Path, link: &[&str]) -> PathBuf {
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("include");
    let program = folder.join("program");
    let mut compile = Command::new(cc);
    compile.args(["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1", "-o"]);
    compile.arg(&program).arg(source).arg("-I").arg(header).args(link);
    run(&mut compile);
    program
}

/// The files that the programs read.
fn write_roads(folder: &Path) {
    std::fs::write(folder.join("roads.gr"), "p sp 3 3\na 1 2 7\na 2 3 1\na 3 1 2\n").unwrap();
    let table = "from,to,km,minutes\n0,1,205,110\n1,2,170,95\n";
    std::fs::write(folder.join("roads.csv"), table).unwrap();
    std::fs::write(folder.join("towns.csv"), "from,to,km\nPrague,Brno,205\n").unwrap();
}

fn link_dynamically() -> [String; 3] {
    let folder = libraries();
    let folder = folder.display();
    [format!("-L{folder}"), "-lkostra_capi".into(), format!("-Wl,-rpath,{folder}")]
}

/// Compiles the program with this name, links it, and runs it.
fn check_program(name: &str, link: &[&str]) {
    let Some(cc) = compiler() else { return };
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c").join(name);
    let folder = tempfile::tempdir().unwrap();
    write_roads(folder.path());
    assert_eq!(compile_and_run(&cc, &source, folder.path(), link), "all promises kept\n");
}

#[test]
fn graphs_and_forests_work_from_c() {
    check_program("promises.c", &link_dynamically().each_ref().map(String::as_str));
}

#[test]
fn graphs_that_change_work_from_c() {
    check_program("changing.c", &link_dynamically().each_ref().map(String::as_str));
}

/// Writes a graph in all formats, and files from which Kostra builds many small parts, and whose
/// texts are short next to them. Returns their names.
#[cfg(target_os = "linux")]
fn write_large_files(folder: &Path) -> Vec<String> {
    use std::fmt::Write;
    let n = 300;
    let row = |u: usize| (0..n).map(|v| format!("{} ", u.abs_diff(v))).collect::<String>();
    let matrix: String = (0..n).map(|u| row(u) + "\n").collect();
    let row = |u: usize| (0..n).filter(|&v| v != u).map(|v| format!(" {v}")).collect::<String>();
    let neighbors: String = (0..n).map(|u| format!("{u}:{}\n", row(u))).collect();
    let pair = |u: usize, v: usize| format!("\"{v}\": {}", u.abs_diff(v));
    let entries = |u: usize| (0..n).filter(|&v| v != u).map(|v| pair(u, v)).collect::<Vec<_>>();
    let entries = (0..n).map(|u| format!("\"{u}\": {{{}}}", entries(u).join(", ")));
    let dictionary = format!("{{{}}}", entries.collect::<Vec<_>>().join(", "));
    let mut lines = String::new();
    for u in 0..5_000 {
        let (from, to) = (f64::from(u) / 1000.0, f64::from(u + 1) / 1000.0);
        let line = format!("{{\"type\":\"LineString\",\"coordinates\":[[{from},0],[{to},0]]}}");
        let feature = "{\"type\":\"Feature\",\"properties\":{},\"geometry\":";
        writeln!(lines, "{feature}{line}}}").unwrap();
    }
    let files = [
        ("matrix.txt", matrix),
        ("neighbors.txt", neighbors),
        ("dictionary.txt", dictionary),
        ("lines.geojson", lines),
    ];
    let files = files.map(|(name, text)| (name.to_owned(), text.into_bytes()));
    let ends: Vec<u32> = (0..5_000).collect();
    let graph = kostra_core::EdgeList::new(
        5_001,
        ends.clone(),
        ends.iter().map(|u| u + 1).collect::<Vec<_>>(),
        ends,
    )
    .map(kostra_core::AnyGraph::from)
    .unwrap();
    let names: Vec<String> = (0..5_001).map(|vertex| format!("town {vertex}")).collect();
    let outgoing = kostra_io::Outgoing { names: Some(&names), ..(&graph).into() };
    let written = kostra_io::FORMATS.iter().filter_map(|&format| {
        let bytes = kostra_io::write_bytes(format, outgoing)
            .or_else(|_| kostra_io::write_bytes(format, (&graph).into()));
        Some((format!("graph.{}", format.info().id), bytes.ok()?))
    });
    files
        .into_iter()
        .chain(written)
        .map(|(name, bytes)| {
            std::fs::write(folder.join(&name), bytes).unwrap();
            name
        })
        .collect()
}

#[cfg(target_os = "linux")]
#[test]
fn refused_memory_is_an_error_for_a_program_in_c() {
    let Some(cc) = compiler() else { return };
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c/refusals.c");
    let folder = tempfile::tempdir().unwrap();
    let files = write_large_files(folder.path());
    assert!(files.len() > 10, "{files:?}");
    let link = link_dynamically();
    let link = link.each_ref().map(String::as_str);
    let program = compile(&cc, &source, folder.path(), &link);
    let text = run(Command::new(&program).args(files).current_dir(folder.path()));
    assert_eq!(text, "all promises kept\n");
}

#[cfg(target_os = "linux")]
#[test]
fn the_static_library_links() {
    let library = libraries().join("libkostra_capi.a").display().to_string();
    let link: Vec<&str> = [library.as_str()].into_iter().chain(SYSTEM).collect();
    check_program("promises.c", &link);
}

/// The first block of a page of the guide that starts with this line.
fn block_of(page: &str, line: &str) -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide").join(page);
    let page = std::fs::read_to_string(page).unwrap();
    let start = page.find(&format!("```{line}\n")).unwrap() + line.len() + 4;
    page[start..start + page[start..].find("```").unwrap()].to_owned()
}

/// The program of the guide prints what the page shows, by the commands of the page.
#[test]
fn the_guides_program_prints_what_the_page_shows() {
    let Some(cc) = compiler() else { return };
    let block = |line: &str| block_of("c-program.md", line);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("roads.c"), block("c roads.c")).unwrap();
    // Cargo has built the library, and the checkout and the compiler have other names here.
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().display().to_string();
    let commands = block("shell")
        .lines()
        .filter(|line| !line.starts_with("cargo "))
        .map(|line| line.replacen("cc ", &format!("{cc} "), 1))
        .collect::<Vec<_>>()
        .join("\n")
        .replace("kostra/target/release", &libraries().display().to_string())
        .replace("kostra/crates", &crates);
    let text = run(Command::new("sh").args(["-e", "-c", &commands]).current_dir(folder.path()));
    assert_eq!(text, block("text"));
}

#[test]
fn the_guides_program_for_a_graph_that_changes_prints_what_the_page_shows() {
    let Some(cc) = compiler() else { return };
    let (page, folder) = ("changing-graphs.md", tempfile::tempdir().unwrap());
    let source = folder.path().join("closure.c");
    std::fs::write(&source, block_of(page, "c closure.c")).unwrap();
    let link = link_dynamically();
    let text = compile_and_run(&cc, &source, folder.path(), &link.each_ref().map(String::as_str));
    assert_eq!(text, block_of(page, "text"));
}
