//! Local search: changes a tree by exchanges, eliminations and insertions until none makes it
//! cheaper.
//!
//! All vertices are tried once, and then those that are near a change of the tree.

use std::collections::VecDeque;

use kostra_core::Vertex;

use super::insertion::Inserter;
use super::reconnect::Reconnector;
use super::rows::Link;
use super::tree::Tree;

/// The local search with its memory.
pub(super) struct LocalSearch {
    reconnector: Reconnector,
    inserter: Inserter,
    /// The vertices to try, each once.
    waiting: VecDeque<Vertex>,
    is_waiting: Vec<bool>,
    path: Vec<(Vertex, Link)>,
}

impl LocalSearch {
    pub(super) fn new(vertices: usize) -> Self {
        Self {
            reconnector: Reconnector::new(vertices),
            inserter: Inserter::new(vertices),
            waiting: VecDeque::new(),
            is_waiting: vec![false; vertices],
            path: Vec::new(),
        }
    }

    /// The steps of all searches so far: a measure of time that does not depend on the machine.
    pub(super) fn steps(&self) -> u64 {
        self.reconnector.steps + self.inserter.steps
    }

    /// Improves a tree until no move of the neighborhoods does, or `stop` says so. The tree is a
    /// Steiner tree at any time.
    pub(super) fn improve(&mut self, tree: &mut Tree<'_>, stop: &mut dyn FnMut() -> bool) {
        tree.respan();
        let vertices = 0..tree.rows.vertices() as Vertex;
        let (inside, outside): (Vec<_>, _) = vertices.partition(|&vertex| tree.contains(vertex));
        inside.into_iter().chain(outside).for_each(|vertex| self.wait(vertex));
        while let Some(vertex) = self.waiting.pop_front() {
            self.is_waiting[vertex as usize] = false;
            if !stop() {
                self.try_vertex(tree, vertex);
            }
        }
        tree.respan();
    }

    fn wait(&mut self, vertex: Vertex) {
        if !std::mem::replace(&mut self.is_waiting[vertex as usize], true) {
            self.waiting.push_back(vertex);
        }
    }

    /// Tries all moves of a vertex.
    fn try_vertex(&mut self, tree: &mut Tree<'_>, vertex: Vertex) {
        if !tree.contains(vertex) {
            if self.inserter.insert(tree, vertex) {
                let changed = self.inserter.changed();
                self.wait_around(tree, &changed);
            }
            return;
        }
        let is_terminal = tree.terminals.is[vertex as usize];
        if !is_terminal && tree.is_key(vertex) && self.reconnector.eliminate(tree, vertex) {
            let changed = self.reconnector.changed();
            self.wait_around(tree, &changed);
        }
        let mut place = 0;
        while let Some(&link) = tree.of(vertex).get(place).filter(|_| tree.is_key(vertex)) {
            if self.reconnector.exchange_path(tree, vertex, link) {
                let changed = self.reconnector.changed();
                self.wait_around(tree, &changed);
            } else {
                place += 1;
            }
        }
    }

    /// Lets the vertices wait that are near changed vertices, and the ends of their key paths.
    fn wait_around(&mut self, tree: &Tree<'_>, changed: &[Vertex]) {
        for &vertex in changed {
            self.wait(vertex);
            for link in tree.rows.of(vertex) {
                self.wait(link.to);
            }
            if tree.is_key(vertex) {
                let mut path = std::mem::take(&mut self.path);
                for &link in tree.of(vertex) {
                    tree.key_path(vertex, link, &mut path);
                    path.last().into_iter().for_each(|(_, last)| self.wait(last.to));
                }
                self.path = path;
            }
        }
    }
}
