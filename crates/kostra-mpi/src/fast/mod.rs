//! The solver for any number of ranks: local contraction, then batches of light edges between all
//! ranks, then a merge of the rest.
//!
//! * On one rank, the solver is the engine for one machine on the slice as it is.
//! * Ranks on the same machine are merged into one rank, their leader ([`leaders`]). If all ranks
//!   are on one machine, its leader solves alone. Otherwise the steps below are between leaders,
//!   whose slices are those of their machines. On a graph with [`locality`], they are between all
//!   ranks.
//! * Each rank first contracts the interior of its slice, which no other rank can influence
//!   ([`boundary`]). On graphs with locality, such as roads and grids, this decides nearly all
//!   edges, and leaves a forest between the boundary vertices.
//! * If few edges are left, or few ranks take part, the rest is merged along a tree of ranks
//!   ([`merge_tree`]).
//! * Many edges on many ranks are processed in batches, as on one machine. A [`pivot`] from a
//!   sample selects the light edges, and rounds of Borůvka's algorithm compute their forest
//!   ([`owners`]). Of the heavier edges, only edges between two of the resulting components remain
//!   (cycle property).
//! * Edges stay on their machine; messages contain components. A leader needs memory for the slice
//!   of its machine, for its block of vertices, for the vertices at which its edges end, for one
//!   bit per vertex if one component is large, and on rank 0 for the few edges that are merged. On
//!   one machine, the leader holds all edges.
//! * Source: this project. Filtering by a pivot follows Osipov, Sanders & Singler 2009. Like
//!   pointer doubling between owners and the grid of messages, it is also in Sanders &
//!   Schimek 2023. `docs/algorithms/mpi-fast.md` describes the whole solver and its costs.
//! * Ranks that all have a device merge the forests of their slices there ([`devices`]). In a mixed
//!   job, a rank that has a device finds the forests of large slices on it ([`local`]).
//! * Exact. A rank uses threads for its local forests and for passes over its edges ([`parallel`]).

mod active_edges;
mod bits;
mod boundary;
mod devices;
mod global_id;
mod join;
mod leaders;
mod local;
mod locality;
mod merge_tree;
mod owners;
mod parallel;
mod pivot;
mod rank_tree;

use kostra_core::{
    EdgeSet, Key, OptionValues, Order, Platform, Representation, Run, SolveError, SolverInfo,
    SolverOption, Weight,
};

use self::active_edges::{ActiveEdges, DENSE};
use self::boundary::{Boundary, contract_interior, find_boundary};
use self::global_id::GlobalId;
use self::local::{DEVICE_EDGES, is_on_device};
use self::owners::Owners;
use self::pivot::{Pivot, choose_pivot};
use crate::comm::{Communicator, Reduction};
use crate::graph::{Slice, VertexDistribution};
use crate::solver::{DistributedAlgorithm, GraphSize};

/// Local contraction, batches of light edges, and a merge of the rest.
pub(crate) struct Fast;

const MERGE_BELOW: SolverOption = SolverOption {
    name: "merge_below",
    about: "number of edges of all ranks up to which they are merged along a tree; 1024 times as many on 2 or 3 ranks",
    default: 1 << 18,
    values: OptionValues::Number { lowest: 0, highest: 1 << 40 },
};

const LIGHT: SolverOption = SolverOption {
    name: "light",
    about: "edges per component in the first batch, in percent; each later batch has three times as many",
    default: 100,
    values: OptionValues::Number { lowest: 1, highest: 10_000 },
};

const SINGLE_NODE: SolverOption = SolverOption {
    name: "single_node",
    about: "number of edges of all ranks from which the ranks of each machine are merged into one",
    default: 1 << 14,
    values: OptionValues::Number { lowest: 0, highest: 1 << 40 },
};

/// On 2 or 3 ranks, `merge_below` is shifted left by this: a merge of all edges needs one or two
/// messages then, and batches need many.
const FEW_RANKS_SHIFT: u32 = 10;
/// Below this many ranks, [`FEW_RANKS_SHIFT`] applies.
const FEW_RANKS: usize = 4;
/// The factor between the sizes of successive batches. Beside one large component, later components
/// are small, and most of the remaining edges join two that other edges join too.
const BATCH_GROWTH: u64 = 3;
/// If a batch has left most edges, the next one takes at least the remaining edges divided by this.
const MIN_BATCH_SHARE: u64 = 8;

