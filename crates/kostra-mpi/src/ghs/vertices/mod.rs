//! The vertices of a rank, each a machine that changes with the messages that come over its edges.
//!
//! What they keep is here; what they do with messages is in [`procedures`].

mod procedures;

use std::collections::VecDeque;

use kostra_core::Key;

use super::message::{Fragment, KINDS, Level, Message, NOWHERE, Note, Place, State, Wire};
use crate::comm::Parts;
use crate::graph::{Rows, VertexDistribution};

/// The null arc, and the end of lists.
const NONE: u32 = u32::MAX;

/// What a vertex knows of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    /// Nothing yet.
    Basic,
    /// Nothing yet but that the other end wants to connect, which has to wait.
    Asked,
    /// It is in the forest.
    Branch,
    /// It is not.
    Rejected,
}

/// One end of an edge.
#[derive(Clone, Debug)]
struct Arc {
    key: u64,
    id: u64,
    vertex: u32,
    /// The rank that has the other end, and its number there.
    rank: u32,
    mirror: u32,
    /// The next branch of the vertex.
    next_branch: u32,
    status: Status,
}

impl Arc {
    fn place(&self) -> Place {
        (self.key, self.id)
    }

    fn is_basic(&self) -> bool {
        matches!(self.status, Status::Basic | Status::Asked)
    }
}

/// A vertex, with the variables that the source gives it.
#[derive(Clone, Debug)]
struct Vertex {
    fragment: Fragment,
    best: Place,
    best_edge: u32,
    in_branch: u32,
    test_edge: u32,
    find_count: u32,
    /// The lightest arc that may be basic: none of those before it is, and none will be again.
    lightest: u32,
    end: u32,
    first_branch: u32,
    first_waiting: u32,
    level: Level,
    state: State,
}

/// A message that waits.
#[derive(Clone, Debug)]
struct Waiting {
    arc: u32,
    message: Message,
    next: u32,
}

/// What vertices send: to those of this rank by the queue, to others in batches by rank.
#[derive(Clone, Debug)]
pub(super) struct Outbox {
    rank: u32,
    pub(super) queue: VecDeque<(u32, Message)>,
    pub(super) batches: Vec<Vec<Wire>>,
    /// How many messages of each kind have been sent.
    pub(super) sent: [u64; KINDS],
}

impl Outbox {
    pub(super) fn new(rank: usize, ranks: usize) -> Self {
        Self {
            rank: rank as u32,
            queue: VecDeque::new(),
            batches: vec![Vec::new(); ranks],
            sent: [0; KINDS],
        }
    }
}

/// All vertices of a rank.
#[derive(Clone, Debug)]
pub(super) struct Vertices {
    vertices: Vec<Vertex>,
    /// The arcs of each vertex together, the lightest first.
    arcs: Vec<Arc>,
    waiting: Vec<Waiting>,
    /// What is free in it.
    first_free: u32,
    /// How many arcs have become branches.
    pub(super) branches: usize,
    /// How often the core of a fragment has found that no edge leaves it: twice for each, for a
    /// core has two ends.
    pub(super) halts: u64,
    /// The highest level that a vertex has had.
    pub(super) level: Level,
}

impl Vertices {
    /// The vertices of a rank, asleep. They do not know yet what their arcs are called at the other
    /// end.
    pub(super) fn new<K: Key>(rows: &Rows<K>, blocks: VertexDistribution) -> Self {
        let mut arcs = Vec::with_capacity(rows.ids.len());
        let mut vertices = Vec::with_capacity(rows.vertices());
        for vertex in 0..rows.vertices() {
            let row = rows.row(vertex);
            arcs.extend(row.clone().map(|entry| Arc {
                key: rows.keys[entry].to_u64(),
                id: rows.ids[entry],
                vertex: vertex as u32,
                rank: blocks.owner(rows.neighbors[entry]) as u32,
                mirror: NONE,
                next_branch: NONE,
                status: Status::Basic,
            }));
            arcs[row.clone()].sort_unstable_by_key(Arc::place);
            vertices.push(Vertex {
                fragment: u64::MAX,
                best: NOWHERE,
                best_edge: NONE,
                in_branch: NONE,
                test_edge: NONE,
                find_count: 0,
                lightest: row.start as u32,
                end: row.end as u32,
                first_branch: NONE,
                first_waiting: NONE,
                level: 0,
                state: State::Sleeping,
            });
        }
        Self {
            vertices,
            arcs,
            waiting: Vec::new(),
            first_free: NONE,
            branches: 0,
            halts: 0,
            level: 0,
        }
    }

