//! The reactions of a vertex to messages: the procedures of Gallager, Humblet & Spira 1983.
//!
//! In the source, a message that cannot be answered yet is appended to the queue again. Here it
//! waits at its vertex until the vertex has changed.

use super::super::message::{EdgeRank, Fragment, Level, Message, NO_EDGE, State};
use super::{NONE, Outbox, Row, Status, Vertex, Vertices};

impl Vertices {
    /// Wakes a vertex up. It requests a connection over its lightest edge. A vertex without edges
    /// stays asleep.
    pub(in crate::ghs) fn wake(&mut self, v: u32, out: &mut Outbox) {
        let Row { lightest: arc, end } = self.rows[v as usize];
        let v = self.machine(v);
        let vertex = &mut self.vertices[v as usize];
        if vertex.state == State::Sleeping && arc < end {
            vertex.state = State::Found;
            self.make_branch(v, arc);
            self.send(arc, Message::Connect(0), out);
        }
    }

    /// Handles a message that arrives over an edge.
    pub(in crate::ghs) fn receive(&mut self, arc: u32, message: Message, out: &mut Outbox) {
        let v = self.vertex_of(arc);
        self.wake(v, out);
        let v = self.machine(v);
        match message {
            Message::Connect(level) => self.connect(v, arc, level, out),
            Message::Initiate(level, fragment, state) => {
                let vertex = &mut self.vertices[v as usize];
                (vertex.level, vertex.fragment, vertex.state) = (level, fragment, state);
                self.initiate(v, arc, out);
            }
            Message::Test(level, _) if level > self.vertices[v as usize].level => {
                // This vertex may be in that fragment without knowing it yet.
                self.wait(v, arc, message);
            }
            Message::Test(_, fragment) => self.answer_test(v, arc, fragment, out),
            Message::Accept => self.accept(v, arc, out),
            Message::Reject => {
                self.reject(arc);
                self.vertices[v as usize].test_edge = NONE;
                self.test(v, out);
            }
            Message::Report(edge) => self.receive_report(v, arc, edge, out),
            Message::ChangeRoot => self.change_core(v, out),
        }
    }

    fn connect(&mut self, v: u32, arc: u32, level: Level, out: &mut Outbox) {
        if self.is_inside(arc) {
            return; // Both ends chose the edge, and their pieces are one already.
        }
        let Vertex { level: own, fragment, state, .. } = self.vertices[v as usize];
        if level < own {
            // The smaller fragment is absorbed. It takes part in the search if this vertex is still
            // searching.
            self.make_branch(v, arc);
            if let Some(piece) = self.piece_beyond(arc) {
                self.absorb(v, piece, arc, out);
                return;
            }
            self.send(arc, Message::Initiate(own, fragment, state), out);
            self.vertices[v as usize].find_count += u32::from(state == State::Find);
        } else if self.arcs[arc as usize].is_basic() {
            // The request waits until this fragment has grown or has chosen the same edge.
            self.arcs[arc as usize].status = Status::Asked;
            self.wait(v, arc, Message::Connect(level));
        } else {
            self.merge(v, arc, level, out);
        }
    }

    /// Merges two fragments that have chosen the same edge. It is the core of the new fragment, and
    /// its name. If both ends are pieces of this rank, they become the root of the new fragment.
    fn merge(&mut self, v: u32, arc: u32, level: Level, out: &mut Outbox) {
        let fragment = self.arcs[arc as usize].id;
        let Some(piece) = self.piece_beyond(arc) else {
            self.send(arc, Message::Initiate(level + 1, fragment, State::Find), out);
            return;
        };
        self.try_again(piece, out);
        let v = self.unite(v, piece);
        let vertex = &mut self.vertices[v as usize];
        (vertex.level, vertex.fragment, vertex.state) = (level + 1, fragment, State::Find);
        self.initiate(v, NONE, out);
    }

    /// Absorbs a piece of this rank that requests a connection over the opposite of `arc`. Its
    /// branches lead to the rest of its fragment.
    fn absorb(&mut self, v: u32, piece: u32, arc: u32, out: &mut Outbox) {
        let Vertex { level, fragment, state, .. } = self.vertices[v as usize];
        self.try_again(piece, out);
        let request = self.arcs[arc as usize].mirror;
        let mut branch = self.next_branch(piece, NONE);
        while branch != NONE {
            if branch != request {
                self.send(branch, Message::Initiate(level, fragment, state), out);
                self.vertices[v as usize].find_count += u32::from(state == State::Find);
            }
            branch = self.next_branch(piece, branch);
        }
        let v = self.unite(v, piece);
        if state == State::Find {
            self.test(v, out);
        }
    }

