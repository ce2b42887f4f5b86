//! New points in the clusters of other points.

use std::cmp::Ordering;
use std::sync::Arc;

use kostra_core::{Run, memory};
use kostra_parallel::{Team, for_each_item, with_observed_team};

use super::condensed_tree::CondensedTree;
use super::select::{Clustering, NOISE};
use crate::canonical::{larger, smaller};
use crate::index::{Lowest, index, reordered, spatial_order};
use crate::kd_tree::{Searchable, ValueSpan};
use crate::neighbors::Nearest;
use crate::samples::counted;
use crate::{Distance, Points, PointsError, Prepared, core_distances};

/// Points whose clusters are known, so that new points find theirs.
///
/// The points are ordered by what is known about them. So a tie that the lowest place decides does
/// not depend on the order of the points.
pub struct Fitted {
    pub(super) tree: Arc<CondensedTree>,
    /// The chosen clusters.
    pub(super) chosen: Vec<u32>,
    /// The label of each cluster of the tree.
    pub(super) labels: Vec<i32>,
    /// The points in order.
    pub(super) prepared: Prepared<'static>,
    /// The index of the point at each place.
    pub(super) order: Vec<u32>,
    /// The label of the point at each place.
    label_of: Vec<i32>,
    /// From the distance at which the point at each place leaves its last cluster, to the distance
    /// at which its chosen cluster begins. Noise has no span.
    spans: Vec<ValueSpan>,
    /// The core distance of the point at each place; empty for [`predict`](Self::predict) alone.
    cores: Vec<f64>,
    min_samples: usize,
    index: Option<Box<dyn Searchable>>,
}

/// The clusters of new points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Predictions {
    /// The cluster of each new point; -1 for noise.
    pub labels: Vec<i32>,
    /// How certainly each new point belongs to its cluster, from 0 to 1; 0 for noise.
    pub probabilities: Vec<f64>,
}

/// The clusters of new points by the rule of the package hdbscan.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ApproximatePredictions {
    /// Labels and probabilities.
    pub clusters: Predictions,
    /// The fitted point that decides about each new point.
    pub neighbors: Vec<u32>,
    /// The mutual reachability distance of both.
    pub distances: Vec<f64>,
    /// The distance of each new point to the nearest fitted point.
    pub nearest: Vec<f64>,
}

/// Where a new point joins the tree.
#[derive(Clone, Copy)]
pub(super) struct Contact {
    /// The place of the fitted point.
    pub(super) place: u32,
    /// The mutual reachability distance.
    pub(super) distance: f64,
    nearest: f64,
}

impl Fitted {
    /// Prepares points for [`predict`](Self::predict). `tree` is their condensed tree by
    /// `distance`, and `clustering` was selected from it. Takes O(n log n) time, 68 bytes per point
    /// and a copy of the coordinates.
    ///
    /// # Errors
    /// As [`spanning_tree`](crate::spanning_tree), and when the tree has another number of points.
    pub fn new(
        points: &Points<'_>,
        distance: impl Into<Distance>,
        tree: Arc<CondensedTree>,
        clustering: &Clustering,
        run: &mut Run<'_>,
    ) -> Result<Self, PointsError> {
        let (prepared, mut fitted) = Self::unordered(points, distance.into(), tree, clustering)?;
        fitted.put_in_order(&prepared, run)?;
        Ok(fitted)
    }

