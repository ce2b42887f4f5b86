//! The forest that a picture shows, and the places of its vertices in the plane.

use kostra_core::{AnyGraph, Coordinates, EdgeId, Order};

use super::layout::layout;

/// The forest that a picture shows.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// The graph. Its edges outside the forest are gray.
    pub graph: &'a AnyGraph,
    /// The edges of the forest, ascending. They have no cycle.
    pub forest: &'a [EdgeId],
    /// Whether the heaviest or the lightest edges of the forest are its bottlenecks.
    pub order: Order,
    /// The number of bottlenecks to mark, usually [`BOTTLENECKS`](super::BOTTLENECKS).
    pub bottlenecks: usize,
    /// The places of the vertices; without them, each tree is around its center.
    pub coordinates: Option<&'a Coordinates>,
    /// The names of the vertices. An SVG shows those for which there is room.
    pub names: Option<&'a [String]>,
}

impl Shown<'_> {
    /// The places of the vertices: their coordinates, or a layout of the forest.
    pub(super) fn places(&self) -> Vec<[f64; 2]> {
        let Some(coordinates) = self.coordinates else {
            let graph = self.graph;
            let ends = |&edge: &EdgeId| (graph.u()[edge as usize], graph.v()[edge as usize]);
            let ends: Vec<_> = self.forest.iter().map(ends).collect();
            return layout(graph.vertices() as usize, &ends);
        };
        plane(coordinates)
    }
}

/// The longer side of the grid, which grows with the number of vertices, so that most of them have
/// a place of their own.
pub(super) fn grid(vertices: usize) -> u32 {
    match vertices {
        0..=20_000 => 1000,
        20_001..=1_000_000 => 10_000,
        _ => 60_000, // it fits into 16 bits
    }
}

/// Turns coordinates into a plane: geographic ones by an equirectangular projection that is true to
/// scale in the middle.
fn plane(coordinates: &Coordinates) -> Vec<[f64; 2]> {
    match coordinates {
        Coordinates::Planar(points) => points.clone(),
        Coordinates::Geographic(points) => {
            let latitudes = points.iter().map(|point| point[1]).filter(|y| y.is_finite());
            let (low, high) =
                latitudes.fold((f64::MAX, f64::MIN), |(low, high), y| (low.min(y), high.max(y)));
            let scale = ((low + high) / 2.0).to_radians().cos();
            points.iter().map(|&[x, y]| [x * scale, y]).collect()
        }
    }
}
