//! The distributed algorithm of Gallager, Humblet and Spira: every vertex is a machine that knows
//! its own edges, and all that happens is that machines send each other messages over edges.
//!
//! Vertices begin as fragments of their own. A fragment looks for the lightest edge that leaves it,
//! its vertices together, along the branches that it consists of, and asks to be connected over it.
//! The other side absorbs it, if its level is higher; where both have chosen the same edge they
//! merge, at the next level; else the one that asks waits. So a fragment of level k has 2^k
//! vertices or more, and no fragment has to know of all others.
//!
//! * Source: Gallager, Humblet & Spira 1983, as Shou & He 2024 put it on ranks in section 3.4:
//!   ranks play the machines of their vertices; a message between two of them goes through a queue
//!   where both are on one rank, and else to the other rank, here in batches.
//! * At most 5 n log2 n + 2 m messages. They are counted by kind, over all ranks, in counters such
//!   as "test messages", those that left their rank in "messages between ranks"; "highest level" is
//!   at most log2 n. A batch holds 24 bytes a message, and counts as one message of MPI.
//! * A rank that has nothing to do looks for messages: "idle polls" counts the looks in vain of all
//!   ranks, and "longest idle seconds" is the time that the rank which was idle longest spent so. A
//!   fragment's vertices hear of everything hop by hop, along paths that may be as long as the
//!   fragment, at every level: O(n log n) hops in the worst case.
//! * A rank has 40 bytes for each end of an edge at its vertices and 64 a vertex, and at the worst,
//!   while edges are distributed, 140 an edge: no rank holds all of the graph.
//! * Exact. One thread a rank. Requires only that messages between two ranks keep their order.
//!
//! Deviations from Shou & He:
//!
//! * Vertices are distributed in blocks of consecutive numbers, where the source gives vertex `j`
//!   to rank `j mod p`. So neighbors by number are on one rank, and their messages stay there.
//! * Each rank brings its own slice of the edges; in the source, rank 0 distributes the graph.
//! * A vertex's edges are sorted once, and a position in them moves forward, so the next edge to
//!   test is found in amortized constant time; the source searches a set in O(log n).
//! * A message names the arc that it goes to, which takes constant time with parallel edges, too;
//!   the source maps the number of the neighbor to the edge.
//! * A message that cannot be answered yet waits at its vertex until the vertex changes; Gallager,
//!   Humblet & Spira put it at the end of the queue.
//! * A fragment's name is the id of the edge at its core, and edges are ordered by `(key, id)`: the
//!   algorithm requires distinct weights.
//! * Messages to another rank go in batches; the source sends each with `MPI_Isend`.
//! * The end is not a timer that expires, but [`Termination`]: a fragment that no edge leaves is
//!   complete, one for each component, and a token finds out when all are.

mod message;
mod vertices;

use std::time::{Duration, Instant};

use kostra_core::{EdgeSet, Order, Platform, Representation, Run, SolveError, SolverInfo, Weight};

use crate::comm::termination::{Idle, Termination};
use crate::comm::{Communicator, Mailbox, Reduction};
use crate::graph::{Rows, Slice, VertexDistribution, own_edges};
use crate::solver::{DistributedAlgorithm, GraphSize};
use message::{COUNTERS, Note, Wire};
use vertices::{Outbox, Vertices};

/// The algorithm of Gallager, Humblet and Spira.
pub(crate) struct Ghs;

/// How many messages within a rank are handled before others are heard.
const TURN: usize = 1 << 12;
/// How many messages are sent at once, unless there are no more.
const BATCH: usize = 1 << 10;
/// After how many turns the run is asked whether it is cancelled.
const TURNS: u32 = 1 << 8;
/// How often an idle rank looks for messages before its turn ends.
const POLLS: u32 = 16;

impl DistributedAlgorithm for Ghs {
    const INFO: SolverInfo = SolverInfo {
        id: "mpi-ghs",
        title: "Gallager, Humblet and Spira",
        source: "Gallager, Humblet & Spira 1983; Shou & He 2024, 3.4",
        platform: Platform::Mpi,
        representation: Representation::EdgeList,
        exact: true,
        time: "O((m + n log n) / p) and as many hops as fragments are long, log n times",
        scratch: "140 bytes an edge, 64 a vertex, over all ranks",
        options: &[],
    };

