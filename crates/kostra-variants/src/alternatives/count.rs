//! The number of best forests.
//!
//! All best forests have equally many edges of each weight, and the edges of lower weight connect
//! the same vertices in all of them. So a best forest is a choice of a spanning forest in each
//! class of equal weights, after the edges of lower weight are contracted, and the number of best
//! forests is the product of the numbers of these choices. (Broder & Mayr 1997 count in this way.)

use kostra_core::{
    AnyGraph, EdgeId, Edges, Key, Order, OutOfMemory, UnionFind, Vertex, memory, thousands,
};
use num_bigint::BigUint;
use thiserror::Error;

use super::Alternatives;
use super::determinant::spanning_trees;
use super::modular::Fields;

/// The reason why best forests are not counted.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CountError {
    /// The elimination would take too long.
    #[error(
        "counting takes more than {} multiplications: {} edges of weight {weight} tie between {} \
         groups of vertices",
        thousands(*most_steps), thousands(*edges as u64), thousands(*vertices as u64)
    )]
    TooManySteps {
        /// The most multiplications that the caller allows.
        most_steps: u64,
        /// The number of edges of equal weight that depend on each other.
        edges: usize,
        /// The number of groups of vertices that they join.
        vertices: usize,
        /// Their weight, as text.
        weight: String,
    },
    /// The system refuses the memory.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

/// An edge of a tie class: the groups of vertices that it joins, their common group after the
/// class, and the edge itself.
#[derive(Clone, Copy)]
struct ClassEdge {
    ends: [Vertex; 2],
    group: Vertex,
    edge: EdgeId,
}

impl Alternatives {
    /// The number of best forests of the graph in whose edges these alternatives were
    /// [found](Self::find), exactly. `most_steps` is the most multiplications that it may take, of
    /// which a processor does some hundred million a second.
    ///
    /// Ties of a few edges are counted at once. For s vertices and t edges of one weight that
    /// depend on each other, counting takes the steps of a sparse elimination, O(s^1.5) for planar
    /// graphs and O(s^3) for dense ones, times the digits of the result, O(s log(t / s)).
    ///
    /// ```
    /// use kostra_core::{AnyGraph, Order, Run};
    /// use kostra_variants::Alternatives;
    ///
    /// // The complete graph of four vertices, whose edges all tie.
    /// let (u, v) = (vec![0, 0, 0, 1, 1, 2], vec![1, 2, 3, 2, 3, 3]);
    /// let graph = AnyGraph::from_edges(4, u, v, vec![1.5; 6])?;
    /// let found = Alternatives::find(&graph, Order::Minimum, &[0, 1, 2], &mut Run::new())?;
    /// assert_eq!(found.count(&graph, Order::Minimum, 1000)?.to_string(), "16");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When counting takes more than `most_steps` multiplications, or the system refuses the
    /// memory.
    pub fn count(
        &self,
        graph: &AnyGraph,
        order: Order,
        most_steps: u64,
    ) -> Result<BigUint, CountError> {
        if graph.weight_type().bits() == 32 {
            count::<u32>(self, graph.edges_in(order), most_steps)
        } else {
            count::<u64>(self, graph.edges_in(order), most_steps)
        }
    }
}

fn count<K: Key>(
    alternatives: &Alternatives,
    edges: Edges<'_, K>,
    most_steps: u64,
) -> Result<BigUint, CountError> {
    let network = alternatives.network();
    let mut ranks = memory::collected(network.iter().map(|&id| edges.rank(id)))?;
    ranks.sort_unstable();
    let mut groups = UnionFind::try_new(edges.vertices())?;
    let (mut number, mut steps) = (BigUint::from(1_u32), most_steps);
    let mut fields = Fields::default();
    for class in ranks.chunk_by(|&a, &b| K::rank_key(a) == K::rank_key(b)) {
        let mut class = memory::collected(class.iter().map(|&rank| {
            let edge = K::rank_id(rank);
            let (u, v) = edges.ends(edge);
            ClassEdge { ends: [groups.find(u), groups.find(v)], group: 0, edge }
        }))?;
        for edge in &class {
            groups.union(edge.ends[0], edge.ends[1]);
        }
        if class.iter().all(|edge| alternatives.in_every(edge.edge)) {
            continue;
        }
        class.iter_mut().for_each(|edge| edge.group = groups.find(edge.ends[0]));
        class.sort_unstable_by_key(|edge| (edge.group, edge.edge));
        for component in class.chunk_by(|a, b| a.group == b.group) {
            number *= trees(component, &mut fields, &mut steps).ok_or_else(|| {
                CountError::TooManySteps {
                    most_steps,
                    edges: component.len(),
                    vertices: renumbered(component).0,
                    weight: edges.weight_text(component[0].edge),
                }
            })?;
        }
    }
    Ok(number)
}

/// The number of spanning trees of edges that form one component.
fn trees(component: &[ClassEdge], fields: &mut Fields, steps: &mut u64) -> Option<BigUint> {
    let (vertices, ends) = renumbered(component);
    match vertices {
        // Parallel edges, as in a file that lists each road in both directions.
        2 => Some(ends.len().into()),
        _ if ends.len() + 1 == vertices => Some(BigUint::from(1_u32)),
        _ => spanning_trees(vertices, &ends, fields, steps),
    }
}

/// The number of groups, and the ends of the edges as numbers below it.
fn renumbered(component: &[ClassEdge]) -> (usize, Vec<[u32; 2]>) {
    let mut groups: Vec<_> = component.iter().flat_map(|edge| edge.ends).collect();
    groups.sort_unstable();
    groups.dedup();
    let number = |end| groups.partition_point(|&group| group < end) as u32;
    (groups.len(), component.iter().map(|edge| edge.ends.map(number)).collect())
}
