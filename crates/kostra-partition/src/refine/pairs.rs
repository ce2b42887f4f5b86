//! Refinement of pairs of parts by Fiduccia and Mattheyses, with a queue for each side.
//!
//! Synchronous passes do not climb far out of a local optimum. So each pair of adjacent parts is
//! refined like a bisection (Sanders & Schulz 2011): the vertices near the border
//! of the two parts may move between them, and all others are fixed. A pair's gains depend on
//! vertices of its two parts only. So pairs without a common part are independent tasks, which
//! threads share, and the result does not depend on the number of threads.

use std::collections::HashMap;

use kostra_core::Vertex;
use kostra_core::random::Stream;
use kostra_parallel::Team;

use super::state::State;
use crate::WeightedGraph;
use crate::team::map_blocks;
use crate::two_way::TwoWay;

/// The distance from the border up to which vertices may move: most searches stay closer.
const DEPTH: u32 = 6;
/// The number of vertices from which on a band grows no further, so that its arrays stay small.
const WIDEST: usize = 1 << 15;
/// The most rounds over all pairs.
const ROUNDS: u64 = 3;
/// A round that lowers the cut by less than this share is the last.
const WORTHWHILE: f64 = 0.001;

/// Refines all pairs of adjacent parts. Keeps the limit of part weights if the state does.
pub(crate) fn refine_pairs(state: &mut State<'_>, stream: Stream, team: &Team<'_>) {
    for round in 0..ROUNDS {
        let before = state.cut();
        let stream = stream.split(round);
        for pairs in independent_pairs(state) {
            let borders = borders(state);
            let found = map_blocks(
                team,
                (pairs.len(), 1),
                || (),
                |(), range| refined_pair(state, &borders, pairs[range.start], stream),
            );
            for (v, part) in found.into_iter().flatten() {
                state.shift(v, part);
            }
        }
        state.keep();
        if (before - state.cut()) as f64 <= before as f64 * WORTHWHILE {
            break;
        }
    }
}

/// The boundary vertices of each part.
fn borders(state: &State<'_>) -> Vec<Vec<Vertex>> {
    let mut borders = vec![Vec::new(); state.count()];
    for v in (0..state.graph.vertices()).filter(|&v| state.is_boundary(v)) {
        borders[state.part(v) as usize].push(v);
    }
    borders
}

/// The pairs of adjacent parts, in groups of pairs that have no part in common.
fn independent_pairs(state: &State<'_>) -> Vec<Vec<(u32, u32)>> {
    let boundary = (0..state.graph.vertices()).filter(|&v| state.is_boundary(v));
    let mut pairs: Vec<(u32, u32)> = boundary
        .flat_map(|v| state.graph.row(v).map(move |(u, _)| (state.part(v), state.part(u))))
        .filter(|(own, other)| own < other)
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    let mut groups: Vec<Vec<(u32, u32)>> = Vec::new();
    let mut used: Vec<Vec<bool>> = vec![Vec::new(); state.count()];
    for (a, b) in pairs {
        let is_free = |group: &usize| {
            [a, b].iter().all(|&part| used[part as usize].get(*group) != Some(&true))
        };
        let group = (0..groups.len()).find(is_free).unwrap_or(groups.len());
        if group == groups.len() {
            groups.push(Vec::new());
        }
        groups[group].push((a, b));
        for part in [a, b] {
            let used = &mut used[part as usize];
            used.resize(used.len().max(group + 1), false);
            used[group] = true;
        }
    }
    groups
}

