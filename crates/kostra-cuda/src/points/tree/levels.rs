//! The levels of a tree over points, as `Levels` in `kernels/points/walk.cuh` computes them.

use crate::shared::constant;

/// The text that has the constants of the tree.
const GEOMETRY: &str = include_str!("../../../kernels/points/geometry.cuh");
/// The number of points of a leaf, and of children of a node.
pub(in super::super) const WIDTH: u32 = constant(GEOMETRY, "WIDTH") as u32;

/// A level of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Level {
    /// The index of its first node.
    pub(in super::super) begin: u32,
    /// The number of its nodes, with empty ones up to a multiple of [`WIDTH`].
    pub(in super::super) nodes: u32,
}

/// The levels of a tree over `points` points, the leaves first.
pub(in super::super) fn levels(points: u32) -> Vec<Level> {
    let (mut levels, mut begin, mut nodes) = (Vec::new(), 0, points.div_ceil(WIDTH));
    loop {
        let groups = nodes.div_ceil(WIDTH).max(1);
        levels.push(Level { begin, nodes: groups * WIDTH });
        if nodes <= WIDTH {
            return levels;
        }
        begin += groups * WIDTH;
        nodes = groups;
    }
}

/// The number of nodes of all levels.
pub(in super::super) fn nodes(levels: &[Level]) -> usize {
    levels.iter().map(|level| level.nodes as usize).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_level_has_at_most_32_nodes() {
        let shape = |points| {
            levels(points).iter().map(|level| (level.begin, level.nodes)).collect::<Vec<_>>()
        };
        assert_eq!(shape(1), [(0, 32)]);
        assert_eq!(shape(1024), [(0, 32)]);
        assert_eq!(shape(1025), [(0, 64), (64, 32)]);
        assert_eq!(shape(1 << 20), [(0, 1 << 15), (1 << 15, 1 << 10), (33 << 10, 32)]);
        let most = levels(u32::MAX - 1);
        assert_eq!(most.len(), 6);
        assert!(nodes(&most) < 1 << 28);
    }
}
