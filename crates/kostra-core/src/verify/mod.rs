//! The verifier: decides whether an answer is the canonical forest, without trusting any solver.
//!
//! The decision uses the cycle property. A spanning forest is canonical exactly when every other
//! edge has a higher rank than all forest edges on the path between its ends.
//!
//! The main task is to find the heaviest edge on a path quickly. The verifier merges components
//! along the forest's edges in ascending rank, and keeps each component as a *line* of its
//! vertices. A merge appends one line to another, and the gap between the two lines stores the
//! merging edge. On the final line, the heaviest edge on the path from `a` to `b` is the latest gap
//! between `a` and `b`, because that gap joined their components. So each query is a range maximum
//! over gaps. A table over blocks of [`BLOCK`] gaps, and running maxima inside each block, answer
//! it in O(1).
//!
//! * Time O(k log k + n log n + m) for k forest edges. Memory: 32 bytes per vertex (40 with 64-bit
//!   weights).
//! * The verifier shares only the edge list, the keys and the prefetch hint with solvers. It has no
//!   union-find, and sorts with the standard library.

mod blocks;

pub use blocks::BlockVerifier;
use thiserror::Error;

use crate::violation::Violation;
use crate::{EdgeId, Edges, Key, OutOfMemory, Vertex, memory, prefetch};

/// The result of [`verify`] for a canonical forest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// The number of components of the graph. Each is spanned by one tree.
    pub components: u32,
    /// The number of edges outside the forest, each compared with its path.
    pub compared: usize,
}

