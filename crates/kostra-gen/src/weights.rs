//! The kinds of weights that all generators offer. Random weights depend on the edge id.

use std::sync::atomic::{AtomicBool, Ordering};

use kostra_core::{AnyGraph, EdgeList, Vertex, Weight, WeightType};
use kostra_parallel::{Team, for_each_item};

use crate::SpecError;
use crate::allocation::zeros;
use crate::random;
use crate::source::EdgeEnds;

/// A kind of weights; the crate's documentation has the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WeightKind {
    U24,
    Small,
    Equal,
    Index,
    I32,
    I64,
    U64,
    F32,
    F64,
}

impl WeightKind {
    const ALL: [(&'static str, Self); 9] = [
        ("u24", Self::U24),
        ("small", Self::Small),
        ("equal", Self::Equal),
        ("index", Self::Index),
        ("i32", Self::I32),
        ("i64", Self::I64),
        ("u64", Self::U64),
        ("f32", Self::F32),
        ("f64", Self::F64),
    ];

    /// The names of all kinds.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        Self::ALL.iter().map(|&(name, _)| name)
    }

    /// The kind with a name.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|&&(known, _)| known == name).map(|&(_, kind)| kind)
    }

    /// The bytes of a weight.
    pub(crate) fn bytes(self) -> usize {
        match self {
            Self::U24 | Self::Small | Self::Equal | Self::Index | Self::I32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    /// The type of the weights.
    pub(crate) fn weight_type(self) -> WeightType {
        match self {
            Self::U24 | Self::Small | Self::Equal | Self::Index => WeightType::U32,
            Self::I32 => WeightType::I32,
            Self::I64 => WeightType::I64,
            Self::U64 => WeightType::U64,
            Self::F32 => WeightType::F32,
            Self::F64 => WeightType::F64,
        }
    }

    /// The graph with weights of this kind. The edges have ids from `first` on. The threads of
    /// `team` share the work.
    pub(crate) fn graph(
        self,
        team: &Team<'_>,
        seed: u64,
        vertices: usize,
        (first, ends): (u64, EdgeEnds),
    ) -> Result<AnyGraph, SpecError> {
        let stream = random::stream(seed, "weights");
        let edges = Weighing { team, vertices, first, ends };
        match self {
            Self::U24 => edges.graph(|id| stream.below(id, (1 << 24) - 1) as u32 + 1),
            Self::Small => edges.graph(|id| stream.below(id, 3) as u32 + 1),
            Self::Equal => edges.graph(|_| 1_u32),
            Self::Index => edges.graph(|id| id as u32),
            Self::I32 => edges.graph(|id| stream.at(id) as i32),
            Self::I64 => edges.graph(|id| stream.at(id) as i64),
            Self::U64 => edges.graph(|id| stream.at(id)),
            // As many bits as the type's fraction holds, so that no rounding reaches 1.
            Self::F32 => edges.graph(|id| (stream.at(id) >> 40) as f32 / (1_u32 << 24) as f32),
            Self::F64 => edges.graph(|id| stream.unit(id)),
        }
    }
}

/// The weights that a thread computes at a time.
const BLOCK: usize = 1 << 16;

/// Edges that get weights.
struct Weighing<'a> {
    team: &'a Team<'a>,
    vertices: usize,
    first: u64,
    ends: EdgeEnds,
}

impl Weighing<'_> {
    fn graph<W: Weight>(self, weight: impl Fn(u64) -> W + Sync) -> Result<AnyGraph, SpecError>
    where
        AnyGraph: From<EdgeList<W>>,
    {
        let mut weights = zeros::<W>(self.ends.len())?;
        let EdgeEnds { u, v } = self.ends;
        let outside = AtomicBool::new(false);
        let blocks = (self.first..)
            .step_by(BLOCK)
            .zip(weights.chunks_mut(BLOCK))
            .zip(u.chunks(BLOCK).zip(v.chunks(BLOCK)));
        for_each_item(self.team, blocks, |((start, block), (u, v))| {
            for (id, to) in (start..).zip(block) {
                *to = weight(id);
            }
            if is_outside(u, self.vertices) | is_outside(v, self.vertices) {
                outside.store(true, Ordering::Relaxed);
            }
        });
        if outside.into_inner() {
            return Ok(AnyGraph::from_edges(self.vertices, u, v, weights)?);
        }
        // No random weight is NaN.
        Ok(EdgeList::of_checked(self.vertices as u32, u, v, weights).into())
    }
}

/// Whether an end is not among the vertices. Without an early exit, so that it is vectorized.
fn is_outside(ends: &[Vertex], vertices: usize) -> bool {
    ends.iter().fold(false, |any, &end| any | (end as usize >= vertices))
}
