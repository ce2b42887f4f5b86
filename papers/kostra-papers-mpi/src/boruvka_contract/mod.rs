//! The generic contracting Borůvka algorithm on ranks. The kernels are those of one machine. Each
//! rank applies them to a block of vertices. After each kernel, all ranks gather the results.
//!
//! Every vertex chooses its lightest edge (cut property). Under the strict order of `(key, id)`,
//! the chosen edges close no cycle, except for pairs of vertices that choose the same edge; one of
//! the two removes its own. Vertices that are connected by chosen edges get one color, and become
//! one vertex of a smaller graph, until no edges are left.
//!
//! * Source: Sousa 2014, section 4.4.2, Algorithm 6, with the kernels of section 4.4.1 and
//!   Algorithms 7 to 13. The phases of a run are the kernels, under their names, each with the
//!   gathering after it.
//! * As in the source, every rank has a global view: the contracted graph, and the state of each
//!   vertex. A rank stores the graph of a round and the graph of the next one, each in up to 16
//!   bytes per end of an edge. So ranks save time and not memory. More than 2^30 edges are refused.
//! * In a round, every rank gets the lightest edge, the color and the new id of each vertex (4
//!   bytes each; colors once per sweep, in at most log2 n + 2 sweeps), the new degrees by an
//!   all-reduce, the start of each new row, and the new graph. Prefix sums take one number from
//!   rank to rank. Each vertex is sent to the rank of its new vertex (8 bytes). Time
//!   O((n + m) log n). Ranks and threads share the work of the kernels, but not the gathering.
//! * Exact. The threads of a rank take blocks of 2^12 of its vertices.
//!
//! Deviations from the source: ties go to the lower edge id, and the solver finds forests of
//! disconnected graphs, as does the solver of that name for one machine. Edges have ids, which are
//! gathered too. A vertex removes only its own mirrored edge, so line 5, which gathers the edges
//! that others have removed, has nothing to send. A rank inserts the edges of its new vertices, not
//! of its old ones, so the all-gathers of lines 18 and 19 concatenate rows.

mod contracted_graph;
mod kernels;
mod threads;

use std::ops::Range;

use kostra_core::{
    EdgeId, EdgeSet, Key, Order, Platform, Representation, Run, SolveError, SolverInfo, Vertex,
    Weight,
};
use kostra_mpi::{Communicator, DistributedAlgorithm, GraphSize, Slice, VertexDistribution};

use self::contracted_graph::{ContractedGraph, NONE};
use self::kernels::{NewVertices, OwnVertices, insert_new_edges};
use crate::rows::{RankRows, own_edges};

/// The generic contracting Borůvka algorithm on ranks.
pub(crate) struct BoruvkaContract;

impl DistributedAlgorithm for BoruvkaContract {
    const INFO: SolverInfo = SolverInfo {
        id: "mpi-boruvka-contract",
        title: "Borůvka with contraction, gathered after each kernel",
        source: "Sousa 2014, 4.4.2, Algorithm 6",
        platform: Platform::Mpi,
        representation: Representation::Csr,
        exact: true,
        time: "O((n + m) log n)",
        scratch: "on every rank, 48 bytes per edge of the whole graph (64 with 64-bit weights), 24 per vertex",
        options: &[],
    };

    fn admit(&self, size: GraphSize) -> Result<(), SolveError> {
        size.admit_on_every_rank(Self::INFO.id)
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
        let mut rounds = Rounds { world, threads: run.request.threads(), forest: Vec::new() };
        while !graph.edge_dst.is_empty() {
            run.report.round(graph.vertices(), graph.edge_dst.len() / 2)?;
            graph = rounds.round(&graph, run);
            run.report.progress(all - graph.vertices(), all)?;
        }
        run.report.finish_rounds();
        Ok(world.phase(run, "return", |_| own_edges(&rounds.forest, slice, world)))
    }
}

/// The graph of the first round, from the slices of all ranks. Each rank builds the rows of its
/// vertices. Collective.
fn build<W: Weight>(
    slice: &Slice<W>,
    order: Order,
    world: &Communicator,
) -> Result<ContractedGraph<W::Key>, SolveError> {
    let distribution = VertexDistribution::new(slice.vertices(), world.size());
    let rows = RankRows::distribute(slice, order, distribution, BoruvkaContract::INFO.id, world)?;
    let degrees: Vec<_> = rows.offsets.windows(2).map(|row| row[1] - row[0]).collect();
    // `admit` has checked that vertices and ids fit 32 bits.
    let edge_dst: Vec<_> = rows.neighbors.iter().map(|&vertex| vertex as Vertex).collect();
    let edge_id: Vec<_> = rows.ids.iter().map(|&id| id as EdgeId).collect();
    Ok(ContractedGraph {
        first_edge: row_starts(&degrees, world),
        edge_dst: world.all_gather(&edge_dst).into_items(),
        edge_wt: world.all_gather(&rows.keys).into_items(),
        edge_id: world.all_gather(&edge_id).into_items(),
    })
}

