//! Ranks that share a machine: the first rank of each machine, its *leader*, solves for all of
//! them, on their threads and processors.
//!
//! * Messages between ranks on one machine are copied twice through memory that the ranks share
//!   anyway. Each rank builds, compares and relabels data that threads of one process would read in
//!   place. So the leader [joins](super::join) the slices of its machine to one slice. The other
//!   ranks sleep meanwhile, because the leader uses their processors.
//! * On one machine, the leader computes the forest of the joined slice. On several machines, the
//!   leaders take the steps between ranks, each with the slice of its machine. So a vertex that
//!   several ranks of a machine have edges at is sent to other machines once, and the interior of a
//!   machine includes the boundaries between its ranks.
//! * At the end, the leader sends each rank the bits of its slice.
//! * Machines hold consecutive slices, because ranks are numbered machine by machine. So
//!   `(key, leader, position)` is the order of all edges, as between ranks.
//! * This way is not taken if each rank has its own region of the graph, which it contracts alone.
//!   It needs a system that permits one process to read another one's memory, enough memory for all
//!   edges of a machine, a number of these edges that fits one list, and global ids of 32 bits. On
//!   one machine, it also needs not far fewer edges than vertices.

use std::thread;
use std::time::{Duration, Instant};

use bytemuck::Pod;
use kostra_core::{EdgeSet, MAX_EDGES, MAX_VERTICES, Order, Run, SolveError, Vertex, Weight};

use super::join::{Contribution, OwnEdges, Token, join};
use super::local;
use super::locality::has_locality;
use crate::comm::node::{AffinityGuard, ReadPermission, count, union};
use crate::comm::{Communicator, Levels, Reduction, Traffic};
use crate::graph::Slice;

/// The maximum number of vertices per edge on one machine. Above it, memory for all vertices is not
/// worth it.
const MAX_VERTICES_PER_EDGE: u64 = 4;
/// Scratch memory of the solver per edge and per vertex, in bytes.
const SCRATCH_PER_EDGE: usize = 12;
const SCRATCH_PER_VERTEX: usize = 24;
/// A sleeping rank wakes up after the event by at most the time waited so far divided by this.
const MAX_DELAY_SHARE: u32 = 32;
const MIN_SLEEP: Duration = Duration::from_micros(20);
const MAX_SLEEP: Duration = Duration::from_millis(1);

/// A solve for all ranks of each machine.
struct Job<'a> {
    world: &'a Communicator,
    levels: &'a Levels,
    vertices: u64,
    order: Order,
}

/// The edges of this rank's slice that are in the forest, or `None` on all ranks if this way is not
/// taken. Needs at least `min_edges` edges of all ranks, and a machine with several ranks.
/// Collective.
pub(super) fn solve<W: Weight>(
    slice: &Slice<W>,
    order: Order,
    min_edges: u64,
    world: &Communicator,
    run: &mut Run<'_>,
) -> Result<Option<EdgeSet>, SolveError> {
    let Some(levels) = world.levels() else { return Ok(None) };
    let machine = &levels.machine;
    let edges = world.reduce_one(Reduction::Sum, slice.len() as u64);
    let of_machine = machine.reduce_one(Reduction::Sum, slice.len() as u64);
    let largest = world.reduce_one(Reduction::Max, of_machine);
    let max_vertices = if world.machines() == 1 {
        (MAX_VERTICES_PER_EDGE * edges).min(MAX_VERTICES as u64)
    } else {
        MAX_VERTICES as u64
    };
    if edges < min_edges
        || largest > MAX_EDGES as u64
        || slice.vertices() > max_vertices
        || world.machines() == world.size()
        || has_locality(slice, edges, world)
    {
        return Ok(None);
    }
    let job = Job { world, levels, vertices: slice.vertices(), order };
    if machine.size() == 1 {
        return job.alone(slice, run);
    }
    let own = world.phase(run, "thin", |run| OwnEdges::new(slice, order, run))?;
    let token = Token::new();
    let contributions =
        machine.all_gather(&[own.contribution(&token, run.request.threads())]).into_items();
    let _permission = ReadPermission::grant(contributions[0].process());
    machine.barrier(); // all ranks have granted the permission
    let words = if machine.rank() == 0 {
        job.lead::<W>(slice.first(), &contributions, run)?
    } else {
        job.follow(run)
    };
    let before = &contributions[..machine.rank()];
    let start = before.iter().map(Contribution::len).sum();
    Ok(words.map(|words| own.forest(&words, start, slice.len())))
}

