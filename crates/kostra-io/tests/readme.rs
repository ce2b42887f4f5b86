//! README lists the formats as the table of formats does.
//!
//! `KOSTRA_UPDATE_README=1 cargo test -p kostra-io --test readme` writes the list.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fmt::Write;

use kostra_io::FORMATS;

#[test]
fn the_readme_lists_every_format() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
    let Ok(readme) = std::fs::read_to_string(path) else {
        println!("skipped: there is no {path}");
        return;
    };
    let mut list = "| `--format` | content | written | read in parts by ranks |\n\
                    |---|---|---|---|\n"
        .to_owned();
    let yes_or_no = |condition| if condition { "yes" } else { "no" };
    for format in FORMATS {
        let (written, in_parts) = (format.is_writable(), format.is_read_in_parts());
        let (written, in_parts) = (yes_or_no(written), yes_or_no(in_parts));
        let summary = format.info().summary;
        writeln!(list, "| `{format}` | {summary} | {written} | {in_parts} |").unwrap();
    }
    let (start, rest) = readme.split_once("<!-- formats").unwrap();
    let (mark, rest) = rest.split_once("-->\n").unwrap();
    let (_, end) = rest.split_once("<!-- end of formats").unwrap();
    let expected = format!("{start}<!-- formats{mark}-->\n\n{list}\n<!-- end of formats{end}");
    if std::env::var_os("KOSTRA_UPDATE_README").is_some() {
        std::fs::write(path, &expected).unwrap();
    } else {
        assert!(readme == expected, "the list of formats in README differs from the table");
    }
}
