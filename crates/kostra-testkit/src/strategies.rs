//! Random graphs for property tests: small, difficult, and quick to shrink.
//!
//! Weights are from palettes of very few values, so that ties are frequent, or from the extremes of
//! their type. Graphs are random multigraphs (self-loops, parallel edges, isolated vertices,
//! several components) or shapes on which algorithms often fail. The edges of a shape are shuffled
//! and their ends swapped at random.

use std::ops::RangeInclusive;

use kostra_core::{AnyGraph, EdgeList, Vertex, Weight};
use proptest::prelude::*;
use proptest::sample::select;

/// A weight type with random values.
pub trait RandomWeight: Weight {
    /// A few close, equal, infinite and extreme values and signed zeros, which give ties.
    const PALETTE: &'static [Self];

    /// Any value of the type except NaN.
    fn anything() -> BoxedStrategy<Self>;
}

macro_rules! impl_random_weight {
    ($($weight:ident: [$($value:expr),*], $anything:expr;)*) => {
        $(impl RandomWeight for $weight {
            const PALETTE: &'static [Self] = &[$($value),*];

            fn anything() -> BoxedStrategy<Self> {
                $anything.boxed()
            }
        })*
    };
}
impl_random_weight! {
    i32: [0, 1, -1, 2, 3, i32::MIN, i32::MAX], any::<i32>();
    u32: [0, 1, 2, 3, 1 << 31, u32::MAX], any::<u32>();
    i64: [0, 1, -1, 2, (1 << 53) + 1, 1 << 53, 1 << 32, i64::MIN, i64::MAX], any::<i64>();
    u64: [0, 1, 2, (1 << 53) + 1, 1 << 53, 1 << 63, u64::MAX - 1, u64::MAX], any::<u64>();
    f32: [
        0.0, -0.0, 1.0, -1.0, 0.1, f32::MIN_POSITIVE, f32::from_bits(1), -f32::from_bits(1),
        f32::MAX, f32::MIN, f32::INFINITY, f32::NEG_INFINITY
    ], any::<u32>().prop_map(f32::from_bits).prop_filter("a number", |weight| !weight.is_nan());
    f64: [
        0.0, -0.0, 1.0, -1.0, 0.1, f64::MIN_POSITIVE, f64::from_bits(1), -f64::from_bits(1),
        f64::MAX, f64::MIN, f64::INFINITY, f64::NEG_INFINITY
    ], any::<u64>().prop_map(f64::from_bits).prop_filter("a number", |weight| !weight.is_nan());
}

/// Graphs with weights of every type, random or of a known shape, with at most `most_vertices`
/// vertices and `most_edges` edges.
pub fn graphs(most_vertices: u32, most_edges: usize) -> BoxedStrategy<AnyGraph> {
    prop_oneof![
        graphs_of::<i32>(most_vertices, most_edges),
        graphs_of::<u32>(most_vertices, most_edges),
        graphs_of::<i64>(most_vertices, most_edges),
        graphs_of::<u64>(most_vertices, most_edges),
        graphs_of::<f32>(most_vertices, most_edges),
        graphs_of::<f64>(most_vertices, most_edges),
    ]
    .boxed()
}

/// As [`graphs`], with weights of one type.
pub fn graphs_of<W: RandomWeight>(most_vertices: u32, most_edges: usize) -> BoxedStrategy<AnyGraph>
where
    AnyGraph: From<EdgeList<W>>,
{
    let ends = prop_oneof![
        2 => multigraph_ends(most_vertices, most_edges),
        1 => shape_ends(most_vertices, most_edges),
    ];
    (ends, palette::<W>())
        .prop_flat_map(|((vertices, ends), weight)| {
            let weights = prop::collection::vec(weight, ends.len());
            (Just(vertices), Just(ends), weights)
        })
        .prop_map(|(vertices, ends, weights)| {
            let (u, v) = ends.into_iter().unzip();
            AnyGraph::from_edges(vertices as usize, u, v, weights)
                .expect("the ends are vertices and no weight is NaN")
        })
        .boxed()
}

/// The distribution of a graph's weights: one value, two or three values, the whole palette, or any
/// value.
fn palette<W: RandomWeight>() -> impl Strategy<Value = BoxedStrategy<W>> {
    let few = |sizes: RangeInclusive<usize>| {
        prop::sample::subsequence(W::PALETTE, sizes).prop_map(|values| select(values).boxed())
    };
    prop_oneof![
        4 => few(1..=3),
        2 => few(W::PALETTE.len()..=W::PALETTE.len()),
        1 => Just(()).prop_map(|()| W::anything()),
    ]
}

type Ends = Vec<(Vertex, Vertex)>;

/// Random edges. Few vertices give self-loops and parallel edges; few edges give isolated vertices
/// and several components.
fn multigraph_ends(most_vertices: u32, most_edges: usize) -> BoxedStrategy<(u32, Ends)> {
    (0..=most_vertices)
        .prop_flat_map(move |n| {
            let edges = if n == 0 { 0 } else { most_edges };
            let vertex = 0..n.max(1);
            (Just(n), prop::collection::vec((vertex.clone(), vertex), 0..=edges))
        })
        .boxed()
}

