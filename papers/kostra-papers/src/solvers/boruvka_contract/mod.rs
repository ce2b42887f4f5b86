//! The generic contracting Borůvka algorithm: every vertex chooses its lightest edge, the vertices
//! that chosen edges connect are contracted into one, and the rows of the smaller graph are built.
//! Rounds end when no edge is left.
//!
//! A vertex's lightest edge is in the forest (cut property). Ranks are a strict order, so chosen
//! edges close no cycle. Two vertices may choose the same edge: its mirror images. One image is
//! removed, at the lower vertex, which becomes the root of its component. All other vertices of the
//! component lead to the root and take its color. New vertices are numbered in the order of their
//! roots, so vertices with near numbers stay near.
//!
//! * Source: Sousa 2014, section 4.4, Algorithms 5 and 7 to 13, and appendix B. The kernels and the
//!   arrays have the source's names; each kernel is a phase of the run.
//! * A thread works on whole vertices, so one thread handles a vertex of high degree. The schedule
//!   is guided: a free thread gets the vertices that are left, divided by the number of threads. No
//!   kernel needs more synchronization than an atomic addition, and each ends before the next
//!   begins.
//! * Time O((n + m) log n): vertices with edges at least halve in a round. Propagating colors takes
//!   at most log2 n + 2 sweeps, because a sweep at least doubles the distance that every vertex has
//!   looked ahead.
//! * Scratch: two contracted graphs, which take turns, each at its largest size. Pages that are
//!   never written are not backed by memory.
//! * Input: CSR. Exact. Parallel edges stay in the rows, as in the source, unless the option
//!   `parallel-edges` removes them.
//!
//! Deviations from the source:
//!
//! * Ties go to the lower edge id, not to the lower neighbor, so that the forest is the canonical
//!   one and parallel edges have one mirror image.
//! * A vertex without edges gets no new id, and rounds end when no edge is left; the source assumes
//!   a connected graph and ends at one vertex.
//! * A vertex removes its own image of a mirrored edge only. In Algorithm 8 either end may remove
//!   the image at the lower vertex, while another thread reads it.
//! * An entry of a contracted graph keeps its rank, and with 64-bit weights its id, where the
//!   source keeps the weight.
//! * Offsets are one array of n + 1 entries; the source has the arrays `first_edge` and
//!   `outdegree`.
//! * The source takes the prefix sums from Intel TBB; here they are
//!   `kostra_parallel::exclusive_prefix_sum`.
//! * The source says only that OpenMP's schedule is guided. The least share of 1 vertex is OpenMP's
//!   default; the option `least-share` raises it. A kernel ends when all vertices are done: it does
//!   not wait for threads that come later, as OpenMP's barrier does.

//! * By the option `schedule=edges`, the threads have equal numbers of entries in the kernels that
//!   read rows: 7, 12 and 13. The source considers that and expects too much synchronization. Here
//!   it is one lock per thread for the parts of divided rows.
//! * By the option `parallel-edges=remove`, each contracted row is sorted, and of parallel edges
//!   the lightest is kept. The source keeps all, because it expects no gain.

mod graph;
mod kernels;
mod parallel_edges;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use kostra_core::{
    Algorithm, EdgeSet, Key, OptionValues, Platform, Problem, Representation, Run, SolveError,
    SolverInfo, SolverOption,
};
use kostra_parallel::{Schedule, SharedEdgeSet, Team, with_observed_team};

use graph::{Contracted, Given, Layout, Rows, Vertices};

/// The generic contracting Borůvka algorithm.
pub(crate) struct BoruvkaContract;

const LEAST_SHARE: SolverOption = SolverOption {
    name: "least-share",
    about: "fewest vertices that the guided schedule gives a thread at a time",
    default: 1,
    values: OptionValues::Number { lowest: 1, highest: 1 << 30 },
};

const SCHEDULE: SolverOption = SolverOption {
    name: "schedule",
    about: "what is divided among the threads where rows are read",
    default: 0,
    values: OptionValues::Choice(&["vertices", "edges"]),
};

const PARALLEL_EDGES: SolverOption = SolverOption {
    name: "parallel-edges",
    about: "whether a contracted graph keeps parallel edges",
    default: 0,
    values: OptionValues::Choice(&["keep", "remove"]),
};

/// The null edge.
const NONE: u32 = u32::MAX;

impl Algorithm for BoruvkaContract {
    const INFO: SolverInfo = SolverInfo {
        id: "boruvka-contract",
        title: "Borůvka with contraction",
        source: "Sousa 2014, 4.4, Algorithms 5 and 7 to 13",
        platform: Platform::Threads,
        representation: Representation::Csr,
        exact: true,
        time: "O((n + m) log n)",
        scratch: "48 bytes per edge (64 with 64-bit weights), 17 per vertex (18 without parallel edges)",
        options: &[LEAST_SHARE, SCHEDULE, PARALLEL_EDGES],
    };

    fn admit(&self, _vertices: u32, edges: usize) -> Result<(), SolveError> {
        if edges <= NONE as usize / 2 {
            return Ok(());
        }
        Err(SolveError::Unsuitable {
            solver: Self::INFO.id,
            cost: "places in rows beyond 32 bits".to_owned(),
            advice: "choose a solver that works on the edge list",
        })
    }