/// The reason why [`verify`] does not accept an answer.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum VerifyError {
    /// The answer is wrong.
    #[error(transparent)]
    Violation(#[from] Violation),
    /// The system refuses the memory, up to 32 bytes per vertex; nothing was decided.
    #[error("the forest cannot be verified: {0}")]
    OutOfMemory(#[from] OutOfMemory),
}

impl VerifyError {
    /// The violation, if there is a verdict.
    ///
    /// # Errors
    /// The refusal of memory, if nothing was decided.
    pub fn violation(self) -> Result<Violation, OutOfMemory> {
        match self {
            Self::Violation(violation) => Ok(violation),
            Self::OutOfMemory(refusal) => Err(refusal),
        }
    }
}

/// Decides whether the edges `forest`, ascending, are the canonical spanning forest of `edges`.
///
/// # Errors
/// The first violation: an error in the list of ids, then a cycle (by rank), then a missing or
/// wrong edge (by edge id). Or [`OutOfMemory`], when the system refuses the memory.
pub fn verify<K: Key>(edges: Edges<'_, K>, forest: &[EdgeId]) -> Result<Certificate, VerifyError> {
    check_list(edges.len(), forest)?;
    let ranks = sorted_ranks(edges, forest.iter().copied())?;
    let line = Line::merge(edges, &ranks, u64::from)?;
    check_all(edges, &ranks, &line)?;
    Ok(Certificate { components: line.components, compared: edges.len() - forest.len() })
}

fn check_list(edges: usize, forest: &[EdgeId]) -> Result<(), Violation> {
    if let Some(pair) = forest.windows(2).find(|pair| pair[0] >= pair[1]) {
        return Err(Violation::NotAscending { edge: pair[1].into(), previous: pair[0].into() });
    }
    match forest.last() {
        Some(&edge) if edge as usize >= edges => {
            Err(Violation::UnknownEdge { edge: edge.into(), edges: edges as u64 })
        }
        _ => Ok(()),
    }
}

fn sorted_ranks<K: Key>(
    edges: Edges<'_, K>,
    ids: impl ExactSizeIterator<Item = EdgeId>,
) -> Result<Vec<K::Rank>, OutOfMemory> {
    let mut ranks = memory::collected(ids.map(|id| edges.rank(id)))?;
    ranks.sort_unstable();
    Ok(ranks)
}

/// Compares every edge with the heaviest edge on its path. A forest edge is its own path, so it
/// passes without a special case.
///
/// The edges are processed in batches and in stages, so that their cache misses overlap.
fn check_all<K: Key>(edges: Edges<'_, K>, ranks: &[K::Rank], line: &Line) -> Result<(), Violation> {
    let mut positions = [(0, 0); BATCH];
    let mut meetings = [0; BATCH];
    for start in (0..edges.len()).step_by(BATCH) {
        let batch = start..edges.len().min(start + BATCH);
        for (positions, id) in positions.iter_mut().zip(batch.clone()) {
            let (u, v) = edges.ends(id as EdgeId);
            *positions = (line.positions[u as usize], line.positions[v as usize]);
        }
        for (meeting, &(a, b)) in meetings.iter_mut().zip(&positions[..batch.len()]) {
            *meeting = if a == b { SELF } else { line.meeting(a, b) };
        }
        for (&meeting, id) in meetings.iter().zip(batch) {
            if meeting != SELF {
                check(edges, id as EdgeId, ranks.get(meeting as usize))?;
            }
        }
    }
    Ok(())
}

/// Compares an edge with the heaviest edge on its path, if there is a path.
#[inline]
fn check<K: Key>(
    edges: Edges<'_, K>,
    edge: EdgeId,
    heaviest: Option<&K::Rank>,
) -> Result<(), Violation> {
    match heaviest {
        Some(&heaviest) if edges.rank(edge) >= heaviest => Ok(()),
        _ => Err(violation(edges, edge, heaviest.map(|&rank| K::rank_id(rank)))),
    }
}

#[cold]
fn violation<K: Key>(edges: Edges<'_, K>, edge: EdgeId, heaviest: Option<EdgeId>) -> Violation {
    let (u, v) = edges.ends(edge);
    let weight = |id: EdgeId| edges.weight_text(id);
    match heaviest {
        None => Violation::Missed { edge: edge.into(), u, v },
        Some(heaviest) => {
            let (weight, heaviest_weight) = (weight(edge), weight(heaviest));
            let (edge, heaviest) = (edge.into(), heaviest.into());
            Violation::NotMinimal { edge, u, v, weight, heaviest, heaviest_weight }
        }
    }
}

/// The number of gaps per entry of the table: the table then takes little memory beside the gaps.
const BLOCK: usize = 32;
/// The number of edges per batch: enough for many cache misses at once.
const BATCH: usize = 128;
/// The prefetch distance in edges: enough for a cache line to arrive from memory.
const AHEAD: usize = 16;
/// The gap between the lines of two components, which are never merged.
const NEVER: u32 = u32::MAX;
/// The step at which a vertex meets itself. No merge has this number, because a forest has fewer
/// edges.
const SELF: u32 = u32::MAX - 1;

/// The lines of all components, one after another.
struct Line {
    /// The position of each vertex.
    positions: Vec<u32>,
    /// The step that merged the vertices at positions `i` and `i + 1`, or [`NEVER`].
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
    /// Merges the components along edges of ascending rank. `name` returns the id of an edge in the
    /// input.
    fn merge<K: Key>(
        edges: Edges<'_, K>,
        ranks: &[K::Rank],
        name: impl Fn(EdgeId) -> u64,
    ) -> Result<Self, VerifyError> {
        let id = |rank| K::rank_id(rank);
        let mut lines = Lines::new(edges.vertices())?;
        for (step, &rank) in ranks.iter().enumerate() {
            // The ends have random positions in memory: prefetch the ends of later edges, and the
            // data of these ends.
            if let Some(&rank) = ranks.get(step + 2 * AHEAD) {
                prefetch(edges.u(), id(rank) as usize);
                prefetch(edges.v(), id(rank) as usize);
            }
            if let Some(&rank) = ranks.get(step + AHEAD) {
                let (u, v) = edges.ends(id(rank));
                prefetch(&lines.0, u as usize);
                prefetch(&lines.0, v as usize);
            }
            let (u, v) = edges.ends(id(rank));
            if !lines.append(u, v, step as u32) {
                let weight = edges.weight_text(id(rank));
                return Err(Violation::Cycle { edge: name(id(rank)), u, v, weight }.into());
            }
        }
        Ok(lines.join()?)
    }

    fn index(positions: Vec<u32>, gaps: Vec<u32>, components: u32) -> Result<Self, OutOfMemory> {
        let (mut from_start, mut to_end) = (memory::copied(&gaps)?, memory::copied(&gaps)?);
        let mut blocks = memory::with_capacity(gaps.len().div_ceil(BLOCK))?;
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
            table.push(memory::collected(
                narrow.iter().zip(&narrow[width..]).map(|(&a, &b)| a.max(b)),
            )?);
            width *= 2;
        }
        Ok(Self { positions, gaps, from_start, to_end, table, components })
    }

    /// The step that merged the vertices at two different positions, or [`NEVER`].
    #[inline]
    fn meeting(&self, a: u32, b: u32) -> u32 {
        // The gaps between two positions are those from the lower up to, not including, the higher.
        let (first, last) = (a.min(b) as usize, a.max(b) as usize - 1);
        let (first_block, last_block) = (first / BLOCK, last / BLOCK);
        if first_block == last_block {
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
        }
    }
}

/// The lines of components while they grow. The vertices of a line form a tree whose root is the
/// first vertex. Every vertex stores its distance from its parent on the line, so appending a line
/// of any length changes one vertex.
struct Lines(Vec<LinePosition>);

/// The place of a vertex on its line.
#[derive(Clone, Copy)]
struct LinePosition {
    parent: Vertex,
    /// The distance from the parent on the line.
    behind: u32,
    /// The length of the line that starts with this vertex, now or when it was appended.
    length: u32,
    /// The step that appended that line to another line.
    appended: u32,
}

