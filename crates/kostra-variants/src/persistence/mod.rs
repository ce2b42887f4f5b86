//! 0-dimensional persistence: when the components of a growing graph start, and when they end.
//!
//! A *filtration* gives each vertex and each edge of a graph a value, at which it enters. A
//! component starts when a vertex enters. When an edge joins two components, the younger one ends
//! (the *elder rule*). The pair of the two values is a point of the *persistence diagram*. In a
//! sublevel filtration ([`Order::Minimum`]) low values enter first, in a superlevel filtration
//! ([`Order::Maximum`]) high values do.
//!
//! Only edges of the minimum spanning forest join components, so any solver does most of the work.
//! An image is first reduced to its *basins* (`basins`).
//!
//! Vertices are ordered by (value, number), and edges by (value, id), so the answer is unique. At
//! equal values, vertices enter before edges. The values and the first vertices of components do
//! not depend on the order of equal edges; where components meet, and with which, does.
//!
//! Source: Edelsbrunner & Harer, "Computational Topology", 2010, chapter VII.

mod basins;
mod elder;
mod error;
mod tree;

#[cfg(test)]
mod tests;

use kostra_core::{
    AnyGraph, EdgeId, EdgeList, Encoding, Order, Run, Vertex, Weight, WeightType, bits_of, memory,
    with_graph,
};
use kostra_points::PointTree;
use kostra_points::grid::{Grid, Value};

use elder::Meeting;
pub use error::PersistenceError;
pub use tree::JoinTree;

/// A component of a filtration, from its start to its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PersistencePair {
    /// The value at which the component starts.
    pub birth: f64,
    /// The value at which the component meets an older one. If it does not, infinity, and in a
    /// superlevel filtration negative infinity.
    pub death: f64,
    /// The vertex with which the component starts. For a grid, its cell.
    pub vertex: Vertex,
    /// Where the component ends; none if it does not.
    pub end: Option<BranchEnd>,
}

/// Where a component ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BranchEnd {
    /// The edge that joins it to an older component. For a grid, the later one of the edge's two
    /// cells.
    pub at: u32,
    /// The vertex with which the older component starts.
    pub elder: Vertex,
}

impl PersistencePair {
    /// The difference of the two values, at least 0.
    pub fn persistence(&self) -> f64 {
        (self.death - self.birth).abs()
    }
}

/// The values at which vertices enter.
#[derive(Clone, Copy, Debug)]
pub enum Births<'a, W> {
    /// All vertices enter at this value, such as 0 in a graph of distances.
    At(W),
    /// Each vertex enters at its own value.
    Values(&'a [W]),
}

