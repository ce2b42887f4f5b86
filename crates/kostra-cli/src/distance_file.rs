//! Texts of distances that are no table of points.

use kostra_core::{Weight, memory, with_graph};
use kostra_io::{Format, Input, Meaning, PointFile, PointOptions, ReadOptions};

/// A square matrix of distances, and the names of its rows.
type NamedMatrix = (PointFile, Option<Vec<String>>);

/// Reads a file as the matrix of a graph: such a matrix may have names, a number of rows before it,
/// or one triangle only. None if it is no matrix, a pair has no distance, or
/// `options` choose columns or a header.
pub(crate) fn read(source: &Input, options: &PointOptions) -> Option<NamedMatrix> {
    if *options != PointOptions::default() || !matches!(source, Input::Path(_)) {
        return None; // a stream is read once
    }
    let zeros = Some(Meaning::Edge);
    let as_matrix = ReadOptions { format: Some(Format::MATRIX), zeros, ..ReadOptions::default() };
    let as_phylip = ReadOptions { format: Some(Format::PHYLIP), ..ReadOptions::default() };
    [as_matrix, as_phylip].iter().find_map(|options| read_as(source, options))
}

fn read_as(source: &Input, options: &ReadOptions) -> Option<NamedMatrix> {
    let parsed = kostra_io::read(source, options, &|_| {}).ok()?.parsed;
    let (graph, size) = (&parsed.graph, parsed.graph.vertices() as usize);
    if graph.edges() != size * size.saturating_sub(1) / 2 {
        return None;
    }
    let mut distances = memory::zeros(size * size).ok()?;
    with_graph!(graph, graph => {
        let edges = graph.edge_list();
        for ((&u, &v), &distance) in edges.u().iter().zip(edges.v()).zip(edges.weights()) {
            let (u, v) = (u as usize, v as usize);
            distances[u * size + v] = distance.to_f64();
            distances[v * size + u] = distance.to_f64();
        }
    });
    let mut file = PointFile::default();
    (file.coordinates, file.dimensions) = (distances, size);
    Some((file, parsed.names))
}
