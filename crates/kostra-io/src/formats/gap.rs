//! `.wsg`: a weighted graph as the GAP benchmark suite serializes it (Beamer, Asanović & Patterson
//! 2015).
//!
//! All numbers are little-endian: one byte that is 1 for a directed graph and 0 otherwise; the
//! numbers of entries and vertices (64 bits); the start of each vertex's entries, and the end of
//! the last (64 bits); and the entries, each a neighbor and a weight (32 bits, signed). A directed
//! graph then has the rows of the opposite direction. In an undirected graph, an edge is in the
//! rows of both its ends and is read as one edge; in a directed graph, every entry is an edge.
//! Edges are numbered in the order of first appearance.

use kostra_core::OutOfMemory;

use crate::columns::Weights;
use crate::compression::Stream;
use crate::fault::Fault;
use crate::head::{Evidence, Head};
use crate::interface::{Format, FormatInfo, Outgoing, Parsed, Writer};
use crate::mirror::{Division, EdgeColumns, FileRows, Keep, MirroredRows, integer_weights};
use crate::row_file::{Arrays, Layout, RowFile};
use crate::words::{Words, vertex};
use crate::{ReadOptions, weights};

impl Format {
    /// The binary CSR of the GAP benchmark suite, with weights.
    pub const GAP: Self = Self::new(&FormatInfo {
        id: "wsg",
        title: "GAP",
        extensions: &["wsg"],
        summary: "GAP: the binary CSR of the GAP benchmark suite, with weights",
        keeps_edge_order: false,
        recognize,
        read,
        write: Some(writer),
        ..FormatInfo::READ_ONLY
    });
}

/// The number of row starts that recognition checks.
const CHECKED_STARTS: u64 = 64;

/// Recognizes possible counts and row starts: a file has no signature.
fn recognize(head: &Head<'_>) -> Evidence {
    let bytes = head.bytes();
    let number = |index: usize| {
        let word = bytes.get(8 * index + 1..8 * index + 9)?;
        u64::try_from(i64::from_le_bytes(word.try_into().ok()?)).ok()
    };
    let (Some(0 | 1), Some(entries), Some(n), Some(0)) =
        (bytes.first(), number(0), number(1), number(2))
    else {
        return Evidence::Absent;
    };
    let starts = (0..=n.min(CHECKED_STARTS) as usize).map_while(|vertex| number(2 + vertex));
    let is_possible = n <= i32::MAX as u64 && starts.is_sorted_by(|a, b| a <= b && *b <= entries);
    Evidence::Structure.when(is_possible)
}

/// Reads a graph, which has 12 bytes per edge. All threads read a regular file, which takes 8 bytes
/// per vertex besides the graph. Another input takes at most 28 bytes per edge and 8 per vertex.
fn read(stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    weights::refuse_others(true, options)?;
    let Content { directed, n, edges } = match read_file(&stream, options)? {
        Some(whole) => whole,
        None => read_stream(stream, options)?,
    };
    let mut notes = Vec::new();
    if directed {
        notes.push("the graph is directed; each arc is read as an edge".into());
    }
    let graph = weights::RawGraph::new(n, edges.into_columns(Weights::I32), true)
        .build(options, &mut notes)?;
    Ok(Parsed::new(graph, notes))
}

/// What a file contains.
struct Content {
    directed: bool,
    /// The number of vertices.
    n: usize,
    edges: EdgeColumns<i32>,
}

/// Reads a regular file on all threads. `None` if the input is no regular file or has a fault.
fn read_file(stream: &Stream<'_>, options: &ReadOptions) -> Result<Option<Content>, OutOfMemory> {
    let Some(file) = RowFile::new(stream) else { return Ok(None) };
    let (Some([flag @ (0_u8 | 1)]), Some(counts)) = (file.numbers(0), file.numbers::<i64, 2>(1))
    else {
        return Ok(None);
    };
    let directed = flag == 1;
    // More entries than the file has bytes are refused here, before a product overflows.
    let possible =
        |count: i64| usize::try_from(count).ok().filter(|_| count as u64 <= file.length());
    let [Some(entries), Some(n)] = counts.map(possible) else { return Ok(None) };
    let rows = 8 * (n as u64 + 1 + entries as u64);
    if i32::try_from(n).is_err() || file.length() != 17 + rows * if directed { 2 } else { 1 } {
        return Ok(None);
    }
    let layout = Layout { n, entries, starts: 17, wide_starts: true, arrays: Arrays::Pairs };
    let keep = if directed { Keep::All } else { Keep::Symmetric };
    let edges = file.edges(&layout, keep, options.thread_count())?;
    Ok(edges.map(|edges| Content { directed, n, edges }))
}

