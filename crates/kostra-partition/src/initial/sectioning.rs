//! The initial partition by a number of workers.
//!
//! Source: Manoochehri 2017, section 4.2.2: parallel k-sectioning and parallel bisecting. A
//! bisection grows regions from random vertices and refines each one (section 4.1.2). The workers
//! are the source's threads, but their number does not depend on the number of threads.

use kostra_core::random::RandomStream;
use kostra_parallel::Team;

use super::{Goal, Task, bisect, divide, goal};
use crate::refine::State;
use crate::team::map_blocks;
use crate::{PartitionError, WeightedGraph};

/// The number of regions that a worker grows for a bisection. The source grows a few.
const REGIONS: u64 = 2;

/// The overload and the cut: the least is the best.
type Quality = (i64, i64);

/// A graph that workers divide.
pub(crate) struct SectioningJob<'a> {
    pub(crate) graph: &'a WeightedGraph,
    /// The number of parts, and the greatest weight of a part.
    pub(crate) shape: (u32, i64),
    pub(crate) workers: usize,
    pub(crate) stream: RandomStream,
    pub(crate) team: &'a Team<'a>,
}

impl SectioningJob<'_> {
    /// Parallel k-sectioning: the best of one partition by each worker.
    pub(crate) fn k_section(&self) -> Result<Vec<u32>, PartitionError> {
        let Self { graph, shape, team, .. } = *self;
        let partitions = map_blocks(
            team,
            (self.workers.max(1), 1),
            || (),
            |(), range| {
                let sides = |task: &Task| Ok(self.bisection(task, range.start).1);
                let parts = divide(Task::whole(graph, shape.0), sides)?;
                let state = State::new(graph, parts, shape);
                Ok(((state.overload(), state.cut()), state.parts))
            },
        );
        let partitions = partitions.into_iter().collect::<Result<Vec<_>, PartitionError>>()?;
        let best = partitions.into_iter().min_by_key(|(quality, _)| *quality);
        Ok(best.map_or_else(|| vec![0; graph.vertices() as usize], |(_, parts)| parts))
    }

    /// Parallel bisecting: the best bisection by the workers of a group, then a half of the group
    /// for each side.
    pub(crate) fn in_groups(&self) -> Vec<u32> {
        let mut parts = vec![0; self.graph.vertices() as usize];
        let whole = Task::whole(self.graph, self.shape.0);
        let mut groups = vec![Group { task: whole, workers: self.workers.max(1) }];
        loop {
            let (done, open): (Vec<_>, Vec<_>) =
                groups.into_iter().partition(|group| group.task.count == 1);
            for Group { task, .. } in done {
                task.members.iter().for_each(|&v| parts[v as usize] = task.first);
            }
            if open.is_empty() {
                return parts;
            }
            let sides = self.best_bisections(&open);
            groups = open.iter().zip(sides).flat_map(|(one, sides)| one.halves(&sides)).collect();
        }
    }

    /// The sides of the best bisection of each group, of those that its workers find.
    fn best_bisections(&self, groups: &[Group]) -> Vec<Vec<u8>> {
        let members = |index: usize| (0..groups[index].workers).map(move |worker| (index, worker));
        let workers: Vec<(usize, usize)> = (0..groups.len()).flat_map(members).collect();
        let found = map_blocks(
            self.team,
            (workers.len(), 1),
            || (),
            |(), range| {
                let (group, worker) = workers[range.start];
                self.bisection(&groups[group].task, worker)
            },
        );
        let mut best: Vec<Option<(Quality, Vec<u8>)>> = groups.iter().map(|_| None).collect();
        for (&(group, _), (quality, sides)) in workers.iter().zip(found) {
            let best = &mut best[group];
            if best.as_ref().is_none_or(|(least, _)| quality < *least) {
                *best = Some((quality, sides));
            }
        }
        best.into_iter().flatten().map(|(_, sides)| sides).collect()
    }

    /// A worker's bisection of a task.
    fn bisection(&self, task: &Task, worker: usize) -> (Quality, Vec<u8>) {
        let goal = Goal { attempts: REGIONS, ..goal(&task.graph, task.count, self.shape.1) };
        let stream = self.stream.split(worker as u64).split(task.key());
        let best = bisect::best_of(&task.graph, goal, stream);
        ((best.overload(), best.cut()), best.into_sides())
    }
}

/// Workers that bisect the same task.
struct Group {
    task: Task,
    workers: usize,
}

impl Group {
    /// The groups of the two sides. A single worker has both.
    fn halves(&self, sides: &[u8]) -> [Self; 2] {
        let [first, second] = self.task.halves(sides);
        let workers = self.workers.div_ceil(2);
        [Self { task: first, workers }, Self { task: second, workers: (self.workers / 2).max(1) }]
    }
}
