//! The numbers of the clusters of a condensed tree.

use std::cmp::{Ordering, Reverse};
use std::ops::Range;

use kostra_core::random::mix;
use kostra_core::{OutOfMemory, Vertex, memory};

use super::condensed_tree::{Cluster, CondensedTree};

/// The division of a cluster.
pub(super) struct Split {
    pub(super) cluster: u32,
    /// The depth of the parts in the hierarchy.
    pub(super) depth: u32,
    /// The clusters of the parts, from left to right.
    pub(super) children: Range<u32>,
}

/// Numbers clusters level by level of the hierarchy, and from left to right in a level.
///
/// At equal depth, no part of the hierarchy contains another one. So the order from left to right
/// is the order in which a walk over the clusters meets them that visits the left child first.
pub(super) fn by_levels(
    tree: CondensedTree,
    splits: Vec<Split>,
) -> Result<CondensedTree, OutOfMemory> {
    const NONE: u32 = u32::MAX;
    let mut split_of = memory::filled(tree.clusters.len(), NONE)?;
    for (number, split) in (0..).zip(&splits) {
        split_of[split.cluster as usize] = number;
    }
    let mut levels = memory::with_capacity(splits.len())?;
    let mut walk = memory::with_capacity(tree.clusters.len())?;
    walk.extend((!tree.clusters.is_empty()).then_some(0_u32));
    while let Some(cluster) = walk.pop() {
        if let Some(split) = splits.get(split_of[cluster as usize] as usize) {
            levels.push((split.depth, levels.len() as u32, split_of[cluster as usize]));
            walk.extend(split.children.clone().rev());
        }
    }
    levels.sort_unstable();
    let mut order = memory::with_capacity(tree.clusters.len())?;
    order.extend((!tree.clusters.is_empty()).then_some(0_u32));
    for (_, _, split) in levels {
        order.extend(splits[split as usize].children.clone());
    }
    tree.in_order(&order)
}

impl CondensedTree {
    /// The same clusters, with numbers that compare the lowest points of clusters in another way
    /// than by their indices. It makes a difference only if the tree
    /// [is ambiguous](Self::is_ambiguous). If `compare` depends on nothing but the points
    /// themselves, such as their coordinates, the numbers do not depend on the order of the points.
    ///
    /// Takes O(n + k log k) time for n points and k clusters.
    ///
    /// # Errors
    /// When the system does not grant the memory.
    pub fn numbered_by(
        mut self,
        compare: &dyn Fn(&Vertex, &Vertex) -> Ordering,
    ) -> Result<Self, OutOfMemory> {
        let same = |_: u32, _: u32| Ordering::Equal;
        let Some(order) = self.order_by(&same)? else {
            // Few trees have clusters of equal size and distances.
            let inside = self.fingerprints()?;
            let by_inside = |a: u32, b: u32| inside[a as usize].cmp(&inside[b as usize]);
            let order = match self.order_by(&by_inside)? {
                Some(order) => Some(order),
                None => {
                    self.is_ambiguous = true;
                    let lowest = self.lowest_points(compare)?;
                    let by_points = |a: u32, b: u32| {
                        let points = || compare(&lowest[a as usize], &lowest[b as usize]);
                        by_inside(a, b).then_with(points).then(a.cmp(&b))
                    };
                    self.order_by(&by_points)?
                }
            };
            return self.in_order(&order.unwrap_or_default());
        };
        self.in_order(&order)
    }