/// For each number of all ranks the sum of the numbers before it, and the sum of all numbers. As in
/// the source, each rank adds up its own numbers at the same time as the others. Then the sums of
/// whole ranks go from rank to rank in one number each. Collective.
fn exclusive_prefix_sum(own: &[u32], world: &Communicator) -> (Vec<u32>, u32) {
    let mut sum = 0;
    let sums = own.iter().map(|number| {
        sum += number;
        sum - number
    });
    let mut sums: Vec<u32> = sums.collect();
    let before = world.rank().checked_sub(1).map(|before| world.receive::<u32>(before));
    let before = before.and_then(|sum| sum.first().copied()).unwrap_or_default();
    let sum = before + sum;
    if world.rank() + 1 < world.size() {
        world.send(world.rank() + 1, &[sum]);
    }
    sums.iter_mut().for_each(|sum| *sum += before);
    let total = world.broadcast_one(world.size() - 1, sum);
    (world.all_gather(&sums).into_items(), total)
}

/// The state that is kept from round to round.
struct Rounds<'a> {
    world: &'a Communicator,
    threads: usize,
    /// The edges that this rank's vertices have chosen, by their ids in the whole graph.
    forest: Vec<u64>,
}

impl Rounds<'_> {
    /// Chooses edges of a graph that has some, and builds the graph in which these are contracted:
    /// the body of Algorithm 6. Collective.
    fn round<K: Key>(
        &mut self,
        graph: &ContractedGraph<K>,
        run: &mut Run<'_>,
    ) -> ContractedGraph<K> {
        let world = self.world;
        let own = own_range(graph.vertices(), world);
        let vertices = OwnVertices { graph, own, threads: self.threads };
        let vertex_minedge = world.phase(run, "find minimum edge per vertex", |_| {
            world.all_gather(&vertices.find_minimum_edges()).into_items()
        });
        let chosen = world.phase(run, "remove mirrored edges", |_| {
            vertices.remove_mirrored_edges(&vertex_minedge)
        });
        let edges = chosen.iter().filter(|&&edge| edge != NONE);
        self.forest.extend(edges.map(|&edge| u64::from(graph.edge_id[edge as usize])));
        let color = world.phase(run, "initialize colors", |_| vertices.initialize_colors(&chosen));
        let (color, sweeps) =
            world.phase(run, "propagate colors", |_| vertices.propagate_colors(color, world));
        run.report.counter("color sweeps", f64::from(sweeps));
        let (new_vertex, new_vertices) = world.phase(run, "create new vertex ids", |_| {
            exclusive_prefix_sum(&vertices.flag_roots(&color), world)
        });
        let supervertex = |vertex: usize| new_vertex[color[vertex] as usize];
        let outdegree = world.phase(run, "count new edges", |_| {
            vertices.count_new_edges(supervertex, new_vertices as usize, world)
        });
        let new_distribution = VertexDistribution::new(new_vertices.into(), world.size());
        let new_own = own_range(new_vertices as usize, world);
        let first_edge = world
            .phase(run, "assign edge segments", |_| row_starts(&outdegree[new_own.clone()], world));
        world.phase(run, "insert new edges", |_| {
            let members = vertices.members_by_rank(supervertex, new_distribution);
            let members = &world.exchange(&members).into_items();
            let new = NewVertices { own: new_own, first_edge: &first_edge, members };
            let rows = insert_new_edges(graph, supervertex, &new, self.threads);
            ContractedGraph {
                edge_dst: world.all_gather(&rows.edge_dst).into_items(),
                edge_wt: world.all_gather(&rows.edge_wt).into_items(),
                edge_id: world.all_gather(&rows.edge_id).into_items(),
                first_edge,
            }
        })
    }
}

/// The range of this rank's vertices in a graph of `vertices` vertices.
fn own_range(vertices: usize, world: &Communicator) -> Range<usize> {
    let distribution = VertexDistribution::new(vertices as u64, world.size());
    distribution.first(world.rank()) as usize..distribution.first(world.rank() + 1) as usize
}

/// The starts of the rows of all vertices, and the end of the last row, from the degrees of this
/// rank's vertices. Collective.
fn row_starts(degrees: &[u32], world: &Communicator) -> Vec<u32> {
    let (mut first_edge, end) = exclusive_prefix_sum(degrees, world);
    first_edge.push(end);
    first_edge
}
