//! The distributed algorithm of Gallager, Humblet and Spira. Every vertex is a state machine that
//! knows its own edges. The machines communicate only by messages over edges.
//!
//! Each vertex begins as a fragment of its own. The vertices of a fragment together search for the
//! lightest edge that leaves the fragment, along its branches, and request a connection over that
//! edge. If the fragment at the other end has a higher level, it absorbs this fragment. If both
//! have chosen the same edge, they merge at the next level. Otherwise the request waits. So a
//! fragment of level k has at least 2^k vertices, and no fragment knows all others.
//!
//! * Source: Gallager, Humblet & Spira 1983, on ranks as in Shou & He 2024, section 3.4. A
//!   rank runs the machines of its vertices. A message goes through a queue if both vertices are on
//!   one rank, and else to the other rank, here in batches.
//! * At most 5 n log2 n + 2 m messages. Counters such as "test messages" contain the messages of
//!   one kind on all ranks; "messages between ranks" contains those that left their rank. "highest
//!   level" is at most log2 n. A batch takes 24 bytes per message, and counts as one message of
//!   MPI.
//! * An idle rank polls for messages. "idle polls" counts the polls of all ranks that found
//!   nothing, and "longest idle seconds" is the longest idle time of any rank. Messages reach the
//!   vertices of a fragment hop by hop, along paths that may be as long as the fragment, at every
//!   level: O(n log n) hops in the worst case.
//! * A rank needs 40 bytes per edge end at its vertices and 64 bytes per vertex, and at most 140
//!   bytes per edge while edges are distributed. No rank holds the whole graph.
//! * With the option `shortcuts`, the vertices of a rank that branches connect act as one vertex.
//!   So messages along branches run between ranks only. The source names it as its largest possible
//!   improvement, and does not have it.
//! * With the option `queue=vertex`, each vertex has a queue, as the source's optimization 1 tried.
//!   A vertex whose turn it is handles all its messages.
//! * Exact. One thread per rank. Requires only that messages between two ranks keep their order.
//!
//! Deviations from Shou & He:
//!
//! * Vertices are distributed in blocks of consecutive ids by default; the source gives vertex `j`
//!   to rank `j mod p`, as the option `interleave` does. In blocks, vertices with neighboring ids
//!   are on one rank, and their messages stay there.
//! * Each rank starts with its own slice of the edges; in the source, rank 0 distributes the graph.
//! * A vertex's edges are sorted once, and a position in them moves forward, so the next edge to
//!   test is found in amortized constant time; the source searches a set in O(log n).
//! * A message contains the number of its arc at the receiver, which takes constant time with
//!   parallel edges, too; the source maps the number of the neighbor to the edge.
//! * A message that cannot be answered yet waits at its vertex until the vertex changes; Gallager,
//!   Humblet & Spira append it to the queue.
//! * The name of a fragment is the id of its core edge, and edges are ordered by `(key, id)`,
//!   because the algorithm requires distinct weights.
//! * Messages to another rank are sent in batches; the source sends each one with `MPI_Isend`.
//! * The source ends after a timeout; here a token detects the end ([`Termination`]). One fragment
//!   per component is complete then: no edge leaves it.

mod message;
mod queue;
mod vertices;

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use kostra_core::{
    EdgeSet, OptionValues, Order, Platform, Representation, Run, SolveError, SolverInfo,
    SolverOption, Weight,
};
use kostra_mpi::{
    Communicator, DistributedAlgorithm, GraphSize, Mailbox, Reduction, Slice, SliceError,
    VertexDistribution,
};

use crate::rows::{RankRows, own_edges};
use crate::termination::{Idle, Termination};
use message::{COUNTERS, Note, Wire};
use queue::Queue;
use vertices::{Outbox, Vertices};

/// The algorithm of Gallager, Humblet and Spira.
pub(crate) struct Ghs;

/// The number of messages inside a rank that are handled before messages of other ranks are
/// received.
const MESSAGES_PER_TURN: usize = 1 << 12;
/// The number of messages of a full batch. Smaller batches are sent only when the queue is empty.
const FULL_BATCH: usize = 1 << 10;
/// The number of turns between two checks for cancellation.
const TURNS_PER_CHECK: u32 = 1 << 8;
/// The number of polls of an idle rank before its turn ends.
const POLLS_PER_TURN: u32 = 16;

