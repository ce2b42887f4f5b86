//! The insertion of key vertices: a vertex outside the tree that is near to three or more of its
//! paths may join them at lower cost.
//!
//! The vertex is joined to the tree by its shortest path. Each further path closes a cycle, which
//! the costliest key path of the cycle leaves if it costs more. The neighborhood is that of Uchoa &
//! Werneck 2012, who try the edges of the vertex; here paths are tried, too.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use kostra_core::Vertex;

use super::rows::Link;
use super::tree::Tree;

/// The search for paths settles no more vertices. A vertex whose paths to the tree are longer than
/// that rarely pays.
const MOST_SETTLED: usize = 100;
/// The number of paths to the tree that are tried.
const MOST_PATHS: usize = 8;
/// The search for a cycle visits no more vertices of the tree. Longer cycles are not tried.
const MOST_VISITED: usize = 2000;

/// What is known of a vertex outside the tree.
#[derive(Clone, Copy)]
struct Mark {
    stamp: u32,
    is_settled: bool,
    distance: u64,
    via: Link,
}

/// How a vertex of the tree was visited.
#[derive(Clone, Copy)]
struct Visit {
    stamp: u32,
    /// From which end of the cycle.
    side: usize,
    /// The link back to the vertex before.
    via: Link,
}

/// The memory of searches.
pub(super) struct Inserter {
    marks: Vec<Mark>,
    visits: Vec<Visit>,
    stamp: u32,
    visit_stamp: u32,
    heap: BinaryHeap<Reverse<(u64, Vertex)>>,
    queue: VecDeque<Vertex>,
    /// The ends of paths: a vertex of the tree, and its link to the vertex before.
    hits: Vec<(Vertex, Link)>,
    /// Changes of the tree: whether a link was added, and the link.
    log: Vec<(bool, Vertex, Link)>,
    cycle: Vec<(Vertex, Link)>,
    path: Vec<(Vertex, Link)>,
    /// The vertices that all searches visited.
    pub(super) steps: u64,
}

impl Inserter {
    pub(super) fn new(vertices: usize) -> Self {
        let via = Link { to: 0, edge: 0, cost: 0 };
        Self {
            marks: vec![Mark { stamp: 0, is_settled: false, distance: 0, via }; vertices],
            visits: vec![Visit { stamp: 0, side: 0, via }; vertices],
            stamp: 0,
            visit_stamp: 0,
            heap: BinaryHeap::new(),
            queue: VecDeque::new(),
            hits: Vec::new(),
            log: Vec::new(),
            cycle: Vec::new(),
            path: Vec::new(),
            steps: 0,
        }
    }

    /// The vertices at which the last move changed the tree.
    pub(super) fn changed(&self) -> Vec<Vertex> {
        self.log.iter().flat_map(|&(_, from, link)| [from, link.to]).collect()
    }

    /// Joins a vertex outside the tree to it, if the tree becomes cheaper.
    pub(super) fn insert(&mut self, tree: &mut Tree<'_>, vertex: Vertex) -> bool {
        if tree.rows.of(vertex).len() < 3 {
            return false;
        }
        self.find_paths(tree, vertex);
        if self.hits.len() < 3 {
            return false;
        }
        let before = tree.cost;
        self.log.clear();
        for hit in 0..self.hits.len() {
            let joint = self.path_to_tree(tree, hit);
            if hit > 0 && !self.leave_cycle(tree, self.hits[hit].0, joint) {
                continue;
            }
            for &(from, link) in &self.path {
                tree.add(from, link);
                self.log.push((true, from, link));
            }
        }
        if tree.cost < before {
            tree.prune(vertex);
            return true;
        }
        for &(is_added, from, link) in self.log.iter().rev() {
            if is_added { tree.remove(from, link) } else { tree.add(from, link) }
        }
        false
    }

    /// Finds the vertices of the tree that are nearest to a vertex outside, in order of distance.
    fn find_paths(&mut self, tree: &Tree<'_>, vertex: Vertex) {
        self.stamp += 1;
        self.hits.clear();
        self.heap.clear();
        self.reach(vertex, 0, Link { to: vertex, edge: 0, cost: 0 });
        let mut settled = 0;
        while let Some(Reverse((distance, vertex))) = self.heap.pop() {
            let mark = &mut self.marks[vertex as usize];
            if std::mem::replace(&mut mark.is_settled, true) {
                continue;
            }
            settled += 1;
            self.steps += 1;
            if tree.contains(vertex) {
                let via = mark.via;
                self.hits.push((vertex, via));
                if self.hits.len() == MOST_PATHS {
                    return;
                }
            } else {
                for &link in tree.rows.of(vertex) {
                    self.reach(link.to, distance + link.cost, Link { to: vertex, ..link });
                }
            }
            if settled == MOST_SETTLED {
                return;
            }
        }
    }

