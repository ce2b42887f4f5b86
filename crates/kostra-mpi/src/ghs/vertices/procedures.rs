//! What a vertex does with each kind of message: the procedures of Gallager, Humblet & Spira 1983.
//!
//! A message that cannot be answered yet does not go to the end of the queue again and again, as
//! there, but waits at its vertex until that has changed.

use super::super::message::{Fragment, Level, Message, NOWHERE, Place, State};
use super::{NONE, Outbox, Status, Vertex, Vertices};

impl Vertices {
    /// A vertex wakes up, and wants to be joined with its nearest neighbour. Without an edge it
    /// sleeps on.
    pub(in crate::ghs) fn wake(&mut self, v: u32, out: &mut Outbox) {
        let vertex = &mut self.vertices[v as usize];
        let arc = vertex.lightest;
        if vertex.state == State::Sleeping && arc < vertex.end {
            vertex.state = State::Found;
            self.make_branch(v, arc);
            self.send(arc, Message::Connect(0), out);
        }
    }

    /// A message comes over an edge.
    pub(in crate::ghs) fn receive(&mut self, arc: u32, message: Message, out: &mut Outbox) {
        let v = self.arcs[arc as usize].vertex;
        self.wake(v, out);
        match message {
            Message::Connect(level) => self.connect(v, arc, level, out),
            Message::Initiate(level, fragment, state) => {
                self.initiate(v, arc, level, fragment, state, out);
            }
            Message::Test(level, fragment) => self.be_tested(v, arc, level, fragment, out),
            Message::Accept => self.accept(v, arc, out),
            Message::Reject => {
                self.reject(arc);
                self.test(v, out);
            }
            Message::Report(place) => self.hear_report(v, arc, place, out),
            Message::ChangeRoot => self.change_core(v, out),
        }
    }

    fn connect(&mut self, v: u32, arc: u32, level: Level, out: &mut Outbox) {
        let Vertex { level: own, fragment, state, .. } = self.vertices[v as usize];
        if level < own {
            // The smaller fragment is absorbed, and takes part in the search if that is still on
            // here.
            self.make_branch(v, arc);
            self.send(arc, Message::Initiate(own, fragment, state), out);
            self.vertices[v as usize].find_count += u32::from(state == State::Find);
        } else if self.arcs[arc as usize].is_basic() {
            // Until this fragment has grown, or has chosen the same edge.
            self.arcs[arc as usize].status = Status::Asked;
            self.wait(v, arc, Message::Connect(level));
        } else {
            self.merge(arc, level, out);
        }
    }

    /// Both fragments have chosen this edge: it is the core of the one that they become, and its
    /// name.
    fn merge(&mut self, arc: u32, level: Level, out: &mut Outbox) {
        self.send(arc, Message::Initiate(level + 1, self.arcs[arc as usize].id, State::Find), out);
    }

    fn initiate(
        &mut self,
        v: u32,
        arc: u32,
        level: Level,
        fragment: Fragment,
        state: State,
        out: &mut Outbox,
    ) {
        let vertex = &mut self.vertices[v as usize];
        (vertex.level, vertex.fragment, vertex.state) = (level, fragment, state);
        (vertex.in_branch, vertex.best_edge, vertex.best) = (arc, NONE, NOWHERE);
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

    /// Asks over the lightest basic edge whether it leaves the fragment.
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

    fn be_tested(&mut self, v: u32, arc: u32, level: Level, fragment: Fragment, out: &mut Outbox) {
        let vertex = &self.vertices[v as usize];
        if level > vertex.level {
            // This vertex may be of that fragment, and not know it yet.
            self.wait(v, arc, Message::Test(level, fragment));
        } else if fragment != vertex.fragment {
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
        let place = self.arcs[arc as usize].place();
        if place < vertex.best {
            (vertex.best, vertex.best_edge) = (place, arc);
        }
        self.report(v, out);
    }

    /// Reports towards the core, once there is nothing more to be heard from anywhere else.
    fn report(&mut self, v: u32, out: &mut Outbox) {
        let vertex = &mut self.vertices[v as usize];
        if vertex.find_count == 0 && vertex.test_edge == NONE {
            vertex.state = State::Found;
            let (arc, best) = (vertex.in_branch, vertex.best);
            self.send(arc, Message::Report(best), out);
            self.try_again(v, out);
        }
    }

    fn hear_report(&mut self, v: u32, arc: u32, place: Place, out: &mut Outbox) {
        let vertex = &mut self.vertices[v as usize];
        if arc != vertex.in_branch {
            vertex.find_count -= 1;
            if place < vertex.best {
                (vertex.best, vertex.best_edge) = (place, arc);
            }
            self.report(v, out);
        } else if vertex.state == State::Find {
            self.wait(v, arc, Message::Report(place));
        } else if place > vertex.best {
            self.change_core(v, out);
        } else if place == NOWHERE {
            self.halts += 1;
        }
    }

    /// Leads to the lightest edge that leaves the fragment, and there asks to be connected.
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
            // Whoever waits for a connection is of this level: higher ones do not ask, lower ones
            // do not wait.
            self.merge(best_edge, level, out);
        }
    }
}
