//! A lower bound on the weight of every Steiner tree, by dual ascent.
//!
//! Each edge is two arcs. A tree contains, for each set of vertices that has a terminal and not the
//! root, an arc that enters the set. So a set may be charged an amount that each arc into it can
//! still pay, and the sum of the charges is a lower bound. The ascent charges the set of vertices
//! from which arcs that have paid everything lead to a terminal, until the root is in all sets.
//! The bound holds at any time of the ascent.
//!
//! The terminal whose set has the fewest arcs comes first, and the lower vertex among equals.
//!
//! Source: Wong, "A dual ascent approach for Steiner tree problems on a directed graph",
//! Mathematical Programming 28 (1984). The order of terminals is that of Pajor, Uchoa & Werneck,
//! "A robust and scalable algorithm for the Steiner problem in graphs", Mathematical Programming
//! Computation 10 (2018).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use kostra_core::{EdgeSet, Vertex};

use super::rows::CostRows;
use super::tree::Terminals;

/// A set is charged while it has at most this many arcs for each arc of the next set, in eighths.
const PATIENCE: usize = 10;

/// The end of an ascent.
pub(super) struct Ascent {
    root: Vertex,
    /// The lower bound.
    pub(super) bound: u64,
    /// What the arc into the vertex of a row can still pay, by the place of its link.
    pub(super) left: Vec<u64>,
}

impl Ascent {
    /// The edges with an arc that is paid in full. They join all terminals if the ascent is at its
    /// end.
    pub(super) fn paid(&self, rows: &CostRows, edges: usize) -> EdgeSet {
        let mut paid = EdgeSet::new(edges);
        for (place, _) in self.left.iter().enumerate().filter(|(_, left)| **left == 0) {
            paid.insert(rows.at(place).edge);
        }
        paid
    }

    /// The edges that a tree with less than `limit` may contain.
    ///
    /// What the ascent has left of the costs are costs, too: a tree costs at least the bound and
    /// its path from the root over an arc to the nearest terminal behind that, both in what is
    /// left.
    pub(super) fn useful_edges(
        &self,
        rows: &CostRows,
        terminals: &Terminals,
        limit: u64,
        edges: usize,
    ) -> EdgeSet {
        let others = terminals.list.iter().copied().filter(|&terminal| terminal != self.root);
        // The place of the arc against an arc: the other place of its edge.
        let mut against = vec![usize::MAX; rows.entries()];
        let mut first = vec![usize::MAX; edges];
        for place in 0..rows.entries() {
            let other = std::mem::replace(&mut first[rows.at(place).edge as usize], place);
            if other != usize::MAX {
                (against[place], against[other]) = (other, place);
            }
        }
        let from_root = distances(rows, [self.root], |place| self.left[against[place]]);
        let to_terminal = distances(rows, others, |place| self.left[place]);
        let mut useful = EdgeSet::new(edges);
        for vertex in 0..rows.vertices() as Vertex {
            for place in rows.places(vertex) {
                let (link, left) = (rows.at(place), self.left[place]);
                let path = from_root[link.to as usize].saturating_add(to_terminal[vertex as usize]);
                if path.saturating_add(left).saturating_add(self.bound) < limit {
                    useful.insert(link.edge);
                }
            }
        }
        useful
    }
}

/// The distances from the nearest of some vertices, with the costs of the places of rows.
fn distances(
    rows: &CostRows,
    starts: impl IntoIterator<Item = Vertex>,
    cost: impl Fn(usize) -> u64,
) -> Vec<u64> {
    let mut distance = vec![u64::MAX; rows.vertices()];
    let mut heap = BinaryHeap::new();
    for start in starts {
        distance[start as usize] = 0;
        heap.push(Reverse((0, start)));
    }
    while let Some(Reverse((reached, vertex))) = heap.pop() {
        if reached > distance[vertex as usize] {
            continue;
        }
        for place in rows.places(vertex) {
            let (to, longer) = (rows.at(place).to, reached + cost(place));
            if longer < distance[to as usize] {
                distance[to as usize] = longer;
                heap.push(Reverse((longer, to)));
            }
        }
    }
    distance
}

/// The ascent from one root.
struct Ascending<'a> {
    rows: &'a CostRows,
    left: Vec<u64>,
    bound: u64,
    /// The stamp of the set that a vertex is in.
    stamps: Vec<u32>,
    stamp: u32,
    queue: Vec<Vertex>,
    /// Places of the arcs into the set.
    entering: Vec<usize>,
}

/// Charges sets for this root, which is a terminal, until `stop` says so.
pub(super) fn dual_ascent(
    rows: &CostRows,
    terminals: &Terminals,
    root: Vertex,
    stop: &mut dyn FnMut() -> bool,
) -> Ascent {
    let mut ascending = Ascending {
        rows,
        left: (0..rows.entries()).map(|place| rows.at(place).cost).collect(),
        bound: 0,
        stamps: vec![0; rows.vertices()],
        stamp: 0,
        queue: Vec::new(),
        entering: Vec::new(),
    };
    let mut is_open = vec![false; rows.vertices()];
    let mut heap = BinaryHeap::new();
    for &terminal in &terminals.list {
        is_open[terminal as usize] = true;
        if terminal != root {
            heap.push(Reverse((rows.of(terminal).len(), terminal)));
        }
    }
    while let Some(Reverse((_, terminal))) = heap.pop() {
        if stop() {
            break;
        }
        let most = heap.peek().map_or(usize::MAX, |Reverse((next, _))| next * PATIENCE / 8);
        match ascending.charge(terminal, &is_open, most) {
            Some(arcs) => heap.push(Reverse((arcs, terminal))),
            None => is_open[terminal as usize] = false,
        }
    }
    Ascent { root, bound: ascending.bound, left: ascending.left }
}

impl Ascending<'_> {
    /// Charges the set of a terminal while it has at most `most` arcs. Returns the number of arcs,
    /// or `None` if an open terminal or the root is in the set.
    fn charge(&mut self, terminal: Vertex, is_open: &[bool], most: usize) -> Option<usize> {
        self.stamp += 1;
        self.stamps[terminal as usize] = self.stamp;
        self.queue.push(terminal);
        self.entering.clear();
        loop {
            if !self.grow(terminal, is_open) {
                self.queue.clear();
                return None;
            }
            let (rows, stamps, stamp) = (self.rows, &self.stamps, self.stamp);
            self.entering.retain(|&place| stamps[rows.at(place).to as usize] != stamp);
            let arcs = self.entering.len();
            if arcs > most {
                return Some(arcs);
            }
            // Without an arc, the terminal has no path to the root.
            let charge = self.entering.iter().map(|&place| self.left[place]).min()?;
            self.bound += charge;
            for &place in &self.entering {
                self.left[place] -= charge;
                let from = rows.at(place).to;
                if self.left[place] == 0 && self.stamps[from as usize] != stamp {
                    self.stamps[from as usize] = stamp;
                    self.queue.push(from);
                }
            }
        }
    }

    /// Adds the vertices from which paid arcs lead to the set; whether no open terminal is among
    /// them.
    fn grow(&mut self, terminal: Vertex, is_open: &[bool]) -> bool {
        while let Some(vertex) = self.queue.pop() {
            if vertex != terminal && is_open[vertex as usize] {
                return false;
            }
            for place in self.rows.places(vertex) {
                let from = self.rows.at(place).to;
                if self.stamps[from as usize] == self.stamp {
                    continue;
                }
                if self.left[place] == 0 {
                    self.stamps[from as usize] = self.stamp;
                    self.queue.push(from);
                } else {
                    self.entering.push(place);
                }
            }
        }
        true
    }
}
