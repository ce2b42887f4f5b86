//! The tree of a graph of nearest neighbors.
//!
//! * **Idea**: Kruskal's algorithm (1956) on the graph of nearest neighbors gives its forest `F`.
//!   The links between the components of `F` are those edges of the points' minimum spanning tree
//!   that join two components, in the tree's order.
//! * **Why correct**: the links must be the minimum spanning tree of the graph of all pairs whose
//!   vertices are the components. An edge that is the last one of a cycle is still the last one of
//!   a cycle, or a loop, after vertices are contracted. So contraction adds no edge to a minimum
//!   spanning tree, and all links are in the points' tree.
//! * **Time** that of the neighbors and of the points' tree, and O(n k log(n k)) for sorting.
//!   Memory `20 * n * k` bytes. A connected graph does not need the points' tree.

use kostra_core::{OutOfMemory, Run, UnionFind, memory};
use kostra_parallel::with_observed_team;

use super::{Neighbors, nearest_neighbors};
use crate::pair::{self, Pair};
use crate::{Metric, PointTree, Points, PointsError, Prepared, spanning_tree};

/// The minimum spanning forest of the graph that joins each point with its `neighbors` nearest
/// points, and the shortest links between the components of this forest.
///
/// The graph has an edge between two points if one of them is among the nearest points of the
/// other, as [`nearest_neighbors`] finds them. All edges of its minimum spanning forest are in the
/// result. The other edges are the minimum spanning tree of the components: the distance of two
/// components is that of their first pair of points. Pairs are in the order of (compared distance,
/// lower index, higher index) everywhere, so the tree is unique. Its edges are in this order.
///
/// The tree is [`spanning_tree`] if `neighbors` is 0, or large enough. Otherwise it may be longer:
/// the path between two points of a component stays inside of it.
///
/// # Errors
/// As [`nearest_neighbors`].
pub fn neighbors_tree(
    points: &Points<'_>,
    metric: Metric,
    neighbors: usize,
    run: &mut Run<'_>,
) -> Result<PointTree, PointsError> {
    let prepared = Prepared::by(points, metric.into(), run.request.threads())?;
    let graph = nearest_neighbors(points, metric, neighbors, run)?;
    let mut pairs = edges(&prepared, &graph)?;
    drop(graph);
    let mut components = UnionFind::try_new(points.len())?;
    with_observed_team(run, run.request.threads(), |team, run| {
        run.phase("sort edges", |_| pair::sort(&mut pairs, team))
    })?;
    run.phase("join neighbors", |_| {
        pairs.retain(|pair| components.union(pair.low, pair.high));
    });
    if components.sets() > 1 {
        let tree = spanning_tree(points, metric, run)?;
        memory::reserve_exact(&mut pairs, components.sets() as usize - 1)?;
        for [u, v] in tree.ends {
            if components.union(u, v) {
                pairs.push(Pair::new(prepared.compared(u, v), u, v));
            }
        }
    }
    with_observed_team(run, run.request.threads(), |team, _| {
        Ok(pair::tree(&prepared, pairs, team)?)
    })
}

/// The edges of the graph, each once.
fn edges(prepared: &Prepared<'_>, graph: &Neighbors) -> Result<Vec<Pair>, OutOfMemory> {
    let k = graph.per_point;
    let row = |point: u32| &graph.indices[point as usize * k..][..k];
    // A row holds all points up to its last one, in the order of (compared distance, index).
    let mut last = memory::with_capacity(prepared.len() as usize)?;
    last.extend((0..prepared.len()).filter_map(|point| {
        let other = *row(point).last()?;
        Some((prepared.compared(point, other), other))
    }));
    let mut pairs = memory::with_capacity(graph.indices.len())?;
    for point in 0..prepared.len() {
        for &other in row(point) {
            let compared = prepared.compared(point, other);
            if point < other || (compared, point) > last[other as usize] {
                pairs.push(Pair::new(compared, point, other));
            }
        }
    }
    Ok(pairs)
}
