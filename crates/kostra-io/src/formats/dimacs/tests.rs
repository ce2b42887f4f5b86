//! What DIMACS graphs promise.

use super::*;
use crate::Nan;
use crate::testing::{assert_round_trips, edges, read_all_ways};

fn parsed(text: &str) -> Parsed {
    read_all_ways(read_in_blocks, text, &ReadOptions::default()).unwrap()
}

fn graph(text: &str) -> (u32, String) {
    let parsed = parsed(text);
    (parsed.graph.vertices(), edges(&parsed.graph))
}

fn error(text: &str) -> String {
    read_all_ways(read_in_blocks, text, &ReadOptions::default()).unwrap_err()
}

#[test]
fn each_arc_line_is_an_edge() {
    let text = "c roads\n\nc\np sp 4 3\na 1 2 5\nc in between\na 2 1 5\n\na 4 4 -7\n";
    assert_eq!(graph(text), (4, "0-1:5 1-0:5 3-3:-7".into()));
}

#[test]
fn blanks_may_be_tabs_and_stand_anywhere() {
    assert_eq!(graph("  p\tsp 3  1 \n\ta   1\t3 5 \t\n"), (3, "0-2:5".into()));
}

#[test]
fn weights_may_be_of_any_type() {
    assert_eq!(graph("p sp 2 2\na 1 2 1\na 1 2 3000000000\n").1, "0-1:1 0-1:3000000000");
    assert_eq!(graph("p sp 2 2\na 1 2 1\na 1 2 inf\n").1, "0-1:1.0 0-1:inf");
    assert_eq!(graph("p sp 2 2\na 1 2 1e3\na 2 1 .25\n").1, "0-1:1000.0 1-0:0.25");
    assert_eq!(graph("p sp 2 1\na 1 2 -9223372036854775808\n").1, "0-1:-9223372036854775808");
}

#[test]
fn the_kin_without_weights_are_read_too() {
    let tw = parsed("p tw 3 2\n1 2\nc x\n2 3\n");
    assert_eq!(edges(&tw.graph), "0-1:1 1-2:1");
    assert_eq!(tw.notes, ["the input has no weights; each edge weighs 1"]);
    assert_eq!(edges(&parsed("p edge 3 2\nn 1 4\ne 1 2\ne 2 3\n").graph), "0-1:1 1-2:1");
    let weighted = parsed("p col 3 2\ne 1 2 8\ne 2 3 9\n");
    assert_eq!((edges(&weighted.graph), weighted.notes), ("0-1:8 1-2:9".into(), vec![]));
}

#[test]
fn a_graph_may_be_empty() {
    assert_eq!(graph("p sp 0 0\n"), (0, String::new()));
    assert_eq!(graph("p sp 7 0"), (7, String::new()));
}

#[test]
fn vertices_count_from_1_to_n() {
    assert_eq!(
        error("p sp 2 2\na 1 2 3\na 1 0 3\n"),
        "x: line 3, column 5: there is no vertex 0: DIMACS vertices count from 1"
    );
    assert_eq!(
        error("p sp 2 1\na 3 1 5\n"),
        "x: line 2, column 3: vertex 3 is beyond the 2 vertices that the header announces; correct one of them"
    );
    assert_eq!(error("p sp 2 1\na -1 1 5\n"), "x: line 2, column 3: the vertex -1 is negative");
    assert_eq!(
        error("p tw 2 1\n1 1.5\n"),
        "x: line 2, column 3: the vertex 1.5 is not a whole number"
    );
}

