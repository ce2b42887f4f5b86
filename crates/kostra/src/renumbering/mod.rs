//! New numbers for the vertices of a graph, so that neighbors have near numbers.
//!
//! Solvers read data of both ends of each edge. If the numbers of neighbors are near each other,
//! these reads hit the same cache lines. A renumbering changes the vertices only: edges keep their
//! ids, so the canonical forest has the same edge ids before and after.
//!
//! ```
//! use kostra::renumbering::Renumbering;
//! use kostra::{Graph, Run, minimum_spanning_forest};
//!
//! let graph = Graph::from_edges([(0, 3, 7), (3, 1, 5), (1, 2, 6)])?;
//! let renumbering = Renumbering::breadth_first(graph.as_any(), &mut Run::new())?;
//! assert_eq!(renumbering.old_numbers(), [0, 3, 1, 2]);
//! let renumbered = Graph::from(renumbering.graph(graph.as_any())?);
//! assert_eq!((renumbered.u(), renumbered.v()), (&[0, 1, 2][..], &[1, 2, 3][..]));
//! assert_eq!(minimum_spanning_forest(&renumbered).ids(), minimum_spanning_forest(&graph).ids());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod hilbert;

use kostra_core::{
    AnyGraph, Coordinates, EdgeList, Graph, OutOfMemory, PartsError, Run, SolveError, Vertex,
    VertexParts, Weight, memory, with_graph,
};

/// A new number for each vertex of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renumbering {
    /// The old number of each new vertex.
    old: Vec<Vertex>,
    /// The new number of each old vertex.
    new: Vec<Vertex>,
}

impl Renumbering {
    /// Numbers the vertices in the order of a breadth-first search. It starts at vertex 0, and
    /// again at the lowest vertex that it has not reached. O(n + m), and the time to build rows.
    ///
    /// # Errors
    /// When the run is cancelled or the system refuses the memory.
    pub fn breadth_first(graph: &AnyGraph, run: &mut Run<'_>) -> Result<Self, SolveError> {
        Ok(Self::from_old_numbers(breadth_first_order(graph, run)?)?)
    }

    /// Numbers the vertices along a Hilbert curve through their coordinates. O(n log n).
    ///
    /// # Errors
    /// When the system refuses the memory.
    pub fn hilbert(coordinates: &Coordinates) -> Result<Self, OutOfMemory> {
        Self::from_old_numbers(hilbert::order(coordinates.points())?)
    }

    /// Numbers the vertices part by part, and in each part in breadth-first order. O(n + m), and
    /// the time to build rows.
    ///
    /// # Errors
    /// When the partition has another number of vertices than the graph, the run is cancelled, or
    /// the system refuses the memory.
    pub fn by_parts(
        graph: &AnyGraph,
        parts: VertexParts<'_>,
        run: &mut Run<'_>,
    ) -> Result<Self, SolveError> {
        let (vertices, part_of) = (graph.vertices(), parts.as_slice());
        if part_of.len() != vertices as usize {
            return Err(PartsError::WrongLength { parts: part_of.len(), vertices }.into());
        }
        let order = breadth_first_order(graph, run)?.into_iter();
        let (old, _) = kostra_partition::sorted_by_part(order, part_of, parts.count() as usize)?;
        Ok(Self::from_old_numbers(old)?)
    }

    /// The renumbering from the old numbers in the new order, which contain each vertex once.
    fn from_old_numbers(old: Vec<Vertex>) -> Result<Self, OutOfMemory> {
        let mut new = memory::zeros(old.len())?;
        for (number, &vertex) in (0..).zip(&old) {
            new[vertex as usize] = number;
        }
        Ok(Self { old, new })
    }

    /// The old number of each new vertex.
    pub fn old_numbers(&self) -> &[Vertex] {
        &self.old
    }

    /// The new number of each old vertex.
    pub fn new_numbers(&self) -> &[Vertex] {
        &self.new
    }

    /// The graph with new numbers. Edges keep their ids, their weights and the order of their
    /// ends.
    ///
    /// # Errors
    /// When the system refuses the memory.
    ///
    /// # Panics
    /// When the graph has another number of vertices.
    pub fn graph(&self, graph: &AnyGraph) -> Result<AnyGraph, OutOfMemory> {
        fn renumbered<W: Weight>(
            new: &[Vertex],
            graph: &Graph<W>,
        ) -> Result<EdgeList<W>, OutOfMemory> {
            let edges = graph.edge_list();
            assert_eq!(edges.vertices() as usize, new.len(), "a renumbering of another graph");
            let ends = |old: &[Vertex]| memory::collected(old.iter().map(|&v| new[v as usize]));
            let weights = memory::copied(edges.weights())?;
            Ok(EdgeList::of_checked(edges.vertices(), ends(edges.u())?, ends(edges.v())?, weights))
        }
        Ok(with_graph!(graph, graph => renumbered(&self.new, graph)?.into()))
    }