    fn reach(&mut self, vertex: Vertex, distance: u64, via: Link) {
        let mark = &mut self.marks[vertex as usize];
        let is_known = mark.stamp == self.stamp;
        let is_better = (distance, via.edge) < (mark.distance, mark.via.edge);
        if !is_known || (is_better && !mark.is_settled) {
            *mark = Mark { stamp: self.stamp, is_settled: false, distance, via };
            self.heap.push(Reverse((distance, vertex)));
        }
    }

    /// Collects the links from a hit to the first vertex on its path that is in the tree or is the
    /// inserted vertex, and returns this vertex.
    fn path_to_tree(&mut self, tree: &Tree<'_>, hit: usize) -> Vertex {
        let (mut from, mut via) = self.hits[hit];
        self.path.clear();
        loop {
            self.path.push((from, via));
            from = via.to;
            via = self.marks[from as usize].via;
            if tree.contains(from) || via.to == from {
                return from;
            }
        }
    }

    /// Removes the costliest key path between two vertices of the tree if it costs more than
    /// `path`; whether it did.
    fn leave_cycle(&mut self, tree: &mut Tree<'_>, hit: Vertex, joint: Vertex) -> bool {
        if !self.find_cycle(tree, hit, joint) {
            return false;
        }
        let mut costliest = (0, 0..0);
        let (mut start, mut cost) = (0, 0);
        for (place, &(_, link)) in self.cycle.iter().enumerate() {
            cost += link.cost;
            if tree.is_key(link.to) || place + 1 == self.cycle.len() {
                if cost > costliest.0 {
                    costliest = (cost, start..place + 1);
                }
                (start, cost) = (place + 1, 0);
            }
        }
        if costliest.0 <= self.path.iter().map(|(_, link)| link.cost).sum() {
            return false;
        }
        for &(from, link) in &self.cycle[costliest.1] {
            tree.remove(from, link);
            self.log.push((false, from, link));
        }
        true
    }

    /// Finds the path of the tree from `hit` to `joint`, from both ends in turn.
    fn find_cycle(&mut self, tree: &Tree<'_>, hit: Vertex, joint: Vertex) -> bool {
        self.visit_stamp += 1;
        self.queue.clear();
        for (side, end) in [hit, joint].into_iter().enumerate() {
            let via = Link { to: end, edge: 0, cost: 0 };
            self.visits[end as usize] = Visit { stamp: self.visit_stamp, side, via };
            self.queue.push_back(end);
        }
        for _ in 0..MOST_VISITED {
            let Some(vertex) = self.queue.pop_front() else { return false };
            let Visit { side, via: before, .. } = self.visits[vertex as usize];
            for &link in tree.of(vertex) {
                let via = Link { to: vertex, ..link };
                let visit = &mut self.visits[link.to as usize];
                if visit.stamp != self.visit_stamp {
                    *visit = Visit { stamp: self.visit_stamp, side, via };
                    self.queue.push_back(link.to);
                } else if link.to != before.to && visit.side != side {
                    let meeting = if side == 0 { (vertex, link) } else { (link.to, via) };
                    self.list_cycle(meeting);
                    return true;
                }
            }
        }
        false
    }

    /// Lists the links from the first end over the link at which both searches met.
    fn list_cycle(&mut self, (vertex, link): (Vertex, Link)) {
        self.cycle.clear();
        let mut to = vertex;
        loop {
            let via = self.visits[to as usize].via;
            if via.to == to {
                break;
            }
            self.cycle.push((via.to, Link { to, ..via }));
            to = via.to;
        }
        self.cycle.reverse();
        self.cycle.push((vertex, link));
        let mut from = link.to;
        loop {
            let via = self.visits[from as usize].via;
            if via.to == from {
                break;
            }
            self.cycle.push((from, via));
            from = via.to;
        }
    }
}