    fn admit(&self, size: GraphSize) -> Result<(), SolveError> {
        if size.vertices.div_ceil(size.ranks as u64) < u32::MAX.into() {
            return Ok(());
        }
        Err(SolveError::Unsuitable {
            solver: Self::INFO.id,
            cost: format!(
                "more vertices a rank than 32 bits can number, of {} in all,",
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
        let mut vertices = world.phase(run, "distribute", |_| distribute(slice, order, world))?;
        let (mut sent, idle) =
            world.phase(run, "messages", |run| exchange_messages(&mut vertices, world, run))?;
        world.phase(run, "return", |run| {
            world.reduce(Reduction::Sum, &mut sent);
            let names =
                COUNTERS.into_iter().chain(["messages between ranks", "tokens", "idle polls"]);
            for (name, sent) in names.zip(sent) {
                run.counter(name, sent as f64);
            }
            let idle = world.reduce_one(Reduction::Max, idle.as_nanos() as u64);
            run.counter("longest idle seconds", Duration::from_nanos(idle).as_secs_f64());
            run.counter(
                "highest level",
                world.reduce_one(Reduction::Max, vertices.level.into()) as f64,
            );
            Ok(own_edges(&vertices.forest(world.rank()), slice, world))
        })
    }
}

/// The vertices of this rank, which know their edges. Collective.
fn distribute<W: Weight>(
    slice: &Slice<W>,
    order: Order,
    world: &Communicator,
) -> Result<Vertices, SolveError> {
    let blocks = VertexDistribution::new(slice.vertices(), world.size());
    let rows = Rows::distribute(slice, order, blocks, Ghs::INFO.id, world)?;
    let mut vertices = Vertices::new(&rows, blocks);
    drop(rows);
    let own = vertices.arcs_by_rank(world.size());
    let theirs = world.exchange(&own);
    vertices.link(world.rank(), &own, &theirs);
    Ok(vertices)
}

/// Lets the vertices of all ranks send messages until it is over. Returns how many this rank has
/// sent: of each kind, to other ranks, and tokens; how often it looked for messages in vain while
/// it was idle; and how long it was idle. Collective.
fn exchange_messages(
    vertices: &mut Vertices,
    world: &Communicator,
    run: &mut Run<'_>,
) -> Result<(Vec<u64>, Duration), SolveError> {
    let mut out = Outbox::new(world.rank(), world.size());
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
        for _ in 0..TURN {
            let Some((arc, message)) = out.queue.pop_front() else { break };
            vertices.receive(arc, message, &mut out);
        }
        post.send(&mut out);
        if post.receive(&mut out) {
            break;
        }
        if out.queue.is_empty() {
            if post.is_over(world) {
                break;
            }
            post.wait();
        }
        turn = turn.wrapping_add(1);
        if turn.is_multiple_of(TURNS) {
            run.progress(vertices.branches / 2, vertices.count() as usize)?;
        }
    }
    let Post { between_ranks, tokens, idle_polls, idle, .. } = post;
    drop(post);
    world.barrier(); // so that no mail of what comes next is found by a rank that has not heard yet that it is over
    Ok((out.sent.into_iter().chain([between_ranks, tokens, idle_polls]).collect(), idle))
}

/// What goes between this rank and others.
struct Post<'a> {
    mail: Mailbox<'a, Wire>,
    termination: Termination,
    /// To whom the token goes.
    next: usize,
    between_ranks: u64,
    tokens: u64,
    /// How often there was no message when this rank had nothing else to do.
    idle_polls: u64,
    /// How long this rank had nothing to do.
    idle: Duration,
}

impl Post<'_> {
    /// Sends full batches, and all others when nothing more will be put in now.
    fn send(&mut self, out: &mut Outbox) {
        let enough = if out.queue.is_empty() { 1 } else { BATCH };
        for (to, batch) in
            out.batches.iter_mut().enumerate().filter(|(_, batch)| batch.len() >= enough)
        {
            self.mail.post(to, batch);
            self.termination.sent(batch.len());
            self.between_ranks += batch.len() as u64;
            batch.clear();
        }
    }

    /// Puts what has come into the queue. Whether it is over.
    fn receive(&mut self, out: &mut Outbox) -> bool {
        while let Some((_, notes)) = self.mail.poll() {
            for &note in &notes {
                match note.into() {
                    Note::To(arc, message) => out.queue.push_back((arc, message)),
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

    /// Waits for a message, but not for long.
    fn wait(&mut self) {
        let start = Instant::now();
        self.idle_polls += u64::from(self.mail.wait(POLLS));
        self.idle += start.elapsed();
    }

    /// To be called when nothing is left to do here. Whether it is over, which all others are then
    /// told.
    fn is_over(&mut self, world: &Communicator) -> bool {
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
