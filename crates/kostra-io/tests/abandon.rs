//! What a process that ends early leaves behind: a test of its own, because nothing can be
//! committed after it.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use kostra_io::{Replacement, ReplacementPart, abandon_unfinished};

#[test]
fn an_abandoned_file_leaves_no_name() {
    let folder = tempfile::tempdir().unwrap();
    let complete = Replacement::create_named(&folder.path().join("complete")).unwrap();
    complete.commit().unwrap();
    let first = Replacement::create_named(&folder.path().join("first")).unwrap();
    let second = Replacement::create_named(&folder.path().join("second")).unwrap();
    let part = ReplacementPart::open(second.name().unwrap()).unwrap();
    let names = || std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(names(), 3);
    abandon_unfinished();
    assert_eq!(names(), 1);
    // Dropping them would wait for the process to end.
    std::mem::forget((first, second, part));
}
