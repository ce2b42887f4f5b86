//! The parts on which instances of Prim's algorithm work: the caller's, a quick cut, or those of
//! the multilevel partitioner.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use kostra_core::{
    CsrView, EdgeId, Edges, Key, OptionValues, OutOfMemory, Run, SolveError, SolverOption, Vertex,
    memory,
};
use kostra_parallel::Team;
use kostra_partition::{
    Options, Partition, PartitionError, Rows, WeightedGraph, breadth_first_order, partition,
    sorted_by_part,
};

use super::last_stage::EDGES;

/// The most parts that the solver cuts itself. A part costs a heap and a few allocations.
pub(super) const MOST_PARTS: u64 = 1 << 16;

/// The option that names the number of parts. Sousa assigns one part to each thread.
pub(super) const PARTS: SolverOption = SolverOption {
    name: "parts",
    about: "number of parts; 0: one per thread",
    default: 0,
    values: OptionValues::Number { lowest: 0, highest: MOST_PARTS },
};

/// The option that names the kind of cut. The multilevel partitioner takes longer than all other
/// steps together, so it is not the default.
pub(super) const CUT: SolverOption = SolverOption {
    name: "cut",
    about: "what the parts are made of",
    default: 1,
    values: OptionValues::Choice(&["ids", "breadth-first", "multilevel"]),
};

/// A partition, with the vertices of each part in one range of positions.
pub(super) struct Parts<'a> {
    /// The part of each vertex.
    part_of: Cow<'a, [u32]>,
    /// The vertices, sorted by part.
    pub(super) vertices: Vec<Vertex>,
    /// The position of each vertex in `vertices`.
    pub(super) positions: Vec<u32>,
    /// The first position of each part, and the number of vertices at the end.
    bounds: Vec<u32>,
}

impl<'a> Parts<'a> {
    /// The phase "partition": the run's parts, or a cut as the options say. `parts` is the option
    /// for their number.
    pub(super) fn find<K: Key>(
        graph: CsrView<'_, K>,
        parts: &SolverOption,
        run: &mut Run<'a>,
    ) -> Result<Self, SolveError> {
        let given = run.request.parts();
        run.solver_phase("partition", |run| match given {
            Some(given) => Ok(Self::sorted(given.as_slice().into(), given.count() as usize)?),
            None => Self::cut(graph, parts, run),
        })
    }

    fn cut<K: Key>(
        graph: CsrView<'_, K>,
        parts: &SolverOption,
        run: &mut Run<'_>,
    ) -> Result<Self, SolveError> {
        let asked = match run.request.option(parts) as usize {
            0 => run.request.threads(),
            parts => parts,
        };
        let count = asked.clamp(1, (graph.vertices() as usize).max(1));
        let part_of = match run.request.option(&CUT) {
            0 => ranges(graph, 0..graph.vertices(), count)?,
            1 => {
                let (rows, vertices) = (graph.rows(), graph.vertices() as usize);
                let progress = |visited| run.report.progress(visited, vertices);
                let order = breadth_first_order(rows.offsets(), rows.neighbors(), progress)?;
                ranges(graph, order.into_iter(), count)?
            }
            _ => multilevel(graph, count as u32, run)?,
        };
        Ok(Self::sorted(part_of.into(), count)?)
    }

    fn sorted(part_of: Cow<'a, [u32]>, count: usize) -> Result<Self, OutOfMemory> {
        let (vertices, bounds) = sorted_by_part(0..part_of.len() as Vertex, &part_of, count)?;
        let mut positions = memory::zeros(vertices.len())?;
        for (position, &vertex) in (0..).zip(&vertices) {
            positions[vertex as usize] = position;
        }
        Ok(Self { part_of, vertices, positions, bounds })
    }

    /// The number of parts.
    pub(super) fn count(&self) -> usize {
        self.bounds.len() - 1
    }

    /// The first position and the number of vertices of a part.
    pub(super) fn range(&self, part: usize) -> (u32, u32) {
        (self.bounds[part], self.bounds[part + 1] - self.bounds[part])
    }

    /// The number of vertices of the largest part.
    pub(super) fn largest(&self) -> u32 {
        (0..self.count()).map(|part| self.range(part).1).max().unwrap_or(0)
    }

