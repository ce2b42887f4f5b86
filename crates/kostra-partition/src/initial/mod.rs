//! The initial partition: recursive bisection of the coarsest graph.
//!
//! Source: Manoochehri 2017, sections 4.1.2 and 4.2.2. The caller computes several partitions and
//! takes the best one: the source's parallel k-sectioning. The source computes one partition per
//! thread, so its result depends on the number of threads. Here the number of partitions is fixed,
//! and each has its own random numbers.

mod bisect;
mod grow;
mod sectioning;

use kostra_core::Vertex;
use kostra_core::random::RandomStream;

use crate::{PartitionError, WeightedGraph};

pub(crate) use sectioning::SectioningJob;

/// A set of vertices to be divided into the parts `first..first + count`.
struct Task {
    graph: WeightedGraph,
    /// The vertex of the whole graph that each vertex of `graph` stands for.
    members: Vec<Vertex>,
    first: u32,
    count: u32,
}

/// What a bisection aims at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    /// The greatest weight of each side.
    pub(crate) limits: [i64; 2],
    /// The weight that the second side should have.
    pub(crate) second: i64,
    /// How often the smallest graph is bisected.
    pub(crate) attempts: u64,
}

/// Divides a graph into `count` parts of a weight up to `limit` where possible, on the calling
/// thread. Each bisection takes the best of `attempts`.
pub(crate) fn partition(
    graph: &WeightedGraph,
    (count, limit): (u32, i64),
    attempts: u64,
    stream: RandomStream,
) -> Result<Vec<u32>, PartitionError> {
    divide(Task::whole(graph, count), |task| {
        let goal = Goal { attempts, ..goal(&task.graph, task.count, limit) };
        bisect::bisect(&task.graph, goal, stream.split(task.key()))
    })
}

/// Divides the vertices of a task by recursive bisection. `bisect` finds the side of each vertex.
fn divide(
    whole: Task,
    bisect: impl Fn(&Task) -> Result<Vec<u8>, PartitionError>,
) -> Result<Vec<u32>, PartitionError> {
    let mut parts = vec![0; whole.members.len()];
    let mut tasks = vec![whole];
    while let Some(task) = tasks.pop() {
        if task.count == 1 {
            task.members.iter().for_each(|&v| parts[v as usize] = task.first);
        } else {
            let sides = bisect(&task)?;
            tasks.extend(task.halves(&sides));
        }
    }
    Ok(parts)
}

impl Task {
    /// All vertices of a graph.
    fn whole(graph: &WeightedGraph, count: u32) -> Self {
        let members = (0..graph.vertices()).collect();
        Self { graph: graph.clone(), members, first: 0, count }
    }

    /// A number for the random decisions of this task.
    fn key(&self) -> u64 {
        u64::from(self.first) << 32 | u64::from(self.count)
    }

    /// The tasks of the two sides.
    fn halves(&self, sides: &[u8]) -> [Self; 2] {
        let counts = [self.count.div_ceil(2), self.count / 2];
        let firsts = [self.first, self.first + counts[0]];
        [0, 1].map(|side| {
            let (graph, members) = induced(self, sides, side as u8);
            Self { graph, members, first: firsts[side], count: counts[side] }
        })
    }
}

/// The limits of the sides. Each depth of the recursion may use the same share of the tolerated
/// imbalance (Schlag et al. 2016), and no side may exceed the limits of its parts.
fn goal(graph: &WeightedGraph, count: u32, limit: i64) -> Goal {
    let counts = [count.div_ceil(2), count / 2];
    let total = graph.total_weight();
    let depth = f64::from(count).log2().ceil().max(1.0);
    let slack = limit as f64 * f64::from(count) / (total.max(1) as f64);
    let factor = slack.max(1.0).powf(1.0 / depth);
    let share = |side: usize| total as f64 * f64::from(counts[side]) / f64::from(count);
    let limits = [0, 1].map(|side| {
        let adapted = (share(side) * factor).floor().max(share(side).ceil()) as i64;
        adapted.min(limit.saturating_mul(counts[side].into()))
    });
    Goal { limits, second: share(1) as i64, attempts: 1 }
}

/// The subgraph of the vertices on one side.
fn induced(task: &Task, sides: &[u8], side: u8) -> (WeightedGraph, Vec<Vertex>) {
    let graph = &task.graph;
    let mut names = vec![Vertex::MAX; sides.len()];
    let mut inside = Vec::new();
    for v in (0..graph.vertices()).filter(|&v| sides[v as usize] == side) {
        names[v as usize] = inside.len() as Vertex;
        inside.push(v);
    }
    let (mut offsets, mut neighbors, mut weights) = (vec![0], Vec::new(), Vec::new());
    for &v in &inside {
        for (u, weight) in graph.row(v).filter(|&(u, _)| sides[u as usize] == side) {
            neighbors.push(names[u as usize]);
            weights.push(weight);
        }
        offsets.push(neighbors.len());
    }
    let vertex_weights = inside.iter().map(|&v| graph.weight(v)).collect();
    let members = inside.iter().map(|&v| task.members[v as usize]).collect();
    (WeightedGraph::of_checked(offsets, neighbors, weights, vertex_weights), members)
}
