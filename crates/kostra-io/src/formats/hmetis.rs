//! Hypergraphs of hMETIS (Karypis & Kumar 1998) whose nets join two vertices each: a line
//! `nets vertices format`, and a line for each net. Comments start with `%`. Vertices count from 1.
//!
//! The format 1 says that nets start with their weight, 10 that weights of vertices follow, and 11
//! both. Nets of more or fewer vertices are refused.

use kostra_core::counted;

use crate::ReadOptions;
use crate::compression::Stream;
use crate::fault::Fault;
use crate::interface::{Format, FormatInfo, Parsed};
use crate::number::show;
use crate::numbered_graph::NumberedGraph;
use crate::rows::TextRows;
use crate::whole::WholeText;

impl Format {
    /// hMETIS: nets of two vertices.
    pub const HMETIS: Self = Self::new(&FormatInfo {
        id: "hgr",
        title: "hMETIS",
        extensions: &["hgr"],
        summary: "hMETIS: a hypergraph whose nets join two vertices",
        read,
        ..FormatInfo::READ_ONLY
    });
}

fn read(mut stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    let text = WholeText::read(&mut stream)?;
    let mut rows = TextRows::new(&text, Some("%"));
    let Some(mut header) = rows.next() else {
        return Err(Fault::whole("there is no line 'NETS VERTICES'; add it"));
    };
    let nets = header.natural("number of nets")?;
    let vertices = header.natural("number of vertices")?;
    let mut graph = NumberedGraph::new(vertices).map_err(|kind| header.fault(kind))?;
    let (weighted, vertex_weights) = match header.word() {
        None | Some("0" | "00") => (false, false),
        Some("1" | "01") => (true, false),
        Some("10") => (false, true),
        Some("11") => (true, true),
        Some(format) => {
            let format = show(format.as_bytes());
            let sentence = format!("the format is '{format}', but should be 1, 10 or 11");
            return Err(header.at_word(sentence));
        }
    };
    header.end("the format")?;
    let (mut others, mut first) = (0_u64, None);
    for net in 0..nets {
        let Some(mut row) = rows.next() else {
            let sentence = format!(
                "the first line announces {}, but the input ends after {net}; copy the file again, \
                 or correct the line",
                counted(nets, "net", "nets")
            );
            return Err(rows.cut_short(sentence));
        };
        let weight = if weighted { Some(row.weight(options.nan)?) } else { None };
        let pins = row.rest().split_ascii_whitespace().take(3).count();
        if pins == 2 {
            let ends = graph.ends(&mut row)?;
            graph.edges.add(ends, weight).map_err(|kind| row.fault(kind))?;
        } else {
            others += 1;
            first.get_or_insert(row);
        }
    }
    if let Some(row) = first {
        let nets = counted(others, "net joins", "nets join");
        let sentence = format!(
            "{nets} more or fewer than two vertices, and this is the first; replace such nets by \
             edges"
        );
        return Err(row.malformed(sentence));
    }
    let expected = if vertex_weights { vertices } else { 0 };
    let found = rows.count() as u64;
    if found != expected {
        let sentence = format!(
            "{} after the nets, but the first line announces {expected}; correct it",
            counted(found, "line is", "lines are")
        );
        return Err(Fault::whole(sentence));
    }
    let note = "the weights of vertices are left out";
    let notes = if vertex_weights { vec![note.into()] } else { Vec::new() };
    Ok(graph.finish(options, notes)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{edges, graph_of};

    #[test]
    fn nets_of_two_vertices_are_edges() {
        let read = |text: &str| graph_of(text.as_bytes(), "x", Format::HMETIS);
        for (text, vertices, expected) in [
            ("% c\n3 4\n1 2\n2 3\n3 1\n", 4, "0-1:1 1-2:1 2-0:1"),
            ("2 3 1\n5 1 2\n7 2 3\n", 3, "0-1:5 1-2:7"),
            ("1 2 11\r\n5 1 2\r\n8\r\n9", 2, "0-1:5"),
        ] {
            let graph = read(text).unwrap();
            assert_eq!((graph.vertices(), &*edges(&graph)), (vertices, expected), "{text}");
        }
        for (text, sentence) in [
            ("2 3\n1 2 3\n1\n", "line 2, column 1: 2 nets join more or fewer than two vertices"),
            ("2 3\n1 2\n", "line 3, column 1: the first line announces 2 nets, but the input ends"),
            ("1 3\n1 2\n2 3\n", "1 line is after the nets, but the first line announces 0"),
            ("1 3\n1 4\n", "line 2, column 3: vertex 4 is beyond the 3 vertices"),
            ("1 3 7\n1 2\n", "line 1, column 5: the format is '7'"),
            ("% c\n", "there is no line 'NETS VERTICES'"),
        ] {
            assert!(read(text).unwrap_err().contains(sentence), "{text}: {:?}", read(text));
        }
    }
}
