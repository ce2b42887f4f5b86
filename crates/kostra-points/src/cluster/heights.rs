//! How strongly a point of one cluster belongs to each chosen cluster, by the condensed tree.

use kostra_core::{OutOfMemory, memory};

use super::condensed_tree::CondensedTree;
use crate::canonical::{larger, smaller};

/// Which formulas.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Formulas {
    OfFitted,
    OfNew,
}

impl CondensedTree {
    /// The distance at which a cluster and each cluster of the tree are first in one cluster; none
    /// if one of them contains the other.
    fn meetings(&self, cluster: u32) -> Result<Vec<Option<f64>>, OutOfMemory> {
        let mut is_above = memory::filled(self.clusters.len(), false)?;
        let mut above = Some(cluster);
        while let Some(number) = above {
            is_above[number as usize] = true;
            above = self.clusters[number as usize].parent;
        }
        let mut meetings: Vec<Option<f64>> = memory::filled(self.clusters.len(), None)?;
        for (number, other) in self.clusters.iter().enumerate() {
            let Some(parent) = other.parent.filter(|_| !is_above[number]) else { continue };
            meetings[number] = match is_above[parent as usize] {
                true if parent == cluster => None,
                true => Some(self.clusters[parent as usize].death),
                false => meetings[parent as usize],
            };
        }
        Ok(meetings)
    }
}

/// How a cluster of the tree and each chosen cluster meet.
pub(super) struct Heights {
    formulas: Formulas,
    /// The distance at which the cluster ends.
    death: f64,
    /// The distance at which it meets each chosen cluster; none if one contains the other.
    meetings: Vec<Option<f64>>,
    /// The share by each of these distances, not scaled.
    shares: Vec<f64>,
    /// The least of these distances and the label of its chosen cluster.
    nearest: (f64, usize),
    /// The first chosen cluster that contains the cluster or is in it.
    related: Option<usize>,
    /// The distance at which each chosen cluster ends.
    deaths: Vec<f64>,
}

/// The ratio of two densities from the distances in the other order.
fn ratio(numerator: f64, denominator: f64) -> f64 {
    if numerator == denominator { 1.0 } else { numerator / denominator }
}

impl Heights {
    /// The heights of the cluster `home`.
    pub(super) fn new(
        tree: &CondensedTree,
        chosen: &[u32],
        home: u32,
        formulas: Formulas,
    ) -> Result<Self, OutOfMemory> {
        let all = tree.meetings(home)?;
        let meetings = memory::collected(chosen.iter().map(|&cluster| all[cluster as usize]))?;
        let death = tree.clusters[home as usize].death;
        let mut nearest = (f64::INFINITY, 0);
        for (label, &meeting) in meetings.iter().enumerate() {
            if let Some(distance) = meeting
                && distance < nearest.0
            {
                nearest = (distance, label);
            }
        }
        let share =
            |meeting: &Option<f64>| meeting.map_or(0.0, |distance| formulas.share(distance, death));
        Ok(Self {
            formulas,
            death,
            shares: memory::collected(meetings.iter().map(share))?,
            nearest,
            related: meetings.iter().position(Option::is_none),
            deaths: memory::collected(
                chosen.iter().map(|&cluster| tree.clusters[cluster as usize].death),
            )?,
            meetings,
        })
    }

    /// Replaces distances to exemplars by the memberships of a point that leaves or joins the
    /// cluster at `distance`.
    pub(super) fn combine(&self, distance: f64, memberships: &mut [f64]) {
        let own = self.formulas.share(distance, self.death);
        let related_share = self.related.map(|_| own);
        let largest = self.shares.iter().copied().chain(related_share).fold(0.0, larger);
        let touches = memberships.contains(&0.0);
        let share = |label: usize| {
            let share = if self.meetings[label].is_none() { own } else { self.shares[label] };
            self.formulas.scaled(share, largest)
        };
        let mut sum = 0.0;
        for (label, membership) in memberships.iter_mut().enumerate() {
            let by_distance = match touches {
                true => f64::from(u8::from(*membership == 0.0)),
                false => self.formulas.by_distance(*membership),
            };
            *membership = by_distance * share(label);
            sum += *membership;
        }
        if sum == 0.0 || !sum.is_finite() {
            // The nearest exemplar is of a cluster that is too far up the tree.
            sum = 0.0;
            for (label, membership) in memberships.iter_mut().enumerate() {
                *membership = share(label);
                sum += *membership;
            }
        }
        // The package takes the first of several clusters at the least distance.
        let (height, label) = match self.related {
            Some(label) if distance < self.nearest.0 => (distance, label),
            Some(label) if distance == self.nearest.0 => (distance, label.min(self.nearest.1)),
            _ => self.nearest,
        };
        let certainty = ratio(smaller(self.deaths[label], distance), height);
        let scale = if height == f64::INFINITY { 0.0 } else { certainty / sum };
        memberships.iter_mut().for_each(|membership| *membership *= scale);
    }
}

impl Formulas {
    /// The share of a chosen cluster that meets the point's cluster at `height`, not scaled. The
    /// point's cluster ends at `death`.
    fn share(self, height: f64, death: f64) -> f64 {
        match self {
            Self::OfFitted => (-ratio(height, death)).exp().exp(),
            // The exponent; the exponential follows after the largest one is known.
            Self::OfNew => match ratio(death, height) {
                density if density < 1.0 => (1.0 - density).recip(),
                _ => f64::INFINITY,
            },
        }
    }

    fn scaled(self, share: f64, largest: f64) -> f64 {
        match self {
            Self::OfFitted => share,
            Self::OfNew if share == largest => 1.0,
            Self::OfNew => (2.0 * (share - largest)).exp(),
        }
    }

    fn by_distance(self, distance: f64) -> f64 {
        match self {
            Self::OfFitted => distance.recip(),
            Self::OfNew => distance.recip().sqrt(),
        }
    }
}