    fn solve<K: Key>(
        &self,
        problem: Problem<'_, K>,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        let graph = Given { rows: problem.csr(run)?.rows(), edges: problem.edges() };
        let unify = run.request.option(&PARALLEL_EDGES) != 0;
        let layout = Layout::for_size(graph.vertices(), graph.neighbors().len(), unify);
        let mut workspace = run.request.take_workspace();
        let memory = workspace
            .words(layout.bytes)
            .ok_or(SolveError::OutOfMemory { solver: Self::INFO.id, bytes: layout.bytes })?;
        let forest = SharedEdgeSet::new(graph.edges.len())?;
        with_observed_team(run, run.request.threads(), |team, run| {
            let (vertices, now, next) = layout.split(memory);
            let schedule = Schedule::Guided(run.request.option(&LEAST_SHARE) as usize);
            let division = match run.request.option(&SCHEDULE) {
                0 => Division::Vertices,
                _ => Division::Edges,
            };
            let rows = RowShares { team, schedule, division };
            let all = graph.vertices();
            let rounds = Rounds { team, schedule, rows, unify, vertices, forest: &forest, all };
            contract(&graph, rounds, [now, next], run)
        })?;
        run.phase("free memory", |_| drop(workspace));
        Ok(forest.into_edge_set())
    }
}

/// Algorithm 5.
fn contract<K: Key>(
    graph: &Given<'_, K>,
    mut rounds: Rounds<'_, '_>,
    [mut now, mut next]: [Contracted<'_, K>; 2],
    run: &mut Run<'_>,
) -> Result<(), SolveError> {
    if graph.neighbors().is_empty() {
        return Ok(());
    }
    rounds.round(graph, &mut now, run)?;
    loop {
        if rounds.unify {
            run.phase("remove parallel edges", |_| {
                rounds.remove_parallel_edges(&mut now, &mut next);
            });
            std::mem::swap(&mut now, &mut next);
        }
        if now.entries == 0 {
            return Ok(());
        }
        rounds.round(&now, &mut next, run)?;
        std::mem::swap(&mut now, &mut next);
    }
}

/// How the kernels that read rows divide them among the threads.
enum Division {
    /// A thread takes whole rows, by the guided schedule.
    Vertices,
    /// Every thread has the same number of entries, give or take one.
    Edges,
}

/// The rows of a graph as work for threads.
struct RowShares<'a, 't> {
    team: &'a Team<'t>,
    schedule: Schedule,
    division: Division,
}

/// What is kept from round to round.
struct Rounds<'a, 't> {
    team: &'a Team<'t>,
    schedule: Schedule,
    rows: RowShares<'a, 't>,
    /// Whether parallel edges are removed.
    unify: bool,
    vertices: Vertices<'a>,
    forest: &'a SharedEdgeSet,
    /// The number of vertices of the given graph.
    all: usize,
}

impl Rounds<'_, '_> {
    /// Chooses edges of a graph that has some, and builds the graph that is left when they are
    /// contracted.
    fn round<K: Key>(
        &mut self,
        graph: &impl Rows,
        next: &mut Contracted<'_, K>,
        run: &mut Run<'_>,
    ) -> Result<(), SolveError> {
        let (merged, all) = (self.all - graph.vertices(), self.all);
        run.report.round(graph.vertices(), graph.neighbors().len() / 2)?;
        let edges = run.phase("find minimum edge per vertex", |_| self.find_minimum_edges(graph));
        report_load(&edges, run);
        run.report.progress(merged, all)?;
        run.phase("remove mirrored edges", |_| self.remove_mirrored_edges(graph));
        run.report.progress(merged, all)?;
        run.phase("initialize colors", |_| self.initialize_colors(graph));
        let sweeps =
            run.phase("propagate colors", |run| self.propagate_colors(graph.vertices(), run))?;
        run.report.counter("color sweeps", f64::from(sweeps));
        next.vertices = run.phase("create new vertex ids", |_| self.create_new_vertex_ids(graph));
        run.report.progress(merged, all)?;
        let first_edge = &mut next.first_edge[..=next.vertices];
        run.phase("count new edges", |_| self.count_new_edges(graph, first_edge));
        run.report.progress(merged, all)?;
        next.entries = run.phase("assign edge segments", |_| self.assign_edge_segments(first_edge));
        run.report.progress(merged, all)?;
        run.phase("insert new edges", |_| self.insert_new_edges(graph, next));
        Ok(())
    }
}

/// Reports the edges of each thread, and the load imbalance: by how much the busiest thread exceeds
/// the average.
fn report_load(edges: &[AtomicU64], run: &mut Run<'_>) {
    let edges = || edges.iter().map(|edges| edges.load(Relaxed) as f64);
    edges().for_each(|edges| run.report.counter("edges of a thread", edges));
    let average = edges().sum::<f64>() / edges().count() as f64;
    let imbalance = edges().fold(0.0, f64::max) / average - 1.0;
    run.report.counter("load imbalance in percent", 100.0 * imbalance);
}

#[cfg(test)]
mod tests;
