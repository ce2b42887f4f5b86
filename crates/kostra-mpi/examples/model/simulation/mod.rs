//! Simulates `mpi-fast` on a uniform graph without MPI, on any number of ranks, and records what is
//! sent.
//!
//! One thread does the work of all ranks. It finds minimum edges, hooks components, doubles
//! pointers and filters, in the order and by the rules of the solver, and counts the contents of
//! messages. The counts per owned vertex depend on the number of ranks and on the number of edges
//! per vertex. They do not depend on the number of vertices if absolute sizes are scaled. So few
//! vertices per rank are enough to simulate many ranks.

mod rounds;

use kostra_core::random;

use crate::steps::{Kind, Phase, Step};

/// The setting of a simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Setting {
    pub(crate) ranks: usize,
    /// The number of vertices that each rank owns.
    pub(crate) owned: f64,
    /// The number of edges of a rank per vertex that it owns.
    pub(crate) density: usize,
}

/// The result: figures of a rank per vertex that it owns, the mean of all ranks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Simulation {
    pub(crate) steps: Vec<Step>,
    pub(crate) batches: usize,
    pub(crate) rounds: usize,
    /// Active edges, summed over the batches.
    pub(crate) active: f64,
    /// Edges of all ranks that were merged, per vertex of the graph.
    pub(crate) merged: f64,
}

#[derive(Clone, Copy)]
struct Edge {
    ends: [u32; 2],
    /// The weight, and below it the id.
    key: u64,
}

/// As in `mpi-fast`: the number of edges of all ranks that are merged, and the number of recent
/// requests that a rank remembers.
const MERGE_BELOW: f64 = (1 << 18) as f64;
const RECENT: f64 = (1 << 12) as f64;
/// No vertex.
const NONE: u32 = u32::MAX;

/// Simulates a solve, with as many vertices as take about a second.
pub(crate) fn simulate(setting: Setting) -> Simulation {
    let vertices = (1 << 17).max(setting.ranks * 8);
    AllRanks::new(setting, vertices).simulate()
}

/// The state of all ranks.
struct AllRanks {
    setting: Setting,
    vertices: usize,
    edges: Vec<Edge>,
    /// The parents, as owners store them.
    parents: Vec<u32>,
    in_forest: usize,
    merge_below: usize,
    /// The number of slots in a rank's cache of recent requests.
    slots: usize,
    /// The last turn in which a vertex was seen.
    seen: Vec<u32>,
    turn: u32,
    simulation: Simulation,
}

