//! Forests merged along a tree of ranks. Each rank computes the forest of its own edges with
//! Kruskal's algorithm. Then, in each turn, the forests of D neighboring ranks are joined and
//! reduced to one forest with the same algorithm, until rank 0 has the forest of the graph. The
//! option `local` takes another algorithm for both.
//!
//! An edge that is not in the forest of a set of edges is the heaviest edge of a cycle in that set.
//! So it is in no forest of a larger set (cycle property), and a rank passes on fewer edges than
//! the graph has vertices. Neighbors merge in the order of their ranks, so positions always ascend
//! with the ids.
//!
//! * Source: Loncar, Škrbić & Balaž 2013, described in Sousa 2014, section 3.2.2, where pairs of
//!   ranks merge (D = 2, the default); Dehne & Götz 1998, described in Nobari 2012, related work,
//!   where up to D ranks merge.
//! * ⌈log_D p⌉ turns. Each of the p - 1 other ranks passes its forest on once, in four messages
//!   (both ends, weights, ids): 28 bytes per edge, 32 with 64-bit weights, at most n - 1 edges. At
//!   the end each of them sends the range of its ids to rank 0, and gets one message with the ids
//!   of the forest's edges in its slice: 6 (p - 1) messages in all.
//! * A trace on rank 0 contains one round per turn, with the vertices and the edges that rank 0
//!   merges.
//! * A rank needs memory for the edges of D forests, so this solver is for graphs whose vertices
//!   fit one machine.
//! * Exact. One thread per rank, as in the sources; `fast` takes all threads of the run.
//!
//! Deviations from the sources: Loncar et al. store an adjacency matrix and give each rank
//! consecutive vertices; here a rank has consecutive edges of a list, because that is how all
//! solvers of this crate get the graph. Dehne & Götz find the first forests with Borůvka's
//! algorithm and mix Borůvka steps into the merges; only their tree of D branches is used here.

use kostra_core::{
    EdgeList, EdgeSet, Graph, OptionValues, Order, Platform, Representation, Run, SolveError,
    SolverInfo, SolverOption, Weight, items_at,
};
use kostra_mpi::{Communicator, DistributedAlgorithm, EdgeDistribution, Parts, Slice, VertexMap};

/// Merging local forests along a tree.
pub(crate) struct LocalForestMerge;

const ARITY: SolverOption = SolverOption {
    name: "arity",
    about: "number of ranks whose forests are merged at a time",
    default: 2,
    values: OptionValues::Number { lowest: 2, highest: 1 << 16 },
};

const LOCAL: SolverOption = SolverOption {
    name: "local",
    about: "forests on a rank",
    default: 0,
    values: OptionValues::Choice(&["kruskal", "prim-binary", "fast"]),
};

impl DistributedAlgorithm for LocalForestMerge {
    const INFO: SolverInfo = SolverInfo {
        id: "mpi-merge",
        title: "Kruskal on each rank, forests merged along a tree of ranks",
        source: "Loncar et al. 2013 in Sousa 2014, 3.2.2; Dehne & Götz 1998 in Nobari 2012",
        platform: Platform::Mpi,
        representation: Representation::EdgeList,
        exact: true,
        time: "O(m/p log(m/p) + n log n log p)",
        scratch: "8 bytes per edge of the slice (16 with 64-bit weights); at rank 0, 100 per vertex",
        options: &[ARITY, LOCAL],
    };

    fn solve<W: Weight>(
        &self,
        slice: &Slice<W>,
        order: Order,
        world: &Communicator,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        let held = world.phase(run, "local", |run| Held::local_forest(slice, order, run))?;
        let held = world
            .phase(run, "merge", |run| held.up_the_tree(slice.vertices(), order, world, run))?;
        world.phase(run, "return", |_| Ok(held.return_ids(slice, world)))
    }
}

/// The forest of a graph on this rank, by the algorithm of the option `local`.
fn forest<W: Weight>(
    graph: &Graph<W>,
    order: Order,
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    run.solver_phase("forest", |run| match run.request.option(&LOCAL) {
        0 => kostra_cpu::kruskal_of_edges(graph.edge_list().edges(order), run),
        1 => kostra_cpu::prim(graph, order, run),
        _ => kostra_cpu::forest(graph, order, run),
    })
}

