//! Contracting the interior of a part of a graph, whose boundary vertices have other edges
//! elsewhere.
//!
//! This is Borůvka's algorithm, except that a component with a boundary vertex chooses no edge.
//! Every other component knows all edges that leave it, so its lightest edge is in the forest of
//! the whole graph (cut property). The rounds end when every component that an edge leaves has a
//! boundary vertex. It has only one, because a boundary component is always the root of those that
//! hook onto it.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use kostra_core::{BitSet, EdgeId, EdgeSet, Key, Vertex};

use super::labels::label_of;
use super::prefix::unpack;
use super::segment::{Segment, edge_count};
use super::state::{ById, Contraction};

/// What is certain about the edges of a part of a graph.
#[derive(Debug)]
pub struct InteriorContraction {
    /// Edges of the forest of the whole graph, whatever other edges the boundary vertices have.
    pub forest: EdgeSet,
    /// The edges that may be in the forest of the whole graph or not. All others are decided.
    pub undecided: UndecidedEdges,
}

/// Edges between trees that contain one boundary vertex each.
#[derive(Debug, Default)]
pub struct UndecidedEdges {
    /// The edge ids, in ascending order.
    pub ids: Vec<EdgeId>,
    /// For each edge, the boundary vertex of the tree at its first end, and of the one at its
    /// second end.
    pub ends: [Vec<Vertex>; 2],
}

/// The components that contain a boundary vertex.
pub(super) struct BoundaryComponents {
    /// Pairs of component and boundary vertex.
    components: Vec<(u32, Vertex)>,
    /// The same components, one bit each.
    bits: BitSet,
}

impl BoundaryComponents {
    /// Before the first round: every boundary vertex is a component.
    pub(super) fn new(vertices: &BitSet) -> Self {
        let components =
            vertices.clone().into_ids().into_iter().map(|vertex| (vertex, vertex)).collect();
        Self { components, bits: vertices.clone() }
    }

    pub(super) fn len(&self) -> usize {
        self.components.len()
    }

    #[inline]
    pub(super) fn contains(&self, component: u32) -> bool {
        self.bits.contains(component)
    }

    /// Replaces the components by those of the next round, `live` in number.
    pub(super) fn relabel(&mut self, labels: &[AtomicU32], live: u32) {
        self.bits = BitSet::new(live as usize);
        for (component, _) in &mut self.components {
            *component = label_of(labels, *component);
            self.bits.insert(*component);
        }
    }

    /// The edges of the last records, all of which join boundary components.
    pub(super) fn undecided<K: Key>(
        &self,
        contraction: &Contraction<'_, K, ById>,
        segments: &[Segment],
    ) -> UndecidedEdges {
        let mut vertex_of = vec![0; 64 * self.bits.words().len()];
        for &(component, vertex) in &self.components {
            vertex_of[component as usize] = vertex;
        }
        let count = edge_count(segments);
        let [mut u, mut v, mut ids] = [(); 3].map(|()| Vec::with_capacity(count));
        for segment in segments {
            for [ends, prefix_id] in &contraction.records[segment.positions()] {
                let (from, to) = unpack(ends.load(Relaxed));
                u.push(vertex_of[from as usize]);
                v.push(vertex_of[to as usize]);
                ids.push(prefix_id.load(Relaxed) as EdgeId);
            }
        }
        UndecidedEdges { ids, ends: [u, v] }
    }
}
