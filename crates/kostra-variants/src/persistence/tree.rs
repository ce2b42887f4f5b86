//! How the components of a filtration merge, as a tree.

use kostra_core::Vertex;

use super::PersistencePair;

/// The join tree of a sublevel filtration, or the split tree of a superlevel filtration. Its leaves
/// are the starts of components. Its other nodes are the places where components meet. In a
/// disconnected graph, it has a root for each component.
///
/// ```
/// use kostra_core::{Order, Run};
/// use kostra_points::grid::{Connectivity, Grid};
/// use kostra_variants::{JoinTree, persistence_of_grid};
///
/// let grid = Grid::new([1, 1, 5], Connectivity::Faces)?;
/// let heights = [1.0, 4.0, 0.0, 5.0, 2.0];
/// let pairs = persistence_of_grid(&grid, &heights, Order::Minimum, &mut Run::new())?;
/// let tree = JoinTree::new(&pairs).ok_or("a component ends in one that is left out")?;
/// assert_eq!(tree.places, [0, 4, 2, 1, 3]);
/// assert_eq!(tree.values, [1.0, 2.0, 0.0, 4.0, 5.0]);
/// assert_eq!(tree.parents, [Some(3), Some(4), Some(3), Some(4), None]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Source: Carr, Snoeyink & Axen, "Computing contour trees in all dimensions", 2003.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JoinTree {
    /// Where each node is: the vertex of a leaf, and of another node where the components meet,
    /// as [`BranchEnd::at`](super::BranchEnd::at) says. Leaves come first, in the order of the
    /// pairs; then the other nodes, in the order in which components meet.
    pub places: Vec<u32>,
    /// The value at which each node enters.
    pub values: Vec<f64>,
    /// The parent of each node; none for a root. A parent has a higher number.
    pub parents: Vec<Option<u32>>,
}

impl JoinTree {
    /// The tree of the components that these pairs describe, in the order of
    /// [`persistence_of_graph`](super::persistence_of_graph); none if a component ends in one that
    /// is not among them. [`longer_than`](super::longer_than) leaves out none that is needed.
    /// O(k log k) for k pairs.
    pub fn new(pairs: &[PersistencePair]) -> Option<Self> {
        let mut leaves: Vec<(Vertex, u32)> =
            (0..).zip(pairs).map(|(leaf, pair)| (pair.vertex, leaf)).collect();
        leaves.sort_unstable();
        let leaf_at = |vertex: Vertex| {
            let place = leaves.binary_search_by_key(&vertex, |leaf| leaf.0).ok()?;
            Some(leaves[place].1)
        };
        let mut tree = Self {
            places: pairs.iter().map(|pair| pair.vertex).collect(),
            values: pairs.iter().map(|pair| pair.birth).collect(),
            parents: vec![None; pairs.len()],
        };
        // The highest node so far of the component that starts at each leaf.
        let mut tops: Vec<u32> = (0..pairs.len() as u32).collect();
        for (younger, pair) in pairs.iter().enumerate() {
            let Some(end) = pair.end else { continue };
            let elder = leaf_at(end.elder)? as usize;
            let below = [tops[younger], tops[elder]];
            // Three or more components that meet at one place have one node.
            let is_here =
                |&node: &u32| node as usize >= pairs.len() && tree.places[node as usize] == end.at;
            let node = below.into_iter().find(is_here).unwrap_or(tree.places.len() as u32);
            if node as usize == tree.places.len() {
                tree.places.push(end.at);
                tree.values.push(pair.death);
                tree.parents.push(None);
            }
            for child in below.into_iter().filter(|&child| child != node) {
                tree.parents[child as usize] = Some(node);
            }
            tops[elder] = node;
        }
        Some(tree)
    }
}
