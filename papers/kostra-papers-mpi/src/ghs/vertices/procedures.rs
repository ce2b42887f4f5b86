//! The reactions of a vertex to messages: the procedures of Gallager, Humblet & Spira 1983.
//!
//! In the source, a message that cannot be answered yet is appended to the queue again. Here it
//! waits at its vertex until the vertex has changed.

use super::super::message::{EdgeRank, Fragment, Level, Message, NO_EDGE, State};
use super::{NONE, Outbox, Status, Vertex, Vertices};

impl Vertices {
    /// Wakes a vertex up. It requests a connection over its lightest edge. A vertex without edges
    /// stays asleep.
    pub(in crate::ghs) fn wake(&mut self, v: u32, out: &mut Outbox) {
        let vertex = &mut self.vertices[v as usize];
        let arc = vertex.lightest;
        if vertex.state == State::Sleeping && arc < vertex.end {
            vertex.state = State::Found;
            self.make_branch(v, arc);
            self.send(arc, Message::Connect(0), out);
        }
    }

    /// Handles a message that arrives over an edge.
    pub(in crate::ghs) fn receive(&mut self, arc: u32, message: Message, out: &mut Outbox) {
        let v = self.arcs[arc as usize].vertex;
        self.wake(v, out);
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
                self.test(v, out);
            }
            Message::Report(edge) => self.receive_report(v, arc, edge, out),
            Message::ChangeRoot => self.change_core(v, out),
        }
    }

    fn connect(&mut self, v: u32, arc: u32, level: Level, out: &mut Outbox) {
        let Vertex { level: own, fragment, state, .. } = self.vertices[v as usize];
        if level < own {
            // The smaller fragment is absorbed. It takes part in the search if this vertex is still
            // searching.
            self.make_branch(v, arc);
            self.send(arc, Message::Initiate(own, fragment, state), out);
            self.vertices[v as usize].find_count += u32::from(state == State::Find);
        } else if self.arcs[arc as usize].is_basic() {
            // The request waits until this fragment has grown or has chosen the same edge.
            self.arcs[arc as usize].status = Status::Asked;
            self.wait(v, arc, Message::Connect(level));
        } else {
            self.merge(arc, level, out);
        }
    }

    /// Merges two fragments that have chosen the same edge. It is the core of the new fragment, and
    /// its name.
    fn merge(&mut self, arc: u32, level: Level, out: &mut Outbox) {
        self.send(arc, Message::Initiate(level + 1, self.arcs[arc as usize].id, State::Find), out);
    }

    /// Passes the new level, fragment and state of a vertex on along its branches, except to `arc`,
    /// from which they came. Starts the search if the state says so.
    fn initiate(&mut self, v: u32, arc: u32, out: &mut Outbox) {
        let vertex = &mut self.vertices[v as usize];
        let (level, fragment, state) = (vertex.level, vertex.fragment, vertex.state);
        (vertex.in_branch, vertex.best_edge, vertex.best) = (arc, NONE, NO_EDGE);
        let mut branch = vertex.first_branch;
        self.level = self.level.max(level);
        while branch != NONE {
            if branch != arc {
                self.send(branch, Message::Initiate(level, fragment, state), out);
                self.vertices[v as usize].find_count += u32::from(state == State::Find);
            }
            branch = self.arcs[branch as usize].next_branch;
        }
        if state == State::Find {
            self.test(v, out);
        }
        self.try_again(v, out);
    }

    /// Tests whether the lightest basic edge leaves the fragment.
    fn test(&mut self, v: u32, out: &mut Outbox) {
        let vertex = &mut self.vertices[v as usize];
        while vertex.lightest < vertex.end && !self.arcs[vertex.lightest as usize].is_basic() {
            vertex.lightest += 1;
        }
        if vertex.lightest < vertex.end {
            vertex.test_edge = vertex.lightest;
            let (arc, message) = (vertex.lightest, Message::Test(vertex.level, vertex.fragment));
            self.send(arc, message, out);
        } else {
            vertex.test_edge = NONE;
            self.report(v, out);
        }
    }

    fn answer_test(&mut self, v: u32, arc: u32, fragment: Fragment, out: &mut Outbox) {
        let vertex = &self.vertices[v as usize];
        if fragment != vertex.fragment {
            self.send(arc, Message::Accept, out);
        } else {
            let both_test = vertex.test_edge == arc;
            self.reject(arc);
            if both_test {
                self.test(v, out);
            } else {
                self.send(arc, Message::Reject, out);
            }
        }
    }

    fn reject(&mut self, arc: u32) {
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
        self.report(v, out);
    }

    /// Reports to the core once all results of the subtree are known.
    fn report(&mut self, v: u32, out: &mut Outbox) {
        let vertex = &mut self.vertices[v as usize];
        if vertex.find_count == 0 && vertex.test_edge == NONE {
            vertex.state = State::Found;
            let (arc, best) = (vertex.in_branch, vertex.best);
            self.send(arc, Message::Report(best), out);
            self.try_again(v, out);
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
        self.send(best_edge, Message::Connect(level), out);
        if status == Status::Asked {
            // A waiting request has this level: a higher fragment does not request a connection,
            // and a lower one does not wait.
            self.merge(best_edge, level, out);
        }
    }
}
