//! The order in which the edges of a forest join its vertices into clusters.
//!
//! Kruskal's algorithm on the forest's own edges, with union by size and no path compression,
//! leaves a tree of links that is at most log2(n) deep, and in which every link is later than those
//! below it. So the link tree *is* the hierarchy: two vertices come together at the latest link on
//! the way between them, and the edge that made it is the last, in order, on their path in the
//! forest. This tree is also called the Kruskal reconstruction tree.

use kostra_core::{EdgeId, Edges, Forest, Key, OutOfMemory, Vertex, Weight, memory};

/// The link of a vertex that is under no other.
const NEVER: u32 = u32::MAX;

/// The hierarchy of clusters that a spanning forest describes: single linkage, where weights are
/// distances.
///
/// Takes `16 n` bytes. Building it takes O(n + k log n) for k edges.
///
/// ```
/// use kostra::tree::{Bottleneck, MergeTree};
/// use kostra::{EdgeList, Forest, Order};
///
/// let graph = EdgeList::new(4, vec![0, 1, 2], vec![1, 2, 3], vec![5, 9, 7])?;
/// let edges = graph.edges(Order::Minimum);
/// let tree = MergeTree::new(edges, &Forest::new(edges, vec![0, 1, 2]))?;
/// assert_eq!(tree.edges(), [0, 2, 1]);
/// assert_eq!(tree.bottleneck(0, 3), Bottleneck::Edge(1));
/// assert_eq!(tree.clusters(2)?, [0, 0, 1, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct MergeTree {
    /// What each vertex is linked to.
    parents: Vec<Vertex>,
    /// When it was: a position in `edges`.
    links: Vec<u32>,
    /// The edges in order.
    edges: Vec<EdgeId>,
    /// The vertex that each edge linked.
    children: Vec<Vertex>,
}

/// What is between two vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bottleneck {
    /// They are one vertex.
    Same,
    /// The last edge, in order, on the forest's path between them. No path of the graph has only
    /// edges before it.
    Edge(EdgeId),
    /// They are in different components.
    Apart,
}

/// Two clusters that become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Merge {
    /// The edge that joins them.
    pub edge: EdgeId,
    /// The two clusters, the lower first: a vertex is a cluster of its number, and the i-th merge
    /// makes cluster `n + i`.
    pub clusters: [u64; 2],
    /// How many vertices they have together.
    pub size: u32,
}

impl MergeTree {
    /// The hierarchy of a forest of `edges`, in the order that these have.
    ///
    /// # Errors
    /// When the system does not grant the memory.
    pub fn new<W: Weight>(edges: Edges<'_, W>, forest: &Forest) -> Result<Self, OutOfMemory> {
        let mut ranks = memory::collected(forest.ids().iter().map(|&id| edges.rank(id)))?;
        ranks.sort_unstable();
        let n = edges.vertices();
        let mut tree = Self {
            parents: memory::collected(0..n)?,
            links: memory::filled(n as usize, NEVER)?,
            edges: memory::room(ranks.len())?,
            children: memory::room(ranks.len())?,
        };
        let mut sizes = memory::filled(n as usize, 1_u32)?;
        for rank in ranks {
            let edge = W::Key::rank_id(rank);
            let (u, v) = edges.ends(edge);
            let (a, b) = (tree.root(u), tree.root(v));
            // Equal sizes: the lower vertex stays, for no reason but that one must.
            let (child, parent) =
                if (sizes[a as usize], b) < (sizes[b as usize], a) { (a, b) } else { (b, a) };
            sizes[parent as usize] += sizes[child as usize];
            tree.parents[child as usize] = parent;
            tree.links[child as usize] = tree.edges.len() as u32;
            tree.edges.push(edge);
            tree.children.push(child);
        }
        Ok(tree)
    }

    fn root(&self, mut vertex: Vertex) -> Vertex {
        while self.links[vertex as usize] != NEVER {
            vertex = self.parents[vertex as usize];
        }
        vertex
    }

    /// The forest's edges in order: the i-th makes the i-th merge.
    pub fn edges(&self) -> &[EdgeId] {
        &self.edges
    }

    /// What is between two vertices, in O(log n).
    ///
    /// # Panics
    /// When the forest does not have the vertices.
    pub fn bottleneck(&self, s: Vertex, t: Vertex) -> Bottleneck {
        let (mut a, mut b) = (s, t);
        let mut latest = None;
        while a != b {
            let (link_a, link_b) = (self.links[a as usize], self.links[b as usize]);
            let link = link_a.min(link_b);
            if link == NEVER {
                return Bottleneck::Apart;
            }
            // Links get later on the way up, so whoever is at the earlier one is not yet where the
            // two meet.
            if link == link_a {
                a = self.parents[a as usize];
            } else {
                b = self.parents[b as usize];
            }
            latest = Some(link);
        }
        latest.map_or(Bottleneck::Same, |link| Bottleneck::Edge(self.edges[link as usize]))
    }

