//! Few ranks: band after band of light edges, which one rank unites for all.
//!
//! * Each rank takes its edges up to a [`pivot`], sorts them, and sends them to the first rank. That goes through all of
//!   them in ascending order, as Kruskal's algorithm does, and tells each which of its edges joined two components, and
//!   all which component every vertex is in now. Edges inside one are forgotten (cycle property); the next band comes
//!   from the rest.
//! * To choose, to sort and to filter is shared out among the ranks; to unite is not. That is what one rank is for, about
//!   5 n / 4 edges in the first band of a random graph and few in later ones, and why there are rounds for many ranks.
//! * Every rank holds labels for all vertices, and the first one the edges of a band: it is for graphs with at least as
//!   many edges as vertices.
//! * Source: this project; bands as in Osipov, Sanders & Singler 2009.

use kostra_core::{BitSet, EdgeSet, Key, Order, Run, SolveError, UnionFind, Weight};
use kostra_cpu::{giant_component, light_edges, sort_by_key, unite};

use super::part::key_of;
use super::pivot::{Pivot, pivot};
use super::tree::{of_words, to_words};
use crate::{Communicator, Names, Reduction, Slice};

/// An edge of a band, on the rank that has it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Light<K> {
    key: K,
    /// Where in the slice it is.
    position: u32,
    /// The components that it joins.
    ends: [u32; 2],
}

/// How many edges are looked at before anything is done with those that stay.
const BLOCK: usize = 1024;

/// The edges of a slice that have been in no band yet.
enum Left {
    /// All.
    All(usize),
    /// Those at these positions, ascending.
    These(Vec<u32>),
}

impl Left {
    fn len(&self) -> usize {
        match self {
            Self::All(edges) => *edges,
            Self::These(positions) => positions.len(),
        }
    }

    #[inline]
    fn position(&self, index: usize) -> u32 {
        match self {
            Self::All(_) => index as u32,
            Self::These(positions) => positions[index],
        }
    }

    /// Calls with those of which something holds, some at a time: no branch between the memory accesses of several, and no
    /// memory for all.
    fn for_each(&self, holds: impl Fn(u32) -> bool, mut visit: impl FnMut(&[u32])) {
        let mut block = [0; BLOCK];
        for start in (0..self.len()).step_by(BLOCK) {
            let mut count = 0;
            for index in start..self.len().min(start + BLOCK) {
                let position = self.position(index);
                block[count] = position;
                count += usize::from(holds(position));
            }
            visit(&block[..count]);
        }
    }
}

/// What is the same throughout a solve, and what becomes of the vertices.
struct Led<'a, W: Weight> {
    slice: &'a Slice<W>,
    order: Order,
    world: &'a Communicator,
    /// The component of every vertex of the graph; none are there before the first band, where each is its own.
    labels: Vec<u32>,
}

/// The edges of this rank's slice that are in the forest of all slices. Collective.
///
/// The graph has fewer than 2^32 vertices, and no more than it has edges.
pub(super) fn solve<W: Weight>(
    slice: &Slice<W>,
    order: Order,
    world: &Communicator,
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    let vertices = slice.vertices() as u32;
    let mut led = Led { slice, order, world, labels: Vec::new() };
    let mut forest = EdgeSet::new(slice.len());
    let mut sets = (world.rank() == 0).then(|| UnionFind::new(vertices));
    let (mut left, mut components, mut most_were_kept) = (Left::All(slice.len()), vertices, false);
    loop {
        let edges = world.reduce_one(Reduction::Sum, left.len() as u64);
        if edges == 0 || components <= 1 {
            return Ok(forest);
        }
        run.round(components as usize, edges as usize)?;
        let wanted = light_edges(edges as usize, components, vertices, most_were_kept) as u64;
        let pivot = if wanted < edges {
            world.phase(run, "pivot", |_| led.pivot(&left, (wanted, edges)))
        } else {
            None
        };
        let mut light = world.phase(run, "select", |_| led.light(&left, pivot));
        let mut spare = light.clone();
        let sorted =
            world.phase(run, "sort", |_| &*sort_by_key(&mut light, &mut spare, |edge| edge.key.to_u64()));
        let kept = world.phase(run, "unite", |run| led.unite(sorted, sets.as_mut(), run))?;
        for (edge, _) in sorted.iter().zip(kept).filter(|(_, kept)| *kept) {
            forest.insert(edge.position);
        }
        if pivot.is_none() {
            return Ok(forest);
        }
        drop((light, spare));
        components = world.phase(run, "labels", |_| led.relabel(sets.as_mut()));
        left = world.phase(run, "filter", |_| led.between(&left));
        most_were_kept = world.reduce_one(Reduction::Sum, left.len() as u64) > edges / 2;
    }
}

