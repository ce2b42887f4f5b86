//! Instances of Prim's algorithm, each inside one part. An edge that crosses parts is ignored.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use kostra_core::{CsrView, Key, OutOfMemory, Run, SolveError, Vertex, memory};
use kostra_parallel::{SharedEdgeSet, Team, lock};

use super::cut::Parts;
use kostra_cpu::heap::{BinaryHeap, Heap};
use kostra_cpu::no_edge;

/// The number of steps (scanned entries) after which instances pause and report to the observer.
const STRIDE: usize = 1 << 20;

/// One instance of an algorithm that grows trees inside a part. It can pause after any step.
pub(super) trait Instance<K: Key>: Send + Sized {
    /// The instance of a part, before its first step.
    ///
    /// # Errors
    /// When the system refuses the memory.
    fn new(field: &Field<'_, K>, part: usize) -> Result<Self, OutOfMemory>;

    /// Goes on until the part is done, or `steps` are used up. Returns whether the part is done.
    ///
    /// # Errors
    /// When the system refuses the memory.
    fn grow(&mut self, field: &Field<'_, K>, steps: &mut usize) -> Result<bool, OutOfMemory>;
}

/// What the instances share.
pub(super) struct Field<'a, K: Key> {
    pub(super) graph: CsrView<'a, K>,
    pub(super) parts: &'a Parts<'a>,
    /// The edges that the instances choose.
    pub(super) chosen: &'a SharedEdgeSet,
}

impl<K: Key> Field<'_, K> {
    /// Runs an instance in every part. A thread that has finished a part takes the next.
    pub(super) fn grow_all<I: Instance<K>>(
        &self,
        team: &Team<'_>,
        run: &mut Run<'_>,
    ) -> Result<(), SolveError> {
        let next = AtomicUsize::new(0);
        let workers: Vec<Mutex<Option<I>>> =
            (0..team.threads()).map(|_| Mutex::new(None)).collect();
        let refusal = Mutex::new(None);
        loop {
            let unfinished = AtomicBool::new(false);
            team.on_all(|thread| match self.work(&mut lock(&workers[thread]), &next) {
                Ok(true) => {}
                Ok(false) => unfinished.store(true, Relaxed),
                Err(refused) => *lock(&refusal) = Some(refused),
            });
            if let Some(refused) = *lock(&refusal) {
                return Err(refused.into());
            }
            let parts = self.parts.count();
            run.report.progress(next.load(Relaxed).min(parts), parts)?;
            if !unfinished.load(Relaxed) {
                return Ok(());
            }
        }
    }

    /// Goes on with the parts of a thread for about [`STRIDE`] steps. Returns whether no work is
    /// left.
    fn work<I: Instance<K>>(
        &self,
        instance: &mut Option<I>,
        next: &AtomicUsize,
    ) -> Result<bool, OutOfMemory> {
        let mut steps = STRIDE;
        while steps > 0 {
            let Some(current) = instance else {
                let part = next.fetch_add(1, Relaxed);
                if part >= self.parts.count() {
                    return Ok(true);
                }
                steps -= 1;
                *instance = Some(I::new(self, part)?);
                continue;
            };
            if current.grow(self, &mut steps)? {
                *instance = None;
            }
        }
        Ok(false)
    }
}

/// Prim's algorithm on the subgraph of a part. It finds the local forest.
pub(super) struct LocalForest<K: Key> {
    /// The position of the part's first vertex. Positions from there on are local ids.
    first: u32,
    /// The lowest local id that was not tried as a start yet.
    start: u32,
    fringe: BinaryHeap<K>,
    /// The lightest edge known from the tree to each vertex beside it. The vertices of the tree
    /// have the lowest rank.
    nearest: Vec<K::Rank>,
}

impl<K: Key> Instance<K> for LocalForest<K> {
    fn new(field: &Field<'_, K>, part: usize) -> Result<Self, OutOfMemory> {
        let (first, vertices) = field.parts.range(part);
        let nearest = memory::filled(vertices as usize, no_edge::<K>())?;
        Ok(Self { first, start: 0, fringe: BinaryHeap::new(vertices)?, nearest })
    }

    fn grow(&mut self, field: &Field<'_, K>, steps: &mut usize) -> Result<bool, OutOfMemory> {
        while *steps > 0 {
            *steps -= 1;
            let vertex = match self.fringe.delete_min() {
                Some(vertex) => {
                    field.chosen.insert(K::rank_id(self.nearest[vertex as usize]));
                    vertex
                }
                None if self.start as usize == self.nearest.len() => return Ok(true),
                None => {
                    let start = self.start;
                    self.start += 1;
                    if self.nearest[start as usize] != no_edge::<K>() {
                        continue;
                    }
                    start
                }
            };
            *steps = steps.saturating_sub(self.visit(field, vertex)?);
        }
        Ok(false)
    }
}

impl<K: Key> LocalForest<K> {
    /// Adds a vertex to the tree, and scans its edges. Returns their number.
    fn visit(&mut self, field: &Field<'_, K>, vertex: Vertex) -> Result<usize, OutOfMemory> {
        self.nearest[vertex as usize] = K::MIN.rank(0);
        let arcs = field.graph.arcs(field.parts.vertices[(self.first + vertex) as usize]);
        let scanned = arcs.len();
        for arc in arcs {
            let to = field.parts.positions[arc.to as usize].wrapping_sub(self.first);
            // The local id of a vertex in another part is out of range.
            let Some(nearest) = self.nearest.get_mut(to as usize) else { continue };
            let rank = arc.key.rank(arc.id);
            if rank < *nearest {
                if *nearest == no_edge::<K>() {
                    self.fringe.insert(to, rank)?;
                } else {
                    self.fringe.decrease(to, rank);
                }
                *nearest = rank;
            }
        }
        Ok(scanned)
    }
}