/// The components of a filtration of a graph, in which each edge enters at its weight. Components
/// that end where they start are left out. Those that end come first, in the order in which they
/// end; the others are in the order of their vertices.
///
/// Values are those of the graph. An integer above 2^53 is rounded in the result, but not before.
///
/// ```
/// use kostra_core::{EdgeList, Order, Run};
/// use kostra_variants::{Births, lower_star, persistence_of_graph};
///
/// // Two valleys with the heights 1 and 0, and a pass between them with the height 3.
/// let heights = [1.0, 3.0, 0.0];
/// let graph = lower_star(&[0, 1], &[1, 2], &heights, Order::Minimum)?;
/// let births = Births::Values(&heights);
/// let pairs = persistence_of_graph(&graph, births, Order::Minimum, &mut Run::new())?;
/// let values: Vec<_> = pairs.iter().map(|pair| (pair.birth, pair.death)).collect();
/// assert_eq!(values, [(1.0, 3.0), (0.0, f64::INFINITY)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Takes the time of a solve and O(n log n) on one thread.
///
/// # Errors
/// When there is not one value for each vertex, a value is NaN, an edge enters before its ends, the
/// run is cancelled, or the system refuses the memory.
pub fn persistence_of_graph<W: Weight>(
    graph: &EdgeList<W>,
    births: Births<'_, W>,
    order: Order,
    run: &mut Run<'_>,
) -> Result<Vec<PersistencePair>, PersistenceError> {
    let edges = graph.edges(order);
    let vertices = graph.vertices() as usize;
    let key = |value: W| edges.encoding().key(bits_of(&[value])[0]);
    let value_of = |vertex: Vertex| match births {
        Births::At(value) => value,
        Births::Values(values) => values[vertex as usize],
    };
    if let Births::Values(values) = births {
        check(values, graph.vertices())?;
    }
    let keys = memory::collected((0..vertices).map(|vertex| key(value_of(vertex as Vertex))))?;
    for edge in edges.ids() {
        let (u, v) = edges.ends(edge);
        let vertex = if keys[u as usize] > keys[v as usize] { u } else { v };
        if edges.key(edge) < keys[vertex as usize] {
            let (weight, value) = (graph.weights()[edge as usize], value_of(vertex));
            let (weight, value) = (weight.to_f64(), value.to_f64());
            return Err(PersistenceError::EdgeBeforeEnd { edge, weight, vertex, value });
        }
    }
    let (meetings, remaining) = elder::meetings(edges, &keys, run)?;
    let lasting = |meeting: &&Meeting| edges.key(meeting.edge) != keys[meeting.younger as usize];
    let ended = meetings.iter().filter(lasting).map(|meeting| PersistencePair {
        birth: value_of(meeting.younger).to_f64(),
        death: graph.weights()[meeting.edge as usize].to_f64(),
        vertex: meeting.younger,
        end: Some(BranchEnd { at: meeting.edge, elder: meeting.elder }),
    });
    let others = remaining.into_iter();
    let others = others.map(|vertex| lasting_pair(value_of(vertex).to_f64(), vertex, order));
    Ok(ended.chain(others).collect())
}

/// A component that does not end.
fn lasting_pair(birth: f64, vertex: Vertex, order: Order) -> PersistencePair {
    let death = match order {
        Order::Minimum => f64::INFINITY,
        Order::Maximum => f64::NEG_INFINITY,
    };
    PersistencePair { birth, death, vertex, end: None }
}

fn check<W: Weight>(values: &[W], vertices: u32) -> Result<(), PersistenceError> {
    if values.len() != vertices as usize {
        return Err(PersistenceError::Length { values: values.len(), vertices });
    }
    match values.iter().position(|value| value.is_nan()) {
        Some(vertex) => Err(PersistenceError::Nan { vertex: vertex as Vertex }),
        None => Ok(()),
    }
}

/// The graph with these ends in which each edge enters with the later one of its ends: the
/// *lower-star* filtration of the values of vertices, or for [`Order::Maximum`] the upper-star
/// filtration. O(n + m).
///
/// # Errors
/// When a value is NaN, an end has no value, the two lists differ in length, or the system refuses
/// the memory.
pub fn lower_star<W: Weight>(
    u: &[Vertex],
    v: &[Vertex],
    values: &[W],
    order: Order,
) -> Result<EdgeList<W>, PersistenceError> {
    check(values, values.len() as u32)?;
    let encoding = Encoding::new::<W>(order);
    let key = |vertex: Vertex| {
        values.get(vertex as usize).map(|&value| (encoding.key(bits_of(&[value])[0]), value))
    };
    let later = |(&u, &v): (&Vertex, &Vertex)| match (key(u), key(v)) {
        (Some(one), Some(other)) => {
            if one.0 < other.0 {
                other.1
            } else {
                one.1
            }
        }
        // The list of edges refuses the end.
        _ => W::default(),
    };
    let mut weights = memory::with_capacity(u.len())?;
    weights.extend(u.iter().zip(v).map(later));
    let list = EdgeList::new(values.len(), memory::copied(u)?, memory::copied(v)?, weights);
    list.map_err(|error| PersistenceError::Grid(error.into()))
}