    /// Prepares points for [`approximate_predict`](Self::approximate_predict) and
    /// [`memberships_of`](Self::memberships_of), too. These need core distances.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_cores(
        points: &Points<'_>,
        distance: impl Into<Distance>,
        tree: Arc<CondensedTree>,
        clustering: &Clustering,
        run: &mut Run<'_>,
    ) -> Result<Self, PointsError> {
        let distance = distance.into();
        let (prepared, mut fitted) = Self::unordered(points, distance, tree, clustering)?;
        // The package counts a point itself here, although it does not count it in the tree.
        let min_samples = (distance.min_samples - 1).max(1);
        fitted.cores = core_distances(points, Distance { min_samples, ..distance }, run)?;
        fitted.put_in_order(&prepared, run)?;
        Ok(fitted)
    }

    fn unordered<'p>(
        points: &Points<'p>,
        distance: Distance,
        tree: Arc<CondensedTree>,
        clustering: &Clustering,
    ) -> Result<(Prepared<'p>, Self), PointsError> {
        let (prepared, min_samples) = (Prepared::by(points, distance, 1)?, distance.min_samples);
        points.check_min_samples(min_samples)?;
        if tree.points() != prepared.len() {
            let (points, clustered) = (prepared.len(), tree.points());
            return Err(PointsError::OtherPoints { points, clustered });
        }
        let departures = tree.departures.iter().zip(&clustering.labels);
        // A point that leaves at `latest` is still in the cluster of all points.
        let latest = clustering.latest.next_up();
        let span = |(&floor, &label): (&f64, &i32)| match clustering.clusters.get(label as usize) {
            Some(&chosen) => {
                ValueSpan { floor, ceiling: smaller(tree.clusters[chosen as usize].birth, latest) }
            }
            None => ValueSpan { floor: f64::INFINITY, ceiling: 0.0 },
        };
        let fitted = Self {
            labels: tree.labels_of_clusters(&clustering.clusters)?,
            chosen: memory::copied(&clustering.clusters)?,
            prepared: prepared.selected([].into_iter())?,
            order: memory::collected(0..prepared.len())?,
            label_of: memory::copied(&clustering.labels)?,
            spans: memory::collected(departures.map(span))?,
            cores: Vec::new(),
            min_samples,
            index: None,
            tree,
        };
        Ok((prepared, fitted))
    }

    /// Orders points by label, cluster, departure and core distance.
    fn put_in_order(
        &mut self,
        prepared: &Prepared<'_>,
        run: &mut Run<'_>,
    ) -> Result<(), PointsError> {
        let (tree, cores) = (&self.tree, &self.cores);
        let known = |point: u32| {
            let at = point as usize;
            let core = cores.get(at).map_or(0, |core| core.to_bits());
            (self.label_of[at] as u32, tree.homes[at], tree.departures[at].to_bits(), core)
        };
        self.order.sort_unstable_by(|&a, &b| known(a).cmp(&known(b)).then_with(|| a.cmp(&b)));
        self.label_of = reordered(&self.label_of, &self.order)?;
        self.spans = reordered(&self.spans, &self.order)?;
        if !self.cores.is_empty() {
            self.cores = reordered(&self.cores, &self.order)?;
        }
        self.prepared = prepared.selected(self.order.iter().copied())?;
        if !self.prepared.is_empty() {
            let threads = run.request.threads();
            let (prepared, spans, labels) = (&self.prepared, &self.spans, &self.label_of);
            self.index = Some(with_observed_team(run, threads, |team, run| {
                run.phase("build tree", |_| index(prepared, spans, labels, team))
            })?);
        }
        Ok(())
    }

    /// Whether the points were prepared by [`with_cores`](Self::with_cores).
    pub fn has_cores(&self) -> bool {
        self.cores.len() == self.order.len()
    }

    /// The number of chosen clusters.
    pub fn clusters(&self) -> usize {
        self.chosen.len()
    }

    /// The cluster of each new point, as if it alone were added to the hierarchy of the fitted
    /// points.
    ///
    /// The core distance of a new point is its distance to the `min_samples`-th nearest fitted
    /// point. A new point reaches the fitted point `p` at the largest of its core distance, the
    /// distance to `p` divided by `alpha`, and the distance at which `p` leaves its last cluster,
    /// which is at least the core distance of `p`. A chosen cluster counts if it contains `p` at
    /// the distance at which the new point reaches `p`. The new point joins the cluster that it
    /// reaches first, and of several the one with the lowest label. It is noise if no cluster
    /// counts. The probability follows from this distance as for fitted points.
    ///
    /// So fitted points get their own labels and probabilities, if merges at one distance were
    /// undone together. O(log n) time for each point that is near to others in few dimensions.
    ///
    /// # Errors
    /// When the metric does not accept the new points, they have another number of coordinates, the
    /// observer cancels the run, or the system refuses memory.
    pub fn predict(&self, new: &Points<'_>, run: &mut Run<'_>) -> Result<Predictions, PointsError> {
        let new = self.prepared.others(new)?;
        let joined = self.for_each_new(&new, run, |index, row, nearest: &mut Nearest| {
            let mut lowest = Lowest {
                prepared: &self.prepared,
                spans: &self.spans,
                labels: &self.label_of,
                least: self.core_of(index, row, nearest),
                best: (f64::INFINITY, NOISE),
            };
            index.search(row, &mut lowest);
            let (distance, label) = lowest.best;
            (label, distance)
        })?;
        self.predictions(joined.into_iter())
    }

    /// The distance to the `min_samples`-th nearest fitted point, or 0 for one sample.
    fn core_of(&self, index: &dyn Searchable, row: &[f64], nearest: &mut Nearest) -> f64 {
        if self.min_samples == 1 {
            return 0.0;
        }
        nearest.clear();
        index.search(row, nearest);
        nearest.finish();
        self.prepared.reported_core(nearest.compared[self.places(nearest, self.min_samples) - 1])
    }

    /// How many of the nearest places together count as `samples` points; at least 1.
    fn places(&self, nearest: &Nearest, samples: usize) -> usize {
        let places = nearest.points.iter().map(|&(place, _)| place);
        counted(places, samples, self.prepared.weights()).max(1)
    }

    fn predictions(
        &self,
        joined: impl ExactSizeIterator<Item = (i32, f64)>,
    ) -> Result<Predictions, PointsError> {
        let mut result = Predictions {
            labels: memory::with_capacity(joined.len())?,
            probabilities: memory::with_capacity(joined.len())?,
        };
        for (label, distance) in joined {
            let chosen = self.chosen.get(label as usize);
            result.labels.push(label);
            let probability = chosen.map_or(0.0, |&chosen| self.tree.probability(chosen, distance));
            result.probabilities.push(probability);
        }
        Ok(result)
    }

    /// The cluster of each new point by the rule of the package hdbscan 0.8.44.
    ///
    /// Among the `2 (min_samples - 1)` nearest fitted points, the one decides whose mutual
    /// reachability distance to the new point is least, and of these the nearest. The core distance
    /// of a new point is its distance to the `min_samples`-th nearest fitted point. That of a
    /// fitted point here counts one sample less than in the tree. The new point is in the last
    /// cluster of the deciding point, or in the nearest cluster above that begins at a larger
    /// distance. Ties that are left are decided by label, cluster, and distance of departure. The
    /// package forgets `alpha` here. It divides distances to fitted points, as in the tree.
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    ///
    /// # Panics
    /// When the points were prepared by [`new`](Self::new), without core distances.
    pub fn approximate_predict(
        &self,
        new: &Points<'_>,
        run: &mut Run<'_>,
    ) -> Result<ApproximatePredictions, PointsError> {
        let new = self.prepared.others(new)?;
        let contacts = self.contacts(&new, run)?;
        let joined = contacts.iter().map(|contact| {
            let mut cluster = self.home(contact.place) as usize;
            while let Some(parent) = self.tree.clusters[cluster].parent
                && self.tree.clusters[cluster].birth <= contact.distance
            {
                cluster = parent as usize;
            }
            (self.labels[cluster], contact.distance)
        });
        let clusters = self.predictions(joined)?;
        let of = |contact: &Contact| self.order[contact.place as usize];
        Ok(ApproximatePredictions {
            clusters,
            neighbors: memory::collected(contacts.iter().map(of))?,
            distances: memory::collected(contacts.iter().map(|contact| contact.distance))?,
            nearest: memory::collected(contacts.iter().map(|contact| contact.nearest))?,
        })
    }

    /// The last cluster of the point at a place.
    pub(super) fn home(&self, place: u32) -> u32 {
        self.tree.homes[self.order[place as usize] as usize]
    }

    /// The deciding point of each new point.
    pub(super) fn contacts(
        &self,
        new: &Prepared<'_>,
        run: &mut Run<'_>,
    ) -> Result<Vec<Contact>, PointsError> {
        assert!(self.has_cores(), "the points need core distances");
        self.for_each_new(new, run, |index, row, nearest: &mut Nearest| {
            nearest.clear();
            index.search(row, nearest);
            nearest.finish();
            let distance = |place: usize| self.prepared.reported(nearest.compared[place]);
            let core_at = |place: usize| self.prepared.reported_core(nearest.compared[place]);
            let core = core_at(self.places(nearest, self.min_samples) - 1);
            let asked = self.places(nearest, self.asked());
            let values =
                nearest.points[..asked].iter().enumerate().map(|(at, &(place, _))| Contact {
                    place,
                    distance: larger(core, larger(distance(at), self.cores[place as usize])),
                    nearest: core_at(0),
                });
            let first = |a: &Contact, b: &Contact| {
                a.distance.partial_cmp(&b.distance).unwrap_or(Ordering::Equal)
            };
            values.min_by(first).unwrap_or(Contact { place: 0, distance: 0.0, nearest: 0.0 })
        })
    }

    /// How many samples near a new point are compared to find the one that decides.
    fn asked(&self) -> usize {
        match self.cores.is_empty() {
            true => self.min_samples,
            false => (2 * (self.min_samples - 1)).max(self.min_samples),
        }
    }

    /// The number of neighbors that a search needs. Each counts as one sample or more.
    fn searched(&self) -> usize {
        self.asked().min(self.order.len()).max(1)
    }

    /// The result of `step` for each new point, which may use memory for the nearest points.
    fn for_each_new<T: Send + Clone + Default>(
        &self,
        new: &Prepared<'_>,
        run: &mut Run<'_>,
        step: impl Fn(&dyn Searchable, &[f64], &mut Nearest) -> T + Sync,
    ) -> Result<Vec<T>, PointsError> {
        let mut results = memory::filled(new.len() as usize, T::default())?;
        let Some(index) = self.index.as_deref() else { return Ok(results) };
        // Searches from near points read the same nodes.
        let threads = run.request.threads();
        let order = with_observed_team(run, threads, |team, _| spatial_order(new, team))?;
        let mut found = memory::filled(new.len() as usize, T::default())?;
        // Without memory for more, one search serves each thread at a time.
        let template = Nearest::new(self.searched())?;
        in_blocks(&mut found, run, |first, found| {
            let mut nearest = template.clone();
            for (&point, found) in order[first..].iter().zip(found) {
                *found = step(index, new.row(point), &mut nearest);
            }
        })?;
        for (point, found) in order.into_iter().zip(found) {
            results[point as usize] = found;
        }
        Ok(results)
    }
}