const INTERLEAVE: SolverOption = SolverOption {
    name: "interleave",
    about: "whether vertex j goes to rank j mod p, as in the source, or ranks get ranges",
    default: 0,
    values: OptionValues::Switch,
};

const SHORTCUTS: SolverOption = SolverOption {
    name: "shortcuts",
    about: "whether vertices of a rank that branches connect act as one vertex",
    default: 0,
    values: OptionValues::Switch,
};

const QUEUE: SolverOption = SolverOption {
    name: "queue",
    about: "what has a queue of messages",
    default: 0,
    values: OptionValues::Choice(&["rank", "vertex"]),
};

impl DistributedAlgorithm for Ghs {
    const INFO: SolverInfo = SolverInfo {
        id: "mpi-ghs",
        title: "Gallager, Humblet and Spira",
        source: "Gallager, Humblet & Spira 1983; Shou & He 2024, 3.4",
        platform: Platform::Mpi,
        representation: Representation::EdgeList,
        exact: true,
        time: "O((m + n log n) / p), and up to O(n log n) messages in sequence",
        scratch: "140 bytes per edge, 64 per vertex (24 more with shortcuts, 32 more with a queue per vertex), in total over all ranks",
        options: &[INTERLEAVE, SHORTCUTS, QUEUE],
    };

    fn admit(&self, size: GraphSize) -> Result<(), SolveError> {
        if size.vertices.div_ceil(size.ranks as u64) < u32::MAX.into() {
            return Ok(());
        }
        Err(SolveError::Unsuitable {
            solver: Self::INFO.id,
            cost: format!(
                "more vertices per rank than 32 bits can number, of {} in total,",
                size.vertices
            ),
            advice: "use more ranks",
        })
    }

    fn solve<W: Weight>(
        &self,
        slice: &Slice<W>,
        order: Order,
        world: &Communicator,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        let mut vertices = world.phase(run, "distribute", |run| {
            if run.request.option(&INTERLEAVE) == 0 {
                return distribute(slice, order, world);
            }
            let interleaved = interleaved(slice, world.size()).map_err(|error| {
                let (solver, cost) = (Self::INFO.id, error.to_string());
                SolveError::Unsuitable { solver, cost, advice: "use blocks (interleave=0)" }
            })?;
            distribute(&interleaved, order, world)
        })?;
        if run.request.option(&SHORTCUTS) == 1 {
            vertices = vertices.with_shortcuts(world.rank());
        }
        let (mut sent, idle) =
            world.phase(run, "messages", |run| exchange_messages(&mut vertices, world, run))?;
        world.phase(run, "return", |run| {
            world.reduce(Reduction::Sum, &mut sent);
            let names =
                COUNTERS.into_iter().chain(["messages between ranks", "tokens", "idle polls"]);
            for (name, sent) in names.zip(sent) {
                run.report.counter(name, sent as f64);
            }
            let idle = world.reduce_one(Reduction::Max, idle.as_nanos() as u64);
            run.report.counter("longest idle seconds", Duration::from_nanos(idle).as_secs_f64());
            run.report.counter(
                "highest level",
                world.reduce_one(Reduction::Max, vertices.level.into()) as f64,
            );
            Ok(own_edges(&vertices.forest(world.rank()), slice, world))
        })
    }
}

/// The slice with new vertex ids: the block of rank r consists of the vertices r, r + p, r + 2 p
/// and so on. Edge ids do not change. The ids past the last vertex of a smaller block are isolated.
fn interleaved<W: Weight>(slice: &Slice<W>, ranks: usize) -> Result<Slice<W>, SliceError> {
    let ranks = ranks as u64;
    let block = slice.vertices().div_ceil(ranks);
    slice.renumbered(ranks * block, |vertex| vertex % ranks * block + vertex / ranks)
}

/// Distributes the edges to the owners of their ends. Returns the vertices of this rank.
/// Collective.
fn distribute<W: Weight>(
    slice: &Slice<W>,
    order: Order,
    world: &Communicator,
) -> Result<Vertices, SolveError> {
    let blocks = VertexDistribution::new(slice.vertices(), world.size());
    let rows = RankRows::distribute(slice, order, blocks, Ghs::INFO.id, world)?;
    let mut vertices = Vertices::new(&rows, blocks);
    drop(rows);
    let own = vertices.arcs_by_rank(world.size());
    let theirs = world.exchange(&own);
    vertices.link(world.rank(), &own, &theirs);
    Ok(vertices)
}

