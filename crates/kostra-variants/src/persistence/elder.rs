//! The elder rule: when two components meet, the younger one ends.

use kostra_core::{EdgeId, Edges, Key, OutOfMemory, Run, Vertex, memory};

use super::PersistenceError;

/// A component that meets an older one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meeting {
    /// The vertex with which the younger component starts.
    pub(super) younger: Vertex,
    /// The vertex with which the older component starts.
    pub(super) elder: Vertex,
    pub(super) edge: EdgeId,
}

/// The meetings of components in order, and the first vertices of those that remain, ascending.
///
/// `births` are keys in the encoding of the edges. No edge may be before its ends. Only edges of
/// the canonical forest join components, so the rest is left out first, on all threads. O(n log n)
/// after that.
pub(super) fn meetings<K: Key>(
    edges: Edges<'_, K>,
    births: &[K],
    run: &mut Run<'_>,
) -> Result<(Vec<Meeting>, Vec<Vertex>), PersistenceError> {
    let forest = kostra_cpu::forest_of_edges(edges, run)?.try_into_ids()?;
    let mut ranks = memory::collected(forest.into_iter().map(|id| edges.rank(id)))?;
    ranks.sort_unstable();
    let mut components = Components::new(births)?;
    let mut meetings = memory::with_capacity(ranks.len())?;
    for edge in ranks.into_iter().map(K::rank_id) {
        let (u, v) = edges.ends(edge);
        let (u, v) = (components.eldest(u), components.eldest(v));
        let (elder, younger) = if components.is_elder(u, v) { (u, v) } else { (v, u) };
        components.parents[younger as usize] = elder;
        meetings.push(Meeting { younger, elder, edge });
    }
    let is_first = |&vertex: &Vertex| components.parents[vertex as usize] == vertex;
    let vertices = 0..edges.vertices();
    let mut remaining = memory::with_capacity(births.len() - meetings.len())?;
    remaining.extend(vertices.filter(is_first));
    Ok((meetings, remaining))
}

/// Disjoint sets of vertices, each represented by its eldest one.
///
/// The eldest vertex must stay the root, so sets are not united by size. Halving of paths alone
/// keeps an operation in O(log n), amortized (Tarjan & van Leeuwen 1984).
struct Components<'a, K> {
    births: &'a [K],
    parents: Vec<Vertex>,
}

impl<'a, K: Key> Components<'a, K> {
    fn new(births: &'a [K]) -> Result<Self, OutOfMemory> {
        Ok(Self { births, parents: memory::collected(0..births.len() as Vertex)? })
    }

    fn eldest(&mut self, mut vertex: Vertex) -> Vertex {
        loop {
            let parent = self.parents[vertex as usize];
            if parent == vertex {
                return vertex;
            }
            let above = self.parents[parent as usize];
            self.parents[vertex as usize] = above;
            vertex = above;
        }
    }

    fn is_elder(&self, one: Vertex, other: Vertex) -> bool {
        (self.births[one as usize], one) < (self.births[other as usize], other)
    }
}