impl Default for Contact {
    fn default() -> Self {
        Self { place: u32::MAX, distance: f64::INFINITY, nearest: f64::INFINITY }
    }
}

/// Calls `step` with the number of the first value of a block and the block, on any thread.
pub(super) fn in_blocks<T: Send>(
    values: &mut [T],
    run: &mut Run<'_>,
    step: impl Fn(usize, &mut [T]) + Sync,
) -> Result<(), PointsError> {
    /// Values between two reports of progress.
    const REPORTED: usize = 1 << 14;
    /// Values that a thread takes at a time.
    const BLOCK: usize = 1 << 7;
    let (threads, len) = (run.request.threads(), values.len());
    with_observed_team(run, threads, |team: &Team<'_>, run| {
        for (part, values) in values.chunks_mut(REPORTED).enumerate() {
            let start = part * REPORTED;
            run.report.progress(start, len).map_err(|_| PointsError::Cancelled)?;
            let blocks = values.chunks_mut(BLOCK).enumerate();
            for_each_item(team, blocks, |(block, values)| step(start + block * BLOCK, values));
        }
        Ok::<_, PointsError>(())
    })
}

#[cfg(test)]
pub(super) mod tests {
    use kostra_core::random::RandomStream;

    use crate::cluster::{Hierarchy, Selection, Ties};
    use crate::{Metric, spanning_tree};