/// The moves that refine the border between two parts.
fn refined_pair(
    state: &State<'_>,
    borders: &[Vec<Vertex>],
    pair: (u32, u32),
    stream: Stream,
) -> Vec<(Vertex, u32)> {
    let band = Band::between(state, borders, pair);
    let sides: Vec<u8> = band.members.iter().map(|&v| u8::from(state.part(v) == pair.1)).collect();
    let mut room = [pair.0, pair.1].map(|part| state.limit - state.weights[part as usize]);
    for (&v, &side) in band.members.iter().zip(&sides) {
        room[usize::from(side)] += state.graph.weight(v);
    }
    let fixed = band.fixed_gains(state, &sides, pair);
    let mut two_way = TwoWay::with_fixed_gains(&band.graph, sides.clone(), room, &fixed);
    two_way.refine(stream.split(u64::from(pair.0) << 32 | u64::from(pair.1)));
    let refined = two_way.into_sides();
    let changed = band.members.iter().zip(sides.iter().zip(refined));
    changed
        .filter(|(_, (old, new))| *old != new)
        .map(|(&v, (_, new))| (v, if new == 0 { pair.0 } else { pair.1 }))
        .collect()
}

/// The vertices near the border of two parts, and the graph between them.
struct Band {
    members: Vec<Vertex>,
    names: HashMap<Vertex, Vertex>,
    graph: WeightedGraph,
}

impl Band {
    /// Searches from the border, breadth first, up to [`DEPTH`] and [`WIDEST`].
    fn between(state: &State<'_>, borders: &[Vec<Vertex>], (a, b): (u32, u32)) -> Self {
        let (mut members, mut names) = (Vec::new(), HashMap::new());
        let touches =
            |v: Vertex, other: u32| state.graph.row(v).any(|(u, _)| state.part(u) == other);
        for (part, other) in [(a, b), (b, a)] {
            for &v in borders[part as usize].iter().filter(|&&v| touches(v, other)) {
                names.insert(v, members.len() as Vertex);
                members.push(v);
            }
        }
        let mut start = 0;
        for _ in 0..DEPTH {
            let end = members.len();
            for index in start..end {
                if members.len() > WIDEST {
                    break;
                }
                for (u, _) in state.graph.row(members[index]) {
                    let is_inside = state.part(u) == a || state.part(u) == b;
                    if is_inside && !names.contains_key(&u) {
                        names.insert(u, members.len() as Vertex);
                        members.push(u);
                    }
                }
            }
            start = end;
        }
        let (mut offsets, mut neighbors, mut weights) = (vec![0], Vec::new(), Vec::new());
        for &v in &members {
            for (u, weight) in state.graph.row(v) {
                if let Some(&name) = names.get(&u) {
                    neighbors.push(name);
                    weights.push(weight);
                }
            }
            offsets.push(neighbors.len());
        }
        let vertex_weights = members.iter().map(|&v| state.graph.weight(v)).collect();
        let graph = WeightedGraph::of_checked(offsets, neighbors, weights, vertex_weights);
        Self { members, names, graph }
    }

    /// The gain of each move that edges to fixed vertices of the two parts cause.
    fn fixed_gains(&self, state: &State<'_>, sides: &[u8], (a, b): (u32, u32)) -> Vec<i64> {
        let gain = |(&v, &side): (&Vertex, &u8)| {
            let own = if side == 0 { a } else { b };
            let fixed = state.graph.row(v).filter(|(u, _)| !self.names.contains_key(u));
            fixed
                .map(|(u, weight)| match state.part(u) {
                    part if part == own => -weight,
                    part if part == a || part == b => weight,
                    _ => 0,
                })
                .sum()
        };
        self.members.iter().zip(sides).map(gain).collect()
    }
}

#[cfg(test)]
mod tests {
    use kostra_parallel::with_team;

    use super::*;

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
        let refined = |threads| {
            let mut state = State::new(&graph, parts.clone(), (4, 42));
            let before = (state.overload(), state.cut());
            with_team(threads, |team| refine_pairs(&mut state, Stream::new(3), team));
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
        let groups = independent_pairs(&State::new(&graph, parts, (12, 12)));
        for group in &groups {
            let mut parts: Vec<_> = group.iter().flat_map(|&(a, b)| [a, b]).collect();
            parts.sort_unstable();
            assert!(parts.windows(2).all(|two| two[0] < two[1]), "{group:?}");
        }
        assert_eq!(groups.iter().map(Vec::len).sum::<usize>(), 3 * 3 + 2 * 4);
    }
}
