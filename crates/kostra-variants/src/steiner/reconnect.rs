//! The exchange of key paths, and the elimination of key vertices: a tree without some of its key
//! paths falls into parts, and shorter paths may join them again.
//!
//! The neighborhoods are those of Uchoa & Werneck, "Fast local search for the Steiner problem in
//! graphs", ACM Journal of Experimental Algorithmics 17 (2012). They evaluate all moves of a pass
//! on one set of regions, which they repair. Here a search from all parts but the largest evaluates
//! one move. It ends at the cost that the removed paths had, so it stays near them, and a move can
//! be made as soon as it is found.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use kostra_core::{EdgeId, UnionFind, Vertex};

use super::rows::Link;
use super::tree::Tree;

/// What is known of a vertex during one search. Valid if the stamp is that of the search.
#[derive(Clone, Copy)]
struct Mark {
    stamp: u32,
    state: State,
    part: u32,
    distance: u64,
    /// The link to the vertex before.
    via: Link,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// In the tree, in the part `part`.
    InTree,
    Reached,
    Settled,
    /// On a path that was added.
    Used,
}

/// The memory of searches.
pub(super) struct Reconnector {
    marks: Vec<Mark>,
    stamp: u32,
    heap: BinaryHeap<Reverse<(u64, Vertex)>>,
    /// The vertices of each part that was explored whole.
    parts: Vec<Vec<Vertex>>,
    /// Edges between parts: the length of the path, and the two vertices that the edge joins.
    candidates: Vec<(u64, EdgeId, Vertex, Link)>,
    removed: Vec<(Vertex, Link)>,
    added: Vec<(Vertex, Link)>,
    /// The vertices that all searches visited.
    pub(super) steps: u64,
}

impl Reconnector {
    pub(super) fn new(vertices: usize) -> Self {
        let via = Link { to: 0, edge: 0, cost: 0 };
        let mark = Mark { stamp: 0, state: State::Reached, part: 0, distance: 0, via };
        Self {
            marks: vec![mark; vertices],
            stamp: 0,
            heap: BinaryHeap::new(),
            parts: Vec::new(),
            candidates: Vec::new(),
            removed: Vec::new(),
            added: Vec::new(),
            steps: 0,
        }
    }

    /// The vertices at which the last move changed the tree.
    pub(super) fn changed(&self) -> Vec<Vertex> {
        let links = self.removed.iter().chain(&self.added);
        links.flat_map(|&(from, link)| [from, link.to]).collect()
    }

    /// Replaces the key path that starts with this link by a shorter one, if there is one.
    pub(super) fn exchange_path(&mut self, tree: &mut Tree<'_>, from: Vertex, link: Link) -> bool {
        let mut removed = std::mem::take(&mut self.removed);
        tree.key_path(from, link, &mut removed);
        let ends = [from, removed.last().map_or(from, |(_, last)| last.to)];
        self.removed = removed;
        self.exchange(tree, &ends)
    }

    /// Removes a key vertex that is no terminal with its key paths, if paths of lower cost join the
    /// vertices at their ends.
    pub(super) fn eliminate(&mut self, tree: &mut Tree<'_>, vertex: Vertex) -> bool {
        let mut removed = std::mem::take(&mut self.removed);
        removed.clear();
        let (mut path, mut ends) = (Vec::new(), Vec::new());
        for &link in tree.of(vertex) {
            tree.key_path(vertex, link, &mut path);
            ends.extend(path.last().map(|(_, last)| last.to));
            removed.append(&mut path);
        }
        self.removed = removed;
        self.exchange(tree, &ends)
    }

    /// Replaces the links in `removed` by cheaper paths that join the parts of these vertices.
    fn exchange(&mut self, tree: &mut Tree<'_>, ends: &[Vertex]) -> bool {
        let before = tree.cost;
        self.removed.iter().for_each(|&(from, link)| tree.remove(from, link));
        let limit = before - tree.cost;
        self.stamp += 1;
        self.explore(tree, ends);
        self.search(tree, limit);
        let is_cheaper = self.choose(ends.len() as u32, limit);
        let links = if is_cheaper { &self.added } else { &self.removed };
        links.iter().for_each(|&(from, link)| tree.add(from, link));
        is_cheaper
    }

