//! The trees of a forest whose edges may leave: paths and tours.

use kostra_core::{EdgeId, Key, OutOfMemory, Vertex, Weight, memory};

use crate::edge_table::{EdgeTable, Membership};
use crate::link_cut::LinkCut;
use crate::tours::Tours;

/// Paths for the worst edge of a cycle, and tours for the best edge between two trees.
pub(crate) struct ChangingTrees<R> {
    /// The number of vertices that the trees can have.
    pub(crate) capacity: u32,
    pub(crate) paths: LinkCut<R>,
    pub(crate) tours: Tours<R>,
}

impl<R: Copy + Ord + Default> ChangingTrees<R> {
    /// The trees of the forest in `table`, whose edges get their nodes. O(capacity + edges).
    pub(crate) fn new<W: Weight>(
        capacity: u32,
        table: &mut EdgeTable<W>,
    ) -> Result<Self, OutOfMemory>
    where
        W::Key: Key<Rank = R>,
    {
        LinkCut::<R>::check_memory(capacity)?;
        let edges = edges_from_roots(capacity, table)?;
        let ranked =
            edges.iter().map(|&(id, upper)| (upper, table.get(id).other(upper), table.rank(id)));
        let (paths, nodes) = LinkCut::new(capacity, ranked)?;
        let tour = edges
            .iter()
            .zip(&nodes)
            .map(|(&(id, upper), &node)| (upper, table.get(id).other(upper), node));
        let others = table.outside().map(|id| (table.get(id).ends, table.rank(id)));
        let tours = Tours::new(capacity, tour, others)?;
        for ((id, _), node) in edges.into_iter().zip(nodes) {
            table.set_state(id, Membership::Forest(node));
        }
        Ok(Self { capacity, paths, tours })
    }

    /// Adds an edge between two trees, and returns its node.
    pub(crate) fn link(&mut self, [u, v]: [Vertex; 2], rank: R) -> u32 {
        let node = self.paths.link(u, v, rank);
        self.tours.link(u, v, node);
        node
    }

    /// Removes the edge with this node and these ends.
    pub(crate) fn cut(&mut self, node: u32, [u, v]: [Vertex; 2]) {
        self.paths.cut(node, u, v);
        self.tours.cut(node);
    }
}

/// The edges of the forest, each with its upper end, as depth-first searches from the lowest
/// vertices of the trees meet them. O(vertices + present edges).
fn edges_from_roots<W: Weight>(
    vertices: u32,
    table: &EdgeTable<W>,
) -> Result<Vec<(EdgeId, Vertex)>, OutOfMemory> {
    let ids: Vec<EdgeId> = table.forest().collect();
    // The edges at each vertex, one vertex after another.
    let mut ends = memory::filled(vertices as usize + 1, 0_usize)?;
    for &id in &ids {
        for end in table.get(id).ends {
            ends[end as usize] += 1;
        }
    }
    let mut sum = 0;
    for end in &mut ends {
        sum += *end;
        *end = sum;
    }
    let mut at_vertices = memory::filled(sum, 0)?;
    for &id in ids.iter().rev() {
        for end in table.get(id).ends {
            ends[end as usize] -= 1;
            at_vertices[ends[end as usize]] = id;
        }
    }
    let at =
        |vertex: Vertex| at_vertices[ends[vertex as usize]..ends[vertex as usize + 1]].iter().rev();
    let mut edges = memory::with_capacity(ids.len())?;
    let mut is_lower = memory::filled(vertices as usize, false)?;
    let mut waiting = Vec::new();
    for root in 0..vertices {
        if is_lower[root as usize] {
            continue;
        }
        waiting.extend(at(root).map(|&id| (id, root)));
        while let Some((id, upper)) = waiting.pop() {
            edges.push((id, upper));
            let lower = table.get(id).other(upper);
            is_lower[lower as usize] = true;
            waiting.extend(at(lower).filter(|&&other| other != id).map(|&id| (id, lower)));
        }
    }
    Ok(edges)
}
