//! The numbers of the clusters of a condensed tree.

use kostra_core::{OutOfMemory, memory};

use super::condensed_tree::Cluster;

/// The division of a cluster into two.
pub(super) struct Split {
    pub(super) cluster: u32,
    /// The depth of the two parts in the hierarchy.
    pub(super) depth: u32,
    /// The two clusters, the left one first.
    pub(super) children: [u32; 2],
}

/// Numbers clusters level by level of the hierarchy, and from left to right in a level. Returns the
/// clusters in the order of their numbers, and the number of each cluster.
///
/// At equal depth, no part of the hierarchy contains another one. So the order from left to right
/// is the order in which a walk over the clusters meets them that visits the left child first.
pub(super) fn number(
    clusters: Vec<Cluster>,
    splits: Vec<Split>,
) -> Result<(Vec<Cluster>, Vec<u32>), OutOfMemory> {
    const NONE: u32 = u32::MAX;
    let mut split_of = memory::filled(clusters.len(), NONE)?;
    for (number, split) in (0..).zip(&splits) {
        split_of[split.cluster as usize] = number;
    }
    let mut order = memory::with_capacity(splits.len())?;
    let mut walk = memory::with_capacity(clusters.len())?;
    walk.extend((!clusters.is_empty()).then_some(0_u32));
    while let Some(cluster) = walk.pop() {
        if let Some(split) = splits.get(split_of[cluster as usize] as usize) {
            order.push((split.depth, order.len() as u32, split_of[cluster as usize]));
            walk.extend(split.children.iter().rev());
        }
    }
    order.sort_unstable();

    let mut numbers: Vec<u32> = memory::zeros(clusters.len())?;
    let mut sorted = memory::with_capacity(clusters.len())?;
    sorted.extend(clusters.first().cloned());
    for (_, _, split) in order {
        let Split { cluster, children, .. } = splits[split as usize];
        let (parent, first) = (numbers[cluster as usize], sorted.len() as u32);
        sorted[parent as usize].children = Some([first, first + 1]);
        for (number, child) in (first..).zip(children) {
            numbers[child as usize] = number;
            sorted.push(Cluster { parent: Some(parent), ..clusters[child as usize].clone() });
        }
    }
    Ok((sorted, numbers))
}