/// Shapes on which algorithms often fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphShape {
    /// A path 0-1-2-... An algorithm that takes one edge per round needs one round per vertex.
    Path,
    /// Every vertex is adjacent to the first.
    Star,
    /// A closed path.
    Cycle,
    /// A path with a leaf on each vertex.
    Caterpillar,
    /// Every pair of vertices.
    Complete,
    /// Every pair across two halves of the vertices.
    Bipartite,
    /// Two complete graphs joined by two parallel edges.
    Barbell,
    /// The parent of each vertex `i` is `(i - 1) / 2`.
    BinaryTree,
    /// Disjoint triangles.
    Triangles,
    /// A cycle whose vertices are all adjacent to the first vertex.
    Wheel,
}

impl GraphShape {
    /// All shapes.
    pub const ALL: [Self; 10] = [
        Self::Path,
        Self::Star,
        Self::Cycle,
        Self::Caterpillar,
        Self::Complete,
        Self::Bipartite,
        Self::Barbell,
        Self::BinaryTree,
        Self::Triangles,
        Self::Wheel,
    ];

    /// The edges of the shape on `n` vertices.
    pub fn ends(self, n: u32) -> Vec<(Vertex, Vertex)> {
        let pairs =
            |from: u32, to: u32| (from..to).flat_map(move |u| (u + 1..to).map(move |v| (u, v)));
        let path = (1..n).map(|v| (v - 1, v));
        match self {
            Self::Path => path.collect(),
            Self::Star => (1..n).map(|v| (0, v)).collect(),
            Self::Cycle => (0..n).map(|u| (u, (u + 1) % n)).collect(),
            Self::Caterpillar => {
                let spine = n.div_ceil(2);
                (1..n).map(|v| if v < spine { (v - 1, v) } else { (v - spine, v) }).collect()
            }
            Self::Complete => pairs(0, n).collect(),
            Self::Bipartite => (0..n / 2).flat_map(|u| (n / 2..n).map(move |v| (u, v))).collect(),
            Self::Barbell => {
                let bridges = (0..2).filter(|_| n >= 2).map(|_| (0, n - 1));
                pairs(0, n / 2).chain(pairs(n / 2, n)).chain(bridges).collect()
            }
            Self::BinaryTree => (1..n).map(|v| ((v - 1) / 2, v)).collect(),
            Self::Triangles => (0..n / 3)
                .map(|i| 3 * i)
                .flat_map(|a| [(a, a + 1), (a + 1, a + 2), (a + 2, a)])
                .collect(),
            Self::Wheel => {
                let rim = (1..n).map(|u| (u, if u + 1 < n { u + 1 } else { 1 }));
                rim.chain((1..n).map(|v| (0, v))).collect()
            }
        }
    }
}

/// A shape with shuffled edges, randomly swapped ends, and at most `most_edges` edges.
fn shape_ends(most_vertices: u32, most_edges: usize) -> BoxedStrategy<(u32, Ends)> {
    (select(&GraphShape::ALL[..]), 0..=most_vertices)
        .prop_flat_map(move |(shape, n)| {
            let mut ends = shape.ends(n);
            ends.truncate(most_edges);
            let turned = prop::collection::vec(any::<bool>(), ends.len());
            (Just(n), Just(ends).prop_shuffle(), turned)
        })
        .prop_map(|(n, ends, turned)| {
            let turn = |((u, v), turned)| if turned { (v, u) } else { (u, v) };
            (n, ends.into_iter().zip(turned).map(turn).collect())
        })
        .boxed()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle;

    #[test]
    fn shapes_have_the_right_numbers_of_edges_and_components() {
        for (shape, edges, components) in [
            (GraphShape::Path, 8, 1),
            (GraphShape::Star, 8, 1),
            (GraphShape::Cycle, 9, 1),
            (GraphShape::Caterpillar, 8, 1),
            (GraphShape::Complete, 36, 1),
            (GraphShape::Bipartite, 20, 1),
            (GraphShape::Barbell, 6 + 10 + 2, 1),
            (GraphShape::BinaryTree, 8, 1),
            (GraphShape::Triangles, 9, 3),
            (GraphShape::Wheel, 16, 1),
        ] {
            let ends = shape.ends(9);
            assert_eq!(ends.len(), edges, "{shape:?}");
            let (u, v) = ends.into_iter().unzip();
            let graph = AnyGraph::from_edges(9, u, v, vec![1; edges]).unwrap();
            assert_eq!(oracle::components(&graph), components, "{shape:?}");
        }
    }

    #[test]
    fn the_smallest_shapes_have_valid_ends() {
        for shape in GraphShape::ALL {
            for n in 0..5 {
                assert!(shape.ends(n).iter().all(|&(u, v)| u < n && v < n), "{shape:?} on {n}");
            }
        }
    }
}
