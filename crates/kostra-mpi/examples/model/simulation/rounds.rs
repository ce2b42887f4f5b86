//! The rounds of a batch, and the search for roots.

use kostra_core::UnionFind;

use super::{AllRanks, Edge, NONE};
use crate::steps::{Kind, Phase};

impl AllRanks {
    pub(super) fn rounds(&mut self, mut light: Vec<Edge>) {
        loop {
            self.reduce(Phase::Other);
            if light.is_empty() {
                return;
            }
            if light.len() <= self.merge_below {
                return self.merge(light);
            }
            light = self.reduced(light);
            self.simulation.rounds += 1;
            self.round(&light);
            for edge in &mut light {
                edge.ends = edge.ends.map(|end| self.parents[end as usize]);
            }
            light.retain(|edge| edge.ends[0] != edge.ends[1]);
        }
    }

    /// Reduces the edges of a rank with more than three edges per component to their forest.
    fn reduced(&mut self, light: Vec<Edge>) -> Vec<Edge> {
        let mut kept = Vec::with_capacity(light.len());
        for edges in self.by_rank(&light) {
            if edges.len() <= 3 * self.components_of_rank(edges) {
                kept.extend_from_slice(edges);
                continue;
            }
            let mut sets = UnionFind::new(self.vertices as u32);
            let start = kept.len();
            let mut sorted = edges.to_vec();
            sorted.sort_unstable_by_key(|edge| edge.key);
            kept.extend(sorted.into_iter().filter(|edge| sets.union(edge.ends[0], edge.ends[1])));
            kept[start..].sort_unstable_by_key(|edge| edge.key as u32);
        }
        kept
    }

    fn merge(&mut self, mut light: Vec<Edge>) {
        self.simulation.merged += light.len() as f64 / self.vertices as f64;
        light.sort_unstable_by_key(|edge| edge.key);
        let mut sets = UnionFind::new(self.vertices as u32);
        self.in_forest +=
            light.iter().filter(|edge| sets.union(edge.ends[0], edge.ends[1])).count();
        for root in light.iter().flat_map(|edge| edge.ends) {
            self.parents[root as usize] = sets.find(root);
        }
    }

    fn round(&mut self, light: &[Edge]) {
        let candidates = self.components(light);
        self.step(Phase::Round, Kind::Exchange, (2 * candidates, candidates, candidates));
        let mut best = vec![(u64::MAX, NONE); self.vertices];
        for edge in light {
            let [u, v] = edge.ends;
            for (own, other) in [(u, v), (v, u)] {
                let best = &mut best[own as usize];
                *best = (*best).min((edge.key, other));
            }
        }
        let mut hooked = Vec::new();
        for (own, (_, other)) in (0..).zip(best).filter(|(_, (_, other))| *other != NONE) {
            hooked.push(own);
            self.parents[own as usize] = other;
        }
        self.find_roots(hooked.clone(), Phase::Round, true);
        let joined = |own: &&u32| self.parents[**own as usize] != **own;
        self.in_forest += hooked.iter().filter(joined).count();
        self.step(Phase::Round, Kind::ExchangeWithBits, (0, candidates, candidates));
    }

    /// Pointer doubling on all ranks at once.
    pub(super) fn find_roots(&mut self, mut open: Vec<u32>, phase: Phase, mut first: bool) {
        loop {
            self.reduce(phase);
            if open.is_empty() {
                return;
            }
            let asked = self.requests(&open);
            self.step(phase, Kind::Exchange, (asked, 0, asked));
            self.step(phase, Kind::Exchange, (0, asked, asked));
            let ancestors = |own: &u32| {
                let parent = self.parents[*own as usize];
                (*own, parent, self.parents[parent as usize])
            };
            let asked: Vec<_> = open.iter().map(ancestors).collect();
            open.clear();
            for (own, parent, grand) in asked {
                if first && grand == own {
                    let coin =
                        u64::from(own ^ parent).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 63 == 1;
                    if (own < parent) != coin {
                        self.parents[own as usize] = own;
                    }
                } else {
                    self.parents[own as usize] = grand;
                    if grand != parent {
                        open.push(own);
                    }
                }
            }
            first = false;
        }
    }

    /// The number of requests for the parents of `open`. Requests in the cache of recent requests
    /// are not repeated.
    fn requests(&self, open: &[u32]) -> usize {
        let mut asked = 0;
        for open in open.chunk_by(|&a, &b| self.owner_of(a) == self.owner_of(b)) {
            let mut recent = vec![NONE; self.slots];
            for &own in open {
                let parent = self.parents[own as usize];
                let slot = u64::from(parent).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 52;
                let slot = &mut recent[slot as usize % self.slots];
                asked += usize::from(*slot != parent);
                *slot = parent;
            }
        }
        asked
    }
}
