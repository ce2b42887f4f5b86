//! What a member does in a round, and how all members do it at once.

use std::time::{Duration, Instant};

use kostra_core::{EdgeId, EdgeSet, Key, SolveError, Vertex};
use kostra_parallel::for_each_mut;

/// No vertex, and no edge.
pub(super) const NONE: u32 = u32::MAX;

/// The rows of a block of vertices.
#[derive(Clone, Debug, Default)]
pub(super) struct OwnRows<K: Key> {
    /// The first vertex of the block.
    pub(super) begin: Vertex,
    /// The first entry of each row, and the number of entries.
    pub(super) first_edge: Vec<u32>,
    pub(super) neighbors: Vec<Vertex>,
    pub(super) keys: Vec<K>,
    pub(super) ids: Vec<EdgeId>,
}

/// Edges of the contracted graph, in any order.
#[derive(Clone, Debug, Default)]
pub(super) struct Listed<K: Key> {
    pub(super) from: Vec<Vertex>,
    pub(super) to: Vec<Vertex>,
    pub(super) keys: Vec<K>,
    pub(super) ids: Vec<EdgeId>,
}

impl<K: Key> Listed<K> {
    pub(super) fn append(&mut self, other: &Self) {
        self.from.extend_from_slice(&other.from);
        self.to.extend_from_slice(&other.to);
        self.keys.extend_from_slice(&other.keys);
        self.ids.extend_from_slice(&other.ids);
    }
}

/// Where a member's edges of the contracted graph go.
pub(super) struct Destinations<'a> {
    /// The first new vertex of each member, and the number of new vertices.
    pub(super) starts: &'a [Vertex],
    /// The number of this member's edges for each member.
    pub(super) sizes: &'a [u32],
    /// The number of this member.
    pub(super) own: usize,
}

impl Destinations<'_> {
    /// The place of the first edge for each member in a list of all.
    pub(super) fn places(&self) -> Vec<u32> {
        let before = |sum: &mut u32, &size: &u32| Some(std::mem::replace(sum, *sum + size));
        self.sizes.iter().scan(0, before).collect()
    }
}

/// The rows that a member gets.
pub(super) struct NewRows<'a, K: Key> {
    pub(super) begin: Vertex,
    /// The first entry of each row, and the number of entries.
    pub(super) first_edge: &'a [u32],
    /// The edges of other members, and for threads their own.
    pub(super) listed: Listed<K>,
}

/// A device, or the threads. Each function is a kernel of the source, on the member's own vertices.
/// What it returns is of the own vertices, and its arguments are of all vertices.
pub(super) trait Member<K: Key>: Send {
    /// Prepares the calling thread for the other functions.
    fn bind(&self) -> Result<(), SolveError> {
        Ok(())
    }

    fn take_rows(&mut self, rows: OwnRows<K>) -> Result<(), SolveError>;

    /// Algorithm 7: the other end of the minimum edge of each vertex, or [`NONE`].
    fn find_minimum_edges(&mut self) -> Result<Vec<Vertex>, SolveError>;

    /// Algorithms 8 and 9: adds edges to the forest, and returns the first colors.
    fn remove_mirrored_edges(&mut self, successor: &[Vertex]) -> Result<Vec<Vertex>, SolveError>;

    /// One sweep of Algorithm 10. Also returns whether a color has changed.
    fn propagate_colors(&mut self, color: &[Vertex]) -> Result<(Vec<Vertex>, bool), SolveError>;

    /// Algorithm 11: the number of own roots before each vertex, and of all.
    fn create_new_vertex_ids(&mut self, color: &[Vertex]) -> Result<(Vec<u32>, u32), SolveError>;

    /// Algorithm 12: the number of edges of each new vertex. `new_vertices` has the numbers of
    /// roots, and how many there are.
    fn count_new_edges(
        &mut self,
        color: &[Vertex],
        new_vertices: (&[u32], usize),
    ) -> Result<Vec<u32>, SolveError>;

    /// The first half of Algorithm 13. Returns the edges for each member. A device keeps its own.
    fn list_new_edges(
        &mut self,
        color: &[Vertex],
        new_vertex: &[u32],
        destinations: &Destinations<'_>,
    ) -> Result<Vec<Listed<K>>, SolveError>;

    /// The second half of Algorithm 13.
    fn insert_new_edges(&mut self, rows: NewRows<'_, K>) -> Result<(), SolveError>;

    /// The chosen edges.
    fn forest(self: Box<Self>) -> Result<EdgeSet, SolveError>;
}

/// All members of a solve.
pub(super) type Members<'a, K> = Vec<Box<dyn Member<K> + 'a>>;

/// Takes a step on all members at the same time. Returns the results and the times.
pub(super) fn on_all<K: Key, R: Send>(
    members: &mut Members<'_, K>,
    step: impl Fn(usize, &mut dyn Member<K>) -> Result<R, SolveError> + Sync,
) -> Result<(Vec<R>, Vec<Duration>), SolveError> {
    let mut work: Vec<_> = members.iter_mut().enumerate().map(|member| (member, None)).collect();
    for_each_mut(&mut work, |((index, member), result)| {
        let start = Instant::now();
        let done = member.bind().and_then(|()| step(*index, member.as_mut()));
        *result = Some(done.map(|done| (done, start.elapsed())));
    });
    let results: Result<Vec<_>, _> = work.into_iter().filter_map(|(_, result)| result).collect();
    Ok(results?.into_iter().unzip())
}
