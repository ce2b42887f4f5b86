//! Balance for partitions that another partitioner has found.

use kostra_core::Run;
use kostra_core::random::RandomStream;
use kostra_parallel::with_observed_team;

use crate::refine::{State, enforce};
use crate::{Partition, PartitionError, WeightedGraph, limit};

/// Brings every part within the [`limit`], and gives every part a vertex. Moves the vertices that
/// raise the cut least. A partition that fulfils both is returned unchanged, in O(n + k).
///
/// # Errors
/// When the partition is of another number of vertices or has more parts than vertices, the
/// imbalance is negative or not a number, or the observer cancels the run.
pub fn enforce_limit(
    graph: &WeightedGraph,
    partition: Partition,
    imbalance: f64,
    run: &mut Run<'_>,
) -> Result<Partition, PartitionError> {
    let parts = partition.count();
    crate::Options { parts, imbalance, ..Default::default() }.check(graph)?;
    if partition.vertices() != graph.vertices() {
        return Err(PartitionError::WrongLength {
            array: "the partition",
            found: partition.vertices() as usize,
            expected: graph.vertices() as usize,
        });
    }
    let limit = limit(graph, parts, imbalance);
    if is_within(graph, &partition, limit) {
        return Ok(partition);
    }
    with_observed_team(run, run.request.threads(), |team, _| {
        let mut state = State::new(graph, partition.into_parts(), (parts, limit));
        enforce(&mut state, RandomStream::new(0), team);
        Ok(Partition::of_checked(state.parts, parts))
    })
}

/// Whether no part exceeds the limit, and none is empty.
fn is_within(graph: &WeightedGraph, partition: &Partition, limit: i64) -> bool {
    let parts = partition.count() as usize;
    let (mut weights, mut sizes) = (vec![0_i64; parts], vec![0_u32; parts]);
    for (&part, &weight) in partition.parts().iter().zip(graph.vertex_weights()) {
        weights[part as usize] += weight;
        sizes[part as usize] += 1;
    }
    weights.iter().all(|&weight| weight <= limit) && sizes.iter().all(|&size| size > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overloaded_and_empty_parts_are_relieved_and_others_stay() {
        let ends: Vec<u32> = (0..100).collect();
        let path = WeightedGraph::from_edges(100, &ends[..99], &ends[1..], None).unwrap();
        let enforced = |parts: Vec<u32>| {
            let partition = Partition::new(parts, 4).unwrap();
            enforce_limit(&path, partition, 0.03, &mut Run::new())
        };
        let within = limit(&path, 4, 0.03);
        let relieved = enforced(vec![2; 100]).unwrap();
        assert!(is_within(&path, &relieved, within));
        let ranges: Vec<u32> = (0..100).map(|v| v / 25).collect();
        assert_eq!(enforced(ranges.clone()).unwrap().parts(), ranges);
        assert!(matches!(enforced(vec![0; 99]), Err(PartitionError::WrongLength { .. })));
    }
}
