//! The best forests in order.
//!
//! Forests are ordered by their exact totals. Of two with equal totals, the first one is that which
//! does not contain the highest id that only one of them contains. So the canonical forest is the
//! first: the order of edges by weight and id is that of weights to which an infinitely small
//! multiple of 2^id is added, and this is the order of forests by the sums of these weights.
//!
//! The next forest of a set of forests is one exchange from the first one. So a set is divided by
//! the edge that the exchange removes, into forests with the edge and forests without it, and the
//! exchange makes the first of those without it (Gabow 1977). Each division finds two exchanges,
//! and an exchange is found in nearly linear time from the rivals of all edges.
//!
//! Only few edges matter for the first k forests: the k - 1 edges of the canonical forest that are
//! cheapest to remove, and the k - 1 other edges that are cheapest to add. All others are in every,
//! or in none, of these forests, because each of the cheaper exchanges alone makes a better one
//! (Eppstein 1992). So after a selection the graph has at most 2k edges.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use kostra_core::{AnyGraph, EdgeId, Order, OutOfMemory, SolveError, UnionFind, Vertex, memory};
use thiserror::Error;

use super::Alternatives;
use super::exchange::{Amount, Candidate, Condition, Exchange, Placed};
use crate::exact::Amounts;
use crate::rooted::RootedForest;

/// The reason why forests cannot be put in order.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BestForestsError {
    /// Totals with infinite weights have no order.
    #[error(
        "edge {edge} has an infinite weight, so totals of forests cannot be compared; leave the \
         edge out"
    )]
    InfiniteWeight {
        /// The first such edge.
        edge: EdgeId,
    },
    /// The alternatives were not found.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// The system refuses the memory.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

/// A forest as its difference from the canonical forest. Both lists ascend.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RankedForest {
    /// The edges of the canonical forest that are not in this one.
    pub left: Vec<EdgeId>,
    /// The other edges of this forest.
    pub entered: Vec<EdgeId>,
}

impl RankedForest {
    /// The edges of the forest, ascending. O(n).
    pub fn ids(&self, canonical: &[EdgeId]) -> Vec<EdgeId> {
        let kept = canonical.iter().filter(|id| self.left.binary_search(id).is_err());
        let mut ids: Vec<_> = kept.chain(&self.entered).copied().collect();
        ids.sort_unstable();
        ids
    }
}

/// The spanning forests of a graph from the best one on, in order: by total weight, then by the
/// highest id in which two forests differ. An iterator, which finds each forest when it is asked.
///
/// The k-th forest takes O(k) time and memory, in addition to O(m) at the beginning.
///
/// ```
/// use kostra_core::{AnyGraph, Order, Run};
/// use kostra_variants::{Alternatives, BestForests};
///
/// let graph = AnyGraph::from_edges(3, vec![0, 1, 2], vec![1, 2, 0], vec![1, 2, 4])?;
/// let found = Alternatives::find(&graph, Order::Minimum, &[0, 1], &mut Run::new())?;
/// let best = BestForests::new(&graph, Order::Minimum, &found, 10)?;
/// let forests = best.collect::<Result<Vec<_>, _>>()?;
/// let ids: Vec<_> = forests.iter().map(|forest| forest.ids(&[0, 1])).collect();
/// assert_eq!(ids, [[0, 1], [0, 2], [1, 2]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BestForests(Box<dyn Iterator<Item = Result<RankedForest, OutOfMemory>> + Send + Sync>);

impl BestForests {
    /// The first `most` forests of a graph, or all if it has fewer. `alternatives` were found for
    /// the graph and the order.
    ///
    /// # Errors
    /// When a weight is infinite, or the system refuses the memory.
    pub fn new(
        graph: &AnyGraph,
        order: Order,
        alternatives: &Alternatives,
        most: usize,
    ) -> Result<Self, BestForestsError> {
        let amounts =
            Amounts::of(graph, order).map_err(|edge| BestForestsError::InfiniteWeight { edge })?;
        Ok(Self(match amounts {
            Amounts::Narrow(amounts) => {
                Box::new(Enumeration::new(graph, &amounts, alternatives, most)?)
            }
            Amounts::Wide(amounts) => {
                Box::new(Enumeration::new(graph, &amounts, alternatives, most)?)
            }
        }))
    }
}