/// Edges that may be in the forest, ascending by id.
struct Held<W> {
    u: Vec<u64>,
    v: Vec<u64>,
    weights: Vec<W>,
    ids: Vec<u64>,
}

impl<W> Default for Held<W> {
    fn default() -> Self {
        Self { u: Vec::new(), v: Vec::new(), weights: Vec::new(), ids: Vec::new() }
    }
}

impl<W: Weight> Held<W> {
    fn local_forest(slice: &Slice<W>, order: Order, run: &mut Run<'_>) -> Result<Self, SolveError> {
        let local = forest(slice.graph(), order, run)?.into_ids();
        let (u, v) = local.iter().map(|&edge| slice.ends(edge)).unzip();
        let weights = local.iter().map(|&edge| slice.edges().weights()[edge as usize]).collect();
        let ids = local.iter().map(|&edge| slice.id(edge)).collect();
        Ok(Self { u, v, weights, ids })
    }

    /// Merges along the tree. In each turn, the leaders of the last turn merge in groups of
    /// `ARITY`. At the end rank 0 holds the forest, and the others hold nothing.
    fn up_the_tree(
        mut self,
        vertices: u64,
        order: Order,
        world: &Communicator,
        run: &mut Run<'_>,
    ) -> Result<Self, SolveError> {
        let arity = run.request.option(&ARITY) as usize;
        let mut stride = 1;
        while stride < world.size() {
            let leader = world.rank() - world.rank() % (stride * arity);
            if leader != world.rank() {
                run.report.finish_rounds();
                self.send(leader, world);
                return Ok(Self::default());
            }
            let members = (1..arity).map(|member| leader + member * stride);
            for member in members.take_while(|&member| member < world.size()) {
                self.receive(member, world);
            }
            run.report.round(vertices as usize, self.ids.len())?;
            self = self.reduce_to_forest(vertices, order, run)?;
            stride *= arity;
        }
        run.report.finish_rounds();
        Ok(self)
    }

    fn send(&self, to: usize, world: &Communicator) {
        world.send(to, &self.u);
        world.send(to, &self.v);
        world.send(to, &self.weights);
        world.send(to, &self.ids);
    }

    /// Appends the edges that a rank sends. Their ids must be higher than all ids here.
    fn receive(&mut self, from: usize, world: &Communicator) {
        self.u.append(&mut world.receive(from));
        self.v.append(&mut world.receive(from));
        self.weights.append(&mut world.receive(from));
        self.ids.append(&mut world.receive(from));
    }

    /// The forest of these edges.
    fn reduce_to_forest(
        self,
        vertices: u64,
        order: Order,
        run: &mut Run<'_>,
    ) -> Result<Self, SolveError> {
        let too_many = |_| SolveError::Unsuitable {
            solver: LocalForestMerge::INFO.id,
            cost: format!("{} edges at one rank", self.ids.len()),
            advice: "use it for graphs whose vertices fit one machine",
        };
        let (vertex_map, u, v) =
            VertexMap::new(vertices, &self.u, &self.v).ok_or(()).map_err(too_many)?;
        let edges = EdgeList::new(vertex_map.count(vertices), u, v, self.weights.clone())
            .map_err(|_| too_many(()))?;
        let forest = forest(&Graph::from(edges), order, run)?.into_ids();
        Ok(Self {
            u: items_at(&self.u, &forest),
            v: items_at(&self.v, &forest),
            weights: items_at(&self.weights, &forest),
            ids: items_at(&self.ids, &forest),
        })
    }

    /// Sends each rank the ids of its edges in the forest that rank 0 holds. Collective.
    fn return_ids(self, slice: &Slice<W>, world: &Communicator) -> EdgeSet {
        let bounds = world.gather(0, &[slice.first(), slice.len() as u64]);
        let parts = bounds.map(|bounds| {
            let starts = bounds.iter().map(|bounds| bounds[0]);
            let distribution = EdgeDistribution::from_bounds(starts.chain([u64::MAX]).collect());
            Parts::distribute(world.size(), &self.ids, |&id| distribution.owner(id))
        });
        let mut set = EdgeSet::new(slice.len());
        for id in world.scatter(0, parts.as_ref()) {
            set.insert((id - slice.first()) as u32);
        }
        set
    }
}
