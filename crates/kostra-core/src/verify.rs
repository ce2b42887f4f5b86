//! Deciding whether an answer is the canonical forest, without trusting any solver.
//!
//! The cycle property decides: a spanning forest is the canonical one exactly when every other edge comes after the
//! last of the forest edges on the path between its ends, in the strict order of ranks.
//!
//! Finding that last edge fast is the work. Merge the forest's edges in ascending rank, and keep each component as a
//! *line* of its vertices: merging two components puts one line after the other, and the gap between them remembers
//! the merging edge. On the final line the last edge on the path from `a` to `b` is the latest gap between the two,
//! because the gap was made when they first came together. So each question is a range maximum over gaps: one table
//! over blocks of [`BLOCK`] gaps, and running maxima inside each block, answer it in O(1).
//!
//! * Time O(k log k + n + m) for k forest edges. Memory 24 bytes a vertex.
//! * Shares no code with any solver, not even the union-find.

use thiserror::Error;

use crate::{EdgeId, Edges, Key, Vertex, Weight};

/// What [`verify`] has established.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// How many components the graph has, each spanned by one tree.
    pub components: u32,
    /// How many edges outside the forest were compared with their paths.
    pub compared: usize,
}

/// The first thing that is wrong with an answer.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
pub enum Violation {
    /// There is no such edge.
    #[error("the forest names edge {edge}, but the graph's edges are numbered below {edges}")]
    UnknownEdge {
        /// The edge.
        edge: EdgeId,
        /// How many edges the graph has.
        edges: usize,
    },
    /// An edge is listed twice, or out of order.
    #[error("the forest lists edge {edge} after edge {previous}; ids must ascend, each once")]
    NotAscending {
        /// The edge.
        edge: EdgeId,
        /// The one before it.
        previous: EdgeId,
    },
    /// An edge closes a cycle with forest edges of lower rank.
    #[error("forest edge {edge} ({u} to {v}, weight {weight}) closes a cycle with forest edges before it")]
    Cycle {
        /// The edge.
        edge: EdgeId,
        /// One end.
        u: Vertex,
        /// The other end.
        v: Vertex,
        /// The weight, as text.
        weight: String,
    },
    /// An edge joins what the forest leaves apart.
    #[error("edge {edge} ({u} to {v}) joins two trees that the forest leaves apart")]
    Missed {
        /// The edge.
        edge: EdgeId,
        /// One end.
        u: Vertex,
        /// The other end.
        v: Vertex,
    },
    /// An edge outside should replace one inside.
    #[error(
        "edge {edge} ({u} to {v}, weight {weight}) is not in the forest, but comes before edge {heaviest} \
         (weight {heaviest_weight}) on the forest's path between its ends"
    )]
    NotMinimal {
        /// The edge outside.
        edge: EdgeId,
        /// One end.
        u: Vertex,
        /// The other end.
        v: Vertex,
        /// Its weight, as text.
        weight: String,
        /// The edge inside, the last in order on the path.
        heaviest: EdgeId,
        /// Its weight, as text.
        heaviest_weight: String,
    },
}

/// Decides whether the edges `forest`, ascending, are the canonical spanning forest of `edges`.
///
/// # Errors
/// The first violation: of the list itself, then a cycle (by rank), then a missed connection or an edge that should
/// be inside (by edge id).
pub fn verify<W: Weight>(edges: Edges<'_, W>, forest: &[EdgeId]) -> Result<Certificate, Violation> {
    check_list(edges.len(), forest)?;
    let by_rank = sorted_by_rank(edges, forest);
    let line = Line::merge(edges, &by_rank)?;
    check_outside(edges, forest, &by_rank, &line)?;
    Ok(Certificate { components: line.components, compared: edges.len() - forest.len() })
}

fn sorted_by_rank<W: Weight>(edges: Edges<'_, W>, ids: &[EdgeId]) -> Vec<EdgeId> {
    let mut ranks: Vec<_> = ids.iter().map(|&id| edges.rank(id)).collect();
    ranks.sort_unstable();
    ranks.into_iter().map(W::Key::rank_id).collect()
}

fn check_list(edges: usize, forest: &[EdgeId]) -> Result<(), Violation> {
    if let Some(pair) = forest.windows(2).find(|pair| pair[0] >= pair[1]) {
        return Err(Violation::NotAscending { edge: pair[1], previous: pair[0] });
    }
    match forest.last() {
        Some(&edge) if edge as usize >= edges => Err(Violation::UnknownEdge { edge, edges }),
        _ => Ok(()),
    }
}

