//! Uniform random sets of vertex pairs, in ascending order.
//!
//! Up to a quarter of all pairs: pairs are drawn until m distinct ones exist (Batagelj & Brandes
//! 2005). The first pass draws m pairs; each later pass draws one pair per repetition. O(n + m)
//! time. Scratch memory: 4 bytes per vertex and 8 per repetition. 16 million edges on 4 million
//! vertices have about 16 repetitions.
//!
//! More pairs: one scan over all pairs takes each with the probability that gives exactly m pairs
//! (selection sampling: Fan, Muller & Rezucha 1962, Knuth's Algorithm S). O(m) time, because it
//! skips few pairs. No scratch memory.

use kostra_core::Vertex;

use crate::allocation;
use crate::builder::{Builder, ENDS};
use crate::random;
use crate::rows::Rows;
use crate::share::Share;
use crate::weights::Weights;
use crate::{Generated, SpecError};

/// The number of pairs of `n` vertices.
pub(crate) fn pairs(vertices: u64) -> u128 {
    u128::from(vertices) * u128::from(vertices.saturating_sub(1)) / 2
}

/// A simple graph with exactly `edges` edges, ascending by `(u, v)`. All such graphs are equally
/// likely.
///
/// `edges` must be at most the number of all pairs.
pub(crate) fn uniform(
    vertices: u64,
    edges: u64,
    weights: Weights,
    seed: u64,
    share: Share<'_>,
) -> Result<Generated, SpecError> {
    if u128::from(edges) * 4 > pairs(vertices) {
        return select(vertices, edges, weights, seed, share)?.finish(weights, seed);
    }
    let bytes = u128::from(edges) * (ENDS + weights.bytes()) as u128 + 4 * u128::from(vertices);
    allocation::check_size(vertices.into(), edges.into(), share.amount_of(bytes))?;
    let (u, v) = draw(vertices, edges, seed, share)?;
    let (first, _) = share.sum(u.len());
    Ok(Generated {
        graph: weights.graph(seed, vertices as usize, first, u, v)?,
        coordinates: None,
        first,
    })
}

/// Selection sampling, for at least a quarter of all pairs.
fn select(
    vertices: u64,
    edges: u64,
    weights: Weights,
    seed: u64,
    share: Share<'_>,
) -> Result<Builder, SpecError> {
    let mut builder = Builder::new(vertices.into(), edges.into(), weights, share)?;
    let selection = random::stream(seed, "selection");
    let (mut wanted, all) = (edges, pairs(vertices) as u64);
    let mut pair = 0;
    for u in 0..vertices as u32 {
        for v in u + 1..vertices as u32 {
            if wanted == 0 {
                return Ok(builder);
            }
            if selection.below(pair, all - pair) < wanted {
                builder.edge(u, v);
                wanted -= 1;
            }
            pair += 1;
        }
    }
    Ok(builder)
}

/// Drawing until there are `edges` distinct pairs; at most a quarter of all pairs, and below 2^32.
fn draw(
    vertices: u64,
    edges: u64,
    seed: u64,
    share: Share<'_>,
) -> Result<(Vec<Vertex>, Vec<Vertex>), SpecError> {
    let stream = random::stream(seed, "pairs");
    let pair = |index: u64| {
        let u = stream.below(2 * index, vertices);
        let other = stream.below(2 * index + 1, vertices - 1);
        let v = other + u64::from(other >= u);
        (u.min(v) as Vertex, u.max(v) as Vertex)
    };
    let own = share.rows(vertices);
    // Of the whole it is known how many there will be.
    let room = if share.is_whole() { edges as usize } else { 0 };
    let rows =
        Rows::collect((own.clone(), !share.is_whole()), edges, room, |index| Some(pair(index)))?;

    let mut late = Vec::new();
    let mut index = edges;
    loop {
        let (_, have) = share.sum(rows.len() + late.len());
        if have == edges {
            break;
        }
        // Never more than are wanting, so that no choice is left among them: that would favour some
        // pairs.
        for _ in 0..edges - have {
            let (u, v) = pair(index);
            index += 1;
            if own.contains(&u) && !rows.contains(u, v) {
                late.push((u, v));
            }
        }
        late.sort_unstable();
        late.dedup();
    }
    let (mut u, mut v) = rows.into_ends(room)?;
    merge(&mut u, &mut v, &late);
    Ok((u, v))
}

/// Merges ascending edges into ascending edges, from the back, in place.
fn merge(u: &mut Vec<Vertex>, v: &mut Vec<Vertex>, late: &[(Vertex, Vertex)]) {
    let mut left = u.len();
    let mut to = left + late.len();
    u.resize(to, 0);
    v.resize(to, 0);
    for &(late_u, late_v) in late.iter().rev() {
        while left > 0 && (u[left - 1], v[left - 1]) > (late_u, late_v) {
            (left, to) = (left - 1, to - 1);
            (u[to], v[to]) = (u[left], v[left]);
        }
        to -= 1;
        (u[to], v[to]) = (late_u, late_v);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_is_equally_likely() {
        // 3 and 9 of the 15 pairs of 6 vertices: by draws and by selection. Bounds are four
        // standard deviations.
        for (edges, expected, bound) in [(3, 1000, 113), (9, 3000, 139)] {
            let mut count = [[0_u32; 6]; 6];
            for seed in 0..5000 {
                let graph = uniform(6, edges, Weights::Equal, seed, Share::WHOLE).unwrap().graph;
                assert_eq!(graph.edges() as u64, edges);
                for (&u, &v) in graph.u().iter().zip(graph.v()) {
                    count[u as usize][v as usize] += 1;
                }
            }
            for (u, count) in count.iter().enumerate() {
                for (v, &count) in count.iter().enumerate() {
                    let expected = if u < v { expected } else { 0 };
                    assert!(count.abs_diff(expected) < bound, "{u} {v}: {count}");
                }
            }
        }
    }

    #[test]
    fn late_edges_find_their_places() {
        let (mut u, mut v) = (vec![0, 1, 3], vec![5, 2, 4]);
        merge(&mut u, &mut v, &[(0, 1), (1, 3), (7, 8)]);
        assert_eq!((u, v), (vec![0, 0, 1, 1, 3, 7], vec![1, 5, 2, 3, 4, 8]));
    }
}
