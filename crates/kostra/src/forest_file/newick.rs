//! Forests in Newick: each tree from its lowest vertex, on a line of its own.

use std::borrow::Cow;
use std::io::{self, Write};

use kostra_core::{AnyGraph, with_graph};

use super::ForestFileError;
use crate::newick::{Tree, label};

/// Refuses weights that are no lengths of branches. `edges` are positions in the graph, and ids.
///
/// # Errors
/// When a weight is infinite.
pub(super) fn check(
    graph: &AnyGraph,
    mut edges: impl Iterator<Item = (usize, u64)>,
) -> Result<(), ForestFileError> {
    let infinite = with_graph!(graph, graph => {
        let weights = graph.edge_list().weights();
        edges.find(|&(edge, _)| weights[edge].to_string().contains("inf"))
    });
    infinite.map_or(Ok(()), |(_, edge)| Err(ForestFileError::InfiniteBranch { edge }))
}

/// Writes the trees. The children of a vertex are in the order of the edges.
///
/// # Errors
/// When the output fails.
pub(super) fn write(
    to: &mut dyn Write,
    graph: &AnyGraph,
    names: Option<&[String]>,
    edges: &[usize],
) -> io::Result<()> {
    let rooted = Rooted::new(graph, edges);
    let label = |vertex: usize| match names {
        Some(names) => label(&names[vertex]),
        None => Cow::from(vertex.to_string()),
    };
    for &root in &rooted.roots {
        let tree = Tree {
            root,
            children: |vertex: usize| rooted.children(vertex),
            label,
            length: |vertex: usize, _: usize| {
                let edge = rooted.edge[vertex];
                with_graph!(graph, graph => graph.edge_list().weights()[edge].to_string())
            },
        };
        tree.write(to)?;
    }
    Ok(())
}

/// The children of the vertices of a forest.
struct Rooted {
    /// The lowest vertex of each tree.
    roots: Vec<usize>,
    /// The first neighbor of each vertex in `neighbors`, and their number at the end.
    first: Vec<usize>,
    /// The neighbors of each vertex. The parent, if there is one, comes first.
    neighbors: Vec<usize>,
    /// The edge from each vertex to its parent.
    edge: Vec<usize>,
}

/// No edge, as a root has.
const NONE: usize = usize::MAX;

impl Rooted {
    fn new(graph: &AnyGraph, edges: &[usize]) -> Self {
        let vertices = graph.vertices() as usize;
        let ends = |edge: usize| [graph.u()[edge] as usize, graph.v()[edge] as usize];
        let mut first = vec![0; vertices + 1];
        edges.iter().flat_map(|&edge| ends(edge)).for_each(|end| first[end + 1] += 1);
        (0..vertices).for_each(|vertex| first[vertex + 1] += first[vertex]);
        let mut next = first.clone();
        let mut neighbors = vec![0; 2 * edges.len()];
        let mut joined_by = vec![NONE; 2 * edges.len()];
        for &edge in edges {
            let [u, v] = ends(edge);
            for (from, to) in [(u, v), (v, u)] {
                neighbors[next[from]] = to;
                joined_by[next[from]] = edge;
                next[from] += 1;
            }
        }
        let mut rooted = Self { roots: Vec::new(), first, neighbors, edge: vec![NONE; vertices] };
        let mut seen = vec![false; vertices];
        for root in 0..vertices {
            if !seen[root] {
                rooted.roots.push(root);
                rooted.grow(root, &mut seen, &mut joined_by);
            }
        }
        rooted
    }

    /// Finds the parents of the vertices of one tree, and moves each before its siblings.
    fn grow(&mut self, root: usize, seen: &mut [bool], joined_by: &mut [usize]) {
        let mut open = vec![root];
        seen[root] = true;
        while let Some(vertex) = open.pop() {
            let range = self.first[vertex]..self.first[vertex + 1];
            let parent = range.clone().find(|&at| joined_by[at] == self.edge[vertex]);
            if let Some(parent) = parent {
                self.neighbors[range.start..=parent].rotate_right(1);
                joined_by[range.start..=parent].rotate_right(1);
            }
            let children = range.start + usize::from(parent.is_some())..range.end;
            for at in children {
                let child = self.neighbors[at];
                self.edge[child] = joined_by[at];
                seen[child] = true;
                open.push(child);
            }
        }
    }

    fn children(&self, vertex: usize) -> &[usize] {
        let has_parent = usize::from(self.edge[vertex] != NONE);
        &self.neighbors[self.first[vertex] + has_parent..self.first[vertex + 1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tree_starts_at_its_lowest_vertex_and_has_its_weights() {
        let (u, v) = (vec![3, 1, 0, 2], vec![1, 0, 4, 5]);
        let graph = AnyGraph::from_edges(7, u, v, vec![0.5, 2.0, -1.0, 4.0]).unwrap();
        let mut text = Vec::new();
        write(&mut text, &graph, None, &[0, 1, 2, 3]).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), "((3:0.5)1:2,4:-1)0;\n(5:4)2;\n6;\n");
    }
}