impl DistributedAlgorithm for Fast {
    const INFO: SolverInfo = SolverInfo {
        id: "mpi-fast",
        title: "Local contraction, batches of light edges, and a merge of the rest",
        source: "this project; after Osipov, Sanders & Singler 2009 and Sanders & Schimek 2023",
        platform: Platform::Mpi,
        representation: Representation::EdgeList,
        exact: true,
        time: "O((m + n log n) / p) expected, and O(log n log p) messages in sequence",
        scratch: "24 bytes per edge of the slice (at the first rank of a machine: of its ranks), 40 per vertex of the slice, 16 per owned vertex",
        options: &[MERGE_BELOW, LIGHT, SINGLE_NODE, DEVICE_EDGES],
    };

    const USES_DEVICE: bool = true;

    fn admit(&self, size: GraphSize) -> Result<(), SolveError> {
        if VertexDistribution::new(size.vertices, size.ranks).has_32_bit_offsets() {
            return Ok(());
        }
        let cost = format!("more than 2^32 of {} vertices on one rank", size.vertices);
        Err(SolveError::Unsuitable { solver: Self::INFO.id, cost, advice: "use more ranks" })
    }

    fn solve<W: Weight>(
        &self,
        slice: &Slice<W>,
        order: Order,
        world: &Communicator,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        if world.size() == 1 {
            return world.phase(run, "local", |run| local::forest(slice.graph(), order, run));
        }
        if let Some(forest) = devices::solve(slice, order, world, run)? {
            return Ok(forest);
        }
        let min_edges = run.request.option(&SINGLE_NODE);
        if let Some(forest) = leaders::solve(slice, order, min_edges, world, run)? {
            return Ok(forest);
        }
        if slice.vertices() <= 1 << 32 {
            solve_between::<u32, W>(slice, order, world, run)
        } else {
            solve_between::<u64, W>(slice, order, world, run)
        }
    }
}

/// A solve on several ranks.
struct Job<'a, W: Weight> {
    slice: &'a Slice<W>,
    order: Order,
    world: &'a Communicator,
    /// Up to this many edges of all ranks are merged.
    merge_below: u64,
    /// Edges per component in the first batch, in percent.
    light: u64,
    /// The forest's edges of the slice so far.
    forest: EdgeSet,
}

/// The steps between the ranks of `world`.
fn solve_between<I: GlobalId, W: Weight>(
    slice: &Slice<W>,
    order: Order,
    world: &Communicator,
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    let distribution = VertexDistribution::new(slice.vertices(), world.size());
    let shift = if world.size() < FEW_RANKS { FEW_RANKS_SHIFT } else { 0 };
    let mut job = Job {
        slice,
        order,
        world,
        merge_below: run.request.option(&MERGE_BELOW) << shift,
        light: run.request.option(&LIGHT),
        forest: EdgeSet::new(slice.len()),
    };
    let boundary = world.phase(run, "share", |run| {
        find_boundary(slice, distribution, world, run.request.threads())
    });
    let components = world.reduce_one(Reduction::Sum, boundary.owned_with_edges);
    let edges = world.phase(run, "local", |run| job.contract_alone::<I>(&boundary, run))?;
    drop(boundary);
    if world.reduce_one(Reduction::Sum, edges.len() as u64) <= job.merge_below {
        job.merge(&edges, None, run)?;
    } else {
        job.batches(edges, Owners::new(distribution, world), components, run)?;
    }
    Ok(job.forest)
}

