//! Shortcuts inside a rank: vertices of the rank that branches connect form a piece, which acts as
//! one vertex of the algorithm.
//!
//! When a branch connects two pieces of a rank, their machines become one at once. A piece that is
//! absorbed takes over the other piece's level, fragment and state, as if Initiate had reached all
//! its vertices. Two pieces that chose the same edge become the root of the new fragment. So no
//! message runs along branches inside a rank, and a test of an edge inside a piece takes none.
//!
//! The algorithm of Gallager, Humblet and Spira runs unchanged on the pieces, because only resolved
//! branches are contracted: those over which the source would send Initiate at this moment. A piece
//! that gets absorbed has reported, so it tests no edge and waits for no report. If the other piece
//! is still searching, the basic edges of both are tested one after the other, as far as they are
//! lighter than the best edge so far.

use super::{Arc, NONE, Row, Vertices};

/// Disjoint sets of vertices. Each has a leftist heap of its vertices, by their lightest edges.
#[derive(Clone, Debug)]
pub(super) struct Pieces {
    rank: u32,
    parent: Vec<u32>,
    size: Vec<u32>,
    /// The first vertex of the heap of a piece, by the piece's root.
    heap: Vec<u32>,
    left: Vec<u32>,
    right: Vec<u32>,
    /// The number of vertices on the right spine of a heap.
    spine: Vec<u32>,
}

impl Pieces {
    /// Each vertex is a piece.
    fn new(rank: u32, rows: &[Row]) -> Self {
        let vertices = rows.len() as u32;
        let first = |(vertex, row): (u32, &Row)| if row.lightest < row.end { vertex } else { NONE };
        Self {
            rank,
            parent: (0..vertices).collect(),
            size: vec![1; rows.len()],
            heap: (0..).zip(rows).map(first).collect(),
            left: vec![NONE; rows.len()],
            right: vec![NONE; rows.len()],
            spine: vec![1; rows.len()],
        }
    }

    fn find(&mut self, mut vertex: u32) -> u32 {
        while self.parent[vertex as usize] != vertex {
            let above = self.parent[self.parent[vertex as usize] as usize];
            self.parent[vertex as usize] = above;
            vertex = above;
        }
        vertex
    }

    /// Merges two heaps. O(log n), which also bounds the depth of the recursion.
    fn merge(&mut self, one: u32, other: u32, before: &impl Fn(u32, u32) -> bool) -> u32 {
        if one == NONE || other == NONE {
            return one.min(other);
        }
        let (top, below) = if before(one, other) { (one, other) } else { (other, one) };
        let right = self.merge(self.right[top as usize], below, before);
        let left = self.left[top as usize];
        let spine = |vertex: u32| self.spine.get(vertex as usize).copied().unwrap_or_default();
        let (left, right) = if spine(left) < spine(right) { (right, left) } else { (left, right) };
        self.spine[top as usize] = spine(right) + 1;
        (self.left[top as usize], self.right[top as usize]) = (left, right);
        top
    }

    /// Moves the first vertex of a heap to its new place, or out of the heap.
    fn replace_first(&mut self, piece: u32, stays: bool, before: &impl Fn(u32, u32) -> bool) {
        let first = self.heap[piece as usize];
        let rest = self.merge(self.left[first as usize], self.right[first as usize], before);
        (self.left[first as usize], self.right[first as usize]) = (NONE, NONE);
        self.spine[first as usize] = 1;
        self.heap[piece as usize] = if stays { self.merge(rest, first, before) } else { rest };
    }
}

/// Whether the lightest edge of a vertex is before that of another one.
fn order<'a>(rows: &'a [Row], arcs: &'a [Arc]) -> impl Fn(u32, u32) -> bool + 'a {
    let lightest = |vertex: u32| arcs[rows[vertex as usize].lightest as usize].edge_rank();
    move |one, other| lightest(one) <= lightest(other)
}