/// The components of a filtration of a grid, in which each cell enters at its value, and each pair
/// of neighbors with the later one of the two. The order of the result is that of
/// [`persistence_of_graph`].
///
/// These are the pairs of dimension 0 of a cubical complex: with [`Corners`], of the one whose
/// cells of the highest dimension have the values; with [`Faces`], of the one whose vertices have
/// them.
///
/// Takes two passes over the grid on all threads, a solve of the graph of basins, and O(k log k)
/// for k local minima on one thread. Memory: 12 to 20 bytes per cell, and 16 to 20 per pair of
/// neighbors in different basins.
///
/// [`Corners`]: kostra_points::grid::Connectivity::Corners
/// [`Faces`]: kostra_points::grid::Connectivity::Faces
///
/// # Errors
/// When there is not one value for each cell, a value is NaN, the run is cancelled, or the system
/// refuses the memory.
pub fn persistence_of_grid<T: Value>(
    grid: &Grid,
    values: &[T],
    order: Order,
    run: &mut Run<'_>,
) -> Result<Vec<PersistencePair>, PersistenceError> {
    let basins = basins::Basins::of(grid, values, order, run)?;
    let (meetings, remaining) = elder::meetings(basins.edges(), &basins.births, run)?;
    let value = |cell: Vertex| values[cell as usize].to_f64();
    let cell = |basin: Vertex| basins.minima[basin as usize];
    let lasting = |meeting: &&Meeting| {
        basins.edges().key(meeting.edge) != basins.births[meeting.younger as usize]
    };
    let ended = meetings.iter().filter(lasting).map(|meeting| {
        let (vertex, at) = (cell(meeting.younger), basins.passes[meeting.edge as usize]);
        PersistencePair {
            birth: value(vertex),
            death: value(at),
            vertex,
            end: Some(BranchEnd { at, elder: cell(meeting.elder) }),
        }
    });
    let others = remaining.into_iter().map(cell);
    let others = others.map(|vertex| lasting_pair(value(vertex), vertex, order));
    Ok(ended.chain(others).collect())
}

/// The components of the Vietoris-Rips filtration of points: all points enter at 0, and a pair of
/// points at its distance. `tree` is the minimum spanning tree of the points. Equal points count
/// as one. O(n).
///
/// # Errors
/// When the system refuses the memory.
pub fn persistence_of_points(tree: &PointTree) -> Result<Vec<PersistencePair>, PersistenceError> {
    let ends = |end: usize| memory::collected(tree.ends.iter().map(|ends| ends[end]));
    let graph =
        EdgeList::of_checked(tree.len, ends(0)?, ends(1)?, memory::copied(&tree.distances)?);
    persistence_of_graph(&graph, Births::At(0.0), Order::Minimum, &mut Run::new())
}

/// A graph with its weights as floats, for values of vertices that are floats. O(m).
///
/// # Errors
/// When a float would round a weight, or the system refuses the memory.
pub fn with_float_weights(graph: &AnyGraph) -> Result<EdgeList<f64>, PersistenceError> {
    let weights = with_graph!(graph, graph => {
        let weights = graph.edge_list().weights();
        memory::collected(weights.iter().map(|weight| weight.to_f64()))?
    });
    let is_integer = matches!(graph.weight_type(), WeightType::I64 | WeightType::U64);
    if let Some(edge) = weights.iter().position(|weight| is_integer && weight.abs() > EXACT) {
        return Err(PersistenceError::Rounded { edge: edge as EdgeId });
    }
    let (u, v) = (memory::copied(graph.u())?, memory::copied(graph.v())?);
    Ok(EdgeList::of_checked(graph.vertices(), u, v, weights))
}

/// Integers up to here are floats.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The components that last longer than `least`: those whose [persistence] is greater.
///
/// [persistence]: PersistencePair::persistence
pub fn longer_than(pairs: &mut Vec<PersistencePair>, least: f64) {
    pairs.retain(|pair| pair.persistence() > least);
}
