//! The trees that answer queries on the forest, and change it edge by edge.

use kostra_core::{Key, Weight};

use crate::bottleneck_tree::BottleneckTree;
use crate::changing_trees::ChangingTrees;

/// The rank of an edge with weights `W`.
pub(crate) type Rank<W> = <<W as Weight>::Key as Key>::Rank;

/// What answers queries on the forest, and changes it edge by edge.
pub(crate) enum Trees<R> {
    /// A batch was solved as a whole, and nothing needed trees since.
    None,
    /// While edges leave the forest only for better ones.
    Growing(BottleneckTree<R>),
    /// When edges leave again and again, until a batch is solved as a whole.
    Changing(Box<ChangingTrees<R>>),
}
