//! The two choices of a filter: how many edges to take as light, and which component is the giant
//! one.

use kostra_core::Vertex;

/// How many of `edges` edges to take as light.
///
/// * 1.25 for each component left, which puts most vertices of a random graph into one component;
///   or 0.7 n ln n for n components, which connects most random graphs, where that is less than a
///   sixteenth of the edges.
/// * At least an eighth when the last filter kept most edges, so that there are few rounds on any
///   graph.
/// * All edges where the above is more than half of them, or where there are fewer edges than a
///   quarter of the vertices, which every filter passes over.
pub(crate) fn light_edges(
    edges: usize,
    components: u32,
    vertices: u32,
    most_were_kept: bool,
) -> usize {
    let n = f64::from(components);
    let (most_together, all_together) = ((1.25 * n) as usize, (0.7 * n * n.ln()) as usize);
    let light = if most_were_kept {
        most_together.max(edges / 8)
    } else if all_together < edges / 16 {
        all_together
    } else {
        most_together
    };
    if edges < vertices as usize / 4 || light > edges / 2 { edges } else { light }
}

/// How many vertices are looked at to find the largest component.
const SAMPLE: usize = 256;

/// The component that a small sample of vertices, evenly spaced, is in most often.
pub(crate) fn giant_component(
    vertices: usize,
    component: impl Fn(usize) -> Vertex,
) -> Option<Vertex> {
    let stretch = vertices.div_ceil(SAMPLE).max(1);
    let mut sample: Vec<_> = (0..vertices).step_by(stretch).map(component).collect();
    sample.sort_unstable();
    sample.chunk_by(|a, b| a == b).max_by_key(|run| run.len()).map(|run| run[0])
}