impl<W: Weight> Led<'_, W> {
    #[inline]
    fn component(&self, vertex: u32) -> u32 {
        let name = match self.slice.names() {
            Names::Identity => vertex,
            Names::Table(names) => names[vertex as usize] as u32,
        };
        if self.labels.is_empty() { name } else { self.labels[name as usize] }
    }

    #[inline]
    fn ends(&self, position: u32) -> [u32; 2] {
        let edges = self.slice.edges();
        [self.component(edges.u()[position as usize]), self.component(edges.v()[position as usize])]
    }

    /// Those of the edges that join two components.
    fn between(&self, left: &Left) -> Left {
        // Most lie inside one giant component, and one bit a vertex that says so fits a closer cache.
        let giant = self.giant();
        let edges = self.slice.edges();
        let (u, v) = (edges.u(), edges.v());
        let outside = |position: u32| {
            let position = position as usize;
            !(giant.contains(u[position]) & giant.contains(v[position]))
        };
        let mut kept = Vec::new();
        left.for_each(outside, |positions| {
            kept.extend(positions.iter().copied().filter(|&position| {
                let [u, v] = self.ends(position);
                u != v
            }));
        });
        Left::These(kept)
    }

    /// The vertices, by their names here, that are in the component that most of a small sample is in.
    fn giant(&self) -> BitSet {
        let vertices = self.slice.edges().vertices();
        let giant = giant_component(vertices as usize, |vertex| self.component(vertex as u32));
        let bits = |word: u32| {
            let members = word * 64..vertices.min(word * 64 + 64);
            members.rev().fold(0, |bits, vertex| bits << 1 | u64::from(Some(self.component(vertex)) == giant))
        };
        BitSet::from_words((0..vertices.div_ceil(64)).map(bits).collect())
    }

    #[inline]
    fn key(&self, position: u32) -> W::Key {
        key_of(self.slice.edges().weights()[position as usize], self.order)
    }

    fn pivot(&self, left: &Left, wanted: (u64, u64)) -> Option<Pivot> {
        let at = |index: u32| {
            let position = left.position(index as usize);
            Pivot { key: self.key(position).to_u64(), id: self.slice.id(position) }
        };
        pivot(left.len(), at, wanted, self.world)
    }

    /// The edges up to a pivot, or all.
    fn light(&self, left: &Left, pivot: Option<Pivot>) -> Vec<Light<W::Key>> {
        let pivot = pivot.unwrap_or(Pivot { key: u64::MAX, id: u64::MAX });
        let limit = W::Key::from_u64(pivot.key);
        let is_light = |position: u32| {
            let key = self.key(position);
            (key < limit) | (key == limit) & (self.slice.id(position) <= pivot.id)
        };
        let mut light = Vec::new();
        left.for_each(is_light, |positions| {
            let light_edge =
                |&position: &u32| Light { key: self.key(position), position, ends: self.ends(position) };
            light.extend(positions.iter().map(light_edge));
        });
        light
    }

    /// Whether each of a rank's sorted edges joins two components; the first rank has those. Collective.
    fn unite(
        &self,
        sorted: &[Light<W::Key>],
        sets: Option<&mut UnionFind>,
        run: &mut Run<'_>,
    ) -> Result<Vec<bool>, SolveError> {
        let ends: Vec<_> = sorted.iter().map(|edge| edge.ends).collect();
        let keys: Vec<_> = sorted.iter().map(|edge| edge.key).collect();
        let Some(sets) = sets else {
            self.world.send(0, &ends);
            self.world.send(0, &keys);
            return Ok(of_words(self.world.receive(0)));
        };
        let (mut ends, mut keys) = (vec![ends], vec![keys]);
        for rank in 1..self.world.size() {
            ends.push(self.world.receive(rank));
            keys.push(self.world.receive(rank));
        }
        let (ranks, merged) = merge(&keys, &ends);
        drop((ends, keys));
        let mut joins = vec![false; merged.len()];
        let ends = |place: usize| (merged[place][0], merged[place][1]);
        unite(merged.len(), |_| (), ends, sets, |place| joins[place] = true, run)?;
        let mut kept = vec![Vec::new(); self.world.size()];
        for (rank, joins) in ranks.into_iter().zip(joins) {
            kept[usize::from(rank)].push(joins);
        }
        for (rank, kept) in kept.iter().enumerate().skip(1) {
            self.world.send(rank, &to_words(kept));
        }
        Ok(kept.swap_remove(0))
    }

    /// Tells all ranks what the first one knows: the component of each vertex. Returns how many there are. Collective.
    fn relabel(&mut self, sets: Option<&mut UnionFind>) -> u32 {
        let (labels, components) = match sets {
            Some(sets) => (sets.flatten().to_vec(), sets.sets()),
            None => (Vec::new(), 0),
        };
        self.labels = self.world.broadcast_vec(0, labels);
        self.world.broadcast_one(0, components)
    }
}

/// The edges of all ranks in ascending order, and which rank each is from. Among equal keys those of the lower rank come
/// first: its ids are lower.
fn merge<K: Key>(keys: &[Vec<K>], ends: &[Vec<[u32; 2]>]) -> (Vec<u16>, Vec<[u32; 2]>) {
    let edges = keys.iter().map(Vec::len).sum();
    let (mut ranks, mut merged) = (Vec::with_capacity(edges), Vec::with_capacity(edges));
    let mut next = vec![0; keys.len()];
    for _ in 0..edges {
        let has_more = |rank: &usize| next[*rank] < keys[*rank].len();
        let lightest = (0..keys.len()).filter(has_more).min_by_key(|&rank| keys[rank][next[rank]]);
        let Some(rank) = lightest else { break };
        ranks.push(rank as u16);
        merged.push(ends[rank][next[rank]]);
        next[rank] += 1;
    }
    (ranks, merged)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn among_equal_keys_the_lower_rank_comes_first() {
        let keys = [vec![2_u32, 5, 5], vec![], vec![1, 5]];
        let ends = [vec![[0, 2], [0, 5], [0, 6]], vec![], vec![[2, 1], [2, 5]]];
        let (ranks, merged) = merge(&keys, &ends);
        assert_eq!(ranks, [2, 0, 0, 0, 2]);
        assert_eq!(merged, [[2, 1], [0, 2], [0, 5], [0, 6], [2, 5]]);
    }
}
