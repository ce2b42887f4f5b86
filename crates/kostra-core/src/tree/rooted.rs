//! Rooting the trees of a forest.

use crate::{BitSet, Edges, Forest, Key, OutOfMemory, Vertex, memory};

/// The parent of a root. No vertex has this number.
pub const NO_PARENT: Vertex = Vertex::MAX;

/// Returns the parent of each vertex, and [`NO_PARENT`] for each root. `root` is the root of its
/// tree; the root of every other tree is its lowest vertex.
///
/// Takes O(n) time, and up to 20 bytes and one bit of scratch memory per vertex. If the graph has
/// no vertices, the result is empty for any `root`.
///
/// ```
/// use kostra_core::tree::{NO_PARENT, parents};
/// use kostra_core::{EdgeList, Forest, Order};
///
/// let graph = EdgeList::new(4, vec![0, 1], vec![1, 2], vec![5, 9])?;
/// let edges = graph.edges(Order::Minimum);
/// let forest = Forest::new(edges, vec![0, 1]);
/// assert_eq!(parents(edges, &forest, 2)?, [1, 2, NO_PARENT, NO_PARENT]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the system does not grant the memory.
///
/// # Panics
/// When the graph has vertices, but `root` is not one of them.
pub fn parents<K: Key>(
    edges: Edges<'_, K>,
    forest: &Forest,
    root: Vertex,
) -> Result<Vec<Vertex>, OutOfMemory> {
    let n = edges.vertices() as usize;
    let ends = || forest.ids().iter().map(|&id| edges.ends(id));
    // Rows of neighbors: count the entries, then fill each row from its end to its start.
    let mut starts: Vec<usize> = memory::zeros(n + 1)?;
    for (u, v) in ends() {
        starts[u as usize] += 1;
        starts[v as usize] += 1;
    }
    let mut entries = 0;
    for start in &mut starts {
        entries += *start;
        *start = entries;
    }
    let mut neighbors: Vec<Vertex> = memory::zeros(entries)?;
    for (u, v) in ends() {
        for (from, to) in [(u, v), (v, u)] {
            starts[from as usize] -= 1;
            neighbors[starts[from as usize]] = to;
        }
    }

    let mut parents = memory::filled(n, NO_PARENT)?;
    let mut queue = Vec::new();
    let roots = (n > 0).then_some(root).into_iter().chain(0..n as Vertex);
    let mut seen = BitSet::try_new(n)?;
    for root in roots {
        if !seen.insert(root) {
            continue;
        }
        memory::push(&mut queue, root)?;
        while let Some(vertex) = queue.pop() {
            let row = starts[vertex as usize]..starts[vertex as usize + 1];
            for &neighbor in &neighbors[row] {
                if seen.insert(neighbor) {
                    parents[neighbor as usize] = vertex;
                    memory::push(&mut queue, neighbor)?;
                }
            }
        }
    }
    Ok(parents)
}

#[cfg(test)]
mod tests {
    use crate::{EdgeList, Order};

    use super::*;

    #[test]
    fn parents_lead_to_the_root_along_edges_of_the_forest() {
        let graph = EdgeList::new(7, vec![3, 1, 6, 4], vec![1, 5, 4, 2], vec![1, 2, 3, 4]).unwrap();
        let edges = graph.edges(Order::Minimum);
        let forest = Forest::new(edges, vec![0, 1, 2, 3]);
        let none = NO_PARENT;
        assert_eq!(parents(edges, &forest, 5).unwrap(), [none, 5, none, 1, 2, none, 4]);
        assert_eq!(parents(edges, &forest, 0).unwrap(), [none, none, none, 1, 2, 1, 4]);
    }

    #[test]
    fn an_empty_graph_has_no_parents() {
        let graph = EdgeList::<i32>::new(0, vec![], vec![], vec![]).unwrap();
        let edges = graph.edges(Order::Minimum);
        assert!(parents(edges, &Forest::new(edges, vec![]), 0).unwrap().is_empty());
    }
}
