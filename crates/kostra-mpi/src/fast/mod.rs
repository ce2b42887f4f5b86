//! For one rank to thousands: what a rank can decide alone first, then light edges between all,
//! then what they leave.
//!
//! * With one rank this is the engine for one machine on the slice as it is; and ranks that share a
//!   machine go [`together`].
//! * A rank first settles what no other has a say in ([`sharing`]): where its edges are neighbours,
//!   as on roads and grids, that is nearly all, and what is left is a forest on the vertices that
//!   ranks share.
//! * What little is left, or what few ranks have left, is merged along a tree of ranks ([`tree`]).
//! * Many edges on many ranks go in bands, as they do on one machine: a [`pivot`] from a sample
//!   chooses the light ones, rounds of Borůvka's algorithm take those ([`owners`]), and of the rest
//!   only edges between the components that are there then go on (cycle property).
//! * Edges stay on the rank that has them; messages tell of components. On several machines no rank
//!   needs memory for more than its slice, its share of the vertices, the vertices that its edges
//!   end at, a bit for each vertex where one component is large, and at rank 0 the few edges that
//!   are merged. On one machine rank 0 has all edges.
//! * Source: this project. Filtering by a pivot follows Osipov, Sanders & Singler 2009, and, like
//!   pointer doubling between owners and the grid of messages, is in Sanders & Schimek 2023 too.
//!   `docs/algorithms/mpi-fast.md` tells the whole story, and what it costs.
//! * Exact. Threads within a rank for its own forests.

mod name;
mod owners;
mod part;
mod pivot;
mod sharing;
mod together;
mod tree;

use kostra_core::{
    EdgeSet, Key, Order, Platform, Representation, Run, SolveError, SolverInfo, SolverOption,
    Weight,
};

use self::name::{Blocks, Name};
use self::owners::Owners;
use self::part::Part;
use self::pivot::{Pivot, pivot};
use self::sharing::{Sharing, sharing, shrink};
use crate::solver::Shape;
use crate::{Communicator, DistributedAlgorithm, Reduction, Slice};

/// What a rank can decide alone, then light edges, then the rest.
pub(crate) struct Fast;

const MERGE_BELOW: SolverOption = SolverOption {
    name: "merge_below",
    about: "how many edges of all ranks are few enough to be merged along a tree; 2 or 3 ranks: a thousand times as many",
    default: 1 << 18,
    lowest: 0,
    highest: 1 << 40,
};

const LIGHT: SolverOption = SolverOption {
    name: "light",
    about: "how many edges for each component the first band has, in percent; each later one has three times as many",
    default: 100,
    lowest: 1,
    highest: 10_000,
};

const TOGETHER: SolverOption = SolverOption {
    name: "together",
    about: "from how many edges of all ranks on, where these are all on one machine, one solves on the threads of all",
    default: 1 << 14,
    lowest: 0,
    highest: 1 << 40,
};

/// From so many edges a vertex on a slice is thinned out to its forest before others see it.
const DENSE: u64 = 8;

impl DistributedAlgorithm for Fast {
    const INFO: SolverInfo = SolverInfo {
        id: "mpi-fast",
        title: "What a rank can decide alone, then light edges, then the rest",
        source: "this project; after Osipov, Sanders & Singler 2009 and Sanders & Schimek 2023",
        platform: Platform::Mpi,
        representation: Representation::EdgeList,
        exact: true,
        time: "O((m + n log n) / p) expected, and O(log n log p) messages after each other",
        scratch: "24 bytes an edge of the slice (on one machine: of all, at rank 0), 40 a vertex of it, 16 a vertex owned",
        options: &[MERGE_BELOW, LIGHT, TOGETHER],
    };

    fn admit(&self, shape: Shape) -> Result<(), SolveError> {
        if Blocks::new(shape.vertices, shape.ranks).is_some() {
            return Ok(());
        }
        let cost = format!("more than 2^32 of {} vertices on one rank", shape.vertices);
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
            return world.phase(run, "local", |run| kostra_cpu::forest(slice.graph(), order, run));
        }
        if let Some(forest) = together::solve(slice, order, run.option(&TOGETHER), world, run)? {
            return Ok(forest);
        }
        if slice.vertices() <= 1 << 32 {
            solve::<u32, W>(slice, order, world, run)
        } else {
            solve::<u64, W>(slice, order, world, run)
        }
    }
}

/// What is the same throughout a solve.
struct Job<'a, W: Weight> {
    slice: &'a Slice<W>,
    order: Order,
    world: &'a Communicator,
    /// How many edges are few enough to be merged.
    few: u64,
    /// How many edges for each component the first band has, in percent.
    light: u64,
}

/// Several ranks.
fn solve<N: Name, W: Weight>(
    slice: &Slice<W>,
    order: Order,
    world: &Communicator,
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    let Some(blocks) = Blocks::new(slice.vertices(), world.size()) else {
        unreachable!("so many vertices are not admitted")
    };
    let few = run.option(&MERGE_BELOW) << if world.size() < 4 { 10 } else { 0 };
    let job = Job { slice, order, world, few, light: run.option(&LIGHT) };
    let mut forest = EdgeSet::new(slice.len());

    let sharing = world.phase(run, "share", |_| sharing(slice, blocks, world));
    let components = world.reduce_one(Reduction::Sum, sharing.owned);
    let part =
        world.phase(run, "local", |run| job.settle_alone::<N>(&sharing, &mut forest, run))?;
    drop(sharing);
    if world.reduce_one(Reduction::Sum, part.len() as u64) <= job.few {
        job.merge(&part, None, &mut forest, run)?;
    } else {
        job.bands(part, blocks, components, &mut forest, run)?;
    }
    Ok(forest)
}