impl Iterator for BestForests {
    type Item = Result<RankedForest, OutOfMemory>;

    /// The next forest.
    ///
    /// # Errors
    /// When the system refuses the memory.
    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}

/// The edges that matter, by ascending id, between groups of vertices that the other edges of the
/// canonical forest connect.
struct Enumeration<N> {
    groups: usize,
    ids: Vec<EdgeId>,
    ends: Vec<[Vertex; 2]>,
    amounts: Vec<N>,
    /// Whether each edge is in the canonical forest.
    canonical: Vec<bool>,
    /// The edges from the best one on.
    by_rank: Vec<u32>,
    candidates: BinaryHeap<Reverse<Candidate<N>>>,
    /// The number of forests that are still wanted.
    wanted: usize,
    is_started: bool,
}

impl<N: Amount> Enumeration<N> {
    fn new(
        graph: &AnyGraph,
        amounts: &[N],
        alternatives: &Alternatives,
        most: usize,
    ) -> Result<Self, OutOfMemory> {
        let ids = cheapest(amounts, alternatives, most)?;
        let (u, v) = (graph.u(), graph.v());
        let mut groups = UnionFind::try_new(graph.vertices())?;
        for id in 0..graph.edges() as EdgeId {
            if alternatives.in_forest(id) && ids.binary_search(&id).is_err() {
                groups.union(u[id as usize], v[id as usize]);
            }
        }
        let labels = groups.flatten();
        let groups_of = |&id: &EdgeId| [u, v].map(|ends| labels[ends[id as usize] as usize]);
        let mut present: Vec<_> = ids.iter().flat_map(groups_of).collect();
        present.sort_unstable();
        present.dedup();
        let number = |group| present.partition_point(|&other| other < group) as Vertex;
        let ends = memory::collected(ids.iter().map(|id| groups_of(id).map(number)))?;
        let picked = memory::collected(ids.iter().map(|&id| amounts[id as usize].clone()))?;
        let mut by_rank = memory::collected(0..ids.len() as u32)?;
        // Stable, so that equal weights are ordered by id.
        by_rank.sort_by(|&a, &b| picked[a as usize].cmp(&picked[b as usize]));
        Ok(Self {
            groups: present.len(),
            canonical: ids.iter().map(|&id| alternatives.in_forest(id)).collect(),
            ids,
            ends,
            amounts: picked,
            by_rank,
            candidates: BinaryHeap::new(),
            wanted: most,
            is_started: false,
        })
    }

    /// Adds the candidate of the set of forests with this first one and these conditions, if the
    /// set has two forests.
    fn divide(
        &mut self,
        first: Placed<N>,
        conditions: Option<Arc<Condition>>,
    ) -> Result<(), OutOfMemory> {
        if let Some(exchange) = self.cheapest_exchange(&first, conditions.as_deref())? {
            let second = first.exchanged(&exchange);
            let candidate = Candidate { first, second, leaves: exchange.leaves, conditions };
            self.candidates.push(Reverse(candidate));
        }
        Ok(())
    }