    /// Passes the new level, fragment and state of a vertex on along its branches, except to `arc`,
    /// from which they came. Starts the search if the state says so.
    fn initiate(&mut self, v: u32, arc: u32, out: &mut Outbox) {
        let vertex = &mut self.vertices[v as usize];
        let (level, fragment, state) = (vertex.level, vertex.fragment, vertex.state);
        (vertex.in_branch, vertex.best_edge, vertex.best) = (arc, NONE, NO_EDGE);
        vertex.test_edge = NONE;
        let mut branch = self.next_branch(v, NONE);
        self.level = self.level.max(level);
        while branch != NONE {
            if branch != arc {
                self.send(branch, Message::Initiate(level, fragment, state), out);
                self.vertices[v as usize].find_count += u32::from(state == State::Find);
            }
            branch = self.next_branch(v, branch);
        }
        if state == State::Find {
            self.test(v, out);
        }
        self.try_again(v, out);
    }

    /// Tests whether the lightest basic edge leaves the fragment. A piece tests one edge at a time,
    /// and none that is heavier than the best edge so far.
    fn test(&mut self, v: u32, out: &mut Outbox) {
        if self.vertices[v as usize].test_edge != NONE {
            return;
        }
        let arc = if self.pieces.is_some() {
            let arc = self.lightest_of_piece(v);
            let best = self.vertices[v as usize].best;
            let lighter = self.arcs.get(arc as usize).is_some_and(|arc| arc.edge_rank() < best);
            if lighter { arc } else { NONE }
        } else {
            self.lightest_of_vertex(v)
        };
        if arc == NONE {
            self.report(v, out);
            return;
        }
        let vertex = &mut self.vertices[v as usize];
        vertex.test_edge = arc;
        let message = Message::Test(vertex.level, vertex.fragment);
        self.send(arc, message, out);
    }

    fn lightest_of_vertex(&mut self, v: u32) -> u32 {
        let row = &mut self.rows[v as usize];
        while row.lightest < row.end && !self.arcs[row.lightest as usize].is_basic() {
            row.lightest += 1;
        }
        if row.lightest < row.end { row.lightest } else { NONE }
    }

    fn answer_test(&mut self, v: u32, arc: u32, fragment: Fragment, out: &mut Outbox) {
        let vertex = &self.vertices[v as usize];
        if fragment != vertex.fragment {
            self.send(arc, Message::Accept, out);
        } else {
            let both_test = vertex.test_edge == arc;
            self.reject(arc);
            if both_test {
                self.vertices[v as usize].test_edge = NONE;
                self.test(v, out);
            } else {
                self.send(arc, Message::Reject, out);
            }
        }
    }

    pub(super) fn reject(&mut self, arc: u32) {
        let arc = &mut self.arcs[arc as usize];
        if arc.is_basic() {
            arc.status = Status::Rejected;
        }
    }

    fn accept(&mut self, v: u32, arc: u32, out: &mut Outbox) {
        let vertex = &mut self.vertices[v as usize];
        vertex.test_edge = NONE;
        let edge = self.arcs[arc as usize].edge_rank();
        if edge < vertex.best {
            (vertex.best, vertex.best_edge) = (edge, arc);
        }
        if self.pieces.is_some() {
            // A piece that was absorbed meanwhile may have a lighter edge.
            self.test(v, out);
        } else {
            self.report(v, out);
        }
    }

    /// Reports to the core once all results of the subtree are known.
    fn report(&mut self, v: u32, out: &mut Outbox) {
        let vertex = &mut self.vertices[v as usize];
        if vertex.find_count == 0 && vertex.test_edge == NONE {
            vertex.state = State::Found;
            let (arc, best) = (vertex.in_branch, vertex.best);
            if arc != NONE {
                self.send(arc, Message::Report(best), out);
                self.try_again(v, out);
            } else if best == NO_EDGE {
                self.halts += 2; // The core is inside the piece, and both of its ends know.
                self.try_again(v, out);
            } else {
                self.try_again(v, out);
                self.change_core(v, out);
            }
        }
    }

    fn receive_report(&mut self, v: u32, arc: u32, edge: EdgeRank, out: &mut Outbox) {
        let vertex = &mut self.vertices[v as usize];
        if arc != vertex.in_branch {
            vertex.find_count -= 1;
            if edge < vertex.best {
                (vertex.best, vertex.best_edge) = (edge, arc);
            }
            self.report(v, out);
        } else if vertex.state == State::Find {
            self.wait(v, arc, Message::Report(edge));
        } else if edge > vertex.best {
            self.change_core(v, out);
        } else if edge == NO_EDGE {
            self.halts += 1;
        }
    }

    /// Goes towards the lightest edge that leaves the fragment, and requests a connection there.
    fn change_core(&mut self, v: u32, out: &mut Outbox) {
        let Vertex { best_edge, level, .. } = self.vertices[v as usize];
        let status = self.arcs[best_edge as usize].status;
        if status == Status::Branch {
            self.send(best_edge, Message::ChangeRoot, out);
            return;
        }
        self.make_branch(v, best_edge);
        if status != Status::Asked || self.piece_beyond(best_edge).is_none() {
            self.send(best_edge, Message::Connect(level), out);
        }
        if status == Status::Asked {
            // A waiting request has this level: a higher fragment does not request a connection,
            // and a lower one does not wait.
            self.merge(v, best_edge, level, out);
        }
    }
}