    use super::*;

    /// Points around some centers, on a coarse grid, so that many distances and places are equal.
    pub(in crate::cluster) fn blobs(seed: u64, n: usize, dimensions: usize) -> Vec<f64> {
        let random = RandomStream::new(seed);
        let mut values = Vec::new();
        for point in 0..n as u64 {
            for k in 0..dimensions as u64 {
                let center = (random.split(7).at(point % 4 * 64 + k) % 40) as f64;
                let offset = (random.split(8).at(point * 64 + k) % 9) as f64;
                values.push(1.0 + center + offset / 2.0);
            }
        }
        values
    }

    pub(in crate::cluster) struct Case {
        pub(in crate::cluster) rows: Vec<f64>,
        pub(in crate::cluster) dimensions: usize,
        pub(in crate::cluster) distance: Distance,
        pub(in crate::cluster) selection: Selection,
    }

    impl Case {
        pub(in crate::cluster) fn points(&self) -> Points<'_> {
            Points::new(&self.rows, self.dimensions).unwrap()
        }

        pub(in crate::cluster) fn clusters(&self) -> (Arc<CondensedTree>, Clustering) {
            let tree = spanning_tree(&self.points(), self.distance, &mut Run::new()).unwrap();
            let condensed = Hierarchy::new(tree).unwrap().condensed(5, Ties::Together).unwrap();
            let compare = |&a: &u32, &b: &u32| self.row(a).partial_cmp(self.row(b)).unwrap();
            let condensed = condensed.numbered_by(&compare);
            let condensed = condensed.unwrap();
            let clustering = condensed.select(self.selection).unwrap();
            (Arc::new(condensed), clustering)
        }

