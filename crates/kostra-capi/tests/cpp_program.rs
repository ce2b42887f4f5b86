//! Programs in C++ that include the header over `kostra.h`, and link the library as users do.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// This crate's folder.
fn home() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder in which Cargo leaves the libraries of this crate for its tests.
fn libraries() -> PathBuf {
    std::env::current_exe().unwrap().parent().unwrap().to_owned()
}

fn succeeds(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{command:?}: {errors}{text}");
    text
}

/// The compiler for C++20: `$CXX` or `c++`; `None` if there is none.
fn compiler() -> Option<String> {
    let cxx = std::env::var("CXX").unwrap_or_else(|_| "c++".into());
    let knows = ["-std=c++20", "-fsyntax-only", "-x", "c++", "/dev/null"];
    if succeeds(Command::new(&cxx).args(knows)) {
        return Some(cxx);
    }
    println!("skipped: there is no compiler for C++20; install g++, or set CXX");
    None
}

/// Compiles a program with all warnings as errors, links it, and runs it in `folder`.
fn compile_and_run(cxx: &str, source: &Path, folder: &Path) -> String {
    let (program, libraries) = (folder.join("program"), libraries().display().to_string());
    let mut compile = Command::new(cxx);
    compile.args(["-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1", "-o"]);
    compile.arg(&program).arg(source).arg("-I").arg(home().join("include"));
    compile.args([format!("-L{libraries}"), "-lkostra_capi".into()]);
    run(compile.arg(format!("-Wl,-rpath,{libraries}")));
    run(Command::new(&program).current_dir(folder))
}

fn check_program(cxx: &str, name: &str) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("roads.gr"), "p sp 3 3\na 1 2 7\na 2 3 1\na 3 1 2\n")
        .unwrap();
    let table = "from,to,km,minutes\n0,1,205,110\n1,2,170,95\n";
    std::fs::write(folder.path().join("roads.csv"), table).unwrap();
    let source = home().join("tests/cpp").join(name);
    assert_eq!(compile_and_run(cxx, &source, folder.path()), "all promises kept\n");
}

#[test]
fn graphs_forests_and_graphs_that_change_work_from_cpp() {
    let Some(cxx) = compiler() else { return };
    check_program(&cxx, "promises.cpp");
}

#[test]
fn the_forest_of_a_graph_of_boost_weighs_as_boosts_own() {
    let Some(cxx) = compiler() else { return };
    let header = ["-fsyntax-only", "-include", "boost/graph/adjacency_list.hpp", "-x", "c++"];
    if !succeeds(Command::new(&cxx).arg("-std=c++20").args(header).arg("/dev/null")) {
        println!("skipped: there is no Boost graph library; install libboost-graph-dev");
        return;
    }
    check_program(&cxx, "boost.cpp");
}

/// The program of the guide prints what the page shows.
#[test]
fn the_guides_program_in_cpp_prints_what_the_page_shows() {
    let Some(cxx) = compiler() else { return };
    let page = std::fs::read_to_string(home().join("../../docs/guide/cpp-program.md")).unwrap();
    let block = |line: &str| {
        let start = page.find(&format!("```{line}\n")).unwrap() + line.len() + 4;
        page[start..start + page[start..].find("```").unwrap()].to_owned()
    };
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("roads.cpp");
    std::fs::write(&source, block("cpp roads.cpp")).unwrap();
    assert_eq!(compile_and_run(&cxx, &source, folder.path()), block("text"));
}

/// The folder that `scripts/package` makes, with the libraries of this build.
fn packaged(root: &Path) {
    for folder in ["include", "lib/cmake/kostra", "lib/pkgconfig"] {
        std::fs::create_dir_all(root.join(folder)).unwrap();
    }
    let copy = |from: PathBuf, to: &str| std::fs::copy(&from, root.join(to)).unwrap();
    for header in ["kostra.h", "kostra.hpp"] {
        copy(home().join("include").join(header), &format!("include/{header}"));
    }
    for library in std::fs::read_dir(libraries()).unwrap() {
        let library = library.unwrap().path();
        let name = library.file_name().unwrap().to_str().unwrap().to_owned();
        if name.starts_with("libkostra_capi.") && !name.ends_with(".d") {
            copy(library, &format!("lib/{name}"));
        }
    }
    let cmake = home().join("cmake/kostra-config.cmake");
    copy(cmake, "lib/cmake/kostra/kostra-config.cmake");
    let pc = std::fs::read_to_string(home().join("cmake/kostra.pc")).unwrap();
    let pc = pc.replace("@VERSION@", env!("CARGO_PKG_VERSION"));
    std::fs::write(root.join("lib/pkgconfig/kostra.pc"), pc).unwrap();
}

const PROGRAM: &str = "#include <kostra.hpp>\n#include <iostream>\n\
    int main() { std::cout << kostra::version() << '\\n'; }\n";

#[test]
fn cmake_finds_the_package() {
    if !succeeds(Command::new("cmake").arg("--version")) || compiler().is_none() {
        println!("skipped: there is no CMake; install cmake");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    packaged(&folder.path().join("kostra"));
    std::fs::write(folder.path().join("main.cpp"), PROGRAM).unwrap();
    let project = "cmake_minimum_required(VERSION 3.16)\nproject(roads CXX)\n\
        set(CMAKE_CXX_STANDARD 20)\nfind_package(kostra REQUIRED)\n\
        add_executable(shared main.cpp)\ntarget_link_libraries(shared PRIVATE kostra::kostra)\n\
        add_executable(static main.cpp)\ntarget_link_libraries(static PRIVATE kostra::static)\n";
    std::fs::write(folder.path().join("CMakeLists.txt"), project).unwrap();
    let mut configure = Command::new("cmake");
    configure.args(["-S", ".", "-B", "build"]);
    configure.arg(format!("-DCMAKE_PREFIX_PATH={}", folder.path().join("kostra").display()));
    run(configure.current_dir(folder.path()));
    run(Command::new("cmake").args(["--build", "build"]).current_dir(folder.path()));
    for program in ["shared", "static"] {
        let text = run(&mut Command::new(folder.path().join("build").join(program)));
        assert_eq!(text.trim(), env!("CARGO_PKG_VERSION"));
    }
}

#[test]
fn pkg_config_finds_the_package() {
    let Some(cxx) = compiler() else { return };
    if !succeeds(Command::new("pkg-config").arg("--version")) {
        println!("skipped: there is no pkg-config; install pkg-config");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("kostra");
    packaged(&root);
    let mut find = Command::new("pkg-config");
    find.args(["--cflags", "--libs", "kostra"]).env("PKG_CONFIG_PATH", root.join("lib/pkgconfig"));
    let flags = run(&mut find);
    let (source, program) = (folder.path().join("main.cpp"), folder.path().join("program"));
    std::fs::write(&source, PROGRAM).unwrap();
    let mut compile = Command::new(&cxx);
    compile.arg("-std=c++20").arg(&source).arg("-o").arg(&program).args(flags.split_whitespace());
    run(compile.arg(format!("-Wl,-rpath,{}", root.join("lib").display())));
    assert_eq!(run(&mut Command::new(&program)).trim(), env!("CARGO_PKG_VERSION"));
}
