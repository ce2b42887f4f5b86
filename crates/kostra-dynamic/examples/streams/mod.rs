//! Streams of edges, for an example that measures and a test: one edge after another, as in the
//! problem "incremental minimum spanning forest" of Library Checker.

use kostra_core::random::RandomStream;

/// An edge: its ends and its weight.
pub(crate) type StreamEdge = (u32, u32, u32);

/// The kinds of streams.
///
/// * `random`: uniform ends and weights, also self-loops.
/// * `path`: a path, then edges between vertices far apart on it, each better than all before. So
///   each of these closes a long cycle, and the worst edge of the path leaves.
/// * `star`: a star, then edges between its leaves.
/// * `ties`: uniform ends, and one weight.
/// * `descending`: uniform ends, and each edge better than all before.
pub(crate) const STREAMS: [&str; 5] = ["random", "path", "star", "ties", "descending"];

/// A stream of `m` edges between at least two vertices.
pub(crate) fn stream(kind: &str, n: u32, m: u32) -> Vec<StreamEdge> {
    let random = RandomStream::new(u64::from(n) ^ u64::from(m) << 32);
    let draw = |edge: u32, part: u64, bound: u32| {
        random.below(3 * u64::from(edge) + part, u64::from(bound)) as u32
    };
    let edge = |edge: u32| {
        let (u, v) = (draw(edge, 0, n), draw(edge, 1, n));
        match kind {
            "path" if edge < n - 1 => (edge, edge + 1, m + edge),
            "path" => (u / 2, n - 1 - v / 2, m - edge),
            "star" if edge < n - 1 => (0, edge + 1, draw(edge, 2, m)),
            "ties" => (u, v, 7),
            "descending" => (u, v, m - edge),
            _ => (u, v, draw(edge, 2, m)),
        }
    };
    (0..m).map(edge).collect()
}
