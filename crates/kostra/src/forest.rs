//! Forests as users receive them, and their verification.

#[cfg(feature = "io")]
use std::path::Path;

use kostra_core::tree::{self, MergeTree};
use kostra_core::{
    Certificate, EdgeId, Labels, Order, OutOfMemory, Total, VerifyError, Vertex, with_graph,
};
#[cfg(feature = "io")]
use kostra_io::{Input, Outgoing, Output, ReadError};

#[cfg(feature = "io")]
use crate::GraphFile;
#[cfg(feature = "io")]
use crate::forest_file::{self, ForestFileError, ForestFormat};
use crate::{Graph, Number};

/// A spanning forest of a graph. It keeps the graph alive, and shares its memory.
///
/// ```
/// use kostra::{Graph, minimum_spanning_forest};
///
/// let graph = Graph::from_edges([(0, 1, 4), (1, 2, 1), (2, 0, 2), (0, 3, 3)])?;
/// let forest = minimum_spanning_forest(&graph);
/// for (id, u, v, weight) in forest.edges() {
///     println!("edge {id} joins {u} and {v} and has weight {weight}");
/// }
/// assert_eq!(forest.ids(), [1, 2, 3]);
/// assert_eq!(forest.total().to_string(), "6");
/// # Ok::<(), kostra::BuildError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Forest {
    graph: Graph,
    order: Order,
    forest: kostra_core::Forest,
}

impl Forest {
    pub(crate) fn new(graph: &Graph, order: Order, forest: kostra_core::Forest) -> Self {
        Self { graph: graph.clone(), order, forest }
    }

    /// The forest with the edges `ids`, which another program may have found. They are verified, so
    /// every forest is correct.
    ///
    /// # Errors
    /// As [`verify_ids`].
    pub fn from_ids(graph: &Graph, ids: Vec<EdgeId>, order: Order) -> Result<Self, VerifyError> {
        verify_ids(graph, &ids, order)?;
        let forest = with_graph!(graph.as_any(), graph => {
            kostra_core::Forest::new(graph.edge_list().edges(order), ids)
        });
        Ok(Self::new(graph, order, forest))
    }

