//! The committed header is what cbindgen generates from the sources.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::Path;

#[test]
fn the_header_is_up_to_date() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(folder.join("cbindgen.toml")).unwrap();
    // cbindgen also reads the modules of this file.
    let builder = cbindgen::Builder::new().with_config(config).with_src(folder.join("src/lib.rs"));
    let mut text = Vec::new();
    builder.generate().unwrap().write(&mut text);
    let text = without_safety(&String::from_utf8(text).unwrap());

    let path = folder.join("include/kostra.h");
    if std::env::var_os("KOSTRA_UPDATE_HEADER").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        text == committed.replace("\r\n", "\n"),
        "run KOSTRA_UPDATE_HEADER=1 cargo test -p kostra-capi --test header"
    );
}

#[test]
fn every_function_is_declared_once() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/kostra.h");
    let text = std::fs::read_to_string(path).unwrap();
    let declared: Vec<_> = text
        .lines()
        .filter(|line| !line.starts_with("//"))
        .filter_map(|line| line.split_once('(')?.0.rsplit(['*', ' ']).next())
        .filter(|name| name.starts_with("kostra_"))
        .collect();
    let once: std::collections::HashSet<_> = declared.iter().collect();
    assert_eq!((declared.len(), declared.contains(&"kostra_solve")), (once.len(), true));
}

/// The header without the sections "Safety", which are for Rust.
fn without_safety(text: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut is_safety = false;
    for line in text.lines() {
        is_safety = line == "// # Safety" || is_safety && line.starts_with("//");
        if line == "// # Safety" && kept.last() == Some(&"//") {
            kept.pop();
        }
        if !is_safety {
            kept.push(line);
        }
    }
    kept.join("\n") + "\n"
}
