//! Alternatives to the canonical forest: whether it is the only best one, which edges could be in
//! others, how many there are, the best of them in order, and how far a weight may change.
//!
//! Every edge has a *rival*. For an edge of the forest, it is the best edge that reconnects the two
//! trees that remain without it. For another edge, it is the last edge, in order, on the path
//! between its ends in the forest. Exchanging an edge and its rival is the cheapest change of the
//! forest that removes, or adds, the edge. So the two weights tell how far the weight of the edge
//! may change before the forest does (Tarjan 1982). If they are equal, the exchange gives another
//! best forest. So an edge of the forest is in every best forest unless its weight equals that of
//! its rival, and another edge is in some best forest if the weights are equal.
//!
//! The rivals of the edges of the forest are in the canonical forest of the *other* edges: of all
//! edges across the cut, that forest contains the first one. So they take a second solve, and
//! walks along n paths instead of m.

mod best;
mod count;
mod determinant;
mod exchange;
mod modular;

use kostra_core::tree::{Bottleneck, MergeTree};
use kostra_core::{
    AnyGraph, EdgeId, EdgeSet, Edges, Forest, Key, Order, OutOfMemory, Run, SolveError, items_at,
    memory,
};

use crate::rooted::RootedForest;
pub use best::{BestForests, BestForestsError, RankedForest};
pub use count::CountError;

/// The rival of an edge that has none.
const NONE: EdgeId = EdgeId::MAX;

/// Which edges are in some and in every best forest, and how far weights may change. A best forest
/// is a minimum spanning forest, or a maximum one if the order says so.
///
/// ```
/// use kostra_core::{AnyGraph, Order, Run};
/// use kostra_variants::Alternatives;
///
/// // A triangle whose edges 1 and 2 tie, and a bridge.
/// let graph = AnyGraph::from_edges(4, vec![0, 1, 2, 0], vec![1, 2, 0, 3], vec![1, 2, 2, 9])?;
/// let found = Alternatives::find(&graph, Order::Minimum, &[0, 1, 3], &mut Run::new())?;
/// assert!(!found.is_unique());
/// assert_eq!(found.network(), [0, 1, 2, 3]);
/// assert_eq!((found.in_every(0), found.in_every(1), found.in_some(2)), (true, false, true));
/// assert_eq!((found.rival(0), found.rival(3)), (Some(2), None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Alternatives {
    /// The rival of each edge, or [`NONE`].
    rivals: Vec<EdgeId>,
    /// The edges of the canonical forest.
    forest: EdgeSet,
    /// The edges whose weight equals that of their rival.
    tied: EdgeSet,
}

impl Alternatives {
    /// Compares the canonical forest of a graph, whose edges are `forest`, with the other edges.
    /// Takes a solve of the other edges, O(n log n) time, and O(log n) for each edge. Memory: 5
    /// bytes per edge, 40 per vertex, and a copy of the edges outside the forest while it works.
    ///
    /// # Errors
    /// When the run is cancelled or the system refuses the memory.
    ///
    /// # Panics
    /// When `forest` is not the canonical forest. Some lists of other edges give a wrong answer.
    pub fn find(
        graph: &AnyGraph,
        order: Order,
        forest: &[EdgeId],
        run: &mut Run<'_>,
    ) -> Result<Self, SolveError> {
        if graph.weight_type().bits() == 32 {
            find::<u32>(graph.edges_in(order), forest, run)
        } else {
            find::<u64>(graph.edges_in(order), forest, run)
        }
    }

    /// Whether an edge is in the canonical forest.
    pub fn in_forest(&self, edge: EdgeId) -> bool {
        self.forest.contains(edge)
    }

    /// Whether an edge is in every best forest.
    pub fn in_every(&self, edge: EdgeId) -> bool {
        self.forest.contains(edge) && !self.tied.contains(edge)
    }

    /// Whether an edge is in some best forest.
    pub fn in_some(&self, edge: EdgeId) -> bool {
        self.forest.contains(edge) || self.tied.contains(edge)
    }

    /// Whether the canonical forest is the only best one.
    pub fn is_unique(&self) -> bool {
        self.tied.is_empty()
    }