/// Reads any input in order, and finds the first fault.
fn read_stream(stream: Stream<'_>, options: &ReadOptions) -> Result<Content, Fault> {
    let mut file = Words::new(stream, "its header");
    let directed = file.array(1, |_, [flag]| match flag {
        0 | 1 => Ok(flag == 1),
        _ => Err(format!(
            "the first byte is 1 for a directed graph and 0 for any other, but here {flag}"
        )),
    })?;
    let counts = file.array(2, |at, word| {
        let count = i64::from_le_bytes(word);
        let (what, most) =
            if at == 0 { ("entries", i64::MAX) } else { ("vertices", i32::MAX.into()) };
        let possible = usize::try_from(count).ok().filter(|_| count <= most);
        possible.ok_or_else(|| format!("there cannot be {count} {what}"))
    })?;
    let ([directed], [entries, n]) = (&directed[..], &counts[..]) else {
        return Err(Fault::at_byte(0, "the file has no header"));
    };
    let (directed, entries, n) = (*directed, *entries, *n);
    let offsets = file.starts(n, entries, i64::from_le_bytes)?;

    file.what = "its entries";
    let first_entry = file.offset;
    let mut weights = Vec::new();
    let neighbors = file.array(entries, |_, [a, b, c, d, weight @ ..]: [u8; 8]| {
        weights.push(i32::from_le_bytes(weight));
        vertex(i32::from_le_bytes([a, b, c, d]), n)
    })?;
    if directed {
        file.what = "its rows of the opposite direction";
        file.array(n + 1 + entries, |_, _: [u8; 8]| Ok(()))?;
    }
    if !file.ended()? {
        return Err(Fault::at_byte(file.offset, "the file goes on after its rows"));
    }

    let edges = if directed {
        let rows = (0..).zip(offsets.windows(2));
        let u = rows
            .flat_map(|(row, bounds)| std::iter::repeat_n(row, bounds[1] - bounds[0]))
            .collect();
        EdgeColumns { u, v: neighbors, weights }
    } else {
        let rows =
            FileRows { offsets: &offsets, neighbors: &neighbors, weights: &weights, first: 0 };
        rows.edges(Division::among(options.thread_count()))?.map_err(|asymmetry| {
            Fault::at_byte(first_entry + 8 * asymmetry.entry as u64, asymmetry.sentence)
        })?
    };
    Ok(Content { directed, n, edges })
}

