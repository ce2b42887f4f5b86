use kostra_core::{AnyGraph, EdgeList, Weight};

use super::*;
use crate::testing::{listed_edges, written};
use crate::{Format, Loaded, read_bytes};

fn load(text: &str) -> Result<Loaded, String> {
    let options =
        |threads| ReadOptions { format: Some(Format::METIS), threads, ..ReadOptions::default() };
    let loaded =
        read_bytes("x.graph", text.as_bytes(), &options(1)).map_err(|error| error.to_string());
    let again =
        read_bytes("x.graph", text.as_bytes(), &options(3)).map_err(|error| error.to_string());
    assert_eq!(format!("{loaded:?}"), format!("{again:?}"), "for any number of threads");
    loaded
}

fn failure(text: &str) -> String {
    load(text).unwrap_err()
}

fn write<W: Weight>(n: usize, edges: &[(u32, u32, W)]) -> Result<String, String>
where
    AnyGraph: From<EdgeList<W>>,
{
    let (u, v, weights) = (
        edges.iter().map(|edge| edge.0).collect(),
        edges.iter().map(|edge| edge.1).collect(),
        edges.iter().map(|edge| edge.2).collect(),
    );
    let graph = AnyGraph::from_edges(n, u, v, weights).unwrap();
    written(writer, &graph).map(|bytes| String::from_utf8(bytes).unwrap())
}

const UNWEIGHTED: &str =
    "% a triangle, a leaf and an isolated vertex\n5 4\n3 2\n1 3\n% half\n1 2 4\n3\n\n";

#[test]
fn each_edge_is_read_once_in_order_of_first_appearance() {
    let loaded = load(UNWEIGHTED).unwrap();
    assert_eq!(loaded.parsed.graph.vertices(), 5);
    assert_eq!(
        listed_edges(&loaded.parsed.graph),
        [(0, 2), (0, 1), (1, 2), (2, 3)].map(|(u, v)| (u, v, "1".to_string()))
    );
    assert_eq!(loaded.parsed.notes, ["the input has no weights; each edge weighs 1"]);
    for variant in [
        UNWEIGHTED.replace('\n', "\r\n"),
        format!("\u{feff}{UNWEIGHTED}"),
        format!("{UNWEIGHTED}\n \n"),
    ] {
        assert_eq!(
            listed_edges(&load(&variant).unwrap().parsed.graph),
            listed_edges(&loaded.parsed.graph),
            "{variant:?}"
        );
    }
}

#[test]
fn sizes_and_weights_of_vertices_are_passed_over() {
    let expected = [(0, 1, "7".to_string()), (1, 2, "-8".to_string())];
    for text in [
        "3 2 1\n2 7\n1 7 3 -8\n2 -8\n",
        "3 2 001\n2 7\n1 7 3 -8\n2 -8\n",
        "3 2 011\n9 2 7\n9 1 7 3 -8\n9 2 -8\n",
        "3 2 011 2\n9 9 2 7\n9 9 1 7 3 -8\n9 9 2 -8\n",
        "3 2 111 1\n5 9 2 7\n5 9 1 7 3 -8\n5 9 2 -8\n",
        "3 2 101\n5 2 7\n5 1 7 3 -8\n5 2 -8\n",
        "3 2 001 1\n2 +7\n1 7 3 -08\n2 -8",
    ] {
        let loaded = load(text).unwrap();
        assert_eq!(listed_edges(&loaded.parsed.graph), expected, "{text}");
        assert!(loaded.parsed.notes.is_empty());
    }
    assert_eq!(listed_edges(&load("3 2 010\n9 2\n9 1 3\n9 2\n").unwrap().parsed.graph).len(), 2);
}

#[test]
fn weights_are_as_wide_as_they_need() {
    let big = "2 1 1\n2 5000000000\n1 5000000000\n";
    assert!(matches!(load(big).unwrap().parsed.graph, AnyGraph::I64(_)));
    let least = "2 1 1\n2 -9223372036854775808\n1 -9223372036854775808\n";
    assert_eq!(listed_edges(&load(least).unwrap().parsed.graph), [(0, 1, i64::MIN.to_string())]);
}