impl Vertices {
    /// From now on, the vertices of `rank` that branches connect act as one.
    pub(in crate::ghs) fn with_shortcuts(mut self, rank: usize) -> Self {
        self.pieces = Some(Pieces::new(rank as u32, &self.rows));
        self
    }

    /// The vertex whose variables are those of `vertex`: itself without shortcuts, otherwise the
    /// root of its piece.
    pub(super) fn machine(&mut self, vertex: u32) -> u32 {
        self.pieces.as_mut().map_or(vertex, |pieces| pieces.find(vertex))
    }

    /// The piece at the other end of an arc, with shortcuts and if it is on this rank.
    pub(super) fn piece_beyond(&mut self, arc: u32) -> Option<u32> {
        let pieces = self.pieces.as_mut()?;
        let Arc { rank, mirror, .. } = self.arcs[arc as usize];
        (rank == pieces.rank).then(|| pieces.find(self.arcs[mirror as usize].vertex))
    }

    /// Whether both ends of an arc are in one piece.
    pub(super) fn is_inside(&mut self, arc: u32) -> bool {
        let beyond = self.piece_beyond(arc);
        beyond.is_some() && beyond == Some(self.machine(self.arcs[arc as usize].vertex))
    }

    /// The lightest basic arc of a piece that leaves it, or none. Amortized O(log n) per arc.
    pub(super) fn lightest_of_piece(&mut self, piece: u32) -> u32 {
        loop {
            let Some(pieces) = &self.pieces else { return NONE };
            let first = pieces.heap[piece as usize];
            let Some(&Row { lightest, end }) = self.rows.get(first as usize) else { return NONE };
            let mut arc = lightest;
            while arc < end && (!self.arcs[arc as usize].is_basic() || self.is_inside(arc)) {
                self.reject(arc);
                arc += 1;
            }
            if arc == lightest {
                return arc;
            }
            self.rows[first as usize].lightest = arc;
            if let Some(pieces) = &mut self.pieces {
                pieces.replace_first(piece, arc < end, &order(&self.rows, &self.arcs));
            }
        }
    }

    /// Makes two pieces one, with the variables of `piece`. No message waits at the other one.
    /// Returns the root of the new piece.
    pub(super) fn unite(&mut self, piece: u32, other: u32) -> u32 {
        let Some(pieces) = &mut self.pieces else { return piece };
        let sizes = [piece, other].map(|root| pieces.size[root as usize]);
        let (root, child) = if sizes[0] < sizes[1] { (other, piece) } else { (piece, other) };
        pieces.parent[child as usize] = root;
        pieces.size[root as usize] = sizes[0] + sizes[1];
        let heaps = [piece, other].map(|root| pieces.heap[root as usize]);
        let heap = pieces.merge(heaps[0], heaps[1], &order(&self.rows, &self.arcs));
        pieces.heap[root as usize] = heap;
        let (first, last) = {
            let other = &self.vertices[other as usize];
            (other.first_branch, other.last_branch)
        };
        let vertex = &mut self.vertices[piece as usize];
        if first != NONE {
            self.arcs[last as usize].next_branch = vertex.first_branch;
            if vertex.first_branch == NONE {
                vertex.last_branch = last;
            }
            vertex.first_branch = first;
        }
        self.vertices.swap(piece as usize, root as usize);
        root
    }

    /// The branch of a vertex or piece after `before`, or the first one, that leaves it. The
    /// branches inside a piece are taken out of its list.
    pub(super) fn next_branch(&mut self, vertex: u32, before: u32) -> u32 {
        loop {
            let next = match before {
                NONE => self.vertices[vertex as usize].first_branch,
                _ => self.arcs[before as usize].next_branch,
            };
            if next == NONE || !self.is_inside(next) {
                return next;
            }
            let after = self.arcs[next as usize].next_branch;
            match before {
                NONE => self.vertices[vertex as usize].first_branch = after,
                _ => self.arcs[before as usize].next_branch = after,
            }
            if after == NONE {
                self.vertices[vertex as usize].last_branch = before;
            }
        }
    }
}
