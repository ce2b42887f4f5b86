//! The multilevel scheme: coarsen, partition the coarsest graph, and refine on every level.

use kostra_core::random::RandomStream;
use kostra_core::{Run, Vertex};
use kostra_parallel::{Team, with_observed_team, with_team};

use crate::coarsen::{Aim, Level, Scheme, coarsen};
use crate::refine::{Effort, PairEffort, State, enforce, refine, refine_pairs};
use crate::team::map_blocks;
use crate::{Options, Partition, PartitionError, Preset, WeightedGraph, initial, limit};

/// Coarsening ends at this number of vertices per part.
const COARSEST_PER_PART: u32 = 40;
/// Coarsening ends at this number of vertices, if it is more.
const COARSEST: u32 = 2000;

/// The most partitions of the coarsest graph.
const MOST_TRIES: usize = 32;
/// How often the smallest graph of a bisection is bisected.
const ATTEMPTS: u64 = 8;
/// A graph with a lower mean degree is sparse.
const SPARSE: usize = 4;

/// The shape of a graph, which decides how much each step of the scheme pays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// Few edges, such as a road network: searches are cheap.
    Sparse,
    /// Many edges at all vertices, such as a mesh.
    Dense,
    /// A few vertices have far more edges than the others.
    Hubs,
}

impl Shape {
    fn new(graph: &WeightedGraph) -> Self {
        if has_hubs(graph) {
            Self::Hubs
        } else if graph.neighbors().len() < SPARSE * graph.vertices() as usize {
            Self::Sparse
        } else {
            Self::Dense
        }
    }
}

/// What a preset means for a graph.
#[derive(Clone, Copy, Debug)]
struct Tuning {
    scheme: Scheme,
    /// The least number of partitions of the coarsest graph. The best one is taken.
    tries: usize,
    /// One entry of the coarsest graph and one depth of bisection cost as much as this number of
    /// entries of the given graph. So it limits the number of partitions of the coarsest graph.
    cost_of_try: usize,
    /// The number of further passes through the levels.
    cycles: u32,
    /// The number of passes of the refinement without a better partition.
    patience: u32,
    /// The refinement of pairs of parts.
    pairs: PairEffort,
}

impl Tuning {
    fn new(preset: Preset, shape: Shape) -> Self {
        let scheme = match shape {
            Shape::Sparse => Scheme::HeavyEdges { share: 4 },
            Shape::Dense => Scheme::HeavyEdges { share: 5 },
            Shape::Hubs => Scheme::Clusters,
        };
        let pairs = |rounds, passes, patience| PairEffort { rounds, passes, patience };
        let (quick, middle, thorough) = (pairs(1, 1, 12), pairs(2, 2, 40), pairs(3, 4, 40));
        let fast = Self { scheme, tries: 1, cost_of_try: 3, cycles: 0, patience: 2, pairs: quick };
        let eco = Self { tries: 4, cycles: 2, patience: 3, pairs: thorough, ..fast };
        match (preset, shape) {
            (Preset::Fast, Shape::Sparse) => Self { tries: 2, pairs: middle, ..fast },
            (Preset::Fast, _) => fast,
            (Preset::Eco, Shape::Sparse) => Self { cost_of_try: 1, ..eco },
            (Preset::Eco, Shape::Dense) => Self { tries: 8, cycles: 3, ..eco },
            (Preset::Eco, Shape::Hubs) => Self { tries: 2, cycles: 1, pairs: middle, ..eco },
        }
    }
}

/// Divides the vertices of a graph into `options.parts` parts of nearly equal weight, so that the
/// edges between parts have a low weight.
///
/// No part exceeds the [`limit`], and none is empty. The partition depends on the graph and the
/// options, but not on the number of threads. O((n + m) log n) time in practice; memory for about
/// three copies of the graph.
///
/// # Errors
/// When the number of parts is 0 or greater than the number of vertices, the imbalance is negative
/// or not a number, the observer cancels the run, or the system refuses the memory.
pub fn partition(
    graph: &WeightedGraph,
    options: &Options,
    run: &mut Run<'_>,
) -> Result<Partition, PartitionError> {
    partition_coarsest((graph, graph.neighbors().len()), options, run)
}

