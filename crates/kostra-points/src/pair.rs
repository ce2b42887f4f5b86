//! A pair of points in the canonical order.

use kostra_core::{OutOfMemory, memory};

use crate::{PointTree, Prepared};

/// A pair of points with its compared distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pair {
    pub(crate) compared: f64,
    /// The lower index.
    pub(crate) low: u32,
    /// The higher index.
    pub(crate) high: u32,
}

impl Pair {
    /// After every pair.
    pub(crate) const NONE: Self = Self { compared: f64::INFINITY, low: u32::MAX, high: u32::MAX };

    #[inline(always)]
    pub(crate) fn new(compared: f64, u: u32, v: u32) -> Self {
        Self { compared, low: u.min(v), high: u.max(v) }
    }

    /// Whether the pair is before another one in the order of (compared distance, lower index,
    /// higher index).
    #[inline(always)]
    pub(crate) fn is_before(&self, other: &Self) -> bool {
        self.key() < other.key()
    }

    /// The position in the order, as integers. Compared distances are not negative, so their bits
    /// ascend with them.
    #[inline(always)]
    pub(crate) fn key(&self) -> (u64, u64) {
        (self.compared.to_bits(), u64::from(self.low) << 32 | u64::from(self.high))
    }
}

/// The tree of the given pairs, in any order.
pub(crate) fn tree(
    prepared: &Prepared<'_>,
    mut pairs: Vec<Pair>,
) -> Result<PointTree, OutOfMemory> {
    pairs.sort_unstable_by_key(Pair::key);
    Ok(PointTree {
        len: prepared.len(),
        ends: memory::collected(pairs.iter().map(|pair| [pair.low, pair.high]))?,
        distances: memory::collected(pairs.iter().map(|pair| prepared.reported(pair.compared)))?,
    })
}