    /// The clusters in the order of their new numbers. None if `compare` does not tell siblings
    /// apart that have one size, death and stability.
    fn order_by(
        &self,
        compare: &dyn Fn(u32, u32) -> Ordering,
    ) -> Result<Option<Vec<u32>>, OutOfMemory> {
        let clusters = &self.clusters;
        let parent = |cluster: u32| clusters[cluster as usize].parent.unwrap_or_default();
        let mut order = memory::collected(0..clusters.len() as u32)?;
        let mut numbers = memory::copied(&order)?;
        // No cluster is above another one that begins at the same distance, except the first.
        let mut start = 1;
        while let Some(&first) = order.get(start) {
            let birth = clusters[first as usize].birth;
            let same = |&&cluster: &&u32| clusters[cluster as usize].birth == birth;
            let end = start + order[start..].iter().take_while(same).count();
            let siblings = |&a: &u32, &b: &u32| {
                let key = |cluster: u32| {
                    let of = &clusters[cluster as usize];
                    let number = numbers[parent(cluster) as usize];
                    (number, Reverse(of.size), of.death.to_bits(), of.stability.to_bits())
                };
                key(a).cmp(&key(b)).then_with(|| compare(a, b))
            };
            let run = &mut order[start..end];
            run.sort_unstable_by(siblings);
            if run.windows(2).any(|pair| siblings(&pair[0], &pair[1]).is_eq()) {
                return Ok(None);
            }
            for (number, &cluster) in (start as u32..).zip(&order[start..end]) {
                numbers[cluster as usize] = number;
            }
            start = end;
        }
        Ok(Some(order))
    }

    /// A number for each cluster that only depends on the distances inside.
    fn fingerprints(&self) -> Result<Vec<u64>, OutOfMemory> {
        let mut inside: Vec<u64> = memory::zeros(self.clusters.len())?;
        let rows = self.homes.iter().zip(&self.departures).zip(self.weights());
        for ((&home, &departure), weight) in rows {
            let sum = &mut inside[home as usize];
            // As the sum over the points of the row.
            *sum = sum.wrapping_add(mix(departure.to_bits()).wrapping_mul(weight.into()));
        }
        for (number, cluster) in self.clusters.iter().enumerate().rev() {
            inside[number] = mix(inside[number] ^ cluster.death.to_bits());
            if let Some(parent) = cluster.parent {
                inside[parent as usize] = inside[parent as usize].wrapping_add(mix(inside[number]));
            }
        }
        Ok(inside)
    }

    /// The lowest point of each cluster.
    fn lowest_points(
        &self,
        compare: &dyn Fn(&Vertex, &Vertex) -> Ordering,
    ) -> Result<Vec<Vertex>, OutOfMemory> {
        const NONE: Vertex = Vertex::MAX;
        let mut lowest = memory::filled(self.clusters.len(), NONE)?;
        let lower = |lowest: Vertex, point: Vertex| match lowest {
            NONE => point,
            _ if compare(&point, &lowest).is_lt() => point,
            _ => lowest,
        };
        for (point, &home) in (0..).zip(&self.homes) {
            lowest[home as usize] = lower(lowest[home as usize], point);
        }
        for (number, cluster) in self.clusters.iter().enumerate().rev() {
            if let Some(parent) = cluster.parent {
                lowest[parent as usize] = lower(lowest[parent as usize], lowest[number]);
            }
        }
        Ok(lowest)
    }

    /// The tree whose cluster `i` is cluster `order[i]` of this one. Siblings are neighbors.
    fn in_order(self, order: &[u32]) -> Result<Self, OutOfMemory> {
        let mut numbers: Vec<u32> = memory::zeros(order.len())?;
        for (number, &cluster) in (0..).zip(order) {
            numbers[cluster as usize] = number;
        }
        let mut clusters: Vec<Cluster> = memory::with_capacity(order.len())?;
        for (number, &old) in (0..).zip(order) {
            let cluster = &self.clusters[old as usize];
            let parent = cluster.parent.map(|parent| numbers[parent as usize]);
            if let Some(parent) = parent {
                let children = &mut clusters[parent as usize].children;
                let first = if children.start == children.end { number } else { children.start };
                *children = first..number + 1;
            }
            clusters.push(Cluster { parent, children: 0..0, ..cluster.clone() });
        }
        let mut homes = self.homes;
        for home in &mut homes {
            *home = numbers[*home as usize];
        }
        Ok(Self { clusters, homes, ..self })
    }
}