    /// Explores the parts in turn until only the largest is left.
    fn explore(&mut self, tree: &Tree<'_>, ends: &[Vertex]) {
        self.parts.resize_with(ends.len(), Vec::new);
        for (part, &end) in ends.iter().enumerate() {
            self.parts[part].clear();
            self.parts[part].push(end);
            self.enter(end, part as u32);
        }
        let mut next = vec![0; ends.len()];
        let mut open = ends.len();
        while open > 1 {
            for (part, next) in next.iter_mut().enumerate() {
                let Some(&vertex) = self.parts[part].get(*next) else { continue };
                *next += 1;
                for link in tree.of(vertex) {
                    if self.marks[link.to as usize].stamp != self.stamp {
                        self.parts[part].push(link.to);
                        self.enter(link.to, part as u32);
                    }
                }
                if *next == self.parts[part].len() {
                    open -= 1;
                    if open == 1 {
                        break;
                    }
                }
            }
        }
        for (part, next) in self.parts.iter_mut().zip(next) {
            if next < part.len() {
                // The largest part: the search ends there.
                part.clear();
            }
        }
    }

    fn enter(&mut self, vertex: Vertex, part: u32) {
        let via = Link { to: vertex, edge: 0, cost: 0 };
        let mark = Mark { stamp: self.stamp, state: State::InTree, part, distance: 0, via };
        self.marks[vertex as usize] = mark;
    }

    /// The part of a vertex of the tree.
    fn part_in(&self, vertex: Vertex, largest: u32) -> u32 {
        let mark = &self.marks[vertex as usize];
        if mark.stamp == self.stamp { mark.part } else { largest }
    }

    /// Collects edges between parts, on paths that are shorter than `limit`.
    fn search(&mut self, tree: &Tree<'_>, limit: u64) {
        self.candidates.clear();
        self.heap.clear();
        let largest = self.parts.iter().position(Vec::is_empty).unwrap_or_default() as u32;
        let mut limit = limit;
        for part in 0..self.parts.len() {
            for place in 0..self.parts[part].len() {
                let vertex = self.parts[part][place];
                self.scan(tree, (vertex, 0), largest, &mut limit);
            }
        }
        while let Some(Reverse((distance, vertex))) = self.heap.pop() {
            let mark = &mut self.marks[vertex as usize];
            if mark.state != State::Reached || distance != mark.distance {
                continue;
            }
            if distance >= limit {
                break;
            }
            mark.state = State::Settled;
            self.scan(tree, (vertex, distance), largest, &mut limit);
        }
    }

    /// Follows the links of a vertex.
    fn scan(
        &mut self,
        tree: &Tree<'_>,
        (vertex, distance): (Vertex, u64),
        largest: u32,
        limit: &mut u64,
    ) {
        self.steps += 1;
        let part = self.marks[vertex as usize].part;
        for &link in tree.rows.of(vertex) {
            let reached = distance + link.cost;
            if reached >= *limit {
                continue;
            }
            if tree.contains(link.to) {
                if self.part_in(link.to, largest) != part {
                    self.offer(reached, vertex, link, limit);
                }
                continue;
            }
            let via = Link { to: vertex, ..link };
            let mark = &mut self.marks[link.to as usize];
            let is_known = mark.stamp == self.stamp;
            if is_known && mark.state == State::Settled {
                if mark.part != part {
                    let length = reached + mark.distance;
                    self.offer(length, vertex, link, limit);
                }
            } else if !is_known || (reached, link.edge) < (mark.distance, mark.via.edge) {
                let stamp = self.stamp;
                *mark = Mark { stamp, state: State::Reached, part, distance: reached, via };
                self.heap.push(Reverse((reached, link.to)));
            }
        }
    }

    /// Keeps an edge between two parts. Between only two, no longer path matters.
    fn offer(&mut self, length: u64, vertex: Vertex, link: Link, limit: &mut u64) {
        if length < *limit {
            self.candidates.push((length, link.edge, vertex, link));
            if self.parts.len() == 2 {
                *limit = length;
            }
        }
    }

    /// Chooses the shortest paths that join all parts; whether they cost less than `limit`.
    fn choose(&mut self, parts: u32, limit: u64) -> bool {
        self.candidates.sort_unstable_by_key(|&(length, edge, ..)| (length, edge));
        let largest = self.parts.iter().position(Vec::is_empty).unwrap_or_default() as u32;
        let mut sets = UnionFind::new(parts);
        let mut cost = 0;
        self.added.clear();
        for place in 0..self.candidates.len() {
            let (_, _, vertex, link) = self.candidates[place];
            if !sets.union(self.part_in(vertex, largest), self.part_in(link.to, largest)) {
                continue;
            }
            cost += link.cost;
            self.added.push((vertex, link));
            for mut end in [vertex, link.to] {
                loop {
                    let mark = &mut self.marks[end as usize];
                    if mark.stamp != self.stamp || mark.state != State::Settled {
                        break;
                    }
                    mark.state = State::Used;
                    let via = mark.via;
                    cost += via.cost;
                    self.added.push((end, via));
                    end = via.to;
                }
            }
            if sets.sets() == 1 {
                return cost < limit;
            }
        }
        false
    }
}