        fn row(&self, point: u32) -> &[f64] {
            &self.rows[point as usize * self.dimensions..][..self.dimensions]
        }

        pub(in crate::cluster) fn fitted(&self) -> Fitted {
            let (tree, clustering) = self.clusters();
            let mut run = Run::new().on_threads(2);
            Fitted::with_cores(&self.points(), self.distance, tree, &clustering, &mut run).unwrap()
        }

        /// The same points in another order.
        pub(in crate::cluster) fn shuffled(&self) -> (Vec<u32>, Self) {
            let mut order: Vec<u32> = (0..self.points().len()).collect();
            order.sort_by_key(|&point| RandomStream::new(99).at(point.into()));
            let d = self.dimensions;
            let rows = order.iter().flat_map(|&point| &self.rows[point as usize * d..][..d]);
            (order.clone(), Self { rows: rows.copied().collect(), ..*self })
        }
    }

    /// Cases of each metric, of few and many dimensions, and of one cluster.
    pub(in crate::cluster) fn cases() -> Vec<Case> {
        let mut cases = Vec::new();
        for (seed, dimensions) in [(1, 2), (2, 3), (3, 5), (4, 2), (5, 17)] {
            for metric in Metric::ALL {
                for min_samples in [1, 2, 5] {
                    let dimensions = if metric == Metric::Haversine { 2 } else { dimensions };
                    let distance = Distance::mutual_reachability(metric, min_samples);
                    let allow_single_cluster = seed == 4;
                    let selection = Selection { allow_single_cluster, ..Selection::default() };
                    let rows = blobs(seed, 120, dimensions);
                    cases.push(Case { rows, dimensions, distance, selection });
                }
            }
        }
        // Divisors by powers of two round nothing, so that a test can divide at another step.
        for (seed, alpha) in [(1, 0.5), (2, 2.0), (4, 8.0), (5, 2.0)] {
            for metric in Metric::ALL.into_iter().filter(|metric| metric.scales()) {
                let dimensions = if seed == 5 { 17 } else { 2 };
                let distance = Distance::mutual_reachability(metric, 5).divided_by(alpha);
                let (rows, selection) = (blobs(seed, 120, dimensions), Selection::default());
                cases.push(Case { rows, dimensions, distance, selection });
            }
        }
        cases
    }

    fn predict(fitted: &Fitted, new: &Points<'_>) -> Predictions {
        fitted.predict(new, &mut Run::new().on_threads(2)).unwrap()
    }

    fn approximate(fitted: &Fitted, new: &Points<'_>) -> ApproximatePredictions {
        fitted.approximate_predict(new, &mut Run::new().on_threads(2)).unwrap()
    }

    #[test]
    fn fitted_points_get_their_own_labels_and_probabilities() {
        let mut clusters = 0;
        for case in cases() {
            let (_, clustering) = case.clusters();
            let predicted = predict(&case.fitted(), &case.points());
            assert_eq!(predicted.labels, clustering.labels, "{:?}", case.distance);
            assert_eq!(predicted.probabilities, clustering.probabilities, "{:?}", case.distance);
            clusters += clustering.clusters.len();
        }
        assert!(clusters > 100, "{clusters}");
    }

    #[test]
    fn new_points_join_the_cluster_that_they_reach_first() {
        for case in cases() {
            let (tree, clustering) = case.clusters();
            let new = blobs(77, 60, case.dimensions);
            let new = Points::new(&new, case.dimensions).unwrap();
            let predicted = predict(&case.fitted(), &new);
            let fitted = Prepared::new(&case.points(), case.distance.metric).unwrap();
            let rows = fitted.others(&new).unwrap();
            for point in 0..new.len() {
                let distances: Vec<f64> = (0..fitted.len())
                    .map(|p| fitted.norm().compared(rows.row(point), fitted.row(p)))
                    .map(|compared| fitted.reported(compared))
                    .collect();
                let mut sorted = distances.clone();
                sorted.sort_by(f64::total_cmp);
                let core = sorted[case.distance.min_samples - 1];
                let reached = (0..fitted.len() as usize).filter_map(|p| {
                    let label = clustering.labels[p];
                    let apart = distances[p] / case.distance.alpha;
                    let value = apart.max(core).max(tree.departures()[p]);
                    let chosen = *clustering.clusters.get(label as usize)?;
                    let counts = value < tree.clusters()[chosen as usize].birth
                        && value <= clustering.latest;
                    counts.then_some((value, label))
                });
                let best = reached.min_by(|a, b| a.partial_cmp(b).unwrap());
                assert_eq!(predicted.labels[point as usize], best.map_or(-1, |best| best.1));
            }
        }
    }

    #[test]
    fn predictions_do_not_depend_on_the_order_of_the_points() {
        for case in cases() {
            let (order, other) = case.shuffled();
            let new = blobs(78, 60, case.dimensions);
            let new = Points::new(&new, case.dimensions).unwrap();
            let (fitted, shuffled) = (case.fitted(), other.fitted());
            assert_eq!(predict(&fitted, &new), predict(&shuffled, &new));
            let (one, two) = (approximate(&fitted, &new), approximate(&shuffled, &new));
            assert_eq!((&one.clusters, &one.distances), (&two.clusters, &two.distances));
            // Only points that are equal in every respect are exchanged.
            let (tree, _) = case.clusters();
            let known =
                |point: u32| (tree.homes()[point as usize], tree.departures()[point as usize]);
            for (&a, &b) in one.neighbors.iter().zip(&two.neighbors) {
                assert_eq!(known(a), known(order[b as usize]));
            }
        }
    }

    #[test]
    fn other_points_are_refused() {
        let case = &cases()[0];
        let (tree, clustering) = case.clusters();
        let run = &mut Run::new();
        let few = Points::new(&case.rows[2..], 2).unwrap();
        let refused = Fitted::new(&few, case.distance, tree, &clustering, run).err().unwrap();
        assert!(refused.to_string().contains("119 points, and clusters of 120"));
        let wide = Points::new(&[0.0; 3], 3).unwrap();
        let refused = case.fitted().predict(&wide, run).unwrap_err();
        assert!(refused.to_string().contains("3 coordinates each, the fitted points 2"));
    }
}