    /// The coordinates in the new order.
    ///
    /// # Errors
    /// When the system refuses the memory.
    ///
    /// # Panics
    /// When there are fewer coordinates than vertices.
    pub fn coordinates(&self, coordinates: &Coordinates) -> Result<Coordinates, OutOfMemory> {
        let points = coordinates.points();
        let points = memory::collected(self.old.iter().map(|&vertex| points[vertex as usize]))?;
        Ok(match coordinates {
            Coordinates::Planar(_) => Coordinates::Planar(points),
            Coordinates::Geographic(_) => Coordinates::Geographic(points),
        })
    }

    /// The names in the new order.
    ///
    /// # Panics
    /// When there are fewer names than vertices.
    pub fn names(&self, mut names: Vec<String>) -> Vec<String> {
        self.old.iter().map(|&vertex| std::mem::take(&mut names[vertex as usize])).collect()
    }
}

fn breadth_first_order(graph: &AnyGraph, run: &mut Run<'_>) -> Result<Vec<Vertex>, SolveError> {
    let vertices = graph.vertices() as usize;
    with_graph!(graph, graph => {
        let rows = graph.csr("renumbering", run)?;
        let progress = |visited| run.report.progress(visited, vertices);
        kostra_partition::breadth_first_order(rows.offsets(), rows.neighbors(), progress)
    })
}

#[cfg(test)]
mod tests {
    use kostra_core::Order;

    use super::*;
    use crate::{auto_on_processor, generate::generate};

    fn check(renumbering: &Renumbering, graph: &AnyGraph) {
        let renumbered = renumbering.graph(graph).unwrap();
        let old = renumbering.old_numbers();
        let back = |ends: &[Vertex]| ends.iter().map(|&v| old[v as usize]).collect::<Vec<_>>();
        assert_eq!(back(renumbered.u()), graph.u());
        assert_eq!(back(renumbered.v()), graph.v());
        let mut vertices = old.to_vec();
        vertices.sort_unstable();
        assert!(vertices.into_iter().eq(0..graph.vertices()));
        let forest = |graph| {
            auto_on_processor(graph).solve(graph, Order::Minimum, &mut Run::new()).unwrap().forest
        };
        assert_eq!(forest(&renumbered), forest(graph));
    }

    #[test]
    fn edges_keep_their_ids_so_the_forest_stays_the_same() {
        let run = &mut Run::new();
        for spec in ["road:n=3000,weights=equal", "islands:n=200,tiny=300,size=2", "empty:n=3"] {
            let generated = generate(spec).unwrap();
            let graph = &generated.graph;
            check(&Renumbering::breadth_first(graph, run).unwrap(), graph);
            let parts: Vec<u32> = (0..graph.vertices()).map(|vertex| vertex % 3).collect();
            let parts = VertexParts::new(&parts, 3).unwrap();
            check(&Renumbering::by_parts(graph, parts, run).unwrap(), graph);
            if let Some(coordinates) = &generated.coordinates {
                check(&Renumbering::hilbert(coordinates).unwrap(), graph);
            }
        }
    }

    #[test]
    fn parts_are_numbered_one_after_the_other_in_breadth_first_order() {
        let (u, v) = (vec![0, 4, 3, 2], vec![4, 3, 2, 1]);
        let graph = AnyGraph::from_edges(5, u, v, vec![1; 4]).unwrap();
        let parts = VertexParts::new(&[1, 0, 0, 1, 0], 2).unwrap();
        let renumbering = Renumbering::by_parts(&graph, parts, &mut Run::new()).unwrap();
        assert_eq!(renumbering.old_numbers(), [4, 2, 1, 0, 3]);
        assert_eq!(renumbering.new_numbers(), [3, 2, 1, 4, 0]);
        let names = ["a", "b", "c", "d", "e"].map(str::to_owned).to_vec();
        assert_eq!(renumbering.names(names), ["e", "c", "b", "a", "d"]);
        let points = Coordinates::Planar((0..5).map(|x| [f64::from(x), 0.0]).collect());
        let renumbered = renumbering.coordinates(&points).unwrap();
        assert_eq!(
            renumbered.points().iter().map(|p| p[0]).collect::<Vec<_>>(),
            [4., 2., 1., 0., 3.]
        );
        let short = VertexParts::new(&[0], 1).unwrap();
        let error = Renumbering::by_parts(&graph, short, &mut Run::new()).unwrap_err();
        assert_eq!(error, PartsError::WrongLength { parts: 1, vertices: 5 }.into());
    }
}
