//! The two decisions of a filtering solver: how many edges are light, and which component is the
//! giant component.

use kostra_core::Vertex;

/// The number of light edges to take from `edges` edges.
///
/// * 1.25 n for n remaining components, which puts most vertices of a random graph into one
///   component. If 0.8 n ln n is less than a sixteenth of the edges, that number, which connects
///   most random graphs.
/// * At least an eighth of the edges if the last filter kept most edges, so that the number of
///   rounds is small on any graph.
/// * All edges if the number above is more than half of them, or if the edges are fewer than a
///   quarter of the vertices, because every filter reads data of all vertices.
pub(crate) fn light_edges(
    edges: usize,
    components: u32,
    vertices: u32,
    most_were_kept: bool,
) -> usize {
    let n = f64::from(components);
    let (most_together, all_together) = ((1.25 * n) as usize, (0.8 * n * n.ln()) as usize);
    let light = if most_were_kept {
        most_together.max(edges / 8)
    } else if all_together < edges / 16 {
        all_together
    } else {
        most_together
    };
    if edges < vertices as usize / 4 || light > edges / 2 { edges } else { light }
}

/// The number of sampled vertices: enough to find a component that holds most of them.
const SAMPLE: usize = 256;

/// The most frequent component in a small sample of evenly spaced vertices; none for no vertices.
pub(crate) fn giant_component(
    vertices: usize,
    component: impl Fn(usize) -> Vertex,
) -> Option<Vertex> {
    let stretch = vertices.div_ceil(SAMPLE).max(1);
    let mut sample: Vec<_> = (0..vertices).step_by(stretch).map(component).collect();
    sample.sort_unstable();
    sample.chunk_by(|a, b| a == b).max_by_key(|run| run.len()).map(|run| run[0])
}
