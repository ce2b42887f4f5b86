//! Forests that contain some edges, avoid others, take vertices as connected, or have a certain
//! number of trees.
//!
//! Edges that the forest contains and vertices that are connected are contracted, and edges that it
//! avoids are left out. What remains is a graph, whose canonical forest any solver finds. That
//! forest and the contracted edges are the best forest under the constraints, because contraction
//! and deletion of a matroid give a matroid.
//!
//! A number of trees is a number of edges. Forests of at most a number of edges are the truncation
//! of the matroid, in which the greedy algorithm stops early. So the first edges of the canonical
//! forest, in order, are the best forest of their number.

mod error;

use kostra_core::{
    AnyGraph, EdgeId, EdgeList, EdgeSet, Edges, Forest, Key, Order, OutOfMemory, Run, UnionFind,
    Vertex, items_at, memory, with_graph,
};

use crate::rooted::RootedForest;
pub use error::ConstraintError;

/// How many trees a forest has, isolated vertices included. Vertices that are taken as connected
/// count as one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TreeCount {
    /// As few as the graph allows.
    #[default]
    Fewest,
    /// This number. The worst edges are left out.
    Exactly(u32),
    /// This number or fewer. An edge beyond those that it takes is in the forest only if it
    /// improves the total: with a negative weight, or with a positive one in a maximum spanning
    /// forest.
    AtMost(u32),
}

/// What a forest must satisfy.
#[derive(Clone, Debug, Default)]
pub struct ForestConstraints {
    /// Edges that the forest contains. They must not close a cycle.
    pub include: Vec<EdgeId>,
    /// Edges that the forest does not contain.
    pub exclude: Vec<EdgeId>,
    /// Groups of vertices that are connected without edges: the forest is that of the graph in
    /// which each group is one vertex. Groups that share a vertex are one group.
    pub links: Vec<Vec<Vertex>>,
    /// The number of trees.
    pub trees: TreeCount,
}

/// A graph whose canonical forest completes the best forest under constraints.
///
/// ```
/// use kostra_core::{AnyGraph, Order, Run, Total};
/// use kostra_variants::{ForestConstraints, ReducedGraph, TreeCount};
///
/// let graph = AnyGraph::from_edges(4, vec![0, 1, 2, 3], vec![1, 2, 3, 0], vec![1, 2, 3, 4])?;
/// let include = vec![3];
/// let constraints = ForestConstraints { include, exclude: vec![0], ..Default::default() };
/// let reduced = ReducedGraph::new(&graph, &constraints)?;
/// let forest = reduced.solve(Order::Minimum, &mut Run::new())?;
/// assert_eq!((forest.ids(), forest.total()), (&[1, 2, 3][..], Total::Integer(9)));
///
/// let constraints = ForestConstraints { trees: TreeCount::Exactly(2), ..constraints };
/// let forest = ReducedGraph::new(&graph, &constraints)?.solve(Order::Minimum, &mut Run::new())?;
/// assert_eq!(forest.ids(), [1, 3]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ReducedGraph<'a> {
    graph: &'a AnyGraph,
    reduced: AnyGraph,
    /// The id in the graph of each edge of the reduced graph. They ascend.
    ids: Vec<EdgeId>,
    /// The edges that the forest contains, ascending.
    include: Vec<EdgeId>,
    /// The number of vertices. Linked ones count as one.
    groups: u32,
    trees: TreeCount,
}

impl<'a> ReducedGraph<'a> {
    /// Contracts and leaves out edges. Takes O(n + m) time, and memory for a copy of the graph.
    ///
    /// # Errors
    /// When an edge or a vertex does not exist, an edge is both included and excluded, the included
    /// edges close a cycle, or the system refuses the memory.
    pub fn new(
        graph: &'a AnyGraph,
        constraints: &ForestConstraints,
    ) -> Result<Self, ConstraintError> {
        let ForestConstraints { include, exclude, links, trees } = constraints;
        let mut groups = linked(graph, links)?;
        let vertices = groups.sets();
        let (included, excluded) = (edge_set(graph, include)?, edge_set(graph, exclude)?);
        if let Some(&edge) = include.iter().find(|&&edge| excluded.contains(edge)) {
            return Err(ConstraintError::Contradiction { edge });
        }
        let include = included.clone().try_into_ids()?;
        for (place, &edge) in include.iter().enumerate() {
            let (u, v) = (graph.u()[edge as usize], graph.v()[edge as usize]);
            if !groups.union(u, v) {
                return Err(cycle(graph, links, &include[..=place])?);
            }
        }
        let labels = groups.flatten();
        let group = |ends: &[Vertex], id: EdgeId| labels[ends[id as usize] as usize];
        let mut ids = memory::with_capacity(graph.edges())?;
        ids.extend(
            (0..graph.edges() as EdgeId).filter(|&id| {
                !excluded.contains(id) && group(graph.u(), id) != group(graph.v(), id)
            }),
        );
        let [u, v] = [graph.u(), graph.v()]
            .map(|ends| memory::collected(ids.iter().map(|&id| group(ends, id))));
        let (u, v) = (u?, v?);
        let reduced = with_graph!(graph, graph => {
            let weights = items_at(graph.edge_list().weights(), &ids);
            EdgeList::of_checked(graph.edge_list().vertices(), u, v, weights).into()
        });
        Ok(Self { graph, reduced, ids, include, groups: vertices, trees: *trees })
    }

    /// The graph for a solver. Vertices that were contracted into others are isolated.
    pub fn graph(&self) -> &AnyGraph {
        &self.reduced
    }