    /// The edges that are in some best forest, ascending: the *minimum spanning network*
    /// (Excoffier & Smouse 1994). O(m).
    pub fn network(&self) -> Vec<EdgeId> {
        (0..self.rivals.len() as EdgeId).filter(|&edge| self.in_some(edge)).collect()
    }

    /// The edge with which this one changes places if its weight changes far enough. Without a
    /// rival, an edge of the forest is a bridge and stays, and another edge is a self-loop and
    /// never enters.
    ///
    /// In a minimum spanning forest, an edge of the forest stays while its weight is below that of
    /// its rival, and leaves when it is above. Another edge enters when its weight is below that of
    /// its rival. At equal weights, the lower id wins.
    pub fn rival(&self, edge: EdgeId) -> Option<EdgeId> {
        self.rivals.get(edge as usize).copied().filter(|&rival| rival != NONE)
    }
}

fn find<K: Key>(
    edges: Edges<'_, K>,
    forest: &[EdgeId],
    run: &mut Run<'_>,
) -> Result<Alternatives, SolveError> {
    let mut rivals = memory::filled(edges.len(), NONE)?;
    let mut members = EdgeSet::try_new(edges.len())?;
    forest.iter().for_each(|&id| {
        members.insert(id);
    });
    replacements(edges, forest, &members, &mut rivals, run)?;
    bottlenecks(edges, forest, &members, &mut rivals, run.request.threads())?;
    let mut tied = EdgeSet::try_new(edges.len())?;
    for (id, &rival) in (0..).zip(&rivals) {
        if rival != NONE && edges.key(id) == edges.key(rival) {
            tied.insert(id);
        }
    }
    Ok(Alternatives { rivals, forest: members, tied })
}

/// Finds the rivals of the edges of the forest.
fn replacements<K: Key>(
    edges: Edges<'_, K>,
    forest: &[EdgeId],
    members: &EdgeSet,
    rivals: &mut [EdgeId],
    run: &mut Run<'_>,
) -> Result<(), SolveError> {
    let mut others = memory::with_capacity(edges.len() - forest.len())?;
    others.extend(edges.ids().filter(|&id| !members.contains(id)));
    let mut ranks = {
        let [u, v] = [edges.u(), edges.v()].map(|ends| items_at(ends, &others));
        let weights = items_at(edges.weights(), &others);
        let rest = Edges::of_checked(edges.vertices(), (&u, &v), &weights, edges.encoding());
        let second = kostra_cpu::forest_of_edges(rest, run)?.try_into_ids()?;
        memory::collected(second.iter().map(|&place| edges.rank(others[place as usize])))?
    };
    ranks.sort_unstable();
    let pair = |id| <[_; 2]>::from(edges.ends(id));
    let ends = memory::collected(forest.iter().map(|&id| pair(id)))?;
    let rooted = RootedForest::new(edges.vertices() as usize, &ends, None)?;
    let best_first = ranks.into_iter().map(K::rank_id).map(|id| {
        let (u, v) = edges.ends(id);
        (id, u, v)
    });
    rooted.first_on_paths(best_first, |position, id| {
        rivals[forest[position as usize] as usize] = id;
    })?;
    Ok(())
}

/// The fewest edges that are worth a thread.
const EDGES_PER_THREAD: usize = 1 << 14;

/// Finds the rivals of the other edges.
fn bottlenecks<K: Key>(
    edges: Edges<'_, K>,
    forest: &[EdgeId],
    members: &EdgeSet,
    rivals: &mut [EdgeId],
    threads: usize,
) -> Result<(), OutOfMemory> {
    let tree = MergeTree::new(edges, &Forest::new(edges, memory::copied(forest)?))?;
    let threads = threads.min(edges.len().div_ceil(EDGES_PER_THREAD)).max(1);
    let block = edges.len().div_ceil(threads).max(1);
    let mut blocks: Vec<_> = rivals.chunks_mut(block).enumerate().collect();
    kostra_parallel::for_each_mut(&mut blocks, |(index, rivals)| {
        for (id, rival) in ((*index * block) as EdgeId..).zip(rivals.iter_mut()) {
            let (u, v) = edges.ends(id);
            if !members.contains(id)
                && let Bottleneck::Edge(last) = tree.bottleneck(u, v)
            {
                *rival = last;
            }
        }
    });
    Ok(())
}
