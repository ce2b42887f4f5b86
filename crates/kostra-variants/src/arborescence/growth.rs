//! The canonical arborescence among the cheapest ones.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use kostra_core::{BitSet, OutOfMemory, Vertex, memory};

use super::laminar::{Laminar, Nesting};
use super::network::{Amount, ArcId, Network, Rows};

/// A part of an arborescence from the origin.
struct Growth<'a, A> {
    network: &'a Network<'a, A>,
    nesting: Nesting<'a, A>,
    /// The arcs without cost by the vertex from which they lead.
    rows: Rows,
    /// The vertices and sets with a vertex of the part.
    is_entered: BitSet,
    /// The arcs that lead from the part, lowest first, each with the largest set that it enters.
    queue: BinaryHeap<(Reverse<ArcId>, u32)>,
}

/// The arcs of the canonical arborescence from the origin, in the order in which it grows.
///
/// An arborescence is cheapest if and only if its arcs have no cost left and just one of them
/// enters each set whose dual is above zero (complementary slackness). Any part of such an
/// arborescence that contains the origin can be completed, because the vertices and sets directly
/// inside a set reach each other by arcs without cost. So the lowest arc that leads out of the
/// part, and enters no set for the second time, is the lowest one that continues it.
/// O(m log n), for any optimal duals.
pub(super) fn grow<A: Amount>(
    network: &Network<'_, A>,
    family: &Laminar<A>,
) -> Result<Vec<ArcId>, OutOfMemory> {
    let family = family.without_zeros()?;
    let nesting = Nesting::new(&family)?;
    let mut free = BitSet::try_new(network.arcs())?;
    for arc in network.usable() {
        if nesting.reduced_cost(network, arc) == A::default() {
            free.insert(arc);
        }
    }
    let rows = Rows::new(network, network.usable().filter(|&arc| free.contains(arc)))?;
    let mut is_entered = BitSet::try_new(nesting.nodes())?;
    // The last set, which has all vertices.
    is_entered.insert(nesting.nodes() as u32 - 1);
    let queue = BinaryHeap::from(memory::with_capacity(rows.len())?);
    let mut growth = Growth { network, nesting, rows, is_entered, queue };
    let mut chosen = memory::with_capacity(network.vertices() as usize)?;
    growth.add(network.origin());
    while let Some((Reverse(arc), entered)) = growth.queue.pop() {
        if !growth.is_entered.contains(entered) {
            memory::push(&mut chosen, arc)?;
            growth.add(network.head(arc));
        }
    }
    debug_assert_eq!(chosen.len(), network.vertices() as usize);
    Ok(chosen)
}

impl<A: Amount> Growth<'_, A> {
    /// Adds a vertex to the part.
    fn add(&mut self, vertex: Vertex) {
        let mut node = vertex;
        while self.is_entered.insert(node) {
            node = self.nesting.parent(node);
        }
        for &arc in self.rows.of(vertex) {
            let entered = self.nesting.entered(self.network.tail(arc), self.network.head(arc));
            self.queue.push((Reverse(arc), entered));
        }
    }
}
