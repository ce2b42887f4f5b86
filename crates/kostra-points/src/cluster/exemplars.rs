//! The points in the densest parts of clusters, and the distances to them.

use std::marker::PhantomData;

use kostra_core::{OutOfMemory, memory};

use super::condensed_tree::CondensedTree;
use super::select::Clustering;
use crate::Prepared;
use crate::blocks::{LANES, PointBlocks, compared};
use crate::canonical::{Absolutes, Accumulate, Largest, Norm, Squares, smaller};
use crate::wide::{Work, wide};

/// The points in the densest parts of the chosen clusters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exemplars {
    /// Where the points of each cluster begin in `points`, and the number of points.
    pub starts: Vec<usize>,
    /// The points of each cluster in ascending order.
    pub points: Vec<u32>,
}

impl CondensedTree {
    /// The exemplars of each chosen cluster: the points that leave last in the clusters below it
    /// that are not divided. O(n).
    ///
    /// # Errors
    /// When the system does not grant the memory.
    pub fn exemplars(&self, clustering: &Clustering) -> Result<Exemplars, OutOfMemory> {
        let labels = self.labels_of_clusters(&clustering.clusters)?;
        self.exemplars_of(&labels, clustering.clusters.len())
    }

    /// The exemplars, from the label of each cluster of the tree and the number of labels.
    pub(super) fn exemplars_of(
        &self,
        labels: &[i32],
        clusters: usize,
    ) -> Result<Exemplars, OutOfMemory> {
        let mut found = Vec::new();
        for (point, (&home, &departure)) in (0..).zip(self.homes.iter().zip(&self.departures)) {
            let (cluster, label) = (&self.clusters[home as usize], labels[home as usize]);
            if label >= 0 && cluster.children.is_empty() && departure == cluster.death {
                memory::push(&mut found, (label, point))?;
            }
        }
        found.sort_unstable();
        let start = |label: usize| found.partition_point(|exemplar| (exemplar.0 as usize) < label);
        Ok(Exemplars {
            starts: memory::collected((0..clusters + 1).map(start))?,
            points: memory::collected(found.iter().map(|exemplar| exemplar.1))?,
        })
    }
}

/// The coordinates of all exemplars.
pub(super) struct ExemplarBlocks {
    blocks: PointBlocks,
    /// The label of each exemplar.
    labels: Vec<u32>,
}

impl ExemplarBlocks {
    /// Copies the exemplars. `order` has the index of the point in each row of `prepared`.
    pub(super) fn new(
        exemplars: &Exemplars,
        prepared: &Prepared<'_>,
        order: &[u32],
    ) -> Result<Self, OutOfMemory> {
        let mut row_of = memory::zeros(order.len())?;
        for (row, &point) in (0..).zip(order) {
            row_of[point as usize] = row;
        }
        let mut blocks = PointBlocks::zeros(exemplars.points.len(), prepared.dimensions())?;
        for (number, &point) in exemplars.points.iter().enumerate() {
            blocks.set(number, prepared.row(row_of[point as usize]));
        }
        let mut labels = memory::with_capacity(exemplars.points.len())?;
        for (label, range) in (0..).zip(exemplars.starts.windows(2)) {
            labels.extend((range[0]..range[1]).map(|_| label));
        }
        Ok(Self { blocks, labels })
    }

    /// The compared distance of the nearest exemplar of each cluster.
    pub(super) fn nearest(&self, row: &[f64], norm: Norm, distances: &mut [f64]) {
        distances.fill(f64::INFINITY);
        match norm {
            Norm::Squares => {
                wide(NearestExemplars::<Squares> { of: self, row, distances, norm: PhantomData });
            }
            Norm::Absolutes => {
                wide(NearestExemplars::<Absolutes> { of: self, row, distances, norm: PhantomData });
            }
            Norm::Largest => {
                wide(NearestExemplars::<Largest> { of: self, row, distances, norm: PhantomData });
            }
        }
    }
}

struct NearestExemplars<'a, A> {
    of: &'a ExemplarBlocks,
    row: &'a [f64],
    distances: &'a mut [f64],
    norm: PhantomData<A>,
}

impl<A: Accumulate> Work for NearestExemplars<'_, A> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for (block, labels) in self.of.labels.chunks(LANES).enumerate() {
            let found = compared::<A>(self.row, self.of.blocks.block(block));
            for (&label, found) in labels.iter().zip(found) {
                let distance = &mut self.distances[label as usize];
                *distance = smaller(found, *distance);
            }
        }
    }
}
