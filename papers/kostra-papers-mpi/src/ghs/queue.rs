//! The messages that wait to be handled on a rank.

use std::collections::VecDeque;

use super::message::Message;

/// A message, and the arc over which it arrives.
type Arrival = (u32, Message);

/// Messages in the order of their arrival over each arc.
#[derive(Clone, Debug)]
pub(super) enum Queue {
    /// One queue for all vertices.
    OfRank(VecDeque<Arrival>),
    /// A queue per vertex, and the vertices whose queues are not empty.
    OfVertices { queues: Vec<VecDeque<Arrival>>, ready: VecDeque<u32> },
}

impl Queue {
    /// A queue for each of `vertices` vertices.
    pub(super) fn per_vertex(vertices: u32) -> Self {
        let queues = vec![VecDeque::new(); vertices as usize];
        Self::OfVertices { queues, ready: VecDeque::new() }
    }

    /// Appends a message to `vertex`.
    pub(super) fn push(&mut self, vertex: u32, arrival: Arrival) {
        match self {
            Self::OfRank(queue) => queue.push_back(arrival),
            Self::OfVertices { queues, ready } => {
                let queue = &mut queues[vertex as usize];
                if queue.is_empty() {
                    ready.push_back(vertex);
                }
                queue.push_back(arrival);
            }
        }
    }

    /// Takes the next message: the first one of the rank, or of the vertex that is ready longest.
    pub(super) fn pop(&mut self) -> Option<Arrival> {
        match self {
            Self::OfRank(queue) => queue.pop_front(),
            Self::OfVertices { queues, ready } => {
                let queue = &mut queues[*ready.front()? as usize];
                let arrival = queue.pop_front();
                if queue.is_empty() {
                    ready.pop_front();
                }
                arrival
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::OfRank(queue) => queue.is_empty(),
            Self::OfVertices { ready, .. } => ready.is_empty(),
        }
    }
}