/// Partitions the coarsest graph of a multilevel scheme, as [`partition`] does. The finest graph
/// has `entries` entries in its rows. The more it has, the more partitions are tried, because the
/// rest of the scheme then takes longer.
///
/// # Errors
/// As [`partition`].
pub fn partition_coarsest(
    (graph, entries): (&WeightedGraph, usize),
    options: &Options,
    run: &mut Run<'_>,
) -> Result<Partition, PartitionError> {
    options.check(graph)?;
    let (n, k) = (graph.vertices(), options.parts);
    if k == 1 || k == n {
        return Partition::by_ranges(n, k);
    }
    with_observed_team(run, options.threads.max(1), |team, run| {
        let plan = Tuning::new(options.preset, Shape::new(graph));
        let job = Job { graph, entries, options: *options, plan, team };
        job.run(run).map(|parts| Partition::of_checked(parts, k))
    })
}

/// The work of one partition.
struct Job<'a> {
    graph: &'a WeightedGraph,
    /// The entries of the rows of the finest graph. They limit the number of tries.
    entries: usize,
    options: Options,
    plan: Tuning,
    team: &'a Team<'a>,
}

impl Job<'_> {
    fn run(&self, run: &mut Run<'_>) -> Result<Vec<u32>, PartitionError> {
        let (stream, cycles) = (RandomStream::new(self.options.seed), self.plan.cycles as usize);
        let mut parts = self.cycle(None, stream, run)?;
        if self.plan.scheme == Scheme::Clusters {
            parts = run.phase("fill by degree", |_| self.or_by_degree(parts, stream));
        }
        for cycle in 1..=cycles {
            run.report.progress(cycle, cycles + 1).map_err(PartitionError::cancelled)?;
            parts = self.cycle(Some(parts), stream.split(cycle as u64), run)?;
        }
        Ok(parts)
    }

    /// One pass through the levels, from scratch or from a partition, which coarsening keeps.
    fn cycle(
        &self,
        parts: Option<Vec<u32>>,
        stream: RandomStream,
        run: &mut Run<'_>,
    ) -> Result<Vec<u32>, PartitionError> {
        let (graph, k) = (self.graph, self.options.parts);
        let limit = limit(graph, k, self.options.imbalance);
        let aim = self.aim();
        let levels =
            run.phase("coarsen", |_| coarsen(graph, aim, parts.as_deref(), stream, self.team))?;
        let coarsest = levels.last().map_or(graph, |level| &level.graph);
        let kept = match levels.last() {
            None => parts,
            Some(level) => level.parts.clone(),
        };
        let parts = match kept {
            Some(parts) => parts,
            None => run.phase("initial partition", |_| {
                self.best_initial(coarsest, (k, limit), levels.len(), stream)
            })?,
        };
        run.phase("refine", |run| self.uncoarsen(&levels, parts, stream, run))
    }

    /// The better one of a partition and the partition that fills the parts in the order of
    /// descending degree. The second is better on graphs whose hubs are neighbors of nearly all
    /// other hubs, such as R-MAT graphs.
    fn or_by_degree(&self, parts: Vec<u32>, stream: RandomStream) -> Vec<u32> {
        let limit = limit(self.graph, self.options.parts, self.options.imbalance);
        let shape = (self.options.parts, limit);
        let state = State::new(self.graph, parts, shape);
        let mut filled = State::new(self.graph, fill_by_degree(self.graph, shape), shape);
        if filled.cut() >= state.cut() {
            return state.parts;
        }
        refine(&mut filled, self.effort(0), stream, self.team);
        enforce(&mut filled, stream, self.team);
        if filled.cut() < state.cut() { filled.parts } else { state.parts }
    }

    /// The best of several partitions of the coarsest graph. Each try is one task, as in the
    /// source's parallel k-sectioning, but the number of tries is not the number of threads.
    fn best_initial(
        &self,
        coarsest: &WeightedGraph,
        shape: (u32, i64),
        level: usize,
        stream: RandomStream,
    ) -> Result<Vec<u32>, PartitionError> {
        let tries = map_blocks(
            self.team,
            (self.tries(coarsest), 1),
            || (),
            |(), range| {
                let stream = stream.split(u64::MAX - range.start as u64);
                with_team(1, |team| {
                    let parts = initial::partition(coarsest, shape, ATTEMPTS, stream)?;
                    let mut state = State::new(coarsest, parts, shape);
                    refine(&mut state, self.effort(level), stream, team);
                    Ok(((state.overload(), state.cut()), state.parts))
                })
            },
        );
        let tries = tries.into_iter().collect::<Result<Vec<_>, PartitionError>>()?;
        let best = tries.into_iter().min_by_key(|(quality, _)| *quality);
        Ok(best.map_or_else(|| vec![0; coarsest.vertices() as usize], |(_, parts)| parts))
    }

    /// The number of partitions of the coarsest graph: as many as take a share of the time of
    /// coarsening. A partition takes time for each entry of the rows on each depth of bisection.
    fn tries(&self, coarsest: &WeightedGraph) -> usize {
        let depth = self.options.parts.ilog2().max(1) as usize;
        let one = coarsest.neighbors().len().max(1) * depth;
        let most = self.entries / one.saturating_mul(self.plan.cost_of_try);
        most.clamp(self.plan.tries, MOST_TRIES)
    }

    /// Projects a partition of the coarsest graph to each finer graph, and refines it there.
    fn uncoarsen(
        &self,
        levels: &[Level],
        parts: Vec<u32>,
        stream: RandomStream,
        run: &mut Run<'_>,
    ) -> Result<Vec<u32>, PartitionError> {
        let limit = limit(self.graph, self.options.parts, self.options.imbalance);
        let coarsest = levels.last().map_or(self.graph, |level| &level.graph);
        let mut state = State::new(coarsest, parts, (self.options.parts, limit));
        for level in (0..=levels.len()).rev() {
            run.report
                .progress(levels.len() - level, levels.len() + 1)
                .map_err(PartitionError::cancelled)?;
            if level < levels.len() {
                let finer = if level == 0 { self.graph } else { &levels[level - 1].graph };
                state = state.projected(finer, &levels[level].map, self.team);
            }
            let stream = stream.split(1 << 32 | level as u64);
            refine(&mut state, self.effort(level), stream, self.team);
            refine_pairs(&mut state, self.plan.pairs, stream, self.team);
        }
        enforce(&mut state, stream, self.team);
        Ok(state.parts)
    }

    fn effort(&self, level: usize) -> Effort {
        // The temperatures of Jet: coarse levels may search further.
        let temperature = if level == 0 { 0.25 } else { 0.75 };
        Effort { temperature, patience: self.plan.patience }
    }

    fn aim(&self) -> Aim {
        aim(self.graph, self.options.parts, self.plan.scheme)
    }
}

