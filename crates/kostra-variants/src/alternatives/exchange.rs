//! Forests that are one exchange from another one, and their order.

use std::cmp::Ordering;
use std::ops::{Add, Sub};
use std::sync::Arc;

/// An integer of 128 bits or of any size.
pub(super) trait Amount:
    Clone + Ord + Default + Add<Output = Self> + Sub<Output = Self> + Send + Sync
{
}

impl<T> Amount for T where
    T: Clone + Ord + Default + Add<Output = Self> + Sub<Output = Self> + Send + Sync
{
}

/// An edge that leaves a forest and one that enters, and the change of the total.
#[derive(Clone)]
pub(super) struct Exchange<N> {
    pub(super) change: N,
    pub(super) leaves: u32,
    pub(super) enters: u32,
}

impl<N: Amount> Exchange<N> {
    /// The order of the forests that two exchanges make of one forest.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        // The edges that only one of the forests has.
        let differ = self.enters != other.enters;
        let only = |leaves: u32, enters: u32| {
            if self.leaves == other.leaves {
                enters
            } else if differ {
                leaves.max(enters)
            } else {
                leaves
            }
        };
        let (of_self, of_other) =
            (only(other.leaves, self.enters), only(self.leaves, other.enters));
        self.change.cmp(&other.change).then(of_self.cmp(&of_other))
    }
}

/// An edge in which a forest differs from the canonical one: its position, and whether it entered.
pub(super) type Change = (u32, bool);

/// An edge that is in all forests of a set, or in none: in whichever of both its first forest is.
pub(super) struct Condition {
    pub(super) edge: u32,
    pub(super) earlier: Option<Arc<Self>>,
}

impl Drop for Condition {
    /// Drops a long list without recursion.
    fn drop(&mut self) {
        let mut next = self.earlier.take();
        while let Some(mut condition) = next.and_then(Arc::into_inner) {
            next = condition.earlier.take();
        }
    }
}

/// A forest by its total and its edges.
#[derive(Clone)]
pub(super) struct Placed<N> {
    /// The difference of its total from that of the canonical forest.
    pub(super) excess: N,
    /// The changes, by descending edge.
    pub(super) changes: Vec<Change>,
}

impl<N: Amount> Placed<N> {
    pub(super) fn exchanged(&self, exchange: &Exchange<N>) -> Self {
        let mut changes = self.changes.clone();
        for change in [(exchange.leaves, false), (exchange.enters, true)] {
            // An edge that comes back has not changed.
            match changes.binary_search_by(|(edge, _)| change.0.cmp(edge)) {
                Ok(place) => drop(changes.remove(place)),
                Err(place) => changes.insert(place, change),
            }
        }
        Self { excess: self.excess.clone() + exchange.change.clone(), changes }
    }

    pub(super) fn order(&self, other: &Self) -> Ordering {
        self.excess.cmp(&other.excess).then_with(|| {
            let mut pairs = self.changes.iter().zip(&other.changes);
            let place = pairs.position(|(a, b)| a != b);
            let place = place.unwrap_or(self.changes.len().min(other.changes.len()));
            // The forest that has the highest edge in which both differ is the later one.
            match (self.changes.get(place), other.changes.get(place)) {
                (None, None) => Ordering::Equal,
                (Some(&(_, has)), None) => has.cmp(&!has),
                (None, Some(&(_, has))) => (!has).cmp(&has),
                (Some(&(a, has)), Some(&(b, _))) if a > b => has.cmp(&!has),
                (Some(_), Some(&(_, has))) => (!has).cmp(&has),
            }
        })
    }
}

/// A set of forests, with its first and its second forest. It is compared by the second one, which
/// is the candidate for the next forest.
pub(super) struct Candidate<N> {
    pub(super) first: Placed<N>,
    pub(super) second: Placed<N>,
    /// The edge that the first forest has and the second one does not.
    pub(super) leaves: u32,
    pub(super) conditions: Option<Arc<Condition>>,
}

impl<N: Amount> Ord for Candidate<N> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.second.order(&other.second)
    }
}

impl<N: Amount> PartialOrd for Candidate<N> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<N: Amount> PartialEq for Candidate<N> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<N: Amount> Eq for Candidate<N> {}