fn check_outside<W: Weight>(
    edges: Edges<'_, W>,
    forest: &[EdgeId],
    by_rank: &[EdgeId],
    line: &Line,
) -> Result<(), Violation> {
    let mut inside = forest.iter().copied().peekable();
    for id in edges.ids() {
        let (u, v) = edges.ends(id);
        if inside.next_if_eq(&id).is_some() || u == v {
            continue;
        }
        let Some(step) = line.meeting(u, v) else {
            return Err(Violation::Missed { edge: id, u, v });
        };
        let heaviest = by_rank[step as usize];
        if edges.rank(id) < edges.rank(heaviest) {
            let weight = |id: EdgeId| edges.weights()[id as usize].to_string();
            let (weight, heaviest_weight) = (weight(id), weight(heaviest));
            return Err(Violation::NotMinimal { edge: id, u, v, weight, heaviest, heaviest_weight });
        }
    }
    Ok(())
}

/// How many gaps share an entry of the table over blocks.
const BLOCK: usize = 32;
/// The gap between the lines of two components, which never met.
const NEVER: u32 = u32::MAX;

/// All components as lines, one after the other.
struct Line {
    /// Where each vertex stands.
    positions: Vec<u32>,
    /// When the vertices at `i` and `i + 1` came together: a step of the merge, or [`NEVER`].
    gaps: Vec<u32>,
    /// The latest gap from the start of its block up to each gap.
    from_start: Vec<u32>,
    /// The latest gap from each gap up to the end of its block.
    to_end: Vec<u32>,
    /// `table[k][b]`: the latest gap in the `2^k` blocks from `b`.
    table: Vec<Vec<u32>>,
    components: u32,
}

impl Line {
    /// Merges the components along edges of ascending rank.
    fn merge<W: Weight>(edges: Edges<'_, W>, by_rank: &[EdgeId]) -> Result<Self, Violation> {
        let n = edges.vertices() as usize;
        let mut parents: Vec<Vertex> = (0..edges.vertices()).collect();
        // A component's line is linked from its root to `last[root]`; the root is its first vertex.
        let mut last = parents.clone();
        let mut next = vec![Vertex::MAX; n];
        let mut met = vec![NEVER; n];
        for (step, &id) in by_rank.iter().enumerate() {
            let (u, v) = edges.ends(id);
            let (first, second) = (root(&mut parents, u), root(&mut parents, v));
            if first == second {
                let weight = edges.weights()[id as usize].to_string();
                return Err(Violation::Cycle { edge: id, u, v, weight });
            }
            let joint = last[first as usize] as usize;
            next[joint] = second;
            met[joint] = step as u32;
            last[first as usize] = last[second as usize];
            parents[second as usize] = first;
        }
        drop(last);

        let mut positions = vec![0; n];
        let mut gaps = Vec::with_capacity(n);
        let mut components = 0;
        for start in (0..n).filter(|&start| parents[start] as usize == start) {
            components += 1;
            let mut vertex = start as Vertex;
            while vertex != Vertex::MAX {
                positions[vertex as usize] = gaps.len() as u32;
                gaps.push(met[vertex as usize]);
                vertex = next[vertex as usize];
            }
        }
        Ok(Self::index(positions, gaps, components))
    }

    fn index(positions: Vec<u32>, gaps: Vec<u32>, components: u32) -> Self {
        let (mut from_start, mut to_end) = (gaps.clone(), gaps.clone());
        let mut blocks = Vec::with_capacity(gaps.len().div_ceil(BLOCK));
        for (forward, backward) in from_start.chunks_mut(BLOCK).zip(to_end.chunks_mut(BLOCK)) {
            for i in 1..forward.len() {
                forward[i] = forward[i].max(forward[i - 1]);
            }
            for i in (1..backward.len()).rev() {
                backward[i - 1] = backward[i - 1].max(backward[i]);
            }
            blocks.push(backward[0]);
        }
        let mut table = vec![blocks];
        let mut width = 1;
        while 2 * width <= table[0].len() {
            let narrow = &table[table.len() - 1];
            let wide = narrow.iter().zip(&narrow[width..]).map(|(&a, &b)| a.max(b)).collect();
            table.push(wide);
            width *= 2;
        }
        Self { positions, gaps, from_start, to_end, table, components }
    }

    /// The step at which two different vertices came together, or none if they never did.
    fn meeting(&self, u: Vertex, v: Vertex) -> Option<u32> {
        let (a, b) = (self.positions[u as usize] as usize, self.positions[v as usize] as usize);
        // The gaps between positions a and b are those from the lower up to, not including, the higher.
        let (first, last) = (a.min(b), a.max(b) - 1);
        let (first_block, last_block) = (first / BLOCK, last / BLOCK);
        let step = if first_block == last_block {
            self.gaps[first..=last].iter().copied().fold(0, u32::max)
        } else {
            let ends = self.to_end[first].max(self.from_start[last]);
            let between = last_block - first_block - 1;
            if between == 0 {
                ends
            } else {
                let level = &self.table[between.ilog2() as usize];
                ends.max(level[first_block + 1]).max(level[last_block - (1 << between.ilog2())])
            }
        };
        (step != NEVER).then_some(step)
    }
}

