//! The edges of a rank that are not decided yet, between local ids of components.

use std::borrow::Cow;

use kostra_core::{BitSet, EdgeList, Graph, Key, Order, Run, SolveError, Weight, key_of};
use kostra_cpu::radix_sort_by_key;

use super::global_id::GlobalId;
use super::pivot::Pivot;
use super::{local, parallel};
use crate::comm::Communicator;
use crate::graph::{RankBitVector, Slice};

/// From this many edges per vertex on, a slice is reduced to its forest before other ranks get its
/// edges.
pub(super) const DENSE: u64 = 8;

/// Some edges of a rank's slice, ascending by position in the slice and so by id. Only the active
/// edges that are a whole slice may contain self-loops.
pub(super) struct ActiveEdges<'a, I: GlobalId, W: Weight> {
    /// The ids of the components at which the edges end, ascending. A local id is a position in
    /// this array.
    pub(super) components: Vec<I>,
    /// The first ends, as local ids.
    pub(super) u: Cow<'a, [u32]>,
    /// The second ends, as local ids.
    pub(super) v: Cow<'a, [u32]>,
    weights: Cow<'a, [W]>,
    /// The positions of the edges in the slice; `None` if the edges are the whole slice.
    positions: Option<Vec<u32>>,
    /// Whether the edges are known to be a forest.
    is_forest: bool,
    /// The number of threads that work on the edges.
    threads: usize,
}

impl<'a, I: GlobalId, W: Weight> ActiveEdges<'a, I, W> {
    /// The edges of a whole slice, without copying them. Some of the components may have no edges.
    pub(super) fn of_slice(slice: &'a Slice<W>, threads: usize) -> Self {
        let (edges, map) = (slice.edges(), slice.vertex_map());
        Self {
            components: parallel::filled(threads, edges.vertices() as usize, |vertex| {
                I::from_u64(map.global(vertex as u32))
            }),
            u: edges.u().into(),
            v: edges.v().into(),
            weights: edges.weights().into(),
            positions: None,
            is_forest: false,
            threads,
        }
    }

