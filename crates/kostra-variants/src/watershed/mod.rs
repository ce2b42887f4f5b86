//! Watersheds: regions that grow from markers along the minimum spanning forest.
//!
//! A *minimum spanning forest rooted in markers* spans the graph, and each of its trees contains
//! one marker. It is the minimum spanning forest of the graph in which all marked vertices are one
//! vertex. Each tree is a region. Water that rises from the markers meets between the regions
//! (Cousty, Bertrand, Najman & Couprie, "Watershed cuts", 2009). Edges are ordered by (weight, id),
//! so the regions are unique.
//!
//! A grid first contracts the lightest edge of each cell (`grid`), so that its graph is never held
//! as a whole.

mod grid;
mod hierarchy;

#[cfg(test)]
mod tests;

use kostra_core::{
    EdgeList, Edges, Key, Order, OutOfMemory, Run, SolveError, UnionFind, Vertex, Weight, memory,
};
use kostra_points::grid::GridError;
use thiserror::Error;

pub use grid::{GridRelief, Relief, watershed_of_grid};
pub use hierarchy::{Regional, important_regions, watershed_hierarchy};

/// The reason why there is no watershed.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum WatershedError {
    /// There are more or fewer markers than vertices.
    #[error("{markers} labels of markers are not one for each of {vertices} vertices")]
    Length {
        /// The number of labels.
        markers: usize,
        /// The number of vertices.
        vertices: u32,
    },
    /// No vertex is marked.
    #[error("there is no marker: all labels are 0")]
    NoMarker,
    /// The hierarchy does not have this number of regions.
    #[error("a number of regions is from {fewest} to {most} here, and not {regions}")]
    Regions {
        /// The number.
        regions: u32,
        /// The least number: that of the components.
        fewest: u32,
        /// The number of minima that are more than a plateau.
        most: u32,
    },
    /// A vertex has an area that is no size.
    #[error("the area of vertex {vertex} is {area}; areas must be finite and at least 0")]
    Area {
        /// The first such vertex.
        vertex: Vertex,
        /// Its area.
        area: f64,
    },
    /// The values do not fit the grid.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// The solver failed.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// The system refuses memory.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
}

/// The region of each vertex: the label of the marker from which it grows. `markers` has the label
/// of each vertex, or 0 for a vertex without a marker. Vertices with one label are one marker, also
/// if they are apart. A vertex that no marker reaches has the region 0.
///
/// ```
/// use kostra_core::{EdgeList, Run};
/// use kostra_variants::watershed_of_graph;
///
/// let path = EdgeList::new(5, vec![0, 1, 2, 3], vec![1, 2, 3, 4], vec![1, 7, 2, 3])?;
/// let regions = watershed_of_graph(&path, &[4, 0, 0, 0, 9], &mut Run::new())?;
/// assert_eq!(regions, [4, 4, 9, 9, 9]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Takes the time of a solve and O(n α(n)) on one thread. Memory: that of the solve, and 8 bytes
/// per edge and per vertex.
///
/// # Errors
/// When there is not one label for each vertex, no vertex is marked, the run is cancelled, or the
/// system refuses the memory.
pub fn watershed_of_graph<W: Weight>(
    graph: &EdgeList<W>,
    markers: &[u32],
    run: &mut Run<'_>,
) -> Result<Vec<u32>, WatershedError> {
    regions(graph.edges(Order::Minimum), markers, run)
}

/// [`watershed_of_graph`], for edges as a solver sees them.
fn regions<K: Key>(
    edges: Edges<'_, K>,
    markers: &[u32],
    run: &mut Run<'_>,
) -> Result<Vec<u32>, WatershedError> {
    let vertices = edges.vertices();
    if markers.len() != vertices as usize {
        return Err(WatershedError::Length { markers: markers.len(), vertices });
    }
    let is_marked = |vertex: Vertex| markers[vertex as usize] != 0;
    let root = (0..vertices).find(|&vertex| is_marked(vertex)).ok_or(WatershedError::NoMarker)?;
    let forest = {
        let contracted = |ends: &[Vertex]| {
            memory::collected(ends.iter().map(|&end| if is_marked(end) { root } else { end }))
        };
        let (u, v) = (contracted(edges.u())?, contracted(edges.v())?);
        let edges = Edges::of_checked(vertices, (&u, &v), edges.weights(), edges.encoding());
        kostra_cpu::forest_of_edges(edges, run)?.try_into_ids()?
    };
    let mut sets = UnionFind::try_new(vertices)?;
    for edge in forest {
        let (u, v) = edges.ends(edge);
        sets.union(u, v);
    }
    let mut regions = sets.into_lowest();
    // The label of each tree, at its lowest vertex.
    let mut labels = memory::zeros(vertices as usize)?;
    for (&lowest, &marker) in regions.iter().zip(markers).filter(|(_, marker)| **marker != 0) {
        labels[lowest as usize] = marker;
    }
    regions.iter_mut().for_each(|region| *region = labels[*region as usize]);
    Ok(regions)
}