impl Job<'_> {
    /// A rank that is alone on its machine leads with its own slice.
    fn alone<W: Weight>(
        &self,
        slice: &Slice<W>,
        run: &mut Run<'_>,
    ) -> Result<Option<EdgeSet>, SolveError> {
        self.world.phase(run, "thin", |_| ());
        if !self.world.phase(run, "join", |_| self.all_have_joined(true)) {
            return Ok(None);
        }
        self.forest(slice, run).map(Some)
    }

    /// A leader: joins the slices of its machine, finds the forest, and sends the other ranks their
    /// results. `first` is the first id of its own slice. Returns the words that contain the bits
    /// of its own edges.
    fn lead<W: Weight>(
        &self,
        first: u64,
        contributions: &[Contribution],
        run: &mut Run<'_>,
    ) -> Result<Option<Vec<u64>>, SolveError> {
        let processors = union(contributions.iter().map(|contribution| contribution.processors));
        let threads: usize =
            contributions.iter().map(|contribution| contribution.threads as usize).sum();
        let threads = match count(&processors) {
            0 => threads, // unknown on this system
            cores => threads.min(cores),
        };
        let _affinity = AffinityGuard::set(&processors);
        let send = |parts: &[&[u8]]| {
            let to: Vec<_> = parts.iter().copied().enumerate().skip(1).collect();
            // To all at once, because each rank wakes up at its own time.
            self.levels.machine.swap::<u8>(&to, &[]);
        };
        let joined = self.world.phase(run, "join", |_| {
            let joined = self.join::<W>(first, contributions, threads);
            let all_have_joined = self.all_have_joined(joined.is_some());
            send(&vec![&[u8::from(all_have_joined)][..]; contributions.len()]);
            joined.filter(|_| all_have_joined)
        });
        // Freed only after all ranks have their results.
        let Some(joined) = joined else { return Ok(None) };
        let forest = run.with_threads(threads, |run| self.forest(&joined, run))?;
        let mut start = 0;
        let words = contributions.iter().map(|contribution| {
            let first = start / 64;
            start += contribution.len();
            &forest.words()[first..start.div_ceil(64)]
        });
        let words: Vec<_> = words.collect();
        send(&words.iter().map(|words| bytemuck::cast_slice(words)).collect::<Vec<_>>());
        Ok(Some(words[0].to_vec()))
    }

    /// The other ranks of a machine: receive the words that contain the bits of their edges, or
    /// `None` if a leader cannot join the slices of its machine.
    fn follow(&self, run: &mut Run<'_>) -> Option<Vec<u64>> {
        let machine = &self.levels.machine;
        let is_joined = self.world.phase(run, "join", |_| receive_asleep::<u8>(machine) == [1]);
        is_joined.then(|| self.world.phase(run, self.level(), |_| receive_asleep(machine)))
    }

    /// The joined slice of the machine; `None` if it cannot be joined.
    fn join<W: Weight>(
        &self,
        first: u64,
        contributions: &[Contribution],
        threads: usize,
    ) -> Option<Slice<W>> {
        let edges: usize = contributions.iter().map(Contribution::len).sum();
        let vertices = self.vertices as usize;
        let is_one_machine = self.world.machines() == 1;
        // The list and the scratch memory of the solver. On several machines, the slice may need
        // local ids, too.
        let (ends, used) =
            if is_one_machine { (2, vertices) } else { (4, vertices.min(2 * edges)) };
        let per_edge = ends * size_of::<Vertex>() + size_of::<W>() + SCRATCH_PER_EDGE;
        let bytes = edges * per_edge + used * SCRATCH_PER_VERTEX;
        let list = join::<W>(contributions, vertices, bytes, threads)?;
        if is_one_machine || contributions.iter().any(Contribution::has_global_ids) {
            return Some(Slice::with_global_ids(first, list));
        }
        Slice::from_graph(first, list).ok()
    }

    /// Whether all machines have joined the slices of their ranks. Collective for the leaders.
    fn all_have_joined(&self, has_joined: bool) -> bool {
        let Some(leaders) = &self.levels.leaders else { return has_joined };
        leaders.reduce_one(Reduction::Min, has_joined.into()) == 1
    }

    /// The forest's edges of the slice of a machine. Collective for the leaders.
    fn forest<W: Weight>(
        &self,
        slice: &Slice<W>,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        self.world.phase(run, self.level(), |run| match &self.levels.leaders {
            Some(leaders) if leaders.size() > 1 => {
                super::solve_between::<u32, W>(slice, self.order, leaders, run)
            }
            _ => local::forest(slice.graph(), self.order, run),
        })
    }

    /// The phase in which leaders find the forest.
    fn level(&self) -> &'static str {
        if self.world.machines() == 1 { "local" } else { "machines" }
    }
}

/// Receives from the leader. Sleeps until a message arrives, so that the processor is free.
fn receive_asleep<T: Pod>(machine: &Communicator) -> Vec<T> {
    let start = Instant::now();
    machine.counted(Traffic::default(), || {
        while !machine.has_arrived(0) {
            thread::sleep((start.elapsed() / MAX_DELAY_SHARE).clamp(MIN_SLEEP, MAX_SLEEP));
        }
    });
    machine.swap(&[], &[0]).swap_remove(0)
}
