//! What Matrix Market files promise.

use super::*;
use crate::testing::{awkward_graphs, edges, read_all_ways, written};

fn matrix(banner: &str, body: &str) -> Result<Parsed, String> {
    let text = format!("%%MatrixMarket matrix coordinate {banner}\n% comment\n\n{body}\n");
    read_all_ways(read_in_blocks, &text, &ReadOptions::default())
}

fn graph(banner: &str, body: &str) -> String {
    edges(&matrix(banner, body).unwrap().graph)
}

fn error(banner: &str, body: &str) -> String {
    matrix(banner, body).unwrap_err()
}

#[test]
fn each_entry_is_an_edge() {
    assert_eq!(
        graph("integer symmetric", "3 3 3\n2 1 5\n\n3 3 0\n%\n2 1 -6"),
        "1-0:5 2-2:0 1-0:-6"
    );
    assert_eq!(graph("integer general", "3 3 2\n2 1 5\n1 2 6"), "1-0:5 0-1:6");
    assert_eq!(graph("Real General", "3 3 2\n2 1 5\n1 2 1e-2"), "1-0:5.0 0-1:0.01");
    assert_eq!(graph("pattern symmetric", "3 3 2\n2 1\n3 1"), "1-0:1 2-0:1");
    assert_eq!(graph("real symmetric", "0 0 0"), "");
}

#[test]
fn made_up_or_chosen_weights_are_said() {
    let notes = |banner, body| matrix(banner, body).unwrap().notes;
    let unit = "the input has no weights; each edge weighs 1";
    assert_eq!(notes("pattern symmetric", "2 2 1\n2 1"), [unit]);
}

#[test]
fn matrices_that_are_no_graph_are_refused() {
    let banner = |banner: &str| {
        let text = format!("{banner}\n1 1 0\n");
        read_all_ways(read_in_blocks, &text, &ReadOptions::default()).unwrap_err()
    };
    assert_eq!(
        banner("%%MatrixMarket matrix array pattern general"),
        "x: line 1, column 29: the banner's field is 'pattern', but an array has values"
    );
    assert_eq!(
        banner("%%MatrixMarket matrix coordinate complex general"),
        "x: line 1, column 34: the values are 'complex', and complex numbers have no order; write their absolute values"
    );
    assert_eq!(
        banner("%%MatrixMarket matrix coordinate real hermitian"),
        "x: line 1, column 39: the matrix is 'hermitian', and complex numbers have no order; write their absolute values"
    );
    assert_eq!(
        banner("%%MatrixMarket matrix coordinate real skew-symmetric"),
        "x: line 1, column 39: the matrix is 'skew-symmetric', so the weight of an edge is w in one direction and -w \
         in the other; write symmetric if the entries of the file are the weights"
    );
    assert_eq!(
        banner("%%MatrixMarket vector coordinate real general"),
        "x: line 1, column 16: the banner says 'vector', but only a matrix can be a graph"
    );
    assert_eq!(
        error("real general", "2 3 0"),
        "x: line 4, column 1: the matrix has 2 rows and 3 columns, but an adjacency matrix is square"
    );
}

#[test]
fn entries_must_be_where_the_header_says() {
    assert_eq!(
        error("integer symmetric", "2 2 1\n1 2 5"),
        "x: line 5, column 1: the entry in row 1, column 2 is above the diagonal, where a symmetric file has no entries"
    );
    assert_eq!(
        error("integer general", "2 2 1\n0 2 5"),
        "x: line 5, column 1: the row is 0, but Matrix Market counts from 1"
    );
    assert_eq!(
        error("integer general", "2 2 1\n1 3 5"),
        "x: line 5, column 3: the column 3 is beyond the 2 that the header announces; correct one of them"
    );
}

