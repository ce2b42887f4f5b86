//! A forest as rooted trees.

use kostra_core::{BitSet, Edges, Forest, OutOfMemory, Vertex, Weight, memory};

/// The parent of a vertex that is a root. No vertex has this number.
pub const NO_PARENT: Vertex = Vertex::MAX;

/// The parent of each vertex when the tree of `root` hangs from it, and every other one from its
/// lowest vertex; [`NO_PARENT`] for the roots.
///
/// O(n) time; up to 20 bytes a vertex, and a bit, beside the answer while it works. A graph without
/// vertices has no parents, whatever the root.
///
/// ```
/// use kostra::tree::{NO_PARENT, parents};
/// use kostra::{EdgeList, Forest, Order};
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
/// When the graph has vertices, but not this root.
pub fn parents<W: Weight>(
    edges: Edges<'_, W>,
    forest: &Forest,
    root: Vertex,
) -> Result<Vec<Vertex>, OutOfMemory> {
    let n = edges.vertices() as usize;
    let ends = || forest.ids().iter().map(|&id| edges.ends(id));
    // Rows of neighbours: count, then fill from the end of each row down to its start.
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
    let mut neighbours: Vec<Vertex> = memory::zeros(entries)?;
    for (u, v) in ends() {
        for (from, to) in [(u, v), (v, u)] {
            starts[from as usize] -= 1;
            neighbours[starts[from as usize]] = to;
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
            for &neighbour in &neighbours[row] {
                if seen.insert(neighbour) {
                    parents[neighbour as usize] = vertex;
                    memory::push(&mut queue, neighbour)?;
                }
            }
        }
    }
    Ok(parents)
}

#[cfg(test)]
mod tests {
    use kostra_core::{EdgeList, Order};

    use super::*;

    #[test]
    fn every_vertex_is_led_to_its_root_along_edges_of_the_forest() {
        let graph = EdgeList::new(7, vec![3, 1, 6, 4], vec![1, 5, 4, 2], vec![1, 2, 3, 4]).unwrap();
        let edges = graph.edges(Order::Minimum);
        let forest = Forest::new(edges, vec![0, 1, 2, 3]);
        let none = NO_PARENT;
        assert_eq!(parents(edges, &forest, 5).unwrap(), [none, 5, none, 1, 2, none, 4]);
        assert_eq!(parents(edges, &forest, 0).unwrap(), [none, none, none, 1, 2, 1, 4]);
    }

    #[test]
    fn nothing_has_no_parents() {
        let graph = EdgeList::<i32>::new(0, vec![], vec![], vec![]).unwrap();
        let edges = graph.edges(Order::Minimum);
        assert!(parents(edges, &Forest::new(edges, vec![]), 0).unwrap().is_empty());
    }
}