/// Writes an undirected graph as `.wsg`, with rows sorted by neighbor.
fn writer(outgoing: Outgoing<'_>) -> Result<Writer<'_>, String> {
    const INSTEAD: &str = "write kst, gr, edges or mtx instead";
    let graph = outgoing.graph;
    let weights =
        integer_weights(graph, i32::MIN.into(), i32::MAX.into()).map_err(|(edge, weight)| {
            format!(
                "edge {edge} weighs {weight}, but a .wsg file holds 32-bit integers only; {INSTEAD}"
            )
        })?;
    if i32::try_from(graph.vertices()).is_err() {
        return Err(format!(
            "{} vertices are more than the {} that a .wsg file can name; {INSTEAD}",
            graph.vertices(),
            i32::MAX
        ));
    }
    let rows = MirroredRows::build(graph).map_err(|refused| refused.to_string())?;
    Ok(Box::new(move |to| {
        to.write_all(&[0])?;
        let counts = [rows.entries().len(), rows.offsets().len() - 1];
        for number in counts.iter().chain(rows.offsets()) {
            to.write_all(&(*number as i64).to_le_bytes())?;
        }
        for &(neighbor, id) in rows.entries() {
            to.write_all(&(neighbor as i32).to_le_bytes())?;
            to.write_all(&(weights[id as usize] as i32).to_le_bytes())?;
        }
        Ok(())
    }))
}

#[cfg(test)]
mod tests {
    use kostra_core::AnyGraph;

    use super::*;
    use crate::read_bytes;
    use crate::testing::{graph_of, listed_edges, written};

    fn bytes(
        directed: bool,
        starts: &[i64],
        entries: &[(i32, i32)],
        back: &[(i32, i32)],
    ) -> Vec<u8> {
        let pairs = |pairs: &[(i32, i32)]| -> Vec<u8> {
            pairs.iter().flat_map(|pair| [pair.0, pair.1]).flat_map(i32::to_le_bytes).collect()
        };
        let counts = [entries.len() as i64, starts.len() as i64 - 1];
        let mut bytes = vec![u8::from(directed)];
        bytes.extend(counts.iter().chain(starts).flat_map(|number| number.to_le_bytes()));
        bytes.extend(pairs(entries));
        if directed {
            bytes.extend(starts.iter().flat_map(|number| number.to_le_bytes()));
            bytes.extend(pairs(back));
        }
        bytes
    }

    /// A triangle 0-1-2, and an isolated vertex.
    fn triangle() -> Vec<u8> {
        bytes(false, &[0, 2, 4, 6, 6], &[(1, 5), (2, -6), (0, 5), (2, 7), (0, -6), (1, 7)], &[])
    }

    fn load(bytes: &[u8]) -> Result<AnyGraph, String> {
        graph_of(bytes, "x.wsg", Format::GAP)
    }

    #[test]
    fn each_edge_is_read_once_and_written_twice() {
        let loaded = read_bytes("x", &triangle(), &ReadOptions::default()).unwrap();
        assert_eq!((loaded.format, loaded.parsed.graph.vertices()), (Format::GAP, 4));
        let expected =
            [(0, 1, "5"), (0, 2, "-6"), (1, 2, "7")].map(|(u, v, w)| (u, v, w.to_string()));
        assert_eq!(listed_edges(&loaded.parsed.graph), expected);
        assert_eq!(written(writer, &loaded.parsed.graph).unwrap(), triangle());
    }

    #[test]
    fn arcs_of_a_directed_graph_are_edges() {
        let directed = bytes(true, &[0, 1, 2], &[(1, 3), (0, 4)], &[(1, 4), (0, 3)]);
        let loaded = read_bytes("x", &directed, &ReadOptions::default()).unwrap();
        assert_eq!(
            listed_edges(&loaded.parsed.graph),
            [(0, 1, "3".to_owned()), (1, 0, "4".to_owned())]
        );
        assert_eq!(loaded.parsed.notes, ["the graph is directed; each arc is read as an edge"]);
        assert_eq!(
            load(&directed[..directed.len() - 1]).unwrap_err(),
            "x.wsg: byte 96: the file ends among its rows of the opposite direction: 4 of 5 are there"
        );
    }

    #[test]
    fn parallel_edges_self_loops_and_nothing_come_back() {
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
        for vertices in [0, 5] {
            let empty = AnyGraph::from_edges(vertices, vec![], vec![], Vec::<f32>::new()).unwrap();
            let loaded =
                read_bytes("x", &written(writer, &empty).unwrap(), &ReadOptions::default())
                    .unwrap();
            assert_eq!(
                (loaded.format, loaded.parsed.graph.vertices()),
                (Format::GAP, vertices as u32)
            );
        }
    }

    #[test]
    fn no_truncation_goes_unnoticed() {
        let whole = triangle();
        for length in 0..whole.len() {
            assert!(load(&whole[..length]).is_err(), "{length} bytes");
        }
        assert_eq!(
            load(&whole[..60]).unwrap_err(),
            "x.wsg: byte 60: the file ends among its entries: 0 of 6 are there"
        );
        let longer = [&whole[..], b"x"].concat();
        assert_eq!(load(&longer).unwrap_err(), "x.wsg: byte 105: the file goes on after its rows");
    }

    #[test]
    fn numbers_that_cannot_be_are_named() {
        let with = |at: usize, value: &[u8]| {
            let mut bytes = triangle();
            bytes[at..at + value.len()].copy_from_slice(value);
            load(&bytes).unwrap_err()
        };
        assert_eq!(
            with(0, &[2]),
            "x.wsg: byte 0: the first byte is 1 for a directed graph and 0 for any other, but here 2"
        );
        assert_eq!(with(1, &(-7_i64).to_le_bytes()), "x.wsg: byte 1: there cannot be -7 entries");
        assert_eq!(
            with(9, &(1_i64 << 31).to_le_bytes()),
            "x.wsg: byte 9: there cannot be 2147483648 vertices"
        );
        assert_eq!(
            with(25, &7_i64.to_le_bytes()),
            "x.wsg: byte 25: the row of vertex 1 starts at entry 7, where 0 to 6 is expected"
        );
        assert_eq!(
            with(57, &4_i32.to_le_bytes()),
            "x.wsg: byte 57: there is no vertex 4: the file has 4, numbered from 0"
        );
        assert_eq!(
            with(61, &6_i32.to_le_bytes()),
            "x.wsg: byte 57: the edge between vertices 0 and 1 weighs 6 in the row of 0, but 5 in the row of 1"
        );
        let huge = bytes(false, &[0], &[], &[]);
        let huge =
            [&huge[..1], &i64::MAX.to_le_bytes(), &i64::from(i32::MAX).to_le_bytes(), &[0; 8]]
                .concat();
        assert_eq!(
            load(&huge).unwrap_err(),
            "x.wsg: byte 25: the file ends among the starts of its rows: 1 of 2147483648 are there"
        );
    }

    /// Any change is either found or makes another graph that is whole; none panics.
    #[test]
    fn damage_never_panics() {
        let directed = bytes(true, &[0, 1, 2], &[(1, 3), (0, 4)], &[(1, 4), (0, 3)]);
        for whole in [triangle(), directed] {
            for at in 0..whole.len() {
                for value in 0..=u8::MAX {
                    let mut damaged = whole.clone();
                    damaged[at] = value;
                    let _ = load(&damaged);
                }
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_not_written() {
        let graph = AnyGraph::from_edges(2, vec![0, 0], vec![1, 1], vec![1.0, 0.5]).unwrap();
        assert_eq!(
            written(writer, &graph).unwrap_err(),
            "edge 1 weighs 0.5, but a .wsg file holds 32-bit integers only; write kst, gr, edges or mtx instead"
        );
    }
}
