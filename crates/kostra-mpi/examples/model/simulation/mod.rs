//! Plays `mpi-fast` on a uniform graph without MPI, on as many ranks as one likes, and notes what
//! is sent.
//!
//! One thread does what all ranks would: it looks for the lightest edges, hooks components, doubles
//! pointers, and filters, in the same order and by the same rules, and counts what would go into
//! messages. What it counts, for each vertex that a rank owns, depends on the number of ranks and
//! on edges a vertex, not on how many vertices there are, if what is a matter of absolute size is
//! scaled along: so many ranks can be played with few vertices each.

mod rounds;

use crate::steps::{Kind, Phase, Step};

/// What is played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Setting {
    pub(crate) ranks: usize,
    /// Vertices that each rank owns.
    pub(crate) owned: f64,
    /// Edges of a rank for each vertex that it owns.
    pub(crate) density: usize,
}

/// What came of it: figures of one rank, the mean of all, for each vertex that it owns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Play {
    pub(crate) steps: Vec<Step>,
    pub(crate) bands: usize,
    pub(crate) rounds: usize,
    /// Edges in play at the beginning of each band, together.
    pub(crate) looked_at: f64,
    /// Edges of all ranks that went into merges, for each vertex of the graph.
    pub(crate) merged: f64,
}

#[derive(Clone, Copy)]
struct Edge {
    ends: [u32; 2],
    /// The weight, and below it the id.
    key: u64,
}

/// As in `mpi-fast`: edges of all ranks that are merged, and what a rank that asks remembers of
/// late.
const MERGE_BELOW: f64 = (1 << 18) as f64;
const LATELY: f64 = (1 << 12) as f64;
/// No vertex.
const NONE: u32 = u32::MAX;

/// Plays a solve, with as many vertices as can be had in a second or so.
pub(crate) fn play(setting: Setting) -> Play {
    let vertices = (1 << 17).max(setting.ranks * 8);
    Table::new(setting, vertices).play()
}

/// The state of all ranks.
struct Table {
    setting: Setting,
    vertices: usize,
    edges: Vec<Edge>,
    /// As owners keep them.
    parents: Vec<u32>,
    in_forest: usize,
    few: usize,
    /// How many slots a rank that asks has to remember by.
    slots: usize,
    /// Who has seen a vertex last.
    seen: Vec<u32>,
    turn: u32,
    played: Play,
}

impl Table {
    fn new(setting: Setting, vertices: usize) -> Self {
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mixed = (state ^ state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
            (mixed ^ mixed >> 31) >> 32
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
            few: (MERGE_BELOW * scale) as usize,
            slots: ((LATELY * scale) as usize).max(64),
            seen: vec![0; vertices],
            turn: 0,
            played: Play::default(),
        }
    }

    fn play(mut self) -> Play {
        self.share();
        let edges = std::mem::take(&mut self.edges);
        self.bands(edges);
        self.played
    }

    /// Notes a step in which all ranks together send so many words, names and items.
    fn step(&mut self, phase: Phase, kind: Kind, (words, names, items): (usize, usize, usize)) {
        let each = |count: usize| count as f64 / self.vertices as f64;
        let (words, names, items) = (each(words), each(names), each(items));
        self.played.steps.push(Step { phase, kind, words, names, items, fixed: 0.0 });
    }

    fn reduce(&mut self, phase: Phase) {
        self.step(phase, Kind::Reduce, (0, 0, 0));
    }

    /// Which rank an edge is on.
    fn rank_of(&self, edge: &Edge) -> usize {
        (edge.key as u32 as usize) * self.setting.ranks / (self.vertices * self.setting.density)
    }

    /// The rank that owns a vertex.
    fn owner_of(&self, vertex: u32) -> usize {
        vertex as usize * self.setting.ranks / self.vertices
    }