    /// The edges in the order of their ids: id, both ends, and weight.
    pub fn edges(&self) -> impl ExactSizeIterator<Item = (EdgeId, Vertex, Vertex, Number)> + '_ {
        self.graph.picked(self.ids().iter().copied())
    }

    /// The ids of the edges, ascending.
    pub fn ids(&self) -> &[EdgeId] {
        self.forest.ids()
    }

    /// The ids of the edges, ascending.
    pub fn into_ids(self) -> Vec<EdgeId> {
        self.forest.into_ids()
    }

    /// The number of edges.
    pub fn edge_count(&self) -> usize {
        self.ids().len()
    }

    /// The sum of the weights.
    pub fn total(&self) -> Total {
        self.forest.total()
    }

    /// The number of components of the graph, isolated vertices included.
    pub fn component_count(&self) -> u32 {
        self.forest.components()
    }

    /// Whether this is a minimum or a maximum spanning forest.
    pub fn order(&self) -> Order {
        self.order
    }

    /// The graph.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Writes the forest to a file in the format of its extension: edge ids (`.ids`, `.txt` and no
    /// extension), or edges with endpoints and weights, such as `.csv`. The file appears whole or
    /// not at all. [`forest_file`](crate::forest_file) has more options.
    ///
    /// # Errors
    /// When the extension belongs to no format, or the output fails.
    #[cfg(feature = "io")]
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), ForestFileError> {
        self.write_outgoing(path.as_ref(), self.graph.as_any().into())
    }

    /// Writes the forest as [`write`](Self::write) does, with the names, the coordinates and the
    /// kept columns of the file that its graph is from, as far as the format of the extension holds
    /// them.
    ///
    /// # Errors
    /// As [`write`](Self::write), and when the format cannot hold a name.
    #[cfg(feature = "io")]
    pub fn write_with(
        &self,
        path: impl AsRef<Path>,
        file: &GraphFile,
    ) -> Result<(), ForestFileError> {
        self.write_outgoing(path.as_ref(), file.into())
    }

    #[cfg(feature = "io")]
    fn write_outgoing(&self, path: &Path, graph: Outgoing<'_>) -> Result<(), ForestFileError> {
        let format = ForestFormat::by_path(path)?;
        forest_file::write(&Output::Path(path.to_owned()), format, graph, self.ids())
    }

    /// Reads the edge ids of a forest of a graph from a file, and sorts them. Its format is
    /// recognized by content. [`from_ids`](Self::from_ids) makes them a forest.
    ///
    /// # Errors
    /// When the file at `path` cannot be read, or is a forest of another graph.
    #[cfg(feature = "io")]
    pub fn read_ids(path: impl AsRef<Path>, file: &GraphFile) -> Result<Vec<EdgeId>, ReadError> {
        let input = Input::Path(path.as_ref().to_owned());
        forest_file::read(&input, file.graph.as_any(), file.names.as_deref())
    }

    /// The component of each vertex. O(n).
    ///
    /// # Errors
    /// When the system refuses the memory, 4 bytes per vertex.
    pub fn labels(&self) -> Result<Labels, OutOfMemory> {
        with_graph!(self.graph.as_any(), graph => {
            self.forest.labels(graph.edge_list().edges(self.order))
        })
    }

    /// The order in which the edges merge the vertices into clusters. If the weights are distances,
    /// this is single-linkage clustering. It also finds bottlenecks. O(n log n).
    ///
    /// ```
    /// use kostra::{Bottleneck, Graph, minimum_spanning_forest};
    ///
    /// let graph = Graph::from_edges([(0, 1, 5), (1, 2, 9), (2, 3, 7), (0, 3, 9)])?;
    /// let tree = minimum_spanning_forest(&graph).merge_tree()?;
    /// assert_eq!(tree.clusters(2)?, [0, 0, 1, 1]);
    /// assert_eq!(tree.bottleneck(0, 3), Bottleneck::Edge(1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When the system does not grant the memory.
    pub fn merge_tree(&self) -> Result<MergeTree, OutOfMemory> {
        with_graph!(self.graph.as_any(), graph => {
            MergeTree::new(graph.edge_list().edges(self.order), &self.forest)
        })
    }

    /// The parent of each vertex on its path to `root`; [`NO_PARENT`](crate::NO_PARENT) for `root`
    /// itself and for vertices in other components. `None` if the graph has no vertex `root`. O(n).
    ///
    /// ```
    /// use kostra::{Graph, NO_PARENT, minimum_spanning_forest};
    ///
    /// let graph = Graph::with_vertices(4, [(0, 1, 5), (1, 2, 9)])?;
    /// let forest = minimum_spanning_forest(&graph);
    /// assert_eq!(forest.parents(2)?, Some(vec![1, 2, NO_PARENT, NO_PARENT]));
    /// assert_eq!(forest.parents(4)?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When the system does not grant the memory.
    pub fn parents(&self, root: Vertex) -> Result<Option<Vec<Vertex>>, OutOfMemory> {
        if root >= self.graph.vertex_count() {
            return Ok(None);
        }
        with_graph!(self.graph.as_any(), graph => {
            tree::parents(graph.edge_list().edges(self.order), &self.forest, root).map(Some)
        })
    }
}

/// Two forests are equal if their graphs have as many vertices, and the ids and totals are equal.
impl PartialEq for Forest {
    fn eq(&self, other: &Self) -> bool {
        self.order == other.order && self.forest == other.forest
    }
}

/// Decides whether a forest is the minimum or maximum spanning forest of a graph, without any
/// solver. Takes nearly linear time.
///
/// ```
/// use kostra::{Graph, minimum_spanning_forest, verify};
///
/// let graph = Graph::from_edges([(0, 1, 2), (1, 2, 1), (2, 0, 2)])?;
/// let forest = minimum_spanning_forest(&graph);
/// let certificate = verify(&graph, &forest)?;
/// assert_eq!((certificate.components, certificate.compared), (1, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`verify_ids`].
pub fn verify(graph: &Graph, forest: &Forest) -> Result<Certificate, VerifyError> {
    verify_ids(graph, forest.ids(), forest.order())
}

/// Decides whether the edges `ids`, ascending, are the minimum or maximum spanning forest of a
/// graph, without any solver. Takes nearly linear time.
///
/// ```
/// use kostra::{Graph, Order, verify_ids};
///
/// let graph = Graph::from_edges([(0, 1, 2), (1, 2, 1), (2, 0, 2)])?;
/// let violation = verify_ids(&graph, &[1, 2], Order::Minimum).unwrap_err();
/// assert!(violation.to_string().starts_with("edge 0 (0 to 1, weight 2) is not in the forest"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The first violation: an error in the list of ids, then a cycle (by rank), then a missing or
/// wrong edge (by edge id). Or an error when the system refuses the memory.
pub fn verify_ids(graph: &Graph, ids: &[EdgeId], order: Order) -> Result<Certificate, VerifyError> {
    with_graph!(graph.as_any(), graph => {
        kostra_core::verify(graph.edge_list().edges(order), ids)
    })
}