    /// The edges at `positions` of a slice, which must ascend. Edge `i` joins the components whose
    /// ids are the vertices `u[i]` and `v[i]` of the slice.
    pub(super) fn between(
        slice: &Slice<W>,
        [u, v]: [Vec<u32>; 2],
        positions: Vec<u32>,
        threads: usize,
    ) -> ActiveEdges<'static, I, W> {
        let edges = slice.edges();
        let used = RankBitVector::of_ends_on(threads, edges.vertices(), [&u, &v]);
        let weights = parallel::items_at(threads, edges.weights(), &positions);
        let mut active = ActiveEdges {
            components: used
                .iter()
                .map(|vertex| I::from_u64(slice.vertex_map().global(vertex as u32)))
                .collect(),
            u: u.into(),
            v: v.into(),
            weights: weights.into(),
            positions: Some(positions),
            is_forest: false,
            threads,
        };
        active.map_ends(|end| used.rank(end.into()));
        active
    }

    /// No edges.
    pub(super) fn none() -> Self {
        let none: Cow<'_, [u32]> = Cow::Borrowed(&[]);
        let weights = Cow::Borrowed(&[][..]);
        Self {
            components: Vec::new(),
            u: none.clone(),
            v: none,
            weights,
            positions: None,
            is_forest: true,
            threads: 1,
        }
    }

    /// The edges at `positions`, and the components at which they end.
    pub(super) fn select(&self, positions: &[u32]) -> ActiveEdges<'static, I, W> {
        let mut selected = self.at(positions);
        let used = selected.used_components(self.components.len());
        selected.components = used.iter().map(|old| self.components[old as usize]).collect();
        selected.map_ends(|end| used.rank(end.into()));
        selected
    }

    /// The edges at the positions for which `holds` returns true.
    pub(super) fn select_if(
        &self,
        holds: impl Fn(u32) -> bool + Sync,
    ) -> ActiveEdges<'static, I, W> {
        self.select(&self.positions_if(holds))
    }

    /// The edges between two different new components, between the ids of these. `labels` contains
    /// the new component of each component.
    pub(super) fn contract(&self, labels: &[I]) -> ActiveEdges<'static, I, W> {
        let positions = self.positions_if(|position| {
            let (u, v) = (self.u[position as usize], self.v[position as usize]);
            labels[u as usize] != labels[v as usize]
        });
        self.relabel(&positions, |component| labels[component as usize])
    }

    /// The edges that have at least one end outside of `set`, a set of local ids.
    pub(super) fn outside(&self, set: &BitSet) -> ActiveEdges<'static, I, W> {
        let (u, v) = (&*self.u, &*self.v);
        self.select_if(|position| {
            !(set.contains(u[position as usize]) & set.contains(v[position as usize]))
        })
    }

    /// The edges at `positions`, between components with new ids: `label` returns the new id of
    /// each local id. Different local ids may get equal labels, in any order.
    fn relabel(&self, positions: &[u32], label: impl Fn(u32) -> I) -> ActiveEdges<'static, I, W> {
        let mut selected = self.at(positions);
        let used = selected.used_components(self.components.len());
        let mut labels: Vec<_> = used.iter().map(|old| label(old as u32)).zip(0_u32..).collect();
        let mut spare = labels.clone();
        let labels = radix_sort_by_key(&mut labels, &mut spare, |(label, _)| label.to_u64());
        let mut new_id = vec![0; labels.len()];
        for &mut (label, old) in labels {
            if selected.components.last() != Some(&label) {
                selected.components.push(label);
            }
            new_id[old as usize] = selected.components.len() as u32 - 1;
        }
        selected.map_ends(|end| new_id[used.rank(end.into()) as usize]);
        selected.is_forest = false;
        selected
    }

    /// The edges at `positions`, with unchanged ends and no components yet.
    fn at(&self, positions: &[u32]) -> ActiveEdges<'static, I, W> {
        let threads = self.threads;
        let in_slice = |index: usize| self.position_in_slice(positions[index]);
        ActiveEdges {
            components: Vec::new(),
            u: parallel::items_at(threads, &self.u, positions).into(),
            v: parallel::items_at(threads, &self.v, positions).into(),
            weights: parallel::items_at(threads, &self.weights, positions).into(),
            positions: Some(parallel::filled(threads, positions.len(), in_slice)),
            is_forest: self.is_forest,
            threads,
        }
    }

    /// The ends of the edges, which are below `bound`.
    fn used_components(&self, bound: usize) -> RankBitVector {
        RankBitVector::of_ends_on(self.threads, bound as u32, [&self.u, &self.v])
    }

    /// Replaces the local id of each end.
    fn map_ends(&mut self, new_id: impl Fn(u32) -> u32 + Sync) {
        for ends in [&mut self.u, &mut self.v] {
            parallel::for_each(self.threads, ends.to_mut(), |_, end| *end = new_id(*end));
        }
    }

    /// The positions for which `holds` returns true, ascending.
    fn positions_if(&self, holds: impl Fn(u32) -> bool + Sync) -> Vec<u32> {
        parallel::positions_if(self.threads, self.len(), holds)
    }

    /// The position of the lightest edge at each component. Each component must have an edge.
    pub(super) fn lightest_at_components(&self, order: Order) -> Vec<u32> {
        let ends = |position: u32| [&self.u, &self.v].map(|ends| ends[position as usize]);
        if W::Key::BITS == 32 {
            let minima =
                parallel::minima(self.threads, self.len(), self.components.len(), |position| {
                    let key = self.key(position, order).to_u64();
                    (ends(position), key << 32 | u64::from(position))
                });
            return parallel::filled(self.threads, minima.len(), |index| minima[index] as u32);
        }
        let none = W::Key::MAX.rank(u32::MAX);
        let mut lightest = vec![none; self.components.len()];
        for position in 0..self.len() as u32 {
            let rank = self.key(position, order).rank(position);
            for end in ends(position) {
                let slot = &mut lightest[end as usize];
                *slot = (*slot).min(rank);
            }
        }
        lightest.into_iter().map(W::Key::rank_id).collect()
    }

    pub(super) fn len(&self) -> usize {
        self.u.len()
    }

    /// The position in the slice of the edge at `position`.
    #[inline]
    pub(super) fn position_in_slice(&self, position: u32) -> u32 {
        self.positions.as_ref().map_or(position, |positions| positions[position as usize])
    }

    /// The key of the edge at `position`.
    #[inline]
    pub(super) fn key(&self, position: u32, order: Order) -> W::Key {
        key_of(self.weights[position as usize], order)
    }

    /// The edges up to `pivot`, without self-loops. `first` is the id of the first edge of the
    /// slice.
    pub(super) fn up_to(
        &self,
        pivot: Pivot,
        first: u64,
        order: Order,
    ) -> ActiveEdges<'static, I, W> {
        let limit = W::Key::from_u64(pivot.key);
        let mut positions = self.positions_if(|position| {
            let (key, id) = (self.key(position, order), self.position_in_slice(position));
            key < limit || key == limit && first + u64::from(id) <= pivot.id
        });
        positions.retain(|&position| !self.is_loop(position));
        self.select(&positions)
    }

    /// Whether the edge at `position` is a self-loop.
    #[inline]
    pub(super) fn is_loop(&self, position: u32) -> bool {
        self.u[position as usize] == self.v[position as usize]
    }

    /// The positions of the forest of these edges, ascending. No other of these edges is in the
    /// forest of a larger set of edges (cycle property).
    pub(super) fn forest(&self, order: Order, run: &mut Run<'_>) -> Result<Vec<u32>, SolveError> {
        if self.is_forest {
            return Ok((0..self.len() as u32).collect());
        }
        let list = EdgeList::of_checked(
            self.components.len() as u32,
            self.u.to_vec(),
            self.v.to_vec(),
            self.weights.to_vec(),
        );
        Ok(local::forest(&Graph::from(list), order, run)?.into_ids())
    }

    /// The edges at the positions in `forest`, which must be a forest, with all components.
    pub(super) fn reduced_to_forest(&self, forest: &[u32]) -> ActiveEdges<'static, I, W> {
        ActiveEdges { components: self.components.clone(), is_forest: true, ..self.at(forest) }
    }

    /// Sends the edges to a rank, which must [receive](Self::receive) them. Their positions in the
    /// slice are not sent.
    pub(super) fn send(&self, to: usize, world: &Communicator) {
        world.send(to, &self.components);
        world.send(to, &self.u);
        world.send(to, &self.v);
        world.send(to, &self.weights);
    }

    /// Receives a forest from a rank, without positions in a slice.
    pub(super) fn receive(from: usize, world: &Communicator) -> ActiveEdges<'static, I, W> {
        ActiveEdges {
            components: world.receive(from),
            u: world.receive(from).into(),
            v: world.receive(from).into(),
            weights: world.receive(from).into(),
            positions: None,
            is_forest: true,
            threads: 1,
        }
    }

    /// The edges of `self` followed by the edges of `other`, without positions in a slice.
    pub(super) fn followed_by(&self, other: &ActiveEdges<'_, I, W>) -> ActiveEdges<'static, I, W> {
        // Merges the two ascending lists of components. `these` and `others` are the new local ids.
        let (mut components, mut these, mut others) = (Vec::new(), Vec::new(), Vec::new());
        while these.len() < self.components.len() || others.len() < other.components.len() {
            let (a, b) = (self.components.get(these.len()), other.components.get(others.len()));
            let new_id = components.len() as u32;
            if a.is_some() && (b.is_none() || a <= b) {
                these.push(new_id);
            }
            if b.is_some() && (a.is_none() || b <= a) {
                others.push(new_id);
            }
            components.extend(if a.is_none() || b.is_some() && b < a { b } else { a });
        }
        let ends = |own: &[u32], theirs: &[u32]| -> Vec<u32> {
            let own = own.iter().map(|&end| these[end as usize]);
            own.chain(theirs.iter().map(|&end| others[end as usize])).collect()
        };
        ActiveEdges {
            u: ends(&self.u, &other.u).into(),
            v: ends(&self.v, &other.v).into(),
            weights: [&*self.weights, &*other.weights].concat().into(),
            positions: None,
            is_forest: false,
            threads: self.threads,
            components,
        }
    }
}