    /// All merges in order. Takes 12 bytes a vertex while it goes on.
    ///
    /// # Errors
    /// When the system does not grant the memory.
    pub fn merges(&self) -> Result<impl ExactSizeIterator<Item = Merge> + '_, OutOfMemory> {
        let n = self.parents.len();
        let mut clusters = memory::collected((0..n).map(|vertex| vertex as u64))?;
        let mut sizes = memory::filled(n, 1_u32)?;
        Ok(self.children.iter().enumerate().map(move |(merge, &child)| {
            let (child, parent) = (child as usize, self.parents[child as usize] as usize);
            let (low, high) =
                (clusters[child].min(clusters[parent]), clusters[child].max(clusters[parent]));
            clusters[parent] = (n + merge) as u64;
            sizes[parent] += sizes[child];
            Merge { edge: self.edges[merge], clusters: [low, high], size: sizes[parent] }
        }))
    }

    /// Which cluster each vertex is in after so many merges: numbers from 0, in the order of the
    /// clusters' lowest vertices. O(n log n).
    ///
    /// # Errors
    /// When the system does not grant the memory: 8 bytes a vertex.
    pub fn clusters(&self, merges: usize) -> Result<Vec<u32>, OutOfMemory> {
        const NONE: u32 = u32::MAX;
        let mut numbers = memory::filled(self.parents.len(), NONE)?;
        let mut clusters = memory::room(self.parents.len())?;
        let mut next = 0;
        for vertex in 0..self.parents.len() as Vertex {
            let mut root = vertex;
            while (self.links[root as usize] as usize) < merges
                && self.links[root as usize] != NEVER
            {
                root = self.parents[root as usize];
            }
            let number = &mut numbers[root as usize];
            if *number == NONE {
                *number = next;
                next += 1;
            }
            clusters.push(*number);
        }
        Ok(clusters)
    }
}

#[cfg(test)]
mod tests {
    use kostra_core::{AnyGraph, EdgeList, Graph, Order};

    use super::*;

    fn solved(graph: &Graph<i32>, order: Order) -> Forest {
        let graph = AnyGraph::I32(graph.clone());
        crate::solver("kruskal")
            .unwrap()
            .solve(&graph, order, &mut crate::Run::new())
            .unwrap()
            .forest
    }

    /// A graph with several components and many equal weights.
    fn scattered(seed: u32, n: u32, m: usize) -> Graph<i32> {
        let mut state = seed;
        let mut random = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % below
        };
        let (mut u, mut v, mut w) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..m {
            u.push(random(n));
            v.push(random(n));
            w.push(random(12) as i32 - 4);
        }
        EdgeList::new(n as usize, u, v, w).unwrap().into()
    }

    #[test]
    fn bottlenecks_are_the_last_edges_on_the_paths() {
        for seed in 0..60 {
            let graph = scattered(seed, 30, 5 + seed as usize);
            for order in [Order::Minimum, Order::Maximum] {
                let edges = graph.edge_list().edges(order);
                let forest = solved(&graph, order);
                let tree = MergeTree::new(edges, &forest).unwrap();
                for s in 0..30 {
                    let expected = last_on_paths(edges, &forest, s);
                    for t in 0..30 {
                        assert_eq!(
                            tree.bottleneck(s, t),
                            expected[t as usize],
                            "{s} to {t}, seed {seed}"
                        );
                    }
                }
            }
        }
    }

    /// By walking: relaxes every edge until nothing changes.
    fn last_on_paths(edges: Edges<'_, i32>, forest: &Forest, s: Vertex) -> Vec<Bottleneck> {
        let mut found = vec![Bottleneck::Apart; edges.vertices() as usize];
        found[s as usize] = Bottleneck::Same;
        for _ in 0..edges.vertices() {
            for &id in forest.ids() {
                let (u, v) = edges.ends(id);
                for (from, to) in [(u, v), (v, u)] {
                    if found[to as usize] != Bottleneck::Apart {
                        continue;
                    }
                    found[to as usize] = match found[from as usize] {
                        Bottleneck::Apart => continue,
                        Bottleneck::Edge(other) if edges.rank(other) > edges.rank(id) => {
                            Bottleneck::Edge(other)
                        }
                        _ => Bottleneck::Edge(id),
                    };
                }
            }
        }
        found
    }

    #[test]
    fn merges_grow_into_the_components() {
        let graph = scattered(7, 40, 60);
        let edges = graph.edge_list().edges(Order::Minimum);
        let forest = solved(&graph, Order::Minimum);
        let tree = MergeTree::new(edges, &forest).unwrap();
        assert!(tree.edges().is_sorted_by_key(|&edge| edges.rank(edge)));
        let mut members: Vec<Vec<Vertex>> = (0..40).map(|vertex| vec![vertex]).collect();
        for (index, merge) in tree.merges().unwrap().enumerate() {
            let [a, b] = merge.clusters.map(|cluster| members[cluster as usize].clone());
            assert!(merge.clusters[0] < merge.clusters[1]);
            let (u, v) = edges.ends(merge.edge);
            assert!((a.contains(&u) && b.contains(&v)) || (a.contains(&v) && b.contains(&u)));
            let union = [a, b].concat();
            assert_eq!(union.len(), merge.size as usize);
            let clusters = tree.clusters(index + 1).unwrap();
            assert!(
                union
                    .iter()
                    .all(|&vertex| clusters[vertex as usize] == clusters[union[0] as usize])
            );
            members.push(union);
        }
        assert_eq!(tree.clusters(0).unwrap(), (0..40).collect::<Vec<_>>());
        assert_eq!(tree.clusters(usize::MAX).unwrap(), forest.labels(edges).unwrap().as_slice());
    }

    #[test]
    fn links_are_at_most_log_n_deep() {
        let n = 1_u32 << 12;
        let (u, v): (Vec<_>, Vec<_>) = (1..n).map(|vertex| (vertex, vertex - 1)).unzip();
        let graph = Graph::from(EdgeList::new(n as usize, u, v, vec![0; n as usize - 1]).unwrap());
        let forest = solved(&graph, Order::Minimum);
        let tree = MergeTree::new(graph.edge_list().edges(Order::Minimum), &forest).unwrap();
        for mut vertex in 0..n {
            let mut depth = 0;
            while tree.links[vertex as usize] != NEVER {
                vertex = tree.parents[vertex as usize];
                depth += 1;
            }
            assert!(depth <= 12);
        }
    }
}
