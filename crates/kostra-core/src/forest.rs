//! A spanning forest as the ids of its edges.

use std::fmt::Display;

use crate::{EdgeId, Edges, Key, OutOfMemory, UnionFind, Vertex, memory};

/// A sum of weights: exact for integers, compensated for floats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Total {
    /// The exact sum of integers.
    Integer(i128),
    /// The sum of floats in ascending edge id, with Neumaier's compensation.
    Float(f64),
}

impl Total {
    /// The total as a float. An integer above 2^53 is rounded.
    pub fn to_f64(self) -> f64 {
        match self {
            Self::Integer(total) => total as f64,
            Self::Float(total) => total,
        }
    }
}

impl Display for Total {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Integer(total) => total.fmt(f),
            Self::Float(total) => total.fmt(f),
        }
    }
}

/// A spanning forest of a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Forest {
    ids: Vec<EdgeId>,
    total: Total,
    components: u32,
}

impl Forest {
    /// The forest with the edges `ids`, which must be ascending and contain no cycle. O(ids).
    pub fn new<K: Key>(edges: Edges<'_, K>, ids: Vec<EdgeId>) -> Self {
        debug_assert!(ids.is_sorted_by(|a, b| a < b), "forest ids ascend strictly");
        let weights = ids.iter().map(|&id| edges.weights()[id as usize]);
        let total = edges.encoding().total(weights);
        let components = edges.vertices() - ids.len() as u32;
        Self { ids, total, components }
    }

    /// The ids of the forest's edges, ascending.
    pub fn ids(&self) -> &[EdgeId] {
        &self.ids
    }

    /// The ids of the forest's edges, ascending.
    pub fn into_ids(self) -> Vec<EdgeId> {
        self.ids
    }

    /// The sum of the forest's weights.
    pub fn total(&self) -> Total {
        self.total
    }

    /// The number of components of the graph, isolated vertices included.
    pub fn components(&self) -> u32 {
        self.components
    }

    /// The component of each vertex. O(n + ids).
    ///
    /// # Errors
    /// When the system refuses the memory, 4 bytes per vertex.
    pub fn labels<K: Key>(&self, edges: Edges<'_, K>) -> Result<Labels, OutOfMemory> {
        let mut sets = UnionFind::try_new(edges.vertices())?;
        for &id in &self.ids {
            let (u, v) = edges.ends(id);
            sets.union(u, v);
        }
        let mut labels = sets.into_lowest();
        let mut components = 0;
        // A representative is the lowest vertex of its component, so it is numbered before the
        // other vertices.
        for vertex in 0..labels.len() {
            let representative = labels[vertex] as usize;
            if representative == vertex {
                labels[vertex] = components;
                components += 1;
            } else {
                labels[vertex] = labels[representative];
            }
        }
        Ok(Labels { labels, components })
    }
}

/// The component of each vertex. Components are numbered from 0 in the order of their lowest
/// vertices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels {
    labels: Vec<u32>,
    components: u32,
}

impl Labels {
    /// The components, indexed by vertex.
    pub fn as_slice(&self) -> &[u32] {
        &self.labels
    }

    /// The component of a vertex.
    pub fn component_of(&self, vertex: Vertex) -> u32 {
        self.labels[vertex as usize]
    }

    /// The number of components.
    pub fn components(&self) -> u32 {
        self.components
    }

    /// The number of vertices of each component.
    ///
    /// # Errors
    /// When the system refuses the memory, 4 bytes per component.
    pub fn sizes(&self) -> Result<Vec<u32>, OutOfMemory> {
        let mut sizes: Vec<u32> = memory::zeros(self.components as usize)?;
        for &label in &self.labels {
            sizes[label as usize] += 1;
        }
        Ok(sizes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EdgeList, Order};

    #[test]
    fn labels_number_components_by_their_lowest_vertices() {
        let graph = EdgeList::new(6, vec![5, 2, 3], vec![1, 4, 3], vec![1, 2, 3]).unwrap();
        let edges = graph.edges(Order::Minimum);
        let forest = Forest::new(edges, vec![0, 1]);
        assert_eq!((forest.total(), forest.components()), (Total::Integer(3), 4));
        let labels = forest.labels(edges).unwrap();
        assert_eq!(labels.as_slice(), [0, 1, 2, 3, 2, 1]);
        assert_eq!(labels.sizes().unwrap(), [1, 2, 2, 1]);
        assert_eq!((labels.components(), labels.component_of(4)), (4, 2));
    }
}
