//! Refinement of pairs of parts by searches along their borders.
//!
//! Synchronous passes do not climb far out of a local optimum. So each pair of adjacent parts is
//! refined like a bisection (Sanders & Schulz 2011), and all other vertices are fixed. A pair's
//! gains depend on vertices of its two parts only. So pairs without a common part are independent
//! tasks, which threads share, and the result does not depend on the number of threads.

use kostra_core::Vertex;
use kostra_core::random::RandomStream;
use kostra_parallel::Team;

use super::pair_search::{Border, PairEffort, Search};
use super::state::State;
use crate::team::{BLOCK, Scratches, map_blocks};

/// A round that lowers the cut by less than this share is the last.
const WORTHWHILE: f64 = 0.001;

/// A pair of parts as one number.
fn key((low, high): (u32, u32)) -> u64 {
    u64::from(low) << 32 | u64::from(high)
}

/// Refines the pairs of adjacent parts. Does nothing while a part exceeds the limit. A later round
/// leaves out pairs of parts that the round before did not change.
pub(crate) fn refine_pairs(
    state: &mut State<'_>,
    effort: PairEffort,
    stream: RandomStream,
    team: &Team<'_>,
) {
    if state.overload() > 0 {
        return;
    }
    let searches = Scratches::new(team);
    let mut changed = vec![true; state.count()];
    for round in 0..effort.rounds {
        let before = state.cut();
        let stream = stream.split(round.into());
        let active = std::mem::replace(&mut changed, vec![false; state.count()]);
        for borders in independent(borders(state, &active, team)) {
            let found = searches.map_blocks(
                team,
                (borders.len(), 1),
                || Search::new(state.parts.len()),
                |search, range| {
                    let border = &borders[range.start];
                    let stream = stream.split(key(border.pair));
                    search.refine(state, border, effort, stream)
                },
            );
            for (v, part) in found.into_iter().flatten() {
                changed[state.part(v) as usize] = true;
                changed[part as usize] = true;
                state.shift(v, part);
            }
        }
        state.keep();
        if (before - state.cut()) as f64 <= before as f64 * WORTHWHILE {
            break;
        }
    }
}

/// The borders of all pairs of parts with at least one active part, by pair.
fn borders(state: &State<'_>, active: &[bool], team: &Team<'_>) -> Vec<Border> {
    let entries = map_blocks(team, (state.parts.len(), BLOCK), Vec::new, |seen, range| {
        entries(state, active, seen, range)
    });
    let mut entries = entries.concat();
    entries.sort_unstable();
    let pairs = entries.chunk_by(|(a, _), (b, _)| a == b);
    pairs
        .map(|entries| Border {
            pair: ((entries[0].0 >> 32) as u32, entries[0].0 as u32),
            vertices: entries.iter().map(|&(_, v)| v).collect(),
        })
        .collect()
}

/// The pairs with an active part of each vertex of a range, as numbers, with the vertex. `seen` is
/// empty before and after.
fn entries(
    state: &State<'_>,
    active: &[bool],
    seen: &mut Vec<u32>,
    range: std::ops::Range<usize>,
) -> Vec<(u64, Vertex)> {
    let mut entries = Vec::new();
    let vertices = range.start as Vertex..range.end as Vertex;
    for v in vertices.filter(|&v| state.is_boundary(v)) {
        let own = state.part(v);
        for (u, _) in state.graph.row(v) {
            let other = state.part(u);
            let is_active = active[own as usize] || active[other as usize];
            if other != own && is_active && !seen.contains(&other) {
                seen.push(other);
                entries.push((key((own.min(other), own.max(other))), v));
            }
        }
        seen.clear();
    }
    entries
}

/// The borders in groups whose pairs have no part in common.
fn independent(borders: Vec<Border>) -> Vec<Vec<Border>> {
    let count = borders.iter().map(|border| border.pair.1 as usize + 1).max().unwrap_or(0);
    let mut groups: Vec<Vec<Border>> = Vec::new();
    let mut used: Vec<Vec<bool>> = vec![Vec::new(); count];
    for border in borders {
        let parts = [border.pair.0, border.pair.1];
        let is_free = |group: &usize| {
            parts.iter().all(|&part| used[part as usize].get(*group) != Some(&true))
        };
        let group = (0..groups.len()).find(is_free).unwrap_or(groups.len());
        if group == groups.len() {
            groups.push(Vec::new());
        }
        groups[group].push(border);
        for part in parts {
            let used = &mut used[part as usize];
            used.resize(used.len().max(group + 1), false);
            used[group] = true;
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use kostra_parallel::with_team;

    use super::*;
    use crate::WeightedGraph;

    /// A grid of 12 x 12 vertices.
    fn grid() -> WeightedGraph {
        let at = |row: u32, column: u32| row * 12 + column;
        let right = (0..12).flat_map(|row| (0..11).map(move |column| (at(row, column), 1)));
        let down = (0..11).flat_map(|row| (0..12).map(move |column| (at(row, column), 12)));
        let (u, v): (Vec<_>, Vec<_>) = right.chain(down).map(|(v, step)| (v, v + step)).unzip();
        WeightedGraph::from_edges(144, &u, &v, None).expect("the vertices are in range")
    }

    #[test]
    fn ragged_borders_become_straighter_within_the_limit() {
        let graph = grid();
        let ragged = |v: u32| (v / 12 / 6) * 2 + u32::from(v % 12 + (v / 12) % 3 > 6);
        let parts: Vec<u32> = (0..144).map(ragged).collect();
        let effort = PairEffort { rounds: 3, passes: 4, patience: 40 };
        let refined = |threads| {
            let mut state = State::new(&graph, parts.clone(), (4, 42));
            let before = (state.overload(), state.cut());
            with_team(threads, |team| refine_pairs(&mut state, effort, RandomStream::new(3), team));
            let fresh = State::new(&graph, state.parts.clone(), (4, 42));
            assert_eq!((state.overload(), state.cut()), (fresh.overload(), fresh.cut()));
            assert!((state.overload(), state.cut()) < before, "{before:?}");
            state.parts
        };
        assert_eq!(refined(1), refined(3));
    }

    #[test]
    fn pairs_of_a_group_have_no_part_in_common() {
        let graph = grid();
        let parts = (0..144).map(|v| v % 12 / 3 + v / 48 * 4).collect();
        let groups = with_team(2, |team| {
            let state = State::new(&graph, parts, (12, 12));
            independent(borders(&state, &[true; 12], team))
        });
        for group in &groups {
            let mut parts: Vec<_> =
                group.iter().flat_map(|border| [border.pair.0, border.pair.1]).collect();
            parts.sort_unstable();
            assert!(parts.windows(2).all(|two| two[0] < two[1]));
        }
        assert_eq!(groups.iter().map(Vec::len).sum::<usize>(), 3 * 3 + 2 * 4);
    }
}
