//! The page of formats has a row for each format of the table, with what Kostra does with it.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use kostra_io::FORMATS;

#[test]
fn the_page_lists_every_format_in_the_order_of_the_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/formats.md");
    let Ok(page) = std::fs::read_to_string(path) else {
        println!("skipped: there is no {path}");
        return;
    };
    let (_, rows) = page.split_once("| id | format |").unwrap();
    let rows = rows.lines().skip(2).take_while(|row| row.starts_with('|'));
    let rows: Vec<Vec<_>> = rows.map(|row| row.split('|').map(str::trim).collect()).collect();
    assert_eq!(rows.len(), FORMATS.len());
    for (format, row) in FORMATS.iter().zip(&rows) {
        assert_eq!(row[1], format!("`{format}`"));
        // Of a format that only forests are written in, the page says "forests".
        assert_eq!(row[3] == "yes", format.is_writable(), "{format}: written");
        assert_eq!(row[4].starts_with("yes"), format.is_read_in_parts(), "{format}: in parts");
    }
}