#[test]
fn the_header_must_tell_the_truth() {
    assert_eq!(
        error("integer general", "2 2 2\n1 2 5"),
        "x: line 6, column 1: the header announces 2 entries, but the input ends after 1; copy the file again, or correct the header"
    );
    assert_eq!(
        error("integer general", "2 2 1\n1 2 5\n% x\n2 1 6"),
        "x: line 7, column 1: the header announces 1 entry, and this is one more; correct the header"
    );
    assert_eq!(
        error("integer general", "2 2 1\n1 2 5.5"),
        "x: line 5, column 5: the weight 5.5 is not a whole number, but the banner says integer"
    );
    assert_eq!(
        error("real general", "2 2 1\n1 2"),
        "x: line 5, column 4: the weight is missing; add it"
    );
    assert_eq!(
        error("pattern general", "2 2 1\n1 2 5"),
        "x: line 5, column 5: the line should end before '5'"
    );
    assert_eq!(
        error("real general", ""),
        "x: the input ends before the line with the numbers of rows, columns and entries"
    );
    assert_eq!(
        error("real general", "2 2"),
        "x: line 4, column 4: the number of entries is missing; add it"
    );
}

#[test]
fn what_is_written_reads_back() {
    // Entries stand on or below the diagonal, so the ends of an edge may have changed places.
    for graph in awkward_graphs() {
        let text = String::from_utf8(written(writer, &graph).unwrap()).unwrap();
        let parsed = read_all_ways(read_in_blocks, &text, &ReadOptions::default()).unwrap();
        assert_eq!(parsed.graph.vertices(), graph.vertices());
        assert_eq!(parsed.graph.weight_type(), graph.weight_type());
        assert_eq!(edges(&parsed.graph), edges(&graph).replace("0-1:", "1-0:"), "{text}");
    }
}

fn array(banner: &str, body: &str, options: &ReadOptions) -> Result<Parsed, String> {
    let text = format!("%%MatrixMarket matrix array {banner}\n% comment\n{body}\n");
    read_all_ways(read_in_blocks, &text, options)
}

#[test]
fn arrays_are_matrices_column_by_column() {
    let graph = |banner, body| edges(&array(banner, body, &ReadOptions::default()).unwrap().graph);
    let full = "3 3\n0\n1\n4\n\n1\n0\n2\n4\n2\n0";
    assert_eq!(graph("integer general", full), "0-1:1 0-2:4 1-2:2");
    assert_eq!(graph("real general", full), "0-1:1.0 0-2:4.0 1-2:2.0");
    let lower = "4 4\n0\n1\n2\n3\n0\n4\n5\n0\n6\n0";
    assert_eq!(graph("integer symmetric", lower), "0-1:1 0-2:2 0-3:3 1-2:4 1-3:5 2-3:6");
    assert_eq!(graph("real symmetric", "2 2\n0\nnan\n0"), "");
}

#[test]
fn zeros_of_arrays_are_asked_about() {
    let body = "3 3\n0\n0\n4\n0\n4\n0";
    let asked = array("integer symmetric", body, &ReadOptions::default()).unwrap_err();
    assert!(asked.contains("is 0 a weight, as of identical things, or no edge?"), "{asked}");
    let answered = |zeros| {
        let options = ReadOptions { zeros: Some(zeros), ..ReadOptions::default() };
        edges(&array("integer symmetric", body, &options).unwrap().graph)
    };
    assert_eq!(answered(crate::Meaning::Edge), "0-1:0 0-2:4 1-2:4");
    assert_eq!(answered(crate::Meaning::None), "0-2:4 1-2:4");
}

#[test]
fn arrays_must_be_whole_and_symmetric() {
    let error = |banner, body| array(banner, body, &ReadOptions::default()).unwrap_err();
    assert_eq!(
        error("real general", "2 2\n0\n1\n2\n0"),
        "x: line 6, column 1: the entries in row 0, column 1 and in row 1, column 0 differ; make \
         the matrix symmetric"
    );
    assert_eq!(
        error("integer symmetric", "2 2\n0\n1"),
        "x: line 6, column 1: the header announces 3 entries, but the input ends after 2; copy the \
         file again, or correct the header"
    );
    assert_eq!(
        error("integer symmetric", "1 1\n0\n1"),
        "x: line 5, column 1: the header announces 1 entry, and this is one more; correct the header"
    );
    assert_eq!(
        error("integer symmetric", "2 2\n0\n1.5\n0"),
        "x: line 5, column 1: the value 1.5 is not a whole number, but the banner says integer"
    );
    assert_eq!(
        error("real general", "2 2\n0 1\n1 0"),
        "x: line 4, column 3: the line should end before '1'"
    );
}