impl AllRanks {
    fn new(setting: Setting, vertices: usize) -> Self {
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_add(random::STEP);
            random::mix(state) >> 32
        };
        let mut end = || ((random() * vertices as u64) >> 32) as u32;
        let mut pair = || {
            let (u, v) = (end(), end());
            Edge { ends: [u.min(v), u.max(v)], key: 0 }
        };
        let mut edges: Vec<_> = (0..vertices * setting.density).map(|_| pair()).collect();
        edges.sort_unstable_by_key(|edge| edge.ends); // as they are generated
        for (id, edge) in edges.iter_mut().enumerate() {
            edge.key = random() << 32 | id as u64;
        }
        let scale = vertices as f64 / (setting.ranks as f64 * setting.owned);
        Self {
            setting,
            vertices,
            edges,
            parents: (0..vertices as u32).collect(),
            in_forest: 0,
            merge_below: (MERGE_BELOW * scale) as usize,
            slots: ((RECENT * scale) as usize).max(64),
            seen: vec![0; vertices],
            turn: 0,
            simulation: Simulation::default(),
        }
    }

    fn simulate(mut self) -> Simulation {
        self.share();
        let edges = std::mem::take(&mut self.edges);
        self.batches(edges);
        self.simulation
    }

    /// Records a step in which all ranks together send these numbers of words, ids and items.
    fn step(&mut self, phase: Phase, kind: Kind, (words, ids, items): (usize, usize, usize)) {
        let each = |count: usize| count as f64 / self.vertices as f64;
        let (words, ids, items) = (each(words), each(ids), each(items));
        self.simulation.steps.push(Step { phase, kind, words, ids, items, fixed: 0.0 });
    }

    fn reduce(&mut self, phase: Phase) {
        self.step(phase, Kind::Reduce, (0, 0, 0));
    }

    /// The rank that holds an edge.
    fn rank_of(&self, edge: &Edge) -> usize {
        (edge.key as u32 as usize) * self.setting.ranks / (self.vertices * self.setting.density)
    }

    /// The rank that owns a vertex.
    fn owner_of(&self, vertex: u32) -> usize {
        vertex as usize * self.setting.ranks / self.vertices
    }

    /// The edges by the rank that holds them.
    fn by_rank<'e>(&self, edges: &'e [Edge]) -> Vec<&'e [Edge]> {
        edges.chunk_by(|a, b| self.rank_of(a) == self.rank_of(b)).collect()
    }

    /// The number of components at the edges of a rank, summed over the ranks.
    fn components(&mut self, edges: &[Edge]) -> usize {
        let mut count = 0;
        for edges in self.by_rank(edges) {
            count += self.components_of_rank(edges);
        }
        count
    }

    fn components_of_rank(&mut self, edges: &[Edge]) -> usize {
        self.turn += 1;
        let mut count = 0;
        for end in edges.iter().flat_map(|edge| edge.ends) {
            let seen = &mut self.seen[end as usize];
            count += usize::from(*seen != self.turn);
            *seen = self.turn;
        }
        count
    }

    fn share(&mut self) {
        let edges = std::mem::take(&mut self.edges);
        let bits = (self.vertices / self.setting.ranks / 32).max(1);
        // With this number of ranks, every list is shorter than the bits of a block.
        let always_lists = self.setting.density * 64 < self.setting.ranks;
        let (mut listed, mut sent_words, mut answer_words) = (0, 0, 0);
        for edges in self.by_rank(&edges) {
            let mut vertices: Vec<_> = edges.iter().flat_map(|edge| edge.ends).collect();
            vertices.sort_unstable();
            vertices.dedup();
            listed += vertices.len();
            for vertices in vertices.chunk_by(|&a, &b| self.owner_of(a) == self.owner_of(b)) {
                let as_list = always_lists || vertices.len() <= bits;
                sent_words += if as_list { vertices.len() } else { bits };
                answer_words += if as_list { vertices.len().div_ceil(32) } else { bits };
            }
        }
        self.edges = edges;
        self.step(Phase::Share, Kind::Exchange, (sent_words, 0, listed));
        self.step(Phase::Share, Kind::Exchange, (answer_words, 0, listed));
        (0..3).for_each(|_| self.reduce(Phase::Other));
    }

    fn batches(&mut self, mut edges: Vec<Edge>) {
        let (mut light, mut most_were_kept) = (1, false);
        loop {
            self.reduce(Phase::Other);
            self.reduce(Phase::Other);
            self.simulation.batches += 1;
            self.simulation.active += edges.len() as f64 / self.vertices as f64;
            let mut wanted = (self.vertices - self.in_forest) * light;
            light *= 3;
            if most_were_kept {
                wanted = wanted.max(edges.len() / 8);
            }
            if edges.len() <= self.merge_below || wanted >= edges.len() / 2 {
                edges.retain(|edge| edge.ends[0] != edge.ends[1]);
                return self.rounds(edges);
            }
            let sample = Step::of_sample();
            self.simulation.steps.push(sample);
            let mut keys: Vec<_> = edges.iter().map(|edge| edge.key).collect();
            let (_, &mut pivot, _) = keys.select_nth_unstable(wanted);
            drop(keys);
            let batch =
                edges.iter().filter(|edge| edge.key <= pivot && edge.ends[0] != edge.ends[1]);
            self.rounds(batch.copied().collect());
            let before = edges.len();
            edges = self.filter(edges);
            self.reduce(Phase::Other);
            most_were_kept = edges.len() > before / 2;
        }
    }

    fn filter(&mut self, mut edges: Vec<Edge>) -> Vec<Edge> {
        let open =
            (0..self.vertices as u32).filter(|&own| self.parents[own as usize] != own).collect();
        self.find_roots(open, Phase::Filter, false);
        self.reduce(Phase::Filter);
        let met = self.components(&edges);
        if self.vertices / 8 * self.setting.ranks <= met * 8 {
            let mut sizes = vec![0_u32; self.vertices];
            self.parents.iter().for_each(|&root| sizes[root as usize] += 1);
            let (giant, size) = (0..).zip(sizes).max_by_key(|(_, size)| *size).unwrap_or_default();
            self.simulation.steps.push(Step::of_labels(self.setting.ranks));
            if size as usize >= self.vertices / 4 {
                self.step(Phase::Filter, Kind::AllGather, (self.vertices / 32, 0, 0));
                edges.retain(|edge| {
                    edge.ends.iter().any(|&end| self.parents[end as usize] != giant)
                });
            }
        }
        let labels = self.components(&edges);
        self.step(Phase::Filter, Kind::Exchange, (labels, 0, labels));
        self.step(Phase::Filter, Kind::Exchange, (0, labels, labels));
        for edge in &mut edges {
            edge.ends = edge.ends.map(|end| self.parents[end as usize]);
        }
        edges.retain(|edge| edge.ends[0] != edge.ends[1]);
        edges
    }
}