impl Lines {
    fn new(vertices: u32) -> Result<Self, OutOfMemory> {
        let alone = |parent| LinePosition { parent, behind: 0, length: 1, appended: NEVER };
        memory::collected((0..vertices).map(alone)).map(Self)
    }

    fn place(&mut self, vertex: Vertex) -> &mut LinePosition {
        &mut self.0[vertex as usize]
    }

    /// Appends the shorter of the lines of two vertices to the longer. Returns false if both
    /// vertices are on the same line.
    fn append(&mut self, u: Vertex, v: Vertex, step: u32) -> bool {
        let (a, b) = (self.first(u), self.first(v));
        if a == b {
            return false;
        }
        let (length_a, length_b) = (self.place(a).length, self.place(b).length);
        let (longer, shorter) = if length_a >= length_b { (a, b) } else { (b, a) };
        *self.place(shorter) = LinePosition {
            parent: longer,
            behind: length_a.max(length_b),
            length: length_a.min(length_b),
            appended: step,
        };
        self.place(longer).length = length_a + length_b;
        true
    }

    /// The first vertex of a vertex's line. Halves the path that it follows.
    fn first(&mut self, mut vertex: Vertex) -> Vertex {
        loop {
            let parent = self.place(vertex).parent;
            let LinePosition { parent: grandparent, behind, .. } = *self.place(parent);
            if parent == grandparent {
                return parent;
            }
            let place = self.place(vertex);
            place.parent = grandparent;
            place.behind += behind;
            vertex = grandparent;
        }
    }

    /// Joins all lines, one after another.
    fn join(mut self) -> Result<Line, OutOfMemory> {
        let n = self.0.len();
        let (mut standing, mut components) = (0, 0);
        for vertex in 0..n as Vertex {
            let place = self.place(vertex);
            if place.parent == vertex {
                // The position of a first vertex is the total length of the lines before it.
                place.behind = standing;
                standing += place.length;
                components += 1;
            }
        }
        let (mut gaps, mut positions) = (memory::filled(n, NEVER)?, memory::zeros(n)?);
        for vertex in 0..n as Vertex {
            // Repeat until the parent is the first vertex. This shortens the paths of other
            // vertices, too.
            while self.first(vertex) != self.place(vertex).parent {}
            let LinePosition { parent: first, behind, appended, .. } = *self.place(vertex);
            let position = if first == vertex { behind } else { self.place(first).behind + behind };
            positions[vertex as usize] = position;
            if first != vertex {
                gaps[position as usize - 1] = appended;
            }
        }
        drop(self); // frees its memory before the index takes more
        Line::index(positions, gaps, components)
    }
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
        match verify(graph.edges(Order::Minimum), forest) {
            Ok(certificate) => Ok(certificate),
            Err(VerifyError::Violation(violation)) => Err(violation),
            Err(refusal) => panic!("{refusal}"),
        }
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
        assert!(
            matches!(violation, Violation::NotMinimal { edge: 1, heaviest: 4, .. }),
            "{violation}"
        );
        assert_eq!(
            violation.to_string(),
            "edge 1 (1 to 2, weight 2) is not in the forest, but comes before edge 4 (weight 2) \
             on the forest's path between its ends"
        );
    }

    #[test]
    fn cycles_gaps_and_bad_lists_are_named() {
        let graph = square();
        assert!(matches!(
            check(&graph, &[0, 1, 4]),
            Err(Violation::Cycle { edge: 4, u: 0, v: 2, .. })
        ));
        assert_eq!(check(&graph, &[0, 1]), Err(Violation::Missed { edge: 2, u: 2, v: 3 }));
        assert_eq!(check(&graph, &[0, 1, 5]), Err(Violation::UnknownEdge { edge: 5, edges: 5 }));
        assert_eq!(
            check(&graph, &[0, 1, 1]),
            Err(Violation::NotAscending { edge: 1, previous: 1 })
        );
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
        let weights: Vec<u32> =
            (0..n - 1).map(|i: u32| i.wrapping_mul(2_654_435_761) >> 7).collect();
        let graph = EdgeList::new(
            n as usize,
            (0..n - 1).collect::<Vec<_>>(),
            (1..n).collect::<Vec<_>>(),
            weights,
        )
        .unwrap();
        let edges = graph.edges(Order::Minimum);
        let ranks = sorted_ranks(edges, edges.ids()).unwrap();
        let line = Line::merge(edges, &ranks, u64::from).unwrap();
        for a in 0..n {
            let mut heaviest = a;
            for b in a + 1..n {
                heaviest = std::cmp::max_by_key(heaviest, b - 1, |&id| edges.rank(id));
                let meeting = line.meeting(line.positions[a as usize], line.positions[b as usize]);
                assert_eq!(ranks[meeting as usize], edges.rank(heaviest), "{a} to {b}");
            }
        }
    }
}
