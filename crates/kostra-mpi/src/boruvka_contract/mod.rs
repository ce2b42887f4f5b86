//! The generic contracting Borůvka algorithm on ranks: the kernels are those of one machine, each
//! rank applies them to a block of vertices, and after each one all ranks gather what the others
//! have computed.
//!
//! Every vertex chooses its lightest edge (cut property). Under the strict order of `(key, id)` the
//! chosen edges close no cycle but pairs of vertices that chose the same edge, one of which removes
//! its own. Vertices that the rest join take one colour, and become one vertex of a smaller graph,
//! until no edges are left.
//!
//! * Source: Sousa 2014, section 4.4.2, Algorithm 6, with the kernels of section 4.4.1 and
//!   Algorithms 7 to 13. The phases that a run reports are the kernels, each with the gathering
//!   that follows it, and have their names.
//! * As there, every rank has a global view: the contracted graph, and what is known of each
//!   vertex. It holds up to 16 bytes for each end of each edge twice (the graph of a round, and the
//!   next one), so ranks save time and not memory; more than 2^30 edges are refused.
//! * A round sends every rank the lightest edge, color and new number of each vertex (4 bytes each;
//!   colors once a sweep, of which there are at most log2 n + 2), an all-reduce of new degrees,
//!   where each new row starts, and the new graph. Prefix sums go from rank to rank in a pipeline.
//!   Time O((n + m) log n); ranks and threads share the kernels, and nobody the gathering.
//! * Exact. Threads within a rank, which take blocks of 2^12 of its vertices.
//!
//! Deviations from the source: ties go to the lower edge id, and the solver finds forests of
//! disconnected graphs, as does the solver of that name for one machine. Edges carry their ids, so
//! these are gathered too. A vertex removes its own mirrored edge only, so line 5, which gathers
//! the edges that others have removed, has nothing to send. A rank inserts the edges of its new
//! vertices and not those of its old ones, so that the all-gathers of lines 18 and 19 put rows
//! together.

mod kernels;
mod threads;

use std::ops::Range;

use kostra_core::{
    EdgeId, EdgeSet, Key, Order, Platform, Representation, Run, SolveError, SolverInfo, Vertex,
    Weight,
};

use crate::rows::{Blocks, Rows, edges_of_slice};
use crate::{Communicator, DistributedAlgorithm, Shape, Slice};
use kernels::insert_new_edges;

/// The generic contracting Borůvka algorithm on ranks.
pub(crate) struct BoruvkaContract;

/// The null edge.
const NONE: u32 = u32::MAX;

impl DistributedAlgorithm for BoruvkaContract {
    const INFO: SolverInfo = SolverInfo {
        id: "mpi-boruvka-contract",
        title: "Borůvka with contraction, gathered after each kernel",
        source: "Sousa 2014, 4.4.2, Algorithm 6",
        platform: Platform::Mpi,
        representation: Representation::Csr,
        exact: true,
        time: "O((n + m) log n)",
        scratch: "on every rank 48 bytes an edge of the whole graph (64 with 64-bit weights), 24 a vertex",
        options: &[],
    };

    fn admit(&self, shape: Shape) -> Result<(), SolveError> {
        shape.admit_whole(Self::INFO.id)
    }

    fn solve<W: Weight>(
        &self,
        slice: &Slice<W>,
        order: Order,
        world: &Communicator,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        let mut graph = world.phase(run, "build", |_| build(slice, order, world))?;
        let all = graph.vertices();
        let mut rounds = Rounds { world, threads: run.threads(), forest: Vec::new() };
        while !graph.edge_dst.is_empty() {
            run.round(graph.vertices(), graph.edge_dst.len() / 2)?;
            graph = rounds.round(&graph, run);
            run.progress(all - graph.vertices(), all)?;
        }
        Ok(world.phase(run, "return", |_| edges_of_slice(&rounds.forest, slice, world)))
    }
}

/// A graph as every rank holds it, in rows.
struct Graph<K> {
    /// Where the row of each vertex starts, and where the last one ends.
    first_edge: Vec<u32>,
    edge_dst: Vec<Vertex>,
    edge_wt: Vec<K>,
    edge_id: Vec<EdgeId>,
}

impl<K: Key> Graph<K> {
    fn vertices(&self) -> usize {
        self.first_edge.len() - 1
    }

    #[inline]
    fn row(&self, vertex: usize) -> Range<usize> {
        self.first_edge[vertex] as usize..self.first_edge[vertex + 1] as usize
    }
}

