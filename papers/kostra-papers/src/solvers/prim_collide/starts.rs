//! The vertices from which instances start trees.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use kostra_core::{Vertex, random};

/// What a thread does after a collision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AfterCollision {
    /// It waits until the stage ends.
    Wait,
    /// It grows another tree.
    Restart,
}

/// The start vertices of a stage.
pub(super) enum Starts {
    /// One range of vertices per instance: the next vertex, and the end. An instance that has
    /// finished its range takes vertices of the others. So each vertex is tried once.
    Shares(Vec<(AtomicUsize, usize)>),
    /// Each instance tries all vertices, from a pseudorandom vertex on.
    Scattered {
        /// The number of vertices.
        vertices: u32,
        /// The number of the stage.
        stage: u64,
    },
}

/// Where an instance looks for its next start vertex.
pub(super) struct Search {
    /// The number of the instance.
    index: usize,
    /// The range from which it takes vertices now.
    share: usize,
    /// The number of vertices that it has tried.
    tried: u32,
}

impl Search {
    pub(super) fn new(index: usize) -> Self {
        Self { index, share: index, tried: 0 }
    }

    /// Prepares for the next stage.
    pub(super) fn begin(&mut self) {
        *self = Self::new(self.index);
    }
}

impl Starts {
    /// The start vertices of the stage with the number `stage`.
    ///
    /// If instances wait after a collision, the start vertices decide how far the trees of a stage
    /// grow. With fixed ones, there are graphs on which a tree collides after a few vertices in
    /// every stage: in a star whose leaves are tried in the order of their weights, a stage visits
    /// one leaf per instance. Pseudorandom starts depend on no weight.
    pub(super) fn new(
        vertices: u32,
        instances: usize,
        stage: u64,
        after_collision: AfterCollision,
    ) -> Self {
        let bound = |index| vertices as usize * index / instances;
        match after_collision {
            AfterCollision::Wait => Self::Scattered { vertices, stage },
            AfterCollision::Restart => Self::Shares(
                (0..instances)
                    .map(|index| (AtomicUsize::new(bound(index)), bound(index + 1)))
                    .collect(),
            ),
        }
    }

    /// The next vertex to try; none if the instance has no vertex left.
    pub(super) fn next(&self, search: &mut Search) -> Option<Vertex> {
        match self {
            Self::Shares(shares) => next_of_shares(shares, &mut search.share),
            &Self::Scattered { vertices, stage } => {
                let tried = search.tried;
                search.tried += u32::from(tried < vertices);
                let number = (stage << 32 | search.index as u64) + 1;
                let first =
                    random::mix(number.wrapping_mul(random::STEP)) % u64::from(vertices.max(1));
                let vertex = (first + u64::from(tried)) % u64::from(vertices.max(1));
                (tried < vertices).then_some(vertex as Vertex)
            }
        }
    }
}

/// The next vertex that was not taken yet, from this share or the next share that has one.
fn next_of_shares(shares: &[(AtomicUsize, usize)], share: &mut usize) -> Option<Vertex> {
    for _ in 0..shares.len() {
        let (next, end) = &shares[*share];
        // The load keeps the counter near its end.
        if next.load(Relaxed) < *end {
            let vertex = next.fetch_add(1, Relaxed);
            if vertex < *end {
                return Some(vertex as Vertex);
            }
        }
        *share = (*share + 1) % shares.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(starts: &Starts, search: &mut Search) -> Vec<Vertex> {
        std::iter::from_fn(|| starts.next(search)).collect()
    }

    #[test]
    fn an_instance_that_restarts_gets_each_vertex_that_no_other_has_taken() {
        for (vertices, instances) in [(0, 1), (1, 3), (10, 3), (100, 7)] {
            let starts = Starts::new(vertices, instances, 0, AfterCollision::Restart);
            let mut taken = all(&starts, &mut Search::new(instances - 1));
            taken.sort_unstable();
            assert_eq!(taken, (0..vertices).collect::<Vec<_>>());
            assert_eq!(starts.next(&mut Search::new(0)), None);
        }
    }

    #[test]
    fn an_instance_that_waits_tries_each_vertex_in_each_stage() {
        let mut firsts = Vec::new();
        for stage in 0..20 {
            for vertices in [1, 2, 1000] {
                let starts = Starts::new(vertices, 2, stage, AfterCollision::Wait);
                let mut tried = all(&starts, &mut Search::new(1));
                firsts.push(tried[0]);
                tried.sort_unstable();
                assert_eq!(tried, (0..vertices).collect::<Vec<_>>());
            }
        }
        firsts.sort_unstable();
        firsts.dedup();
        assert!(firsts.len() > 15, "{firsts:?}");
    }
}
