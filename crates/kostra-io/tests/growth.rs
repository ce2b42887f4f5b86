//! `scripts/growth` doubles the inputs of every reader.

#[path = "../examples/growth/rows.rs"]
mod rows;

use std::collections::HashSet;

use kostra_io::FORMATS;
use rows::Reader;

#[test]
fn every_format_has_an_input_that_grows() {
    let rows = rows::rows();
    let names: HashSet<_> = rows.iter().map(|row| &row.name).collect();
    assert_eq!(names.len(), rows.len(), "names are unique");
    for format in FORMATS {
        let is_grown = rows.iter().any(|row| row.reader == Reader::Graph(*format));
        assert!(is_grown, "{format} has no row in examples/growth/rows.rs");
    }
    for row in &rows {
        assert!(row.input(20).len() > row.input(10).len(), "{} does not grow", row.name);
    }
}