    /// Edges by the rank that they are on.
    fn by_rank<'e>(&self, edges: &'e [Edge]) -> Vec<&'e [Edge]> {
        edges.chunk_by(|a, b| self.rank_of(a) == self.rank_of(b)).collect()
    }

    /// How many names the ranks meet at their edges, each counted once on each rank.
    fn names(&mut self, edges: &[Edge]) -> usize {
        let mut names = 0;
        for edges in self.by_rank(edges) {
            names += self.names_of_one(edges);
        }
        names
    }

    fn names_of_one(&mut self, edges: &[Edge]) -> usize {
        self.turn += 1;
        let mut names = 0;
        for end in edges.iter().flat_map(|edge| edge.ends) {
            let seen = &mut self.seen[end as usize];
            names += usize::from(*seen != self.turn);
            *seen = self.turn;
        }
        names
    }

    fn share(&mut self) {
        let edges = std::mem::take(&mut self.edges);
        let bits = (self.vertices / self.setting.ranks / 32).max(1);
        // With so many ranks, nobody has as much to tell an owner as bits would take.
        let always_lists = self.setting.density * 64 < self.setting.ranks;
        let (mut met, mut told, mut answered) = (0, 0, 0);
        for edges in self.by_rank(&edges) {
            let mut names: Vec<_> = edges.iter().flat_map(|edge| edge.ends).collect();
            names.sort_unstable();
            names.dedup();
            met += names.len();
            for names in names.chunk_by(|&a, &b| self.owner_of(a) == self.owner_of(b)) {
                let as_list = always_lists || names.len() <= bits;
                told += if as_list { names.len() } else { bits };
                answered += if as_list { names.len().div_ceil(32) } else { bits };
            }
        }
        self.edges = edges;
        self.step(Phase::Share, Kind::Exchange, (told, 0, met));
        self.step(Phase::Share, Kind::Exchange, (answered, 0, met));
        (0..3).for_each(|_| self.reduce(Phase::Other));
    }

    fn bands(&mut self, mut edges: Vec<Edge>) {
        let (mut light, mut most_were_kept) = (1, false);
        loop {
            self.reduce(Phase::Other);
            self.reduce(Phase::Other);
            self.played.bands += 1;
            self.played.looked_at += edges.len() as f64 / self.vertices as f64;
            let mut wanted = (self.vertices - self.in_forest) * light;
            light *= 3;
            if most_were_kept {
                wanted = wanted.max(edges.len() / 8);
            }
            if edges.len() <= self.few || wanted >= edges.len() / 2 {
                edges.retain(|edge| edge.ends[0] != edge.ends[1]);
                return self.rounds(edges);
            }
            let sample = Step::of_sample();
            self.played.steps.push(sample);
            let mut keys: Vec<_> = edges.iter().map(|edge| edge.key).collect();
            let (_, &mut pivot, _) = keys.select_nth_unstable(wanted);
            drop(keys);
            let band =
                edges.iter().filter(|edge| edge.key <= pivot && edge.ends[0] != edge.ends[1]);
            self.rounds(band.copied().collect());
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
        let met = self.names(&edges);
        if self.vertices / 8 * self.setting.ranks <= met * 8 {
            let mut sizes = vec![0_u32; self.vertices];
            self.parents.iter().for_each(|&root| sizes[root as usize] += 1);
            let (giant, size) = (0..).zip(sizes).max_by_key(|(_, size)| *size).unwrap_or_default();
            self.played.steps.push(Step::of_labels(self.setting.ranks));
            if size as usize >= self.vertices / 4 {
                self.step(Phase::Filter, Kind::AllGather, (self.vertices / 32, 0, 0));
                edges.retain(|edge| {
                    edge.ends.iter().any(|&end| self.parents[end as usize] != giant)
                });
            }
        }
        let labels = self.names(&edges);
        self.step(Phase::Filter, Kind::Exchange, (labels, 0, labels));
        self.step(Phase::Filter, Kind::Exchange, (0, labels, labels));
        for edge in &mut edges {
            edge.ends = edge.ends.map(|end| self.parents[end as usize]);
        }
        edges.retain(|edge| edge.ends[0] != edge.ends[1]);
        edges
    }
}
