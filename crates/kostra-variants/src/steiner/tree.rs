//! A Steiner tree that the search changes.

use kostra_core::{EdgeId, UnionFind, Vertex};

use super::rows::{CostRows, Link};

/// The vertices of a graph that a tree must join.
#[derive(Debug)]
pub(super) struct Terminals {
    /// The vertices, ascending, each once.
    pub(super) list: Vec<Vertex>,
    /// Whether a vertex is one of them.
    pub(super) is: Vec<bool>,
}

impl Terminals {
    pub(super) fn new(mut list: Vec<Vertex>, vertices: usize) -> Self {
        list.sort_unstable();
        list.dedup();
        let mut is = vec![false; vertices];
        list.iter().for_each(|&terminal| is[terminal as usize] = true);
        Self { list, is }
    }
}

/// A tree that joins all terminals, as the links of each vertex.
#[derive(Debug)]
pub(super) struct Tree<'a> {
    pub(super) rows: &'a CostRows,
    pub(super) terminals: &'a Terminals,
    links: Vec<Vec<Link>>,
    /// The sum of the costs.
    pub(super) cost: u64,
}

impl<'a> Tree<'a> {
    /// The tree of these edges, which have no cycle. `graph` gives the ends of an edge.
    pub(super) fn new(
        rows: &'a CostRows,
        terminals: &'a Terminals,
        edges: impl IntoIterator<Item = (Vertex, Link)>,
    ) -> Self {
        let links = vec![Vec::new(); rows.vertices()];
        let mut tree = Self { rows, terminals, links, cost: 0 };
        edges.into_iter().for_each(|(from, link)| tree.add(from, link));
        tree
    }

    /// The links of a vertex inside the tree.
    pub(super) fn of(&self, vertex: Vertex) -> &[Link] {
        &self.links[vertex as usize]
    }

    /// Whether a vertex is in the tree.
    pub(super) fn contains(&self, vertex: Vertex) -> bool {
        self.terminals.is[vertex as usize] || !self.of(vertex).is_empty()
    }

    /// Whether a vertex is a key vertex: a terminal, or one where three or more edges meet.
    pub(super) fn is_key(&self, vertex: Vertex) -> bool {
        self.terminals.is[vertex as usize] || self.of(vertex).len() > 2
    }

    pub(super) fn add(&mut self, from: Vertex, link: Link) {
        self.links[from as usize].push(link);
        self.links[link.to as usize].push(Link { to: from, ..link });
        self.cost += link.cost;
    }

    pub(super) fn remove(&mut self, from: Vertex, link: Link) {
        self.links[from as usize].retain(|one| one.edge != link.edge);
        self.links[link.to as usize].retain(|one| one.edge != link.edge);
        self.cost -= link.cost;
    }

    /// Removes leaves that are no terminals, from this vertex on.
    pub(super) fn prune(&mut self, mut vertex: Vertex) {
        while let (&[link], false) = (self.of(vertex), self.terminals.is[vertex as usize]) {
            self.remove(vertex, link);
            vertex = link.to;
        }
    }

    /// The key path that starts at a key vertex with this link: its links, each with the vertex
    /// that it leaves.
    pub(super) fn key_path(&self, from: Vertex, link: Link, path: &mut Vec<(Vertex, Link)>) {
        path.clear();
        let (mut from, mut link) = (from, link);
        loop {
            path.push((from, link));
            if self.is_key(link.to) {
                return;
            }
            let next = self.of(link.to).iter().find(|one| one.edge != link.edge);
            // A vertex between key vertices has two links.
            let Some(&next) = next else { return };
            (from, link) = (link.to, next);
        }
    }

    /// Replaces the tree by a minimum spanning tree of its vertices without needless leaves, until
    /// that changes nothing.
    pub(super) fn respan(&mut self) {
        loop {
            let before = self.cost;
            let inside = |vertex: &Vertex| self.contains(*vertex);
            let vertices: Vec<_> = (0..self.links.len() as Vertex).filter(inside).collect();
            // The rows may lack edges of the tree.
            let mut edges: Vec<_> = self.links_once().collect();
            for &vertex in &vertices {
                let others = self.rows.of(vertex).iter().copied();
                let others = others.filter(|link| link.to > vertex && self.contains(link.to));
                edges.extend(others.map(|link| (vertex, link)));
            }
            edges.sort_unstable_by_key(|(_, link)| (link.cost, link.edge));
            edges.dedup_by_key(|(_, link)| link.edge);
            let mut sets = UnionFind::new(self.links.len() as u32);
            vertices.iter().for_each(|&vertex| self.links[vertex as usize].clear());
            self.cost = 0;
            for (from, link) in edges {
                if sets.union(from, link.to) {
                    self.add(from, link);
                }
            }
            vertices.iter().for_each(|&vertex| self.prune(vertex));
            if self.cost == before {
                return;
            }
        }
    }

    /// The ids of the edges, ascending.
    pub(super) fn edges(&self) -> Vec<EdgeId> {
        let mut edges: Vec<_> = self.links_once().map(|(_, link)| link.edge).collect();
        edges.sort_unstable();
        edges
    }

    /// The links, each once.
    fn links_once(&self) -> impl Iterator<Item = (Vertex, Link)> + '_ {
        let vertices = (0..).zip(&self.links);
        let links = vertices.flat_map(|(from, links)| links.iter().map(move |&link| (from, link)));
        links.filter(|(from, link)| *from < link.to)
    }
}
