//! The kinds of weights that all generators offer. Random weights depend on the edge id.

use kostra_core::{AnyGraph, EdgeList, Vertex, Weight};

use crate::random;
use crate::{SpecError, allocation};

/// A kind of weights; the crate's documentation has the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weights {
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

impl Weights {
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

    /// The graph with weights of this kind. The edges have ids from `first` on.
    pub(crate) fn graph(
        self,
        seed: u64,
        vertices: usize,
        first: u64,
        u: Vec<Vertex>,
        v: Vec<Vertex>,
    ) -> Result<AnyGraph, SpecError> {
        let stream = random::stream(seed, "weights");
        match self {
            Self::U24 => {
                weigh(vertices, first, u, v, |id| stream.below(id, (1 << 24) - 1) as u32 + 1)
            }
            Self::Small => weigh(vertices, first, u, v, |id| stream.below(id, 3) as u32 + 1),
            Self::Equal => weigh(vertices, first, u, v, |_| 1_u32),
            Self::Index => weigh(vertices, first, u, v, |id| id as u32),
            Self::I32 => weigh(vertices, first, u, v, |id| stream.at(id) as i32),
            Self::I64 => weigh(vertices, first, u, v, |id| stream.at(id) as i64),
            Self::U64 => weigh(vertices, first, u, v, |id| stream.at(id)),
            // As many bits as the type's fraction holds, so that no rounding reaches 1.
            Self::F32 => weigh(vertices, first, u, v, |id| {
                (stream.at(id) >> 40) as f32 / (1_u32 << 24) as f32
            }),
            Self::F64 => weigh(vertices, first, u, v, |id| stream.unit(id)),
        }
    }
}

fn weigh<W: Weight>(
    vertices: usize,
    first: u64,
    u: Vec<Vertex>,
    v: Vec<Vertex>,
    weight: impl Fn(u64) -> W,
) -> Result<AnyGraph, SpecError>
where
    AnyGraph: From<EdgeList<W>>,
{
    let mut weights = allocation::array(u.len())?;
    weights.extend((first..).take(u.len()).map(weight));
    Ok(AnyGraph::from_edges(vertices, u, v, weights)?)
}
