//! How strongly points belong to every chosen cluster.
//!
//! * **Idea**: the membership in a cluster is the product of two shares, one by the distance to the
//!   nearest exemplar of the cluster, one by the height at which the point and the cluster meet in
//!   the condensed tree. The shares of a point are scaled so that their sum is the probability that
//!   it belongs to any cluster.
//! * **Source**: the formulas of the soft clustering in the package hdbscan 0.8.44. Ratios of
//!   densities are computed as ratios of distances, so that equal points give numbers, and without
//!   the 1e-8 that the package adds to densities, so that the unit does not matter.
//! * **Time** O((e d + c) n) for n points, e exemplars and c clusters. The memory of a thread is a
//!   row of c numbers.

use std::sync::Mutex;
use std::sync::atomic::Ordering::Relaxed;

use kostra_core::{OutOfMemory, Run, memory};
use kostra_parallel::{atomic_u32, atomic_u64, into_item, lock};

use super::exemplars::ExemplarBlocks;
use super::heights::{Formulas, Heights};
use super::predict::{Fitted, in_blocks};
use crate::canonical::larger;
use crate::{Points, PointsError, Prepared};

/// The largest memberships of each point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TopMemberships {
    /// `n * k` labels, row by row: those with the largest memberships first, then in ascending
    /// order.
    pub labels: Vec<i32>,
    /// `n * k` memberships.
    pub memberships: Vec<f64>,
}

/// A point whose memberships are wanted.
#[derive(Clone, Copy)]
struct Member {
    /// The cluster that it leaves, or that a new point joins.
    home: u32,
    /// The index of its row of the answer.
    index: u32,
    /// Its row of coordinates.
    row: u32,
    /// The distance at which it leaves or joins the cluster.
    distance: f64,
}

impl Fitted {
    /// The memberships of each fitted point in each chosen cluster: n rows of
    /// [`clusters`](Self::clusters) numbers from 0 to 1, whose sum is at most 1.
    ///
    /// # Errors
    /// When the observer cancels the run, or the system refuses memory.
    pub fn memberships(&self, run: &mut Run<'_>) -> Result<Vec<f64>, PointsError> {
        self.all_of(&mut self.members()?, (&self.prepared, Formulas::OfFitted), run)
    }

    /// The `k` largest memberships of each fitted point, or all if there are fewer clusters.
    ///
    /// # Errors
    /// As [`memberships`](Self::memberships).
    pub fn top_memberships(
        &self,
        k: usize,
        run: &mut Run<'_>,
    ) -> Result<TopMemberships, PointsError> {
        self.top_of(k, &mut self.members()?, (&self.prepared, Formulas::OfFitted), run)
    }

    /// The memberships of new points, as [`memberships`](Self::memberships) returns them. A new
    /// point joins the tree where [`approximate_predict`](Self::approximate_predict) finds its
    /// deciding point.
    ///
    /// # Errors
    /// As [`approximate_predict`](Self::approximate_predict).
    ///
    /// # Panics
    /// As [`approximate_predict`](Self::approximate_predict).
    pub fn memberships_of(
        &self,
        new: &Points<'_>,
        run: &mut Run<'_>,
    ) -> Result<Vec<f64>, PointsError> {
        let new = self.prepared.others(new)?;
        self.all_of(&mut self.new_members(&new, run)?, (&new, Formulas::OfNew), run)
    }

    /// The `k` largest memberships of new points.
    ///
    /// # Errors
    /// As [`approximate_predict`](Self::approximate_predict).
    ///
    /// # Panics
    /// As [`approximate_predict`](Self::approximate_predict).
    pub fn top_memberships_of(
        &self,
        new: &Points<'_>,
        k: usize,
        run: &mut Run<'_>,
    ) -> Result<TopMemberships, PointsError> {
        let new = self.prepared.others(new)?;
        self.top_of(k, &mut self.new_members(&new, run)?, (&new, Formulas::OfNew), run)
    }

    /// The fitted points in order, in which points of one cluster are neighbors.
    fn members(&self) -> Result<Vec<Member>, OutOfMemory> {
        memory::collected((0..self.prepared.len()).map(|place| {
            let index = self.order[place as usize];
            let distance = self.tree.departures[index as usize];
            Member { home: self.home(place), index, row: place, distance }
        }))
    }

    /// New points in the order of the clusters that they join.
    fn new_members(
        &self,
        new: &Prepared<'_>,
        run: &mut Run<'_>,
    ) -> Result<Vec<Member>, PointsError> {
        let contacts = self.contacts(new, run)?;
        let mut members = memory::with_capacity(contacts.len())?;
        members.extend((0..).zip(&contacts).filter_map(|(index, contact)| {
            let departure = self.tree.departures[*self.order.get(contact.place as usize)? as usize];
            let distance = larger(contact.distance, departure);
            Some(Member { home: self.home(contact.place), index, row: index, distance })
        }));
        members.sort_unstable_by_key(|member| (member.home, member.index));
        Ok(members)
    }