/// The coarsest graph of a partition into `parts` parts.
pub(crate) fn aim(graph: &WeightedGraph, parts: u32, scheme: Scheme) -> Aim {
    let vertices = COARSEST.max(parts.saturating_mul(COARSEST_PER_PART)).min(graph.vertices());
    let mean = graph.total_weight() / i64::from(vertices.max(1));
    Aim { vertices, greatest_weight: (mean + mean / 2).max(1), scheme }
}

/// The ratio of the greatest degree to the mean degree from which on a graph has hubs.
const HUB: usize = 16;

/// Whether some vertex has far more neighbors than the mean.
fn has_hubs(graph: &WeightedGraph) -> bool {
    let degrees = (0..graph.vertices()).map(|v| graph.degree(v));
    let (greatest, total) = (degrees.max().unwrap_or_default(), graph.neighbors().len());
    greatest * graph.vertices() as usize > HUB * total
}

/// Fills one part after the other up to the limit, with the vertices in the order of descending
/// degree. What is left when all parts are full goes to the last part.
fn fill_by_degree(graph: &WeightedGraph, (count, limit): (u32, i64)) -> Vec<u32> {
    let mut order: Vec<Vertex> = (0..graph.vertices()).collect();
    order.sort_by_key(|&v| std::cmp::Reverse(graph.degree(v)));
    let (mut parts, mut part, mut sum) = (vec![0; order.len()], 0, 0);
    for v in order {
        if sum + graph.weight(v) > limit && part + 1 < count {
            (part, sum) = (part + 1, 0);
        }
        parts[v as usize] = part;
        sum += graph.weight(v);
    }
    parts
}
