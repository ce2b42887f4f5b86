//! Multilevel bisection: the best of several bisections of a small graph, refined on each level.

use kostra_core::random::RandomStream;
use kostra_parallel::with_team;

use super::Goal;
use super::grow;
use crate::coarsen::{Aim, Scheme, coarsen};
use crate::two_way::TwoWay;
use crate::{PartitionError, WeightedGraph};

/// The number of vertices of the smallest graph: small enough to bisect it many times.
const SMALLEST: u32 = 64;
/// A coarse vertex has at most this share of the weight of a side, so that sides can be balanced.
const HEAVIEST_SHARE: i64 = 12;

/// The greatest weight of a cluster, as a multiple of the mean weight of a vertex.
const CLUSTER_SHARE: i64 = 4;

/// The side of each vertex, 0 or 1. Runs on the calling thread.
pub(super) fn bisect(
    graph: &WeightedGraph,
    goal: Goal,
    stream: RandomStream,
) -> Result<Vec<u8>, PartitionError> {
    let side = goal.limits[0].min(goal.limits[1]);
    let aim = Aim {
        vertices: SMALLEST,
        greatest_weight: (side / HEAVIEST_SHARE).max(1),
        scheme: Scheme::HeavyEdges { share: CLUSTER_SHARE },
    };
    let levels = with_team(1, |team| coarsen(graph, aim, None, stream, team))?;
    let coarsest = levels.last().map_or(graph, |level| &level.graph);
    let mut sides = best_of(coarsest, goal, stream).into_sides();
    for index in (0..levels.len()).rev() {
        let finer = if index == 0 { graph } else { &levels[index - 1].graph };
        let projected = levels[index].map.iter().map(|&v| sides[v as usize]).collect();
        let mut state = TwoWay::new(finer, projected, goal.limits);
        state.refine(stream.split(index as u64));
        sides = state.into_sides();
    }
    Ok(sides)
}

/// The best of several grown and refined bisections: the one with the least overload, then the
/// least cut, then the one that was found first.
pub(super) fn best_of<'a>(
    graph: &'a WeightedGraph,
    goal: Goal,
    stream: RandomStream,
) -> TwoWay<'a> {
    let attempt = |attempt: u64| {
        let stream = stream.split(u64::MAX - attempt);
        let mut state = grow::grow(graph, goal, stream);
        state.refine(stream);
        state
    };
    let others = (1..goal.attempts).map(attempt);
    others.fold(attempt(0), |best, other| {
        let quality = |state: &TwoWay<'_>| (state.overload(), state.cut());
        if quality(&other) < quality(&best) { other } else { best }
    })
}
