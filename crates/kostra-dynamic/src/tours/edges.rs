//! The edges outside the forest in the blocks of tours, and the best one between two trees.

use std::collections::BTreeMap;

use kostra_core::{OutOfMemory, Vertex, memory};

use super::{Block, NONE, Tours};

/// A vertex with more edges outside the forest keeps them in a tree of its own, so that no block
/// has more than this many edges for each vertex.
const HUB: u32 = if cfg!(test) { 3 } else { 64 };

/// An edge outside the forest, at one of its ends.
#[derive(Clone, Copy)]
pub(super) struct Half<R> {
    rank: R,
    pub(super) end: Vertex,
    /// The other end. `NONE` if this stands for all edges of a hub; then `rank` is their best.
    other: Vertex,
}

/// What a search found, and how many blocks and edges it looked at.
pub(crate) struct Search<R> {
    pub(crate) best: Option<R>,
    pub(crate) steps: usize,
}

impl<R: Copy + Ord> Tours<R> {
    /// Adds the edges outside the forest to tours without such edges.
    pub(super) fn insert_all(
        &mut self,
        others: impl Iterator<Item = ([Vertex; 2], R)> + Clone,
    ) -> Result<(), OutOfMemory> {
        for end in others.clone().flat_map(|(ends, _)| ends) {
            self.degrees[end as usize] += 1;
        }
        for ([u, v], rank) in others {
            for (end, other) in [(u, v), (v, u)] {
                if self.degrees[end as usize] > HUB {
                    self.hubs.entry(end).or_default().insert(rank, other);
                } else {
                    let block = &mut self.blocks[self.block_of[end as usize] as usize];
                    memory::push(&mut block.halves, Half { rank, end, other })?;
                }
            }
        }
        for (&hub, edges) in &self.hubs {
            if let Some((&rank, _)) = edges.first_key_value() {
                let block = &mut self.blocks[self.block_of[hub as usize] as usize];
                block.halves.push(Half { rank, end: hub, other: NONE });
            }
        }
        for block in &mut self.blocks {
            block.best = block.halves.iter().map(|half| half.rank).min();
        }
        Ok(())
    }

    /// Adds an edge outside the forest, whose ends are in one tree.
    pub(crate) fn insert(&mut self, [u, v]: [Vertex; 2], rank: R) {
        for (end, other) in [(u, v), (v, u)] {
            self.degrees[end as usize] += 1;
            if self.hubs.contains_key(&end) {
                self.change_hub(end, |edges| edges.insert(rank, other));
                continue;
            }
            self.insert_half(Half { rank, end, other });
            if self.degrees[end as usize] > HUB {
                self.make_hub(end);
            }
        }
    }

    /// Removes an edge outside the forest.
    pub(crate) fn remove(&mut self, ends: [Vertex; 2], rank: R) {
        for end in ends {
            self.degrees[end as usize] -= 1;
            if self.hubs.contains_key(&end) {
                self.change_hub(end, |edges| edges.remove(&rank));
            } else {
                self.remove_half(end, rank);
            }
        }
    }

    /// Gives a vertex a tree of its own for its edges outside the forest.
    fn make_hub(&mut self, hub: Vertex) {
        let block = &mut self.blocks[self.block_of[hub as usize] as usize];
        let edges: BTreeMap<R, Vertex> = block
            .halves
            .extract_if(.., |half| half.end == hub)
            .map(|half| (half.rank, half.other))
            .collect();
        self.change_hub(hub, |all| all.extend(edges));
    }

    /// Changes the edges of a hub, and the half in its block that stands for them.
    fn change_hub<T>(&mut self, hub: Vertex, change: impl FnOnce(&mut BTreeMap<R, Vertex>) -> T) {
        let best = |edges: &BTreeMap<R, Vertex>| edges.first_key_value().map(|(&rank, _)| rank);
        let edges = self.hubs.entry(hub).or_default();
        let before = best(edges);
        change(edges);
        let after = best(edges);
        if before == after {
            return;
        }
        if let Some(before) = before {
            self.remove_half(hub, before);
        }
        if let Some(rank) = after {
            self.insert_half(Half { rank, end: hub, other: NONE });
        }
    }

    fn insert_half(&mut self, half: Half<R>) {
        let block = &mut self.blocks[self.block_of[half.end as usize] as usize];
        let place =
            if block.sorted { block.place(half.rank, half.end) } else { block.halves.len() };
        block.halves.insert(place, half);
        block.best = block.best.map_or(half.rank, |best| best.min(half.rank)).into();
    }

    fn remove_half(&mut self, end: Vertex, rank: R) {
        let block = &mut self.blocks[self.block_of[end as usize] as usize];
        block.sort();
        let place = block.place(rank, end);
        block.halves.remove(place);
        block.best = block.halves.first().map(|half| half.rank);
    }

    /// The best edge outside the forest that joins the trees of `u` and `v`, which differ and were
    /// one.
    /// O(vertices of the smaller tree and edges outside the forest at them) at worst.
    pub(crate) fn best_between(&mut self, u: Vertex, v: Vertex) -> Search<R> {
        let smaller = self.smaller(u, v);
        self.searches += 1;
        let mut place = smaller;
        loop {
            self.inside[place as usize] = self.searches;
            place = self.blocks[place as usize].next;
            if place == smaller {
                break;
            }
        }
        let mut search = Search { best: None, steps: 0 };
        loop {
            self.search_block(place, &mut search);
            place = self.blocks[place as usize].next;
            if place == smaller {
                return search;
            }
        }
    }

    /// The first block of that of the trees of `u` and `v` which has fewer blocks.
    fn smaller(&self, u: Vertex, v: Vertex) -> u32 {
        let starts = [u, v].map(|vertex| self.block_of[vertex as usize]);
        let mut places = starts;
        loop {
            for (place, start) in places.iter_mut().zip(starts) {
                *place = self.blocks[*place as usize].next;
                if *place == start {
                    return start;
                }
            }
        }
    }

    /// Looks for edges from a block to other trees that are better than the best one so far.
    fn search_block(&mut self, place: u32, search: &mut Search<R>) {
        search.steps += 1;
        let is_worse = |rank: R, best: Option<R>| best.is_some_and(|best| best <= rank);
        let block = &mut self.blocks[place as usize];
        if block.best.is_none_or(|rank| is_worse(rank, search.best)) {
            return;
        }
        block.sort();
        let Self { blocks, block_of, inside, searches, hubs, .. } = self;
        let leaves = |other: Vertex| inside[block_of[other as usize] as usize] != *searches;
        for half in &blocks[place as usize].halves {
            if is_worse(half.rank, search.best) {
                return;
            }
            search.steps += 1;
            if half.other != NONE {
                if leaves(half.other) {
                    search.best = Some(half.rank);
                    return;
                }
                continue;
            }
            for (&rank, &other) in &hubs[&half.end] {
                if is_worse(rank, search.best) {
                    break;
                }
                search.steps += 1;
                if leaves(other) {
                    search.best = Some(rank);
                    break;
                }
            }
        }
    }
}

impl<R: Copy + Ord> Block<R> {
    /// Sorts the halves, if they are not.
    fn sort(&mut self) {
        if !self.sorted {
            self.halves.sort_unstable_by_key(|half| (half.rank, half.end));
            self.sorted = true;
            self.best = self.halves.first().map(|half| half.rank);
        }
    }

    /// The place of a half in a sorted block.
    fn place(&self, rank: R, end: Vertex) -> usize {
        self.halves.partition_point(|half| (half.rank, half.end) < (rank, end))
    }
}