#[test]
fn parallel_edges_are_read() {
    assert_eq!(load("2 2 1\n2 5 2 3\n1 3 1 5\n").unwrap().parsed.graph.edges(), 2);
}

#[test]
fn headers_that_cannot_be_are_named() {
    let place = "x.graph: line 1, column";
    assert_eq!(
        failure("% only\n\n"),
        "x.graph: line 3, column 1: the first line, 'n m', is missing"
    );
    assert_eq!(
        failure("x 1\n"),
        format!("{place} 1: the number of vertices is 'x', which is not a number")
    );
    assert_eq!(failure("2 -1\n"), format!("{place} 3: the number of edges -1 is negative"));
    assert_eq!(failure("2\n"), format!("{place} 2: the number of edges is missing; add it"));
    assert_eq!(
        failure("2 1 12\n"),
        format!("{place} 5: the format is '12', where up to three digits 0 or 1 are expected")
    );
    assert_eq!(
        failure("2 1 1 3\n"),
        format!("{place} 7: a vertex has 3 weights, but the format says otherwise")
    );
    assert_eq!(
        failure("2 1 011 1 5\n"),
        format!(
            "{place} 11: '5' is not expected: the first line is 'n m', 'n m fmt' or 'n m fmt ncon'"
        )
    );
    assert_eq!(
        failure("4294967296 1\n"),
        format!(
            "{place} 1: 4294967296 vertices are more than the 4294967295 that 32-bit ids can name"
        )
    );
    assert_eq!(
        failure("1 4294967296\n"),
        format!(
            "{place} 3: 4294967296 edges are more than the 4294967295 that 32-bit ids can name"
        )
    );
}

#[test]
fn a_header_that_disagrees_with_the_body_is_named() {
    assert_eq!(
        failure("3 1\n2\n1\n"),
        "x.graph: line 4, column 1: the text ends after 2 of 3 vertices; copy the file again, or correct the first line"
    );
    assert_eq!(
        failure("2 1\n2\n1\n\n 1\n"),
        "x.graph: line 5, column 2: the first line announces 2 vertices, but here is one more"
    );
    assert_eq!(
        failure("2 2\n2\n1\n"),
        "x.graph: line 1, column 3: the first line announces 2 edges, so 4 neighbors, but the number of neighbors is 2: each edge \
         must be in the lines of both its ends"
    );
    assert_eq!(
        failure("4000000000 4000000000\n"),
        "x.graph: line 2, column 1: the text ends after 0 of 4000000000 vertices; copy the file again, or correct the first line"
    );
}

#[test]
fn lines_that_cannot_be_are_named() {
    for (line, column, sentence) in [
        ("0", 1, "there is no vertex 0: METIS vertices count from 1"),
        ("2 4", 3, "there is no vertex 4: the first line says 3; correct one of them"),
        ("2 x", 3, "the neighbor is 'x', which is not a number"),
        ("2 -1", 3, "the neighbor -1 is negative"),
        ("2 2.5", 3, "the neighbor 2.5 is not a whole number"),
        ("2 99999999999999999999", 3, "the neighbor 99999999999999999999 is too large"),
        ("2 3 1", 5, "vertex 1 names 1 as its neighbor: METIS has no self-loops; leave it out"),
    ] {
        let text = format!("3 2\n% one\n{line}\n1\n\n");
        assert_eq!(failure(&text), format!("x.graph: line 3, column {column}: {sentence}"));
    }
    for (line, column, sentence) in [
        ("9 2", 4, "the weight is missing; add it"),
        ("9 2 x", 5, "the weight is 'x', which is not a number; correct it"),
        ("9 2 0.5", 5, "the weight 0.5 is not an integer, as METIS requires"),
        ("9 2 nan", 5, "the weight nan is not an integer, as METIS requires"),
        ("9 2 1 1 1", 7, "vertex 1 names 1 as its neighbor: METIS has no self-loops; leave it out"),
        ("", 1, "the size or weight of the vertex is missing; add it"),
    ] {
        let text = format!("2 1 011\n{line}\n9 1 1\n");
        assert_eq!(
            failure(&text),
            format!("x.graph: line 2, column {column}: {sentence}"),
            "{line}"
        );
    }
}