#[test]
fn the_header_must_come_first_and_once() {
    let header = "a line such as 'p sp VERTICES ARCS'";
    assert_eq!(
        error("c x\na 1 2 3\n"),
        format!("x: line 2, column 1: 'a' comes before the header, {header}")
    );
    assert_eq!(error("c x\n"), format!("x: there is no header; {header} should be the first"));
    assert_eq!(error("p sp 1 0\n\np sp 1 0\n"), "x: line 3, column 1: this is a second header");
    assert_eq!(error("p sp 1\n"), "x: line 1, column 7: the number of arcs is missing; add it");
    assert_eq!(error("p sp -1 0\n"), "x: line 1, column 6: the number of vertices -1 is negative");
    assert_eq!(
        error("p max 1 0\n"),
        "x: line 1, column 3: the header's kind is 'max', but Kostra knows sp, edge, col, tw, td, vc, ds and cep; write `p edge` if each line is an edge"
    );
    assert_eq!(
        error("p sp 1 2 3\n"),
        "x: line 1, column 10: the header ends with '3', but should end after two counts"
    );
}

#[test]
fn the_header_must_tell_the_truth() {
    assert_eq!(
        error("p sp 2 3\na 1 2 3\na 1 2 3\n"),
        "x: line 4, column 1: the header announces 3 arcs, but the input ends after 2; copy the file again, or correct the header"
    );
    assert_eq!(
        error("p sp 2 1\nc x\na 1 2 3\nc y\n a 1 2 3\na 1 2 3\n"),
        "x: line 5, column 2: the header announces 1 arc, and this is one more; correct the header"
    );
    assert_eq!(
        error("p sp 2 9\na 1 2 3"),
        "x: line 3, column 1: the header announces 9 arcs, but the input ends after 1; copy the file again, or correct the header"
    );
}

#[test]
fn a_header_that_lies_allocates_nothing() {
    let text = "p sp 4294967295 4294967295\na 1 2 3\n";
    assert_eq!(
        error(text),
        "x: line 3, column 1: the header announces 4294967295 arcs, but the input ends after 1; copy the file again, or correct the header"
    );
    assert_eq!(
        error("p sp 4294967296 1\na 1 2 3\n"),
        "x: line 1, column 6: 4294967296 vertices are more than the 4294967295 that 32-bit ids can name"
    );
    assert_eq!(
        error("p sp 2 4294967296\n"),
        "x: line 1, column 1: 4294967296 edges are more than the 4294967295 that 32-bit ids can name"
    );
}

#[test]
fn a_line_that_is_no_arc_is_named() {
    assert_eq!(error("p sp 2 1\na 1\n"), "x: line 2, column 4: the vertex is missing; add it");
    assert_eq!(error("p sp 2 1\na 1 2\n"), "x: line 2, column 6: the weight is missing; add it");
    assert_eq!(
        error("p sp 2 1\na 1 2 3 4\n"),
        "x: line 2, column 9: the line ends with '4', but should end after the weight"
    );
    assert_eq!(
        error("p sp 2 1\nb 1 2 3\n"),
        "x: line 2, column 1: the line starts with 'b', but should start with a or c"
    );
    assert_eq!(
        error("p tw 2 1\n1 2 3\n"),
        "x: line 2, column 5: the line ends with '3', but should end after two vertices"
    );
    assert_eq!(
        error("p edge 2 2\ne 1 2 3\ne 1 2\n"),
        "x: line 3, column 1: this edge has no weight, but the first has one"
    );
}

#[test]
fn nan_is_an_error_with_a_place_or_skipped() {
    let text = "p sp 3 2\na 1 2 nan\na 2 3 1.5\n";
    assert_eq!(
        error(text),
        "x: line 2, column 7: the weight is NaN; fix it, or pass `nan(Nan::Skip)`"
    );
    let options = ReadOptions { nan: Nan::Skip, ..ReadOptions::default() };
    let parsed = read_all_ways(read_in_blocks, text, &options).unwrap();
    assert_eq!(edges(&parsed.graph), "0-0:0.0 1-2:1.5");
    assert_eq!(parsed.notes, ["edge 0 weighs NaN; it is in no forest"]);
}

#[test]
fn what_is_written_reads_back() {
    assert_round_trips(|graph, to| LINES.write(graph, to), read_in_blocks);
}
