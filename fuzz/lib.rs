//! What every fuzz target asserts of its reader.

use kostra_io::{Format, Outgoing, ReadOptions, read_bytes, write_bytes};

/// Any bytes give a graph or an error with a message. A graph is written in the format that it was
/// read in, if that can hold it, and is read back with as many vertices and the same ends; weights
/// are not compared.
pub fn check(format: Option<Format>, bytes: &[u8]) {
    let options = ReadOptions { format, threads: 1, ..ReadOptions::default() };
    let loaded = match read_bytes("input", bytes, &options) {
        Ok(loaded) => loaded,
        Err(error) => {
            assert!(error.to_string().len() > "input: ".len(), "an error without words");
            return;
        }
    };
    let outgoing = Outgoing {
        graph: &loaded.graph,
        coordinates: loaded.coordinates.as_ref(),
        names: loaded.names.as_deref(),
        mapped: loaded.mapped.as_ref(),
    };
    // Some formats cannot hold some graphs; the writer then returns an error.
    let Some(Ok(written)) = format.map(|format| write_bytes(format, outgoing)) else { return };
    let again = read_bytes("written", &written, &options).expect("what Kostra writes, it reads");
    assert_eq!(again.graph.vertices(), loaded.graph.vertices());
    assert_eq!(again.graph.u().len(), loaded.graph.u().len());
    // Matrix Market stores the higher end first. METIS, ECL and GAP store edges by rows, so their
    // order changes.
    let ends = |graph: &kostra_core::AnyGraph| {
        let mut ends: Vec<_> = graph
            .u()
            .iter()
            .zip(graph.v())
            .map(|(u, v)| (u.min(v).to_owned(), u.max(v).to_owned()))
            .collect();
        if matches!(format, Some(Format::Metis | Format::Ecl | Format::Gap)) {
            ends.sort_unstable();
        }
        ends
    };
    assert_eq!(ends(&again.graph), ends(&loaded.graph));
}
