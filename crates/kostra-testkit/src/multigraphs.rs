//! Small random multigraphs from a seed, for the stress programs.

use std::fmt::{Debug, Write};

use kostra_core::{AnyGraph, EdgeId, EdgeList, SolverOption, random};

use crate::strategies::{GraphShape, RandomWeight};

/// Describes the edges that only one of the lists contains, the first ten of each. Both lists must
/// ascend.
pub fn difference(found: &[EdgeId], right: &[EdgeId]) -> String {
    let without = |ids: &[EdgeId], others: &[EdgeId]| -> Vec<_> {
        ids.iter().filter(|id| others.binary_search(id).is_err()).copied().take(10).collect()
    };
    format!(
        "{:?} wrongly included and {:?} wrongly missing",
        without(found, right),
        without(right, found)
    )
}

/// Describes a graph in one line; small graphs completely.
pub fn describe(graph: &AnyGraph) -> String {
    let mut text = format!("{} vertices and {} edges", graph.vertices(), graph.edges());
    if graph.edges() <= 60 {
        let _ = write!(text, ": {graph:?}");
    }
    text
}

/// A weight that can be derived from any 64 bits.
trait FromBits: RandomWeight {
    fn from_bits(bits: u64) -> Self;
}

macro_rules! impl_from_bits {
    ($($weight:ty: $from:expr;)*) => {
        $(impl FromBits for $weight {
            fn from_bits(bits: u64) -> Self {
                let from: fn(u64) -> Self = $from;
                from(bits)
            }
        })*
    };
}
impl_from_bits! {
    i32: |bits| bits as i32;
    u32: |bits| bits as u32;
    i64: |bits| bits as i64;
    u64: |bits| bits;
    f32: |bits| f32::from_bits(bits as u32);
    f64: f64::from_bits;
}

/// The generator SplitMix64 (Steele, Lea and Flood 2014), which gives independent numbers for
/// consecutive seeds.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// The next number.
    #[expect(clippy::should_implement_trait, reason = "the sequence is infinite")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(random::STEP);
        random::mix(self.0)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: u32) -> u32 {
        (((self.next() >> 32) * u64::from(bound)) >> 32) as u32
    }

    /// A random value for an option: sometimes the default, otherwise a value close to the lowest,
    /// which divides the work into small pieces.
    pub fn setting(&mut self, option: &SolverOption) -> u64 {
        match self.below(4) {
            0 => option.default,
            _ => {
                let (lowest, highest) = option.values.range();
                highest.min(lowest + u64::from(self.below(10)))
            }
        }
    }

    /// A multigraph of about ten vertices, rarely about a thousand, with weights of any type and
    /// often with ties.
    pub fn any_graph(&mut self) -> AnyGraph {
        match self.below(6) {
            0 => self.graph::<i32>(),
            1 => self.graph::<u32>(),
            2 => self.graph::<i64>(),
            3 => self.graph::<u64>(),
            4 => self.graph::<f32>(),
            _ => self.graph::<f64>(),
        }
    }

    fn graph<W: FromBits + Debug>(&mut self) -> AnyGraph
    where
        AnyGraph: From<EdgeList<W>>,
    {
        let scale = if self.below(200) == 0 { 40 } else { 1 };
        let n = 1 + self.below(40 * scale);
        let mut ends = match self.below(3) {
            0 => {
                GraphShape::ALL[self.below(GraphShape::ALL.len() as u32) as usize].ends(n.min(200))
            }
            _ => self.multigraph(n, scale),
        };
        for index in (1..ends.len()).rev() {
            ends.swap(index, self.below(index as u32 + 1) as usize);
        }
        // A short palette gives ties. Without a palette, weights can have any value.
        let palette = self.below(W::PALETTE.len() as u32 + 2) as usize;
        let weights = ends.iter().map(|_| self.weight::<W>(palette)).collect();
        let turned = ends.iter().map(|&(u, v)| if self.below(2) == 0 { (u, v) } else { (v, u) });
        let (u, v) = turned.collect();
        AnyGraph::from_edges(n as usize, u, v, weights)
            .expect("the ends are vertices and no weight is NaN")
    }

    fn weight<W: FromBits>(&mut self, palette: usize) -> W {
        match W::PALETTE.get(..palette) {
            Some(palette @ [_, ..]) => palette[self.below(palette.len() as u32) as usize],
            _ => Some(W::from_bits(self.next()))
                .filter(|weight| !weight.is_nan())
                .unwrap_or_default(),
        }
    }

    /// Random edges of one kind: between all vertices, between few vertices, between close ids,
    /// within islands, or half of them at a hub.
    fn multigraph(&mut self, n: u32, scale: u32) -> Vec<(u32, u32)> {
        let m = self.below(80 * scale);
        let (family, some) = (self.below(5), 1 + self.below(n));
        let mut edge = || {
            let (u, v) = (self.below(n), self.below(n));
            match family {
                0 => (u, v),
                1 => (u % some, v % some),
                2 => (u, n.min(u + 1 + v % 3) - 1),
                3 => (u, (u - u % some + v % some).min(n - 1)),
                _ if self.below(2) == 0 => (some - 1, v),
                _ => (u, v),
            }
        };
        (0..m).map(|_| edge()).collect()
    }
}
