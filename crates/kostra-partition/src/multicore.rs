//! The multilevel partitioner of Manoochehri 2017, sections 4.1 and 4.2: mt-metis (LaSalle &
//! Karypis 2013).
//!
//! Workers own the vertices. They match vertices along heavy edges or at random, partition the
//! coarsest graph each for itself or in groups, and refine with a queue each. Between barriers they
//! share nothing. The number of workers is an option, so the threads that do their work do not
//! change the partition.
//!
//! `papers/manoochehri.md` lists the differences from the source. [`partition()`](crate::partition())
//! is Kostra's own scheme.

use kostra_core::Run;
use kostra_core::random::RandomStream;
use kostra_parallel::{Team, with_observed_team};

use crate::coarsen::{Level, Scheme, coarsen};
use crate::initial::SectioningJob;
use crate::multilevel::aim;
use crate::refine::{State, enforce, rebalance, refine_by_queues};
use crate::{MulticoreOptions, Partition, PartitionError, Sectioning, WeightedGraph, limit};

/// Divides the vertices of a graph into parts as [`partition()`](crate::partition()) does, by the
/// steps of Manoochehri 2017, sections 4.1 and 4.2.
///
/// No part exceeds the [`limit`], and none is empty. The partition depends on the graph and the
/// options, but not on the number of threads. O((n + m) log n) time in practice; memory for about
/// three copies of the graph, and 40 bytes per vertex.
///
/// # Errors
/// As [`partition()`](crate::partition()).
pub fn partition_multicore(
    graph: &WeightedGraph,
    options: &MulticoreOptions,
    run: &mut Run<'_>,
) -> Result<Partition, PartitionError> {
    options.partition.check(graph)?;
    let (n, k) = (graph.vertices(), options.partition.parts);
    if k == 1 || k == n {
        return Partition::by_ranges(n, k);
    }
    with_observed_team(run, options.partition.threads.max(1), |team, run| {
        let limit = limit(graph, k, options.partition.imbalance);
        let stream = RandomStream::new(options.partition.seed);
        let scheme = Multicore { graph, options, limit, stream, team };
        scheme.run(run).map(|parts| Partition::of_checked(parts, k))
    })
}

/// The work of one partition.
struct Multicore<'a> {
    graph: &'a WeightedGraph,
    options: &'a MulticoreOptions,
    /// The greatest weight of a part.
    limit: i64,
    stream: RandomStream,
    team: &'a Team<'a>,
}

impl Multicore<'_> {
    fn run(&self, run: &mut Run<'_>) -> Result<Vec<u32>, PartitionError> {
        let MulticoreOptions { workers, match_by: by, .. } = *self.options;
        let aim = aim(self.graph, self.options.partition.parts, Scheme::Matching { by, workers });
        let levels =
            run.phase("coarsen", |_| coarsen(self.graph, aim, None, self.stream, self.team))?;
        let coarsest = levels.last().map_or(self.graph, |level| &level.graph);
        let parts = run.phase("initial partition", |_| self.initial(coarsest))?;
        run.phase("refine", |run| self.uncoarsen(&levels, parts, run))
    }

    /// A partition of the coarsest graph.
    fn initial(&self, graph: &WeightedGraph) -> Result<Vec<u32>, PartitionError> {
        let job = SectioningJob {
            graph,
            shape: (self.options.partition.parts, self.limit),
            workers: self.options.workers,
            stream: self.stream.split(u64::MAX),
            team: self.team,
        };
        match self.options.sectioning {
            Sectioning::Whole => job.k_section(),
            Sectioning::InGroups => Ok(job.in_groups()),
        }
    }

    /// Projects a partition of the coarsest graph to each finer graph, and refines it there.
    fn uncoarsen(
        &self,
        levels: &[Level],
        parts: Vec<u32>,
        run: &mut Run<'_>,
    ) -> Result<Vec<u32>, PartitionError> {
        let team = self.team;
        let coarsest = levels.last().map_or(self.graph, |level| &level.graph);
        let mut state = State::new(coarsest, parts, (self.options.partition.parts, self.limit));
        for level in (0..=levels.len()).rev() {
            run.report
                .progress(levels.len() - level, levels.len() + 1)
                .map_err(PartitionError::cancelled)?;
            if level < levels.len() {
                let finer = if level == 0 { self.graph } else { &levels[level - 1].graph };
                state = state.projected(finer, &levels[level].map, team);
            }
            let stream = self.stream.split(1 << 32 | level as u64);
            if state.overload() > 0 {
                rebalance(&mut state, stream, team);
            }
            state = refine_by_queues(state, self.options.workers, stream, team);
        }
        enforce(&mut state, self.stream, team);
        Ok(state.parts)
    }
}
