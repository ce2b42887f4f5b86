//! The vertices of a rank. Each is a state machine that changes with the messages over its edges.
//!
//! This file contains the state; [`procedures`] contains the reactions to messages, and [`pieces`]
//! lets vertices that branches connect act as one.

mod pieces;
mod procedures;

use kostra_core::Key;
use kostra_mpi::{Parts, VertexDistribution};

use super::message::{EdgeRank, Fragment, KINDS, Level, Message, NO_EDGE, Note, State, Wire};
use super::queue::Queue;
use crate::rows::RankRows;
use pieces::Pieces;

/// The null arc, and the end of lists.
const NONE: u32 = u32::MAX;

/// What a vertex knows about an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    /// Nothing.
    Basic,
    /// Nothing, except that a connection request of the other end waits.
    Asked,
    /// The edge is in the forest.
    Branch,
    /// The edge is not in the forest.
    Rejected,
}

/// One end of an edge.
#[derive(Clone, Debug)]
struct Arc {
    key: u64,
    id: u64,
    vertex: u32,
    /// The rank that owns the other end.
    rank: u32,
    /// The number of the opposite arc on that rank.
    mirror: u32,
    /// The next branch of the vertex.
    next_branch: u32,
    status: Status,
}

impl Arc {
    fn edge_rank(&self) -> EdgeRank {
        (self.key, self.id)
    }

    fn is_basic(&self) -> bool {
        matches!(self.status, Status::Basic | Status::Asked)
    }
}

/// A vertex, with the variables of the source.
#[derive(Clone, Debug)]
struct Vertex {
    fragment: Fragment,
    best: EdgeRank,
    best_edge: u32,
    in_branch: u32,
    test_edge: u32,
    find_count: u32,
    first_branch: u32,
    /// The end of the list of branches, if it is not empty.
    last_branch: u32,
    first_waiting: u32,
    level: Level,
    state: State,
}

/// The arcs of a vertex that are not decided.
#[derive(Clone, Copy, Debug)]
struct Row {
    /// The lightest arc that may be basic. No arc before it is or becomes basic.
    lightest: u32,
    end: u32,
}

/// A message that waits at a vertex.
#[derive(Clone, Debug)]
struct Waiting {
    arc: u32,
    message: Message,
    next: u32,
}

/// The messages that vertices send: in a queue to vertices of this rank, in batches to other ranks.
#[derive(Clone, Debug)]
pub(super) struct Outbox {
    rank: u32,
    pub(super) queue: Queue,
    pub(super) batches: Vec<Vec<Wire>>,
    /// The number of sent messages of each kind.
    pub(super) sent: [u64; KINDS],
}

impl Outbox {
    pub(super) fn new(rank: usize, ranks: usize, queue: Queue) -> Self {
        Self { rank: rank as u32, queue, batches: vec![Vec::new(); ranks], sent: [0; KINDS] }
    }
}

/// All vertices of a rank.
#[derive(Clone, Debug)]
pub(super) struct Vertices {
    vertices: Vec<Vertex>,
    rows: Vec<Row>,
    /// With shortcuts.
    pieces: Option<Pieces>,
    /// The arcs by vertex; the arcs of a vertex ascend by weight.
    arcs: Vec<Arc>,
    waiting: Vec<Waiting>,
    /// The first free entry of `waiting`.
    first_free: u32,
    /// The number of arcs that are branches.
    pub(super) branches: usize,
    /// The number of ends of core edges that have found that no edge leaves the fragment: two per
    /// complete fragment.
    pub(super) halts: u64,
    /// The highest level of any vertex so far.
    pub(super) level: Level,
}

impl Vertices {
    /// The sleeping vertices of a rank. The opposite arcs are not known before
    /// [`link`](Self::link).
    pub(super) fn new<K: Key>(rows: &RankRows<K>, distribution: VertexDistribution) -> Self {
        let mut arcs = Vec::with_capacity(rows.ids.len());
        let mut vertices = Vec::with_capacity(rows.vertices());
        let mut undecided = Vec::with_capacity(rows.vertices());
        for vertex in 0..rows.vertices() {
            let row = rows.row(vertex);
            arcs.extend(row.clone().map(|entry| Arc {
                key: rows.keys[entry].to_u64(),
                id: rows.ids[entry],
                vertex: vertex as u32,
                rank: distribution.owner(rows.neighbors[entry]) as u32,
                mirror: NONE,
                next_branch: NONE,
                status: Status::Basic,
            }));
            arcs[row.clone()].sort_unstable_by_key(Arc::edge_rank);
            undecided.push(Row { lightest: row.start as u32, end: row.end as u32 });
            vertices.push(Vertex {
                fragment: u64::MAX,
                best: NO_EDGE,
                best_edge: NONE,
                in_branch: NONE,
                test_edge: NONE,
                find_count: 0,
                first_branch: NONE,
                last_branch: NONE,
                first_waiting: NONE,
                level: 0,
                state: State::Sleeping,
            });
        }
        Self {
            vertices,
            rows: undecided,
            pieces: None,
            arcs,
            waiting: Vec::new(),
            first_free: NONE,
            branches: 0,
            halts: 0,
            level: 0,
        }
    }

    /// The arcs by the rank that owns their other end, ascending by edge id. The two arcs of an
    /// edge inside this rank are adjacent.
    pub(super) fn arcs_by_rank(&self, ranks: usize) -> Parts<u32> {
        let mut arcs: Vec<_> = (0..self.arcs.len() as u32).collect();
        arcs.sort_unstable_by_key(|&arc| self.arcs[arc as usize].id);
        Parts::distribute(ranks, &arcs, |&arc| self.arcs[arc as usize].rank as usize)
    }

    /// Sets the opposite arc of each arc, from the lists of [`arcs_by_rank`](Self::arcs_by_rank):
    /// this rank's lists for other ranks, and their lists for this rank. A message then finds its
    /// arc in constant time.
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

    /// The vertex that has an arc.
    pub(super) fn vertex_of(&self, arc: u32) -> u32 {
        self.arcs[arc as usize].vertex
    }

    /// The ids of the branches. Each edge is returned by one of the two ranks that have its ends.
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
        if vertex.first_branch == NONE {
            vertex.last_branch = number;
        }
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

    /// Moves the messages that wait at a vertex to the queue. At most one message per edge waits,
    /// so their order is free.
    fn try_again(&mut self, v: u32, out: &mut Outbox) {
        let mut next = std::mem::replace(&mut self.vertices[v as usize].first_waiting, NONE);
        while next != NONE {
            let Waiting { arc, message, next: after } = self.waiting[next as usize];
            self.waiting[next as usize].next = self.first_free;
            self.first_free = next;
            next = after;
            let status = &mut self.arcs[arc as usize].status;
            match message {
                // Answered by `change_core`.
                Message::Connect(_) if *status != Status::Asked => continue,
                Message::Connect(_) => *status = Status::Basic,
                _ => {}
            }
            out.queue.push(self.vertex_of(arc), (arc, message));
        }
    }

    fn send(&self, arc: u32, message: Message, out: &mut Outbox) {
        let Arc { rank, mirror, .. } = self.arcs[arc as usize];
        out.sent[message.kind()] += 1;
        if rank == out.rank {
            out.queue.push(self.vertex_of(mirror), (mirror, message));
        } else {
            out.batches[rank as usize].push(Note::To(mirror, message).into());
        }
    }
}
