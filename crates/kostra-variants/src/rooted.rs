//! Forests whose trees have roots, for walks along paths.

use kostra_core::tree::NO_PARENT;
use kostra_core::{BitSet, OutOfMemory, Vertex, memory};

/// The trees of a forest from their roots. An edge is its position in the list of the ends.
pub(crate) struct RootedForest {
    /// The parent of each vertex; [`NO_PARENT`] for roots.
    pub(crate) parents: Vec<Vertex>,
    /// The edge to the parent of each vertex; meaningless for roots.
    pub(crate) edges: Vec<u32>,
    /// The number of edges from each vertex to its root.
    pub(crate) depths: Vec<u32>,
}

impl RootedForest {
    /// Roots the forest of these edges, which must have no cycle. `first` is the root of its tree,
    /// and the lowest vertex that of every other tree. Takes O(n) time.
    ///
    /// # Errors
    /// When the system does not grant the memory.
    pub(crate) fn new(
        vertices: usize,
        ends: &[[Vertex; 2]],
        first: Option<Vertex>,
    ) -> Result<Self, OutOfMemory> {
        // Rows of edges: count the entries, then fill each row from its end to its start.
        let mut starts: Vec<u32> = memory::zeros(vertices + 1)?;
        ends.iter().flatten().for_each(|&end| starts[end as usize] += 1);
        let mut entries = 0;
        for start in &mut starts {
            entries += *start;
            *start = entries;
        }
        let mut rows: Vec<u32> = memory::zeros(entries as usize)?;
        for (edge, ends) in (0..).zip(ends) {
            for &end in ends {
                starts[end as usize] -= 1;
                rows[starts[end as usize] as usize] = edge;
            }
        }
        let mut forest = Self {
            parents: memory::filled(vertices, NO_PARENT)?,
            edges: memory::zeros(vertices)?,
            depths: memory::zeros(vertices)?,
        };
        let mut seen = BitSet::try_new(vertices)?;
        let mut stack = Vec::new();
        for root in first.into_iter().chain(0..vertices as Vertex) {
            if seen.insert(root) {
                memory::push(&mut stack, root)?;
            }
            while let Some(vertex) = stack.pop() {
                let row = starts[vertex as usize]..starts[vertex as usize + 1];
                for &edge in &rows[row.start as usize..row.end as usize] {
                    let [u, v] = ends[edge as usize];
                    let child = if u == vertex { v } else { u };
                    if seen.insert(child) {
                        forest.parents[child as usize] = vertex;
                        forest.edges[child as usize] = edge;
                        forest.depths[child as usize] = forest.depths[vertex as usize] + 1;
                        memory::push(&mut stack, child)?;
                    }
                }
            }
        }
        Ok(forest)
    }

    /// Calls `visit` with each edge of the forest and the first of `edges` whose path contains it.
    /// `edges` are numbers and ends of edges that join vertices of one tree. Takes nearly linear
    /// time: an edge that was visited is contracted (Tarjan 1979).
    ///
    /// # Errors
    /// When the system does not grant the memory.
    pub(crate) fn first_on_paths<T: Copy>(
        &self,
        edges: impl IntoIterator<Item = (T, Vertex, Vertex)>,
        mut visit: impl FnMut(u32, T),
    ) -> Result<(), OutOfMemory> {
        // The parent of each vertex if its edge is contracted, else itself.
        let mut tops = memory::collected(0..self.parents.len() as Vertex)?;
        let mut top = move |mut vertex: Vertex, joined: Option<Vertex>| {
            if let Some(parent) = joined {
                tops[vertex as usize] = parent;
            }
            while tops[vertex as usize] != vertex {
                let above = tops[tops[vertex as usize] as usize];
                tops[vertex as usize] = above;
                vertex = above;
            }
            vertex
        };
        for (edge, u, v) in edges {
            let (mut a, mut b) = (top(u, None), top(v, None));
            while a != b {
                if self.depths[a as usize] < self.depths[b as usize] {
                    std::mem::swap(&mut a, &mut b);
                }
                visit(self.edges[a as usize], edge);
                a = top(a, Some(self.parents[a as usize]));
            }
        }
        Ok(())
    }

    /// The edges on the path between two vertices of one tree, from the first one.
    pub(crate) fn path(&self, u: Vertex, v: Vertex) -> Vec<u32> {
        let (mut from_u, mut from_v) = (Vec::new(), Vec::new());
        let (mut a, mut b) = (u, v);
        while a != b {
            let (end, edges) = if self.depths[a as usize] >= self.depths[b as usize] {
                (&mut a, &mut from_u)
            } else {
                (&mut b, &mut from_v)
            };
            edges.push(self.edges[*end as usize]);
            *end = self.parents[*end as usize];
        }
        from_u.extend(from_v.into_iter().rev());
        from_u
    }
}
