//! `.egr`: the binary compressed sparse rows of the ECL suite (Burtscher et al.).
//!
//! All numbers are 32-bit, signed and little-endian: the numbers of vertices and entries; the start
//! of each vertex's entries, and the end of the last; the neighbors; and the weights of the
//! entries, which may be missing. An edge is in the rows of both its ends, and a self-loop is in
//! one row once. It is read as one edge, and edges are numbered in the order of first appearance.

mod part;
mod read;

use crate::head::{Evidence, Head};
use crate::interface::{Format, FormatInfo, Outgoing, Writer};
use crate::mirror::{MirroredRows, integer_weights};
use read::read;

impl Format {
    /// The binary CSR of the ECL suite.
    pub const ECL: Self = Self::new(&FormatInfo {
        id: "egr",
        title: "ECL",
        extensions: &["egr"],
        summary: "ECL: the binary CSR of the ECL suite",
        keeps_edge_order: false,
        recognize,
        read,
        write: Some(writer),
        read_part: Some(part::open),
        ..FormatInfo::READ_ONLY
    });
}

/// The number of row starts that recognition checks.
const CHECKED_STARTS: u32 = 64;

/// Recognizes possible counts and row starts: a file has no signature.
fn recognize(head: &Head<'_>) -> Evidence {
    let bytes = head.bytes();
    let number = |index: usize| {
        let word = bytes.get(4 * index..4 * index + 4)?;
        Some(u32::from_le_bytes(word.try_into().ok()?))
    };
    let (Some(n), Some(entries), Some(0)) = (number(0), number(1), number(2)) else {
        return Evidence::Absent;
    };
    let starts = (0..=n.min(CHECKED_STARTS) as usize).map_while(|vertex| number(2 + vertex));
    let is_possible = (n > 0 || bytes.len() == 12)
        && (n > CHECKED_STARTS || number(2 + n as usize).is_none_or(|end| end == entries))
        && starts.is_sorted_by(|a, b| a <= b && *b <= entries);
    Evidence::Structure.when(is_possible)
}

