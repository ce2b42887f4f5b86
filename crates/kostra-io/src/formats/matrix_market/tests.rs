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
        banner("%%MatrixMarket matrix array real general"),
        "x: line 1, column 23: this is a dense matrix ('array'), which does not say which zeros are edges; \
         write it as coordinate"
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