    /// Calls `step` for each edge that crosses parts. Returns their number.
    pub(super) fn for_each_crossing<K: Key>(
        &self,
        edges: Edges<'_, K>,
        team: &Team<'_>,
        step: impl Fn(EdgeId) + Sync,
    ) -> usize {
        let crossing = AtomicUsize::new(0);
        team.distribute(edges.len(), EDGES, |_, ids| {
            let mut found = 0;
            for id in ids.start as EdgeId..ids.end as EdgeId {
                let (u, v) = edges.ends(id);
                if self.part_of[u as usize] != self.part_of[v as usize] {
                    found += 1;
                    step(id);
                }
            }
            crossing.fetch_add(found, Relaxed);
        });
        crossing.into_inner()
    }
}

/// Cuts an order of the vertices into ranges with about equal numbers of vertices and row entries
/// together.
fn ranges<K: Key>(
    graph: CsrView<'_, K>,
    order: impl Iterator<Item = Vertex>,
    parts: usize,
) -> Result<Vec<u32>, OutOfMemory> {
    let offsets = graph.rows().offsets();
    let size = |vertex: usize| 1 + offsets[vertex + 1] - offsets[vertex];
    let all = (graph.vertices() as usize + graph.rows().neighbors().len()) as u64;
    let mut before = 0;
    let mut part_of = memory::zeros(graph.vertices() as usize)?;
    for vertex in order {
        // Below 2^34 for the sizes, and at most 2^16 parts.
        part_of[vertex as usize] = (before * parts as u64 / all) as u32;
        before += size(vertex as usize) as u64;
    }
    Ok(part_of)
}

/// The parts of the multilevel partitioner, of equal numbers of vertices.
fn multilevel<K: Key>(
    graph: CsrView<'_, K>,
    parts: u32,
    run: &mut Run<'_>,
) -> Result<Vec<u32>, SolveError> {
    if parts == 1 {
        return Ok(memory::zeros(graph.vertices() as usize)?);
    }
    let (offsets, neighbors) = (graph.rows().offsets(), graph.rows().neighbors());
    let rows = Rows { offsets, neighbors, ..Rows::default() };
    let options = Options { parts, threads: run.request.threads(), ..Options::default() };
    let partition =
        WeightedGraph::from_rows(rows).and_then(|graph| partition(&graph, &options, run));
    partition.map(Partition::into_parts).map_err(|error| match error {
        PartitionError::OutOfMemory(refusal) => refusal.into(),
        PartitionError::Cancelled => SolveError::Cancelled,
        error => unreachable!("rows of a graph and 1 to n parts are valid: {error}"),
    })
}

#[cfg(test)]
mod tests {
    use kostra_core::{Algorithm, EdgeList, Graph, Order, Problem};

    use super::super::PrimUnion;
    use super::*;

    /// The parts of a path of ten vertices in the order 0 5 1 6 2 7 3 8 4 9.
    fn parts_of_a_path(cut: u64, parts: u64) -> Vec<u32> {
        let path = [0, 5, 1, 6, 2, 7, 3, 8, 4, 9];
        let (u, v): (Vec<u32>, Vec<u32>) = path.windows(2).map(|pair| (pair[0], pair[1])).unzip();
        let graph = Graph::from(EdgeList::<i32>::new(10, u, v, vec![1; 9]).unwrap());
        let run = Run::new().with_option(&PrimUnion::INFO, "cut", cut).unwrap();
        let mut run = run.with_option(&PrimUnion::INFO, "parts", parts).unwrap();
        let problem = Problem::new(&graph, Order::Minimum, &PrimUnion::INFO);
        let csr = problem.csr(&mut run).unwrap();
        let parts = Parts::find(csr, &PARTS, &mut run).unwrap();
        parts.part_of.into_owned()
    }

    #[test]
    fn ranges_of_ids_ignore_the_edges_and_ranges_of_a_search_follow_them() {
        assert_eq!(parts_of_a_path(0, 2), [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]);
        assert_eq!(parts_of_a_path(1, 2), [0, 0, 0, 1, 1, 0, 0, 1, 1, 1]);
    }

    #[test]
    fn more_parts_than_vertices_are_as_many_as_vertices() {
        let mut parts = parts_of_a_path(0, MOST_PARTS);
        parts.sort_unstable();
        assert!(parts.iter().all(|&part| part < 10), "{parts:?}");
        assert_eq!(parts_of_a_path(1, 1), [0; 10]);
    }
}