#[test]
fn edges_that_stand_in_one_line_only_are_named() {
    assert_eq!(
        failure("% a\n3 1\n\n% b\n% c\n3 3\n\n"),
        "x.graph: line 6, column 1: vertex 2 names 3 as its neighbor, but 3 does not name 2: each edge must be in \
         both rows"
    );
    assert_eq!(
        failure("2 1 1\n2 5\n1 6\n"),
        "x.graph: line 2, column 1: the edge between vertices 1 and 2 weighs 5 in the row of 1, but 6 in the row of 2"
    );
}

#[test]
fn what_is_written_is_read_back() {
    let text = write(4, &[(2, 0, 1_u64), (1, 2, 1)]).unwrap();
    assert_eq!(text, "4 2\n3\n3\n1 2\n\n");
    let text = write(4, &[(2, 0, 7.0_f64), (1, 2, 5e9)]).unwrap();
    assert_eq!(text, "4 2 001\n3 7\n3 5000000000\n1 7 2 5000000000\n\n");
    let expected = [(0, 2, "7".to_string()), (1, 2, "5000000000".to_string())];
    assert_eq!(listed_edges(&load(&text).unwrap().parsed.graph), expected);
    assert_eq!(write::<i32>(0, &[]).unwrap(), "0 0\n");
    assert_eq!(load("0 0\n").unwrap().parsed.graph.vertices(), 0);
}

#[test]
fn what_metis_forbids_is_not_written() {
    const INSTEAD: &str = "write kst, gr, edges or mtx instead";
    assert_eq!(
        write(2, &[(0, 1, 1), (1, 1, 1)]).unwrap_err(),
        format!("edge 1 is a self-loop, which METIS forbids; {INSTEAD}")
    );
    assert_eq!(
        write(2, &[(0, 1, 1), (1, 0, 2)]).unwrap_err(),
        format!("edges 0 and 1 join the same vertices, which METIS forbids; {INSTEAD}")
    );
    for (weight, text) in [(0.5, "0.5"), (0.0, "0"), (-3.0, "-3"), (f64::INFINITY, "inf")] {
        assert_eq!(
            write(2, &[(0, 1, weight)]).unwrap_err(),
            format!("edge 0 weighs {text}, but METIS requires positive integers; {INSTEAD}")
        );
    }
}

#[test]
fn one_weight_per_vertex_is_kept_if_wanted_and_several_are_refused() {
    let kept = |text: &str| {
        let options = ReadOptions { vertex_weights: true, threads: 2, ..ReadOptions::default() };
        read_bytes("x.graph", text.as_bytes(), &options).map_err(|error| error.to_string())
    };
    let weights = |text: &str| kept(text).unwrap().parsed.vertex_weights;
    assert_eq!(weights("3 2 10\n7 2\n% half\n0 1 3\n5 2\n"), Some(vec![7, 0, 5]));
    assert_eq!(weights("3 2 011\n7 2 9\n0 1 9 3 8\n5 2 8\n"), Some(vec![7, 0, 5]));
    assert_eq!(weights("2 1 110 1\n4 7 2\n4 5 1\n"), Some(vec![7, 5]), "behind the sizes");
    assert_eq!(weights("2 1 100\n4 2\n4 1\n"), None, "sizes are no weights");
    assert_eq!(weights("2 1\n2\n1\n"), None);
    assert_eq!(
        kept("2 1 10 3\n1 2 3 2\n1 2 3 1\n").unwrap_err(),
        "x.graph: line 1, column 8: each vertex has 3 weights, and Kostra takes one weight per vertex; write \
         the file with one of them"
    );
    let huge = kept("2 1 10\n1 2\n9223372036854775808 1\n").unwrap_err();
    assert!(huge.contains("the weight 9223372036854775808 does not fit"), "{huge}");
    let text = "2 1 10 3\n1 2 3 2\n1 2 3 1\n";
    assert_eq!(load(text).unwrap().parsed.vertex_weights, None, "nobody wants them");
}