impl<'a, W: Weight> Job<'a, W> {
    /// What this rank can do alone. It contracts the interior of its slice, or reduces a dense
    /// slice to a forest. If neither would decide many edges, it does nothing.
    fn contract_alone<I: GlobalId>(
        &mut self,
        boundary: &Boundary,
        run: &mut Run<'_>,
    ) -> Result<ActiveEdges<'a, I, W>, SolveError> {
        let slice = self.slice;
        if boundary.vertices.is_empty() {
            self.forest = local::forest(slice.graph(), self.order, run)?;
            return Ok(ActiveEdges::none());
        }
        let is_mostly_interior = boundary.vertices.len() < boundary.vertices_of_slice / 2;
        if is_mostly_interior && slice.edges().vertices() < kostra_cpu::MANY {
            return contract_interior(slice, &boundary.vertices, self.order, &mut self.forest, run);
        }
        let edges = ActiveEdges::of_slice(slice, run.request.threads());
        let is_dense = slice.len() as u64 / DENSE >= boundary.vertices_of_slice as u64;
        let reduces = is_dense || is_on_device(slice.len(), run);
        if !reduces && self.world.size() >= FEW_RANKS {
            return Ok(edges);
        }
        let kept = local::forest(slice.graph(), self.order, run)?.into_ids();
        Ok(edges.reduced_to_forest(&kept))
    }

    /// Merges `edges` of all ranks along the tree, and adds the resulting edges to the forest.
    fn merge<I: GlobalId>(
        &mut self,
        edges: &ActiveEdges<'_, I, W>,
        adopted: Option<&mut Vec<(I, I)>>,
        run: &mut Run<'_>,
    ) -> Result<(), SolveError> {
        let (order, world) = (self.order, self.world);
        let chosen = world
            .phase(run, "merge", |run| merge_tree::merge(edges, order, adopted, world, run))?;
        self.add(edges, &chosen);
        Ok(())
    }

    /// Adds the edges at `positions` to the forest.
    fn add<I: GlobalId>(&mut self, edges: &ActiveEdges<'_, I, W>, positions: &[u32]) {
        for &position in positions {
            self.forest.insert(edges.position_in_slice(position));
        }
    }

    /// Computes the forest of one batch of light edges after another. After each batch, only edges
    /// between two components remain. `vertices` is the number of vertices with edges on any rank.
    fn batches<I: GlobalId>(
        &mut self,
        mut edges: ActiveEdges<'_, I, W>,
        mut owners: Owners<'_, I>,
        vertices: u64,
        run: &mut Run<'_>,
    ) -> Result<(), SolveError> {
        let (order, world) = (self.order, self.world);
        let (mut light, mut most_were_kept) = (self.light, false);
        loop {
            let count = world.reduce_one(Reduction::Sum, edges.len() as u64);
            let components = vertices - world.reduce_one(Reduction::Sum, self.forest.len() as u64);
            run.report.round(components as usize, count as usize)?;
            let mut wanted = components.saturating_mul(light) / 100;
            light = light.saturating_mul(BATCH_GROWTH);
            if most_were_kept {
                wanted = wanted.max(count / MIN_BATCH_SHARE);
            }
            let Some(pivot) = self.pivot(&edges, wanted, count, run) else {
                let batch = edges.select_if(|position| !edges.is_loop(position));
                self.rounds(batch, &mut owners, true, run)?;
                run.report.finish_rounds();
                return Ok(());
            };
            let first = self.slice.first();
            let batch = world.phase(run, "select", |_| edges.up_to(pivot, first, order));
            self.rounds(batch, &mut owners, false, run)?;
            edges = world.phase(run, "filter", |_| {
                owners.flatten();
                if let Some(giant) = owners.giant(&edges.components) {
                    edges = edges.outside(&giant);
                }
                edges.contract(&owners.labels(edges.components.iter().copied()))
            });
            most_were_kept = world.reduce_one(Reduction::Sum, edges.len() as u64) > count / 2;
        }
    }

    /// A pivot with about `wanted` of all `count` edges up to it; `None` if all edges make up the
    /// last batch. Collective.
    fn pivot<I: GlobalId>(
        &self,
        edges: &ActiveEdges<'_, I, W>,
        wanted: u64,
        count: u64,
        run: &mut Run<'_>,
    ) -> Option<Pivot> {
        if count <= self.merge_below || wanted >= count / 2 {
            return None;
        }
        let edge_at = |position: u32| Pivot {
            key: edges.key(position, self.order).to_u64(),
            id: self.slice.id(edges.position_in_slice(position)),
        };
        self.world.phase(run, "pivot", |_| {
            choose_pivot(edges.len(), edge_at, (wanted, count), self.world)
        })
    }

    /// Computes the forest of a batch without self-loops, in rounds of Borůvka's algorithm, and by
    /// a merge once few edges are left.
    fn rounds<I: GlobalId>(
        &mut self,
        mut batch: ActiveEdges<'static, I, W>,
        owners: &mut Owners<'_, I>,
        is_last: bool,
        run: &mut Run<'_>,
    ) -> Result<(), SolveError> {
        loop {
            let edges = self.world.reduce_one(Reduction::Sum, batch.len() as u64);
            if edges == 0 {
                return Ok(());
            }
            if edges <= self.merge_below {
                let mut adopted = Vec::new();
                let wanted = if is_last { None } else { Some(&mut adopted) };
                self.merge(&batch, wanted, run)?;
                owners.adopt(adopted.into_iter());
                return Ok(());
            }
            run.report.progress(0, edges as usize)?;
            // With many edges between few components, most edges of this rank are parallel to
            // others or close cycles with them.
            if batch.len() > 3 * batch.components.len() {
                batch = batch.reduced_to_forest(&batch.forest(self.order, run)?);
            }
            let round = self.world.phase(run, "round", |_| owners.round(&batch, self.order));
            self.add(&batch, &round.chosen);
            batch = self.world.phase(run, "contract", |_| batch.contract(&round.labels));
        }
    }
}