/// Writes a graph as `.egr`, with rows sorted by neighbor.
fn writer(outgoing: Outgoing<'_>) -> Result<Writer<'_>, String> {
    const INSTEAD: &str = "write kst, gr, edges or mtx instead";
    let graph = outgoing.graph;
    let weights =
        integer_weights(graph, i32::MIN.into(), i32::MAX.into()).map_err(|(edge, weight)| {
            format!(
                "edge {edge} weighs {weight}, but a .egr file holds 32-bit integers only; {INSTEAD}"
            )
        })?;
    let loops = graph.u().iter().zip(graph.v()).filter(|(u, v)| u == v).count();
    let entries = 2 * graph.edges() - loops;
    let (Ok(n), Ok(count)) = (i32::try_from(graph.vertices()), i32::try_from(entries)) else {
        return Err(format!(
            "{} vertices and {entries} entries are more than the {} that a .egr file can count; {INSTEAD}",
            graph.vertices(),
            i32::MAX
        ));
    };
    let rows = MirroredRows::build(graph).map_err(|refused| refused.to_string())?;
    Ok(Box::new(move |to| {
        let offsets = rows.offsets().iter().map(|&offset| offset as i32);
        let neighbors = rows.entries().iter().map(|&(neighbor, _)| neighbor as i32);
        let weights = rows.entries().iter().map(|&(_, id)| weights[id as usize] as i32);
        for word in [n, count].into_iter().chain(offsets).chain(neighbors).chain(weights) {
            to.write_all(&word.to_le_bytes())?;
        }
        Ok(())
    }))
}

#[cfg(test)]
mod tests {
    use kostra_core::AnyGraph;

    use super::*;
    use crate::testing::{graph_of, listed_edges, written};
    use crate::{MissingWeights, ReadOptions, read_bytes};

    fn bytes(words: &[i32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    fn load(bytes: &[u8]) -> Result<AnyGraph, String> {
        graph_of(bytes, "x.egr", Format::ECL)
    }

    /// A triangle 0-1-2 with a self-loop at 1, and an isolated vertex.
    const TRIANGLE: [i32; 21] = [
        4, 7, 0, 2, 5, 7, 7, /* rows */ 1, 2, 0, 1, 2, 0, 1, /* weights */ 5, -6, 5, 9,
        7, -6, 7,
    ];

    #[test]
    fn each_edge_is_read_once_and_written_twice() {
        let graph = load(&bytes(&TRIANGLE)).unwrap();
        assert_eq!(graph.vertices(), 4);
        let expected = [(0, 1, "5"), (0, 2, "-6"), (1, 1, "9"), (1, 2, "7")]
            .map(|(u, v, w)| (u, v, w.to_string()));
        assert_eq!(listed_edges(&graph), expected);
        assert_eq!(written(writer, &graph).unwrap(), bytes(&TRIANGLE));
    }

    #[test]
    fn a_file_may_end_before_its_weights() {
        let options =
            ReadOptions { missing_weights: Some(MissingWeights::Hash), ..ReadOptions::default() };
        let loaded = read_bytes("x.egr", &bytes(&TRIANGLE[..14]), &options).unwrap();
        assert_eq!(loaded.parsed.graph.edges(), 4);
        assert_eq!(
            loaded.parsed.notes,
            ["the input has no weights; each edge weighs a hash of its ends, in 1..2^24"]
        );
    }

    #[test]
    fn parallel_edges_and_self_loops_come_back() {
        let graph = AnyGraph::from_edges(
            3,
            vec![2, 0, 0, 1],
            vec![0, 2, 0, 1],
            vec![i64::from(i32::MAX), -7, 3, 0],
        )
        .unwrap();
        let again = load(&written(writer, &graph).unwrap()).unwrap();
        let expected = [(0, 0, "3"), (0, 2, "2147483647"), (0, 2, "-7"), (1, 1, "0")];
        assert_eq!(listed_edges(&again), expected.map(|(u, v, w)| (u, v, w.to_string())));
        let empty = AnyGraph::from_edges(0, vec![], vec![], Vec::<f32>::new()).unwrap();
        assert_eq!(written(writer, &empty).unwrap(), bytes(&[0, 0, 0]));
        assert_eq!(load(&bytes(&[0, 0, 0])).unwrap().edges(), 0);
    }

    #[test]
    fn no_truncation_goes_unnoticed() {
        let whole = bytes(&TRIANGLE);
        for length in 0..whole.len() {
            let unweighted = length == 4 * 14;
            assert_eq!(load(&whole[..length]).is_ok(), unweighted, "{length} bytes");
        }
        assert_eq!(
            load(&whole[..6]).unwrap_err(),
            "x.egr: byte 6: the file ends among its first two numbers: 1 of 2 are there"
        );
        assert_eq!(
            load(&whole[..58]).unwrap_err(),
            "x.egr: byte 58: the file ends among its weights: 0 of 7 are there"
        );
        let longer = [&whole[..], b"x"].concat();
        assert_eq!(
            load(&longer).unwrap_err(),
            "x.egr: byte 84: the file goes on after its weights"
        );
    }

    #[test]
    fn numbers_that_cannot_be_are_named() {
        let with = |at: usize, value: i32| {
            let mut words = TRIANGLE;
            words[at] = value;
            load(&bytes(&words)).unwrap_err()
        };
        assert_eq!(with(0, -1), "x.egr: byte 0: there cannot be -1 vertices");
        assert_eq!(with(1, -7), "x.egr: byte 4: there cannot be -7 entries");
        assert_eq!(
            with(2, 1),
            "x.egr: byte 8: the row of vertex 0 starts at entry 1, where 0 is expected"
        );
        assert_eq!(
            with(3, 8),
            "x.egr: byte 12: the row of vertex 1 starts at entry 8, where 0 to 7 is expected"
        );
        assert_eq!(
            with(4, 1),
            "x.egr: byte 16: the row of vertex 2 starts at entry 1, where 2 to 7 is expected"
        );
        assert_eq!(
            with(6, 8),
            "x.egr: byte 24: the row of vertex 4 starts at entry 8, where 7, the end of the last, is expected"
        );
        assert_eq!(
            with(7, 4),
            "x.egr: byte 28: there is no vertex 4: the file has 4, numbered from 0"
        );
        assert_eq!(
            with(7, -1),
            "x.egr: byte 28: there is no vertex -1: the file has 4, numbered from 0"
        );
        assert_eq!(
            with(8, 3),
            "x.egr: byte 48: vertex 2 names 0 as its neighbor, but 0 does not name 2: each edge must be in both rows"
        );
        assert_eq!(
            with(16, 6),
            "x.egr: byte 28: the edge between vertices 0 and 1 weighs 5 in the row of 0, but 6 in the row of 1"
        );
        let huge = load(&bytes(&[i32::MAX, i32::MAX, 0])).unwrap_err();
        assert_eq!(
            huge,
            "x.egr: byte 12: the file ends among the starts of its rows: 1 of 2147483648 are there"
        );
    }

    /// Any change is either found or makes another graph that is whole; none panics.
    #[test]
    fn damage_never_panics() {
        let whole = bytes(&TRIANGLE);
        for at in 0..whole.len() {
            for value in 0..=u8::MAX {
                let mut damaged = whole.clone();
                damaged[at] = value;
                let _ = load(&damaged);
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_not_written() {
        let with = |weight: f64| {
            written(
                writer,
                &AnyGraph::from_edges(2, vec![0, 0], vec![1, 1], vec![1.0, weight]).unwrap(),
            )
        };
        assert!(with(2.0).is_ok());
        for (weight, text) in
            [(0.5, "0.5"), (2_147_483_648.0, "2147483648"), (f64::INFINITY, "inf")]
        {
            assert_eq!(
                with(weight).unwrap_err(),
                format!(
                    "edge 1 weighs {text}, but a .egr file holds 32-bit integers only; write kst, gr, edges or mtx instead"
                )
            );
        }
    }
}