    /// Completes the canonical forest of [`graph`](Self::graph), whose edges there are `ids`: adds
    /// the included edges, and leaves out edges that the number of trees excludes. O(n log n).
    ///
    /// # Errors
    /// When no forest has the number of trees.
    ///
    /// # Panics
    /// When an id is out of range. Edges that are not the canonical forest give a wrong answer.
    pub fn complete(&self, order: Order, ids: &[EdgeId]) -> Result<Forest, ConstraintError> {
        let chosen = if self.graph.weight_type().bits() == 32 {
            self.chosen::<u32>(self.reduced.edges_in(order), ids)?
        } else {
            self.chosen::<u64>(self.reduced.edges_in(order), ids)?
        };
        let mut edges = memory::copied(&self.include)?;
        memory::reserve_exact(&mut edges, chosen.len())?;
        edges.extend(chosen.into_iter().map(|place| self.ids[place as usize]));
        edges.sort_unstable();
        Ok(with_graph!(self.graph, graph => Forest::new(graph.edge_list().edges(order), edges)))
    }

    /// Finds the best forest under the constraints with the fastest solver.
    ///
    /// # Errors
    /// When no forest has the number of trees, the run is cancelled, or the system refuses the
    /// memory.
    pub fn solve(&self, order: Order, run: &mut Run<'_>) -> Result<Forest, ConstraintError> {
        let forest = if self.graph.weight_type().bits() == 32 {
            kostra_cpu::forest_of_edges::<u32>(self.reduced.edges_in(order), run)
        } else {
            kostra_cpu::forest_of_edges::<u64>(self.reduced.edges_in(order), run)
        };
        let ids = forest.and_then(|forest| Ok(forest.try_into_ids()?));
        self.complete(order, &ids.map_err(ConstraintError::Solve)?)
    }

    /// The number of trees of a forest under the constraints: linked vertices count as one, unlike
    /// in [`Forest::components`].
    pub fn trees(&self, forest: &Forest) -> u32 {
        self.groups - forest.ids().len() as u32
    }

    /// The edges of the canonical forest of the reduced graph that the number of trees leaves.
    fn chosen<K: Key>(
        &self,
        edges: Edges<'_, K>,
        ids: &[EdgeId],
    ) -> Result<Vec<EdgeId>, ConstraintError> {
        let (fewest, most) = {
            let most = self.groups - self.include.len() as u32;
            (most - ids.len() as u32, most)
        };
        let (trees, is_least) = match self.trees {
            TreeCount::Fewest => return Ok(memory::copied(ids)?),
            TreeCount::Exactly(trees) => (trees, false),
            TreeCount::AtMost(trees) => (trees.min(most), true),
        };
        if !(fewest..=most).contains(&trees) {
            return Err(ConstraintError::Trees { trees, fewest, most });
        }
        let mut ranks = memory::collected(ids.iter().map(|&id| edges.rank(id)))?;
        ranks.sort_unstable();
        let needed = (most - trees) as usize;
        let zero = edges.key_of(K::MIN);
        let improving = ranks.partition_point(|&rank| K::rank_key(rank) < zero);
        ranks.truncate(if is_least { needed.max(improving) } else { needed });
        Ok(memory::collected(ranks.into_iter().map(K::rank_id))?)
    }
}

/// Sets of vertices. Linked ones are in one set.
fn linked(graph: &AnyGraph, links: &[Vec<Vertex>]) -> Result<UnionFind, ConstraintError> {
    let vertices = graph.vertices();
    if let Some(&vertex) = links.iter().flatten().find(|&&vertex| vertex >= vertices) {
        return Err(ConstraintError::NoVertex { vertex, vertices });
    }
    let mut groups = UnionFind::try_new(vertices)?;
    for pair in links.iter().flat_map(|group| group.windows(2)) {
        groups.union(pair[0], pair[1]);
    }
    Ok(groups)
}

fn edge_set(graph: &AnyGraph, ids: &[EdgeId]) -> Result<EdgeSet, ConstraintError> {
    let edges = graph.edges();
    let mut set = EdgeSet::try_new(edges)?;
    for &edge in ids {
        if edge as usize >= edges {
            return Err(ConstraintError::NoEdge { edge, edges });
        }
        set.insert(edge);
    }
    Ok(set)
}

/// The cycle that the last of these edges closes with the others and with links.
fn cycle(
    graph: &AnyGraph,
    links: &[Vec<Vertex>],
    include: &[EdgeId],
) -> Result<ConstraintError, OutOfMemory> {
    let Some((&last, before)) = include.split_last() else {
        return Ok(ConstraintError::Cycle { edges: Vec::new(), has_links: false });
    };
    let pair = |id: EdgeId| [graph.u()[id as usize], graph.v()[id as usize]];
    // Links as edges, without those that close cycles among themselves.
    let mut sets = UnionFind::try_new(graph.vertices())?;
    let joins = links.iter().flat_map(|group| group.windows(2)).map(|pair| [pair[0], pair[1]]);
    let joins = joins.filter(|&[u, v]| sets.union(u, v));
    let mut ends: Vec<_> = before.iter().map(|&id| pair(id)).collect();
    ends.extend(joins);
    let rooted = RootedForest::new(graph.vertices() as usize, &ends, None)?;
    let [u, v] = pair(last);
    let path = rooted.path(u, v);
    let on_path = path.iter().filter_map(|&edge| before.get(edge as usize).copied());
    let mut edges: Vec<_> = on_path.chain([last]).collect();
    let has_links = edges.len() <= path.len();
    edges.sort_unstable();
    Ok(ConstraintError::Cycle { edges, has_links })
}