    /// The cheapest exchange in a forest that meets the conditions.
    fn cheapest_exchange(
        &self,
        forest: &Placed<N>,
        mut conditions: Option<&Condition>,
    ) -> Result<Option<Exchange<N>>, OutOfMemory> {
        let mut inside = memory::copied(&self.canonical)?;
        for &(edge, has) in &forest.changes {
            inside[edge as usize] = has;
        }
        let mut is_free = memory::filled(inside.len(), true)?;
        while let Some(Condition { edge, earlier }) = conditions {
            is_free[*edge as usize] = false;
            conditions = earlier.as_deref();
        }
        let edges: Vec<_> = (0..).zip(&inside).filter(|(_, inside)| **inside).collect();
        let edges: Vec<u32> = edges.into_iter().map(|(edge, _)| edge).collect();
        let ends: Vec<_> = edges.iter().map(|&edge| self.ends[edge as usize]).collect();
        let rooted = RootedForest::new(self.groups, &ends, None)?;
        let outside = self.by_rank.iter().copied();
        let outside = outside.filter(|&edge| !inside[edge as usize] && is_free[edge as usize]);
        let outside =
            outside.map(|edge| (edge, self.ends[edge as usize][0], self.ends[edge as usize][1]));
        let mut best: Option<Exchange<N>> = None;
        rooted.first_on_paths(outside, |position, enters| {
            let leaves = edges[position as usize];
            if is_free[leaves as usize] {
                let amount = |edge: u32| self.amounts[edge as usize].clone();
                let exchange = Exchange { change: amount(enters) - amount(leaves), leaves, enters };
                if best.as_ref().is_none_or(|best| exchange.order(best).is_lt()) {
                    best = Some(exchange);
                }
            }
        })?;
        Ok(best)
    }

    /// The next forest. `None` if there are no more.
    fn advance(&mut self) -> Result<Option<RankedForest>, OutOfMemory> {
        if !self.is_started {
            self.is_started = true;
            let canonical = Placed { excess: N::default(), changes: Vec::new() };
            if self.wanted > 1 {
                self.divide(canonical, None)?;
            }
            return Ok(Some(RankedForest::default()));
        }
        let Some(Reverse(candidate)) = self.candidates.pop() else { return Ok(None) };
        let Candidate { first, second, leaves, conditions } = candidate;
        let mut found = RankedForest::default();
        for &(edge, has) in second.changes.iter().rev() {
            let list = if has { &mut found.entered } else { &mut found.left };
            list.push(self.ids[edge as usize]);
        }
        if self.wanted > 1 {
            // The first forest of the set has the edge, and the second one does not.
            let conditions = Some(Arc::new(Condition { edge: leaves, earlier: conditions }));
            self.divide(first, conditions.clone())?;
            self.divide(second, conditions)?;
        }
        Ok(Some(found))
    }
}

impl<N: Amount> Iterator for Enumeration<N> {
    type Item = Result<RankedForest, OutOfMemory>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.wanted == 0 {
            return None;
        }
        let found = self.advance();
        // After a refusal, the sets of forests are incomplete.
        self.wanted = if found.is_ok() { self.wanted - 1 } else { 0 };
        found.transpose()
    }
}

/// The edges that the first `most` forests may contain or lack, ascending.
fn cheapest<N: Amount>(
    amounts: &[N],
    alternatives: &Alternatives,
    most: usize,
) -> Result<Vec<EdgeId>, OutOfMemory> {
    let mut ids = Vec::new();
    for is_inside in [true, false] {
        let mut exchanges = Vec::new();
        for edge in 0..amounts.len() as EdgeId {
            let Some(rival) = alternatives.rival(edge) else { continue };
            if alternatives.in_forest(edge) == is_inside {
                let (leaves, enters) = if is_inside { (edge, rival) } else { (rival, edge) };
                let amount = |edge: EdgeId| amounts[edge as usize].clone();
                let exchange = Exchange { change: amount(enters) - amount(leaves), leaves, enters };
                memory::push(&mut exchanges, exchange)?;
            }
        }
        let kept = most.saturating_sub(1);
        if kept < exchanges.len() {
            exchanges.select_nth_unstable_by(kept, Exchange::order);
            exchanges.truncate(kept);
        }
        let edge =
            |exchange: Exchange<N>| if is_inside { exchange.leaves } else { exchange.enters };
        ids.extend(exchanges.into_iter().map(edge));
    }
    ids.sort_unstable();
    Ok(ids)
}