impl<W: Weight> Job<'_, W> {
    /// What this rank can do without the others: settle what it need not share, or at least thin
    /// out many edges to a forest; or nothing, where that would leave most of them.
    fn settle_alone<N: Name>(
        &self,
        sharing: &Sharing,
        forest: &mut EdgeSet,
        run: &mut Run<'_>,
    ) -> Result<Part<'_, N, W>, SolveError> {
        let slice = self.slice;
        if sharing.shared.is_empty() {
            *forest = kostra_cpu::forest(slice.graph(), self.order, run)?;
            return Ok(Part::none());
        }
        if sharing.shared.len() < sharing.here / 2 && slice.edges().vertices() < kostra_cpu::MANY {
            return shrink(slice, &sharing.shared, self.order, forest, run);
        }
        let is_dense = slice.len() as u64 / DENSE >= sharing.here as u64;
        if !is_dense && self.world.size() > 3 {
            return Ok(Part::of(slice));
        }
        Ok(Part::of(slice)
            .thinned_to(&kostra_cpu::forest(slice.graph(), self.order, run)?.into_ids()))
    }

    /// Merges what is left along the tree.
    fn merge<N: Name>(
        &self,
        part: &Part<'_, N, W>,
        adopted: Option<&mut Vec<(N, N)>>,
        forest: &mut EdgeSet,
        run: &mut Run<'_>,
    ) -> Result<(), SolveError> {
        let (order, world) = (self.order, self.world);
        let chosen =
            world.phase(run, "merge", |run| tree::merge(part, order, adopted, world, run))?;
        choose(part, &chosen, forest);
        Ok(())
    }

    /// Band after band of light edges; after each, edges between components are all that goes on.
    fn bands<N: Name>(
        &self,
        part: Part<'_, N, W>,
        blocks: Blocks,
        vertices: u64,
        forest: &mut EdgeSet,
        run: &mut Run<'_>,
    ) -> Result<(), SolveError> {
        let (order, world) = (self.order, self.world);
        let mut owners = Owners::new(blocks, world);
        let (mut part, mut light, mut most_were_kept) = (part, self.light, false);
        loop {
            let edges = world.reduce_one(Reduction::Sum, part.len() as u64);
            let components = vertices - world.reduce_one(Reduction::Sum, forest.len() as u64);
            run.round(components as usize, edges as usize)?;
            let mut wanted = components.saturating_mul(light) / 100;
            // Later components are small, beside a large one: most edges left join two that others
            // join too.
            light = light.saturating_mul(3);
            if most_were_kept {
                wanted = wanted.max(edges / 8);
            }
            let pivot = (edges > self.few && wanted < edges / 2)
                .then(|| {
                    let at = |place: u32| Pivot {
                        key: part.key(place, order).to_u64(),
                        id: self.slice.id(part.position(place)),
                    };
                    world.phase(run, "pivot", |_| pivot(part.len(), at, (wanted, edges), world))
                })
                .flatten();
            let Some(pivot) = pivot else {
                let light = part.these(&part.places(|place| !part.is_loop(place)));
                return self.rounds(light, &mut owners, true, forest, run);
            };
            let band = world.phase(run, "select", |_| {
                let places = part.up_to(pivot, self.slice.first(), order);
                part.these(
                    &places.into_iter().filter(|&place| !part.is_loop(place)).collect::<Vec<_>>(),
                )
            });
            self.rounds(band, &mut owners, false, forest, run)?;
            part = world.phase(run, "filter", |_| {
                owners.flatten();
                if let Some(giant) = owners.giant(&part.names) {
                    part = part.outside(&giant);
                }
                part.contract(&owners.labels(part.names.iter().copied()))
            });
            most_were_kept = world.reduce_one(Reduction::Sum, part.len() as u64) > edges / 2;
        }
    }

    /// The forest of light edges without loops: rounds while they are many.
    fn rounds<N: Name>(
        &self,
        light: Part<'static, N, W>,
        owners: &mut Owners<'_, N>,
        is_last: bool,
        forest: &mut EdgeSet,
        run: &mut Run<'_>,
    ) -> Result<(), SolveError> {
        let mut light = light;
        loop {
            let edges = self.world.reduce_one(Reduction::Sum, light.len() as u64);
            if edges == 0 {
                return Ok(());
            }
            if edges <= self.few {
                let mut adopted = Vec::new();
                let wanted = if is_last { None } else { Some(&mut adopted) };
                self.merge(&light, wanted, forest, run)?;
                owners.adopt(adopted.into_iter());
                return Ok(());
            }
            run.progress(0, edges as usize)?;
            // Many edges between few components: most are parallel to others, or close cycles right
            // here.
            if light.len() > 3 * light.names.len() {
                light = light.thinned_to(&light.forest(self.order, run)?);
            }
            let round = self.world.phase(run, "round", |_| owners.round(&light, self.order));
            choose(&light, &round.chosen, forest);
            light = self.world.phase(run, "contract", |_| light.contract(&round.labels));
        }
    }
}

/// Marks the edges of a part at these places.
fn choose<N: Name, W: Weight>(part: &Part<'_, N, W>, places: &[u32], forest: &mut EdgeSet) {
    for &place in places {
        forest.insert(part.position(place));
    }
}
