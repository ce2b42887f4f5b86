//! The minimum spanning forest of a directed graph: a minimum spanning arborescence, or several.
//!
//! | module | step |
//! |---|---|
//! | `network` | the edges with their directions, and arcs from an origin to the roots |
//! | `contraction` | Edmonds' algorithm with `heaps` that can be merged: sets and their duals |
//! | `growth` | the canonical one among the cheapest arborescences |
//! | `certificate` | checks the answer by the duals |
//!
//! Sources: Edmonds, *Optimum branchings*, 1967, for the algorithm and its duals; Tarjan, *Finding
//! optimum branchings*, 1977, and Gabow, Galil, Spencer & Tarjan, *Efficient algorithms for finding
//! minimum spanning trees in undirected and directed graphs*, 1986, for the path of cheapest arcs
//! and heaps that are merged.

mod certificate;
mod contraction;
mod error;
mod growth;
mod heaps;
mod laminar;
mod network;

use kostra_core::{
    AnyGraph, EdgeId, Order, OutOfMemory, Run, SolveError, Total, Vertex, with_graph,
};
use num_bigint::BigInt;

pub use error::{ArborescenceError, ArborescenceFlaw};

use crate::exact::Amounts;
use laminar::Laminar;
use network::{Amount, Network};

/// The minimum (or maximum) spanning forest of a directed graph, with the proof that none is
/// better. [`arborescence`] returns it.
#[derive(Clone, Debug)]
pub struct Arborescence {
    ids: Vec<EdgeId>,
    roots: Vec<Vertex>,
    /// Whether the caller chose the roots.
    has_given_roots: bool,
    total: Total,
    order: Order,
    duals: Duals,
    /// The numbers of vertices and edges of the graph.
    size: (u32, usize),
}

/// The sets of vertices whose duals prove the answer.
#[derive(Clone, Debug)]
enum Duals {
    Narrow(Laminar<i128>),
    Wide(Laminar<BigInt>),
}

impl Arborescence {
    /// The ids of the edges, ascending. Just one of them leads to each vertex that is no root.
    pub fn ids(&self) -> &[EdgeId] {
        &self.ids
    }

    /// The roots of the trees, ascending. No edge of the forest leads to a root.
    pub fn roots(&self) -> &[Vertex] {
        &self.roots
    }

    /// The sum of the weights, exact for integers.
    pub fn total(&self) -> Total {
        self.total
    }

    /// Proves that no forest from these roots is better or, if the roots were free, that none has
    /// fewer trees or as many and a better total. Shares the weights as exact numbers and the
    /// nesting of sets with [`arborescence`], but no step of its algorithm. O(m log n).
    ///
    /// # Errors
    /// When the proof fails, the graph has other numbers of vertices or edges, or the system
    /// refuses memory.
    pub fn verify(&self, graph: &AnyGraph) -> Result<(), ArborescenceFlaw> {
        if self.size != (graph.vertices(), graph.edges()) {
            return Err(ArborescenceFlaw::OtherGraph);
        }
        let given = if self.has_given_roots { &self.roots[..] } else { &[] };
        let answer = (&self.ids[..], &self.roots[..]);
        let other = |_| ArborescenceFlaw::OtherGraph;
        match (Amounts::of(graph, self.order).map_err(other)?, &self.duals) {
            (Amounts::Narrow(costs), Duals::Narrow(duals)) => {
                certificate::check(&Network::new(graph, &costs, given)?, answer, duals)
            }
            (costs, Duals::Wide(duals)) => {
                certificate::check(&Network::new(graph, &costs.widened(), given)?, answer, duals)
            }
            _ => Err(ArborescenceFlaw::OtherGraph),
        }
    }
}

/// The bits of an integer of 128 bits for its sign and for the factors in the price of a root.
const SPARE_BITS: i32 = 4;

