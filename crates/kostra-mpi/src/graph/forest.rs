//! The answer, which stays where the edges are until somebody wants it in one place.

use kostra_core::{CompensatedSum, EdgeSet, Total, Weight, WeightType};

use crate::{Communicator, Reduction, Slice};

/// A spanning forest of a distributed graph: each rank has those of its edges that are in it.
#[derive(Clone, Debug, PartialEq)]
pub struct DistributedForest {
    ids: Vec<u64>,
    edges: u64,
    total: Total,
    components: u64,
}

impl DistributedForest {
    /// The forest of these edges of each rank's slice, which together close no cycle. Collective.
    ///
    /// The total is to the last bit that of the same forest in one place: integers are summed
    /// exactly, and the compensated sum of floats is handed on from rank to rank, which costs a
    /// message each, one after the other.
    pub fn new<W: Weight>(slice: &Slice<W>, set: EdgeSet, world: &Communicator) -> Self {
        let local = set.into_ids();
        let weights = || local.iter().map(|&edge| slice.edges().weights()[edge as usize]);
        let total = match W::TYPE {
            WeightType::F32 => {
                Total::Float(sum_along_ranks(weights().map(|w| as_f32(w).into()), world))
            }
            WeightType::F64 => Total::Float(sum_along_ranks(weights().map(as_f64), world)),
            _ => {
                let own = match W::total(weights()) {
                    Total::Integer(total) => total,
                    Total::Float(total) => total as i128, // not of integers
                };
                Total::Integer(world.all_gather(&[own]).items().iter().sum())
            }
        };
        let edges = world.reduce_one(Reduction::Sum, local.len() as u64);
        let ids = local.into_iter().map(|edge| slice.id(edge)).collect();
        Self { ids, edges, total, components: slice.vertices() - edges }
    }

    /// The ids of this rank's edges of the forest, ascending; those of the next rank are higher.
    pub fn ids(&self) -> &[u64] {
        &self.ids
    }

    /// How many edges the forest has, on all ranks.
    pub fn edges(&self) -> u64 {
        self.edges
    }

    /// The sum of the weights of the forest, on all ranks.
    pub fn total(&self) -> Total {
        self.total
    }

    /// How many components the graph has; isolated vertices count.
    pub fn components(&self) -> u64 {
        self.components
    }

    /// All ids of the forest, ascending, at rank 0; nothing elsewhere. Collective. Rank 0 needs 16
    /// bytes an edge.
    pub fn gather(&self, world: &Communicator) -> Option<Vec<u64>> {
        world.gather(0, &self.ids).map(crate::Parts::into_items)
    }
}

fn as_f32<W: Weight>(weight: W) -> f32 {
    bytemuck::cast(weight)
}

fn as_f64<W: Weight>(weight: W) -> f64 {
    bytemuck::cast(weight)
}

/// The sum of the values of all ranks, in the order of the ranks. Collective.
fn sum_along_ranks(values: impl Iterator<Item = f64>, world: &Communicator) -> f64 {
    let mut sum = CompensatedSum::default();
    if let Some(before) = world.rank().checked_sub(1)
        && let [so_far, lost] = world.receive(before)[..]
    {
        sum = CompensatedSum { sum: so_far, lost };
    }
    values.for_each(|value| sum.add(value));
    if world.rank() + 1 < world.size() {
        world.send(world.rank() + 1, &[sum.sum, sum.lost]);
    }
    world.broadcast_one(world.size() - 1, sum.value())
}
