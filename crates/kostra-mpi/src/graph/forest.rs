//! The result of a solver. Its edges stay on the ranks that hold them until they are gathered.

use kostra_core::{CompensatedSum, EdgeSet, Total, Weight, WeightType};

use super::slice::Slice;
use crate::comm::{Communicator, Parts, Reduction};

/// A spanning forest of a distributed graph. Each rank holds the forest's edges of its slice.
#[derive(Clone, Debug, PartialEq)]
pub struct DistributedForest {
    ids: Vec<u64>,
    edges: u64,
    total: Total,
    components: u64,
}

impl DistributedForest {
    /// The forest whose edges on this rank are `set`, by position in `slice`. The edges of all
    /// ranks together must close no cycle. Collective.
    ///
    /// The total equals the total of the same forest on one machine to the last bit. Integers are
    /// summed exactly. The compensated sum of floats is passed from rank to rank, in one message
    /// per rank, one after another.
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
                    Total::Float(total) => total as i128, // not reached for integers
                };
                Total::Integer(world.all_gather(&[own]).items().iter().sum())
            }
        };
        let edges = world.reduce_one(Reduction::Sum, local.len() as u64);
        let ids = local.into_iter().map(|edge| slice.id(edge)).collect();
        Self { ids, edges, total, components: slice.vertices() - edges }
    }

    /// The forest of the same edges in a graph with another number of isolated vertices.
    pub(crate) fn with_vertices(self, vertices: u64) -> Self {
        Self { components: vertices - self.edges, ..self }
    }

    /// The ids of the forest's edges on this rank, ascending. The ids on the next rank are higher.
    pub fn ids(&self) -> &[u64] {
        &self.ids
    }

    /// The number of edges of the forest, on all ranks.
    pub fn edges(&self) -> u64 {
        self.edges
    }

    /// The total weight of the forest, on all ranks.
    pub fn total(&self) -> Total {
        self.total
    }

    /// The number of components of the graph. An isolated vertex is a component.
    pub fn components(&self) -> u64 {
        self.components
    }

    /// All ids of the forest, ascending, at rank 0; `None` at other ranks. Collective. Rank 0 needs
    /// 16 bytes per edge of the forest.
    pub fn gather(&self, world: &Communicator) -> Option<Vec<u64>> {
        world.gather(0, &self.ids).map(Parts::into_items)
    }
}

fn as_f32<W: Weight>(weight: W) -> f32 {
    bytemuck::cast(weight)
}

fn as_f64<W: Weight>(weight: W) -> f64 {
    bytemuck::cast(weight)
}

/// The compensated sum of the values of all ranks, in the order of the ranks. Collective.
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