/// The minimum spanning forest of a directed graph: edge `i` leads from `u[i]` to `v[i]`.
///
/// With `roots`, there is a tree from each of them. Without, there are as few trees as possible,
/// and their roots are chosen so that the total is least. So if a vertex reaches all others, the
/// answer is the minimum spanning arborescence. [`Order::Maximum`] finds the greatest total.
///
/// The answer is canonical, so it does not depend on the algorithm. It grows from its first root:
/// each step takes, of the edges that lead from a reached vertex to a new one, the edge with the
/// lowest id with which the part is still a part of some best forest. If there is no such edge, the
/// lowest vertex that can be the next root is the next root.
///
/// All comparisons are exact: floats are taken as integers times a power of two. Parallel edges,
/// self-loops and negative weights are valid. Takes O(m log n) time on one thread, and about 100
/// bytes per edge.
///
/// ```
/// use kostra_core::{AnyGraph, Order, Run};
/// use kostra_variants::arborescence;
///
/// // The cheapest edges into 1 and 2 are a cycle, so one of them gives way.
/// let graph = AnyGraph::from_edges(3, vec![0, 0, 1, 2], vec![1, 2, 2, 1], vec![5, 7, 1, 2])?;
/// let found = arborescence(&graph, &[], Order::Minimum, &mut Run::new())?;
/// assert_eq!((found.ids(), found.roots()), (&[0, 2][..], &[0][..]));
/// assert_eq!(found.total().to_string(), "6");
/// assert!(found.verify(&graph).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When a root is no vertex, no path leads from the given roots to a vertex, a weight is infinite,
/// the run is cancelled, or the system refuses memory.
pub fn arborescence(
    graph: &AnyGraph,
    roots: &[Vertex],
    order: Order,
    run: &mut Run<'_>,
) -> Result<Arborescence, ArborescenceError> {
    let vertices = graph.vertices();
    if let Some(&vertex) = roots.iter().find(|&&root| root >= vertices) {
        return Err(ArborescenceError::NoVertex { vertex, vertices });
    }
    if !network::fits(graph) {
        return Err(ArborescenceError::TooLarge);
    }
    let mut roots = roots.to_vec();
    roots.sort_unstable();
    roots.dedup();
    let infinite = |edge| ArborescenceError::InfiniteWeight { edge };
    let costs = Amounts::of(graph, order).map_err(infinite)?;
    let (found, duals) = match costs {
        Amounts::Narrow(costs) if has_room(&costs, vertices) => {
            let (found, duals) = solve(graph, &costs, &roots, run)?;
            (found, Duals::Narrow(duals))
        }
        costs => {
            let (found, duals) = solve(graph, &costs.widened(), &roots, run)?;
            (found, Duals::Wide(duals))
        }
    };
    let total = with_graph!(graph, graph => {
        let edges = graph.edge_list().edges(order);
        edges.encoding().total(found.ids.iter().map(|&edge| edges.weights()[edge as usize]))
    });
    let size = (vertices, graph.edges());
    let has_given_roots = !roots.is_empty();
    let Found { ids, roots } = found;
    Ok(Arborescence { ids, roots, has_given_roots, total, order, duals, size })
}

/// Whether the sum of the prices of all roots fits into 128 bits. A price is a cost times the
/// number of vertices.
fn has_room(costs: &[i128], vertices: u32) -> bool {
    let largest = costs.iter().map(|cost| cost.unsigned_abs()).max().unwrap_or_default();
    let bits = |leading: u32, all: u32| (all - leading) as i32;
    let number = bits(vertices.leading_zeros(), u32::BITS);
    bits(largest.leading_zeros(), u128::BITS) + 2 * number + SPARE_BITS < i128::BITS as i32
}

/// The edges and the roots, ascending.
struct Found {
    ids: Vec<EdgeId>,
    roots: Vec<Vertex>,
}

fn solve<A: Amount>(
    graph: &AnyGraph,
    costs: &[A],
    roots: &[Vertex],
    run: &mut Run<'_>,
) -> Result<(Found, Laminar<A>), ArborescenceError> {
    let network = Network::new(graph, costs, roots).map_err(SolveError::from)?;
    let family = run.phase("contract", |run| contraction::contract(&network, run))?;
    let refused = |error: OutOfMemory| ArborescenceError::Solve(error.into());
    let Some(family) = family else {
        return Err(ArborescenceError::Unreached {
            unreached: network.unreached().map_err(refused)?,
        });
    };
    let arcs = run.phase("grow", |_| growth::grow(&network, &family)).map_err(refused)?;
    let mut found = Found { ids: Vec::new(), roots: Vec::new() };
    for arc in arcs {
        match network.root_of(arc) {
            Some(root) => found.roots.push(root),
            None => found.ids.push(arc),
        }
    }
    found.ids.sort_unstable();
    found.roots.sort_unstable();
    Ok((found, family))
}

#[cfg(test)]
mod tests;