/// Lets the vertices of all ranks exchange messages until the end. Returns the counts of this rank,
/// in the order of the counters: messages of each kind, messages to other ranks, tokens, and idle
/// polls. Also returns the idle time. Collective.
fn exchange_messages(
    vertices: &mut Vertices,
    world: &Communicator,
    run: &mut Run<'_>,
) -> Result<(Vec<u64>, Duration), SolveError> {
    let queue = match run.request.option(&QUEUE) {
        0 => Queue::OfRank(VecDeque::new()),
        _ => Queue::per_vertex(vertices.count()),
    };
    let mut out = Outbox::new(world.rank(), world.size(), queue);
    let mut post = Post {
        mail: Mailbox::new(world),
        termination: Termination::new(world.rank(), world.size()),
        next: (world.rank() + 1) % world.size(),
        between_ranks: 0,
        tokens: 0,
        idle_polls: 0,
        idle: Duration::ZERO,
    };
    for vertex in 0..vertices.count() {
        vertices.wake(vertex, &mut out);
    }
    let mut turn = 0_u32;
    loop {
        for _ in 0..MESSAGES_PER_TURN {
            let Some((arc, message)) = out.queue.pop() else { break };
            vertices.receive(arc, message, &mut out);
        }
        post.send(&mut out);
        if post.receive(vertices, &mut out) {
            break;
        }
        if out.queue.is_empty() {
            if post.detect_end(world) {
                break;
            }
            post.wait();
        }
        turn = turn.wrapping_add(1);
        if turn.is_multiple_of(TURNS_PER_CHECK) {
            run.report.progress(vertices.branches / 2, vertices.count() as usize)?;
        }
    }
    let Post { between_ranks, tokens, idle_polls, idle, .. } = post;
    drop(post);
    // Without the barrier, a rank that does not know of the end yet could receive later messages.
    world.barrier();
    Ok((out.sent.into_iter().chain([between_ranks, tokens, idle_polls]).collect(), idle))
}

/// The messages between this rank and others.
struct Post<'a> {
    mail: Mailbox<'a, Wire>,
    termination: Termination,
    /// The rank that gets the token next.
    next: usize,
    between_ranks: u64,
    tokens: u64,
    /// The number of polls that found no message while this rank was idle.
    idle_polls: u64,
    /// The time that this rank was idle.
    idle: Duration,
}

impl Post<'_> {
    /// Sends full batches; sends all batches if the queue is empty.
    fn send(&mut self, out: &mut Outbox) {
        let enough = if out.queue.is_empty() { 1 } else { FULL_BATCH };
        for (to, batch) in
            out.batches.iter_mut().enumerate().filter(|(_, batch)| batch.len() >= enough)
        {
            self.mail.post(to, batch);
            self.termination.sent(batch.len());
            self.between_ranks += batch.len() as u64;
            batch.clear();
        }
    }

    /// Appends the messages that have arrived to the queue. Returns whether the end has been
    /// announced.
    fn receive(&mut self, vertices: &Vertices, out: &mut Outbox) -> bool {
        while let Some((_, notes)) = self.mail.poll() {
            for &note in &notes {
                match note.into() {
                    Note::To(arc, message) => {
                        out.queue.push(vertices.vertex_of(arc), (arc, message));
                    }
                    Note::Token(token) => {
                        self.termination.token_arrived(token);
                        continue;
                    }
                    Note::Over => return true,
                }
                self.termination.received(1);
            }
        }
        false
    }

    /// Waits a short time for a message.
    fn wait(&mut self) {
        let start = Instant::now();
        self.idle_polls += u64::from(self.mail.wait(POLLS_PER_TURN));
        self.idle += start.elapsed();
    }

    /// Handles the token of an idle rank. Returns whether the computation has ended; then all other
    /// ranks are told.
    fn detect_end(&mut self, world: &Communicator) -> bool {
        match self.termination.when_idle() {
            Idle::Wait => false,
            Idle::Pass(token) => {
                self.tokens += 1;
                self.mail.post(self.next, &[Note::Token(token).into()]);
                false
            }
            Idle::Over => {
                for other in (0..world.size()).filter(|&other| other != world.rank()) {
                    self.mail.post(other, &[Note::Over.into()]);
                }
                true
            }
        }
    }
}

#[cfg(test)]
mod tests;