    fn all_of(
        &self,
        members: &mut [Member],
        (rows, formulas): (&Prepared<'_>, Formulas),
        run: &mut Run<'_>,
    ) -> Result<Vec<f64>, PointsError> {
        let clusters = self.clusters();
        let mut bits = memory::zeros(rows.len() as usize * clusters)?;
        let slots = atomic_u64(&mut bits);
        self.for_each_row(members, (rows, formulas), run, |index, memberships| {
            let start = index as usize * clusters;
            for (slot, membership) in slots[start..].iter().zip(memberships) {
                slot.store(membership.to_bits(), Relaxed);
            }
        })?;
        Ok(bits.into_iter().map(f64::from_bits).collect())
    }

    fn top_of(
        &self,
        k: usize,
        members: &mut [Member],
        (rows, formulas): (&Prepared<'_>, Formulas),
        run: &mut Run<'_>,
    ) -> Result<TopMemberships, PointsError> {
        let k = k.min(self.clusters());
        let mut labels = memory::zeros(rows.len() as usize * k)?;
        let mut bits = memory::zeros(rows.len() as usize * k)?;
        let (label_slots, slots) = (atomic_u32(&mut labels), atomic_u64(&mut bits));
        self.for_each_row(members, (rows, formulas), run, |index, memberships| {
            let mut first: Vec<_> = (0..).zip(memberships.iter().copied()).collect();
            let order = |a: &(u32, f64), b: &(u32, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
            if k < first.len() {
                first.select_nth_unstable_by(k, order);
                first.truncate(k);
            }
            first.sort_unstable_by(order);
            for (at, (label, membership)) in (index as usize * k..).zip(first) {
                label_slots[at].store(label, Relaxed);
                slots[at].store(membership.to_bits(), Relaxed);
            }
        })?;
        Ok(TopMemberships {
            labels: labels.into_iter().map(|label| label as i32).collect(),
            memberships: bits.into_iter().map(f64::from_bits).collect(),
        })
    }

    /// Calls `found` with the index of each member and its memberships, on any thread.
    fn for_each_row(
        &self,
        members: &mut [Member],
        (rows, formulas): (&Prepared<'_>, Formulas),
        run: &mut Run<'_>,
        found: impl Fn(u32, &[f64]) + Sync,
    ) -> Result<(), PointsError> {
        if self.chosen.is_empty() {
            return Ok(());
        }
        let exemplars = self.tree.exemplars_of(&self.labels, self.clusters())?;
        let exemplars = ExemplarBlocks::new(&exemplars, &self.prepared, &self.order)?;
        let failure = Mutex::new(None);
        in_blocks(members, run, |_, members| {
            if let Err(refusal) = self.block(members, &exemplars, (rows, formulas), &found) {
                *lock(&failure) = Some(refusal);
            }
        })?;
        into_item(failure).map_or(Ok(()), |refusal| Err(PointsError::from(refusal)))
    }

    fn block(
        &self,
        members: &[Member],
        exemplars: &ExemplarBlocks,
        (rows, formulas): (&Prepared<'_>, Formulas),
        found: &(impl Fn(u32, &[f64]) + Sync),
    ) -> Result<(), OutOfMemory> {
        let mut memberships = memory::filled(self.clusters(), 0.0)?;
        for members in members.chunk_by(|a, b| a.home == b.home) {
            let heights = Heights::new(&self.tree, &self.chosen, members[0].home, formulas)?;
            for member in members {
                exemplars.nearest(rows.row(member.row), self.prepared.norm(), &mut memberships);
                for distance in &mut memberships {
                    *distance = self.prepared.reported(*distance);
                }
                heights.combine(member.distance, &mut memberships);
                found(member.index, &memberships);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::cluster::predict::tests::{blobs, cases};

    use super::*;

    fn run() -> Run<'static> {
        Run::new().on_threads(2)
    }

    #[test]
    fn memberships_do_not_depend_on_the_order_of_the_points() {
        for case in cases() {
            let (order, other) = case.shuffled();
            let (fitted, shuffled) = (case.fitted(), other.fitted());
            let clusters = fitted.clusters();
            assert_eq!(clusters, shuffled.clusters());
            let (one, two) = (
                fitted.memberships(&mut run()).unwrap(),
                shuffled.memberships(&mut run()).unwrap(),
            );
            if clusters > 0 {
                for (row, &point) in two.chunks(clusters).zip(&order) {
                    assert_eq!(row, &one[point as usize * clusters..][..clusters]);
                }
            }
            let new = blobs(79, 60, case.dimensions);
            let new = Points::new(&new, case.dimensions).unwrap();
            let of_new = |fitted: &Fitted| fitted.memberships_of(&new, &mut run()).unwrap();
            assert_eq!(of_new(&fitted), of_new(&shuffled));
        }
    }

    #[test]
    fn memberships_are_shares_of_at_most_one() {
        for case in cases() {
            let fitted = case.fitted();
            let clusters = fitted.clusters();
            let new = blobs(80, 60, case.dimensions);
            let new = Points::new(&new, case.dimensions).unwrap();
            let of_new = fitted.memberships_of(&new, &mut run()).unwrap();
            for rows in [fitted.memberships(&mut run()).unwrap(), of_new] {
                for row in rows.chunks(clusters.max(1)) {
                    let sum: f64 = row.iter().sum();
                    assert!(row.iter().all(|&x| x >= 0.0) && sum <= 1.0 + 1e-12, "{row:?}");
                }
            }
        }
    }
}