/// The given graph, from the slices of all ranks: each builds the rows of its vertices. Collective.
fn build<W: Weight>(
    slice: &Slice<W>,
    order: Order,
    world: &Communicator,
) -> Result<Graph<W::Key>, SolveError> {
    let blocks = Blocks::new(slice.vertices(), world.size());
    let rows = Rows::deal(slice, order, blocks, BoruvkaContract::INFO.id, world)?;
    let degrees: Vec<_> = rows.offsets.windows(2).map(|row| row[1] - row[0]).collect();
    // All fits 32 bits, which `admit` has seen to.
    let edge_dst: Vec<_> = rows.neighbours.iter().map(|&vertex| vertex as Vertex).collect();
    let edge_id: Vec<_> = rows.ids.iter().map(|&id| id as EdgeId).collect();
    let (mut first_edge, end) = exclusive_prefix_sum(&degrees, world);
    first_edge.push(end);
    Ok(Graph {
        first_edge,
        edge_dst: world.all_gather(&edge_dst).into_items(),
        edge_wt: world.all_gather(&rows.keys).into_items(),
        edge_id: world.all_gather(&edge_id).into_items(),
    })
}

/// The sums of all numbers before each one, on all ranks, and the sum of all. The sums are computed
/// in a pipeline of ranks, and gathered. Collective.
fn exclusive_prefix_sum(own: &[u32], world: &Communicator) -> (Vec<u32>, u32) {
    let before = world.rank().checked_sub(1).map(|before| world.receive::<u32>(before));
    let mut sum = before.and_then(|sum| sum.first().copied()).unwrap_or_default();
    let sums = own.iter().map(|number| {
        sum += number;
        sum - number
    });
    let sums: Vec<_> = sums.collect();
    if world.rank() + 1 < world.size() {
        world.send(world.rank() + 1, &[sum]);
    }
    let total = world.broadcast_one(world.size() - 1, sum);
    (world.all_gather(&sums).into_items(), total)
}

/// What is kept from round to round.
struct Rounds<'a> {
    world: &'a Communicator,
    threads: usize,
    /// The edges that this rank's vertices have chosen, by their ids in the whole graph.
    forest: Vec<u64>,
}

impl Rounds<'_> {
    /// Chooses edges of a graph that has some, and builds the graph that is left when they are
    /// contracted: the body of Algorithm 6. Collective.
    fn round<K: Key>(&mut self, graph: &Graph<K>, run: &mut Run<'_>) -> Graph<K> {
        let world = self.world;
        let blocks = Blocks::new(graph.vertices() as u64, world.size());
        let own = blocks.first(world.rank()) as usize..blocks.first(world.rank() + 1) as usize;
        let vertex_minedge = world.phase(run, "find minimum edge per vertex", |_| {
            world.all_gather(&self.find_minimum_edges(graph, own.clone())).into_items()
        });
        let chosen = world.phase(run, "remove mirrored edges", |_| {
            self.remove_mirrored_edges(graph, &vertex_minedge, own.clone())
        });
        let color = world.phase(run, "initialize colors", |_| {
            self.initialize_colors(graph, &chosen, own.clone())
        });
        let (color, sweeps) =
            world.phase(run, "propagate colors", |_| self.propagate_colors(color, own.clone()));
        run.counter("color sweeps", f64::from(sweeps));
        let (new_vertex, new_vertices) = world.phase(run, "create new vertex ids", |_| {
            exclusive_prefix_sum(&self.flag_roots(graph, &color, own.clone()), world)
        });
        let supervertex = |vertex: usize| new_vertex[color[vertex] as usize];
        let outdegree = world.phase(run, "count new edges", |_| {
            self.count_new_edges(graph, supervertex, new_vertices as usize, own.clone())
        });
        let blocks = Blocks::new(new_vertices.into(), world.size());
        let own = blocks.first(world.rank()) as usize..blocks.first(world.rank() + 1) as usize;
        let first_edge = world.phase(run, "assign edge segments", |_| {
            let (mut first_edge, end) = exclusive_prefix_sum(&outdegree[own.clone()], world);
            first_edge.push(end);
            first_edge
        });
        world.phase(run, "insert new edges", |_| {
            let inserted =
                insert_new_edges(graph, supervertex, &first_edge, own.clone(), self.threads);
            Graph {
                edge_dst: world.all_gather(&inserted.edge_dst).into_items(),
                edge_wt: world.all_gather(&inserted.edge_wt).into_items(),
                edge_id: world.all_gather(&inserted.edge_id).into_items(),
                first_edge,
            }
        })
    }
}