    /// The arcs whose other ends each rank has, in the order of their edges' ids; the two ends of
    /// an edge inside of this rank side by side.
    pub(super) fn arcs_by_rank(&self, ranks: usize) -> Parts<u32> {
        let mut arcs: Vec<_> = (0..self.arcs.len() as u32).collect();
        arcs.sort_unstable_by_key(|&arc| self.arcs[arc as usize].id);
        Parts::distribute(ranks, &arcs, |&arc| self.arcs[arc as usize].rank as usize)
    }

    /// Tells each arc what it is called at the other end, where it is from every rank's list for
    /// this one: a message then finds its way in constant time.
    pub(super) fn link(&mut self, rank: usize, own: &Parts<u32>, theirs: &Parts<u32>) {
        for (other, (own, theirs)) in own.iter().zip(theirs.iter()).enumerate() {
            if other == rank {
                for pair in own.chunks_exact(2) {
                    self.arcs[pair[0] as usize].mirror = pair[1];
                    self.arcs[pair[1] as usize].mirror = pair[0];
                }
            } else {
                for (&arc, &mirror) in own.iter().zip(theirs) {
                    self.arcs[arc as usize].mirror = mirror;
                }
            }
        }
    }

    pub(super) fn count(&self) -> u32 {
        self.vertices.len() as u32
    }

    /// The ids of the branches, each on one of the ranks that have its ends.
    pub(super) fn forest(&self, rank: usize) -> Vec<u64> {
        let numbered = self.arcs.iter().zip(0..);
        let one_end = numbered.filter(|&(arc, number)| {
            arc.status == Status::Branch && (rank as u32, number) < (arc.rank, arc.mirror)
        });
        one_end.map(|(arc, _)| arc.id).collect()
    }

    fn make_branch(&mut self, v: u32, number: u32) {
        let (vertex, arc) = (&mut self.vertices[v as usize], &mut self.arcs[number as usize]);
        arc.status = Status::Branch;
        arc.next_branch = vertex.first_branch;
        vertex.first_branch = number;
        self.branches += 1;
    }

    fn wait(&mut self, v: u32, arc: u32, message: Message) {
        let vertex = &mut self.vertices[v as usize];
        let waiting = Waiting { arc, message, next: vertex.first_waiting };
        let free = self.first_free;
        if let Some(place) = self.waiting.get_mut(free as usize) {
            self.first_free = place.next;
            *place = waiting;
            vertex.first_waiting = free;
        } else {
            vertex.first_waiting = self.waiting.len() as u32;
            self.waiting.push(waiting);
        }
    }

    /// Puts what waits at a vertex into the queue again. An edge has one message that waits, so
    /// their order is free.
    fn try_again(&mut self, v: u32, out: &mut Outbox) {
        let mut next = std::mem::replace(&mut self.vertices[v as usize].first_waiting, NONE);
        while next != NONE {
            let Waiting { arc, message, next: after } = self.waiting[next as usize];
            self.waiting[next as usize].next = self.first_free;
            self.first_free = next;
            next = after;
            let status = &mut self.arcs[arc as usize].status;
            match message {
                Message::Connect(_) if *status != Status::Asked => continue, // answered by `change_core`
                Message::Connect(_) => *status = Status::Basic,
                _ => {}
            }
            out.queue.push_back((arc, message));
        }
    }

    fn send(&self, arc: u32, message: Message, out: &mut Outbox) {
        let Arc { rank, mirror, .. } = self.arcs[arc as usize];
        out.sent[message.kind()] += 1;
        if rank == out.rank {
            out.queue.push_back((mirror, message));
        } else {
            out.batches[rank as usize].push(Note::To(mirror, message).into());
        }
    }
}