/// The root of a vertex's tree, with path halving. The line's first vertex must stay the root, so trees are hung
/// without regard to size; halving alone keeps that O(log n) amortized.
fn root(parents: &mut [Vertex], mut vertex: Vertex) -> Vertex {
    while parents[vertex as usize] != vertex {
        let grandparent = parents[parents[vertex as usize] as usize];
        parents[vertex as usize] = grandparent;
        vertex = grandparent;
    }
    vertex
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EdgeList, Order};

    /// A square 0-1-2-3 with a diagonal 0-2, and an isolated vertex.
    fn square() -> EdgeList<i32> {
        EdgeList::new(5, vec![0, 1, 2, 3, 0], vec![1, 2, 3, 0, 2], vec![1, 2, 3, 4, 2]).unwrap()
    }

    fn check(graph: &EdgeList<i32>, forest: &[EdgeId]) -> Result<Certificate, Violation> {
        verify(graph.edges(Order::Minimum), forest)
    }

    #[test]
    fn the_canonical_forest_passes() {
        assert_eq!(check(&square(), &[0, 1, 2]), Ok(Certificate { components: 2, compared: 2 }));
    }

    #[test]
    fn the_maximum_forest_is_judged_by_its_own_order() {
        let graph = square();
        assert!(verify(graph.edges(Order::Maximum), &[1, 2, 3]).is_ok());
        assert!(verify(graph.edges(Order::Maximum), &[0, 1, 2]).is_err());
    }

    #[test]
    fn a_tie_resolved_against_the_lower_id_is_found() {
        let violation = check(&square(), &[0, 2, 4]).unwrap_err();
        assert!(matches!(violation, Violation::NotMinimal { edge: 1, heaviest: 4, .. }), "{violation}");
        assert_eq!(
            violation.to_string(),
            "edge 1 (1 to 2, weight 2) is not in the forest, but comes before edge 4 (weight 2) \
             on the forest's path between its ends"
        );
    }

    #[test]
    fn cycles_gaps_and_bad_lists_are_named() {
        let graph = square();
        assert!(matches!(check(&graph, &[0, 1, 4]), Err(Violation::Cycle { edge: 4, u: 0, v: 2, .. })));
        assert_eq!(check(&graph, &[0, 1]), Err(Violation::Missed { edge: 2, u: 2, v: 3 }));
        assert_eq!(check(&graph, &[0, 1, 5]), Err(Violation::UnknownEdge { edge: 5, edges: 5 }));
        assert_eq!(check(&graph, &[0, 1, 1]), Err(Violation::NotAscending { edge: 1, previous: 1 }));
    }

    #[test]
    fn a_self_loop_in_the_forest_is_a_cycle() {
        let graph = EdgeList::new(2, vec![0, 1], vec![1, 1], vec![1, -1]).unwrap();
        assert!(check(&graph, &[0]).is_ok());
        assert!(matches!(check(&graph, &[0, 1]), Err(Violation::Cycle { edge: 1, .. })));
    }

    #[test]
    fn nothing_is_a_forest_of_nothing() {
        let graph = EdgeList::<i32>::new(0, vec![], vec![], vec![]).unwrap();
        assert_eq!(check(&graph, &[]), Ok(Certificate { components: 0, compared: 0 }));
    }

    /// Paths longer than many blocks: the last edge on the path is found at every distance.
    #[test]
    fn meetings_on_a_long_line_are_the_latest_gap_between() {
        let n = if cfg!(miri) { 70 } else { 400 };
        let weights: Vec<u32> = (0..n - 1).map(|i: u32| i.wrapping_mul(2_654_435_761) >> 7).collect();
        let graph =
            EdgeList::new(n as usize, (0..n - 1).collect::<Vec<_>>(), (1..n).collect::<Vec<_>>(), weights)
                .unwrap();
        let edges = graph.edges(Order::Minimum);
        let by_rank = sorted_by_rank(edges, &edges.ids().collect::<Vec<_>>());
        let line = Line::merge(edges, &by_rank).unwrap();
        for a in 0..n {
            let mut heaviest = a;
            for b in a + 1..n {
                heaviest = std::cmp::max_by_key(heaviest, b - 1, |&id| edges.rank(id));
                assert_eq!(
                    line.meeting(a, b).map(|step| by_rank[step as usize]),
                    Some(heaviest),
                    "{a} to {b}"
                );
            }
        }
    }
}
