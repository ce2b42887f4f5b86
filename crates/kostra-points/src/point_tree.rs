//! A spanning tree whose edges are pairs of points with a distance.

/// A minimum spanning tree of `len` points.
///
/// Edge `i` joins the points `ends[i]`, the lower index first, at the distance `distances[i]`.
/// Edges are in ascending order of (compared distance, lower index, higher index), where the
/// distance is a monotone function of the compared distance (see [`Prepared`](crate::Prepared)).
/// This order is strict, so the tree is unique: every method and every number of threads returns
/// the same one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointTree {
    /// The number of points.
    pub len: u32,
    /// The ends of each edge, the lower index first.
    pub ends: Vec<[u32; 2]>,
    /// The distance between the ends of each edge.
    pub distances: Vec<f64>,
}
