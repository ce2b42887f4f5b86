//! How many edges of an edge list are contracted first.

use crate::shared::constant;

/// The least number of edges per vertex of a dense graph.
const DENSE_DEGREE: u64 = constant(include_str!("../kernels/fast/constants.cuh"), "DENSE_DEGREE");

/// Light edges per vertex, as for rows in `constants.cuh`.
const DEGREE: f64 = 1.0;
/// Light edges per vertex on graphs of [`DENSE_DEGREE`] edges per vertex, as for rows. More light
/// edges leave fewer edges to the second pass.
const DEGREE_DENSE: f64 = 2.5;
/// Light edges per vertex beside half the logarithm of the number of vertices, if the light edges
/// are to connect the graph. On average, e^-4 vertices of a random graph then have no light edge.
const CONNECTING_DEGREE: f64 = 2.0;
/// The light edges are to connect the graph if they are at most this part of all edges. The second
/// pass then has nothing to do.
const CONNECTING_PART: f64 = 1.0 / 16.0;
/// The largest part of light edges that are taken out of the list of all edges, by the host, or for
/// another device. Each takes some reads far from each other.
const FEW_PART: f64 = 1.0 / 256.0;

/// About how many light edges connect a random graph.
fn connecting(vertices: u32) -> f64 {
    let n = f64::from(vertices.max(1));
    (n.ln() / 2.0 + CONNECTING_DEGREE) * n
}

/// Whether so few light edges probably connect a graph that it pays to take them out of the list of
/// all edges.
pub(crate) fn few_connect(vertices: u32, edges: usize) -> bool {
    connecting(vertices) <= FEW_PART * edges as f64
}

/// About how many light edges of a graph are contracted first.
pub(crate) fn wanted(vertices: u32, edges: u64) -> u32 {
    let (n, m) = (f64::from(vertices), edges as f64);
    let connecting = connecting(vertices);
    if connecting <= CONNECTING_PART * m {
        connecting as u32
    } else if m >= DENSE_DEGREE as f64 * n {
        (DEGREE_DENSE * n) as u32
    } else {
        (DEGREE * n) as u32
    }
}
